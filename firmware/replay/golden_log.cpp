#include "firmware/replay/golden_log.h"

#include <set>
#include <sstream>

#include "isa/support/error.h"
#include "isa/support/file_kind.h"
#include "isa/support/files.h"
#include "isa/support/read_number.h"
#include "isa/support/text.h"

namespace tactus {
namespace {

/// Upper limit on a log's cycles, far above those of any recorded log. A larger number is a typing
/// error that would simulate for hours.
constexpr Cycle most_cycles = 100000000;

class Reader {
 public:
  Reader(const std::string& path, const std::string& text) : stream_(text) { log_.path = path; }

  GoldenLog read() {
    std::string line;
    while (std::getline(stream_, line)) {
      ++number_;
      if (!line.empty() && line.back() == '\r') line.pop_back();
      if (line.empty()) continue;
      if (line[0] == '#') {
        header(line.substr(1));
      } else if (line[0] >= '0' && line[0] <= '9') {
        event(line);
      } else {
        final_line(line);
      }
    }
    if (!conditions_)
      fail("no conditions line (\"# top=... cycles=...\"): this is not a golden log");
    if (log_.program.empty()) fail("the header holds no program");
    if (!ended_) fail("no END line: the log is cut off");
    return std::move(log_);
  }

 private:
  template <typename... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    const std::string what = fmt::format(format, std::forward<Args>(args)...);
    if (number_ == 0) user_error("{}: {}", log_.path, what);  // an empty file
    user_error("{}:{}: {}", log_.path, number_, what);
  }

  std::uint64_t number(const std::string& text, int base = 10) const {
    if (const auto value = read_number<std::uint64_t>(text, base)) return *value;
    fail("{} is not a number", quote(text));
  }

  void header(const std::string& text) {
    std::istringstream words(text);
    std::string first;
    if (!(words >> first)) return;
    if (in_program_) {
      program_word(first);
    } else if (first == "program:") {
      in_program_ = true;
    } else if (first.rfind("top=", 0) == 0) {
      conditions(text);
    } else if (log_.title.empty()) {
      log_.title = text.substr(text.find_first_not_of(' '));
    }
  }

  void program_word(const std::string& word) {
    if (word.size() != 16)
      fail("a program word has 16 hexadecimal digits, this one {}", word.size());
    const std::uint64_t value = number(word, 16);
    for (unsigned i = 0; i < 8; ++i) {
      log_.program.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
    }
  }

  void conditions(const std::string& text) {
    conditions_ = true;
    std::set<std::string> missing{"top",      "cycles",     "readlat",  "blat",
                                  "feed_gap", "stall_seed", "stall_pct"};
    std::istringstream words(text);
    std::string word;
    while (words >> word) {
      const auto equals = word.find('=');
      if (equals == std::string::npos)
        fail("\"{}\" is not a condition of the form key=value", word);
      const std::string key = word.substr(0, equals);
      condition(key, word.substr(equals + 1));
      missing.erase(key);
    }
    if (!missing.empty()) fail("the conditions lack \"{}\"", *missing.begin());
  }

  void condition(const std::string& key, const std::string& value) {
    if (key == "top") {
      if (value != "TCU" && value != "top_pynqz1") {
        fail("unknown top \"{}\"; allowed TCU, top_pynqz1", value);
      }
      log_.bare = value == "TCU";
    } else if (key == "cycles") {
      log_.cycles = number(value);
      if (log_.cycles > most_cycles) fail("{} cycles; allowed: up to {}", value, most_cycles);
    } else if (key == "readlat") {
      log_.read_latency = number(value);
    } else if (key == "blat") {
      log_.write_latency = number(value);
    } else if (key == "feed_gap") {
      log_.feed_gap = number(value);
    } else if (key == "stall_seed") {
      log_.stall_seed = static_cast<std::uint32_t>(number(value));
    } else if (key == "stall_pct") {
      log_.stall_percent = static_cast<unsigned>(number(value));
    } else {
      fail("unknown condition \"{}\"", key);
    }
  }

  void event(const std::string& line) {
    const auto space = line.find(' ');
    if (space == std::string::npos) fail("an event line is \"cycle EVENT...\"");
    log_.events[number(line.substr(0, space))].push_back(line.substr(space + 1));
  }

  void final_line(const std::string& line) {
    const std::string kind = line.substr(0, line.find(' '));
    if (kind != "ACC" && kind != "LOC" && kind != "END") fail("unknown line {}", quote(kind));
    ended_ = ended_ || kind == "END";
    log_.final_lines.emplace_back(number_, line);
  }

  std::istringstream stream_;
  GoldenLog log_;
  unsigned number_ = 0;
  bool conditions_ = false;
  bool in_program_ = false;
  bool ended_ = false;
};

}  // namespace

GoldenLog read_golden_log(const std::string& path) {
  const std::string text = read_text(path);
  return parse_as(FileKind::log, path, text, [&] { return Reader(path, text).read(); });
}

}  // namespace tactus
