#include "isa/support/output_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include "isa/support/error.h"
#include "isa/support/file_guard.h"
#include "isa/support/file_log.h"
#include "isa/support/files.h"
#include "isa/support/names.h"

namespace tactus {
namespace {

/// Paths of unfinished files, in memory that a signal handler may read. A command writes few files
/// at a time; a file that does not fit in this list is not removed by the signal handler.
constexpr std::size_t path_bytes = 4096;
struct Unfinished {
  volatile std::sig_atomic_t used = 0;
  char path[path_bytes] = {};
};
std::array<Unfinished, 8> unfinished;

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

/// 1 for standard output, 2 for standard error, -1 for other paths. Opening these names again would
/// start at offset 0 of a redirected file and overwrite earlier output.
int standard_stream(const std::string& path) {
  if (path == "/dev/stdout" || path == "/dev/fd/1" || path == "/proc/self/fd/1") return 1;
  if (path == "/dev/stderr" || path == "/dev/fd/2" || path == "/proc/self/fd/2") return 2;
  return -1;
}

[[noreturn]] void cannot_write(const std::string& path, int error) {
  user_error("{}: cannot be written: {}", printable_name(path),
             std::generic_category().message(error));
}

constexpr std::string_view temporary_start = ".tactus-", temporary_end = ".tmp";

/// Removes temporary files of killed processes, recognised by having no lock. A name that continues
/// behind ".tmp" belongs to the temporary file without that suffix.
void remove_stale_files(const std::string& folder) {
  std::error_code error;
  std::vector<std::string> stale;
  std::filesystem::directory_iterator entry(folder, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    const std::size_t end = name.find(temporary_end);
    if (name.rfind(temporary_start, 0) != 0 || end == std::string::npos) continue;
    const std::string lock = folder + "/" + name.substr(0, end + temporary_end.size());
    const int file = ::open(lock.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    const bool free = file >= 0 ? ::flock(file, LOCK_EX | LOCK_NB) == 0 : errno == ENOENT;
    if (free) stale.push_back(folder + "/" + name);
    if (file >= 0) ::close(file);
  }
  for (const std::string& name : stale) ::unlink(name.c_str());
}

/// Calls it at most once per folder.
void remove_stale_files_once(const std::string& folder) {
  static std::mutex mutex;
  static std::set<std::string> clean;
  const std::lock_guard<std::mutex> lock(mutex);
  if (clean.insert(folder).second) remove_stale_files(folder);
}

/// Creates a file and locks it. Returns -1 and sets errno on failure; EEXIST also if another
/// process removed the file before it was locked.
int create_locked(const std::string& name) {
  const int file = ::open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0) return file;
  struct stat status = {};
  // On file systems without locks no file counts as stale.
  (void)::flock(file, LOCK_EX | LOCK_NB);
  if (::fstat(file, &status) == 0 && status.st_nlink > 0) return file;
  ::close(file);
  errno = EEXIST;
  return -1;
}

constexpr std::size_t buffer_bytes = 65536;

}  // namespace

void remove_unfinished_files() {
  for (Unfinished& entry : unfinished) {
    if (entry.used != 0) unlink(entry.path);
  }
}

std::string follow_links(const std::string& path) {
  std::filesystem::path at = path;
  constexpr int most_links = 40;  // as in the kernel; open() reports loops
  for (int links = 0; links < most_links; ++links) {
    std::error_code error;
    const std::filesystem::path target = std::filesystem::read_symlink(at, error);
    if (error) return at.string();
    at = at.parent_path() / target;
  }
  return path;
}

int open_in_place(const std::string& path) {
  if (const int stream = standard_stream(path); stream >= 0) {
    std::fflush(stream == 1 ? stdout : stderr);
    return ::fcntl(stream, F_DUPFD_CLOEXEC, 0);
  }
  // O_CREAT is not used for existing files: Linux may refuse it for other users' pipes in /tmp.
  const int file = ::open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
  if (file >= 0 || errno != ENOENT) return file;
  return ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
}

/// Opens the file by name instead of using mkstemp, so that the umask applies.
TemporaryFile::TemporaryFile(const std::string& target, const std::string& path) {
  static std::atomic<unsigned> serial{0};
  const std::string folder = directory_of(target);
  remove_stale_files_once(folder);
  for (int attempt = 0; attempt < 100; ++attempt) {
    name_ =
        fmt::format("{}/{}{}-{}{}", folder, temporary_start, ::getpid(), serial++, temporary_end);
    file_ = create_locked(name_);
    if (file_ >= 0 || errno != EEXIST) break;
  }
  if (file_ < 0) cannot_write(path, errno);
  remember(name_);
}

TemporaryFile::~TemporaryFile() {
  if (!name_.empty()) {
    ::unlink(name_.c_str());
    forget(name_);
  }
  if (file_ >= 0) ::close(file_);
}

int TemporaryFile::rename_to(const std::string& target) {
  if (::rename(name_.c_str(), target.c_str()) != 0) return errno;
  forget(name_);
  name_.clear();
  return 0;
}

OutputFile::OutputFile(std::string path, Replaces replaces) : path_(std::move(path)) {
  check_file_name(path_);
  if (path_ == "-") {
    user_error(
        "\"-\" is no file name, and this is not written to standard output; write ./- for a "
        "file of that name");
  }
  if (replaces == Replaces::no_input) check_output(path_);
  struct stat status = {};
  const bool exists = ::stat(path_.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) {
    user_error("{}: is a directory; a file name is needed", printable_name(path_));
  }
  if (standard_stream(path_) >= 0 || (exists && !S_ISREG(status.st_mode))) {
    file_ = open_in_place(path_);
    if (file_ < 0) fail(errno);
    return;
  }
  if (!exists && errno == ELOOP) fail(errno);
  if (exists && ::access(path_.c_str(), W_OK) != 0) fail(errno);
  target_ = follow_links(path_);
  temporary_.emplace(target_, path_);
  if (exists && ::fchmod(temporary_->descriptor(), status.st_mode & 07777U) != 0) fail(errno);
  // The temporary file stays open and locked until it is renamed.
  file_ = ::fcntl(temporary_->descriptor(), F_DUPFD_CLOEXEC, 0);
  if (file_ < 0) fail(errno);
}

OutputFile::~OutputFile() {
  if (file_ >= 0) ::close(file_);
}

void OutputFile::fail(int error) const { cannot_write(path_, error); }

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

void OutputFile::write_zeroes(std::uint64_t count) {
  flush(buffer_);
  buffer_.clear();
  if (temporary_) {
    const off_t end = ::lseek(file_, static_cast<off_t>(count), SEEK_CUR);
    if (end < 0 || ::ftruncate(file_, end) != 0) fail(errno);
    return;
  }
  const std::string zeroes(buffer_bytes, '\0');
  for (; count > zeroes.size(); count -= zeroes.size()) flush(zeroes);
  flush(std::string_view(zeroes).substr(0, count));
}

void OutputFile::close() {
  flush(buffer_);
  buffer_.clear();
  // close() may be the first call to report a full disk.
  if (::close(std::exchange(file_, -1)) != 0) fail(errno);
  if (temporary_) {
    if (const int error = temporary_->rename_to(target_); error != 0) fail(error);
    temporary_.reset();
  }
  tell_file(FileUse::written, path_);
}

}  // namespace tactus
