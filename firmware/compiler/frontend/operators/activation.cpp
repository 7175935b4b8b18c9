// Relu, LeakyRelu, Clip; and a Softmax that the host computes (others: statistics.cpp).
#include <algorithm>
#include <limits>
#include <optional>

#include "firmware/compiler/frontend/operators.h"
#include "firmware/compiler/frontend/operators/functions.h"
#include "firmware/compiler/frontend/operators/quantised_clip.h"
#include "isa/support/text.h"
#include "isa/tcu/arithmetic.h"

namespace tactus::compiler {
namespace {

/// Gives the output the layout of the input. Returns false if the input is unknown.
bool plan_like_input(Planner& p) {
  const Layout* x = p.activation(0);
  if (x == nullptr || p.failed()) return false;
  p.reads(0);
  p.output(*x);
  return true;
}

/// A function of the input and of numbers.
Plan function_of_input(Planner& p, hir::Kind kind, const std::vector<Number>& numbers) {
  if (!plan_like_input(p)) return {};
  Elementwise nest{p.node.outputs[0], {RunTimeValue{p.node.inputs[0]}}, {{kind, {0}}}};
  for (const Number number : numbers) {
    nest.functions[0].operands.push_back(nest.operands.size());
    nest.operands.emplace_back(number);
  }
  return nest;
}

Plan plan_relu(Planner& p) { return function_of_input(p, hir::Kind::relu, {}); }

/// Plans LeakyRelu as max(alpha * x, x), which is right for alpha up to 1 only.
Plan plan_leaky_relu(Planner& p) {
  const float alpha = p.node.real("alpha", 0.01F);
  if (!(alpha <= 1.0F)) p.problem("attribute alpha is {}; supported are values up to 1", alpha);
  return function_of_input(p, hir::Kind::leaky_relu, {alpha});
}

/// A bound of Clip: an attribute before opset 11, an input since. A bound that is left out does not
/// limit.
std::optional<float> plan_bound(Planner& p, std::string_view name, std::size_t input,
                                float fallback) {
  if (p.opset() < 11) return p.node.real(name, fallback);
  if (!p.given(input)) return fallback;
  const nn::Tensor* bound = p.need_constant(input, name, nn::ElementType::float32);
  if (bound == nullptr) return std::nullopt;
  if (bound->size() != 1) {
    p.problem("{} has shape {}; supported is one value", name, nn::to_string(bound->shape));
    return std::nullopt;
  }
  return bound->floats[0];
}

Plan plan_clip(Planner& p) {
  // The reference never puts Clip into a layer.
  if (p.compat()) p.step().role = Role::simple;
  constexpr float beyond = std::numeric_limits<float>::infinity();
  const std::optional<float> low = plan_bound(p, "min", 1, -beyond);
  const std::optional<float> high = plan_bound(p, "max", 2, beyond);
  if (!low || !high) return {};
  const tcu::DataTypeInfo& type = tcu::info(p.architecture().data_type);
  const double unit = 1.0 / static_cast<double>(std::int64_t{1} << type.binary_point);
  const auto within = [&](float bound) {
    if (p.compat()) return bound;
    const auto value = static_cast<double>(bound);
    if (value < static_cast<double>(type.min()) * unit) return -beyond;
    return value > static_cast<double>(type.max()) * unit ? beyond : bound;
  };
  return function_of_input(p, hir::Kind::clip, {within(*low), within(*high)});
}

/// A final Softmax. In compatible mode its operand is copied as by the reference. Otherwise the
/// operand itself is the output, and the host computes the Softmax.
Plan plan_softmax(Planner& p) {
  const Layout* x = p.activation(0);
  if (x == nullptr) return {};
  const auto rank = static_cast<std::int64_t>(x->rank());
  const std::int64_t axis = p.node.integer("axis", p.opset() < 13 ? 1 : -1);
  if (axis < -rank || axis >= rank) {
    p.problem("attribute axis is {}; supported are {} to {}", axis, -rank, rank - 1);
    return {};
  }
  if (!p.compat() && p.output_read_by_node(0)) {
    p.problem("the unit cannot compute it");
    return {};
  }
  p.host_step({p.node.outputs[0], p.node.name, p.node.op_type, axis < 0 ? axis + rank : axis,
               p.opset() < 13});
  if (p.compat()) return function_of_input(p, hir::Kind::softmax, {});
  if (!plan_like_input(p)) return {};
  return Renaming{p.node.inputs[0], p.node.outputs[0]};
}

/// Slopes above 1 are computed as in PRelu.
bool expand_leaky_relu(Planner& p, Expansion& e) {
  const float alpha = p.node.real("alpha", 0.01F);
  if (alpha <= 1.0F) return false;
  e.last("PRelu", {p.node.inputs[0], e.constant(alpha)});
  return true;
}

/// Bounds that are computed at run time become Max and Min.
bool expand_clip(Planner& p, Expansion& e) {
  if (p.opset() < 11) return false;
  if (expand_quantised_clip(p, e)) return true;
  const auto computed = [&](std::size_t i) {
    return p.value(i) != nullptr && p.value(i)->constant == nullptr;
  };
  if (!computed(1) && !computed(2)) return false;
  std::string x = p.node.inputs[0];
  if (p.given(1)) x = e.node("Max", {x, p.node.inputs[1]});
  if (p.given(2)) x = e.node("Min", {x, p.node.inputs[2]});
  e.last("Identity", {x});
  return true;
}

}  // namespace

Operators activation_operators() {
  return {
      {"Relu", keeps_layout, Role::activation, plan_relu},
      {"LeakyRelu", keeps_layout, Role::activation, plan_leaky_relu, nullptr, expand_leaky_relu},
      {"Clip", keeps_layout, Role::activation, plan_clip, nullptr, expand_clip},
      {"Softmax", keeps_rows, Role::activation, plan_softmax, nullptr, expand_inner_softmax}};
}

}  // namespace tactus::compiler
