#include "firmware/report/layer_table.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "firmware/report/run_figures.h"
#include "isa/support/csv.h"

namespace tactus {
namespace {

std::uint64_t port_bytes(const Counters& counters, std::string_view beats,
                         const MachineRates& rates) {
  std::uint64_t sum = 0;
  for (unsigned p = 0; p < counters.info->traffic.ports.size(); ++p) {
    sum += counters.of(beats, p) * rates.beat_bytes;
  }
  return sum;
}

/// The first and the last cycle of a region that has some.
std::pair<Cycle, Cycle> range_of(const Accounting& accounting, std::size_t region) {
  std::pair<Cycle, Cycle> range{~Cycle{0}, 0};
  for (const RegionSpan& span : accounting.spans) {
    if (span.region != region) continue;
    range = {std::min(range.first, span.from), std::max(range.second, span.to - 1)};
  }
  return range;
}

}  // namespace

LayerTable layer_table(const RunDocument& document) {
  const Accounting& a = document.images.front().run->accounting;
  LayerTable table;
  table.titles = {"layer",      "cycles",        "ms",           "share %",     "busy %",
                  "bytes read", "bytes written", "instructions", "most lost to"};
  table.titles.insert(table.titles.begin() + 1, {"from", "to"});
  // The energy of a layer stands under its table's name.
  const auto& own = document.images.front().own;
  const bool has_energy = own.contains("energy") && own.at("energy").contains("layers");
  if (has_energy) {
    const auto& energy = own.at("energy");
    table.titles.insert(table.titles.end() - 1,
                        fmt::format("energy {} ({})", energy.at("unit").get<std::string>(),
                                    energy.at("table").get<std::string>()));
  }
  const bool predicted = !document.expected.empty();
  if (predicted) {
    table.titles.insert(table.titles.end() - 1, {"predicted", "off %", "bound"});
  }
  for (std::size_t r = 0; r < a.regions.size(); ++r) {
    const RegionFigures& region = a.regions[r];
    const Counters& c = region.counters;
    const std::uint64_t cycles = c.cycles();
    if (cycles == 0) continue;
    const std::vector<LostCycles> lost = lost_cycles(c);
    table.rows.push_back(
        {region.name, fmt::format("{}", cycles),
         fmt::format("{:.6g}", milliseconds(document, cycles)),
         fmt::format("{:.2f}", 100 * ratio(cycles, a.cycles)),
         fmt::format("{:.2f}", 100 * ratio(cycles - lost_total(c), cycles)),
         fmt::format("{}", port_bytes(c, "read_beats", document.rates)),
         fmt::format("{}", port_bytes(c, "write_beats", document.rates)),
         fmt::format("{}", region.instructions),
         lost.empty() ? "" : std::string(c.info->time.states[lost.front().reason].name)});
    std::vector<std::string>& row = table.rows.back();
    const auto [from, to] = range_of(a, r);
    row.insert(row.begin() + 1, {fmt::format("{}", document.first_cycle + from),
                                 fmt::format("{}", document.first_cycle + to)});
    if (has_energy) {
      row.insert(row.end() - 1,
                 fmt::format("{:.6g}", own.at("energy").at("layers")[r].at("total").get<double>()));
    }
    if (!predicted) continue;
    const Expectation of_layer = expectation(document.expected, r);
    const bool known = of_layer.predicted_cycles != 0;
    row.insert(row.end() - 1,
               {known ? fmt::format("{}", of_layer.predicted_cycles) : "",
                known ? fmt::format("{:+.1f}", 100 * deviation(of_layer, region)) : "",
                of_layer.bound_cycles != 0 ? fmt::format("{}", of_layer.bound_cycles) : ""});
  }
  return table;
}

std::string layers_csv(const LayerTable& table) {
  std::string text = csv_row(table.titles);
  for (const auto& row : table.rows) text += csv_row(row);
  return text;
}

}  // namespace tactus
