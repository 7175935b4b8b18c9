#include "firmware/sweep/definition.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_set>
#include <utility>

#include "firmware/config/config_files.h"
#include "firmware/config/ddr_presets.h"
#include "firmware/config/memory.h"
#include "firmware/driver/tcu/model.h"
#include "firmware/sweep/filter.h"
#include "firmware/sweep/runner.h"
#include "isa/support/arbitration.h"
#include "isa/support/board_values.h"
#include "isa/support/error.h"
#include "isa/support/files.h"
#include "isa/support/json_text.h"
#include "isa/support/located.h"
#include "isa/support/sha256.h"
#include "isa/support/text.h"
#include "isa/tcu/architecture_table.h"

namespace tactus::sweep {
namespace {

constexpr std::uint64_t most_points = 1'000'000;
constexpr std::uint64_t most_values = 100'000;  ///< limit on the values of one axis

/// "name" of "board.name".
std::string last_part(const std::string& key) { return key.substr(key.find('.') + 1); }

/// The first kind of points whose defaults the key determines; null if there is none.
const Runner* runner_with_base(const std::string& key) {
  const auto found = std::find_if(runners().begin(), runners().end(),
                                  [&](const Runner& runner) { return key == runner.base; });
  return found == runners().end() ? nullptr : &*found;
}

/// The DRAM that a value names: one of configs/dram, or a file.
NamedFile dram_file(const std::string& value, const std::string& beside) {
  if (config_path("dram", value) != value) return {value, {}};
  const std::string path = full_path_beside(value, beside);
  return {path, path};
}

/// Says what is wrong if a key names a network, board or DRAM that does not exist, or a file of
/// another kind. Empty if nothing is.
std::string source_problem(const std::string& key, const KeyValue& value, const std::string& path) {
  const auto* name = value.get_ptr<const std::string*>();
  if (name == nullptr) return "";
  try {
    if (const Runner* runner = runner_with_base(key)) (void)runner->defaults(*name, path);
    if (key == "board.arbitration") (void)read_arbitration(*name);
    if (key == "board.ddr") (void)read_ddr_preset(dram_file(*name, path).name);
    for (const Runner& runner : runners()) runner.check_value(key, *name, path);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

/// Says what is wrong with the value of a key; empty if nothing is.
std::string value_problem(const std::string& key, const KeyValue& value, const std::string& path) {
  const std::string problem = key_problem(key, value, path);
  return problem.empty() ? source_problem(key, value, path) : problem;
}

/// A number as a JSON value: an integer if it is whole.
KeyValue number_value(double value) {
  const bool whole = value == std::floor(value) && std::abs(value) < 9e15;
  return whole ? KeyValue(static_cast<std::int64_t>(value)) : KeyValue(value);
}

/// Reads a value of any kind. `place` is its key, or its index in an array.
template <typename Reader, typename Place>
KeyValue read_value(Reader& reader, const Place& place) {
  if (reader.is_no_scalar(place)) return json_of_text(reader.get_text(place));
  return std::visit([](const auto& value) { return KeyValue(value); }, reader.get_scalar(place));
}

/// Reads the tree of axes and collects all problems.
class AxesReader {
 public:
  AxesReader(std::string path, const Runner& runner) : path_(std::move(path)), runner_(runner) {}

  /// The bases that axes set.
  [[nodiscard]] const std::vector<Base>& bases() const { return bases_; }

  std::vector<Space> read(const ArrayReader& array) {
    std::vector<Space> parts;
    for (std::size_t i = 0; i < array.size(); ++i) {
      ObjectReader object = array.get_object(i);
      parts.push_back(read(object));
      object.finish();
    }
    return parts;
  }

 private:
  Space read(ObjectReader& object) {
    const bool zip = object.has("zip");
    if (zip || object.has("product")) {
      const char* name = zip ? "zip" : "product";
      const ArrayReader array = object.get_array(name);
      std::vector<Space> parts = read(array);
      if (parts.empty()) {
        object.add_problem(name, "is empty; allowed one axis or more");
        return Space::product({});
      }
      if (!zip) return Space::product(std::move(parts));
      for (const Space& part : parts) {
        if (part.size() == parts.front().size()) continue;
        object.add_problem(name, fmt::format("axes of {} and {} values cannot go in step",
                                             parts.front().size(), part.size()));
        return Space::product({});
      }
      return Space::zip(std::move(parts));
    }
    const std::string key = object.get_string("key");
    std::vector<KeyValue> values = object.has("from") ? range(object) : list(object);
    if (key.empty()) return Space::product({});
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::string problem = value_problem(key, values[i], path_);
      if (const Runner* other = runner_with_base(key); problem.empty() && other != nullptr) {
        bases_.push_back({key == runner_.base ? &runner_ : other, values[i].get<std::string>()});
      }
      if (problem.empty()) continue;
      const std::string text = quote(key) + ": " + problem;
      if (problem.rfind("unknown key", 0) == 0) {
        object.add_problem("key", text);
        break;
      }
      if (object.has("values")) {
        object.get_array("values").add_problem(i, text);
      } else {
        object.add_problem(i == 0 ? "from" : "to", text);
        break;
      }
    }
    if (!used_.insert(key).second) object.add_problem("key", quote(key) + " is an axis already");
    if (values.empty()) return Space::product({});
    return Space::axis(key, std::move(values));
  }

  static std::vector<KeyValue> list(ObjectReader& object) {
    std::vector<KeyValue> values;
    const ArrayReader array = object.get_array("values");
    for (std::size_t i = 0; i < array.size(); ++i) values.push_back(read_value(array, i));
    if (object.has("values") && values.empty()) {
      object.add_problem("values", "the axis is empty; allowed one value or more");
    }
    return values;
  }

  static double number(ObjectReader& object, const char* key) {
    const JsonScalar value = object.get_scalar(key);
    if (const auto* integer = std::get_if<std::int64_t>(&value)) {
      return static_cast<double>(*integer);
    }
    if (const auto* real = std::get_if<double>(&value)) return *real;
    object.add_problem(key, "must be a number");
    return 0;
  }

  static std::vector<KeyValue> range(ObjectReader& object) {
    const double from = number(object, "from");
    const double to = number(object, "to");
    const bool geometric = object.has("factor");
    if (!geometric && !object.has("step")) {
      object.add_problem("step", "is missing: values from .. to need a step, or a factor");
      return {};
    }
    const double step = number(object, geometric ? "factor" : "step");
    std::vector<KeyValue> values;
    if (geometric ? step <= 1 || from <= 0 : step <= 0) {
      object.add_problem(geometric ? "factor" : "step",
                         geometric ? "must be above 1, and from above 0" : "must be above 0");
      return {};
    }
    double value = from;
    // The tolerance of 10^-9 includes an end such as 0.3 for 0.1 + 2 * 0.1, which rounding makes
    // larger.
    for (std::uint64_t i = 0; value <= to * (1 + 1e-9); ++i) {
      if (i == most_values) {
        object.add_problem("to", fmt::format("more than {} values", most_values));
        return {};
      }
      values.push_back(number_value(value));
      const auto n = static_cast<double>(i + 1);
      value = geometric ? from * std::pow(step, n) : from + step * n;
    }
    if (values.empty()) object.add_problem("to", "the axis is empty: to is below from");
    return values;
  }

  std::string path_;      ///< file names are relative to the folder of this file
  const Runner& runner_;  ///< of the points without the axes
  std::vector<Base> bases_;
  std::unordered_set<std::string> used_;
};

constexpr std::string_view board_section = "board.";

/// True for keys such as "board.ddr", whose value replaces one of the board's memory.
bool replaces_memory(std::string_view key) {
  return key.substr(0, board_section.size()) == board_section &&
         replaces_board_memory(key.substr(board_section.size()));
}

bool is_fixed_latency_key(std::string_view key) {
  return key.substr(0, board_section.size()) == board_section &&
         is_fixed_latency(key.substr(board_section.size()));
}

/// Reads the object "base", which has sections of keys.
void read_base(ObjectReader base, const Configuration& keys, const std::string& path,
               std::vector<Assignment>& out) {
  for (const std::string& section : base.keys()) {
    if (!keys.contains(section)) continue;  // finish() reports it
    ObjectReader object = base.get_object(section);
    for (const std::string& name : object.keys()) {
      const KeyValue value = read_value(object, name);
      const std::string problem = value_problem(section + "." + name, value, path);
      if (!problem.empty()) object.add_problem(name, problem);
      out.emplace_back(section + "." + name, value);
    }
  }
  for (const auto& section : keys.items()) (void)base.has(section.key());
  base.finish();
}

Base base_of(JsonDocument& document) {
  ObjectReader root = document.root();
  ObjectReader base = root.get_object("base");
  ObjectReader board = base.get_object("board");
  if (base.has("board") && !board.has("machine") && !board.has("name")) {
    base.add_problem("board",
                     "lacks the key \"name\", a board that networks run on, or for matrix products "
                     "\"machine\", such as \"pvc\"");
    return {};
  }
  // The keys of the base that tell the kind of its points, as a configuration.
  auto workload = base.get_optional_object("workload");
  Configuration keys;
  if (board.has("machine")) keys["board"]["machine"] = "";
  for (const Runner& runner : runners()) {
    const std::string key = last_part(runner.subject);
    if (workload && workload->has(key)) keys["workload"][key] = "";
  }
  const Runner& runner = runner_of(keys);
  return {&runner, board.get_string(last_part(runner.base))};
}

/// Throws UserError unless every base that a point may have has all keys that points may set.
void check_keys_of_bases(const Definition& definition, const std::vector<Base>& bases) {
  std::vector<std::string> used;
  for (const Assignment& assignment : definition.base) used.push_back(assignment.first);
  definition.axes.append_keys(used);
  for (const Definition::Derived& derived : definition.derived) {
    used.push_back(derived.key);
    used.insert(used.end(), derived.expression.keys().begin(), derived.expression.keys().end());
  }
  for (const Expression& constraint : definition.constraints) {
    used.insert(used.end(), constraint.keys().begin(), constraint.keys().end());
  }
  for (const Base& base : bases) {
    const Configuration defaults = base.runner->defaults(base.value, definition.beside);
    const std::vector<std::string> keys = key_names(defaults);
    // The board's memory may leave a key open, such as the clock of a port that follows the
    // design's clock. Points may set such a key.
    const bool on_board = std::string_view(base.runner->base) == "board.name";
    const bool has_memory = on_board && defaults.at("board").contains("memory");
    for (const std::string& key : used) {
      if (std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
      if (has_memory && replaces_memory(key)) continue;
      // An architecture leaves out lists and objects that it has not.
      const ParameterInfo* parameter = find_parameter(key);
      // Options of requests that arrive are left out where none do.
      const bool has_options = on_board && defaults.contains("measure");
      if (has_options && parameter != nullptr && key.rfind("measure.", 0) == 0) continue;
      const bool is_list = parameter != nullptr && parameter->type == ParameterType::other;
      if (is_list && defaults.contains("architecture")) continue;
      user_error("{}: {} {} has no key {}", definition.path, base.runner->base, quote(base.value),
                 quote(key));
    }
  }
}

void read_expressions(ObjectReader& root, const Configuration& keys, Definition& out) {
  if (root.has("derived")) {
    ObjectReader derived = root.get_object("derived");
    for (const std::string& key : derived.keys()) {
      const std::string text = derived.get_string(key);
      const std::string problem = derived_problem(key);
      if (!problem.empty()) derived.add_problem(key, problem);
      try {
        out.derived.push_back({key, Expression(text, keys)});
      } catch (const UserError& error) {
        derived.add_problem(key, error.what());
      }
    }
  }
  if (!root.has("constraints")) return;
  const ArrayReader constraints = root.get_array("constraints");
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    try {
      out.constraints.emplace_back(constraints.get_string(i), keys);
    } catch (const UserError& error) {
      constraints.add_problem(i, error.what());
    }
  }
}

/// Hash of a file and of the files that it names.
std::string hash_of_file(const std::string& path) {
  std::vector<std::uint8_t> bytes = read_file(path);
  if (path.compare(path.rfind('.'), path.npos, ".tmodel") == 0) {
    const Model model = read_model(path, ProgramChecks::strict);
    bytes.insert(bytes.end(), model.program.begin(), model.program.end());
    for (const auto& constants : model.constants) {
      bytes.insert(bytes.end(), constants.begin(), constants.end());
    }
  }
  return sha256(bytes);
}

}  // namespace

/// Builds the configuration of a point. The values of the board are set first.
class Configurations::Builder {
 public:
  explicit Builder(const Definition& definition) : definition_(definition) {}

