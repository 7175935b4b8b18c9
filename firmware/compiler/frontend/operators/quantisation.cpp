// QuantizeLinear and DequantizeLinear around values that the unit keeps in its own fixed point.
//
// Weights are folded to real numbers when compiling, also those of products of integers. At run
// time a quantised value stays the real number it stands for, cut to the range of its integers;
// steps are those of the data type.
#include <algorithm>
#include <limits>

#include "firmware/compiler/frontend/operators.h"
#include "isa/support/text.h"

namespace tactus::compiler {
namespace {

struct Range {
  std::int64_t lowest = 0, highest = 255;
};

/// Scale and zero point of a whole tensor, and the range of its integers.
struct Steps {
  float scale = 1;
  std::int64_t zero = 0;
  Range range;
};

std::optional<Steps> plan_steps(Planner& p) {
  const nn::Tensor* scale = p.need_constant(1, "scale", nn::ElementType::float32);
  const nn::Tensor* zero =
      p.given(2) ? p.need_constant(2, "zero point", nn::ElementType::int64) : nullptr;
  if (scale == nullptr || p.failed()) return std::nullopt;
  if (scale->size() != 1 || (zero != nullptr && zero->size() != 1)) {
    p.problem("scale has shape {}; supported is one value for values computed at run time",
              nn::to_string(scale->shape));
    return std::nullopt;
  }
  Steps steps;
  steps.scale = scale->floats[0];
  if (zero == nullptr) return steps;
  steps.zero = zero->integers[0];
  if (zero->stored == nn::onnx_int8) steps.range = {-128, 127};
  if (zero->stored == nn::onnx_uint16) steps.range = {0, 65535};
  if (zero->stored == nn::onnx_int16) steps.range = {-32768, 32767};
  if (zero->stored == 0 || zero->stored == nn::onnx_int32) {
    p.problem("the zero point is a whole number of 32 or 64 bits; supported are 8 and 16");
    return std::nullopt;
  }
  return steps;
}

/// Whether every reader turns the integers into real numbers again.
bool read_as_real(const Planner& p) {
  const std::string& name = p.node.outputs.at(0);
  const auto value = p.model().values.find(name);
  if (value != p.model().values.end() && value->second.output) return false;
  const auto readers = p.model().nodes_reading.find(name);
  return readers != p.model().nodes_reading.end() &&
         std::all_of(readers->second.begin(), readers->second.end(), [&](const nn::Node* reader) {
           const std::string& op = reader->op_type;
           if (op == "DequantizeLinear") return true;
           const bool product = op == "QLinearConv" || op == "QLinearMatMul";
           return product && reader->input(0) == name;
         });
}

bool expand_quantize(Planner& p, Expansion& e) {
  const std::optional<Steps> steps = plan_steps(p);
  if (!steps) return true;
  if (!read_as_real(p)) {
    p.problem("the program has no whole numbers; supported is a DequantizeLinear behind it");
    return true;
  }
  const auto bound = [&](std::int64_t at) {
    return steps->scale * static_cast<float>(at - steps->zero);
  };
  const std::string& x = p.node.inputs[0];
  const float low = bound(steps->range.lowest), high = bound(steps->range.highest);
  p.set_quantised(p.node.outputs[0], {steps->scale, steps->zero});
  if (p.opset() < 11) {
    e.last("Clip", {x}, {{"min", low}, {"max", high}});
  } else {
    e.last("Clip", {x, e.constant(low), e.constant(high)});
  }
  return true;
}

/// What a QuantizeLinear of the same steps made is the real number already.
bool expand_dequantize(Planner& p, Expansion& e) {
  const std::optional<Steps> steps = plan_steps(p);
  if (!steps) return true;
  const auto made = p.quantised(p.node.inputs[0]);
  if (!made || *made != std::pair(steps->scale, steps->zero)) {
    p.problem(
        "{} is not what a QuantizeLinear of the same scale and zero point made; supported are "
        "pairs of both, and constants",
        quote(p.node.inputs[0]));
    return true;
  }
  e.last("Identity", {p.node.inputs[0]});
  return true;
}

/// The second operand of a product as real numbers, and its scales: one, or one an output.
struct Weights {
  nn::Tensor real;
  std::vector<float> scales;
};

/// Input 3 with the scales and zero points of 4 and 5; its outputs are the first dimension or the
/// last.
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

/// A product of quantised values is one of the real numbers they stand for, cut to the range of the
/// result.
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

}  // namespace

Operators quantisation_operators() {
  return {{"QuantizeLinear", 2, Role::simple, nullptr, nullptr, expand_quantize},
          {"DequantizeLinear", 2, Role::simple, nullptr, nullptr, expand_dequantize},
          {"QLinearConv", 8, Role::simple, nullptr, nullptr, expand_quantised_product},
          {"QLinearMatMul", 8, Role::simple, nullptr, nullptr, expand_quantised_product}};
}

}  // namespace tactus::compiler
