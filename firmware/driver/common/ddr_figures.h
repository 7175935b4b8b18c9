// Figures of the DRAM of a board's memory in a run of any machine.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace tactus {

struct DdrFigures {
  std::uint64_t hits = 0, misses = 0,
                conflicts = 0;  ///< accesses by the state in which they find their bank
  std::uint64_t refreshes = 0;
  /// DRAM clocks with data on the bus, and all DRAM clocks.
  std::uint64_t bus_clocks = 0, clocks = 0;
  std::uint64_t tck_ps = 0;        ///< period of the DRAM clock
  std::uint64_t bytes = 0;         ///< requested bytes
  std::uint64_t stream_bytes = 0;  ///< bytes read for the instruction stream, a part of `bytes`
  /// Time of all accesses together in DRAM clocks, by part: queue, refresh, row, bus, rest; see
  /// DdrTimes.
  std::array<std::uint64_t, 5> time{};
  /// With several parties (models/dram/ddr_waits.h): clocks that accesses of one waited for those
  /// of each, [party * parties + other].
  unsigned parties = 0;
  std::vector<std::uint64_t> waits;

  DdrFigures& operator-=(const DdrFigures& o);
};

/// The part of a party's waits that was for accesses of others, 0..1.
[[nodiscard]] double waits_for_others(const DdrFigures& ddr, unsigned party);

/// JSON of statistics, with the keys of models/dram/ddr_figure_infos.h.
[[nodiscard]] nlohmann::ordered_json to_json(const DdrFigures& ddr);
/// Text of a summary's line.
[[nodiscard]] std::string to_text(const DdrFigures& ddr);

}  // namespace tactus
