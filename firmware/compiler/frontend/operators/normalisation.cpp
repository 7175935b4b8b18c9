// BatchNormalization as one multiplication and one addition for each channel: x * scale + offset.
#include <array>
#include <cmath>

#include "firmware/compiler/frontend/operators.h"
#include "isa/support/text.h"

namespace tactus::compiler {
namespace {

/// Reads the four parameters, each with one value for each channel. Returns false if one is wrong
/// or unknown.
bool plan_parameters(Planner& p, const Layout* x, std::array<const nn::Tensor*, 4>& parameters) {
  constexpr std::array<std::string_view, 4> names{"scale", "B", "mean", "var"};
  bool good = x != nullptr;
  for (std::size_t k = 0; k < names.size(); ++k) {
    parameters[k] = p.need_constant(k + 1, names[k], nn::ElementType::float32);
    if (parameters[k] == nullptr) {
      good = false;
    } else if (x != nullptr && x->rank() > 1 && parameters[k]->shape != nn::Shape{x->shape[1]}) {
      p.problem("{} has shape {}; supported is [{}]", names[k], nn::to_string(parameters[k]->shape),
                x->shape[1]);
      good = false;
    }
  }
  return good;
}

Plan plan_normalisation(Planner& p) {
  for (std::size_t k = 1; k < p.node.outputs.size(); ++k) {
    if (p.output_read(k)) {
      p.problem("output {} is for training; supported is inference with one output", k);
      break;
    }
  }
  if (p.node.integer("training_mode", 0) != 0) {
    p.problem("attribute training_mode is 1; supported is 0");
  }
  if (p.node.integer("spatial", 1) != 1) p.problem("attribute spatial is 0; supported is 1");
  const Layout* x = p.activation(0);
  if (x != nullptr && (x->rank() < 2 || x->lane_dimension() != 1)) {
    p.problem("input {} of shape {} does not have its channels innermost in memory",
              quote(p.node.inputs[0]), nn::to_string(x->shape));
    x = nullptr;
  }
  std::array<const nn::Tensor*, 4> parameters{};
  if (!plan_parameters(p, x, parameters) || p.failed()) return {};

  const float epsilon = p.node.real("epsilon", 1e-5F);
  std::vector<float> scale, offset;
  for (std::size_t c = 0; c < static_cast<std::size_t>(x->lanes()); ++c) {
    const float variance = parameters[3]->floats[c] + epsilon;
    if (!(variance > 0)) {
      p.problem("var + epsilon of channel {} is {}; supported are values above 0", c, variance);
      return {};
    }
    // Rounded to float at the same points as in the reference.
    scale.push_back(static_cast<float>(1.0 / std::sqrt(static_cast<double>(variance)) *
                                       static_cast<double>(parameters[0]->floats[c])));
    offset.push_back(parameters[1]->floats[c] - parameters[2]->floats[c] * scale.back());
  }
  p.reads(0);
  p.output(*x);
  return Elementwise{p.node.outputs[0],
                     {RunTimeValue{p.node.inputs[0]}, LaneConstants{p.node.name + " scale", scale},
                      LaneConstants{p.node.name + " offset", offset}},
                     {{hir::Kind::norm, {0, 1, 2}}}};
}

/// Changes the layout if channels do not run along the lanes.
bool expand_normalisation(Planner& p, Expansion& e) {
  const Value* x = p.value(0);
  if (x == nullptr || !x->layout || x->layout->rank() < 2 || x->layout->lane_dimension() == 1) {
    return false;
  }
  nn::Shape order{0};
  for (std::size_t d = 2; d < x->layout->rank(); ++d) order.push_back(static_cast<std::int64_t>(d));
  order.push_back(1);
  std::vector<std::string> inputs = p.node.inputs;
  inputs[0] = e.node(relayout, {inputs[0]}, {{"order", order}});
  e.last(p.node.op_type, std::move(inputs), p.node.attributes);
  return true;
}

}  // namespace

Operators normalisation_operators() {
  return {{"BatchNormalization", wants_image, Role::normalisation, plan_normalisation, nullptr,
           expand_normalisation}};
}

}  // namespace tactus::compiler
