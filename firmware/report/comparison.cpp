#include "firmware/report/comparison.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

#include <fmt/format.h>

#include "firmware/report/json_values.h"
#include "isa/support/error.h"
#include "isa/support/json_text.h"
#include "models/sim/array_figures.h"

namespace tactus {
namespace {

using Json = nlohmann::ordered_json;

/// Calls take(name, value) for each leaf of nested objects. The names on the way to it are joined
/// by dots.
template <typename Take>
void for_each_leaf(const Json& json, const std::string& prefix, const Take& take) {
  for (const auto& item : json.items()) {
    const std::string name = prefix.empty() ? item.key() : prefix + "." + item.key();
    if (item.value().is_object()) {
      for_each_leaf(item.value(), name, take);
    } else {
      take(name, item.value());
    }
  }
}

Named<std::string> flat_settings(const Json& json) {
  Named<std::string> out;
  for_each_leaf(json, "", [&out](const std::string& name, const Json& value) {
    out.emplace_back(name, value.is_string() ? value.get<std::string>() : text_of_json(value));
  });
  return out;
}

/// Pointer to the value of a name; null if the list lacks it. The value is mutable if the list is.
template <typename List>
auto find_name(List& values, const std::string& name) -> decltype(&values.front().second) {
  const auto found = std::find_if(values.begin(), values.end(),
                                  [&](const auto& value) { return value.first == name; });
  return found == values.end() ? nullptr : &found->second;
}

/// Reads the account of the main unit: "working", then the reasons for lost cycles.
void read_time(const JsonValues& reader, const std::string& reasons_path, ComparedRun& run) {
  std::uint64_t lost = 0;
  run.time.emplace_back("working", 0);
  for (const auto& item : reader.object(reasons_path).items()) {
    const std::uint64_t cycles = reader.count(item.value(), reasons_path + "/" + item.key());
    if (cycles > run.accounted - lost) {
      reader.refuse(reasons_path,
                    fmt::format("more cycles are lost than the run's {}", run.accounted));
    }
    lost += cycles;
    run.time.emplace_back(item.key(), cycles);
  }
  run.time.front().second = run.accounted - lost;
}

void read_layers(const JsonValues& reader, ComparedRun& run) {
  const std::string path = "/accounting/layers";
  const Json& layers = reader.array(path);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const std::string at = fmt::format("{}/{}", path, i);
    const std::string layer = reader.text(at + "/name");
    std::string name = layer;  // layers may have equal names, which get a number
    for (unsigned n = 2; find_name(run.parts, name) != nullptr; ++n) {
      name = fmt::format("{} ({})", layer, n);
    }
    run.parts.emplace_back(std::move(name), reader.count(at + "/cycles"));
  }
}

/// The explanation of a figure in the file; empty if the file has none.
std::string meaning(const JsonValues& reader, const std::string& figure) {
  const std::string path = "/figures/" + figure + "/meaning";
  return reader.has(path) ? reader.text(path) : std::string();
}

void read_meanings(const JsonValues& reader, ComparedRun& run) {
  for (const auto& [name, cycles] : run.time) {
    const std::string text = meaning(reader, "accounting.lost_cycles.reasons." + name);
    if (!text.empty()) run.meanings.emplace_back(name, text);
  }
}

/// Reads the busy cycles of each unit. The table of figures in the file tells which states count as
/// busy.
void read_units(const JsonValues& reader, ComparedRun& run) {
  const std::string path = "/accounting/units";
  for (const auto& unit : reader.object(path).items()) {
    const std::string at = path + "/" + unit.key();
    std::uint64_t busy = 0;
    for (const auto& state : reader.object(at).items()) {
      const std::uint64_t cycles = reader.count(state.value(), at + "/" + state.key());
      const std::string figure = "accounting.units." + unit.key() + "." + state.key();
      if (meaning(reader, figure).rfind("busy", 0) == 0) busy += cycles;
    }
    run.units.emplace_back(unit.key(), busy);
  }
}

/// Reads the counts of the run, of the kinds of instructions and of the memory ports.
void read_figures(const JsonValues& reader, const Json& json, ComparedRun& run) {
  const auto take = [&run](const std::string& name, const Json& value) {
    if (value.is_number_unsigned()) run.figures.emplace_back(name, value.get<std::uint64_t>());
  };
  for (const auto& item : json.items()) {
    if (item.key() == "cycles" || item.key() == "total_cycles") continue;
    take(item.key(), item.value());
    if (!item.value().is_array()) continue;
    for (std::size_t i = 0; i < item.value().size(); ++i) {
      take(fmt::format("{}.{}", item.key(), i), item.value()[i]);
    }
  }
  for (const auto& [section, figures] : reader.object("/accounting").items()) {
    if (!figures.is_object() || section == "lost_cycles" || section == "units") continue;
    for_each_leaf(figures, section, take);
  }
}

/// Reads the energies, if the run has an energy table.
void read_energy(const JsonValues& reader, const std::string& path, ComparedRun& run) {
  if (!reader.has(path)) return;
  const auto text = [&](const char* key) { return reader.text(path + key); };
  run.energy_table = fmt::format("{}, {} ({})", text("/table"), text("/unit"), text("/source"));
  run.energy.emplace_back("total", reader.number(path + "/total"));
  if (reader.has(path + "/per_image")) {
    run.energy.emplace_back("an image", reader.number(path + "/per_image"));
  }
  run.energy.emplace_back("static", reader.number(path + "/static"));
  for (const auto& item : reader.object(path + "/by_event").items()) {
    run.energy.emplace_back(item.key(),
                            reader.number(path + "/by_event/" + item.key() + "/energy"));
  }
  if (reader.has(path + "/area")) {
    run.energy.emplace_back("area, " + text("/area/unit"), reader.number(path + "/area/total"));
  }
}

/// Reads "array busy" and "useful MAC" in percent. A run without one of them has no entry.
void read_shares(const JsonValues& reader, const std::string& path, ComparedRun& run) {
  const std::pair<std::string_view, const char*> shares[] = {
      {array_figures::busy_name, array_figures::busy_title},
      {array_figures::useful_name, array_figures::useful_title}};
  for (const auto& [name, title] : shares) {
    const std::string at = fmt::format("{}/{}", path, name);
    if (!reader.has(at)) continue;
    if (const auto share = reader.number_or_null(at)) run.shares.emplace_back(title, 100 * *share);
  }
}

/// Reads images per second, and the latencies of runs and images.
void read_throughput(const JsonValues& reader, const std::string& path, ComparedRun& run) {
  if (!reader.has(path)) return;
  for_each_leaf(reader.object(path), "", [&](const std::string& name, const Json& value) {
    // other keys say the same: images, frames/s and latency_ms
    if (name == "seconds" || name.rfind("latency_cycles", 0) == 0) return;
    if (value.is_null()) return;  // a run of 0 cycles has no rate
    if (!value.is_number()) reader.refuse(path + "/" + name, "must be a number or null");
    run.throughput.emplace_back(name, value.get<double>());
  });
}

/// Rows of one member of the runs, in the order in which the names first appear.
template <typename T>
std::vector<ComparedRow<T>> rows(const std::vector<ComparedRun>& runs,
                                 Named<T> ComparedRun::*member) {
  std::vector<ComparedRow<T>> out;
  for (const ComparedRun& first : runs) {
    for (const auto& [name, value] : first.*member) {
      const auto same = [&name = name](const ComparedRow<T>& row) { return row.name == name; };
      if (std::any_of(out.begin(), out.end(), same)) continue;
      ComparedRow<T> row{name, {}};
      for (const ComparedRun& run : runs) {
        const T* found = find_name(run.*member, name);
        row.values.push_back(found == nullptr ? std::nullopt : std::optional<T>(*found));
      }
      out.push_back(std::move(row));
    }
  }
  return out;
}

/// True if all runs have the same value in a row.
template <typename T>
bool agrees(const ComparedRow<T>& row) {
  return std::all_of(row.values.begin(), row.values.end(),
                     [&](const auto& value) { return value == row.values.front(); });
}

template <typename T>
void keep_differing(std::vector<ComparedRow<T>>& rows) {
  rows.erase(std::remove_if(rows.begin(), rows.end(), agrees<T>), rows.end());
}

template <typename T>
void drop_zeros(std::vector<ComparedRow<T>>& rows) {
  const auto zero = [](const ComparedRow<T>& row) {
    return std::all_of(row.values.begin(), row.values.end(),
                       [](const auto& value) { return value.value_or(0) == 0; });
  };
  rows.erase(std::remove_if(rows.begin(), rows.end(), zero), rows.end());
}

/// Differences between the parts of run `index` and those of the first run, largest first. A part
/// that a run lacks counts as 0 cycles.
Named<std::int64_t> differences(const std::vector<ComparedRow<std::uint64_t>>& rows,
                                std::size_t index) {
  Named<std::int64_t> out;
  for (const auto& row : rows) {
    const auto difference =
        static_cast<std::int64_t>(row.values[index].value_or(0) - row.values.front().value_or(0));
    if (difference != 0) out.emplace_back(row.name, difference);
  }
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) {
    return std::abs(a.second) > std::abs(b.second);
  });
  return out;
}

