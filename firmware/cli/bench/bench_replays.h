// The part of tactus bench that replays Edge TPU models.
#pragma once

#include <vector>

#include "firmware/bench/replay_table.h"
#include "firmware/cli/args.h"

namespace tactus {

/// Prints the table; a row whose model is not at hand is skipped with a word. Returns the exit
/// code.
int bench_replays(const Args& args, const std::vector<bench::ReplayRow>& rows);

}  // namespace tactus
