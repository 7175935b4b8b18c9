// One configuration of workload, board, architecture and compiler: what a point of a sweep is.
//
// Two levels: {"workload": {...}, "board": {...}, "architecture": {...}, "compiler": {...}}. A key
// is named "section.key"; type and range are those of the parameter.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "isa/support/json.h"
#include "isa/support/parameter.h"

namespace tactus::sweep {

using Configuration = nlohmann::ordered_json;

/// Every key there is, with the values of the board: a name of configs/boards or a path from the
/// folder of `file`. Throws UserError.
[[nodiscard]] Configuration board_defaults(const std::string& board, const std::string& file);

/// "section.key" of all keys, in the order of the configuration.
[[nodiscard]] std::vector<std::string> key_names(const Configuration& configuration);

/// What a point can be made of, by sections; tactus explain sweep prints them.
[[nodiscard]] const std::vector<ParameterSection>& parameters();
/// The parameter behind "section.key"; null if there is none.
[[nodiscard]] const ParameterInfo* find_parameter(std::string_view key);

/// What speaks against this value for the key: unknown key (with the nearest), wrong type, out of
/// range, unknown name. Empty if nothing does.
[[nodiscard]] std::string key_problem(std::string_view key, const JsonScalar& value);
/// What speaks against deriving the key from an expression, whose values are numbers.
[[nodiscard]] std::string derived_problem(std::string_view key);

/// Sets a key that has no problem; an integer for a real key becomes real.
void set_key(Configuration& configuration, std::string_view key, const JsonScalar& value);

[[nodiscard]] const Configuration& get_key(const Configuration& configuration,
                                           std::string_view key);

/// 64 hexadecimal digits over the whole configuration.
[[nodiscard]] std::string hash(const Configuration& configuration);

}  // namespace tactus::sweep
