// The part of tactus bench that replays Edge TPU models.
#pragma once

#include <vector>

#include "firmware/bench/replay_table.h"
#include "firmware/cli/args.h"

namespace tactus {

/// Prints the table. Rows whose model file is missing are skipped, with a note. Returns the exit
/// code.
int bench_replays(const Args& args, const std::vector<bench::ReplayRow>& rows);

}  // namespace tactus
