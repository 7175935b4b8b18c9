// Products of ONNX Runtime with an activation, or with turned operands.
#include <algorithm>
#include <cmath>

#include "firmware/reference/of_standard.h"

namespace tactus::nn {
namespace {

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

}  // namespace

void run_fused_conv(Call& call) {
  Tensor result = of_standard(call, "Conv", {&call.floats(0), &call.floats(1), call.optional(2)},
                              {"activation", "activation_params"});
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
  Tensor result = of_standard(call, "MatMul", {&a, &b},
                              {"alpha", "transA", "transB", "transBatchA", "transBatchB"});
  const float alpha = call.node.real("alpha", 1);
  for (float& value : result.floats) value *= alpha;
  call.results.push_back(std::move(result));
}

}  // namespace tactus::nn
