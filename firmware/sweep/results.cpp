#include "firmware/sweep/results.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <unordered_set>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "firmware/report/json_values.h"
#include "isa/support/csv.h"
#include "isa/support/error.h"
#include "isa/support/file_guard.h"
#include "isa/support/file_kind.h"
#include "isa/support/files.h"
#include "isa/support/json.h"
#include "isa/support/json_text.h"
#include "isa/support/text.h"

namespace tactus::sweep {
namespace {

std::string definition_path(const std::string& folder) { return folder + "/sweep.json"; }
std::string points_path(const std::string& folder) { return folder + "/points.csv"; }
std::string lines_path(const std::string& folder) { return folder + "/results.jsonl"; }
std::string table_path(const std::string& folder) { return folder + "/results.csv"; }

/// Throws UserError unless the line has the keys that every line must have. Its figures are checked
/// by the functions that read them.
void check_line(const Line& line, const std::string& where) {
  const JsonValues values(line, where);
  (void)values.count("/point");
  (void)values.text("/hash");
  (void)values.text("/tool");
  const Line& configuration = values.object("/configuration");
  for (const auto& item : configuration.items()) {
    if (!item.value().is_object())
      values.refuse("/configuration/" + item.key(), "must be an object");
  }
  const std::string& status = values.text("/status");
  if (status == "ok") {
    (void)values.object("/figures");
  } else if (status == "failed" || status == "killed") {
    (void)values.text("/error");
  } else {
    values.refuse("/status", "must be \"ok\", \"failed\" or \"killed\"");
  }
  if (values.has("/host")) (void)values.number("/host/seconds");
}

constexpr std::string_view points_header = "point,hash\n";

/// Number and hash of each point in points.csv.
std::vector<std::pair<std::uint64_t, std::string>> parse_points(const std::string& text,
                                                                const std::string& path) {
  constexpr std::size_t hash_digits = 64;
  std::string_view rest = text;
  if (rest.substr(0, points_header.size()) != points_header) user_error("{}:1: no table", path);
  rest.remove_prefix(points_header.size());
  std::vector<std::pair<std::uint64_t, std::string>> rows;
  while (!rest.empty()) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    const auto digits = static_cast<std::size_t>(end - rest.data());
    if (error != std::errc() || rest.size() < digits + hash_digits + 2 || rest[digits] != ',' ||
        rest[digits + 1 + hash_digits] != '\n') {
      user_error("{}:{}: must be number,hash", path, rows.size() + 2);
    }
    rows.emplace_back(number, rest.substr(digits + 1, hash_digits));
    rest.remove_prefix(digits + hash_digits + 2);
  }
  return rows;
}

/// The line without what depends on the host and on the version.
Line comparable(Line line) {
  line.erase("host");
  line.erase("tool");
  return line;
}

/// Rank of a line's status when results are merged: 0 ok, 1 failed, 2 killed.
int rank(const Line& line) {
  return line["status"] == "ok" ? 0 : line["status"] == "killed" ? 2 : 1;
}

/// Collects the lines of a sweep, each point once. Of several lines of a point the best is kept; of
/// lines with one status, the first.
class UniqueLines {
 public:
  /// Adds a line; `number` is its place in its file. Throws UserError, with `where` in front, if a
  /// line of the point has other figures.
  void add(Line line, const std::string& where, std::size_t number = 0) {
    const auto [place, fresh] = places_.emplace(line["hash"].get<std::string>(), lines_.size());
    if (fresh) {
      lines_.push_back(std::move(line));
      numbers_.push_back(number);
      return;
    }
    Line& known = lines_[place->second];
    if (line["status"] == "ok" && known["status"] == "ok" &&
        comparable(known) != comparable(line)) {
      user_error("{}: point {} has other figures than in a result before it", where,
                 line["point"].get<std::uint64_t>());
    }
    if (rank(line) >= rank(known)) return;
    known = std::move(line);
    numbers_[place->second] = number;
  }

