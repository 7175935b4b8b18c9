#include "models/sim/trace/gtkwave_save.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "models/sim/trace/vcd_writer.h"

namespace tactus::trace {
namespace {

// Flags of GTKWave's trace lines: radix and justification; begin and end of a group, open or not.
const char* radix_flags(Radix radix) {
  switch (radix) {
    case Radix::binary:
      return "@28\n";
    case Radix::hexadecimal:
      return "@22\n";
    case Radix::decimal:
      return "@24\n";
  }
  return "@22\n";
}
/// Hexadecimal, shown by a file of names.
constexpr const char* translated_flags = "@2022\n";

struct GroupText {
  std::string path;
  std::vector<const Chosen*> signals;
  std::vector<GroupText> parts;
};

/// The path of the unit: as many components as its level.
std::string unit_path(const Chosen& chosen) {
  std::size_t end = 0;
  for (unsigned i = 0; i < chosen.signal->level; ++i) {
    const std::size_t dot = chosen.name.find('.', end == 0 ? 0 : end + 1);
    if (dot == std::string::npos) return chosen.name.substr(0, end);
    end = dot;
  }
  return chosen.name.substr(0, end);
}

std::string parent(const std::string& name) { return name.substr(0, name.rfind('.')); }
std::string last(const std::string& name) { return name.substr(name.rfind('.') + 1); }

GroupText& find(std::vector<GroupText>& groups, const std::string& path) {
  for (GroupText& group : groups) {
    if (group.path == path) return group;
  }
  groups.push_back({path, {}, {}});
  return groups.back();
}

/// The signals of a plan as viewers show them.
struct Arrangement {
  const Chosen* clock = nullptr;
  GroupText instruction{"instruction", {}, {}};
  std::vector<GroupText> units;
};

Arrangement arrange(const Plan& plan) {
  Arrangement all;
  std::vector<std::string> heads;  // scopes that have an opcode
  for (const Chosen& chosen : plan.chosen) {
    if (last(chosen.name) == "opcode") heads.push_back(parent(chosen.name));
  }
  for (const Chosen& chosen : plan.chosen) {
    if (chosen.signal->kind == Kind::clock) {
      all.clock = &chosen;
      continue;
    }
    const std::string unit = unit_path(chosen);
    const std::string scope = parent(chosen.name);
    GroupText& group = find(all.units, unit);
    (scope == unit ? group : find(group.parts, scope)).signals.push_back(&chosen);
    const bool head = std::find(heads.begin(), heads.end(), scope) != heads.end();
    auto& first = all.instruction.signals;
    if (last(chosen.name) == "program_counter") first.insert(first.begin(), &chosen);
    if (head) first.push_back(&chosen);
  }
  return all;
}

/// The names of values as a file of GTKWave, whose values are written as it shows them.
std::string translation_text(const Chosen& chosen) {
  std::string text;
  const unsigned digits = (chosen.width + 3) / 4;
  for (const auto& [value, name] : value_names(*chosen.signal)) {
    std::string shown = value;
    for (char& c : shown) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    if (shown.size() < digits) shown.insert(0, digits - shown.size(), '0');
    text += shown + " " + name + "\n";
  }
  return text;
}

class SaveText {
 public:
  SaveText(const Plan& plan, const std::vector<std::string>& files) : files_(files) {
    if (!files.empty()) translations_ = translations(plan);
  }

  void group(const GroupText& group, const std::string& name, bool open) {
    text += (open ? "@800200\n-" : "@c00200\n-") + name + "\n";
    for (const Chosen* chosen : group.signals) signal(*chosen);
    for (const GroupText& part : group.parts) {
      this->group(part, part.path.substr(group.path.size() + 1), open);
    }
    text += (open ? "@1000200\n-" : "@1401200\n-") + name + "\n";
  }

  std::string text;

 private:
  void signal(const Chosen& chosen) {
    for (std::size_t i = 0; i < translations_.size(); ++i) {
      const auto& names = translations_[i].signals;
      if (std::find(names.begin(), names.end(), chosen.name) == names.end()) continue;
      text += fmt::format("{}^{} {}\n{}\n", translated_flags, i + 1, files_[i],
                          VcdWriter::viewer_name(chosen));
      return;
    }
    text += radix_flags(chosen.signal->radix) + VcdWriter::viewer_name(chosen) + "\n";
  }

