// Predicts the time of a program by a formula, kernel by kernel, without simulation.
//
//   LoadWeights        its rows
//   MatMul             its vectors, plus the time to fill the array: 0 after a MatMul, N cycles
//                      after a LoadWeights, 2 N after any other instruction
//   DataMove, DRAM     latency + bytes / (bytes per cycle), rounded up
//   DataMove, others   its vectors
//   LoadLUT            the vectors of a table
//   LoadActivation     its vectors of parameters
//   SIMD, all others   1
//
// N is the array size. Each instruction's cycles are added to one of four paths: DMA0, DMA1, the
// array with its weights, the accumulators with the ALUs. With one tile in flight a kernel takes
// the sum of its paths; with two or more, the longest path plus one fill (a transfer's latency and
// 2 N). The formula ignores the delivery of instructions and waits between them, so measured times
// differ; see tactus codesign. Source: Stripe notes section 5.8.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "firmware/compiler/compiler.h"
#include "isa/tcu/instruction.h"

namespace tactus::codesign {

struct Rates {
  double bytes_per_cycle = 8;     ///< bandwidth of a DRAM port in each direction
  std::uint64_t dma_latency = 1;  ///< cycles to the first data of a transfer
  unsigned pipeline_depth = 1;    ///< tiles in flight
};

/// Cycles of the four paths, some of them in parts.
struct Paths {
  std::uint64_t dma0 = 0, dma1 = 0;
  std::uint64_t weights = 0, array = 0;  ///< parts of the array's path
  std::uint64_t moves = 0, simd = 0;     ///< parts of the path of the accumulators and ALUs
  std::uint64_t other = 0;               ///< NoOp, Configure and the like, part of the last path
  [[nodiscard]] std::uint64_t sum() const;
  [[nodiscard]] std::uint64_t longest() const;
};

struct KernelPrediction {
  std::string name;
  std::uint64_t instructions = 0;
  std::uint64_t dma_moves = 0;  ///< DataMoves to or from DRAM
  Paths paths;
  std::uint64_t cycles = 0;
};

struct Prediction {
  std::vector<KernelPrediction> kernels;
  std::uint64_t cycles = 0;  ///< sum over all kernels, which run one after the other
};

/// Predicts a program kernel by kernel. Throws UserError for an architecture of two threads, whose
/// instructions overlap.
[[nodiscard]] Prediction predict(const tcu::Architecture& architecture,
                                 const std::vector<tcu::Instruction>& program,
                                 const std::vector<compiler::LayerInfo>& kernels,
                                 const Rates& rates);

}  // namespace tactus::codesign
