#include "firmware/bench/accuracy.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "firmware/bench/evaluation.h"
#include "firmware/bench/held_tensors.h"
#include "firmware/bench/layer_law.h"
#include "firmware/bench/program_cache.h"
#include "firmware/bench/reachable.h"
#include "firmware/compiler/frontend/operators.h"
#include "firmware/compiler/images.h"
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
  if (images == 1) return all;
  nn::Tensor one = all;
  one.shape.front() /= images;
  const auto cut = [&](const auto& from, auto& to) {
    const auto size = static_cast<std::ptrdiff_t>(from.size() / images);
    const auto first = from.begin() + static_cast<std::ptrdiff_t>(image) * size;
    to.assign(first, first + size);
  };
  cut(all.floats, one.floats);
  cut(all.integers, one.integers);
  return one;
}

nn::Values images_of(const nn::Values& all, std::uint32_t image, std::uint32_t images) {
  nn::Values one;
  for (const auto& [name, tensor] : all) one[name] = image_of(tensor, image, images);
  return one;
}

/// The inputs with zeros for those that nothing reads.
nn::Values with_unread_inputs(const nn::Graph& graph, nn::Values inputs, std::uint32_t images) {
  for (const nn::ValueInfo& info : graph.inputs) {
    if (inputs.count(info.name) != 0) continue;
    nn::Shape shape;
    if (info.dims) {
      for (const nn::Dimension& dimension : *info.dims) shape.push_back(dimension.size.value_or(1));
    }
    if (!shape.empty()) shape.front() *= images;
    nn::Tensor zeros = nn::Tensor::zeros(std::move(shape));
    inputs[info.name] =
        info.type == nn::ElementType::float32 ? std::move(zeros) : zeros.rounded(info.stored);
  }
  return inputs;
}

void append(nn::Tensor& all, const nn::Tensor& one) {
  if (all.shape.empty()) return;
  all.shape.front() += one.shape.front();
  all.floats.insert(all.floats.end(), one.floats.begin(), one.floats.end());
  all.integers.insert(all.integers.end(), one.integers.begin(), one.integers.end());
}

/// Runs the reference image by image, since the model describes one image.
nn::Values reference_of(const nn::Graph& graph, const nn::Values& inputs,
                        const std::vector<std::string>& tensors, std::uint32_t images,
                        const CheckProgress& progress) {
  nn::ReferenceOptions options;
  options.on_node = progress.reference;
  options.outputs = tensors;
  nn::Values all;
  for (std::uint32_t image = 0; image < images; ++image) {
    nn::Values made = nn::run_reference(graph, images_of(inputs, image, images), options);
    if (image == 0) {
      all = std::move(made);
      continue;
    }
    for (auto& [name, tensor] : all) append(tensor, made.at(name));
  }
  return all;
}

/// The program's outputs as tensors, in the model's numbers.
nn::Values output_values(const compiler::Compiled& compiled,
                         const std::map<std::string, std::vector<float>>& simulated) {
  nn::Values values;
  for (const compiler::TensorLayout& layout : compiled.output_layouts) {
    values[layout.name] = nn::Tensor::of(layout.shape, simulated.at(layout.name));
  }
  return values;
}

