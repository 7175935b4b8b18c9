// Runs jobs in processes of their own, a bounded number at a time.
//
// SystemC allows one kernel per process, and a crash of a job must not affect others. A job is
// another invocation of this program: it receives its input as text and answers on its standard
// output. The pool starts the program as a worker, once for each job that may run at a time, and
// the worker forks a process for every job it is given (worker.h). When the pool's process ends for
// any reason, workers and jobs are killed.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace tactus {

struct Job {
  std::vector<std::string> arguments;  ///< arguments for this program, without its name
  std::string input;                   ///< text on the job's standard input
  double time_limit = 0;               ///< seconds until the job is killed; 0: none
};

/// Exit code of a job whose program could not be started.
constexpr int exit_not_started = 127;

struct JobResult {
  std::string output;      ///< the job's whole standard output
  std::string messages;    ///< the job's whole standard error
  int exit_code = 0;       ///< -1 if a signal ended the job
  int signal = 0;          ///< signal that ended the job; 0: none
  bool timed_out = false;  ///< true: killed at its time limit
  double seconds = 0;      ///< host time from start to end
};

/// Runs jobs, at most `at_once` (1 or more) at a time, and starts them in order. `next` supplies
/// job 0, 1, ..., or returns false when there are no more. `done` receives results in the order in
/// which jobs end. `stop`, if given, is called at least twice per second; when it returns true, no
/// further result is reported and run_jobs() returns. All functions are called in the caller's
/// thread. If one of them throws or `stop` returns true, running jobs are killed. Throws UserError
/// if no process can be started.
void run_jobs(std::size_t at_once, const std::function<bool(std::size_t number, Job& job)>& next,
              const std::function<void(std::size_t number, const JobResult& result)>& done,
              const std::function<bool()>& stop = {});

}  // namespace tactus
