// The amount of output of every command: --quiet, --verbose, and colours unless NO_COLOR is set.
//
// Quiet: nothing on standard output, no progress and no notes on standard error. Errors and
// warnings are still printed, and so are files whose path is "-" (--stats -). Silent (--quiet
// twice): no warnings either. Verbose: a line on standard error for every file that is read or
// written, and at the end the time and memory of the command.
#pragma once

#include <string>
#include <string_view>

#include <fmt/format.h>

namespace tactus {

enum class Verbosity { silent, quiet, normal, verbose };

[[nodiscard]] Verbosity verbosity();
void set_verbosity(Verbosity verbosity);
/// Applies --quiet: the first call makes the command quiet, the second one silent.
void be_quiet();

/// True if standard error is a terminal that supports progress lines and colours (TERM is not
/// dumb).
[[nodiscard]] bool is_rich_terminal();
/// Returns "error" or "warning" in its colour, if colours are used: NO_COLOR is not set (see
/// https://no-color.org) and standard error is such a terminal.
[[nodiscard]] std::string coloured(std::string_view word);

/// Prints a note, "tactus: ...", on standard error unless the command is quiet. print_warning()
/// prints "tactus: warning: ..." unless it is silent. Warnings are about circumstances that change
/// results.
void print_note(std::string_view text);
void print_warning(std::string_view text);

template <typename... Args>
void note(fmt::format_string<Args...> format, Args&&... args) {
  print_note(fmt::format(format, std::forward<Args>(args)...));
}
template <typename... Args>
void warn(fmt::format_string<Args...> format, Args&&... args) {
  print_warning(fmt::format(format, std::forward<Args>(args)...));
}

/// Prints the last line of a verbose command: its time and memory.
void print_effort();

}  // namespace tactus
