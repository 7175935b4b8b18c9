#include "firmware/sweep/report.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <set>

#include <fmt/format.h>

#include "firmware/report/html.h"
#include "firmware/report/scatter.h"
#include "firmware/report/svg.h"
#include "firmware/sweep/findings.h"
#include "firmware/sweep/runner.h"
#include "isa/support/error.h"
#include "isa/support/json_text.h"
#include "isa/support/quantity.h"
#include "isa/support/text.h"
#include "models/sim/array_figures.h"

namespace tactus::sweep {
namespace {

using html::escape;
using html::grouped;

/// Escapes a text line by line, since escape() would show line ends as bytes.
std::string escape_lines(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out += escape(text.substr(0, end)) + "\n";
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

/// The name of a key as readers see it, and the unit of its values.
struct Naming {
  std::string name;
  std::string unit;  ///< empty: text, or a number without a unit
};

/// The unit of a key in the table of parameters; empty: none, or no parameter.
std::string unit_of_key(const std::string& key) {
  const std::size_t dot = key.find('.');
  for (const ParameterSection& section : parameters()) {
    if (section.name != key.substr(0, dot)) continue;
    for (const ParameterInfo& parameter : section.parameters) {
      if (parameter.key == key.substr(dot + 1)) return parameter.unit;
    }
  }
  return "";
}

/// Name and unit of a key: "board.read_latency" is "read latency" in cycles, "board.clock_mhz" is
/// "clock" in MHz.
Naming naming(const std::string& key) {
  if (key == "board.name") return {"board", ""};
  for (const Runner& runner : runners()) {
    if (key == runner.subject) return {runner.subject_name, ""};
  }
  std::string unit = unit_of_key(key);
  std::string name = key.substr(key.find('.') + 1);
  std::string ending = "_" + unit;
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (!unit.empty() && ends_with(name, ending)) name.resize(name.size() - ending.size());
  std::replace(name.begin(), name.end(), '_', ' ');
  return {std::move(name), std::move(unit)};
}

/// Title for axes and columns: "read latency, cycles".
std::string titled(const std::string& key) {
  const Naming naming_of_key = naming(key);
  return naming_of_key.name + (naming_of_key.unit.empty() ? "" : ", " + naming_of_key.unit);
}

bool has_rates(const Measured& m) { return m.frames_per_second.has_value(); }
double megabits(const Measured& m) { return m.memory_bits / 1e6; }
double megabytes_per_second(const Measured& m) { return m.dram_bytes_per_second.value_or(0) / 1e6; }
double multipliers(const Measured& m) { return m.multipliers; }

/// The points of one network. Points of different networks are not compared. In a sweep with
/// several networks each has a colour of its own.
struct Group {
  std::string network;
  unsigned colour = 1;
  std::vector<const Measured*> points;
};

/// A quantity against which the speed is drawn, with a Pareto front.
struct Cost {
  const char* name;
  const char* axis;
  const char* mark;  ///< mark of the front's points in the table
  double (*of)(const Measured&);
};
constexpr Cost costs[] = {
    {"on-chip memory", "on-chip memory, Mbit", "memory", megabits},
    {"multipliers", "multipliers", "multipliers", multipliers},
    {"DRAM bandwidth used", "DRAM bandwidth used, MB/s", "bandwidth", megabytes_per_second},
};

/// True for the hash of a file, which is not shown since the name of the file is.
bool is_hash_of_file(const std::string& key) { return ends_with(key, "sha256"); }

class Page {
 public:
  explicit Page(const Results& results)
      : results_(results),
        measured_(measured(results)),
        speed_(comparable_speed()),
        keys_(varied_keys(results.lines)) {
    keys_.erase(std::remove_if(keys_.begin(), keys_.end(), is_hash_of_file), keys_.end());
    // Keys that follow from the board (or machine) are shown with the boards.
    const std::vector<std::string> chosen = chosen_keys(results);
    for (const std::string& key : implied_by(results.lines, runner_.base)) {
      if (std::find(chosen.begin(), chosen.end(), key) != chosen.end()) continue;
      implied_.push_back(key);
      keys_.erase(std::find(keys_.begin(), keys_.end(), key));
    }
    for (const Measured& m : measured_) {
      if (!has_rates(m)) continue;  // without rates there is nothing to compare
      const auto found = std::find_if(groups_.begin(), groups_.end(),
                                      [&](const Group& g) { return g.network == m.network; });
      Group& group = found == groups_.end() ? groups_.emplace_back() : *found;
      group.network = m.network;
      group.points.push_back(&m);
    }
    constexpr unsigned colours[] = {1, 3, 2, 0, 4, 5};
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      groups_[g].colour = colours[std::min(g, std::size(colours) - 1)];
    }
    find_fronts();
  }

  [[nodiscard]] std::string html() const;

 private:
  [[nodiscard]] Speed comparable_speed() const;
  void find_fronts();
  [[nodiscard]] std::string name() const;
  [[nodiscard]] std::string varied(const Line& line) const;
  [[nodiscard]] std::string lead() const;
  [[nodiscard]] std::string speed_text(const Measured& m) const;
  [[nodiscard]] std::string best(const Group& group) const;
  [[nodiscard]] std::string group_legend(std::vector<svg::Legend> entries) const;
  [[nodiscard]] std::string axes_section() const;
  [[nodiscard]] std::string axis_chart(const std::string& key) const;
  [[nodiscard]] std::string fronts_section() const;
  [[nodiscard]] std::string points_section() const;
  [[nodiscard]] std::vector<SweepAxis> axes() const;
  [[nodiscard]] std::string failed_reasons() const;
  [[nodiscard]] std::string failed_section() const;
  [[nodiscard]] std::string by_board(const std::string& key) const;
  [[nodiscard]] std::string definition_section() const;

  const Results& results_;
  std::vector<Measured> measured_;
  Speed speed_;
  const Runner& runner_ = runner_of(results_.lines.front()["configuration"]);
  std::vector<std::string> keys_;     ///< keys that vary and do not follow from the board
  std::vector<std::string> implied_;  ///< keys that follow from the board
  std::vector<Group> groups_;
  /// Indices of the costs with a front that contains the point.
  std::map<const Measured*, std::set<std::size_t>> fronts_;
  std::size_t failed_ = results_.lines.size() - measured_.size();
};

/// The speed by which the points that have rates are compared.
Speed Page::comparable_speed() const {
  std::vector<Measured> compared;
  std::copy_if(measured_.begin(), measured_.end(), std::back_inserter(compared), has_rates);
  return speed_of(compared);
}

void Page::find_fronts() {
  for (const Group& group : groups_) {
    for (std::size_t c = 0; c < std::size(costs); ++c) {
      std::vector<std::vector<double>> points;
      for (const Measured* m : group.points) points.push_back({costs[c].of(*m), speed_.time(*m)});
      for (const std::size_t i : pareto_front(points)) fronts_[group.points[i]].insert(c);
    }
  }
}

std::string Page::name() const {
  const Line definition = Line::parse(results_.definition, nullptr, false, true);
  if (!definition.is_object() || !definition.contains("name")) return results_.folder;
  return plain(definition["name"]);
}

/// The values of the keys that vary, as text, without the network's name.
std::string Page::varied(const Line& line) const {
  std::string text;
  for (const std::string& key : keys_) {
    if (key == runner_.subject) continue;
    const Naming of_key = naming(key);
    text += fmt::format("{}{} {}{}{}", text.empty() ? "" : ", ", of_key.name,
                        plain(value_of(line, key)), of_key.unit.empty() ? "" : " ", of_key.unit);
  }
  return text;
}

std::string Page::speed_text(const Measured& m) const {
  return speed_.rate ? fmt::format("{:.2f} frames/s", *m.frames_per_second)
                     : time_text(m.latency_ms);
}

/// The table of points that are best in some respect. Each point has one row with all its respects.
std::string Page::best(const Group& group) const {
  const Best best = best_of(group.points);
  std::vector<std::pair<std::size_t, const char*>> praises{
      {best.fastest, "has the lowest latency"},
      {best.rate, "gives the most frames/s"},
      {best.efficient, "gives the most frames for its memory"},
      {best.smallest, "has the least memory within 10 % of the lowest latency"},
      {best.multipliers, "has the fewest multipliers within 10 % of the lowest latency"},
  };
  // With one unit the lowest latency gives the most frames/s, unless points differ in their batch.
  if (!speed_.rate) praises.erase(praises.begin() + 1);
  const std::string table = common_table(measured_);
  if (!table.empty()) {
    const auto less = [](const Measured* a, const Measured* b) {
      return std::make_pair(energy_of_image(*a), a->latency_ms) <
             std::make_pair(energy_of_image(*b), b->latency_ms);
    };
    const auto least = std::min_element(group.points.begin(), group.points.end(), less);
    praises.emplace_back(least - group.points.begin(), "takes the least energy");
  }
  std::string text;
  std::set<std::size_t> named;
  for (const auto& first : praises) {
    if (!named.insert(first.first).second) continue;
    std::vector<std::string> all;
    for (const auto& [place, what] : praises) {
      if (place == first.first) all.emplace_back(what);
    }
    const std::string last = all.back();
    all.pop_back();
    const std::string praise =
        all.empty() ? last : fmt::format("{} and {}", fmt::join(all, ", "), last);
    const Measured& m = *group.points[first.first];
    const std::string values = varied(*m.line);
    text += fmt::format(
        "<li>{}<a href=\"#p{}\">Point {}</a> {}: {}, {:.1f} frames/s, {:.2f} Mbit, {} "
        "multipliers, {:.2f} frames/s for each Mbit{}{}.</li>\n",
        groups_.size() > 1 ? escape(group.network) + ": " : "", m.point, m.point, praise,
        time_text(m.latency_ms), *m.frames_per_second, megabits(m),
        grouped(static_cast<std::uint64_t>(m.multipliers)), *m.frames_per_second / megabits(m),
        table.empty() ? "" : ", " + energy_text(m),
        values.empty() ? "" : " (" + escape(values) + ")");
  }
  return "<ul class=\"best\">\n" + text + "</ul>\n";
}

std::string Page::lead() const {
  std::string text =
      fmt::format("<p>{} points{}", grouped(results_.lines.size()),
                  failed_ > 0 ? fmt::format(", {} of them failed", grouped(failed_)) : "");
  if (results_.total > results_.lines.size()) {
    text += fmt::format("; {} more have not been run yet",
                        grouped(results_.total - results_.lines.size()));
  }
  text += fmt::format(". {}.</p>\n", escape(plain(results_.lines.front()["tool"])));
  if (failed_ > 0) text += failed_reasons();
  if (measured_.empty()) return text + "<p><b>Every point failed.</b></p>\n";
  if (const auto empty = measured_.size() - static_cast<std::size_t>(std::count_if(
                                                measured_.begin(), measured_.end(), has_rates));
      empty > 0) {
    text += fmt::format(
        "<p>At {} point{} the program has no instructions: 0 cycles and no rates. They are in the "
        "table of all points only.</p>\n",
        grouped(empty), empty == 1 ? "" : "s");
  }
  if (groups_.size() > 1) {
    text += "<p>Points are compared with those of the same network only.</p>\n";
  }
  return text;
}

std::string Page::group_legend(std::vector<svg::Legend> entries) const {
  if (groups_.size() > 1) {
    entries.clear();
    for (const Group& group : groups_) entries.push_back({group.network, group.colour});
  }
  return svg::legend(entries);
}

std::string Page::axis_chart(const std::string& key) const {
  // Up to so many values of a key, or with enough points per value, the line through the best
  // points is drawn; otherwise it would be noise.
  const auto enough = [](std::size_t values, std::size_t points) {
    return values > 1 && (values <= 24 || 8 * values <= points);
  };
  svg::ScatterChart chart;
  chart.title = fmt::format("{} against {}", speed_.title, naming(key).name);
  chart.x.title = titled(key);
  chart.y.title = speed_.axis;
  const auto numeric = [&](const Measured& m) { return value_of(*m.line, key).is_number(); };
  const bool numbers = std::all_of(measured_.begin(), measured_.end(), numeric);
  std::map<std::string, double> places;
  const auto place = [&](const Measured& m) {
    const Line& value = value_of(*m.line, key);
    if (numbers) return value.get<double>();
    const auto [found, fresh] = places.try_emplace(plain(value), places.size());
    if (fresh) chart.x.categories.push_back(found->first);
    return found->second;
  };
  for (const Group& group : groups_) {
    std::map<double, std::vector<double>> at;
    for (const Measured* m : group.points) {
      const double x = place(*m);
      at[x].push_back(speed_.value(*m));
      chart.points.push_back(
          {x, speed_.value(*m),
           fmt::format("point {}: {}; {}", m->point, speed_text(*m), varied(*m->line)),
           group.colour});
    }
    if (!enough(at.size(), group.points.size())) continue;
    const bool single = groups_.size() == 1;
    svg::ScatterLine best{{}, single ? 0 : group.colour}, median{{}, 5, false, true};
    for (auto& [x, values] : at) {
      std::sort(values.begin(), values.end());
      best.points.emplace_back(x, speed_.rate ? values.back() : values.front());
      const std::size_t half = values.size() / 2;
      median.points.emplace_back(x, (values[half] + values[values.size() - 1 - half]) / 2);
    }
    if (single && at.size() < group.points.size()) chart.lines.push_back(std::move(median));
    chart.lines.push_back(std::move(best));
  }
  return svg::scatter(chart);
}

std::string Page::axes_section() const {
  if (keys_.empty()) return "<p>Nothing varies.</p>\n";
  std::vector<std::string> charts;
  for (const std::string& key : keys_) {
    if (key != runner_.subject) charts.push_back(axis_chart(key));
  }
  return "<p>Every point once in each chart, whatever its other values. Rest the pointer on one to "
         "see them.</p>\n" +
         group_legend(
             {{"points", 1}, {speed_.best + std::string(" at each value"), 0}, {"median", 5}}) +
         svg::side_by_side(charts);
}

std::string Page::fronts_section() const {
  const Colouring colouring(measured_, axes());
  std::vector<std::string> charts;
  for (const Cost& cost : costs) {
    std::vector<FrontGroup> groups;
    for (const Group& group : groups_) {
      const bool single = groups_.size() == 1;
      groups.push_back(
          {group.points, single ? front_colour : group.colour,
           [&, single](const Line& line) { return single ? colouring.of(line) : group.colour; }});
    }
    const auto title = [&](const Measured& m) {
      return fmt::format("point {}: {:.4g}, {}; {}", m.point, cost.of(m), speed_text(m),
                         varied(*m.line));
    };
    charts.push_back(front_chart(groups, speed_, cost.name, cost.axis, cost.of, title));
  }
  return fmt::format(
             "<p>Large points are on the front: no other has both less cost and {}. Memory: "
             "local memory, accumulators, weights and SIMD registers. Multipliers: N x N in the "
             "array, N in the ALUs. Bandwidth: bytes read and written for an image, times "
             "frames/s.{}</p>\n",
             speed_.better, speed_.rate ? " All are those of all units." : "") +
         (groups_.size() == 1 ? colouring.legend() : group_legend({})) + svg::side_by_side(charts);
}

std::string Page::points_section() const {
  const std::vector<SweepAxis> varied_axes = axes();
  const bool constants = std::any_of(measured_.begin(), measured_.end(),
                                     [](const Measured& m) { return m.constants_cycles != 0; });
  html::Table table(html::Table::Kind::list);
  const auto rate = [&](const char* title, unsigned digits, const std::optional<double>& value,
                        double factor = 1) {
    table.cell({title}, value ? fmt::format("{:.{}f}", factor * *value, digits) : "");
  };
  for (const Measured& m : measured_) {
    begin_row(table, fmt::format("<span id=\"p{0}\">{0}</span>", m.point), varied_axes, *m.line);
    table.cell({"cycles"}, grouped(m.cycles));
    rate("latency, ms", 3, m.latency_ms);
    rate("frames/s", 3, m.frames_per_second);
    rate(array_figures::busy_title, 1, m.array_busy, 100);
    rate(array_figures::useful_title, 1, m.useful_mac, 100);
    rate("memory, Mbit", 3, megabits(m));
    table.cell({"multipliers"}, grouped(static_cast<std::uint64_t>(m.multipliers)));
    rate("DRAM, MB/s", 1, m.dram_bytes_per_second, 1e-6);
    if (constants) table.cell({"constants, once, cycles"}, grouped(m.constants_cycles));
    std::string marks;
    if (const auto found = fronts_.find(&m); found != fronts_.end()) {
      for (const std::size_t c : found->second) {
        marks += (marks.empty() ? "" : ", ") + std::string(costs[c].mark);
      }
    }
    table.cell({"on the front of", true}, marks);
  }
  return fmt::format("<p>A click on a title sorts.{}{}</p>\n",
                     speed_.rate
                         ? " Frames/s, memory, multipliers and DRAM are those of all units; "
                           "cycles and latency are those of the first image."
                         : "",
                     constants ? " Constants, once: cycles before the first image, which are in no "
                                 "other figure."
                               : "") +
         table.html();
}

std::vector<SweepAxis> Page::axes() const {
  std::vector<SweepAxis> list;
  for (const std::string& key : keys_) {
    list.push_back({key, titled(key), !value_of(results_.lines.front(), key).is_number()});
  }
  return list;
}

/// Lists each error text once, with the points that have it.
std::string Page::failed_reasons() const {
  std::map<std::string, std::vector<std::uint64_t>> reasons;
  for (const Line* line : by_point(results_.lines)) {
    if ((*line)["status"] == "ok") continue;
    reasons[plain(line->value("error", Line()))].push_back((*line)["point"].get<std::uint64_t>());
  }
  constexpr std::size_t most_named = 8;
  std::string text;
  for (auto& [reason, points] : reasons) {
    std::vector<std::string> links;
    for (const std::uint64_t point : points) {
      if (links.size() < most_named) links.push_back(link_to(point));
    }
    text += fmt::format(
        "<li>Point{} {}{}: {}</li>\n", points.size() == 1 ? "" : "s", fmt::join(links, ", "),
        points.size() > most_named ? fmt::format(" and {} more", points.size() - most_named) : "",
        escape(reason));
  }
  return "<p>Failed:</p><ul class=\"best\">\n" + text + "</ul>\n";
}

std::string Page::failed_section() const {
  const std::vector<SweepAxis> varied_axes = axes();
  html::Table table(html::Table::Kind::list);
  for (const Line* line : by_point(results_.lines)) {
    if ((*line)["status"] == "ok") continue;
    begin_row(table, fmt::format("<span id=\"p{0}\">{0}</span>", plain((*line)["point"])),
              varied_axes, *line);
    table.cell({"error", true}, line->contains("error") ? escape(plain((*line)["error"])) : "");
  }
  return table.html();
}

/// The value of a key for each board: "zcu104: 100, pynq_z1: 50".
std::string Page::by_board(const std::string& key) const {
  std::vector<std::string> values;
  std::set<std::string> seen;
  for (const Line& line : results_.lines) {
    const std::string board = plain(value_of(line, runner_.base));
    if (seen.insert(board).second) values.push_back(board + ": " + plain(value_of(line, key)));
  }
  return fmt::format("{}", fmt::join(values, ", "));
}

std::string Page::definition_section() const {
  html::Table table({{"setting", true}, {"value", true}});
  const Line& first = results_.lines.front();
  for (const std::string& key : key_names(first["configuration"])) {
    if (std::find(keys_.begin(), keys_.end(), key) != keys_.end()) continue;
    if (is_hash_of_file(key) && groups_.size() > 1) continue;
    const bool implied = std::find(implied_.begin(), implied_.end(), key) != implied_.end();
    table.row({escape(key), escape(implied ? by_board(key) : plain(value_of(first, key)))});
  }
  return "<pre>" + escape_lines(results_.definition) + "</pre>\n" +
         html::details("All other settings", table.html());
}

std::string Page::html() const {
  html::Page page("Sweep " + name());
  page.sortable();
  page.lead(lead());
  if (!groups_.empty()) {
    std::string text;
    for (const Group& group : groups_) text += best(group);
    std::vector<Measured> compared;
    std::copy_if(measured_.begin(), measured_.end(), std::back_inserter(compared), has_rates);
    page.section("Best points", text);
    for (const auto& [title, section] : runner_.page_sections(compared, axes())) {
      page.section(title, section);
    }
    page.section("Pareto fronts", fronts_section());
    page.section(fmt::format("{} against what varies", speed_.title), axes_section());
  }
  if (!measured_.empty()) page.section("All points", points_section());
  if (failed_ > 0) page.section("Failed points", failed_section());
  page.section("Definition", definition_section());
  return page.html();
}

}  // namespace

std::string report_html(const Results& results) {
  if (results.lines.empty()) user_error("{}: no point of the sweep is finished", results.folder);
  return Page(results).html();
}

}  // namespace tactus::sweep
