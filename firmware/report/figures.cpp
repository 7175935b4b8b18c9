#include "firmware/report/figures.h"

#include <algorithm>

#include <fmt/format.h>

#include "firmware/driver/common/accounting.h"
#include "isa/support/error.h"
#include "isa/support/text.h"
#include "models/axi/axi_slave.h"

namespace tactus {
namespace {

struct Row {
  const char* name;
  const char* unit;
  const char* meaning;
};

constexpr Row fixed_rows[] = {
    {"tool", "text", "always tactus"},
    {"version", "text", "version of Tactus"},
    {"revision", "text", "git revision Tactus was built from"},
    {"end", "text", "why the run ended: finished, hang or cycle_limit"},
    {"cycles", "cycle",
     "last retire or write response, counted from the image's start; in driver mode, the arrival "
     "of "
     "the probe"},
    {"latency_ms", "ms", "cycles at --clock-mhz"},
    {"instructions", "count", "instructions of the program"},
    {"instructions_retired", "count", "instructions that left the decoder, padding included"},
    {"last_retire", "cycle",
     "retire of the stream's last instruction (models, padding included) or the program's (bare "
     "programs)"},
    {"last_b0", "cycle", "last write response of DRAM port 0, null if there was none"},
    {"last_b1", "cycle", "last write response of DRAM port 1, null if there was none"},
    {"probe", "cycle", "driver mode: the probe's copy is in DRAM0; else null"},
    {"read_beats", "count", "beats read at the pins, of ports 0 and 1"},
    {"write_beats", "count", "beats written at the pins, of ports 0 and 1"},
    {"read_bursts", "count", "read bursts at the pins, of ports 0 and 1"},
    {"write_bursts", "count", "write bursts at the pins, of ports 0 and 1"},
    {"array_runs", "vectors", "vectors multiplied, zero vectors included"},
    {"array_loads", "vectors", "weight vectors that entered the array"},
    {"array_utilisation", "0..1",
     "array_runs / cycles: share of the array's multiply-accumulates that were used"},
    {"alu_operations", "count", "SIMD operations on vectors"},
    {"dais.block", "text",
     "name of a DAIS block; figures named dais or wait_dais are those of machines with blocks"},
    {"dais.instructions", "count", "Dais instructions for the block that retired"},
    {"dais.samples", "count", "samples that entered the block"},
    {"total_cycles", "cycles", "of the machine: all images and their preparation"},
    {"wall_seconds", "s", "time of the host, simulation only"},
    {"cycles_per_second", "1/s", "total_cycles / wall_seconds"},
    {"images.*", "", "the same figures for each image, without the prefix"},
    {"config.*", "", "the machine and how it was run; units are in the names"},
    {"figures.*", "", "this table, for the figures of the file"},
    {"accounting.cycles", "cycles",
     "cycles that are accounted for: from the first until the machine is idle again"},
    {"accounting.lost_cycles.total", "cycles",
     "cycles in which the array multiplies no vector: accounting.cycles - array_runs"},
    {"accounting.lost_cycles.share", "0..1", "lost cycles / accounting.cycles"},
    {"accounting.lost_cycles.top", "text", "the three reasons that cost most, the largest first"},
    {"accounting.instructions.KIND.count", "count", "instructions of the kind that retired"},
    {"accounting.instructions.KIND.vectors", "vectors",
     "what they move, multiply, load or compute on; of Dais the input vectors"},
    {"accounting.instructions.KIND.bytes", "bytes", "vectors times the bytes of a vector"},
    {"accounting.instructions.KIND.head_cycles", "cycles",
     "cycles in which one of the kind is at the decoder's head"},
    {"accounting.instructions.KIND.head_busy", "cycles",
     "those in which it retires or sends a request to local memory; the others are waits"},
    {"accounting.instructions.KIND.waits.WAIT", "cycles",
     "cycles at the head spent waiting, by state of the decoder; those that do not occur are left "
     "out"},
    {"accounting.dram.PORT.bytes_read", "bytes", "read at the pins"},
    {"accounting.dram.PORT.bytes_written", "bytes", "written at the pins"},
    {"accounting.dram.PORT.beats_per_burst", "beats", "mean length of a burst at the pins"},
    {"accounting.dram.PORT.utilisation", "0..1",
     "share of all cycles in which a beat passes the pins"},
    {"accounting.dram.PORT.efficiency", "0..1",
     "share of the cycles in which the port has work that a beat passes the pins"},
    {"accounting.roofline.macs", "count", "multiply-accumulates: array_runs times N times N"},
    {"accounting.roofline.macs_per_cycle", "1/cycle", "macs / accounting.cycles"},
    {"accounting.roofline.peak_macs_per_cycle", "1/cycle", "N times N"},
    {"accounting.roofline.bytes", "bytes", "read and written at both DRAM ports"},
    {"accounting.roofline.bytes_per_cycle", "bytes/cycle", "bytes / accounting.cycles"},
    {"accounting.roofline.peak_bytes_per_cycle", "bytes/cycle",
     "one beat a cycle on both ports, each of which reads or writes but not both at once"},
    {"accounting.roofline.intensity", "1/byte", "macs / bytes; null without DRAM traffic"},
    {"accounting.roofline.ridge", "1/byte",
     "intensity from which on the array and not the memory is the limit: peak_macs_per_cycle / "
     "peak_bytes_per_cycle"},
    {"accounting.roofline.attainable_macs_per_cycle", "1/cycle",
     "the roof at this intensity: min(peak_macs_per_cycle, intensity * peak_bytes_per_cycle)"},
    {"accounting.roofline.share_of_roof", "0..1", "macs_per_cycle / attainable_macs_per_cycle"},
    {"accounting.roofline.bound", "text",
     "which part of the roof is above the program: memory or compute"},
    {"accounting.layers.name", "text",
     "layer or region; (other): instructions outside all of them, (end): what follows the "
     "program's last retire"},
    {"accounting.layers.instructions", "count", "instructions that retired in it"},
    {"accounting.layers.cycles", "cycles",
     "cycles from the retire before its first instruction to the retire of its last; layers add up "
     "to accounting.cycles"},
    {"accounting.layers.share", "0..1", "its cycles / accounting.cycles"},
    {"accounting.layers.array_runs", "vectors", "vectors multiplied in these cycles"},
    {"accounting.layers.array_loads", "vectors", "weight vectors that entered in these cycles"},
    {"accounting.layers.alu_operations", "count", "SIMD operations issued in these cycles"},
    {"accounting.layers.array_utilisation", "0..1", "its array_runs / its cycles"},
    {"accounting.layers.bytes_read", "bytes", "read in these cycles, at ports 0 and 1"},
    {"accounting.layers.bytes_written", "bytes", "written in these cycles, at ports 0 and 1"},
    {"accounting.layers.main_reason", "text",
     "the reason for most of its lost cycles, null if none is lost"},
    {"accounting.layers.lost.REASON", "cycles",
     "its lost cycles by reason; reasons that do not occur are left out"},
};

struct Unit {
  UnitInfo info;
  UnitStates states;
};

const std::vector<Unit>& units() {
  static const std::vector<Unit> table{
      {{"stream", "instruction stream"}, StreamAdapter::state_table},
      {{"decoder", "decoder"}, Decoder::state_table},
      {{"array", "systolic array"}, SystolicArray::state_table},
      {{"dais", "DAIS blocks"}, DaisUnit::state_table},
      {{"accumulators", "accumulators"}, AccumulatorWithAlu::state_table},
      {{"alus", "SIMD ALUs"}, AluArray::state_table},
      {{"local_a", "local memory port A"}, DualPortMemory::state_table},
      {{"local_b", "local memory port B"}, DualPortMemory::state_table},
      {{"local_router", "local router"}, LocalRouter::state_table},
      {{"host_router", "host router"}, HostRouter::state_table},
      {{"dram0", "DRAM port 0"}, DramPort::state_table},
      {{"dram1", "DRAM port 1"}, DramPort::state_table},
      {{"slave0", "AXI slave 0"}, AxiSlave::state_table},
      {{"slave1", "AXI slave 1"}, AxiSlave::state_table},
  };
  return table;
}

const char* kind_name(StateKind kind) {
  switch (kind) {
    case StateKind::busy:
      return "busy";
    case StateKind::stall:
      return "stall";
    case StateKind::idle:
      return "idle";
  }
  return "";
}

std::vector<Figure> build() {
  std::vector<Figure> all;
  for (const Row& row : fixed_rows) all.push_back({row.name, row.unit, row.meaning});
  for (std::size_t i = 0; i < ArrayTime::states; ++i) {
    const UnitState& state = ArrayTime::state_table[i];
    if (state.kind == StateKind::busy) continue;
    all.push_back({fmt::format("accounting.lost_cycles.reasons.{}", state.name), "cycles",
                   std::string(state.meaning)});
  }
  for (const Unit& unit : units()) {
    for (std::size_t s = 0; s < unit.states.count; ++s) {
      const UnitState& state = unit.states[s];
      all.push_back({fmt::format("accounting.units.{}.{}", unit.info.name, state.name), "cycles",
                     fmt::format("{}: {}", kind_name(state.kind), state.meaning)});
    }
  }
  return all;
}

bool is_one_of(std::string_view placeholder, std::string_view segment) {
  if (placeholder == "KIND") {
    return std::any_of(tcu::instruction_kind_infos.begin(), tcu::instruction_kind_infos.end(),
                       [&](const auto& kind) { return kind.name == segment; });
  }
  if (placeholder == "WAIT") {
    return std::any_of(
        Decoder::state_table.begin(), Decoder::state_table.end(),
        [&](const auto& state) { return state.kind == StateKind::stall && state.name == segment; });
  }
  if (placeholder == "PORT") return segment == "dram0" || segment == "dram1";
  if (placeholder == "REASON") {
    return std::any_of(ArrayTime::state_table.begin(), ArrayTime::state_table.end(),
                       [&](const auto& state) { return state.name == segment; });
  }
  return false;
}

std::vector<std::string_view> segments(std::string_view name) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto dot = name.find('.');
    parts.push_back(name.substr(0, dot));
    if (dot == std::string_view::npos) return parts;
    name.remove_prefix(dot + 1);
  }
}

