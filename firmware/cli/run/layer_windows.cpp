#include "firmware/cli/run/layer_windows.h"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "firmware/driver/tcu/units.h"
#include "isa/support/error.h"
#include "isa/support/text.h"

namespace tactus {
namespace {

/// A range [from, to) of the machine's cycles.
struct Cycles {
  Cycle from = ~Cycle{0}, to = 0;
};

ImageResult run_first(const RunPlan& plan) {
  TcuRunOptions options;
  apply(plan, options);
  options.regions = regions_of(plan.regions);
  if (plan.model) return run_once(plan.config, *plan.model, plan.images.front(), plan, options);
  TcuSimulation simulation(plan.config);
  for (unsigned p = 0; p < 2; ++p) {
    if (!plan.dram[p].empty()) simulation.write_dram(p, 0, plan.dram[p]);
  }
  return {simulation.run(plan.program, options), std::nullopt, {}};
}

Cycles cycles_of(const std::string& layer, const ImageResult& image, const char* option) {
  Cycles cycles;
  const Accounting& accounting = image.run.accounting;
  for (const RegionSpan& span : accounting.spans) {
    if (accounting.regions[span.region].name != layer) continue;
    cycles.from = std::min(cycles.from, image.begin + span.from);
    cycles.to = std::max(cycles.to, image.begin + span.to);
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
    auto name = args.text(option);
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
  const ImageResult first = run_first(plan);
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

}  // namespace tactus
