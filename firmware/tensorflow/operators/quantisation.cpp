// Operators of quantisation-aware training, which round numbers as if they had few bits.
//
// For constants the rounded values are computed. Values computed at run time pass a QuantizeLinear
// and a DequantizeLinear, which the compiler treats as a bound on the real number, since the
// hardware rounds to its own data type.
#include <algorithm>
#include <cmath>

#include "firmware/tensorflow/translator.h"

namespace tactus::tf {
namespace {

/// The integers of a quantised number, the step between their values, and the integer that stands
/// for 0.
struct Steps {
  double least = 0, most = 255, scale = 1, zero = 0;
  [[nodiscard]] double low() const { return (least - zero) * scale; }
  [[nodiscard]] double high() const { return (most - zero) * scale; }
};

/// Shifts the range slightly, so that 0 is exactly representable.
Steps plan_steps(const Translator& t, float low, float high) {
  const std::int64_t bits = t.node().integer("num_bits", 8);
  if (bits < 2 || bits > 16) t.fail("attribute num_bits is {}; supported are 2 to 16", bits);
  Steps steps;
  steps.least = t.node().flag("narrow_range", false) ? 1 : 0;
  steps.most = static_cast<double>((std::int64_t{1} << bits) - 1);
  if (!(low <= 0 && high >= 0 && low < high) || !std::isfinite(low) || !std::isfinite(high)) {
    t.fail("the range is {} to {}; supported are ranges with 0 among them", low, high);
  }
  // TensorFlow computes in single precision, too.
  const float scale = (high - low) / static_cast<float>(steps.most - steps.least);
  const float zero = static_cast<float>(steps.least) - low / scale;
  steps.scale = double{scale};
  steps.zero = std::clamp<double>(std::round(double{zero}), steps.least, steps.most);
  return steps;
}

float rounded(float x, const Steps& steps) {
  const auto low = static_cast<float>(steps.low()), high = static_cast<float>(steps.high());
  const auto scale = static_cast<float>(steps.scale);
  const float inside = std::min(std::max(x, low), high) - low;
  return std::floor(inside / scale + 0.5F) * scale + low;
}

void fake_quantise(Translator& t, const std::vector<Steps>& channels) {
  Value& x = t.input(0);
  if (x.type != nn::ElementType::float32) t.fail("supported are real numbers");
  if (const nn::Tensor* known = t.constant(x)) {
    nn::Tensor tensor = *known;
    for (std::size_t i = 0; i < tensor.floats.size(); ++i) {
      tensor.floats[i] = rounded(tensor.floats[i], channels[i % channels.size()]);
    }
    t.result(t.constant_value(std::move(tensor)));
    return;
  }
  const Steps& steps = channels.front();
  if (channels.size() != 1 || steps.most != 255) {
    t.fail("of values computed at run time supported are 8 bits and one range for all channels");
  }
  const auto scalar = [&](double value) {
    return t.constant_value(nn::Tensor::of({}, std::vector{static_cast<float>(value)}));
  };
  Value bounded = x;
  if (steps.least != 0) {
    Value low = scalar(steps.low()), high = scalar(steps.high());
    bounded = t.elementwise("Clip", {&x, &low, &high});
  }
  nn::Tensor zero = nn::Tensor::of({}, std::vector{static_cast<std::int64_t>(steps.zero)});
  zero.stored = nn::onnx_uint8;
  Value scale = scalar(steps.scale), zero_point = t.constant_value(std::move(zero));
  Value whole = t.elementwise("QuantizeLinear", {&bounded, &scale, &zero_point});
  t.result(t.elementwise("DequantizeLinear", {&whole, &scale, &zero_point}));
}

/// Range given by attributes.
void translate_by_attributes(Translator& t) {
  constexpr float usual = 6;
  fake_quantise(t, {plan_steps(t, t.node().real("min", -usual), t.node().real("max", usual))});
}

/// Range given by constants, for all channels or for each channel.
void translate_by_inputs(Translator& t) {
  const nn::Tensor& low = t.constant_input(1, "the least value");
  const nn::Tensor& high = t.constant_input(2, "the largest value");
  const nn::Shape& shape = t.input(0).shape;
  const bool each = t.node().op == "FakeQuantWithMinMaxVarsPerChannel";
  const std::int64_t count = each && !shape.empty() ? shape.back() : 1;
  if (low.size() != count || high.size() != count || low.floats.empty() || high.floats.empty()) {
    t.fail("the range has {} and {} values; {} are needed", low.size(), high.size(), count);
  }
  std::vector<Steps> channels;
  for (std::size_t i = 0; i < low.floats.size(); ++i) {
    channels.push_back(plan_steps(t, low.floats[i], high.floats[i]));
  }
  fake_quantise(t, channels);
}

}  // namespace

Operators quantisation_operators() {
  return {{"FakeQuantWithMinMaxArgs", 1, 1, translate_by_attributes},
          {"FakeQuantWithMinMaxVars", 3, 3, translate_by_inputs},
          {"FakeQuantWithMinMaxVarsPerChannel", 3, 3, translate_by_inputs}};
}

}  // namespace tactus::tf
