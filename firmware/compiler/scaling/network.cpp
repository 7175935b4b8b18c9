#include "firmware/compiler/scaling/network.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "firmware/compiler/scaling/grouping.h"

namespace tactus::compiler::scaling {
namespace {

/// Names that a sub-graph may read from around it.
void collect_names(const nn::Graph& graph, std::set<std::string>& names) {
  for (const nn::Node& node : graph.nodes) {
    names.insert(node.inputs.begin(), node.inputs.end());
    for (const auto& [attribute, inner] : node.graphs) collect_names(*inner, names);
  }
  for (const nn::ValueInfo& output : graph.outputs) names.insert(output.name);
}

/// Builds the network node by node.
class Analysis : Grouping {
 public:
  Analysis(const nn::Graph& graph, const nn::Values& values, const std::set<std::string>& outputs,
           const std::set<std::string>& beyond)
      : Grouping(values), graph_(graph), outputs_(outputs), beyond_(beyond) {
    network_.graph = &graph;
    for (const auto& [name, tensor] : graph.initializers) network_.constants.emplace(name, tensor);
  }

  Network run();

 private:
  // ---- nodes ----------------------------------------------------------------------------------
  void visit(std::size_t number);
  bool is_layer(std::size_t number, const nn::Node& node);
  void visit_product(const nn::Node& node);

  // ---- layers ---------------------------------------------------------------------------------
  void add_layer(Layer layer, std::size_t input_axis);
  bool add_convolution(std::size_t number, const nn::Node& node);
  bool add_matrix(std::size_t number, const nn::Node& node);
  bool add_factor(std::size_t number, const nn::Node& node);
  bool add_normalisation(std::size_t number, const nn::Node& node);

