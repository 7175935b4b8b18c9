// Operators whose results are known at compile time: Constant, Shape, Size, ConstantOfShape; and
// Cast, which changes nothing at run time.
#include "firmware/compiler/frontend/operators.h"
#include "firmware/onnx/shapes.h"
#include "isa/support/text.h"

namespace tactus::compiler {
namespace {

void fold_constant(Planner& p) {
  if (p.node.has("value")) {
    p.fold(p.node.tensor("value"));
  } else if (p.node.has("value_float")) {
    p.fold(nn::Tensor::of({}, std::vector<float>{p.node.real("value_float")}));
  } else if (p.node.has("value_floats")) {
    const std::vector<float>& values = p.node.reals("value_floats");
    p.fold(nn::Tensor::of({static_cast<std::int64_t>(values.size())}, values));
  } else if (p.node.has("value_int")) {
    p.fold(nn::Tensor::of({}, std::vector<std::int64_t>{p.node.integer("value_int")}));
  } else if (p.node.has("value_ints")) {
    const std::vector<std::int64_t>& values = p.node.integers("value_ints");
    p.fold(nn::Tensor::of({static_cast<std::int64_t>(values.size())}, values));
  } else {
    p.problem("has no value; supported are value, value_float(s), value_int(s)");
  }
}

/// Sets an output to a shape, which is known even if values are not.
void set_shape(Planner& p, const nn::Shape& shape) {
  p.fold(
      nn::Tensor::of({static_cast<std::int64_t>(shape.size())}, std::vector<std::int64_t>(shape)));
}

Plan plan_shape(Planner& p) {
  const Layout* x = p.activation(0);
  if (x == nullptr) return {};
  set_shape(p, nn::part_of_shape(p.node, x->shape));
  return {};
}

Plan plan_size(Planner& p) {
  const Layout* x = p.activation(0);
  if (x != nullptr) p.fold(nn::Tensor::of({}, std::vector<std::int64_t>{x->elements()}));
  return {};
}

/// Plans a Cast between real types, which changes nothing. Programs have no integers.
Plan plan_cast(Planner& p) {
  const Layout* x = p.activation(0);
  if (x == nullptr) return {};
  const std::int64_t to = p.node.integer("to");
  const bool real = to == nn::onnx_float || to == nn::onnx_double || to == nn::onnx_float16 ||
                    to == nn::onnx_bfloat16;
  if (!real) {
    p.problem("attribute to is {}; supported are real types for values computed at run time", to);
    return {};
  }
  p.reads(0);
  p.output(*x);
  return Renaming{p.node.inputs[0], p.node.outputs[0]};
}

void fold_constant_of_shape(Planner& p) {
  const nn::Tensor* shape = p.need_constant(0, "the shape", nn::ElementType::int64);
  if (shape == nullptr) return;
  for (const std::int64_t size : shape->integers) {
    if (size < 0) {
      p.problem("the shape is {}; supported are sizes of 0 or more",
                nn::to_string(shape->integers));
      return;
    }
  }
  const auto count = static_cast<std::size_t>(nn::element_count(shape->integers, p.node.where()));
  nn::Tensor result = nn::Tensor::of({1}, std::vector<float>{0.0F});
  if (p.node.has("value")) result = p.node.tensor("value");
  if (result.size() != 1) {
    p.problem("attribute value has {} elements; supported is 1", result.size());
    return;
  }
  result.shape = shape->integers;
  if (result.type == nn::ElementType::float32) {
    result.floats.assign(count, result.floats[0]);
  } else {
    result.integers.assign(count, result.integers[0]);
  }
  p.fold(std::move(result));
}

}  // namespace

Operators constant_operators() {
  return {{"Constant", 0, Role::simple, nullptr, fold_constant},
          {"Shape", reads_shape, Role::simple, plan_shape},
          {"Size", reads_shape, Role::simple, plan_size},
          {"Cast", keeps_layout, Role::simple, plan_cast},
          {"ConstantOfShape", 0, Role::simple, nullptr, fold_constant_of_shape}};
}

}  // namespace tactus::compiler