  Configuration build(std::uint64_t index) {
    assignments_.clear();
    definition_.axes.append(index, assignments_);
    Base base = definition_.base_of_all;
    for (const Assignment& assignment : assignments_) {
      if (assignment.first == base.runner->base) base.value = assignment.second.get<std::string>();
    }
    auto found = bases_.find(base.value);
    if (found == bases_.end())
      found =
          bases_.emplace(base.value, base.runner->defaults(base.value, definition_.beside)).first;
    Configuration result = found->second;
    for (const Assignment& assignment : definition_.base) {
      if (assignment.first != base.runner->base)
        set_key(result, assignment.first, assignment.second);
    }
    for (const Assignment& assignment : assignments_) {
      if (assignment.first != base.runner->base)
        set_key(result, assignment.first, assignment.second);
    }
    for (const FileKey& file : base.runner->files) bind(result, file);
    bind(result, {"board", "ddr", "ddr_sha256", dram_file});
    bind_blocks(result);
    for (const Definition::Derived& derived : definition_.derived) {
      double value = 0;
      try {
        value = derived.expression.value(result);
      } catch (const UserError& error) {
        user_error("{}:/derived/{}: {}, at point {}", definition_.path, derived.key, error.what(),
                   index);
      }
      const KeyValue number = number_value(value);
      const std::string problem = key_problem(derived.key, number, definition_.beside);
      if (!problem.empty()) {
        user_error("{}:/derived/{}: gives {} at point {}: {}", definition_.path, derived.key, value,
                   index, problem);
      }
      set_key(result, derived.key, number);
    }
    if (result.at("board").contains("name")) put_memory_in_force(result);
    return result;
  }

