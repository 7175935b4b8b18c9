// Operators that only work at compile time: Constant, Shape, Gather, Cast, ConstantOfShape.
#include <cmath>

#include "firmware/compiler/frontend/operators.h"
#include "firmware/compiler/frontend/operators/axes.h"
#include "isa/support/text.h"

namespace tactus::compiler {
namespace {

constexpr std::int64_t onnx_float = 1, onnx_int64 = 7;

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

/// Known even where the values are not.
void set_shape(Planner& p, const nn::Shape& shape) {
  p.fold(
      nn::Tensor::of({static_cast<std::int64_t>(shape.size())}, std::vector<std::int64_t>(shape)));
}

Emit plan_shape(Planner& p) {
  const Layout* x = p.activation(0);
  if (x != nullptr) set_shape(p, x->shape);
  return {};
}

void fold_shape(Planner& p) { set_shape(p, p.constant(0)->shape); }

template <typename T>
std::vector<T> gathered(const std::vector<T>& from, std::int64_t outer, std::int64_t size,
                        std::int64_t inner, const std::vector<std::int64_t>& indices) {
  std::vector<T> result;
  if (from.empty()) return result;
  for (std::int64_t row = 0; row < outer; ++row) {
    for (const std::int64_t index : indices) {
      const auto first = from.begin() + (row * size + index) * inner;
      result.insert(result.end(), first, first + inner);
    }
  }
  return result;
}

void fold_gather(Planner& p) {
  const nn::Tensor& x = *p.constant(0);
  const nn::Tensor* which = p.need_constant(1, "indices", nn::ElementType::int64);
  const std::optional<std::int64_t> axis =
      normal_axis(p, p.node.integer("axis", 0), x.shape.size());
  if (which == nullptr || !axis) return;
  const auto along = static_cast<std::size_t>(*axis);
  const std::int64_t size = x.shape[along];
  std::vector<std::int64_t> indices = which->integers;
  for (std::int64_t& index : indices) {
    if (index < -size || index >= size) {
      p.problem("index {} is outside the {} elements of axis {}", index, size, along);
      return;
    }
    if (index < 0) index += size;
  }
  std::int64_t outer = 1, inner = 1;
  for (std::size_t d = 0; d < along; ++d) outer *= x.shape[d];
  for (std::size_t d = along + 1; d < x.shape.size(); ++d) inner *= x.shape[d];
  nn::Tensor result;
  result.type = x.type;
  result.shape.assign(x.shape.begin(), x.shape.begin() + *axis);
  result.shape.insert(result.shape.end(), which->shape.begin(), which->shape.end());
  result.shape.insert(result.shape.end(), x.shape.begin() + *axis + 1, x.shape.end());
  (void)nn::element_count(result.shape, p.node.where());
  result.floats = gathered(x.floats, outer, size, inner, indices);
  result.integers = gathered(x.integers, outer, size, inner, indices);
  p.fold(std::move(result));
}

void fold_cast(Planner& p) {
  const std::int64_t to = p.node.integer("to");
  if (to != onnx_float && to != onnx_int64) {
    p.problem("attribute to is {}; supported are {} (FLOAT) and {} (INT64)", to, onnx_float,
              onnx_int64);
    return;
  }
  const nn::Tensor& x = *p.constant(0);
  nn::Tensor result;
  result.shape = x.shape;
  if (to == onnx_float) {
    result.floats = x.floats;
    for (const std::int64_t value : x.integers) result.floats.push_back(static_cast<float>(value));
  } else {
    result.type = nn::ElementType::int64;
    result.integers = x.integers;
    for (const float value : x.floats) {
      // Beyond this a conversion is not defined.
      if (!(std::fabs(value) < 9.2e18F)) {
        p.problem("{} is no INT64", value);
        return;
      }
      result.integers.push_back(static_cast<std::int64_t>(value));
    }
  }
  p.fold(std::move(result));
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
          {"Shape", 1, Role::simple, plan_shape, fold_shape},
          {"Gather", 2, Role::simple, nullptr, fold_gather},
          {"Cast", 1, Role::simple, nullptr, fold_cast},
          {"ConstantOfShape", 1, Role::simple, nullptr, fold_constant_of_shape}};
}

}  // namespace tactus::compiler
