// Shape rules of ONNX: sizes of results from sizes of operands and from attributes.
//
// The reference executor, the compiler and the TensorFlow writer use them. A function returns
// nothing if the sizes do not fit. The caller then reports the error with the node's name.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "firmware/onnx/graph.h"

namespace tactus::nn {

/// An axis from 0 on; a negative one counts from the end of `rank` dimensions.
[[nodiscard]] std::optional<std::size_t> normal_axis(std::int64_t axis, std::size_t rank);

/// Broadcast shape of two shapes: aligned at the last dimension; missing dimensions count as 1.
[[nodiscard]] std::optional<Shape> broadcast_shape(const Shape& a, const Shape& b);

// ---- windows ------------------------------------------------------------------------------------

/// True for SAME_UPPER and SAME_LOWER.
[[nodiscard]] bool pads_to_same(std::string_view auto_pad);

/// A window's movement along one dimension.
struct Sliding {
  std::int64_t size = 0;  ///< size of the input
  std::int64_t kernel = 1, stride = 1, dilation = 1;
  std::int64_t before = 0, after = 0;  ///< padding

  /// From the first to the last input under a window.
  [[nodiscard]] std::int64_t reach() const { return (kernel - 1) * dilation + 1; }
  /// Sets the padding for as many windows as the size divided by the stride, rounded up. An odd
  /// number of positions has its additional one at the end (SAME_UPPER) or the start.
  void pad_to_same(std::string_view auto_pad);
  /// Number of windows; 0 if the padded input is smaller than one. With `ceil_mode` the last one
  /// may go beyond the padding, if it begins within the input or the padding before it.
  [[nodiscard]] std::int64_t windows(bool ceil_mode) const;
};

/// Sets the padding of a transposed convolution so that its result has `wanted` elements or, if
/// that is 0, the input's size times the stride, as auto_pad requires. Negative padding adds
/// elements.
void cut_transposed(Sliding& sliding, std::int64_t output_padding, std::int64_t wanted,
                    std::string_view auto_pad);
/// Size of the result of a transposed convolution.
[[nodiscard]] std::int64_t transposed_size(const Sliding& sliding, std::int64_t output_padding);

// ---- other shapes of the same elements ----------------------------------------------------------

/// Reshape: a target of 0 keeps a size (unless `zero_is_zero`), -1 is the size that remains.
[[nodiscard]] std::optional<Shape> reshaped(const Shape& shape, const Shape& target,
                                            bool zero_is_zero);
/// Flatten: two dimensions, the first with those before the axis, which may be the rank.
[[nodiscard]] std::optional<Shape> flattened(const Shape& shape, std::int64_t axis);
/// Without the axes, or without all dimensions of 1.
[[nodiscard]] std::optional<Shape> squeezed(const Shape& shape, const std::optional<Shape>& axes);
/// With dimensions of 1 at these axes of the result.
[[nodiscard]] std::optional<Shape> unsqueezed(const Shape& shape, const Shape& axes);
/// Empty if it is no permutation of all dimensions.
[[nodiscard]] Shape permuted(const Shape& shape, const Shape& permutation);

// ---- parts --------------------------------------------------------------------------------------

/// Along a dimension: element i of the result is element start + i * step.
struct SliceRange {
  std::int64_t start = 0, step = 1, count = 0;
};
/// Slice: a range for each dimension of `shape`. Starts and ends beyond the tensor are moved to its
/// ends. All lists are of one length.
[[nodiscard]] std::optional<std::vector<SliceRange>> slice_ranges(const Shape& shape,
                                                                  const Shape& starts,
                                                                  const Shape& ends,
                                                                  const Shape& axes,
                                                                  const Shape& steps);

/// Split: sizes of the parts, as stated or, if that is empty, equal. If they cannot be equal and
/// `last_is_smaller` (the node says how many parts there are), the last are.
[[nodiscard]] std::optional<Shape> split_sizes(std::int64_t size, std::size_t parts,
                                               const Shape& stated, bool last_is_smaller);

// ---- sizes that grow or shrink ------------------------------------------------------------------

/// Converts pads of some axes to pads of all dimensions: all those before, then all those after.
[[nodiscard]] std::optional<Shape> pads_of_axes(const Shape& pads, const Shape& axes,
                                                std::size_t rank);
/// Pads of all dimensions, as above, that give the axes (none: all) these sizes about the centre;
/// below 0 where elements are cut off.
[[nodiscard]] std::optional<Shape> centred_pads(const Shape& shape, const Shape& sizes, Shape axes);
/// Resize by a scale.
[[nodiscard]] std::int64_t scaled_size(std::int64_t size, float scale);
/// DepthToSpace and SpaceToDepth of N C H W.
[[nodiscard]] std::optional<Shape> block_shape(const Shape& shape, std::int64_t block,
                                               bool to_depth);
/// True for the dimensions that a reduction reduces: the axes; all of them, if none are given and
/// `none_is_all`.
[[nodiscard]] std::optional<std::vector<bool>> reduced_dimensions(const Shape& axes,
                                                                  std::size_t rank,
                                                                  bool none_is_all);
/// The reduced dimensions have size 1, or are left out.
[[nodiscard]] Shape reduced_shape(const Shape& shape, const std::vector<bool>& reduced,
                                  bool keepdims);
/// Gather: the dimensions of the indices replace the axis.
[[nodiscard]] Shape gathered_shape(const Shape& shape, std::size_t axis, const Shape& indices);
/// Concat: the sum along the axis, if the other sizes are equal.
[[nodiscard]] std::optional<Shape> joined_shape(const Shape& a, const Shape& b, std::size_t axis);
/// An equation of Einsum. Each letter, and each dimension of an ellipsis, has a number.
struct Einsum {
  std::vector<std::vector<std::size_t>> operands;  ///< numbers along each operand's dimensions
  std::vector<std::size_t> result;                 ///< those of the result
  Shape sizes;                                     ///< by number
};
[[nodiscard]] std::optional<Einsum> read_einsum(std::string_view equation,
                                                const std::vector<Shape>& shapes);
/// The result of the operator Shape: the sizes between its attributes start and end.
[[nodiscard]] Shape part_of_shape(const Node& node, const Shape& shape);

}  // namespace tactus::nn
