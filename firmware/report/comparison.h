// Compares runs: finds the figures in which they differ, and the causes of the difference in
// cycles.
//
// A run is read from its statistics file (`tactus run --stats`), from a point of a sweep, or from
// all points of a sweep together. Its cycles are divided in two ways: by reason, i.e. by what the
// main unit did or waited for, and by part (layers or points). Every cycle has a reason, so the
// differences by reason add up to the whole difference.
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
  std::string label;            ///< short name, given by the user; empty: a letter by position
  std::uint64_t cycles = 0;     ///< as counted by the run's driver
  std::uint64_t accounted = 0;  ///< sum of `time`: some more, until all units are idle
  double latency_ms = 0;
  Named<std::string> settings;   ///< by name such as "architecture.array_size", as text
  Named<std::uint64_t> time;     ///< cycles: "working" first, then the reasons for lost cycles
  Named<std::string> meanings;   ///< one sentence for each reason
  Named<std::uint64_t> parts;    ///< cycles of layers or points; empty: the run names none
  Named<std::uint64_t> units;    ///< busy cycles of each unit
  Named<std::uint64_t> figures;  ///< other counts: instructions, vectors, bytes at the ports
  Named<double> shares;          ///< "array busy" and "useful MAC", percent
  Named<double> throughput;      ///< images, frames/s, latencies in ms, by key
  std::string energy_table;      ///< name, unit and source of the table; empty: no energies
  Named<double> energy;          ///< total, static, by event; and the area
};

/// Reads the first image of a statistics file. `where` is the file name in messages. Throws
/// UserError "WHERE:/PATH: ..." if a value is missing or has the wrong type.
[[nodiscard]] ComparedRun run_of_statistics(const nlohmann::ordered_json& json,
                                            const std::string& where, std::string name);
/// Reads a line of a sweep's results whose status is "ok".
[[nodiscard]] ComparedRun run_of_point(const nlohmann::ordered_json& line, const std::string& where,
                                       std::string name);
/// Combines runs that are parts of one larger run. Adds their counts and keeps the settings that
/// are equal in all.
[[nodiscard]] ComparedRun together(const std::vector<ComparedRun>& parts, std::string name);

/// One figure of all runs. A run without the figure has an empty value.
template <typename T>
struct ComparedRow {
  std::string name;
  std::vector<std::optional<T>> values;
};

/// The difference in cycles between a run and the first run, by reason and by part.
struct Explanation {
  std::int64_t cycles = 0;      ///< accounted cycles of this run minus those of the first
  Named<std::int64_t> reasons;  ///< largest first; zeros left out
  /// Largest first, zeros left out. Empty if one of the two runs names no parts.
  Named<std::int64_t> parts;
};

struct Comparison {
  std::vector<ComparedRun> runs;
  std::vector<ComparedRow<std::string>> settings;              ///< settings that differ
  std::vector<ComparedRow<std::uint64_t>> time, parts, units;  ///< rows of zeros left out
  std::vector<ComparedRow<std::uint64_t>> figures;             ///< figures that differ
  std::vector<ComparedRow<double>> shares;
  std::vector<ComparedRow<double>> throughput;  ///< only if a run computes several images
  /// The energy tables of all runs. Energies by different tables cannot be compared, so with
  /// several tables `energy` is empty.
  std::vector<std::string> energy_tables;
  std::vector<ComparedRow<double>> energy;
  std::vector<Explanation> explanations;  ///< of all runs from the second on
};

/// Precondition: at least two runs.
[[nodiscard]] Comparison compare_runs(std::vector<ComparedRun> runs);

/// Short name of a run for tables: its label or its letter.
[[nodiscard]] std::string label_of(const Comparison& comparison, std::size_t run);
/// Change from the first run's value as " (+5.6 %)"; empty if there is no change.
[[nodiscard]] std::string change_text(double value, double first);
/// The most important figures among those that differ.
[[nodiscard]] std::vector<ComparedRow<std::uint64_t>> main_figures(const Comparison& comparison);
/// A sentence that warns if the clocks of the runs differ, since cycles are then no measure of
/// time; else empty.
[[nodiscard]] std::string clock_note(const Comparison& comparison);

/// A sentence about constants that are copied once before the first image, and what the comparison
/// is for one image with them; empty if no run copies any.
[[nodiscard]] std::string constants_note(const Comparison& comparison);

/// The sentence that explains a reason, from the first run that has one; empty if no run has.
[[nodiscard]] std::string meaning_of(const Comparison& comparison, const std::string& reason);

/// The comparison as JSON.
[[nodiscard]] std::string comparison_json(const Comparison& comparison);
/// The sections of the page, each with title and HTML: settings, explanations, all tables.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> comparison_tables(
    const Comparison& comparison);
/// The comparison as a self-contained HTML page.
[[nodiscard]] std::string comparison_html(const Comparison& comparison);

}  // namespace tactus
