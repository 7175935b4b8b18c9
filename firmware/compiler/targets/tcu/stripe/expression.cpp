#include "firmware/compiler/targets/tcu/stripe/expression.h"

#include <map>
#include <optional>

#include <fmt/format.h>

#include "firmware/compiler/stripe/lookup.h"
#include "isa/support/text.h"

namespace tactus::compiler::stripe_tcu {
namespace {

using tcu::SimdOp;

class Builder {
 public:
  explicit Builder(const Nest& leaf) : leaf_(leaf) {}

  Expression build() {
    std::optional<std::size_t> root;
    for (const stripe::Statement& stmt : leaf_.block->statements) {
      if (const auto* load = stmt.as<stripe::Load>()) {
        scalars_[load->into] = input(load->from);
      } else if (const auto* constant = stmt.as<stripe::Constant>()) {
        const auto* integer = std::get_if<std::int64_t>(&constant->value);
        scalars_[constant->name] = number(integer != nullptr ? static_cast<double>(*integer)
                                                             : std::get<double>(constant->value));
      } else if (const auto* op = stmt.as<stripe::Intrinsic>()) {
        scalars_[op->outputs.at(0)] = function(*op);
      } else if (const auto* store = stmt.as<stripe::Store>()) {
        if (root) fail(*leaf_.block, "it stores to two tensors; the unit computes one at a time");
        root = scalars_.at(store->from);
        result_.output = store->into;
      } else {
        fail(*leaf_.block, stmt.as<stripe::LoadIndex>() != nullptr
                               ? "load_index is nothing the unit can do"
                               : "specials among loads and stores are nothing the unit can do");
      }
    }
    if (!root) fail(*leaf_.block, "it stores nothing");
    keep_what_is_used(*root);
    return std::move(result_);
  }

 private:
  std::size_t add(Term term) {
    result_.terms.push_back(std::move(term));
    return result_.terms.size() - 1;
  }
  std::size_t input(const std::string& name) {
    const auto found = inputs_.find(name);
    if (found != inputs_.end()) return found->second;
    Term term;
    term.kind = Term::Kind::input;
    term.input = name;
    return inputs_[name] = add(std::move(term));
  }
  std::size_t number(double value) {
    Term term;
    term.value = value;
    return add(std::move(term));
  }
  std::size_t operation(SimdOp op, std::size_t left, std::size_t right) {
    Term term;
    term.kind = Term::Kind::operation;
    term.op = op;
    term.left = left;
    term.right = right;
    return add(std::move(term));
  }
  std::size_t negated(std::size_t x) { return operation(SimdOp::not_, x, x); }
  [[nodiscard]] bool same(std::size_t a, std::size_t b) const {
    const Term& x = result_.terms[a];
    const Term& y = result_.terms[b];
    return a == b ||
           (x.kind == Term::Kind::constant && y.kind == Term::Kind::constant && x.value == y.value);
  }
  [[nodiscard]] bool is_truth(std::size_t t) const {
    const Term& term = result_.terms[t];
    if (term.kind == Term::Kind::operation) {
      return term.op == SimdOp::greater_than || term.op == SimdOp::greater_than_equal ||
             term.op == SimdOp::not_;
    }
    return term.kind == Term::Kind::input &&
           leaf_.views.at(term.input).ref->shape.type == stripe::DataType::boolean;
  }

  /// A choice. cond(x > y, x, y) and similar forms are max and min; other forms are a sum of two
  /// products, one of which is zero.
  std::size_t choice(std::size_t condition, std::size_t yes, std::size_t no) {
    const Term test = result_.terms[condition];
    if (test.kind == Term::Kind::operation &&
        (test.op == SimdOp::greater_than || test.op == SimdOp::greater_than_equal)) {
      if (same(test.left, yes) && same(test.right, no)) {
        return operation(SimdOp::max, yes, no);
      }
      if (same(test.left, no) && same(test.right, yes)) {
        return operation(SimdOp::min, yes, no);
      }
    }
    if (!is_truth(condition)) condition = negated(negated(condition));
    const bool no_first = result_.terms[yes].is_zero();
    const bool no_second = result_.terms[no].is_zero();
    const std::size_t second = no_second ? no : operation(SimdOp::multiply, no, negated(condition));
    if (no_first) return second;
    const std::size_t first = operation(SimdOp::multiply, yes, condition);
    return no_second ? first : operation(SimdOp::add, first, second);
  }

