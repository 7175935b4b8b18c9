// QuantizeLinear and DequantizeLinear. The unit keeps their values in its own fixed point.
//
// Weights are folded to real numbers at compile time, including those of integer products. At run
// time a quantised value is the real number that it represents, clipped to the range of its
// integers; its step is that of the data type.
#include <algorithm>
#include <cmath>
#include <limits>

#include "firmware/compiler/frontend/operators.h"
#include "firmware/compiler/frontend/operators/functions.h"
#include "firmware/compiler/frontend/operators/quantised_clip.h"
#include "firmware/onnx/number_types.h"
#include "firmware/onnx/shapes.h"
#include "isa/support/text.h"
#include "isa/tcu/arithmetic.h"

namespace tactus::compiler {
namespace {

struct Range {
  std::int64_t lowest = 0, highest = 255;
};

/// Scales and zero points, and the range of the integers.
struct Steps : QuantisedSteps {
  Range range;
};

QuantisedSteps one_of_each(float scale, std::int64_t zero) {
  return {nn::Tensor::of({}, std::vector{scale}), nn::Tensor::of({}, std::vector{zero})};
}

/// ONNX's code of the integers' type: that of the zero point, or the one that QuantizeLinear
/// states.
std::int64_t integer_type(Planner& p, const nn::Tensor* zero) {
  const std::int64_t stated =
      p.node.op_type == "QuantizeLinear" ? p.node.integer("output_dtype", 0) : 0;
  if (zero == nullptr) return stated != 0 ? stated : std::int64_t{nn::onnx_uint8};
  const std::int64_t own = nn::type_of(*zero);
  if (stated != 0 && stated != own) {
    p.problem("attribute output_dtype is {}, but the zero point is {}", stated,
              nn::name_of(zero->type, zero->stored));
  }
  return own;
}

/// Reads scale and zero point in a shape that is broadcast over the operand.
std::optional<QuantisedSteps> plan_positions(Planner& p, const nn::Tensor& scale,
                                             const nn::Tensor* zero) {
  const bool alike = zero == nullptr || zero->size() == scale.size();
  QuantisedSteps steps;
  steps.scale.floats = scale.floats;
  steps.zero.type = nn::ElementType::int64;
  steps.zero.integers = zero == nullptr ? nn::Shape(scale.floats.size(), 0) : zero->integers;
  if (scale.size() == 1 && alike) return steps;
  const Layout* const layout = p.activation(0);
  if (layout == nullptr) return std::nullopt;
  const auto axis = nn::normal_axis(p.node.integer("axis", 1), layout->rank());
  if (scale.shape.size() != 1 || !alike || !axis || layout->shape[*axis] != scale.size()) {
    p.problem(
        "scale has shape {}; supported are one value, and one for each position of the axis, for "
        "values computed at run time",
        nn::to_string(scale.shape));
    return std::nullopt;
  }
  steps.scale.shape.assign(layout->rank() - *axis, 1);
  steps.scale.shape.front() = scale.size();
  steps.zero.shape = steps.scale.shape;
  return steps;
}

std::optional<Steps> plan_steps(Planner& p) {
  const nn::Tensor* scale = p.need_constant(1, "scale", nn::ElementType::float32);
  const nn::Tensor* zero =
      p.given(2) ? p.need_constant(2, "zero point", nn::ElementType::int64) : nullptr;
  if (scale == nullptr || p.failed()) return std::nullopt;
  std::optional<QuantisedSteps> found = plan_positions(p, *scale, zero);
  if (!found) return std::nullopt;
  Steps steps{*std::move(found), {}};
  const std::int64_t type = integer_type(p, zero);
  if (type == nn::onnx_uint8) return steps;
  if (type == nn::onnx_int8) steps.range = {-128, 127};
  if (type == nn::onnx_uint16) steps.range = {0, 65535};
  if (type == nn::onnx_int16) steps.range = {-32768, 32767};
  if (steps.range.highest == 255) {
    p.problem("quantises to {}; supported are INT8, UINT8, INT16 and UINT16",
              nn::name_of(nn::ElementType::int64, static_cast<std::int32_t>(type)));
    return std::nullopt;
  }
  return steps;
}

/// The real numbers that the integer `at` stands for.
nn::Tensor real_of(const QuantisedSteps& steps, std::int64_t at) {
  nn::Tensor real = steps.scale;
  for (std::size_t i = 0; i < real.floats.size(); ++i) {
    real.floats[i] *= static_cast<float>(at - steps.zero.integers[i]);
  }
  return real;
}

/// Clips to limits that are broadcast over the value; both have the same shape.
std::string clipped_to(const Planner& p, Expansion& e, const std::string& x, nn::Tensor low,
                       nn::Tensor high) {
  if (low.size() == 1) return clipped(p, e, x, low.floats[0], high.floats[0]);
  return e.node("Min",
                {e.node("Max", {x, e.constant(std::move(low))}), e.constant(std::move(high))});
}

bool is_integer_product(const std::string& op) {
  return op == "MatMulInteger" || op == "ConvInteger";
}

/// True if the value is no output and every node that reads it passes the test.
template <typename Passes>
bool all_readers(const Planner& p, const std::string& name, const Passes& passes) {
  const auto value = p.model().values.find(name);
  if (value != p.model().values.end() && value->second.output) return false;
  const auto readers = p.model().nodes_reading.find(name);
  return readers != p.model().nodes_reading.end() &&
         std::all_of(readers->second.begin(), readers->second.end(),
                     [&](const nn::Node* reader) { return passes(*reader); });
}

/// True if every reader converts the integers back to real numbers.
bool read_as_real(const Planner& p, const std::string& name) {
  return all_readers(p, name, [&](const nn::Node& reader) {
    const std::string& op = reader.op_type;
    if (op == "DequantizeLinear") return true;
    const bool clips = op == "Clip" && reader.input(0) == name;
    if (clips || has(reader, keeps_quantisation)) return read_as_real(p, reader.outputs.at(0));
    const bool product = op == "QLinearConv" || op == "QLinearMatMul" || is_integer_product(op);
    return product && reader.input(0) == name;
  });
}

/// Steps of the integers that a real value represents; null: there are none. Steps of more than one
/// scale are those of a position, so only operators that move nothing along it may stand between.
const QuantisedSteps* steps_of(const Planner& p, std::string value) {
  bool in_place = true;
  for (;;) {
    if (const QuantisedSteps* const made = p.quantised(value)) {
      return made->is_one() || in_place ? made : nullptr;
    }
    const nn::Node* node = p.model().graph->producer(value);
    if (node == nullptr || !(has(*node, keeps_quantisation) || node->op_type == "Cast"))
      return nullptr;
    in_place = in_place && node->op_type == "Identity";
    value = node->input(0);
  }
}

bool expand_quantize(Planner& p, Expansion& e) {
  const std::optional<Steps> steps = plan_steps(p);
  if (const std::int64_t precision = p.node.integer("precision", 0);
      precision != 0 && precision != nn::onnx_float) {
    p.problem("attribute precision is {}; supported is 1 (FLOAT)", precision);
  }
  if (!steps || p.failed()) return true;
  if (!read_as_real(p, p.node.outputs.at(0))) {
    p.problem("the program has no whole numbers; supported is a DequantizeLinear behind it");
    return true;
  }
  const std::string& x = p.node.inputs[0];
  p.expect_error(0.5);  // the machine does not round to the steps of the integers
  nn::Tensor low = real_of(*steps, steps->range.lowest);
  nn::Tensor high = real_of(*steps, steps->range.highest);
  p.set_quantised(p.node.outputs[0], *steps);
  if (!steps->is_one()) {
    e.last("Identity", {clipped_to(p, e, x, std::move(low), std::move(high))});
  } else if (p.opset() < 11) {
    e.last("Clip", {x}, {{"min", low.floats[0]}, {"max", high.floats[0]}});
  } else {
    e.last("Clip", {x, e.constant(low.floats[0]), e.constant(high.floats[0])});
  }
  return true;
}

bool expand_quant(Planner& p, Expansion& e) {
  const nn::Tensor* const scale = p.need_constant(1, "scale", nn::ElementType::float32);
  const nn::Tensor* const zero = p.need_constant(2, "zero point", nn::ElementType::float32);
  const nn::Tensor* const width = p.need_constant(3, "width", nn::ElementType::float32);
  const Layout* const layout = p.activation(0);
  if (scale == nullptr || zero == nullptr || width == nullptr || layout == nullptr) return true;
  const bool fits =
      scale->size() == 1 || nn::broadcast_shape(scale->shape, layout->shape) == layout->shape;
  if (!fits || scale->size() == 0 || zero->size() != 1 || width->size() != 1) {
    p.problem(
        "scale, zero point and width have shapes {}, {} and {}; supported are one zero point and "
        "width, and scales that are broadcast, for values computed at run time",
        nn::to_string(scale->shape), nn::to_string(zero->shape), nn::to_string(width->shape));
    return true;
  }
  const std::string mode = p.node.text("rounding_mode", "ROUND");
  if (mode != "ROUND" && mode != "HALF_EVEN" && mode != "HALF_UP" && mode != "HALF_DOWN") {
    p.problem("attribute rounding_mode is {}; supported are ROUND, HALF_EVEN, HALF_UP, HALF_DOWN",
              quote(mode));
    return true;
  }
  const double bits = static_cast<double>(width->floats[0]);
  const bool is_signed = p.node.integer("signed", 1) != 0;
  const bool narrow = p.node.integer("narrow", 0) != 0;
  const double half = std::exp2(bits - 1), offset = static_cast<double>(zero->floats[0]);
  const double low = (is_signed ? -half + (narrow ? 1 : 0) : 0) - offset;
  const double high = (is_signed ? half - 1 : 2 * half - (narrow ? 2 : 1)) - offset;
  const float s = *std::min_element(scale->floats.begin(), scale->floats.end());
  if (!(bits >= 1) || bits > 32 || !(s > 0) || offset != std::floor(offset)) {
    p.problem(
        "{} bits with scale {} and zero point {} are not supported; supported are 1 to 32 bits "
        "and whole zero points",
        bits, s, offset);
    return true;
  }
  const auto times = [&](double factor) {
    nn::Tensor limit = *scale;
    for (float& x : limit.floats) x = static_cast<float>(factor * static_cast<double>(x));
    return limit;
  };
  const std::string within = clipped_to(p, e, p.node.inputs[0], times(low), times(high));
  e.last("Identity",
         {rounded_to_steps(p, e, within, *scale, static_cast<float>(std::max(-low, high)))});
  return true;
}

/// A limit of a Clip of integers, which stand for real numbers.
std::optional<nn::Tensor> real_limit(Planner& p, std::size_t input, const QuantisedSteps& steps,
                                     float none) {
  if (!p.given(input)) {
    nn::Tensor all = steps.scale;
    std::fill(all.floats.begin(), all.floats.end(), none);
    return all;
  }
  const nn::Tensor* const limit = p.need_constant(input, "a limit", nn::ElementType::int64);
  if (limit == nullptr) return std::nullopt;
  if (limit->size() == 1) return real_of(steps, limit->integers[0]);
  p.problem("a limit has shape {}; supported is one value", nn::to_string(limit->shape));
  return std::nullopt;
}

/// Expands DequantizeLinear: the result of a QuantizeLinear with the same scale and zero point is a
/// real number already.
bool expand_dequantize(Planner& p, Expansion& e) {
  const std::optional<Steps> steps = plan_steps(p);
  if (!steps) return true;
  const QuantisedSteps* const made = steps_of(p, p.node.inputs[0]);
  if (made == nullptr || !(*made == *steps)) {
    p.problem(
        "{} is not what a QuantizeLinear of the same scale and zero point made; supported are "
        "pairs of both, with a scale for each position of an axis next to each other, and "
        "constants",
        quote(p.node.inputs[0]));
    return true;
  }
  e.last("Identity", {p.node.inputs[0]});
  return true;
}

/// The second operand of a product as real numbers, and its scales: one, or one for each output.
struct Weights {
  nn::Tensor real;
  std::vector<float> scales;
};

/// Reads the weights of input 3 with scales and zero points of inputs 4 and 5. Outputs are their
/// first or last dimension.
std::optional<Weights> plan_quantised_weights(Planner& p, bool outputs_first) {
  const nn::Tensor* w = p.need_constant(3, "the second operand", nn::ElementType::int64);
  const nn::Tensor* scale = p.need_constant(4, "its scale", nn::ElementType::float32);
  const nn::Tensor* zero = p.need_constant(5, "its zero point", nn::ElementType::int64);
  if (w == nullptr || scale == nullptr || zero == nullptr || p.failed()) return std::nullopt;
  const std::int64_t outputs =
      w->shape.empty() ? 1 : (outputs_first ? w->shape.front() : w->shape.back());
  const auto fits = [&](const nn::Tensor& t) { return t.size() == 1 || t.size() == outputs; };
  if (w->shape.size() < 2 || w->size() == 0 || !fits(*scale) || !fits(*zero)) {
    p.problem(
        "the second operand has shape {}, scale {} and zero point {}; supported are one of each, "
        "or one for each of its {} outputs",
        nn::to_string(w->shape), nn::to_string(scale->shape), nn::to_string(zero->shape), outputs);
    return std::nullopt;
  }
  Weights weights{nn::Tensor::zeros(w->shape), scale->floats};
  const std::int64_t inner = outputs_first ? w->size() / outputs : 1;
  for (std::int64_t i = 0; i < w->size(); ++i) {
    const std::int64_t output = i / inner % outputs;
    const auto of = [&](const auto& list) {
      return list[list.size() == 1 ? 0 : static_cast<std::size_t>(output)];
    };
    const auto at = static_cast<std::size_t>(i);
    weights.real.floats[at] =
        of(scale->floats) * static_cast<float>(w->integers[at] - of(zero->integers));
  }
  return weights;
}

/// Expands a product of quantised values into a product of the real numbers that they represent,
/// clipped to the range of the result.
bool expand_quantised_product(Planner& p, Expansion& e) {
  const bool is_conv = p.node.op_type == "QLinearConv";
  std::optional<Weights> weights = plan_quantised_weights(p, is_conv);
  const nn::Tensor* scale = p.need_constant(1, "the scale", nn::ElementType::float32);
  if (!weights || scale == nullptr) return true;
  if (scale->size() != 1) {
    p.problem("the scale has shape {}; supported is one value", nn::to_string(scale->shape));
    return true;
  }
  const Expansion::Inputs& in = p.node.inputs;
  const nn::Tensor* whole =
      p.given(8) ? p.need_constant(8, "the bias", nn::ElementType::int64) : nullptr;
  const bool fits =
      whole == nullptr || weights->scales.size() == 1 || whole->size() == weights->real.shape[0];
  if (p.failed()) return true;
  if (!fits) {
    p.problem("the bias has shape {}; needed is one value for each of the {} outputs",
              nn::to_string(whole->shape), weights->real.shape[0]);
    return true;
  }
  Expansion::Inputs operands{e.node("DequantizeLinear", {in[0], in[1], in[2]}),
                             e.constant(std::move(weights->real))};
  if (whole != nullptr) {
    nn::Tensor bias = nn::Tensor::zeros(whole->shape);
    for (std::size_t i = 0; i < bias.floats.size(); ++i) {
      const float of_output = weights->scales[weights->scales.size() == 1 ? 0 : i];
      bias.floats[i] = scale->floats[0] * of_output * static_cast<float>(whole->integers[i]);
    }
    operands.push_back(e.constant(std::move(bias)));
  }
  const std::string product =
      e.node(is_conv ? "Conv" : "MatMul", std::move(operands), p.node.attributes);
  e.last("QuantizeLinear", {product, in[6], in[7]});
  return true;
}

/// Expands DynamicQuantizeLinear. Its scale would be computed at run time; the real numbers are
/// kept, with a scale of 1.
bool expand_dynamic(Planner& p, Expansion& e) {
  const auto read_by = [&](std::size_t output, const auto& passes) {
    return !p.output_given(output) || !p.output_read(output) ||
           all_readers(p, p.node.outputs[output], passes);
  };
  const bool good =
      read_by(0, [](const nn::Node& reader) { return is_integer_product(reader.op_type); }) &&
      read_by(1, [](const nn::Node& reader) { return reader.op_type == "Mul"; }) &&
      read_by(2, [](const nn::Node& reader) { return is_integer_product(reader.op_type); });
  if (!good) {
    p.problem(
        "the program has no whole numbers; supported are MatMulInteger and ConvInteger behind it, "
        "and products of its scale with that of their weights");
    return true;
  }
  nn::Tensor zero = nn::Tensor::of({}, std::vector<std::int64_t>{0});
  zero.stored = nn::onnx_uint8;
  p.fold(nn::Tensor::of({}, std::vector<float>{1}), 1);
  p.fold(std::move(zero), 2);
  p.set_quantised(p.node.outputs[0], one_of_each(1, 0));
  p.expect_error(0.5);  // as above
  e.last("Identity", {p.node.inputs[0]});
  return true;
}

/// Reads integer weights minus their zero points, divided by the largest magnitude, which is
/// returned with them.
std::optional<std::pair<nn::Tensor, float>> plan_integer_weights(Planner& p, bool outputs_first) {
  const nn::Tensor* w = p.need_constant(1, "the second operand", nn::ElementType::int64);
  const nn::Tensor* zero =
      p.given(3) ? p.need_constant(3, "its zero point", nn::ElementType::int64) : nullptr;
  if (w == nullptr || p.failed()) return std::nullopt;
  const std::int64_t outputs =
      w->shape.empty() ? 1 : (outputs_first ? w->shape.front() : w->shape.back());
  const std::int64_t zeros = zero == nullptr ? 1 : zero->size();
  if (w->shape.size() < 2 || w->size() == 0 || (zeros != 1 && zeros != outputs)) {
    p.problem(
        "the second operand has shape {} and {} zero points; supported are one, or one for "
        "each of its {} outputs",
        nn::to_string(w->shape), zeros, outputs);
    return std::nullopt;
  }
  nn::Tensor real = nn::Tensor::zeros(w->shape);
  const std::int64_t inner = outputs_first ? w->size() / outputs : 1;
  float largest = 0;
  for (std::size_t i = 0; i < real.floats.size(); ++i) {
    const auto output = static_cast<std::int64_t>(i) / inner % zeros;
    const std::int64_t point =
        zero == nullptr ? 0 : zero->integers[static_cast<std::size_t>(output)];
    real.floats[i] = static_cast<float>(w->integers[i] - point);
    largest = std::max(largest, std::abs(real.floats[i]));
  }
  if (largest == 0) largest = 1;
  for (float& value : real.floats) value /= largest;
  return std::pair(std::move(real), largest);
}

/// Expands an integer product into one of real numbers with weights up to 1. The factor that is
/// missing is remembered for the product with the scales (expand_rescaled).
bool expand_integer_product(Planner& p, Expansion& e) {
  const bool is_conv = p.node.op_type == "ConvInteger";
  if (p.value(0) == nullptr) return true;
  const QuantisedSteps* const steps = steps_of(p, p.node.inputs[0]);
  if (steps == nullptr || !steps->is_one()) {
    p.problem(
        "{} is not what QuantizeLinear or DynamicQuantizeLinear made with one scale; supported are "
        "those",
        quote(p.node.inputs[0]));
    return true;
  }
  const nn::Tensor* zero =
      p.given(2) ? p.need_constant(2, "the zero point", nn::ElementType::int64) : nullptr;
  auto weights = plan_integer_weights(p, is_conv);
  if (!weights || p.failed()) return true;
  const bool same = zero == nullptr
                        ? steps->zero.integers[0] == 0
                        : std::all_of(zero->integers.begin(), zero->integers.end(),
                                      [&](std::int64_t z) { return z == steps->zero.integers[0]; });
  const bool rescaled = all_readers(p, p.node.outputs[0], [&](const nn::Node& cast) {
    return cast.op_type == "Cast" && all_readers(p, cast.outputs.at(0), [](const nn::Node& reader) {
             return reader.op_type == "Mul";
           });
  });
  if (!same || !rescaled) {
    p.problem(same ? "its sums are whole numbers, which the program has not; supported are a Cast "
                     "to real numbers and a product with the scales behind it"
                   : "its zero point is not that of the first operand");
    return true;
  }
  p.set_quantised(p.node.outputs[0], one_of_each(steps->scale.floats[0] / weights->second, 0));
  e.last(is_conv ? "Conv" : "MatMul", {p.node.inputs[0], e.constant(std::move(weights->first))},
         p.node.attributes);
  return true;
}

}  // namespace

std::string rounded_to_steps(Planner& p, Expansion& e, const std::string& x,
                             const nn::Tensor& scale, float most) {
  const tcu::DataType type = p.architecture().data_type;
  if (static_cast<double>(most) >= to_real(type, info(type).max())) {
    p.expect_error(
        static_cast<double>(*std::max_element(scale.floats.begin(), scale.floats.end())) / 2);
    return x;
  }
  const double step = to_real(type, 1);
  const double root = std::exp2(std::floor(-std::log2(step) / 2));
  // Products with a factor that is made of the scale, which may be one of many.
  const auto times = [&](const std::string& value, const auto& factor) {
    nn::Tensor factors = scale;
    if (factors.size() == 1) factors.shape.clear();
    for (float& f : factors.floats) f = static_cast<float>(factor(static_cast<double>(f)));
    return e.node("Mul", {value, e.constant(std::move(factors))});
  };
  const bool whole_steps = scale.size() == 1 && scale.floats[0] == 1;
  const std::string steps = whole_steps ? x : times(x, [](double s) { return 1 / s; });
  const auto by = [&](const std::string& value, double factor) {
    return e.node("Mul", {value, e.constant(static_cast<float>(factor))});
  };
  return times(by(by(steps, step), root), [&](double s) { return 1 / step / root * s; });
}

bool expand_quantised_clip(Planner& p, Expansion& e) {
  if (p.opset() < 12 || p.node.inputs.empty()) return false;
  const QuantisedSteps* const found = steps_of(p, p.node.inputs[0]);
  if (found == nullptr) return false;
  const QuantisedSteps steps = *found;
  const nn::Tensor* const first = p.constant(p.given(1) ? 1 : 2);
  if (first == nullptr || first->type != nn::ElementType::int64) return false;
  constexpr float any = std::numeric_limits<float>::max();
  std::optional<nn::Tensor> low = real_limit(p, 1, steps, -any);
  std::optional<nn::Tensor> high = real_limit(p, 2, steps, any);
  if (!low || !high) return true;
  p.set_quantised(p.node.outputs[0], steps);
  float most = 0;  // of whole steps
  for (std::size_t i = 0; i < low->floats.size(); ++i) {
    most = std::max(most, std::max(-low->floats[i], high->floats[i]) / steps.scale.floats[i]);
  }
  const std::string within = clipped_to(p, e, p.node.inputs[0], *std::move(low), *std::move(high));
  e.last("Identity", {rounded_to_steps(p, e, within, steps.scale, most)});
  return true;
}

bool expand_rescaled(Planner& p, Expansion& e) {
  for (std::size_t i = 0; i < p.node.inputs.size() && p.node.inputs.size() == 2; ++i) {
    const nn::Node* cast = p.model().graph->producer(p.node.inputs[i]);
    const nn::Node* product = cast == nullptr || cast->op_type != "Cast"
                                  ? nullptr
                                  : p.model().graph->producer(cast->inputs[0]);
    if (product == nullptr || !is_integer_product(product->op_type)) continue;
    const QuantisedSteps* const steps = p.quantised(cast->inputs[0]);
    const nn::Tensor* scale = p.need_constant(1 - i, "the scale", nn::ElementType::float32);
    if (steps == nullptr || scale == nullptr) return true;
    nn::Tensor factor = *scale;
    for (float& value : factor.floats) value /= steps->scale.floats[0];
    e.last("Mul", {e.node("Identity", {p.node.inputs[i]}), e.constant(std::move(factor))});
    return true;
  }
  return false;
}

Operators quantisation_operators() {
  return {{"QuantizeLinear", keeps_layout, Role::simple, nullptr, nullptr, expand_quantize},
          {"DequantizeLinear", keeps_layout, Role::simple, nullptr, nullptr, expand_dequantize},
          {"DynamicQuantizeLinear", 0, Role::simple, nullptr, nullptr, expand_dynamic},
          {"MatMulInteger", is_product, Role::simple, nullptr, nullptr, expand_integer_product},
          {"ConvInteger", is_product, Role::simple, nullptr, nullptr, expand_integer_product},
          {"QLinearConv", is_product, Role::simple, nullptr, nullptr, expand_quantised_product},
          {"QLinearMatMul", is_product, Role::simple, nullptr, nullptr, expand_quantised_product},
          {"Quant", keeps_layout, Role::simple, nullptr, nullptr, expand_quant}};
}

}  // namespace tactus::compiler
