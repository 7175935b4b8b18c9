#include "firmware/driver/common/ddr_figures.h"

#include <cstddef>
#include <numeric>

#include <nlohmann/json.hpp>

#include <fmt/format.h>

namespace tactus {
namespace {

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

DdrFigures& DdrFigures::operator-=(const DdrFigures& o) {
  hits -= o.hits;
  misses -= o.misses;
  conflicts -= o.conflicts;
  refreshes -= o.refreshes;
  bus_clocks -= o.bus_clocks;
  clocks -= o.clocks;
  bytes -= o.bytes;
  stream_bytes -= o.stream_bytes;
  for (std::size_t i = 0; i < time.size(); ++i) time[i] -= o.time[i];
  for (std::size_t i = 0; i < o.waits.size(); ++i) waits[i] -= o.waits[i];
  return *this;
}

double waits_for_others(const DdrFigures& ddr, unsigned party) {
  const auto row = ddr.waits.begin() + std::ptrdiff_t{party} * ddr.parties;
  const std::uint64_t all = std::accumulate(row, row + ddr.parties, std::uint64_t{0});
  return share(all - row[party], all);
}

nlohmann::ordered_json to_json(const DdrFigures& ddr) {
  nlohmann::ordered_json json;
  json["hits"] = ddr.hits;
  json["misses"] = ddr.misses;
  json["conflicts"] = ddr.conflicts;
  json["refreshes"] = ddr.refreshes;
  json["bus_share"] = share(ddr.bus_clocks, ddr.clocks);
  json["bytes"] = ddr.bytes;
  if (ddr.stream_bytes != 0) json["stream_bytes"] = ddr.stream_bytes;
  constexpr const char* names[] = {"queue", "refresh", "row", "bus", "rest"};
  for (std::size_t i = 0; i < ddr.time.size(); ++i) {
    json["time"][names[i]] = static_cast<double>(ddr.time[i] * ddr.tck_ps) / 1e3;
  }
  for (unsigned party = 0; party < ddr.parties; ++party) {
    nlohmann::ordered_json& row = json["waits"].emplace_back();
    for (unsigned other = 0; other < ddr.parties; ++other) {
      row.push_back(
          static_cast<double>(ddr.waits[std::size_t{party} * ddr.parties + other] * ddr.tck_ps) /
          1e3);
    }
  }
  return json;
}

std::string to_text(const DdrFigures& ddr) {
  const std::uint64_t accesses = ddr.hits + ddr.misses + ddr.conflicts;
  return fmt::format(
      "{} DRAM bursts: {:.1f} % row hits, {} misses, {} conflicts; {} refreshes; bus busy {:.1f} %",
      accesses, 100 * share(ddr.hits, accesses), ddr.misses, ddr.conflicts, ddr.refreshes,
      100 * share(ddr.bus_clocks, ddr.clocks));
}

}  // namespace tactus
