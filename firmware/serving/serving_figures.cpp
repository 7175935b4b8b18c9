#include "firmware/serving/serving_figures.h"

#include <algorithm>
#include <array>
#include <utility>

#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "firmware/driver/common/throughput.h"
#include "firmware/report/run_figures.h"
#include "isa/support/csv.h"
#include "isa/support/quantity.h"

namespace tactus {
namespace {

using Json = nlohmann::ordered_json;

std::optional<TimeRanks> ranks_of(std::vector<Cycle> times) {
  if (times.empty()) return std::nullopt;
  std::sort(times.begin(), times.end());
  TimeRanks ranks{times.front(),
                  nearest_rank(times, 50),
                  nearest_rank(times, 95),
                  nearest_rank(times, 99),
                  times.back(),
                  0};
  double sum = 0;
  for (const Cycle time : times) sum += static_cast<double>(time);
  ranks.mean = sum / static_cast<double>(times.size());
  return ranks;
}

/// Mean number of intervals [from, to) that contain a cycle, over the cycles [0, end).
double mean_number(const std::vector<std::pair<Cycle, Cycle>>& intervals, Cycle end) {
  std::vector<std::pair<Cycle, int>> changes;
  for (const auto& [from, to] : intervals) {
    changes.emplace_back(from, 1);
    changes.emplace_back(to, -1);
  }
  std::sort(changes.begin(), changes.end());
  double area = 0;
  std::int64_t number = 0;
  Cycle at = 0;
  for (const auto& [cycle, change] : changes) {
    area += static_cast<double>(number) * static_cast<double>(cycle - at);
    at = cycle;
    number += change;
  }
  return end == 0 ? 0 : area / static_cast<double>(end);
}

Json times_json(const std::optional<TimeRanks>& ranks, double clock_mhz) {
  if (!ranks) return nullptr;
  const auto ms = [clock_mhz](Cycle cycles) { return cycles_in_ms(cycles, clock_mhz); };
  return {{"min", ms(ranks->min)}, {"median", ms(ranks->median)},
          {"p95", ms(ranks->p95)}, {"p99", ms(ranks->p99)},
          {"max", ms(ranks->max)}, {"mean", ranks->mean / clock_mhz / 1e3}};
}

Json sums_json(const ServedSums& sums) {
  Json json;
  json["bytes"] = sums.bytes;
  json["lost_cycles"] = lost_json(sums.totals);
  json["waits"] = waits_json(sums);
  return json;
}

ModelFigures model_figures(const Serving& serving, const ServingResult& result, unsigned model) {
  const ServingResult::OfModel& of = result.models[model];
  ModelFigures figures;
  std::vector<Cycle> latency, queueing, service;
  std::vector<std::pair<Cycle, Cycle>> present, waiting;
  double alone = 0;  // time of all its images, if each had the board alone
  for (const ServedRequest& r : result.requests) {
    if (r.model != model) continue;
    latency.push_back(r.end - r.arrival);
    queueing.push_back(r.taken - r.arrival);
    service.push_back(r.end - r.begin);
    if (!of.alone.by_unit.empty()) alone += static_cast<double>(of.alone.by_unit[r.unit]);
    present.emplace_back(r.arrival, r.end);
    waiting.emplace_back(r.arrival, r.taken);
  }
  for (const Cycle arrival : of.waiting) {
    present.emplace_back(arrival, result.cycles);
    waiting.emplace_back(arrival, result.cycles);
  }
  figures.arrived = of.arrived;
  figures.done = latency.size();
  figures.dropped = of.dropped;
  figures.waiting = of.waiting.size();
  figures.latency = ranks_of(std::move(latency));
  figures.queueing = ranks_of(std::move(queueing));
  figures.service = ranks_of(std::move(service));
  figures.mean_in_system = mean_number(present, result.cycles);
  figures.mean_waiting = mean_number(waiting, result.cycles);
  if (alone > 0) {
    figures.slowdown = figures.service->mean / (alone / static_cast<double>(figures.done));
  }
  const double seconds = static_cast<double>(result.cycles) / serving.clock_mhz() / 1e6;
  if (seconds > 0) {
    const std::uint64_t images = figures.done * serving.models[model].model.file.batch;
    figures.frames_per_second = static_cast<double>(images) / seconds;
    figures.bytes_per_second = static_cast<double>(of.sums.bytes) / seconds;
  }
  return figures;
}

/// Adds up whose accesses waited for whose, by model and by unit. Each model on each unit is a
/// party at the memory.
void add_waits(const ServingPlan& plan, const ServingResult& result, ServingFigures& figures) {
  if (!result.shared_memory || result.shared_memory->parties < 2) return;
  const DdrFigures& ddr = *result.shared_memory;
  for (ModelFigures& model : figures.models) model.waits_ns.resize(figures.models.size());
  for (UnitFigures& unit : figures.units) unit.waits_ns.resize(figures.units.size());
  for (unsigned party = 0; party < ddr.parties; ++party) {
    for (unsigned other = 0; other < ddr.parties; ++other) {
      const std::uint64_t clocks = ddr.waits[std::size_t{party} * ddr.parties + other];
      const double ns = static_cast<double>(clocks * ddr.tck_ps) / 1e3;
      const PlacedModel &one = plan.placed[party], &its = plan.placed[other];
      figures.models[one.model].waits_ns[its.model] += ns;
      figures.units[one.unit].waits_ns[its.unit] += ns;
    }
  }
}

/// Column of a request log: a time in cycles, or in ps if units have different clocks.
std::string time_column(const std::string& name, bool one_clock) {
  return one_clock ? name : name + "_ps";
}

}  // namespace

ServingFigures serving_figures(const Serving& serving, const ServingPlan& plan,
                               const ServingResult& result) {
  ServingFigures figures;
  figures.seconds = static_cast<double>(result.cycles) / serving.clock_mhz() / 1e6;
  std::uint64_t bytes = 0;
  for (unsigned m = 0; m < result.models.size(); ++m) {
    figures.models.push_back(model_figures(serving, result, m));
    bytes += result.models[m].sums.bytes;
  }
  for (unsigned m = 0; m < result.models.size(); ++m) {
    figures.models[m].share_of_bytes = ratio(result.models[m].sums.bytes, bytes);
  }
  for (unsigned u = 0; u < result.units.size(); ++u) {
    const ServingResult::OfUnit& of = result.units[u];
    UnitFigures unit;
    Cycle busy = 0;
    for (const ServedRequest& r : result.requests) {
      if (r.unit != u) continue;
      ++unit.done;
      busy += r.end - r.begin;
    }
    unit.busy = ratio(busy, result.cycles);
    unit.entering = ratio(of.entering, result.cycles);
    unit.queued = ratio(of.sums.queued(), of.sums.totals.cycles() * of.sums.memories.size());
    figures.units.push_back(unit);
  }
  add_waits(plan, result, figures);
  return figures;
}

Json to_json(const ModelFigures& figures, const Serving& serving) {
  const double clock_mhz = serving.clock_mhz();
  Json json;
  json["arrived"] = figures.arrived;
  json["done"] = figures.done;
  json["dropped"] = figures.dropped;
  json["waiting"] = figures.waiting;
  json["frames_per_second"] = figures.frames_per_second;
  json["latency_ms"] = times_json(figures.latency, clock_mhz);
  json["queueing_ms"] = times_json(figures.queueing, clock_mhz);
  json["service_ms"] = times_json(figures.service, clock_mhz);
  json["slowdown"] = figures.service ? Json(figures.slowdown) : Json();
  json["mean_in_system"] = figures.mean_in_system;
  json["mean_waiting"] = figures.mean_waiting;
  json["bytes_per_second"] = figures.bytes_per_second;
  json["share_of_bytes"] = figures.share_of_bytes;
  for (unsigned other = 0; other < figures.waits_ns.size(); ++other) {
    json["waits_for_ns"][serving.models[other].name] = figures.waits_ns[other];
  }
  return json;
}

Json serving_json(const Serving& serving, const ServingPlan& plan, const ServingResult& result) {
  const ServingFigures figures = serving_figures(serving, plan, result);
  Json json;
  json["cycles"] = result.cycles;
  json["clock_mhz"] = serving.clock_mhz();
  json["seconds"] = figures.seconds;
  json["models"] = Json::array();
  for (unsigned m = 0; m < figures.models.size(); ++m) {
    const ServedModel& served = serving.models[m];
    const ModelFigures& f = figures.models[m];
    Json& model = json["models"].emplace_back();
    model["name"] = served.name;
    model["model"] = served.model.path;
    model["units"] = served.units;
    model["arrivals"] = served.arrivals.text;
    model["batch"] = served.model.file.batch;
    model["alone_cycles"] = result.models[m].alone.cycles;
    model.update(to_json(f, serving));
    model.update(sums_json(result.models[m].sums));
  }
  json["units"] = Json::array();
  for (unsigned u = 0; u < figures.units.size(); ++u) {
    const UnitFigures& f = figures.units[u];
    Json& unit = json["units"].emplace_back();
    unit["banks"] = Json::array();
    for (const PlacedModel& placed : plan.placed) {
      if (placed.unit != u) continue;
      unit["banks"].push_back({{"model", serving.models[placed.model].name},
                               {"dram0", placed.bases[0]},
                               {"dram1", placed.bases[1]},
                               {"bytes", placed.bytes}});
    }
    unit["clock_mhz"] = serving.clock_mhz_of(u);
    unit["done"] = f.done;
    unit["busy"] = f.busy;
    unit["entering"] = f.entering;
    unit["waits_for_others"] = f.queued;
    if (!f.waits_ns.empty()) unit["waits_for_ns"] = f.waits_ns;
    unit.update(sums_json(result.units[u].sums));
  }
  if (result.shared_memory) {
    json["memory"] = to_json(*result.shared_memory);
    json["memory"].erase("waits");  // models and units have them by name
  }
  return json;
}

std::vector<Figure> serving_columns() {
  return {
      {"serving.cycles", "cycles", "until the last image ended, or to the end of serving"},
      {"serving.clock_mhz", "MHz",
       "the clock that serving.cycles and the request log count: the board's, or 1 THz (ps) if "
       "units have different clocks"},
      {"serving.seconds", "s", "the same time"},
      {"serving.models.arrived", "requests", "requests that arrived: done + dropped + waiting"},
      {"serving.models.done", "requests", "requests whose image has ended"},
      {"serving.models.dropped", "requests", "requests that found a full queue"},
      {"serving.models.waiting", "requests", "requests that were never begun"},
      {"serving.models.frames_per_second", "1/s", "images that are done, by the time of the run"},
      {"serving.models.latency_ms.*", "ms",
       "from arrival to the image's end: min, median, p95, "
       "p99 (nearest rank), max, mean"},
      {"serving.models.queueing_ms.*", "ms", "from arrival until a unit takes the request"},
      {"serving.models.service_ms.*", "ms", "of the image's program"},
      {"serving.models.alone_cycles", "cycles",
       "of an image that has the board alone, on its first unit"},
      {"serving.models.slowdown", "ratio",
       "mean of service_ms by that of images that have the board alone"},
      {"serving.models.mean_in_system", "requests",
       "mean number that wait or are served; by Little's law, their rate times the mean latency"},
      {"serving.models.mean_waiting", "requests", "mean number that wait"},
      {"serving.models.bytes_per_second", "bytes/s", "read and written at the DRAM ports"},
      {"serving.models.share_of_bytes", "0..1", "part of the bytes of all models"},
      {"serving.models.waits_for_ns.*", "ns",
       "time that all accesses of the model together wait at the memory, by the model whose "
       "accesses are served meanwhile, its own included"},
      {"serving.models.lost_cycles.*", "cycles",
       "as accounting.lost_cycles, of all its images, each in the cycles of its unit"},
      {"serving.models.waits.*", "cycles", "what the DRAM ports waited for, by port and state"},
      {"serving.units.banks", "", "models of the unit and the bytes of the DRAM that they use"},
      {"serving.units.clock_mhz", "MHz", "the unit's clock; its cycles below are of this clock"},
      {"serving.units.done", "requests", "requests whose image has ended on the unit"},
      {"serving.units.busy", "0..1", "part of the time in which an image runs"},
      {"serving.units.entering", "0..1", "part in which the unit begins with another model"},
      {"serving.units.waits_for_others", "0..1",
       "part of the ports' cycles in which the memory serves other accesses, of any unit"},
      {"serving.units.waits_for_ns", "ns", "as that of models, by unit"},
      {"serving.units.waits.*", "cycles", "as those of models"},
      {"serving.memory.*", "", "as ddr.*, of all units"},
      {"serving.slowdowns.*", "ratio",
       "mean latency and program of each model when those of one other arrive, too, by those "
       "alone"},
  };
}

std::vector<Figure> request_columns() {
  std::vector<Figure> columns{{"model", "text", "the request's model"},
                              {"unit", "", "number of the unit that served it"}};
  for (const bool one_clock : {true, false}) {
    const std::string unit = one_clock ? "cycles" : "ps";
    const std::string when = one_clock ? "" : "units of different clocks: ";
    const std::string clock = one_clock ? "; serving.clock_mhz is the clock" : "";
    const auto add = [&](const std::string& name, const std::string& meaning) {
      columns.push_back({time_column(name, one_clock), unit, when + meaning});
    };
    add("arrival", "when the request came" + clock);
    add("taken", "when its unit took it and began its model");
    add("begin", "first cycle of its program");
    add("end", "cycle of its image's last event");
  }
  return columns;
}

namespace {

/// Names of a request's figures: model, unit, and times_of().
std::vector<std::string> request_names(const Serving& serving) {
  std::vector<std::string> names{"model", "unit"};
  for (const char* name : {"arrival", "taken", "begin", "end"}) {
    names.push_back(time_column(name, serving.has_one_clock()));
  }
  return names;
}

std::array<Cycle, 4> times_of(const ServedRequest& r) {
  return {r.arrival, r.taken, r.begin, r.end};
}

}  // namespace

Json requests_json(const Serving& serving, const ServingResult& result) {
  const std::vector<std::string> names = request_names(serving);
  Json rows = Json::array();
  for (const ServedRequest& r : result.requests) {
    Json row{{names[0], serving.models[r.model].name}, {names[1], r.unit}};
    std::size_t column = 2;
    for (const Cycle time : times_of(r)) row[names[column++]] = time;
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string requests_csv(const Serving& serving, const ServingResult& result) {
  std::string text = csv_row(request_names(serving));
  for (const ServedRequest& r : result.requests) {
    std::vector<std::string> cells{serving.models[r.model].name, std::to_string(r.unit)};
    for (const Cycle time : times_of(r)) cells.push_back(std::to_string(time));
    text += csv_row(cells);
  }
  return text;
}

}  // namespace tactus
