#include "firmware/compiler/stripe/hardware_model.h"

#include <algorithm>
#include <charconv>

#include "firmware/compiler/stripe/passes/json_values.h"
#include "isa/support/error.h"
#include "isa/support/json.h"
#include "isa/support/text.h"

namespace tactus::stripe {
namespace {

constexpr std::uint64_t most_units = 65536;
constexpr std::uint64_t most_kib = std::uint64_t{1} << 40;

enum class UnitKind { none, mem, exec, tx };

class ModelReader {
 public:
  explicit ModelReader(ObjectReader root) : root_(std::move(root)) {}

  HardwareModel run() {
    model_.arch = root_.get_optional_string("arch").value_or("");
    model_.clock_mhz = root_.get_u64("clock_mhz", 1, 100000);
    model_.i8_mac_ops_per_cycle = root_.get_optional_u64("i8_mac_ops_per_cycle").value_or(0);
    for (const std::string_view key : {"passes", "lowering", "note"}) (void)root_.has(key);
    auto memories = root_.get_object("mem_units");
    each(
        memories,
        [this](ObjectReader& unit, const std::string& name) {
          MemUnit& mem = model_.mem_units[name];
          mem.count = count_of(unit);
          mem.is_host = unit.get_optional_bool("is_host").value_or(false);
          read_size(unit, mem);
          return mem.count;
        },
        UnitKind::mem);
    auto compute = root_.get_object("exec_units");
    each(
        compute,
        [this](ObjectReader& unit, const std::string& name) {
          ExecUnit& exec = model_.exec_units[name];
          exec.count = count_of(unit);
          exec.ops_per_cycle = unit.get_u64("ops_per_cycle", 1, std::uint64_t{1} << 40);
          exec.pipeline_depth = unit.get_optional_u64("pipeline_depth", 1, 8).value_or(1);
          const auto stencils = unit.get_optional_array("stencils");
          if (stencils) exec.stencils = read_stencils(*stencils);
          return exec.count;
        },
        UnitKind::exec);
    auto movers = root_.get_object("tx_units");
    each(
        movers,
        [this](ObjectReader& unit, const std::string& name) {
          TxUnit& tx = model_.tx_units[name];
          tx.count = count_of(unit);
          return tx.count;
        },
        UnitKind::tx);
    read_buses();
    auto params = root_.get_optional_object("params");
    if (params) {
      for (const std::string& key : params->keys()) model_.params[key] = params->get_u64(key);
      params->finish();
    }
    root_.finish();
    return std::move(model_);
  }

 private:
  static std::uint64_t count_of(ObjectReader& unit) {
    return unit.get_optional_u64("count", 1, most_units).value_or(1);
  }

  /// size_KiB of one, or total_size_KiB of all.
  static void read_size(ObjectReader& unit, MemUnit& mem) {
    const auto total = unit.get_optional_u64("total_size_KiB", 1, most_kib);
    if (!total) {
      mem.size_KiB = unit.get_u64("size_KiB", 1, most_kib);
      return;
    }
    if (unit.has("size_KiB")) {
      unit.add_problem("total_size_KiB", "give size_KiB of one or total_size_KiB of all, not both");
    } else if (*total % mem.count != 0) {
      unit.add_problem("total_size_KiB",
                       fmt::format("{} is no multiple of the {} units", *total, mem.count));
    }
    mem.size_KiB = *total / mem.count;
  }

  template <typename Read>
  void each(ObjectReader& units, const Read& read, UnitKind kind) {
    for (const std::string& name : units.keys()) {
      ObjectReader unit = units.get_object(name);
      if (!is_name(name)) units.add_problem(name, quote(name) + " is no name of a unit");
      const std::uint64_t count = read(unit, name);
      if (!units_.emplace(name, std::make_pair(kind, count)).second) {
        units.add_problem(name, "another unit has this name");
      }
      unit.finish();
    }
    units.finish();
  }

  void read_buses() {
    const ArrayReader buses = root_.get_array("buses");
    for (std::size_t i = 0; i < buses.size(); ++i) {
      ObjectReader entry = buses.get_object(i);
      Bus bus;
      bus.sources = refs(entry, "sources");
      bus.sinks = refs(entry, "sinks");
      bus.bytes_per_cycle = entry.get_real("bytes_per_cycle", 0, 1e9);
      for (const UnitRef& source : bus.sources) {
        for (const UnitRef& sink : bus.sinks) {
          // A unit that is source and sink of a link uses one port for both.
          if (source.text() == sink.text()) continue;
          if (kind_of(source.name) == UnitKind::mem && kind_of(sink.name) == UnitKind::mem) {
            entry.add_problem("sinks",
                              fmt::format("unreachable: {} to {} needs a mover between two "
                                          "buses",
                                          source.text(), sink.text()));
          }
        }
      }
      entry.finish();
      model_.buses.push_back(std::move(bus));
    }
  }

  [[nodiscard]] UnitKind kind_of(const std::string& name) const {
    const auto it = units_.find(name);
    return it == units_.end() ? UnitKind::none : it->second.first;
  }

