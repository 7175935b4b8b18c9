// Parameters of a machine, a board or a run, each described once.
//
// A table lists the parameters of one struct: key, type, range, unit, a sentence, member. The
// default is the value in a new object of the struct. The table gives reading and writing of JSON,
// equality and differences, command-line options, keys of sweeps, and tactus explain:
//
//   const ParameterTable<BoardValues> table("board", "A board: ...", {
//       whole("read_latency", &BoardValues::read_latency, {1, 1000000}, "cycles",
//             "from a read's address to its first data"),
//       ...});
//
// A new machine declares tables for its own structs and gets all of these.
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
  other,    ///< any other type, read and written by functions; no option
};

/// Value of any parameter; a choice is given by its name. std::monostate: an optional parameter
/// that is not set.
using ParameterValue = std::variant<std::monostate, bool, std::uint64_t, double, std::string>;

struct WholeRange {
  std::uint64_t min = 0;
  std::uint64_t max = std::numeric_limits<std::uint64_t>::max();
  bool power_of_two = false;
};

struct RealRange {
  double min = 0, max = 0;  ///< both allowed
};

/// Description of a parameter, without the place of its value.
struct ParameterInfo {
  std::string key;
  ParameterType type = ParameterType::whole;
  WholeRange whole;
  RealRange real;
  std::vector<std::string_view> choices;
  std::string unit;
  std::string sentence;
  ParameterValue initial;  ///< the default
  std::string option;      ///< command-line option without dashes; empty: none
  /// name of the option's value in help; empty: derived from type and unit
  std::string value_name;
  /// The choice with which a number can be given, as in --engine check=N; empty: none.
  std::string numbered;
  /// For a number without its own option: the option and choice that set it.
  std::string number_of_option, number_of_choice;
  std::string missing;         ///< meaning of an optional value that is not set
  bool optional = false;       ///< may be unset
  bool added_later = false;    ///< absent from old files, which then mean the default
  bool shapes_machine = true;  ///< a different value makes it a different machine
  /// Names that look like choices but are refused, each with the message.
  std::vector<std::pair<std::string_view, std::string_view>> refused;

  /// Range as text: "1..256", "32..1024, a power of two", "1 or more", names as `"a", "b"`. Empty
  /// if any text is allowed.
  [[nodiscard]] std::string range() const;
  /// Default as text: "64", "off".
  [[nodiscard]] std::string default_text() const;
  /// Problem with a value of the right type, such as "0 is out of range; allowed 1..9"; empty if
  /// none.
  [[nodiscard]] std::string problem(const ParameterValue& value) const;
};

/// Value as text: 8, 1.5, fast; `info.missing` for a value that is not set.
[[nodiscard]] std::string to_text(const ParameterInfo& info, const ParameterValue& value);

/// Parses a word given by the user. Throws UserError "WHERE TEXT is not allowed; allowed: ...",
/// where WHERE names the word's context, such as "tactus run: --engine".
[[nodiscard]] ParameterValue parse_parameter(const ParameterInfo& info, const std::string& where,
                                             const std::string& text);

/// Reads the value of a key that is present. On a problem, reports it to the reader and returns the
/// smallest allowed value.
[[nodiscard]] ParameterValue read_parameter(const ParameterInfo& info, ObjectReader& reader);

/// Problem with a scalar of a JSON file: wrong type, out of range, unknown name; empty if none.
[[nodiscard]] std::string scalar_problem(const ParameterInfo& info, const JsonScalar& scalar);

void write_parameter(const ParameterInfo& info, const ParameterValue& value,
                     nlohmann::ordered_json& object);

/// Descriptions of a group of parameters, without values.
struct ParameterSection {
  std::string name;   ///< name of the group: "board"
  std::string about;  ///< a sentence
  std::vector<ParameterInfo> parameters;
};

/// One parameter of T.
template <typename T>
struct Parameter : ParameterInfo {
  std::function<ParameterValue(const T&)> get;
  std::function<void(T&, const ParameterValue&)> set;
  /// For type `other` only: `get` returns the value as text for messages.
  std::function<void(ObjectReader&, T&)> read_json;
  std::function<void(nlohmann::ordered_json&, const T&)> write_json;
  std::function<bool(const T&, const T&)> equal;

  /// Sets an option name that differs from the key.
  Parameter with_option(const std::string& name) const;
  Parameter with_value_name(const std::string& name) const;
  Parameter without_option() const { return with_option(""); }
  Parameter with_number_at(const std::string& choice) const;
  Parameter which_is_number_of(const std::string& choice_option, const std::string& choice) const;
  Parameter which_old_files_lack() const;
  Parameter which_shapes_no_machine() const;
  Parameter refusing(std::string_view name, std::string_view why) const;
};

/// Treatment of keys that are missing from an object.
enum class MissingKeys {
  refused,      ///< a problem, except for optional keys
  old_allowed,  ///< allowed for keys that old files lack
  allowed,      ///< allowed; the member keeps its value
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

  /// Reads the table's keys. The caller calls finish() of the reader.
  void read(ObjectReader& reader, T& object, MissingKeys missing = MissingKeys::refused) const;
  /// Writes the table's keys in its order.
  void write(nlohmann::ordered_json& json, const T& object) const;
  [[nodiscard]] bool equal(const T& a, const T& b) const;
  /// Keys whose values differ, "array_size (8, 32), ..."; empty if none. With `machine_only`, only
  /// those that shape the machine.
  [[nodiscard]] std::string differences(const T& a, const T& b, bool machine_only = false) const;
  [[nodiscard]] ParameterSection section() const;

  /// The parameters as those of a larger struct: `access` takes a reference to the struct, constant
  /// or not, and returns one to its T, such as [](auto& plan) -> auto& { return plan.config; }.
  template <typename Outer, typename Access>
  [[nodiscard]] std::vector<Parameter<Outer>> within(Access access) const;

 private:
  std::string name_;
  std::string about_;
  std::vector<Parameter<T>> parameters_;
};

}  // namespace tactus

#include "isa/support/parameter_impl.h"
