// Functions of one element, of elements of several tensors, and quantisation.
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "firmware/reference/call.h"
#include "firmware/reference/reference.h"

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

struct Range {
  double lowest, highest;
};

/// Range of the integers of a zero point's type.
Range quantised_range(const Call& call, const Tensor* zero_point) {
  switch (zero_point == nullptr ? onnx_uint8 : zero_point->stored) {
    case onnx_uint8:
      return {0, 255};
    case onnx_int8:
      return {-128, 127};
    case onnx_uint16:
      return {0, 65535};
    case onnx_int16:
      return {-32768, 32767};
    default:
      call.fail("the zero point's type is not supported; allowed are INT8, UINT8, INT16, UINT16");
  }
}

/// Scale and zero point of every element: one for all, or one for each position of an axis.
class Steps {
 public:
  Steps(const Call& call, const Tensor& x) : scale_(call.floats(1)), zero_(call.optional(2)) {
    if (zero_ != nullptr && zero_->type != ElementType::int64)
      call.fail("zero point is no integer");
    const std::int64_t count = scale_.size();
    if (count == 1) return;
    const std::size_t axis = call.axis(call.node.integer("axis", 1), x.shape.size());
    const bool fits = scale_.shape.size() == 1 && x.shape[axis] == count &&
                      (zero_ == nullptr || zero_->size() == count);
    if (!fits) {
      call.fail("scale {} does not fit axis {} of {}", to_string(scale_.shape), axis,
                to_string(x.shape));
    }
    count_ = count;
    for (std::size_t i = axis + 1; i < x.shape.size(); ++i) inner_ *= x.shape[i];
  }
  [[nodiscard]] double scale(std::size_t i) const {
    return static_cast<double>(scale_.floats[at(i)]);
  }
  [[nodiscard]] double zero(std::size_t i) const {
    return zero_ == nullptr ? 0 : static_cast<double>(zero_->integers[at(i)]);
  }

 private:
  [[nodiscard]] std::size_t at(std::size_t i) const {
    return static_cast<std::size_t>(static_cast<std::int64_t>(i) / inner_ % count_);
  }
  const Tensor& scale_;
  const Tensor* zero_;
  std::int64_t inner_ = 1, count_ = 1;
};

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

/// Integers minus their zero point, which is one for all, or one for each index of a dimension.
Tensor less_zero_point(const Call& call, std::size_t i, std::size_t axis) {
  const Tensor none = Tensor::of({}, std::vector<std::int64_t>{0});
  const Tensor& x = call.input(i);
  const Tensor& zero = call.optional(i + 2) == nullptr ? none : *call.optional(i + 2);
  const bool fits = x.type == ElementType::int64 && zero.type == ElementType::int64 &&
                    (zero.size() == 1 || (axis < x.shape.size() && zero.size() == x.shape[axis]));
  if (!fits) {
    call.fail("input {} is {} {} with zero points {}; they do not fit", i,
              name_of(x.type, x.stored), to_string(x.shape), to_string(zero.shape));
  }
  std::int64_t inner = 1;
  for (std::size_t d = axis + 1; d < x.shape.size(); ++d) inner *= x.shape[d];
  Tensor result;
  result.shape = x.shape;
  for (std::size_t k = 0; k < x.integers.size(); ++k) {
    const auto at = static_cast<std::size_t>(static_cast<std::int64_t>(k) / inner % zero.size());
    result.floats.push_back(static_cast<float>(x.integers[k] - zero.integers[at]));
  }
  return result;
}

/// Adds sums of integer products, converted to the steps of the result. The second operand's scale
/// is one for all, or one for each index of the result's dimension `axis`.
void add_requantised(Call& call, const Tensor& sums, std::size_t axis) {
  const Tensor &first = call.floats(1), &second = call.floats(4), &scale = call.floats(6);
  const Tensor& zero = call.input(7);
  const bool fits = first.size() == 1 && scale.size() == 1 && zero.integers.size() == 1 &&
                    (second.size() == 1 || second.size() == sums.shape[axis]);
  if (!fits) {
    call.fail("scales have shapes {}, {} and {}; supported are one value, but for the second",
              to_string(first.shape), to_string(second.shape), to_string(scale.shape));
  }
  const Range range = quantised_range(call, &zero);
  std::int64_t inner = 1;
  for (std::size_t d = axis + 1; d < sums.shape.size(); ++d) inner *= sums.shape[d];
  Tensor result;
  result.shape = sums.shape;
  result.type = ElementType::int64;
  result.stored = zero.stored;
  for (std::size_t k = 0; k < sums.floats.size(); ++k) {
    const auto at = static_cast<std::size_t>(static_cast<std::int64_t>(k) / inner % second.size());
    const float factor = first.floats[0] * second.floats[at] / scale.floats[0];
    const double whole = std::nearbyint(static_cast<double>(sums.floats[k] * factor));
    result.integers.push_back(static_cast<std::int64_t>(
        std::clamp(whole + static_cast<double>(zero.integers[0]), range.lowest, range.highest)));
  }
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
  const auto apply = [&](auto& values) {
    for (auto& x : values) {
      if (op == "Neg" || (op == "Abs" && x < 0)) {
        x = -x;
      } else if (op == "Sign") {
        x = static_cast<std::decay_t<decltype(x)>>((x > 0 ? 1 : 0) - (x < 0 ? 1 : 0));
      }
    }
  };
  for (const std::int64_t x : result.integers) {
    if (x == std::numeric_limits<std::int64_t>::min()) call.fail("{} has no negative", x);
  }
  apply(result.floats);
  apply(result.integers);
  call.results.push_back(std::move(result));
}

