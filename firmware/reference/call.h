// Execution of an operator: inputs, attributes and results, and errors that name the node.
#pragma once

#include <algorithm>
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
    const auto count = static_cast<std::int64_t>(rank);
    if (axis < -count || axis >= count) {
      fail("axis {} is not in a tensor of {} dimensions", axis, rank);
    }
    return static_cast<std::size_t>(axis < 0 ? axis + count : axis);
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

/// Broadcast shape of two shapes: aligned at the last dimension; missing dimensions count as 1.
[[nodiscard]] inline Shape broadcast_shape(const Call& call, const Shape& a, const Shape& b) {
  Shape shape(std::max(a.size(), b.size()));
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::int64_t one = i < a.size() ? a[a.size() - 1 - i] : 1;
    const std::int64_t other = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (one != other && one != 1 && other != 1) {
      call.fail("shapes {} and {} cannot be broadcast", to_string(a), to_string(b));
    }
    shape[shape.size() - 1 - i] = one == 1 ? other : one;
  }
  return shape;
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

using Operator = void (*)(Call&);

// In elementwise.cpp.
void run_add(Call& call);
void run_sub(Call& call);
void run_mul(Call& call);
void run_div(Call& call);
void run_mod(Call& call);
void run_relu(Call& call);
void run_leaky_relu(Call& call);
void run_clip(Call& call);
void run_softmax(Call& call);
void run_batch_normalization(Call& call);
// In functions.cpp.
void run_function(Call& call);  ///< functions of one element: Exp, Sigmoid, ...
void run_signs(Call& call);     ///< Abs, Neg, Sign
void run_pow(Call& call);
void run_min(Call& call);
void run_max(Call& call);
void run_sum(Call& call);
void run_mean(Call& call);
void run_equal(Call& call);
void run_less(Call& call);  ///< Less and related operators
void run_logic(Call& call);
void run_not(Call& call);
void run_where(Call& call);
void run_p_relu(Call& call);
void run_quantize_linear(Call& call);
void run_dequantize_linear(Call& call);
void run_q_linear_conv(Call& call);
void run_q_linear_mat_mul(Call& call);
void run_dynamic_quantize_linear(Call& call);
void run_integer_product(Call& call);
void run_cum_sum(Call& call);
void run_one_hot(Call& call);
// In attention.cpp.
void run_attention(Call& call);
void run_rotary_embedding(Call& call);
// In reductions.cpp.
void run_reduce(Call& call);
void run_arg(Call& call);
void run_log_softmax(Call& call);
void run_lrn(Call& call);
void run_instance_normalization(Call& call);
void run_layer_normalization(Call& call);
void run_rms_normalization(Call& call);
// In spreading.cpp.
void run_conv_transpose(Call& call);
void run_depth_to_space(Call& call);
void run_expand(Call& call);
void run_tile(Call& call);
void run_range(Call& call);
void run_constant_of_shape(Call& call);
void run_identity(Call& call);
void run_dropout(Call& call);
void run_size(Call& call);
// In products.cpp.
void run_mat_mul(Call& call);
void run_gemm(Call& call);
// In recurrent.cpp.
void run_rnn(Call& call);
void run_gru(Call& call);
void run_lstm(Call& call);
// In windows.cpp.
void run_conv(Call& call);
void run_max_pool(Call& call);
void run_average_pool(Call& call);
void run_global_average_pool(Call& call);
void run_global_max_pool(Call& call);
// In resize.cpp.
void run_resize(Call& call);
// In arranging.cpp.
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
