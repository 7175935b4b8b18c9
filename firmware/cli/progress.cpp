#include "firmware/cli/progress.h"

#include <unistd.h>

#include <cstdlib>
#include <string_view>

#include <fmt/core.h>

namespace tactus {
namespace {

constexpr std::chrono::milliseconds first_after{2000};
constexpr std::chrono::milliseconds interval{200};

/// A terminal that lines can be rewritten on.
bool rewrites_lines() {
  const char* type = std::getenv("TERM");
  return isatty(STDERR_FILENO) != 0 && type != nullptr && std::string_view(type) != "dumb";
}

}  // namespace

Progress::Progress(std::uint64_t total) : total_(total), terminal_(rewrites_lines()) {}

Progress::~Progress() { clear(); }

void Progress::clear() {
  if (shown_) fmt::print(stderr, "\r\x1b[K");
  shown_ = false;
}

bool Progress::due() {
  if (!terminal_) return false;
  const auto now = Time::now();
  if (now - start_ < first_after || now - last_ < interval) return false;
  last_ = now;
  return true;
}

void Progress::update(std::uint64_t cycles, std::uint64_t done) {
  const double seconds = std::chrono::duration<double>(Time::now() - start_).count();
  show(fmt::format("{:.1f} Mcycles, {} of {} instructions, {:.2f} Mcycles/s",
                   static_cast<double>(cycles) / 1e6, done, total_,
                   static_cast<double>(cycles) / 1e6 / seconds),
       done);
}

void Progress::show(const std::string& what, std::uint64_t done) {
  if (!due()) return;
  shown_ = true;
  const double seconds = std::chrono::duration<double>(last_ - start_).count();
  std::string eta;
  if (done > 0 && total_ >= done) {
    eta = fmt::format(", {:.0f} s left",
                      seconds * static_cast<double>(total_ - done) / static_cast<double>(done));
  }
  fmt::print(stderr, "\r\x1b[K{}{}", what, eta);
  std::fflush(stderr);
}

}  // namespace tactus
