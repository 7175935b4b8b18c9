#include "isa/dais/check.h"

#include <algorithm>

#include "isa/support/error.h"

namespace tactus::dais {
namespace {

constexpr std::int64_t longest_shift = 63;

class Checker {
 public:
  Checker(const Program& program, Problems& problems, const std::string& prefix)
      : program_(program), problems_(problems), prefix_(prefix) {}

  void run() {
    for (std::size_t i = 0; i < program_.ops.size() && !problems_.full(); ++i) check_op(i);
    for (std::size_t i = 0; i < program_.outputs.size() && !problems_.full(); ++i) check_output(i);
  }

 private:
  template <typename... Args>
  void problem(fmt::format_string<Args...> format, Args&&... args) {
    problems_.add(fmt::format("{}{} {}", prefix_, thing_, index_),
                  fmt::format(format, std::forward<Args>(args)...));
  }

  void check_op(std::size_t index) {
    thing_ = "operation", index_ = index;
    const Op& op = program_.ops[index];
    const auto kind = kind_of(op.opcode);
    if (!kind) return problem("unknown opcode {}", op.opcode);
    const Dialect needed = first_dialect(*kind);
    if (needed > program_.dialect) {
      return problem("opcode {} needs dialect {}; this is {}", op.opcode, name(needed),
                     name(program_.dialect));
    }
    // Rules about fractions look at the operands, so they apply only if the operands exist.
    const bool operands = check_operands(op, *kind);
    if (check_type(op.type) && operands) check_fractions(op, *kind);
  }

  bool check_type(const DataType& type) {
    if (type.is_signed != 0 && type.is_signed != 1) {
      problem("the sign flag of the type is {}; allowed 0 and 1", type.is_signed);
      return false;
    }
    if (type.width() < 0 || type.width() > widest_type) {
      problem("the type ({}, {}, {}) has {} bits; allowed 0..{}", type.is_signed, type.integer_bits,
              type.fraction_bits, type.width(), widest_type);
      return false;
    }
    return true;
  }

  bool check_earlier(const char* what, std::int64_t id) {
    if (id >= 0 && id < static_cast<std::int64_t>(index_)) return true;
    problem("{} {} is no earlier operation{}", what, id, allowed_below(index_));
    return false;
  }

  static std::string allowed_below(std::size_t count) {
    return count == 0 ? std::string("; there is none") : fmt::format("; allowed 0..{}", count - 1);
  }

  bool check_unused(const char* what, std::int32_t id, int opcode) {
    if (id == -1) return true;
    problem("opcode {} does not use {}, so it must be -1; it is {}", opcode, what, id);
    return false;
  }

  bool check_operands(const Op& op, OpKind kind) {
    const unsigned used = operand_count(kind);
    bool good = true;
    if (kind == OpKind::copy) {
      if (op.id0 < 0 || static_cast<std::size_t>(op.id0) >= program_.input_count()) {
        problem("id0 {} is no input{}", op.id0, allowed_below(program_.input_count()));
        good = false;
      }
    } else {
      good = used > 0 ? check_earlier("id0", op.id0) : check_unused("id0", op.id0, op.opcode);
    }
    good =
        (used > 1 ? check_earlier("id1", op.id1) : check_unused("id1", op.id1, op.opcode)) && good;
    if (kind == OpKind::mux) good = check_earlier("condition", op.data_low()) && good;
    if (kind == OpKind::lookup) good = check_table(op) && good;
    if (kind == OpKind::bit_unary && (op.data_low() < 0 || op.data_low() > 2)) {
      problem("unknown bit operation {}; allowed 0 (not), 1 (any), 2 (all)", op.data_low());
      good = false;
    }
    const std::uint32_t binary = static_cast<std::uint32_t>(op.data_high()) >> 24;
    if (kind == OpKind::bit_binary && binary > 2) {
      problem("unknown bit operation {}; allowed 0 (and), 1 (or), 2 (xor)", binary);
      good = false;
    }
    return good;
  }

  bool check_table(const Op& op) {
    const std::int32_t table = op.data_low();
    if (table < 0 || static_cast<std::size_t>(table) >= program_.tables.size()) {
      problem("there is no table {}; the program has {}", table, program_.tables.size());
      return false;
    }
    if (program_.tables[static_cast<std::size_t>(table)].entries.empty()) {
      problem("table {} is empty", table);
      return false;
    }
    return true;
  }

  [[nodiscard]] std::int64_t fraction(std::int32_t id) const {
    return program_.ops[static_cast<std::size_t>(id)].type.fraction_bits;
  }

