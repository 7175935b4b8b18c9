// The one way in which outputs are written.
//
// A regular file appears, or changes, only when it is complete. A symbolic link stays: the file
// that it leads to is written, whether that exists or not. Everything else (a pipe, /dev/null) is
// written straight through, and so are /dev/stdout and /dev/stderr whatever they lead to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tactus {

/// The path of a file in a folder that is there, with every symbolic link at its end followed, also
/// one that leads to nothing yet. A path that has none stays as it is.
[[nodiscard]] std::string follow_links(const std::string& path);

/// Opens a file that is written in place, so that others see it grow; an existing one is emptied.
/// A standard stream is shared and not emptied. Returns -1 and sets errno on failure.
[[nodiscard]] int open_in_place(const std::string& path);

/// A file without a name of its own, in the folder of `target`, that other programs fill. Removed
/// by the destructor and by remove_unfinished_files().
///
/// The file is locked while it is in use, even if only one process has it open. The first
/// temporary file that a process makes in a folder removes those that killed processes left there.
class TemporaryFile {
 public:
  /// Throws UserError "PATH: cannot be written: why", with `path` as the user knows the file.
  TemporaryFile(const std::string& target, const std::string& path);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] int descriptor() const { return file_; }
  /// Gives it the name `target`. Returns an errno, 0: done.
  [[nodiscard]] int rename_to(const std::string& target);

 private:
  std::string name_;
  int file_ = -1;
};

/// Writes to a temporary file in the same folder, which takes the name in close(), so that nobody
/// ever sees half of it; without close() nothing is left behind. The permissions of an existing
/// file stay. All failures are UserErrors "path: cannot be written: why".
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
  /// The same as so many zero bytes; a regular file has a hole there.
  void write_zeroes(std::uint64_t count);
  void close();

 private:
  [[noreturn]] void fail(int error) const;
  void flush(std::string_view bytes);

  std::string path_;
  std::string target_;                      ///< where the temporary file goes in the end
  std::optional<TemporaryFile> temporary_;  ///< none: written directly
  std::string buffer_;
  int file_ = -1;
};

/// Removes all temporary files. Async-signal-safe: for a handler that ends the program.
void remove_unfinished_files();

}  // namespace tactus
