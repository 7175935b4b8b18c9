// Latency and energy of a program by a formula, without simulation. They are the figures that the
// reference's compiler prints, for comparison with simulated cycles.
//
// In the table n is the number of vectors of an instruction and N is the array size. Energy is in
// the reference's arbitrary units.
//
//   instruction              cycles                                       energy
//   NoOp                     1                                            0
//   MatMul                   n, plus 0 after a MatMul, N after a          n * N * N
//                            LoadWeights, 2 N after any other
//   LoadWeights              n                                            10 n
//   SIMD                     1                                            N
//   DataMove, DRAM           n                                            100 n
//   DataMove, accumulators   n                                            10 n
//   any other                0                                            0
//
// The published benchmark table is based on a variant of March 2022. In it a MatMul always takes n
// cycles, a DRAM write n * w and a DRAM read 2 n * w cycles, where w is the number of 128-bit words
// in a vector. Both formulas ignore instruction delivery, bursts and latency, so both are
// optimistic: measured boards took 1.6 to 2.6 times the cycles of the table above. Source:
// toolchain spec section 4.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "isa/tcu/instruction_kind.h"
#include "isa/tcu/model_file.h"

namespace tactus::bench {

enum class Formula { current, march_2022 };

struct Cost {
  std::uint64_t instructions = 0;
  std::uint64_t vectors = 0;  ///< vectors moved, multiplied or loaded; a SIMD counts 1
  std::uint64_t cycles = 0;
  std::uint64_t energy = 0;

  Cost& operator+=(const Cost& other);
};

struct Estimate {
  /// Cost of all instructions in order.
  Cost aggregate;
  /// Cost that the reference calls execution latency. It excludes the program's last instructions,
  /// because the reference never flushes its queue of thread_queue_depth + 1 instructions.
  Cost execution;
  std::array<Cost, tcu::instruction_kinds> by_kind;  ///< parts of `aggregate`, by InstructionKind
};

/// Estimates a whole program. Throws UserError for an architecture of two threads, whose
/// instructions overlap.
[[nodiscard]] Estimate estimate(const tcu::Architecture& architecture,
                                const std::vector<tcu::Instruction>& program,
                                Formula formula = Formula::current);

struct Estimates {
  Estimate current, march_2022;
};
/// Estimates by both formulas from the bytes of a .tprog file, decoding one instruction at a time.
/// Also throws UserError if the bytes are not complete instructions.
[[nodiscard]] Estimates estimate_file(const tcu::Architecture& architecture,
                                      const std::vector<std::uint8_t>& program);

/// Estimates each layer as a program of its own, so its first instruction has none before it. The
/// reference instead starts anew at every segment of a layer; both give the same cycles, since a
/// segment begins with a load or with weights, never with a MatMul. Throws UserError for a layer
/// outside the program.
[[nodiscard]] std::vector<Estimate> estimate_layers(const tcu::Architecture& architecture,
                                                    const std::vector<tcu::Instruction>& program,
                                                    const std::vector<tcu::LayerEntry>& layers,
                                                    Formula formula = Formula::current);

}  // namespace tactus::bench
