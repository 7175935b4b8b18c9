#include "firmware/compiler/scaling/network.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "firmware/compiler/scaling/grouping.h"
#include "firmware/onnx/constant_products.h"

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
  bool add_product(std::size_t number, const nn::Node& node);
  bool add_factor(std::size_t number, const nn::Node& node);
  bool add_normalisation(std::size_t number, const nn::Node& node);

  const nn::Graph& graph_;
  const std::set<std::string>& outputs_;
  const std::set<std::string>& beyond_;
  nn::FindConstant find_ = [this](const std::string& name) { return network_.constant(name); };
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

bool Analysis::add_product(std::size_t number, const nn::Node& node) {
  const std::optional<nn::ConstantProduct> product = nn::read_product(node, find_);
  if (!product || !is_computed(node.inputs.front())) return false;
  if (product->has_addend && product->addend == nullptr) return false;
  Layer layer;
  layer.node = number;
  layer.kind = product->is_transposed    ? LayerKind::transposed
               : product->is_convolution ? LayerKind::convolution
               : product->is_matmul      ? LayerKind::matrix
                                         : LayerKind::gemm;
  layer.input = tensor(node.inputs.front());
  layer.output = tensor(node.outputs.front());
  layer.outputs = product->outputs;
  layer.outputs_each = product->outputs / product->groups;
  layer.inputs_each = product->inputs / product->groups;
  layer.taps = static_cast<double>(product->taps);
  layer.weights.resize(layer.outputs * layer.inputs_each);
  layer.squares.resize(layer.weights.size());
  product->for_weights([&](std::size_t output, std::size_t input, double value) {
    const std::size_t at = output * layer.inputs_each + input % layer.inputs_each;
    layer.weights[at] = std::max(layer.weights[at], std::abs(value));
    layer.squares[at] += value * value;
  });
  layer.bias = magnitudes(product->addend, layer.outputs, product->beta);
  std::size_t input_axis = 1, output_axis = 1;
  if (!product->is_convolution) {
    const nn::Shape& made = network_.tensors[layer.output].shape;
    if (made.empty() || size_at(made, made.size() - 1) != layer.outputs) return false;
    output_axis = made.size() - 1;
    input_axis = network_.tensors[layer.input].shape.size() - 1;
  }
  set_axis(layer.output, output_axis);
  add_layer(std::move(layer), input_axis);
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
  const std::size_t from = tensor(node.inputs.front());
  if (network_.tensors[from].shape.size() < 2) return false;
  const std::size_t channels = size_at(network_.tensors[from].shape, 1);
  const std::optional<nn::ChannelMap> map = nn::read_normalisation(node, channels, find_);
  if (!map) return false;
  Layer layer;
  layer.node = number;
  layer.kind = LayerKind::normalisation;
  layer.input = from;
  layer.output = tensor(node.outputs.front());
  layer.outputs = channels;
  for (std::size_t i = 0; i < channels; ++i) {
    layer.weights.push_back(std::abs(map->factor_of(i)));
    layer.squares.push_back(map->factor_of(i) * map->factor_of(i));
    layer.bias.push_back(std::abs(map->offset_of(i)));
  }
  set_axis(layer.output, 1);
  add_layer(std::move(layer), 1);
  return true;
}

bool Analysis::is_layer(std::size_t number, const nn::Node& node) {
  return add_product(number, node) || add_factor(number, node) || add_normalisation(number, node);
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