/// True if any run computes several images.
bool has_images(const std::vector<ComparedRun>& runs) {
  return std::any_of(runs.begin(), runs.end(), [](const ComparedRun& run) {
    const double* const images = find_name(run.throughput, "images");
    return images != nullptr && *images > 1;
  });
}

template <typename T>
Json row_json(const ComparedRow<T>& row) {
  Json values = Json::array();
  for (const auto& value : row.values) values.push_back(value ? Json(*value) : Json());
  return values;
}

Json named_json(const Named<std::int64_t>& values) {
  Json json = Json::object();
  for (const auto& [name, value] : values) json[name] = value;
  return json;
}

}  // namespace

ComparedRun run_of_statistics(const Json& json, const std::string& where, std::string name) {
  const JsonValues reader(json, where);
  ComparedRun run;
  run.name = std::move(name);
  run.cycles = reader.count("/cycles");
  run.latency_ms = reader.number("/latency_ms");
  run.accounted = reader.count("/accounting/cycles");
  run.settings = flat_settings(reader.object("/config"));
  read_time(reader, "/accounting/lost_cycles/reasons", run);
  read_meanings(reader, run);
  read_layers(reader, run);
  read_units(reader, run);
  read_figures(reader, json, run);
  read_shares(reader, "", run);
  read_throughput(reader, "/throughput", run);
  read_energy(reader, "/energy", run);
  return run;
}