  const nn::Graph& graph_;
  const std::set<std::string>& outputs_;
  const std::set<std::string>& beyond_;
};

/// A product of two computed operands: the larger one hands its scale on.
void Analysis::visit_product(const nn::Node& node) {
  std::size_t carrier = tensor(node.inputs[0]), other = tensor(node.inputs[1]);
  const std::size_t to = tensor(node.outputs.front());
  const auto size = [&](std::size_t t) {
    const nn::Shape& shape = network_.tensors[t].shape;
    return product(shape, 0, shape.size());
  };
  const auto is_fixed = [&](std::size_t t) {
    return network_.groups[root(network_.tensors[t].group)].fixed;
  };
  if (size(other) > size(carrier) || (size(other) == size(carrier) && is_fixed(carrier))) {
    std::swap(carrier, other);
  }
  fix(other);
  const bool whole = node.op_type == "Mul" && carrier != other &&
                     network_.tensors[carrier].shape == network_.tensors[to].shape;
  follow(to, carrier, whole ? network_.tensors[carrier].axis : no_axis);
  network_.tensors[to].noise = 1.0 / 12;
}

// ---- layers -------------------------------------------------------------------------------------

/// Adds the layer; its result has its channels along the tensor's axis, or follows the operand.
void Analysis::add_layer(Layer layer, std::size_t input_axis) {
  if (network_.tensors[layer.input].axis != input_axis) make_uniform(layer.input);
  network_.layer_of_node[layer.node] = network_.layers.size();
  network_.layers.push_back(std::move(layer));
}

std::vector<double> magnitudes(const nn::Tensor* tensor, std::size_t count, double factor = 1) {
  std::vector<double> result;
  if (tensor == nullptr) return result;
  const std::vector<float> values = tensor->reals();
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = values.size() == count ? i : 0;
    result.push_back(std::abs(factor * double{values[at]}));
  }
  if (values.size() != count && values.size() > 1) {
    // The bias varies along other dimensions.
    const double top = std::abs(
        factor * double{*std::max_element(values.begin(), values.end(), [](float a, float b) {
          return std::abs(a) < std::abs(b);
        })});
    std::fill(result.begin(), result.end(), top);
  }
  return result;
}

bool Analysis::add_convolution(std::size_t number, const nn::Node& node) {
  const bool transposed = node.op_type == "ConvTranspose";
  if (!transposed && node.op_type != "Conv") return false;
  const nn::Tensor* weights = network_.constant(node.input(1));
  const bool has_bias = !node.input(2).empty();
  const nn::Tensor* bias = has_bias ? network_.constant(node.input(2)) : nullptr;
  if (weights == nullptr || (has_bias && bias == nullptr) || !is_computed(node.inputs.front())) {
    return false;
  }
  const auto groups = static_cast<std::size_t>(node.integer("group", 1));
  Layer layer;
  layer.node = number;
  layer.kind = transposed ? LayerKind::transposed : LayerKind::convolution;
  layer.input = tensor(node.inputs.front());
  layer.output = tensor(node.outputs.front());
  const std::size_t first = size_at(weights->shape, 0), second = size_at(weights->shape, 1);
  layer.outputs = transposed ? second * groups : first;
  layer.outputs_each = layer.outputs / groups;
  layer.inputs_each = transposed ? first / groups : second;
  const std::size_t taps = product(weights->shape, 2, weights->shape.size());
  layer.taps = static_cast<double>(taps);
  layer.weights.resize(layer.outputs * layer.inputs_each);
  layer.squares.resize(layer.weights.size());
  const std::vector<float> values = weights->reals();
  for (std::size_t a = 0; a < first; ++a) {
    for (std::size_t b = 0; b < second; ++b) {
      const std::size_t output = transposed ? a / layer.inputs_each * layer.outputs_each + b : a;
      const std::size_t input = transposed ? a % layer.inputs_each : b;
      const std::size_t at = output * layer.inputs_each + input;
      for (std::size_t t = 0; t < taps; ++t) {
        const double w = std::abs(double{values[(a * second + b) * taps + t]});
        layer.weights[at] = std::max(layer.weights[at], w);
        layer.squares[at] += w * w;
      }
    }
  }
  layer.bias = magnitudes(bias, layer.outputs);
  set_axis(layer.output, 1);
  add_layer(std::move(layer), 1);
  return true;
}

bool Analysis::add_matrix(std::size_t number, const nn::Node& node) {
  const bool gemm = node.op_type == "Gemm";
  if (!gemm && node.op_type != "MatMul") return false;
  const nn::Tensor* weights = network_.constant(node.input(1));
  if (weights == nullptr || weights->shape.size() != 2 || !is_computed(node.inputs.front())) {
    return false;
  }
  const bool has_bias = gemm && !node.input(2).empty();
  const nn::Tensor* bias = has_bias ? network_.constant(node.input(2)) : nullptr;
  if ((has_bias && bias == nullptr) || (gemm && node.integer("transA", 0) != 0)) return false;
  const bool turned = gemm && node.integer("transB", 0) != 0;
  const double alpha = gemm ? node.real("alpha", 1) : 1;
  Layer layer;
  layer.node = number;
  layer.kind = gemm ? LayerKind::gemm : LayerKind::matrix;
  layer.input = tensor(node.inputs.front());
  layer.output = tensor(node.outputs.front());
  const std::size_t rows = size_at(weights->shape, 0), columns = size_at(weights->shape, 1);
  layer.outputs = layer.outputs_each = turned ? rows : columns;
  layer.inputs_each = turned ? columns : rows;
  layer.weights.resize(rows * columns);
  layer.squares.resize(rows * columns);
  const std::vector<float> values = weights->reals();
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) {
      const double w = std::abs(alpha * double{values[r * columns + c]});
      const std::size_t at = turned ? r * layer.inputs_each + c : c * layer.inputs_each + r;
      layer.weights[at] = w;
      layer.squares[at] = w * w;
    }
  }
  layer.bias = magnitudes(bias, layer.outputs, gemm ? node.real("beta", 1) : 1);
  const std::size_t rank = network_.tensors[layer.output].shape.size();
  const std::size_t last = network_.tensors[layer.input].shape.size() - 1;
  if (rank == 0 || size_at(network_.tensors[layer.output].shape, rank - 1) != layer.outputs) {
    return false;
  }
  set_axis(layer.output, rank - 1);
  add_layer(std::move(layer), last);
  return true;
}