  std::size_t lookup(const stripe::Intrinsic& op, const std::string& table) {
    const Term& step = result_.terms[scalars_.at(op.inputs.at(1))];
    if (step.kind != Term::Kind::constant) {
      fail(*leaf_.block, fmt::format("the distance of the keys of {} is no constant", table));
    }
    Term term;
    term.kind = Term::Kind::operation;
    term.op = SimdOp::lookup;
    term.table = table;
    term.value = step.value;
    term.left = term.right = scalars_.at(op.inputs.at(0));
    return add(std::move(term));
  }

  std::size_t function(const stripe::Intrinsic& op) {
    if (const auto table = stripe::table_of(op)) return lookup(op, *table);
    std::string name = op.name;
    if (name.substr(0, 4) == "cmp_") name = name.substr(4);
    std::vector<std::size_t> in;
    for (const std::string& scalar : op.inputs) in.push_back(scalars_.at(scalar));
    static const std::map<std::string, SimdOp> binary{{"add", SimdOp::add},
                                                      {"sub", SimdOp::subtract},
                                                      {"mul", SimdOp::multiply},
                                                      {"max", SimdOp::max},
                                                      {"min", SimdOp::min},
                                                      {"gt", SimdOp::greater_than},
                                                      {"gte", SimdOp::greater_than_equal},
                                                      {"ge", SimdOp::greater_than_equal}};
    if (in.size() == 1) {
      if (name == "assign" || name == "ident") return in[0];
      if (name == "neg") return operation(SimdOp::subtract, number(0), in[0]);
      if (name == "abs") {
        return operation(SimdOp::max, in[0], operation(SimdOp::subtract, number(0), in[0]));
      }
    } else if (in.size() == 2) {
      const auto found = binary.find(name);
      if (found != binary.end()) return operation(found->second, in[0], in[1]);
      if (name == "lt") return operation(SimdOp::greater_than, in[1], in[0]);
      if (name == "lte" || name == "le") {
        return operation(SimdOp::greater_than_equal, in[1], in[0]);
      }
      if (name == "eq") return negated(operation(SimdOp::subtract, in[0], in[1]));
      if (name == "neq" || name == "ne") {
        return negated(negated(operation(SimdOp::subtract, in[0], in[1])));
      }
      if (name == "zelu") {  // the slope is the second operand
        return choice(operation(SimdOp::greater_than, number(0), in[0]),
                      operation(SimdOp::multiply, in[0], in[1]), in[0]);
      }
    } else if (in.size() == 3 && name == "cond") {
      return choice(in[0], in[1], in[2]);
    }
    fail(*leaf_.block,
         fmt::format("the unit has no function {} of {} operands; it has add, sub, mul, max, min, "
                     "comparisons, cond, neg, abs and zelu, and lookup_ of a table",
                     quote(op.name), op.inputs.size()));
  }

  void keep_what_is_used(std::size_t root) {
    std::vector<bool> needed(result_.terms.size(), false);
    needed[root] = true;
    for (std::size_t t = result_.terms.size(); t-- > 0;) {
      const Term& term = result_.terms[t];
      if (!needed[t] || term.kind != Term::Kind::operation) continue;
      needed[term.left] = needed[term.right] = true;
    }
    std::vector<std::size_t> numbers(needed.size(), 0);
    std::vector<Term> kept;
    for (std::size_t t = 0; t < needed.size(); ++t) {
      if (!needed[t]) continue;
      Term term = result_.terms[t];
      term.left = numbers[term.left];
      term.right = numbers[term.right];
      if (term.kind == Term::Kind::operation) {
        ++kept[term.left].uses;
        if (!term.is_unary()) ++kept[term.right].uses;
      }
      numbers[t] = kept.size();
      kept.push_back(std::move(term));
    }
    result_.terms = std::move(kept);
    result_.root = numbers[root];
    ++result_.terms[result_.root].uses;
  }

  const Nest& leaf_;
  Expression result_;
  std::map<std::string, std::size_t> scalars_;
  std::map<std::string, std::size_t> inputs_;
};

}  // namespace

Expression expression_of(const Nest& leaf) { return Builder(leaf).build(); }

}  // namespace tactus::compiler::stripe_tcu
