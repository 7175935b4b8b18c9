// Writes all outputs of the program.
//
// A regular file appears or changes only when it is complete. A symbolic link is kept and its
// target is written, whether or not the target exists. Everything else (a pipe, /dev/null) is
// written directly, as are /dev/stdout and /dev/stderr whatever they lead to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tactus {

/// Follows the symbolic links at the end of a path in an existing folder, also one whose target
/// does not exist. Other paths are returned unchanged.
[[nodiscard]] std::string follow_links(const std::string& path);

/// Opens a file that is written in place, so that other programs see it grow. An existing file is
/// emptied; a standard stream is shared and not emptied. Returns -1 and sets errno on failure.
[[nodiscard]] int open_in_place(const std::string& path);

/// A temporary file in the folder of `target` that other programs fill. The destructor and
/// remove_unfinished_files() remove it.
///
/// The file is locked while it is in use, even if only one process has it open. The first temporary
/// file that a process makes in a folder removes stale ones of killed processes.
class TemporaryFile {
 public:
  /// Throws UserError "PATH: cannot be written: why", where PATH is `path`, the name that the user
  /// knows.
  TemporaryFile(const std::string& target, const std::string& path);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] int descriptor() const { return file_; }
  /// Renames the file to `target`. Returns 0 or an errno.
  [[nodiscard]] int rename_to(const std::string& target);

 private:
  std::string name_;
  int file_ = -1;
};

/// Writes to a temporary file in the same folder; close() renames it, so no reader ever sees half a
/// file. Without close() nothing is left. Permissions of an existing file are kept. All failures
/// are UserErrors "path: cannot be written: why".
class OutputFile {
 public:
  /// `no_input`: refuses to replace a file that the command has read, see file_guard.h. `anything`:
  /// for files that the program keeps for itself.
  enum class Replaces { no_input, anything };
  explicit OutputFile(std::string path, Replaces replaces = Replaces::no_input);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view bytes);
  void write(const void* bytes, std::size_t count) {
    write({static_cast<const char*>(bytes), count});
  }
  /// Writes so many zero bytes; a regular file gets a hole.
  void write_zeroes(std::uint64_t count);
  void close();

 private:
  [[noreturn]] void fail(int error) const;
  void flush(std::string_view bytes);

  std::string path_;
  std::string target_;                      ///< final name of the temporary file
  std::optional<TemporaryFile> temporary_;  ///< empty: written directly
  std::string buffer_;
  int file_ = -1;
};

/// Removes all temporary files. Async-signal-safe, for a handler that ends the program.
void remove_unfinished_files();

}  // namespace tactus
