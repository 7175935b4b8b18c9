// Energies of events and areas of parts, from a table with a stated source.
//
//   {"name": "horowitz_45nm", "source": "where the numbers are from",
//    "technology": "45 nm CMOS, 0.9 V", "unit": "pJ",
//    "events": {"mac": {"by_size": [{"up_to": 8, "value": 0.3}, {"up_to": 32, "value": 3.2}]},
//               "local_read": {"value": 10, "per_bits": 64, "source": "another source"},
//               "instruction": 0, ...},
//    "static_per_cycle": 0,
//    "area": {"unit": "um2", "mac": 3000, "simd_lane": 3000, "memory_bit": 0.35}}
//
// Every event must have an entry; 0 means that it is not counted. A table may omit the events that
// only machines with a DPAS array have; it then cannot be used for these machines.
//
// An entry is a number or an object. An object has either "value", one value for every machine, or
// "by_size", whose first step that is large enough counts. The value is the energy of one event, or
// of "per_bits" of the bits that it moves. Sizes are bits of a scalar for mac, mac_float and
// simd_lane, and bytes of the memory for local_*, accumulator_* and register_*. An entry may have a
// source and a technology of its own. Units are "pJ", which needs a technology, or "relative".
// "area" is optional.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace tactus::energy {

enum class Event {
  mac,
  mac_float,
  simd_lane,
  alu_lane,
  local_read,
  local_write,
  accumulator_read,
  accumulator_write,
  register_read,
  register_write,
  dram_read,
  dram_write,
  instruction,
};

/// The property of a machine that the steps of an entry depend on.
enum class Size { none, scalar_bits, local_bytes, accumulator_bytes, register_bytes };

struct EventInfo {
  Event event;
  std::string_view name;
  std::string_view counts;  ///< meaning of one event
  Size size;
  bool has_bits;   ///< true: the event moves bits, so "per_bits" is allowed
  bool dpas_only;  ///< true: only machines with a DPAS array have the event; a table may omit it
};
inline constexpr std::array<EventInfo, 13> event_infos{{
    {Event::mac, "mac", "a multiply-accumulate of whole or fixed-point numbers", Size::scalar_bits,
     false, false},
    {Event::mac_float, "mac_float", "a multiply-accumulate of floats, the sum of 32 bits",
     Size::scalar_bits, false, true},
    {Event::simd_lane, "simd_lane", "a SIMD operation on one lane", Size::scalar_bits, false,
     false},
    {Event::alu_lane, "alu_lane", "a move, addition or comparison on one lane", Size::none, false,
     true},
    {Event::local_read, "local_read", "a vector read from local memory", Size::local_bytes, true,
     false},
    {Event::local_write, "local_write", "a vector written to local memory", Size::local_bytes, true,
     false},
    {Event::accumulator_read, "accumulator_read", "a vector read from the accumulators",
     Size::accumulator_bytes, true, false},
    {Event::accumulator_write, "accumulator_write", "a vector written to the accumulators",
     Size::accumulator_bytes, true, false},
    {Event::register_read, "register_read", "a register read from a thread's register file",
     Size::register_bytes, true, true},
    {Event::register_write, "register_write", "a register written to a thread's register file",
     Size::register_bytes, true, true},
    {Event::dram_read, "dram_read", "a vector or register read from DRAM", Size::none, true, false},
    {Event::dram_write, "dram_write", "a vector or register written to DRAM", Size::none, true,
     false},
    {Event::instruction, "instruction", "an instruction", Size::none, false, false},
}};
[[nodiscard]] constexpr const EventInfo& info(Event event) {
  return event_infos[static_cast<std::size_t>(event)];
}

enum class Part { mac, mac_float, simd_lane, alu_lane, memory_bit };

