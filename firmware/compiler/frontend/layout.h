// Layout of a tensor: its shape in the model, and the order of its dimensions in memory.
//
// In memory the dimensions are in `order`, outermost first; the last one runs along the lanes and
// is padded to whole vectors. An activation NCHW has order 0 2 3 1. A Transpose changes shape and
// order together, so the vectors stay the same. Source: toolchain spec sections 1.5, 3.3.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "firmware/onnx/graph.h"

namespace tactus::compiler {

struct Layout {
  nn::Shape shape;                 ///< shape in the model; one dimension or more
  std::vector<std::size_t> order;  ///< order[k]: the model's dimension that is k-th in memory

  /// The layout in the model's order.
  [[nodiscard]] static Layout plain(nn::Shape shape);
  /// Rank 4: channels (dimension 1) along the lanes. Other ranks: plain.
  [[nodiscard]] static Layout activation(nn::Shape shape);

  [[nodiscard]] std::size_t rank() const { return shape.size(); }
  [[nodiscard]] std::int64_t elements() const;
  /// Length of the dimension along the lanes, and its number in the model's order.
  [[nodiscard]] std::int64_t lanes() const { return shape[order.back()]; }
  [[nodiscard]] std::size_t lane_dimension() const { return order.back(); }
  [[nodiscard]] std::int64_t rows() const;  ///< runs along the lanes
  [[nodiscard]] std::int64_t blocks(std::uint32_t array_size) const {
    return (lanes() + array_size - 1) / array_size;
  }
  [[nodiscard]] std::int64_t vectors(std::uint32_t array_size) const {
    return rows() * blocks(array_size);
  }
  [[nodiscard]] nn::Shape memory_shape() const;  ///< sizes in memory order
  [[nodiscard]] bool is_image() const;           ///< rank 4 with order 0 2 3 1
  [[nodiscard]] bool is_plain() const;
  [[nodiscard]] Layout transposed(const std::vector<std::int64_t>& permutation) const;
  bool operator==(const Layout& o) const { return shape == o.shape && order == o.order; }
};

/// Distance in elements between neighbours along each dimension of a row-major tensor.
[[nodiscard]] std::vector<std::int64_t> strides_of(const nn::Shape& shape);

/// Advances to the next position of a shape, the last dimension fastest. Returns false at the end.
[[nodiscard]] bool next_position(nn::Shape& position, const nn::Shape& shape);

/// "NCHW[1,3,32,32]=NHWC[1,32,32,3]=1024*16": model, memory, vectors * array size.
[[nodiscard]] std::string describe(const Layout& layout, std::uint32_t array_size);

}  // namespace tactus::compiler
