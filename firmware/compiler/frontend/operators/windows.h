// Geometry of windows over an image, for Conv and the pools.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "firmware/compiler/frontend/layout.h"
#include "firmware/compiler/frontend/loop_nest.h"
#include "firmware/compiler/frontend/planner.h"

namespace tactus::compiler {

/// Attribute of a Conv that replaces a ConvTranspose: Windows::spacing. It is no attribute of ONNX.
inline constexpr const char* input_spacing = "input spacing";

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

enum class PadRule : std::uint8_t {
  read,    ///< uses pads, auto_pad, ceil_mode and dilations of the model
  ignore,  ///< uses none of them, like the reference's pools
};

/// Reads strides, dilations, auto_pad, pads and ceil_mode and reports problems. Returns nothing if
/// there were any or the layout is unknown.
[[nodiscard]] std::optional<Windows> plan_windows(Planner& p, const Layout* image,
                                                  const std::vector<std::int64_t>& kernel,
                                                  PadRule rule);

/// Adds the loops of windows over images to a nest (n, ky, y, kx, x), and the taps ky and kx. The
/// nest gets its first operand and its result, without places along the lanes.
void slide(LoopNest& nest, const Windows& windows, Access source, Access result);

}  // namespace tactus::compiler
