#include "isa/tcu/instruction.h"

#include <endian.h>
#include <cstring>
#include <string_view>

#include "isa/support/error.h"
#include "isa/tcu/instruction_set.h"

namespace tactus::tcu {
namespace {

/// Unlike <<, allows shifts by 64, see low_bits().
constexpr std::uint64_t shift_left(std::uint64_t value, unsigned bits) {
  return bits >= 64 ? 0 : value << bits;
}

std::uint64_t load16(const std::uint8_t* bytes) {
  std::uint16_t value = 0;
  std::memcpy(&value, bytes, sizeof value);
  return le16toh(value);
}
std::uint64_t load32(const std::uint8_t* bytes) {
  std::uint32_t value = 0;
  std::memcpy(&value, bytes, sizeof value);
  return le32toh(value);
}

/// Two overlapping loads are faster than a loop.
std::uint64_t load(const std::uint8_t*& bytes, unsigned bits) {
  const std::uint8_t* const first = bytes;
  bytes += bits / 8;
  if (bits >= 32) return load32(first) | load32(bytes - 4) << (bits - 32);
  if (bits >= 16) return load16(first) | load16(bytes - 2) << (bits - 16);
  return bits == 0 ? 0 : *first;
}

void store(std::uint8_t*& bytes, std::uint64_t value, unsigned bits) {
  if (value > low_bits(bits))
    internal_error("encode: {:#x} exceeds an operand of {} bits", value, bits);
  for (unsigned shift = 0; shift < bits; shift += 8) {
    *bytes++ = static_cast<std::uint8_t>(value >> shift);
  }
}

void require_fit(std::string_view what, std::uint64_t value, unsigned bits) {
  if (value > low_bits(bits)) {
    user_error("{} {} does not fit its field; allowed 0..{}", what, value, low_bits(bits));
  }
}

std::uint64_t pack(std::string_view what, Operand operand, unsigned address_bits,
                   unsigned stride_bits) {
  // Makes the text only if needed, because a compiler packs millions of operands.
  const auto require = [&](std::string_view field, std::uint64_t value, unsigned bits) {
    if (value > low_bits(bits)) require_fit(fmt::format("{} {}", what, field), value, bits);
  };
  require("address", operand.address, address_bits);
  require("stride code", operand.stride, stride_bits);
  return operand.address | shift_left(operand.stride, address_bits);
}

std::uint64_t pack_size(std::uint64_t count, unsigned bits, std::string_view what = "vectors") {
  if (count == 0 || count - 1 > low_bits(bits)) {
    const std::string most =
        bits >= 64 ? "18446744073709551616" : std::to_string(low_bits(bits) + 1);
    user_error("the number of {}, {}, does not fit its field; allowed 1..{}", what, count, most);
  }
  return count - 1;
}

Instruction make(Opcode opcode, unsigned flags) {
  Instruction instruction;
  instruction.opcode = static_cast<std::uint8_t>(opcode);
  instruction.flags = static_cast<std::uint8_t>(flags);
  return instruction;
}

}  // namespace

Instruction decode(const InstructionLayout& layout, const std::uint8_t* bytes) {
  Instruction instruction;
  instruction.operand0 = load(bytes, layout.operand0);
  instruction.operand1 = load(bytes, layout.operand1);
  instruction.operand2 = load(bytes, layout.operand2);
  instruction.opcode = static_cast<std::uint8_t>(*bytes >> 4);
  instruction.flags = static_cast<std::uint8_t>(*bytes & 0xF);
  return instruction;
}

void encode(const InstructionLayout& layout, const Instruction& instruction, std::uint8_t* bytes) {
  if (instruction.opcode > 0xF || instruction.flags > 0xF) {
    internal_error("encode: opcode {:#x} or flags {:#x} exceed 4 bits", instruction.opcode,
                   instruction.flags);
  }
  store(bytes, instruction.operand0, layout.operand0);
  store(bytes, instruction.operand1, layout.operand1);
  store(bytes, instruction.operand2, layout.operand2);
  *bytes = static_cast<std::uint8_t>(instruction.opcode << 4 | instruction.flags);
}

std::vector<Instruction> decode_program(const InstructionLayout& layout,
                                        const std::vector<std::uint8_t>& bytes) {
  const std::size_t step = layout.instruction_bytes();
  if (bytes.size() % step != 0) {
    user_error(
        "the program has {} bytes, {} more than {} whole instructions; allowed multiples of {}, "
        "the instruction size of this architecture",
        bytes.size(), bytes.size() % step, bytes.size() / step, step);
  }
  std::vector<Instruction> program;
  program.reserve(bytes.size() / step);
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    program.push_back(decode(layout, bytes.data() + at));
  }
  return program;
}

