#include "tests/compiler/interpreters/hir.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "isa/support/error.h"
#include "isa/tcu/lookup.h"

namespace tactus::compiler::hir {
namespace {

using Lane = Arithmetic::Lane;
using tcu::SimdOp;

std::int64_t mantissa(Lane lane) { return static_cast<std::int64_t>(lane); }

Lane real_alu(SimdOp op, Lane left, Lane right) {
  switch (op) {
    case SimdOp::add:
      return left + right;
    case SimdOp::subtract:
      return left - right;
    case SimdOp::multiply:
      return left * right;
    case SimdOp::max:
      return std::max(left, right);
    case SimdOp::min:
      return std::min(left, right);
    default:
      internal_error("no operation of HIR computes with SIMD operation {}", static_cast<int>(op));
  }
}

}  // namespace

Lane Arithmetic::from_real(float value) const {
  return is_real_ ? static_cast<Lane>(value)
                  : static_cast<Lane>(tcu::quantise(architecture_.data_type, value));
}

double Arithmetic::to_real(Lane lane) const {
  return is_real_ ? lane : tcu::to_real(architecture_.data_type, mantissa(lane));
}

Lane Arithmetic::mac(Lane x, Lane weight, Lane sum) const {
  if (is_real_) return x * weight + sum;
  return static_cast<Lane>(tcu::mac(architecture_.data_type, tcu::MacRounding::sum, mantissa(x),
                                    mantissa(weight), mantissa(sum)));
}

std::vector<std::uint8_t> Arithmetic::packed(const Lanes& lanes) const {
  if (is_real_) return {};
  const tcu::DataType type = architecture_.data_type;
  std::vector<std::uint8_t> bytes(lanes.size() * tcu::info(type).storage_bytes);
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    tcu::set_lane(type, bytes.data(), i, mantissa(lanes[i]));
  }
  return bytes;
}

Lanes Arithmetic::multiply(const Lanes& weights, const std::vector<std::uint8_t>& packed_weights,
                           const Lanes& input) const {
  const std::size_t n = input.size();
  Lanes out(weights.begin(), weights.begin() + static_cast<std::ptrdiff_t>(n));
  if (is_real_) {
    for (std::size_t row = 0; row < n; ++row) {
      const double* of_row = weights.data() + (row + 1) * n;
      for (std::size_t lane = 0; lane < n; ++lane) out[lane] += input[row] * of_row[lane];
    }
    return out;
  }
  const tcu::DataType type = architecture_.data_type;
  const std::vector<std::uint8_t> x = packed(input);
  std::vector<std::uint8_t> sums(x.size());
  tcu::vector_kernels(type).mac_chain(packed_weights.data(), x.data(), sums.data(), n);
  for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<Lane>(tcu::lane(type, sums.data(), i));
  return out;
}

Lane Arithmetic::add(Lane a, Lane b) const {
  if (is_real_) return a + b;
  return static_cast<Lane>(tcu::saturating_add(architecture_.data_type, mantissa(a), mantissa(b)));
}

Lane Arithmetic::alu(SimdOp op, Lane left, Lane right) const {
  if (is_real_) return real_alu(op, left, right);
  return static_cast<Lane>(tcu::alu(architecture_.data_type, op, mantissa(left), mantissa(right)));
}

