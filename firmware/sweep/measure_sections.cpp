#include "firmware/sweep/measure_sections.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "firmware/report/html.h"
#include "firmware/report/scatter.h"

namespace tactus::sweep {
namespace {

using html::escape;
using html::grouped;

bool has(const Measured& point, const std::string& figure) {
  return point.values().has("/figures/" + figure);
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
    if (!has(point, "energy")) continue;
    const JsonValues figures = point.values();
    const std::string energy = "/figures/energy";
    table.row({std::to_string(point.point), escape(point.network),
               fmt::format("{:.4f}", point.latency_ms),
               fmt::format("{:.5g}", figures.number(energy + "/total")),
               escape(figures.text(energy + "/unit")),
               figures.has(energy + "/power_mw")
                   ? fmt::format("{:.4g}", figures.number(energy + "/power_mw"))
                   : "",
               figures.has(energy + "/area")
                   ? fmt::format("{:.5g} {}", figures.number(energy + "/area/total"),
                                 figures.text(energy + "/area/unit"))
                   : "",
               escape(figures.text(energy + "/table"))});
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
    if (!has(point, "throughput")) continue;
    const JsonValues figures = point.values();
    const std::string rate = "/figures/throughput";
    const auto cycles = [&](const char* key) {
      return grouped(figures.count(rate + "/latency_cycles/" + key));
    };
    const auto per_second = figures.number_or_null(rate + "/frames_per_second");
    table.row({std::to_string(point.point), escape(point.network),
               grouped(figures.count(rate + "/images")),
               figures.has(rate + "/batch") ? grouped(figures.count(rate + "/batch")) : "1",
               per_second ? fmt::format("{:.2f}", *per_second) : "",
               per_second ? fmt::format("{:.4f}", 1e3 / *per_second) : "", cycles("min"),
               cycles("median"), cycles("p95"), cycles("max")});
  }
  return "<p>Runs one after the other, the board's time of the host in each (host_us) included. "
         "All "
         "images of a run have its latency.</p>\n" +
         table.html();
}

}  // namespace

std::string energy_title(const Measured& point) {
  if (!has(point, "energy")) return "";
  const JsonValues figures = point.values();
  return fmt::format("{} ({}; {})", figures.text("/figures/energy/table"),
                     figures.text("/figures/energy/unit") == "pJ" ? "pJ" : "relative units",
                     figures.text("/figures/energy/source"));
}

double energy_total(const Measured& point) {
  return has(point, "energy") ? point.values().number("/figures/energy/total") : 0;
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
                       [&](const Measured& point) { return has(point, name); });
  };
  std::vector<std::pair<std::string, std::string>> sections;
  if (any("energy")) sections.emplace_back("Energy", energy_section(points));
  if (any("throughput")) sections.emplace_back("Throughput", throughput_section(points));
  return sections;
}

}  // namespace tactus::sweep
