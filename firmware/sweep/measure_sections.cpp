#include "firmware/sweep/measure_sections.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "firmware/report/html.h"
#include "firmware/report/scatter.h"
#include "isa/support/json_text.h"

namespace tactus::sweep {
namespace {

using html::escape;
using html::grouped;

const Line* figure(const Measured& point, const char* name) {
  const Line& figures = point.line->at("figures");
  const auto found = figures.find(name);
  return found == figures.end() ? nullptr : &*found;
}

std::string energy_section(const std::vector<Measured>& points) {
  html::Table table({{"point"},
                     {"network", true},
                     {"latency, ms"},
                     {"energy"},
                     {"unit", true},
                     {"mW"},
                     {"area"},
                     {"table", true}},
                    html::Table::Kind::list);
  for (const Measured& point : points) {
    const Line* const energy = figure(point, "energy");
    if (energy == nullptr) continue;
    const bool has_area = energy->contains("area");
    table.row({std::to_string(point.point), escape(point.network),
               fmt::format("{:.4f}", point.latency_ms),
               fmt::format("{:.5g}", energy->at("total").get<double>()),
               escape(energy->at("unit").get<std::string>()),
               energy->contains("power_mw")
                   ? fmt::format("{:.4g}", energy->at("power_mw").get<double>())
                   : "",
               has_area ? fmt::format("{:.5g} {}", energy->at("area").at("total").get<double>(),
                                      energy->at("area").at("unit").get<std::string>())
                        : "",
               escape(energy->at("table").get<std::string>())});
  }
  const std::string common = common_table(points);
  if (common.empty()) {
    return "<p>The points have different energy tables, or some have none; they do not compare."
           "</p>\n" +
           table.html();
  }
  return "<p>Energy: events counted in the run times table " + escape(common) + ".</p>\n" +
         front_chart(points, "energy", energy_total) + table.html();
}

std::string throughput_section(const std::vector<Measured>& points) {
  html::Table table({{"point"},
                     {"network", true},
                     {"images"},
                     {"of a run"},
                     {"frames/s"},
                     {"ms an image"},
                     {"shortest run, cycles"},
                     {"median"},
                     {"of 95 % at most"},
                     {"longest"}},
                    html::Table::Kind::list);
  for (const Measured& point : points) {
    const Line* const rate = figure(point, "throughput");
    if (rate == nullptr) continue;
    const Line& latency = rate->at("latency_cycles");
    const auto cycles = [&](const char* key) {
      return grouped(latency.at(key).get<std::uint64_t>());
    };
    const auto per_second = rate->at("frames_per_second").get<double>();
    table.row({std::to_string(point.point), escape(point.network),
               grouped(rate->at("images").get<std::uint64_t>()),
               rate->contains("batch") ? text_of_json(rate->at("batch")) : "1",
               fmt::format("{:.2f}", per_second), fmt::format("{:.4f}", 1e3 / per_second),
               cycles("min"), cycles("median"), cycles("p95"), cycles("max")});
  }
  return "<p>Runs one after the other, the board's time of the host in each (host_us) included. "
         "All "
         "images of a run have its latency.</p>\n" +
         table.html();
}

}  // namespace

std::string energy_title(const Measured& point) {
  const Line* const energy = figure(point, "energy");
  if (energy == nullptr) return "";
  return fmt::format("{} ({}; {})", energy->at("table").get<std::string>(),
                     energy->at("unit").get<std::string>() == "pJ" ? "pJ" : "relative units",
                     energy->at("source").get<std::string>());
}

double energy_total(const Measured& point) {
  const Line* const energy = figure(point, "energy");
  return energy == nullptr ? 0 : energy->at("total").get<double>();
}

std::string common_table(const std::vector<Measured>& points) {
  std::set<std::string> tables;
  for (const Measured& point : points) tables.insert(energy_title(point));
  return tables.size() == 1 ? *tables.begin() : "";
}

std::string front_chart(const std::vector<Measured>& points, const std::string& title,
                        double (*cost)(const Measured&)) {
  svg::ScatterChart chart;
  chart.title = "Latency against " + title;
  chart.x.title = title;
  chart.y.title = "latency, ms";
  std::vector<CostAndTime> values;
  for (const Measured& point : points) values.push_back({cost(point), point.latency_ms});
  std::set<std::size_t> front;
  svg::ScatterLine line{{}, 4, true};
  for (const std::size_t i : pareto_front(values)) {
    front.insert(i);
    line.points.emplace_back(values[i].cost, values[i].time);
  }
  for (std::size_t i = 0; i < points.size(); ++i) {
    const bool main = front.count(i) != 0;
    chart.points.push_back({values[i].cost, values[i].time,
                            fmt::format("point {}: {:.4g}, {:.4g} ms", points[i].point,
                                        values[i].cost, values[i].time),
                            main ? 4U : 1U, main});
  }
  chart.lines.push_back(std::move(line));
  return svg::scatter(chart);
}

std::vector<std::pair<std::string, std::string>> measure_sections(
    const std::vector<Measured>& points) {
  const auto any = [&](const char* name) {
    return std::any_of(points.begin(), points.end(),
                       [&](const Measured& point) { return figure(point, name) != nullptr; });
  };
  std::vector<std::pair<std::string, std::string>> sections;
  if (any("energy")) sections.emplace_back("Energy", energy_section(points));
  if (any("throughput")) sections.emplace_back("Throughput", throughput_section(points));
  return sections;
}

}  // namespace tactus::sweep
