#include "firmware/bench/layer_law.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <optional>
#include <string_view>
#include <utility>

namespace tactus::bench {
namespace {

using Operands = std::vector<const nn::Tensor*>;

/// What the law counts of a node: the products of each sum, and whether they have constants, whose
/// rounding counts with the size of the input.
struct Sums {
  double products = 0;
  bool constants = false;
};

double size_of(const nn::Tensor* tensor) {
  return tensor == nullptr ? 0 : static_cast<double>(tensor->size());
}

/// Size of dimension `axis`, counted from the end if negative; 1 if there is none.
double extent(const nn::Tensor* tensor, std::int64_t axis) {
  if (tensor == nullptr) return 1;
  const auto rank = static_cast<std::int64_t>(tensor->shape.size());
  if (axis < 0) axis += rank;
  return axis < 0 || axis >= rank
             ? 1
             : static_cast<double>(tensor->shape[static_cast<std::size_t>(axis)]);
}

const nn::Tensor* operand(const Operands& operands, std::size_t i) {
  return i < operands.size() ? operands[i] : nullptr;
}

Sums sums_of(const nn::Node& node, const Operands& operands, const HeldTensors& held) {
  const std::string& op = node.op_type;
  const auto constant = [&](std::size_t i) {
    return i < node.inputs.size() && held.is_constant(node.inputs[i]);
  };
  const nn::Tensor* x = operand(operands, 0);
  const nn::Tensor* w = operand(operands, 1);
  if (op == "Conv" || op == "ConvInteger") {
    return {size_of(w) / std::max(1.0, extent(w, 0)), constant(1)};
  }
  if (op == "ConvTranspose") return {size_of(w) / std::max(1.0, extent(w, 1)), constant(1)};
  if (op == "QLinearConv") {
    const nn::Tensor* weights = operand(operands, 3);
    return {size_of(weights) / std::max(1.0, extent(weights, 0)), true};
  }
  if (op == "Gemm") return {extent(x, node.integer("transA", 0) != 0 ? 0 : 1), constant(1)};
  if (op == "MatMul") return {extent(x, -1), constant(0) || constant(1)};
  if (op == "QLinearMatMul") return {extent(x, -1), true};
  if (op == "Mul" || op == "Div") return {1, constant(0) || constant(1)};
  if (op == "BatchNormalization" || op == "PRelu" || op == "LeakyRelu" || op == "HardSigmoid" ||
      op == "HardSwish" || op == "Resize" || op == "Upsample") {
    return {2, true};
  }
  if (op == "Softmax" || op == "LogSoftmax" || op == "LayerNormalization" ||
      op == "RMSNormalization" || op == "LpNormalization") {
    return {extent(x, node.integer("axis", -1)), true};
  }
  if (op == "InstanceNormalization" || op == "GroupNormalization") {
    return {size_of(x) / std::max(1.0, extent(x, 0) * extent(x, 1)), true};
  }
  if (op == "LRN") return {static_cast<double>(node.integer("size", 1)), true};
  if (op == "RNN" || op == "GRU" || op == "LSTM") {
    const double steps = extent(x, 0);
    return {steps * (extent(w, -1) + extent(operand(operands, 2), -1)), true};
  }
  if (op == "Attention" || op == "MultiHeadAttention" || op == "Einsum") {
    return {size_of(w) / std::max(1.0, extent(w, 0)), true};
  }
  static constexpr std::string_view averages[] = {
      "AveragePool", "GlobalAveragePool", "ReduceMean", "ReduceSum",       "CumSum",
      "Mean",        "ReduceL1",          "ReduceL2",   "ReduceSumSquare", "LpPool"};
  constexpr double of_an_average = 11;  // 1 step: four roundings a stage, few stages
  if (std::find(std::begin(averages), std::end(averages), op) != std::end(averages)) {
    return {of_an_average, false};
  }
  static constexpr std::string_view exact[] = {
      "Relu",     "Clip",    "Max",     "Min",         "MaxPool",   "GlobalMaxPool",
      "Identity", "Reshape", "Flatten", "Squeeze",     "Unsqueeze", "Transpose",
      "Concat",   "Split",   "Slice",   "Pad",         "Gather",    "Expand",
      "Tile",     "Abs",     "Neg",     "ReduceMax",   "ReduceMin", "DepthToSpace",
      "Dropout",  "Cast",    "Where",   "SpaceToDepth"};
  if (std::find(std::begin(exact), std::end(exact), op) != std::end(exact)) return {};
  return {static_cast<double>(std::max<std::size_t>(node.inputs.size(), 1)), false};
}

/// Root mean square of an operand as the machine holds it.
double size_on_machine(const nn::Node& node, const Operands& operands, const HeldTensors& held) {
  std::size_t at = 0;
  while (at + 1 < operands.size() && held.is_constant(node.inputs[at])) ++at;
  const nn::Tensor* x = operand(operands, at);
  if (x == nullptr || x->size() == 0) return 0;
  const std::vector<float> values = x->reals();
  const HeldTensors::Steps steps = held.steps(node.inputs[at], x->shape);
  const bool quantised = node.op_type.rfind("QLinear", 0) == 0 && operands.size() > 2 &&
                         operands[1] != nullptr && operands[2] != nullptr;
  double squares = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    double value = double{values[i]} * held.step() / steps[i];
    if (quantised) {
      value = (value - static_cast<double>(operands[2]->integers.front())) *
              double{operands[1]->floats.front()};
    }
    squares += value * value;
  }
  return std::sqrt(squares / static_cast<double>(values.size()));
}

/// The real number that a step of a node's whole results stands for; 1 for others.
double unit_of_integers(const nn::Node& node, const Operands& operands) {
  const std::size_t at = node.op_type == "QLinearConv" || node.op_type == "QLinearMatMul" ? 6 : 0;
  const nn::Tensor* scale = at == 0 ? nullptr : operand(operands, at);
  return scale == nullptr || scale->floats.empty() ? 1 : double{scale->floats.front()};
}

/// One computation of the graph from the machine's values.
class LayerRun {
 public:
  LayerRun(const nn::Graph& graph, const HeldTensors& held, const StatedErrors& stated,
           const nn::Values& machine, std::optional<Disturbance> disturbance)
      : graph_(graph), held_(held), stated_(stated), machine_(machine), disturbance_(disturbance) {}