bool segment_matches(std::string_view pattern, std::string_view segment) {
  return pattern == segment || is_one_of(pattern, segment);
}

/// Whether the last segments of a figure's name are these.
bool ends_with(const Figure& figure, const std::vector<std::string_view>& wanted) {
  const std::vector<std::string_view> parts = segments(figure.name);
  if (wanted.size() > parts.size()) return false;
  return std::equal(wanted.rbegin(), wanted.rend(), parts.rbegin(),
                    [](std::string_view w, std::string_view p) { return segment_matches(p, w); });
}

}  // namespace

const std::vector<Figure>& figures() {
  static const std::vector<Figure> all = build();
  return all;
}

const Figure* find_figure(std::string_view name) {
  const std::vector<std::string_view> wanted = segments(name);
  for (const Figure& figure : figures()) {
    const std::vector<std::string_view> parts = segments(figure.name);
    if (parts.back() == "*") {
      const std::string_view prefix(figure.name.data(), figure.name.size() - 1);
      if (name.substr(0, prefix.size()) == prefix) return &figure;
    }
    if (parts.size() == wanted.size() && ends_with(figure, wanted)) return &figure;
  }
  return nullptr;
}

std::vector<const Figure*> explain(std::string_view name) {
  if (const Figure* figure = find_figure(name)) return {figure};
  std::vector<const Figure*> found;
  for (const Figure& figure : figures()) {
    const bool below = figure.name.rfind(std::string(name) + ".", 0) == 0 ||
                       figure.name.find("." + std::string(name) + ".") != std::string::npos;
    if (ends_with(figure, segments(name)) || below) found.push_back(&figure);
  }
  if (!found.empty()) return found;
  std::vector<std::string_view> candidates;
  for (const Figure& figure : figures()) {
    // Every end of the name, and every group.
    for (std::string_view end = figure.name;;) {
      candidates.push_back(end);
      const auto dot = end.find('.');
      if (dot == std::string_view::npos) break;
      candidates.push_back(end.substr(0, dot));
      end.remove_prefix(dot + 1);
    }
  }
  std::string nearest = suggestion(name, candidates);
  for (auto it = candidates.begin(); it != candidates.end() && nearest.empty(); ++it) {
    if (!name.empty() && it->find(name) != std::string_view::npos) {
      nearest = fmt::format("; did you mean {}?", quote(*it));
    }
  }
  user_error("tactus explain: no figure is named {}{}; tactus explain lists all", quote(name),
             nearest);
}

bool is_dais_figure(std::string_view name) {
  const std::vector<std::string_view> parts = segments(name);
  return std::any_of(parts.begin(), parts.end(),
                     [](std::string_view part) { return part == "dais" || part == "wait_dais"; });
}

std::string figures_markdown() {
  std::string text = "| name | unit | meaning |\n|---|---|---|\n";
  for (const Figure& figure : figures()) {
    text += fmt::format("| `{}` | {} | {} |\n", figure.name, figure.unit, figure.meaning);
  }
  return text;
}

const std::vector<UnitInfo>& unit_infos() {
  static const std::vector<UnitInfo> infos = [] {
    std::vector<UnitInfo> list;
    for (const Unit& unit : units()) list.push_back(unit.info);
    return list;
  }();
  return infos;
}

std::string_view unit_title(std::string_view unit) {
  for (const UnitInfo& info : unit_infos()) {
    if (info.name == unit) return info.title;
  }
  return unit;
}

}  // namespace tactus
