#include "firmware/bench/accuracy.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "firmware/bench/program_cache.h"
#include "firmware/driver/tcu/host.h"
#include "isa/support/error.h"
#include "isa/support/text.h"

namespace tactus::bench {
namespace {

/// The tensor a layer ends in, or nothing if it has none of its own.
std::vector<std::string> layer_tensors(const nn::Graph& graph, const compiler::Compiled& compiled) {
  std::vector<std::string> names;
  for (const compiler::LayerInfo& layer : compiled.layers) {
    if (layer.nodes.empty()) continue;
    const auto node = std::find_if(graph.nodes.begin(), graph.nodes.end(),
                                   [&](const nn::Node& n) { return n.name == layer.nodes.back(); });
    if (node == graph.nodes.end() || node->outputs.empty()) continue;
    const std::string& name = node->outputs.front();
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

std::vector<std::string> output_names(const compiler::Compiled& compiled) {
  std::vector<std::string> names;
  for (const compiler::TensorLayout& layout : compiled.output_layouts) names.push_back(layout.name);
  return names;
}

std::map<std::string, std::vector<float>> simulate(
    const compiler::Compiled& compiled, const TcuSimulationConfig& config, const nn::Values& inputs,
    const std::function<void(Cycle, std::uint64_t)>& progress) {
  const Program program = to_program(compiled, "check");
  TensorData data;
  for (const compiler::TensorLayout& layout : program.inputs) {
    const auto values = inputs.find(layout.name);
    if (values == inputs.end()) internal_error("no values for input {}", layout.name);
    data[layout.name] = pack_tensor(layout, config.architecture, values->second.floats);
  }
  TcuSimulation simulation(config);
  Host host(simulation, program.model, HostMode::plain);
  const auto stuck = host.prepare();
  TcuRunOptions options;
  options.progress = progress;
  ImageResult image;
  if (!stuck) image = host.run_image(data, options);
  if (stuck || image.run.end != RunEnd::finished) {
    user_error("the compiled program hangs after {} cycles",
               stuck ? stuck->cycles : image.run.cycles);
  }
  std::map<std::string, std::vector<float>> values;
  for (const compiler::TensorLayout& layout : program.outputs) {
    values[layout.name] = unpack_tensor(layout, config.architecture, image.outputs.at(layout.name));
  }
  return values;
}

/// Softmax over runs of `inner` neighbours a stride apart, in place.
void softmax(std::vector<float>& values, std::size_t axis_size, std::size_t inner) {
  for (std::size_t block = 0; block + axis_size * inner <= values.size();
       block += axis_size * inner) {
    for (std::size_t i = 0; i < inner; ++i) {
      const auto at = [&](std::size_t k) -> float& { return values[block + k * inner + i]; };
      float largest = at(0);
      for (std::size_t k = 1; k < axis_size; ++k) largest = std::max(largest, at(k));
      double sum = 0;
      for (std::size_t k = 0; k < axis_size; ++k) sum += std::exp(double{at(k)} - largest);
      for (std::size_t k = 0; k < axis_size; ++k) {
        at(k) = static_cast<float>(std::exp(double{at(k)} - largest) / sum);
      }
    }
  }
}

void finish_on_host(const compiler::Compiled& compiled,
                    std::map<std::string, std::vector<float>>& values) {
  for (const compiler::HostStep& step : compiled.host_steps) {
    if (step.op != "Softmax") {
      user_error("node {} ({}): this step on the host cannot be checked; allowed: Softmax",
                 quote(step.node), step.op);
    }
    for (const compiler::TensorLayout& layout : compiled.output_layouts) {
      if (layout.name != step.output) continue;
      const auto axis = static_cast<std::size_t>(step.axis);
      std::size_t inner = 1;
      for (std::size_t d = axis + 1; d < layout.shape.size(); ++d) {
        inner *= static_cast<std::size_t>(layout.shape[d]);
      }
      const auto size = static_cast<std::size_t>(layout.shape.at(axis));
      softmax(values.at(layout.name), step.flatten ? size * inner : size, step.flatten ? 1 : inner);
    }
  }
}

TensorError compare(const std::string& name, const std::vector<float>& simulated,
                    const std::vector<float>& reference, tcu::DataType type) {
  if (simulated.size() != reference.size()) {
    internal_error("tensor {}: {} scalars simulated, {} in the reference", name, simulated.size(),
                   reference.size());
  }
  const double top = to_real(type, info(type).max());
  const double bottom = to_real(type, info(type).min());
  TensorError error;
  error.name = name;
  error.scalars = simulated.size();
  double squares = 0;
  for (std::size_t i = 0; i < simulated.size(); ++i) {
    const double difference = std::abs(double{simulated[i]} - double{reference[i]});
    squares += difference * difference;
    error.largest_error = std::max(error.largest_error, difference);
    error.largest_value = std::max(error.largest_value, std::abs(double{reference[i]}));
    if (simulated[i] >= top || simulated[i] <= bottom) ++error.saturated;
  }
  if (!simulated.empty()) {
    error.rms_error = std::sqrt(squares / static_cast<double>(simulated.size()));
  }
  return error;
}

}  // namespace

double usual_tolerance(tcu::DataType type) {
  switch (type) {
    case tcu::DataType::fp8bp4:
      return 0.2;
    case tcu::DataType::fp16bp8:
      return 0.05;
    case tcu::DataType::fp18bp10:
      return 0.0125;
    case tcu::DataType::fp32bp16:
      return 0.0025;
  }
  internal_error("data type {}", static_cast<int>(type));
}

Accuracy check_accuracy(const nn::Graph& graph, const compiler::Compiled& compiled,
                        const compiler::Options& options, const TcuSimulationConfig& config,
                        const nn::Values& inputs, const CheckProgress& progress,
                        const Recompile& recompile) {
  Accuracy accuracy;
  const std::vector<std::string> outputs = output_names(compiled);
  const auto is_output = [&](const std::string& name) {
    return std::find(outputs.begin(), outputs.end(), name) != outputs.end();
  };
  compiler::Options with_layers = options;
  with_layers.outputs = outputs;
  std::vector<std::string> layers = layer_tensors(graph, compiled);
  layers.erase(std::remove_if(layers.begin(), layers.end(), is_output), layers.end());
  with_layers.outputs.insert(with_layers.outputs.end(), layers.begin(), layers.end());

  std::optional<compiler::Compiled> widened;
  try {
    widened = recompile ? recompile(with_layers) : compile(graph, config.architecture, with_layers);
  } catch (const UserError& error) {
    accuracy.note =
        fmt::format("layers are not compared: with their results as outputs, {}", error.what());
    layers.clear();
  }
  const compiler::Compiled& checked = widened ? *widened : compiled;
  auto simulated = simulate(checked, config, inputs, progress.simulation);
  finish_on_host(compiled, simulated);
  const auto reference = nn::run_reference(graph, inputs, progress.reference);
  const auto add = [&](const std::string& name, bool output) {
    accuracy.tensors.push_back(compare(name, simulated.at(name), reference.at(name).floats,
                                       config.architecture.data_type));
    accuracy.tensors.back().output = output;
  };
  for (const std::string& name : layers) add(name, false);
  for (const std::string& name : outputs) add(name, true);
  return accuracy;
}

}  // namespace tactus::bench
