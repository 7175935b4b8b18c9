// ReduceMean, ReduceSum, ReduceMax, ReduceMin as pools over images; CumSum.
//
// Kept dimensions run along the lanes, reduced ones along height and width of an image; the layout
// is changed if necessary. Sums and means along the lanes alone are products with a column.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "firmware/compiler/frontend/operators.h"
#include "firmware/compiler/frontend/operators/axes.h"
#include "firmware/compiler/frontend/operators/functions.h"
#include "firmware/compiler/frontend/operators/means.h"
#include "isa/support/text.h"

namespace tactus::compiler {
namespace {

/// The dimensions to reduce; nothing if they are wrong or unknown.
std::optional<std::vector<bool>> reduced_dimensions(Planner& p, std::size_t rank) {
  const nn::Shape axes = p.integers("axes", 1, {});
  if (p.failed()) return std::nullopt;
  for (const std::int64_t axis : axes) {
    if (!normal_axis(p, axis, rank)) return std::nullopt;
  }
  return nn::reduced_dimensions(axes, rank, p.node.integer("noop_with_empty_axes", 0) == 0);
}

/// The permutation that swaps a dimension with the last.
nn::Shape swapped_with_last(std::size_t rank, std::size_t axis) {
  nn::Shape order(rank);
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[axis], order.back());
  return order;
}

/// Pools height and width of an image to one value for each channel.
std::string pooled(Planner& p, Expansion& e, const std::string& image, const nn::Shape& kernel) {
  const std::string kind = p.node.op_type.substr(6);  // after "Reduce"
  const Expansion::Attributes window{{"kernel_shape", kernel}};
  if (kind == "Max") return e.node("MaxPool", {image}, window);
  if (kind == "Mean") return e.node("AveragePool", {image}, window);
  if (kind == "Min") {
    const std::string negative = e.node("Mul", {image, e.constant(-1.0F)});
    return e.node("Mul", {e.node("MaxPool", {negative}, window), e.constant(-1.0F)});
  }
  Expansion::Attributes sum = window;
  sum["factors"] = std::vector<float>{1};
  return e.node(sum_pool, {image}, sum);
}

/// The permutation to N C H W, if only dimensions that can be H and W in memory are reduced.
std::optional<nn::Shape> image_permutation(const Layout& x, const std::vector<bool>& reduced) {
  if (x.rank() != 4) return std::nullopt;
  const nn::Shape turned{
      static_cast<std::int64_t>(x.order[0]), static_cast<std::int64_t>(x.order[3]),
      static_cast<std::int64_t>(x.order[1]), static_cast<std::int64_t>(x.order[2])};
  if (reduced[x.order[3]] || (reduced[x.order[0]] && x.shape[x.order[0]] != 1)) return std::nullopt;
  return turned;
}

/// Maximum over the vectors of each row: [rows, lanes] becomes [rows, N]. Rows are whole vectors.
std::string largest_vectors(Planner& p, Expansion& e, const std::string& rows, std::int64_t count,
                            std::int64_t length) {
  const auto n = static_cast<std::int64_t>(p.architecture().array_size);
  if (length % n != 0 || length == n) return rows;
  const std::string vectors = plainly_reshaped(e, rows, {1, count, length / n, n});
  const std::string image = e.node("Transpose", {vectors}, {{"perm", nn::Shape{0, 3, 1, 2}}});
  const std::string pool = pooled(p, e, image, {1, length / n});
  const std::string back = e.node("Transpose", {pool}, {{"perm", nn::Shape{0, 2, 3, 1}}});
  return e.node("Reshape", {back, e.constant(nn::Shape{count, n})});
}

/// Reduces along the lanes alone. Sums and means are products with a column; for maxima and minima
/// the layout is changed so that kept dimensions run along the lanes.
void expand_lanes(Planner& p, Expansion& e, const Layout& x, const std::string& target) {
  nn::Shape there(x.order.begin(), x.order.end()), back(x.rank());
  for (std::size_t k = 0; k < x.rank(); ++k) back[x.order[k]] = static_cast<std::int64_t>(k);
  std::string rows = e.node("Transpose", {p.node.inputs[0]}, {{"perm", there}});
  const std::string& op = p.node.op_type;
  if (op == "ReduceMean" || op == "ReduceSum") {
    const std::string result = op == "ReduceMean" ? mean_of_last(p, e, rows, x.memory_shape())
                                                  : sum_of_last(e, rows, x.lanes(), 1);
    e.last("Reshape", {e.node("Transpose", {result}, {{"perm", back}}), target});
    return;
  }
  const std::int64_t count = x.elements() / x.lanes();
  rows = e.node("Reshape", {rows, e.constant(nn::Shape{count, x.lanes()})});
  rows = largest_vectors(p, e, rows, count, x.lanes());
  const auto n = static_cast<std::int64_t>(p.architecture().array_size);
  const std::int64_t length = x.lanes() % n == 0 ? std::min(n, x.lanes()) : x.lanes();
  const std::string turned = e.node(relayout, {rows}, {{"order", nn::Shape{1, 0}}});
  const std::string image = e.node("Unsqueeze", {turned}, {{"axes", nn::Shape{0, 2}}});
  nn::Shape sizes = x.memory_shape();
  sizes.back() = 1;
  const std::string result = plainly_reshaped(e, pooled(p, e, image, {1, length}), sizes);
  e.last("Reshape", {e.node("Transpose", {result}, {{"perm", back}}), target});
}

bool expand_reduction(Planner& p, Expansion& e) {
  const Value* value = p.value(0);
  if (value == nullptr || !value->layout) return false;
  const Layout& x = *value->layout;
  const std::optional<std::vector<bool>> reduced = reduced_dimensions(p, x.rank());
  if (!reduced) return true;
  const bool keeps = p.node.integer("keepdims", 1) != 0;
  const nn::Shape kept = nn::reduced_shape(x.shape, *reduced, true);
  const std::string target = e.constant(keeps ? kept : nn::reduced_shape(x.shape, *reduced, false));
  if (kept == x.shape) {
    e.last("Reshape", {p.node.inputs[0], target});
    return true;
  }
  if (const std::optional<nn::Shape> turned = image_permutation(x, *reduced)) {
    const auto at = [&](std::size_t k) { return static_cast<std::size_t>((*turned)[k]); };
    const std::string image = e.node("Transpose", {p.node.inputs[0]}, {{"perm", *turned}});
    const std::string pool =
        pooled(p, e, image,
               {(*reduced)[at(2)] ? x.shape[at(2)] : 1, (*reduced)[at(3)] ? x.shape[at(3)] : 1});
    nn::Shape back(4);
    for (std::size_t k = 0; k < 4; ++k) back[at(k)] = static_cast<std::int64_t>(k);
    if (keeps) {
      e.last("Transpose", {pool}, {{"perm", back}});
    } else {
      e.last("Reshape", {e.node("Transpose", {pool}, {{"perm", back}}), target});
    }
    return true;
  }
  const bool lanes_alone = (*reduced)[x.lane_dimension()] &&
                           nn::element_count(kept) * x.lanes() == nn::element_count(x.shape) &&
                           x.rank() > 1;
  if (lanes_alone) {
    expand_lanes(p, e, x, target);
    return true;
  }
  // Kept dimensions first, then the reduced ones in a row.
  nn::Shape permutation;
  std::int64_t rows = 1, length = 1;
  for (const bool of_reduced : {false, true}) {
    for (std::size_t d = 0; d < x.rank(); ++d) {
      if ((*reduced)[d] != of_reduced) continue;
      permutation.push_back(static_cast<std::int64_t>(d));
      (of_reduced ? length : rows) *= x.shape[d];
    }
  }
  const std::string sorted = e.node("Transpose", {p.node.inputs[0]}, {{"perm", permutation}});
  const std::string image = e.node("Reshape", {sorted, e.constant(nn::Shape{1, rows, 1, length})});
  e.last("Reshape", {pooled(p, e, image, {1, length}), target});
  return true;
}

/// The constants by which a Mul or Div multiplies the values of input `i`; nothing if it has none.
std::optional<nn::Tensor> constant_factors(const Planner& p, std::size_t i) {
  const bool divides = p.node.op_type == "Div";
  const nn::Tensor* constant = divides && i != 0 ? nullptr : p.constant(1 - i);
  if (constant == nullptr || constant->type != nn::ElementType::float32) return std::nullopt;
  nn::Tensor factors = *constant;
  for (float& factor : factors.floats) factor = divides ? 1 / factor : factor;
  return factors;
}

/// Expands CumSum into a product with a triangle of ones along the axis.
bool expand_cum_sum(Planner& p, Expansion& e) {
  const Value* value = p.value(0);
  const nn::Tensor* stated = p.need_constant(1, "the axis", nn::ElementType::int64);
  if (value == nullptr || !value->layout || stated == nullptr) return true;
  const Layout& x = *value->layout;
  if (stated->size() != 1) {
    p.problem("the axis has shape {}; supported is one number", nn::to_string(stated->shape));
    return true;
  }
  const std::optional<std::int64_t> axis = normal_axis(p, stated->integers[0], x.rank());
  if (!axis) return true;
  const std::int64_t length = x.shape[static_cast<std::size_t>(*axis)];
  const bool reverse = p.node.integer("reverse", 0) != 0;
  const std::int64_t first = p.node.integer("exclusive", 0) != 0 ? 1 : 0;
  nn::Tensor triangle = nn::Tensor::zeros({length, length});
  for (std::int64_t from = 0; from < length; ++from) {
    for (std::int64_t to = 0; to < length; ++to) {
      const std::int64_t behind = reverse ? from - to : to - from;
      if (behind >= first) triangle.floats[static_cast<std::size_t>(from * length + to)] = 1;
    }
  }
  const nn::Shape swap = swapped_with_last(x.rank(), static_cast<std::size_t>(*axis));
  const std::string rows = e.node("Transpose", {p.node.inputs[0]}, {{"perm", swap}});
  const std::string sums = e.node("MatMul", {rows, e.constant(std::move(triangle))});
  e.last("Transpose", {sums}, {{"perm", swap}});
  return true;
}

/// The logarithm of a sum of powers is what LogSoftmax subtracts, the same for all values of its
/// axis. Axes are reduced one after the other, each as the last: LogSoftmax of old operator sets
/// takes those behind its axis along.
void add_log_sum_exp(Planner& p, Expansion& e, const Layout& x, const std::vector<bool>& reduced) {
  std::string values = p.node.inputs[0];
  nn::Shape kept;
  for (std::size_t d = 0; d < x.rank(); ++d) {
    if (!reduced[d]) kept.push_back(x.shape[d]);
    if (!reduced[d]) continue;
    const Expansion::Attributes swap{{"perm", swapped_with_last(x.rank(), d)}};
    const std::string rows = e.node("Transpose", {values}, swap);
    const std::string rest = e.node("LogSoftmax", {rows}, {{"axis", std::int64_t{-1}}});
    const std::string same = e.node("Sub", {rows, rest});
    values = e.node("Transpose", {e.node("ReduceMean", {same}, {{"axes", nn::Shape{-1}}})}, swap);
    if (p.node.integer("keepdims", 1) != 0) kept.push_back(1);
  }
  e.last("Reshape", {values, e.constant(kept)});
}

/// Sums of other values than the input's.
bool expand_composed_reduction(Planner& p, Expansion& e) {
  const Layout* const x = p.activation(0);
  if (x == nullptr) return true;
  const std::optional<std::vector<bool>> reduced = reduced_dimensions(p, x->rank());
  if (!reduced) return true;
  const std::string kind = p.node.op_type.substr(6);  // after "Reduce"
  if (kind == "LogSumExp") {
    add_log_sum_exp(p, e, *x, *reduced);
    return true;
  }
  Expansion::Inputs inputs = p.node.inputs;
  if (kind == "L1") {
    inputs[0] = e.node("Abs", {inputs[0]});
  } else if (kind != "LogSum") {
    inputs[0] = e.node("Mul", {inputs[0], inputs[0]});
  }
  if (kind == "L1" || kind == "SumSquare") {
    e.last("ReduceSum", std::move(inputs), p.node.attributes);
  } else {
    const std::string sum = e.node("ReduceSum", std::move(inputs), p.node.attributes);
    e.last(kind == "L2" ? "Sqrt" : "Log", {sum});
  }
  return true;
}

}  // namespace

