#include "firmware/compiler/scaling/network.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string_view>
#include <utility>

#include "firmware/onnx/constant_products.h"

namespace tactus::compiler::scaling {
namespace {

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::size_t size_at(const nn::Shape& shape, std::size_t axis) {
  return static_cast<std::size_t>(shape[axis]);
}

std::size_t product(const nn::Shape& shape, std::size_t first, std::size_t last) {
  std::size_t result = 1;
  for (std::size_t i = first; i < last; ++i) result *= size_at(shape, i);
  return result;
}

/// Names that a sub-graph may read from around it.
void collect_names(const nn::Graph& graph, std::set<std::string>& names) {
  for (const nn::Node& node : graph.nodes) {
    names.insert(node.inputs.begin(), node.inputs.end());
    for (const auto& [attribute, inner] : node.graphs) collect_names(*inner, names);
  }
  for (const nn::ValueInfo& output : graph.outputs) names.insert(output.name);
}

/// Builds the network node by node.
class Analysis {
 public:
  Analysis(const nn::Graph& graph, const nn::Values& values, const std::set<std::string>& outputs,
           const std::set<std::string>& beyond)
      : graph_(graph), values_(values), outputs_(outputs), beyond_(beyond) {
    network_.graph = &graph;
    for (const auto& [name, tensor] : graph.initializers) network_.constants.emplace(name, tensor);
  }

  Network run();

 private:
  // ---- tensors and groups ---------------------------------------------------------------------
  [[nodiscard]] const nn::Tensor* value(std::string_view name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? nullptr : &found->second;
  }
  [[nodiscard]] bool is_computed(std::string_view name) const {
    return network_.numbers.find(name) != network_.numbers.end();
  }
  std::size_t add(const std::string& name);
  std::size_t root(std::size_t group);
  void tie(std::size_t a, std::size_t b);
  void fix(std::size_t tensor) {
    network_.groups[root(network_.tensors[tensor].group)].fixed = true;
  }
  void make_uniform(std::size_t tensor) {
    network_.groups[root(network_.tensors[tensor].group)].uniform = true;
  }
  /// Gives a tensor channels of its own along an axis.
  void set_axis(std::size_t tensor, std::size_t axis);
  /// Gives a tensor the channels of another along the axis; without one both become uniform.
  void follow(std::size_t tensor, std::size_t from, std::size_t axis);
  [[nodiscard]] std::size_t tensor(std::string_view name) const {
    return network_.numbers.find(name)->second;
  }

  // ---- nodes ----------------------------------------------------------------------------------
  void visit(std::size_t number);
  void fix_all(const nn::Node& node);
  bool is_layer(std::size_t number, const nn::Node& node);
  bool passes_on(const nn::Node& node);
  bool passes_sum(const nn::Node& node);
  void visit_product(const nn::Node& node);
  void finish_groups();

  void pass(const nn::Node& node,
            const std::function<std::size_t(const Tensor&, const Tensor&)>& axis);
  void reshape(const nn::Node& node);
  [[nodiscard]] bool pads_zeros(const nn::Node& node) const;
  [[nodiscard]] bool clips_at_zero_only(const nn::Node& node) const;
  [[nodiscard]] bool has_constant_limits(const nn::Node& node) const;
  [[nodiscard]] std::size_t axis_behind_reduction(const nn::Node& node, const Tensor& from,
                                                  const Tensor& to) const;

  // ---- layers ---------------------------------------------------------------------------------
  void add_layer(Layer layer, std::size_t input_axis);
  bool add_product(std::size_t number, const nn::Node& node);
  bool add_factor(std::size_t number, const nn::Node& node);
  bool add_normalisation(std::size_t number, const nn::Node& node);

