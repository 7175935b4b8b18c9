// How much every command prints: --quiet, --verbose, and colours unless NO_COLOR is set.
//
// Quiet: nothing on standard output, no progress and no notes on standard error; errors stay, and
// warnings, which tell that results are not what they would be. What "-" asks for on standard
// output
// (--stats -) is a file like any other and stays too. Silent (--quiet twice): no warnings either.
// Verbose: a line on standard error for every file that is read or written, and at the end the time
// and the memory that the command took.
#pragma once

#include <string>
#include <string_view>

#include <fmt/format.h>

namespace tactus {

enum class Verbosity { silent, quiet, normal, verbose };

[[nodiscard]] Verbosity verbosity();
void set_verbosity(Verbosity verbosity);
/// --quiet: quiet, and silent the second time.
void be_quiet();

/// Whether standard error is a terminal that shows progress and colours: one that is not dumb.
[[nodiscard]] bool is_rich_terminal();
/// "error" or "warning" in its colour, where there are colours (NO_COLOR is not set, see
/// https://no-color.org, and standard error is such a terminal).
[[nodiscard]] std::string coloured(std::string_view word);

/// A line "tactus: ..." on standard error, unless the command is quiet, or "tactus: warning: ...",
/// unless it is silent. A warning is of what changes results; all else that is worth saying is a
/// note.
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

/// The last line of a verbose command.
void print_effort();

}  // namespace tactus
