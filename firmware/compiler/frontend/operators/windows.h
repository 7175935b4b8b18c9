// Windows that slide over an image: the geometry that Conv and the pools share.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "firmware/compiler/frontend/layout.h"
#include "firmware/compiler/frontend/planner.h"

namespace tactus::compiler {

/// Attribute of a Conv that stands for a ConvTranspose: Windows::spacing. No name of ONNX.
inline constexpr const char* input_spacing = "input spacing";

/// Height first, then width.
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

enum class PadRule : std::uint8_t {
  read,    ///< pads, auto_pad, ceil_mode and dilations as the model states them
  ignore,  ///< none of them, as the reference's pools
};

/// Reads strides, dilations, auto_pad, pads and ceil_mode, and reports what is wrong with them.
/// Nothing if the layout is unknown or something was wrong.
[[nodiscard]] std::optional<Windows> plan_windows(Planner& p, const Layout* image,
                                                  const std::vector<std::int64_t>& kernel,
                                                  PadRule rule);

}  // namespace tactus::compiler
