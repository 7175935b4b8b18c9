#include "firmware/sweep/codesign_sections.h"

#include <algorithm>

#include <fmt/format.h>

#include "firmware/codesign/ideas.h"
#include "firmware/report/html.h"
#include "firmware/report/scatter.h"
#include "firmware/sweep/measure_sections.h"

namespace tactus::sweep {
namespace {

using html::escape;
using html::grouped;

double area(const Measured& point) { return point.values().number("/figures/area_proxy"); }

std::string fronts(const std::vector<Measured>& points, const std::vector<SweepAxis>& axes) {
  const std::string table_of_all = common_table(points);
  const bool comparable = !table_of_all.empty();
  const bool any = std::any_of(points.begin(), points.end(),
                               [](const Measured& point) { return !energy_title(point).empty(); });
  std::string text = "<p>Area: bits of on-chip memory plus multipliers, a proxy. ";
  if (comparable) {
    text += "Energy: events counted in the run times table " + escape(table_of_all) + ".</p>\n";
  } else if (any) {
    text += "The points have different energy tables, which do not compare.</p>\n";
  } else {
    text += "The points name no energy table (codesign.energy).</p>\n";
  }
  std::vector<std::vector<double>> rows;
  for (const Measured& point : points) {
    rows.push_back({point.latency_ms, area(point)});
    if (comparable) rows.back().push_back(energy_of_image(point));
  }
  const JsonValues first = points.front().values();
  double most = 0;
  for (const Measured& point : points) most = std::max(most, energy_of_image(point));
  const std::string unit = comparable ? first.text("/figures/energy/unit") : "";
  const Scaled energy = engineering(most, unit);
  html::Table table(html::Table::Kind::list);
  std::vector<std::size_t> front = pareto_front(rows);
  std::sort(front.begin(), front.end());
  for (const std::size_t i : front) {
    const Measured& point = points[i];
    begin_row(table, link_to(point.point), axes, *point.line);
    table.cell({"latency, ms"}, fmt::format("{:.4f}", point.latency_ms));
    table.cell({"area, bits and multipliers"}, grouped(static_cast<std::uint64_t>(area(point))));
    if (!comparable) continue;
    table.cell({"energy, " + energy.unit},
               fmt::format("{:.4g}", energy_of_image(point) * energy.factor));
  }
  std::vector<std::string> charts{front_chart(points, axes, "area", "bits and multipliers", area)};
  if (comparable) charts.push_back(front_chart(points, axes, "energy", unit, energy_of_image));
  return text + Colouring(points, axes).legend() + svg::side_by_side(charts) +
         "<p>No other point is as good in all of these and better in one:</p>\n" + table.html();
}

std::string units(const std::vector<Measured>& points) {
  html::Table table(html::Table::Kind::list);
  const JsonValues first = points.front().values();
  for (const Measured& point : points) {
    const JsonValues figures = point.values();
    begin_row(table, link_to(point.point), {}, *point.line);
    for (const auto& unit : first.object("/figures/units").items()) {
      const double share = figures.number("/figures/units/" + unit.key());
      table.cell({unit.key() + ", %"}, fmt::format("{:.1f}", 100 * share));
    }
    const double slots = figures.number("/figures/mac_slots");
    const double fill = slots == 0 ? 0 : figures.number("/figures/mac_points") / slots;
    table.cell({"MAC fill, %"}, slots == 0 ? "" : fmt::format("{:.1f}", 100 * fill));
  }
  return "<p>Share of the run's cycles in which each unit is busy. ARRAY: the array multiplies; "
         "WLOAD: it takes weights in; SIMD: the ALUs; DMA0 and DMA1: the paths to DRAM0 and DRAM1; "
         "ACCMOVE: DataMoves between accumulators and local memory. MAC fill: "
         "multiply-accumulates "
         "that the program asks for, of those that the array did.</p>\n" +
         table.html();
}

std::string kernels(const std::vector<Measured>& points) {
  html::Table table({{"point"},
                     {"kernel", true},
                     {"start, cycle"},
                     {"cycles"},
                     {"us"},
                     {"predicted cycles"},
                     {"measured / predicted"},
                     {"tiles"}},
                    html::Table::Kind::list);
  for (const Measured& point : points) {
    const JsonValues figures = point.values();
    const std::string kernels = "/figures/kernels";
    for (std::size_t i = 0; i < figures.array(kernels).size(); ++i) {
      const std::string kernel = fmt::format("{}/{}/", kernels, i);
      const auto ratio = figures.number_or_null(kernel + "ratio");
      const bool odd = ratio && (*ratio < codesign::ratio_low || *ratio > codesign::ratio_high);
      table.row(
          {link_to(point.point), escape(figures.text(kernel + "name")),
           figures.number_or_null(kernel + "start") ? grouped(figures.count(kernel + "start")) : "",
           grouped(figures.count(kernel + "cycles")),
           fmt::format("{:.2f}", figures.number(kernel + "us")),
           grouped(figures.count(kernel + "predicted_cycles")),
           ratio ? fmt::format(odd ? "<b>{:.2f}</b>" : "{:.2f}", *ratio) : "",
           figures.has(kernel + "tiles") ? grouped(figures.count(kernel + "tiles/count")) : ""});
    }
  }
  return fmt::format(
             "<p>A kernel is a statement of the program's main block. Predicted: by the formula "
             "of the cost model; ratios outside {} to {} are bold.</p>\n",
             codesign::ratio_low, codesign::ratio_high) +
         table.html();
}

std::string list_of_ideas(const std::vector<Measured>& points, const char* key) {
  html::Table table({{"point"}, {"rule", true}, {"evidence", true}}, html::Table::Kind::list);
  for (const Measured& point : points) {
    const JsonValues figures = point.values();
    const std::string list = fmt::format("/figures/{}", key);
    if (!figures.has(list)) continue;  // results of an earlier version lack the list
    for (std::size_t i = 0; i < figures.array(list).size(); ++i) {
      const std::string idea = fmt::format("{}/{}/", list, i);
      table.row({link_to(point.point), escape(figures.text(idea + "rule")),
                 escape(figures.text(idea + "text"))});
    }
  }
  return table.html();
}

/// The time that a change of the machine saves, at each point at which it was tried.
struct Gain {
  std::string change;
  std::vector<double> shares;  ///< saved share of the time, one for each point
  std::uint64_t best_point = 0;
  double best = -1;

