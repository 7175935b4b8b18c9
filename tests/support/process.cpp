#include "tests/support/process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <thread>

namespace tactus {
namespace {

/// Opens `path` as file descriptor `number`; called in the child process.
void open_as(int number, const char* path, int flags) {
  const int file = open(path, flags, 0644);
  if (file < 0 || dup2(file, number) < 0) _exit(127);
  if (file != number) close(file);
}

int code_of(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

}  // namespace

std::vector<pid_t> children(pid_t parent) {
  const std::string id = std::to_string(parent);
  std::ifstream list("/proc/" + id + "/task/" + id + "/children");
  return {std::istream_iterator<pid_t>(list), {}};
}

std::vector<std::string> words(std::string_view command) {
  std::vector<std::string> all;
  bool inside = false;  // true: a word has begun
  char quote = 0;
  for (std::size_t i = 0; i < command.size(); ++i) {
    char c = command[i];
    if (quote == 0 && (c == ' ' || c == '\n' || c == '\t')) {
      inside = false;
      continue;
    }
    if (!inside) all.emplace_back();
    inside = true;
    if (c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
    } else {
      if (c == '\\' && quote != '\'' && i + 1 < command.size()) c = command[++i];
      all.back() += c;
    }
  }
  if (quote != 0) throw std::invalid_argument("a quote is not closed: " + std::string(command));
  return all;
}

std::string quoted(const std::string& word) {
  std::string text;
  for (const char c : word) {
    text += '\\';
    text += c;
  }
  return text;
}

bool installed(const std::string& program) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (access((folder + "/" + program).c_str(), X_OK) == 0) return true;
  }
  return false;
}

Process::Process(const std::vector<std::string>& arguments, const Files& files) {
  std::vector<char*> argv;  // not const for execvp, which does not change the strings
  argv.reserve(arguments.size() + 1);
  for (const std::string& word : arguments) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  id_ = fork();
  if (id_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (id_ > 0) return;
  if (chdir(files.folder.c_str()) != 0) _exit(127);
  for (const std::string& variable : files.environment) {
    putenv(const_cast<char*>(variable.c_str()));
  }
  open_as(0, "/dev/null", O_RDONLY);
  open_as(1, files.out.c_str(), O_WRONLY | O_CREAT | O_TRUNC);
  if (files.err == files.out) {
    dup2(1, 2);
  } else {
    open_as(2, files.err.c_str(), O_WRONLY | O_CREAT | O_TRUNC);
  }
  execvp(argv[0], argv.data());
  _exit(127);
}

Process::~Process() {
  if (code_) return;
  kill(id_, SIGKILL);
  waitpid(id_, nullptr, 0);
}

void Process::signal(int number) const {
  if (!code_) kill(id_, number);
}

std::optional<int> Process::wait_for(double seconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (!code_) {
    int status = 0;
    if (waitpid(id_, &status, WNOHANG) == id_) code_ = code_of(status);
    if (code_ || std::chrono::steady_clock::now() > end) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return code_;
}

int Process::wait() {
  int status = 0;
  if (!code_ && waitpid(id_, &status, 0) == id_) code_ = code_of(status);
  return code_.value_or(127);
}

}  // namespace tactus