  const nn::Graph& graph_;
  const nn::Values& values_;
  const std::set<std::string>& outputs_;
  const std::set<std::string>& beyond_;
  std::set<std::string> from_inputs_;  ///< values of the host, from inputs of integers
  std::vector<std::size_t> parents_;   ///< of the groups; a root is its own parent
  Network network_;
  nn::FindConstant find_ = [this](const std::string& name) { return network_.constant(name); };
};

std::size_t Analysis::add(const std::string& name) {
  Tensor made;
  made.name = name;
  made.shape = value(name)->shape;
  made.group = network_.groups.size();
  made.channels = {0};
  network_.groups.emplace_back();
  parents_.push_back(made.group);
  network_.numbers[name] = network_.tensors.size();
  network_.tensors.push_back(std::move(made));
  return network_.tensors.size() - 1;
}

std::size_t Analysis::root(std::size_t group) {
  while (parents_[group] != group) group = parents_[group] = parents_[parents_[group]];
  return group;
}

void Analysis::tie(std::size_t a, std::size_t b) {
  const std::size_t first = root(network_.tensors[a].group);
  const std::size_t second = root(network_.tensors[b].group);
  if (first == second) return;
  Group& kept = network_.groups[first];
  const Group& other = network_.groups[second];
  kept.fixed = kept.fixed || other.fixed;
  kept.uniform = kept.uniform || other.uniform || kept.channels != other.channels;
  parents_[second] = first;
}

void Analysis::set_axis(std::size_t tensor, std::size_t axis) {
  Tensor& made = network_.tensors[tensor];
  made.axis = axis;
  made.channels.resize(size_at(made.shape, axis));
  for (std::size_t i = 0; i < made.channels.size(); ++i) made.channels[i] = i;
  network_.groups[root(made.group)].channels = made.channels.size();
}

void Analysis::follow(std::size_t tensor, std::size_t from, std::size_t axis) {
  Tensor& made = network_.tensors[tensor];
  const Tensor& source = network_.tensors[from];
  const bool fits = axis != no_axis && axis < made.shape.size() && source.axis != no_axis &&
                    size_at(made.shape, axis) == source.channels.size();
  if (fits) {
    made.axis = axis;
    made.channels = source.channels;
    network_.groups[root(made.group)].channels = network_.groups[root(source.group)].channels;
  } else {
    make_uniform(tensor);
  }
  tie(from, tensor);
}

void Analysis::fix_all(const nn::Node& node) {
  for (const auto* names : {&node.inputs, &node.outputs}) {
    for (const std::string& name : *names) {
      if (is_computed(name)) fix(tensor(name));
    }
  }
}

// ---- nodes that pass a scale on -----------------------------------------------------------------

void Analysis::pass(const nn::Node& node,
                    const std::function<std::size_t(const Tensor&, const Tensor&)>& axis) {
  const std::size_t from = tensor(node.inputs.front());
  for (const std::string& name : node.outputs) {
    if (!is_computed(name)) continue;
    const std::size_t to = tensor(name);
    follow(to, from, axis(network_.tensors[from], network_.tensors[to]));
  }
}

/// The axis of the operand if the result has the same size there.
std::size_t same_axis(const Tensor& from, const Tensor& to) {
  const bool same = from.axis != no_axis && from.shape.size() == to.shape.size() &&
                    from.shape[from.axis] == to.shape[from.axis];
  return same ? from.axis : no_axis;
}

std::size_t loses_axis(const Tensor&, const Tensor&) { return no_axis; }

/// Channels of a tensor with the same elements in another shape: along an axis of the result whose
/// index decides the channel.
void Analysis::reshape(const nn::Node& node) {
  const std::size_t from = tensor(node.inputs.front());
  const std::size_t to = tensor(node.outputs.front());
  const Tensor& source = network_.tensors[from];
  Tensor& made = network_.tensors[to];
  if (source.axis != no_axis) {
    const std::size_t inner = product(source.shape, source.axis + 1, source.shape.size());
    const std::size_t count = source.channels.size();
    for (std::size_t j = 0; j < made.shape.size(); ++j) {
      const std::size_t inside = product(made.shape, j + 1, made.shape.size());
      const std::size_t size = size_at(made.shape, j);
      if (inner % inside != 0 || (size * inside) % (inner * count) != 0) continue;
      made.axis = j;
      made.channels.resize(size);
      for (std::size_t i = 0; i < size; ++i) {
        made.channels[i] = source.channels[(i / (inner / inside)) % count];
      }
      network_.groups[root(made.group)].channels = network_.groups[root(source.group)].channels;
      tie(from, to);
      return;
    }
  }
  follow(to, from, no_axis);
}

bool Analysis::pads_zeros(const nn::Node& node) const {
  if (node.text("mode", "constant") != "constant") return true;
  if (node.has("value")) return node.real("value", 0) == 0;
  const std::string_view name = node.input(2);
  if (name.empty()) return true;
  const nn::Tensor* value = network_.constant(name);
  return value != nullptr && value->size() == 1 && value->reals().front() == 0;
}

bool Analysis::has_constant_limits(const nn::Node& node) const {
  for (std::size_t i = 1; i < node.inputs.size(); ++i) {
    if (!node.inputs[i].empty() && network_.constant(node.inputs[i]) == nullptr) return false;
  }
  return true;
}

/// True if a Clip is the same for every positive factor.
bool Analysis::clips_at_zero_only(const nn::Node& node) const {
  const auto is_free = [&](std::size_t input, const char* attribute) {
    double limit = INFINITY;
    if (node.has(attribute)) limit = node.real(attribute);
    if (const nn::Tensor* value = network_.constant(node.input(input))) {
      limit = value->reals().front();
    }
    return limit == 0 || std::abs(limit) > 1e30;
  };
  return is_free(1, "min") && is_free(2, "max");
}

std::size_t Analysis::axis_behind_reduction(const nn::Node& node, const Tensor& from,
                                            const Tensor& to) const {
  if (from.axis == no_axis) return no_axis;
  std::vector<std::int64_t> axes = node.integers("axes", {});
  if (const nn::Tensor* given = network_.constant(node.input(1))) axes = given->integers;
  if (axes.empty()) return no_axis;
  const auto rank = static_cast<std::int64_t>(from.shape.size());
  std::size_t before = 0;
  for (const std::int64_t given : axes) {
    const auto axis = static_cast<std::size_t>(given < 0 ? given + rank : given);
    if (axis == from.axis) return no_axis;
    if (axis < from.axis) ++before;
  }
  return to.shape.size() == from.shape.size() ? from.axis : from.axis - before;
}

/// Nodes of one operand that pass a factor on.
bool Analysis::passes_on(const nn::Node& node) {
  const std::string& op = node.op_type;
  // Stages of a mean round about as much as three roundings do.
  const auto mean_of = [&] { network_.tensors[tensor(node.outputs.front())].noise = 0.25; };
  if (is_one_of(op, {"Relu", "LeakyRelu", "Abs", "Neg", "Identity", "Dropout", "MaxPool",
                     "GlobalMaxPool"})) {
    pass(node, same_axis);
  } else if (op == "PRelu" && network_.constant(node.input(1)) != nullptr) {
    pass(node, same_axis);
  } else if (is_one_of(op, {"AveragePool", "GlobalAveragePool"})) {
    pass(node, same_axis);
    mean_of();
  } else if (is_one_of(op, {"ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin"})) {
    pass(node, [&](const Tensor& from, const Tensor& to) {
      return axis_behind_reduction(node, from, to);
    });
    if (op == "ReduceMean") mean_of();
  } else if (is_one_of(op, {"Reshape", "Flatten", "Squeeze", "Unsqueeze"})) {
    reshape(node);
  } else if (op == "Transpose") {
    pass(node, [&](const Tensor& from, const Tensor&) {
      const auto perm = node.integers("perm", {});
      for (std::size_t i = 0; i < perm.size(); ++i) {
        if (from.axis != no_axis && static_cast<std::size_t>(perm[i]) == from.axis) return i;
      }
      return no_axis;
    });
  } else if ((op == "Pad" && pads_zeros(node)) || is_one_of(op, {"Expand", "Tile", "Upsample"}) ||
             (op == "Resize" && node.real("extrapolation_value", 0) == 0)) {
    pass(node, same_axis);
  } else if (is_one_of(op, {"DepthToSpace", "SpaceToDepth", "Slice", "Split"}) ||
             (op == "Gather" && is_computed(node.inputs.front()))) {
    pass(node, loses_axis);
  } else if (op == "Clip" && has_constant_limits(node)) {
    pass(node, same_axis);
    if (!clips_at_zero_only(node)) make_uniform(tensor(node.inputs.front()));
  } else {
    return false;
  }
  return true;
}

/// Nodes of several operands of one scale.
bool Analysis::passes_sum(const nn::Node& node) {
  const bool concat = node.op_type == "Concat";
  if (!concat && !is_one_of(node.op_type, {"Add", "Sub", "Sum", "Mean", "Min", "Max"}))
    return false;
  const std::size_t to = tensor(node.outputs.front());
  std::size_t leader = no_axis;  // an operand of the result's shape
  for (const std::string& name : node.inputs) {
    if (!is_computed(name)) continue;
    const bool whole = network_.tensors[tensor(name)].shape == network_.tensors[to].shape;
    if (leader == no_axis ||
        (whole && network_.tensors[leader].shape != network_.tensors[to].shape)) {
      leader = tensor(name);
    }
  }
  follow(to, leader, concat ? no_axis : same_axis(network_.tensors[leader], network_.tensors[to]));
  const Tensor made = network_.tensors[to];
  for (const std::string& name : node.inputs) {
    if (!is_computed(name) || tensor(name) == leader) continue;
    const Tensor& other = network_.tensors[tensor(name)];
    const bool alike = other.axis == made.axis && other.channels == made.channels &&
                       other.shape.size() == made.shape.size();
    tie(leader, tensor(name));
    if (!alike) make_uniform(leader);
  }
  return true;
}

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

/// Collects the groups that are left after tying, and gives uniform ones a single channel.
void Analysis::finish_groups() {
  std::map<std::size_t, std::size_t> renamed;
  std::vector<Group> groups;
  for (std::size_t t = 0; t < network_.tensors.size(); ++t) {
    const std::size_t group = root(network_.tensors[t].group);
    const auto [place, is_new] = renamed.emplace(group, groups.size());
    if (is_new) {
      groups.push_back(network_.groups[group]);
      groups.back().tensors.clear();
    }
    network_.tensors[t].group = place->second;
    groups[place->second].tensors.push_back(t);
    if (network_.tensors[t].axis == no_axis) groups[place->second].uniform = true;
  }
  network_.groups = std::move(groups);
  for (Group& group : network_.groups) {
    if (group.fixed) group.uniform = true;
    if (!group.uniform) continue;
    group.channels = 1;
    for (const std::size_t t : group.tensors) {
      std::vector<std::size_t>& channels = network_.tensors[t].channels;
      std::fill(channels.begin(), channels.end(), 0);
    }
  }
  for (std::size_t l = 0; l < network_.layers.size(); ++l) {
    network_.groups[network_.tensors[network_.layers[l].input].group].readers.push_back(l);
    network_.groups[network_.tensors[network_.layers[l].output].group].writers.push_back(l);
  }
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
