// The configuration of a point of a sweep: a network on a board, a matrix product on a machine, or
// a Stripe program on a board.
//
// A configuration is an object of sections: {"workload": {...}, "board": {...}, "architecture":
// {...}, "compiler": {...}}. A key is named "section.key". Its type and range are those of the
// parameter of that name. A matrix product has "workload.gemm" instead of "workload.network",
// "board.machine" instead of "board.name", and the sections of its machine: "kernel", "dpas" and
// "profile" for a DPAS array, "architecture" for a TCU. A Stripe program has "workload.stripe", and
// a section "codesign" instead of "compiler".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "isa/support/parameter.h"
#include "isa/tcu/architecture.h"

namespace tactus::sweep {

using Configuration = nlohmann::ordered_json;
/// The value that points give to a key: a number, a string, true or false. A key of the
/// architecture that has a list or an object takes that, or null for none.
using KeyValue = nlohmann::ordered_json;

struct Runner;

/// What determines the defaults of all keys: the kind of point, and the value of its base key, a
/// board of configs/boards or a machine of `tactus gemm`.
struct Base {
  const Runner* runner = nullptr;
  std::string value;
};

/// The names "section.key" of all keys, in the order of the configuration.
[[nodiscard]] std::vector<std::string> key_names(const Configuration& configuration);

/// The parameters that points have, by section; `tactus explain sweep` prints them.
[[nodiscard]] const std::vector<ParameterSection>& parameters();
/// The parameter of "section.key"; null if there is none.
[[nodiscard]] const ParameterInfo* find_parameter(std::string_view key);

/// Says what is wrong with a value for a key: unknown key (with the nearest or all names), wrong
/// type, out of range, unknown name, a file that cannot be read. Empty if nothing is. Paths are
/// relative to the folder of `file`.
[[nodiscard]] std::string key_problem(std::string_view key, const KeyValue& value,
                                      const std::string& file);
/// Says why the key cannot be derived from an expression, whose value is a number. Empty if it can.
[[nodiscard]] std::string derived_problem(std::string_view key);

/// Sets a key. An integer for a real key becomes real. Precondition: key_problem() is empty.
void set_key(Configuration& configuration, std::string_view key, const KeyValue& value);
/// The section without keys whose value is null.
[[nodiscard]] Configuration without_nulls(Configuration section);

/// The value of a key. Precondition: the configuration has the key.
[[nodiscard]] const Configuration& get_key(const Configuration& configuration,
                                           std::string_view key);

/// The value of a key; null if the configuration lacks the key.
[[nodiscard]] const Configuration* find_key(const Configuration& configuration,
                                            std::string_view key);

/// SHA-256 of the whole configuration, 64 hexadecimal digits.
[[nodiscard]] std::string hash(const Configuration& configuration);

}  // namespace tactus::sweep