void run_pow(Call& call) {
  Tensor exponent = call.input(1);
  const Tensor& base = call.input(0);
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

void run_quantize_linear(Call& call) {
  const Tensor& x = call.floats(0);
  const Steps steps(call, x);
  const Range range = quantised_range(call, call.optional(2));
  Tensor result;
  result.shape = x.shape;
  result.type = ElementType::int64;
  result.stored = call.optional(2) == nullptr ? onnx_uint8 : call.optional(2)->stored;
  for (std::size_t i = 0; i < x.floats.size(); ++i) {
    const double whole = std::nearbyint(static_cast<double>(x.floats[i]) / steps.scale(i));
    result.integers.push_back(
        static_cast<std::int64_t>(std::clamp(whole + steps.zero(i), range.lowest, range.highest)));
  }
  call.results.push_back(std::move(result));
}

void run_dequantize_linear(Call& call) {
  const Tensor& x = call.input(0);
  if (x.type != ElementType::int64) call.fail("input 0 is FLOAT; allowed are integers");
  const Steps steps(call, x);
  Tensor result;
  result.shape = x.shape;
  for (std::size_t i = 0; i < x.integers.size(); ++i) {
    result.floats.push_back(
        static_cast<float>((static_cast<double>(x.integers[i]) - steps.zero(i)) * steps.scale(i)));
  }
  call.results.push_back(std::move(result));
}

void run_q_linear_conv(Call& call) {
  const Tensor x = less_zero_point(call, 0, 1), w = less_zero_point(call, 3, 0);
  std::vector<const Tensor*> inputs{&x, &w};
  Tensor bias;
  Node conv = call.node;
  conv.op_type = "Conv";
  conv.inputs = {"x", "w"};
  if (const Tensor* whole = call.optional(8)) {
    bias.shape = whole->shape;
    bias.floats.assign(whole->integers.begin(), whole->integers.end());
    inputs.push_back(&bias);
    conv.inputs.emplace_back("b");
  }
  add_requantised(call, run_node(conv, call.opset, inputs).front(), 1);
}

void run_dynamic_quantize_linear(Call& call) {
  const Tensor& x = call.floats(0);
  float least = 0, most = 0;
  for (const float value : x.floats) {
    least = std::min(least, value);
    most = std::max(most, value);
  }
  const float scale = most == least ? 1 : (most - least) / 255;
  const double zero = std::clamp(std::nearbyint(static_cast<double>(-least / scale)), 0.0, 255.0);
  Tensor result;
  result.shape = x.shape;
  result.type = ElementType::int64;
  result.stored = onnx_uint8;
  for (const float value : x.floats) {
    const double whole = std::nearbyint(static_cast<double>(value / scale)) + zero;
    result.integers.push_back(static_cast<std::int64_t>(std::clamp(whole, 0.0, 255.0)));
  }
  Tensor point = Tensor::of({}, std::vector{static_cast<std::int64_t>(zero)});
  point.stored = onnx_uint8;
  call.results = {std::move(result), Tensor::of({}, std::vector<float>{scale}), std::move(point)};
}

/// MatMulInteger and ConvInteger: sums of products of integers, not scaled.
void run_integer_product(Call& call) {
  const bool is_conv = call.node.op_type == "ConvInteger";
  const std::size_t ranks[] = {call.input(0).shape.size(), call.input(1).shape.size()};
  if (ranks[0] < 2 || ranks[1] < 2) {
    call.fail("inputs have shapes {} and {}; two dimensions and more are allowed",
              to_string(call.input(0).shape), to_string(call.input(1).shape));
  }
  const Tensor x = less_zero_point(call, 0, is_conv ? 1 : ranks[0] - 2);
  const Tensor w = less_zero_point(call, 1, is_conv ? 0 : ranks[1] - 1);
  Node product = call.node;
  product.op_type = is_conv ? "Conv" : "MatMul";
  product.inputs = {"a", "b"};
  const Tensor sums = run_node(product, call.opset, {&x, &w}).front();
  Tensor result =
      Tensor::of(sums.shape, std::vector<std::int64_t>(sums.floats.begin(), sums.floats.end()));
  result.stored = onnx_int32;
  call.results.push_back(std::move(result));
}

void run_q_linear_mat_mul(Call& call) {
  const Tensor &a = call.input(0), &b = call.input(3);
  if (a.shape.size() < 2 || b.shape.size() < 2) {
    call.fail("inputs have shapes {} and {}; two dimensions and more are allowed",
              to_string(a.shape), to_string(b.shape));
  }
  const Tensor x = less_zero_point(call, 0, a.shape.size() - 2);
  const Tensor w = less_zero_point(call, 3, b.shape.size() - 1);
  Node product = call.node;
  product.op_type = "MatMul";
  product.inputs = {"a", "b"};
  const Tensor sums = run_node(product, call.opset, {&x, &w}).front();
  add_requantised(call, sums, sums.shape.size() - 1);
}

}  // namespace tactus::nn
