#include "firmware/process/pool.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <iterator>
#include <list>
#include <optional>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "firmware/process/job_frame.h"
#include "firmware/process/worker.h"
#include "isa/support/descriptor.h"
#include "isa/support/error.h"
#include "isa/support/program_path.h"

namespace tactus {
namespace {

using Time = std::chrono::steady_clock;

/// Largest time between two calls of `stop`.
constexpr std::chrono::milliseconds longest_wait{500};

/// Makes a pipe whose ends are closed on exec.
void make_pipe(Descriptor& read_end, Descriptor& write_end) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    user_error("no process can be started: {}", std::strerror(errno));
  }
  read_end.reset(ends[0]);
  write_end.reset(ends[1]);
}

/// A worker process and its current job.
struct Worker {
  pid_t pid = 0;
  Descriptor input, output, messages, status;
  std::size_t number = 0;   ///< number of the current job
  std::string text;         ///< frame of the current job, to be sent to the worker
  std::size_t written = 0;  ///< bytes of the text already sent
  std::string ended;        ///< bytes received of the status of the job's process
  Time::time_point start;
  std::optional<Time::time_point> deadline;
  JobResult result;

  [[nodiscard]] bool job_ended() const { return ended.size() == sizeof(int); }
  /// True if the worker has ended without reporting a status.
  [[nodiscard]] bool gone() const { return !output.open() && !messages.open() && !status.open(); }

  ~Worker() {
    if (pid <= 0) return;
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
  }
};

/// Turns a forked process into a worker. Only async-signal-safe calls are allowed after fork().
[[noreturn]] void become(const char* program, char* const* arguments, pid_t parent,
                         const std::array<int, 4>& descriptors) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::signal(SIGPIPE, SIG_DFL);                     // exec would keep an ignored signal ignored
  if (getppid() != parent) _exit(exit_not_started);  // the parent has ended since the fork
  // A pipe may have a descriptor from 0 to 3, which dup2() would close, so all pipes get larger
  // descriptors first.
  std::array<int, 4> aside{};
  for (std::size_t i = 0; i < aside.size(); ++i) {
    aside[i] = fcntl(descriptors[i], F_DUPFD_CLOEXEC, static_cast<int>(aside.size()));
  }
  for (std::size_t i = 0; i < aside.size(); ++i) {
    if (dup2(aside[i], static_cast<int>(i)) < 0) _exit(exit_not_started);
  }
  execv(program, arguments);
  _exit(exit_not_started);
}

void start(Worker& worker) {
  std::string name = "tactus";
  std::string argument = worker_argument;
  std::string pool = std::to_string(getpid());
  const std::array<char*, 4> arguments{name.data(), argument.data(), pool.data(), nullptr};
  Descriptor in, out, err, status;
  make_pipe(in, worker.input);
  make_pipe(worker.output, out);
  make_pipe(worker.messages, err);
  make_pipe(worker.status, status);
  static_assert(status_descriptor == 3, "the place of the status in the array");
  const std::array<int, 4> ends{in.get(), out.get(), err.get(), status.get()};
  for (const Descriptor* mine : {&worker.input, &worker.output, &worker.messages, &worker.status}) {
    fcntl(mine->get(), F_SETFL, O_NONBLOCK);
  }
  const std::string& program = program_path();
  const pid_t parent = getpid();
  worker.pid = fork();
  if (worker.pid == 0) become(program.c_str(), arguments.data(), parent, ends);
  if (worker.pid < 0) user_error("no process can be started: {}", std::strerror(errno));
}

void give(Worker& worker, std::size_t number, const Job& job) {
  worker.number = number;
  worker.text = job_frame(job.arguments, job.input);
  worker.written = 0;
  worker.ended.clear();
  worker.result = JobResult();
  worker.start = Time::now();
  worker.deadline.reset();
  if (job.time_limit > 0) {
    worker.deadline = worker.start + std::chrono::duration_cast<Time::duration>(
                                         std::chrono::duration<double>(job.time_limit));
  }
}

void feed(Worker& worker) {
  const ssize_t count = write(worker.input.get(), worker.text.data() + worker.written,
                              worker.text.size() - worker.written);
  if (count > 0) worker.written += static_cast<std::size_t>(count);
  // A worker that no longer reads has ended; its exit status then becomes the job's result.
  if (count < 0 && errno != EAGAIN && errno != EINTR) worker.written = worker.text.size();
}

