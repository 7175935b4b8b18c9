// Operators on single elements or along one dimension.
#include <algorithm>
#include <cmath>
#include <limits>

#include "firmware/reference/call.h"

namespace tactus::nn {
namespace {

template <typename Function>
void run_binary(Call& call, Function&& function) {
  call.results.push_back(call.combined(call.input(0), call.input(1), function));
}

/// Integer arithmetic that wraps, as in the frameworks.
template <typename Function>
std::int64_t wrapped(std::int64_t a, std::int64_t b, Function&& function) {
  return static_cast<std::int64_t>(
      function(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b)));
}

struct Plus {
  float operator()(float a, float b) const { return a + b; }
  std::int64_t operator()(std::int64_t a, std::int64_t b) const {
    return wrapped(a, b, [](std::uint64_t x, std::uint64_t y) { return x + y; });
  }
};
struct Minus {
  float operator()(float a, float b) const { return a - b; }
  std::int64_t operator()(std::int64_t a, std::int64_t b) const {
    return wrapped(a, b, [](std::uint64_t x, std::uint64_t y) { return x - y; });
  }
};
struct Times {
  float operator()(float a, float b) const { return a * b; }
  std::int64_t operator()(std::int64_t a, std::int64_t b) const {
    return wrapped(a, b, [](std::uint64_t x, std::uint64_t y) { return x * y; });
  }
};
struct Quotient {
  const Call& call;
  float operator()(float a, float b) const { return a / b; }
  std::int64_t operator()(std::int64_t a, std::int64_t b) const {
    if (b == 0) call.fail("integer division by zero");
    if (b == -1) return Minus()(std::int64_t{0}, a);
    return a / b;
  }
};

/// With the sign of the dividend, as in C, or of the divisor, as in Python.
struct Remainder {
  const Call& call;
  bool of_dividend;
  float operator()(float a, float b) const {
    const float rest = std::fmod(a, b);
    return of_dividend || rest == 0 || (rest < 0) == (b < 0) ? rest : rest + b;
  }
  std::int64_t operator()(std::int64_t a, std::int64_t b) const {
    if (b == 0) call.fail("integer division by zero");
    const std::int64_t rest = b == -1 ? 0 : a % b;
    return of_dividend || rest == 0 || (rest < 0) == (b < 0) ? rest : rest + b;
  }
};

template <typename Function>
void run_unary(Call& call, Function&& function) {
  Tensor result = call.floats(0);
  for (float& value : result.floats) value = function(value);
  call.results.push_back(std::move(result));
}

/// A limit of Clip from operator set 11 on: an optional scalar.
template <typename T>
T limit(const Call& call, std::size_t i, T fallback) {
  const Tensor* tensor = call.optional(i);
  if (tensor == nullptr) return fallback;
  if (tensor->size() != 1 || tensor->shape.size() > 1 || tensor->type != call.input(0).type) {
    call.fail("input {} is {} {}; a scalar of the type of input 0 is allowed", i,
              name_of(tensor->type), to_string(tensor->shape));
  }
  if constexpr (std::is_same_v<T, float>) return tensor->floats[0];
  if constexpr (!std::is_same_v<T, float>) return tensor->integers[0];
}

template <typename T>
void clip(std::vector<T>& values, T low, T high) {
  // The order makes the upper limit win if the limits cross.
  for (T& value : values) value = std::min(std::max(value, low), high);
}

}  // namespace

void run_add(Call& call) { run_binary(call, Plus()); }
void run_sub(Call& call) { run_binary(call, Minus()); }
void run_mul(Call& call) { run_binary(call, Times()); }
void run_div(Call& call) { run_binary(call, Quotient{call}); }

void run_mod(Call& call) {
  const bool of_dividend = call.node.integer("fmod", 0) != 0;
  if (!of_dividend && call.opset < 28 && call.input(0).type == ElementType::float32) {
    call.fail("attribute \"fmod\" is 0; for real numbers it must be 1");
  }
  run_binary(call, Remainder{call, of_dividend});
}

