// Operators that only rename vectors: Transpose, Identity, Dropout.
#include <algorithm>

#include "firmware/compiler/frontend/operators.h"
#include "firmware/onnx/shapes.h"
#include "isa/support/text.h"

namespace tactus::compiler {
namespace {

Plan relabel(Planner& p, Layout layout) {
  p.reads(0);
  p.output(std::move(layout));
  return Renaming{p.node.inputs[0], p.node.outputs[0]};
}

/// The permutation; the default is the reversed order. Empty if it is wrong.
std::vector<std::int64_t> permutation_of(Planner& p, std::size_t rank) {
  std::vector<std::int64_t> reversed;
  for (std::size_t k = rank; k-- > 0;) reversed.push_back(static_cast<std::int64_t>(k));
  std::vector<std::int64_t> permutation = p.node.integers("perm", reversed);
  nn::Shape dimensions(rank, 1);
  if (permutation.size() != rank || nn::permuted(dimensions, permutation).size() != rank) {
    p.problem("attribute perm is {}; supported are permutations of {} dimensions",
              nn::to_string(permutation), rank);
    return {};
  }
  return permutation;
}

Plan plan_transpose(Planner& p) {
  const Layout* x = p.activation(0);
  if (x == nullptr) return {};
  const std::vector<std::int64_t> permutation = permutation_of(p, x->rank());
  if (p.failed()) return {};
  return relabel(p, x->transposed(permutation));
}

template <typename T>
std::vector<T> permuted(const std::vector<T>& from, const nn::Shape& shape,
                        const std::vector<std::int64_t>& strides) {
  std::vector<T> result;
  if (from.empty()) return result;
  nn::Shape position(shape.size(), 0);
  do {
    std::int64_t index = 0;
    for (std::size_t k = 0; k < shape.size(); ++k) index += position[k] * strides[k];
    result.push_back(from[static_cast<std::size_t>(index)]);
  } while (next_position(position, shape));
  return result;
}

void fold_transpose(Planner& p) {
  const nn::Tensor& x = *p.constant(0);
  const std::vector<std::int64_t> permutation = permutation_of(p, x.shape.size());
  if (permutation.size() != x.shape.size()) return;
  nn::Tensor result;
  result.type = x.type;
  result.stored = x.stored;
  const std::vector<std::int64_t> own = strides_of(x.shape);
  std::vector<std::int64_t> strides;
  for (const std::int64_t d : permutation) {
    result.shape.push_back(x.shape[static_cast<std::size_t>(d)]);
    strides.push_back(own[static_cast<std::size_t>(d)]);
  }
  result.floats = permuted(x.floats, result.shape, strides);
  result.integers = permuted(x.integers, result.shape, strides);
  p.fold(std::move(result));
}

Plan plan_identity(Planner& p) {
  const Layout* x = p.activation(0);
  if (x == nullptr) return {};
  return relabel(p, *x);
}

void fold_identity(Planner& p) { p.fold(*p.constant(0)); }

Plan plan_dropout(Planner& p) {
  if (p.output_read(1)) p.problem("output 1 (mask) is for training and not supported");
  if (const nn::Tensor* training = p.constant(2)) {
    const bool on = std::any_of(training->integers.begin(), training->integers.end(),
                                [](std::int64_t value) { return value != 0; });
    if (on) p.problem("training_mode is true; supported is inference");
  } else if (p.given(2)) {
    p.problem("training_mode is computed at run time; supported is inference");
  }
  return plan_identity(p);
}

}  // namespace

Operators relabel_operators() {
  return {
      {"Transpose", keeps_rows | keeps_quantisation, Role::simple, plan_transpose, fold_transpose},
      {"Identity", keeps_layout | keeps_quantisation, Role::simple, plan_identity, fold_identity},
      {"Dropout", keeps_layout, Role::simple, plan_dropout}};
}

}  // namespace tactus::compiler
