#include "firmware/bench/held_tensors.h"

#include <algorithm>
#include <cmath>

#include "isa/tcu/arithmetic.h"

namespace tactus::bench {
namespace {

std::set<std::string> results_of(const nn::Graph* graph) {
  std::set<std::string> names;
  if (graph == nullptr) return names;
  for (const nn::Node& node : graph->nodes) names.insert(node.outputs.begin(), node.outputs.end());
  return names;
}

bool is_random(const nn::Node& node) {
  return node.op_type.rfind("Random", 0) == 0 || node.op_type == "Multinomial" ||
         node.op_type == "Bernoulli";
}

bool is_integer_sum(const nn::Node& node) {
  return node.op_type == "MatMulInteger" || node.op_type == "ConvInteger";
}

}  // namespace

HeldTensors::HeldTensors(const nn::Graph& graph, const compiler::Compiled& compiled,
                         const compiler::TensorScales& scales)
    : compiled_(compiled),
      scales_(scales),
      type_(compiled.architecture.data_type),
      step_(to_real(type_, 1)),
      top_(to_real(type_, info(type_).max())),
      bottom_(to_real(type_, info(type_).min())),
      before_(results_of(compiled.host_before.get())),
      behind_(results_of(compiled.host.get())),
      compiled_names_(results_of(compiled.scaled.get())) {
  if (compiled.scaled != nullptr) {
    for (const auto& [name, tensor] : compiled.scaled->initializers) compiled_names_.insert(name);
    for (const nn::ValueInfo& input : compiled.scaled->inputs) compiled_names_.insert(input.name);
  }
  find_constants(graph);
  find_parameters(graph);
}

void HeldTensors::find_constants(const nn::Graph& graph) {
  for (const auto& [name, tensor] : graph.initializers) constants_.insert(name);
  for (const nn::Node& node : graph.nodes) {
    for (const auto& [name, inner] : node.graphs) find_constants(*inner);
    const bool constant =
        node.graphs.empty() && !is_random(node) &&
        std::all_of(node.inputs.begin(), node.inputs.end(), [&](const std::string& input) {
          return input.empty() || constants_.count(input) != 0;
        });
    if (constant) constants_.insert(node.outputs.begin(), node.outputs.end());
  }
}

void HeldTensors::find_parameters(const nn::Graph& graph) {
  std::set<std::string> sums;
  for (const nn::Node& node : graph.nodes) {
    for (const auto& [name, inner] : node.graphs) find_parameters(*inner);
    if (node.op_type == "DynamicQuantizeLinear" && node.outputs.size() > 1) {
      parameters_.insert(node.outputs[1]);
    }
    if (is_integer_sum(node)) sums.insert(node.outputs.front());
    if (node.op_type == "Cast" && sums.count(node.inputs.front()) != 0) {
      whole_.insert(node.outputs.front());
    }
    const auto is_parameter = [&](const std::string& input) {
      return parameters_.count(input) != 0;
    };
    if (std::any_of(node.inputs.begin(), node.inputs.end(), is_parameter) &&
        std::all_of(node.inputs.begin(), node.inputs.end(), [&](const std::string& input) {
          return is_parameter(input) || is_constant(input);
        })) {
      parameters_.insert(node.outputs.begin(), node.outputs.end());
    }
  }
}

bool HeldTensors::before_program(const nn::Node& node) const {
  return !node.outputs.empty() && before_.count(node.outputs.front()) != 0;
}

bool HeldTensors::on_host(const nn::Node& node) const {
  return before_program(node) ||
         (!node.outputs.empty() && behind_.count(node.outputs.front()) != 0);
}

bool HeldTensors::holds(const nn::Node& node, const std::string& result) const {
  return !on_host(node) && !is_constant(result) && parameters_.count(result) == 0 &&
         whole_.count(result) == 0 && !is_folded(result);
}

bool HeldTensors::is_program_input(const std::string& name) const {
  const auto& layouts = compiled_.input_layouts;
  return std::any_of(layouts.begin(), layouts.end(),
                     [&](const compiler::TensorLayout& layout) { return layout.name == name; });
}

HeldTensors::Steps HeldTensors::steps(const std::string& name, const nn::Shape& shape) const {
  Steps steps{{step_}};
  const auto found = scales_.find(name);
  if (found == scales_.end() || found->second.exponents.empty()) return steps;
  const compiler::TensorScale& scale = found->second;
  steps.sizes.clear();
  for (const int exponent : scale.exponents) steps.sizes.push_back(std::ldexp(step_, -exponent));
  for (std::size_t i = scale.axis + 1; i < shape.size(); ++i) steps.inner *= shape[i];
  return steps;
}

void HeldTensors::round(nn::Tensor& tensor, const std::string& name) const {
  if (tensor.type != nn::ElementType::float32) return;
  const Steps sizes = steps(name, tensor.shape);
  for (std::size_t i = 0; i < tensor.floats.size(); ++i) {
    float& value = tensor.floats[i];
    if (std::isnan(value)) continue;
    const double factor = step_ / sizes[i];
    value = static_cast<float>(to_real(type_, tcu::round_half_even(type_, double{value} * factor)) /
                               factor);
  }
}

void HeldTensors::saturate(nn::Tensor& tensor, const std::string& name) const {
  if (tensor.type != nn::ElementType::float32 || is_folded(name)) return;
  const Steps sizes = steps(name, tensor.shape);
  for (std::size_t i = 0; i < tensor.floats.size(); ++i) {
    const double factor = step_ / sizes[i];
    float& value = tensor.floats[i];
    value = static_cast<float>(std::min(std::max(double{value}, bottom_ / factor), top_ / factor));
  }
}

void HeldTensors::round_constant(nn::Tensor& tensor, const std::string& name) const {
  if (is_folded(name)) return;
  const nn::Tensor* held =
      compiled_.scaled == nullptr ? nullptr : compiled_.scaled->initializer(name);
  const bool scaled = held != nullptr && held->type == nn::ElementType::float32 &&
                      held->floats.size() == tensor.floats.size();
  for (std::size_t i = 0; i < tensor.floats.size(); ++i) {
    float& value = tensor.floats[i];
    if (std::isnan(value)) continue;
    double factor = 1;
    if (scaled && value != 0 && held->floats[i] != 0) {
      const double ratio = std::abs(double{held->floats[i]} / double{value});
      const double power = std::exp2(std::round(std::log2(ratio)));
      if (std::abs(ratio / power - 1) < 1e-3) factor = power;
    }
    value = static_cast<float>(to_real(type_, tcu::round_half_even(type_, double{value} * factor)) /
                               factor);
  }
}

void HeldTensors::unscale(std::vector<float>& values, const std::string& name,
                          const nn::Shape& shape) const {
  const Steps sizes = steps(name, shape);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(double{values[i]} * sizes[i] / step_);
  }
}

}  // namespace tactus::bench