  /// The line of a point; null if there is none.
  [[nodiscard]] const Line* find(const std::string& hash) const {
    const auto found = places_.find(hash);
    return found == places_.end() ? nullptr : &lines_[found->second];
  }
  [[nodiscard]] std::vector<Line> take() { return std::move(lines_); }
  [[nodiscard]] std::vector<std::size_t> take_numbers() { return std::move(numbers_); }

 private:
  std::vector<Line> lines_;
  std::vector<std::size_t> numbers_;
  std::unordered_map<std::string, std::size_t> places_;
};

/// The points of results.jsonl.
struct ParsedLines {
  std::vector<Line> lines;           ///< one for each point
  std::vector<std::size_t> numbers;  ///< of each of `lines`: its place in the text, from 1
  std::size_t good = 0;              ///< bytes of the complete lines
  bool repetitions = false;          ///< true: the text has several lines of a point
};

/// Parses the complete lines of results.jsonl. Calls check(line, where) for each.
template <typename Check>
ParsedLines parse_lines(const std::string& text, const std::string& path, const Check& check) {
  ParsedLines parsed;
  UniqueLines unique;
  std::size_t count = 0;
  std::size_t& good = parsed.good;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', good)) {
    const std::string where = fmt::format("{}:{}", path, ++count);
    Line line = Line::parse(text.begin() + static_cast<std::ptrdiff_t>(good),
                            text.begin() + static_cast<std::ptrdiff_t>(end), nullptr, false);
    if (!line.is_object()) user_error("{}: not a result line: it is no JSON object", where);
    check_line(line, where + ": not a result line");
    check(line, where);
    unique.add(std::move(line), where, count);
    good = end + 1;
  }
  parsed.lines = unique.take();
  parsed.numbers = unique.take_numbers();
  parsed.repetitions = parsed.lines.size() != count;
  return parsed;
}

/// Throws UserError unless the text has the form of a sweep's definition. The files that it names
/// are not checked, since they need not be beside the results.
void check_shape(const std::string& text, const std::string& path) {
  parse_as(FileKind::sweep, path, text, [&] {
    JsonDocument document(text, path);
    ObjectReader root = document.root();
    (void)root.get_string("name");
    (void)root.get_object("base");
    (void)root.get_array("axes");
    document.problems().throw_if_any();
  });
}

}  // namespace

std::string read_definition_text(const std::string& folder) {
  std::string text = read_text(definition_path(folder));
  check_shape(text, definition_path(folder));
  return text;
}

std::vector<std::string> file_names(const std::string& folder) {
  return {definition_path(folder), points_path(folder), lines_path(folder), table_path(folder)};
}

Results read_results(const std::string& folder) {
  if (!std::filesystem::is_regular_file(definition_path(folder))) {
    user_error("{}: no folder of a sweep: it has no sweep.json", folder);
  }
  // From here on no output may overwrite these files, from which it is made.
  for (const std::string& name : file_names(folder)) note_input(name);
  Results results;
  results.folder = folder;
  results.definition = read_definition_text(folder);
  const auto points = parse_points(read_text(points_path(folder)), points_path(folder));
  results.total = points.size();
  if (!std::filesystem::exists(lines_path(folder))) return results;
  std::unordered_set<std::string_view> hashes;
  for (const auto& [number, hash] : points) hashes.insert(hash);
  const auto check = [&](const Line& line, const std::string& where) {
    if (hashes.count(line["hash"].get_ref<const std::string&>()) != 0) return;
    user_error("{}: point {} is not in {}: the files are of different sweeps", where,
               line["point"].get<std::uint64_t>(), points_path(folder));
  };
  ParsedLines parsed = parse_lines(read_text(lines_path(folder)), lines_path(folder), check);
  results.lines = std::move(parsed.lines);
  results.numbers = std::move(parsed.numbers);
  return results;
}

