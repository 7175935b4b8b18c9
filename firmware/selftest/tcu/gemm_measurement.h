// The standard benchmark: a tiled matrix multiplication that keeps the array busy.
//
// The program is firmware/programs/tcu/bench_gemm.tasm. Inputs are made from a seed. Results are
// compared with scalar arithmetic: all rows of C or, for large shapes, a part of them.
#pragma once

#include <cstdint>
#include <string>

#include "firmware/driver/tcu/simulation.h"

namespace tactus {

/// Shape of C = A * B + bias: A has `rows` rows and `inner` tiles of N columns; B and C have
/// `outer` tiles of N columns.
struct GemmShape {
  std::uint64_t rows = 0;
  std::uint64_t inner = 0;
  std::uint64_t outer = 0;
};

/// Returns a shape that fills the architecture's local memory and runs for about 100 000 cycles,
/// fewer on very large arrays. Throws UserError if the memories are too small for any shape.
[[nodiscard]] GemmShape gemm_shape(const tcu::Architecture& architecture);

/// Reason why the shape does not fit the architecture; empty if it fits.
[[nodiscard]] std::string gemm_obstacle(const tcu::Architecture& architecture,
                                        const GemmShape& shape);

struct GemmResult {
  GemmShape shape;
  TcuRunResult run;
  std::uint64_t multiply_accumulates = 0;
  double array_busy = 0;      ///< busy cycles of the array / all cycles, 0..1
  double host_seconds = 0;    ///< host time of the simulation alone
  std::uint64_t checked = 0;  ///< rows of C compared
  std::uint64_t rows = 0;     ///< rows of all tiles of C, each a vector
  std::string wrong;          ///< describes the first wrong result; empty: none
};

/// Loads, runs and checks the benchmark. Throws UserError if the shape does not fit.
[[nodiscard]] GemmResult run_gemm(TcuSimulation& simulation, const GemmShape& shape,
                                  std::uint64_t seed = 1, const TcuRunOptions& options = {});
[[nodiscard]] GemmResult run_gemm(TcuSimulation& simulation);

}  // namespace tactus
