// Functions of single elements: one kernel without loops over other elements.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include "firmware/compiler/frontend/operators/folding.h"
#include "firmware/compiler/stripe/lookup.h"
#include "firmware/compiler/targets/tcu/hir/kinds.h"
#include "firmware/compiler/targets/tcu/stripe/translator.h"

namespace tactus::compiler::stripe_tcu {

/// Writes the functions of an elementwise step as statements of a kernel, each when it is first
/// needed.
class Translator::Functions {
 public:
  Functions(Translator& t, const Elementwise& nest)
      : t_(t),
        nest_(nest),
        target_(t.make_place(nest.result)),
        kernel_(t.kernel()),
        scalars_(nest.operands.size() + nest.functions.size()),
        tables_(nest.operands.size()) {}

  void write() {
    kernel_.tag("eltwise");
    const std::vector<Affine> at = count(kernel_, t_.layout(nest_.result).memory_shape());
    std::vector<std::pair<std::size_t, std::string>> buffers;
    const auto from_buffers = std::count_if(nest_.operands.begin(), nest_.operands.end(),
                                            [](const ElementOperand& operand) {
                                              return !std::holds_alternative<Number>(operand) &&
                                                     !std::holds_alternative<LookupTables>(operand);
                                            });
    for (std::size_t i = 0; i < nest_.operands.size(); ++i) {
      const std::string into(1, from_buffers == 1 ? 'X' : static_cast<char>('A' + buffers.size()));
      const bool is_buffer = std::visit(
          [&](const auto& operand) { return add(i, into, operand, at); }, nest_.operands[i]);
      if (is_buffer) buffers.emplace_back(i, into);
    }
    t_.write(kernel_, target_.buffer, t_.access(target_, at));
    for (const auto& [operand, into] : buffers) scalars_[operand] = kernel_.load(into);
    const std::string result = scalar(scalars_.size() - 1);
    const bool is_new = result != scalars_[nest_.functions.back().operands.front()];
    kernel_.store("Y", is_new ? result : call("assign", {result}));
    t_.append(std::move(kernel_));
  }

 private:
  // ---- operands: return true for those that are loaded from a buffer ----

  bool add(std::size_t /*number*/, const std::string& into, const RunTimeValue& value,
           const std::vector<Affine>& at) {
    const nn::Shape own = t_.layout(value.name).memory_shape();
    const nn::Shape sizes = t_.layout(nest_.result).memory_shape();
    std::vector<Affine> its;
    for (std::size_t d = 0; d < own.size(); ++d) {
      its.push_back(own[d] == 1 && sizes[d] != 1 ? Affine() : at[d]);
    }
    t_.read(kernel_, into, value.name, its);
    return true;
  }
  /// Dimensions along which a constant is broadcast are left out, except the lanes'.
  bool add(std::size_t /*number*/, const std::string& into, const BroadcastConstant& constant,
           const std::vector<Affine>& at) {
    const Layout& result = t_.layout(nest_.result);
    const nn::Shape sizes = result.memory_shape();
    const nn::Tensor& tensor = *constant.tensor;
    Sizes kept;
    std::vector<Affine> its;
    std::vector<std::size_t> dims;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      const bool scalar = result.rank() == 0;
      const std::size_t dim = scalar ? 0 : result.order[d];
      const std::size_t missing = result.shape.size() - tensor.shape.size();
      const bool varies = !scalar && dim >= missing && tensor.shape[dim - missing] != 1;
      if (!varies && d + 1 != sizes.size()) continue;
      kept.push_back(sizes[d]);
      its.push_back(at[d]);
      dims.push_back(dim);
    }
    const BroadcastIndex source(tensor.shape, result.shape);
    std::vector<float> values;
    nn::Shape position(kept.size(), 0), whole(sizes.size(), 0);
    do {
      for (std::size_t d = 0; d < dims.size(); ++d) whole[dims[d]] = position[d];
      values.push_back(tensor.floats[static_cast<std::size_t>(source(whole))]);
    } while (next_position(position, kept));
    const std::string buffer =
        t_.make_constant(constant.name, kept, std::move(values), constant.name);
    kernel_.in(into, t_.shapes_.at(buffer), buffer, its);
    return true;
  }
  bool add(std::size_t /*number*/, const std::string& into, const LaneConstants& constant,
           const std::vector<Affine>& at) {
    const std::string buffer = t_.make_constant(
        constant.name, {static_cast<std::int64_t>(constant.values.size())}, constant.values);
    kernel_.in(into, t_.shapes_.at(buffer), buffer, {at.back()});
    return true;
  }
  bool add(std::size_t /*number*/, const std::string& /*into*/, Number /*number*/,
           const std::vector<Affine>& /*at*/) {
    return false;
  }
  bool add(std::size_t number, const std::string& /*into*/, const LookupTables& tables,
           const std::vector<Affine>& /*at*/) {
    std::vector<float> rows(tables.slopes);
    rows.insert(rows.end(), tables.values.begin(), tables.values.end());
    tables_[number] = t_.table({2, static_cast<std::int64_t>(tables.slopes.size())}, rows);
    return false;
  }

  // ---- functions ----

