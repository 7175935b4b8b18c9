#include "firmware/cli/verbosity.h"

#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include <fmt/core.h>

#include "isa/support/file_log.h"
#include "isa/support/names.h"

namespace tactus {
namespace {

using Time = std::chrono::steady_clock;

Verbosity level = Verbosity::normal;
const Time::time_point start = Time::now();

double seconds() { return std::chrono::duration<double>(Time::now() - start).count(); }

}  // namespace

Verbosity verbosity() { return level; }

void set_verbosity(Verbosity verbosity) {
  level = verbosity;
  if (verbosity != Verbosity::verbose) return;
  log_files([](FileUse use, const std::string& path) {
    fmt::print(stderr, "tactus: {:.3f} s: {} {}\n", seconds(),
               use == FileUse::read ? "reads" : "writes", printable_name(path));
  });
}

bool is_rich_terminal() {
  const char* type = std::getenv("TERM");
  return isatty(STDERR_FILENO) != 0 && type != nullptr && std::string_view(type) != "dumb";
}

std::string coloured(std::string_view word) {
  const char* none = std::getenv("NO_COLOR");
  if ((none != nullptr && *none != '\0') || !is_rich_terminal()) return std::string(word);
  return fmt::format("\x1b[{}m{}\x1b[0m", word == "error" ? "1;31" : "1;33", word);
}

void be_quiet() { set_verbosity(level <= Verbosity::quiet ? Verbosity::silent : Verbosity::quiet); }

void print_note(std::string_view text) {
  if (level > Verbosity::quiet) fmt::print(stderr, "tactus: {}\n", text);
}

void print_warning(std::string_view text) {
  if (level == Verbosity::silent) return;
  fmt::print(stderr, "tactus: {}: {}\n", coloured("warning"), text);
}

void print_effort() {
  if (level != Verbosity::verbose) return;
  std::fflush(stdout);
  struct rusage usage = {};
  ::getrusage(RUSAGE_SELF, &usage);
  fmt::print(stderr, "tactus: {:.3f} s, {:.1f} MB at most\n", seconds(),
             static_cast<double>(usage.ru_maxrss) / 1e3);
}

}  // namespace tactus
