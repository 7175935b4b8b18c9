// Runs side by side: where they differ, and what the difference is made of.
//
// A run is what its statistics file says (`tactus run --stats`), a point of a sweep, or all points
// of a sweep together. Its cycles are split twice: by what the machine's main unit did or waited
// for, which leaves no remainder, and by part, which are layers or points. The reasons of a
// difference therefore add up to the difference.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace tactus {

/// Names and values, in the order of the file they come from. No name occurs twice.
template <typename T>
using Named = std::vector<std::pair<std::string, T>>;

struct ComparedRun {
  std::string name;
  std::string label;            ///< short, given by the user; empty: a letter by its place
  std::uint64_t cycles = 0;     ///< as the run's driver counts them
  std::uint64_t accounted = 0;  ///< sum of `time`: some cycles more, until all units are at rest
  double latency_ms = 0;
  Named<std::string> settings;   ///< "architecture.array_size", as text
  Named<std::uint64_t> time;     ///< cycles: "working" first, then reasons for lost cycles
  Named<std::string> meanings;   ///< of the reasons, one sentence each
  Named<std::uint64_t> parts;    ///< cycles of layers or points; empty: the run names none
  Named<std::uint64_t> units;    ///< cycles in which a unit is busy
  Named<std::uint64_t> figures;  ///< other counts: instructions, vectors, bytes at the ports
  Named<double> shares;          ///< of the array, in percent, by their titles
  Named<double> throughput;      ///< images and images of a run, frames/s, latencies, in ms
  std::string energy_table;      ///< name, unit and source; empty: no energies
  Named<double> energy;          ///< total, static, by event; area
};

/// The first image of a statistics file. Throws UserError "where:/path: ..." for what is missing or
/// of another type.
[[nodiscard]] ComparedRun run_of_statistics(const nlohmann::ordered_json& json,
                                            const std::string& where, std::string name);
/// A line of a sweep's results whose status is "ok".
[[nodiscard]] ComparedRun run_of_point(const nlohmann::ordered_json& line, const std::string& where,
                                       std::string name);
/// Runs that are parts of a larger one: their counts are added, settings on which they agree stay.
[[nodiscard]] ComparedRun together(const std::vector<ComparedRun>& parts, std::string name);

/// One value a run; none where the run does not have it.
template <typename T>
struct ComparedRow {
  std::string name;
  std::vector<std::optional<T>> values;
};

/// What a run's difference to the first run is made of.
struct Explanation {
  std::int64_t cycles = 0;      ///< accounted cycles of this run less those of the first
  Named<std::int64_t> reasons;  ///< largest first; zeros left out
  Named<std::int64_t> parts;    ///< likewise; empty if one of the runs names none
};

struct Comparison {
  std::vector<ComparedRun> runs;
  std::vector<ComparedRow<std::string>> settings;              ///< those that differ
  std::vector<ComparedRow<std::uint64_t>> time, parts, units;  ///< without rows of zeros
  std::vector<ComparedRow<std::uint64_t>> figures;             ///< those that differ
  std::vector<ComparedRow<double>> shares;
  std::vector<ComparedRow<double>> throughput;  ///< if a run has several images
  /// Of all runs; energies of several tables do not compare, so that then there are no rows.
  std::vector<std::string> energy_tables;
  std::vector<ComparedRow<double>> energy;
  std::vector<Explanation> explanations;  ///< of the second run and those after it
};

/// At least two runs.
[[nodiscard]] Comparison compare_runs(std::vector<ComparedRun> runs);

/// What a run is called beside its numbers: its label or its letter.
[[nodiscard]] std::string label_of(const Comparison& comparison, std::size_t run);
/// " (+5.6 %)", the change from the first run's value; empty if there is none.
[[nodiscard]] std::string change_text(double value, double first);
/// The figures that most questions are about, of those that differ.
[[nodiscard]] std::vector<ComparedRow<std::uint64_t>> main_figures(const Comparison& comparison);
/// A sentence if the runs have several clocks, so that cycles are not times; else empty.
[[nodiscard]] std::string clock_note(const Comparison& comparison);

/// One sentence about a reason, from the first run that explains it; empty if none does.
[[nodiscard]] std::string meaning_of(const Comparison& comparison, const std::string& reason);

[[nodiscard]] std::string comparison_json(const Comparison& comparison);
/// Titles and HTML of a page's sections: settings, explanations, all tables.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> comparison_tables(
    const Comparison& comparison);
/// A self-contained HTML page.
[[nodiscard]] std::string comparison_html(const Comparison& comparison);

}  // namespace tactus
