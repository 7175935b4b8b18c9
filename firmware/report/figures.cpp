#include "firmware/report/figures.h"

#include <algorithm>

#include <fmt/format.h>

#include "isa/support/error.h"
#include "isa/support/text.h"

namespace tactus {
namespace {

struct Row {
  const char* name;
  const char* unit;
  const char* meaning;
};

/// Figures that every machine has. MachineInfo::meanings may add to their explanations.
constexpr Row first_rows[] = {
    {"tool", "text", "always tactus"},
    {"version", "text", "version of Tactus"},
    {"revision", "text", "git revision Tactus was built from"},
    {"end", "text", "why the run ended: finished, hang or cycle_limit"},
    {"cycles", "cycle", "cycles of the run, from its first to its last event"},
    {"latency_ms", "ms", "cycles at --clock-mhz"},
    {"instructions", "count", "instructions of the program"},
    {"instructions_retired", "count", "instructions that retired"},
    {"last_retire", "cycle", "cycle in which the last instruction retired"},
};
/// Figures that every machine has. They follow the machine's own figures of a run.
constexpr Row middle_rows[] = {
    {"constants_cycles", "cycles",
     "constants, once: cycles before the first image in which a model's constants are copied to "
     "local memory; of several units the most. They are in no latency, throughput and energy"},
    {"total_cycles", "cycles", "cycles of the machine for all images and their preparation"},
    {"wall_seconds", "s", "time that this computer took for the simulation alone"},
    {"cycles_per_second", "1/s", "total_cycles / wall_seconds"},
    {"engine.evaluated_cycles", "cycles",
     "of total_cycles, those that the engine has evaluated one by one; of several units all engine "
     "figures are the first's. How it passes cycles changes no other figure"},
    {"engine.skipped_cycles", "cycles", "of total_cycles, those in which all units slept"},
    {"engine.taken_cycles", "cycles", "of total_cycles, those of known sequences of instructions"},
    {"engine.visits_per_burst", "count",
     "look-ups of what the design does beside the board's memory, for each burst; null if there "
     "are none"},
    {"host_work.nodes_before", "count",
     "operators of the model that this computer computes before the program, an image; only models "
     "with such work have host_work figures"},
    {"host_work.nodes_behind", "count", "operators that it computes behind the program, an image"},
    {"host_work.seconds_before", "s",
     "time that this computer took for those before the program, all images; it is in no cycles"},
    {"host_work.seconds_behind", "s",
     "time that it took for those behind the program, all images; it is in no cycles"},
    {"images.*", "",
     "the figures of each image, under the same names without this prefix; a program that computes "
     "several images in a run has them for each run"},
    {"throughput.images", "count", "images computed in all runs"},
    {"throughput.batch", "count", "images that one run computes together"},
    {"throughput.seconds", "s",
     "time of all runs, one after the other, with the host's host_us in each; for several units, "
     "the longest time of a unit"},
    {"throughput.frames_per_second", "1/s", "images / seconds"},
    {"throughput.latency_cycles.*", "",
     "cycles of a run, which are the latency of each of its images: min, median, p95 (the latency "
     "that 95 % do not exceed), max"},
    {"throughput.latency_ms.*", "", "throughput.latency_cycles in ms at --clock-mhz"},
    {"throughput.ms_per_image.*", "", "throughput.latency_ms / images of a run"},
    {"tcus.count", "count", "units behind one memory (--tcus); image i runs on unit i mod count"},
    {"tcus.alone_cycles", "cycles",
     "cycles of the first image on a unit that has the memory alone; simulated first"},
    {"tcus.speed_up", "ratio",
     "throughput.frames_per_second / frames per second of a unit that has the memory alone"},
    {"tcus.memory.waits", "ns",
     "time that accesses of each unit wait for those of each unit; a list for each unit"},
    {"tcus.memory.*", "",
     "figures of the units' memory, from the first cycle of all units to the last"},
    {"tcus.each", "list",
     "for each unit: its images, their cycles, lost_cycles by reason "
     "(accounting.lost_cycles.reasons), and waits of its DRAM ports and stream "
     "(accounting.units.memory0); queue counts cycles in which the memory serves other accesses, "
     "also those of other units"},
    {"tcus.each.*", "", "see tcus.each"},
    {"unwritten_reads.count", "reads",
     "vectors read inside the machine although nothing has written them since its reset: in local "
     "memory, accumulators, the array's weights, SIMD registers and lookup tables; an instruction "
     "that accumulates reads, too. Counted in the whole program, however far it ran"},
    {"unwritten_reads.instructions", "count", "instructions with such reads"},
    {"unwritten_reads.first", "text", "the first such read; null if there is none"},
    {"config.*", "", "the machine and how it was run; units are in the names"},
    {"rerun.*", "",
     "the whole configuration, as tactus run --config reads it; --config also reads this whole "
     "file"},
    {"figures.*", "", "these explanations, for the figures in the file"},
    {"accounting.cycles", "cycles",
     "cycles that are accounted for: from the first until the machine is idle again"},
    {"accounting.lost_cycles.total", "cycles", "cycles in which the main unit does not work"},
    {"accounting.lost_cycles.share", "0..1", "lost cycles / accounting.cycles"},
    {"accounting.lost_cycles.top", "text", "the three reasons that cost most, the largest first"},
    {"accounting.instructions.KIND.count", "count", "instructions of the kind that retired"},
    {"accounting.instructions.KIND.vectors", "vectors", "vectors that they copy or compute on"},
    {"accounting.instructions.KIND.bytes", "bytes", "vectors times the bytes of a vector"},
    {"accounting.instructions.KIND.head_cycles", "cycles",
     "cycles in which an instruction of this kind is at the head of its unit"},
    {"accounting.instructions.KIND.head_busy", "cycles",
     "head_cycles in which the unit is busy with it; in all others it waits"},
    {"accounting.instructions.KIND.waits.WAIT", "cycles",
     "head_cycles in which it waits, by state of the unit; states that do not occur are left out"},
    {"accounting.TRAFFIC.PORT.bytes_read", "bytes", "read at the pins"},
    {"accounting.TRAFFIC.PORT.bytes_written", "bytes", "written at the pins"},
    {"accounting.TRAFFIC.PORT.beats_per_burst", "beats", "mean length of a burst at the pins"},
    {"accounting.TRAFFIC.PORT.utilisation", "0..1",
     "share of all cycles in which a beat passes the pins"},
    {"accounting.TRAFFIC.PORT.efficiency", "0..1",
     "cycles in which a beat passes the pins / cycles in which the port has work"},
    {"accounting.roofline.peak_macs_per_cycle", "1/cycle",
     "multiply-accumulates that a cycle can have at most"},
    {"accounting.roofline.bytes", "bytes", "bytes read and written at all memory ports"},
    {"accounting.roofline.bytes_per_cycle", "bytes/cycle", "bytes / accounting.cycles"},
    {"accounting.roofline.peak_bytes_per_cycle", "bytes/cycle",
     "one beat a cycle on every memory port"},
    {"accounting.roofline.ridge", "1/byte",
     "intensity above which the main unit is the limit, not the memory: peak_macs_per_cycle / "
     "peak_bytes_per_cycle"},
    {"accounting.roofline.POINT", "point",
     "useful: counts the multiply-accumulates that the network asks for, null if not known; busy: "
     "counts those of all cycles in which the array is busy, padding included"},
    {"accounting.roofline.POINT.macs", "count", "multiply-accumulates of the point"},
    {"accounting.roofline.POINT.macs_per_cycle", "1/cycle", "macs / accounting.cycles"},
    {"accounting.roofline.POINT.intensity", "1/byte", "macs / bytes; null without memory traffic"},
    {"accounting.roofline.POINT.attainable_macs_per_cycle", "1/cycle",
     "the roof at this intensity: min(peak_macs_per_cycle, intensity * peak_bytes_per_cycle)"},
    {"accounting.roofline.POINT.share_of_roof", "0..1",
     "macs_per_cycle / attainable_macs_per_cycle"},
    {"accounting.roofline.POINT.bound", "text",
     "which part of the roof is above the point: memory or compute"},
    {"accounting.layers.name", "text",
     "layer or region; (other): instructions outside all of them; (end): cycles after the "
     "program's last retire"},
    {"accounting.layers.instructions", "count", "instructions that retired in the layer"},
    {"accounting.layers.cycles", "cycles",
     "cycles from the retire before its first instruction to the retire of its last; layers add up "
     "to accounting.cycles"},
    {"accounting.layers.share", "0..1", "its cycles / accounting.cycles"},
    {"accounting.layers.predicted_cycles", "cycles",
     "cycles that the optimising compiler expects with memory of fixed latency; only for its "
     "programs"},
    {"accounting.layers.bound_cycles", "cycles",
     "lower bound: cycles of the layer's matrices, weight changes and DataMoves of accumulators "
     "alone; only for the optimising compiler's programs"},
};
/// Figures that every machine has. They follow the machine's own figures of a layer.
constexpr Row last_rows[] = {
    {"accounting.layers.bytes_read", "bytes", "bytes read in the layer's cycles, by memory port"},
    {"accounting.layers.bytes_written", "bytes",
     "bytes written in the layer's cycles, by memory port"},
    {"accounting.layers.main_reason", "text",
     "the reason for most of its lost cycles, null if none is lost"},
    {"accounting.layers.lost.REASON", "cycles",
     "its lost cycles by reason; reasons that do not occur are left out"},
};

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

class Builder {
 public:
  explicit Builder(const MachineInfo& machine) : machine_(machine) {}

