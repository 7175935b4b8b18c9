// Finds external programs.
#pragma once

#include <optional>
#include <string>

namespace tactus {

/// Path of an executable file that the environment variable PATH leads to; empty if there is none.
[[nodiscard]] std::optional<std::string> find_program(const std::string& name);

}  // namespace tactus
