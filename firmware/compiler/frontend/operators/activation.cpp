// Relu, LeakyRelu, Clip; and a Softmax that the host computes (others: statistics.cpp).
#include <algorithm>
#include <limits>
#include <optional>

#include "firmware/compiler/frontend/operators.h"
#include "firmware/compiler/frontend/operators/functions.h"
#include "firmware/compiler/frontend/operators/steps_of_types.h"
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

Emit plan_relu(Planner& p) {
  if (!plan_like_input(p)) return {};
  return [in = p.node.inputs[0], out = p.node.outputs[0]](Emitter& e) {
    const Addresses x = e.temps(in);
    const Addresses y = e.allocate(x.size());
    e.hir().add(hir::Kind::relu, {x}, y);
    e.result(out, y);
  };
}

/// Plans LeakyRelu as max(alpha * x, x), which is right for alpha up to 1 only.
Emit plan_leaky_relu(Planner& p) {
  const float alpha = p.node.real("alpha", 0.01F);
  if (!(alpha <= 1.0F)) p.problem("attribute alpha is {}; supported are values up to 1", alpha);
  if (!plan_like_input(p)) return {};
  return [alpha, in = p.node.inputs[0], out = p.node.outputs[0]](Emitter& e) {
    const Addresses x = e.temps(in);
    const Address a = e.load(e.splat(alpha)).front();
    const Addresses y = e.allocate(x.size());
    e.hir().add(hir::Kind::leaky_relu, {x, Addresses(x.size(), a)}, y);
    e.result(out, y);
  };
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

Emit plan_clip(Planner& p) {
  // The reference never puts Clip into a layer.
  if (p.compat()) p.step().role = Role::simple;
  const tcu::DataTypeInfo& type = tcu::info(p.architecture().data_type);
  const double unit = 1.0 / static_cast<double>(std::int64_t{1} << type.binary_point);
  const std::optional<float> low =
      plan_bound(p, "min", 1, static_cast<float>(static_cast<double>(type.min()) * unit));
  const std::optional<float> high =
      plan_bound(p, "max", 2, static_cast<float>(static_cast<double>(type.max()) * unit));
  if (!low || !high || !plan_like_input(p)) return {};
  // A limit beyond the range is the end of the range.
  const auto within = [&](float bound) {
    return p.compat() ? bound
                      : static_cast<float>(std::clamp(static_cast<double>(bound),
                                                      static_cast<double>(type.min()) * unit,
                                                      static_cast<double>(type.max()) * unit));
  };
  return [low = within(*low), high = within(*high), in = p.node.inputs[0],
          out = p.node.outputs[0]](Emitter& e) {
    const Addresses x = e.temps(in);
    const Address min = e.load(e.splat(low)).front();
    const Address max = e.load(e.splat(high)).front();
    const Addresses y = e.allocate(x.size());
    e.hir().add(hir::Kind::clip, {x, Addresses(x.size(), min), Addresses(x.size(), max)}, y);
    e.result(out, y);
  };
}

/// A final Softmax. In compatible mode its operand is copied as by the reference. Otherwise the
/// operand itself is the output, and the host computes the Softmax.
Emit plan_softmax(Planner& p) {
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
  if (!plan_like_input(p)) return {};
  return [in = p.node.inputs[0], out = p.node.outputs[0]](Emitter& e) {
    if (e.model().compat) {
      const Addresses values = e.temps(in);
      const Addresses y = e.allocate(values.size());
      e.hir().add(hir::Kind::softmax, {values}, y);
      e.result(out, y);
    } else if (e.is_temp(in)) {
      e.result(out, e.temps(in));
    } else {
      e.alias(out, e.variable(in), {in});
    }
  };
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
      {"Relu", keeps_layout, Work::relu, plan_relu},
      {"LeakyRelu", keeps_layout, Work::leaky_relu, plan_leaky_relu, nullptr, expand_leaky_relu},
      {"Clip", keeps_layout, Work::clip, plan_clip, nullptr, expand_clip},
      {"Softmax", keeps_rows, Work::softmax, plan_softmax, nullptr, expand_inner_softmax}};
}

}  // namespace tactus::compiler
