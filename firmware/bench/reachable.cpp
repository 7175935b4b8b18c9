#include "firmware/bench/reachable.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <optional>
#include <utility>

namespace tactus::bench {
namespace {

using Operands = std::vector<const nn::Tensor*>;

bool is_one_of(const std::string& type, std::initializer_list<const char*> types) {
  return std::any_of(types.begin(), types.end(), [&](const char* t) { return type == t; });
}

/// Scale and offset of a BatchNormalization with constant operands: y = x * scale + offset.
struct Affine {
  nn::Tensor scale, offset;
};

Affine affine_of(const nn::Node& node, const Operands& operands) {
  const auto epsilon = static_cast<double>(node.real("epsilon", 1e-5F));
  Affine affine{*operands[1], *operands[2]};
  for (std::size_t c = 0; c < affine.scale.floats.size(); ++c) {
    const double factor =
        double{affine.scale.floats[c]} / std::sqrt(double{operands[4]->floats[c]} + epsilon);
    affine.scale.floats[c] = static_cast<float>(factor);
    affine.offset.floats[c] = static_cast<float>(double{affine.offset.floats[c]} -
                                                 factor * double{operands[3]->floats[c]});
  }
  return affine;
}

/// The result of x * scale + offset along dimension 1.
nn::Tensor applied(const nn::Tensor& x, const Affine& affine) {
  nn::Tensor y = x;
  std::size_t inner = 1;
  for (std::size_t i = 2; i < x.shape.size(); ++i) inner *= static_cast<std::size_t>(x.shape[i]);
  const std::size_t channels = affine.scale.floats.size();
  for (std::size_t i = 0; i < y.floats.size(); ++i) {
    const std::size_t c = i / inner % channels;
    y.floats[i] = static_cast<float>(double{x.floats[i]} * double{affine.scale.floats[c]} +
                                     double{affine.offset.floats[c]});
  }
  return y;
}

/// Dimension of a product's weights that counts its outputs. Grouped transposed convolutions have
/// none.
std::optional<std::size_t> output_dimension(const nn::Node& node) {
  if (node.op_type == "Conv") return 0;
  if (node.op_type == "ConvTranspose" && node.integer("group", 1) == 1) return 1;
  if (node.op_type == "Gemm") return node.integer("transB", 0) != 0 ? 0 : 1;
  return std::nullopt;
}

/// Multiplies a tensor by one factor for each index of a dimension.
void multiply(nn::Tensor& tensor, const std::vector<float>& factors, std::size_t dimension) {
  std::size_t inner = 1;
  for (std::size_t i = dimension + 1; i < tensor.shape.size(); ++i) {
    inner *= static_cast<std::size_t>(tensor.shape[i]);
  }
  for (std::size_t i = 0; i < tensor.floats.size(); ++i) {
    tensor.floats[i] *= factors[i / inner % factors.size()];
  }
}

/// True if operand `i` of the node is a number that the machine computes with, rather than a
/// parameter of the operation.
bool is_operand(const nn::Node& node, std::size_t i) {
  if (is_one_of(node.op_type,
                {"Resize", "Upsample", "Pow", "QuantizeLinear", "DequantizeLinear"})) {
    return i == 0;
  }
  return true;
}

/// A copy of the node whose attributes that are factors are numbers of the data type.
nn::Node with_rounded_factors(const nn::Node& node, const HeldTensors& held) {
  nn::Node copy = node;
  const auto replace = [&](const char* name, float fallback) {
    nn::Tensor value = nn::Tensor::of({}, std::vector{node.real(name, fallback)});
    held.round_constant(value, "");
    copy.attributes[name] = value.floats.front();
  };
  if (node.op_type == "LeakyRelu") replace("alpha", 0.01F);
  return copy;
}

/// A node of an operator with operands of any names.
nn::Node node_of(const nn::Node& like, const char* type, std::size_t operands) {
  nn::Node node = like;
  node.op_type = type;
  node.domain.clear();
  node.inputs.assign(operands, "operand");
  node.outputs.assign(1, "result");
  return node;
}

nn::Tensor dequantised(const nn::Node& like, std::int64_t opset, const Operands& from) {
  nn::Node node = node_of(like, "DequantizeLinear", 3);
  node.attributes.clear();
  if (from[1]->size() > 1) node.attributes["axis"] = std::int64_t{0};
  return std::move(nn::run_node(node, std::max<std::int64_t>(opset, 13), from).front());
}

/// QLinearConv and QLinearMatMul of the real numbers that their integers stand for. `constant` says
/// which operands are constants, which are rounded if `rounds`.
std::vector<nn::Tensor> quantised_product(const nn::Node& node, std::int64_t opset,
                                          const Operands& operands, const HeldTensors& held,
                                          bool rounds) {
  const bool conv = node.op_type == "QLinearConv";
  const nn::Tensor x = dequantised(node, opset, {operands[0], operands[1], operands[2]});
  nn::Tensor w = dequantised(node, opset, {operands[3], operands[4], operands[5]});
  if (rounds) held.round_constant(w, node.inputs[3]);
  Operands real{&x, &w};
  nn::Tensor bias;
  if (operands.size() > 8 && operands[8] != nullptr) {
    bias = nn::Tensor::of(operands[8]->shape, operands[8]->reals());
    for (std::size_t i = 0; i < bias.floats.size(); ++i) {
      bias.floats[i] *=
          operands[1]->floats[0] * operands[4]->floats[i % operands[4]->floats.size()];
    }
    if (rounds) held.round_constant(bias, node.inputs[8]);
    real.push_back(&bias);
  }
  nn::Tensor y = std::move(
      nn::run_node(node_of(node, conv ? "Conv" : "MatMul", real.size()), opset, real).front());
  held.round(y, "");
  nn::Node quantise = node_of(node, "QuantizeLinear", 3);
  quantise.attributes.clear();
  return nn::run_node(quantise, std::max<std::int64_t>(opset, 13), {&y, operands[6], operands[7]});
}

bool is_quantised_product(const nn::Node& node, const Operands& operands) {
  return is_one_of(node.op_type, {"QLinearConv", "QLinearMatMul"}) && operands.size() >= 8 &&
         std::all_of(operands.begin(), operands.begin() + 8,
                     [](const nn::Tensor* operand) { return operand != nullptr; }) &&
         (node.op_type == "QLinearConv" || operands[4]->size() == 1);
}

}  // namespace

double Noise::draw() {
  state_ += 0x9E3779B97F4A7C15U;  // SplitMix64
  std::uint64_t z = state_;
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
  z ^= z >> 31U;
  return std::ldexp(static_cast<double>(z >> 11U), -52) - 1;
}

double rms_difference(const std::vector<float>& a, const std::vector<float>& b) {
  double squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = double{a[i]} - double{b[i]};
    squares += difference * difference;
  }
  return a.empty() ? 0 : std::sqrt(squares / static_cast<double>(a.size()));
}

