// Compiles a model, runs it on the functional model, computes the host's part, and compares the
// result.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "firmware/compiler/compiler.h"
#include "firmware/compiler/model_tensors.h"
#include "firmware/reference/reference.h"
#include "isa/support/error.h"
#include "tests/compiler/frontend/graphs.h"

namespace tactus::compiler {

/// A machine with a wide data type and large memories, so that neither rounding nor size limits
/// matter.
[[nodiscard]] inline tcu::Architecture ample_architecture() {
  tcu::Architecture a = architecture(8);
  a.data_type = tcu::DataType::fp32bp16;
  a.dram0_depth = a.dram1_depth = std::uint64_t{1} << 26;
  a.local_depth = a.accumulator_depth = 65536;
  return a;
}

/// Sets the open dimensions: 1 for the first (the batch), 64 for the others of images, 16 for any
/// other.
[[nodiscard]] inline Options open_dimensions(const nn::Graph& graph) {
  Options options;
  for (const nn::ValueInfo& input : graph.inputs) {
    if (!input.dims) continue;
    nn::Shape shape;
    for (const nn::Dimension& dimension : *input.dims) {
      const std::int64_t open = shape.empty() ? 1 : input.dims->size() == 4 ? 64 : 16;
      shape.push_back(dimension.size ? -1 : open);
    }
    options.input_shapes[input.name] = shape;
  }
  return options;
}

/// Computes the model's outputs from the program's outputs, including those left to the host.
[[nodiscard]] inline nn::Values finished(const Compiled& compiled, const nn::Values& inputs) {
  const ModelTensors tensors = tensors_of(compiled);
  std::map<std::string, std::vector<float>> given;
  const Started started = start_on_host(tensors, inputs);
  for (const auto& [name, tensor] : started.inputs) given[name] = tensor.floats;
  const auto simulated = run(compiled, given);
  nn::Values values;
  for (const TensorLayout& layout : compiled.output_layouts) {
    values[layout.name] = nn::Tensor::of(layout.shape, simulated.at(layout.name));
  }
  for (auto& [name, tensor] : finish_on_host(tensors, values, started.carried)) {
    values[name] = tensor;
  }
  return values;
}

/// Returns the largest difference, relative to the largest expected value (at least 1); infinite if
/// sizes differ.
[[nodiscard]] inline double relative_error(const nn::Tensor& actual, const nn::Tensor& expected) {
  const auto real = [](const nn::Tensor& tensor) {
    std::vector<double> values(tensor.floats.begin(), tensor.floats.end());
    values.insert(values.end(), tensor.integers.begin(), tensor.integers.end());
    return values;
  };
  const std::vector<double> a = real(actual), b = real(expected);
  if (a.size() != b.size()) return HUGE_VAL;
  double largest = 1, error = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isfinite(b[i])) largest = std::max(largest, std::abs(b[i]));
    if (!(a[i] == b[i]) && !(std::isnan(a[i]) && std::isnan(b[i]))) {
      error = std::max(error, std::isnan(a[i] - b[i]) ? HUGE_VAL : std::abs(a[i] - b[i]));
    }
  }
  return error / largest;
}

}  // namespace tactus::compiler
