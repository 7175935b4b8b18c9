#include "firmware/bench/accuracy.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "firmware/bench/evaluation.h"
#include "firmware/bench/program_cache.h"
#include "firmware/compiler/frontend/operators.h"
#include "firmware/compiler/images.h"
#include "firmware/compiler/interpretation.h"
#include "firmware/compiler/model_tensors.h"
#include "firmware/driver/tcu/units.h"
#include "isa/support/error.h"
#include "isa/support/text.h"

namespace tactus::bench {
namespace {

const nn::Node* find_node(const nn::Graph& graph, const std::string& name) {
  const auto node = std::find_if(graph.nodes.begin(), graph.nodes.end(),
                                 [&](const nn::Node& n) { return n.name == name; });
  return node == graph.nodes.end() ? nullptr : &*node;
}

/// Name of the first output of a layer's last node; empty if the graph has no such node.
std::string layer_tensor(const nn::Graph& graph, const compiler::LayerInfo& layer) {
  if (layer.nodes.empty()) return "";
  const nn::Node* node = find_node(graph, layer.nodes.back());
  return node == nullptr || node->outputs.empty() ? "" : node->outputs.front();
}

std::vector<std::string> layer_tensors(const nn::Graph& graph, const compiler::Compiled& compiled) {
  std::vector<std::string> names;
  for (const compiler::LayerInfo& layer : compiled.layers) {
    const std::string name = layer_tensor(graph, layer);
    if (name.empty()) continue;
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
  TcuRunOptions options;
  options.progress = progress;
  const ImageResult image = run_once(config, program.model, data, {}, options);
  if (image.run.end != RunEnd::finished) {
    user_error("the compiled program hangs after {} cycles", image.run.cycles);
  }
  std::map<std::string, std::vector<float>> values;
  for (const compiler::TensorLayout& layout : program.outputs) {
    values[layout.name] = unpack_tensor(layout, config.architecture, image.outputs.at(layout.name));
  }
  return values;
}

/// Extracts image number `image` of a tensor that holds `images` images.
nn::Tensor image_of(const nn::Tensor& all, std::uint32_t image, std::uint32_t images) {
  nn::Tensor one = all;
  one.shape.front() /= images;
  const auto size = static_cast<std::ptrdiff_t>(all.floats.size() / images);
  const auto first = all.floats.begin() + static_cast<std::ptrdiff_t>(image) * size;
  one.floats.assign(first, first + size);
  return one;
}

void append(nn::Tensor& all, const nn::Tensor& one) {
  if (all.shape.empty()) return;
  all.shape.front() += one.shape.front();
  all.floats.insert(all.floats.end(), one.floats.begin(), one.floats.end());
  all.integers.insert(all.integers.end(), one.integers.begin(), one.integers.end());
}

/// Runs the reference image by image, since the model describes one image.
nn::Values reference_of(const nn::Graph& graph, const nn::Values& inputs, std::uint32_t images,
                        const CheckProgress& progress) {
  if (images == 1) return nn::run_reference(graph, inputs, progress.reference);
  nn::Values all;
  for (std::uint32_t image = 0; image < images; ++image) {
    nn::Values one;
    for (const auto& [name, tensor] : inputs) one[name] = image_of(tensor, image, images);
    nn::Values made = nn::run_reference(graph, one, progress.reference);
    if (image == 0) {
      all = std::move(made);
      continue;
    }
    for (auto& [name, tensor] : all) append(tensor, made.at(name));
  }
  return all;
}

/// The program's outputs as tensors.
nn::Values output_values(const compiler::Compiled& compiled,
                         const std::map<std::string, std::vector<float>>& simulated) {
  nn::Values values;
  for (const compiler::TensorLayout& layout : compiled.output_layouts) {
    values[layout.name] = nn::Tensor::of(layout.shape, simulated.at(layout.name));
  }
  return values;
}

/// Number of a node's reference values that exceed the data type's range. For an average its sums
/// are counted: its values times the number of values averaged.
std::uint64_t beyond_range(const nn::Node& node, const nn::Values& values, tcu::DataType type) {
  const double top = to_real(type, info(type).max());
  const auto count = [&](const std::vector<float>& numbers, double factor) {
    return static_cast<std::uint64_t>(
        std::count_if(numbers.begin(), numbers.end(),
                      [&](float value) { return std::abs(double{value}) * factor > top; }));
  };
  const auto made = values.find(node.outputs.front());
  if (made == values.end()) return 0;
  double factor = 1;
  if (node.has("kernel_shape") && compiler::has(node, compiler::takes_means)) {
    for (const std::int64_t size : node.integers("kernel_shape")) {
      factor *= static_cast<double>(size);
    }
  } else if (compiler::has(node, compiler::takes_means)) {
    const auto read = values.find(node.inputs.front());
    if (read != values.end() && made->second.size() > 0) {
      factor = static_cast<double>(read->second.size()) / static_cast<double>(made->second.size());
    }
  }
  return count(made->second.floats, factor);
}

/// Indices of the largest values, largest first.
std::vector<std::size_t> best_classes(const float* values, std::size_t classes, std::size_t count) {
  std::vector<std::size_t> order(classes);
  for (std::size_t k = 0; k < classes; ++k) order[k] = k;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return values[a] > values[b]; });
  order.resize(std::min(count, classes));
  return order;
}

/// Sets the counts of rows of classes: all, with the expected class first, with it among the first
/// five.
void rank_classes(const nn::Tensor& actual, const nn::Tensor& expected, TensorError& error) {
  if (expected.shape.size() != 2 || expected.shape[1] < 2 || expected.floats.empty() ||
      actual.floats.size() != expected.floats.size()) {
    return;
  }
  const auto classes = static_cast<std::size_t>(expected.shape[1]);
  error.ranked = static_cast<std::uint64_t>(expected.shape[0]);
  for (std::size_t row = 0; row < error.ranked; ++row) {
    const std::size_t wanted =
        best_classes(expected.floats.data() + row * classes, classes, 1).front();
    const auto first = best_classes(actual.floats.data() + row * classes, classes, 5);
    error.top_1 += first.front() == wanted ? 1 : 0;
    error.top_5 += std::find(first.begin(), first.end(), wanted) != first.end() ? 1 : 0;
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
  error.step = to_real(type, 1);
  double squares = 0;
  for (std::size_t i = 0; i < simulated.size(); ++i) {
    const double difference = std::abs(double{simulated[i]} - double{reference[i]});
    squares += difference * difference;
    error.largest_error = std::max(error.largest_error, difference);
    error.largest_value = std::max(error.largest_value, std::abs(double{reference[i]}));
    error.lowest = i == 0 ? double{reference[i]} : std::min(error.lowest, double{reference[i]});
    error.highest = i == 0 ? double{reference[i]} : std::max(error.highest, double{reference[i]});
    if (simulated[i] >= top || simulated[i] <= bottom) ++error.saturated;
  }
  if (!simulated.empty()) {
    error.rms_error = std::sqrt(squares / static_cast<double>(simulated.size()));
  }
  return error;
}

double rms_difference(const std::vector<float>& a, const std::vector<float>& b) {
  double squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = double{a[i]} - double{b[i]};
    squares += difference * difference;
  }
  return a.empty() ? 0 : std::sqrt(squares / static_cast<double>(a.size()));
}

/// Returns TensorError::reachable of each tensor. Outputs are compared after the host's work. Only
/// the first of several images is computed; it stands for all.
std::map<std::string, double> reachable_errors(const nn::Graph& graph,
                                               const compiler::Compiled& compiled,
                                               compiler::Options options,
                                               const tcu::Architecture& architecture,
                                               const nn::Values& inputs) {
  compiler::TensorValues values;  // values of the program's inputs
  for (const auto& [name, tensor] : inputs) {
    values[name] = image_of(tensor, 0, options.batch).floats;
  }
  const std::uint32_t images = std::exchange(options.batch, 1);
  const compiler::Interpretation found = compiler::interpret(graph, architecture, options, values);
  std::map<std::string, double> errors;
  for (const auto& [name, typed] : found.typed) {
    errors[name] = rms_difference(typed, found.real.at(name));
  }
  const auto finish = [&](const compiler::TensorValues& tensors) {
    nn::Values program;
    for (const compiler::TensorLayout& layout : compiled.output_layouts) {
      const std::vector<float>& one = tensors.at(layout.name);
      std::vector<float> all;
      for (std::uint32_t i = 0; i < images; ++i) all.insert(all.end(), one.begin(), one.end());
      program[layout.name] = nn::Tensor::of(layout.shape, all);
    }
    return compiler::finish_on_host(compiler::tensors_of(compiled), program);
  };
  if (!compiled.host) return errors;
  const nn::Values typed = finish(found.typed), real = finish(found.real);
  for (const auto& [name, tensor] : typed) {
    errors[name] = rms_difference(tensor.reals(), real.at(name).reals());
  }
  return errors;
}

}  // namespace

