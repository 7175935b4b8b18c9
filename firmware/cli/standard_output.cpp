#include "firmware/cli/standard_output.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include <fmt/core.h>
#include <fmt/format.h>

#include "firmware/cli/quiet_output.h"
#include "firmware/cli/run/interrupt.h"
#include "firmware/cli/verbosity.h"

namespace tactus {
namespace {

bool keeps_going = false;

/// Output of a quiet command, its last `most_unprinted` bytes or more. It is never destroyed, since
/// streams are flushed after static objects are gone.
std::string& unprinted = *new std::string;  // NOLINT(cppcoreguidelines-owning-memory)
constexpr std::size_t most_unprinted = std::size_t{1} << 20;
bool has_printed_error = false;

/// Control sequences that the program itself writes, to move the cursor and to colour words.
constexpr std::string_view own_controls[] = {"\r\x1b[K", "\x1b[0m", "\x1b[1;31m", "\x1b[1;33m"};

/// Replaces all other control characters by \xNN, since paths and names in files may contain them.
std::string without_controls(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto byte = static_cast<unsigned char>(text[0]);
    const bool control = (byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7F;
    std::size_t taken = 1;
    for (const std::string_view own : own_controls) {
      if (control && text.substr(0, own.size()) == own) taken = own.size();
    }
    if (control && taken == 1) {
      out += fmt::format("\\x{:02X}", byte);
    } else {
      out += text.substr(0, taken);
    }
    text.remove_prefix(taken);
  }
  return out;
}

/// Write function of a stream; `cookie` has the file descriptor. Returns 0 if writing failed.
ssize_t write_or_drop(void* cookie, const char* bytes, std::size_t count) {
  const auto descriptor = static_cast<int>(reinterpret_cast<std::intptr_t>(cookie));
  if (descriptor == STDOUT_FILENO && verbosity() <= Verbosity::quiet) {
    unprinted.append(bytes, count);
    if (unprinted.size() > 2 * most_unprinted) {
      unprinted.erase(0, unprinted.size() - most_unprinted);
    }
    return static_cast<ssize_t>(count);
  }
  const std::string text = without_controls({bytes, count});
  if (descriptor == STDERR_FILENO && text.find("error") != std::string::npos) {
    has_printed_error = true;
  }
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t written = ::write(descriptor, text.data() + done, text.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EPIPE) {
      if (descriptor == STDOUT_FILENO && !keeps_going) die_of(SIGPIPE);
      return static_cast<ssize_t>(count);
    }
    if (written < 0) return 0;
    done += static_cast<std::size_t>(written);
  }
  return static_cast<ssize_t>(count);
}

std::FILE* stream_to(int descriptor, int buffering) {
  cookie_io_functions_t functions = {};
  functions.write = write_or_drop;
  std::FILE* const stream =
      // NOLINTNEXTLINE(performance-no-int-to-ptr): the cookie is the number
      fopencookie(reinterpret_cast<void*>(static_cast<std::intptr_t>(descriptor)), "w", functions);
  if (stream != nullptr) std::setvbuf(stream, nullptr, buffering, BUFSIZ);
  return stream;
}

}  // namespace

void watch_standard_output() {
  for (const int signal : {SIGPIPE, SIGXFSZ}) std::signal(signal, SIG_IGN);
  // These signals are ignored; a standard stream would report a closed pipe as an error.
  if (std::FILE* out = stream_to(STDOUT_FILENO, isatty(STDOUT_FILENO) != 0 ? _IOLBF : _IOFBF)) {
    stdout = out;
  }
  if (std::FILE* error = stream_to(STDERR_FILENO, _IONBF)) stderr = error;
}

void keep_going_without_reader() { keeps_going = true; }

void print_unprinted() {
  std::fflush(stdout);
  std::fflush(stderr);
  if (!has_printed_error) fmt::print(stderr, "{}", unprinted);
}

}  // namespace tactus
