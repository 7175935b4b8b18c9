#include <algorithm>

#include <fmt/format.h>

#include "firmware/energy/table.h"
#include "firmware/report/html.h"
#include "isa/support/error.h"

namespace tactus::energy {
namespace {

using Json = nlohmann::ordered_json;

std::string size_text(Size size, double value) {
  switch (size) {
    case Size::scalar_bits:
      return fmt::format("scalars of {} bits", value);
    case Size::local_bytes:
      return fmt::format("a local memory of {} bytes", value);
    case Size::accumulator_bytes:
      return fmt::format("accumulators of {} bytes", value);
    case Size::register_bytes:
      return fmt::format("a register file of {} bytes", value);
    case Size::none:
      break;
  }
  return fmt::format("{}", value);
}

/// Value of the first step that is large enough; null if there is none.
const double* value_for(const Entry& entry, double size) {
  for (const Entry::Step& step : entry.steps) {
    if (!step.up_to || size <= *step.up_to) return &step.value;
  }
  return nullptr;
}

/// Throws UserError if the table lacks an entry that the machine needs.
void require(const std::optional<Entry>& entry, Size size, double value, const Machine& machine,
             const std::string& place) {
  if (!entry) user_error("{}: missing key: {} has it", place, machine.kind);
  if (value_for(*entry, value) != nullptr) return;
  user_error("{}: has no value for {}, which the machine has; the largest is up to {:g}", place,
             size_text(size, value), *entry->steps.back().up_to);
}

double share(double part, double whole) { return whole == 0 ? 0 : part / whole; }

/// What the energy of accesses to DRAM does not contain.
constexpr const char* leaves_out = "commands, refresh and interface of the board's DRAM";

}  // namespace

Meter::Meter(Table table, Machine machine)
    : table_(std::move(table)), machine_(std::move(machine)) {
  for (const Machine::HasEvent& has : machine_.events) {
    require(table_.events[static_cast<std::size_t>(has.event)], info(has.event).size, has.size,
            machine_, fmt::format("{}:/events/{}", table_.path, info(has.event).name));
  }
  if (!table_.area) return;
  for (const Machine::HasParts& has : machine_.parts) {
    require(table_.area->parts[static_cast<std::size_t>(has.part)], info(has.part).size, has.size,
            machine_, fmt::format("{}:/area/{}", table_.path, info(has.part).name));
  }
}

double Meter::part(const Count& count) const {
  const Entry& entry = *table_.events[static_cast<std::size_t>(count.event)];
  return *value_for(entry, count.size) * (entry.per_bits == 0
                                              ? static_cast<double>(count.events)
                                              : static_cast<double>(count.bits) / entry.per_bits);
}

double Meter::total(const Counts& counts, std::uint64_t cycles) const {
  double total = table_.static_per_cycle * static_cast<double>(cycles);
  for (const Count& count : counts) total += part(count);
  return total;
}

Json Meter::energy(const Counts& counts, std::uint64_t cycles, double clock_mhz,
                   std::uint64_t images, std::uint64_t units) const {
  Json result;
  result["table"] = table_.name;
  result["source"] = table_.source;
  if (!table_.technology.empty()) result["technology"] = table_.technology;
  result["unit"] = table_.unit();
  result["leaves_out"] = leaves_out;
  if (units > 1) {
    result["units"] = units;
    result["images"] = images;
  }
  const double total = this->total(counts, cycles * units);
  result["total"] = total;
  result["per_image"] = total / static_cast<double>(images);
  result["static"] = table_.static_per_cycle * static_cast<double>(cycles * units);
  // pJ / us = uW; / 1e3 gives mW.
  if (table_.picojoules && cycles != 0) {
    result["power_mw"] = total / (static_cast<double>(cycles) / clock_mhz) / 1e3;
  }
  Json& by_event = result["by_event"] = Json::object();
  for (const Count& count : counts) {
    const std::string name(info(count.event).name);
    if (!by_event.contains(name)) by_event[name] = {{"count", std::uint64_t{0}}, {"energy", 0.0}};
    Json& entry = by_event[name];
    entry["count"] = entry["count"].get<std::uint64_t>() + count.events;
    entry["energy"] = entry["energy"].get<double>() + part(count);
  }
  if (table_.area) result["area"] = area(units);
  return result;
}

Json Meter::area(std::uint64_t units) const {
  Json json;
  json["table"] = table_.name;
  json["source"] = table_.area->source;
  if (!table_.area->technology.empty()) json["technology"] = table_.area->technology;
  json["unit"] = table_.area->unit;
  double total = 0;
  Json by_part = Json::object();
  for (const Machine::HasParts& has : machine_.parts) {
    const double part =
        *value_for(*table_.area->parts[static_cast<std::size_t>(has.part)], has.size) *
        static_cast<double>(has.count * units);
    by_part[std::string(info(has.part).name)] = part;
    total += part;
  }
  json["total"] = total;
  json["by_part"] = std::move(by_part);
  return json;
}

std::string energy_text(double value, std::string_view unit) {
  if (unit != "pJ") return fmt::format("{:.5g} relative units", value);
  constexpr const char* units[] = {"pJ", "nJ", "uJ", "mJ", "J"};
  std::size_t at = 0;
  for (; value >= 1000 && at + 1 < std::size(units); ++at) value /= 1000;
  return fmt::format("{:.4g} {}", value, units[at]);
}

namespace {

/// Says whose energy it is, if it is that of several units: " for 8 images on 4 units, 1.2 mJ an
/// image".
std::string units_text(const Json& energy) {
  if (!energy.contains("units")) return "";
  return fmt::format(
      " for {} images on {} units, {} an image", energy.at("images").get<std::uint64_t>(),
      energy.at("units").get<std::uint64_t>(),
      energy_text(energy.at("per_image").get<double>(), energy.at("unit").get<std::string>()));
}

}  // namespace

std::string summary(const Json& energy) {
  const auto total = energy.at("total").get<double>();
  std::string text = energy_text(total, energy.at("unit").get<std::string>()) + units_text(energy);
  if (energy.contains("power_mw")) {
    text += fmt::format(", {:.4g} mW", energy.at("power_mw").get<double>());
  }
  std::vector<std::pair<double, std::string>> largest;
  for (const auto& item : energy.at("by_event").items()) {
    largest.emplace_back(item.value().at("energy").get<double>(), item.key());
  }
  std::stable_sort(largest.begin(), largest.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  for (std::size_t i = 0; i < std::min<std::size_t>(3, largest.size()) && largest[i].first > 0;
       ++i) {
    text += fmt::format("{} {} {:.1f} %", i == 0 ? ":" : ",", largest[i].second,
                        100 * share(largest[i].first, total));
  }
  text += fmt::format("; table {}", energy.at("table").get<std::string>());
  if (energy.contains("technology")) {
    text += fmt::format(" ({})", energy.at("technology").get<std::string>());
  }
  return text + fmt::format("; without {}", energy.at("leaves_out").get<std::string>());
}

std::string page_section(const Json& energy) {
  using html::escape;
  const auto text = [&](const Json& json, const char* key) {
    return json.contains(key) ? json.at(key).get<std::string>() : std::string();
  };
  const auto total = energy.at("total").get<double>();
  const std::string unit = text(energy, "unit");
  std::string out = fmt::format(
      "<p>Events counted in the run times table <b>{}</b>{}: {}{}{}. Not in it: {}; an access to "
      "DRAM costs the same behind any memory. Source: {}.</p>\n",
      escape(text(energy, "table")),
      energy.contains("technology") ? " (" + escape(text(energy, "technology")) + ")" : "",
      energy_text(total, unit), units_text(energy),
      energy.contains("power_mw") ? fmt::format(", {:.4g} mW", energy.at("power_mw").get<double>())
                                  : "",
      escape(text(energy, "leaves_out")), escape(text(energy, "source")));
  html::Table table({{"event", true}, {"what one is", true}, {"count"}, {"energy"}, {"share"}});
  for (const EventInfo& event : event_infos) {
    const auto found = energy.at("by_event").find(std::string(event.name));
    if (found == energy.at("by_event").end()) continue;
    const Json& entry = *found;
    const auto part = entry.at("energy").get<double>();
    table.row({escape(event.name), escape(event.counts),
               html::grouped(entry.at("count").get<std::uint64_t>()), energy_text(part, unit),
               html::percent(share(part, total))});
  }
  table.row({"static", "all cycles", "", energy_text(energy.at("static").get<double>(), unit),
             html::percent(share(energy.at("static").get<double>(), total))});
  out += table.html();
  if (!energy.contains("area")) return out;
  const Json& area = energy.at("area");
  out += fmt::format(
      "<p>Area by table <b>{}</b>{}: {:.5g} {}, of multiply-accumulators, SIMD lanes and bits of "
      "memory; control, wires and what is around the bits are not in it. Source: {}.</p>\n",
      escape(text(area, "table")),
      area.contains("technology") ? " (" + escape(text(area, "technology")) + ")" : "",
      area.at("total").get<double>(), escape(text(area, "unit")), escape(text(area, "source")));
  html::Table areas({{"part", true}, {"area"}, {"share"}});
  for (const auto& item : area.at("by_part").items()) {
    areas.row({escape(item.key()), fmt::format("{:.5g}", item.value().get<double>()),
               html::percent(share(item.value().get<double>(), area.at("total").get<double>()))});
  }
  return out + areas.html();
}

}  // namespace tactus::energy
