// Programs of others that a command calls.
#pragma once

#include <optional>
#include <string>

namespace tactus {

/// The path of a program on the PATH; none: it is not there.
[[nodiscard]] std::optional<std::string> find_program(const std::string& name);

}  // namespace tactus
