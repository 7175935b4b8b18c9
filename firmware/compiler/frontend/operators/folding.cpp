#include "firmware/compiler/frontend/operators/folding.h"

#include <algorithm>
#include <cmath>

#include "firmware/onnx/shapes.h"
#include "isa/support/text.h"

namespace tactus::compiler {
namespace {

float apply(char op, float a, float b) {
  switch (op) {
    case 'A':
      return a + b;
    case 'S':
      return a - b;
    case 'M':
      return a * b;
    default:
      return a / b;
  }
}

/// Integer arithmetic that wraps as in runtimes. Unsigned numbers make the overflow well defined.
std::int64_t apply(char op, std::int64_t a, std::int64_t b) {
  const auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
  switch (op) {
    case 'A':
      return static_cast<std::int64_t>(x + y);
    case 'S':
      return static_cast<std::int64_t>(x - y);
    case 'M':
      return static_cast<std::int64_t>(x * y);
    default:
      return b == -1 ? static_cast<std::int64_t>(0 - x) : a / b;
  }
}

template <typename T>
std::vector<T> combine(char op, const std::vector<T>& a, const BroadcastIndex& at_a,
                       const std::vector<T>& b, const BroadcastIndex& at_b,
                       const nn::Shape& shape) {
  std::vector<T> result;
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return result;
  nn::Shape position(shape.size(), 0);
  do {
    result.push_back(apply(op, a[static_cast<std::size_t>(at_a(position))],
                           b[static_cast<std::size_t>(at_b(position))]));
  } while (next_position(position, shape));
  return result;
}

}  // namespace

BroadcastIndex::BroadcastIndex(const nn::Shape& operand, const nn::Shape& result)
    : strides_(result.size(), 0) {
  const std::vector<std::int64_t> own = strides_of(operand);
  const std::size_t skipped = result.size() - operand.size();
  for (std::size_t k = 0; k < operand.size(); ++k) {
    if (operand[k] != 1) strides_[skipped + k] = own[k];
  }
}

std::int64_t BroadcastIndex::operator()(const nn::Shape& position) const {
  std::int64_t index = 0;
  for (std::size_t k = 0; k < strides_.size(); ++k) index += strides_[k] * position[k];
  return index;
}

Reciprocals machine_reciprocals(const std::vector<float>& divisors) {
  float largest = 0;
  for (const float value : divisors) largest = std::max(largest, std::fabs(value));
  Reciprocals result;
  while (std::ldexp(1.0F, result.shift) < largest) ++result.shift;
  if (result.shift <= 2) result.shift = 0;
  for (const float value : divisors) {
    result.factors.push_back(std::ldexp(1.0F, result.shift) / value);
  }
  return result;
}

void fold_arithmetic(Planner& p) {
  const nn::Tensor& a = *p.constant(0);
  const nn::Tensor& b = *p.constant(1);
  const std::optional<nn::Shape> shape = nn::broadcast_shape(a.shape, b.shape);
  if (!shape || a.type != b.type) {
    p.problem("operands are {}{} and {}{}; supported are shapes that broadcast, of one type",
              nn::name_of(a.type), nn::to_string(a.shape), nn::name_of(b.type),
              nn::to_string(b.shape));
    return;
  }
  (void)nn::element_count(*shape, p.node.where());
  const BroadcastIndex at_a(a.shape, *shape), at_b(b.shape, *shape);
  const char op = p.node.op_type[0];
  if (a.type == nn::ElementType::float32) {
    p.fold(nn::Tensor::of(*shape, combine(op, a.floats, at_a, b.floats, at_b, *shape)));
    return;
  }
  if (op == 'D' && std::find(b.integers.begin(), b.integers.end(), 0) != b.integers.end()) {
    p.problem("divides integers by zero");
    return;
  }
  p.fold(nn::Tensor::of(*shape, combine(op, a.integers, at_a, b.integers, at_b, *shape)));
}

}  // namespace tactus::compiler
