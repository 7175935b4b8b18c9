#include "isa/dais/disassembler.h"

#include <cmath>

#include "isa/support/error.h"

namespace tactus::dais {
namespace {

std::string value(std::int32_t id) { return fmt::format("v{}", id); }

/// " << 3", " >> 3" or nothing.
std::string shift_text(std::int64_t shift) {
  if (shift == 0) return "";
  return shift > 0 ? fmt::format(" << {}", shift) : fmt::format(" >> {}", -shift);
}

/// Text of the number that a mantissa represents: decimal if a double holds it exactly, else a
/// product.
std::string constant_text(std::int64_t mantissa, std::int64_t fraction) {
  constexpr std::int64_t exact = std::int64_t{1} << 53;
  constexpr std::int64_t readable = 64;
  if (mantissa <= exact && mantissa >= -exact && fraction <= readable && fraction >= -readable) {
    return fmt::format("{}",
                       std::ldexp(static_cast<double>(mantissa), static_cast<int>(-fraction)));
  }
  return fmt::format("{} * 2^{}", mantissa, -fraction);
}

/// Text of a value times a power of two, as an operand.
std::string shifted(const char* minus, std::int32_t id, std::int64_t shift) {
  const std::string text = minus + value(id);
  return shift == 0 ? text : "(" + text + shift_text(shift) + ")";
}

std::string bit_binary_text(const Op& op) {
  constexpr const char* symbols[] = {"&", "|", "^"};
  const auto flags = static_cast<std::uint32_t>(op.data_high());
  return fmt::format("{}{} {} {}", (flags & 1U) != 0 ? "-" : "", value(op.id0),
                     symbols[flags >> 24],
                     shifted((flags & 2U) != 0 ? "-" : "", op.id1, op.data_low()));
}

std::string expression(const Program& program, const Op& op) {
  const char* minus = negates(op.opcode) ? "-" : "";
  switch (*kind_of(op.opcode)) {
    case OpKind::copy:
      return fmt::format("in{}{}", op.id0,
                         shift_text(program.input_shifts[static_cast<std::size_t>(op.id0)]));
    case OpKind::add:
    case OpKind::subtract:
      return fmt::format("{} {} {}", value(op.id0), op.opcode == 0 ? '+' : '-',
                         shifted("", op.id1, op.data_low()));
    case OpKind::relu:
      return fmt::format("relu({}{})", minus, value(op.id0));
    case OpKind::quantise:
      return fmt::format("quantise({}{})", minus, value(op.id0));
    case OpKind::add_constant:
      return fmt::format("{} + {}", value(op.id0), constant_text(op.data, op.type.fraction_bits));
    case OpKind::constant:
      return constant_text(op.data, op.type.fraction_bits);
    case OpKind::mux:
      return fmt::format("msb({}) ? {} : {}", value(op.data_low()), value(op.id0),
                         shifted(minus, op.id1, op.data_high()));
    case OpKind::multiply:
      return fmt::format("{} * {}", value(op.id0), value(op.id1));
    case OpKind::lookup:
      return fmt::format("table{}[{}], first entry {} codes above the smallest", op.data_low(),
                         value(op.id0), op.data_high());
    case OpKind::bit_unary: {
      constexpr const char* names[] = {"not", "any", "all"};
      return fmt::format("{}({}{})", names[op.data_low()], minus, value(op.id0));
    }
    case OpKind::bit_binary:
      return bit_binary_text(op);
  }
  internal_error("opcode {}", op.opcode);
}

}  // namespace

std::string type_text(const DataType& type) {
  return fmt::format("{}{}.{}", type.is_signed != 0 ? 's' : 'u', type.integer_bits,
                     type.fraction_bits);
}

std::string disassemble(const Program& program) {
  std::string text = fmt::format("# {} inputs, {} outputs, {} operations, rules of dialect {}\n",
                                 program.input_count(), program.output_count(), program.ops.size(),
                                 name(program.dialect));
  for (std::size_t i = 0; i < program.tables.size(); ++i) {
    text += fmt::format("table{} =", i);
    for (const std::int32_t entry : program.tables[i].entries) text += fmt::format(" {}", entry);
    text += '\n';
  }
  for (std::size_t i = 0; i < program.ops.size(); ++i) {
    const Op& op = program.ops[i];
    text += fmt::format("v{} : {} = {}\n", i, type_text(op.type), expression(program, op));
  }
  for (std::size_t j = 0; j < program.outputs.size(); ++j) {
    const Output& output = program.outputs[j];
    if (output.index < 0) {
      text += fmt::format("out{} = 0\n", j);
    } else {
      text += fmt::format("out{} = {}{}{}\n", j, output.negative ? "-" : "", value(output.index),
                          shift_text(output.shift));
    }
  }
  return text;
}

std::string disassemble(const Pipeline& pipeline) {
  if (pipeline.stages.size() == 1) return disassemble(pipeline.stages.front());
  std::string text;
  for (std::size_t i = 0; i < pipeline.stages.size(); ++i) {
    text += fmt::format("# stage {}\n", i) + disassemble(pipeline.stages[i]);
  }
  return text;
}

}  // namespace tactus::dais