  std::string call(const std::string& name, const std::vector<std::string>& operands) {
    return kernel_.call(name, operands);
  }
  [[nodiscard]] std::optional<Number> number(std::size_t operand) const {
    if (operand >= nest_.operands.size()) return std::nullopt;
    const auto* number = std::get_if<Number>(&nest_.operands[operand]);
    return number == nullptr ? std::nullopt : std::optional(*number);
  }

  /// The scalar of an operand or of a function's result.
  const std::string& scalar(std::size_t at) {
    if (!scalars_[at].empty()) return scalars_[at];
    if (const std::optional<Number> value = number(at)) {
      return scalars_[at] = kernel_.real(*value);
    }
    return scalars_[at] = result_of(nest_.functions[at - nest_.operands.size()]);
  }

  std::string result_of(const Elementwise::Function& function) {
    const std::vector<std::size_t>& of = function.operands;
    switch (function.kind) {
      case hir::Kind::add: {
        const std::string first = scalar(of[0]);
        return call("add", {first, scalar(of[1])});
      }
      case hir::Kind::relu: {
        const std::string zero = kernel_.integer(0), x = scalar(of[0]);
        return call("cond", {call("cmp_lt", {x, zero}), zero, x});
      }
      case hir::Kind::clip:
        return clip(of);
      case hir::Kind::average_pool:
        return sum(of);
      case hir::Kind::lookup:
        return lookup(of);
      default:
        return by_sequence(function);
    }
  }

  static const char* name_of(tcu::SimdOp op) {
    switch (op) {
      case tcu::SimdOp::add:
        return "add";
      case tcu::SimdOp::subtract:
        return "sub";
      case tcu::SimdOp::multiply:
        return "mul";
      case tcu::SimdOp::max:
        return "max";
      case tcu::SimdOp::min:
        return "min";
      default:
        internal_error("no function of elements with SIMD operation {}", static_cast<int>(op));
    }
  }

  /// An operand that is not computed, by its number, or a computed scalar.
  struct Value {
    static constexpr std::size_t none = SIZE_MAX;
    std::size_t operand = none;
    std::string computed;

    [[nodiscard]] bool is_operand() const { return operand != none; }
  };

  /// Writes what the kind's SIMD instructions compute. Where the order of two values has no effect,
  /// a computed one comes first, then operands in their order.
  std::string by_sequence(const Elementwise::Function& function) {
    const auto text = [&](const Value& value) {
      return value.is_operand() ? scalar(function.operands[value.operand]) : value.computed;
    };
    Value held;  // in the register
    for (const hir::SimdStep& step : hir::simd_sequence(function.kind, function.operands.size())) {
      const tcu::SimdFields& fields = step.fields;
      Value left = fields.left == hir::simd_port ? Value{step.operand, {}} : held;
      Value right = fields.right == hir::simd_port ? Value{step.operand, {}} : held;
      const bool extreme = fields.op == tcu::SimdOp::max || fields.op == tcu::SimdOp::min;
      if (fields.op == tcu::SimdOp::move || (extreme && fields.left == fields.right)) {
        held = left;
        continue;
      }
      const bool behind =
          left.is_operand() && (!right.is_operand() || right.operand < left.operand);
      if (fields.op != tcu::SimdOp::subtract && behind) std::swap(left, right);
      const std::string first = text(left);
      held = {Value::none, call(name_of(fields.op), {first, text(right)})};
    }
    if (!held.is_operand() && held.computed.empty()) {
      internal_error("no function of elements: {}", hir::to_string(function.kind));
    }
    return text(held);
  }

  std::string clip(const std::vector<std::size_t>& of) {
    std::string x = scalar(of[0]);
    if (number(of[1]) != -HUGE_VALF) x = call("max", {x, scalar(of[1])});
    if (number(of[2]) != HUGE_VALF) x = call("min", {x, scalar(of[2])});
    return x;
  }

  /// A sum begins with its numbers, and each of its terms is computed when it is added.
  std::string sum(const std::vector<std::size_t>& of) {
    std::vector<std::size_t> terms(of.begin(), of.end() - 1);
    std::stable_partition(terms.begin(), terms.end(),
                          [&](std::size_t term) { return number(term).has_value(); });
    std::string sum = scalar(terms.front());
    for (std::size_t k = 1; k < terms.size(); ++k) sum = call("add", {sum, scalar(terms[k])});
    return number(of.back()) == 1.0F ? sum : call("mul", {sum, scalar(of.back())});
  }

  std::string lookup(const std::vector<std::size_t>& of) {
    if (distance_.empty()) {
      const auto digits = t_.model_.architecture.lookup_tables.key_binary_point;
      distance_ = kernel_.real(std::ldexp(1.0, -static_cast<int>(digits)));
    }
    std::string argument = scalar(of[0]);
    if (of.size() == 3) argument = call("mul", {argument, scalar(of[1])});
    return call(stripe::lookup_name(tables_[of.back()]), {argument, distance_});
  }

  Translator& t_;
  const Elementwise& nest_;
  Place target_;
  Kernel kernel_;
  std::vector<std::string> scalars_;  ///< by number of operand or function; empty: not yet written
  std::vector<std::string> tables_;   ///< buffers of tables, by operand
  std::string distance_;              ///< scalar: the distance between keys of the tables
};

void Translator::translate(const Elementwise& nest) { Functions(*this, nest).write(); }

}  // namespace tactus::compiler::stripe_tcu
