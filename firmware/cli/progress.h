// A progress line for long runs: on a terminal's stderr only, from the third second on.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace tactus {

/// Seconds for people, in the unit that fits: "0.4 s", "35 s", "12 min", "3.5 h". From 10 s on
/// rounded up.
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
  /// Shows the progress of anything: what is under way, and how much is done.
  void show(const std::string& what, std::uint64_t done);
  /// Another part of the work begins, whose remaining time is estimated by itself.
  void begin(std::uint64_t total);
  /// Takes the line away, for output of another kind.
  void clear();

 private:
  [[nodiscard]] bool due();

  using Time = std::chrono::steady_clock;
  std::uint64_t total_;
  bool terminal_;
  bool shown_ = false;
  Time::time_point start_ = Time::now();
  Time::time_point last_ = start_;
  Time::time_point part_ = start_;  ///< begin of the part that `total_` is of
};

}  // namespace tactus