std::vector<const Line*> by_point(const std::vector<Line>& lines) {
  std::vector<const Line*> sorted;
  for (const Line& line : lines) sorted.push_back(&line);
  std::sort(sorted.begin(), sorted.end(), [](const Line* a, const Line* b) {
    return a->at("point").get<std::uint64_t>() < b->at("point").get<std::uint64_t>();
  });
  return sorted;
}

std::string to_csv(const std::vector<Line>& lines) {
  const std::vector<const Line*> sorted = by_point(lines);
  return named_csv(sorted.size(), [&](std::size_t i) {
    NamedCells cells;
    add_named_cells(*sorted[i], "", cells);
    return cells;
  });
}

namespace {

/// Short name of a column: "read_latency" for "configuration.board.read_latency", unless another
/// key ends in that name.
std::string short_name(const std::string& name, const std::vector<std::string>& all) {
  const auto last = [](const std::string& key) { return key.substr(key.rfind('.') + 1); };
  const std::string_view figures = "figures.";
  if (name.rfind(figures, 0) == 0) return name.substr(figures.size());
  const auto alike = std::count_if(all.begin(), all.end(), [&](const std::string& other) {
    return last(other) == last(name) && other.rfind(figures, 0) != 0;
  });
  const bool is_figure =
      std::find(all.begin(), all.end(), std::string(figures) + last(name)) != all.end();
  return alike > 1 || is_figure ? name : last(name);
}

/// Rank of a column in the table: number, axes, status, figures, error, other settings, time of the
/// host.
std::size_t place_of(const std::string& name, const std::vector<std::string>& axes) {
  if (name == "point") return 0;
  constexpr std::string_view configuration = "configuration.";
  const std::size_t last_axis = axes.size();
  if (name.rfind(configuration, 0) == 0) {
    const auto found = std::find(axes.begin(), axes.end(), name.substr(configuration.size()));
    return found == axes.end() ? last_axis + 4 : 1 + static_cast<std::size_t>(found - axes.begin());
  }
  if (name == "status") return last_axis + 1;
  if (name.rfind("host.", 0) == 0) return last_axis + 5;
  return last_axis + (name == "error" ? 3 : 2);
}

void add_chosen_keys(const Line& definition, std::vector<std::string>& out) {
  for (const auto& item : definition.items()) {
    if (item.key() == "derived" && item.value().is_object()) {
      for (const auto& derived : item.value().items()) out.push_back(derived.key());
    } else if (item.key() == "key" && item.value().is_string()) {
      out.push_back(item.value().get<std::string>());
    } else if (item.value().is_structured()) {
      add_chosen_keys(item.value(), out);
    }
  }
}

}  // namespace

std::vector<std::string> chosen_keys(const Results& results) {
  std::vector<std::string> keys;
  add_chosen_keys(Line::parse(results.definition, nullptr, false, true), keys);
  return keys;
}