/// Number of a node's reference values that exceed the data type's range. For an average of a
/// program of --compat its sums are counted: its values times the number of values averaged.
std::uint64_t beyond_range(const nn::Node& node, const nn::Values& values,
                           const compiler::Compiled& compiled) {
  const tcu::DataType type = compiled.architecture.data_type;
  const double top = to_real(type, info(type).max());
  const auto count = [&](const std::vector<float>& numbers, double factor) {
    return static_cast<std::uint64_t>(
        std::count_if(numbers.begin(), numbers.end(),
                      [&](float value) { return std::abs(double{value}) * factor > top; }));
  };
  const auto made = values.find(node.outputs.front());
  if (made == values.end()) return 0;
  double factor = 1;
  if (!compiled.compat) return count(made->second.floats, factor);
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
    const std::vector<float> scores = expected.reals();
    const auto second = best_classes(scores.data() + row * classes, classes, 2).back();
    const double margin = double{scores[row * classes + wanted]} - scores[row * classes + second];
    if (first.front() != wanted && margin > 2 * error.usual_error()) ++error.lost_classes;
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

/// Sets what the data type reaches, and what lowerings state, of each tensor; of the first image.
void set_reachable(const nn::Graph& graph, const HeldTensors& held, const StatedErrors& stated,
                   const nn::Values& inputs, std::uint32_t images, const nn::Values& reference,
                   Accuracy& accuracy) {
  std::vector<std::string> names;
  for (const TensorError& error : accuracy.tensors) names.push_back(error.name);
  const RoundedNodes rounded(graph, held, names);
  const nn::Values inputs_of_one = images_of(inputs, 0, images);
  RoundedNodes::Choice choice;
  const nn::Values reached = rounded.compute(inputs_of_one, names, choice);
  choice.rounds_constants = false;
  const nn::Values exact = rounded.compute(inputs_of_one, names, choice);
  const auto difference = [](const nn::Values& a, const nn::Values& b, const std::string& name) {
    return rms_difference(a.at(name).reals(), b.at(name).reals());
  };
  nn::Values wanted;
  for (const std::string& name : names) {
    wanted[name] = image_of(reference.at(name), 0, images);
  }
  for (TensorError& error : accuracy.tensors) {
    error.reachable = difference(reached, wanted, error.name);
    error.reachable_exact = difference(exact, wanted, error.name);
  }
  if (stated.empty()) return;
  // Errors of tables may be alike for all elements, or of either sign: what arrives is the largest
  // of some trials.
  choice.rounds_constants = true;
  choice.errors = &stated;
  for (std::uint64_t trial = 0; trial < 3; ++trial) {
    choice.how = trial == 0 ? Disturbance::each : Disturbance::alike;
    choice.seed = trial + 1;
    const nn::Values disturbed = rounded.compute(inputs_of_one, names, choice);
    for (TensorError& error : accuracy.tensors) {
      error.stated = std::max(error.stated, difference(disturbed, reached, error.name));
    }
  }
  if (!states_whole(graph, stated)) return;
  choice.how = Disturbance::whole;
  const nn::Values moved = rounded.compute(inputs_of_one, names, choice);
  for (TensorError& error : accuracy.tensors) {
    error.stated =
        std::hypot(error.stated, rounding_deviation * difference(moved, reached, error.name));
  }
}

/// The tensors that a program computes of the user's graph, of the first image. An output of which
/// the host takes a Softmax holds the operand.
nn::Values machine_values(const nn::Graph& graph, const HeldTensors& held,
                          const compiler::Compiled& compiled, const nn::Values& outputs,
                          std::uint32_t images) {
  nn::Values values;
  for (const compiler::TensorLayout& layout : compiled.output_layouts) {
    std::string name = layout.name;
    for (const compiler::HostStep& step : compiled.host_steps) {
      const nn::Node* node = step.output == name ? find_node(graph, step.node) : nullptr;
      if (node != nullptr) name = node->inputs.front();
    }
    if (held.is_program_input(name)) continue;
    values[name] = image_of(outputs.at(layout.name), 0, images);
  }
  return values;
}

/// The program with the results of layers as outputs, too.
struct Widened {
  std::vector<std::string> layers;            ///< tensors that it has in addition
  std::optional<compiler::Compiled> program;  ///< nothing if there are no such tensors
  std::string note;                           ///< what is not compared, and why
};

/// `wanted`: tensors to compare; empty: those of all layers.
Widened with_layers_as_outputs(const nn::Graph& graph, const compiler::Compiled& compiled,
                               const compiler::Options& options, const TcuSimulationConfig& config,
                               const Recompile& recompile, const std::vector<std::string>& wanted) {
  Widened result;
  const std::vector<std::string>& outputs = compiled.model_outputs;
  const auto is_output = [&](const std::string& name) {
    return std::find(outputs.begin(), outputs.end(), name) != outputs.end();
  };
  // Tensors that are scaled keep their names in the graph that was compiled.
  const nn::Graph& compiled_graph = compiled.scaled == nullptr ? graph : *compiled.scaled;
  compiler::Options with_layers = options;
  with_layers.scales = compiler::Scales::none;  // the graph that was compiled is scaled already
  with_layers.calibrate.clear();
  with_layers.bounds = compiled.bounds;
  std::vector<std::string>& layers = result.layers;
  layers = wanted.empty() ? layer_tensors(graph, compiled) : wanted;
  layers.erase(std::remove_if(layers.begin(), layers.end(),
                              [&](const std::string& name) {
                                return is_output(name) || compiled_graph.producer(name) == nullptr;
                              }),
               layers.end());

  // If a layer's result becomes an output, the compiler may leave the operators that compute it to
  // the host. Such a layer is not compared, and the model is compiled again without it.
  std::optional<compiler::Compiled>& widened = result.program;
  std::vector<std::string> left_out;
  try {
    for (bool complete = layers.empty(); !complete;) {
      with_layers.outputs = outputs;
      with_layers.outputs.insert(with_layers.outputs.end(), layers.begin(), layers.end());
      widened =
          recompile ? recompile(with_layers) : compile_network(compiled_graph, config, with_layers);
      if (widened->scaled == nullptr) widened->scaled = compiled.scaled;
      const std::vector<std::string> made = output_names(*widened);
      const auto lost = std::stable_partition(layers.begin(), layers.end(), [&](const auto& name) {
        return std::find(made.begin(), made.end(), name) != made.end();
      });
      complete = lost == layers.end();
      left_out.insert(left_out.end(), lost, layers.end());
      layers.erase(lost, layers.end());
    }
  } catch (const UserError& error) {
    result.note =
        fmt::format("layers are not compared: with their results as outputs, {}", error.what());
    layers.clear();
    widened.reset();
  }
  if (!left_out.empty()) {
    result.note =
        fmt::format("not compared, for as outputs they would be left to the host: {}{}{}",
                    fmt::join(left_out, ", "), result.note.empty() ? "" : "\n", result.note);
  }
  if (layers.empty()) widened.reset();
  return result;
}

/// Checks that values expected of an output are those of one image. Notes another shape.
void check_expected_shape(const std::string& name, const nn::Tensor& wanted,
                          const nn::Tensor& actual, Accuracy& accuracy) {
  const std::string tensor = "output " + quote(name);
  const std::string where = "expected values of " + tensor;
  const compiler::ShapeFit fit =
      compiler::fit_shape(wanted.shape, actual.shape, tensor, where, "", compiler::Images::one);
  if (fit.images != 1) {
    user_error("{}: are those of {} images; one is computed", where, fit.images);
  }
  if (!fit.note.empty()) {
    accuracy.note += fmt::format("{}{}: {}", accuracy.note.empty() ? "" : "\n", where, fit.note);
  }
}

}  // namespace