/// Appends what is available to `to`, at most `most` bytes. Closes `from` at its end.
void drain(Descriptor& from, std::string& to, std::size_t most = std::string::npos) {
  std::array<char, 65536> buffer{};
  while (from.open() && most > 0) {
    const ssize_t count = read(from.get(), buffer.data(), std::min(buffer.size(), most));
    if (count > 0) {
      to.append(buffer.data(), static_cast<std::size_t>(count));
      most -= static_cast<std::size_t>(count);
    } else if (count < 0 && errno == EINTR) {
      continue;
    } else if (count < 0 && errno == EAGAIN) {
      return;
    } else {
      from.close();
    }
  }
}

/// Kills jobs that have reached their time limit, with their workers. Returns the time of the next
/// limit, or `longest_wait` from now if that is earlier.
Time::time_point enforce_limits(std::list<Worker>& workers, Time::time_point now) {
  Time::time_point next = now + longest_wait;
  for (Worker& worker : workers) {
    if (!worker.deadline) continue;
    if (now >= *worker.deadline) {
      kill(worker.pid, SIGKILL);  // the job dies with its worker, and their pipes are closed
      worker.result.timed_out = true;
      worker.deadline.reset();
    } else {
      next = std::min(next, *worker.deadline);
    }
  }
  return next;
}

/// Waits until a worker can be written to or read from, for at most `longest_wait`, and transfers
/// what is possible.
void serve(std::list<Worker>& workers) {
  const Time::time_point now = Time::now();
  const auto longest =
      std::chrono::ceil<std::chrono::milliseconds>(enforce_limits(workers, now) - now);
  std::vector<pollfd> waits;
  for (Worker& worker : workers) {
    if (worker.written < worker.text.size()) waits.push_back({worker.input.get(), POLLOUT, 0});
    for (const Descriptor* from : {&worker.output, &worker.messages, &worker.status}) {
      if (from->open()) waits.push_back({from->get(), POLLIN, 0});
    }
  }
  // A signal may interrupt poll(); the caller then calls serve() again.
  if (poll(waits.data(), waits.size(), static_cast<int>(longest.count())) < 0) return;
  for (Worker& worker : workers) {
    if (worker.written < worker.text.size()) feed(worker);
    // The status is read first. A job's whole output is in the pipes when its status arrives, so
    // the reads that follow complete it.
    drain(worker.status, worker.ended, sizeof(int) - worker.ended.size());
    drain(worker.output, worker.result.output);
    drain(worker.messages, worker.result.messages);
  }
}

/// Fills in the result of a job that has ended: with the status of the job's process or, if the
/// worker has ended too, with the worker's status.
void finish(Worker& worker) {
  int status = 0;
  if (worker.job_ended()) {
    std::memcpy(&status, worker.ended.data(), sizeof status);
  } else {
    while (waitpid(worker.pid, &status, 0) < 0 && errno == EINTR) {
    }
    worker.pid = 0;
  }
  worker.result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  worker.result.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  worker.result.seconds = std::chrono::duration<double>(Time::now() - worker.start).count();
}

/// Ignores SIGPIPE while it exists, since writing to an ended process must not end this one.
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
  std::list<Worker> workers;
  std::size_t number = 0;
  bool more = true;
  const auto give_next = [&](Worker& worker) {
    Job job;
    more = more && next(number, job);
    if (!more) return false;
    if (worker.pid == 0) start(worker);
    give(worker, number++, job);
    return true;
  };
  while (workers.size() < at_once && give_next(workers.emplace_back())) {
  }
  if (!more) workers.pop_back();
  while (!workers.empty()) {
    serve(workers);
    if (stop && stop()) return;
    for (auto worker = workers.begin(); worker != workers.end();) {
      if (!worker->job_ended() && !worker->gone()) {
        ++worker;
        continue;
      }
      const bool of_use = worker->job_ended() && !worker->result.timed_out;
      finish(*worker);
      done(worker->number, worker->result);
      if (!of_use) worker = workers.emplace(workers.erase(worker));
      worker = give_next(*worker) ? std::next(worker) : workers.erase(worker);
    }
  }
}

}  // namespace tactus
