// Compares runs: shows in which figures they differ, and the causes of the difference in cycles.
//
// A run is read from its statistics file (`tactus run --stats`), from a point of a sweep, or from
// all points of a sweep together. Its cycles are divided in two ways: by what the main unit did or
// waited for, without remainder, and by part (layers or points). Hence the differences by reason
// add up to the whole difference.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace tactus {

/// Pairs of name and value in the order of their file. Names are unique.
template <typename T>
using Named = std::vector<std::pair<std::string, T>>;

struct ComparedRun {
  std::string name;
  std::string label;            ///< short, given by the user; empty: a letter by position
  std::uint64_t cycles = 0;     ///< as counted by the run's driver
  std::uint64_t accounted = 0;  ///< sum of `time`: up to when all units are idle, some cycles more
  double latency_ms = 0;
  Named<std::string> settings;   ///< "architecture.array_size", as text
  Named<std::uint64_t> time;     ///< cycles: "working" first, then the reasons for lost cycles
  Named<std::string> meanings;   ///< one sentence for each reason
  Named<std::uint64_t> parts;    ///< cycles of layers or points; empty: the run names none
  Named<std::uint64_t> units;    ///< busy cycles of each unit
  Named<std::uint64_t> figures;  ///< other counts: instructions, vectors, bytes at the ports
  Named<double> shares;          ///< shares of the array, percent, by title
  Named<double> throughput;      ///< images, frames/s, latencies in ms
  std::string energy_table;      ///< name, unit and source; empty: no energies
  Named<double> energy;          ///< total, static, by event; area
};

/// Reads the first image of a statistics file. Throws UserError "where:/path: ..." if a value is
/// missing or of a wrong type.
[[nodiscard]] ComparedRun run_of_statistics(const nlohmann::ordered_json& json,
                                            const std::string& where, std::string name);
/// Reads a line of a sweep's results whose status is "ok".
[[nodiscard]] ComparedRun run_of_point(const nlohmann::ordered_json& line, const std::string& where,
                                       std::string name);
/// Combines runs that are parts of a larger one: adds their counts, keeps settings that are equal
/// in all.
[[nodiscard]] ComparedRun together(const std::vector<ComparedRun>& parts, std::string name);

/// One value per run; empty if a run does not have it.
template <typename T>
struct ComparedRow {
  std::string name;
  std::vector<std::optional<T>> values;
};

/// Composition of a run's difference to the first run.
struct Explanation {
  std::int64_t cycles = 0;      ///< accounted cycles of this run minus those of the first
  Named<std::int64_t> reasons;  ///< largest first; zeros left out
  /// largest first; zeros left out; empty if one of the runs names no parts
  Named<std::int64_t> parts;
};

struct Comparison {
  std::vector<ComparedRun> runs;
  std::vector<ComparedRow<std::string>> settings;              ///< settings that differ
  std::vector<ComparedRow<std::uint64_t>> time, parts, units;  ///< rows of zeros are left out
  std::vector<ComparedRow<std::uint64_t>> figures;             ///< figures that differ
  std::vector<ComparedRow<double>> shares;
  std::vector<ComparedRow<double>> throughput;  ///< only if a run computes several images
  /// Energy tables of all runs. Energies of different tables cannot be compared; with several
  /// tables there are no energy rows.
  std::vector<std::string> energy_tables;
  std::vector<ComparedRow<double>> energy;
  std::vector<Explanation> explanations;  ///< of the second and all further runs
};

/// Precondition: at least two runs.
[[nodiscard]] Comparison compare_runs(std::vector<ComparedRun> runs);

/// Short name of a run for tables: its label or its letter.
[[nodiscard]] std::string label_of(const Comparison& comparison, std::size_t run);
/// Change from the first run's value, " (+5.6 %)"; empty without a change.
[[nodiscard]] std::string change_text(double value, double first);
/// The most important of the figures that differ.
[[nodiscard]] std::vector<ComparedRow<std::uint64_t>> main_figures(const Comparison& comparison);
/// A sentence if the runs' clocks differ, so that cycles cannot be compared as times; else empty.
[[nodiscard]] std::string clock_note(const Comparison& comparison);

/// A sentence about a reason, from the first run that has one; empty if none has.
[[nodiscard]] std::string meaning_of(const Comparison& comparison, const std::string& reason);

[[nodiscard]] std::string comparison_json(const Comparison& comparison);
/// Titles and HTML of the page's sections: settings, explanations, all tables.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> comparison_tables(
    const Comparison& comparison);
/// A self-contained HTML page.
[[nodiscard]] std::string comparison_html(const Comparison& comparison);

}  // namespace tactus
