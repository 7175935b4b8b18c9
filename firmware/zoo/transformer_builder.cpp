// Operators of transformers as PyTorch's exporter writes them for operator set 17:
// LayerNormalization is one node, GELU is several.
#include <cmath>
#include <utility>

#include "firmware/zoo/builder.h"

namespace tactus::nn {

using Value = Builder::Value;

Value Builder::integer_input(const std::string& name, const Shape& shape) {
  Value made = input(name, shape);
  network_.graph.inputs.back().type = ElementType::int64;
  return made;
}

Value Builder::constant(const std::string& name, Tensor tensor) {
  network_.graph.initializers.emplace(name, std::move(tensor));
  return name;
}

Value Builder::weight(const std::string& name, const Shape& shape, double deviation) {
  const double extent = deviation * std::sqrt(3.0);
  parameter(name, Tensor::of(shape, uniform(element_count(shape), -extent, extent)));
  return known(name, shape, deviation * deviation);
}

Value Builder::embedding(const std::string& name, const Value& ids, std::int64_t rows,
                         std::int64_t width, double deviation) {
  Shape shape = values_.at(ids).shape;
  shape.push_back(width);
  node(name, "Gather", {weight(name + "/table", {rows, width}, deviation), ids});
  return known(name + ":0", std::move(shape), deviation * deviation);
}

Value Builder::layer_normalization(const std::string& name, const Value& x) {
  const Known in = values_.at(x);
  const std::int64_t width = in.shape.back();
  parameter(name + "/gamma", Tensor::of({width}, uniform(width, 0.75, 1.25)));
  parameter(name + "/beta", Tensor::of({width}, uniform(width, -0.25, 0.25)));
  Node& made = node(name, "LayerNormalization", {x, name + "/gamma", name + "/beta"});
  made.attributes["axis"] = std::int64_t{-1};
  made.attributes["epsilon"] = 1e-5F;
  return known(name + ":0", in.shape, 1);
}

Value Builder::dense(const std::string& name, const Value& x, std::int64_t outputs,
                     double deviation) {
  const Known in = values_.at(x);
  const std::int64_t inputs = in.shape.back();
  const double extent = deviation * std::sqrt(3.0 / (static_cast<double>(inputs) * in.variance));
  parameter(name + "/weights",
            Tensor::of({inputs, outputs}, uniform(inputs * outputs, -extent, extent)));
  parameter(name + "/bias", Tensor::of({outputs}, uniform(outputs, -deviation / 4, deviation / 4)));
  Shape shape = in.shape;
  shape.back() = outputs;
  const std::int64_t macs = element_count(shape) * inputs;
  network_.macs += macs;
  network_.macs_on_input += macs;
  node(name + "/product", "MatMul", {x, name + "/weights"});
  node(name, "Add", {known(name + "/product:0", shape, deviation * deviation), name + "/bias"});
  return known(name + ":0", shape, deviation * deviation);
}

Value Builder::product(const std::string& name, const Value& a, const Value& b) {
  const Known left = values_.at(a), right = values_.at(b);
  Shape shape = left.shape;
  shape.back() = right.shape.back();
  const std::int64_t inner = left.shape.back(), macs = element_count(shape) * inner;
  network_.macs += macs;
  network_.macs_on_input += macs;
  node(name, "MatMul", {a, b});
  return known(name + ":0", std::move(shape),
               static_cast<double>(inner) * left.variance * right.variance);
}

Value Builder::with_number(const std::string& name, const char* op_type, const Value& x,
                           float number, double variance) {
  const Shape shape = values_.at(x).shape;
  node(name, op_type, {x, constant(name + "/number", Tensor::of({}, std::vector<float>{number}))});
  return known(name + ":0", shape, variance);
}

Value Builder::scale(const std::string& name, const Value& x, float factor) {
  const double square = static_cast<double>(factor) * static_cast<double>(factor);
  return with_number(name, "Mul", x, factor, values_.at(x).variance * square);
}

Value Builder::gelu(const std::string& name, const Value& x) {
  const Known in = values_.at(x);
  const Value line = with_number(name + "/line", "Div", x, 1.41421356F, in.variance / 2);
  node(name + "/erf", "Erf", {line});
  const Value gate =
      with_number(name + "/gate", "Add", known(name + "/erf:0", in.shape, 0.5), 1, 0.5);
  node(name + "/gated", "Mul", {x, gate});
  return scale(name, known(name + "/gated:0", in.shape, 4 * 0.35 * in.variance), 0.5F);
}

Value Builder::tanh_gelu(const std::string& name, const Value& x) {
  const Known in = values_.at(x);
  const Value half = scale(name + "/half", x, 0.5F);
  const Value cube = with_number(name + "/cube", "Pow", x, 3, 15 * std::pow(in.variance, 3));
  const Value sum = add(name + "/sum", x, scale(name + "/part", cube, 0.044715F));
  node(name + "/tanh", "Tanh", {scale(name + "/line", sum, 0.79788456F)});
  const Value gate =
      with_number(name + "/gate", "Add", known(name + "/tanh:0", in.shape, 0.5), 1, 0.5);
  node(name, "Mul", {half, gate});
  return known(name + ":0", in.shape, 0.35 * in.variance);
}

Value Builder::attention_bias(const std::string& name, const Value& mask) {
  Shape shape = values_.at(mask).shape;
  shape.insert(shape.begin() + 1, {1, 1});
  node(name + "/row", "Unsqueeze",
       {mask, constant(name + "/axes", Tensor::of({2}, std::vector<std::int64_t>{1, 2}))});
  node(name + "/real", "Cast", {known(name + "/row:0", shape, 1)}).attributes["to"] =
      std::int64_t{onnx_float};
  node(name + "/padding", "Sub",
       {constant(name + "/one", Tensor::of({}, std::vector<float>{1})),
        known(name + "/real:0", shape, 1)});
  // Published models add -10000 or the smallest FLOAT; -100 is in the range of 8.8 fixed point.
  return scale(name, known(name + "/padding:0", shape, 1), -100);
}

Value Builder::pick(const std::string& name, const Value& x, std::int64_t index,
                    std::int64_t axis) {
  const Known in = values_.at(x);
  Shape shape = in.shape;
  shape.erase(shape.begin() + axis);
  node(name, "Gather",
       {x, constant(name + "/index", Tensor::of({}, std::vector<std::int64_t>{index}))})
      .attributes["axis"] = axis;
  return known(name + ":0", std::move(shape), in.variance);
}

}  // namespace tactus::nn
