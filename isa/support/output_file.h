// A file written piece by piece that appears only when it is complete.
#pragma once

#include <fstream>
#include <string>
#include <string_view>

namespace tactus {

/// Writes beside the target and moves into place in close(); without close() nothing is left
/// behind. A target that exists and is no regular file (a device, a pipe) is written directly. All
/// failures are UserErrors that name the target.
class OutputFile {
 public:
  explicit OutputFile(std::string path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view bytes);
  void write(const void* bytes, std::size_t count) {
    write({static_cast<const char*>(bytes), count});
  }
  void close();

 private:
  [[noreturn]] void fail(const char* what) const;
  std::string path_;
  std::string partial_;  ///< name while incomplete; empty: written directly
  std::ofstream stream_;
  bool closed_ = false;
};

/// Removes what unfinished OutputFiles have written so far. Async-signal-safe: for a handler that
/// ends the program.
void remove_unfinished_files();

}  // namespace tactus
