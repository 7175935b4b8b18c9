// What steps compute, for back ends that do not take the emitters' HIR.
//
// An operator's plan says it once; its emitter and other back ends work from that.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "firmware/onnx/graph.h"

namespace tactus::compiler {

/// An element of one of the pieces, by its row-major index in the model's order; piece -1: none,
/// the element is the fill value.
struct Origin {
  std::int64_t piece = 0;
  std::int64_t index = 0;
};

/// Where the element at a position (in the model's order) of an output comes from.
using FindOrigin = std::function<Origin(const nn::Shape& position)>;

/// Outputs whose elements are those of the operands, elsewhere.
struct Rearrangement {
  struct Output {
    std::string name;
    FindOrigin origin;
  };
  std::vector<std::string> pieces;  ///< values; constants lie in memory as the outputs do
  std::vector<Output> outputs;      ///< none: the step is no rearrangement
  float fill = 0.0F;
};

/// Windows that slide over an image; height first, then width.
struct Windows {
  std::array<std::int64_t, 2> input{}, kernel{}, stride{1, 1}, dilation{1, 1};
  std::array<std::int64_t, 2> before{}, after{};  ///< padding
  /// Distance of the image's pixels on the plane the window slides over, zeroes in between: 1 but
  /// for transposed convolutions.
  std::array<std::int64_t, 2> spacing{1, 1};
  std::array<std::int64_t, 2> output{};

  [[nodiscard]] std::int64_t taps() const { return kernel[0] * kernel[1]; }
  /// Pixel (row * width + column) of the image under a tap of a window, or -1 in the padding.
  [[nodiscard]] std::int64_t pixel(std::int64_t y, std::int64_t x, std::int64_t tap) const {
    const std::int64_t row = y * stride[0] - before[0] + tap / kernel[1] * dilation[0];
    const std::int64_t column = x * stride[1] - before[1] + tap % kernel[1] * dilation[1];
    if (row < 0 || column < 0 || row % spacing[0] != 0 || column % spacing[1] != 0) return -1;
    const std::int64_t y0 = row / spacing[0], x0 = column / spacing[1];
    return y0 < input[0] && x0 < input[1] ? y0 * input[1] + x0 : -1;
  }
};

/// Sums of pixels of an image, weighed; the weight of a pixel is the product of its row's and its
/// column's.
struct Resampling {
  using Taps = std::vector<std::pair<std::int64_t, float>>;  ///< input pixels and weights
  std::array<std::vector<Taps>, 2> axes;  ///< for each output row, each output column
};

}  // namespace tactus::compiler