ComparedRun run_of_point(const Json& line, const std::string& where, std::string name) {
  const JsonValues reader(line, where);
  ComparedRun run;
  run.name = std::move(name);
  run.cycles = reader.count("/figures/cycles");
  run.latency_ms = reader.number("/figures/latency_ms");
  run.settings = flat_settings(reader.object("/configuration"));
  if (reader.has("/figures/accounted_cycles")) {  // only a matrix product has this figure
    run.accounted = reader.count("/figures/accounted_cycles");
    read_time(reader, "/figures/lost_by_reason", run);
  } else if (reader.has("/figures/lost_cycles")) {
    const std::string busy = fmt::format("/figures/{}", array_figures::busy_name);
    // This file gives the busy cycles only as a share of the cycles. Lost cycles are counted until
    // all units are idle, so they may exceed the rest of the cycles.
    run.accounted = static_cast<std::uint64_t>(
        std::llround(reader.number_or_null(busy).value_or(0) * static_cast<double>(run.cycles)));
    for (const auto& item : reader.object("/figures/lost_cycles").items()) {
      run.accounted += reader.count(item.value(), "/figures/lost_cycles/" + item.key());
    }
    read_time(reader, "/figures/lost_cycles", run);
  }
  for (const auto& item : reader.object("/figures").items()) {
    if (item.key() == "cycles" || !item.value().is_number_unsigned()) continue;
    run.figures.emplace_back(item.key(), item.value().get<std::uint64_t>());
  }
  read_shares(reader, "/figures", run);
  read_throughput(reader, "/figures/throughput", run);
  read_energy(reader, "/figures/energy", run);
  return run;
}

