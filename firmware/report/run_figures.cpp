#include "firmware/report/run_figures.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace tactus {
namespace {

using Json = nlohmann::ordered_json;

std::string name_of(ArrayTime::State reason) {
  return std::string(ArrayTime::state_table[reason].name);
}

Json lost_json(const Counters& counters) {
  Json reasons = Json::object();
  for (const LostCycles& lost : lost_cycles(counters)) reasons[name_of(lost.reason)] = lost.cycles;
  return reasons;
}

std::array<std::uint64_t, 2> bytes(const std::array<std::uint64_t, 2>& beats, const Shape& shape) {
  return {beats[0] * shape.beat_bytes, beats[1] * shape.beat_bytes};
}

Json units_json(const Accounting& accounting, const Shape& shape) {
  Json units = Json::object();
  for (const UnitCycles& unit : accounting.units) {
    if (&unit == &accounting.units.back()) break;  // the array's time is told as lost cycles
    Json& states = units[unit.unit];
    for (std::size_t s = 0; s < unit.cycles.size(); ++s) {
      if (!shape.has(unit.states[s].name)) continue;
      states[std::string(unit.states[s].name)] = unit.cycles[s];
    }
  }
  return units;
}

Json instructions_json(const Accounting& accounting, const Shape& shape) {
  Json kinds = Json::object();
  for (std::size_t k = 0; k < tcu::instruction_kinds; ++k) {
    const KindFigures& figures = accounting.kinds[k];
    if (!shape.has(tcu::instruction_kind_infos[k].name)) continue;
    Json& json = kinds[std::string(tcu::instruction_kind_infos[k].name)];
    json["count"] = figures.count;
    json["vectors"] = figures.vectors;
    json["bytes"] = figures.vectors * shape.vector_bytes;
    json["head_cycles"] = figures.head_cycles();
    json["head_busy"] = figures.head[Decoder::busy];
    json["waits"] = Json::object();
    for (std::size_t s = 0; s < figures.head.size(); ++s) {
      if (s == Decoder::busy || figures.head[s] == 0) continue;
      json["waits"][std::string(Decoder::state_table[s].name)] = figures.head[s];
    }
  }
  return kinds;
}

Json roofline_json(const Roofline& r) {
  Json json;
  json["macs"] = r.macs;
  json["macs_per_cycle"] = r.macs_per_cycle;
  json["peak_macs_per_cycle"] = r.peak_macs_per_cycle;
  json["bytes"] = r.bytes;
  json["bytes_per_cycle"] = r.bytes_per_cycle;
  json["peak_bytes_per_cycle"] = r.peak_bytes_per_cycle;
  json["intensity"] = r.intensity ? Json(*r.intensity) : Json();
  json["ridge"] = r.ridge;
  json["attainable_macs_per_cycle"] = r.attainable;
  json["share_of_roof"] = r.share_of_roof;
  json["bound"] = r.memory_bound ? "memory" : "compute";
  return json;
}

Json layers_json(const Accounting& accounting, const Shape& shape) {
  Json layers = Json::array();
  for (const RegionFigures& region : accounting.regions) {
    const Counters& c = region.counters;
    const std::vector<LostCycles> lost = lost_cycles(c);
    Json json;
    json["name"] = region.name;
    json["instructions"] = region.instructions;
    json["cycles"] = c.cycles();
    json["share"] = ratio(c.cycles(), accounting.cycles);
    json["array_runs"] = c.array_runs;
    json["array_loads"] = c.array_loads;
    json["alu_operations"] = c.alu_operations;
    json["array_utilisation"] = ratio(c.array_runs, c.cycles());
    json["bytes_read"] = bytes(c.read_beats, shape);
    json["bytes_written"] = bytes(c.write_beats, shape);
    json["main_reason"] = lost.empty() ? Json() : Json(name_of(lost.front().reason));
    json["lost"] = lost_json(c);
    layers.push_back(std::move(json));
  }
  return layers;
}

}  // namespace

double ratio(std::uint64_t num, std::uint64_t den) {
  return den == 0 ? 0 : static_cast<double>(num) / static_cast<double>(den);
}

