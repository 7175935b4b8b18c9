#include "firmware/compiler/targets/tcu/hir/interpret.h"

#include <algorithm>
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

Lane Arithmetic::add(Lane a, Lane b) const {
  if (is_real_) return a + b;
  return static_cast<Lane>(
      tcu::saturating_add(architecture_.data_type, mantissa(a), mantissa(b)));
}

Lane Arithmetic::alu(SimdOp op, Lane left, Lane right) const {
  if (is_real_) return real_alu(op, left, right);
  return static_cast<Lane>(
      tcu::alu(architecture_.data_type, op, mantissa(left), mantissa(right)));
}

Lanes evaluate(const Arithmetic& arithmetic, Kind kind,
               const std::vector<const Lanes*>& operands) {
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
      lanewise([&](auto in) {
        return alu(SimdOp::min, alu(SimdOp::max, in(0), in(1)), in(2));
      });
      break;
    case Kind::leaky_relu:
      lanewise([&](auto in) {
        return alu(SimdOp::max, in(0), alu(SimdOp::multiply, in(0), in(1)));
      });
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
      lanewise([&](auto in) {
        return alu(SimdOp::add, alu(SimdOp::multiply, in(0), in(1)), in(2));
      });
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

void Interpreter::run(const Layer& layer) {
  zeroes_.assign(arithmetic_.architecture().array_size, 0);
  products_.clear();
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

const Lanes& Interpreter::get(Address address) const {
  const auto found = memory_.find(address);
  if (found == memory_.end()) internal_error("{} was never computed", to_string(address));
  return found->second;
}

/// Constants are taken in when they are first read.
const Lanes& Interpreter::value(Address address) {
  if (address.is(Tag::zeroes)) return zeroes_;
  const auto found = memory_.find(address);
  if (found != memory_.end()) return found->second;
  const float* constant = constant_of_ ? constant_of_(address) : nullptr;
  if (constant == nullptr) return get(address);
  Lanes& lanes = memory_[address];
  for (std::size_t lane = 0; lane < zeroes_.size(); ++lane) {
    lanes.push_back(arithmetic_.from_real(constant[lane]));
  }
  return lanes;
}

void Interpreter::collect(const MatMul& m) {
  const std::size_t n = zeroes_.size();
  for (std::size_t i = 0; i < m.outputs.size(); ++i) {
    const std::size_t pair = i / m.output_blocks, block = i % m.output_blocks;
    std::vector<Product>& products = products_[m.outputs[i]];
    for (std::size_t j = 0; j < m.input_blocks; ++j) {
      Product product;
      for (std::size_t row = (j + 1) * n; row-- > j * n;) {
        product.tuple.push_back(m.weights[row * m.output_blocks + block]);
      }
      const bool biased = !m.bias.empty() && j == m.block_with_bias(block, n);
      product.tuple.push_back(biased ? m.bias[block] : Address::zeroes());
      product.input = m.inputs[pair * m.input_blocks + j];
      products.push_back(std::move(product));
    }
  }
}

void Interpreter::sum_up() {
  for (auto& [output, products] : products_) {
    std::stable_sort(products.begin(), products.end(), [](const Product& a, const Product& b) {
      return a.tuple != b.tuple ? a.tuple < b.tuple
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

Lanes Interpreter::multiply(const Product& product) {
  Lanes out = value(product.tuple.back());
  if (product.input.is(Tag::zeroes)) return out;
  const Lanes input = value(product.input);
  const std::size_t n = out.size();
  for (std::size_t row = 0; row < n; ++row) {
    if (product.tuple[n - 1 - row].is(Tag::zeroes)) continue;
    const Lanes& weights = value(product.tuple[n - 1 - row]);
    for (std::size_t lane = 0; lane < n; ++lane) {
      out[lane] = arithmetic_.mac(input[row], weights[lane], out[lane]);
    }
  }
  return out;
}

void Interpreter::apply(const VectorOperation& o) {
  for (std::size_t i = 0; i < o.outputs.size(); ++i) {
    if (o.kind == Kind::load || o.kind == Kind::softmax || o.kind == Kind::save) {
      memory_[o.outputs[i]] = Lanes(value(o.inputs[0][i]));
    } else if (o.kind == Kind::lookup) {
      memory_[o.outputs[i]] = look_up(o, i);
    } else {
      std::vector<const Lanes*> operands;
      for (const Addresses& operand : o.inputs) operands.push_back(&value(operand[i]));
      memory_[o.outputs[i]] = evaluate(arithmetic_, o.kind, operands);
    }
  }
}

/// The key is that of the argument as a mantissa, in both kinds of arithmetic.
Lanes Interpreter::look_up(const VectorOperation& o, std::size_t i) {
  const tcu::Architecture& architecture = arithmetic_.architecture();
  const std::size_t n = zeroes_.size(), vectors = o.tables.size() / 2;
  Lanes out = value(o.inputs[0][i]);
  for (std::size_t lane = 0; lane < n; ++lane) {
    Lane& x = out[lane];
    if (o.inputs.size() == 2) {
      x = arithmetic_.alu(SimdOp::multiply, x, value(o.inputs[1][i])[lane]);
    }
    const std::int64_t argument =
        arithmetic_.is_real() ? tcu::quantise(architecture.data_type, static_cast<float>(x))
                              : mantissa(x);
    const tcu::LookupKey key =
        tcu::lookup_key(architecture.data_type, architecture.lookup_tables, argument);
    const auto entry = [&](std::size_t table) {
      return value(o.tables[table * vectors + key.entry / n])[key.entry % n];
    };
    const Lane difference = arithmetic_.is_real()
                                ? tcu::to_real(architecture.data_type, key.difference)
                                : static_cast<Lane>(key.difference);
    x = arithmetic_.alu(SimdOp::add,
                        arithmetic_.alu(SimdOp::multiply, difference, entry(0)), entry(1));
  }
  return out;
}

}  // namespace tactus::compiler::hir