Lanes evaluate(const Arithmetic& arithmetic, Kind kind, const std::vector<const Lanes*>& operands) {
  const std::size_t n = operands.front()->size(), count = operands.size();
  Lanes out(n);
  const auto lanewise = [&](auto f) {
    for (std::size_t lane = 0; lane < n; ++lane) {
      out[lane] = f([&](std::size_t k) { return (*operands[k])[lane]; });
    }
  };
  const auto alu = [&](SimdOp op, Lane left, Lane right) {
    return arithmetic.alu(op, left, right);
  };
  const auto fold = [&](SimdOp op, std::size_t end) {
    lanewise([&](auto in) {
      Lane x = in(0);
      for (std::size_t k = 1; k < end; ++k) x = alu(op, x, in(k));
      return x;
    });
  };
  switch (kind) {
    case Kind::add:
      lanewise([&](auto in) { return arithmetic.add(in(0), in(1)); });
      break;
    case Kind::subtract:
      fold(SimdOp::subtract, 2);
      break;
    case Kind::multiply:
      fold(SimdOp::multiply, 2);
      break;
    case Kind::relu:
      lanewise([&](auto in) { return alu(SimdOp::max, in(0), 0); });
      break;
    case Kind::clip:
      lanewise([&](auto in) { return alu(SimdOp::min, alu(SimdOp::max, in(0), in(1)), in(2)); });
      break;
    case Kind::leaky_relu:
      lanewise(
          [&](auto in) { return alu(SimdOp::max, in(0), alu(SimdOp::multiply, in(0), in(1))); });
      break;
    case Kind::max_pool:
      fold(SimdOp::max, count);
      break;
    case Kind::minimum:
      fold(SimdOp::min, count);
      break;
    case Kind::average_pool:
      fold(SimdOp::add, count - 1);
      for (std::size_t lane = 0; lane < n; ++lane) {
        out[lane] = alu(SimdOp::multiply, out[lane], (*operands[count - 1])[lane]);
      }
      break;
    case Kind::norm:
      lanewise(
          [&](auto in) { return alu(SimdOp::add, alu(SimdOp::multiply, in(0), in(1)), in(2)); });
      break;
    case Kind::interpolate:
      lanewise([&](auto in) {
        Lane sum = alu(SimdOp::multiply, in(0), in(1));
        for (std::size_t k = 2; k < count; k += 2) {
          sum = arithmetic.add(sum, alu(SimdOp::multiply, in(k), in(k + 1)));
        }
        return sum;
      });
      break;
    case Kind::load:
    case Kind::softmax:
    case Kind::save:
    case Kind::lookup:
      internal_error("{} is not computed lane by lane", to_string(kind));
  }
  return out;
}

Lanes look_up(const Arithmetic& arithmetic, const std::vector<const Lanes*>& operands,
              const std::vector<const Lanes*>& tables) {
  const tcu::Architecture& architecture = arithmetic.architecture();
  const tcu::DataType type = architecture.data_type;
  Lanes out = *operands[0];
  const std::size_t n = out.size();
  for (std::size_t lane = 0; lane < n; ++lane) {
    Lane& x = out[lane];
    if (operands.size() == 2) x = arithmetic.alu(SimdOp::multiply, x, (*operands[1])[lane]);
    const std::int64_t argument =
        arithmetic.is_real() ? tcu::quantise(type, static_cast<float>(x)) : mantissa(x);
    const tcu::LookupKey key = tcu::lookup_key(type, architecture.lookup_tables, argument);
    const auto entry = [&](std::size_t table) {
      return (*tables[table * tables.size() / 2 + key.entry / n])[key.entry % n];
    };
    const Lane difference = arithmetic.is_real() ? tcu::to_real(type, key.difference)
                                                 : static_cast<Lane>(key.difference);
    x = arithmetic.alu(SimdOp::add, arithmetic.alu(SimdOp::multiply, difference, entry(0)),
                       entry(1));
  }
  return out;
}

void Interpreter::run(const Layer& layer) {
  products_.clear();
  tuples_.clear();
  for (const Operation& operation : layer.operations) {
    if (const auto* product = std::get_if<MatMul>(&operation)) collect(*product);
  }
  sum_up();
  for (const Operation& operation : layer.operations) {
    if (const auto* o = std::get_if<VectorOperation>(&operation)) apply(*o);
  }
  for (auto entry = memory_.begin(); entry != memory_.end();) {
    entry = entry->first.is(Tag::temp) ? memory_.erase(entry) : std::next(entry);
  }
}

/// Returns the lanes of a vector. A constant is converted when it is first read.
const Lanes& Interpreter::get(Address address) {
  if (address.is(Tag::zeroes)) return zeroes_;
  const auto found = memory_.find(address);
  if (found != memory_.end()) return found->second;
  const float* constant = constant_of_ ? constant_of_(address) : nullptr;
  if (constant == nullptr) internal_error("{} was never computed", to_string(address));
  Lanes& lanes = memory_[address];
  for (std::size_t lane = 0; lane < zeroes_.size(); ++lane) {
    lanes.push_back(arithmetic_.from_real(constant[lane]));
  }
  return lanes;
}

