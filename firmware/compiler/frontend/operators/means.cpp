#include "firmware/compiler/frontend/operators/means.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>

#include "firmware/compiler/frontend/operators.h"
#include "isa/support/text.h"
#include "isa/tcu/arithmetic.h"

namespace tactus::compiler {
namespace {

constexpr std::int64_t unbounded_terms = 4;

std::int64_t divided_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// Appends a stage that leaves about count / terms results, and returns their number.
std::int64_t add_stage(std::vector<MeanStage>& stages, std::int64_t count, std::int64_t terms,
                       float weight, std::int64_t granule) {
  std::int64_t results = divided_up(count, terms);
  if (results > granule) results = divided_up(results, granule) * granule;
  // A multiple of the granule above the number of values would be no stage.
  if (results >= count) results = divided_up(count, terms);
  stages.push_back({divided_up(count, results), results, weight});
  return results;
}

/// Exact sums of `terms` values, a power of two; each stage divides what the one before has added.
std::vector<MeanStage> exact_stages(std::int64_t count, std::int64_t terms, std::int64_t granule) {
  std::vector<MeanStage> stages;
  float weight = 1;
  while (count > 1) {
    count = add_stage(stages, count, terms, weight, granule);
    weight = 1.0F / static_cast<float>(terms);
  }
  return stages;
}

/// Sums of weighted values, whose ranges are those of one value. The numbers of terms are those in
/// `sizes`.
std::vector<MeanStage> weighted_stages(tcu::DataType type, std::int64_t count,
                                       const std::vector<std::int64_t>& sizes,
                                       std::int64_t granule) {
  std::vector<MeanStage> stages;
  for (std::size_t k = 0; count > 1; ++k) {
    const std::int64_t terms = k < sizes.size() ? sizes[k] : unbounded_terms;
    count = add_stage(stages, count, terms, 1, granule);
    stages.back().weight = weight_of_one_in(type, terms);
  }
  return stages;
}

/// Numbers of terms of weighted stages: fours and what is left, and then with the last fours, or
/// the first one, as pairs of twos, which take more stages and round less.
std::vector<std::vector<std::int64_t>> weighted_sizes(std::int64_t count) {
  std::vector<std::int64_t> fours;
  std::int64_t rest = count;
  for (; rest > unbounded_terms; rest = divided_up(rest, unbounded_terms)) {
    fours.push_back(unbounded_terms);
  }
  if (rest > 1) fours.push_back(rest);
  std::vector<std::vector<std::int64_t>> all{fours};
  constexpr std::size_t most_split = 3;
  for (std::size_t split = 1; split <= std::min(most_split, fours.size()); ++split) {
    std::vector<std::int64_t> sizes(fours.begin(),
                                    fours.end() - static_cast<std::ptrdiff_t>(split));
    sizes.insert(sizes.end(), 2 * split, 2);
    all.push_back(sizes);
    if (sizes.front() != unbounded_terms) continue;
    sizes.insert(sizes.begin(), 2, 2);
    sizes.erase(sizes.begin() + 2);
    all.push_back(sizes);
  }
  return all;
}

/// Values in their order, as runs of equal ones.
struct Runs {
  std::map<std::int64_t, std::int64_t> values;  ///< by the index of their first; mantissas
  std::int64_t count = 0;

