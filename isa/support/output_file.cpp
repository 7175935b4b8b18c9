#include "isa/support/output_file.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <utility>

#include "isa/support/error.h"

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

}  // namespace

void remove_unfinished_files() {
  for (Unfinished& entry : unfinished) {
    if (entry.used != 0) unlink(entry.path);
  }
}

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path_, ignored);
  if (std::filesystem::is_directory(status)) user_error("{}: is a folder, not a file", path_);
  const bool direct = std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
  if (!direct) partial_ = fmt::format("{}.{}.partial", path_, getpid());
  if (!direct) remember(partial_);
  stream_.open(direct ? path_ : partial_, std::ios::binary);
  if (!stream_) {
    forget(partial_);
    fail("cannot be written");
  }
}

OutputFile::~OutputFile() {
  if (closed_ || partial_.empty()) return;
  stream_.close();
  std::error_code ignored;
  std::filesystem::remove(partial_, ignored);
  forget(partial_);
}

void OutputFile::fail(const char* what) const {
  user_error("{}: {}: {}", path_, what, std::strerror(errno));
}

void OutputFile::write(std::string_view bytes) {
  if (!stream_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()))) {
    fail("writing failed");
  }
}

void OutputFile::close() {
  stream_.close();
  if (!stream_) fail("writing failed");
  if (!partial_.empty()) {
    std::error_code error;
    std::filesystem::rename(partial_, path_, error);
    if (error) user_error("{}: cannot be written: {}", path_, error.message());
  }
  forget(partial_);
  closed_ = true;
}

}  // namespace tactus
