// Parser for the parts of a Markdown page that tests check.
#pragma once

#include <string>
#include <vector>

namespace tactus {

/// A command and the output that the page shows below it.
struct Example {
  std::size_t line = 0;  ///< line in the page, from 1
  std::string command;   ///< without the prompt "$ "
  std::vector<std::string> output;
};

struct Page {
  std::vector<Example> examples;      ///< from blocks marked `console`, in order
  std::vector<std::string> commands;  ///< lines that call ./tactus in blocks marked `sh`
  std::vector<std::string> code;      ///< `code` in running text and tables
  std::vector<std::string> links;     ///< targets: a path, "#anchor", or both
  std::vector<std::string> anchors;   ///< anchors of the headings, as GitHub makes them
  /// Lines of each paragraph and list item, without headings, tables and code blocks.
  std::vector<std::string> paragraphs;
};

[[nodiscard]] Page parse_page(const std::string& text);

/// Compares the output shown on a page with the printed output. A line "..." stands for any lines,
/// and "..." within a line for any text. Returns the first line of `shown` that is not found; empty
/// if all are found.
[[nodiscard]] std::string missing_line(const std::vector<std::string>& shown,
                                       const std::string& printed);

}  // namespace tactus