std::vector<std::uint8_t> encode_program(const InstructionLayout& layout,
                                         const std::vector<Instruction>& program) {
  std::vector<std::uint8_t> bytes(program.size() * layout.instruction_bytes());
  std::uint8_t* at = bytes.data();
  for (const Instruction& instruction : program) {
    encode(layout, instruction, at);
    at += layout.instruction_bytes();
  }
  return bytes;
}

SimdFields simd_fields(const InstructionLayout& layout, const Instruction& i) {
  const unsigned r = layout.simd_selector;
  const auto selector = [&](unsigned position) {
    return static_cast<unsigned>(i.operand2 >> (position * r) & low_bits(r));
  };
  return {static_cast<SimdOp>(i.operand2 >> (3 * r) & low_bits(layout.simd_op)), selector(2),
          selector(1), selector(0)};
}

DaisFields dais_fields(const Instruction& i) {
  return {static_cast<unsigned>(i.flags >> 1), (i.flags & dais_accumulate) != 0};
}

ConfigureFields configure_fields(const InstructionLayout& layout, const Instruction& i) {
  // The word spans the operands. Small layouts have fewer than 32 bits; the missing ones read as 0.
  const std::uint64_t word = i.operand0 | shift_left(i.operand1, layout.operand0) |
                             shift_left(i.operand2, layout.operand0 + layout.operand1);
  return {static_cast<std::uint8_t>(word & 0xF),
          static_cast<std::uint32_t>(word >> 4 & low_bits(28))};
}

std::optional<BankOffset> bank_offset(const InstructionLayout& layout, const Instruction& i) {
  if (static_cast<Opcode>(i.opcode) != Opcode::configure) return std::nullopt;
  const ConfigureFields fields = configure_fields(layout, i);
  const auto target = static_cast<ConfigRegister>(fields.register_number);
  if (target == ConfigRegister::dram0_offset) return BankOffset{0, fields.value};
  if (target == ConfigRegister::dram1_offset) return BankOffset{1, fields.value};
  return std::nullopt;
}

Instruction make_no_op() { return {}; }

Instruction make_flow(const InstructionLayout& layout, InstructionKind kind, unsigned flags,
                      Operand local, Operand other, std::uint64_t count) {
  const InstructionKindInfo& row = info(kind);
  Instruction i = make(row.opcode, flags);
  i.operand0 = pack("local", local, layout.operand0_address, layout.stride0);
  const VectorMemory memory = row.from == VectorMemory::local ? row.to : row.from;
  if (memory == VectorMemory::lookup_tables) {
    require_fit("lookup table", other.address, layout.operand1);
    i.operand1 = other.address;
  } else if (const std::string_view name = info(memory).name; !name.empty()) {
    i.operand1 = pack(name, other, layout.operand1_address, layout.stride1);
  }
  if (row.count == CountField::operand1) i.operand1 = pack_size(count, layout.operand1);
  if (row.count == CountField::operand2) i.operand2 = pack_size(count, layout.operand2);
  if (row.count == CountField::samples) i.operand2 = pack_size(count, layout.operand2, "samples");
  return i;
}

