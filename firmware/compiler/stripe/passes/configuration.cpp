// Pass lists from JSON, and running them.
#include <algorithm>
#include <map>

#include "firmware/compiler/stripe/passes/integers.h"
#include "firmware/compiler/stripe/passes/json_values.h"
#include "firmware/compiler/stripe/passes/pass.h"
#include "firmware/compiler/stripe/verify.h"
#include "isa/support/error.h"
#include "isa/support/json.h"
#include "isa/support/text.h"

namespace tactus::stripe {
namespace {

class OptionReader : public OptionVisitor {
 public:
  explicit OptionReader(ObjectReader& object) : object_(object) {}

  void tags(std::string_view name, Tags& value, std::string_view) override {
    if (const auto list = array(name)) value = tags_of(*list);
  }
  void tag_lists(std::string_view name, std::vector<Tags>& value, std::string_view) override {
    objects(name, value, [](ObjectReader& entry) {
      const auto tags = entry.get_optional_array("tags");
      Tags result = tags ? tags_of(*tags) : Tags();
      entry.finish();
      return result;
    });
  }
  void flag(std::string_view name, bool& value, std::string_view) override {
    known(name);
    value = object_.get_optional_bool(name).value_or(value);
  }
  void number(std::string_view name, std::uint64_t& value, std::string_view) override {
    known(name);
    constexpr std::uint64_t most = std::uint64_t{1} << 62;
    value = object_.get_optional_u64(name, 0, most).value_or(value);
  }
  void real(std::string_view name, double& value, std::string_view) override {
    known(name);
    if (object_.has(name)) value = object_.get_real_in(name, 0, 1e18);
  }
  void text(std::string_view name, std::string& value, std::string_view) override {
    known(name);
    value = object_.get_optional_string(name).value_or(value);
  }
  void location(std::string_view name, Location& value, std::string_view) override {
    known(name);
    auto object = object_.get_optional_object(name);
    if (object) value = location_of(*object);
  }
  void locations(std::string_view name, std::vector<Location>& value, std::string_view) override {
    objects(name, value, location_of);
  }
  void directions(std::string_view name, std::set<Direction>& value, std::string_view) override {
    static const std::map<std::string, Direction> names{{"None", Direction::none},
                                                        {"In", Direction::in},
                                                        {"Out", Direction::out},
                                                        {"InOut", Direction::inout}};
    const auto list = array(name);
    if (!list) return;
    value.clear();
    for (std::size_t i = 0; i < list->size(); ++i) {
      const std::string text = list->get_string(i);
      const auto found = names.find(text);
      if (found != names.end()) {
        value.insert(found->second);
      } else {
        list->add_problem(i, quote(text) + " is no direction; allowed \"In\", \"Out\", \"InOut\"");
      }
    }
  }
  void stencils(std::string_view name, std::vector<Stencil>& value, std::string_view) override {
    if (const auto list = array(name)) value = read_stencils(*list);
  }
  void units(UnitAssignment& value) override {
    known("color_io_unique");
    known("numa_map");
    auto colours = object_.get_optional_object("color_io_unique");
    auto map = object_.get_optional_object("numa_map");
    if (colours && map) {
      object_.add_problem("numa_map", "memory is assigned by color_io_unique or by numa_map");
    }
    if (colours) {
      value.color_io_unique = unit_list(*colours);
      colours->finish();
    }
    if (!map) return;
    const auto nodes = map->get_optional_array("nodes");
    if (!nodes || nodes->size() == 0) map->add_problem("nodes", "at least one node is needed");
    for (std::size_t i = 0; nodes && i < nodes->size(); ++i) {
      ObjectReader entry = nodes->get_object(i);
      UnitAssignment::Node node;
      node.pattern = entry.get_string("pattern");
      node.units = unit_list(entry);
      try {
        (void)LocationPattern(node.pattern);
      } catch (const UserError& error) {
        entry.add_problem("pattern", error.what());
      }
      entry.finish();
      value.numa_map.push_back(std::move(node));
    }
    map->finish();
  }
  void alias(std::string_view old_name) override { known(old_name); }