  void expect_fraction(std::int64_t own, std::int64_t natural) {
    if (own == natural) return;
    problem("the type has {} fraction bits; the operation gives {}", own, natural);
  }

  void expect_difference(std::int64_t own, std::int64_t before, bool drops) {
    const std::int64_t difference = drops ? before - own : own - before;
    if (difference >= 0 && difference <= longest_shift) return;
    problem("the type has {} fraction bits and the value before {}; the operation can {} 0..{}",
            own, before, drops ? "drop" : "add", longest_shift);
  }

  void check_alignment(std::int64_t fraction0, std::int64_t fraction1) {
    const std::int64_t shift = std::max(fraction0, fraction1) - std::min(fraction0, fraction1);
    if (shift <= longest_shift) return;
    problem("the operands are {} bits apart; allowed 0..{}", shift, longest_shift);
  }

  void check_fractions(const Op& op, OpKind kind) {
    const std::int64_t own = op.type.fraction_bits;
    switch (kind) {
      case OpKind::copy:
        return check_scale(program_.input_shifts[static_cast<std::size_t>(op.id0)] + own);
      case OpKind::add:
      case OpKind::subtract:
      case OpKind::bit_binary:
        return check_aligned(op, kind);
      case OpKind::relu:
      case OpKind::quantise:
        return expect_difference(own, fraction(op.id0), true);
      case OpKind::add_constant:
        return expect_difference(own, fraction(op.id0), false);
      case OpKind::mux: {
        const std::int64_t other = fraction(op.id1) - op.data_high();
        expect_fraction(own, std::max(fraction(op.id0), other));
        return check_alignment(fraction(op.id0), other);
      }
      case OpKind::multiply:
        return expect_fraction(own, fraction(op.id0) + fraction(op.id1));
      case OpKind::bit_unary:
        return expect_fraction(own, op.data_low() == 0 ? fraction(op.id0) : 0);
      case OpKind::constant:
      case OpKind::lookup:
        return;
    }
  }

  void check_aligned(const Op& op, OpKind kind) {
    const std::int64_t other = fraction(op.id1) - op.data_low();
    const std::int64_t natural = std::max(fraction(op.id0), other);
    const std::int64_t own = op.type.fraction_bits;
    check_alignment(fraction(op.id0), other);
    // Only version 1 lets a sum have fewer fraction bits than its operands.
    const bool may_drop = kind != OpKind::bit_binary && program_.dialect == Dialect::v1;
    if (may_drop && own <= natural) {
      expect_difference(own, natural, true);
    } else {
      expect_fraction(own, natural);
    }
  }

  void check_scale(std::int64_t exponent) {
    if (exponent >= -largest_scale && exponent <= largest_scale) return;
    problem("scales by 2^{}; allowed 2^-{}..2^{}", exponent, largest_scale, largest_scale);
  }

  void check_output(std::size_t index) {
    thing_ = "output", index_ = index;
    const Output& output = program_.outputs[index];
    if (output.index == -1) return;
    if (output.index < -1 || static_cast<std::size_t>(output.index) >= program_.ops.size()) {
      return problem("there is no operation {}; the program has {}", output.index,
                     program_.ops.size());
    }
    check_scale(std::int64_t{output.shift} - fraction(output.index));
  }

  const Program& program_;
  Problems& problems_;
  const std::string& prefix_;
  const char* thing_ = "";
  std::size_t index_ = 0;
};

}  // namespace

void check_program(const Program& program, Problems& problems, const std::string& prefix) {
  Checker(program, problems, prefix).run();
}

void check_pipeline(const Pipeline& pipeline, Problems& problems) {
  const auto& stages = pipeline.stages;
  if (stages.empty()) problems.add("", "a pipeline without stages");
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const std::string stage = stages.size() == 1 ? "" : fmt::format("stage {}, ", i);
    check_program(stages[i], problems, stage);
    if (i == 0 || stages[i - 1].output_count() == stages[i].input_count()) continue;
    problems.add(fmt::format("stage {}", i),
                 fmt::format("{} inputs; the stage before has {} outputs", stages[i].input_count(),
                             stages[i - 1].output_count()));
  }
}

void check_program(const Program& program, const std::string& where) {
  Problems problems(where);
  check_program(program, problems);
  problems.throw_if_any();
}

void check_pipeline(const Pipeline& pipeline, const std::string& where) {
  Problems problems(where);
  check_pipeline(pipeline, problems);
  problems.throw_if_any();
}

}  // namespace tactus::dais
