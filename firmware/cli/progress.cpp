#include "firmware/cli/progress.h"
#include "firmware/cli/verbosity.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cmath>

#include <fmt/core.h>

namespace tactus {

std::string duration_text(double seconds) {
  if (seconds < 10) return fmt::format("{:.1f} s", seconds);
  const double whole = std::ceil(seconds);
  if (whole < 120) return fmt::format("{:.0f} s", whole);
  if (whole < 7200) return fmt::format("{:.0f} min", std::ceil(whole / 60));
  return fmt::format("{:.1f} h", seconds / 3600);
}
namespace {

constexpr std::chrono::milliseconds first_after{2000};
constexpr std::chrono::milliseconds interval{200};

}  // namespace

Progress::Progress(std::uint64_t total)
    : total_(total), terminal_(is_rich_terminal() && verbosity() > Verbosity::quiet) {}

Progress::~Progress() { clear(); }

void Progress::clear() {
  if (!shown_) return;
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
  shown_ = false;
}

void Progress::begin(std::uint64_t total) {
  total_ = total;
  part_ = Time::now();
}

bool Progress::due() {
  if (!terminal_) return false;
  const auto now = Time::now();
  if (now - start_ < first_after || now - last_ < interval) return false;
  last_ = now;
  return true;
}

void Progress::update(std::uint64_t cycles, std::uint64_t done) {
  const double seconds = std::chrono::duration<double>(Time::now() - part_).count();
  show(fmt::format("{:.1f} Mcycles, {} of {} instructions, {:.2f} Mcycles/s",
                   static_cast<double>(cycles) / 1e6, done, total_,
                   static_cast<double>(cycles) / 1e6 / seconds),
       done);
}

void Progress::show(const std::string& what, std::uint64_t done) {
  if (!due()) return;
  const double seconds = std::chrono::duration<double>(last_ - part_).count();
  std::string eta;
  if (done > 0 && total_ >= done) {
    eta = fmt::format(", {:.0f} s left",
                      seconds * static_cast<double>(total_ - done) / static_cast<double>(done));
  }
  // The line is cut at the terminal's width, since a line that wraps could not be erased. The end
  // of it is a name.
  struct winsize window = {};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0;
  const std::size_t columns = known ? window.ws_col - 1U : 79U;
  const std::size_t room = columns > eta.size() ? columns - eta.size() : 0;
  draw(what.substr(0, room) + (room > 0 ? eta : ""));
}

void Progress::draw(const std::string& text) {
  if (!terminal_) return;
  fmt::print(stderr, "\r\x1b[K{}", text);
  std::fflush(stderr);
  shown_ = true;
}

double Progress::seconds() const {
  return std::chrono::duration<double>(Time::now() - start_).count();
}

}  // namespace tactus
