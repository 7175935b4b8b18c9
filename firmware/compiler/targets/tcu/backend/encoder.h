// LIR to instruction bytes.
//
// Kinds and flags follow from directions, memories and which addresses are there. Every
// instruction is checked against the architecture before it is written; one that does not fit is
// an InternalError. Source: toolchain spec sections 2 and 3.12.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "firmware/compiler/targets/tcu/lir/lir.h"
#include "isa/tcu/architecture.h"
#include "isa/tcu/instruction.h"
#include "isa/tcu/layout.h"

namespace tactus::compiler {

class Encoder {
 public:
  struct Counts {
    std::array<std::uint64_t, 16> by_opcode{};
    std::uint64_t mat_mul_vectors = 0, zeroes_vectors = 0;
  };

  explicit Encoder(const tcu::Architecture& architecture);

  /// Segments in the order they run in.
  void append(const lir::Segment& segment);

  [[nodiscard]] std::uint64_t instructions() const { return instructions_; }
  /// Since the last call.
  [[nodiscard]] Counts take_counts();
  [[nodiscard]] std::vector<std::uint8_t> take_bytes() { return std::move(bytes_); }

 private:
  void append(const tcu::Instruction& instruction);
  [[nodiscard]] tcu::Instruction encode(const lir::MatMul& o) const;
  [[nodiscard]] tcu::Instruction encode(const lir::DataMove& o) const;
  [[nodiscard]] tcu::Instruction encode(const lir::LoadWeights& o) const;
  [[nodiscard]] tcu::Instruction encode(const lir::Simd& o) const;
  [[nodiscard]] tcu::Instruction encode(const lir::LoadLut& o) const;
  [[nodiscard]] tcu::Instruction encode(const lir::Wait& o) const;

  tcu::Architecture architecture_;
  tcu::InstructionLayout layout_;
  std::vector<std::uint8_t> bytes_;
  std::uint64_t instructions_ = 0;
  Counts counts_;
};

}  // namespace tactus::compiler
