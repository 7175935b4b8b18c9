// The standard benchmark: a tiled matrix multiply that keeps the array busy.
//
// The program is firmware/programs/tcu/bench_gemm.tasm; inputs come from a seed, and every result
// is compared with scalar arithmetic.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "firmware/driver/tcu/simulation.h"

namespace tactus {

/// C = A * B + bias with `rows` rows, `inner` tiles of N columns in A and `outer` in B and C.
struct GemmShape {
  std::uint64_t rows = 0;
  std::uint64_t inner = 0;
  std::uint64_t outer = 0;
};

/// A shape that fills the architecture's local memory and runs for some 100 000 cycles, fewer on
/// very large arrays. Throws UserError if the memories are too small for any.
[[nodiscard]] GemmShape gemm_shape(const tcu::Architecture& architecture);

/// Empty, or why the shape does not fit the architecture.
[[nodiscard]] std::string gemm_obstacle(const tcu::Architecture& architecture,
                                        const GemmShape& shape);

struct GemmResult {
  GemmShape shape;
  TcuRunResult run;
  std::uint64_t multiply_accumulates = 0;
  double array_busy = 0;      ///< cycles in which the array multiplies / all cycles
  double host_seconds = 0;    ///< of the simulation alone
  std::uint64_t checked = 0;  ///< rows of C compared
  std::uint64_t rows = 0;     ///< rows of C, one vector each
  std::string wrong;          ///< empty: the results are right
};

/// Loads, runs and checks the benchmark. Throws UserError if the shape does not fit.
[[nodiscard]] GemmResult run_gemm(TcuSimulation& simulation, const GemmShape& shape,
                                  std::uint64_t seed = 1, const TcuRunOptions& options = {});
[[nodiscard]] GemmResult run_gemm(TcuSimulation& simulation);

}  // namespace tactus
