// Parameters: what a machine, a board or a run is configured with, each described once.
//
// A table lists the parameters of one struct: key, type, range, unit, a sentence, member; the
// default is what the struct has when it is made. From the table follow reading and writing JSON,
// equality and differences, command-line options, the keys of sweeps, and tactus explain:
//
//   const ParameterTable<BoardValues> table("board", "A board: ...", {
//       whole("read_latency", &BoardValues::read_latency, {1, 1000000}, "cycles",
//             "from a read's address to its first data"),
//       ...});
//
// A new machine declares tables for its own structs and gets all of this.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "isa/support/error.h"
#include "isa/support/json.h"

namespace tactus {

enum class ParameterType {
  whole,    ///< an unsigned integer, within a range
  real,     ///< a number, within a range
  boolean,  ///< true or false
  choice,   ///< one of a list of names
  text,     ///< a name or a path
  other,    ///< anything else, with functions of its own for JSON; has no option and no sweep key
};

/// A value of any parameter; a choice is its name. std::monostate: an optional one that is not set.
using ParameterValue = std::variant<std::monostate, bool, std::uint64_t, double, std::string>;

struct WholeRange {
  std::uint64_t min = 0;
  std::uint64_t max = std::numeric_limits<std::uint64_t>::max();
  bool power_of_two = false;
};

struct RealRange {
  double min = 0, max = 0;  ///< both allowed
};

/// What is to be known about a parameter wherever its value is kept.
struct ParameterInfo {
  std::string key;
  ParameterType type = ParameterType::whole;
  WholeRange whole;
  RealRange real;
  std::vector<std::string_view> choices;
  std::string unit;
  std::string sentence;
  ParameterValue initial;      ///< the default
  std::string option;          ///< on the command line, without dashes; empty: none
  std::string value_name;      ///< of the option in the help; empty: by type and unit
  std::string missing;         ///< what holds where an optional value is not set
  bool optional = false;       ///< may be not set
  bool added_later = false;    ///< old files lack the key; such files mean the default
  bool shapes_machine = true;  ///< a machine is another one if the value differs
  /// Names that look like choices, and what to say of them.
  std::vector<std::pair<std::string_view, std::string_view>> refused;

  /// "1..256", "32..1024, a power of two", "1 or more"; names as `"a", "b"`. Empty if any text is
  /// allowed.
  [[nodiscard]] std::string range() const;
  /// The default as text: "64", "off".
  [[nodiscard]] std::string default_text() const;
  /// What speaks against a value of the right type, or nothing: "0 is out of range; allowed 1..9".
  [[nodiscard]] std::string problem(const ParameterValue& value) const;
};

/// 8, 1.5, fast; `info.missing` for a value that is not set.
[[nodiscard]] std::string to_text(const ParameterInfo& info, const ParameterValue& value);

/// The value that a user has written as a word. Throws UserError "WHERE TEXT is not allowed;
/// allowed: ...", where WHERE is what the word belongs to, such as "tactus run: --engine".
[[nodiscard]] ParameterValue parse_parameter(const ParameterInfo& info, const std::string& where,
                                             const std::string& text);

/// The value of a key that is there. What is wrong with it goes to the reader's problems, and the
/// smallest allowed value is returned.
[[nodiscard]] ParameterValue read_parameter(const ParameterInfo& info, ObjectReader& reader);

/// What speaks against a scalar of a JSON file: wrong type, out of range, unknown name; or nothing.
[[nodiscard]] std::string scalar_problem(const ParameterInfo& info, const JsonScalar& scalar);

void write_parameter(const ParameterInfo& info, const ParameterValue& value,
                     nlohmann::ordered_json& object);

/// A group of parameters of which only the descriptions are needed.
struct ParameterSection {
  std::string name;   ///< of the group: "board"
  std::string about;  ///< a sentence
  std::vector<ParameterInfo> parameters;
};

/// One parameter of T.
template <typename T>
struct Parameter : ParameterInfo {
  std::function<ParameterValue(const T&)> get;
  std::function<void(T&, const ParameterValue&)> set;
  /// Of type `other` only: `get` gives its text for messages.
  std::function<void(ObjectReader&, T&)> read_json;
  std::function<void(nlohmann::ordered_json&, const T&)> write_json;
  std::function<bool(const T&, const T&)> equal;

  /// The option's name where it is not the key's with dashes.
  Parameter with_option(std::string name) const;
  Parameter with_value_name(std::string name) const;
  Parameter without_option() const { return with_option(""); }
  Parameter which_old_files_lack() const;
  Parameter which_shapes_no_machine() const;
  Parameter refusing(std::string_view name, std::string_view why) const;
};

/// How to read an object that lacks keys.
enum class MissingKeys {
  refused,      ///< each is a problem, except optional ones
  old_allowed,  ///< except those that old files lack
  allowed,      ///< what is missing stays as it is
};

template <typename T>
class ParameterTable {
 public:
  ParameterTable(std::string name, std::string about, std::vector<Parameter<T>> parameters)
      : name_(std::move(name)), about_(std::move(about)), parameters_(std::move(parameters)) {
    const T made{};
    for (Parameter<T>& parameter : parameters_) parameter.initial = parameter.get(made);
  }

  [[nodiscard]] auto begin() const { return parameters_.begin(); }
  [[nodiscard]] auto end() const { return parameters_.end(); }

  /// Reads the table's keys; the caller calls finish() of the reader.
  void read(ObjectReader& reader, T& object, MissingKeys missing = MissingKeys::refused) const;
  /// Sets the table's keys, in its order.
  void write(nlohmann::ordered_json& json, const T& object) const;
  [[nodiscard]] bool equal(const T& a, const T& b) const;
  /// "array_size (8, 32), ...": keys whose values differ; empty if none does. Only those that shape
  /// the machine, if `machine_only`.
  [[nodiscard]] std::string differences(const T& a, const T& b, bool machine_only = false) const;
  [[nodiscard]] ParameterSection section() const;

  /// The parameters as those of a larger struct: `access` turns a reference to it, constant or not,
  /// into one to its T, such as [](auto& plan) -> auto& { return plan.config; }.
  template <typename Outer, typename Access>
  [[nodiscard]] std::vector<Parameter<Outer>> within(Access access) const;

 private:
  std::string name_;
  std::string about_;
  std::vector<Parameter<T>> parameters_;
};

}  // namespace tactus

#include "isa/support/parameter_impl.h"
