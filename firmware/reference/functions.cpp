// Functions of one element, and of elements of several tensors.
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "firmware/reference/call.h"

namespace tactus::nn {
namespace {

template <typename Function>
void map(Call& call, Function&& function) {
  Tensor result = call.floats(0);
  for (float& value : result.floats) value = static_cast<float>(function(double{value}));
  call.results.push_back(std::move(result));
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

/// Combines the operands two at a time, from the first to the last.
template <typename Function>
void fold_left(Call& call, Function&& function) {
  if (call.input_count() == 0) call.fail("has no inputs");
  Tensor result = call.input(0);
  for (std::size_t i = 1; i < call.input_count(); ++i) {
    result = call.combined(result, call.input(i), function);
  }
  call.results.push_back(std::move(result));
}

/// A power of integers, which wraps; a negative exponent rounds toward zero.
std::int64_t whole_power(std::int64_t base, std::int64_t exponent) {
  if (exponent < 0) return base == 1 ? 1 : base == -1 ? (exponent % 2 == 0 ? 1 : -1) : 0;
  std::uint64_t power = 1, factor = static_cast<std::uint64_t>(base);
  for (; exponent > 0; exponent >>= 1, factor *= factor) {
    if ((exponent & 1) != 0) power *= factor;
  }
  return static_cast<std::int64_t>(power);
}

template <typename Compare>
void compare(Call& call, Compare&& holds) {
  Tensor result = call.combined(call.input(0), call.input(1),
                                [&](auto a, auto b) { return holds(a, b) ? decltype(a){1} : 0; });
  if (result.type == ElementType::float32) {
    result.integers.assign(result.floats.begin(), result.floats.end());
    result.floats.clear();
    result.type = ElementType::int64;
  }
  result.stored = onnx_bool;
  call.results.push_back(std::move(result));
}

}  // namespace

void run_function(Call& call) {
  const std::string& op = call.node.op_type;
  const auto real = [&](const char* name, float fallback) {
    return static_cast<double>(call.node.real(name, fallback));
  };
  if (op == "Exp") return map(call, [](double x) { return std::exp(x); });
  if (op == "Log") return map(call, [](double x) { return std::log(x); });
  if (op == "Sqrt") return map(call, [](double x) { return std::sqrt(x); });
  if (op == "Reciprocal") return map(call, [](double x) { return 1 / x; });
  if (op == "Sigmoid") return map(call, sigmoid);
  if (op == "Tanh") return map(call, [](double x) { return std::tanh(x); });
  if (op == "Erf") return map(call, [](double x) { return std::erf(x); });
  if (op == "Floor") return map(call, [](double x) { return std::floor(x); });
  if (op == "Ceil") return map(call, [](double x) { return std::ceil(x); });
  // Ties go to the even neighbour.
  if (op == "Round") return map(call, [](double x) { return std::nearbyint(x); });
  if (op == "Softplus") return map(call, softplus);
  if (op == "Softsign") return map(call, [](double x) { return x / (1 + std::abs(x)); });
  if (op == "HardSwish") {
    return map(call, [](double x) { return x * std::clamp(x / 6 + 0.5, 0.0, 1.0); });
  }
  if (op == "HardSigmoid") {
    const double alpha = real("alpha", 0.2F), beta = real("beta", 0.5F);
    return map(call, [=](double x) { return std::clamp(alpha * x + beta, 0.0, 1.0); });
  }
  if (op == "Elu") {
    const double alpha = real("alpha", 1);
    return map(call, [=](double x) { return x >= 0 ? x : alpha * std::expm1(x); });
  }
  if (op == "Celu") {
    const double alpha = real("alpha", 1);
    return map(call, [=](double x) { return x >= 0 ? x : alpha * std::expm1(x / alpha); });
  }
  if (op == "Selu") {
    const double alpha = real("alpha", 1.67326319217681884765625F);
    const double gamma = real("gamma", 1.05070102214813232421875F);
    return map(call, [=](double x) { return gamma * (x > 0 ? x : alpha * std::expm1(x)); });
  }
  if (op == "ThresholdedRelu") {
    const double alpha = real("alpha", 1);
    return map(call, [=](double x) { return x > alpha ? x : 0; });
  }
  if (op == "Swish") {
    const double alpha = real("alpha", 1);
    return map(call, [=](double x) { return x * sigmoid(alpha * x); });
  }
  if (op == "Mish") return map(call, [](double x) { return x * std::tanh(softplus(x)); });
  if (op == "Gelu") {
    if (call.node.text("approximate", "none") == "tanh") {
      return map(call, [](double x) {
        return x / 2 * (1 + std::tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));
      });
    }
    return map(call, [](double x) { return x / 2 * (1 + std::erf(x / 1.4142135623730951)); });
  }
  call.fail("is no function of one element");
}

/// Abs, Neg and Sign also accept integers.
void run_signs(Call& call) {
  const std::string& op = call.node.op_type;
  Tensor result = call.input(0);
  const auto negative = [](auto x) {
    if constexpr (std::is_same_v<decltype(x), float>) return -x;
    if constexpr (!std::is_same_v<decltype(x), float>) {
      return static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(x));
    }
  };
  const auto apply = [&](auto& values) {
    for (auto& x : values) {
      if (op == "Neg" || (op == "Abs" && x < 0)) {
        x = negative(x);
      } else if (op == "Sign") {
        x = static_cast<std::decay_t<decltype(x)>>((x > 0 ? 1 : 0) - (x < 0 ? 1 : 0));
      }
    }
  };
  apply(result.floats);
  apply(result.integers);
  call.results.push_back(std::move(result));
}

