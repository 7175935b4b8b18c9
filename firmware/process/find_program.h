// Finds external programs.
#pragma once

#include <optional>
#include <string>

namespace tactus {

/// Path of a program on the PATH; empty if it is not there.
[[nodiscard]] std::optional<std::string> find_program(const std::string& name);

}  // namespace tactus