  /// Rounds the constants of products from now on.
  LayerRun& with_rounded_constants() {
    rounds_ = true;
    return *this;
  }
  /// Returns what the graph makes of the tensors that the machine computed.
  [[nodiscard]] nn::Values compute(const nn::Values& inputs);

 private:
  [[nodiscard]] std::vector<nn::Tensor> execute(const nn::Node& node, std::int64_t opset,
                                                Operands operands);
  void add_errors(const nn::Node& node, const Operands& operands, std::vector<nn::Tensor>& results);

  const nn::Graph& graph_;
  const HeldTensors& held_;
  const StatedErrors& stated_;
  const nn::Values& machine_;
  std::optional<Disturbance> disturbance_;
  bool rounds_ = false;
  Noise noise_{2};
};

void LayerRun::add_errors(const nn::Node& node, const Operands& operands,
                          std::vector<nn::Tensor>& results) {
  const double steps = *disturbance_ == Disturbance::whole ? 0 : law_steps(node, operands, held_);
  if (steps > 0) {
    const bool whole = !results.empty() && results.front().type == nn::ElementType::int64;
    // A uniform error of this largest size has this standard deviation.
    const double largest = std::sqrt(3.0) * steps * held_.step();
    if (!whole) {
      disturb(results, node, held_, {largest, 0}, noise_, Disturbance::each);
    } else if (unit_of_integers(node, operands) != 1) {
      const double moves = largest / unit_of_integers(node, operands);
      for (std::int64_t& value : results.front().integers) {
        value += std::llround(moves * noise_.draw());
      }
    }
  }
  const auto error = stated_.find(node.name);
  if (error != stated_.end()) {
    disturb(results, node, held_, error->second, noise_, *disturbance_);
  }
}

std::vector<nn::Tensor> LayerRun::execute(const nn::Node& node, std::int64_t opset,
                                          Operands operands) {
  if (held_.on_host(node) || node.outputs.empty() || held_.is_constant(node.outputs.front())) {
    return nn::run_node(node, opset, operands);
  }
  std::deque<nn::Tensor> saturated;  // constants; pointers to them stay valid
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const bool sums = node.op_type == "Add" || node.op_type == "Sub" || node.op_type == "Where";
    if (!sums || operands[i] == nullptr || !held_.is_constant(node.inputs[i])) continue;
    saturated.push_back(*operands[i]);
    held_.saturate(saturated.back(), node.inputs[i]);
    operands[i] = &saturated.back();
  }
  const bool product = node.op_type == "Conv" || node.op_type == "ConvTranspose" ||
                       node.op_type == "Gemm" || node.op_type == "MatMul";
  for (std::size_t i = 0; rounds_ && product && i < operands.size(); ++i) {
    if (operands[i] == nullptr || !held_.is_constant(node.inputs[i])) continue;
    saturated.push_back(*operands[i]);
    held_.round_constant(saturated.back(), node.inputs[i]);
    operands[i] = &saturated.back();
  }
  std::vector<nn::Tensor> results = nn::run_node(node, opset, operands);
  if (disturbance_) add_errors(node, operands, results);
  for (std::size_t k = 0; k < results.size() && k < node.outputs.size(); ++k) {
    if (held_.holds(node, node.outputs[k])) held_.saturate(results[k], node.outputs[k]);
  }
  return results;
}

