#include "isa/dpas/program.h"

#include <algorithm>

#include "isa/dpas/assembly.h"
#include "isa/dpas/container.h"
#include "isa/support/error.h"
#include "isa/support/file_kind.h"
#include "isa/support/files.h"
#include "isa/support/problems.h"
#include "isa/support/text.h"

namespace tactus::dpas {
namespace {

std::uint32_t round_up(std::uint32_t value, std::uint32_t step) {
  return (value + step - 1) / step * step;
}

std::uint32_t align_bytes(Align align, std::uint32_t grf_bytes) {
  switch (align) {
    case Align::byte:
      return 1;
    case Align::word:
      return 2;
    case Align::dword:
      return 4;
    case Align::qword:
      return 8;
    case Align::oword:
      return 16;
    case Align::grf:
      return grf_bytes;
    case Align::grf2:
      return 2 * grf_bytes;
    case Align::hword:
      return 32;
    case Align::word32:
      return 64;
    case Align::word64:
      return 128;
  }
  return 1;
}

/// Alignment of a variable smaller than a register: its size rounded up to a power of two, so it
/// never crosses a register border.
std::uint32_t natural_alignment(std::uint32_t bytes, std::uint32_t grf_bytes) {
  std::uint32_t power = 1;
  while (power < bytes && power < grf_bytes) power *= 2;
  return power;
}

class Resolver {
 public:
  Resolver(Program& program, const Profile& profile, const LegalityOptions& options)
      : program_(program), profile_(profile), options_(options), problems_(program.source) {}

  void run() {
    for (Kernel& kernel : program_.kernels) {
      kernel_ = &kernel;
      const bool placed = place_variables();
      find_targets();
      for (std::size_t i = 0; i < kernel.instructions.size() && !problems_.full(); ++i) {
        resolve_operands(kernel.instructions[i]);
        if (placed) check(i);
      }
      check_end();
    }
    problems_.throw_if_any();
  }

 private:
  // ---- registers ----

  /// Places all variables. False if a variable does not fit.
  bool place_variables() {
    std::uint32_t next = profile_.grf_bytes;  // register 0 holds the header
    std::vector<bool> placed(kernel_->variables.size());
    bool good = place_inputs(placed, next);
    for (std::size_t i = 0; i < placed.size(); ++i) {
      Variable& v = kernel_->variables[i];
      if (placed[i]) continue;
      if (v.alias_of != null_variable) {
        good = place_alias(v) && good;
        continue;
      }
      next = round_up(next, std::max(align_bytes(v.align, profile_.grf_bytes),
                                     natural_alignment(v.bytes(), profile_.grf_bytes)));
      v.address = next;
      next += v.bytes();
      if (next <= profile_.register_file_bytes()) continue;
      report(v.place, Rule::registers,
             fmt::format("kernel {}: variable {} of {} bytes does not fit behind the variables "
                         "before it; allowed {} registers of {} bytes in all",
                         quote(kernel_->name), quote(v.name), v.bytes(), profile_.grf_count,
                         profile_.grf_bytes));
      return false;
    }
    kernel_->registers_used = round_up(next, profile_.grf_bytes) / profile_.grf_bytes;
    return good;
  }

  bool place_inputs(std::vector<bool>& placed, std::uint32_t& next) {
    bool good = true;
    std::uint32_t place = 0;
    const auto wrong = [&](const Variable& v, const std::string& what) {
      report(place, Rule::registers,
             fmt::format("kernel {}: input {} {}", quote(kernel_->name), quote(v.name), what));
      good = false;
    };
    for (const Input& input : kernel_->inputs) {
      place = input.place;
      const std::uint32_t index = input.variable - first_user_variable;
      Variable& v = kernel_->variables[index];
      const std::uint32_t grf = profile_.grf_bytes;
      const std::uint32_t natural = natural_alignment(v.bytes(), grf);
      if (placed[index]) {
        wrong(v, "is named twice");
      } else if (v.alias_of != null_variable) {
        wrong(v, "is an alias; allowed are variables with storage of their own");
      } else if (input.size != v.bytes()) {
        wrong(v,
              fmt::format("has size {}; allowed {}, that of the variable", input.size, v.bytes()));
      } else if (input.offset < grf || input.offset % natural != 0 ||
                 input.offset + v.bytes() > profile_.register_file_bytes()) {
        wrong(v, fmt::format("has offset {}; allowed {}..{}, multiples of {}", input.offset, grf,
                             profile_.register_file_bytes() - v.bytes(), natural));
      } else if (const Variable* other = input_at(placed, input.offset, v.bytes())) {
        wrong(v, fmt::format("overlaps input {}", quote(other->name)));
      }
      placed[index] = true;
      v.address = input.offset;
      next = std::max(next, input.offset + v.bytes());
    }
    return good;
  }

  const Variable* input_at(const std::vector<bool>& placed, std::uint32_t first,
                           std::uint32_t bytes) const {
    for (std::size_t i = 0; i < placed.size(); ++i) {
      const Variable& v = kernel_->variables[i];
      if (placed[i] && first < v.address + v.bytes() && v.address < first + bytes) return &v;
    }
    return nullptr;
  }

  bool place_alias(Variable& v) {
    const Variable& base = *kernel_->variable(v.alias_of);
    v.address = base.address + v.alias_offset;
    if (v.alias_offset + v.bytes() > base.bytes()) {
      report(v.place, Rule::bounds,
             fmt::format("kernel {}: {} has {} bytes from byte {} of {} on, which has "
                         "{} bytes",
                         quote(kernel_->name), quote(v.name), v.bytes(), v.alias_offset,
                         quote(base.name), base.bytes()));
      return false;
    }
    if (v.alias_offset % info(v.type).bytes != 0) {
      report(v.place, Rule::operand,
             fmt::format("kernel {}: {} begins at byte {} of {}; allowed multiples "
                         "of {}",
                         quote(kernel_->name), quote(v.name), v.alias_offset, quote(base.name),
                         info(v.type).bytes));
      return false;
    }
    return true;
  }

