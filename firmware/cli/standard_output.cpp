#include "firmware/cli/standard_output.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <initializer_list>

#include "firmware/cli/interrupt.h"
#include "firmware/cli/verbosity.h"

namespace tactus {
namespace {

bool keeps_going = false;

/// The write function of a stream; `cookie` holds the descriptor. Returns 0 if writing failed.
ssize_t write_or_drop(void* cookie, const char* bytes, std::size_t count) {
  const auto descriptor = static_cast<int>(reinterpret_cast<std::intptr_t>(cookie));
  if (descriptor == STDOUT_FILENO && verbosity() == Verbosity::quiet) {
    return static_cast<ssize_t>(count);
  }
  std::size_t done = 0;
  while (done < count) {
    const ssize_t written = ::write(descriptor, bytes + done, count - done);
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
      fopencookie(reinterpret_cast<void*>(static_cast<std::intptr_t>(descriptor)), "w", functions);
  if (stream != nullptr) std::setvbuf(stream, nullptr, buffering, BUFSIZ);
  return stream;
}

}  // namespace

void watch_standard_output() {
  for (const int signal : {SIGPIPE, SIGXFSZ}) std::signal(signal, SIG_IGN);
  // With these signals ignored, a stream of the library takes a reader that has gone for an error.
  if (std::FILE* out = stream_to(STDOUT_FILENO, isatty(STDOUT_FILENO) != 0 ? _IOLBF : _IOFBF)) {
    stdout = out;
  }
  if (std::FILE* error = stream_to(STDERR_FILENO, _IONBF)) stderr = error;
}

void keep_going_without_reader() { keeps_going = true; }

}  // namespace tactus
