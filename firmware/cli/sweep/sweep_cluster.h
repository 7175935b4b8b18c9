// Sweeps beyond one machine: submitted to a cluster, and looked at from anywhere.
#pragma once

#include <string>

#include "firmware/cli/args.h"

namespace tactus {

/// Options of a submission: --submit, --shards, --sbatch, --wait.
[[nodiscard]] std::vector<Args::Option> submit_options();
/// Throws UserError if one of them is given without --submit.
void refuse_submit_options(const Args& args);

/// Writes DIR/submit.sh, which submits the sweep by configs/sweeps/slurm.sh, and runs it: the
/// results lie in DIR/shard-N and then in DIR/all. Returns its exit code.
[[nodiscard]] int submit_sweep(const Args& args, const std::string& sweep);

/// Prints how far the sweep in a folder is: that of one process, or of all shards of a submission.
/// Only reads, so that it may be asked while it runs and from any machine that sees the folder.
/// Returns exit_ok if all points have their figures, else exit_mismatch.
[[nodiscard]] int sweep_status(const std::string& folder);

}  // namespace tactus