ComparedRun together(const std::vector<ComparedRun>& parts, std::string name) {
  ComparedRun sum;
  sum.name = std::move(name);
  const auto add = [](auto& to, const auto& from) {
    for (const auto& [key, value] : from) {
      if (auto* const found = find_name(to, key)) {
        *found += value;
      } else {
        to.emplace_back(key, value);
      }
    }
  };
  sum.settings = parts.front().settings;
  for (const ComparedRun& part : parts) {
    sum.cycles += part.cycles;
    sum.accounted += part.accounted;
    sum.latency_ms += part.latency_ms;
    add(sum.time, part.time);
    add(sum.figures, part.figures);
    // Energies by different tables cannot be added.
    if (&part == &parts.front()) sum.energy_table = part.energy_table;
    if (sum.energy_table == part.energy_table) {
      add(sum.energy, part.energy);
    } else {
      sum.energy_table.clear();
      sum.energy.clear();
    }
    sum.parts.emplace_back(part.name, part.cycles);
    const auto differs = [&part](const auto& setting) {
      const std::string* value = find_name(part.settings, setting.first);
      return value == nullptr || *value != setting.second;
    };
    sum.settings.erase(std::remove_if(sum.settings.begin(), sum.settings.end(), differs),
                       sum.settings.end());
  }
  return sum;
}

std::string label_of(const Comparison& comparison, std::size_t run) {
  const std::string& label = comparison.runs[run].label;
  return label.empty() ? std::string(1, static_cast<char>('A' + run)) : label;
}

std::string change_text(double value, double first) {
  if (first == 0 || value == first) return {};
  return fmt::format(" ({:+.1f} %)", 100 * (value / first - 1));
}

std::vector<ComparedRow<std::uint64_t>> main_figures(const Comparison& comparison) {
  static const std::set<std::string> names{"instructions",
                                           "array_runs",
                                           "array_loads",
                                           "alu_operations",
                                           "macs",
                                           "dpas",
                                           "rows",
                                           "program_bytes",
                                           "dram_read_bytes",
                                           "dram_write_bytes",
                                           "predicted_cycles",
                                           "constants_cycles"};
  const auto is_traffic = [](const std::string& name) {
    const std::size_t dot = name.rfind('.');
    const std::string end = dot == std::string::npos ? "" : name.substr(dot + 1);
    return end == "bytes_read" || end == "bytes_written";
  };
  std::vector<ComparedRow<std::uint64_t>> out;
  for (const ComparedRow<std::uint64_t>& row : comparison.figures) {
    if (names.count(row.name) != 0 || is_traffic(row.name)) out.push_back(row);
  }
  return out;
}

std::string clock_note(const Comparison& comparison) {
  for (const ComparedRow<std::string>& row : comparison.settings) {
    if (row.name != "clock_mhz" && row.name != "board.clock_mhz") continue;
    std::string clocks;
    for (const auto& value : row.values) {
      clocks += (clocks.empty() ? "" : ", ") + value.value_or("-");
    }
    return fmt::format("The clocks differ ({} MHz): reasons explain cycles, not time.", clocks);
  }
  return {};
}

std::string constants_note(const Comparison& comparison) {
  std::string before, first;
  bool any = false;
  const auto constants = [](const ComparedRun& run) {
    const std::uint64_t* const cycles = find_name(run.figures, "constants_cycles");
    return cycles == nullptr ? 0 : *cycles;
  };
  const ComparedRun& base = comparison.runs.front();
  for (std::size_t i = 0; i < comparison.runs.size(); ++i) {
    const ComparedRun& run = comparison.runs[i];
    any = any || constants(run) != 0;
    const char* const comma = i == 0 ? "" : ", ";
    const std::uint64_t all = run.cycles + constants(run);
    before += fmt::format("{}{} {}", comma, label_of(comparison, i), constants(run));
    first += fmt::format(
        "{}{} {}{}", comma, label_of(comparison, i), all,
        change_text(static_cast<double>(all), static_cast<double>(base.cycles + constants(base))));
  }
  if (!any) return {};
  return fmt::format(
      "Cycles are those of an image, and compare for many images. Constants, once before the "
      "first: {} cycles; with them, for 1 image: {}.",
      before, first);
}

