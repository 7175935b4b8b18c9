// The meaning of steps, for back ends that do not use the emitters' HIR.
//
// It is defined once, by an operator's plan; the operator's emitter and other back ends use it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "firmware/onnx/graph.h"

namespace tactus::compiler {

/// What a step computes.
enum class Work : std::uint8_t {
  none,           ///< nothing at run time
  rearrangement,  ///< see Rearrangement
  alias,          ///< another name of the same vectors
  product,        ///< of matrices, also a convolution; see LoopNest
  pool,           ///< sums or maxima over windows, see LoopNest
  add,
  subtract,
  multiply,
  minimum,
  maximum,
  parametric_relu,
  relu,
  leaky_relu,
  clip,
  chords,   ///< a function by chords
  tables,   ///< a function by lookup tables
  softmax,  ///< a copy; the host computes the Softmax of it
  normalisation,
  resize,
};

/// The source of an element: a piece, and the row-major index in it in the model's order. Piece -1:
/// the fill value.
struct Origin {
  std::int64_t piece = 0;
  std::int64_t index = 0;
};

/// Returns the source of the element at a position of an output, in the model's order.
using FindOrigin = std::function<Origin(const nn::Shape& position)>;

/// A rearrangement: outputs whose elements are elements of the operands.
struct Rearrangement {
  struct Output {
    std::string name;
    FindOrigin origin;
  };
  std::vector<std::string> pieces;  ///< values; constants have the layout of the outputs
  std::vector<Output> outputs;      ///< none: the step is no rearrangement
  float fill = 0.0F;
};

/// Windows over an image; height first, then width.
struct Windows {
  std::array<std::int64_t, 2> input{}, kernel{}, stride{1, 1}, dilation{1, 1};
  std::array<std::int64_t, 2> before{}, after{};  ///< padding
  /// Distance between the image's pixels, with zeroes in between. It is 1 except for transposed
  /// convolutions.
  std::array<std::int64_t, 2> spacing{1, 1};
  std::array<std::int64_t, 2> output{};

  [[nodiscard]] std::int64_t taps() const { return kernel[0] * kernel[1]; }
};

/// Weighted sums of an image's pixels; the weight of a pixel is the product of those of its row and
/// its column.
struct Resampling {
  using Taps = std::vector<std::pair<std::int64_t, float>>;  ///< input pixels and weights
  std::array<std::vector<Taps>, 2> axes;  ///< for each output row, each output column
};

}  // namespace tactus::compiler
