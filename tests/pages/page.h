// The Markdown of a page, as far as tests look at it.
#pragma once

#include <string>
#include <vector>

namespace tactus {

/// A command with the output that the page shows below it.
struct Example {
  std::size_t line = 0;  ///< of the page, from 1
  std::string command;   ///< without "$ "
  std::vector<std::string> output;
};

struct Page {
  std::vector<Example> examples;      ///< of blocks marked as `console`, in order
  std::vector<std::string> commands;  ///< lines of blocks marked as `sh` that call ./tactus
  std::vector<std::string> code;      ///< `code` in running text and tables
  std::vector<std::string> links;     ///< targets: a path, "#anchor", or both
  std::vector<std::string> anchors;   ///< of the headings, as GitHub makes them
};

[[nodiscard]] Page parse_page(const std::string& text);

/// Whether `shown` describes `printed`: a line "..." stands for any lines, "..." in a line for any
/// text. Empty if so, else the first line of `shown` that is not found where it should be.
[[nodiscard]] std::string missing_line(const std::vector<std::string>& shown,
                                       const std::string& printed);

}  // namespace tactus