std::string meaning_of(const Comparison& comparison, const std::string& reason) {
  for (const ComparedRun& run : comparison.runs) {
    if (const std::string* found = find_name(run.meanings, reason)) return *found;
  }
  return {};
}

Comparison compare_runs(std::vector<ComparedRun> runs) {
  if (runs.size() < 2) internal_error("a comparison of {} runs", runs.size());
  Comparison comparison;
  comparison.settings = rows(runs, &ComparedRun::settings);
  keep_differing(comparison.settings);
  comparison.time = rows(runs, &ComparedRun::time);
  drop_zeros(comparison.time);
  comparison.parts = rows(runs, &ComparedRun::parts);
  drop_zeros(comparison.parts);
  comparison.units = rows(runs, &ComparedRun::units);
  drop_zeros(comparison.units);
  comparison.figures = rows(runs, &ComparedRun::figures);
  keep_differing(comparison.figures);
  comparison.shares = rows(runs, &ComparedRun::shares);
  if (has_images(runs)) comparison.throughput = rows(runs, &ComparedRun::throughput);
  std::set<std::string> tables;
  for (const ComparedRun& run : runs) {
    if (!run.energy_table.empty()) tables.insert(run.energy_table);
  }
  comparison.energy_tables.assign(tables.begin(), tables.end());
  if (tables.size() == 1) {
    comparison.energy = rows(runs, &ComparedRun::energy);
    drop_zeros(comparison.energy);
  }
  const bool all_have_parts =
      std::all_of(runs.begin(), runs.end(), [](const auto& run) { return !run.parts.empty(); });
  for (std::size_t i = 1; i < runs.size(); ++i) {
    Explanation explanation;
    explanation.cycles = static_cast<std::int64_t>(runs[i].accounted - runs.front().accounted);
    explanation.reasons = differences(comparison.time, i);
    if (all_have_parts) explanation.parts = differences(comparison.parts, i);
    comparison.explanations.push_back(std::move(explanation));
  }
  comparison.runs = std::move(runs);
  return comparison;
}

std::string comparison_json(const Comparison& comparison) {
  Json json;
  json["runs"] = Json::array();
  for (std::size_t i = 0; i < comparison.runs.size(); ++i) {
    const ComparedRun& run = comparison.runs[i];
    Json entry;
    entry["name"] = run.name;
    if (!run.label.empty()) entry["label"] = run.label;
    entry["cycles"] = run.cycles;
    entry["latency_ms"] = run.latency_ms;
    entry["accounted_cycles"] = run.accounted;
    if (i > 0) {
      const Explanation& explanation = comparison.explanations[i - 1];
      entry["difference"]["cycles"] = explanation.cycles;
      entry["difference"]["reasons"] = named_json(explanation.reasons);
      entry["difference"]["parts"] = named_json(explanation.parts);
    }
    json["runs"].push_back(std::move(entry));
  }
  const auto section = [&json](const char* name, const auto& rows) {
    json[name] = Json::object();
    for (const auto& row : rows) json[name][row.name] = row_json(row);
  };
  section("settings", comparison.settings);
  section("time", comparison.time);
  section("parts", comparison.parts);
  section("busy", comparison.units);
  section("figures", comparison.figures);
  section("shares", comparison.shares);
  if (!comparison.throughput.empty()) section("throughput", comparison.throughput);
  if (!comparison.energy_tables.empty()) {
    json["energy_tables"] = comparison.energy_tables;
    section("energy", comparison.energy);
  }
  return text_of_json(json, 2) + "\n";
}

}  // namespace tactus
