// MatMul and Gemm: one product for all rows of the first operand.
#include "firmware/compiler/frontend/operators.h"
#include "firmware/compiler/frontend/operators/matrices.h"
#include "isa/support/text.h"

namespace tactus::compiler {
namespace {

struct Product {
  WeightShape shape;
  std::string input, output;
  std::shared_ptr<const nn::Tensor> weights;
  std::string weights_name;
  bool transposed = false;  ///< the model keeps outputs x inputs
  float alpha = 1;
  std::vector<float> bias;  ///< empty: none
  std::string bias_name;
  /// The operand as it was before it was flattened: its elements lie in another order in memory,
  /// and the weights' rows follow them. No dimensions: it was not.
  Layout unflattened;

  void emit(Emitter& e) const {
    const Addresses bias_row = bias.empty() ? Addresses{} : e.row(bias_name, bias);
    const Addresses& w = weights_constant(
        e,
        fmt::format("{} as {}matrix times {:a}{}", weights_name, transposed ? "transposed " : "",
                    alpha, unflattened.shape.empty() ? "" : " for " + describe(unflattened, 1)),
        shape, [&](std::int64_t, std::int64_t i, float* row) { fill_row(feature_of_row(i), row); });
    const Addresses& source = e.variable(input);
    const std::size_t rows = source.size() / shape.input_blocks(e.array_size());
    const Addresses result = e.allocate(rows * shape.output_blocks(e.array_size()));
    hir::MatMul product = product_of_tap(e, shape, 0, w, source, result);
    product.bias = bias_row;
    e.hir().add(std::move(product));
    e.result(output, result);
  }

  /// Number among the flattened features of the scalar at a place in memory.
  [[nodiscard]] std::int64_t feature_of_row(std::int64_t place) const {
    if (unflattened.shape.empty()) return place;
    const std::vector<std::int64_t> strides = strides_of(unflattened.shape);
    std::int64_t feature = 0;
    for (std::size_t k = unflattened.order.size(); k-- > 1;) {
      const std::size_t d = unflattened.order[k];
      feature += place % unflattened.shape[d] * strides[d];
      place /= unflattened.shape[d];
    }
    return feature;
  }

  void fill_row(std::int64_t input_lane, float* row) const {
    for (std::int64_t k = 0; k < shape.outputs; ++k) {
      const std::int64_t at =
          transposed ? k * shape.inputs + input_lane : input_lane * shape.outputs + k;
      row[k] = alpha * weights->floats[static_cast<std::size_t>(at)];
    }
  }
};

/// The operand whose rows are multiplied: its last dimension runs along the lanes.
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

/// Reads the second operand. False if something is wrong or unknown.
bool plan_weights(Planner& p, const Layout* a, Product& product) {
  const nn::Tensor* b = p.need_constant(1, "the second operand", nn::ElementType::float32);
  if (b == nullptr) return false;
  if (b->shape.size() != 2 || b->size() == 0) {
    p.problem("the second operand {} has shape {}; supported is rank 2", quote(p.node.inputs[1]),
              nn::to_string(b->shape));
    return false;
  }
  product.shape = {1, b->shape[product.transposed ? 1 : 0], b->shape[product.transposed ? 0 : 1]};
  if (a == nullptr) return false;
  if (a->lanes() != product.shape.inputs) {
    p.problem("{} of shape {} cannot be multiplied by {} of shape {}", quote(p.node.inputs[0]),
              nn::to_string(a->shape), quote(p.node.inputs[1]), nn::to_string(b->shape));
    return false;
  }
  product.weights = p.value(1)->constant;
  product.weights_name = p.node.inputs[1];
  product.input = p.node.inputs[0];
  product.output = p.node.outputs[0];
  return true;
}

/// Multiplies what was flattened as it lies, if rows are whole vectors either way. The reference
/// always flattens first.
void skip_flattening(Planner& p, const Layout& a, Product& product) {
  const std::string& source = p.value(0)->reshaped_from;
  if (p.compat() || source.empty() || a.rank() != 2) return;
  const Layout& before = *p.model().value(source).layout;
  const bool same_rows = before.order[0] == 0 && before.shape[0] == a.shape[0] &&
                         before.lanes() % p.architecture().array_size == 0;
  if (!same_rows || before.rank() < 2) return;
  product.unflattened = before;
  product.input = source;
}

Emit finish(Planner& p, const Layout& a, Product product) {
  Layout result = a;
  result.shape.back() = product.shape.outputs;
  skip_flattening(p, a, product);
  p.reads(product.input);
  p.output(std::move(result));
  return [product](Emitter& e) { product.emit(e); };
}

Emit plan_mat_mul(Planner& p) {
  Product product;
  const Layout* a = plan_rows(p);
  if (!plan_weights(p, a, product)) return {};
  return finish(p, *a, product);
}

/// The addend of Gemm as one row for all. The reference ignores beta.
void plan_bias(Planner& p, Product& product) {
  const nn::Tensor* c = p.need_constant(2, "the addend", nn::ElementType::float32);
  const float beta = p.compat() ? 1.0F : p.node.real("beta", 1.0F);
  if (c == nullptr || product.shape.outputs == 0) return;
  const std::int64_t width = c->shape.empty() ? 1 : c->shape.back();
  if (c->size() != width || (width != 1 && width != product.shape.outputs)) {
    p.problem("the addend {} has shape {}; supported is one row of {} or one value",
              quote(p.node.inputs[2]), nn::to_string(c->shape), product.shape.outputs);
    return;
  }
  for (std::int64_t k = 0; k < product.shape.outputs; ++k) {
    product.bias.push_back(beta * c->floats[static_cast<std::size_t>(width == 1 ? 0 : k)]);
  }
  product.bias_name = fmt::format("{} as bias", p.node.inputs[2]);
  if (beta != 1.0F || width != product.shape.outputs) {
    product.bias_name += fmt::format(" of {} times {:a}", product.shape.outputs, beta);
  }
}

Emit plan_gemm(Planner& p) {
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

}  // namespace

Operators matrix_operators() {
  return {{"MatMul", 2, Role::start, plan_mat_mul}, {"Gemm", 2, Role::start, plan_gemm}};
}

}  // namespace tactus::compiler
