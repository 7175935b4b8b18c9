#include "models/sim/machine_info.h"

#include "isa/support/error.h"

namespace tactus {

std::size_t MachineInfo::counter(const CounterRef& ref) const {
  std::size_t place = 0;
  for (const CounterInfo& counter : counters) {
    if (counter.name == ref.name && ref.index < counter.values) return place + ref.index;
    place += counter.values;
  }
  internal_error("machine {} has no counter {}[{}]", name, ref.name, ref.index);
}

std::size_t MachineInfo::counter_values() const {
  std::size_t values = 0;
  for (const CounterInfo& counter : counters) values += counter.values;
  return values;
}

const UnitInfo* MachineInfo::unit(std::string_view unit_name) const {
  for (const UnitInfo& unit : units) {
    if (unit.name == unit_name) return &unit;
  }
  return nullptr;
}

std::string_view MachineInfo::unit_title(std::string_view unit_name) const {
  const UnitInfo* info = unit(unit_name);
  return info == nullptr ? unit_name : info->title;
}

}  // namespace tactus
