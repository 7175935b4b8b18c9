#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "firmware/report/comparison.h"
#include "firmware/report/html.h"

namespace tactus {
namespace {

using html::escape;
using html::grouped;
using html::percent;

/// "+1 234" or "-1 234".
std::string signed_count(std::int64_t value) {
  return (value < 0 ? "\u2212" : "+") + grouped(static_cast<std::uint64_t>(std::abs(value)));
}

/// A value beside the first run's: "1 234 (+5.6 %)".
std::string cell(const std::optional<std::uint64_t>& value,
                 const std::optional<std::uint64_t>& first, bool is_first) {
  if (!value) return "";
  std::string text = grouped(*value);
  if (is_first || !first || *first == 0 || *first == *value) return text;
  const double change = static_cast<double>(*value) / static_cast<double>(*first) - 1;
  return text + fmt::format("<br><small>{:+.1f} %</small>", 100 * change);
}

std::string rows_table(const Comparison& comparison, const char* title,
                       const std::vector<ComparedRow<std::uint64_t>>& rows,
                       html::Table::Kind kind) {
  std::vector<html::Table::Column> columns = {{title, true}};
  for (const ComparedRun& run : comparison.runs) columns.push_back({run.name});
  html::Table table(columns, kind);
  for (const auto& row : rows) {
    std::vector<std::string> cells = {html::breakable(row.name)};
    for (std::size_t i = 0; i < row.values.size(); ++i) {
      cells.push_back(cell(row.values[i], row.values.front(), i == 0));
    }
    table.row(std::move(cells));
  }
  return table.html();
}

std::string named_table(const char* title, const Named<std::int64_t>& values, std::int64_t total,
                        const Comparison& comparison) {
  html::Table table({{title, true}, {"cycles"}, {"of the difference"}, {"what it means", true}});
  for (const auto& [name, cycles] : values) {
    table.row({html::breakable(name), signed_count(cycles),
               total == 0 ? "" : percent(static_cast<double>(cycles) / static_cast<double>(total)),
               escape(meaning_of(comparison, name))});
  }
  return table.html();
}

std::string explanation_section(const Comparison& comparison, std::size_t index) {
  const Explanation& explanation = comparison.explanations[index - 1];
  std::string out = named_table("reason", explanation.reasons, explanation.cycles, comparison);
  if (!explanation.parts.empty()) {
    out += "<details><summary>By part</summary>\n" +
           named_table("part", explanation.parts, explanation.cycles, comparison) + "</details>\n";
  }
  return out;
}

std::string settings_table(const Comparison& comparison) {
  if (comparison.settings.empty()) return "<p>The runs agree in all settings.</p>\n";
  std::vector<html::Table::Column> columns = {{"setting", true}};
  for (const ComparedRun& run : comparison.runs) columns.push_back({run.name, true, true});
  html::Table table(columns);
  for (const auto& row : comparison.settings) {
    std::vector<std::string> cells = {html::breakable(row.name)};
    for (const auto& value : row.values) cells.push_back(html::breakable(value.value_or("")));
    table.row(std::move(cells));
  }
  return table.html();
}

}  // namespace

std::string comparison_html(const Comparison& comparison) {
  const ComparedRun& first = comparison.runs.front();
  html::Page page(fmt::format("{} runs compared", comparison.runs.size()));
  std::vector<std::string> tiles;
  for (const ComparedRun& run : comparison.runs) {
    const double change =
        first.cycles == 0 ? 0
                          : static_cast<double>(run.cycles) / static_cast<double>(first.cycles) - 1;
    tiles.push_back(html::tile(run.name, grouped(run.cycles),
                               &run == &first ? fmt::format("cycles, {:.3f} ms", run.latency_ms)
                                              : fmt::format("cycles, {:.3f} ms, {:+.1f} %",
                                                            run.latency_ms, 100 * change)));
  }
  page.lead("<p>Percentages are changes from the first run.</p>\n" + html::tiles(tiles));
  page.section("What differs in their settings", settings_table(comparison));
  for (std::size_t i = 1; i < comparison.runs.size(); ++i) {
    const std::int64_t cycles = comparison.explanations[i - 1].cycles;
    page.section(fmt::format("{}: {} cycles", comparison.runs[i].name, signed_count(cycles)),
                 explanation_section(comparison, i));
  }
  constexpr auto plain = html::Table::Kind::plain;
  page.section("Cycles by reason", rows_table(comparison, "reason", comparison.time, plain));
  if (!comparison.parts.empty()) {
    page.section("Cycles by part", rows_table(comparison, "part", comparison.parts, plain));
  }
  if (!comparison.units.empty()) {
    page.section("Busy cycles of units", rows_table(comparison, "unit", comparison.units, plain));
  }
  page.section("Counts that differ", rows_table(comparison, "figure", comparison.figures, plain));
  return page.html();
}

}  // namespace tactus
