#include "firmware/process/worker.h"

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <utility>

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "firmware/process/job_frame.h"
#include "firmware/process/pool.h"
#include "isa/support/error.h"

namespace tactus {
namespace {

/// Reads exactly `count` bytes; false at the end of the input.
bool read_all(void* bytes, std::size_t count) {
  auto* to = static_cast<char*>(bytes);
  while (count > 0) {
    const ssize_t got = read(STDIN_FILENO, to, count);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    to += got;
    count -= static_cast<std::size_t>(got);
  }
  return true;
}

bool write_all(int descriptor, const void* bytes, std::size_t count) {
  const auto* from = static_cast<const char*>(bytes);
  while (count > 0) {
    const ssize_t done = write(descriptor, from, count);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    from += done;
    count -= static_cast<std::size_t>(done);
  }
  return true;
}

/// Reads the texts of the next job; empty after the last job.
std::optional<std::vector<std::string>> read_job() {
  std::uint64_t number = 0;
  if (!read_all(&number, sizeof number)) return std::nullopt;
  std::vector<std::string> texts(number);
  for (std::string& text : texts) {
    if (!read_all(&number, sizeof number)) return std::nullopt;
    text.resize(number);
    if (!read_all(text.data(), number)) return std::nullopt;
  }
  return texts;
}

/// Makes an unnamed file with this text the standard input.
bool take_as_input(const std::string& text) {
  const int file = memfd_create("input", MFD_CLOEXEC);
  return file >= 0 && write_all(file, text.data(), text.size()) && lseek(file, 0, SEEK_SET) == 0 &&
         dup2(file, STDIN_FILENO) >= 0 && close(file) == 0;
}

/// Prepares the forked process of a job, so that it is killed when its worker ends.
void begin_job(pid_t worker, const std::string& input) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const bool ready = getppid() == worker && close(status_descriptor) == 0 && take_as_input(input);
  if (!ready) _exit(exit_not_started);
}

int wait_for(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace

std::optional<std::vector<std::string>> serve_jobs(const std::string& pool) {
  if (pool != std::to_string(getppid())) {
    user_error("tactus: {} is for processes that tactus starts itself", worker_argument);
  }
  while (auto texts = read_job()) {
    const std::string input = std::move(texts->back());
    texts->pop_back();
    const pid_t worker = getpid();
    const pid_t pid = fork();
    if (pid == 0) {
      begin_job(worker, input);
      return texts;
    }
    const int status = pid < 0 ? W_EXITCODE(exit_not_started, 0) : wait_for(pid);
    if (!write_all(status_descriptor, &status, sizeof status)) break;
  }
  return std::nullopt;
}

}  // namespace tactus
