// Latency and energy of a program by formula, without simulating it: the figures the reference's
// compiler prints, for comparison with simulated cycles.
//
// n: vectors of an instruction, N: array size. Energy is in the reference's arbitrary units.
//
//   instruction              cycles                                       energy
//   NoOp                     1                                            0
//   MatMul                   n, and 0 after a MatMul, N after a           n * N * N
//                            LoadWeights, 2 N after anything else
//   LoadWeights              n                                            10 n
//   SIMD                     1                                            N
//   DataMove, DRAM           n                                            100 n
//   DataMove, accumulators   n                                            10 n
//   anything else            0                                            0
//
// The variant of March 2022, behind the published benchmark table, gives MatMul n cycles always and
// a DRAM move n * w cycles for a write and 2 n * w for a read, w being the 128-bit words of a
// vector. Neither knows instruction delivery, bursts or latency, so both are optimistic: boards
// were measured at 1.6 to 2.6 times the first figure.
// Source: toolchain spec section 4.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "isa/tcu/instruction_kind.h"
#include "isa/tcu/model_file.h"

namespace tactus::bench {

enum class Formula { current, march_2022 };

struct Cost {
  std::uint64_t instructions = 0;
  std::uint64_t vectors = 0;  ///< moved, multiplied or loaded; 1 a SIMD
  std::uint64_t cycles = 0;
  std::uint64_t energy = 0;

  Cost& operator+=(const Cost& other);
};

struct Estimate {
  /// Over all instructions, in order.
  Cost aggregate;
  /// What the reference calls execution latency: its queue of thread_queue_depth + 1 instructions
  /// is never flushed, so that the last ones of the program are not counted.
  Cost execution;
  std::array<Cost, tcu::instruction_kinds> by_kind;  ///< of the aggregate, by InstructionKind
};

/// Throws UserError for a program of two threads, whose instructions run at the same time.
[[nodiscard]] Estimate estimate(const tcu::Architecture& architecture,
                                const std::vector<tcu::Instruction>& program,
                                Formula formula = Formula::current);

struct Estimates {
  Estimate current, march_2022;
};
/// The same by both formulas, of a program as a .tprog file holds it: its instructions are decoded
/// one by one and never all in memory. Throws UserError, too, unless it is whole instructions.
[[nodiscard]] Estimates estimate_file(const tcu::Architecture& architecture,
                                      const std::vector<std::uint8_t>& program);

/// Of each layer on its own: nothing is known of the instruction before it. Inside a layer the
/// state runs on, which is what the reference's fresh start at every segment comes to: segments
/// begin with a load or with weights. Throws UserError for a layer outside the program.
[[nodiscard]] std::vector<Estimate> estimate_layers(const tcu::Architecture& architecture,
                                                    const std::vector<tcu::Instruction>& program,
                                                    const std::vector<tcu::LayerEntry>& layers,
                                                    Formula formula = Formula::current);

}  // namespace tactus::bench
