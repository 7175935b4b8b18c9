#include "firmware/codesign/energy.h"

#include <vector>

#include "isa/support/files.h"
#include "isa/support/json.h"

namespace tactus::codesign {
namespace {

double number(ObjectReader& object, std::string_view key) {
  const JsonScalar value = object.get_scalar(key);
  double result = -1;
  if (const auto* whole = std::get_if<std::int64_t>(&value)) result = static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&value)) result = *real;
  if (object.has(key) && !(result >= 0)) object.add_problem(key, "must be a number, 0 or more");
  return result;
}

std::string said(ObjectReader& object, std::string_view key) {
  std::string text = object.get_string(key);
  if (object.has(key) && text.empty()) object.add_problem(key, "is empty");
  return text;
}

}  // namespace

EnergyTable parse_energy_table(std::string_view json, const std::string& where) {
  JsonDocument document(json, where);
  ObjectReader root = document.root();
  EnergyTable table;
  table.name = said(root, "name");
  table.source = said(root, "source");
  const std::vector<std::string_view> units{"relative", "pJ"};
  table.picojoules = root.get_enum("unit", units) == 1;
  ObjectReader events = root.get_object("events");
  for (std::size_t i = 0; i < event_names.size(); ++i) {
    table.events[i] = number(events, event_names[i]);
  }
  events.finish();
  table.static_per_cycle = number(root, "static_per_cycle");
  root.finish();
  document.problems().throw_if_any();
  return table;
}

EnergyTable read_energy_table(const std::string& path) {
  return parse_energy_table(read_text(path), path);
}

nlohmann::ordered_json energy(const EnergyTable& table, const EventCounts& counts,
                              std::uint64_t cycles, double clock_mhz) {
  nlohmann::ordered_json result;
  result["table"] = table.name;
  result["source"] = table.source;
  result["unit"] = table.picojoules ? "pJ" : "relative";
  nlohmann::ordered_json by_event;
  double total = table.static_per_cycle * static_cast<double>(cycles);
  result["total"] = 0;
  result["static"] = total;
  for (std::size_t i = 0; i < event_names.size(); ++i) {
    const double part = table.events[i] * static_cast<double>(counts[i]);
    by_event[std::string(event_names[i])] = {{"count", counts[i]}, {"energy", part}};
    total += part;
  }
  result["by_event"] = std::move(by_event);
  result["total"] = total;
  // pJ / us = uW.
  if (table.picojoules && cycles != 0) {
    result["power_mw"] = total / (static_cast<double>(cycles) / clock_mhz) / 1e3;
  }
  return result;
}

}  // namespace tactus::codesign
