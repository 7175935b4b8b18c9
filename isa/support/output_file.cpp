#include "isa/support/output_file.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "isa/support/error.h"

namespace tactus {

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path_, ignored);
  if (std::filesystem::is_directory(status)) user_error("{}: is a folder, not a file", path_);
  const bool direct = std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
  if (!direct) partial_ = fmt::format("{}.{}.partial", path_, getpid());
  stream_.open(direct ? path_ : partial_, std::ios::binary);
  if (!stream_) fail("cannot be written");
}

OutputFile::~OutputFile() {
  if (closed_ || partial_.empty()) return;
  stream_.close();
  std::error_code ignored;
  std::filesystem::remove(partial_, ignored);
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
  closed_ = true;
}

}  // namespace tactus
