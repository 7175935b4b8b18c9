// The other side of pool.h: a process that forks once a job.
//
// Starting a program costs some ten milliseconds of a processor: its libraries are linked and fill
// their tables. A worker has done this once; each job then runs in a process that is forked from
// the worker, which itself computes nothing. So a job still has a process of its own, and what
// becomes of it touches no other.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tactus {

/// What a program is called with, and with the number of the pool's process, to be a worker.
constexpr const char* worker_argument = "--serve-jobs";

/// Serves the pool that has started this process until that says there are no more jobs. Returns
/// in two ways: in the process of a job with the job's arguments, which has its input as standard
/// input and whose output, messages and exit code are the job's; in the worker without any, when
/// all is done. To be called before threads are started or a simulation is built. Throws UserError
/// unless `pool` is the number of the process that has started this one.
[[nodiscard]] std::optional<std::vector<std::string>> serve_jobs(const std::string& pool);

}  // namespace tactus
