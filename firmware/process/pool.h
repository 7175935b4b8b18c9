// Jobs in processes of their own, a bounded number at a time.
//
// SystemC keeps one kernel a process, and a job that dies takes nobody along. A job is another
// invocation of this very program; it gets its input as text and answers on its standard output.
// As many workers as jobs run at once start the program, and each forks a process for every job
// that it is given (worker.h). When the parent ends for whatever reason, workers and jobs are
// killed.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace tactus {

struct Job {
  std::vector<std::string> arguments;  ///< of this program, without its name
  std::string input;                   ///< its standard input
  double time_limit = 0;               ///< seconds until it is killed, 0: none
};

/// Exit code of a job whose program could not be started.
constexpr int exit_not_started = 127;

struct JobResult {
  std::string output;    ///< its whole standard output
  std::string messages;  ///< its whole standard error
  int exit_code = 0;     ///< -1 if it was ended by a signal
  int signal = 0;
  bool timed_out = false;  ///< it was killed at its time limit
  double seconds = 0;      ///< from start to end
};

/// Runs the jobs in order, at most `at_once` (1 or more) at a time. `next` gives the next job, by
/// its number 0, 1, ..., or false when there are no more; `done` receives results in the order in
/// which jobs end. `stop`, if there is one, is asked at least twice a second; once it says true, no
/// further result is reported and run_jobs returns. All are called in the caller's thread. If one
/// of them throws or says stop, the jobs that run are killed. Throws UserError if no process can be
/// started.
void run_jobs(std::size_t at_once, const std::function<bool(std::size_t number, Job& job)>& next,
              const std::function<void(std::size_t number, const JobResult& result)>& done,
              const std::function<bool()>& stop = {});

}  // namespace tactus