ResultTables to_tables(const Results& results) {
  const std::vector<const Line*> sorted = by_point(results.lines);
  std::vector<std::string> names;
  std::unordered_map<std::string, std::size_t> places;
  std::vector<std::vector<std::string>> rows;
  NamedCells cells;
  for (const Line* line : sorted) {
    cells.clear();
    add_named_cells(*line, "", cells);
    std::vector<std::string>& row = rows.emplace_back(names.size());
    for (auto& [name, text] : cells) {
      const std::size_t at = places.emplace(name, names.size()).first->second;
      if (at == names.size()) names.push_back(name);
      row.resize(std::max(row.size(), names.size()));
      row[at] = std::move(text);
    }
  }
  for (std::vector<std::string>& row : rows) row.resize(names.size());
  // The hash is left out, since it only stands for the configuration. A figure is constant if all
  // points with status ok agree.
  std::vector<std::size_t> columns;
  ResultTables tables{{}, {{{"name", true}, {"value", true}}, {}}};
  for (std::size_t c = 0; c < names.size(); ++c) {
    if (names[c] == "hash") continue;
    const std::string* value = nullptr;
    bool varies = names[c] == "point" || names[c] == "status" || rows.size() == 1;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      if (names[c].rfind("figures.", 0) == 0 && (*sorted[r])["status"] != "ok") continue;
      if (value == nullptr) value = &rows[r][c];
      varies = varies || *value != rows[r][c];
    }
    if (varies) {
      columns.push_back(c);
    } else if (value != nullptr) {
      tables.constants.row({names[c], *value});
    }
  }
  const std::vector<std::string> axes = chosen_keys(results);
  std::stable_sort(columns.begin(), columns.end(), [&](std::size_t a, std::size_t b) {
    return place_of(names[a], axes) < place_of(names[b], axes);
  });
  for (const std::size_t c : columns) {
    tables.points.columns.push_back({short_name(names[c], names)});
  }
  for (const std::vector<std::string>& all : rows) {
    std::vector<std::string> row;
    for (const std::size_t c : columns) row.push_back(all[c]);
    tables.points.row(std::move(row));
  }
  return tables;
}

/// Throws UserError if sweep.json in the folder may not be replaced. It may be if a sweep wrote it,
/// which then also wrote points.csv, or if it has this text.
void ResultsFolder::check_definition(const std::string& definition_text) const {
  const std::string path = definition_path(results_.folder);
  if (!std::filesystem::exists(path)) return;
  if (std::filesystem::exists(points_path(results_.folder))) return;
  if (read_text(path) == definition_text) return;
  user_error("{}: another sweep, which would be replaced; choose another folder for the results",
             path);
}

ResultsFolder::ResultsFolder(std::string folder, const std::string& definition_text,
                             const std::vector<Point>& points, const std::string& tool,
                             bool retry_failed) {
  results_.folder = std::move(folder);
  check_definition(definition_text);
  std::error_code error;
  std::filesystem::create_directories(results_.folder, error);
  if (error) user_error("{}: cannot be created: {}", results_.folder, error.message());
  open_and_lock();

  const std::string path = lines_path(results_.folder);
  const std::string text = read_text(path);
  std::unordered_set<std::string_view> wanted;
  for (const Point& point : points) wanted.insert(point.hash);
  ParsedLines parsed = parse_lines(text, path, [&](const Line& line, const std::string& where) {
    if (wanted.count(line["hash"].get_ref<const std::string&>()) == 0) {
      user_error("{}: a point of another sweep; choose another folder", where);
    }
    if (line["tool"] != tool) {
      user_error("{}: written by {}, this is {}; choose another folder", where,
                 line["tool"].get<std::string>(), tool);
    }
  });
  const std::size_t good = parsed.good;
  if (good != text.size() && ftruncate(descriptor_.get(), static_cast<off_t>(good)) != 0) {
    user_error("{}: {}", path, std::strerror(errno));
  }
  const auto runs_again = [retry_failed](const Line& line) {
    return retry_failed ? line["status"] != "ok" : line["status"] == "killed";
  };
  std::vector<Line> kept = std::move(parsed.lines);
  const auto end = std::remove_if(kept.begin(), kept.end(), runs_again);
  if (end == kept.end() && !parsed.repetitions) {
    results_.lines = std::move(kept);
    index_lines();
  } else {
    kept.erase(end, kept.end());
    replace(std::move(kept));
  }
  std::string table(points_header);
  for (const Point& point : points) table += fmt::format("{},{}\n", point.index, point.hash);
  rewrite_own_file(points_path(results_.folder), table);
  rewrite_own_file(definition_path(results_.folder), definition_text);
  results_.definition = definition_text;
  results_.total = points.size();
}

