// The worker side of pool.h: a process that forks once per job.
//
// Starting the program takes about ten milliseconds of processor time, to link libraries and fill
// tables. A worker does this once. Each job then runs in a process forked from the worker, which
// itself computes nothing, so a job still has a process of its own and cannot affect others.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tactus {

/// Argument that makes the program a worker; the pid of the pool's process follows.
constexpr const char* worker_argument = "--serve-jobs";

/// Serves the pool that has started this process until there are no more jobs. Returns in the
/// process of each job with the job's arguments: standard input is the job's input, and output,
/// messages and exit code become the job's. Returns in the worker, without arguments, after the
/// last job. Call it before starting threads or building a simulation. Throws UserError unless
/// `pool` is the pid of the process that has started this one.
[[nodiscard]] std::optional<std::vector<std::string>> serve_jobs(const std::string& pool);

}  // namespace tactus
