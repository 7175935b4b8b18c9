// The folder with the results of a sweep.
//
//   sweep.json      the definition as given
//   points.csv      number and hash of every point, of all shards
//   results.jsonl   one JSON object per line, in the order in which points finished
//   results.csv     the same values as a table, in the order of the points; made at the end
//
// A line is written by one system call. A process that dies while it writes leaves at most one
// incomplete line, which is removed when the folder is opened next. Lines are replaced by replacing
// the whole file.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include <nlohmann/json.hpp>

#include "firmware/report/text_table.h"
#include "firmware/sweep/definition.h"
#include "isa/support/descriptor.h"

namespace tactus::sweep {

using Line = nlohmann::ordered_json;

/// Keys of a line: "point", "hash", "status", "tool", "configuration", then "figures" (if ok) or
/// "error", then "host". Values of "status":
///   ok      the point has its figures
///   failed  it cannot be built, compiled or run, and would fail again
///   killed  something outside ended it (out of memory, a signal); it is run again when the
///           folder is opened next
struct Results {
  std::string folder;
  std::string definition;            ///< text of sweep.json
  std::size_t total = 0;             ///< number of points of the sweep
  std::vector<Line> lines;           ///< one for each point that has a result
  std::vector<std::size_t> numbers;  ///< read_results(): of each of `lines`, its line in the file
};

/// Paths of the files in a folder of results, as listed above.
[[nodiscard]] std::vector<std::string> file_names(const std::string& folder);

/// The text of sweep.json in a folder. Throws UserError if it is not the definition of a sweep.
[[nodiscard]] std::string read_definition_text(const std::string& folder);

/// Reads a folder, except an incomplete last line. A point counts once: of several lines the best
/// is taken, as merge() does. Throws UserError if the folder is not one of a sweep, if a line is
/// not a result, if points.csv lacks the point of a line, or if two lines have different figures.
[[nodiscard]] Results read_results(const std::string& folder);

/// The keys that the definition sets by an axis or as derived, in its order.
[[nodiscard]] std::vector<std::string> chosen_keys(const Results& results);

/// Pointers to the lines, sorted by point.
[[nodiscard]] std::vector<const Line*> by_point(const std::vector<Line>& lines);

/// The lines as CSV: a header, then a row per line, sorted by point. Nested keys are joined by
/// dots.
[[nodiscard]] std::string to_csv(const std::vector<Line>& lines);

/// Two tables for users and their scripts; firmware/report/text_table.h writes them in any form.
struct ResultTables {
  /// One row per point: number; the keys that the definition varies, in its order; status; figures
  /// that differ (without "figures."); error; other settings that differ, such as those of a board.
  /// A column is named by the last part of its key, or by the whole key if two keys end alike.
  TextTable points;
  TextTable constants;  ///< name and value: the values that all points share
};
[[nodiscard]] ResultTables to_tables(const Results& results);

/// A folder that is open for writing. One process at a time can open a folder.
class ResultsFolder {
 public:
  /// Creates the folder if needed and locks it. Removes an incomplete last line, and the lines of
  /// points to be run again: killed points and, with `retry_failed`, failed points. Writes
  /// sweep.json and points.csv. Throws UserError, without changing a line, if another process has
  /// the folder open, if it holds points that are not in `points`, or if its results are from
  /// another version of the tool.
  ResultsFolder(std::string folder, const std::string& definition_text,
                const std::vector<Point>& points, const std::string& tool, bool retry_failed);
  ResultsFolder(const ResultsFolder&) = delete;
  ResultsFolder& operator=(const ResultsFolder&) = delete;

  [[nodiscard]] const Results& results() const { return results_; }
  /// True if the point with this hash has a line.
  [[nodiscard]] bool finished(const std::string& hash) const;
  /// Writes the line of a point. Throws UserError if it cannot be written.
  void append(const Line& line);
  /// Replaces all lines in one step. Precondition: the points of the new lines belong to the sweep.
  void replace(std::vector<Line> lines);
  /// Writes results.csv.
  void write_csv() const;

 private:
  void check_definition(const std::string& definition_text) const;
  void open_and_lock();
  void index_lines();
  Results results_;
  std::unordered_map<std::string, std::size_t> by_hash_;
  Descriptor descriptor_;  ///< results.jsonl, locked
};

/// Numbers of points of a merged sweep.
struct Merged {
  std::size_t points = 0;
  std::size_t failed = 0;   ///< failed and killed points
  std::size_t missing = 0;  ///< points without a result in any folder
};
/// Merges the results of folders of one sweep into the folder `target`, with the results that it
/// has already. Of several results of a point the best is kept: ok before failed before killed; of
/// results with one status, the first. Throws UserError if the folders are of different sweeps or
/// tool versions, or if figures of a point differ between them (except those of the host).
Merged merge(const std::vector<std::string>& folders, const std::string& target);

}  // namespace tactus::sweep
