// Execution of an operator: inputs, attributes and results, and errors that name the node.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "firmware/onnx/graph.h"
#include "firmware/onnx/shapes.h"
#include "isa/support/error.h"

namespace tactus::nn {

class Call {
 public:
  Call(const Node& of, std::int64_t version, std::vector<const Tensor*> inputs)
      : node(of), opset(version), inputs_(std::move(inputs)) {}

  const Node& node;
  const std::int64_t opset;
  std::vector<Tensor> results;

  template <typename... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    user_error("{}: {}", node.where(), fmt::format(format, std::forward<Args>(args)...));
  }

  /// Null if the input is absent.
  [[nodiscard]] const Tensor* optional(std::size_t i) const {
    return i < inputs_.size() ? inputs_[i] : nullptr;
  }
  [[nodiscard]] std::size_t input_count() const { return inputs_.size(); }
  [[nodiscard]] const Tensor& input(std::size_t i) const {
    if (const Tensor* tensor = optional(i)) return *tensor;
    fail("input {} is missing", i);
  }
  [[nodiscard]] const Tensor& floats(std::size_t i) const {
    return typed(input(i), ElementType::float32, i);
  }
  /// Values of an INT64 tensor with one dimension.
  [[nodiscard]] const std::vector<std::int64_t>& integers(std::size_t i) const {
    const Tensor& tensor = typed(input(i), ElementType::int64, i);
    if (tensor.shape.size() != 1) {
      fail("input {} has shape {}; a list is allowed", i, to_string(tensor.shape));
    }
    return tensor.integers;
  }
  /// An axis from 0 on; a negative one counts from the end of `rank` dimensions.
  [[nodiscard]] std::size_t axis(std::int64_t axis, std::size_t rank) const {
    if (const std::optional<std::size_t> normal = normal_axis(axis, rank)) return *normal;
    fail("axis {} is not in a tensor of {} dimensions", axis, rank);
  }
  /// Applies function(a, b) to each pair of elements under the broadcasting rules; both tensors are
  /// of one type.
  template <typename Function>
  [[nodiscard]] Tensor combined(const Tensor& a, const Tensor& b, Function&& function) const;
  /// Product of the sizes; checks that none is negative.
  [[nodiscard]] std::int64_t count(const Shape& shape) const {
    return element_count(shape, node.where());
  }

 private:
  const Tensor& typed(const Tensor& tensor, ElementType type, std::size_t i) const {
    if (tensor.type != type) {
      fail("input {} is {}; allowed is {}", i, name_of(tensor.type), name_of(type));
    }
    return tensor;
  }

  std::vector<const Tensor*> inputs_;
};

/// For each dimension, the distance of neighbouring elements in a row-major tensor.
[[nodiscard]] inline std::vector<std::int64_t> strides_of(const Shape& shape) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

/// Calls visit(position) for every element of `shape`, in row-major order.
template <typename Visit>
void for_each_position(const Shape& shape, Visit&& visit) {
  for (const std::int64_t size : shape) {
    if (size == 0) return;
  }
  Shape position(shape.size(), 0);
  for (;;) {
    visit(std::as_const(position));
    std::size_t axis = shape.size();
    while (axis > 0 && ++position[axis - 1] == shape[axis - 1]) position[--axis] = 0;
    if (axis == 0) return;
  }
}

[[nodiscard]] inline Shape broadcast_shape(const Call& call, const Shape& a, const Shape& b) {
  if (std::optional<Shape> shape = broadcast_shape(a, b)) return *std::move(shape);
  call.fail("shapes {} and {} cannot be broadcast", to_string(a), to_string(b));
}

/// Strides for iterating over `shape` in a tensor that is broadcast to it: 0 in repeated
/// dimensions.
[[nodiscard]] inline std::vector<std::int64_t> broadcast_strides(const Shape& from,
                                                                 const Shape& shape) {
  const std::vector<std::int64_t> own = strides_of(from);
  std::vector<std::int64_t> strides(shape.size(), 0);
  const std::size_t lead = shape.size() - from.size();
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i] != 1) strides[lead + i] = own[i];
  }
  return strides;
}

template <typename Function>
Tensor Call::combined(const Tensor& a, const Tensor& b, Function&& function) const {
  if (a.type != b.type) {
    fail("inputs are {} and {}; they must be alike", name_of(a.type), name_of(b.type));
  }
  Tensor result;
  result.shape = broadcast_shape(*this, a.shape, b.shape);
  result.type = a.type;
  result.stored = a.stored;
  const auto elements = static_cast<std::size_t>(count(result.shape));
  const auto a_strides = broadcast_strides(a.shape, result.shape);
  const auto b_strides = broadcast_strides(b.shape, result.shape);
  const auto fill = [&](auto& out, const auto& x, const auto& y) {
    out.reserve(elements);
    for_each_position(result.shape, [&](const Shape& position) {
      std::int64_t i = 0, j = 0;
      for (std::size_t axis = 0; axis < position.size(); ++axis) {
        i += position[axis] * a_strides[axis];
        j += position[axis] * b_strides[axis];
      }
      out.push_back(function(x[static_cast<std::size_t>(i)], y[static_cast<std::size_t>(j)]));
    });
  };
  if (a.type == ElementType::float32) {
    fill(result.floats, a.floats, b.floats);
  } else {
    fill(result.integers, a.integers, b.integers);
  }
  return result;
}

}  // namespace tactus::nn