void run_relu(Call& call) {
  run_unary(call, [](float x) { return x > 0 ? x : 0.0F; });
}

void run_leaky_relu(Call& call) {
  const float alpha = call.node.real("alpha", 0.01F);
  run_unary(call, [alpha](float x) { return x >= 0 ? x : alpha * x; });
}

void run_clip(Call& call) {
  constexpr float highest = std::numeric_limits<float>::max();
  Tensor result = call.opset < 11 ? call.floats(0) : call.input(0);
  if (call.opset < 11) {
    clip(result.floats, call.node.real("min", -highest), call.node.real("max", highest));
  } else if (result.type == ElementType::float32) {
    clip(result.floats, limit(call, 1, -highest), limit(call, 2, highest));
  } else {
    clip(result.integers, limit(call, 1, std::numeric_limits<std::int64_t>::min()),
         limit(call, 2, std::numeric_limits<std::int64_t>::max()));
  }
  call.results.push_back(std::move(result));
}

void run_softmax(Call& call) {
  Tensor result = call.floats(0);
  const bool along_axis = call.opset >= 13;
  const std::size_t axis =
      call.axis(call.node.integer("axis", along_axis ? -1 : 1), result.shape.size());
  std::int64_t inner = 1;  // distance of successive elements of one distribution
  std::int64_t length = 1;
  for (std::size_t i = axis; i < result.shape.size(); ++i) {
    // Up to operator set 12, all dimensions from the axis on form one distribution.
    (along_axis && i > axis ? inner : length) *= result.shape[i];
  }
  if (result.size() == 0) return call.results.push_back(std::move(result));
  const std::int64_t outer = result.size() / (inner * length);
  for (std::int64_t o = 0; o < outer; ++o) {
    for (std::int64_t i = 0; i < inner; ++i) {
      float* values = result.floats.data() + o * length * inner + i;
      float largest = values[0];
      for (std::int64_t k = 1; k < length; ++k) largest = std::max(largest, values[k * inner]);
      double sum = 0;
      for (std::int64_t k = 0; k < length; ++k) {
        sum += static_cast<double>(values[k * inner] = std::exp(values[k * inner] - largest));
      }
      for (std::int64_t k = 0; k < length; ++k) values[k * inner] /= static_cast<float>(sum);
    }
  }
  call.results.push_back(std::move(result));
}

void run_batch_normalization(Call& call) {
  Tensor result = call.floats(0);
  if (call.node.integer("spatial", 1) != 1) call.fail("attribute \"spatial\" must be 1");
  if (result.shape.size() < 2) {
    call.fail("input 0 has shape {}; 2 or more dimensions are allowed", to_string(result.shape));
  }
  if (call.node.integer("training_mode", 0) != 0) call.fail("training mode is not supported");
  const std::int64_t channels = result.shape[1];
  for (std::size_t i = 1; i < 5; ++i) {
    if (call.floats(i).shape != Shape{channels}) {
      call.fail("input {} has shape {}; allowed is [{}]", i, to_string(call.input(i).shape),
                channels);
    }
  }
  const float epsilon = call.node.real("epsilon", 1e-5F);
  if (result.size() == 0) return call.results.push_back(std::move(result));
  const std::int64_t plane = result.size() / result.shape[0] / channels;
  for (std::int64_t i = 0; i < result.size(); ++i) {
    const auto c = static_cast<std::size_t>(i / plane % channels);
    float& x = result.floats[static_cast<std::size_t>(i)];
    x = (x - call.input(3).floats[c]) / std::sqrt(call.input(4).floats[c] + epsilon) *
            call.input(1).floats[c] +
        call.input(2).floats[c];
  }
  call.results.push_back(std::move(result));
}

}  // namespace tactus::nn
