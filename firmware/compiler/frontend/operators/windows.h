// Windows that slide over an image: the geometry that Conv and the pools share.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "firmware/compiler/frontend/layout.h"
#include "firmware/compiler/frontend/planner.h"

namespace tactus::compiler {

/// Height first, then width.
struct Windows {
  std::array<std::int64_t, 2> input{}, kernel{}, stride{1, 1}, dilation{1, 1};
  std::array<std::int64_t, 2> before{}, after{};  ///< padding
  std::array<std::int64_t, 2> output{};

  [[nodiscard]] std::int64_t taps() const { return kernel[0] * kernel[1]; }
  /// Pixel (row * width + column) of the image under a tap of a window, or -1 in the padding.
  [[nodiscard]] std::int64_t pixel(std::int64_t y, std::int64_t x, std::int64_t tap) const {
    const std::int64_t row = y * stride[0] - before[0] + tap / kernel[1] * dilation[0];
    const std::int64_t column = x * stride[1] - before[1] + tap % kernel[1] * dilation[1];
    const bool inside = row >= 0 && row < input[0] && column >= 0 && column < input[1];
    return inside ? row * input[1] + column : -1;
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
