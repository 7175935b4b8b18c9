// The problems of one file, gathered so that the user can correct them all at once.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isa/support/error.h"

namespace tactus {

/// Lines read "file:location: what", or "file: what" without a location. A location is a JSON path
/// ("/arch/array_size"), line:column, or line:cell.
class Problems {
 public:
  /// Keeps at most `limit` lines and counts the rest.
  explicit Problems(std::string file, std::size_t limit = 50)
      : file_(std::move(file)), limit_(limit) {}

  void add(std::string_view location, std::string what) {
    ++count_;
    if (lines_.size() < limit_) lines_.push_back({std::string(location), std::move(what)});
  }
  [[nodiscard]] const std::string& file() const { return file_; }
  [[nodiscard]] bool any() const { return count_ != 0; }
  [[nodiscard]] bool full() const { return count_ >= limit_; }

  /// True if a kept problem is at the JSON path, below it or above it. Checks of several values use
  /// it to skip values that could not be read.
  [[nodiscard]] bool concerns(std::string_view path) const {
    for (const Line& line : lines_) {
      if (is_at_or_below(line.location, path) || is_at_or_below(path, line.location)) return true;
    }
    return false;
  }

  void throw_if_any() const {
    if (!any()) return;
    std::string text;
    for (const Line& line : lines_) {
      if (!text.empty()) text += '\n';
      text += file_ + (line.location.empty() ? "" : ":" + line.location) + ": " + line.what;
    }
    if (count_ > lines_.size()) {
      text += fmt::format("\n{}: and {} more", file_, count_ - lines_.size());
    }
    throw UserError(text);
  }

 private:
  struct Line {
    std::string location;
    std::string what;
  };
  static bool is_at_or_below(std::string_view path, std::string_view top) {
    return path.substr(0, top.size()) == top &&
           (path.size() == top.size() || path[top.size()] == '/');
  }

  std::string file_;
  std::size_t limit_;
  std::size_t count_ = 0;
  std::vector<Line> lines_;
};

}  // namespace tactus
