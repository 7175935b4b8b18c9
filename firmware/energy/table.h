// Energies of events and areas of parts, from a table that somebody names a source for.
//
//   {"name": "horowitz_45nm", "source": "where the numbers are from",
//    "technology": "45 nm CMOS, 0.9 V", "unit": "pJ",
//    "events": {"mac": {"by_size": [{"up_to": 8, "value": 0.3}, {"up_to": 32, "value": 3.2}]},
//               "local_read": {"value": 10, "per_bits": 64, "source": "another source"},
//               "instruction": 0, ...},
//    "static_per_cycle": 0,
//    "area": {"unit": "um2", "mac": 3000, "simd_lane": 3000, "memory_bit": 0.35}}
//
// Every event has a value: what is not counted says 0. A value is a number, or an object: of one
// event ("value") or of so many bits of it ("per_bits"); the same for every machine, or by size,
// the first step that is large enough. Sizes are bits of a scalar for mac and simd_lane and bytes
// of the memory for local_* and accumulator_*. An entry may name a source and a technology of its
// own. Units are "pJ", which needs a technology, or "relative". "area" may be left out.
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
  simd_lane,
  local_read,
  local_write,
  accumulator_read,
  accumulator_write,
  dram_read,
  dram_write,
  instruction,
};

/// What the steps of an entry are ordered by.
enum class Size { none, scalar_bits, local_bytes, accumulator_bytes };

struct EventInfo {
  std::string_view name;
  std::string_view counts;  ///< what one event is
  Size size;
  bool has_bits;  ///< it moves bits, so that "per_bits" means something
};
inline constexpr std::array<EventInfo, 9> event_infos{{
    {"mac", "a multiply-accumulate of the array", Size::scalar_bits, false},
    {"simd_lane", "a SIMD operation on one lane", Size::scalar_bits, false},
    {"local_read", "a vector read from local memory", Size::local_bytes, true},
    {"local_write", "a vector written to local memory", Size::local_bytes, true},
    {"accumulator_read", "a vector read from the accumulators", Size::accumulator_bytes, true},
    {"accumulator_write", "a vector written to the accumulators", Size::accumulator_bytes, true},
    {"dram_read", "a vector read from DRAM", Size::none, true},
    {"dram_write", "a vector written to DRAM", Size::none, true},
    {"instruction", "an instruction", Size::none, false},
}};

enum class Part { mac, simd_lane, memory_bit };

struct PartInfo {
  std::string_view name;
  Size size;
};
inline constexpr std::array<PartInfo, 3> part_infos{{
    {"mac", Size::scalar_bits},
    {"simd_lane", Size::scalar_bits},
    {"memory_bit", Size::none},
}};

struct Entry {
  struct Step {
    std::optional<double> up_to;  ///< none: all larger sizes
    double value = 0;
  };
  std::vector<Step> steps;  ///< ascending; one without limit where size does not matter
  double per_bits = 0;      ///< the value is of so many bits; 0: of one event
  std::string source, technology;
};

struct AreaTable {
  std::string source, technology, unit;
  std::array<Entry, part_infos.size()> parts;
};

struct Table {
  std::string path;
  std::string name, source, technology;
  bool picojoules = false;  ///< else relative units
  std::array<Entry, event_infos.size()> events;
  double static_per_cycle = 0;
  std::optional<AreaTable> area;
  [[nodiscard]] std::string_view unit() const { return picojoules ? "pJ" : "relative"; }
};

/// Throws UserError with everything that is wrong, with JSON paths.
[[nodiscard]] Table parse_table(std::string_view json, const std::string& where);
/// A name of configs/energy or the path of a .json file.
[[nodiscard]] Table read_table(const std::string& name);
/// The path behind such a name; a path is sought from the folder of `file` (empty: from the present
/// one). Throws UserError for a name that there is not.
[[nodiscard]] std::string table_path(const std::string& name, const std::string& file = {});

/// What of a machine a table is about.
struct Machine {
  unsigned scalar_bits = 0;
  std::uint64_t local_bytes = 0, accumulator_bytes = 0;
  std::uint64_t macs = 0, simd_lanes = 0, memory_bits = 0;
};

struct Count {
  std::uint64_t events = 0;
  std::uint64_t bits = 0;  ///< moved by all of them
};
/// By Event.
using Counts = std::array<Count, event_infos.size()>;

/// A table's values for one machine.
class Meter {
 public:
  /// Throws UserError for a machine of a size that the table has no value for.
  Meter(Table table, const Machine& machine);

  [[nodiscard]] const Table& table() const { return table_; }
  [[nodiscard]] double total(const Counts& counts, std::uint64_t cycles) const;
  /// {"table", "source", "technology", "unit", "total", "static", "by_event"}, and "power_mw" where
  /// the table is in picojoules, "area" where it has areas.
  [[nodiscard]] nlohmann::ordered_json energy(const Counts& counts, std::uint64_t cycles,
                                              double clock_mhz) const;

 private:
  [[nodiscard]] double part(std::size_t event, const Count& count) const;
  [[nodiscard]] nlohmann::ordered_json area() const;

  Table table_;
  Machine machine_;
  std::array<double, event_infos.size()> values_{};
  std::array<double, part_infos.size()> areas_{};
};

/// "1.234 mJ", "1.23e+06 relative units".
[[nodiscard]] std::string energy_text(double value, std::string_view unit);
/// For a line of a summary, from what Meter::energy() gives; the table's name is in it.
[[nodiscard]] std::string summary(const nlohmann::ordered_json& energy);
/// The same as part of a page.
[[nodiscard]] std::string page_section(const nlohmann::ordered_json& energy);

}  // namespace tactus::energy
