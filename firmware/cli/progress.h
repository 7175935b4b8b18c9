// A progress line for long runs: on a terminal's stderr only, from the third second on.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace tactus {

/// Seconds in a suitable unit: "0.4 s", "35 s", "12 min", "3.5 h". Rounded up from 10 s on.
[[nodiscard]] std::string duration_text(double seconds);

class Progress {
 public:
  /// `total` in the unit of update()'s `done`, for the estimate of the remaining time.
  explicit Progress(std::uint64_t total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Shows the progress of a simulation: `done` instructions.
  void update(std::uint64_t cycles, std::uint64_t done);
  /// Shows the progress of other work: what is done now, and how much of it.
  void show(const std::string& what, std::uint64_t done);
  /// Begins another part of the work, whose remaining time is estimated separately.
  void begin(std::uint64_t total);
  /// Shows a line at once, on a terminal.
  void draw(const std::string& text);
  /// Erases the line, before other output.
  void clear();
  [[nodiscard]] double seconds() const;  ///< since the begin

 private:
  [[nodiscard]] bool due();

  using Time = std::chrono::steady_clock;
  std::uint64_t total_;
  bool terminal_;
  bool shown_ = false;
  Time::time_point start_ = Time::now();
  Time::time_point last_ = start_;
  Time::time_point part_ = start_;  ///< begin of the current part, whose size is `total_`
};

}  // namespace tactus
