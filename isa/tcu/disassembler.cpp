#include "isa/tcu/disassembler.h"

#include <iterator>
#include <limits>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "isa/tcu/instruction_set.h"
#include "isa/tcu/names.h"

namespace tactus::tcu {
namespace {

/// An interpretation of an instruction. It is correct only if assembling the text gives all of the
/// original bits; `again` is the result of assembling.
struct Reading {
  std::string text;
  Instruction again;
};

/// Limits of numbers that the assembler can write; an instruction with a larger field becomes Raw.
bool writable(const Operand& operand) { return operand.stride < 63; }
bool writable_size(std::uint64_t size) {
  return size < static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
}

std::string place(std::string_view memory, const Operand& operand) {
  if (operand.stride == 0) return fmt::format("{}({})", memory, operand.address);
  return fmt::format("{}({})@{}", memory, operand.address, std::uint64_t{1} << operand.stride);
}

std::string selector(std::string_view zero, unsigned value) {
  return value == 0 ? std::string(zero) : fmt::format("R{}", value);
}

/// Modifiers of the flags that are set, or of the move.
std::string modifiers(InstructionKind kind, unsigned& flags) {
  std::string text;
  if (info(kind).opcode == Opcode::data_move) {
    for (const MoveInfo& move : moves()) {
      if (move.kind == kind && !move.modifier.empty()) text = fmt::format(".{}", move.modifier);
    }
    return text;
  }
  unsigned known = info(kind).action == Action::dais ? flags & ~1U : 0;  // number of the block
  for (const ModifierInfo& modifier : info(info(kind).opcode).modifiers) {
    if ((flags & modifier.flags) == 0) continue;
    known |= modifier.flags;
    text += fmt::format(".{}", modifier.name);
  }
  flags = known;
  return text;
}

/// What StatementParser::parse_flow() and parse_data_move() read.
Reading read_flow(const InstructionLayout& layout, const Instruction& i, InstructionKind kind) {
  const InstructionKindInfo& row = info(kind);
  const bool has_other = row.from == VectorMemory::accumulators ||
                         row.to == VectorMemory::accumulators || row.action == Action::from_dram ||
                         row.action == Action::to_dram;
  Operand local = operand0_fields(layout, i);
  Operand other = has_other ? operand1_fields(layout, i) : Operand{0, 0};
  const bool has_count = row.count != CountField::table && row.count != CountField::parameters;
  const std::uint64_t size = !has_count                          ? 0
                             : row.count == CountField::operand1 ? i.operand1
                                                                 : i.operand2;
  if (!writable(local) || !writable(other) || !writable_size(size)) return {};
  unsigned flags = i.flags;
  std::string text = fmt::format("{}{} ", info(row.opcode).mnemonic, modifiers(kind, flags));
  const auto end = [&](VectorMemory memory) {
    return place(info(memory).written, memory == VectorMemory::local ? local : other);
  };
  if ((flags & row.zeroes) != 0) {
    local = {0, 0};
    if (has_other) text += end(row.to);
  } else {
    text += end(row.from);
    if (row.action == Action::dais) text += fmt::format(" -> Block({})", dais_fields(i).block);
    if (has_other) text += fmt::format(" -> {}", end(row.to));
    if (row.to == VectorMemory::lookup_tables) {
      other.address = lookup_table_of(i);
      text += fmt::format(" -> Table({})", other.address);
    }
  }
  if (has_count) text += fmt::format("{}{}", text.back() == ' ' ? "" : ", ", size + 1);
  return {text, make_flow(layout, kind, flags, local, other, size + 1)};
}

std::string sources(const SimdFields& fields) {
  const unsigned count = source_count(fields.op);
  if (count == 0 && fields.left == 0 && fields.right == 0) return "";
  if (count == 1 && fields.left == fields.right) return selector("I", fields.left);
  return fmt::format("{}, {}", selector("I", fields.left), selector("I", fields.right));
}

Reading read_simd(const InstructionLayout& layout, const Instruction& i) {
  const SimdFields fields = simd_fields(layout, i);
  const std::uint64_t write_address = operand0_fields(layout, i).address;
  const std::uint64_t read_address = operand1_fields(layout, i).address;
  const bool read = (i.flags & simd_read) != 0;
  const bool write = (i.flags & simd_write) != 0;
  const bool accumulate = (i.flags & simd_accumulate) != 0;
  if (static_cast<std::size_t>(fields.op) >= simd_ops) return {};
  // With read or write the hardware takes the addresses from another place, which the text would
  // not show.
  if (fields.op == SimdOp::no_op && (read || write)) return {};
  std::string text = fmt::format("SIMD {} = {}({})", selector("O", fields.dest),
                                 info(fields.op).name, sources(fields));
  if (read) text += fmt::format(", read Acc({})", read_address);
  if (write) text += fmt::format(", write Acc({})", write_address);
  if (accumulate) text += ", accumulate";
  return {text, make_simd(layout, fields, write ? write_address : 0, read ? read_address : 0, read,
                          write, accumulate)};
}

Reading read_configure(const InstructionLayout& layout, const Instruction& i) {
  const ConfigureFields fields = configure_fields(layout, i);
  // The assembler takes a register's name only with values that the register can hold.
  const ConfigRegisterInfo& info = config_registers[fields.register_number];
  const bool fits = fields.value >> info.bits == 0;
  return {
      fmt::format("Configure {} = {:#x}",
                  info.name.empty() || !fits ? std::to_string(fields.register_number)
                                             : std::string(info.name),
                  fields.value),
      make_configure(layout, static_cast<ConfigRegister>(fields.register_number), fields.value)};
}

Reading read(const InstructionLayout& layout, const Instruction& i) {
  const InstructionKind kind = kind_of(layout, i);
  switch (info(kind).action) {
    case Action::none:
      return {"NoOp", make_no_op()};
    case Action::simd:
      return read_simd(layout, i);
    case Action::configure:
      return read_configure(layout, i);
    case Action::undefined:
      return {};
    default:
      return read_flow(layout, i, kind);
  }
}

std::string raw(const InstructionLayout& layout, const Instruction& i) {
  std::vector<std::uint8_t> bytes(layout.instruction_bytes());
  encode(layout, i, bytes.data());
  std::string text = "Raw 0x";
  for (auto byte = bytes.rbegin(); byte != bytes.rend(); ++byte) {
    text += fmt::format("{:02x}", *byte);
  }
  return text;
}

bool is_canonical(const Reading& reading, const Instruction& i) {
  return !reading.text.empty() && reading.again == i;
}

}  // namespace

std::string disassemble(const InstructionLayout& layout, const Instruction& instruction) {
  Reading reading = read(layout, instruction);
  return is_canonical(reading, instruction) ? std::move(reading.text) : raw(layout, instruction);
}

std::string disassemble_program(const Architecture& architecture,
                                const std::vector<std::uint8_t>& bytes, bool annotate) {
  const InstructionLayout layout(architecture);
  const std::vector<Instruction> program = decode_program(layout, bytes);
  std::string text = fmt::format(
      "# {0} instructions of {1} bytes\n"
      "# array {2}x{2} {3}, depths: local {4}, accumulators {5}, DRAM0 {6}, DRAM1 {7}\n",
      program.size(), layout.instruction_bytes(), architecture.array_size,
      info(architecture.data_type).name, architecture.local_depth, architecture.accumulator_depth,
      architecture.dram0_depth, architecture.dram1_depth);
  for (std::size_t i = 0; i < architecture.dais_blocks.size(); ++i) {
    text += fmt::format("# DAIS block {}: {}\n", i, architecture.dais_blocks[i].name);
  }
  if (const LookupTables& tables = architecture.lookup_tables; tables.count > 0) {
    text += fmt::format("# lookup tables: {} of {} entries, keys in steps of 2^-{}\n", tables.count,
                        tables.depth, tables.key_binary_point);
  }
  for (std::size_t index = 0; index < program.size(); ++index) {
    const Reading reading = read(layout, program[index]);
    const bool canonical = is_canonical(reading, program[index]);
    const std::string line = canonical ? reading.text : raw(layout, program[index]);
    if (!annotate) {
      text += fmt::format("{}\n", line);
      continue;
    }
    text += fmt::format("{:<48}  # {}", line, index);
    if (!canonical && !reading.text.empty()) text += fmt::format(": acts as {}", reading.text);
    const std::string wrong = check(architecture, layout, program[index]);
    if (!wrong.empty()) text += fmt::format(": {}", wrong);
    text += '\n';
  }
  return text;
}

}  // namespace tactus::tcu
