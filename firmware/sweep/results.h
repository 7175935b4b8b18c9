// The folder of a sweep: its definition, one line a finished point, a table.
//
//   sweep.json      the definition as it was given
//   points.csv      number and hash of every point, of all shards
//   results.jsonl   one JSON object a line, in the order in which points finished
//   results.csv     the same flattened, in the order of the points, once the sweep has ended
//
// A line is written by one system call and never changed. A process that dies while writing leaves
// at most one line without its end, which the next opening removes.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include <nlohmann/json.hpp>

#include "firmware/sweep/definition.h"

namespace tactus::sweep {

using Line = nlohmann::ordered_json;

/// Keys of a line: "point", "hash", "status" ("ok" or "failed"), "tool", "configuration", then
/// "figures" or "error", then "host".
struct Results {
  std::string folder;
  std::string definition;  ///< text of sweep.json
  std::size_t total = 0;   ///< points the sweep has
  std::vector<Line> lines;
};

/// Reads what a folder holds; a cut last line is left out. Throws UserError for a folder that is
/// none of a sweep and for lines that are no results.
[[nodiscard]] Results read_results(const std::string& folder);

/// Cells of a table: a header and a row a line, sorted by point; nested keys joined by dots.
[[nodiscard]] std::string to_csv(const std::vector<Line>& lines);

/// A folder open for writing by one process at a time.
class ResultsFolder {
 public:
  /// Creates the folder if needed, locks it, removes a cut last line and, to have them run again,
  /// with `retry_failed` the lines of failed points, writes sweep.json and points.csv. Throws
  /// UserError and changes no line if another process has it open, if it holds points that are not
  /// in `points`, or results of another version of the tool.
  ResultsFolder(std::string folder, const std::string& definition_text,
                const std::vector<Point>& points, const std::string& tool, bool retry_failed);
  ~ResultsFolder();
  ResultsFolder(const ResultsFolder&) = delete;
  ResultsFolder& operator=(const ResultsFolder&) = delete;

  [[nodiscard]] const Results& results() const { return results_; }
  [[nodiscard]] bool finished(const std::string& hash) const;
  void append(const Line& line);
  void write_csv() const;

 private:
  void open_and_lock();
  void check_lines(const std::vector<Point>& points, const std::string& tool) const;
  Results results_;
  std::unordered_map<std::string, std::size_t> by_hash_;
  int descriptor_ = -1;
};

struct Merged {
  std::size_t points = 0;
  std::size_t failed = 0;
  std::size_t missing = 0;  ///< in none of the folders
};
/// Joins folders of one sweep into another folder. Throws UserError if they are of different
/// sweeps or versions of the tool, if two of them disagree on a point (host figures apart), or if
/// the target holds another sweep.
Merged merge(const std::vector<std::string>& folders, const std::string& target);

}  // namespace tactus::sweep