Instruction make_mat_mul(const InstructionLayout& layout, Operand local, Operand accumulator,
                         std::uint64_t count, bool accumulate, bool zeroes) {
  return make_flow(layout, InstructionKind::mat_mul,
                   (accumulate ? mat_mul_accumulate : 0U) | (zeroes ? mat_mul_zeroes : 0U), local,
                   accumulator, count);
}

Instruction make_data_move(const InstructionLayout& layout, DataMoveKind kind, Operand local,
                           Operand other, std::uint64_t count) {
  const auto flags = static_cast<unsigned>(kind);
  require_fit("DataMove kind", flags, 4);
  const InstructionKind known = kind_by_code(make(Opcode::data_move, flags));
  const bool moves = known != InstructionKind::undefined;
  return make_flow(layout, moves ? known : InstructionKind::accumulator_to_local, flags, local,
                   other, count);
}

Instruction make_load_weights(const InstructionLayout& layout, Operand local, std::uint64_t count,
                              bool zeroes) {
  return make_flow(layout, InstructionKind::load_weights, zeroes ? load_weights_zeroes : 0U, local,
                   {0, 0}, count);
}

Instruction make_simd(const InstructionLayout& layout, SimdFields fields,
                      std::uint64_t write_address, std::uint64_t read_address, bool read,
                      bool write, bool accumulate) {
  const unsigned r = layout.simd_selector;
  require_fit("SIMD operation", static_cast<unsigned>(fields.op), layout.simd_op);
  require_fit("SIMD left source", fields.left, r);
  require_fit("SIMD right source", fields.right, r);
  require_fit("SIMD destination", fields.dest, r);
  Instruction i = make(Opcode::simd, (read ? simd_read : 0U) | (write ? simd_write : 0U) |
                                         (accumulate ? simd_accumulate : 0U));
  i.operand0 = pack("accumulator write", {write_address, 0}, layout.operand0_address, 0);
  i.operand1 = pack("accumulator read", {read_address, 0}, layout.operand1_address, 0);
  i.operand2 = std::uint64_t{static_cast<std::uint8_t>(fields.op)} << (3 * r) |
               std::uint64_t{fields.left} << (2 * r) | std::uint64_t{fields.right} << r |
               fields.dest;
  return i;
}

Instruction make_dais(const InstructionLayout& layout, unsigned block, Operand local,
                      Operand accumulator, std::uint64_t count, bool accumulate) {
  require_fit("DAIS block", block, 3);
  return make_flow(layout, InstructionKind::dais, block << 1 | (accumulate ? dais_accumulate : 0U),
                   local, accumulator, count);
}

Instruction make_load_lut(const InstructionLayout& layout, Operand local, std::uint64_t table) {
  return make_flow(layout, InstructionKind::load_lut, 0, local, {table, 0}, 0);
}

Instruction make_load_activation(const InstructionLayout& layout, Operand local) {
  return make_flow(layout, InstructionKind::load_activation, 0, local, {0, 0}, 0);
}

Instruction make_configure(const InstructionLayout& layout, ConfigRegister reg,
                           std::uint32_t value) {
  const unsigned argument_bits = layout.operand0 + layout.operand1 + layout.operand2;
  require_fit("configuration register", static_cast<unsigned>(reg), 4);
  require_fit("configuration value", value, argument_bits < 32 ? argument_bits - 4 : 28);
  const std::uint64_t word = std::uint64_t{value} << 4 | static_cast<unsigned>(reg);
  Instruction i = make(Opcode::configure, 0);
  i.operand0 = word & low_bits(layout.operand0);
  i.operand1 = shift_right(word, layout.operand0) & low_bits(layout.operand1);
  i.operand2 = shift_right(word, layout.operand0 + layout.operand1) & low_bits(layout.operand2);
  return i;
}

}  // namespace tactus::tcu
