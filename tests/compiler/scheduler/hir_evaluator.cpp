#include "tests/compiler/scheduler/hir_evaluator.h"

#include <algorithm>

namespace tactus::compiler {

using hir::Kind;
using tcu::SimdOp;

void HirEvaluator::run(const hir::Layer& layer) {
  products_.clear();
  for (const hir::Operation& operation : layer.operations) {
    if (const auto* m = std::get_if<hir::MatMul>(&operation)) collect(*m);
  }
  sum_up();
  for (const hir::Operation& operation : layer.operations) {
    if (const auto* o = std::get_if<hir::VectorOperation>(&operation)) apply(*o);
  }
  for (auto entry = memory_.begin(); entry != memory_.end();) {
    entry = entry->first.is(Tag::temp) ? memory_.erase(entry) : std::next(entry);
  }
}

HirEvaluator::Vector HirEvaluator::value(Address address) const {
  return address.is(Tag::zeroes) ? Vector(n_, 0) : memory_.at(address);
}

void HirEvaluator::collect(const hir::MatMul& m) {
  for (std::size_t i = 0; i < m.outputs.size(); ++i) {
    const std::size_t pair = i / m.output_blocks, block = i % m.output_blocks;
    for (std::size_t j = 0; j < m.input_blocks; ++j) {
      Product product;
      for (std::size_t row = (j + 1) * n_; row-- > j * n_;) {
        product.tuple.push_back(m.weights[row * m.output_blocks + block]);
      }
      const bool biased = !m.bias.empty() && j + 1 == m.input_blocks;
      product.tuple.push_back(biased ? m.bias[block] : Address::zeroes());
      const Address input = m.inputs[pair * m.input_blocks + j];
      product.zeroes = input.is(Tag::zeroes);
      product.input = value(input);
      products_[m.outputs[i]].push_back(std::move(product));
    }
  }
}

void HirEvaluator::sum_up() {
  for (auto& [output, products] : products_) {
    std::stable_sort(products.begin(), products.end(), [](const Product& a, const Product& b) {
      return a.tuple != b.tuple ? a.tuple < b.tuple : a.zeroes < b.zeroes;
    });
    Vector sum = multiply(products.front());
    for (std::size_t i = 1; i < products.size(); ++i) sum = plus(sum, multiply(products[i]));
    memory_[output] = std::move(sum);
  }
}

HirEvaluator::Vector HirEvaluator::multiply(const Product& product) const {
  Vector out = value(product.tuple.back());
  for (std::size_t row = 0; row < n_; ++row) {
    const Vector weights = value(product.tuple[n_ - 1 - row]);
    for (std::size_t lane = 0; lane < n_; ++lane) {
      out[lane] =
          tcu::mac(type_, tcu::MacRounding::sum, product.input[row], weights[lane], out[lane]);
    }
  }
  return out;
}

HirEvaluator::Vector HirEvaluator::alu(SimdOp op, const Vector& left, const Vector& right) const {
  Vector out(n_);
  for (std::size_t lane = 0; lane < n_; ++lane) {
    out[lane] = tcu::alu(type_, op, left[lane], right[lane]);
  }
  return out;
}

HirEvaluator::Vector HirEvaluator::plus(const Vector& a, const Vector& b) const {
  Vector out(n_);
  for (std::size_t lane = 0; lane < n_; ++lane) {
    out[lane] = tcu::saturating_add(type_, a[lane], b[lane]);
  }
  return out;
}

void HirEvaluator::apply(const hir::VectorOperation& o) {
  for (std::size_t i = 0; i < o.outputs.size(); ++i) memory_[o.outputs[i]] = result(o, i);
}

HirEvaluator::Vector HirEvaluator::result(const hir::VectorOperation& o, std::size_t i) const {
  const auto in = [&](std::size_t k) { return value(o.inputs[k][i]); };
  Vector x = in(0);
  switch (o.kind) {
    case Kind::load:
    case Kind::softmax:
    case Kind::save:
      return x;
    case Kind::add:
      return plus(x, in(1));
    case Kind::subtract:
      return alu(SimdOp::subtract, x, in(1));
    case Kind::multiply:
      return alu(SimdOp::multiply, x, in(1));
    case Kind::relu:
      return alu(SimdOp::max, x, Vector(n_, 0));
    case Kind::clip:
      return alu(SimdOp::min, alu(SimdOp::max, x, in(1)), in(2));
    case Kind::leaky_relu:
      return alu(SimdOp::max, x, alu(SimdOp::multiply, x, in(1)));
    case Kind::max_pool:
      for (std::size_t k = 1; k < o.inputs.size(); ++k) x = alu(SimdOp::max, x, in(k));
      return x;
    case Kind::average_pool:
      for (std::size_t k = 1; k + 1 < o.inputs.size(); ++k) x = alu(SimdOp::add, x, in(k));
      return alu(SimdOp::multiply, x, in(o.inputs.size() - 1));
    case Kind::norm:
      return alu(SimdOp::add, alu(SimdOp::multiply, x, in(1)), in(2));
    case Kind::interpolate: {
      Vector sum = alu(SimdOp::multiply, x, in(1));
      for (std::size_t k = 2; k < o.inputs.size(); k += 2) {
        sum = plus(sum, alu(SimdOp::multiply, in(k), in(k + 1)));
      }
      return sum;
    }
    case Kind::lookup:
      break;  // needs an architecture with tables
  }
  return {};
}

}  // namespace tactus::compiler
