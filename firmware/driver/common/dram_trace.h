// Runs a trace of requests on a DRAM and its controller (models/dram/ddr_core.h), without a
// machine.
//
// A trace is a table (isa/support/table_rows.h) with the columns time_ns, port, operation, address
// and bytes. A header may give them in another order, and may use "time_ps" or "clock" instead of
// "time_ns". Operations are "read", "write", "r", "w" in capital or small letters; addresses are
// decimal or 0x...
//
// A request arrives at the first clock edge at or after its time and is split into accesses of one
// burst. If a port's queue is full, accesses wait in front of it; later requests are not delayed.
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

/// Requests in order of time. Throws UserError "PATH:LINE: what; allowed ...", one line per
/// mistake.
[[nodiscard]] std::vector<DramTraceRequest> parse_dram_trace(std::string_view text,
                                                             const std::string& path,
                                                             const DdrConfig& config);

/// Times of a request, in clocks.
struct DramAnswer {
  DdrClock arrived = 0;
  DdrClock answered = 0;  ///< read: end of its data; write: all of it is in the buffer
  std::uint64_t bursts = 0, hits = 0, misses = 0, conflicts = 0;
};

struct DramRun {
  std::vector<DramAnswer> answers;   ///< one per request
  std::vector<DdrCommand> commands;  ///< in order of time; `tag` is the request's number
  DdrStatistics statistics;
  DdrClock end = 0;  ///< end of the last data on the bus
};

/// `commands`: also records the commands.
[[nodiscard]] DramRun run_dram_trace(const DdrConfig& config,
                                     const std::vector<DramTraceRequest>& requests, bool commands);

}  // namespace tactus
