#include "firmware/report/run_figures.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "firmware/report/figures.h"
#include "models/sim/array_figures.h"

namespace tactus {
namespace {

using Json = nlohmann::ordered_json;

std::string name_of(const MachineInfo& machine, std::size_t reason) {
  return std::string(machine.time.states[reason].name);
}

Json lost_json(const Counters& counters) {
  Json reasons = Json::object();
  for (const LostCycles& lost : lost_cycles(counters)) {
    reasons[name_of(*counters.info, lost.reason)] = lost.cycles;
  }
  return reasons;
}

/// Bytes at each memory port, from a counter of beats.
Json bytes(const Counters& counters, std::string_view beats, const MachineRates& rates) {
  Json list = Json::array();
  for (unsigned p = 0; p < counters.info->traffic.ports.size(); ++p) {
    list.push_back(counters.of(beats, p) * rates.beat_bytes);
  }
  return list;
}

Json units_json(const Accounting& accounting) {
  Json units = Json::object();
  for (const UnitCycles& unit : accounting.units) {
    // the account of the last unit is reported as lost cycles
    if (&unit == &accounting.units.back()) break;
    Json& states = units[unit.unit];
    for (std::size_t s = 0; s < unit.cycles.size(); ++s) {
      if (!accounting.has(unit.states[s].needs)) continue;
      states[std::string(unit.states[s].name)] = unit.cycles[s];
    }
  }
  return units;
}

Json instructions_json(const Accounting& accounting, const MachineRates& rates) {
  const MachineInfo& machine = *accounting.totals.info;
  const UnitInfo* head = nullptr;  // all units with heads have the same states
  for (const UnitInfo& unit : machine.units) {
    if (unit.heads) head = &unit;
  }
  Json kinds = Json::object();
  for (std::size_t k = 0; k < machine.kinds.size(); ++k) {
    const KindFigures& figures = accounting.kinds[k];
    if (!accounting.has(machine.kinds[k].needs)) continue;
    Json& json = kinds[std::string(machine.kinds[k].name)];
    json["count"] = figures.count;
    json["vectors"] = figures.vectors;
    json["bytes"] = figures.vectors * rates.vector_bytes;
    json["head_cycles"] = figures.head_cycles();
    json["head_busy"] = figures.busy;
    json["waits"] = Json::object();
    for (std::size_t s = 0; s < figures.head.size(); ++s) {
      if (head->states[s].kind == StateKind::busy || figures.head[s] == 0) continue;
      json["waits"][std::string(head->states[s].name)] = figures.head[s];
    }
  }
  return kinds;
}

Json point_json(const Roofline& r, std::uint64_t cycles) {
  Json json;
  json["macs"] = r.macs;
  json["macs_per_cycle"] = rate(r.macs_per_cycle, cycles);
  json["intensity"] = figure_or_null(r.intensity);
  json["attainable_macs_per_cycle"] = r.attainable;
  json["share_of_roof"] = rate(r.share_of_roof, cycles);
  json["bound"] = cycles == 0 ? Json() : Json(r.memory_bound ? "memory" : "compute");
  return json;
}

Json roofline_json(const Accounting& accounting, const MachineRates& rates,
                   std::optional<std::uint64_t> macs) {
  const Roofline busy = roofline(accounting.totals, rates);
  const std::uint64_t cycles = accounting.cycles;
  Json json;
  json["peak_macs_per_cycle"] = busy.peak_macs_per_cycle;
  json["bytes"] = busy.bytes;
  json["bytes_per_cycle"] = rate(busy.bytes_per_cycle, cycles);
  json["peak_bytes_per_cycle"] = busy.peak_bytes_per_cycle;
  json["ridge"] = busy.ridge;
  json["useful"] = macs ? point_json(roofline(accounting.totals, rates, *macs), cycles) : Json();
  json["busy"] = point_json(busy, cycles);
  return json;
}

Json layers_json(const Accounting& accounting, const MachineRates& rates) {
  Json layers = Json::array();
  for (const RegionFigures& region : accounting.regions) {
    const Counters& c = region.counters;
    const std::vector<LostCycles> lost = lost_cycles(c);
    Json json;
    json["name"] = region.name;
    json["instructions"] = region.instructions;
    json["cycles"] = c.cycles();
    json["share"] = rate(ratio(c.cycles(), accounting.cycles), accounting.cycles);
    for (const FigureInfo& figure : c.info->layer_figures) {
      if (figure.source == FigureInfo::Source::own) continue;
      json[std::string(figure.name)] = counted_figure(c, figure, c.cycles());
    }
    json["bytes_read"] = bytes(c, "read_beats", rates);
    json["bytes_written"] = bytes(c, "write_beats", rates);
    json["main_reason"] = lost.empty() ? Json() : Json(name_of(*c.info, lost.front().reason));
    json["lost"] = lost_json(c);
    layers.push_back(std::move(json));
  }
  return layers;
}

}  // namespace

Json counted_figure(const Counters& counters, const FigureInfo& figure, Cycle cycles) {
  if (figure.source == FigureInfo::Source::per_cycle) {
    return rate(ratio(counters.of(figure.of), cycles), cycles);
  }
  for (const CounterInfo& counter : counters.info->counters) {
    if (counter.name != figure.name || counter.values == 1) continue;
    Json list = Json::array();
    for (unsigned i = 0; i < counter.values; ++i) list.push_back(counters.of(figure.name, i));
    return list;
  }
  return counters.of(figure.name);
}

double ratio(std::uint64_t num, std::uint64_t den) {
  return den == 0 ? 0 : static_cast<double>(num) / static_cast<double>(den);
}

Json rate(double figure, std::uint64_t cycles) { return cycles == 0 ? Json() : Json(figure); }

Json figure_or_null(const std::optional<double>& figure) { return figure ? Json(*figure) : Json(); }

PortFigures port_figures(const Accounting& accounting, unsigned port, const MachineRates& rates) {
  const Counters& c = accounting.totals;
  const UnitCycles& unit = accounting.unit(c.info->traffic.ports[port].unit);
  const std::uint64_t read = c.of("read_beats", port), written = c.of("write_beats", port);
  PortFigures figures;
  figures.bytes_read = read * rates.beat_bytes;
  figures.bytes_written = written * rates.beat_bytes;
  figures.beats_per_burst =
      ratio(read + written, c.of("read_bursts", port) + c.of("write_bursts", port));
  figures.utilisation = ratio(read + written, accounting.cycles);
  figures.efficiency = ratio(read + written, accounting.cycles - unit.of(StateKind::idle));
  return figures;
}

Roofline roofline(const Counters& c, const MachineRates& rates) {
  return roofline(c, rates, c.of(c.info->work) * rates.macs_per_work);
}

Roofline roofline(const Counters& c, const MachineRates& rates, std::uint64_t macs) {
  Roofline r;
  const std::uint64_t cycles = c.cycles();
  const std::size_t ports = c.info->traffic.ports.size();
  r.macs = macs;
  for (unsigned p = 0; p < ports; ++p)
    r.bytes += (c.of("read_beats", p) + c.of("write_beats", p)) * rates.beat_bytes;
  r.macs_per_cycle = ratio(r.macs, cycles);
  r.bytes_per_cycle = ratio(r.bytes, cycles);
  r.peak_macs_per_cycle = static_cast<double>(rates.peak_macs);
  r.peak_bytes_per_cycle = static_cast<double>(ports * rates.beat_bytes);
  if (ports > 0) r.ridge = r.peak_macs_per_cycle / r.peak_bytes_per_cycle;
  if (r.bytes > 0) r.intensity = ratio(r.macs, r.bytes);
  r.memory_bound = r.intensity.value_or(r.ridge) < r.ridge;
  r.attainable = r.memory_bound ? *r.intensity * r.peak_bytes_per_cycle : r.peak_macs_per_cycle;
  r.share_of_roof = r.attainable > 0 ? r.macs_per_cycle / r.attainable : 0;
  return r;
}

std::vector<LostCycles> lost_cycles(const Counters& counters) {
  std::vector<LostCycles> lost;
  for (std::size_t i = 0; i < counters.time.size(); ++i) {
    if (is_lost(*counters.info, i) && counters.time[i] != 0) lost.push_back({i, counters.time[i]});
  }
  std::stable_sort(lost.begin(), lost.end(),
                   [](const LostCycles& a, const LostCycles& b) { return a.cycles > b.cycles; });
  return lost;
}

MainReason main_reason(const Counters& counters) {
  const TimeInfo& time = counters.info->time;
  std::vector<MainReason> groups(time.groups.size());
  MainReason most;
  for (const LostCycles& lost : lost_cycles(counters)) {  // largest first
    MainReason& group = groups[time.reasons[lost.reason].group];
    if (group.group_cycles == 0)
      group = {time.reasons[lost.reason].group, lost.reason, 0, lost.cycles};
    group.group_cycles += lost.cycles;
    if (group.group_cycles > most.group_cycles) most = group;
  }
  return most;
}

std::uint64_t lost_total(const Counters& counters) {
  std::uint64_t total = 0;
  for (const LostCycles& lost : lost_cycles(counters)) total += lost.cycles;
  return total;
}

std::uint64_t busy_cycles(const Counters& counters) {
  return counters.cycles() - lost_total(counters);
}

bool knows_macs(const MachineInfo& machine) {
  return std::any_of(
      machine.layer_figures.begin(), machine.layer_figures.end(),
      [](const FigureInfo& figure) { return figure.name == array_figures::useful_name; });
}

bool is_lost(const MachineInfo& machine, std::size_t reason) {
  return machine.time.states[reason].kind != StateKind::busy;
}

Json accounting_json(const Accounting& accounting, const MachineRates& rates,
                     std::optional<std::uint64_t> macs) {
  const MachineInfo& machine = *accounting.totals.info;
  Json json;
  json["cycles"] = accounting.cycles;
  const std::vector<LostCycles> lost = lost_cycles(accounting.totals);
  Json& lost_object = json["lost_cycles"];
  lost_object["total"] = lost_total(accounting.totals);
  lost_object["share"] =
      rate(ratio(lost_total(accounting.totals), accounting.cycles), accounting.cycles);
  lost_object["top"] = Json::array();
  for (std::size_t i = 0; i < std::min<std::size_t>(3, lost.size()); ++i) {
    lost_object["top"].push_back(name_of(machine, lost[i].reason));
  }
  lost_object["reasons"] = Json::object();
  for (std::size_t i = 0; i < machine.time.states.count; ++i) {
    if (!is_lost(machine, i) || !accounting.has(machine.time.states[i].needs)) continue;
    lost_object["reasons"][name_of(machine, i)] = accounting.totals.time[i];
  }
  json["units"] = units_json(accounting);
  json["instructions"] = instructions_json(accounting, rates);
  for (unsigned p = 0; p < machine.traffic.ports.size(); ++p) {
    const PortFigures port = port_figures(accounting, p, rates);
    Json& entry =
        json[std::string(machine.traffic.name)][std::string(machine.traffic.ports[p].unit)];
    entry["bytes_read"] = port.bytes_read;
    entry["bytes_written"] = port.bytes_written;
    entry["beats_per_burst"] = rate(port.beats_per_burst, accounting.cycles);
    entry["utilisation"] = rate(port.utilisation, accounting.cycles);
    entry["efficiency"] = rate(port.efficiency, accounting.cycles);
  }
  json["roofline"] = roofline_json(accounting, rates, macs);
  json["layers"] = layers_json(accounting, rates);
  return json;
}

Json figures_json(const Accounting& accounting, const Json& own) {
  Json json = Json::object();
  const FigureTable table(*accounting.totals.info);
  for (const Figure& figure : table.all()) {
    if (!accounting.has(figure.needs) && !own.contains(figure.needs)) continue;
    json[figure.name] = {{"unit", figure.unit}, {"meaning", figure.meaning}};
  }
  return json;
}

bool is_predicted(const std::vector<Expectation>& expected) {
  return std::any_of(expected.begin(), expected.end(),
                     [](const Expectation& e) { return e.predicted_cycles != 0; });
}

Expectation expectation(const std::vector<Expectation>& all, std::size_t region) {
  return region < all.size() ? all[region] : Expectation{};
}

double deviation(const Expectation& expected, const RegionFigures& region) {
  const std::uint64_t cycles = region.counters.cycles();
  if (cycles == 0) return 0;
  return static_cast<double>(expected.predicted_cycles) / static_cast<double>(cycles) - 1;
}

std::vector<std::string> prediction_findings(const Accounting& accounting,
                                             const std::vector<Expectation>& expected) {
  constexpr double layer_limit = 0.05, run_limit = 0.03, least_share = 0.01;
  std::vector<std::string> findings;
  std::uint64_t predicted = 0;
  for (std::size_t i = 0; i < accounting.regions.size(); ++i) {
    const RegionFigures& region = accounting.regions[i];
    const Expectation of_layer = expectation(expected, i);
    predicted += of_layer.predicted_cycles;
    const std::uint64_t cycles = region.counters.cycles();
    if (of_layer.predicted_cycles == 0 || ratio(cycles, accounting.cycles) < least_share) continue;
    const double off = deviation(of_layer, region);
    if (std::abs(off) <= layer_limit) continue;
    findings.push_back(
        fmt::format("layer {}: {} cycles, {} were predicted ({:+.1f} %): more than "
                    "5 % off",
                    region.name, cycles, of_layer.predicted_cycles, 100 * off));
  }
  if (predicted == 0) return findings;
  const double off = static_cast<double>(predicted) / static_cast<double>(accounting.cycles) - 1;
  if (std::abs(off) > run_limit) {
    findings.push_back(fmt::format(
        "the run: {} cycles, {} were predicted ({:+.1f} %): more than 3 % off. The cost "
        "model knows a memory of fixed latency",
        accounting.cycles, predicted, 100 * off));
  }
  return findings;
}

}  // namespace tactus
