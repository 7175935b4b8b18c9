// Builds programs for timing tests: one call per instruction. Addresses are 0 unless the test needs
// others.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/tcu/instruction.h"

namespace tactus {

class Program {
 public:
  using Operand = tcu::Operand;
  using Kind = tcu::DataMoveKind;

  explicit Program(const tcu::Architecture& architecture)
      : architecture_(architecture), layout_(architecture) {}

  [[nodiscard]] const tcu::Architecture& architecture() const { return architecture_; }
  [[nodiscard]] std::vector<std::uint8_t> bytes() const {
    return encode_program(layout_, instructions_);
  }

  Program& no_op(std::uint64_t count = 1) {
    for (std::uint64_t i = 0; i < count; ++i) add(tcu::make_no_op());
    return *this;
  }
  Program& configure(tcu::ConfigRegister reg, std::uint32_t value) {
    return add(tcu::make_configure(layout_, reg, value));
  }
  /// Adds an instruction given as fields, e.g. an undefined one.
  Program& raw(const tcu::Instruction& instruction) { return add(instruction); }

  Program& mat_mul(std::uint64_t n, Operand local = {0, 0}, Operand accumulator = {0, 0}) {
    return add(tcu::make_mat_mul(layout_, local, accumulator, n));
  }
  Program& mat_mul_accumulate(std::uint64_t n, Operand local = {0, 0},
                              Operand accumulator = {0, 0}) {
    return add(tcu::make_mat_mul(layout_, local, accumulator, n, true));
  }
  Program& mat_mul_zeroes(std::uint64_t n, Operand accumulator = {0, 0}) {
    return add(tcu::make_mat_mul(layout_, {0, 0}, accumulator, n, false, true));
  }
  Program& load_weights(std::uint64_t n, Operand local = {0, 0}) {
    return add(tcu::make_load_weights(layout_, local, n));
  }
  Program& load_weights_zeroes(std::uint64_t n) {
    return add(tcu::make_load_weights(layout_, {0, 0}, n, true));
  }

  Program& dais(std::uint64_t n, unsigned block = 0, Operand local = {0, 0},
                Operand accumulator = {0, 0}) {
    return add(tcu::make_dais(layout_, block, local, accumulator, n));
  }
  Program& dais_accumulate(std::uint64_t n, unsigned block = 0, Operand local = {0, 0},
                           Operand accumulator = {0, 0}) {
    return add(tcu::make_dais(layout_, block, local, accumulator, n, true));
  }

  Program& load_activation(Operand local = {0, 0}) {
    return add(tcu::make_load_activation(layout_, local));
  }
  Program& load_lut(std::uint64_t table, Operand local = {0, 0}) {
    return add(tcu::make_load_lut(layout_, local, table));
  }
  /// Adds a Lookup. Register `dest` gets the difference, the registers after it the tables' values.
  Program& lookup(unsigned source, unsigned dest, bool read, bool write) {
    return add(
        tcu::make_simd(layout_, {tcu::SimdOp::lookup, source, source, dest}, 0, 0, read, write));
  }

  Program& move(Kind kind, std::uint64_t n, Operand local = {0, 0}, Operand other = {0, 0}) {
    return add(tcu::make_data_move(layout_, kind, local, other, n));
  }
  Program& read_dram(unsigned port, std::uint64_t n, Operand local = {0, 0},
                     Operand dram = {0, 0}) {
    return move(port == 0 ? Kind::dram0_to_local : Kind::dram1_to_local, n, local, dram);
  }
  Program& write_dram(unsigned port, std::uint64_t n, Operand local = {0, 0},
                      Operand dram = {0, 0}) {
    return move(port == 0 ? Kind::local_to_dram0 : Kind::local_to_dram1, n, local, dram);
  }

  /// Reads an accumulator vector, sets register 1 to it plus 1, and writes the result.
  Program& simd_read_write(bool accumulate = false) {
    return simd(tcu::SimdOp::increment, 0, true, true, accumulate);
  }
  /// Reads an accumulator vector into register 1.
  Program& simd_read() { return simd(tcu::SimdOp::move, 0, true, false); }
  /// Writes register 1 + 1 to an accumulator vector.
  Program& simd_write() { return simd(tcu::SimdOp::increment, 1, false, true); }
  /// Adds 1 to register 1, without access to the accumulators.
  Program& simd_neither() { return simd(tcu::SimdOp::increment, 1, false, false); }

 private:
  Program& add(const tcu::Instruction& instruction) {
    instructions_.push_back(instruction);
    return *this;
  }
  Program& simd(tcu::SimdOp op, unsigned source, bool read, bool write, bool accumulate = false) {
    return add(tcu::make_simd(layout_, {op, source, source, 1}, 0, 0, read, write, accumulate));
  }

  tcu::Architecture architecture_;
  tcu::InstructionLayout layout_;
  std::vector<tcu::Instruction> instructions_;
};

}  // namespace tactus
