// QuantizeLinear and DequantizeLinear around values that the unit keeps in its own fixed point.
//
// Weights are folded to real numbers when compiling. At run time a quantised value stays the real
// number it stands for, cut to the range of its integers; steps are those of the data type.
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
         std::all_of(readers->second.begin(), readers->second.end(),
                     [](const nn::Node* reader) { return reader->op_type == "DequantizeLinear"; });
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

}  // namespace

Operators quantisation_operators() {
  return {{"QuantizeLinear", 2, Role::simple, nullptr, nullptr, expand_quantize},
          {"DequantizeLinear", 2, Role::simple, nullptr, nullptr, expand_dequantize}};
}

}  // namespace tactus::compiler
