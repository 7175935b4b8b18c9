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
#include <unistd.h>

#include "isa/support/error.h"
#include "isa/support/files.h"
#include "isa/support/text.h"

namespace tactus::sweep {
namespace {

std::string definition_path(const std::string& folder) { return folder + "/sweep.json"; }
std::string points_path(const std::string& folder) { return folder + "/points.csv"; }
std::string lines_path(const std::string& folder) { return folder + "/results.jsonl"; }

/// Whole lines only; `good` receives the bytes they take.
std::vector<Line> parse_lines(const std::string& text, const std::string& path, std::size_t& good) {
  std::vector<Line> lines;
  good = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', good)) {
    Line line = Line::parse(text.begin() + static_cast<std::ptrdiff_t>(good),
                            text.begin() + static_cast<std::ptrdiff_t>(end), nullptr, false);
    const auto holds = [&](const char* key, auto is) {
      return line.is_object() && line.contains(key) && (line[key].*is)();
    };
    if (!holds("point", &Line::is_number_unsigned) || !holds("hash", &Line::is_string) ||
        !holds("status", &Line::is_string) || !holds("tool", &Line::is_string) ||
        !holds("configuration", &Line::is_object)) {
      user_error("{}:{}: not a result line", path, lines.size() + 1);
    }
    lines.push_back(std::move(line));
    good = end + 1;
  }
  return lines;
}

constexpr std::string_view points_header = "point,hash\n";

/// number and hash of each row of points.csv.
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

/// Without what depends on the host.
Line comparable(Line line) {
  line.erase("host");
  return line;
}

bool by_point(const Line& a, const Line& b) {
  return a["point"].get<std::uint64_t>() < b["point"].get<std::uint64_t>();
}

void flatten(const Line& value, const std::string& name,
             std::vector<std::pair<std::string, std::string>>& out) {
  if (value.is_object()) {
    for (const auto& item : value.items()) {
      flatten(item.value(), name.empty() ? item.key() : name + "." + item.key(), out);
    }
  } else {
    out.emplace_back(name, value.is_string() ? value.get<std::string>()
                           : value.is_null() ? std::string()
                                             : value.dump());
  }
}

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

}  // namespace

Results read_results(const std::string& folder) {
  if (!std::filesystem::is_regular_file(definition_path(folder))) {
    user_error("{}: no folder of a sweep: it has no sweep.json", folder);
  }
  Results results;
  results.folder = folder;
  results.definition = read_text(definition_path(folder));
  results.total = parse_points(read_text(points_path(folder)), points_path(folder)).size();
  if (!std::filesystem::exists(lines_path(folder))) return results;
  std::size_t good = 0;
  results.lines = parse_lines(read_text(lines_path(folder)), lines_path(folder), good);
  return results;
}

std::string to_csv(const std::vector<Line>& lines) {
  std::vector<Line> sorted = lines;
  std::sort(sorted.begin(), sorted.end(), by_point);
  // Columns in the order in which they first appear; failed points have fewer.
  std::vector<std::string> columns;
  std::unordered_set<std::string> known;
  std::vector<std::unordered_map<std::string, std::string>> rows;
  for (const Line& line : sorted) {
    std::vector<std::pair<std::string, std::string>> cells;
    flatten(line, "", cells);
    auto& row = rows.emplace_back();
    for (auto& [name, text] : cells) {
      if (known.insert(name).second) columns.push_back(name);
      row.emplace(name, std::move(text));
    }
  }
  std::string csv;
  const auto write_row = [&](auto&& cell) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      csv += (i == 0 ? "" : ",") + csv_cell(cell(columns[i]));
    }
    csv += '\n';
  };
  write_row([](const std::string& column) { return column; });
  for (const auto& row : rows) {
    write_row([&](const std::string& column) {
      const auto found = row.find(column);
      return found == row.end() ? std::string() : found->second;
    });
  }
  return csv;
}