 private:
  /// Enters the values that the point's keys give to the board's memory into "board.memory". The
  /// point then runs with that memory.
  void put_memory_in_force(Configuration& result) const {
    Configuration& board = result["board"];
    const auto memory = board.find("memory");
    if (memory == board.end() || board.at("memory_model") != "board") return;
    const auto set = [this](std::string_view name) {
      const std::string key = std::string(board_section).append(name);
      const auto is_it = [&key](const Assignment& assignment) { return assignment.first == key; };
      return std::any_of(definition_.base.begin(), definition_.base.end(), is_it) ||
             std::any_of(assignments_.begin(), assignments_.end(), is_it) ||
             std::any_of(definition_.derived.begin(), definition_.derived.end(),
                         [&key](const Definition::Derived& d) { return d.key == key; });
    };
    for (auto& path : memory->at("paths")) {
      if (set("port_clock_mhz")) {
        path.erase("clock_ratio");
        path["clock_mhz"] = board.at("port_clock_mhz");
      }
      if (set("port_data_bits")) path["data_bits"] = board.at("port_data_bits");
      if (set("interconnect_ns")) {
        path["interconnect_ns"] = {board.at("interconnect_ns"), board.at("interconnect_ns")};
      }
    }
    if (set("arbitration")) (*memory)["arbitration"] = board.at("arbitration");
    if (!set("ddr")) return;
    const Configuration placed = encode_board_memory(placed_memory(result));
    (*memory)["base"] = placed.at("base");
    if (placed.contains("stream")) {
      (*memory)["stream"] = placed.at("stream");
    } else {
      memory->erase("stream");
    }
    (*memory)["ddr"]["preset"] = board.at("ddr");
  }