void ResultsFolder::open_and_lock() {
  const std::string path = lines_path(results_.folder);
  for (;;) {
    descriptor_.reset(open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
    if (!descriptor_.open()) user_error("{}: {}", path, std::strerror(errno));
    if (flock(descriptor_.get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno == EWOULDBLOCK) {
        user_error("{}: another sweep is writing to this folder", results_.folder);
      }
      user_error("{}: the file system cannot lock files ({}); choose a folder on one that can",
                 results_.folder, std::strerror(errno));
    }
    // Another process may have replaced the file before this one locked it.
    struct stat mine = {};
    struct stat there = {};
    if (fstat(descriptor_.get(), &mine) == 0 && stat(path.c_str(), &there) == 0 &&
        mine.st_ino == there.st_ino && mine.st_dev == there.st_dev) {
      return;
    }
  }
}

void ResultsFolder::index_lines() {
  by_hash_.clear();
  for (std::size_t i = 0; i < results_.lines.size(); ++i) {
    by_hash_.emplace(results_.lines[i]["hash"].get<std::string>(), i);
  }
}

void ResultsFolder::replace(std::vector<Line> lines) {
  std::string text;
  for (const Line& line : lines) text += text_of_json(line) + "\n";
  // a crash leaves either the old or the new file
  rewrite_own_file(lines_path(results_.folder), text);
  results_.lines = std::move(lines);
  index_lines();
  open_and_lock();  // opens the new file
}

bool ResultsFolder::finished(const std::string& hash) const { return by_hash_.count(hash) != 0; }

void ResultsFolder::append(const Line& line) {
  const std::string text = text_of_json(line) + "\n";
  const ssize_t written = write(descriptor_.get(), text.data(), text.size());
  if (written != static_cast<ssize_t>(text.size())) {
    user_error("{}: {}", lines_path(results_.folder),
               written < 0 ? std::strerror(errno) : "no space left");
  }
  by_hash_.emplace(line["hash"].get<std::string>(), results_.lines.size());
  results_.lines.push_back(line);
}

void ResultsFolder::write_csv() const {
  rewrite_own_file(table_path(results_.folder), to_csv(results_.lines));
}

Merged merge(const std::vector<std::string>& folders, const std::string& target) {
  // The definition is not parsed, since the files that it names need not be beside the results.
  const std::string text = read_text(definition_path(folders.front()));
  const std::string table = read_text(points_path(folders.front()));
  std::vector<Point> points;
  for (auto& [number, hash] : parse_points(table, points_path(folders.front()))) {
    points.push_back({number, std::move(hash)});
  }
  UniqueLines lines;
  std::string tool;
  const auto take = [&](const Line& line, const std::string& folder) {
    const auto by = line["tool"].get<std::string>();
    if (tool.empty()) tool = by;
    if (by != tool) user_error("{}: written by {}, a folder before it by {}", folder, by, tool);
    lines.add(line, folder);
  };
  for (const std::string& folder : folders) {
    const Results results = read_results(folder);
    if (results.definition != text || read_text(points_path(folder)) != table) {
      user_error("{} and {} hold different sweeps", folders.front(), folder);
    }
    for (const Line& line : results.lines) take(line, folder);
  }
  if (tool.empty() && std::filesystem::exists(definition_path(target))) {
    const Results before = read_results(target);
    if (!before.lines.empty()) tool = before.lines.front()["tool"].get<std::string>();
  }
  ResultsFolder out(target, text, points, tool, false);
  for (const Line& line : out.results().lines) take(line, target);
  Merged merged;
  merged.points = points.size();
  std::vector<Line> all;
  for (const Point& point : points) {
    const Line* const line = lines.find(point.hash);
    if (line == nullptr) {
      ++merged.missing;
      continue;
    }
    if ((*line)["status"] != "ok") ++merged.failed;
    all.push_back(*line);
  }
  out.replace(std::move(all));
  out.write_csv();
  return merged;
}

}  // namespace tactus::sweep