struct PartInfo {
  Part part;
  std::string_view name;
  Size size;
  bool dpas_only;
};
inline constexpr std::array<PartInfo, 5> part_infos{{
    {Part::mac, "mac", Size::scalar_bits, false},
    {Part::mac_float, "mac_float", Size::scalar_bits, true},
    {Part::simd_lane, "simd_lane", Size::scalar_bits, false},
    {Part::alu_lane, "alu_lane", Size::none, true},
    {Part::memory_bit, "memory_bit", Size::none, false},
}};
[[nodiscard]] constexpr const PartInfo& info(Part part) {
  return part_infos[static_cast<std::size_t>(part)];
}

struct Entry {
  struct Step {
    std::optional<double> up_to;  ///< empty: all larger sizes
    double value = 0;
  };
  std::vector<Step> steps;  ///< ascending; a single step without limit if size does not matter
  double per_bits = 0;      ///< number of bits that a value is for; 0: a value is for one event
  std::string source, technology;
};

struct AreaTable {
  std::string source, technology, unit;
  std::array<std::optional<Entry>, part_infos.size()> parts;  ///< indexed by Part
};

struct Table {
  std::string path;
  std::string name, source, technology;
  bool picojoules = false;  ///< true: picojoules; false: relative units
  std::array<std::optional<Entry>, event_infos.size()> events;  ///< indexed by Event
  double static_per_cycle = 0;
  std::optional<AreaTable> area;
  [[nodiscard]] std::string_view unit() const { return picojoules ? "pJ" : "relative"; }
};

/// Reads the text of a table. Throws UserError with all problems and their JSON paths.
[[nodiscard]] Table parse_table(std::string_view json, const std::string& where);
/// Reads a table of configs/energy by name, or a .json file by path.
[[nodiscard]] Table read_table(const std::string& name);
/// Path of a table given by name or by path; a path is relative to the folder of `file` (empty: the
/// current folder). Throws UserError for an unknown name.
[[nodiscard]] std::string table_path(const std::string& name, const std::string& file = {});

/// Events and parts of a machine, which a table must have entries for, with their sizes (see
/// EventInfo::size).
struct Machine {
  struct HasEvent {
    Event event;
    double size = 0;
  };
  struct HasParts {
    Part part;
    double size = 0;
    std::uint64_t count = 0;
  };
  std::string_view kind;  ///< name in messages, such as "a TCU"
  std::vector<HasEvent> events;
  std::vector<HasParts> parts;
};

/// Number of events of one kind and size.
struct Count {
  Event event;
  double size = 0;
  std::uint64_t events = 0;
  std::uint64_t bits = 0;  ///< bits moved by all events
};
using Counts = std::vector<Count>;

/// The values of a table for one machine.
class Meter {
 public:
  /// Throws UserError if the table has no value for an event, a part or a size of the machine.
  Meter(Table table, Machine machine);

  [[nodiscard]] const Table& table() const { return table_; }
  /// Total energy in the table's unit. All events in `counts` must be events of the machine.
  [[nodiscard]] double total(const Counts& counts, std::uint64_t cycles) const;
  /// Energies as an object with "table", "source", "technology" (if stated), "unit", "total",
  /// "per_image", "static" and "by_event", plus "power_mw" if the table is in picojoules and "area"
  /// if it has areas. `images` is the number of images that the run has computed. Of several
  /// `units` the counts are those of all, `cycles` the time until the last has ended, and the
  /// energy, power and area those of all; "units" and "images" say so.
  [[nodiscard]] nlohmann::ordered_json energy(const Counts& counts, std::uint64_t cycles,
                                              double clock_mhz, std::uint64_t images = 1,
                                              std::uint64_t units = 1) const;

 private:
  [[nodiscard]] double part(const Count& count) const;
  [[nodiscard]] nlohmann::ordered_json area(std::uint64_t units) const;

  Table table_;
  Machine machine_;
};

/// Text such as "1.234 mJ" or "1.23e+06 relative units".
[[nodiscard]] std::string energy_text(double value, std::string_view unit);
/// Makes a line of a run's summary from a result of Meter::energy(). It names the table.
[[nodiscard]] std::string summary(const nlohmann::ordered_json& energy);
/// Makes a section of an HTML page from a result of Meter::energy().
[[nodiscard]] std::string page_section(const nlohmann::ordered_json& energy);

}  // namespace tactus::energy
