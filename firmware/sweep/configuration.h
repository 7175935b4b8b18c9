// One configuration of what a point of a sweep is: a network on a board, a matrix product on a
// machine, or a Stripe program on a board.
//
// Two levels: {"workload": {...}, "board": {...}, "architecture": {...}, "compiler": {...}}. A key
// is named "section.key"; type and range are those of the parameter. A matrix product has
// "workload.gemm" in place of "workload.network", "board.machine" in place of "board.name" and the
// sections of its machine: "kernel", "dpas", "profile" of one with a DPAS array, "architecture" of
// a TCU. A Stripe program has "workload.stripe" and a section "codesign" in place of "compiler".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "isa/support/json.h"
#include "isa/support/parameter.h"

namespace tactus::sweep {

using Configuration = nlohmann::ordered_json;

/// The key whose value says where all others begin, and its value.
struct Base {
  std::string key;  ///< "board.name", or "board.machine" for matrix products
  std::string value;
  bool is_stripe = false;  ///< of a Stripe program on a board
};
/// Every key there is with what follows from the base: a board of configs/boards or a machine of
/// `tactus gemm`; paths are sought from the folder of `file`. Throws UserError.
[[nodiscard]] Configuration base_defaults(const Base& base, const std::string& file);

/// Whether it is one of a matrix product.
[[nodiscard]] bool is_gemm(const Configuration& configuration);
/// Whether it is one of a Stripe program.
[[nodiscard]] bool is_stripe(const Configuration& configuration);
/// "board.name" or "board.machine".
[[nodiscard]] std::string base_key(const Configuration& configuration);
/// "workload.network", "workload.gemm" or "workload.stripe".
[[nodiscard]] std::string subject_key(const Configuration& configuration);

/// Every key of a network's configuration, with the values of the board: a name of configs/boards
/// or a path from the folder of `file`. Throws UserError.
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

/// The same; null if there is no such key.
[[nodiscard]] const Configuration* find_key(const Configuration& configuration,
                                            std::string_view key);

/// 64 hexadecimal digits over the whole configuration.
[[nodiscard]] std::string hash(const Configuration& configuration);

}  // namespace tactus::sweep