void run_pow(Call& call) {
  Tensor exponent = call.input(1);
  const Tensor& base = call.input(0);
  if (base.type == ElementType::int64 && exponent.type == ElementType::int64) {
    call.results.push_back(call.combined(base, exponent, [&](auto a, auto b) {
      return static_cast<decltype(a)>(
          whole_power(static_cast<std::int64_t>(a), static_cast<std::int64_t>(b)));
    }));
    return;
  }
  Tensor real = base;
  for (Tensor* tensor : {&exponent, &real}) {
    if (tensor->type == ElementType::float32) continue;
    tensor->floats.assign(tensor->integers.begin(), tensor->integers.end());
    tensor->type = ElementType::float32;
  }
  Tensor result = call.combined(real, exponent, [](auto a, auto b) {
    return static_cast<decltype(a)>(std::pow(static_cast<double>(a), static_cast<double>(b)));
  });
  if (base.type == ElementType::int64) {
    result.integers.assign(result.floats.begin(), result.floats.end());
    result.floats.clear();
    result.type = ElementType::int64;
    result.stored = base.stored;
  }
  call.results.push_back(std::move(result));
}

void run_min(Call& call) {
  fold_left(call, [](auto a, auto b) { return std::min(a, b); });
}
void run_max(Call& call) {
  fold_left(call, [](auto a, auto b) { return std::max(a, b); });
}
void run_sum(Call& call) {
  // Integers wrap, as in Add.
  fold_left(call, [](auto a, auto b) {
    if constexpr (std::is_same_v<decltype(a), float>) return a + b;
    if constexpr (!std::is_same_v<decltype(a), float>) {
      return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) +
                                       static_cast<std::uint64_t>(b));
    }
  });
}
void run_mean(Call& call) {
  run_sum(call);
  for (float& x : call.results[0].floats) x /= static_cast<float>(call.input_count());
}

void run_equal(Call& call) {
  compare(call, [](auto a, auto b) { return a == b; });
}
void run_less(Call& call) {
  const std::string& op = call.node.op_type;
  compare(call, [&](auto a, auto b) {
    return op == "Less" ? a < b : op == "Greater" ? a > b : op == "LessOrEqual" ? a <= b : a >= b;
  });
}
void run_logic(Call& call) {
  const std::string& op = call.node.op_type;
  compare(call, [&](auto a, auto b) {
    const bool x = a != 0, y = b != 0;
    return op == "And" ? x && y : op == "Or" ? x || y : x != y;
  });
}
void run_not(Call& call) {
  Tensor result = call.input(0);
  for (std::int64_t& x : result.integers) x = x == 0 ? 1 : 0;
  call.results.push_back(std::move(result));
}

void run_where(Call& call) {
  const Tensor& condition = call.input(0);
  if (condition.type != ElementType::int64) call.fail("input 0 is no BOOL");
  const Tensor& a = call.input(1);
  // The selection is used twice: for the elements taken and for the elements kept.
  Tensor chosen = condition;
  chosen.type = a.type;
  chosen.stored = a.stored;
  if (a.type == ElementType::float32) {
    chosen.floats.assign(condition.integers.begin(), condition.integers.end());
    chosen.integers.clear();
  }
  const Tensor first = call.combined(chosen, a, [](auto c, auto x) { return c != 0 ? x : 0; });
  const Tensor second =
      call.combined(chosen, call.input(2), [](auto c, auto x) { return c != 0 ? 0 : x; });
  call.results.push_back(call.combined(first, second, [](auto x, auto y) { return x + y; }));
}

void run_p_relu(Call& call) {
  const Tensor& x = call.floats(0);
  Tensor result =
      call.combined(x, call.floats(1), [](auto a, auto slope) { return a < 0 ? a * slope : a; });
  if (result.shape != x.shape) {
    call.fail("slope {} does not fit {}", to_string(call.input(1).shape), to_string(x.shape));
  }
  call.results.push_back(std::move(result));
}

}  // namespace tactus::nn
