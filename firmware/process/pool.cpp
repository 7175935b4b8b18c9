#include "firmware/process/pool.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <list>
#include <optional>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "isa/support/descriptor.h"
#include "isa/support/error.h"
#include "isa/support/program_path.h"

namespace tactus {
namespace {

using Time = std::chrono::steady_clock;

/// Between two looks at what the caller wants.
constexpr std::chrono::milliseconds longest_wait{500};

/// Both ends are closed on exec and never block this process.
void make_pipe(Descriptor& read_end, Descriptor& write_end) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    user_error("no process can be started: {}", std::strerror(errno));
  }
  read_end.reset(ends[0]);
  write_end.reset(ends[1]);
}

struct Process {
  std::size_t number = 0;
  pid_t pid = 0;
  Descriptor input, output, messages;
  std::size_t written = 0;
  std::string text;  ///< of its standard input
  Time::time_point start;
  std::optional<Time::time_point> deadline;
  JobResult result;

  ~Process() {
    if (pid <= 0) return;
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
  }
};

/// After fork(): only async-signal-safe calls.
[[noreturn]] void become(const char* program, char* const* arguments, pid_t parent, int in, int out,
                         int err) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::signal(SIGPIPE, SIG_DFL);                     // an ignored signal would stay ignored
  if (getppid() != parent) _exit(exit_not_started);  // the parent ended in between
  if (dup2(in, 0) >= 0 && dup2(out, 1) >= 0 && dup2(err, 2) >= 0) {
    execv(program, arguments);
  }
  _exit(exit_not_started);
}

void start(Process& process, const Job& job) {
  std::vector<std::string> words{"tactus"};
  words.insert(words.end(), job.arguments.begin(), job.arguments.end());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);

  Descriptor child_in, child_out, child_err;
  make_pipe(child_in, process.input);
  make_pipe(process.output, child_out);
  make_pipe(process.messages, child_err);
  fcntl(process.input.get(), F_SETFL, O_NONBLOCK);
  process.text = job.input;
  process.start = Time::now();
  if (job.time_limit > 0) {
    process.deadline = process.start + std::chrono::duration_cast<Time::duration>(
                                           std::chrono::duration<double>(job.time_limit));
  }
  const std::string& program = program_path();
  const pid_t parent = getpid();
  process.pid = fork();
  if (process.pid == 0) {
    become(program.c_str(), arguments.data(), parent, child_in.get(), child_out.get(),
           child_err.get());
  }
  if (process.pid < 0) user_error("no process can be started: {}", std::strerror(errno));
}

void feed(Process& process) {
  const ssize_t count = write(process.input.get(), process.text.data() + process.written,
                              process.text.size() - process.written);
  if (count > 0) process.written += static_cast<std::size_t>(count);
  // A process that no longer listens is judged by its exit code.
  const bool broken = count < 0 && errno != EAGAIN && errno != EINTR;
  if (broken || process.written == process.text.size()) process.input.close();
}

void drain(Descriptor& from, std::string& to) {
  std::array<char, 65536> buffer{};
  const ssize_t count = read(from.get(), buffer.data(), buffer.size());
  if (count > 0) to.append(buffer.data(), static_cast<std::size_t>(count));
  if (count == 0 || (count < 0 && errno != EINTR)) from.close();
}

/// Kills processes that have met their time limit, and tells until when the next may run.
Time::time_point enforce_limits(std::list<Process>& running, Time::time_point now) {
  Time::time_point next = now + longest_wait;
  for (Process& process : running) {
    if (!process.deadline) continue;
    if (now >= *process.deadline) {
      kill(process.pid, SIGKILL);  // its pipes end with it
      process.result.timed_out = true;
      process.deadline.reset();
    } else {
      next = std::min(next, *process.deadline);
    }
  }
  return next;
}

/// Waits until something can be read or written, and does it. Returns after `longest_wait` at the
/// latest.
void serve(std::list<Process>& running) {
  const Time::time_point now = Time::now();
  const auto longest =
      std::chrono::ceil<std::chrono::milliseconds>(enforce_limits(running, now) - now);
  std::vector<pollfd> waits;
  for (Process& process : running) {
    if (process.input.open()) waits.push_back({process.input.get(), POLLOUT, 0});
    if (process.output.open()) waits.push_back({process.output.get(), POLLIN, 0});
    if (process.messages.open()) waits.push_back({process.messages.get(), POLLIN, 0});
  }
  if (poll(waits.data(), waits.size(), static_cast<int>(longest.count())) < 0) return;  // a signal
  const auto ready = [&](const Descriptor& descriptor) {
    return descriptor.open() && std::any_of(waits.begin(), waits.end(), [&](const pollfd& wait) {
             return wait.fd == descriptor.get() && wait.revents != 0;
           });
  };
  for (Process& process : running) {
    if (ready(process.input)) feed(process);
    if (ready(process.output)) drain(process.output, process.result.output);
    if (ready(process.messages)) drain(process.messages, process.result.messages);
  }
}

void finish(Process& process) {
  int status = 0;
  while (waitpid(process.pid, &status, 0) < 0 && errno == EINTR) {
  }
  process.pid = 0;
  process.result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  process.result.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  process.result.seconds = std::chrono::duration<double>(Time::now() - process.start).count();
}

/// Writing to a process that has gone must not end this one.
class IgnoreBrokenPipes {
 public:
  IgnoreBrokenPipes() : before_(std::signal(SIGPIPE, SIG_IGN)) {}
  ~IgnoreBrokenPipes() { std::signal(SIGPIPE, before_); }
  IgnoreBrokenPipes(const IgnoreBrokenPipes&) = delete;
  IgnoreBrokenPipes& operator=(const IgnoreBrokenPipes&) = delete;

 private:
  void (*before_)(int);
};

}  // namespace

void run_jobs(std::size_t at_once, const std::function<bool(std::size_t, Job&)>& next,
              const std::function<void(std::size_t, const JobResult&)>& done,
              const std::function<bool()>& stop) {
  const IgnoreBrokenPipes ignore;
  std::list<Process> running;
  std::size_t number = 0;
  bool more = true;
  while (more || !running.empty()) {
    while (more && running.size() < at_once) {
      Job job;
      more = next(number, job);
      if (!more) break;
      Process& process = running.emplace_back();
      process.number = number++;
      start(process, job);
    }
    if (running.empty()) break;
    serve(running);
    if (stop && stop()) return;
    for (auto process = running.begin(); process != running.end();) {
      if (process->output.open() || process->messages.open()) {
        ++process;
        continue;
      }
      finish(*process);
      done(process->number, process->result);
      process = running.erase(process);
    }
  }
}

}  // namespace tactus