  std::vector<Figure> build() {
    for (const Row& row : first_rows) add(row);
    add(machine_.run_figures, "");
    for (const Row& row : middle_rows) add(row);
    add(machine_.layer_figures, "accounting.layers.");
    for (const Row& row : last_rows) add(row);
    for (std::size_t s = 0; s < machine_.time.states.count; ++s) {
      const UnitState& state = machine_.time.states[s];
      if (state.kind == StateKind::busy) continue;
      figures_.push_back({fmt::format("accounting.lost_cycles.reasons.{}", state.name), "cycles",
                          std::string(state.meaning), state.needs});
    }
    for (const UnitInfo& unit : machine_.units) {
      for (std::size_t s = 0; s < unit.states.count; ++s) {
        const UnitState& state = unit.states[s];
        figures_.push_back({fmt::format("accounting.units.{}.{}", unit.name, state.name), "cycles",
                            fmt::format("{}: {}", kind_name(state.kind), state.meaning),
                            state.needs.empty() ? unit.name : state.needs});
      }
    }
    return std::move(figures_);
  }

 private:
  void add(const Row& row) {
    std::string name = row.name;
    constexpr std::string_view traffic = "TRAFFIC";
    if (const auto at = name.find(traffic); at != std::string::npos) {
      if (machine_.traffic.ports.empty()) return;
      name.replace(at, traffic.size(), machine_.traffic.name);
    }
    std::string meaning = row.meaning;
    for (const FigureMeaning& own : machine_.meanings) {
      if (own.name == name) meaning = own.meaning;
    }
    figures_.push_back({std::move(name), row.unit, std::move(meaning)});
  }
  void add(const std::vector<FigureInfo>& rows, std::string_view prefix) {
    for (const FigureInfo& row : rows) {
      figures_.push_back({fmt::format("{}{}", prefix, row.name), std::string(row.unit),
                          std::string(row.meaning), row.needs});
    }
  }

