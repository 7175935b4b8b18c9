// What the DRAM of a board's memory did in a run of any machine.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace tactus {

struct DdrFigures {
  std::uint64_t hits = 0, misses = 0,
                conflicts = 0;  ///< accesses, by what they found in their bank
  std::uint64_t refreshes = 0;
  std::uint64_t bus_clocks = 0, clocks = 0;  ///< of the DRAM: with data on the bus, and all
  std::uint64_t tck_ps = 0;                  ///< period of these
  std::uint64_t bytes = 0;                   ///< asked for
  std::uint64_t stream_bytes = 0;            ///< of these, by the instruction stream
  /// DRAM clocks of all accesses: queue, refresh, row, bus, rest; see DdrTimes.
  std::array<std::uint64_t, 5> time{};

  DdrFigures& operator-=(const DdrFigures& o);
};

/// As statistics have them: models/dram/ddr_figure_infos.h.
[[nodiscard]] nlohmann::ordered_json to_json(const DdrFigures& ddr);
/// For a line of a summary.
[[nodiscard]] std::string to_text(const DdrFigures& ddr);

}  // namespace tactus
