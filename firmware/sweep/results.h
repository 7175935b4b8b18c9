// The folder of a sweep: its definition, one line a finished point, a table.
//
//   sweep.json      the definition as it was given
//   points.csv      number and hash of every point, of all shards
//   results.jsonl   one JSON object a line, in the order in which points finished
//   results.csv     the same flattened, in the order of the points, once the sweep has ended
//
// A line is written by one system call. A process that dies while writing leaves at most one line
// without its end, which the next opening removes. Lines are replaced by replacing the whole file.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include <nlohmann/json.hpp>

#include "firmware/sweep/definition.h"
#include "isa/support/descriptor.h"

namespace tactus::sweep {

using Line = nlohmann::ordered_json;

/// Keys of a line: "point", "hash", "status", "tool", "configuration", then "figures" (of a point
/// that is ok) or "error", then "host". Statuses:
///   ok      it has its figures
///   failed  it cannot be built, compiled or run, and would fail again
///   killed  something outside ended it (no memory, a signal); it runs again at the next opening
struct Results {
  std::string folder;
  std::string definition;  ///< text of sweep.json
  std::size_t total = 0;   ///< points the sweep has
  std::vector<Line> lines;
};

/// The files of a folder of results, as listed above.
[[nodiscard]] std::vector<std::string> file_names(const std::string& folder);

/// The text of a folder's sweep.json. Throws UserError if that is no definition of a sweep.
[[nodiscard]] std::string read_definition_text(const std::string& folder);

/// Reads what a folder holds; a cut last line is left out. Throws UserError for a folder that is
/// none of a sweep, for lines that are no results, and for lines of points that points.csv does not
/// have.
[[nodiscard]] Results read_results(const std::string& folder);

/// Cells of a table: a header and a row a line, sorted by point; nested keys joined by dots.
[[nodiscard]] std::string to_csv(const std::vector<Line>& lines);

/// The same for people and their scripts.
struct ResultTables {
  /// A row a point: its number, what the sweep varies under the last part of its key (the whole key
  /// where two end alike), status, figures that differ (without "figures."), error.
  std::string points;
  std::string constants;  ///< "name,value": what all points have in common
};
[[nodiscard]] ResultTables to_tables(const std::vector<Line>& lines);

/// A folder open for writing by one process at a time.
class ResultsFolder {
 public:
  /// Creates the folder if needed, locks it, removes a cut last line and the lines of points that
  /// are to run again (the killed ones, and with `retry_failed` the failed ones), writes sweep.json
  /// and points.csv. Throws UserError and changes no line if another process has it open, if it
  /// holds points that are not in `points`, or results of another version of the tool.
  ResultsFolder(std::string folder, const std::string& definition_text,
                const std::vector<Point>& points, const std::string& tool, bool retry_failed);
  ResultsFolder(const ResultsFolder&) = delete;
  ResultsFolder& operator=(const ResultsFolder&) = delete;

  [[nodiscard]] const Results& results() const { return results_; }
  [[nodiscard]] bool finished(const std::string& hash) const;
  void append(const Line& line);
  /// All lines at once, in one step. They are of points of the sweep.
  void replace(std::vector<Line> lines);
  void write_csv() const;

 private:
  void check_definition(const std::string& definition_text) const;
  void open_and_lock();
  void index_lines();
  void check_lines(const std::vector<Point>& points, const std::string& tool) const;
  Results results_;
  std::unordered_map<std::string, std::size_t> by_hash_;
  Descriptor descriptor_;  ///< of results.jsonl, locked
};

struct Merged {
  std::size_t points = 0;
  std::size_t failed = 0;   ///< killed ones included
  std::size_t missing = 0;  ///< in none of the folders
};
/// Joins folders of one sweep, and what the target holds of it already. Of several results of a
/// point the best counts: ok, then failed, then killed; of like ones the first. Throws UserError if
/// the folders are of different sweeps or versions of the tool, or if the figures of a point differ
/// between them (host figures apart).
Merged merge(const std::vector<std::string>& folders, const std::string& target);

}  // namespace tactus::sweep
