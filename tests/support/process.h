// Starts programs from tests, without a shell, so that paths may contain any character.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tactus {

/// Splits a command line as a shell does: blanks separate words, '...' and "..." join them, and a
/// backslash quotes the next character. Nothing is expanded.
[[nodiscard]] std::vector<std::string> words(std::string_view command);

/// Quotes a word so that words() returns it unchanged.
[[nodiscard]] std::string quoted(const std::string& word);

/// True if a program of this name is on the PATH.
[[nodiscard]] bool installed(const std::string& program);

/// Returns the child processes of a process.
[[nodiscard]] std::vector<pid_t> children(pid_t parent);

/// A child process whose standard input is empty.
class Process {
 public:
  struct Files {
    std::filesystem::path folder;             ///< working directory
    std::filesystem::path out = "/dev/null";  ///< standard output; the file is replaced
    std::filesystem::path err = "/dev/null";  ///< standard error; may be the same file
    /// Variables NAME=VALUE, in addition to the test's environment.
    std::vector<std::string> environment = {};
  };

  /// `arguments` starts with the program: a path, or a name that is found on the PATH.
  Process(const std::vector<std::string>& arguments, const Files& files);
  /// Kills the process if it is still running.
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void signal(int number) const;
  /// Waits for the process. Returns its exit code, or 128 plus the signal that ended it, or nothing
  /// if it still runs after this time.
  std::optional<int> wait_for(double seconds);
  /// Waits for the process without a limit of time.
  int wait();

 private:
  pid_t id_ = -1;
  std::optional<int> code_;
};

}  // namespace tactus
