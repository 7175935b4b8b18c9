// Programs started by tests. No shell stands between: a path may have any character in its name.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tactus {

/// A command line cut into words as a shell would do it: blanks separate; '...' and "..." hold
/// together; a backslash takes the next character as it is. Nothing is expanded.
[[nodiscard]] std::vector<std::string> words(std::string_view command);

/// A word that words() gives back as it is.
[[nodiscard]] std::string quoted(const std::string& word);

/// Whether a program of this name is on the PATH.
[[nodiscard]] bool installed(const std::string& program);

/// A child process. Its standard input is empty.
class Process {
 public:
  struct Files {
    std::filesystem::path folder;               ///< working directory
    std::filesystem::path out = "/dev/null";    ///< standard output, made anew
    std::filesystem::path err = "/dev/null";    ///< standard error; may be the same file
    std::vector<std::string> environment = {};  ///< NAME=VALUE, on top of the test's own
  };

  /// `arguments` begin with the program: a path, or a name that is looked for on the PATH.
  Process(const std::vector<std::string>& arguments, const Files& files);
  /// Kills it if it still runs.
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void signal(int number) const;
  /// The exit code, or 128 and the signal it died of. None: it still ran after so many seconds.
  std::optional<int> wait_for(double seconds);
  /// The same, however long it takes.
  int wait();

 private:
  pid_t id_ = -1;
  std::optional<int> code_;
};

}  // namespace tactus
