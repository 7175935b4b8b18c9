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

Reading read_mat_mul(const InstructionLayout& layout, const Instruction& i) {
  const Operand local = operand0_fields(layout, i);
  const Operand accumulator = operand1_fields(layout, i);
  const bool accumulate = (i.flags & mat_mul_accumulate) != 0;
  if (!writable(local) || !writable(accumulator) || !writable_size(i.operand2)) return {};
  const std::uint64_t count = i.operand2 + 1;
  const std::string mnemonic = accumulate ? "MatMul.acc" : "MatMul";
  if ((i.flags & mat_mul_zeroes) != 0) {
    return {fmt::format("{}.zeroes {}, {}", mnemonic, place("Acc", accumulator), count),
            make_mat_mul(layout, {0, 0}, accumulator, count, accumulate, true)};
  }
  return {fmt::format("{} {} -> {}, {}", mnemonic, place("Local", local), place("Acc", accumulator),
                      count),
          make_mat_mul(layout, local, accumulator, count, accumulate, false)};
}

Reading read_data_move(const InstructionLayout& layout, const Instruction& i) {
  const Operand local = operand0_fields(layout, i);
  const Operand other = operand1_fields(layout, i);
  if (!writable(local) || !writable(other) || !writable_size(i.operand2)) return {};
  const std::uint64_t count = i.operand2 + 1;
  for (const MoveInfo& move : moves()) {
    if (static_cast<unsigned>(move.kind) != i.flags || !has(layout, move.needs)) continue;
    const bool into_local = move.to == Memory::local;
    return {fmt::format("DataMove{}{} {} -> {}, {}", move.modifier.empty() ? "" : ".",
                        move.modifier, place(memory_name(move.from), into_local ? other : local),
                        place(memory_name(move.to), into_local ? local : other), count),
            make_data_move(layout, move.kind, local, other, count)};
  }
  return {};
}

Reading read_load_weights(const InstructionLayout& layout, const Instruction& i) {
  const Operand local = operand0_fields(layout, i);
  if (!writable(local) || !writable_size(i.operand1)) return {};
  const std::uint64_t count = i.operand1 + 1;
  if ((i.flags & load_weights_zeroes) != 0) {
    return {fmt::format("LoadWeights.zeroes {}", count),
            make_load_weights(layout, {0, 0}, count, true)};
  }
  return {fmt::format("LoadWeights {}, {}", place("Local", local), count),
          make_load_weights(layout, local, count)};
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
  if (static_cast<std::size_t>(fields.op) >= simd_op_names.size()) return {};
  // With read or write, the hardware takes the addresses from other fields, which the text does not
  // show.
  if (fields.op == SimdOp::no_op && (read || write)) return {};
  std::string text =
      fmt::format("SIMD {} = {}({})", selector("O", fields.dest),
                  simd_op_names[static_cast<std::size_t>(fields.op)], sources(fields));
  if (read) text += fmt::format(", read Acc({})", read_address);
  if (write) text += fmt::format(", write Acc({})", write_address);
  if (accumulate) text += ", accumulate";
  return {text, make_simd(layout, fields, write ? write_address : 0, read ? read_address : 0, read,
                          write, accumulate)};
}

Reading read_dais(const InstructionLayout& layout, const Instruction& i) {
  const DaisFields fields = dais_fields(i);
  const Operand local = operand0_fields(layout, i);
  const Operand accumulator = operand1_fields(layout, i);
  if (fields.block >= layout.dais_block_count) return {};
  if (!writable(local) || !writable(accumulator) || !writable_size(i.operand2)) return {};
  const std::uint64_t count = i.operand2 + 1;
  return {fmt::format("Dais{} {} -> Block({}) -> {}, {}", fields.accumulate ? ".acc" : "",
                      place("Local", local), fields.block, place("Acc", accumulator), count),
          make_dais(layout, fields.block, local, accumulator, count, fields.accumulate)};
}

Reading read_load_lut(const InstructionLayout& layout, const Instruction& i) {
  const Operand local = operand0_fields(layout, i);
  if (lookup_table_of(i) >= layout.lookup_table_count || !writable(local)) return {};
  return {fmt::format("LoadLUT {} -> Table({})", place("Local", local), lookup_table_of(i)),
          make_load_lut(layout, local, lookup_table_of(i))};
}

Reading read_load_activation(const InstructionLayout& layout, const Instruction& i) {
  const Operand local = operand0_fields(layout, i);
  if (!layout.activation_unit || !writable(local)) return {};
  return {fmt::format("LoadActivation {}", place("Local", local)),
          make_load_activation(layout, local)};
}

Reading read_configure(const InstructionLayout& layout, const Instruction& i) {
  const ConfigureFields fields = configure_fields(layout, i);
  const std::string_view name = config_register_names[fields.register_number];
  return {
      fmt::format("Configure {} = {:#x}",
                  name.empty() ? std::to_string(fields.register_number) : std::string(name),
                  fields.value),
      make_configure(layout, static_cast<ConfigRegister>(fields.register_number), fields.value)};
}

Reading read(const InstructionLayout& layout, const Instruction& i) {
  switch (static_cast<Opcode>(i.opcode)) {
    case Opcode::no_op:
      return {"NoOp", make_no_op()};
    case Opcode::mat_mul:
      return read_mat_mul(layout, i);
    case Opcode::data_move:
      return read_data_move(layout, i);
    case Opcode::load_weights:
      return read_load_weights(layout, i);
    case Opcode::simd:
      return read_simd(layout, i);
    case Opcode::load_lut:
      return read_load_lut(layout, i);
    case Opcode::load_activation:
      return read_load_activation(layout, i);
    case Opcode::dais:
      return read_dais(layout, i);
    case Opcode::configure:
      return read_configure(layout, i);
  }
  return {};
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
