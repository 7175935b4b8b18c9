// Functions of one element in expansions: by lookup tables where the machine has them, else by
// chords (chords.h).
#pragma once

#include <optional>
#include <string>

#include "firmware/compiler/frontend/operators.h"
#include "firmware/compiler/frontend/operators/table_curve.h"

namespace tactus::compiler {

struct ElementFunction {
  std::string name;  ///< equal names, equal functions
  Function f;
  /// For chords: the function is taken to be constant beyond. None: only tables can draw it.
  std::optional<Reach> reach;
  std::optional<Reach> needed = std::nullopt;  ///< for tables: other arguments do not occur
};

/// A node that computes the function of a value; returns its output. Where the machine cannot, a
/// problem is reported.
[[nodiscard]] std::string computed(Planner& p, Expansion& e, const std::string& x,
                                   const ElementFunction& function);

/// The same as the expansion's last node.
void compute_last(Planner& p, Expansion& e, const std::string& x, const ElementFunction& function);

/// A node that cuts the value to a range, in the form of the operator set.
[[nodiscard]] std::string clipped(Planner& p, Expansion& e, const std::string& x, float low,
                                  float high);

/// Mul(x, f(x)), f one or more functions of one element, as one function by tables. False if it is
/// something else or there are no tables.
[[nodiscard]] bool expand_gated(Planner& p, Expansion& e);

/// What a table's values are multiplied by on their way to a sum of so many, so that it does not
/// leave the data type's range: a power of two.
[[nodiscard]] double sum_scale(const Planner& p, std::int64_t count, double largest);

/// A Softmax that a product follows, or on a machine with tables.
[[nodiscard]] bool expand_inner_softmax(Planner& p, Expansion& e);

// Operators that only expansions write.
[[nodiscard]] Operator chords_operator();
[[nodiscard]] Operator tables_operator();

}  // namespace tactus::compiler
