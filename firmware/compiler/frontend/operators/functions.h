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

struct FunctionOf {
  std::string x;
  ElementFunction function;
};

/// The reciprocal of a value. A value that is a curve of another one, such as a root, makes one
/// function with it, which has the errors of one lookup.
[[nodiscard]] FunctionOf reciprocal_of(const Planner& p, const std::string& value);

/// A node that computes the function of a value; returns its output. Where the machine cannot, a
/// problem is reported.
[[nodiscard]] std::string computed(Planner& p, Expansion& e, const std::string& x,
                                   const ElementFunction& function);

/// The same as the expansion's last node.
void compute_last(Planner& p, Expansion& e, const std::string& x, const ElementFunction& function);

/// A node that cuts the value to a range, in the form of the operator set.
[[nodiscard]] std::string clipped(Planner& p, Expansion& e, const std::string& x, float low,
                                  float high);

/// The product of x, or a number times x, with a curve of x, and a number times such a product, as
/// one function by tables: GELU, SiLU and the like as exporters write them out. False if it is
/// something else or there are no tables.
[[nodiscard]] bool expand_gated(Planner& p, Expansion& e);

/// The product of a MatMulInteger's or ConvInteger's sums with the scales of its operands. False
/// if it is something else.
[[nodiscard]] bool expand_rescaled(Planner& p, Expansion& e);

/// What a table's values are multiplied by on their way to a sum of so many, so that it does not
/// leave the data type's range: a power of two.
[[nodiscard]] double sum_scale(const Planner& p, std::int64_t count, double largest);

/// The sum along the last dimension, of `count` elements, which stays with size 1; each element
/// times `scale`. It is a product with a column.
[[nodiscard]] std::string sum_of_last(Expansion& e, const std::string& x, std::int64_t count,
                                      float scale);

/// What a mean's terms are multiplied by before and after they are added up: numbers of the data
/// type whose product is nearest to 1 / count, so that the sum stays in range.
struct MeanFactors {
  float before = 1, after = 1;
};
[[nodiscard]] MeanFactors mean_factors(const Planner& p, std::int64_t count);

/// The mean along the last dimension: a sum that stays in range, times what is left of 1 / count.
[[nodiscard]] std::string mean_of_last(Planner& p, Expansion& e, const std::string& x,
                                       std::int64_t count);

/// A Softmax that a product follows, or on a machine with tables.
[[nodiscard]] bool expand_inner_softmax(Planner& p, Expansion& e);

// Operators that only expansions write.
[[nodiscard]] Operator chords_operator();
[[nodiscard]] Operator tables_operator();

}  // namespace tactus::compiler