void disturb(std::vector<nn::Tensor>& results, const nn::Node& node, const HeldTensors& held,
             const compiler::ExpectedError& error, Noise& noise, Disturbance how) {
  if (results.empty()) return;
  const bool whole = results.front().type == nn::ElementType::int64;
  if (whole != (how == Disturbance::whole)) return;
  if (whole) {
    for (std::int64_t& value : results.front().integers) value += noise.draw() < 0 ? -1 : 1;
    return;
  }
  const double share = noise.draw() < 0 ? -1 : 1;
  for (std::size_t k = 0; k < results.size() && k < node.outputs.size(); ++k) {
    nn::Tensor& tensor = results[k];
    const HeldTensors::Steps steps = held.steps(node.outputs[k], tensor.shape);
    for (std::size_t i = 0; i < tensor.floats.size(); ++i) {
      const double unit = steps[i] / held.step();
      const double value = tensor.floats[i];
      const double largest =
          std::max(error.absolute * unit, error.relative * std::max(unit, std::abs(value)));
      const double part = how == Disturbance::alike ? share : noise.draw();
      tensor.floats[i] = static_cast<float>(value + largest * part);
    }
  }
}

bool states_whole(const nn::Graph& graph, const StatedErrors& errors) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [&](const nn::Node& node) {
    return errors.count(node.name) != 0 &&
           (is_one_of(node.op_type, {"QuantizeLinear", "DynamicQuantizeLinear"}) ||
            node.op_type.rfind("QLinear", 0) == 0);
  });
}

RoundedNodes::RoundedNodes(const nn::Graph& graph, const HeldTensors& held,
                           const std::vector<std::string>& separate)
    : graph_(graph), held_(held) {
  std::map<std::string_view, unsigned> reads;
  for (const nn::Node& node : graph.nodes) {
    for (const std::string& input : node.inputs) ++reads[input];
    for (const auto& [name, inner] : node.graphs) {
      for (const nn::Node& deep : inner->nodes) {
        for (const std::string& input : deep.inputs) reads[input] += 2;
      }
    }
  }
  for (const nn::ValueInfo& output : graph.outputs) ++reads[output.name];
  for (const nn::Node& node : graph.nodes) {
    if (node.op_type != "BatchNormalization" || node.inputs.size() != 5 || held.on_host(node)) {
      continue;
    }
    const std::string& x = node.inputs.front();
    const nn::Node* product = graph.producer(x);
    if (product == nullptr || held.on_host(*product) || reads[x] != 1 || held.is_constant(x) ||
        std::find(separate.begin(), separate.end(), x) != separate.end() ||
        !is_one_of(product->op_type, {"Conv", "ConvTranspose", "Gemm"}) ||
        !output_dimension(*product) || !held.is_constant(product->inputs[1]) ||
        !std::all_of(
            node.inputs.begin() + 1, node.inputs.end(),
            [&](const std::string& input) { return graph.initializer(input) != nullptr; }) ||
        (product->inputs.size() > 2 && !product->inputs[2].empty() &&
         !held.is_constant(product->inputs[2]))) {
      continue;
    }
    by_product_[x] = {product, &node};
    by_normalized_[node.outputs.front()] = {product, &node};
  }
}

