// A file written piece by piece that appears only when it is complete.
#pragma once

#include <string>
#include <string_view>

namespace tactus {

/// Writes to a temporary file in the same folder, which takes the name in close(), so that nobody
/// ever sees half of it; without close() nothing is left behind. A symbolic link stays and its
/// target is replaced; the permissions of an existing file stay. What is not a regular file
/// (/dev/null, a pipe) is written straight through, and so are /dev/stdout and /dev/stderr whatever
/// they lead to. All failures are UserErrors "path: cannot be written: why".
class OutputFile {
 public:
  /// What the command has read is not replaced, see file_guard.h; `anything`: for files that the
  /// program keeps for itself.
  enum class Replaces { no_input, anything };
  explicit OutputFile(std::string path, Replaces replaces = Replaces::no_input);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view bytes);
  void write(const void* bytes, std::size_t count) {
    write({static_cast<const char*>(bytes), count});
  }
  void close();

 private:
  [[noreturn]] void fail(int error) const;
  void open_temporary();
  void discard();
  void flush(std::string_view bytes);

  std::string path_;
  std::string target_;     ///< where the temporary file goes in the end
  std::string temporary_;  ///< its name while incomplete; empty: written directly
  std::string buffer_;
  int file_ = -1;
  bool owned_ = true;  ///< false for standard streams
};

/// Removes what unfinished OutputFiles have written so far. Async-signal-safe: for a handler that
/// ends the program.
void remove_unfinished_files();

}  // namespace tactus
