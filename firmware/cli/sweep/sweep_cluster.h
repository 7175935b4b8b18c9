// Sweeps on a cluster: submission and status.
#pragma once

#include <string>

#include "firmware/cli/args.h"

namespace tactus {

/// The options of a submission: --submit, --shards, --sbatch, --wait.
[[nodiscard]] std::vector<Args::Option> submit_options();
/// Throws UserError if one of them is given without --submit.
void refuse_submit_options(const Args& args);

/// Writes DIR/submit.sh, which submits the sweep by configs/sweeps/slurm.sh, and runs it. Results
/// are written to DIR/shard-N and merged in DIR/all. Returns the script's exit code.
[[nodiscard]] int submit_sweep(const Args& args, const std::string& sweep);

/// Prints the progress of the sweep in a folder, of one process or of all shards of a submission.
/// Only reads files, so it can be called while the sweep runs and on any machine with access to the
/// folder. Returns exit_ok if all points have figures, else exit_mismatch.
[[nodiscard]] int sweep_status(const std::string& folder);

}  // namespace tactus