nn::Values LayerRun::compute(const nn::Values& inputs) {
  nn::Values held = inputs;
  for (auto& [name, tensor] : held) {
    if (held_.is_program_input(name)) held_.round(tensor, name);
  }
  nn::Values made;
  nn::ReferenceOptions options;
  for (const auto& [name, tensor] : machine_) options.outputs.push_back(name);
  options.execute = [&](const nn::Node& node, std::int64_t opset, const Operands& operands) {
    return execute(node, opset, operands);
  };
  options.revise = [&](const nn::Node& node, std::vector<nn::Tensor>& results) {
    for (std::size_t k = 0; k < results.size() && k < node.outputs.size(); ++k) {
      const auto known = machine_.find(node.outputs[k]);
      if (known == machine_.end() || results[k].type != nn::ElementType::float32) continue;
      if (known->second.floats.size() != results[k].floats.size()) continue;
      made[node.outputs[k]] = std::exchange(results[k], known->second);
    }
  };
  (void)nn::run_reference(graph_, held, options);
  return made;
}

}  // namespace

double law_steps(const nn::Node& node, const Operands& operands, const HeldTensors& held) {
  const Sums sums = sums_of(node, operands, held);
  if (sums.products == 0) return 0;
  const double x = sums.constants ? size_on_machine(node, operands, held) : 0;
  return std::sqrt(sums.products / 12 * (x * x + 1) + 1.0 / 12);
}

std::map<std::string, LayerError> layer_errors(const nn::Graph& graph, const HeldTensors& held,
                                               const StatedErrors& stated, const nn::Values& inputs,
                                               const nn::Values& machine) {
  std::map<std::string, LayerError> errors;
  if (machine.empty()) return errors;
  const auto compute = [&](std::optional<Disturbance> disturbance) {
    return LayerRun(graph, held, stated, machine, disturbance).compute(inputs);
  };
  const nn::Values right = compute({}), disturbed = compute(Disturbance::each);
  // The law takes the roundings of constants for independent. Those of weights that are alike are
  // not, so their effect itself counts if it is larger.
  const nn::Values rounded =
      LayerRun(graph, held, stated, machine, {}).with_rounded_constants().compute(inputs);
  for (const auto& [name, tensor] : right) {
    errors[name] = {rms_difference(machine.at(name).floats, tensor.floats),
                    std::max(rms_difference(disturbed.at(name).floats, tensor.floats),
                             rms_difference(rounded.at(name).floats, tensor.floats))};
  }
  if (!states_whole(graph, stated)) return errors;
  const nn::Values moved = compute(Disturbance::whole);
  for (const auto& [name, tensor] : right) {
    LayerError& error = errors.at(name);
    error.law = std::hypot(
        error.law, rounding_deviation * rms_difference(moved.at(name).floats, tensor.floats));
  }
  return errors;
}

}  // namespace tactus::bench