/// A product with, or a quotient by, a constant.
bool Analysis::add_factor(std::size_t number, const nn::Node& node) {
  const bool divides = node.op_type == "Div";
  if (!divides && node.op_type != "Mul") return false;
  std::size_t at = 1;
  if (!divides && network_.constant(node.input(0)) != nullptr) at = 0;
  const nn::Tensor* factor = network_.constant(node.input(at));
  if (factor == nullptr || !is_computed(node.inputs[1 - at])) return false;
  const std::vector<float> values = factor->reals();
  if (values.empty() ||
      (divides && std::find(values.begin(), values.end(), 0.0F) != values.end())) {
    return false;
  }
  Layer layer;
  layer.node = number;
  layer.kind = divides ? LayerKind::divisor : LayerKind::factor;
  layer.input = tensor(node.inputs[1 - at]);
  layer.output = tensor(node.outputs.front());
  const Tensor from = network_.tensors[layer.input];
  Tensor& to = network_.tensors[layer.output];
  double top = 0;
  for (const float value : values) {
    top = std::max(top, divides ? 1 / std::abs(double{value}) : std::abs(double{value}));
  }
  const bool whole = from.axis != no_axis && from.shape == to.shape;
  if (whole) {
    to.axis = from.axis;
    to.channels = from.channels;
    network_.groups[root(to.group)].channels = network_.groups[root(from.group)].channels;
  } else {
    make_uniform(layer.output);
  }
  layer.outputs = whole ? from.channels.size() : 1;
  // The largest factor counts for each channel unless there is one factor for each.
  layer.weights.assign(layer.outputs, top);
  const std::size_t behind = whole ? from.shape.size() - from.axis : 0;
  if (whole && values.size() == layer.outputs && factor->shape.size() >= behind &&
      size_at(factor->shape, factor->shape.size() - behind) == layer.outputs) {
    for (std::size_t i = 0; i < layer.outputs; ++i) {
      layer.weights[i] = divides ? 1 / std::abs(double{values[i]}) : std::abs(double{values[i]});
    }
  }
  for (const double w : layer.weights) layer.squares.push_back(w * w);
  add_layer(std::move(layer), whole ? from.axis : no_axis);
  return true;
}

bool Analysis::add_normalisation(std::size_t number, const nn::Node& node) {
  if (node.op_type != "BatchNormalization" || !is_computed(node.inputs.front())) return false;
  const nn::Tensor* parts[4];
  for (std::size_t i = 0; i < 4; ++i) {
    parts[i] = network_.constant(node.input(i + 1));
    if (parts[i] == nullptr) return false;
  }
  const std::size_t from = tensor(node.inputs.front());
  if (network_.tensors[from].shape.size() < 2) return false;
  Layer layer;
  layer.node = number;
  layer.kind = LayerKind::normalisation;
  layer.input = from;
  layer.output = tensor(node.outputs.front());
  layer.outputs = size_at(network_.tensors[from].shape, 1);
  const double epsilon = node.real("epsilon", 1e-5F);
  for (std::size_t i = 0; i < layer.outputs; ++i) {
    const double deviation = std::sqrt(double{parts[3]->floats[i]} + epsilon);
    const double factor = double{parts[0]->floats[i]} / deviation;
    layer.weights.push_back(std::abs(factor));
    layer.squares.push_back(factor * factor);
    layer.bias.push_back(
        std::abs(double{parts[1]->floats[i]} - factor * double{parts[2]->floats[i]}));
  }
  set_axis(layer.output, 1);
  add_layer(std::move(layer), 1);
  return true;
}

bool Analysis::is_layer(std::size_t number, const nn::Node& node) {
  return add_convolution(number, node) || add_matrix(number, node) || add_factor(number, node) ||
         add_normalisation(number, node);
}

void Analysis::visit(std::size_t number) {
  const nn::Node& node = graph_.nodes[number];
  const bool constant =
      node.graphs.empty() &&
      std::all_of(node.inputs.begin(), node.inputs.end(), [&](const std::string& name) {
        return name.empty() || network_.constants.count(name) != 0;
      });
  const bool integers = !node.inputs.empty() &&
                        std::none_of(node.inputs.begin(), node.inputs.end(),
                                     [&](const std::string& name) { return is_computed(name); });
  for (const std::string& name : node.outputs) {
    const nn::Tensor* made = value(name);
    if (name.empty() || made == nullptr) continue;
    if (constant) {
      network_.constants[name] = *made;
    } else if (made->type == nn::ElementType::float32 && made->size() > 0) {
      const std::size_t number_of = add(name);
      if (integers) {  // the host computes it before the program
        if (beyond_.count(name) == 0) fix(number_of);
        if (beyond_.count(name) != 0) network_.host_ends.push_back({number_of, true});
      }
    }
  }
  if (constant || integers) return;
  std::set<std::string> captured;
  for (const auto& [attribute, inner] : node.graphs) collect_names(*inner, captured);
  for (const std::string& name : captured) {
    if (is_computed(name)) fix(tensor(name));
  }
  const bool plain = node.domain.empty() && node.graphs.empty() && !node.outputs.empty() &&
                     is_computed(node.outputs.front());
  if (!plain) {
    fix_all(node);
    return;
  }
  if (is_layer(number, node)) return;
  const bool two = node.inputs.size() == 2 && is_computed(node.inputs[0]) &&
                   is_computed(node.inputs[1]) && is_one_of(node.op_type, {"Mul", "MatMul"});
  if (two) {
    visit_product(node);
    return;
  }
  if (passes_sum(node)) return;
  if (is_computed(node.input(0)) && passes_on(node)) return;
  fix_all(node);
}

