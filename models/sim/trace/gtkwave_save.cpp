#include "models/sim/trace/gtkwave_save.h"

#include <utility>
#include <vector>

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

GroupText& find(std::vector<GroupText>& groups, const std::string& path) {
  for (GroupText& group : groups) {
    if (group.path == path) return group;
  }
  groups.push_back({path, {}, {}});
  return groups.back();
}

void write(std::string& text, const GroupText& group, const std::string& name, bool open) {
  text += (open ? "@800200\n-" : "@c00200\n-") + name + "\n";
  for (const Chosen* chosen : group.signals) {
    text += radix_flags(chosen->signal->radix) + VcdWriter::viewer_name(*chosen) + "\n";
  }
  for (const GroupText& part : group.parts) {
    write(text, part, part.path.substr(group.path.size() + 1), open);
  }
  text += (open ? "@1000200\n-" : "@1401200\n-") + name + "\n";
}

}  // namespace

std::string gtkwave_save(const Plan& plan, const std::string& waveform) {
  std::vector<GroupText> units;
  std::string clock;
  for (const Chosen& chosen : plan.chosen) {
    if (chosen.signal->kind == Kind::clock) {
      clock = radix_flags(Radix::binary) + chosen.name + "\n";
      continue;
    }
    const std::string unit = unit_path(chosen);
    const std::string scope = chosen.name.substr(0, chosen.name.rfind('.'));
    GroupText& group = find(units, unit);
    (scope == unit ? group : find(group.parts, scope)).signals.push_back(&chosen);
  }
  std::string text =
      "[dumpfile] \"" + waveform + "\"\n[timestart] 0\n[signals_width] 320\n" + clock;
  for (const GroupText& unit : units) {
    const bool decoder =
        unit.path.size() >= 8 && unit.path.compare(unit.path.size() - 8, 8, ".decoder") == 0;
    write(text, unit, unit.path, decoder);
  }
  return text;
}

}  // namespace tactus::trace
