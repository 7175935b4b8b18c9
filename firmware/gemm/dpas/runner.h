// Matrix products on a machine with a DPAS array.
#pragma once

#include <memory>
#include <string>

#include "firmware/driver/dpas/simulation.h"
#include "firmware/gemm/dpas/blocking.h"
#include "firmware/gemm/measurement.h"

namespace tactus::gemm {

struct DpasRunnerConfig {
  DpasSimulationConfig simulation;  ///< its number of threads is the kernel's
  PrecisionPair precision{dpas::Precision::s8, dpas::Precision::s8};
  BLayout b_layout = BLayout::rows;
  BlockingWishes wishes;
};

/// What the choice of a blocking knows of the machine's memory side.
[[nodiscard]] MemoryCost memory_cost(const DpasSimulationConfig& config);

/// `name` is how the user named the machine. Throws UserError if the profile lacks the precision.
[[nodiscard]] std::unique_ptr<Runner> make_dpas_runner(const std::string& name,
                                                       const DpasRunnerConfig& config);

/// The kernel that a runner of this configuration runs, as vISA text; comments before it say how
/// its matrices lie in memory.
[[nodiscard]] std::string kernel_text(const Problem& problem, const DpasRunnerConfig& config);

}  // namespace tactus::gemm
