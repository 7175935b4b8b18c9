// Matrix products on a machine with a DPAS array.
#pragma once

#include <memory>
#include <string>

#include "firmware/driver/dpas/simulation.h"
#include "firmware/gemm/dpas/blocking.h"
#include "firmware/gemm/measurement.h"

namespace tactus::gemm {

struct DpasRunnerConfig {
  DpasSimulationConfig simulation;  ///< the number of threads is set by the kernel
  PrecisionPair precision{dpas::Precision::s8, dpas::Precision::s8};
  BLayout b_layout = BLayout::rows;
  BlockingWishes wishes;
};

/// Memory properties for the choice of a blocking.
[[nodiscard]] MemoryCost memory_cost(const DpasSimulationConfig& config);

/// Makes a runner; `name` is the machine's name as the user gave it. Throws UserError if the
/// profile lacks the precision.
[[nodiscard]] std::unique_ptr<Runner> make_dpas_runner(const std::string& name,
                                                       const DpasRunnerConfig& config);

/// The kernel that a runner with this configuration runs, as vISA text. Comments at its top
/// describe the layout of its matrices.
[[nodiscard]] std::string kernel_text(const Problem& problem, const DpasRunnerConfig& config);

}  // namespace tactus::gemm
