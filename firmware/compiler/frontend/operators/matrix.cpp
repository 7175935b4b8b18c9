// MatMul and Gemm: one product for all rows of the first operand.
#include <algorithm>
#include <memory>
#include <optional>
#include <tuple>

#include "firmware/compiler/frontend/operators.h"
#include "firmware/onnx/shapes.h"
#include "isa/support/text.h"

namespace tactus::compiler {
namespace {

struct Product {
  std::int64_t inputs = 0, outputs = 0;
  std::shared_ptr<const nn::Tensor> weights;
  bool transposed = false;  ///< the model stores outputs x inputs
  bool moves = false;       ///< it only moves elements (expansion.h)
  float alpha = 1;
  std::vector<float> bias;  ///< empty: none
  std::string bias_name;
};

FillRow rows_of(const Product& product) {
  return [product](std::int64_t, std::int64_t input, float* row) {
    for (std::int64_t k = 0; k < product.outputs; ++k) {
      const std::int64_t at =
          product.transposed ? k * product.inputs + input : input * product.outputs + k;
      row[k] = product.alpha * product.weights->floats[static_cast<std::size_t>(at)];
    }
  };
}

/// Layout of the operand whose rows are multiplied; its last dimension must run along the lanes.
const Layout* plan_rows(Planner& p) {
  const Layout* a = p.activation(0);
  if (a != nullptr && a->lane_dimension() + 1 != a->rank()) {
    p.problem(
        "input {} (shape {}) does not have its last dimension innermost in memory; supported are "
        "matrices and images whose channels a Transpose made the last dimension",
        quote(p.node.inputs[0]), nn::to_string(a->shape));
    return nullptr;
  }
  return a;
}

/// Reads the second operand. Returns false if it is wrong or unknown.
bool plan_weights(Planner& p, const Layout* a, Product& product) {
  const nn::Tensor* b = p.need_constant(1, "the second operand", nn::ElementType::float32);
  if (b == nullptr) return false;
  if (b->shape.size() != 2 || b->size() == 0) {
    p.problem("the second operand {} has shape {}; supported is rank 2", quote(p.node.inputs[1]),
              nn::to_string(b->shape));
    return false;
  }
  product.inputs = b->shape[product.transposed ? 1 : 0];
  product.outputs = b->shape[product.transposed ? 0 : 1];
  if (a == nullptr) return false;
  if (a->lanes() != product.inputs) {
    p.problem("{} of shape {} cannot be multiplied by {} of shape {}", quote(p.node.inputs[0]),
              nn::to_string(a->shape), quote(p.node.inputs[1]), nn::to_string(b->shape));
    return false;
  }
  product.weights = p.value(1)->constant;
  return true;
}

Plan finish(Planner& p, const Layout& a, const Product& product) {
  Layout result = a;
  result.shape.back() = product.outputs;
  LoopNest nest;
  std::vector<std::optional<LoopNumber>> at, to;
  for (std::size_t d = 0; d + 1 < a.rank(); ++d) {
    at.emplace_back(nest.add(fmt::format("m{}", d), a.memory_shape()[d]));
  }
  to = at;
  at.emplace_back(nest.add("k", product.inputs, true));
  to.emplace_back(nest.add("n", product.outputs, true));
  nest.rows = {*at.back()};
  nest.columns = to.back();
  nest.operands = {Access::of(p.node.inputs[0], a, at)};
  nest.result = Access::of(p.node.outputs[0], result, to);
  if (!product.moves) nest.macs = static_cast<std::uint64_t>(product.inputs * product.outputs);
  nest.weights.operand = p.node.inputs[1];
  nest.weights.name = fmt::format("{} as {}matrix times {:a}", p.node.inputs[1],
                                  product.transposed ? "transposed " : "", product.alpha);
  nest.weights.fill = rows_of(product);
  if (!product.bias.empty()) {
    nest.weights.bias = product.bias;
    nest.weights.bias_operand = p.node.inputs[2];
    nest.weights.bias_name = product.bias_name;
  }
  // The reference always flattens first.
  if (!p.compat()) skip_flattening(nest, p.model(), p.architecture().array_size);
  p.reads(nest.operands[0].value);
  p.output(std::move(result));
  return nest;
}

// ---- two computed operands ----------------------------------------------------------------------

/// A nest of the product of two computed operands. In each batch, rows of the first operand are
/// multiplied by the matrix of the second, whose vectors are loaded into the array unchanged.
LoopNest computed_product(const nn::Node& node, const Layout& a, const Layout& b,
                          const Layout& result) {
  LoopNest nest;
  const std::size_t rank = result.rank();
  nest.batches = rank - 2;
  std::vector<std::optional<LoopNumber>> rows, columns, to;
  for (std::size_t d = 0; d < nest.batches; ++d) {
    const LoopNumber batch = nest.add(fmt::format("b{}", d), result.shape[d]);
    to.emplace_back(batch);
    rows.push_back(a.shape[d] == 1 ? std::nullopt : to.back());
    columns.push_back(b.shape[d] == 1 ? std::nullopt : to.back());
  }
  const LoopNumber m = nest.add("m", result.shape[rank - 2], true);
  const LoopNumber n = nest.add("n", result.shape[rank - 1], true);
  const LoopNumber k = nest.add("k", a.shape[rank - 1], true);
  for (auto [list, first, second] :
       {std::tuple(&rows, m, k), std::tuple(&columns, k, n), std::tuple(&to, m, n)}) {
    list->emplace_back(first);
    list->emplace_back(second);
  }
  nest.rows = {k};
  nest.columns = n;
  nest.operands = {Access::of(node.inputs[0], a, rows), Access::of(node.inputs[1], b, columns)};
  nest.result = Access::of(node.outputs[0], result, to);
  nest.macs = static_cast<std::uint64_t>(nest.inputs() * nest.outputs());
  return nest;
}

/// Plans a product of operands prepared by expand_computed(): with equal ranks, in the model's
/// order.
Plan plan_computed_product(Planner& p) {
  const Layout *a = p.activation(0), *b = p.activation(1);
  if (a == nullptr || b == nullptr) return {};
  const std::size_t rank = a->rank();
  const std::optional<nn::Shape> batches =
      b->rank() != rank ? std::nullopt
                        : nn::broadcast_shape({a->shape.begin(), a->shape.end() - 2},
                                              {b->shape.begin(), b->shape.end() - 2});
  if (!batches || a->shape[rank - 1] != b->shape[rank - 2]) {
    p.problem("{} of shape {} cannot be multiplied by {} of shape {}", quote(p.node.inputs[0]),
              nn::to_string(a->shape), quote(p.node.inputs[1]), nn::to_string(b->shape));
    return {};
  }
  nn::Shape shape = *batches;
  shape.push_back(a->shape[rank - 2]);
  shape.push_back(b->shape[rank - 1]);
  const Layout result = Layout::plain(std::move(shape));
  p.step().role = Role::simple;
  p.reads(0);
  p.reads(1);
  p.output(result);
  return computed_product(p.node, *a, *b, result);
}

Plan plan_mat_mul(Planner& p) {
  if (p.value(1) != nullptr && p.value(1)->layout) return plan_computed_product(p);
  Product product;
  const Layout* a = plan_rows(p);
  product.moves = p.node.has(moves_only);
  if (!plan_weights(p, a, product)) return {};
  return finish(p, *a, product);
}

/// Reads the addend of Gemm as one row for all rows. The reference ignores beta.
void plan_bias(Planner& p, Product& product) {
  const nn::Tensor* c = p.need_constant(2, "the addend", nn::ElementType::float32);
  const float beta = p.compat() ? 1.0F : p.node.real("beta", 1.0F);
  if (c == nullptr || product.outputs == 0) return;
  const std::int64_t width = c->shape.empty() ? 1 : c->shape.back();
  if (c->size() != width || (width != 1 && width != product.outputs)) {
    p.problem("the addend {} has shape {}; supported is one row of {} or one value",
              quote(p.node.inputs[2]), nn::to_string(c->shape), product.outputs);
    return;
  }
  for (std::int64_t k = 0; k < product.outputs; ++k) {
    product.bias.push_back(beta * c->floats[static_cast<std::size_t>(width == 1 ? 0 : k)]);
  }
  product.bias_name = fmt::format("{} as bias", p.node.inputs[2]);
  if (beta != 1.0F || width != product.outputs) {
    product.bias_name += fmt::format(" of {} times {:a}", product.outputs, beta);
  }
}

Plan plan_gemm(Planner& p) {
  Product product;
  if (p.node.integer("transA", 0) != 0) {
    p.problem("attribute transA is {}; supported is 0", p.node.integer("transA"));
  }
  product.transposed = p.node.integer("transB", 0) != 0;
  if (!p.compat()) product.alpha = p.node.real("alpha", 1.0F);
  const Layout* a = plan_rows(p);
  if (a != nullptr && a->rank() != 2) {
    p.problem("input {} has shape {}; supported is rank 2", quote(p.node.inputs[0]),
              nn::to_string(a->shape));
    a = nullptr;
  }
  const bool good = plan_weights(p, a, product);
  if (p.given(2)) plan_bias(p, product);
  if (!good || p.failed()) return {};
  return finish(p, *a, product);
}

/// Changes the layout of rows whose last dimension does not run along the lanes. With transA the
/// operand is transposed first.
bool expand_rows(Planner& p, Expansion& e) {
  const Value* a = p.value(0);
  if (a == nullptr || !a->layout) return false;
  std::vector<std::string> inputs = p.node.inputs;
  Expansion::Attributes attributes = p.node.attributes;
  if (p.node.integer("transA", 0) != 0 && a->layout->rank() == 2) {
    inputs[0] = e.node("Transpose", {inputs[0]}, {{"perm", nn::Shape{1, 0}}});
    attributes.erase("transA");
    e.last(p.node.op_type, std::move(inputs), std::move(attributes));
    return true;
  }
  if (a->layout->lane_dimension() + 1 == a->layout->rank()) return false;
  nn::Shape order;
  for (std::size_t d = 0; d < a->layout->rank(); ++d) order.push_back(static_cast<std::int64_t>(d));
  inputs[0] = e.node(relayout, {inputs[0]}, {{"order", order}});
  e.last(p.node.op_type, std::move(inputs), std::move(attributes));
  return true;
}

/// The permutation that exchanges the last two dimensions.
nn::Shape turned(std::size_t rank) {
  nn::Shape permutation(rank);
  for (std::size_t d = 0; d < rank; ++d) permutation[d] = static_cast<std::int64_t>(d);
  std::swap(permutation[rank - 1], permutation[rank - 2]);
  return permutation;
}

/// Expands a product with a constant on the left: A B is the transpose of B' A'.
void expand_constant_left(Planner& p, Expansion& e) {
  const nn::Tensor& left = *p.constant(0);
  const std::size_t rank = p.value(1)->layout->rank();
  if (left.shape.size() != 2 || left.type != nn::ElementType::float32) {
    p.problem("the first operand {} is a constant of {}{}; supported are matrices of FLOAT",
              quote(p.node.inputs[0]), nn::name_of(left.type), nn::to_string(left.shape));
    return;
  }
  nn::Tensor right = nn::Tensor::zeros({left.shape[1], left.shape[0]});
  for (std::int64_t i = 0; i < left.shape[0]; ++i) {
    for (std::int64_t k = 0; k < left.shape[1]; ++k) {
      right.floats[static_cast<std::size_t>(k * left.shape[0] + i)] =
          left.floats[static_cast<std::size_t>(i * left.shape[1] + k)];
    }
  }
  if (rank == 1) {
    const nn::Shape front{0};
    const std::string row = e.node("Unsqueeze", {p.node.inputs[1]}, {{"axes", front}});
    const std::string product = e.node("MatMul", {row, e.constant(std::move(right))});
    e.last("Squeeze", {product}, {{"axes", front}});
    return;
  }
  const std::string columns = e.node("Transpose", {p.node.inputs[1]}, {{"perm", turned(rank)}});
  const std::string product = e.node("MatMul", {columns, e.constant(std::move(right))});
  e.last("Transpose", {product}, {{"perm", turned(rank)}});
}

/// Gives computed operands equal ranks; vectors become matrices. Returns false if they have equal
/// ranks already.
bool expand_ranks(Planner& p, Expansion& e) {
  const auto rank =
      std::max<std::size_t>({2, p.value(0)->layout->rank(), p.value(1)->layout->rank()});
  const auto last = static_cast<std::int64_t>(rank) - 1;
  std::vector<std::string> inputs = p.node.inputs;
  nn::Shape dropped;  // dimensions removed from the result
  bool changed = false;
  for (std::size_t i = 0; i < 2; ++i) {
    const std::size_t own = p.value(i)->layout->rank();
    nn::Shape axes(rank - std::max<std::size_t>(own, 2));
    for (std::size_t k = 0; k < axes.size(); ++k) axes[k] = static_cast<std::int64_t>(k);
    if (own == 1) {
      axes.push_back(i == 0 ? last - 1 : last);
      dropped.push_back(axes.back());
    }
    if (axes.empty()) continue;
    inputs[i] = e.node("Unsqueeze", {inputs[i]}, {{"axes", axes}});
    changed = true;
  }
  if (!changed) return false;
  if (dropped.empty()) {
    e.last("MatMul", inputs);
  } else {
    e.last("Squeeze", {e.node("MatMul", inputs)}, {{"axes", dropped}});
  }
  return true;
}

/// Gives two computed operands equal ranks and the model's order.
bool expand_computed(Planner& p, Expansion& e) {
  if (p.constant(0) != nullptr) {
    expand_constant_left(p, e);
    return true;
  }
  if (expand_ranks(p, e)) return true;
  std::vector<std::string> inputs = p.node.inputs;
  for (std::size_t i = 0; i < 2; ++i) {
    const Layout& layout = *p.value(i)->layout;
    if (layout.is_plain()) continue;
    const Layout plain = Layout::plain(layout.shape);
    inputs[i] = e.node(relayout, {inputs[i]},
                       {{"order", nn::Shape(plain.order.begin(), plain.order.end())}});
  }
  if (inputs == p.node.inputs) return false;
  e.last("MatMul", inputs);
  return true;
}

/// Expands a MatMul: a vector on the right becomes a matrix of one column; with one constant matrix
/// for each batch, batches are multiplied separately.
bool expand_mat_mul(Planner& p, Expansion& e) {
  const Value* a = p.value(0);
  const nn::Tensor* b = p.constant(1);
  if (a != nullptr && p.value(1) != nullptr && b == nullptr) return expand_computed(p, e);
  if (a == nullptr || !a->layout || b == nullptr || b->type != nn::ElementType::float32) {
    return expand_rows(p, e);
  }
  const auto rank = static_cast<std::int64_t>(a->layout->rank());
  nn::Tensor matrix = *b;
  if (b->shape.size() == 1) {
    matrix.shape.push_back(1);
    const std::string column = e.node("MatMul", {p.node.inputs[0], e.constant(std::move(matrix))});
    e.last("Squeeze", {column}, {{"axes", nn::Shape{rank - 1}}});
    return true;
  }
  std::int64_t batches = 1;
  for (std::size_t d = 0; d + 2 < b->shape.size(); ++d) batches *= b->shape[d];
  if (b->shape.size() > 2 && batches == 1 && static_cast<std::int64_t>(b->shape.size()) <= rank) {
    matrix.shape.erase(matrix.shape.begin(), matrix.shape.end() - 2);
    e.last("MatMul", {p.node.inputs[0], e.constant(std::move(matrix))});
    return true;
  }
  // One dimension of batches at a time: both are split into parts, whose products are joined.
  if (b->shape.size() < 3 || static_cast<std::int64_t>(b->shape.size()) != rank) {
    return expand_rows(p, e);
  }
  std::size_t along = 0;
  while (b->shape[along] == 1) ++along;
  const std::int64_t count = b->shape[along];
  const std::int64_t of_a = a->layout->shape[along];
  if ((of_a != count && of_a != 1) || count > 4096) return expand_rows(p, e);
  const std::int64_t run = b->size() / count;  // all earlier dimensions are 1
  std::vector<std::string> results;
  for (std::int64_t k = 0; k < count; ++k) {
    nn::Tensor part;
    part.shape = b->shape;
    part.shape[along] = 1;
    part.floats.assign(b->floats.begin() + k * run, b->floats.begin() + (k + 1) * run);
    std::string rows = p.node.inputs[0];
    if (of_a != 1) {
      const nn::Shape axis{static_cast<std::int64_t>(along)};
      rows = p.opset() < 10
                 ? e.node("Slice", {rows},
                          {{"starts", nn::Shape{k}}, {"ends", nn::Shape{k + 1}}, {"axes", axis}})
                 : e.node("Slice", {rows, e.constant(nn::Shape{k}), e.constant(nn::Shape{k + 1}),
                                    e.constant(axis)});
    }
    results.push_back(e.node("MatMul", {rows, e.constant(std::move(part))}));
  }
  e.last("Concat", results, {{"axis", static_cast<std::int64_t>(along)}});
  return true;
}

/// Expands alpha A B + beta C of computed operands into separate nodes.
bool expand_computed_gemm(Planner& p, Expansion& e) {
  std::vector<std::string> inputs{p.node.inputs[0], p.node.inputs[1]};
  for (std::size_t i = 0; i < 2; ++i) {
    if (p.node.integer(i == 0 ? "transA" : "transB", 0) == 0) continue;
    inputs[i] = e.node("Transpose", {inputs[i]}, {{"perm", nn::Shape{1, 0}}});
  }
  std::string result = e.node("MatMul", inputs);
  const float alpha = p.node.real("alpha", 1.0F), beta = p.node.real("beta", 1.0F);
  if (alpha != 1.0F) result = e.node("Mul", {result, e.constant(alpha)});
  if (!p.given(2)) {
    e.last("Identity", {result});
    return true;
  }
  std::string addend = p.node.inputs[2];
  if (beta != 1.0F) addend = e.node("Mul", {addend, e.constant(beta)});
  e.last("Add", {result, addend});
  return true;
}

/// Expands a Gemm whose addend is not one row: the addend is added afterwards.
bool expand_gemm(Planner& p, Expansion& e) {
  const nn::Tensor* b = p.constant(1);
  if (p.value(0) != nullptr && p.value(1) != nullptr && b == nullptr) {
    return expand_computed_gemm(p, e);
  }
  if (b == nullptr || b->shape.size() != 2 || !p.given(2)) return expand_rows(p, e);
  const Value* c = p.value(2);
  if (c == nullptr) return false;
  const std::int64_t outputs = b->shape[p.node.integer("transB", 0) != 0 ? 0 : 1];
  if (c->constant) {
    const nn::Shape& shape = c->constant->shape;
    const std::int64_t width = shape.empty() ? 1 : shape.back();
    const bool row = c->constant->size() == width && (width == 1 || width == outputs);
    if (row) return expand_rows(p, e);
  }
  Expansion::Attributes attributes = p.node.attributes;
  attributes.erase("beta");
  // Operator sets before 11 need an addend.
  Expansion::Inputs inputs{p.node.inputs[0], p.node.inputs[1]};
  const std::string product = e.node("Gemm", inputs, attributes);
  std::string addend = p.node.inputs[2];
  const float beta = p.node.real("beta", 1.0F);
  if (beta != 1.0F) addend = e.node("Mul", {addend, e.constant(beta)});
  e.last("Add", {product, addend});
  return true;
}

}  // namespace

Operators matrix_operators() {
  return {{"MatMul", is_product | wants_rows, Role::start, plan_mat_mul, nullptr, expand_mat_mul},
          {"Gemm", is_product, Role::start, plan_gemm, nullptr, expand_gemm}};
}

}  // namespace tactus::compiler
