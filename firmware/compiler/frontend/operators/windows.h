// Windows that slide over an image: the geometry that Conv and the pools share.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "firmware/compiler/frontend/layout.h"
#include "firmware/compiler/frontend/meaning.h"
#include "firmware/compiler/frontend/planner.h"

namespace tactus::compiler {

/// Attribute of a Conv that stands for a ConvTranspose: Windows::spacing. No name of ONNX.
inline constexpr const char* input_spacing = "input spacing";

enum class PadRule : std::uint8_t {
  read,    ///< pads, auto_pad, ceil_mode and dilations as the model states them
  ignore,  ///< none of them, as the reference's pools
};

/// Reads strides, dilations, auto_pad, pads and ceil_mode, and reports what is wrong with them.
/// Nothing if the layout is unknown or something was wrong. The step remembers them.
[[nodiscard]] std::optional<Windows> plan_windows(Planner& p, const Layout* image,
                                                  const std::vector<std::int64_t>& kernel,
                                                  PadRule rule);

}  // namespace tactus::compiler
