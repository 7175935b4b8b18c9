// The operators of ONNX that Tactus knows.
//
// One entry says of an operator which operator sets have it, how many inputs and outputs and which
// attributes it has, which inputs decide a shape, and what it computes. The loader, the reference
// executor, the compiler and the TensorFlow importer read this table. Shapes: shapes.h. If, Loop
// and Scan are not in it, since sub_graphs.h replaces them.
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
inline constexpr std::int64_t first_opset = 7, newest_opset = 25;

inline constexpr std::size_t any_number = SIZE_MAX;

/// A form of operators, and the operator sets that have it.
struct Form {
  std::string_view names;  ///< separated by blanks
  /// Below first_opset: a model of set `since` or newer means the same in the first set.
  std::int64_t since, until;
  std::size_t least_inputs, most_inputs, most_outputs;
  std::string_view attributes;  ///< names, separated by blanks
  void (*run)(Call&);           ///< computes it in single precision; in firmware/reference
  /// The first of the inputs whose values decide the shape of the result.
  std::size_t shape_input = any_number;
};

/// Null if the operator set lacks the operator.
[[nodiscard]] const Form* find_form(std::string_view op_type, std::int64_t opset);
/// Null, too, if the node is of another domain.
[[nodiscard]] const Form* find_form(const Node& node, std::int64_t opset);
/// True if an operator set has the operator.
[[nodiscard]] bool is_known(const Node& node);

/// What is wrong with the form of a node of a known operator: the operator set, or an input,
/// output or attribute that is missing or superfluous. Empty: nothing.
[[nodiscard]] std::string form_problem(const Node& node, std::int64_t opset);

/// Names of all operators, sorted.
[[nodiscard]] std::vector<std::string_view> known_operators();

}  // namespace tactus::nn
