#include "models/sim/trace/vcd_writer.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "isa/support/output_file.h"

namespace tactus::trace {
namespace {

constexpr std::size_t flush_bytes = std::size_t{1} << 20;
constexpr std::size_t longest_id = 8;

/// The eight digits of every byte.
struct Digits {
  std::array<std::array<char, 8>, 256> of{};
  Digits() {
    for (unsigned value = 0; value < 256; ++value) {
      for (unsigned bit = 0; bit < 8; ++bit)
        of[value][7 - bit] = (value >> bit & 1) != 0 ? '1' : '0';
    }
  }
};
const Digits digits;

/// Printable characters from ! to ~, shortest codes first.
std::string identifier(std::size_t number) {
  constexpr std::size_t base = '~' - '!' + 1;
  std::string id;
  do {
    id += static_cast<char>('!' + number % base);
    number /= base;
  } while (number-- > 0);
  return id;
}

/// A tick of the waveform: `number` (1, 10 or 100) times ms, us, ns, ps or fs.
struct Unit {
  std::uint64_t fs, number;
  const char* name;
};
constexpr Unit units[] = {{1000000000000, 1, "ms"},
                          {100000000000, 100, "us"},
                          {10000000000, 10, "us"},
                          {1000000000, 1, "us"},
                          {100000000, 100, "ns"},
                          {10000000, 10, "ns"},
                          {1000000, 1, "ns"},
                          {100000, 100, "ps"},
                          {10000, 10, "ps"},
                          {1000, 1, "ps"},
                          {100, 100, "fs"},
                          {10, 10, "fs"},
                          {1, 1, "fs"}};

/// Scopes in the order of their first signal.
struct Tree {
  std::string name;
  std::vector<std::unique_ptr<Tree>> scopes;
  std::vector<std::string> variables;
  Tree& scope(const std::string& child) {
    for (auto& tree : scopes) {
      if (tree->name == child) return *tree;
    }
    scopes.push_back(std::make_unique<Tree>());
    scopes.back()->name = child;
    return *scopes.back();
  }
  void write(std::string& text) const {
    for (const std::string& variable : variables) text += variable;
    for (const auto& tree : scopes) {
      text += "$scope module " + tree->name + " $end\n";
      tree->write(text);
      text += "$upscope $end\n";
    }
  }
};

}  // namespace

VcdWriter::VcdWriter(std::string path, const Plan& plan, Header header)
    : path_(std::move(path)), plan_(plan), header_(std::move(header)) {
  // A period of whole picoseconds has halves of whole ones, so that most clocks need no finer tick.
  constexpr std::uint64_t fs_in_ps = 1000;
  const bool whole_ps = header_.period_fs % fs_in_ps == 0 && header_.period_fs >= 2 * fs_in_ps;
  const std::uint64_t high_fs =
      whole_ps ? header_.period_fs / fs_in_ps / 2 * fs_in_ps : header_.period_fs / 2;
  for (const Unit& unit : units) {
    if (header_.period_fs % unit.fs != 0 || high_fs % unit.fs != 0) continue;
    unit_ = fmt::format("{} {}", unit.number, unit.name);
    ticks_per_cycle_ = header_.period_fs / unit.fs;
    viewer_units_per_cycle_ = ticks_per_cycle_ * unit.number;
    ticks_high_ = high_fs / unit.fs;
    break;
  }
  for (std::size_t i = 0; i < plan.variables; ++i) ids_.push_back(identifier(i));
  for (const Chosen& chosen : plan.chosen) {
    if (chosen.slot == none) clock_id_ = identifier(plan.variables);
  }
}

VcdWriter::~VcdWriter() { close(); }

std::string VcdWriter::viewer_name(const Chosen& chosen) {
  if (chosen.width == 1) return chosen.name;
  return fmt::format("{}[{}:0]", chosen.name, chosen.width - 1);
}

void VcdWriter::fail(const char* what, int number) {
  error_ = fmt::format("{}: {}: {}", path_, what, std::strerror(number));
  if (file_ >= 0) ::close(file_);
  file_ = -1;
}

void VcdWriter::open() {
  opened_ = true;
  file_ = open_in_place(path_);
  if (file_ < 0) {
    fail("cannot be written", errno);
    return;
  }
  header_text();
}

void VcdWriter::header_text() {
  Tree root;
  for (std::size_t i = 0; i < plan_.chosen.size(); ++i) {
    const Chosen& chosen = plan_.chosen[i];
    Tree* tree = &root;
    std::size_t at = 0;
    for (std::size_t dot = chosen.name.find('.'); dot != std::string::npos;
         dot = chosen.name.find('.', at)) {
      tree = &tree->scope(chosen.name.substr(at, dot - at));
      at = dot + 1;
    }
    const bool clock = chosen.slot == none;
    tree->variables.push_back(fmt::format(
        "$var {} {} {} {}{} $end\n",
        chosen.signal->kind == Kind::reg || chosen.signal->kind == Kind::config ? "reg" : "wire",
        chosen.width, clock ? clock_id_ : ids_[plan_.variable_of[i]], chosen.name.substr(at),
        chosen.width == 1 ? "" : fmt::format(" [{}:0]", chosen.width - 1)));
  }
  std::string text = fmt::format("$version {} $end\n", header_.tool);
  if (!header_.comment.empty()) text += fmt::format("$comment {} $end\n", header_.comment);
  text += fmt::format("$timescale {} $end\n", unit_);
  root.write(text);
  text += "$enddefinitions $end\n";
  append(text);
}

void VcdWriter::append(std::string_view text) {
  std::memcpy(grow(text.size()), text.data(), text.size());
  used_ += text.size();
}

void VcdWriter::clock_edge(char level) {
  if (clock_id_.empty()) return;
  char* out = grow(clock_id_.size() + 2);
  *out++ = level;
  std::memcpy(out, clock_id_.data(), clock_id_.size());
  out[clock_id_.size()] = '\n';
  used_ += clock_id_.size() + 2;
}

/// Makes room for `bytes` more bytes at the end of the used part.
char* VcdWriter::grow(std::size_t bytes) {
  if (buffer_.size() - used_ < bytes) buffer_.resize(2 * buffer_.size() + bytes);
  return buffer_.data() + used_;
}

void VcdWriter::flush() {
  std::size_t done = 0;
  while (done < used_ && file_ >= 0) {
    const ssize_t written = ::write(file_, buffer_.data() + done, used_ - done);
    if (written < 0) {
      if (errno == EINTR) continue;
      const int number = errno;
      done = cut(done);
      fail("writing failed", number);
      break;
    }
    done += static_cast<std::size_t>(written);
  }
  bytes_ += done;
  used_ = 0;
}

/// Takes the last cycle, of which a part has been written, away from a file that can be shortened:
/// without a whole header nothing is left. Returns how much of the buffer stays.
std::size_t VcdWriter::cut(std::size_t done) {
  struct stat status = {};
  if (::fstat(file_, &status) != 0 || !S_ISREG(status.st_mode)) return done;
  const std::size_t line = std::string_view(buffer_.data(), done).rfind("\n#");
  const std::size_t whole = line == std::string_view::npos ? 0 : line + 1;
  if (bytes_ + whole == 0) {
    ::unlink(follow_links(path_).c_str());
  } else if (::ftruncate(file_, static_cast<off_t>(bytes_ + whole)) != 0) {
    return done;
  }
  return whole;
}

void VcdWriter::time(std::uint64_t ticks) {
  if (ticks == last_time_) return;
  last_time_ = ticks;
  char* out = grow(24);
  char* const first = out;
  *out++ = '#';
  out = std::to_chars(out, out + 20, ticks).ptr;
  *out++ = '\n';
  used_ += static_cast<std::size_t>(out - first);
}

void VcdWriter::value(const Group::Shown& item, const std::uint64_t* words) {
  const std::string& id = ids_[item.variable];
  char* const first = grow(item.width + longest_id + 16);
  char* out = first;
  if (item.width == 1) {
    *out++ = words[item.slot] != 0 ? '1' : '0';
  } else {
    *out++ = 'b';
    // Leading zeros are left out: readers extend with 0.
    std::size_t word = (item.width + 63) / 64 - 1;
    while (word > 0 && words[item.slot + word] == 0) --word;
    const std::uint64_t top = words[item.slot + word];
    unsigned byte = 7;
    while (byte > 0 && (top >> (8 * byte)) == 0) --byte;
    const auto leading = static_cast<unsigned>(top >> (8 * byte));
    unsigned length = 1;
    while (length < 8 && (leading >> length) != 0) ++length;
    std::memcpy(out, digits.of[leading].data() + 8 - length, length);
    out += length;
    for (;;) {
      while (byte-- > 0) {
        std::memcpy(out, digits.of[words[item.slot + word] >> (8 * byte) & 0xFF].data(), 8);
        out += 8;
      }
      if (word-- == 0) break;
      byte = 8;
    }
    // Higher bits are cut off, as on a bus of this width.
    if (out - first - 1 > static_cast<std::ptrdiff_t>(item.width)) {
      std::memmove(first + 1, out - item.width, item.width);
      out = first + 1 + item.width;
    }
    *out++ = ' ';
  }
  out = std::copy(id.begin(), id.end(), out);
  *out++ = '\n';
  used_ += static_cast<std::size_t>(out - first);
}

void VcdWriter::unknown(const Group::Shown& item) {
  const std::string& id = ids_[item.variable];
  char* const first = grow(longest_id + 8);
  char* out = first;
  if (item.width > 1) *out++ = 'b';
  *out++ = 'x';
  if (item.width > 1) *out++ = ' ';
  out = std::copy(id.begin(), id.end(), out);
  *out++ = '\n';
  used_ += static_cast<std::size_t>(out - first);
}

/// Writes the values of all variables; `now` null: all are unknown.
void VcdWriter::all(const std::uint64_t* now, const char* section) {
  append(section);
  clock_edge(now == nullptr ? 'x' : '1');
  for (const std::vector<Group>* groups : {&plan_.settled, &plan_.committed}) {
    for (const Group& group : *groups) {
      const bool known = now != nullptr && (group.guard == none || now[group.guard] != 0);
      for (const Group::Shown& item : group.shown) {
        if (known) {
          value(item, now);
        } else {
          unknown(item);
        }
      }
    }
  }
  append("$end\n");
}

void VcdWriter::changes(const std::vector<Group>& groups, const std::uint64_t* now,
                        const std::uint64_t* before) {
  for (const Group& group : groups) {
    bool compare = true;
    if (group.guard != none) {
      const bool was = before[group.guard] != 0;
      if (now[group.guard] == 0) {
        if (!was) continue;
        for (const Group::Shown& item : group.shown) {
          unknown(item);
        }
        continue;
      }
      compare = was;
    }
    for (const Group::Shown& item : group.shown) {
      const bool same =
          compare && (item.width <= 64 ? now[item.slot] == before[item.slot]
                                       : std::memcmp(now + item.slot, before + item.slot,
                                                     (item.width + 63) / 64 * 8) == 0);
      if (!same) value(item, now);
    }
  }
}

void VcdWriter::write(Cycle cycle, const std::uint64_t* now, const std::uint64_t* before) {
  if (!opened_) open();
  if (file_ < 0) return;
  const std::size_t used = used_;
  const std::uint64_t last_time = last_time_;
  add(cycle, now, before);
  constexpr std::uint64_t end_bytes = 24;  // the time that close() writes
  const bool first = next_ == 0;           // without a cycle there would be no waveform
  if (!first && bytes_ + used_ + end_bytes > header_.limit_bytes) {
    used_ = used;
    last_time_ = last_time;
    full_ = true;
    close();
    return;
  }
  next_ = cycle + 1;
  // The first cycle goes to the file at once: a viewer can open it during a long run.
  if (first || used_ >= flush_bytes) flush();
}

void VcdWriter::add(Cycle cycle, const std::uint64_t* now, const std::uint64_t* before) {
  const std::uint64_t start = cycle * ticks_per_cycle_;
  if (before == nullptr) {
    const bool resumes = next_ != 0 && bytes_ + used_ > 0 && last_time_ != ~std::uint64_t{0};
    if (resumes) {
      time(next_ * ticks_per_cycle_);
      all(nullptr, "$dumpoff\n");
    }
    time(start);
    all(now, resumes ? "$dumpon\n" : "$dumpvars\n");
  } else {
    // The time is written only if something follows it.
    const std::size_t mark = used_;
    const std::uint64_t time_before = last_time_;
    time(start);
    clock_edge('1');
    const std::size_t empty = used_;
    changes(plan_.settled, now, before);
    changes(plan_.committed, now, before);
    if (used_ == empty && (clock_id_.empty() || !ids_.empty())) {
      used_ = mark;
      last_time_ = time_before;
      return;
    }
  }
  if (!clock_id_.empty()) {
    time(start + ticks_high_);
    clock_edge('0');
  }
}

void VcdWriter::close() {
  if (file_ < 0) return;
  time(next_ * ticks_per_cycle_);
  flush();
  if (file_ >= 0 && ::close(file_) != 0) {
    file_ = -1;
    fail("writing failed", errno);
  }
  file_ = -1;
}

void VcdWriter::discard() {
  if (file_ < 0) return;
  struct stat status = {};
  if (::fstat(file_, &status) == 0 && S_ISREG(status.st_mode)) {
    ::unlink(follow_links(path_).c_str());
  }
  ::close(file_);
  file_ = -1;
}

}  // namespace tactus::trace
