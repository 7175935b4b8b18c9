// Functions of one element in expansions: by lookup tables if the machine has them, else by chords
// (chords.h).
#pragma once

#include <optional>
#include <string>

#include "firmware/compiler/frontend/operators.h"
#include "firmware/compiler/frontend/operators/table_curve.h"

namespace tactus::compiler {

struct ElementFunction {
  std::string name;  ///< functions with equal names are equal
  Function f;
  /// For chords: the range beyond which the function counts as constant. Empty: only tables can
  /// approximate it.
  std::optional<Reach> reach;
  std::optional<Reach> needed = std::nullopt;  ///< for tables: the range of arguments that occur
};

struct FunctionOf {
  std::string x;
  ElementFunction function;
};

/// The reciprocal of a value. If the value is a curved function of another one, such as a root,
/// both become one function, with the error of a single lookup.
[[nodiscard]] FunctionOf reciprocal_of(const Planner& p, const std::string& value);

/// Adds a node that computes the function of a value and returns its output. Reports a problem if
/// the machine cannot compute it.
[[nodiscard]] std::string computed(Planner& p, Expansion& e, const std::string& x,
                                   const ElementFunction& function);

/// Does the same for the expansion's last node.
void compute_last(Planner& p, Expansion& e, const std::string& x, const ElementFunction& function);

/// Expands the product of x, or a number times x, with a curved function of x, possibly times a
/// number, as one table function: GELU, SiLU and similar functions as exporters write them. Returns
/// false if it is something else or there are no tables.
[[nodiscard]] bool expand_gated(Planner& p, Expansion& e);

/// Expands the product of a MatMulInteger's or ConvInteger's sums with the scales of its operands.
/// Returns false if it is something else.
[[nodiscard]] bool expand_rescaled(Planner& p, Expansion& e);

/// The power of two by which a table's values are multiplied so that a sum of `count` of them stays
/// in the data type's range.
[[nodiscard]] double sum_scale(const Planner& p, std::int64_t count, double largest);

/// Adds a sum along the last dimension, which keeps size 1; each of its `count` elements is
/// multiplied by `scale`. It is a product with a column.
[[nodiscard]] std::string sum_of_last(Expansion& e, const std::string& x, std::int64_t count,
                                      float scale);

/// Expands a Softmax before a product, or on a machine with tables.
[[nodiscard]] bool expand_inner_softmax(Planner& p, Expansion& e);

// Operators that only expansions use.
[[nodiscard]] Operator chords_operator();
[[nodiscard]] Operator tables_operator();

}  // namespace tactus::compiler
