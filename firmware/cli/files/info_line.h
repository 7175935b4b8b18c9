// Prints one fact about a file: a name, and the value in a column of its own.
#pragma once

#include <utility>

#include <fmt/core.h>

namespace tactus {

template <typename... Values>
void info_line(const char* name, fmt::format_string<Values...> format, Values&&... values) {
  fmt::print("{:<21} {}\n", name, fmt::format(format, std::forward<Values>(values)...));
}

}  // namespace tactus