  [[nodiscard]] std::int64_t at(std::int64_t i) const {
    return std::prev(values.upper_bound(i))->second;
  }
};

/// A mean's result in the machine's arithmetic if all values are equal; mantissas.
std::int64_t mean_of_equal(tcu::DataType type, const MeanPlan& plan, std::int64_t count,
                           std::int64_t value) {
  Runs runs{{{0, value}}, count};
  for (const MeanStage& stage : plan.stages) {
    const std::int64_t weight = tcu::quantise(type, stage.weight);
    // A result differs from the one before only where one of its terms does, or is the last.
    std::map<std::int64_t, std::int64_t> sums{{0, 0}, {runs.count % stage.results, 0}};
    for (const auto& [first, unused] : runs.values) sums[first % stage.results] = 0;
    for (auto& [first, sum] : sums) {
      for (std::int64_t i = first; i < runs.count; i += stage.results) {
        sum = tcu::mac(type, tcu::MacRounding::sum, runs.at(i), weight, sum);
      }
    }
    runs = {std::move(sums), stage.results};
  }
  std::int64_t mean = runs.at(0);
  for (const float factor : plan.factors) {
    mean = tcu::mac(type, tcu::MacRounding::sum, mean, tcu::quantise(type, factor), 0);
  }
  return mean;
}

/// Sets the constants behind the stages, and the error: the largest that equal values have, and
/// four standard deviations of what roundings add up to for values of any kind. Each rounding
/// counts as an error of variance 1/12.
void complete(MeanPlan& plan, tcu::DataType type, std::int64_t count, double bound) {
  double scale = static_cast<double>(count);
  for (const MeanStage& stage : plan.stages) scale *= static_cast<double>(stage.weight);
  Constants constants = constants_for(type, 1 / scale, bound);
  plan.factors = std::move(constants.numbers);
  const double step = tcu::to_real(type, 1), most = bound / step;
  double variance = 0;
  for (const MeanStage& stage : plan.stages) {
    const auto terms = static_cast<double>(stage.terms), weight = double{stage.weight};
    variance = terms * (variance * weight * weight + (weight == 1 ? 0 : 1.0 / 12));
  }
  for (const float factor : plan.factors) {
    variance = variance * double{factor} * double{factor} + 1.0 / 12;
  }
  double error = 4 * std::sqrt(variance);
  const auto large = static_cast<std::int64_t>(std::floor(most));
  const std::int64_t tried = std::clamp<std::int64_t>(1000000 / count, 24, 1000);
  for (std::int64_t k = 0; k < tried; ++k) {
    // Small values, and some over the whole range; with every remainder of a division by 8.
    const std::int64_t value = k % 2 == 0 ? k / 2 + 1 : large - large * k / (2 * tried) - k;
    if (value < 1 || value > large) continue;
    const std::int64_t mean = mean_of_equal(type, plan, count, value);
    error = std::max(error, std::abs(static_cast<double>(mean - value)));
  }
  plan.error = (error + constants.relative_error * most) * step;
}

}  // namespace

float weight_of_one_in(tcu::DataType type, std::int64_t terms) {
  const double step = tcu::to_real(type, 1);
  return static_cast<float>(std::floor(1 / static_cast<double>(terms) / step) * step);
}

Constants constants_for(tcu::DataType type, double factor, double largest) {
  const double step = tcu::to_real(type, 1);
  const auto rounded = [&](double v) { return std::round(v / step) * step; };
  // The product's size is `largest`, so a relative error of this much is half a step.
  const double allowed = step / 2 / largest;
  Constants best{{}, std::abs(1 / factor - 1)};
  const auto offer = [&](std::vector<double> numbers) {
    double product = 1;
    for (const double number : numbers) product *= number;
    const double error = std::abs(product / factor - 1);
    if (best.relative_error <= allowed || error >= best.relative_error) return;
    best.relative_error = error;
    best.numbers.assign(numbers.begin(), numbers.end());
  };
  offer({rounded(factor)});
  // The last of three is a power of two, which is exact.
  for (const bool with_shift : {false, true}) {
    if (best.relative_error <= allowed) break;
    double shift = 1;
    while (with_shift && factor / shift <= 0.5) shift /= 2;
    if (shift < step || (with_shift && shift == 1)) continue;
    const double rest = factor / shift;
    Constants pair = best;
    const auto look = [&](double from, double to) {
      for (double a = std::max(rounded(from), step); a <= to; a += step) {
        const double b = rounded(rest / a), error = std::abs(a * b / rest - 1);
        if (b < step || error >= pair.relative_error) continue;
        pair = {{static_cast<float>(a), static_cast<float>(b)}, error};
        if (error <= allowed / 8) return;
      }
    };
    // The larger one first, as long as that is no larger than the product; else the smaller one.
    look(std::sqrt(rest), std::max(1.0, rest));
    if (pair.relative_error > allowed) look(std::min(1.0, rest) / 2, std::min(1.0, rest));
    if (pair.relative_error >= best.relative_error) continue;
    best = std::move(pair);
    if (with_shift) best.numbers.push_back(static_cast<float>(shift));
  }
  return best;
}

MeanPlan plan_mean(tcu::DataType type, std::int64_t count, std::optional<double> bound,
                   std::int64_t most_terms, std::int64_t granule) {
  const double step = tcu::to_real(type, 1), top = tcu::to_real(type, tcu::info(type).max());
  if (count <= 1) return {};
  std::vector<MeanPlan> plans;
  // A mean of rounded values can be above the bound by some steps.
  const double largest = bound ? std::min(top, *bound) : top;
  const double room = bound ? std::floor(top / std::max(*bound + step, step)) : 1;
  const std::int64_t fits =
      std::min(most_terms, static_cast<std::int64_t>(std::min(room, 1048576.0)));
  std::int64_t terms = 1;
  while (2 * terms <= fits && 1 / static_cast<double>(2 * terms) >= step) terms *= 2;
  if (count <= fits) plans.push_back({{{count, 1, 1}}, {}, 0});
  if (terms >= unbounded_terms) plans.push_back({exact_stages(count, terms, granule), {}, 0});
  for (const std::vector<std::int64_t>& sizes : weighted_sizes(count)) {
    plans.push_back({weighted_stages(type, count, sizes, granule), {}, 0});
  }
  const double allowed = (bound ? 2 : 4) * step;
  std::size_t best = 0;
  for (std::size_t k = 0; k < plans.size(); ++k) {
    complete(plans[k], type, count, largest);
    if (plans[k].error < plans[best].error) best = k;
    if (plans[k].error <= allowed) return std::move(plans[k]);
  }
  return std::move(plans[best]);
}

void state_error(Planner& p, const MeanPlan& plan) {
  const double step = tcu::to_real(p.architecture().data_type, 1);
  if (!has(p.origin(), takes_means) || plan.error <= 2 * step) return;
  p.expect_error(plan.error);
}

std::string stage_of_means(Expansion& e, const std::string& image, const MeanStage& stage,
                           std::int64_t values, const std::vector<float>& factors) {
  return e.node(sum_pool, {image}, stage_attributes(stage, values, factors));
}

Expansion::Attributes stage_attributes(const MeanStage& stage, std::int64_t values,
                                       const std::vector<float>& factors) {
  return {{"kernel_shape", nn::Shape{1, stage.terms}},
          {"dilations", nn::Shape{1, stage.results}},
          {"pads", nn::Shape{0, 0, 0, stage.terms * stage.results - values}},
          {"weight", stage.weight},
          {"factors", factors}};
}

std::string mean_of_last(Planner& p, Expansion& e, const std::string& x, const nn::Shape& shape) {
  const tcu::Architecture& machine = p.architecture();
  const auto n = static_cast<std::int64_t>(machine.array_size);
  const std::int64_t count = shape.back(), rows = nn::element_count(shape) / count;
  const MeanPlan plan =
      plan_mean(machine.data_type, count, p.bound(p.node.inputs[0]), most_pool_terms(p), n);
  state_error(p, plan);
  std::string sums = x;
  std::int64_t values = count;
  std::size_t next = 0;
  if (count > n) {
    // Whole vectors are added up lane by lane; the last one may be filled up with zeros.
    const std::int64_t vectors = (count + n - 1) / n;
    if (count % n != 0) {
      nn::Shape pads(2 * shape.size(), 0);
      pads.back() = vectors * n - count;
      sums = e.node("Pad", {sums, e.constant(pads)});
    }
    sums = plainly_reshaped(e, sums, {1, rows, vectors, n});
    sums = e.node("Transpose", {sums}, {{"perm", nn::Shape{0, 3, 1, 2}}});
    values = vectors * n;
    for (; next < plan.stages.size() && plan.stages[next].results >= n; ++next) {
      const MeanStage& stage = plan.stages[next];
      sums =
          stage_of_means(e, sums, {stage.terms, stage.results / n, stage.weight}, values / n, {});
      values = stage.results;
    }
    sums = e.node("Transpose", {sums}, {{"perm", nn::Shape{0, 2, 3, 1}}});
    sums = e.node("Reshape", {sums, e.constant(nn::Shape{rows, values})});
  }
  for (; next < plan.stages.size(); ++next) {
    const MeanStage& stage = plan.stages[next];
    nn::Tensor matrix = nn::Tensor::zeros({values, stage.results});
    for (std::int64_t i = 0; i < values; ++i) {
      matrix.floats[static_cast<std::size_t>(i * stage.results + i % stage.results)] = stage.weight;
    }
    sums = e.node("MatMul", {sums, e.constant(std::move(matrix))}, {{moves_only, std::int64_t{1}}});
    values = stage.results;
  }
  for (const float factor : plan.factors) sums = e.node("Mul", {sums, e.constant(factor)});
  nn::Shape result = shape;
  result.back() = 1;
  return plainly_reshaped(e, sums, std::move(result));
}

}  // namespace tactus::compiler
