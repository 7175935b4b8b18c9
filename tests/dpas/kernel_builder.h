// Builds kernels from resolved instructions on registers, without text, for tests of the machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/dpas/block2d.h"
#include "isa/dpas/profile.h"
#include "isa/dpas/program.h"
#include "isa/dpas/semantics.h"

namespace tactus::dpas {

/// Registers are given by number, addresses within them in bytes. The n-th instruction has position
/// n, from 1 on.
class KernelBuilder {
 public:
  explicit KernelBuilder(const Profile& profile) : profile_(profile) {
    program_.source = "test";
    program_.kernels.emplace_back();
    kernel().name = "k";
  }

  [[nodiscard]] Program& program() { return program_; }
  [[nodiscard]] Kernel& kernel() { return program_.kernels.front(); }
  [[nodiscard]] std::size_t size() { return kernel().instructions.size(); }
  Instruction& add(const Instruction& instruction) {
    kernel().instructions.push_back(instruction);
    kernel().places.push_back(static_cast<std::uint32_t>(kernel().instructions.size()));
    return kernel().instructions.back();
  }

  /// Returns an operand with elements of `type` at a byte address of the register file.
  static Operand at(std::uint32_t address, std::uint32_t bytes, Type type) {
    Operand operand;
    operand.kind = Operand::Kind::general;
    operand.type = type;
    operand.address = address;
    operand.bytes = bytes;
    operand.variable = first_user_variable;
    return operand;
  }
  static Operand immediate(std::int64_t value, Type type = Type::d) {
    Operand operand;
    operand.kind = Operand::Kind::immediate;
    operand.type = type;
    const unsigned bits = info(type).bytes * 8U;
    operand.immediate = static_cast<std::uint64_t>(value);
    if (bits < 64) operand.immediate &= (std::uint64_t{1} << bits) - 1;
    return operand;
  }

  struct DpasOperands {
    int src0 = -1;  ///< register number; -1: null
    Precision w = Precision::s8, a = Precision::s8;
    Type dst_type = Type::d, src0_type = Type::d;
  };
  /// Adds a DPAS. dst, src1 (B) and src2 (A) are register numbers; `a_byte` is added to A's
  /// address.
  Instruction& dpas(unsigned rc, unsigned dst, unsigned src1, unsigned src2, const DpasOperands& o,
                    unsigned a_byte = 0) {
    const unsigned grf = profile_.grf_bytes;
    Instruction i;
    i.opcode = Opcode::dpas;
    i.execution_size = static_cast<std::uint8_t>(profile_.execution_size);
    i.w = o.w;
    i.a = o.a;
    i.repeat_count = static_cast<std::uint8_t>(rc);
    i.dst = at(dst * grf, 1, o.dst_type);
    i.source[0] = at(0, 0, o.src0_type);
    i.source[0].kind = Operand::Kind::null;
    const DpasShape shape =
        shape_of(o.w, o.a, o.dst_type, o.src0_type, profile_.execution_size, 8, rc, rc);
    i.dst.bytes = shape.dst_bytes;
    i.dst.kind = Operand::Kind::raw;
    if (o.src0 >= 0) {
      i.source[0] = at(static_cast<unsigned>(o.src0) * grf, shape.src0_bytes, o.src0_type);
      i.source[0].kind = Operand::Kind::raw;
    }
    i.source[1] = at(src1 * grf, shape.src1_bytes, Type::ud);
    i.source[1].kind = Operand::Kind::raw;
    i.source[2] = at(src2 * grf + a_byte, shape.src2_bytes, Type::ud);
    return add(i);
  }
  Instruction& dpas(unsigned rc, unsigned dst, unsigned src1, unsigned src2) {
    return dpas(rc, dst, src1, src2, DpasOperands());
  }
  /// Adds the DPAS D = D + A x B.
  Instruction& accumulate(unsigned rc, unsigned dst, unsigned src1, unsigned src2) {
    DpasOperands operands;
    operands.src0 = static_cast<int>(dst);
    return dpas(rc, dst, src1, src2, operands);
  }