  /// Reports the keys that no option has, with those there are.
  void finish() {
    for (const std::string& key : object_.keys()) {
      if (std::find(known_.begin(), known_.end(), key) != known_.end() || key == "@type") continue;
      object_.add_problem(key, fmt::format("unknown option{}; known are {}",
                                           suggestion(key, known_), fmt::join(known_, ", ")));
      (void)object_.has(key);
    }
    (void)object_.has("@type");
    object_.finish();
  }

 private:
  void known(std::string_view name) { known_.push_back(name); }
  std::optional<ArrayReader> array(std::string_view name) {
    known(name);
    return object_.get_optional_array(name);
  }
  /// Replaces `values` by those of an array of objects, if there is one.
  template <typename Value, typename Read>
  void objects(std::string_view name, std::vector<Value>& values, Read read) {
    const auto list = array(name);
    if (!list) return;
    values.clear();
    for (std::size_t i = 0; i < list->size(); ++i) {
      ObjectReader entry = list->get_object(i);
      values.push_back(read(entry));
    }
  }

  static Tags tags_of(const ArrayReader& list) {
    Tags result;
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::string tag = list.get_string(i);
      if (!is_name(tag)) list.add_problem(i, quote(tag) + " is no name of a tag");
      result.insert(tag);
    }
    return result;
  }

  /// Its "units": whole numbers from 0 on, at least one.
  static std::vector<std::int64_t> unit_list(ObjectReader& object) {
    std::vector<std::int64_t> result;
    const auto list = object.get_optional_array("units");
    if (!list || list->size() == 0) {
      object.add_problem("units", "at least one unit is needed");
      return {0};
    }
    for (std::size_t i = 0; i < list->size(); ++i) {
      result.push_back(static_cast<std::int64_t>(list->get_u64(i, 0, 1U << 20U)));
    }
    return result;
  }

  /// Reads an affine given as a JSON object, {"offset": 1, "terms": {"x": 2}}.
  static Affine affine_of(ObjectReader& object) {
    Affine result;
    if (object.has("offset")) result.set_constant(integer(object, "offset"));
    auto terms = object.get_optional_object("terms");
    if (terms) {
      for (const std::string& name : terms->keys()) {
        result.set_coefficient(name, integer(*terms, name));
      }
      terms->finish();
    }
    object.finish();
    return result;
  }

  /// {"devs": [{"name": N, "units": [affines]}]}, or of old {"name": N, "unit": affine}.
  static Location location_of(ObjectReader& object) {
    Location result;
    const auto devices = object.get_optional_array("devs");
    const auto name = object.get_optional_string("name");
    if (devices && name) object.add_problem("name", "a location has either devs or name");
    if (devices) {
      for (std::size_t i = 0; i < devices->size(); ++i) {
        ObjectReader entry = devices->get_object(i);
        Device device;
        device.name = entry.get_string("name");
        check_device(entry, device.name);
        const auto units = entry.get_optional_array("units");
        for (std::size_t k = 0; units && k < units->size(); ++k) {
          ObjectReader unit = units->get_object(k);
          device.units.push_back(affine_of(unit));
        }
        entry.finish();
        result.devices.push_back(std::move(device));
      }
    } else if (name) {
      check_device(object, *name);
      result.devices.push_back({*name, {}});
      auto unit = object.get_optional_object("unit");
      if (unit) result.devices.back().units.push_back(affine_of(*unit));
    }
    object.finish();
    return result;
  }

  static void check_device(ObjectReader& object, const std::string& name) {
    if (!is_name(name)) object.add_problem("name", quote(name) + " is no name of a device");
  }

