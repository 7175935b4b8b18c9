// tactus compare: runs, points of sweeps and whole sweeps side by side.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <type_traits>

#include <fmt/core.h>

#include "firmware/cli/args.h"
#include "firmware/cli/commands.h"
#include "firmware/cli/table.h"
#include "firmware/cli/verbosity.h"
#include "firmware/driver/machines.h"
#include "firmware/report/comparison.h"
#include "firmware/report/figures.h"
#include "firmware/sweep/findings.h"
#include "firmware/sweep/results.h"
#include "isa/support/error.h"
#include "isa/support/file_kind.h"
#include "isa/support/files.h"
#include "isa/support/json.h"
#include "isa/support/json_text.h"
#include "isa/support/located.h"
#include "isa/support/quantity.h"
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
    const Json json = located(path, [&] { return json_or_discarded(text); });
    if (json.is_discarded()) user_error("{}: broken JSON", path);
    return run_of_statistics(json, path, path);
  });
}

/// Adds the meanings of the run's reasons for lost cycles, from the tables of the machine with
/// these reasons. Statistics contain the meanings, results of sweeps do not.
void add_meanings(ComparedRun& run) {
  for (const MachineInfo* machine : machines()) {
    const FigureTable table(*machine);
    Named<std::string> meanings;
    for (const auto& [reason, cycles] : run.time) {
      const Figure* figure = table.find("accounting.lost_cycles.reasons." + reason);
      if (figure != nullptr) meanings.emplace_back(reason, figure->meaning);
    }
    if (meanings.size() + 1 < run.time.size())
      continue;  // the first entry is the work, not a reason
    run.meanings = std::move(meanings);
    return;
  }
}

ComparedRun read_point(const PointName& name) {
  const sweep::Results results = sweep::read_results(name.folder);
  for (const sweep::Line& line : results.lines) {
    if (text_of_json(line["point"]) != name.number) continue;
    const std::string where = fmt::format("{}: point {}", name.folder, name.number);
    if (line["status"] != "ok") {
      user_error("{} has no figures: {}", where, sweep::plain(line.value("error", line["status"])));
    }
    return run_of_point(line, where, name.folder + ":" + name.number);
  }
  user_error("{}: no result of a point {}; there are {} of {} points", name.folder, name.number,
             results.lines.size(), results.total);
}

/// Returns, for each folder, the points that all folders have; `left_out` counts the others.
std::vector<ComparedRun> read_sweeps(const Words& folders, std::size_t& left_out) {
  std::vector<sweep::Results> sweeps;
  for (const std::string& folder : folders) sweeps.push_back(sweep::read_results(folder));
  std::map<std::string, std::size_t>
      folders_with;  // number of folders with each point, by hash of the configuration
  for (const sweep::Results& results : sweeps) {
    for (const sweep::Line& line : results.lines) {
      if (line["status"] == "ok") ++folders_with[line["hash"].get<std::string>()];
    }
  }
  std::map<std::string, std::string> names;  // names of the points, by hash
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

std::string cell(const std::string& value) { return value; }
std::string cell(std::uint64_t value) { return fmt::format("{}", value); }
std::string cell(double value) { return fmt::format("{:.5g}", value); }

/// Rows of values: a column for each run and, for numbers, one with the change from the first run
/// in all others.
template <typename T>
std::string value_table(const Comparison& comparison, const std::string& title,
                        const std::vector<ComparedRow<T>>& rows) {
  constexpr bool numbers = std::is_arithmetic_v<T>;
  Table table({{title, true}});
  for (std::size_t i = 0; i < comparison.runs.size(); ++i) {
    table.columns.push_back({label_of(comparison, i), !numbers});
    if (numbers && i > 0) table.columns.push_back({""});
  }
  for (const auto& row : rows) {
    table.row({row.name});
    std::vector<std::string>& line = table.rows.back();
    for (std::size_t i = 0; i < row.values.size(); ++i) {
      const auto &value = row.values[i], &first = row.values.front();
      line.push_back(value ? cell(*value) : "-");
      if constexpr (numbers) {
        if (i == 0) continue;
        line.push_back(
            value && first ? change(static_cast<double>(*value), static_cast<double>(*first)) : "");
      }
    }
  }
  return "\n" + table.text();
}

/// Rows with one name.
std::vector<ComparedRow<double>> named_rows(const std::vector<ComparedRow<double>>& rows,
                                            const char* name) {
  std::vector<ComparedRow<double>> out;
  for (const ComparedRow<double>& row : rows) {
    if (row.name == name) out.push_back(row);
  }
  return out;
}

std::string energy_text(const Comparison& comparison,
                        const std::vector<ComparedRow<double>>& energy) {
  std::string text;
  for (const std::string& table : comparison.energy_tables) {
    text += fmt::format("\nenergy by table {}\n", table);
  }
  if (comparison.energy_tables.size() > 1) {
    return text + "energies of different tables do not compare\n";
  }
  return text.empty() ? text : text + value_table(comparison, "energy", energy);
}

std::string explanation_text(const Comparison& comparison, std::size_t index) {
  const Explanation& explanation = comparison.explanations[index - 1];
  const std::string label = label_of(comparison, index), first = label_of(comparison, 0);
  if (explanation.cycles == 0 && explanation.reasons.empty()) {
    return fmt::format("\n{} spends its time as {} does.\n", label, first);
  }
  const auto distance = static_cast<std::uint64_t>(std::abs(explanation.cycles));
  std::string text = fmt::format("\n{} takes {} {} than {}:\n", label, counted(distance, "cycle"),
                                 explanation.cycles < 0 ? "fewer" : "more", first);
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
    text += fmt::format("{} by part:\n", label);
    list(explanation.parts);
  }
  return text;
}