  /// Returns a vector operand of `channels` dwords.
  [[nodiscard]] Operand vector(unsigned reg, unsigned channels, unsigned byte = 0) const {
    Operand operand = at(reg * profile_.grf_bytes + byte, channels * 4, Type::d);
    operand.region = channels == 1 ? Region{0, 1, 0} : Region{1, 1, 0};
    return operand;
  }
  [[nodiscard]] Operand result(unsigned reg, unsigned channels, unsigned byte = 0) const {
    Operand operand = vector(reg, channels, byte);
    operand.region = {0, 0, 1};
    return operand;
  }
  Instruction& mov(const Operand& dst, const Operand& source, unsigned channels) {
    return two(Opcode::mov, dst, source, {}, channels);
  }
  Instruction& two(Opcode opcode, const Operand& dst, const Operand& a, const Operand& b,
                   unsigned channels) {
    Instruction i;
    i.opcode = opcode;
    i.execution_size = static_cast<std::uint8_t>(channels);
    i.dst = dst;
    i.source[0] = a;
    i.source[1] = b;
    return add(i);
  }
  /// Adds a comparison: predicate `id` = a < b, in one channel.
  Instruction& less(unsigned id, const Operand& a, const Operand& b) {
    while (kernel().predicates.size() < id) kernel().predicates.push_back({"p", 1});
    Operand dst;
    dst.kind = Operand::Kind::predicate;
    dst.variable = id;
    Instruction& i = two(Opcode::cmp, dst, a, b, 1);
    i.comparison = Comparison::lt;
    return i;
  }
  /// Adds a jump to instruction number `target`. It is taken if predicate `id` is set; with id 0 it
  /// is always taken.
  Instruction& jump(std::uint32_t target, unsigned id) {
    Instruction i;
    i.opcode = Opcode::jmp;
    i.target = target;
    i.predicate.variable = static_cast<std::uint16_t>(id);
    return add(i);
  }
  Instruction& plain(Opcode opcode) {
    Instruction i;
    i.opcode = opcode;
    return add(i);
  }
  Instruction& ret() { return plain(Opcode::ret); }

  struct Surface {
    std::uint64_t base = 0;
    std::uint32_t width = 64, height = 1, pitch = 64;  ///< in bytes, rows, bytes
    std::int32_t x = 0, y = 0;                         ///< in elements, rows
  };
  Instruction& load_block(unsigned dst, const Block2d& block, const Surface& surface) {
    Instruction& i = block2d(LscOperation::load_block2d, block, surface);
    i.dst = at(dst * profile_.grf_bytes, block_bytes(block), Type::ud);
    i.dst.kind = Operand::Kind::raw;
    return i;
  }
  Instruction& store_block(unsigned data, const Block2d& block, const Surface& surface) {
    Instruction& i = block2d(LscOperation::store_block2d, block, surface);
    i.source[6] = at(data * profile_.grf_bytes, block_bytes(block), Type::ud);
    i.source[6].kind = Operand::Kind::raw;
    return i;
  }
  [[nodiscard]] std::uint32_t block_bytes(const Block2d& block) const {
    return static_cast<std::uint32_t>(register_bytes(block, profile_.grf_bytes));
  }

 private:
  Instruction& block2d(LscOperation operation, const Block2d& block, const Surface& surface) {
    Instruction i;
    i.opcode = Opcode::lsc_untyped;
    i.lsc.operation = operation;
    i.lsc.block = block;
    i.source[0] = immediate(static_cast<std::int64_t>(surface.base), Type::uq);
    i.source[1] = immediate(surface.width - 1, Type::ud);
    i.source[2] = immediate(surface.height - 1, Type::ud);
    i.source[3] = immediate(surface.pitch - 1, Type::ud);
    i.source[4] = immediate(surface.x);
    i.source[5] = immediate(surface.y);
    return add(i);
  }

  const Profile& profile_;
  Program program_;
};

}  // namespace tactus::dpas
