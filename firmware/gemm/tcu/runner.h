// Matrix products on a TCU.
//
// The TCU computes in the fixed-point type of its architecture; --precision does not apply to it.
// Every multiply-accumulate rounds half to even and saturates.
#pragma once

#include <memory>
#include <string>

#include "firmware/driver/tcu/simulation.h"
#include "firmware/gemm/measurement.h"

namespace tactus::gemm {

/// Makes a runner; `name` is the machine's name as the user gave it.
[[nodiscard]] std::unique_ptr<Runner> make_tcu_runner(const std::string& name,
                                                      const TcuSimulationConfig& config);

}  // namespace tactus::gemm