bool expand_averaged_sum(Planner& p, Expansion& e) {
  // A multiple of the mean has that multiple of its error.
  constexpr float largest_multiple = 2;
  for (std::size_t i = 0; i < 2; ++i) {
    std::optional<nn::Tensor> factors = constant_factors(p, i);
    const nn::Node* sum = p.model().graph->producer(p.node.inputs[i]);
    if (!factors || sum == nullptr || sum->op_type != "ReduceSum") continue;
    const Value* of = p.model().find(sum->inputs[0]);
    const Value* result = p.value(i);
    if (of == nullptr || !of->layout || result == nullptr || !result->layout) continue;
    const std::int64_t count = of->layout->elements() / result->layout->elements();
    bool averages = true;
    for (float& factor : factors->floats) {
      factor *= static_cast<float>(count);
      averages = averages && std::abs(factor) <= largest_multiple;
    }
    if (!averages || count == 1) continue;
    if (factors->size() == 1 && std::abs(factors->floats[0] - 1) < 1e-6F &&
        factors->shape.size() <= result->layout->rank()) {
      e.last("ReduceMean", sum->inputs, sum->attributes);
    } else {
      const std::string mean = e.node("ReduceMean", sum->inputs, sum->attributes);
      e.last("Mul", {mean, e.constant(*std::move(factors))});
    }
    return true;
  }
  return false;
}

Operators reduction_operators() {
  Operators all;
  all.push_back({"ReduceMean", takes_means, Role::simple, nullptr, nullptr, expand_reduction});
  for (const char* type : {"ReduceSum", "ReduceMax", "ReduceMin"}) {
    all.push_back({type, 0, Role::simple, nullptr, nullptr, expand_reduction});
  }
  for (const char* type :
       {"ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceSumSquare"}) {
    all.push_back({type, 0, Role::simple, nullptr, nullptr, expand_composed_reduction});
  }
  all.push_back({"CumSum", 0, Role::simple, nullptr, nullptr, expand_cum_sum});
  return all;
}

}  // namespace tactus::compiler