ResultsFolder::ResultsFolder(std::string folder, const std::string& definition_text,
                             const std::vector<Point>& points, const std::string& tool,
                             bool retry_failed) {
  results_.folder = std::move(folder);
  std::error_code error;
  std::filesystem::create_directories(results_.folder, error);
  if (error) user_error("{}: cannot be created: {}", results_.folder, error.message());
  open_and_lock();

  const std::string path = lines_path(results_.folder);
  const std::string text = read_text(path);
  std::size_t good = 0;
  results_.lines = parse_lines(text, path, good);
  check_lines(points, tool);
  if (retry_failed) {
    std::vector<Line>& lines = results_.lines;
    const auto failed = [](const Line& line) { return line["status"] != "ok"; };
    lines.erase(std::remove_if(lines.begin(), lines.end(), failed), lines.end());
    std::string kept;
    for (const Line& line : lines) kept += line.dump() + "\n";
    write_file_atomically(path, kept);  // never less than what is finished, so not in place
    close(std::exchange(descriptor_, -1));
    open_and_lock();
  } else if (good != text.size() && ftruncate(descriptor_, static_cast<off_t>(good)) != 0) {
    user_error("{}: {}", path, std::strerror(errno));
  }
  for (std::size_t i = 0; i < results_.lines.size(); ++i) {
    by_hash_.emplace(results_.lines[i]["hash"].get<std::string>(), i);
  }
  std::string table(points_header);
  for (const Point& point : points) table += fmt::format("{},{}\n", point.index, point.hash);
  write_file_atomically(points_path(results_.folder), table);
  write_file_atomically(definition_path(results_.folder), definition_text);
  results_.definition = definition_text;
  results_.total = points.size();
}

void ResultsFolder::check_lines(const std::vector<Point>& points, const std::string& tool) const {
  const std::string path = lines_path(results_.folder);
  std::unordered_set<std::string> wanted;
  for (const Point& point : points) wanted.insert(point.hash);
  for (std::size_t i = 0; i < results_.lines.size(); ++i) {
    const Line& line = results_.lines[i];
    if (wanted.count(line["hash"].get<std::string>()) == 0) {
      user_error("{}:{}: a point of another sweep; choose another folder", path, i + 1);
    }
    if (line["tool"] != tool) {
      user_error("{}:{}: written by {}, this is {}; choose another folder", path, i + 1,
                 line["tool"].get<std::string>(), tool);
    }
  }
}

ResultsFolder::~ResultsFolder() {
  if (descriptor_ >= 0) close(descriptor_);
}

void ResultsFolder::open_and_lock() {
  const std::string path = lines_path(results_.folder);
  descriptor_ = open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor_ < 0) user_error("{}: {}", path, std::strerror(errno));
  if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    user_error("{}: another sweep is writing to this folder", results_.folder);
  }
}

bool ResultsFolder::finished(const std::string& hash) const { return by_hash_.count(hash) != 0; }

void ResultsFolder::append(const Line& line) {
  const std::string text = line.dump() + "\n";
  const ssize_t written = write(descriptor_, text.data(), text.size());
  if (written != static_cast<ssize_t>(text.size())) {
    user_error("{}: {}", lines_path(results_.folder),
               written < 0 ? std::strerror(errno) : "no space left");
  }
  by_hash_.emplace(line["hash"].get<std::string>(), results_.lines.size());
  results_.lines.push_back(line);
}

void ResultsFolder::write_csv() const {
  write_file_atomically(results_.folder + "/results.csv", to_csv(results_.lines));
}

Merged merge(const std::vector<std::string>& folders, const std::string& target) {
  // Not from the definition: the files it names need not be beside the results.
  const std::string text = read_text(definition_path(folders.front()));
  const std::string table = read_text(points_path(folders.front()));
  std::vector<Point> points;
  for (auto& [number, hash] : parse_points(table, points_path(folders.front()))) {
    points.push_back({number, {}, std::move(hash)});
  }
  std::unordered_map<std::string, Line> lines;
  std::string tool;
  for (const std::string& folder : folders) {
    const Results results = read_results(folder);
    if (results.definition != text || read_text(points_path(folder)) != table) {
      user_error("{} and {} hold different sweeps", folders.front(), folder);
    }
    for (const Line& line : results.lines) {
      const auto by = line["tool"].get<std::string>();
      if (tool.empty()) tool = by;
      if (by != tool) user_error("{}: written by {}, a folder before it by {}", folder, by, tool);
      const auto [place, fresh] = lines.emplace(line["hash"].get<std::string>(), line);
      if (fresh || comparable(place->second) == comparable(line)) continue;
      user_error("{}: point {} has another result than in a folder before it", folder,
                 line["point"].get<std::uint64_t>());
    }
  }
  ResultsFolder out(target, text, points, tool, false);
  Merged merged;
  merged.points = points.size();
  for (const Point& point : points) {
    const auto found = lines.find(point.hash);
    if (found == lines.end()) {
      ++merged.missing;
      continue;
    }
    if (found->second["status"] != "ok") ++merged.failed;
    if (!out.finished(point.hash)) out.append(found->second);
  }
  out.write_csv();
  return merged;
}

}  // namespace tactus::sweep
