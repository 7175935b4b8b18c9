#include "firmware/report/layer_table.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "firmware/report/run_figures.h"
#include "isa/support/quantity.h"
#include "models/sim/array_figures.h"

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

/// A share, 0..1, in percent; empty if it is unknown.
std::string percent_cell(const std::optional<double>& share) {
  return share ? fmt::format("{:.2f}", 100 * *share) : "";
}

/// First and last cycle of a region. Precondition: the region has cycles.
std::pair<Cycle, Cycle> range_of(const Accounting& accounting, std::size_t region) {
  std::pair<Cycle, Cycle> range{~Cycle{0}, 0};
  for (const RegionSpan& span : accounting.spans) {
    if (span.region != region) continue;
    range = {std::min(range.first, span.from), std::max(range.second, span.to - 1)};
  }
  return range;
}

}  // namespace

TextTable layer_table(const RunDocument& document) {
  const Accounting& a = document.images.front().run->accounting;
  TextTable table;
  std::vector<std::string> titles;
  const MachineInfo& machine = *a.totals.info;
  const bool has_macs = knows_macs(machine);
  titles = {"layer",
            "from",
            "to",
            "cycles",
            "ms",
            "share %",
            fmt::format("{} busy %", machine.time.subject)};
  if (has_macs) titles.emplace_back(array_figures::useful_title);
  titles.insert(titles.end(), {"bytes read", "bytes written", "instructions", "most lost to"});
  // The title of the energy column has the name of the energy table.
  const auto& own = document.images.front().own;
  const bool has_energy = own.contains("energy") && own.at("energy").contains("layers");
  if (has_energy) {
    const auto& energy = own.at("energy");
    titles.insert(titles.end() - 1,
                  fmt::format("energy {} ({})", energy.at("unit").get<std::string>(),
                              energy.at("table").get<std::string>()));
  }
  const bool predicted = is_predicted(document.expected);
  if (predicted) {
    titles.insert(titles.end() - 1, {"predicted", "off %", "bound"});
  }
  for (std::string& title : titles) table.columns.push_back({std::move(title)});
  table.columns.front().text = table.columns.back().text = true;
  for (std::size_t r = 0; r < a.regions.size(); ++r) {
    const RegionFigures& region = a.regions[r];
    const Counters& c = region.counters;
    const std::uint64_t cycles = c.cycles();
    if (cycles == 0) continue;
    const std::vector<LostCycles> lost = lost_cycles(c);
    const Expectation of_layer = expectation(document.expected, r);
    table.rows.push_back(
        {region.name, fmt::format("{}", cycles),
         fmt::format("{:.{}f}", milliseconds(document, cycles), decimals_of_ms(document.clock_mhz)),
         fmt::format("{:.2f}", 100 * ratio(cycles, a.cycles)),
         percent_cell(array_figures::busy(busy_cycles(c), cycles))});
    std::vector<std::string>& row = table.rows.back();
    if (has_macs) {
      row.push_back(
          percent_cell(array_figures::useful(of_layer.macs, cycles, document.rates.peak_macs)));
    }
    row.insert(row.end(),
               {fmt::format("{}", port_bytes(c, "read_beats", document.rates)),
                fmt::format("{}", port_bytes(c, "write_beats", document.rates)),
                fmt::format("{}", region.instructions),
                lost.empty() ? "" : std::string(machine.time.states[lost.front().reason].name)});
    const auto [from, to] = range_of(a, r);
    row.insert(row.begin() + 1, {fmt::format("{}", document.first_cycle + from),
                                 fmt::format("{}", document.first_cycle + to)});
    if (has_energy) {
      row.insert(row.end() - 1,
                 fmt::format("{:.6g}", own.at("energy").at("layers")[r].at("total").get<double>()));
    }
    if (!predicted) continue;
    const bool known = of_layer.predicted_cycles != 0;
    row.insert(row.end() - 1,
               {known ? fmt::format("{}", of_layer.predicted_cycles) : "",
                known ? fmt::format("{:+.1f}", 100 * deviation(of_layer, region)) : "",
                of_layer.bound_cycles != 0 ? fmt::format("{}", of_layer.bound_cycles) : ""});
  }
  if (const Cycle once = document.constants.value_or(0); once != 0 && !table.rows.empty()) {
    std::vector<std::string>& row = table.rows.emplace_back(table.columns.size());
    row[0] = "(constants, once)";
    row[3] = fmt::format("{}", once);
    row[4] =
        fmt::format("{:.{}f}", milliseconds(document, once), decimals_of_ms(document.clock_mhz));
  }
  return table;
}

std::vector<Figure> layer_columns(const MachineInfo& machine) {
  const std::string busy = fmt::format("{} busy %", machine.time.subject);
  std::vector<Figure> columns{
      {"layer", "text",
       "see accounting.layers.name; (constants, once): constants_cycles, which are no layer's"},
      {"from", "cycles", "first cycle of the machine in which the layer runs"},
      {"to", "cycles", "last cycle of the machine in which the layer runs"},
      {"cycles", "cycles", "see accounting.layers.cycles"},
      {"ms", "ms", "time of the layer's cycles at the clock"},
      {"share %", "%", "its cycles / those of all layers"},
      {busy, "%", "cycles in which the unit works / its cycles"},
      {"bytes read", "bytes", "bytes read in the layer's cycles at all memory ports"},
      {"bytes written", "bytes", "bytes written in the layer's cycles at all memory ports"},
      {"instructions", "count", "instructions that retired in the layer"},
      {"energy *", "", "with --energy: energy of the layer by the table that the title names"},
      {"predicted", "cycles", "see accounting.layers.predicted_cycles"},
      {"off %", "%", "predicted / cycles - 1"},
      {"bound", "cycles", "see accounting.layers.bound_cycles"},
      {"most lost to", "text", "see accounting.layers.main_reason"},
  };
  if (knows_macs(machine)) {
    columns.push_back(
        {array_figures::useful_title, "%", std::string(array_figures::useful_meaning)});
  }
  return columns;
}

}  // namespace tactus
