// Runs jobs in processes of their own, a bounded number at a time.
//
// SystemC allows one kernel per process, and a crash of a job must not affect others. A job is
// another invocation of this program: it receives its input as text and answers on its standard
// output. The pool starts the program once for each parallel job, as a worker, and the worker forks
// a process for every job it is given (worker.h). When the parent ends for any reason, workers and
// jobs are killed.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace tactus {

struct Job {
  std::vector<std::string> arguments;  ///< arguments for this program, without its name
  std::string input;                   ///< its standard input
  double time_limit = 0;               ///< seconds until the job is killed; 0: none
};

/// Exit code of a job whose program could not be started.
constexpr int exit_not_started = 127;

struct JobResult {
  std::string output;    ///< its whole standard output
  std::string messages;  ///< its whole standard error
  int exit_code = 0;     ///< -1 if a signal ended it
  int signal = 0;
  bool timed_out = false;  ///< killed at its time limit
  double seconds = 0;      ///< time from start to end
};

/// Runs the jobs in order, at most `at_once` (1 or more) at a time. `next` supplies job 0, 1, ...,
/// or returns false when there are no more. `done` receives results in the order in which jobs end.
/// `stop`, if given, is called at least twice per second; when it returns true, no further result
/// is reported and run_jobs() returns. All functions are called in the caller's thread. If one of
/// them throws or `stop` returns true, running jobs are killed. Throws UserError if no process can
/// be started.
void run_jobs(std::size_t at_once, const std::function<bool(std::size_t number, Job& job)>& next,
              const std::function<void(std::size_t number, const JobResult& result)>& done,
              const std::function<bool()>& stop = {});

}  // namespace tactus
