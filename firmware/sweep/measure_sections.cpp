#include "firmware/sweep/measure_sections.h"

#include <algorithm>
#include <iterator>
#include <set>

#include <fmt/format.h>

#include "firmware/energy/table.h"
#include "firmware/report/html.h"
#include "firmware/report/scatter.h"
#include "firmware/report/svg.h"

namespace tactus::sweep {
namespace {

using html::escape;
using html::grouped;

bool has(const Measured& point, const std::string& figure) {
  return point.values().has("/figures/" + figure);
}

bool any_has(const std::vector<Measured>& points, const std::string& figure) {
  return std::any_of(points.begin(), points.end(),
                     [&](const Measured& point) { return has(point, figure); });
}

std::string unit_of(const std::vector<Measured>& points, const std::string& figure) {
  std::set<std::string> units;
  for (const Measured& point : points) {
    if (has(point, figure)) units.insert(point.values().text("/figures/" + figure));
  }
  return units.size() == 1 ? *units.begin() : "";
}

double area_total(const Measured& point) {
  return has(point, "energy/area") ? point.values().number("/figures/energy/area/total") : 0;
}

double largest(const std::vector<Measured>& points, double (*value)(const Measured&)) {
  double most = 0;
  for (const Measured& point : points) most = std::max(most, value(point));
  return most;
}

std::string with_unit(const std::string& name, const std::string& unit) {
  return unit.empty() ? name : name + ", " + unit;
}

std::string energy_table(const std::vector<Measured>& points, const std::vector<SweepAxis>& axes,
                         const Scaled& energy, const Scaled& area) {
  const bool powers = any_has(points, "energy/power_mw"), areas = any_has(points, "energy/area");
  html::Table table(html::Table::Kind::list);
  for (const Measured& point : points) {
    if (!has(point, "energy")) continue;
    const JsonValues figures = point.values();
    const auto cell = [&](const std::string& title, const char* figure, double value) {
      table.cell({title}, has(point, figure) ? fmt::format("{:.4g}", value) : "");
    };
    begin_row(table, link_to(point.point), axes, *point.line);
    table.cell({"latency, ms"}, fmt::format("{:.4f}", point.latency_ms));
    cell(with_unit("energy", energy.unit), "energy", energy_of_image(point) * energy.factor);
    if (powers) {
      const bool known = has(point, "energy/power_mw");
      cell("power, mW", "energy/power_mw", known ? figures.number("/figures/energy/power_mw") : 0);
    }
    if (areas) cell(with_unit("area", area.unit), "energy/area", area_total(point) * area.factor);
    table.cell({"table", true}, escape(figures.text("/figures/energy/table")));
  }
  return table.html();
}

std::string energy_section(const std::vector<Measured>& points,
                           const std::vector<SweepAxis>& axes) {
  const std::string energy_unit = unit_of(points, "energy/unit");
  const std::string area_unit = unit_of(points, "energy/area/unit");
  const std::string table =
      energy_table(points, axes, engineering(largest(points, energy_of_image), energy_unit),
                   engineering(largest(points, area_total), area_unit));
  const std::string common = common_table(points);
  if (common.empty()) {
    return "<p>The points have different energy tables, or some have none; they do not compare."
           "</p>\n" +
           table;
  }
  std::vector<std::string> charts{
      front_chart(points, axes, "energy", energy_unit, energy_of_image)};
  const bool areas = std::all_of(points.begin(), points.end(),
                                 [](const Measured& m) { return has(m, "energy/area"); });
  if (areas) charts.push_back(front_chart(points, axes, "area", area_unit, area_total));
  return fmt::format(
             "<p>Energy of an image or a product: events counted in the run times table {}; "
             "without commands, refresh and interface of the board's DRAM. Area: that of all "
             "units. Large "
             "points are on the front: no other has both less cost and {}.</p>\n",
             escape(common), speed_of(points).better) +
         Colouring(points, axes).legend() + svg::side_by_side(charts) + table;
}

std::string throughput_section(const std::vector<Measured>& points,
                               const std::vector<SweepAxis>& axes) {
  html::Table table(html::Table::Kind::list);
  for (const Measured& point : points) {
    if (!has(point, "throughput")) continue;
    const JsonValues figures = point.values();
    const std::string rate = "/figures/throughput";
    const auto per_second = figures.number_or_null(rate + "/frames_per_second");
    begin_row(table, link_to(point.point), axes, *point.line);
    table.cell({"images"}, grouped(figures.count(rate + "/images")));
    table.cell({"of a run"},
               figures.has(rate + "/batch") ? grouped(figures.count(rate + "/batch")) : "1");
    table.cell({"frames/s"}, per_second ? fmt::format("{:.2f}", *per_second) : "");
    table.cell({"ms an image"}, per_second ? fmt::format("{:.4f}", 1e3 / *per_second) : "");
    for (const auto& [title, key] :
         {std::pair("shortest run, cycles", "min"), std::pair("median", "median"),
          std::pair("of 95 % at most", "p95"), std::pair("longest", "max")}) {
      table.cell({title}, grouped(figures.count(rate + "/latency_cycles/" + key)));
    }
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

double energy_of_image(const Measured& point) {
  for (const char* figure : {"energy/per_image", "energy/total"}) {
    if (has(point, figure)) return point.values().number(fmt::format("/figures/{}", figure));
  }
  return 0;
}

std::string energy_text(const Measured& point) {
  return energy::energy_text(energy_of_image(point), point.values().text("/figures/energy/unit"));
}

std::string common_table(const std::vector<Measured>& points) {
  std::set<std::string> tables;
  for (const Measured& point : points) tables.insert(energy_title(point));
  return tables.size() == 1 ? *tables.begin() : "";
}

void begin_row(html::Table& table, std::string point, const std::vector<SweepAxis>& axes,
               const Line& line) {
  table.begin_row();
  table.cell({"point"}, std::move(point));
  for (const SweepAxis& axis : axes) {
    table.cell({axis.title, axis.text}, escape(plain(value_of(line, axis.key))));
  }
}

std::string link_to(std::uint64_t point) { return fmt::format("<a href=\"#p{0}\">{0}</a>", point); }

namespace {
/// Colours for the values of an axis, from dark to light, so that the lightness shows the order of
/// the values.
constexpr unsigned axis_colours[] = {2, 1, 4, 0, 3};

/// The colour of value `i` of `count` values. Few values get colours that are far apart.
unsigned axis_colour(std::size_t i, std::size_t count) {
  const std::size_t last = std::size(axis_colours) - 1;
  return axis_colours[count < 2 ? 1 : i * last / (count - 1)];
}
}  // namespace

Colouring::Colouring(const std::vector<Measured>& points, const std::vector<SweepAxis>& axes) {
  for (const SweepAxis& axis : axes) {
    std::vector<std::string> values;
    for (const Measured& point : points) {
      std::string value = plain(value_of(*point.line, axis.key));
      if (std::find(values.begin(), values.end(), value) == values.end()) {
        values.push_back(std::move(value));
      }
    }
    if (values.size() < 2 || values.size() > std::size(axis_colours)) continue;
    axis_ = axis;
    values_ = std::move(values);
    return;
  }
}

unsigned Colouring::of(const Line& line) const {
  const auto found = std::find(values_.begin(), values_.end(), plain(value_of(line, axis_.key)));
  if (found == values_.end()) return axis_colour(0, 1);
  return axis_colour(static_cast<std::size_t>(found - values_.begin()), values_.size());
}

std::string Colouring::legend() const {
  std::vector<svg::Legend> entries;
  if (values_.empty()) entries.push_back({"points", axis_colour(0, 1)});
  for (std::size_t i = 0; i < values_.size(); ++i) {
    entries.push_back(
        {fmt::format("{} {}", axis_.title, values_[i]), axis_colour(i, values_.size())});
  }
  entries.push_back({"front", front_colour});
  return svg::legend(entries);
}

Scaled engineering(double most, const std::string& unit) {
  struct Step {
    double factor;
    const char* unit;
  };
  static constexpr Step energies[] = {{1e-12, "J"}, {1e-9, "mJ"}, {1e-6, "uJ"}, {1e-3, "nJ"}};
  if (unit == "pJ") {
    for (const Step& step : energies) {
      if (most * step.factor >= 1) return {step.factor, step.unit};
    }
  }
  constexpr double square_millimetre = 1e6, least = 0.01;
  if (unit == "um2" && most >= least * square_millimetre) return {1 / square_millimetre, "mm2"};
  return {1, unit};
}

std::string front_chart(const std::vector<FrontGroup>& groups, const Speed& speed,
                        const std::string& name, const std::string& axis,
                        double (*cost)(const Measured&),
                        const std::function<std::string(const Measured&)>& title, double factor) {
  svg::ScatterChart chart;
  chart.title = fmt::format("{} against {}", speed.title, name);
  chart.x.title = axis;
  chart.y.title = speed.axis;
  for (const FrontGroup& group : groups) {
    std::vector<std::vector<double>> rows;
    for (const Measured* m : group.points) rows.push_back({cost(*m) * factor, speed.time(*m)});
    std::set<std::size_t> front;
    svg::ScatterLine line{{}, group.line_colour, true};
    for (const std::size_t i : pareto_front(rows)) {
      front.insert(i);
      line.points.emplace_back(rows[i][0], speed.value(*group.points[i]));
    }
    for (std::size_t i = 0; i < group.points.size(); ++i) {
      const Measured& m = *group.points[i];
      const bool main = front.count(i) != 0;
      chart.points.push_back({rows[i][0], speed.value(m), title(m), group.colour(*m.line), main,
                              main ? std::to_string(m.point) : ""});
    }
    chart.lines.push_back(std::move(line));
  }
  return svg::scatter(chart);
}

std::string front_chart(const std::vector<Measured>& points, const std::vector<SweepAxis>& axes,
                        const std::string& name, const std::string& unit,
                        double (*cost)(const Measured&)) {
  const Scaled scaled = engineering(largest(points, cost), unit);
  const Colouring colouring(points, axes);
  const Speed speed = speed_of(points);
  FrontGroup all{{}, front_colour, [&](const Line& line) { return colouring.of(line); }};
  for (const Measured& point : points) all.points.push_back(&point);
  const auto title = [&](const Measured& m) {
    std::vector<std::string> settings;
    for (const SweepAxis& axis : axes) {
      settings.push_back(axis.title + " " + plain(value_of(*m.line, axis.key)));
    }
    return fmt::format("point {}: {:.4g} {}, {:.4g} {}; {}", m.point, cost(m) * scaled.factor,
                       scaled.unit, speed.value(m), speed.unit, fmt::join(settings, "; "));
  };
  return front_chart({all}, speed, name, with_unit(name, scaled.unit), cost, title, scaled.factor);
}

Sections measure_sections(const std::vector<Measured>& points, const std::vector<SweepAxis>& axes) {
  Sections sections;
  if (any_has(points, "energy"))
    sections.emplace_back("Energy and area", energy_section(points, axes));
  if (any_has(points, "throughput"))
    sections.emplace_back("Throughput", throughput_section(points, axes));
  return sections;
}

}  // namespace tactus::sweep
