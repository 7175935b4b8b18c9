#include "firmware/cli/run/layer_windows.h"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "firmware/driver/tcu/host.h"
#include "isa/support/error.h"
#include "isa/support/text.h"

namespace tactus {
namespace {

/// A range [from, to) of the machine's cycles.
struct Cycles {
  Cycle from = ~Cycle{0}, to = 0;
};

/// Cycles of the first image's layers, counted by the machine.
struct FirstRun {
  Cycle begin = 0;
  TcuRunResult result;
};

FirstRun run_first(const RunPlan& plan) {
  TcuSimulation simulation(plan.config);
  TcuRunOptions options;
  apply(plan, options);
  options.regions = regions_of(plan.regions);
  if (!plan.model) {
    for (unsigned p = 0; p < 2; ++p) {
      if (!plan.dram[p].empty()) simulation.write_dram(p, 0, plan.dram[p]);
    }
    return {0, simulation.run(plan.program, options)};
  }
  Host host(simulation, *plan.model, plan.mode);
  if (auto stuck = host.prepare()) return {0, std::move(*stuck)};
  const Cycle begin = simulation.now();
  return {begin, host.run_image(plan.images.front(), options).run};
}

Cycles cycles_of(const std::string& layer, const FirstRun& run, const char* option) {
  Cycles cycles;
  const Accounting& accounting = run.result.accounting;
  for (const RegionSpan& span : accounting.spans) {
    if (accounting.regions[span.region].name != layer) continue;
    cycles.from = std::min(cycles.from, run.begin + span.from);
    cycles.to = std::max(cycles.to, run.begin + span.to);
  }
  if (cycles.from >= cycles.to) {
    user_error("tactus run: --{} {}: the layer takes no cycle of the first image", option,
               quote(layer));
  }
  return cycles;
}

}  // namespace

Args::Option layer_option(const std::string& of) {
  return {of + "-layer", "NAME",
          "only the cycles of this layer in the first image; to find them, the image is first "
          "simulated once more"};
}

void plan_layer_windows(const Args& args, RunPlan& plan) {
  const auto layer_of = [&](const std::string& of, bool written,
                            std::initializer_list<const char*> windows) {
    const std::string option = of + "-layer";
    const auto name = args.text(option);
    if (!name) return name;
    if (!written) {
      user_error("tactus run: --{} needs {}", option,
                 of == "trace" ? "--vcd F.vcd or --fst F.fst" : "--timeline F.json");
    }
    for (const char* window : windows) {
      if (args.has(of + window)) {
        user_error("tactus run: --{} and --{}{} are two windows; give one", option, of, window);
      }
    }
    if (!plan.host.packages.empty()) {
      user_error("tactus run: --{} is for models and programs, not for packages", option);
    }
    std::vector<std::string_view> names;
    for (const tcu::LayerEntry& layer : plan.regions) names.push_back(layer.name);
    if (names.empty()) {
      user_error("tactus run: --{} {}: the run names no layers; --regions F.json names parts",
                 option, quote(*name));
    }
    if (std::find(names.begin(), names.end(), *name) == names.end()) {
      constexpr std::size_t most = 12;
      const std::string guess = suggestion(*name, names);
      if (names.size() > most) names.resize(most);
      user_error("tactus run: --{} {}: there is no such layer{}; --layers prints their names: {}{}",
                 option, quote(*name), guess, quote_list(names),
                 names.size() == most ? ", ..." : "");
    }
    return name;
  };
  plan.trace_layer =
      layer_of("trace", plan.trace.traces(), {"-from", "-to", "-pc", "-tracepoint", "-timeout"});
  plan.timeline_layer = layer_of("timeline", plan.timeline.has_value(), {"-from", "-to"});
}

void use_layer_windows(RunPlan& plan) {
  if (!plan.trace_layer && !plan.timeline_layer) return;
  const FirstRun first = run_first(plan);
  if (plan.trace_layer) {
    const Cycles cycles = cycles_of(*plan.trace_layer, first, "trace-layer");
    plan.trace.window.first = cycles.from;
    plan.trace.window.last = cycles.to - 1;
  }
  if (plan.timeline_layer) {
    const Cycles cycles = cycles_of(*plan.timeline_layer, first, "timeline-layer");
    plan.timeline_options.from = cycles.from;
    plan.timeline_options.to = cycles.to;
  }
}

// ---- the signal ---------------------------------------------------------------------------------

std::uint32_t LayerSignal::counter() const {
  return simulation_.system().tcu().decoder().registers().program_counter;
}

void LayerSignal::begin_run() {
  first_ = counter();
  runs_ = true;
}

/// Number of the layer of the instruction that retires next; outside of all layers, the number of
/// layers.
std::uint64_t LayerSignal::layer() const {
  if (!runs_) return regions_.size();
  const std::uint32_t instruction = counter() - first_;
  const auto after = std::upper_bound(
      regions_.begin(), regions_.end(), instruction,
      [](std::uint64_t index, const tcu::LayerEntry& region) { return index < region.first; });
  if (after == regions_.begin()) return regions_.size();
  const auto& region = *std::prev(after);
  const bool inside = instruction - region.first < region.count;
  return inside ? static_cast<std::uint64_t>(after - regions_.begin()) - 1 : regions_.size();
}

void LayerSignal::describe(const trace::Scope& top) {
  if (regions_.empty()) return;
  std::string note;
  for (std::size_t i = 0; i <= regions_.size(); ++i) {
    std::string name = i < regions_.size() ? printable(regions_[i].name, 100) : "(none)";
    for (char& c : name) {
      if (c == ',' || c == ';' || c == ' ') c = '_';  // these characters separate names in the note
    }
    note += fmt::format("{}{:x} {}", i == 0 ? "" : ", ", i, name);
  }
  top.state(
      "layer", trace::bits_for(regions_.size()), [this] { return layer(); }, note.c_str());
}

}  // namespace tactus
