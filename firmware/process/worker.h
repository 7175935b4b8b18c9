// The worker side of pool.h: a process that forks once per job.
//
// Starting the program takes about ten milliseconds of processor time, to link libraries and fill
// tables. A worker does this once. Each job then runs in a process forked from the worker, so a job
// still has a process of its own and cannot affect others. The worker itself computes nothing.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tactus {

/// Argument that makes the program a worker. The next argument is the pid of the pool's process.
constexpr const char* worker_argument = "--serve-jobs";

/// Serves the pool that has started this process. It returns many times: in each job's process with
/// the job's arguments, and in the worker without arguments after the last job. A job's process has
/// the job's input as its standard input; its output, messages and exit code become the job's. Call
/// serve_jobs() before starting threads or building a simulation. Throws UserError unless `pool` is
/// the pid of the process that has started this one.
[[nodiscard]] std::optional<std::vector<std::string>> serve_jobs(const std::string& pool);

}  // namespace tactus