Network Analysis::run() {
  for (const nn::ValueInfo& input : graph_.inputs) {
    const nn::Tensor* given = value(input.name);
    if (given == nullptr || given->type != nn::ElementType::float32 || given->size() == 0) continue;
    const std::size_t number = add(input.name);
    if (beyond_.count(input.name) == 0) {
      fix(number);
    } else {
      make_uniform(number);
      network_.host_ends.push_back({number, true});
    }
  }
  for (std::size_t i = 0; i < graph_.nodes.size(); ++i) visit(i);
  for (const std::string& name : outputs_) {
    if (!is_computed(name)) continue;
    const std::size_t number = tensor(name);
    const bool host = std::any_of(network_.host_ends.begin(), network_.host_ends.end(),
                                  [&](const HostEnd& end) { return end.tensor == number; });
    if (host) continue;
    if (beyond_.count(name) == 0) {
      fix(number);
    } else {
      make_uniform(number);
      network_.host_ends.push_back({number, false});
    }
  }
  for (const HostEnd& end : network_.host_ends) make_uniform(end.tensor);
  finish_groups();
  // What the host hands over unscaled stays so for all its readers.
  network_.host_ends.erase(
      std::remove_if(network_.host_ends.begin(), network_.host_ends.end(),
                     [&](const HostEnd& end) {
                       return network_.groups[network_.tensors[end.tensor].group].fixed;
                     }),
      network_.host_ends.end());
  for (Tensor& tensor : network_.tensors) {
    tensor.largest.assign(tensor.channels.size(), 0);
    tensor.squares.assign(tensor.channels.size(), 0);
  }
  return std::move(network_);
}

}  // namespace

double Tensor::mean_square() const {
  double sum = 0;
  for (const double square : squares) sum += square;
  return squares.empty() ? 0 : sum / static_cast<double>(squares.size());
}

double Tensor::expected(std::size_t index) const {
  const double seen = margin * largest[index];
  // A few scalars say little of the largest one; their mean square says more, and if they are very
  // few, so do the other indices.
  constexpr double few = 1000, very_few = 100, deviations = 4;
  if (numbers >= few) return seen;
  const double usual = std::max(seen, deviations * std::sqrt(squares[index]));
  if (numbers >= very_few) return usual;
  const double all = numbers * static_cast<double>(largest.size());
  return std::max(usual, (all >= few ? margin : 2 * margin) *
                             *std::max_element(largest.begin(), largest.end()));
}

const Tensor* Network::find(std::string_view name) const {
  const auto found = numbers.find(name);
  return found == numbers.end() ? nullptr : &tensors[found->second];
}

const nn::Tensor* Network::constant(std::string_view name) const {
  const auto found = constants.find(name);
  return found == constants.end() ? nullptr : &found->second;
}

Network analyse_network(const nn::Graph& graph, const nn::Values& values,
                        const std::set<std::string>& outputs, const std::set<std::string>& beyond) {
  return Analysis(graph, values, outputs, beyond).run();
}

void add_figures(Network& network, const nn::Values& values) {
  for (Tensor& tensor : network.tensors) {
    const auto found = values.find(tensor.name);
    if (found == values.end() || found->second.shape != tensor.shape) continue;
    const std::vector<float>& numbers = found->second.floats;
    const std::size_t count = tensor.channels.size();
    const std::size_t inner = tensor.axis == no_axis
                                  ? numbers.size()
                                  : product(tensor.shape, tensor.axis + 1, tensor.shape.size());
    std::vector<double> sums(count);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const std::size_t at = i / inner % count;
      const double magnitude = std::abs(double{numbers[i]});
      tensor.largest[at] = std::max(tensor.largest[at], magnitude);
      sums[at] += magnitude * magnitude;
    }
    const double more = static_cast<double>(numbers.size()) / static_cast<double>(count);
    for (std::size_t c = 0; c < count; ++c) {
      tensor.squares[c] = (tensor.squares[c] * tensor.numbers + sums[c]) / (tensor.numbers + more);
    }
    tensor.numbers += more;
  }
}

}  // namespace tactus::compiler::scaling
