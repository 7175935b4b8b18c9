// A golden log: the RTL's events for one program, cycle by cycle.
//
// The text has `#` lines (title, conditions, words of the program), then lines "cycle EVENT...",
// then lines of the final state: ACC (accumulators), LOC (local memory) and END. Source: hardware
// spec section 17.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "models/sim/clock.h"

namespace tactus {

struct GoldenLog {
  std::string path;
  std::string title;
  /// true (top=TCU): recorded on the TCU alone, with DRAM at its own channels; false: on the whole
  /// top with its AXI ports.
  bool bare = true;
  Cycle cycles = 0;  ///< length of the run
  Cycle read_latency = 1;
  Cycle write_latency = 1;
  Cycle feed_gap = 0;  ///< cycles without a word after each word of the instruction stream
  std::uint32_t stall_seed = 0;
  unsigned stall_percent = 0;
  std::vector<std::uint8_t> program;  ///< low byte of the first instruction first

  /// Event lines of each cycle, without the cycle number, in the file's order.
  std::map<Cycle, std::vector<std::string>> events;
  /// ACC, LOC and END lines with their line numbers.
  std::vector<std::pair<unsigned, std::string>> final_lines;
};

/// Reads a log. Throws UserError "file:line: what is wrong".
[[nodiscard]] GoldenLog read_golden_log(const std::string& path);

}  // namespace tactus