void Interpreter::collect(const MatMul& m) {
  const std::size_t n = zeroes_.size(), first = tuples_.size();
  for (std::size_t block = 0; block < m.output_blocks; ++block) {
    const std::size_t bias_block = m.block_with_bias(block, n);
    for (std::size_t j = 0; j < m.input_blocks; ++j) {
      Tuple tuple;
      for (std::size_t row = (j + 1) * n; row-- > j * n;) {
        tuple.addresses.push_back(m.weights[row * m.output_blocks + block]);
      }
      const bool biased = !m.bias.empty() && j == bias_block;
      tuple.addresses.push_back(biased ? m.bias[block] : Address::zeroes());
      tuples_.push_back(std::move(tuple));
    }
  }
  for (std::size_t i = 0; i < m.outputs.size(); ++i) {
    const std::size_t pair = i / m.output_blocks, block = i % m.output_blocks;
    std::vector<Product>& products = products_[m.outputs[i]];
    for (std::size_t j = 0; j < m.input_blocks; ++j) {
      products.push_back({first + block * m.input_blocks + j, m.inputs[pair * m.input_blocks + j]});
    }
  }
}

void Interpreter::order_tuples() {
  std::vector<std::size_t> sorted(tuples_.size());
  std::iota(sorted.begin(), sorted.end(), std::size_t{0});
  std::sort(sorted.begin(), sorted.end(), [&](std::size_t a, std::size_t b) {
    return tuples_[a].addresses < tuples_[b].addresses;
  });
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    const Tuple& before = tuples_[sorted[i - 1]];
    Tuple& tuple = tuples_[sorted[i]];
    tuple.order = before.order + (before.addresses == tuple.addresses ? 0 : 1);
  }
}

void Interpreter::sum_up() {
  order_tuples();
  for (auto& [output, products] : products_) {
    std::stable_sort(products.begin(), products.end(), [&](const Product& a, const Product& b) {
      const std::size_t order_a = tuples_[a.tuple].order, order_b = tuples_[b.tuple].order;
      return order_a != order_b ? order_a < order_b
                                : !a.input.is(Tag::zeroes) && b.input.is(Tag::zeroes);
    });
    Lanes sum = multiply(products.front());
    for (std::size_t i = 1; i < products.size(); ++i) {
      const Lanes next = multiply(products[i]);
      for (std::size_t lane = 0; lane < sum.size(); ++lane) {
        sum[lane] = arithmetic_.add(sum[lane], next[lane]);
      }
    }
    memory_[output] = std::move(sum);
  }
}

void Interpreter::fill(Tuple& tuple) {
  for (std::size_t i = tuple.addresses.size(); i-- > 0;) {
    const Lanes& lanes = get(tuple.addresses[i]);
    tuple.lanes.insert(tuple.lanes.end(), lanes.begin(), lanes.end());
  }
  tuple.packed = arithmetic_.packed(tuple.lanes);
}

Lanes Interpreter::multiply(const Product& product) {
  Tuple& tuple = tuples_[product.tuple];
  if (tuple.lanes.empty()) fill(tuple);
  if (product.input.is(Tag::zeroes)) {
    return {tuple.lanes.begin(), tuple.lanes.begin() + static_cast<std::ptrdiff_t>(zeroes_.size())};
  }
  return arithmetic_.multiply(tuple.lanes, tuple.packed, get(product.input));
}

std::vector<const Lanes*> Interpreter::operands_of(const VectorOperation& o, std::size_t i) {
  std::vector<const Lanes*> operands;
  for (const Addresses& operand : o.inputs) operands.push_back(&get(operand[i]));
  return operands;
}

void Interpreter::apply(const VectorOperation& o) {
  for (std::size_t i = 0; i < o.outputs.size(); ++i) {
    if (o.kind == Kind::load || o.kind == Kind::softmax || o.kind == Kind::save) {
      memory_[o.outputs[i]] = Lanes(get(o.inputs[0][i]));
    } else if (o.kind == Kind::lookup) {
      std::vector<const Lanes*> tables;
      for (const Address table : o.tables) tables.push_back(&get(table));
      memory_[o.outputs[i]] = look_up(arithmetic_, operands_of(o, i), tables);
    } else {
      memory_[o.outputs[i]] = evaluate(arithmetic_, o.kind, operands_of(o, i));
    }
  }
}

}  // namespace tactus::compiler::hir