  /// The board's memory, with its banks at addresses where the point's DRAM has room.
  static BoardMemory placed_memory(const Configuration& result) {
    const std::string where = "the point's configuration";
    JsonDocument board_text(text_of_json(result.at("board")), where);
    JsonDocument architecture_text(text_of_json(without_nulls(result.at("architecture"))), where);
    BoardValues board;
    tcu::Architecture architecture;
    ObjectReader board_reader = board_text.root(), architecture_reader = architecture_text.root();
    board_parameters().read(board_reader, board, MissingKeys::allowed);
    tcu::architecture_parameters().read(architecture_reader, architecture, MissingKeys::allowed);
    place_banks(board, architecture);
    return *board.board_memory;
  }

  /// Enters the file that a key names, if it names one, with its hash.
  void bind(Configuration& configuration, const FileKey& key) {
    Configuration& section = configuration.at(key.section);
    const auto value = section.find(key.key);
    if (value == section.end() || !value->is_string() || *value == "") return;
    const NamedFile file = key.find(value->get<std::string>(), definition_.beside);
    if (file.path.empty()) return;
    *value = file.name;
    section[key.hash] = hash_of(file.path);
  }

  /// Does the same as bind() for the programs of DAIS blocks.
  void bind_blocks(Configuration& configuration) {
    const auto architecture = configuration.find("architecture");
    if (architecture == configuration.end() || !architecture->contains("dais_blocks")) return;
    for (auto& block : (*architecture)["dais_blocks"]) {
      const std::string path =
          full_path_beside(block.at("program").get<std::string>(), definition_.beside);
      block["program"] = path;
      configuration["workload"]["blocks_sha256"].push_back(hash_of(path));
    }
  }