  std::vector<UnitRef> refs(ObjectReader& entry, std::string_view key) {
    std::vector<UnitRef> result;
    const ArrayReader list = entry.get_array(key);
    if (list.size() == 0) entry.add_problem(key, "needs at least one unit");
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::string text = list.get_string(i);
      const std::size_t open = text.find('[');
      UnitRef ref;
      ref.name = text.substr(0, open);
      const char* begin = open == std::string::npos ? nullptr : text.data() + open + 1;
      const char* end = text.data() + text.size();
      const bool sound = begin != nullptr && [&] {
        const auto parsed = std::from_chars(begin, end, ref.index);
        return parsed.ec == std::errc() && parsed.ptr + 1 == end && *parsed.ptr == ']';
      }();
      const auto unit = units_.find(ref.name);
      if (!sound) {
        list.add_problem(i, quote(text) + " is no unit; a unit is NAME[NUMBER]");
      } else if (unit == units_.end()) {
        std::vector<std::string_view> names;
        for (const auto& [n, u] : units_) names.push_back(n);
        list.add_problem(i, fmt::format("there is no unit {}{}; there are {}", quote(ref.name),
                                        suggestion(ref.name, names), fmt::join(names, ", ")));
      } else if (ref.index >= unit->second.second) {
        list.add_problem(i, fmt::format("there are {} of {}: 0..{}", unit->second.second, ref.name,
                                        unit->second.second - 1));
      } else {
        result.push_back(ref);
      }
    }
    return result;
  }

  ObjectReader root_;
  HardwareModel model_;
  std::map<std::string, std::pair<UnitKind, std::uint64_t>> units_;
};

std::string stencils_json(const std::vector<Stencil>& stencils) {
  std::string out = "[";
  for (const Stencil& stencil : stencils) {
    out += fmt::format("{}{{\"startup_cost\": {}, \"idxs\": [", out.size() > 1 ? ", " : "",
                       stencil.startup_cost);
    bool first = true;
    for (const StencilIndex& idx : stencil.indexes) {
      out += fmt::format("{}{{\"name\": \"{}\", \"size\": {}, \"outs\": [{}], \"ins\": [{}]}}",
                         first ? "" : ", ", idx.name, idx.size, fmt::join(idx.outs, ", "),
                         fmt::join(idx.ins, ", "));
      first = false;
    }
    out += "]}";
  }
  return out + "]";
}

std::string refs_json(const std::vector<UnitRef>& refs) {
  std::string out;
  for (const UnitRef& ref : refs) out += (out.empty() ? "\"" : ", \"") + ref.text() + "\"";
  return "[" + out + "]";
}

/// Unit of a location, as far as it is constant.
UnitRef unit_of(const Device& device) {
  UnitRef ref{device.name, 0};
  if (!device.units.empty()) ref.index = static_cast<std::uint64_t>(device.units[0].constant());
  return ref;
}

class ProgramCheck {
 public:
  explicit ProgramCheck(const HardwareModel& model) : model_(model) {}

  void run(const Block& block) {
    check(block.location, block, "runs");
    for (const auto& [into, ref] : block.refs) {
      check(ref.location, block, quote(into) + " lives");
      if (ref.direction == Direction::none) check_size(ref, block);
    }
    check_transfer(block);
    for (const Statement& stmt : block.statements) {
      if (const Block* nested = stmt.block()) run(*nested);
    }
  }

 private:
  void check(const Location& location, const Block& block, const std::string& what) const {
    for (const Device& device : location.devices) {
      const std::uint64_t count = count_of(device.name);
      if (count == 0) {
        user_error("block {}: {} at {}, which the hardware model does not have", quote(block.name),
                   what, quote(device.name));
      }
      for (const Affine& unit : device.units) {
        if (!unit.is_constant()) continue;
        if (unit.constant() < 0 || static_cast<std::uint64_t>(unit.constant()) >= count) {
          user_error("block {}: {} at {}; there are {}", quote(block.name), what, location.text(),
                     count);
        }
      }
    }
  }

  /// Checks that a buffer fits its memory.
  void check_size(const Refinement& ref, const Block& block) const {
    const std::uint64_t width = byte_width(ref.shape.type);
    for (const Device& device : ref.location.devices) {
      const auto memory = model_.mem_units.find(device.name);
      if (memory == model_.mem_units.end() || width == 0) continue;
      const std::uint64_t bytes = memory->second.size_KiB * 1024;
      if (ref.shape.allocation_elements() <= bytes / width) continue;
      user_error("block {}: {} needs {} elements of {} bytes; {} has {} bytes", quote(block.name),
                 quote(ref.into), ref.shape.allocation_elements(), width, quote(device.name),
                 bytes);
    }
  }

  [[nodiscard]] std::uint64_t count_of(const std::string& name) const {
    const auto mem = model_.mem_units.find(name);
    if (mem != model_.mem_units.end()) return mem->second.count;
    const auto exec = model_.exec_units.find(name);
    if (exec != model_.exec_units.end()) return exec->second.count;
    const auto tx = model_.tx_units.find(name);
    return tx != model_.tx_units.end() ? tx->second.count : 0;
  }