  const MachineInfo& machine_;
  std::vector<Figure> figures_;
};

bool names_state(const UnitStates& states, std::string_view name) {
  return std::any_of(states.states, states.states + states.count,
                     [&](const UnitState& state) { return state.name == name; });
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

}  // namespace

FigureTable::FigureTable(const MachineInfo& machine)
    : machine_(machine), figures_(Builder(machine).build()) {}

bool FigureTable::stands_for(std::string_view placeholder, std::string_view segment) const {
  if (placeholder == "KIND") {
    return std::any_of(machine_.kinds.begin(), machine_.kinds.end(),
                       [&](const KindInfo& kind) { return kind.name == segment; });
  }
  if (placeholder == "WAIT") {
    return std::any_of(machine_.units.begin(), machine_.units.end(), [&](const UnitInfo& unit) {
      return unit.heads && std::any_of(unit.states.states, unit.states.states + unit.states.count,
                                       [&](const UnitState& state) {
                                         return state.kind == StateKind::stall &&
                                                state.name == segment;
                                       });
    });
  }
  if (placeholder == "PORT") {
    return std::any_of(machine_.traffic.ports.begin(), machine_.traffic.ports.end(),
                       [&](const PortInfo& port) { return port.unit == segment; });
  }
  if (placeholder == "POINT") return segment == "useful" || segment == "busy";
  if (placeholder == "REASON") return names_state(machine_.time.states, segment);
  return false;
}

/// True if the name of the figure ends with the wanted segments. The name "a.b.*" stands for every
/// name below a.b, so it ends with "b.x" and with "a.b.x" for every x.
bool FigureTable::ends_with(const Figure& figure,
                            const std::vector<std::string_view>& wanted) const {
  std::vector<std::string_view> parts = segments(figure.name);
  if (parts.back() == "*") {
    parts.pop_back();
    for (std::size_t n = 1; n <= parts.size() && n < wanted.size(); ++n) {
      if (std::equal(parts.end() - static_cast<std::ptrdiff_t>(n), parts.end(), wanted.begin()))
        return true;
    }
    return false;
  }
  if (wanted.size() > parts.size()) return false;
  return std::equal(
      wanted.rbegin(), wanted.rend(), parts.rbegin(),
      [this](std::string_view w, std::string_view p) { return p == w || stands_for(p, w); });
}

const Figure* FigureTable::find(std::string_view name) const {
  const std::vector<std::string_view> wanted = segments(name);
  for (const Figure& figure : figures_) {
    const std::vector<std::string_view> parts = segments(figure.name);
    if (figure.name.back() == '*') {
      const std::string_view prefix(figure.name.data(), figure.name.size() - 1);
      if (name.substr(0, prefix.size()) == prefix) return &figure;
    }
    if (parts.size() == wanted.size() && ends_with(figure, wanted)) return &figure;
  }
  return nullptr;
}

std::vector<const Figure*> FigureTable::matches(std::string_view name) const {
  if (const Figure* figure = find(name)) return {figure};
  std::vector<const Figure*> found;
  for (const Figure& figure : figures_) {
    const bool below = figure.name.rfind(std::string(name) + ".", 0) == 0 ||
                       figure.name.find("." + std::string(name) + ".") != std::string::npos;
    if (ends_with(figure, segments(name)) || below) found.push_back(&figure);
  }
  return found;
}

std::vector<const Figure*> FigureTable::explain(std::string_view name) const {
  if (auto found = matches(name); !found.empty()) return found;
  std::vector<std::string_view> candidates;
  for (const Figure& figure : figures_) {
    // The candidates are all endings of the name, and the first segment of each ending.
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

std::string FigureTable::markdown() const {
  std::string text = "| name | unit | meaning |\n|---|---|---|\n";
  for (const Figure& figure : figures_) {
    text += fmt::format("| `{}` | {} | {} |\n", figure.name, figure.unit, figure.meaning);
  }
  return text;
}

}  // namespace tactus
