#include <fmt/format.h>

#include "isa/dpas/assembly.h"
#include "isa/dpas/statement.h"
#include "isa/support/error.h"

namespace tactus::dpas {
namespace {

std::string variable_name(const Kernel& kernel, std::uint32_t id) {
  if (const Variable* const variable = kernel.variable(id)) return variable->name;
  for (const PredefinedVariable& predefined : predefined_variables) {
    if (predefined.id == id) return std::string(predefined.name);
  }
  return fmt::format("%v{}", id);
}

std::string predicate_name(const Kernel& kernel, std::uint32_t id) {
  return id - 1 < kernel.predicates.size() ? kernel.predicates[id - 1].name
                                           : fmt::format("%p{}", id);
}

std::string raw_text(const Kernel& kernel, const Operand& operand) {
  if (operand.kind == Operand::Kind::null) return "%null.0";
  return fmt::format("{}.{}", variable_name(kernel, operand.variable), operand.offset);
}

/// Text of a message's data or address operand; an offset of 0 is left out.
std::string short_raw_text(const Kernel& kernel, const Operand& operand) {
  if (operand.kind == Operand::Kind::null) return "%null";
  return operand.offset == 0 ? variable_name(kernel, operand.variable) : raw_text(kernel, operand);
}

std::string place_text(const Kernel& kernel, const Operand& operand) {
  if (operand.kind == Operand::Kind::null) return "%null(0,0)";
  return fmt::format("{}({},{})", variable_name(kernel, operand.variable), operand.row,
                     operand.column);
}

std::string immediate_text(const Operand& operand) {
  return fmt::format("0x{:x}:{}", operand.immediate, info(operand.type).name);
}

std::string_view modifier_text(Modifier modifier) {
  return modifier_names[static_cast<unsigned>(modifier) % std::size(modifier_names)];
}

std::string source_text(const Kernel& kernel, const Operand& operand) {
  if (operand.kind == Operand::Kind::immediate) return immediate_text(operand);
  return fmt::format("{}{}<{};{},{}>", modifier_text(operand.modifier), place_text(kernel, operand),
                     operand.region.vertical, operand.region.width, operand.region.horizontal);
}

/// Text of a one-element operand, without its region.
std::string scalar_text(const Kernel& kernel, const Operand& operand) {
  if (operand.kind == Operand::Kind::immediate) {
    return operand.type == Type::ud ? fmt::format("0x{:x}", operand.immediate)
                                    : immediate_text(operand);
  }
  if (operand.kind == Operand::Kind::null) return "%null";
  const std::string name = operand.row == 0 && operand.column == 0
                               ? variable_name(kernel, operand.variable)
                               : place_text(kernel, operand);
  return std::string(modifier_text(operand.modifier)) + name;
}

std::string destination_text(const Kernel& kernel, const Operand& operand) {
  if (operand.kind == Operand::Kind::predicate) return predicate_name(kernel, operand.variable);
  return fmt::format("{}<{}>", place_text(kernel, operand), operand.region.horizontal);
}

std::string execution_text(const Instruction& i) {
  return fmt::format(" (M{}{}, {})", (i.mask.code & 7U) + 1, i.mask.no_mask() ? "_NM" : "",
                     i.execution_size);
}

std::string predicate_text(const Kernel& kernel, const PredicateControl& predicate) {
  if (predicate.variable == 0) return {};
  using Combine = PredicateControl::Combine;
  return fmt::format("({}{}{}) ", predicate.inverse ? "!" : "",
                     predicate_name(kernel, predicate.variable),
                     predicate.combine == Combine::any   ? ".any"
                     : predicate.combine == Combine::all ? ".all"
                                                         : "");
}

std::string annotation_text(const Annotations& annotations) {
  if (!annotations.any()) return {};
  std::string text;
  const auto add = [&](const std::string& one) { text += (text.empty() ? "" : ",") + one; };
  if (annotations.atomic) add("Atomic");
  if (annotations.sets != Annotations::no_token) add(fmt::format("${}", annotations.sets));
  for (unsigned n = 0; n < 32; ++n) {
    if ((annotations.waits_written >> n & 1U) != 0) add(fmt::format("${}.dst", n));
    if ((annotations.waits_read >> n & 1U) != 0) add(fmt::format("${}.src", n));
  }
  return " {" + text + "}";
}

std::string precision_name(Precision precision) {
  const std::string_view name = info(precision).name;
  return name.empty() ? fmt::format("p{}", static_cast<unsigned>(precision)) : std::string(name);
}

std::string dpas_text(const Kernel& kernel, const Instruction& i) {
  std::string text = fmt::format("{}.{}.{}.{}.{}{} {} {} {} ", name(i.opcode), precision_name(i.w),
                                 precision_name(i.a), i.systolic_depth, i.repeat_count,
                                 execution_text(i), raw_text(kernel, i.dst),
                                 raw_text(kernel, i.source[0]), raw_text(kernel, i.source[1]));
  if (i.opcode != Opcode::bdpas) return text + place_text(kernel, i.source[2]);
  return text + fmt::format("{} {} {}", raw_text(kernel, i.source[2]),
                            place_text(kernel, i.source[3]), place_text(kernel, i.source[4]));
}

std::string data_size_text(const LscMessage& message) {
  return fmt::format("d{}", message.element_bytes() * 8);
}

/// Text such as ".ugm.uc.uc"; default caching is left out.
std::string unit_text(const LscMessage& message) {
  std::string text = "." + std::string(unit_names[static_cast<unsigned>(message.unit) & 3U]);
  if (message.l1_caching != 0 || message.l3_caching != 0) {
    text +=
        fmt::format(".{}.{}", caching_names[message.l1_caching], caching_names[message.l3_caching]);
  }
  return text;
}

std::string access_text(const Kernel& kernel, const Instruction& i) {
  const LscMessage& m = i.lsc;
  const Operand& data = m.is_load() ? i.dst : i.source[1];
  std::string data_text = short_raw_text(kernel, data) + ":" + data_size_text(m);
  if (m.vector_size != 1) data_text += fmt::format("x{}", m.vector_size);
  if (m.transposed) data_text += "t";
  std::string address = "flat[";
  if (m.address_scale != 1) address += fmt::format("0x{:x}*", m.address_scale);
  address += short_raw_text(kernel, i.source[0]);
  if (m.address_offset != 0) {
    const auto offset = std::int64_t{m.address_offset};
    address += fmt::format("{}0x{:x}", offset < 0 ? "-" : "+", offset < 0 ? -offset : offset);
  }
  address += fmt::format("]:a{}", 8U << static_cast<unsigned>(m.address_size));
  return fmt::format("{}{}{} {} {}", m.is_load() ? "lsc_load" : "lsc_store", unit_text(m),
                     execution_text(i), m.is_load() ? data_text : address,
                     m.is_load() ? address : data_text);
}

std::string block_text(const Kernel& kernel, const Instruction& i) {
  const LscMessage& m = i.lsc;
  const Block2d& block = m.block;
  std::string data = fmt::format(
      "{}:{}.", short_raw_text(kernel, m.is_load() ? i.dst : i.source[6]), data_size_text(m));
  if (block.blocks != 1) data += fmt::format("{}x", block.blocks);
  data += fmt::format("{}x{}{}{}", block.width, block.height, block.transpose ? "t" : "n",
                      block.transform ? "t" : "n");
  std::string address = "flat[";
  for (unsigned n = 0; n < 6; ++n) {
    address += (n == 0 ? "" : ",") + scalar_text(kernel, i.source[n]);
  }
  address += "]";
  return fmt::format("{}{}{} {} {}", m.is_load() ? "lsc_load_block2d" : "lsc_store_block2d",
                     unit_text(m), execution_text(i), m.is_load() ? data : address,
                     m.is_load() ? address : data);
}

std::string arithmetic_text(const Kernel& kernel, const Instruction& i) {
  std::string text(name(i.opcode));
  if (i.opcode == Opcode::cmp) {
    text += "." + std::string(comparison_names[static_cast<unsigned>(i.comparison)]);
  }
  if (i.saturate) text += ".sat";
  text += execution_text(i) + " " + destination_text(kernel, i.dst) + " " +
          source_text(kernel, i.source[0]);
  if (i.opcode != Opcode::mov) text += " " + source_text(kernel, i.source[1]);
  return text;
}

std::string label_name(const Kernel& kernel, std::uint32_t label) {
  return label < kernel.labels.size() ? kernel.labels[label].name : fmt::format("%l{}", label);
}

std::string body_text(const Kernel& kernel, const Instruction& i) {
  switch (i.opcode) {
    case Opcode::dpas:
    case Opcode::dpasw:
    case Opcode::bdpas:
      return dpas_text(kernel, i);
    case Opcode::mov:
    case Opcode::add:
    case Opcode::cmp:
      return arithmetic_text(kernel, i);
    case Opcode::lsc_untyped:
      return i.lsc.is_block2d() ? block_text(kernel, i) : access_text(kernel, i);
    case Opcode::lsc_fence:
      return fmt::format("lsc_fence.{}.{}.{}{}", unit_names[static_cast<unsigned>(i.lsc.unit) & 3U],
                         fence_names[static_cast<unsigned>(i.fence)],
                         scope_names[static_cast<unsigned>(i.scope)], execution_text(i));
    case Opcode::barrier:
      return "barrier";
    case Opcode::jmp:
      return "jmp" + execution_text(i) + " " + label_name(kernel, i.label);
    case Opcode::label:
      return label_name(kernel, i.label) + ":";
    case Opcode::ret:
      return "ret" + execution_text(i);
  }
  internal_error("opcode {}", static_cast<unsigned>(i.opcode));
}

std::string declaration_text(const Kernel& kernel, const Variable& variable) {
  std::string text = fmt::format(".decl {} v_type=G type={} num_elts={} align={}", variable.name,
                                 info(variable.type).name, variable.elements,
                                 align_names[static_cast<unsigned>(variable.align)]);
  if (variable.alias_of != null_variable) {
    text += fmt::format(" alias=<{},{}>", variable_name(kernel, variable.alias_of),
                        variable.alias_offset);
  }
  return text + "\n";
}

}  // namespace

std::string to_text(const Kernel& kernel, const Instruction& instruction) {
  return predicate_text(kernel, instruction.predicate) + body_text(kernel, instruction) +
         annotation_text(instruction.annotations);
}

std::string disassemble(const Program& program) {
  std::string text = fmt::format(".version {}.{}\n", program.major, program.minor);
  for (const Kernel& kernel : program.kernels) {
    text += fmt::format(".kernel \"{}\"\n", kernel.name);
    for (const Variable& variable : kernel.variables) text += declaration_text(kernel, variable);
    for (const Predicate& predicate : kernel.predicates) {
      text += fmt::format(".decl {} v_type=P num_elts={}\n", predicate.name, predicate.elements);
    }
    for (const Input& input : kernel.inputs) {
      text += fmt::format(".input {} offset={} size={}\n", variable_name(kernel, input.variable),
                          input.offset, input.size);
    }
    for (const Attribute& attribute : kernel.attributes) {
      const char* const quotes = attribute.is_number ? "" : "\"";
      text +=
          fmt::format(".kernel_attr {}={}{}{}\n", attribute.name, quotes, attribute.value, quotes);
    }
    for (const Instruction& instruction : kernel.instructions) {
      text += to_text(kernel, instruction) + "\n";
    }
  }
  return text;
}

}  // namespace tactus::dpas