bool TensorError::is_right(const std::optional<double>& tolerance) const {
  if (tolerance) return !output || relative_error() <= *tolerance;
  if (beyond_law()) return false;
  return !output || (rms_error <= usual_error() && lost_classes == 0);
}

bool Accuracy::is_right(const std::optional<double>& tolerance) const {
  return std::all_of(tensors.begin(), tensors.end(),
                     [&](const TensorError& error) { return error.is_right(tolerance); });
}

Accuracy check_accuracy(const nn::Graph& graph, const compiler::Compiled& compiled,
                        const compiler::Options& options, const TcuSimulationConfig& config,
                        const nn::Values& inputs, const CheckProgress& progress,
                        const nn::Values& expected, const Recompile& recompile,
                        const std::vector<std::string>& tensors) {
  Accuracy accuracy;
  const std::vector<std::string>& outputs = compiled.model_outputs;
  const auto [layers, widened, note] =
      with_layers_as_outputs(graph, compiled, options, config, recompile, tensors);
  accuracy.note = note;
  const compiler::Compiled& checked = widened ? *widened : compiled;
  const HeldTensors held(graph, compiled);
  const HeldTensors held_in_layers(graph, checked, compiled.scales);
  nn::Values carried;  // of the program that ran last
  const auto run = [&](const compiler::Compiled& program) {
    compiler::Started started = compiler::start_on_host(compiler::tensors_of(program), inputs);
    carried = std::move(started.carried);
    return output_values(program, simulate(program, config, started.inputs, progress.simulation));
  };
  const nn::Values made = run(compiled);
  const nn::Values finished =
      compiler::finish_on_host(compiler::tensors_of(compiled), made, carried);
  nn::Values in_layers = widened ? run(*widened) : made;
  for (auto& [name, tensor] : in_layers) {
    held_in_layers.unscale(tensor.floats, name, tensor.shape);
  }
  const nn::Values all_inputs = with_unread_inputs(graph, inputs, options.batch);
  std::vector<std::string> needed = outputs;
  needed.insert(needed.end(), layers.begin(), layers.end());
  const auto reference = reference_of(graph, all_inputs, needed, options.batch, progress);
  const tcu::DataType type = config.architecture.data_type;
  const auto add = [&](const std::string& name, const std::vector<float>& values,
                       const nn::Tensor& wanted, bool output) {
    accuracy.tensors.push_back(compare(name, values, wanted.reals(), type));
    accuracy.tensors.back().output = output;
    // A layer's nodes are checked one by one: only the last one's values are in the layer's result.
    for (const compiler::LayerInfo& layer : compiled.layers) {
      if (layer_tensor(graph, layer) != name) continue;
      for (const std::string& node : layer.nodes) {
        const nn::Node* inner = find_node(graph, node);
        if (inner == nullptr) continue;
        accuracy.tensors.back().saturated_inside += beyond_range(*inner, reference, compiled);
      }
    }
  };
  for (const std::string& name : layers) {
    add(name, in_layers.at(name).floats, reference.at(name), false);
  }
  for (const std::string& name : compiled.model_outputs) {
    const auto stated = expected.find(name);
    const nn::Tensor& wanted = stated != expected.end() ? stated->second : reference.at(name);
    const nn::Tensor& actual = finished.at(name);
    if (stated != expected.end()) check_expected_shape(name, wanted, actual, accuracy);
    add(name, actual.reals(), wanted, true);
  }
  set_reachable(graph, held, compiled.expected_errors, all_inputs, options.batch, reference,
                accuracy);
  const nn::Values first_inputs = images_of(all_inputs, 0, options.batch);
  const nn::Values on_machine =
      machine_values(graph, held_in_layers, checked, in_layers, options.batch);
  const auto judged =
      layer_errors(graph, held_in_layers, checked.expected_errors, first_inputs, on_machine);
  nn::Values results;  // without the tensors inside, errors add up from the inputs on
  for (const std::string& name : outputs) {
    results[name] = image_of(finished.at(name), 0, options.batch);
  }
  const auto through = layer_errors(graph, held_in_layers, {}, first_inputs, results);
  for (TensorError& error : accuracy.tensors) {
    const auto found = judged.find(error.name);
    if (found != judged.end()) error.layer = found->second;
    if (!error.output) continue;
    const auto summed = through.find(error.name);
    if (summed != through.end()) error.by_law = summed->second.law;
    const auto stated = expected.find(error.name);
    rank_classes(finished.at(error.name),
                 stated != expected.end() ? stated->second : reference.at(error.name), error);
  }
  return accuracy;
}

}  // namespace tactus::bench
