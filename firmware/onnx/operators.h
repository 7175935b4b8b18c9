// The operators of ONNX that Tactus knows.
//
// An entry gives the operator sets that have an operator, its numbers of inputs and outputs, its
// attributes, the inputs that decide a shape, and the function that computes it. The loader, the
// reference executor, the compiler and the TensorFlow importer read this table. Shapes: shapes.h.
// If, Loop and Scan are not in it, since sub_graphs.h replaces them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "firmware/onnx/graph.h"

namespace tactus::nn {

class Call;

/// The operator sets that a model may be written for. The loader raises older models to the first
/// if they mean the same there.
inline constexpr std::int64_t first_opset = 7, newest_opset = 28;

inline constexpr std::size_t any_number = SIZE_MAX;

/// What one or more operators look like in a range of operator sets.
struct Form {
  std::string_view names;  ///< separated by blanks
  /// First and last operator set. If `since` is below first_opset, the operator has not changed up
  /// to first_opset.
  std::int64_t since, until;
  std::size_t least_inputs, most_inputs, most_outputs;
  std::string_view attributes;  ///< names, separated by blanks
  void (*run)(Call&);           ///< computes it in single precision; in firmware/reference
  /// The first of the inputs whose values decide the shape of the result.
  std::size_t shape_input = any_number;
};

/// Null if the operator set lacks the operator.
[[nodiscard]] const Form* find_form(std::string_view op_type, std::int64_t opset);
/// The form of a node of the standard's domain or of ONNX Runtime's; null: there is none.
[[nodiscard]] const Form* find_form(const Node& node, std::int64_t opset);
/// True if an operator set has the operator.
[[nodiscard]] bool is_known(const Node& node);

/// Checks a node of a known operator against the table. Returns the first problem, such as a
/// missing input or an attribute that the operator does not have; empty: none.
[[nodiscard]] std::string form_problem(const Node& node, std::int64_t opset);

/// Names of all operators, sorted.
[[nodiscard]] std::vector<std::string_view> known_operators();

}  // namespace tactus::nn