std::vector<nn::Tensor> RoundedNodes::folded(const Folded& pair, std::int64_t opset,
                                             Operands operands, const Choice& choice) const {
  Operands constants{nullptr};
  for (std::size_t i = 1; i < 5; ++i) {
    constants.push_back(graph_.initializer(pair.normalization->inputs[i]));
  }
  const Affine affine = affine_of(*pair.normalization, constants);
  nn::Node product = *pair.product;
  nn::Tensor weights = *operands[1];
  multiply(weights, affine.scale.floats, *output_dimension(product));
  if (choice.rounds_constants) held_.round_constant(weights, product.inputs[1]);
  Affine rest{affine.scale, affine.offset};
  std::fill(rest.scale.floats.begin(), rest.scale.floats.end(), 1.0F);
  if (operands.size() > 2 && operands[2] != nullptr) {
    const std::vector<float>& bias = operands[2]->floats;
    const auto beta =
        product.op_type == "Gemm" ? static_cast<double>(product.real("beta", 1)) : 1.0;
    for (std::size_t c = 0; c < rest.offset.floats.size(); ++c) {
      rest.offset.floats[c] +=
          static_cast<float>(beta * double{bias[c % bias.size()]} * double{affine.scale.floats[c]});
    }
  }
  if (choice.rounds_constants) {
    held_.round_constant(rest.offset, product.inputs.size() > 2 ? product.inputs[2] : "");
  }
  product.inputs.resize(2);
  const nn::Tensor y = std::move(nn::run_node(product, opset, {operands[0], &weights}).front());
  return {applied(y, rest)};
}

std::vector<nn::Tensor> RoundedNodes::execute(const nn::Node& node, std::int64_t opset,
                                              Operands operands, const nn::Values& inputs,
                                              const Choice& choice, Noise& noise) const {
  if (held_.before_program(node)) {
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const auto given = inputs.find(node.inputs[i]);
      if (given != inputs.end()) operands[i] = &given->second;
    }
  }
  if (held_.on_host(node) || node.outputs.empty() || held_.is_constant(node.outputs.front())) {
    return nn::run_node(node, opset, operands);
  }
  const auto pair = by_product_.find(node.outputs.front());
  if (pair != by_product_.end()) return folded(pair->second, opset, operands, choice);
  std::vector<nn::Tensor> results;
  std::deque<nn::Tensor> rounded;  // constants; pointers to them stay valid
  const bool rounds = choice.rounds_constants;
  if (by_normalized_.count(node.outputs.front()) != 0) {
    results = {*operands.front()};
  } else if (is_quantised_product(node, operands)) {
    results = quantised_product(node, opset, operands, held_, rounds);
  } else if (node.op_type == "BatchNormalization" && operands.size() == 5 && rounds) {
    Affine affine = affine_of(node, operands);
    held_.round_constant(affine.scale, node.inputs[1]);
    held_.round_constant(affine.offset, node.inputs[2]);
    results = {applied(*operands.front(), affine)};
  } else {
    for (std::size_t i = 0; rounds && i < operands.size(); ++i) {
      if (operands[i] == nullptr || operands[i]->type != nn::ElementType::float32 ||
          !held_.is_constant(node.inputs[i]) || !is_operand(node, i)) {
        continue;
      }
      rounded.push_back(*operands[i]);
      nn::Tensor& constant = rounded.back();
      const bool divides = node.op_type == "Div" && i == 1;
      const auto invert = [&] {
        for (float& value : constant.floats) value = 1 / value;
      };
      if (divides) invert();
      held_.round_constant(constant, node.inputs[i]);
      if (divides) invert();
      operands[i] = &constant;
    }
    results = rounds && node.op_type == "LeakyRelu"
                  ? nn::run_node(with_rounded_factors(node, held_), opset, operands)
                  : nn::run_node(node, opset, operands);
  }
  if (choice.errors != nullptr) {
    const auto error = choice.errors->find(node.name);
    if (error != choice.errors->end()) {
      disturb(results, node, held_, error->second, noise, choice.how);
    }
  }
  for (std::size_t k = 0; k < results.size() && k < node.outputs.size(); ++k) {
    if (held_.holds(node, node.outputs[k])) held_.round(results[k], node.outputs[k]);
  }
  return results;
}

nn::Values RoundedNodes::compute(const nn::Values& inputs, const std::vector<std::string>& tensors,
                                 const Choice& choice) const {
  nn::Values rounded = inputs;
  for (auto& [name, tensor] : rounded) {
    if (held_.is_program_input(name)) held_.round(tensor, name);
  }
  Noise noise(choice.seed);
  nn::ReferenceOptions options;
  options.outputs = tensors;
  options.execute = [&](const nn::Node& node, std::int64_t opset, const Operands& operands) {
    return execute(node, opset, operands, inputs, choice, noise);
  };
  nn::Values all = nn::run_reference(graph_, rounded, options);
  nn::Values wanted;
  for (const std::string& name : tensors) {
    const auto made = all.find(name);
    if (made != all.end()) wanted[name] = std::move(made->second);
  }
  return wanted;
}

}  // namespace tactus::bench