  /// Checks a block at a mover, which copies from the refinement it reads to the one it writes.
  void check_transfer(const Block& block) const {
    if (block.location.devices.size() != 1 ||
        model_.tx_units.count(block.location.devices[0].name) == 0) {
      return;
    }
    for (const Refinement* in : block.refs_of(Direction::in)) {
      for (const Refinement* out : block.refs_of(Direction::out)) {
        if (in->location.empty() || out->location.empty()) continue;
        try {
          require_transfer(model_, unit_of(in->location.devices[0]),
                           unit_of(block.location.devices[0]), unit_of(out->location.devices[0]));
        } catch (const UserError& error) {
          user_error("block {}: {}", quote(block.name), error.what());
        }
      }
    }
  }

  const HardwareModel& model_;
};

}  // namespace

std::uint64_t HardwareModel::tile_bytes(const std::string& memory) const {
  const auto mem = mem_units.find(memory);
  if (mem == mem_units.end()) {
    std::vector<std::string_view> names;
    for (const auto& [name, unit] : mem_units) names.push_back(name);
    user_error("the hardware model has no memory {}{}; it has {}", quote(memory),
               suggestion(memory, names), fmt::join(names, ", "));
  }
  std::uint64_t depth = 1;
  for (const auto& [name, unit] : exec_units) depth = std::max(depth, unit.pipeline_depth);
  return mem->second.size_KiB * 1024 / depth;
}

bool HardwareModel::connected(const UnitRef& from, const UnitRef& to) const {
  const auto has = [](const std::vector<UnitRef>& refs, const UnitRef& ref) {
    return std::any_of(refs.begin(), refs.end(), [&ref](const UnitRef& other) {
      return other.name == ref.name && other.index == ref.index;
    });
  };
  return std::any_of(buses.begin(), buses.end(),
                     [&](const Bus& bus) { return has(bus.sources, from) && has(bus.sinks, to); });
}

void require_transfer(const HardwareModel& model, const UnitRef& from, const UnitRef& mover,
                      const UnitRef& to) {
  if (!model.connected(from, mover)) {
    user_error("unreachable: no bus from {} to {}", from.text(), mover.text());
  }
  if (!model.connected(mover, to)) {
    user_error("unreachable: no bus from {} to {}", mover.text(), to.text());
  }
}

HardwareModel read_hardware_model(std::string_view json, const std::string& where) {
  JsonDocument document(without_trailing_commas(json), where);
  HardwareModel model = ModelReader(document.root()).run();
  document.problems().throw_if_any();
  return model;
}

std::string to_json(const HardwareModel& model) {
  std::string out = "{\n";
  if (!model.arch.empty()) out += fmt::format("  \"arch\": \"{}\",\n", model.arch);
  out += fmt::format("  \"clock_mhz\": {},\n", model.clock_mhz);
  if (model.i8_mac_ops_per_cycle != 0) {
    out += fmt::format("  \"i8_mac_ops_per_cycle\": {},\n", model.i8_mac_ops_per_cycle);
  }
  const auto units = [&out](std::string_view key, const auto& map, const auto& text) {
    out += fmt::format("  \"{}\": {{\n", key);
    std::size_t left = map.size();
    for (const auto& [name, unit] : map) {
      out += fmt::format("    \"{}\": {{\"count\": {}{}}}{}\n", name, unit.count, text(unit),
                         --left != 0 ? "," : "");
    }
    out += "  },\n";
  };
  units("mem_units", model.mem_units, [](const MemUnit& unit) {
    return fmt::format(", \"size_KiB\": {}{}", unit.size_KiB,
                       unit.is_host ? ", \"is_host\": true" : "");
  });
  units("exec_units", model.exec_units, [](const ExecUnit& unit) {
    return fmt::format(
        ", \"ops_per_cycle\": {}, \"pipeline_depth\": {}{}", unit.ops_per_cycle,
        unit.pipeline_depth,
        unit.stencils.empty() ? "" : ", \"stencils\": " + stencils_json(unit.stencils));
  });
  units("tx_units", model.tx_units, [](const TxUnit&) { return std::string(); });
  if (!model.params.empty()) {
    out += "  \"params\": {";
    bool first = true;
    for (const auto& [name, value] : model.params) {
      out += fmt::format("{}\"{}\": {}", first ? "" : ", ", name, value);
      first = false;
    }
    out += "},\n";
  }
  out += "  \"buses\": [\n";
  for (std::size_t i = 0; i < model.buses.size(); ++i) {
    const Bus& bus = model.buses[i];
    out += fmt::format("    {{\"sources\": {}, \"sinks\": {}, \"bytes_per_cycle\": {}}}{}\n",
                       refs_json(bus.sources), refs_json(bus.sinks), bus.bytes_per_cycle,
                       i + 1 < model.buses.size() ? "," : "");
  }
  return out + "  ]\n}\n";
}

void check_against(const HardwareModel& model, const Program& program) {
  ProgramCheck(model).run(program.block());
}

}  // namespace tactus::stripe
