// The figures of one point.
#pragma once

#include <string>
#include <string_view>

namespace tactus::sweep {

/// Compiles the network of a configuration, simulates one image, and returns the figures as JSON
/// text. Throws UserError for a configuration that cannot be built, compiled or run.
[[nodiscard]] std::string evaluate(std::string_view configuration_json);

}  // namespace tactus::sweep
