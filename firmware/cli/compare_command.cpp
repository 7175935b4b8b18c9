// tactus compare: runs, points of sweeps and whole sweeps side by side.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>

#include <fmt/core.h>

#include "firmware/cli/args.h"
#include "firmware/cli/commands.h"
#include "firmware/cli/table.h"
#include "firmware/cli/verbosity.h"
#include "firmware/report/comparison.h"
#include "firmware/sweep/findings.h"
#include "firmware/sweep/results.h"
#include "isa/support/error.h"
#include "isa/support/file_guard.h"
#include "isa/support/file_kind.h"
#include "isa/support/files.h"
#include "isa/support/json.h"
#include "isa/support/json_text.h"
#include "isa/support/text.h"

namespace tactus {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t longest_statistics = std::size_t{1} << 28;  // bytes
constexpr std::size_t shown_parts = 5;

bool is_folder(const std::string& path) { return std::filesystem::is_directory(path); }

/// "DIR:7", a point of a sweep's results.
struct PointName {
  std::string folder, number;
};
std::optional<PointName> point_name(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon + 1 == text.size()) return std::nullopt;
  PointName name{text.substr(0, colon), text.substr(colon + 1)};
  if (name.number.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
  if (!is_folder(name.folder)) return std::nullopt;
  return name;
}

ComparedRun read_statistics(const std::string& path) {
  const std::string text = read_text(path);
  return parse_as(FileKind::statistics, path, text, [&] {
    check_json_text(text, path, longest_statistics);
    const Json json = json_or_discarded(text);
    if (json.is_discarded()) user_error("{}: broken JSON", path);
    return run_of_statistics(json, path, path);
  });
}

ComparedRun read_point(const PointName& name) {
  const sweep::Results results = sweep::read_results(name.folder);
  for (const sweep::Line& line : results.lines) {
    if (text_of_json(line["point"]) != name.number) continue;
    const std::string where = fmt::format("{}: point {}", name.folder, name.number);
    if (line["status"] != "ok") {
      user_error("{} has no figures: {}", where, line["status"].get<std::string>());
    }
    return run_of_point(line, where, name.folder + ":" + name.number);
  }
  user_error("{}: no result of a point {}; there are {} of {} points", name.folder, name.number,
             results.lines.size(), results.total);
}

/// The points that every folder has, of each folder; `left_out` counts the others.
std::vector<ComparedRun> read_sweeps(const Words& folders, std::size_t& left_out) {
  std::vector<sweep::Results> sweeps;
  for (const std::string& folder : folders) sweeps.push_back(sweep::read_results(folder));
  std::map<std::string, std::size_t> folders_with;  // by hash of the configuration
  for (const sweep::Results& results : sweeps) {
    for (const sweep::Line& line : results.lines) {
      if (line["status"] == "ok") ++folders_with[line["hash"].get<std::string>()];
    }
  }
  std::map<std::string, std::string> names;  // of the points, by hash
  const std::vector<std::string> keys = sweep::varied_keys(sweeps.front().lines);
  for (const sweep::Line& line : sweeps.front().lines) {
    std::string name = fmt::format("point {}", text_of_json(line["point"]));
    for (const std::string& key : keys) {
      const sweep::Line& value = sweep::value_of(line, key);
      name += fmt::format(", {} {}", key,
                          value.is_string() ? value.get<std::string>() : text_of_json(value));
    }
    names.emplace(line["hash"].get<std::string>(), std::move(name));
  }
  std::vector<ComparedRun> runs;
  left_out = 0;
  for (const auto& [hash, count] : folders_with) left_out += count < folders.size() ? 1 : 0;
  for (const sweep::Results& results : sweeps) {
    std::vector<ComparedRun> points;
    for (const sweep::Line& line : results.lines) {
      const auto hash = line["hash"].get<std::string>();
      if (line["status"] != "ok" || folders_with.at(hash) < folders.size()) continue;
      const std::string where =
          fmt::format("{}: point {}", results.folder, text_of_json(line["point"]));
      points.push_back(run_of_point(line, where, names.at(hash)));
    }
    if (points.empty()) {
      user_error(
          "{}: no point has figures in all the folders; sweeps of the same definition, "
          "run by different revisions, can be compared",
          results.folder);
    }
    runs.push_back(together(points, results.folder));
  }
  return runs;
}

std::string change(double value, double first) {
  if (first == 0) return value == 0 ? "" : "new";
  return value == first ? "" : fmt::format("{:+.1f} %", 100 * (value / first - 1));
}

std::string number(std::uint64_t value) { return fmt::format("{}", value); }
std::string number(double value) { return fmt::format("{:.5g}", value); }

/// Rows of numbers: a column for each run, and for all but the first one with the change.
template <typename T>
std::string count_table(const Comparison& comparison, const std::string& title,
                        const std::vector<ComparedRow<T>>& rows) {
  std::vector<Table::Column> columns = {{title, Table::Align::left}};
  for (std::size_t i = 0; i < comparison.runs.size(); ++i) {
    columns.push_back({std::string(1, static_cast<char>('A' + i))});
    if (i > 0) columns.push_back({""});
  }
  Table table(columns);
  std::vector<std::vector<std::string>> cells;
  for (const auto& row : rows) {
    std::vector<std::string> line = {row.name};
    for (std::size_t i = 0; i < row.values.size(); ++i) {
      const auto& value = row.values[i];
      line.push_back(value ? number(*value) : "-");
      if (i == 0) continue;
      line.push_back(value && row.values.front() ? change(static_cast<double>(*value),
                                                          static_cast<double>(*row.values.front()))
                                                 : "");
    }
    cells.push_back(std::move(line));
  }
  return "\n" + table.text(cells);
}

std::string energy_text(const Comparison& comparison) {
  std::string text;
  for (const std::string& table : comparison.energy_tables) {
    text += fmt::format("\nenergy by table {}\n", table);
  }
  if (comparison.energy_tables.size() > 1) {
    return text + "energies of different tables do not compare\n";
  }
  return text.empty() ? text : text + count_table(comparison, "energy", comparison.energy);
}

std::string settings_table(const Comparison& comparison) {
  std::vector<Table::Column> columns = {{"setting", Table::Align::left}};
  for (std::size_t i = 0; i < comparison.runs.size(); ++i) {
    columns.push_back({std::string(1, static_cast<char>('A' + i)), Table::Align::left});
  }
  Table table(columns);
  std::vector<std::vector<std::string>> cells;
  for (const auto& row : comparison.settings) {
    std::vector<std::string> line = {row.name};
    for (const auto& value : row.values) line.push_back(value.value_or("-"));
    cells.push_back(std::move(line));
  }
  return "\n" + table.text(cells);
}

std::string explanation_text(const Comparison& comparison, std::size_t index) {
  const Explanation& explanation = comparison.explanations[index - 1];
  const char letter = static_cast<char>('A' + index);
  if (explanation.cycles == 0 && explanation.reasons.empty()) {
    return fmt::format("\n{} spends its time as A does.\n", letter);
  }
  std::string text =
      fmt::format("\n{} takes {} cycles {} than A:\n", letter, std::abs(explanation.cycles),
                  explanation.cycles < 0 ? "fewer" : "more");
  const auto list = [&](const Named<std::int64_t>& values) {
    for (std::size_t i = 0; i < std::min(shown_parts, values.size()); ++i) {
      const auto& [name, cycles] = values[i];
      const std::string meaning = meaning_of(comparison, name);
      text +=
          fmt::format("  {:>+12}  {}{}{}\n", cycles, name, meaning.empty() ? "" : ": ", meaning);
    }
    if (values.size() > shown_parts) {
      std::int64_t rest = 0;
      for (std::size_t i = shown_parts; i < values.size(); ++i) rest += values[i].second;
      text += fmt::format("  {:>+12}  {} others\n", rest, values.size() - shown_parts);
    }
  };
  list(explanation.reasons);
  if (!explanation.parts.empty()) {
    text += fmt::format("{} by part:\n", letter);
    list(explanation.parts);
  }
  return text;
}

std::string comparison_text(const Comparison& comparison) {
  std::string text;
  const ComparedRun& first = comparison.runs.front();
  for (std::size_t i = 0; i < comparison.runs.size(); ++i) {
    const ComparedRun& run = comparison.runs[i];
    const std::string changed =
        change(static_cast<double>(run.cycles), static_cast<double>(first.cycles));
    text += fmt::format("{}  {}: {} cycles = {:.3f} ms{}{}\n", static_cast<char>('A' + i), run.name,
                        run.cycles, run.latency_ms, changed.empty() || i == 0 ? "" : ", ",
                        i == 0 ? "" : changed);
  }
  if (!comparison.settings.empty()) text += settings_table(comparison);
  for (std::size_t i = 1; i < comparison.runs.size(); ++i) text += explanation_text(comparison, i);
  text += count_table(comparison, "cycles by reason", comparison.time);
  if (!comparison.parts.empty()) {
    text += count_table(comparison, "cycles by part", comparison.parts);
  }
  if (!comparison.units.empty()) {
    text += count_table(comparison, "busy cycles of units", comparison.units);
  }
  if (!comparison.figures.empty()) {
    text += count_table(comparison, "counts that differ", comparison.figures);
  }
  if (!comparison.throughput.empty()) {
    text += count_table(comparison, "throughput", comparison.throughput);
  }
  return text + energy_text(comparison);
}

std::vector<ComparedRun> read_runs(const Words& names) {
  const auto folders =
      static_cast<std::size_t>(std::count_if(names.begin(), names.end(), is_folder));
  if (folders == names.size()) {
    std::size_t left_out = 0;
    std::vector<ComparedRun> runs = read_sweeps(names, left_out);
    if (left_out > 0) {
      note("{} point{} without figures in one of the folders {} left out", left_out,
           left_out == 1 ? "" : "s", left_out == 1 ? "is" : "are");
    }
    return runs;
  }
  if (folders > 0) {
    user_error(
        "tactus compare: a whole sweep can be compared with other sweeps only; name a point "
        "as DIR:N");
  }
  std::vector<ComparedRun> runs;
  for (const std::string& name : names) {
    const auto point = point_name(name);
    runs.push_back(point ? read_point(*point) : read_statistics(name));
  }
  return runs;
}

}  // namespace

int compare_command(const Words& words) {
  Args args("compare",
            "Compares runs: cycles, what their differences are made of, layers, units, traffic.\n"
            "A run is a statistics file (tactus run --stats F.json) or a point of a sweep, DIR:N.\n"
            "Folders of sweeps of one definition are compared point by point.",
            {{"output", "F.html", "the comparison as a page", false, 'o'},
             {"json", "F.json", "the comparison as JSON; -: on the standard output, alone"}},
            "A B [C ...]");
  if (!args.parse(words)) return exit_ok;
  constexpr std::size_t most_runs = 26;  // one letter each
  const Words& names = args.positional();
  if (names.size() < 2 || names.size() > most_runs) {
    user_error("tactus compare: name 2 to {} runs", most_runs);
  }
  const auto page = args.text("output");
  const auto json = args.text("json");
  const Comparison comparison = compare_runs(read_runs(names));
  if (page) write_file_atomically(*page, comparison_html(comparison));
  if (json == "-") {
    fmt::print("{}", comparison_json(comparison));
    return exit_ok;
  }
  if (json) write_file_atomically(*json, comparison_json(comparison));
  fmt::print("{}", comparison_text(comparison));
  return exit_ok;
}

}  // namespace tactus