/// A line for each run: cycles and time, each with its change.
std::string runs_text(const Comparison& comparison) {
  std::string text;
  const ComparedRun& first = comparison.runs.front();
  for (std::size_t i = 0; i < comparison.runs.size(); ++i) {
    const ComparedRun& run = comparison.runs[i];
    text += fmt::format(
        "{}  {}: {}{} = {}{}\n", label_of(comparison, i), run.name, counted(run.cycles, "cycle"),
        change_text(static_cast<double>(run.cycles), static_cast<double>(first.cycles)),
        time_text(run.latency_ms), change_text(run.latency_ms, first.latency_ms));
  }
  for (const std::string& note : {clock_note(comparison), constants_note(comparison)}) {
    if (!note.empty()) text += note + "\n";
  }
  return text;
}

/// The most important tables; --full prints all.
std::string short_tables(const Comparison& comparison) {
  std::string text;
  if (!comparison.shares.empty()) text += value_table(comparison, "array", comparison.shares);
  const auto figures = main_figures(comparison);
  if (!figures.empty()) text += value_table(comparison, "counts that differ", figures);
  const auto rate = named_rows(comparison.throughput, "frames_per_second");
  if (!rate.empty()) text += value_table(comparison, "throughput", rate);
  text += energy_text(comparison, named_rows(comparison.energy, "total"));
  return text + "\n--full: all cycles by reason and part, units, counts and energies\n";
}

std::string full_tables(const Comparison& comparison) {
  std::string text;
  text += value_table(comparison, "cycles by reason", comparison.time);
  if (!comparison.parts.empty()) {
    text += value_table(comparison, "cycles by part", comparison.parts);
  }
  if (!comparison.units.empty()) {
    text += value_table(comparison, "busy cycles of units", comparison.units);
  }
  if (!comparison.shares.empty()) text += value_table(comparison, "array", comparison.shares);
  if (!comparison.figures.empty()) {
    text += value_table(comparison, "counts that differ", comparison.figures);
  }
  if (!comparison.throughput.empty()) {
    text += value_table(comparison, "throughput", comparison.throughput);
  }
  return text + energy_text(comparison, comparison.energy);
}

std::string comparison_text(const Comparison& comparison, bool full) {
  std::string text = runs_text(comparison);
  if (!comparison.settings.empty()) text += value_table(comparison, "setting", comparison.settings);
  for (std::size_t i = 1; i < comparison.runs.size(); ++i) text += explanation_text(comparison, i);
  return text + (full ? full_tables(comparison) : short_tables(comparison));
}

/// A run as named on the command line: "s1.json", or "LABEL=s1.json".
struct NamedRun {
  std::string label, path;
};

bool is_run(const std::string& path) {
  return std::filesystem::exists(path) || point_name(path).has_value();
}

NamedRun named_run(const std::string& word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos || is_run(word)) return {"", word};
  NamedRun run{word.substr(0, equals), word.substr(equals + 1)};
  if (run.label.empty() || run.path.empty()) {
    user_error("tactus compare: {} names no run; write NAME=F.json", quote(word));
  }
  return run;
}

/// Throws UserError if two runs have the same label.
void check_labels(const Comparison& comparison) {
  std::set<std::string> labels;
  for (std::size_t i = 0; i < comparison.runs.size(); ++i) {
    if (labels.insert(label_of(comparison, i)).second) continue;
    user_error("tactus compare: two runs are called {}; the first without a name is A, the next B",
               quote(label_of(comparison, i)));
  }
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
    if (const std::size_t colon = name.rfind(':'); !point && colon != std::string::npos &&
                                                   is_folder(name.substr(0, colon)) &&
                                                   !std::filesystem::exists(name)) {
      user_error("{}: {} is not the number of a point; a point of a sweep is DIR:N", name,
                 quote(name.substr(colon + 1)));
    }
    runs.push_back(point ? read_point(*point) : read_statistics(name));
  }
  return runs;
}

}  // namespace

int compare_command(const Words& words) {
  Args args("compare",
            "Compares runs: cycles, what their differences are made of, layers, units, traffic.\n"
            "A run is a statistics file (tactus run --stats F.json) or a point of a sweep, DIR:N.\n"
            "Folders of sweeps of one definition are compared point by point. NAME=F.json calls a\n"
            "run NAME instead of A, B, ...",
            {{"full", "", "all tables: cycles by reason and part, units, counts, energies"},
             {"output", "F.html", "the comparison as a page"},
             {"json", "F.json", "the comparison as JSON; -: on the standard output, alone"}},
            "[NAME=]RUN [NAME=]RUN ...");
  if (!args.parse(words)) return exit_ok;
  constexpr std::size_t most_runs = 26;  // each run has a letter
  const Words& names = args.positional();
  if (names.size() < 2 || names.size() > most_runs) {
    user_error("tactus compare: name 2 to {} runs", most_runs);
  }
  const auto page = args.text("output");
  const auto json = args.text("json");
  std::vector<std::string> labels;
  Words paths;
  for (const std::string& word : names) {
    NamedRun run = named_run(word);
    labels.push_back(std::move(run.label));
    paths.push_back(std::move(run.path));
  }
  std::vector<ComparedRun> runs = read_runs(paths);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    runs[i].label = labels[i];
    if (runs[i].meanings.empty()) add_meanings(runs[i]);
  }
  const Comparison comparison = compare_runs(std::move(runs));
  check_labels(comparison);
  if (page) write_file_atomically(*page, comparison_html(comparison));
  if (json == "-") {
    fmt::print("{}", comparison_json(comparison));
    return exit_ok;
  }
  if (json) write_file_atomically(*json, comparison_json(comparison));
  fmt::print("{}", comparison_text(comparison, args.has("full")));
  return exit_ok;
}

}  // namespace tactus
