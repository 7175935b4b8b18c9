// One operator at work: its inputs, attributes and results, with errors that name the node.
#pragma once

#include <utility>
#include <vector>

#include "firmware/onnx/graph.h"
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

  /// Null if the input is left out.
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
  /// Values of a list: an INT64 tensor of one dimension.
  [[nodiscard]] const std::vector<std::int64_t>& integers(std::size_t i) const {
    const Tensor& tensor = typed(input(i), ElementType::int64, i);
    if (tensor.shape.size() != 1) {
      fail("input {} has shape {}; a list is allowed", i, to_string(tensor.shape));
    }
    return tensor.integers;
  }
  /// An axis of `rank` dimensions, counted from the end if negative.
  [[nodiscard]] std::size_t axis(std::int64_t axis, std::size_t rank) const {
    const auto count = static_cast<std::int64_t>(rank);
    if (axis < -count || axis >= count) {
      fail("axis {} is not in a tensor of {} dimensions", axis, rank);
    }
    return static_cast<std::size_t>(axis < 0 ? axis + count : axis);
  }
  /// Checks that all sizes are there and none is negative.
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

/// Distance of neighbours along each dimension in a row-major tensor.
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

using Operator = void (*)(Call&);

// elementwise.cpp
void run_add(Call& call);
void run_sub(Call& call);
void run_mul(Call& call);
void run_div(Call& call);
void run_relu(Call& call);
void run_leaky_relu(Call& call);
void run_clip(Call& call);
void run_softmax(Call& call);
void run_batch_normalization(Call& call);
// products.cpp
void run_mat_mul(Call& call);
void run_gemm(Call& call);
// windows.cpp
void run_conv(Call& call);
void run_max_pool(Call& call);
void run_average_pool(Call& call);
void run_global_average_pool(Call& call);
// resize.cpp
void run_resize(Call& call);
// arranging.cpp
void run_cast(Call& call);
void run_concat(Call& call);
void run_constant(Call& call);
void run_flatten(Call& call);
void run_gather(Call& call);
void run_pad(Call& call);
void run_reshape(Call& call);
void run_shape(Call& call);
void run_slice(Call& call);
void run_split(Call& call);
void run_squeeze(Call& call);
void run_transpose(Call& call);
void run_unsqueeze(Call& call);

}  // namespace tactus::nn
