// Replays golden logs: runs the same program under the same conditions and compares every event.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "firmware/replay/golden_log.h"
#include "models/sim/engine.h"
#include "models/tcu/pins/own_units.h"

namespace tactus {

struct LogReplayResult {
  std::uint64_t events = 0;        ///< number of events that are the same in log and simulation
  std::uint64_t memory_lines = 0;  ///< number of final lines that are the same
  std::string difference;          ///< first difference with context; empty: none
};

struct ReplayOptions {
  Engine engine = Engine::fast;
  /// Evaluates units in random order, a new order in every cycle. Only for logs of the whole top.
  std::optional<std::uint32_t> shuffle_seed;
  std::vector<OwnUnit> own_units;  ///< see TcuSystem::Config
};

/// Runs the log's program on the pynqz1 architecture (64-bit AXI), on the TCU alone or the whole
/// top as the log says. Compares the events of each cycle as a set, then the final lines: memories
/// and END.
[[nodiscard]] LogReplayResult replay(const GoldenLog& log, const ReplayOptions& options = {});

}  // namespace tactus
