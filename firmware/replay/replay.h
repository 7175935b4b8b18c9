// Replays golden logs: the same program under the same conditions, every event compared.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "firmware/replay/golden_log.h"
#include "models/sim/engine.h"

namespace tactus {

struct LogReplayResult {
  std::uint64_t events = 0;        ///< compared, equal ones
  std::uint64_t memory_lines = 0;  ///< compared, equal ones
  std::string difference;          ///< the first difference with context; empty: none
};

struct ReplayOptions {
  Engine engine = Engine::fast;
  /// Evaluate units in random order, a new one every cycle. Whole-top logs only.
  std::optional<std::uint32_t> shuffle_seed;
};

/// Runs the log's program on the pynqz1 architecture (64-bit AXI), bare or whole as the log says,
/// and compares the events of each cycle as a set, then the memories and the END line.
[[nodiscard]] LogReplayResult replay(const GoldenLog& log, const ReplayOptions& options = {});

}  // namespace tactus
