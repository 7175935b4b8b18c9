#include "isa/support/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <new>
#include <stdexcept>
#include <system_error>

#include "isa/support/byte_order_mark.h"
#include "isa/support/error.h"
#include "isa/support/file_guard.h"
#include "isa/support/file_log.h"
#include "isa/support/folders.h"
#include "isa/support/names.h"
#include "isa/support/output_file.h"
#include "isa/support/text.h"

namespace tactus {
namespace {

// Limit for pipes, which may be endless; far above the size of vectors or programs. A device is
// expected to give at most a line typed at a terminal.
constexpr std::size_t most_pipe_bytes = std::size_t{1} << 30;
constexpr std::size_t most_device_bytes = std::size_t{1} << 20;
constexpr std::string_view lfs_pointer_start = "version https://git-lfs";

std::string reason(int error) { return std::generic_category().message(error); }

class FileDescriptor {
 public:
  explicit FileDescriptor(int number) : number_(number) {}
  ~FileDescriptor() {
    if (number_ >= 0) ::close(number_);
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;

  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

/// True if a name, as it is written, stays below the folder where it starts.
bool stays_below(const std::string& name) {
  const std::filesystem::path path(name);
  return !name.empty() && !path.is_absolute() && name.find('\0') == std::string::npos &&
         std::find(path.begin(), path.end(), "..") == path.end();
}

/// True if `path` is, after following links, a regular file in one of the folders or below it.
bool is_file_below(const std::string& path, const std::vector<std::string>& folders) {
  std::error_code error;
  const std::filesystem::path file = std::filesystem::canonical(path, error);
  if (error || !std::filesystem::is_regular_file(file, error)) return false;
  return std::any_of(folders.begin(), folders.end(), [&](const std::string& folder) {
    const auto below = file.lexically_relative(std::filesystem::canonical(folder, error));
    return !below.empty() && *below.begin() != "..";
  });
}

FileDescriptor open_for_reading(const std::string& path) {
  check_file_name(path);
  const int number = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (number < 0) {
    if (errno == ENOENT) user_error("{}: no such file", printable_name(path));
    user_error("{}: cannot be opened: {}", printable_name(path), reason(errno));
  }
  return FileDescriptor(number);
}

template <typename Bytes>
Bytes read_all(const std::string& path) try {
  const FileDescriptor file = open_for_reading(path);
  note_input(path);
  tell_file(FileUse::read, path);
  struct stat status = {};
  if (::fstat(file.number(), &status) != 0) {
    user_error("{}: cannot be read: {}", printable_name(path), reason(errno));
  }
  if (S_ISDIR(status.st_mode))
    user_error("{}: is a directory; a file is needed", printable_name(path));

  // The size is only a first guess: files of /proc have size 0, and a file may grow meanwhile.
  const bool regular = S_ISREG(status.st_mode);
  const bool device = S_ISBLK(status.st_mode) || S_ISCHR(status.st_mode);
  const std::size_t most = device ? most_device_bytes : most_pipe_bytes;
  Bytes bytes;
  std::size_t used = 0;
  bytes.resize(std::max<std::size_t>(65536, static_cast<std::size_t>(status.st_size) + 1));
  for (;;) {
    if (used == bytes.size()) bytes.resize(bytes.size() * 2);
    const ssize_t got = ::read(file.number(), &bytes[used], bytes.size() - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) user_error("{}: cannot be read: {}", printable_name(path), reason(errno));
    if (got == 0) break;
    used += static_cast<std::size_t>(got);
    if (!regular && used > most) {
      user_error("{}: more than {} bytes from a {}", printable_name(path), most,
                 device ? "device" : "pipe");
    }
  }
  bytes.resize(used);
  reject_lfs_pointer({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path);
  return bytes;
} catch (const std::bad_alloc&) {
  user_error("{}: does not fit into memory", printable_name(path));
} catch (const std::length_error&) {
  user_error("{}: does not fit into memory", printable_name(path));
}

}  // namespace

std::vector<std::uint8_t> read_file(const std::string& path) {
  return read_all<std::vector<std::uint8_t>>(path);
}

std::string read_text(const std::string& path) {
  auto text = read_all<std::string>(path);
  const std::string_view start = std::string_view(text).substr(0, 2);
  if (start == "\xFF\xFE" || start == "\xFE\xFF") {
    user_error("{}: is a text in UTF-16; allowed: UTF-8", printable_name(path));
  }
  text.erase(0, text.size() - without_byte_order_mark(text).size());
  return text;
}

void reject_lfs_pointer(std::string_view content, const std::string& where) {
  if (content.substr(0, lfs_pointer_start.size()) != lfs_pointer_start) return;
  user_error("{}: is a Git LFS pointer, not the file itself; fetch it with \"git lfs pull\"",
             where);
}

void check_file_name(const std::string& path) {
  if (path.empty()) user_error("the file name is empty");
  if (path.find('\0') != std::string::npos) {
    user_error("{}: the file name contains a NUL byte",
               printable_name(path.substr(0, path.find('\0'))));
  }
}

void write_file_atomically(const std::string& path, std::string_view text) {
  OutputFile file(path);
  file.write(text);
  file.close();
}

void write_file_atomically(const std::string& path, const std::vector<std::uint8_t>& bytes) {
  write_file_atomically(
      path, std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

void rewrite_own_file(const std::string& path, std::string_view bytes) {
  OutputFile file(path, OutputFile::Replaces::anything);
  file.write(bytes);
  file.close();
}

std::string directory_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  if (slash == 0) return "/";
  return path.substr(0, slash);
}

std::string resolve_beside(const std::string& file, const std::string& name) {
  const std::size_t slash = file.rfind('/');
  const bool absolute = !name.empty() && name.front() == '/';
  std::string path =
      absolute || slash == std::string::npos ? name : file.substr(0, slash + 1) + name;
  struct stat status = {};
  bool exists = ::stat(path.c_str(), &status) == 0;
  if (!exists && !absolute) {
    const std::string beside_real = folders_of(file).back() + "/" + name;
    exists = ::stat(beside_real.c_str(), &status) == 0;
    if (exists) path = beside_real;
  }
  if (exists && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) {
    user_error("{}: is a pipe or a device; what {} names must be a file", printable_name(path),
               file);
  }
  return path;
}

std::string resolve_part(const std::string& file, const std::string& name) {
  if (!stays_below(name)) {
    user_error("{} is refused; only a file in the folder of {} or below it is allowed", quote(name),
               printable_name(file));
  }
  const std::string path = resolve_beside(file, name);
  std::error_code error;
  if (std::filesystem::exists(path, error) && !is_file_below(path, folders_of(file))) {
    user_error(
        "{} leads out of the folder of {} or is no file; only a file in this folder or below "
        "it is allowed",
        quote(path), printable_name(file));
  }
  return path;
}

}  // namespace tactus