  ObjectReader& object_;
  std::vector<std::string_view> known_;
};

const PassKind* find_kind(std::string_view name) {
  for (const PassKind& kind : pass_kinds()) {
    if (kind.name == name) return &kind;
    if (std::find(kind.types.begin(), kind.types.end(), name) != kind.types.end()) return &kind;
  }
  return nullptr;
}

std::string known_kinds(std::string_view wrong) {
  std::vector<std::string_view> names;
  for (const PassKind& kind : pass_kinds()) names.push_back(kind.name);
  return fmt::format("unknown pass {}{}; known are {}", quote(wrong), suggestion(wrong, names),
                     fmt::join(names, ", "));
}

/// Reads one entry; no pass if something is wrong with it.
std::optional<ConfiguredPass> read_entry(ObjectReader& entry) {
  ConfiguredPass result;
  result.name = entry.get_optional_string("name").value_or("");
  std::vector<std::string> keys;
  for (const std::string& key : entry.keys()) {
    if (key != "name") keys.push_back(key);
  }
  if (keys.size() != 1) {
    for (const std::string& key : keys) (void)entry.has(key);
    entry.add_problem(keys.empty() ? "pass" : keys[1],
                      keys.empty() ? "is missing: a pass is its name and its kind with options"
                                   : "a pass has a name and one kind");
    entry.finish();
    return std::nullopt;
  }
  ObjectReader options = entry.get_object(keys[0]);
  std::string type = keys[0];
  if (type == "pass") {
    type = options.get_string("@type");
    const std::size_t dot = type.rfind('.');
    if (dot != std::string::npos) type.erase(0, dot + 1);
  }
  const PassKind* kind = find_kind(type);
  if (kind == nullptr) {
    entry.add_problem(keys[0], known_kinds(type));
    entry.finish();
    return std::nullopt;
  }
  result.kind = kind->name;
  if (result.name.empty()) result.name = std::string(kind->name);
  result.pass = kind->make();
  OptionReader reader(options);
  result.pass->describe(reader);
  reader.finish();
  entry.finish();
  return result;
}

}  // namespace

std::vector<ConfiguredPass> read_passes(std::string_view json, const std::string& where,
                                        const HardwareModel* model) {
  std::string text = without_trailing_commas(json);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && text[first] == '[') text = "{\"passes\":" + text + "}";
  JsonDocument document(text, where);
  ObjectReader root = document.root();
  // Other keys allowed in a configuration: notes and those of the hardware model.
  for (const std::string_view key :
       {"note", "arch", "clock_mhz", "mem_units", "exec_units", "tx_units", "buses", "params",
        "i8_mac_ops_per_cycle", "lowering"}) {
    (void)root.has(key);
  }
  std::vector<ConfiguredPass> result;
  const ArrayReader passes = root.get_array("passes");
  for (std::size_t i = 0; i < passes.size(); ++i) {
    ObjectReader entry = passes.get_object(i);
    auto pass = read_entry(entry);
    if (pass) result.push_back(std::move(*pass));
  }
  root.finish();
  document.problems().throw_if_any();
  for (const ConfiguredPass& entry : result) {
    try {
      entry.pass->bind(model);
    } catch (const UserError& error) {
      user_error("{}: pass {}: {}", where, quote(entry.name), error.what());
    }
  }
  return result;
}

namespace {

/// The buffers tagged "user", with their types and sizes.
std::map<std::string, std::string> tagged_buffers(const Program& program) {
  std::map<std::string, std::string> result;
  for (const auto& [into, ref] : program.block().refs) {
    if (!ref.has_tag("user")) continue;
    result[into] =
        fmt::format("{}({})", type_name(ref.shape.type), fmt::join(ref.shape.sizes(), ", "));
  }
  return result;
}

void require_same_buffers(const std::map<std::string, std::string>& before,
                          const std::map<std::string, std::string>& after) {
  for (const auto& [name, shape] : before) {
    const auto found = after.find(name);
    if (found == after.end())
      user_error(
          "the program's buffer {} is gone; a pass keeps the buffers of its root block that are "
          "tagged \"user\"",
          quote(name));
    if (found->second != shape) {
      user_error("the program's buffer {} was {} and is {} now", quote(name), shape, found->second);
    }
  }
}

}  // namespace

void run_passes(Program& program, const std::vector<ConfiguredPass>& passes,
                const std::function<void(std::size_t, const ConfiguredPass&)>& after) {
  for (std::size_t i = 0; i < passes.size(); ++i) {
    const ConfiguredPass& entry = passes[i];
    const std::string label = entry.name == entry.kind
                                  ? fmt::format("pass {}, {}", i + 1, entry.name)
                                  : fmt::format("pass {}, {} ({})", i + 1, entry.name, entry.kind);
    try {
      const auto buffers = tagged_buffers(program);
      entry.pass->run(program);
      verify_form(program, "after");
      require_same_buffers(buffers, tagged_buffers(program));
    } catch (const UserError& error) {
      user_error("{}: {}", label, error.what());
    }
    if (after) after(i + 1, entry);
  }
}

}  // namespace tactus::stripe
