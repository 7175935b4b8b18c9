// Quantisation, and products of quantised numbers.
#include <algorithm>
#include <cmath>

#include "firmware/onnx/number_types.h"
#include "firmware/reference/quantised.h"
#include "firmware/reference/reference.h"

namespace tactus::nn {
namespace {

/// Scale and zero point of every element: one for all, one for each position of an axis, or one for
/// each block of positions of an axis.
class Steps {
 public:
  Steps(const Call& call, const Tensor& x) : scale_(call.floats(1)), zero_(call.optional(2)) {
    const std::int64_t block = call.node.integer("block_size", 0);
    if (zero_ != nullptr && (zero_->type != ElementType::int64 || zero_->size() != scale_.size())) {
      call.fail("the zero point is {} {}; allowed are integers in the shape of the scale, {}",
                name_of(zero_->type), to_string(zero_->shape), to_string(scale_.shape));
    }
    if (block == 0 && scale_.size() == 1) return;
    const std::size_t axis = call.axis(call.node.integer("axis", 1), x.shape.size());
    size_ = x.shape[axis];
    count_ = size_;
    Shape wanted{size_};
    if (block > 0) {
      block_ = block;
      count_ = (size_ + block - 1) / block;
      wanted = x.shape;
      wanted[axis] = count_;
    }
    if (block < 0 || scale_.shape != wanted) {
      call.fail("scale {} and block size {} do not fit axis {} of {}", to_string(scale_.shape),
                block, axis, to_string(x.shape));
    }
    for (std::size_t i = axis + 1; i < x.shape.size(); ++i) inner_ *= x.shape[i];
    blocked_ = block > 0;
  }
  [[nodiscard]] float scale(std::size_t i) const { return scale_.floats[at(i)]; }
  [[nodiscard]] double zero(std::size_t i) const {
    return zero_ == nullptr ? 0 : static_cast<double>(zero_->integers[at(i)]);
  }