  [[nodiscard]] double mean() const {
    double sum = 0;
    for (const double share : shares) sum += share;
    return sum / static_cast<double>(shares.size());
  }
};

/// Adds the gains of the changes that the points list below the figure `key`, largest mean first.
/// `time` is the name of the new time in a change, `before` gives the old time of a point, both in
/// us.
void add_gains(const std::vector<Measured>& points, const std::string& key, const std::string& time,
               const std::string& prefix, double (*before)(const Measured&),
               std::vector<Gain>& gains) {
  for (const Measured& point : points) {
    const JsonValues figures = point.values();
    if (!figures.has("/figures/" + key)) continue;
    for (const auto& entry : figures.object("/figures/" + key).items()) {
      const std::string path = "/figures/" + key + "/" + entry.key() + "/" + time;
      const double old = before(point);
      const double now = figures.has(path) ? figures.number_or_null(path).value_or(0) : 0;
      if (now == 0 || old == 0) continue;
      const std::string change = prefix + entry.key();
      auto found = std::find_if(gains.begin(), gains.end(),
                                [&](const Gain& gain) { return gain.change == change; });
      if (found == gains.end()) found = gains.insert(gains.end(), {change, {}, 0, -1});
      found->shares.push_back(1 - now / old);
      if (found->shares.back() <= found->best) continue;
      found->best = found->shares.back();
      found->best_point = point.point;
    }
  }
  std::stable_sort(gains.begin(), gains.end(),
                   [](const Gain& a, const Gain& b) { return a.mean() > b.mean(); });
}

std::string table_of_gains(const std::vector<Gain>& gains) {
  html::Table table(
      {{"change", true}, {"gain, mean, %"}, {"gain, best, %"}, {"at point"}, {"points"}},
      html::Table::Kind::list);
  for (const Gain& gain : gains) {
    table.row({escape(gain.change), fmt::format("{:.1f}", 100 * gain.mean()),
               fmt::format("{:.1f}", 100 * gain.best), link_to(gain.best_point),
               std::to_string(gain.shares.size())});
  }
  return table.html();
}

double measured_us(const Measured& point) { return 1e3 * point.latency_ms; }

double predicted_us(const Measured& point) {
  const JsonValues figures = point.values();
  const char* const path = "/figures/predicted/us";
  return figures.has(path) ? figures.number_or_null(path).value_or(0) : 0;
}

std::string design_ideas(const std::vector<Measured>& points) {
  std::vector<Gain> gains;
  add_gains(points, "doubled", "us", "twice ", measured_us, gains);
  add_gains(points, "extended", "us", "with ", measured_us, gains);
  std::string list = list_of_ideas(points, "ideas");
  if (gains.empty()) return list;
  return "<p>Changes of the machine, each simulated at every point; gain: share of the time that "
         "it saves.</p>\n" +
         table_of_gains(gains) + html::details("What each point suggests", list);
}

/// The table of predicted gains. Changes that were also simulated are left out, since their gains
/// are measured.
std::string hypothetical_ideas(const std::vector<Measured>& points) {
  std::vector<Gain> gains, simulated;
  add_gains(points, "doubled", "predicted_us", "twice ", predicted_us, gains);
  add_gains(points, "doubled", "us", "twice ", measured_us, simulated);
  const auto is_simulated = [&simulated](const Gain& gain) {
    return std::any_of(simulated.begin(), simulated.end(),
                       [&gain](const Gain& other) { return other.change == gain.change; });
  };
  gains.erase(std::remove_if(gains.begin(), gains.end(), is_simulated), gains.end());
  return "<p>These are predictions by formula, for hardware that would do what the formula "
         "says. The simulator does not have it, so nothing confirms them.</p>\n" +
         (gains.empty() ? "" : table_of_gains(gains)) +
         html::details("What each point suggests", list_of_ideas(points, "hypothetical"));
}

}  // namespace

Sections codesign_sections(const std::vector<Measured>& points,
                           const std::vector<SweepAxis>& axes) {
  return {{"Latency, energy, area", fronts(points, axes)},
          {"Design ideas", design_ideas(points)},
          {"Predictions for hardware that is not there", hypothetical_ideas(points)},
          {"Kernels", kernels(points)},
          {"Units", units(points)}};
}

}  // namespace tactus::sweep
