#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "firmware/report/comparison.h"
#include "firmware/report/html.h"
#include "firmware/report/svg.h"
#include "isa/support/quantity.h"

namespace tactus {
namespace {

using html::escape;
using html::grouped;
using html::percent;

/// A difference with its sign: "+1 234" or "-1 234".
std::string signed_count(std::int64_t value) {
  return (value < 0 ? "\u2212" : "+") + grouped(static_cast<std::uint64_t>(std::abs(value)));
}

/// The name of a figure, setting or reason as words; the pointer shows the name that files have.
std::string words(const std::string& name) {
  std::string text = name;
  std::replace(text.begin(), text.end(), '_', ' ');
  if (text == name) return html::breakable(name);
  return fmt::format("<span title=\"{}\">{}</span>", escape(name), html::breakable(text));
}

std::string number(std::uint64_t value) { return grouped(value); }
std::string number(double value) { return fmt::format("{:.5g}", value); }

/// Label and name of a run: "A: s1.json".
std::string run_title(const Comparison& comparison, std::size_t run) {
  return fmt::format("{}: {}", label_of(comparison, run), comparison.runs[run].name);
}

/// A value and its change from the first run's: "1 234" with "+5.6 %" in a line below.
template <typename T>
std::string cell(const std::optional<T>& value, const std::optional<T>& first, bool is_first) {
  if (!value) return "";
  std::string text = number(*value);
  if (is_first || !first || *first == 0 || *first == *value) return text;
  const double change = static_cast<double>(*value) / static_cast<double>(*first) - 1;
  return text + fmt::format("<br><small>{:+.1f} %</small>", 100 * change);
}

/// A table with a column for each run.
html::Table table_by_run(const Comparison& comparison, const char* title,
                         const html::Table::Column& like) {
  html::Table table({{title, true}});
  for (std::size_t i = 0; i < comparison.runs.size(); ++i) {
    table.columns.push_back(like);
    table.columns.back().title = run_title(comparison, i);
  }
  return table;
}

template <typename T>
std::string rows_table(const Comparison& comparison, const char* title,
                       const std::vector<ComparedRow<T>>& rows) {
  html::Table table = table_by_run(comparison, title, {});
  for (const auto& row : rows) {
    std::vector<std::string> cells = {words(row.name)};
    for (std::size_t i = 0; i < row.values.size(); ++i) {
      cells.push_back(cell(row.values[i], row.values.front(), i == 0));
    }
    table.row(std::move(cells));
  }
  return table.html();
}

std::string named_table(const char* title, const Named<std::int64_t>& values, std::int64_t total,
                        const Comparison& comparison) {
  html::Table table({{title, true},
                     {"cycles"},
                     {"fewer | more", true},
                     {"of the difference"},
                     {"what it means", true}});
  double most = 0;
  for (const auto& [name, cycles] : values) {
    most = std::max(most, std::abs(static_cast<double>(cycles)));
  }
  for (const auto& [name, cycles] : values) {
    table.row({words(name), signed_count(cycles),
               svg::difference_bar(static_cast<double>(cycles), most,
                                   fmt::format("{}: {} cycles", name, signed_count(cycles))),
               total == 0 ? "" : percent(static_cast<double>(cycles) / static_cast<double>(total)),
               escape(meaning_of(comparison, name))});
  }
  return table.html();
}

std::string explanation_section(const Comparison& comparison, std::size_t index) {
  const Explanation& explanation = comparison.explanations[index - 1];
  std::string out = svg::legend({{"fewer cycles", svg::fewer}, {"more cycles", svg::more}}) +
                    named_table("reason", explanation.reasons, explanation.cycles, comparison);
  if (!explanation.parts.empty()) {
    out += html::details("By part",
                         named_table("part", explanation.parts, explanation.cycles, comparison));
  }
  return out;
}

/// One bar for each run with its cycles by reason, all on one scale.
std::string bars_section(const Comparison& comparison) {
  constexpr std::size_t named = 4;  // the reasons with most cycles have their own colours
  constexpr unsigned others = 5;
  std::vector<std::pair<std::uint64_t, std::size_t>> order;
  for (std::size_t r = 1; r < comparison.time.size(); ++r) {
    std::uint64_t sum = 0;
    for (const auto& value : comparison.time[r].values) sum += value.value_or(0);
    order.emplace_back(sum, r);
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<unsigned> colours(comparison.time.size(), others);
  std::vector<svg::Legend> legend;
  const auto name = [&](std::size_t row, unsigned colour) {
    colours[row] = colour;
    legend.push_back({comparison.time[row].name, colour});
  };
  if (!comparison.time.empty()) name(0, 0);
  for (std::size_t i = 0; i < std::min(named, order.size()); ++i) {
    name(order[i].second, static_cast<unsigned>(i + 1));
  }
  if (order.size() > named) legend.push_back({"other reasons", others});
  std::uint64_t most = 1;
  for (const ComparedRun& run : comparison.runs) most = std::max(most, run.accounted);
  html::Table table({{"run", true}, {"cycles"}, {"cycles by reason", true}});
  for (std::size_t i = 0; i < comparison.runs.size(); ++i) {
    const ComparedRun& run = comparison.runs[i];
    std::vector<svg::Part> parts;
    const auto add = [&](std::size_t row) {
      const std::uint64_t cycles = comparison.time[row].values[i].value_or(0);
      parts.push_back({static_cast<double>(cycles), colours[row],
                       fmt::format("{}: {} cycles", comparison.time[row].name, grouped(cycles))});
    };
    if (!comparison.time.empty()) add(0);
    for (const auto& [sum, row] : order) add(row);
    table.row({html::breakable(run_title(comparison, i)), grouped(run.accounted),
               svg::stacked_bar(parts, true, static_cast<double>(most))});
  }
  return table.html() + svg::legend(legend);
}

std::string energy_section(const Comparison& comparison) {
  std::string out;
  for (const std::string& table : comparison.energy_tables) {
    out += fmt::format("<p>Table {}.</p>\n", escape(table));
  }
  if (comparison.energy_tables.size() > 1) {
    return out + "<p>Energies of different tables do not compare.</p>\n";
  }
  return out + rows_table(comparison, "event", comparison.energy);
}

std::string settings_table(const Comparison& comparison) {
  if (comparison.settings.empty()) return "<p>The runs agree in all settings.</p>\n";
  html::Table table = table_by_run(comparison, "setting", {"", true, true});
  for (const auto& row : comparison.settings) {
    std::vector<std::string> cells = {html::breakable(row.name)};
    for (const auto& value : row.values) cells.push_back(html::breakable(value.value_or("")));
    table.row(std::move(cells));
  }
  return table.html();
}

}  // namespace

std::vector<std::pair<std::string, std::string>> comparison_tables(const Comparison& comparison) {
  std::vector<std::pair<std::string, std::string>> sections;
  sections.emplace_back("Cycles of the runs", bars_section(comparison));
  sections.emplace_back("What differs in their settings", settings_table(comparison));
  for (std::size_t i = 1; i < comparison.runs.size(); ++i) {
    const std::int64_t cycles = comparison.explanations[i - 1].cycles;
    sections.emplace_back(
        fmt::format("{}: {} cycles", run_title(comparison, i), signed_count(cycles)),
        explanation_section(comparison, i));
  }
  const auto add = [&](const char* title, const char* rows_are, const auto& rows, bool always) {
    if (!always && rows.empty()) return;
    sections.emplace_back(title, rows_table(comparison, rows_are, rows));
  };
  add("Cycles by reason", "reason", comparison.time, true);
  add("Cycles by part", "part", comparison.parts, false);
  add("Busy cycles of units", "unit", comparison.units, false);
  add("Array", "figure", comparison.shares, false);
  add("Throughput", "figure", comparison.throughput, false);
  if (!comparison.energy_tables.empty())
    sections.emplace_back("Energy", energy_section(comparison));
  add("Counts that differ", "figure", comparison.figures, true);
  return sections;
}

std::string comparison_html(const Comparison& comparison) {
  const ComparedRun& first = comparison.runs.front();
  html::Page page(fmt::format("{} runs compared", comparison.runs.size()));
  page.lead(fmt::format(
      "<p>Percentages are changes from the first run. {}</p>\n",
      fmt::join(std::vector<std::string>{clock_note(comparison), constants_note(comparison)},
                " ")));
  for (const ComparedRun& run : comparison.runs) {
    const auto cycles = static_cast<double>(run.cycles);
    page.tile(
        run_title(comparison, static_cast<std::size_t>(&run - &first)), grouped(run.cycles),
        fmt::format("cycles{}, {}{}", change_text(cycles, static_cast<double>(first.cycles)),
                    time_text(run.latency_ms), change_text(run.latency_ms, first.latency_ms)));
  }
  for (const auto& [title, html] : comparison_tables(comparison)) page.section(title, html);
  return page.html();
}

}  // namespace tactus
