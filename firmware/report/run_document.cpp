#include "firmware/report/run_document.h"

#include <algorithm>

#include <fmt/format.h>

#include "firmware/report/run_figures.h"
#include "firmware/report/together.h"
#include "firmware/report/version.h"
#include "isa/support/json_text.h"
#include "isa/support/quantity.h"
#include "models/sim/array_figures.h"

namespace tactus {
namespace {

using Json = nlohmann::ordered_json;

const char* end_name(RunEnd end) {
  switch (end) {
    case RunEnd::finished:
      return "finished";
    case RunEnd::hang:
      return "hang";
    case RunEnd::cycle_limit:
      return "cycle_limit";
  }
  return "";
}

/// Adds a figure that the driver supplies. Figures "x.y" and "x.z" are in one object or list x,
/// which is added as a whole.
void add_own(Json& json, const Json& own, const FigureInfo& figure) {
  const std::string name(figure.name.substr(0, figure.name.find('.')));
  if (own.contains(name)) json[name] = own[name];
}

/// Adds the network's multiply-accumulates and the figure computed from them.
void add_macs(Json& own, std::optional<std::uint64_t> macs, Cycle cycles,
              const MachineRates& rates) {
  own[std::string(array_figures::macs_name)] = macs ? Json(*macs) : Json();
  own[std::string(array_figures::useful_name)] =
      figure_or_null(array_figures::useful(macs, cycles, rates.peak_macs));
}

Json image_json(const RunDocument& document, const ReportedRun& image) {
  const RunResult& run = *image.run;
  const Counters& totals = run.accounting.totals;
  Json json;
  const bool cut = document.interrupted && run.end == RunEnd::cycle_limit;
  json["end"] = cut ? "interrupted" : end_name(run.end);
  json["cycles"] = image.cycles;
  json["latency_ms"] = milliseconds(document, image.cycles);
  json["instructions"] = run.instructions;
  json["instructions_retired"] = run.retired;
  json["last_retire"] = image.last_retire;
  Json own = image.own;
  add_macs(own, document.macs, image.cycles, document.rates);
  for (const FigureInfo& figure : totals.info->run_figures) {
    if (figure.source == FigureInfo::Source::own) {
      add_own(json, own, figure);
    } else if (run.accounting.has(figure.needs)) {
      json[std::string(figure.name)] = counted_figure(totals, figure, image.cycles);
    }
  }
  json["accounting"] = accounting_json(run.accounting, document.rates, document.macs);
  for (std::size_t i = 0; i < run.accounting.regions.size(); ++i) {
    const Expectation expected = expectation(document.expected, i);
    const Counters& c = run.accounting.regions[i].counters;
    Json& layer = json["accounting"]["layers"][i];
    Json own_of_layer;
    add_macs(own_of_layer, expected.macs, c.cycles(), document.rates);
    for (const FigureInfo& figure : c.info->layer_figures) {
      if (figure.source == FigureInfo::Source::own) add_own(layer, own_of_layer, figure);
    }
    if (expected.predicted_cycles == 0) continue;
    layer["predicted_cycles"] = expected.predicted_cycles;
    layer["bound_cycles"] = expected.bound_cycles;
  }
  return json;
}

/// Summary lines about lost cycles and roofline; empty for a run without cycles.
std::string accounting_lines(const Accounting& a, const MachineRates& rates,
                             std::optional<std::uint64_t> macs) {
  if (a.cycles == 0) return "";
  const TimeInfo& time = a.totals.info->time;
  std::string text;
  const auto share = [&](std::uint64_t cycles) { return 100 * ratio(cycles, a.cycles); };
  const std::vector<LostCycles> lost = lost_cycles(a.totals);
  const char* label = "lost cycles";
  text += fmt::format("{:<14}{:.1f} %: {} in {} of {} cycles", label, share(lost_total(a.totals)),
                      time.lost, lost_total(a.totals), a.cycles);
  if (!lost.empty()) {
    const MainReason most = main_reason(a.totals);
    text += fmt::format(", {:.1f} % for {}; largest reasons", share(most.group_cycles),
                        time.groups[most.group].title);
  }
  text += '\n';
  for (std::size_t i = 0; i < std::min<std::size_t>(3, lost.size()); ++i) {
    text += fmt::format("{:<14}{:5.1f} %  {}\n", "", share(lost[i].cycles),
                        time.reasons[lost[i].reason].title);
  }
  const Roofline busy = roofline(a.totals, rates);
  const Roofline r = macs ? roofline(a.totals, rates, *macs) : busy;
  label = "roofline";
  text += fmt::format(
      "{:<14}{:.1f} of {:g} MAC/cycle{}, {:.2f} of {:g} bytes/cycle; {:.1f} % of the {} roof\n",
      label, r.macs_per_cycle, r.peak_macs_per_cycle,
      macs ? fmt::format(" useful (array busy: {:.1f})", busy.macs_per_cycle) : "",
      r.bytes_per_cycle, r.peak_bytes_per_cycle, 100 * r.share_of_roof,
      r.memory_bound ? "memory" : "compute");
  return text;
}

/// Says which image the first lines show, if there are several: " (first of 3 images)".
std::string first_of(const RunDocument& document) {
  const std::size_t runs = document.images.size();
  if (document.batch == 1) return runs > 1 ? fmt::format(" (first of {} images)", runs) : "";
  const std::string images = fmt::format("{} images", document.batch);
  return runs > 1 ? fmt::format(" (first of {} runs of {})", runs, images)
                  : fmt::format(" ({})", images);
}

/// Time of an image in batches: ", 0.7 ms an image; 2 runs of 4 images".
std::string batch_text(const Throughput& rate) {
  if (rate.batch == 1) return "";
  return fmt::format(", {} an image; {} of {} images",
                     time_text(1e3 * rate.seconds / static_cast<double>(rate.images)),
                     counted(rate.images / rate.batch, "run"), rate.batch);
}

}  // namespace

std::string constants_text(const RunDocument& document) {
  const Cycle cycles = document.constants.value_or(0);
  if (cycles == 0) return "";
  return fmt::format("{} cycles = {}, before the first image; in no latency", cycles,
                     time_text(milliseconds(document, cycles)));
}

std::string frames_text(const Throughput& rate) {
  if (!rate.frames_per_second) return "no time is spent";
  return fmt::format("{:.2f} frames/s", *rate.frames_per_second);
}

std::optional<Throughput> throughput_of(const RunDocument& document) {
  if (!document.back_to_back) return std::nullopt;
  std::vector<std::uint64_t> latencies;
  for (const ReportedRun& image : document.images) {
    if (image.run->end != RunEnd::finished) return std::nullopt;
    latencies.push_back(image.cycles);
  }
  return throughput(std::move(latencies), document.clock_mhz, document.host_us, document.batch,
                    document.units);
}

double milliseconds(const RunDocument& document, Cycle cycles) {
  return cycles_in_ms(cycles, document.clock_mhz);
}

std::string stats_json(const RunDocument& document) {
  Json json;
  json["tool"] = "tactus";
  json["version"] = version;
  json["revision"] = git_revision;
  json.update(image_json(document, document.images.front()));
  if (!document.energy_of_units.is_null()) json["energy"] = document.energy_of_units;
  if (document.constants) json["constants_cycles"] = *document.constants;
  json["total_cycles"] = document.total_cycles;
  if (document.interrupted) json["interrupted"] = true;
  if (document.wall_seconds > 0) {
    json["wall_seconds"] = document.wall_seconds;
    json["cycles_per_second"] = static_cast<double>(document.total_cycles) / document.wall_seconds;
  }
  if (!document.engine.is_null()) json["engine"] = document.engine;
  if (const auto& work = document.host_work) {
    json["host_work"] = {{"nodes_before", work->nodes_before},
                         {"nodes_behind", work->nodes_behind},
                         {"seconds_before", work->seconds_before},
                         {"seconds_behind", work->seconds_behind}};
  }
  if (const auto rate = throughput_of(document)) {
    json["throughput"] = to_json(*rate);
    if (document.units > 1) json["tcus"] = together_json(document);
  }
  if (const auto& unwritten = document.unwritten) {
    json["unwritten_reads"] = {{"count", unwritten->count},
                               {"instructions", unwritten->instructions},
                               {"first", unwritten->count > 0 ? Json(unwritten->first) : Json()}};
  }
  json["config"] = document.configuration;
  if (!document.rerun.is_null()) json["rerun"] = document.rerun;
  json["images"] = Json::array();
  for (const ReportedRun& image : document.images) {
    json["images"].push_back(image_json(document, image));
  }
  json["figures"] =
      figures_json(document.images.front().run->accounting, document.images.front().own);
  // JSON must be UTF-8, file names need not be; text_of_json() handles that.
  return text_of_json(json, 2) + "\n";
}

std::string summary_text(const RunDocument& document) {
  const ReportedRun& image = document.images.front();
  std::string text;
  const auto line = [&text](const std::string& name, const std::string& value) {
    text += fmt::format("{:<14}{}\n", name, value);
  };
  line(document.kind, document.subject);
  line("machine", document.machine);
  if (!document.board.empty()) line("board", document.board);
  if (!document.accuracy.empty()) line("accuracy", document.accuracy);
  line("cycles", fmt::format("{} = {} at {:g} MHz{}", image.cycles,
                             time_text(milliseconds(document, image.cycles)), document.clock_mhz,
                             first_of(document)));
  if (const std::string once = constants_text(document); !once.empty()) {
    text += fmt::format("constants, once {}\n", once);
  }
  if (document.interrupted) {
    const RunResult& last = *document.images.back().run;
    line("interrupted",
         fmt::format("in run {}, after {} of its cycles and {} of {} instructions; figures are up "
                     "to there",
                     document.images.size(), last.accounting.cycles,
                     std::min(last.retired, last.instructions), last.instructions));
  }
  const auto rate = throughput_of(document);
  if (rate && rate->images > 1) {
    const auto time = [&](std::uint64_t cycles) {
      return time_text(milliseconds(document, cycles));
    };
    line("throughput", fmt::format("{}{}; latency {} at least, {} median, {} of 95 %, {} at most",
                                   frames_text(*rate), batch_text(*rate), time(rate->min),
                                   time(rate->median), time(rate->p95), time(rate->max)));
  }
  if (rate && document.units > 1) {
    for (const auto& [name, value] : together_lines(document)) line(name, value);
  }
  for (const auto& [name, value] : image.lines) line(name, value);
  text += accounting_lines(image.run->accounting, document.rates, document.macs);
  line("host",
       fmt::format("{:.2f} s, {:.2f} Mcycles/s", document.wall_seconds,
                   static_cast<double>(document.total_cycles) / document.wall_seconds / 1e6));
  return text;
}

}  // namespace tactus
