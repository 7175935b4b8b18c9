#include "firmware/gemm/dpas/kernel_builder.h"

namespace tactus::gemm {

using dpas::Instruction;
using dpas::Opcode;
using dpas::Operand;
using dpas::Type;

namespace {

Type type_of(const dpas::Kernel& kernel, std::uint32_t id) {
  if (const dpas::Variable* variable = kernel.variable(id)) return variable->type;
  for (const dpas::PredefinedVariable& variable : dpas::predefined_variables) {
    if (variable.id == id) return variable.type;
  }
  return Type::ud;
}

Instruction instruction(Opcode opcode, unsigned channels) {
  Instruction result;
  result.opcode = opcode;
  result.execution_size = static_cast<std::uint8_t>(channels);
  return result;
}

/// Converts a source operand to a destination.
Operand destination(Operand operand) {
  operand.region = {0, 1, 1};
  return operand;
}

}  // namespace

KernelBuilder::KernelBuilder(const std::string& kernel_name) { kernel_.name = kernel_name; }

std::uint32_t KernelBuilder::variable(const std::string& name, Type type, std::uint32_t elements) {
  dpas::Variable variable;
  variable.name = name;
  variable.type = type;
  variable.elements = elements;
  variable.align = dpas::Align::grf;
  kernel_.variables.push_back(variable);
  return dpas::first_user_variable + static_cast<std::uint32_t>(kernel_.variables.size()) - 1;
}

std::uint32_t KernelBuilder::input(const std::string& name, Type type, std::uint32_t offset) {
  const std::uint32_t id = variable(name, type, 1);
  kernel_.variables.back().align = dpas::Align::qword;
  kernel_.inputs.push_back({id, offset, info(type).bytes});
  return id;
}

std::uint16_t KernelBuilder::predicate(const std::string& name, std::uint32_t elements) {
  kernel_.predicates.push_back({name, elements});
  return static_cast<std::uint16_t>(kernel_.predicates.size());
}

std::uint32_t KernelBuilder::label(const std::string& name) {
  kernel_.labels.push_back({name, false});
  return static_cast<std::uint32_t>(kernel_.labels.size()) - 1;
}

Operand KernelBuilder::raw(std::uint32_t variable, std::uint32_t offset) const {
  Operand operand;
  operand.kind = Operand::Kind::raw;
  operand.type = type_of(kernel_, variable);
  operand.variable = variable;
  operand.offset = offset;
  return operand;
}

Operand KernelBuilder::vector(std::uint32_t variable, std::uint8_t column) const {
  Operand operand;
  operand.kind = Operand::Kind::general;
  operand.type = type_of(kernel_, variable);
  operand.variable = variable;
  operand.column = column;
  operand.region = {1, 1, 0};
  return operand;
}

Operand KernelBuilder::scalar(std::uint32_t variable, std::uint8_t column) const {
  Operand operand = vector(variable, column);
  operand.region = {0, 1, 0};
  return operand;
}

Operand KernelBuilder::immediate(std::int64_t value, Type type) {
  Operand operand;
  operand.kind = Operand::Kind::immediate;
  operand.type = type;
  operand.immediate = static_cast<std::uint64_t>(value);
  if (info(type).bytes < 8) {
    operand.immediate &= (std::uint64_t{1} << (8U * info(type).bytes)) - 1;
  }
  return operand;
}

Operand KernelBuilder::null(Type type) {
  Operand operand;
  operand.kind = Operand::Kind::null;
  operand.type = type;
  return operand;
}

void KernelBuilder::mov(unsigned channels, const Operand& dst, const Operand& source) {
  Instruction result = instruction(Opcode::mov, channels);
  result.dst = destination(dst);
  result.source[0] = source;
  append(result);
}

void KernelBuilder::add(unsigned channels, const Operand& dst, const Operand& x, const Operand& y,
                        std::uint16_t predicate) {
  Instruction result = instruction(Opcode::add, channels);
  result.dst = destination(dst);
  result.source[0] = x;
  result.source[1] = y;
  result.predicate.variable = predicate;
  append(result);
}

void KernelBuilder::cmp(unsigned channels, dpas::Comparison comparison, std::uint16_t predicate,
                        const Operand& x, const Operand& y) {
  Instruction result = instruction(Opcode::cmp, channels);
  result.comparison = comparison;
  result.dst.kind = Operand::Kind::predicate;
  result.dst.variable = predicate;
  result.source[0] = x;
  result.source[1] = y;
  append(result);
}

void KernelBuilder::place(std::uint32_t label) {
  Instruction result = instruction(Opcode::label, 1);
  result.label = label;
  append(result);
}

void KernelBuilder::jump(std::uint32_t label, std::uint16_t predicate) {
  Instruction result = instruction(Opcode::jmp, 1);
  result.label = label;
  result.predicate.variable = predicate;
  append(result);
}

void KernelBuilder::ret() { append(instruction(Opcode::ret, 1)); }

void KernelBuilder::append(const Instruction& instruction) {
  kernel_.instructions.push_back(instruction);
  kernel_.places.push_back(static_cast<std::uint32_t>(kernel_.instructions.size()));
}

}  // namespace tactus::gemm