Accuracy check_accuracy(const nn::Graph& graph, const compiler::Compiled& compiled,
                        const compiler::Options& options, const TcuSimulationConfig& config,
                        const nn::Values& inputs, const CheckProgress& progress,
                        const nn::Values& expected, const Recompile& recompile,
                        const std::vector<std::string>& tensors) {
  Accuracy accuracy;
  const std::vector<std::string> outputs = output_names(compiled);
  const auto is_output = [&](const std::string& name) {
    return std::find(outputs.begin(), outputs.end(), name) != outputs.end();
  };
  compiler::Options with_layers = options;
  std::vector<std::string> layers = tensors.empty() ? layer_tensors(graph, compiled) : tensors;
  layers.erase(std::remove_if(layers.begin(), layers.end(), is_output), layers.end());

  // If a layer's result becomes an output, the compiler may leave the operators that compute it to
  // the host. Such a layer is not compared, and the model is compiled again without it.
  std::optional<compiler::Compiled> widened;
  std::vector<std::string> left_out;
  try {
    for (bool complete = false; !complete;) {
      with_layers.outputs = outputs;
      with_layers.outputs.insert(with_layers.outputs.end(), layers.begin(), layers.end());
      widened = recompile ? recompile(with_layers)
                          : compile_network(graph, config.architecture, with_layers);
      const std::vector<std::string> made = output_names(*widened);
      const auto lost = std::stable_partition(layers.begin(), layers.end(), [&](const auto& name) {
        return std::find(made.begin(), made.end(), name) != made.end();
      });
      complete = lost == layers.end();
      left_out.insert(left_out.end(), lost, layers.end());
      layers.erase(lost, layers.end());
    }
  } catch (const UserError& error) {
    accuracy.note =
        fmt::format("layers are not compared: with their results as outputs, {}", error.what());
    layers.clear();
    widened.reset();
  }
  if (!left_out.empty()) {
    accuracy.note =
        fmt::format("not compared, for as outputs they would be left to the host: {}{}{}",
                    fmt::join(left_out, ", "), accuracy.note.empty() ? "" : "\n", accuracy.note);
  }
  const compiler::Compiled& checked = widened ? *widened : compiled;
  const nn::Values started = compiler::start_on_host(compiler::tensors_of(checked), inputs);
  const auto simulated = simulate(checked, config, started, progress.simulation);
  const nn::Values finished =
      compiler::finish_on_host(compiler::tensors_of(compiled), output_values(compiled, simulated));
  const auto reference = reference_of(graph, inputs, options.batch, progress);
  if (!widened) with_layers.outputs = outputs;
  const auto reachable =
      reachable_errors(graph, compiled, with_layers, config.architecture, started);
  const tcu::DataType type = config.architecture.data_type;
  const auto add = [&](const std::string& name, const std::vector<float>& values,
                       const nn::Tensor& wanted, bool output) {
    accuracy.tensors.push_back(compare(name, values, wanted.reals(), type));
    accuracy.tensors.back().output = output;
    const auto least = reachable.find(name);
    if (least != reachable.end()) accuracy.tensors.back().reachable = least->second;
    // A layer's nodes are checked one by one: only the last one's values are in the layer's result.
    for (const compiler::LayerInfo& layer : compiled.layers) {
      if (layer_tensor(graph, layer) != name) continue;
      for (const std::string& node : layer.nodes) {
        const nn::Node* inner = find_node(graph, node);
        if (inner == nullptr) continue;
        accuracy.tensors.back().saturated_inside += beyond_range(*inner, reference, type);
      }
    }
  };
  for (const std::string& name : layers) {
    add(name, simulated.at(name), reference.at(name), false);
  }
  for (const std::string& name : compiled.model_outputs) {
    const auto stated = expected.find(name);
    const nn::Tensor& wanted = stated != expected.end() ? stated->second : reference.at(name);
    const nn::Tensor& actual = finished.at(name);
    if (stated != expected.end()) {
      const std::string tensor = "output " + quote(name);
      const std::string where = "expected values of " + tensor;
      const compiler::ShapeFit fit = compiler::fit_shape(wanted.shape, actual.shape, tensor, where);
      if (fit.images != 1) {
        user_error("{}: are those of {} images; one is computed", where, fit.images);
      }
      if (!fit.note.empty()) {
        accuracy.note +=
            fmt::format("{}{}: {}", accuracy.note.empty() ? "" : "\n", where, fit.note);
      }
    }
    add(name, actual.reals(), wanted, true);
    rank_classes(actual, wanted, accuracy.tensors.back());
  }
  return accuracy;
}

}  // namespace tactus::bench