PortFigures port_figures(const Accounting& accounting, unsigned port, const Shape& shape) {
  const Counters& c = accounting.totals;
  const UnitCycles& unit = accounting.unit(port == 0 ? "dram0" : "dram1");
  const std::uint64_t beats = c.read_beats[port] + c.write_beats[port];
  PortFigures figures;
  figures.bytes_read = c.read_beats[port] * shape.beat_bytes;
  figures.bytes_written = c.write_beats[port] * shape.beat_bytes;
  figures.beats_per_burst = ratio(beats, c.read_bursts[port] + c.write_bursts[port]);
  figures.utilisation = ratio(beats, accounting.cycles);
  figures.efficiency = ratio(beats, accounting.cycles - unit.of(StateKind::idle));
  return figures;
}

Roofline roofline(const Counters& c, const Shape& shape) {
  Roofline r;
  const std::uint64_t cycles = c.cycles();
  r.macs = c.array_runs * shape.array_size * shape.array_size;
  for (unsigned p = 0; p < 2; ++p)
    r.bytes += (c.read_beats[p] + c.write_beats[p]) * shape.beat_bytes;
  r.macs_per_cycle = ratio(r.macs, cycles);
  r.bytes_per_cycle = ratio(r.bytes, cycles);
  r.peak_macs_per_cycle = static_cast<double>(shape.array_size * shape.array_size);
  r.peak_bytes_per_cycle = static_cast<double>(2 * shape.beat_bytes);
  r.ridge = r.peak_macs_per_cycle / r.peak_bytes_per_cycle;
  if (r.bytes > 0) r.intensity = ratio(r.macs, r.bytes);
  r.memory_bound = r.intensity.value_or(r.ridge) < r.ridge;
  r.attainable = r.memory_bound ? *r.intensity * r.peak_bytes_per_cycle : r.peak_macs_per_cycle;
  r.share_of_roof = r.attainable > 0 ? r.macs_per_cycle / r.attainable : 0;
  return r;
}

std::vector<LostCycles> lost_cycles(const Counters& counters) {
  std::vector<LostCycles> lost;
  for (std::size_t i = 0; i < counters.array_time.size(); ++i) {
    if (i == ArrayTime::compute || counters.array_time[i] == 0) continue;
    lost.push_back({static_cast<ArrayTime::State>(i), counters.array_time[i]});
  }
  std::stable_sort(lost.begin(), lost.end(),
                   [](const LostCycles& a, const LostCycles& b) { return a.cycles > b.cycles; });
  return lost;
}

std::uint64_t lost_total(const Counters& counters) {
  return counters.cycles() - counters.array_time[ArrayTime::compute];
}

Json accounting_json(const Accounting& accounting, const Shape& shape) {
  Json json;
  json["cycles"] = accounting.cycles;
  const std::vector<LostCycles> lost = lost_cycles(accounting.totals);
  Json& lost_object = json["lost_cycles"];
  lost_object["total"] = lost_total(accounting.totals);
  lost_object["share"] = ratio(lost_total(accounting.totals), accounting.cycles);
  lost_object["top"] = Json::array();
  for (std::size_t i = 0; i < std::min<std::size_t>(3, lost.size()); ++i) {
    lost_object["top"].push_back(name_of(lost[i].reason));
  }
  lost_object["reasons"] = Json::object();
  for (std::size_t i = 0; i < ArrayTime::states; ++i) {
    if (i == ArrayTime::compute || !shape.has(ArrayTime::state_table[i].name)) continue;
    lost_object["reasons"][name_of(static_cast<ArrayTime::State>(i))] =
        accounting.totals.array_time[i];
  }
  json["units"] = units_json(accounting, shape);
  json["instructions"] = instructions_json(accounting, shape);
  for (unsigned p = 0; p < 2; ++p) {
    const PortFigures port = port_figures(accounting, p, shape);
    Json& dram = json["dram"][p == 0 ? "dram0" : "dram1"];
    dram["bytes_read"] = port.bytes_read;
    dram["bytes_written"] = port.bytes_written;
    dram["beats_per_burst"] = port.beats_per_burst;
    dram["utilisation"] = port.utilisation;
    dram["efficiency"] = port.efficiency;
  }
  json["roofline"] = roofline_json(roofline(accounting.totals, shape));
  json["layers"] = layers_json(accounting, shape);
  return json;
}

Json figures_json(const Shape& shape) {
  Json json = Json::object();
  for (const Figure& figure : figures()) {
    if (!shape.has(figure.name)) continue;
    json[figure.name] = {{"unit", figure.unit}, {"meaning", figure.meaning}};
  }
  return json;
}

}  // namespace tactus
