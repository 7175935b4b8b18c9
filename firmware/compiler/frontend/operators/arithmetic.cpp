// Add, Sub, Mul, Min, Max, PRelu of two operands, broadcast as ONNX does; Sum, Mean, Div by them.
//
// An operand that is broadcast along the lanes first gets the layout of the result.
#include <algorithm>
#include <cmath>

#include "firmware/compiler/frontend/operators.h"
#include "firmware/compiler/frontend/operators/folding.h"
#include "firmware/compiler/frontend/operators/functions.h"
#include "firmware/compiler/frontend/operators/means.h"
#include "firmware/onnx/shapes.h"
#include "isa/support/text.h"
#include "isa/tcu/arithmetic.h"

namespace tactus::compiler {
namespace {

struct Operand {
  std::string name;
  Layout layout;                               ///< layout of a run-time operand
  std::shared_ptr<const nn::Tensor> constant;  ///< the value of a constant operand

  [[nodiscard]] ElementOperand of_nest() const {
    if (constant) return BroadcastConstant{name, constant};
    return RunTimeValue{name};
  }
};

std::optional<Operand> plan_operand(Planner& p, std::size_t i) {
  const Value* value = p.value(i);
  if (value == nullptr) return std::nullopt;
  Operand operand;
  operand.name = value->name;
  operand.constant = value->constant;
  if (value->layout) operand.layout = *value->layout;
  if (operand.constant && operand.constant->type != nn::ElementType::float32) {
    p.problem("constant {} holds {} elements; supported is FLOAT", quote(operand.name),
              nn::name_of(operand.constant->type));
    return std::nullopt;
  }
  return operand;
}

/// Checks that a run-time operand can be broadcast: along all dimensions except the lanes'.
bool check_operand(Planner& p, const Operand& operand, const Layout& result) {
  if (operand.constant) return true;
  if (operand.layout.order == result.order && operand.layout.lanes() == result.lanes()) return true;
  p.problem(
      "operand {} of shape {} does not lie in memory as the result of shape {}; supported are "
      "operands of one rank and order whose innermost dimension in memory is equal",
      quote(operand.name), nn::to_string(operand.layout.shape), nn::to_string(result.shape));
  return false;
}

/// Plans a function of two operands.
Plan plan_function(Planner& p, hir::Kind kind) {
  const std::optional<Operand> first = plan_operand(p, 0), second = plan_operand(p, 1);
  if (!first || !second) return {};
  const auto shape_of = [](const Operand& operand) {
    return operand.constant ? operand.constant->shape : operand.layout.shape;
  };
  const std::optional<nn::Shape> shape = nn::broadcast_shape(shape_of(*first), shape_of(*second));
  if (!shape || std::find(shape->begin(), shape->end(), 0) != shape->end()) {
    p.problem("shapes {} and {} do not broadcast", nn::to_string(shape_of(*first)),
              nn::to_string(shape_of(*second)));
    return {};
  }
  const bool first_leads = second->constant ||
                           (!first->constant && first->layout.shape == *shape) ||
                           (!first->constant && second->layout.shape != *shape);
  const Operand& example =
      p.compat() ? (first->constant ? *second : *first) : (first_leads ? *first : *second);
  const Layout result{*shape, example.layout.order};
  if (example.layout.rank() != shape->size()) {
    p.problem("operands have shapes {} and {}; supported are operands of one rank",
              nn::to_string(shape_of(*first)), nn::to_string(shape_of(*second)));
    return {};
  }
  if (!check_operand(p, *first, result) || !check_operand(p, *second, result)) {
    return {};
  }
  for (std::size_t i = 0; i < 2; ++i) {
    if (p.constant(i) == nullptr) p.reads(i);
  }
  p.output(result);
  const bool by_constant = first->constant || second->constant;
  if (!p.compat() && by_constant && kind == hir::Kind::multiply) p.step().role = Role::factor;
  return Elementwise{p.node.outputs[0], {first->of_nest(), second->of_nest()}, {{kind, {0, 1}}}};
}

template <hir::Kind kind>
Plan plan_arithmetic(Planner& p) {
  return plan_function(p, kind);
}

// ---- what is written as other nodes
// --------------------------------------------------------------

/// The layout that a run-time operand needs for a result of this layout; nothing if it has it.
std::optional<Layout> wanted_layout(const Layout& operand, const Layout& result) {
  Layout wanted{operand.shape, result.order};
  if (result.rank() == 0) return std::nullopt;
  const std::size_t lane = result.lane_dimension();
  if (wanted.shape[lane] != result.shape[lane]) wanted.shape[lane] = result.shape[lane];
  if (wanted == operand) return std::nullopt;
  return wanted;
}

/// Gives operands the same rank and order, with the lanes of the result.
bool expand_operands(Planner& p, Expansion& e) {
  const Value* values[2] = {p.value(0), p.value(1)};
  if (values[0] == nullptr || values[1] == nullptr) return false;
  const auto shape_of = [](const Value& v) {
    return v.constant ? v.constant->shape : v.layout->shape;
  };
  const std::optional<nn::Shape> shape =
      nn::broadcast_shape(shape_of(*values[0]), shape_of(*values[1]));
  if (!shape) return false;
  std::vector<std::string> inputs = p.node.inputs;
  bool changed = false;
  // An operand with fewer dimensions gets dimensions of size 1 in front.
  std::vector<std::optional<Layout>> layouts(2);
  for (std::size_t i = 0; i < 2; ++i) {
    if (!values[i]->layout) continue;
    layouts[i] = *values[i]->layout;
    const std::size_t missing = shape->size() - layouts[i]->rank();
    if (missing == 0) continue;
    nn::Shape axes(missing);
    for (std::size_t k = 0; k < missing; ++k) axes[k] = static_cast<std::int64_t>(k);
    inputs[i] = e.node("Unsqueeze", {inputs[i]}, {{"axes", axes}});
    changed = true;
  }
  if (changed) {
    // The layouts of these are not known yet, so the rest is done when the node with them is
    // expanded.
    e.last(p.node.op_type, inputs, p.node.attributes);
    return true;
  }
  const bool first_leads =
      !layouts[1] || (layouts[0] && (layouts[0]->shape == *shape || layouts[1]->shape != *shape));
  const Layout result{*shape, layouts[first_leads ? 0 : 1]->order};
  for (std::size_t i = 0; i < 2; ++i) {
    if (!layouts[i]) continue;
    const std::optional<Layout> wanted = wanted_layout(*layouts[i], result);
    if (!wanted) continue;
    inputs[i] = e.node(relayout, {inputs[i]},
                       {{"order", nn::Shape(wanted->order.begin(), wanted->order.end())},
                        {"shape", wanted->shape}});
    changed = true;
  }
  if (changed) e.last(p.node.op_type, inputs, p.node.attributes);
  return changed;
}

bool expand_multiply(Planner& p, Expansion& e) {
  return expand_averaged_sum(p, e) || expand_rescaled(p, e) || expand_gated(p, e) ||
         expand_operands(p, e);
}

/// Joins several operands, two at a time.
bool expand_list(Planner& p, Expansion& e, const std::string& pairwise) {
  const std::vector<std::string>& inputs = p.node.inputs;
  std::string sum = inputs.front();
  for (std::size_t i = 1; i + 1 < inputs.size(); ++i) sum = e.node(pairwise, {sum, inputs[i]});
  if (inputs.size() == 1) {
    e.last("Identity", {sum});
  } else {
    e.last(pairwise, {sum, inputs.back()});
  }
  return true;
}

bool expand_sum(Planner& p, Expansion& e) { return expand_list(p, e, "Add"); }

bool expand_min_max(Planner& p, Expansion& e) {
  if (p.node.inputs.size() == 2) return expand_operands(p, e);
  return expand_list(p, e, p.node.op_type);
}

bool expand_mean(Planner& p, Expansion& e) {
  const tcu::DataType type = p.architecture().data_type;
  const double top = tcu::to_real(type, tcu::info(type).max());
  const auto count = static_cast<std::int64_t>(p.node.inputs.size());
  double most = 0;
  for (std::size_t i = 0; i < p.node.inputs.size(); ++i) {
    most += p.bound(p.node.inputs[i]).value_or(top);
  }
  std::vector<std::string> terms = p.node.inputs;
  double weight = 1;
  if (count > 1 && most > top) {
    weight = static_cast<double>(weight_of_one_in(type, count));
    for (std::string& term : terms) {
      term = e.node("Mul", {term, e.constant(static_cast<float>(weight))});
    }
  }
  std::string sum = e.node("Sum", terms);
  const double factor = 1 / (static_cast<double>(count) * weight);
  for (const float number : constants_for(type, factor, std::min(most, top)).numbers) {
    sum = e.node("Mul", {sum, e.constant(number)});
  }
  e.last("Identity", {sum});
  return true;
}

/// Expands a division by a computed value into a product with its reciprocal, which is looked up in
/// a table.
bool expand_quotient(Planner& p, Expansion& e) {
  const FunctionOf divisor = reciprocal_of(p, p.node.inputs[1]);
  e.last("Mul", {p.node.inputs[0], computed(p, e, divisor.x, divisor.function)});
  return true;
}

/// Expands a division by a constant into a product with its reciprocal, see machine_reciprocals().
bool expand_division(Planner& p, Expansion& e) {
  const nn::Tensor* by = p.constant(1);
  if (by == nullptr && p.value(1) != nullptr) return expand_quotient(p, e);
  if (by == nullptr || p.constant(0) != nullptr) return false;
  if (by->type != nn::ElementType::float32) return false;
  if (std::find(by->floats.begin(), by->floats.end(), 0.0F) != by->floats.end()) {
    p.problem("{} has a zero; supported are divisors other than 0", quote(p.node.inputs[1]));
    return true;
  }
  if (expand_averaged_sum(p, e)) return true;
  Reciprocals reciprocals = machine_reciprocals(by->floats);
  const auto digits = tcu::info(p.architecture().data_type).binary_point;
  int shift = reciprocals.shift;
  nn::Tensor factors = *by;
  factors.floats = std::move(reciprocals.factors);
  std::string result = p.node.inputs[0];
  if (shift == 0) {
    e.last("Mul", {result, e.constant(std::move(factors))});
    return true;
  }
  result = e.node("Mul", {result, e.constant(std::move(factors))});
  for (; shift > static_cast<int>(digits); shift -= static_cast<int>(digits)) {
    result = e.node("Mul", {result, e.constant(std::ldexp(1.0F, -static_cast<int>(digits)))});
  }
  e.last("Mul", {result, e.constant(std::ldexp(1.0F, -shift))});
  return true;
}

/// Expands PRelu. max(slope * x, x) is right for slopes up to 1 only; for larger or computed slopes
/// the parts above and below 0 are computed separately.
bool expand_p_relu(Planner& p, Expansion& e) {
  if (p.value(0) == nullptr || p.value(1) == nullptr) return false;
  const nn::Tensor* slope = p.constant(1);
  const bool flat = slope != nullptr && slope->type == nn::ElementType::float32 &&
                    std::all_of(slope->floats.begin(), slope->floats.end(),
                                [](float value) { return value <= 1.0F; });
  if (flat) return expand_operands(p, e);
  const std::string& x = p.node.inputs[0];
  const std::string negative = e.node("Relu", {e.node("Mul", {x, e.constant(-1.0F)})});
  const std::string scaled = e.node("Mul", {negative, p.node.inputs[1]});
  e.last("Sub", {e.node("Relu", {x}), scaled});
  return true;
}

}  // namespace

Operators arithmetic_operators() {
  return {{"Add", keeps_layout, Role::add, plan_arithmetic<hir::Kind::add>, fold_arithmetic,
           expand_operands},
          {"Sub", keeps_layout, Role::simple, plan_arithmetic<hir::Kind::subtract>, fold_arithmetic,
           expand_operands},
          {"Mul", keeps_layout, Role::simple, plan_arithmetic<hir::Kind::multiply>, fold_arithmetic,
           expand_multiply},
          {"Div", keeps_layout, Role::simple, nullptr, fold_arithmetic, expand_division},
          {"Min", keeps_layout, Role::simple, plan_arithmetic<hir::Kind::minimum>, nullptr,
           expand_min_max},
          {"Max", keeps_layout, Role::simple, plan_arithmetic<hir::Kind::max_pool>, nullptr,
           expand_min_max},
          {"PRelu", keeps_layout, Role::simple, plan_arithmetic<hir::Kind::leaky_relu>, nullptr,
           expand_p_relu},
          {"Sum", keeps_layout, Role::simple, nullptr, nullptr, expand_sum},
          {"Mean", keeps_layout, Role::simple, nullptr, nullptr, expand_mean}};
}

}  // namespace tactus::compiler
