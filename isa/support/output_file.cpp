#include "isa/support/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <system_error>
#include <utility>

#include "isa/support/error.h"
#include "isa/support/file_guard.h"
#include "isa/support/file_log.h"
#include "isa/support/files.h"

namespace tactus {
namespace {

/// Paths of unfinished files, in memory that a signal handler may read. One command writes few
/// files at a time; one that finds no place here is just not removed by a signal.
constexpr std::size_t path_bytes = 4096;
struct Unfinished {
  volatile std::sig_atomic_t used = 0;
  char path[path_bytes] = {};
};
std::array<Unfinished, 4> unfinished;

void remember(const std::string& path) {
  if (path.size() >= path_bytes) return;
  for (Unfinished& entry : unfinished) {
    if (entry.used != 0) continue;
    std::memcpy(entry.path, path.c_str(), path.size() + 1);
    entry.used = 1;
    return;
  }
}

void forget(const std::string& path) {
  for (Unfinished& entry : unfinished) {
    if (entry.used != 0 && path == entry.path) entry.used = 0;
  }
}

/// 1, 2, or -1 if the path is neither standard output nor standard error. Opening these names anew
/// would start at offset 0 of a redirected file and overwrite what was printed before.
int standard_stream(const std::string& path) {
  if (path == "/dev/stdout" || path == "/dev/fd/1" || path == "/proc/self/fd/1") return 1;
  if (path == "/dev/stderr" || path == "/dev/fd/2" || path == "/proc/self/fd/2") return 2;
  return -1;
}

constexpr std::size_t buffer_bytes = 65536;

}  // namespace

void remove_unfinished_files() {
  for (Unfinished& entry : unfinished) {
    if (entry.used != 0) unlink(entry.path);
  }
}

OutputFile::OutputFile(std::string path, Replaces replaces) : path_(std::move(path)) {
  check_file_name(path_);
  if (path_ == "-") {
    user_error(
        "\"-\" is no file name, and this is not written to standard output; write ./- for a "
        "file of that name");
  }
  if (replaces == Replaces::no_input) check_output(path_);
  if (const int stream = standard_stream(path_); stream >= 0) {
    std::fflush(stream == 1 ? stdout : stderr);
    file_ = stream;
    owned_ = false;
    return;
  }
  struct stat status = {};
  const bool exists = ::stat(path_.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) {
    user_error("{}: is a directory; a file name is needed", path_);
  }
  if (exists && !S_ISREG(status.st_mode)) {
    file_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    if (file_ < 0) fail(errno);
    return;
  }
  target_ = path_;
  if (exists) {
    if (::access(path_.c_str(), W_OK) != 0) fail(errno);
    const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path_.c_str(), nullptr),
                                                           &std::free);
    if (real) target_ = real.get();
  }
  open_temporary();
  if (exists && ::fchmod(file_, status.st_mode & 07777U) != 0) {
    const int error = errno;
    discard();
    fail(error);
  }
}

/// Opened by name rather than mkstemp so that the umask applies.
void OutputFile::open_temporary() {
  static std::atomic<unsigned> serial{0};
  for (int attempt = 0; attempt < 100; ++attempt) {
    temporary_ = fmt::format("{}/.tactus-{}-{}.tmp", directory_of(target_), ::getpid(), serial++);
    file_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file_ >= 0) return remember(temporary_);
    if (errno != EEXIST) break;
  }
  fail(errno);
}

void OutputFile::discard() {
  if (file_ >= 0 && owned_) ::close(file_);
  file_ = -1;
  if (temporary_.empty()) return;
  ::unlink(temporary_.c_str());
  forget(temporary_);
  temporary_.clear();
}

OutputFile::~OutputFile() { discard(); }

void OutputFile::fail(int error) const {
  user_error("{}: cannot be written: {}", path_, std::generic_category().message(error));
}

void OutputFile::write(std::string_view bytes) {
  if (buffer_.size() + bytes.size() < buffer_bytes) {
    buffer_ += bytes;
    return;
  }
  flush(buffer_);
  buffer_.clear();
  if (bytes.size() < buffer_bytes) {
    buffer_ = bytes;
  } else {
    flush(bytes);
  }
}

void OutputFile::flush(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void OutputFile::close() {
  flush(buffer_);
  buffer_.clear();
  // A full disk may show only here.
  if (owned_ && ::close(std::exchange(file_, -1)) != 0) fail(errno);
  if (temporary_.empty()) return tell_file(FileUse::written, path_);
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail(errno);
  forget(temporary_);
  temporary_.clear();
  tell_file(FileUse::written, path_);
}

}  // namespace tactus
