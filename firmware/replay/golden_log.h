// A golden log: the RTL's events for one program, cycle by cycle.
//
// Text: `#` header (title, conditions, program words), then "cycle EVENT..." lines, then ACC, LOC
// and END lines. Source: hardware spec section 17.
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
  bool bare = true;  ///< top=TCU: DRAM at the TCU's own channels; else the whole top
  Cycle cycles = 0;  ///< length of the run
  Cycle read_latency = 1;
  Cycle write_latency = 1;
  Cycle feed_gap = 0;
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