 private:
  [[nodiscard]] std::size_t at(std::size_t i) const {
    const auto place = static_cast<std::int64_t>(i);
    const std::int64_t along = place / inner_ % size_ / block_;
    if (!blocked_) return static_cast<std::size_t>(along);
    return static_cast<std::size_t>((place / inner_ / size_ * count_ + along) * inner_ +
                                    place % inner_);
  }
  const Tensor& scale_;
  const Tensor* zero_;
  bool blocked_ = false;
  std::int64_t inner_ = 1, size_ = 1, count_ = 1, block_ = 1;
};

/// Type of QuantizeLinear's result: that of the zero point, or the attribute's.
std::int32_t quantised_type(const Call& call) {
  const Tensor* zero = call.optional(2);
  const std::int64_t stated = call.node.integer("output_dtype", 0);
  if (stated == 0) return zero == nullptr ? std::int32_t{onnx_uint8} : type_of(*zero);
  if (zero != nullptr && type_of(*zero) != stated) {
    call.fail("attribute \"output_dtype\" is {}, but the zero point is {}", stated,
              name_of(zero->type, zero->stored));
  }
  if (stated != onnx_uint8 && stated != onnx_int8 && stated != onnx_uint16 &&
      stated != onnx_int16) {
    call.fail(
        "attribute \"output_dtype\" is {}; allowed are 2 (UINT8), 3 (INT8), 4 (UINT16), 5 (INT16)",
        stated);
  }
  return static_cast<std::int32_t>(stated);
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
  const QuantisedRange range = quantised_range(call, type_of(zero));
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

void run_quantize_linear(Call& call) {
  const Tensor& x = call.floats(0);
  const Steps steps(call, x);
  if (const std::int64_t precision = call.node.integer("precision", 0);
      precision != 0 && precision != onnx_float) {
    call.fail("attribute \"precision\" is {}; allowed is 1 (FLOAT)", precision);
  }
  Tensor result;
  result.shape = x.shape;
  result.type = ElementType::int64;
  result.stored = quantised_type(call);
  const QuantisedRange range = quantised_range(call, result.stored);
  for (std::size_t i = 0; i < x.floats.size(); ++i) {
    result.integers.push_back(quantised(x.floats[i], steps.scale(i), steps.zero(i), range));
  }
  call.results.push_back(std::move(result));
}

void run_dequantize_linear(Call& call) {
  const Tensor& x = call.input(0);
  if (x.type != ElementType::int64) call.fail("input 0 is FLOAT; allowed are integers");
  const std::int64_t type = call.node.integer("output_dtype", onnx_float);
  if (type != 0 && !is_real_number(type)) {
    call.fail(
        "attribute \"output_dtype\" is {}; allowed are 1 (FLOAT), 10 (FLOAT16), 11 (DOUBLE), 16 "
        "(BFLOAT16)",
        type);
  }
  const Steps steps(call, x);
  Tensor result;
  result.shape = x.shape;
  for (std::size_t i = 0; i < x.integers.size(); ++i) {
    const double real =
        (static_cast<double>(x.integers[i]) - steps.zero(i)) * static_cast<double>(steps.scale(i));
    result.floats.push_back(rounded_to(static_cast<std::int32_t>(type), static_cast<float>(real)));
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

// ---- quantisers of any width (QONNX, Brevitas) --------------------------------------------------

namespace {

double width_of(const Call& call) {
  const Tensor& width = call.floats(3);
  if (width.size() != 1) {
    call.fail("input 3 has shape {}; allowed is one number", to_string(width.shape));
  }
  return static_cast<double>(width.floats[0]);
}

/// Rounds as attribute "rounding_mode" says.
double rounded(const Call& call, double x) {
  std::string mode = call.node.text("rounding_mode", "ROUND");
  std::transform(mode.begin(), mode.end(), mode.begin(),
                 [](unsigned char letter) { return std::toupper(letter); });
  if (mode == "ROUND" || mode == "HALF_EVEN") return std::nearbyint(x);
  if (mode == "CEIL") return std::ceil(x);
  if (mode == "FLOOR") return std::floor(x);
  if (mode == "ROUND_TO_ZERO" || mode == "DOWN") return std::trunc(x);
  if (mode == "UP") return x < 0 ? std::floor(x) : std::ceil(x);
  if (mode == "HALF_UP") return x < 0 ? std::ceil(x - 0.5) + 0.0 : std::floor(x + 0.5);
  if (mode == "HALF_DOWN") return x < 0 ? std::floor(x + 0.5) : std::ceil(x - 0.5);
  call.fail(
      "attribute \"rounding_mode\" is \"{}\"; allowed are ROUND, CEIL, FLOOR, ROUND_TO_ZERO, "
      "UP, DOWN, HALF_UP, HALF_DOWN, HALF_EVEN",
      call.node.text("rounding_mode"));
}

}  // namespace

void run_quant(Call& call) {
  const Tensor& x = call.floats(0);
  const double bits = width_of(call);
  if (!(bits >= 1) || bits > 32) call.fail("the width is {} bits; allowed are 1 to 32", bits);
  const bool is_signed = call.node.integer("signed", 1) != 0;
  const bool narrow = call.node.integer("narrow", 0) != 0;
  const double half = std::pow(2, bits - 1);
  const double low = is_signed ? -half + (narrow ? 1 : 0) : 0;
  const double high = is_signed ? half - 1 : 2 * half - (narrow ? 2 : 1);
  const Tensor scaled = call.combined(x, call.floats(1), [](float a, float b) { return a / b; });
  const Tensor moved =
      call.combined(scaled, call.floats(2), [](float a, float z) { return a + z; });
  Tensor whole = moved;
  for (float& value : whole.floats) {
    const double clipped = std::clamp(static_cast<double>(value), low, high);
    value = static_cast<float>(std::clamp(rounded(call, clipped), low, high));
  }
  const Tensor back = call.combined(whole, call.floats(2), [](float a, float z) { return a - z; });
  call.results.push_back(
      call.combined(back, call.floats(1), [](float a, float s) { return a * s; }));
}

void run_bipolar_quant(Call& call) {
  call.results.push_back(call.combined(call.floats(0), call.floats(1), [](float x, float scale) {
    return x >= 0 ? scale : -scale;
  }));
}

}  // namespace tactus::nn
