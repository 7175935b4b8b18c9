// Means of many values: sums in stages.
//
// One sum of all values leaves the data type's range, and 1 / count is often no number of the data
// type. A mean is therefore computed in stages: each adds up a few values at a time and passes the
// sums to the next, and constants multiply the last sum. If a bound of the values is known, sums
// are exact as long as they stay in range, and the next stage divides them by a power of two. If
// none is known, every value is divided before it is added, four at a time, so that no sum can
// saturate whatever the values are.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "firmware/compiler/frontend/expansion.h"

namespace tactus::compiler {

/// Result i of a stage is the sum of weight * value[i + k * results] for k = 0 .. terms - 1, as far
/// as there are so many values.
struct MeanStage {
  std::int64_t terms = 1, results = 1;
  float weight = 1;
};

struct MeanPlan {
  std::vector<MeanStage> stages;
  std::vector<float> factors;  ///< multiply the last sum, one after the other
  /// Largest error that is expected for equal values and for values of any kind, without that of
  /// input data.
  double error = 0;
};

/// Chooses the way with the fewest additions whose expected error is small enough: two steps of
/// the data type if a bound is known, else four; if none is, the way with the smallest error.
/// `bound` is the largest absolute value of what is averaged. No stage has more than `most_terms`
/// terms. Numbers of results above `granule` are multiples of it.
[[nodiscard]] MeanPlan plan_mean(tcu::DataType type, std::int64_t count,
                                 std::optional<double> bound, std::int64_t most_terms,
                                 std::int64_t granule = 1);

/// At most three numbers of the data type whose product is a factor, the most exact ones first.
struct Constants {
  std::vector<float> numbers;
  double relative_error = 0;  ///< of their product
};
/// Returns the fewest numbers with which the error of a product of size `largest` is at most half a
/// step; if there are none, those with the smallest error. No product of the first ones is larger
/// than 1 and the factor.
[[nodiscard]] Constants constants_for(tcu::DataType type, double factor, double largest);

/// The weight of one of `terms` values whose sum must not leave the range of one value: 1 / terms,
/// rounded down to a number of the data type.
[[nodiscard]] float weight_of_one_in(tcu::DataType type, std::int64_t terms);

/// Adds a stage over the width of an image whose results are multiplied by the factors.
[[nodiscard]] std::string stage_of_means(Expansion& e, const std::string& image,
                                         const MeanStage& stage, std::int64_t values,
                                         const std::vector<float>& factors);
/// Attributes of the sum pool of such a stage.
[[nodiscard]] Expansion::Attributes stage_attributes(const MeanStage& stage, std::int64_t values,
                                                     const std::vector<float>& factors);

/// Number of pixels that a pool can add up: they, the result and a factor are in accumulators.
[[nodiscard]] std::int64_t most_pool_terms(const Planner& p);

/// Adds a mean along the last dimension of `x`, which keeps size 1. `shape` is that of `x`; its
/// bound is that of the node's input 0.
[[nodiscard]] std::string mean_of_last(Planner& p, Expansion& e, const std::string& x,
                                       const nn::Shape& shape);

/// Expands a Mul or Div by constants of a ReduceSum, if it makes the sum an average or less: the
/// sum itself may leave the data type's range, so the mean is computed, and its multiple. Returns
/// false for all other operands.
[[nodiscard]] bool expand_averaged_sum(Planner& p, Expansion& e);

/// States the plan's error for the node of the model, if that is a mean.
void state_error(Planner& p, const MeanPlan& plan);

}  // namespace tactus::compiler
