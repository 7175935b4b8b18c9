#include "firmware/cli/progress.h"

#include <unistd.h>

#include <fmt/core.h>

namespace tactus {
namespace {

constexpr std::chrono::milliseconds first_after{2000};
constexpr std::chrono::milliseconds interval{200};

}  // namespace

Progress::Progress(std::uint64_t total) : total_(total), terminal_(isatty(STDERR_FILENO) != 0) {}

Progress::~Progress() {
  if (shown_) fmt::print(stderr, "\r\x1b[K");
}

void Progress::update(std::uint64_t cycles, std::uint64_t done) {
  if (!terminal_) return;
  const auto now = Time::now();
  if (now - start_ < first_after || now - last_ < interval) return;
  last_ = now;
  shown_ = true;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  std::string eta;
  if (done > 0 && total_ >= done) {
    eta = fmt::format(", {:.0f} s left",
                      seconds * static_cast<double>(total_ - done) / static_cast<double>(done));
  }
  fmt::print(stderr, "\r\x1b[K{:.1f} Mcycles, {} of {} instructions, {:.2f} Mcycles/s{}",
             static_cast<double>(cycles) / 1e6, done, total_,
             static_cast<double>(cycles) / 1e6 / seconds, eta);
  std::fflush(stderr);
}

}  // namespace tactus