  const std::vector<std::string>& files_;
  std::vector<Translation> translations_;
};

/// GTKWave's zoom z shows 2^-z of its time units in 200 pixels.
double zoom(const FirstView& view) {
  constexpr double part = 200. / 1000;
  return -std::log2(part * static_cast<double>(FirstView::cycles * view.units_per_cycle));
}

/// Replaces all characters but letters, digits and _, so that Surfer reads the text as one word.
std::string word(std::string text) {
  for (char& c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return text;
}

void append_commands(std::string& text, const GroupText& group) {
  text += "divider_add " + word(group.path) + "\n";
  for (const Chosen* chosen : group.signals) text += "variable_add " + chosen->name + "\n";
  for (const GroupText& part : group.parts) append_commands(text, part);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> value_names(const Signal& signal) {
  std::vector<std::pair<std::string, std::string>> names;
  // "0 single, 1 read; what else there is to say", or without commas if names have one word.
  std::string_view note = std::string_view(signal.note).substr(0, signal.note.find(';'));
  const auto is_value = [](std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
  };
  const std::size_t second = note.find(' ', note.find(' ') + 1);
  const bool words = note.find(',') == std::string_view::npos && second < note.size() &&
                     is_value(note.substr(second + 1, note.find(' ', second + 1) - second - 1));
  while (!note.empty()) {
    const std::size_t blank = std::min(note.find(' '), note.size());
    const std::string_view value = note.substr(0, blank);
    if (!is_value(value)) return {};
    note.remove_prefix(std::min(blank + 1, note.size()));
    const std::size_t end = std::min(words ? note.find(' ') : note.find(", "), note.size());
    if (end == 0) return {};
    names.emplace_back(value, note.substr(0, end));
    note.remove_prefix(std::min(end + (words ? 1 : 2), note.size()));
  }
  return names;
}

std::vector<Translation> translations(const Plan& plan) {
  std::vector<Translation> all;
  for (const Chosen& chosen : plan.chosen) {
    const std::string text = translation_text(chosen);
    if (text.empty()) continue;
    const auto same = [&](const Translation& one) { return one.text == text; };
    auto found = std::find_if(all.begin(), all.end(), same);
    if (found == all.end()) found = all.insert(all.end(), {text, {}});
    found->signals.push_back(chosen.name);
  }
  return all;
}

std::string gtkwave_save(const Plan& plan, const std::string& waveform, const FirstView& view,
                         const std::vector<std::string>& files) {
  const Arrangement all = arrange(plan);
  SaveText save(plan, files);
  const std::uint64_t start = view.first * view.units_per_cycle;
  std::string places, names;  // positions and names of the marks A to Z
  for (std::size_t i = 0; i < 26; ++i) {
    if (i >= view.marks.size()) {
      places += " -1";
      continue;
    }
    places += fmt::format(" {}", view.marks[i].at * view.units_per_cycle);
    names += fmt::format("[markername] {}{}\n", static_cast<char>('A' + i), view.marks[i].name);
  }
  save.text = fmt::format(
      "[dumpfile] \"{}\"\n[timestart] {}\n[size] 1400 800\n[pos] -1 -1\n*{:.6f} {}{}\n{}"
      "[signals_width] 320\n",
      waveform, start, zoom(view), start, places, names);
  if (all.clock != nullptr) save.text += radix_flags(Radix::binary) + all.clock->name + "\n";
  if (!all.instruction.signals.empty()) save.group(all.instruction, all.instruction.path, true);
  for (const GroupText& unit : all.units) save.group(unit, unit.path, false);
  return save.text;
}

std::string surfer_commands(const Plan& plan, const std::string& waveform, const FirstView& view) {
  const Arrangement all = arrange(plan);
  std::string text = "# surfer --command-file F.sucl " + waveform + "\n";
  if (all.clock != nullptr) text += "variable_add " + all.clock->name + "\n";
  if (!all.instruction.signals.empty()) append_commands(text, all.instruction);
  for (const GroupText& unit : all.units) append_commands(text, unit);
  const std::uint64_t first = view.first * view.period_ps;
  return text + fmt::format("zoom_fit\nzoom_to {}ps {}ps\n", first,
                            first + FirstView::cycles * view.period_ps);
}

}  // namespace tactus::trace
