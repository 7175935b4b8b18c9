#include "firmware/compiler/frontend/expansion.h"

#include <utility>

#include "firmware/compiler/frontend/operators/volumes.h"
#include "isa/support/text.h"

namespace tactus::compiler {

nn::Node& Expansion::add(const std::string& op, Inputs inputs, Attributes attributes) {
  nn::Node& made = planner_.new_node();
  made.op_type = op;
  made.inputs = std::move(inputs);
  made.attributes = std::move(attributes);
  made.file = planner_.node.file;
  nodes_.push_back(&made);
  return made;
}

std::string Expansion::node(const std::string& op, Inputs inputs, Attributes attributes) {
  nn::Node& made = add(op, std::move(inputs), std::move(attributes));
  made.name = planner_.unused_node_name(planner_.node.name + "/" + op);
  made.outputs = {planner_.unused_value_name(made.name)};
  planner_.register_node(made);
  return made.outputs.front();
}

void Expansion::result(std::size_t output, const std::string& op, Inputs inputs,
                       Attributes attributes) {
  nn::Node& made = add(op, std::move(inputs), std::move(attributes));
  const std::string& name = planner_.node.name;
  made.name = output == 0 ? name : planner_.unused_node_name(name + "/" + op);
  made.outputs = {planner_.node.outputs[output]};
  planner_.register_node(made);
}

std::string Expansion::constant(nn::Tensor tensor) {
  return planner_.new_constant(planner_.unused_value_name(planner_.node.name + "/constant"),
                               std::move(tensor));
}

std::string Expansion::constant(std::vector<std::int64_t> values) {
  const auto count = static_cast<std::int64_t>(values.size());
  return constant(nn::Tensor::of({count}, std::move(values)));
}

std::string as_image(Planner& p, Expansion& e, std::size_t input) {
  const Value* value = p.value(input);
  if (value == nullptr || !value->layout || value->layout->rank() != 4 ||
      value->layout->is_image()) {
    return p.node.inputs[input];
  }
  return e.node(relayout, {p.node.inputs[input]}, {{"order", nn::Shape{0, 2, 3, 1}}});
}

namespace {

/// Converts attributes of one-dimensional windows to those for images of height 1.
Expansion::Attributes image_attributes(const nn::Node& node) {
  Expansion::Attributes attributes = node.attributes;
  const auto widen = [&](const char* name, std::int64_t front) {
    if (!node.has(name)) return;
    nn::Shape values = node.integers(name);
    values.insert(values.begin(), front);
    attributes[name] = values;
  };
  for (const char* name : {"kernel_shape", "strides", "dilations"}) widen(name, 1);
  widen("output_padding", 0);
  if (node.has("output_shape")) {
    nn::Shape values = node.integers("output_shape");
    values.insert(values.end() - (values.empty() ? 0 : 1), 1);
    attributes["output_shape"] = values;
  }
  if (node.has("pads")) {
    const nn::Shape& pads = node.integers("pads");
    attributes["pads"] = pads.size() == 2 ? nn::Shape{0, pads[0], 0, pads[1]} : pads;
  }
  return attributes;
}

/// Gives the height a number in what has one for each dimension of rows N C W: constants, and the
/// attributes `axes` and `scales`.
void add_height(Planner& p, Expansion& e, std::vector<std::string>& inputs,
                Expansion::Attributes& attributes) {
  for (std::size_t i = 1; i < inputs.size(); ++i) {
    const nn::Tensor* const stated = p.constant(i);
    if (stated == nullptr || stated->shape != nn::Shape{3}) continue;
    nn::Tensor all = *stated;
    all.shape = {4};
    if (all.type == nn::ElementType::float32) all.floats.insert(all.floats.begin() + 2, 1.0F);
    if (all.type == nn::ElementType::int64) all.integers.insert(all.integers.begin() + 2, 1);
    inputs[i] = e.constant(std::move(all));
  }
  if (p.node.has("axes")) {
    nn::Shape axes = p.node.integers("axes");
    for (std::int64_t& axis : axes) {
      if (axis < 0) axis += 3;
      if (axis == 2) axis = 3;
    }
    attributes["axes"] = axes;
  }
  if (p.node.has("scales")) {
    std::vector<float> scales = p.node.reals("scales");
    if (scales.size() == 3) scales.insert(scales.begin() + 2, 1.0F);
    attributes["scales"] = scales;
  }
}

}  // namespace

/// A tensor of four dimensions could be treated as an image, so a fifth dimension is added.
std::string plainly_reshaped(Expansion& e, const std::string& x, nn::Shape shape) {
  if (shape.size() != 4) return e.node("Reshape", {x, e.constant(std::move(shape))});
  shape.insert(shape.begin(), 1);
  const std::string longer = e.node("Reshape", {x, e.constant(std::move(shape))});
  return e.node("Squeeze", {longer}, {{"axes", nn::Shape{0}}});
}

std::string clipped(const Planner& p, Expansion& e, const std::string& x, float low, float high) {
  if (p.opset() < 11) return e.node("Clip", {x}, {{"min", low}, {"max", high}});
  return e.node("Clip", {x, e.constant(low), e.constant(high)});
}

namespace {

bool to_image(Planner& p, Expansion& e, bool has_numbers_of_dimensions) {
  const Value* value = p.value(0);
  if (value == nullptr || !value->layout) return false;
  const Layout& layout = *value->layout;
  if (layout.rank() == 4) {
    if (layout.is_image()) return false;
    std::vector<std::string> inputs = p.node.inputs;
    inputs[0] = as_image(p, e, 0);
    e.last(p.node.op_type, std::move(inputs), p.node.attributes);
    return true;
  }
  if (layout.rank() != 3) return false;
  std::vector<std::string> inputs = p.node.inputs;
  std::string rows = inputs[0];
  if (layout.order != std::vector<std::size_t>{0, 2, 1}) {
    rows = e.node(relayout, {rows}, {{"order", nn::Shape{0, 2, 1}}});
  }
  inputs[0] = e.node("Unsqueeze", {rows}, {{"axes", nn::Shape{2}}});
  const nn::Tensor* weights = p.constant(1);
  if (weights != nullptr && weights->shape.size() == 3) {
    nn::Tensor image = *weights;
    image.shape.insert(image.shape.end() - 1, 1);
    inputs[1] = e.constant(std::move(image));
  }
  Expansion::Attributes attributes = image_attributes(p.node);
  if (has_numbers_of_dimensions) add_height(p, e, inputs, attributes);
  const std::string result = e.node(p.node.op_type, std::move(inputs), std::move(attributes));
  e.last("Squeeze", {result}, {{"axes", nn::Shape{2}}});
  return true;
}

}  // namespace

bool expand_to_image(Planner& p, Expansion& e) {
  return expand_volume(p, e) || to_image(p, e, false);
}

bool expand_resized_to_image(Planner& p, Expansion& e) { return to_image(p, e, true); }

}  // namespace tactus::compiler