  const std::string& hash_of(const std::string& path) {
    auto found = files_.find(path);
    if (found == files_.end()) found = files_.emplace(path, hash_of_file(path)).first;
    return found->second;
  }

  const Definition& definition_;
  std::map<std::string, Configuration> bases_;
  std::map<std::string, std::string> files_;  ///< hash of each file, by path
  std::vector<Assignment> assignments_;
};

Configurations::Configurations(const Definition& definition)
    : builder_(std::make_unique<Builder>(definition)) {}
Configurations::~Configurations() = default;

Configuration Configurations::of(const Point& point) const { return builder_->build(point.index); }

/// The keys of the two kinds of memory that the points set.
struct MemoryKeys {
  std::string latency;   ///< a key of the memory of fixed latency; empty: none is set
  std::string of_board;  ///< a key of the board's memory; empty: none is set
  bool model = false;    ///< true if board.memory_model is set
};

MemoryKeys memory_keys(const Definition& definition) {
  std::vector<std::string> used;
  for (const Assignment& assignment : definition.base) used.push_back(assignment.first);
  for (const Definition::Derived& derived : definition.derived) used.push_back(derived.key);
  definition.axes.append_keys(used);
  MemoryKeys keys;
  for (const std::string& key : used) {
    if (key == "board.memory_model") keys.model = true;
    if (keys.latency.empty() && is_fixed_latency_key(key)) keys.latency = key;
    if (keys.of_board.empty() && replaces_memory(key)) keys.of_board = key;
  }
  return keys;
}

/// Chooses the kind of memory by the keys that the points set: latencies belong to the memory of
/// fixed latency, other keys to the board's memory. Throws UserError if a key has no effect on the
/// points' memory.
void choose_memory(Definition& definition, const Configuration& keys) {
  const MemoryKeys used = memory_keys(definition);
  std::string_view model;
  for (const auto& [key, value] : definition.base) {
    const auto* text = value.get_ptr<const std::string*>();
    if (key == "board.memory_model" && text != nullptr) model = *text;
  }
  if (!used.of_board.empty() && (!used.latency.empty() || model == "fixed")) {
    user_error("{}: {} has no effect with the memory of fixed latency, which {} chooses",
               definition.path, used.of_board,
               used.latency.empty() ? "/base/board/memory_model" : used.latency);
  }
  if (!used.latency.empty() && model == "board") {
    user_error(
        "{}: {} has no effect with the board's memory, which /base/board/memory_model chooses",
        definition.path, used.latency);
  }
  if (used.latency.empty() || used.model || !keys.at("board").contains("memory")) return;
  definition.base.emplace_back("board.memory_model", std::string("fixed"));
}

Definition parse_definition(std::string_view json_text, const std::string& path,
                            const std::string& beside) {
  Definition definition;
  definition.path = path;
  definition.beside = beside.empty() ? path : beside;
  JsonDocument document(json_text, path);
  definition.base_of_all = base_of(document);
  document.problems().throw_if_any();
  const Base& base = definition.base_of_all;
  const Configuration keys =
      located(fmt::format("{}:/base/board/{}", path, last_part(base.runner->base)),
              [&] { return base.runner->defaults(base.value, definition.beside); });

  ObjectReader root = document.root();
  definition.name = root.get_string("name");
  read_base(root.get_object("base"), keys, definition.beside, definition.base);
  const ArrayReader axes = root.get_array("axes");
  AxesReader axes_reader(definition.beside, *base.runner);
  definition.axes =
      located(path + ":/axes", [&] { return Space::product(axes_reader.read(axes)); });
  if (root.has("axes") && axes.size() == 0) {
    root.add_problem("axes", "is empty; allowed one axis or more");
  }
  read_expressions(root, keys, definition);
  if (root.has("sample")) {
    ObjectReader sample = root.get_object("sample");
    const std::vector<std::string_view> methods{"random", "latin-hypercube"};
    definition.sampling =
        sample.get_enum("method", methods) == 0 ? Sampling::random : Sampling::latin_hypercube;
    definition.sample_points = sample.get_u64("points", 1, most_points);
    definition.seed = sample.get_u64("seed");
    sample.finish();
  }
  root.finish();
  document.problems().throw_if_any();
  std::vector<Base> bases = axes_reader.bases();
  bases.push_back(definition.base_of_all);
  check_keys_of_bases(definition, bases);
  choose_memory(definition, keys);
  return definition;
}

Definition read_definition(const std::string& path) {
  return parse_definition(read_text(path), path);
}

Points points(const Definition& definition) {
  const std::uint64_t size = definition.axes.size();
  Points result;
  Filter filter(definition);
  Configurations::Builder builder(definition);
  // These are views of the points' hashes. A hash keeps its characters in place when its point is
  // moved.
  std::unordered_set<std::string_view> hashes;
  const auto look_at = [&](std::uint64_t index) {
    ++result.looked_at;
    if (!filter.allows(index)) {
      ++result.dropped;
      return;
    }
    Point& point = result.points.emplace_back(Point{index, hash(builder.build(index))});
    if (!hashes.insert(point.hash).second) {
      ++result.duplicates;
      result.points.pop_back();
    }
  };
  switch (definition.sampling) {
    case Sampling::all:
      if (size > most_points) {
        user_error("{}:/axes: {} points; allowed {}, or a sample of them", definition.path, size,
                   most_points);
      }
      for (std::uint64_t i = 0; i < size; ++i) look_at(i);
      break;
    case Sampling::random: {
      // The number of tries is limited, since constraints may exclude almost all points of a huge
      // space.
      RandomOrder order(size, definition.seed);
      const std::uint64_t most_tries =
          std::min(100 * definition.sample_points + most_points, 4 * most_points);
      for (std::uint64_t tries = 0;
           tries < most_tries && !order.done() && result.points.size() < definition.sample_points;
           ++tries) {
        look_at(order.next());
      }
      break;
    }
    case Sampling::latin_hypercube:
      for (const std::uint64_t index :
           latin_hypercube(definition.axes, definition.sample_points, definition.seed)) {
        look_at(index);
      }
      break;
  }
  if (result.points.empty()) {
    user_error("{}:/constraints: no point is left of the {} looked at", definition.path,
               result.looked_at);
  }
  std::sort(result.points.begin(), result.points.end(),
            [](const Point& a, const Point& b) { return a.index < b.index; });
  return result;
}

}  // namespace tactus::sweep
