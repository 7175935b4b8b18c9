// Configuration of a sweep's point: a network on a board, a matrix product on a machine, or a
// Stripe program on a board.
//
// A configuration has two levels: {"workload": {...}, "board": {...}, "architecture": {...},
// "compiler": {...}}. A key is named "section.key"; type and range are those of the parameter. A
// matrix product has "workload.gemm" instead of "workload.network", "board.machine" instead of
// "board.name", and the sections of its machine: "kernel", "dpas" and "profile" for a DPAS array,
// "architecture" for a TCU. A Stripe program has "workload.stripe", and a section "codesign"
// instead of "compiler".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "isa/support/json.h"
#include "isa/support/parameter.h"

namespace tactus::sweep {

using Configuration = nlohmann::ordered_json;

/// The key whose value determines the defaults of all others, and its value.
struct Base {
  std::string key;  ///< "board.name", or "board.machine" for matrix products
  std::string value;
  bool is_stripe = false;  ///< a Stripe program on a board
};
/// All keys with their defaults for the base, which is a board of configs/boards or a machine of
/// `tactus gemm`. Paths are relative to the folder of `file`. Throws UserError.
[[nodiscard]] Configuration base_defaults(const Base& base, const std::string& file);

/// True for a matrix product.
[[nodiscard]] bool is_gemm(const Configuration& configuration);
/// True for a Stripe program.
[[nodiscard]] bool is_stripe(const Configuration& configuration);
/// "board.name" or "board.machine".
[[nodiscard]] std::string base_key(const Configuration& configuration);
/// "workload.network", "workload.gemm" or "workload.stripe".
[[nodiscard]] std::string subject_key(const Configuration& configuration);

/// All keys of a network's configuration, with the values of the board: a name of configs/boards,
/// or a path relative to the folder of `file`. Throws UserError.
[[nodiscard]] Configuration board_defaults(const std::string& board, const std::string& file);

/// Names "section.key" of all keys, in the configuration's order.
[[nodiscard]] std::vector<std::string> key_names(const Configuration& configuration);

/// Parameters of points by section; `tactus explain sweep` prints them.
[[nodiscard]] const std::vector<ParameterSection>& parameters();
/// Parameter of "section.key"; null if there is none.
[[nodiscard]] const ParameterInfo* find_parameter(std::string_view key);

/// Problem with a value for the key: unknown key (with the nearest name), wrong type, out of range,
/// unknown name. Empty if none.
[[nodiscard]] std::string key_problem(std::string_view key, const JsonScalar& value);
/// Problem with deriving the key from an expression, whose value is a number. Empty if none.
[[nodiscard]] std::string derived_problem(std::string_view key);

/// Sets a key; precondition: key_problem() is empty. An integer for a real key becomes real.
void set_key(Configuration& configuration, std::string_view key, const JsonScalar& value);

[[nodiscard]] const Configuration& get_key(const Configuration& configuration,
                                           std::string_view key);

/// Finds a key's value; null if there is no such key.
[[nodiscard]] const Configuration* find_key(const Configuration& configuration,
                                            std::string_view key);

/// SHA-256 of the whole configuration, 64 hexadecimal digits.
[[nodiscard]] std::string hash(const Configuration& configuration);

}  // namespace tactus::sweep
