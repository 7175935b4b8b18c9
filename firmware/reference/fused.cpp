// Operators that tools write in place of several of the standard: products with an activation
// (ONNX Runtime), quantisers of any width (QONNX, Brevitas).
#include <algorithm>
#include <cmath>

#include "firmware/onnx/number_types.h"
#include "firmware/reference/quantised.h"
#include "firmware/reference/reference.h"

namespace tactus::nn {
namespace {

/// Result of an operator of the standard with these inputs.
Tensor of_standard(const Call& call, const char* op,
                   std::map<std::string, Attribute, std::less<>> attributes,
                   const std::vector<const Tensor*>& inputs) {
  Node node = call.node;
  node.domain.clear();
  node.op_type = op;
  node.attributes = std::move(attributes);
  node.inputs.clear();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    node.inputs.push_back(inputs[i] == nullptr ? "" : "x" + std::to_string(i));
  }
  node.outputs.resize(1);
  return run_node(node, call.opset, inputs).front();
}

double activated(const Call& call, const std::string& kind, double x) {
  const std::vector<float> given = call.node.reals("activation_params", {});
  const auto parameter = [&](std::size_t i, double fallback) {
    return i < given.size() ? static_cast<double>(given[i]) : fallback;
  };
  if (kind == "Relu") return std::max(x, 0.0);
  if (kind == "Sigmoid") return 1 / (1 + std::exp(-x));
  if (kind == "Tanh") return std::tanh(x);
  if (kind == "LeakyRelu") return x < 0 ? parameter(0, 0.01) * x : x;
  if (kind == "Clip") return std::clamp(x, parameter(0, -3.4e38), parameter(1, 3.4e38));
  if (kind == "HardSigmoid") {
    return std::clamp(parameter(0, 0.2) * x + parameter(1, 0.5), 0.0, 1.0);
  }
  call.fail(
      "attribute \"activation\" is \"{}\"; allowed are Relu, Sigmoid, Tanh, LeakyRelu, Clip, "
      "HardSigmoid",
      kind);
}

void activate(const Call& call, Tensor& tensor) {
  const std::string kind = call.node.text("activation", "");
  if (kind.empty()) return;
  for (float& value : tensor.floats) {
    value = static_cast<float>(activated(call, kind, static_cast<double>(value)));
  }
}

/// The tensor with its last two dimensions exchanged.
Tensor turned(const Tensor& x) {
  Shape shape = x.shape;
  if (shape.size() < 2) return x;
  const std::int64_t rows = shape[shape.size() - 2], columns = shape.back();
  std::swap(shape[shape.size() - 2], shape.back());
  Tensor out = Tensor::zeros(shape);
  for (std::int64_t i = 0; i < x.size(); ++i) {
    const std::int64_t at =
        i / (rows * columns) * rows * columns + i % columns * rows + i / columns % rows;
    out.floats[static_cast<std::size_t>(at)] = x.floats[static_cast<std::size_t>(i)];
  }
  return out;
}

float one_number(const Call& call, std::size_t i) {
  const Tensor& tensor = call.floats(i);
  if (tensor.size() != 1)
    call.fail("input {} has shape {}; allowed is one number", i, to_string(tensor.shape));
  return tensor.floats[0];
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

void run_fused_conv(Call& call) {
  auto attributes = call.node.attributes;
  attributes.erase("activation");
  attributes.erase("activation_params");
  Tensor result = of_standard(call, "Conv", std::move(attributes),
                              {&call.floats(0), &call.floats(1), call.optional(2)});
  if (const Tensor* addend = call.optional(3)) {
    if (addend->shape != result.shape) {
      call.fail("input 3 has shape {}; the result has {}", to_string(addend->shape),
                to_string(result.shape));
    }
    for (std::size_t k = 0; k < result.floats.size(); ++k) result.floats[k] += addend->floats[k];
  }
  activate(call, result);
  call.results.push_back(std::move(result));
}

void run_fused_mat_mul(Call& call) {
  const auto flag = [&](const char* name) { return call.node.integer(name, 0) != 0; };
  if (flag("transBatchA") || flag("transBatchB")) call.fail("turned batches are not supported");
  const Tensor a = flag("transA") ? turned(call.floats(0)) : call.floats(0);
  const Tensor b = flag("transB") ? turned(call.floats(1)) : call.floats(1);
  Tensor result = of_standard(call, "MatMul", {}, {&a, &b});
  const float alpha = call.node.real("alpha", 1);
  for (float& value : result.floats) value *= alpha;
  call.results.push_back(std::move(result));
}

void run_quantised_softmax(Call& call) {
  const Tensor& x = call.input(0);
  const float scale = one_number(call, 1);
  const Tensor* const zero = call.optional(2);
  Tensor real = Tensor::zeros(x.shape);
  for (std::size_t k = 0; k < x.integers.size(); ++k) {
    real.floats[k] =
        scale * static_cast<float>(x.integers[k] - (zero == nullptr ? 0 : zero->integers.at(0)));
  }
  const std::int64_t axis = call.node.integer("axis", call.opset < 13 ? 1 : -1);
  const Tensor y = of_standard(call, "Softmax", {{"axis", axis}}, {&real});
  const Tensor* const point = call.optional(4);
  Tensor result;
  result.shape = y.shape;
  result.type = ElementType::int64;
  result.stored = type_of(point == nullptr ? x : *point);
  const QuantisedRange range = quantised_range(call, result.stored);
  const double offset = point == nullptr ? 0 : static_cast<double>(point->integers.at(0));
  for (const float value : y.floats) {
    result.integers.push_back(quantised(value, one_number(call, 3), offset, range));
  }
  call.results.push_back(std::move(result));
}

void run_quantised_concat(Call& call) {
  const float scale = one_number(call, 0);
  const Tensor& zero = call.input(1);
  if (call.input_count() < 5 || (call.input_count() - 2) % 3 != 0 || zero.integers.size() != 1) {
    call.fail("has {} inputs; allowed are a scale, a zero point, and tensors with both",
              call.input_count());
  }
  const QuantisedRange range = quantised_range(call, type_of(zero));
  std::vector<Tensor> parts;
  for (std::size_t i = 2; i < call.input_count(); i += 3) {
    const Tensor& x = call.input(i);
    Tensor& part = parts.emplace_back(x);
    part.stored = zero.stored;
    for (std::int64_t& value : part.integers) {
      const float real =
          one_number(call, i + 1) * static_cast<float>(value - call.input(i + 2).integers.at(0));
      value = quantised(real, scale, static_cast<double>(zero.integers[0]), range);
    }
  }
  std::vector<const Tensor*> inputs;
  for (const Tensor& part : parts) inputs.push_back(&part);
  call.results.push_back(
      of_standard(call, "Concat", {{"axis", call.node.integer("axis")}}, inputs));
}

void run_quant(Call& call) {
  const Tensor& x = call.floats(0);
  const double bits = static_cast<double>(one_number(call, 3));
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

/// Products of all elements up to each along an axis.
void run_cum_prod(Call& call) {
  Tensor result = call.input(0);
  const Tensor& stated = call.input(1);
  if (stated.integers.size() != 1) call.fail("input 1 is no axis");
  const std::size_t axis = call.axis(stated.integers[0], result.shape.size());
  const bool exclusive = call.node.integer("exclusive", 0) != 0;
  const bool reverse = call.node.integer("reverse", 0) != 0;
  const auto length = static_cast<std::size_t>(result.shape[axis]);
  const auto step = static_cast<std::size_t>(strides_of(result.shape)[axis]);
  const auto multiply_up = [&](auto& values) {
    for (std::size_t first = 0; first < values.size(); ++first) {
      if (first / step % length != 0) continue;
      typename std::decay_t<decltype(values)>::value_type product = 1;
      for (std::size_t k = 0; k < length; ++k) {
        auto& value = values[first + (reverse ? length - 1 - k : k) * step];
        const auto before = product;
        product *= value;
        value = exclusive ? before : product;
      }
    }
  };
  multiply_up(result.floats);
  multiply_up(result.integers);
  call.results.push_back(std::move(result));
}

}  // namespace tactus::nn
