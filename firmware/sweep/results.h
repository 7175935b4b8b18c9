// Folder with the results of a sweep.
//
//   sweep.json      the definition as given
//   points.csv      number and hash of every point, of all shards
//   results.jsonl   one JSON object per line, in the order in which points finished
//   results.csv     the same values as a table, in the order of the points; made at the end
//
// A line is written by one system call. A process that dies while writing leaves at most one
// incomplete line, which is removed when the folder is opened next. To replace lines, the whole
// file is replaced.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include <nlohmann/json.hpp>

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
  std::string definition;  ///< text of sweep.json
  std::size_t total = 0;   ///< number of points of the sweep
  std::vector<Line> lines;
};

/// Names of the files in a folder of results, as listed above.
[[nodiscard]] std::vector<std::string> file_names(const std::string& folder);

/// Text of a folder's sweep.json. Throws UserError if it is not a definition of a sweep.
[[nodiscard]] std::string read_definition_text(const std::string& folder);

/// Reads a folder, without an incomplete last line. Throws UserError if the folder is not that of a
/// sweep, if a line is not a result, or if points.csv lacks a line's point.
[[nodiscard]] Results read_results(const std::string& folder);

/// Keys to which the sweep's definition gives values by an axis or as derived, in its order.
[[nodiscard]] std::vector<std::string> chosen_keys(const Results& results);

/// CSV text: a header, and a row per line, sorted by point; nested keys are joined by dots.
[[nodiscard]] std::string to_csv(const std::vector<Line>& lines);

/// Tables for users and their scripts.
struct ResultTables {
  /// One row per point: number; the keys that the definition varies, in its order; status; figures
  /// that differ (without "figures."); error; other settings that differ, such as those of a board.
  /// A key has the name of its last part, or the whole name if two end alike.
  std::string points;
  std::string constants;  ///< "name,value": values common to all points
};
[[nodiscard]] ResultTables to_tables(const Results& results);

/// A folder opened for writing by one process at a time.
class ResultsFolder {
 public:
  /// Creates the folder if needed and locks it. Removes an incomplete last line and the lines of
  /// points to be run again (killed ones and, with `retry_failed`, failed ones). Writes sweep.json
  /// and points.csv. Throws UserError, without changing a line, if another process has the folder
  /// open, if it holds points that are not in `points`, or if its results are from another version
  /// of the tool.
  ResultsFolder(std::string folder, const std::string& definition_text,
                const std::vector<Point>& points, const std::string& tool, bool retry_failed);
  ResultsFolder(const ResultsFolder&) = delete;
  ResultsFolder& operator=(const ResultsFolder&) = delete;

  [[nodiscard]] const Results& results() const { return results_; }
  [[nodiscard]] bool finished(const std::string& hash) const;
  void append(const Line& line);
  /// Replaces all lines in one step. Precondition: their points belong to the sweep.
  void replace(std::vector<Line> lines);
  void write_csv() const;

 private:
  void check_definition(const std::string& definition_text) const;
  void open_and_lock();
  void index_lines();
  void check_lines(const std::vector<Point>& points, const std::string& tool) const;
  Results results_;
  std::unordered_map<std::string, std::size_t> by_hash_;
  Descriptor descriptor_;  ///< results.jsonl, locked
};

struct Merged {
  std::size_t points = 0;
  std::size_t failed = 0;   ///< including killed points
  std::size_t missing = 0;  ///< points without a result in any folder
};
/// Merges folders of one sweep into `target`, including results that are there already. Of several
/// results of a point the best is kept (ok, failed, killed in this order), of equal ones the first.
/// Throws UserError if the folders are of different sweeps or tool versions, or if figures of a
/// point differ between them (except those of the host).
Merged merge(const std::vector<std::string>& folders, const std::string& target);

}  // namespace tactus::sweep
