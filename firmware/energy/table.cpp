#include "firmware/energy/table.h"

#include "firmware/config/config_files.h"
#include "isa/support/files.h"
#include "isa/support/json.h"
#include "isa/support/json_text.h"
#include "isa/support/text.h"

namespace tactus::energy {
namespace {

using Json = nlohmann::ordered_json;

/// True if a table's entry is an object. The reader reports an entry that is neither an object nor
/// a number.
bool is_object(const Json& json, const char* section, std::string_view key) {
  return json.is_object() && json.contains(section) && json.at(section).is_object() &&
         json.at(section).contains(key) && json.at(section).at(std::string(key)).is_object();
}

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

std::string said_or(ObjectReader& object, std::string_view key, const std::string& otherwise) {
  return object.has(key) ? said(object, key) : otherwise;
}

/// Reads the steps of an entry: limits must ascend, and only the last step may have none.
std::vector<Entry::Step> read_steps(ObjectReader& object) {
  std::vector<Entry::Step> steps;
  const ArrayReader array = object.get_array("by_size");
  for (std::size_t i = 0; i < array.size(); ++i) {
    ObjectReader step = array.get_object(i);
    Entry::Step& out = steps.emplace_back();
    out.value = number(step, "value");
    if (step.has("up_to")) out.up_to = number(step, "up_to");
    step.finish();
    if (i == 0) continue;
    const std::optional<double>& before = steps[i - 1].up_to;
    if (!before || (out.up_to && *out.up_to <= *before)) {
      object.add_problem("by_size", "sizes must ascend, and only the last step may lack \"up_to\"");
    }
  }
  if (array.size() == 0) object.add_problem("by_size", "is empty; allowed one step or more");
  return steps;
}

Entry read_entry(ObjectReader& section, std::string_view key, bool object, Size size, bool has_bits,
                 const Entry& defaults) {
  Entry entry = defaults;
  if (!object) {
    entry.steps = {{std::nullopt, number(section, key)}};
    return entry;
  }
  ObjectReader reader = section.get_object(key);
  if (reader.has("by_size")) {
    if (size == Size::none) reader.add_problem("by_size", "is not allowed: no size is known here");
    entry.steps = read_steps(reader);
  } else {
    entry.steps = {{std::nullopt, number(reader, "value")}};
  }
  if (reader.has("per_bits")) {
    if (!has_bits) reader.add_problem("per_bits", "is not allowed: this event transfers nothing");
    entry.per_bits = reader.get_real("per_bits", 0, 1e6);
  }
  entry.source = said_or(reader, "source", entry.source);
  entry.technology = said_or(reader, "technology", entry.technology);
  reader.finish();
  return entry;
}

AreaTable read_area(ObjectReader area, const Json& json, const Table& table) {
  AreaTable out;
  out.source = said_or(area, "source", table.source);
  out.technology = said_or(area, "technology", table.technology);
  const std::vector<std::string_view> units{"um2", "relative"};
  out.unit = units[area.get_enum("unit", units)];
  if (out.unit == "um2" && out.technology.empty()) {
    area.add_problem("technology", "is missing: areas in um2 are those of some technology");
  }
  Entry defaults;
  defaults.source = out.source;
  defaults.technology = out.technology;
  for (const PartInfo& part : part_infos) {
    if (part.dpas_only && !area.has(part.name)) continue;
    out.parts[static_cast<std::size_t>(part.part)] =
        read_entry(area, part.name, is_object(json, "area", part.name), part.size, false, defaults);
  }
  area.finish();
  return out;
}

}  // namespace

Table parse_table(std::string_view text, const std::string& where) {
  JsonDocument document(text, where);
  document.problems().throw_if_any();
  const Json json = json_or_discarded(text, JsonComments::ignored);
  ObjectReader root = document.root();
  Table table;
  table.path = where;
  table.name = said(root, "name");
  table.source = said(root, "source");
  const std::vector<std::string_view> units{"relative", "pJ"};
  table.picojoules = root.get_enum("unit", units) == 1;
  table.technology = said_or(root, "technology", "");
  if (table.picojoules && table.technology.empty()) {
    root.add_problem("technology", "is missing: picojoules are those of some technology");
  }
  ObjectReader section = root.get_object("events");
  Entry defaults;
  defaults.source = table.source;
  defaults.technology = table.technology;
  for (const EventInfo& event : event_infos) {
    if (event.dpas_only && !section.has(event.name)) continue;
    table.events[static_cast<std::size_t>(event.event)] =
        read_entry(section, event.name, is_object(json, "events", event.name), event.size,
                   event.has_bits, defaults);
  }
  section.finish();
  table.static_per_cycle = number(root, "static_per_cycle");
  if (auto area = root.get_optional_object("area")) table.area = read_area(*area, json, table);
  root.finish();
  document.problems().throw_if_any();
  return table;
}

std::string table_path(const std::string& name, const std::string& file) {
  const std::string path = config_path("energy", name);
  return path == name && !file.empty() ? resolve_beside(file, name) : path;
}

Table read_table(const std::string& name) {
  const std::string path = table_path(name);
  return parse_table(read_text(path), path);
}

}  // namespace tactus::energy
