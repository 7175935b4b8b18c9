// Runs a trace of requests on a DRAM and its controller (models/dram/ddr_core.h), without a
// machine.
//
// A trace is a table (isa/support/table_rows.h) with the columns time_ns, port, operation, address
// and bytes. A header may give them in another order, and may use "time_ps" or "clock" instead of
// "time_ns". Operations are "read", "write", "r", "w" in upper or lower case; addresses are decimal
// or 0x...
//
// A request arrives at the first edge of the DRAM's clock at or after its time, and is split into
// accesses of one burst. If a port's queue is full, accesses wait in front of it; later requests
// arrive at their times all the same.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "isa/dram/ddr_config.h"
#include "models/dram/ddr_command.h"
#include "models/dram/ddr_statistics.h"

namespace tactus {

struct DramTraceRequest {
  std::uint64_t time_ps = 0;
  unsigned port = 0;
  bool write = false;
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
};

inline constexpr unsigned most_dram_ports = 64;
/// Largest number of accesses of a trace.
inline constexpr std::uint64_t most_dram_accesses = std::uint64_t{1} << 24;

/// Parses a trace and returns its requests in order of time. Throws UserError "PATH:LINE: what;
/// allowed ...", with one line per mistake.
[[nodiscard]] std::vector<DramTraceRequest> parse_dram_trace(std::string_view text,
                                                             const std::string& path,
                                                             const DdrConfig& config);

/// Times of a request in DRAM clocks, and its accesses.
struct DramAnswer {
  DdrClock arrived = 0;
  /// Read: end of the last data. Write: end of the clock in which the buffer takes the last access.
  DdrClock answered = 0;
  std::uint64_t bursts = 0, hits = 0, misses = 0, conflicts = 0;
};

struct DramRun {
  std::vector<DramAnswer> answers;   ///< one per request
  std::vector<DdrCommand> commands;  ///< in order of time; `tag` is the request's number
  DdrStatistics statistics;
  DdrClock end = 0;  ///< end of the last data on the bus
};

/// Runs the requests of a trace. With `commands` it also records the DRAM's commands.
[[nodiscard]] DramRun run_dram_trace(const DdrConfig& config,
                                     const std::vector<DramTraceRequest>& requests, bool commands);

}  // namespace tactus