  // ---- instructions ----

  void resolve_operand(const Instruction& i, Operand& operand) {
    if (!operand.in_registers()) return;
    std::uint32_t base = 0;
    if (const Variable* const v = kernel_->variable(operand.variable)) {
      base = v->address;
    } else {
      for (const PredefinedVariable& p : predefined_variables) {
        if (p.id == operand.variable) base = p.address;
      }
    }
    operand.address = base + offset_in_variable(operand, profile_.grf_bytes);
    operand.bytes = operand_bytes(i, operand, profile_.grf_bytes);
  }

  void resolve_operands(Instruction& i) {
    resolve_operand(i, i.dst);
    for (Operand& source : i.source) resolve_operand(i, source);
    if (i.opcode == Opcode::jmp && i.label < targets_.size()) i.target = targets_[i.label];
  }

  void find_targets() {
    targets_.assign(kernel_->labels.size(), no_target);
    for (std::size_t i = 0; i < kernel_->instructions.size(); ++i) {
      const Instruction& instruction = kernel_->instructions[i];
      if (instruction.opcode != Opcode::label || instruction.label >= targets_.size()) continue;
      std::uint32_t& target = targets_[instruction.label];
      if (target != no_target) {
        report_at(i, Rule::label,
                  fmt::format("label {} is placed a second time",
                              quote(kernel_->labels[instruction.label].name)));
      }
      target = static_cast<std::uint32_t>(i);
    }
  }

  void check(std::size_t index) {
    const Instruction& i = kernel_->instructions[index];
    if (i.opcode == Opcode::jmp && (i.label >= targets_.size() || targets_[i.label] == no_target)) {
      const std::string name = i.label < kernel_->labels.size()
                                   ? quote(kernel_->labels[i.label].name)
                                   : std::to_string(i.label);
      report_at(index, Rule::label, fmt::format("there is no label {} in the kernel", name));
    }
    check_instruction(profile_, *kernel_, i, options_,
                      [&](Rule rule, const std::string& what) { report_at(index, rule, what); });
    if (i.annotations.atomic) check_atomic(index);
  }

  void check_atomic(std::size_t index) {
    const auto& list = kernel_->instructions;
    const Instruction& i = list[index];
    if (i.is_dpas() && index + 1 < list.size() && list[index + 1].opcode == i.opcode) return;
    report_at(index, Rule::dpas_atomic,
              "{Atomic} stands before something else than a dpas of the same kind; it has no "
              "effect");
  }

  /// Checks that a thread cannot run beyond its last instruction.
  void check_end() {
    const Instruction& last = kernel_->instructions.back();
    const bool jump = last.opcode == Opcode::jmp && last.predicate.variable == 0;
    if (last.opcode == Opcode::ret || jump) return;
    report_at(kernel_->instructions.size() - 1, Rule::label,
              "the kernel's last instruction is neither ret nor a jmp without predicate");
  }

  // ---- messages ----

  void report_at(std::size_t index, Rule rule, const std::string& what) {
    const std::string location = program_.location(*kernel_, index);
    const std::string text = fmt::format("{}: {}", code(rule), what);
    if (is_warning(rule)) {
      program_.warnings.push_back(
          fmt::format("{}:{}: warning: {}", program_.source, location, text));
    } else {
      problems_.add(location, text);
    }
  }

  /// Reports a problem of a declaration.
  void report(std::uint32_t place, Rule rule, const std::string& what) {
    problems_.add(program_.location(place), fmt::format("{}: {}", code(rule), what));
  }

  static constexpr std::uint32_t no_target = ~std::uint32_t{0};

  Program& program_;
  const Profile& profile_;
  const LegalityOptions& options_;
  Problems problems_;
  Kernel* kernel_ = nullptr;
  std::vector<std::uint32_t> targets_;  ///< instruction index of each label
};

}  // namespace

const Variable* Kernel::find_variable(std::string_view variable_name) const {
  const auto found = std::find_if(variables.begin(), variables.end(),
                                  [&](const Variable& v) { return v.name == variable_name; });
  return found == variables.end() ? nullptr : &*found;
}

std::string Program::location(const Kernel& kernel, std::size_t instruction) const {
  return location(kernel.places[instruction]);
}

std::string Program::location(std::uint32_t place) const {
  if (place == 0) return {};
  return is_text ? std::to_string(place) : fmt::format("offset 0x{:X}", place);
}

std::uint32_t offset_in_variable(const Operand& operand, unsigned grf_bytes) {
  if (operand.kind == Operand::Kind::raw) return operand.offset;
  return operand.row * grf_bytes + operand.column * info(operand.type).bytes;
}

void resolve(Program& program, const Profile& profile, const LegalityOptions& options) {
  Resolver(program, profile, options).run();
}

Program parse_program(const std::string& path) {
  const std::vector<std::uint8_t> bytes = read_file(path);
  if (is_container(bytes) || ends_with(path, ".isa")) return read_container(bytes, path);
  return parse_as(FileKind::visa_assembly, path, as_text(bytes),
                  [&] { return assemble(as_text(bytes), path); });
}

Program read_program(const std::string& path, const Profile& profile,
                     const LegalityOptions& options) {
  Program program = parse_program(path);
  resolve(program, profile, options);
  return program;
}

}  // namespace tactus::dpas
