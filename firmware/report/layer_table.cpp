#include "firmware/report/layer_table.h"

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

}  // namespace

LayerTable layer_table(const RunDocument& document) {
  const Accounting& a = document.images.front().run->accounting;
  LayerTable table;
  table.titles = {"layer",      "cycles",        "ms",           "share %",     "busy %",
                  "bytes read", "bytes written", "instructions", "most lost to"};
  const bool predicted = !document.expected.empty();
  if (predicted) {
    table.titles.insert(table.titles.end() - 1, {"predicted", "off %", "bound"});
  }
  for (std::size_t i = 0; i < a.regions.size(); ++i) {
    const RegionFigures& region = a.regions[i];
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
    if (!predicted) continue;
    std::vector<std::string>& row = table.rows.back();
    const Expectation of_layer = expectation(document.expected, i);
    const bool known = of_layer.predicted_cycles != 0;
    row.insert(row.end() - 1,
               {known ? fmt::format("{}", of_layer.predicted_cycles) : "",
                known ? fmt::format("{:+.1f}", 100 * deviation(of_layer, region)) : "",
                of_layer.bound_cycles != 0 ? fmt::format("{}", of_layer.bound_cycles) : ""});
  }
  return table;
}

std::string layers_csv(const RunDocument& document) {
  const LayerTable table = layer_table(document);
  std::string text = csv_row(table.titles);
  for (const auto& row : table.rows) text += csv_row(row);
  return text;
}

}  // namespace tactus
