#include "firmware/compiler/scaling/rewrite.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "isa/support/text.h"

namespace tactus::compiler::scaling {
namespace {

float scaled_value(float value, int exponent) {
  return std::isfinite(value) ? std::ldexp(value, exponent) : value;
}

/// Multiplies a constant that is broadcast to `rank` dimensions by 2^exponents along an axis. With
/// several exponents it gets the axis if it lacks it.
nn::Tensor scaled_along(const nn::Tensor& tensor, std::size_t rank, std::size_t axis,
                        const std::vector<int>& exponents) {
  nn::Tensor result = nn::Tensor::of(tensor.shape, tensor.reals());
  if (exponents.size() == 1) {
    for (float& value : result.floats) value = scaled_value(value, exponents.front());
    return result;
  }
  nn::Shape shape = tensor.shape;
  if (shape.size() < rank - axis) shape.insert(shape.begin(), rank - axis - shape.size(), 1);
  const std::size_t at = shape.size() - (rank - axis);
  std::size_t inner = 1;
  for (std::size_t i = at + 1; i < shape.size(); ++i) inner *= static_cast<std::size_t>(shape[i]);
  const bool repeats = shape[at] == 1;
  const std::size_t count = exponents.size();
  const std::vector<float> values = result.floats;
  shape[at] = static_cast<std::int64_t>(count);
  result.shape = shape;
  result.floats.resize(repeats ? values.size() * count : values.size());
  for (std::size_t i = 0; i < result.floats.size(); ++i) {
    const std::size_t channel = i / inner % count;
    const std::size_t from = repeats ? i / (inner * count) * inner + i % inner : i;
    result.floats[i] = scaled_value(values[from], exponents[channel]);
  }
  return result;
}

class Writer {
 public:
  Writer(const Network& network, const Solution& solution, const Range& range)
      : network_(network), solution_(solution), range_(range), graph_(*network.graph) {}

  ScaledNetwork run();

 private:
  /// Exponents of a tensor along its axis; a single one if there is one for all.
  [[nodiscard]] std::vector<int> exponents(const Tensor& tensor) const {
    const std::vector<int>& of_group = solution_.groups[tensor.group];
    if (of_group.size() == 1) return of_group;
    std::vector<int> result;
    for (const std::size_t channel : tensor.channels) result.push_back(of_group[channel]);
    return result;
  }
  [[nodiscard]] static bool is_zero(const std::vector<int>& exponents) {
    return std::all_of(exponents.begin(), exponents.end(), [](int e) { return e == 0; });
  }
  static int at(const std::vector<int>& exponents, std::size_t index) {
    return exponents[exponents.size() == 1 ? 0 : index];
  }
  std::string unique(const std::string& wish);
  std::string constant(const std::string& wish, nn::Tensor tensor);
  /// Replaces an operand by another constant.
  void replace(nn::Node& node, std::size_t input, nn::Tensor tensor) {
    node.inputs[input] =
        constant(node.name + "/scaled_" + std::to_string(input), std::move(tensor));
  }
  [[nodiscard]] const nn::Tensor& operand(const nn::Node& node, std::size_t input) const {
    return *network_.constant(node.inputs[input]);
  }
  void write_layer(nn::Node& node, std::size_t number);
  void write_products(nn::Node& node, const Layer& layer, const std::vector<int>& sums);
  void write_multiply(nn::Node& node, std::size_t number);
  void write_sum(nn::Node& node);
  void write_clip(nn::Node& node);
  void write_host_ends();
  void describe();
  void drop_unread();

  const Network& network_;
  const Solution& solution_;
  Range range_;
  nn::Graph graph_;
  std::vector<nn::Node> nodes_;
  std::set<std::string> names_;
  ScaledNetwork result_;
};

std::string Writer::unique(const std::string& wish) {
  std::string name = wish;
  for (int k = 2; !names_.insert(name).second; ++k) name = fmt::format("{}_{}", wish, k);
  return name;
}

std::string Writer::constant(const std::string& wish, nn::Tensor tensor) {
  const std::string name = unique(wish);
  graph_.initializers[name] = std::move(tensor);
  return name;
}

/// Scales weights and bias of a product: output channels by 2^sums, inputs by 2^-exponent.
void Writer::write_products(nn::Node& node, const Layer& layer, const std::vector<int>& sums) {
  const std::vector<int> inputs = exponents(network_.tensors[layer.input]);
  const nn::Tensor& weights = operand(node, 1);
  nn::Tensor scaled = nn::Tensor::of(weights.shape, weights.reals());
  const auto first = static_cast<std::size_t>(weights.shape[0]);
  const auto second = static_cast<std::size_t>(weights.shape[1]);
  const std::size_t taps = scaled.floats.size() / (first * second);
  const bool turned = layer.kind == LayerKind::gemm && node.integer("transB", 0) != 0;
  for (std::size_t a = 0; a < first; ++a) {
    for (std::size_t b = 0; b < second; ++b) {
      std::size_t output = b, input = a;  // MatMul and Gemm
      if (layer.kind == LayerKind::convolution) {
        output = a;
        input = a / layer.outputs_each * layer.inputs_each + b;
      } else if (layer.kind == LayerKind::transposed) {
        output = a / layer.inputs_each * layer.outputs_each + b;
      } else if (turned) {
        std::swap(output, input);
      }
      const int exponent = at(sums, output) - at(inputs, input);
      for (std::size_t t = 0; t < taps; ++t) {
        float& value = scaled.floats[(a * second + b) * taps + t];
        value = std::ldexp(value, exponent);
      }
    }
  }
  replace(node, 1, std::move(scaled));
  if (node.input(2).empty()) return;
  const nn::Tensor& bias = operand(node, 2);
  // A Conv's bias has one dimension, a Gemm's is broadcast to two: channels are the last of both.
  replace(node, 2, scaled_along(bias, 1, 0, sums));
}

void Writer::write_layer(nn::Node& node, std::size_t number) {
  const Layer& layer = network_.layers[number];
  const Tensor& from = network_.tensors[layer.input];
  const Tensor& to = network_.tensors[layer.output];
  const std::vector<int> inputs = exponents(from);
  const bool multiplies = !solution_.sums[number].empty();
  const std::vector<int> sums = multiplies ? solution_.sums[number] : exponents(to);
  if (is_zero(inputs) && is_zero(sums) && !multiplies) return;
  ++result_.scaled_layers;
  switch (layer.kind) {
    case LayerKind::convolution:
    case LayerKind::transposed:
    case LayerKind::gemm:
    case LayerKind::matrix:
      write_products(node, layer, sums);
      break;
    case LayerKind::factor:
    case LayerKind::divisor: {
      const std::size_t which = network_.constant(node.inputs[1]) != nullptr ? 1 : 0;
      std::vector<int> change(std::max(inputs.size(), sums.size()));
      for (std::size_t i = 0; i < change.size(); ++i) {
        change[i] = at(sums, i) - at(inputs, i);
        if (layer.kind == LayerKind::divisor) change[i] = -change[i];
      }
      const std::size_t axis = to.axis == no_axis ? 0 : to.axis;
      replace(node, which, scaled_along(operand(node, which), to.shape.size(), axis, change));
      break;
    }
    case LayerKind::normalisation: {
      std::vector<int> factor(layer.outputs);
      for (std::size_t i = 0; i < factor.size(); ++i) factor[i] = at(sums, i) - at(inputs, i);
      replace(node, 1, scaled_along(operand(node, 1), 1, 0, factor));
      replace(node, 2, scaled_along(operand(node, 2), 1, 0, sums));
      replace(node, 3, scaled_along(operand(node, 3), 1, 0, inputs));
      break;
    }
  }
  if (multiplies) write_multiply(node, number);
}

/// Puts a multiply by powers of two behind the sums of a layer.
void Writer::write_multiply(nn::Node& node, std::size_t number) {
  const Tensor& to = network_.tensors[network_.layers[number].output];
  const std::vector<int>& sums = solution_.sums[number];
  const std::vector<int> results = exponents(to);
  std::vector<float> factors;
  double bound = 0;
  for (std::size_t o = 0; o < sums.size(); ++o) {
    factors.push_back(std::ldexp(1.0F, at(results, o) - sums[o]));
    const double largest = to.expected(to.largest.size() == sums.size() ? o : 0);
    bound = std::max(bound, largest * std::ldexp(1.0, sums[o]));
  }
  const bool same = std::all_of(factors.begin(), factors.end(),
                                [&](float factor) { return factor == factors.front(); });
  nn::Shape shape{static_cast<std::int64_t>(factors.size())};
  if (same) {
    factors.resize(1);
    shape = {1};
  } else {
    shape.insert(shape.end(), to.shape.size() - 1 - to.axis, 1);
  }
  nn::Node multiply;
  multiply.name = unique(node.name + "/multiply");
  multiply.op_type = "Mul";
  multiply.file = node.file;
  const std::string sum = unique(to.name + "/sum");
  multiply.inputs = {sum,
                     constant(node.name + "/factor", nn::Tensor::of(shape, std::move(factors)))};
  multiply.outputs = {node.outputs.front()};
  node.outputs.front() = sum;
  result_.bounds[sum] = std::min(bound, range_.top);
  nodes_.push_back(node);
  node = std::move(multiply);
  ++result_.multiplies;
}

/// Scales the constants among operands that are added, compared or joined.
void Writer::write_sum(nn::Node& node) {
  const Tensor* to = network_.find(node.outputs.front());
  if (to == nullptr) return;
  const std::vector<int> scale = exponents(*to);
  if (is_zero(scale)) return;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const nn::Tensor* value = network_.constant(node.inputs[i]);
    if (value == nullptr) continue;
    replace(node, i,
            scaled_along(*value, to->shape.size(), to->axis == no_axis ? 0 : to->axis, scale));
  }
}

void Writer::write_clip(nn::Node& node) {
  const Tensor* to = network_.find(node.outputs.front());
  // Groups with a scale for each channel have limits of zero only.
  if (to == nullptr || solution_.groups[to->group].size() != 1) return;
  const int exponent = solution_.groups[to->group].front();
  if (exponent == 0) return;
  const auto scale = [&](float limit) {
    return std::abs(limit) > 1e30F ? limit : scaled_value(limit, exponent);
  };
  for (const char* name : {"min", "max"}) {
    if (node.has(name)) node.attributes[name] = scale(node.real(name));
  }
  for (std::size_t i = 1; i < node.inputs.size(); ++i) {
    if (node.inputs[i].empty()) continue;
    nn::Tensor limit = operand(node, i);
    for (float& value : limit.floats) value = scale(value);
    replace(node, i, std::move(limit));
  }
}

/// Lets the host multiply inputs before and outputs behind the program.
void Writer::write_host_ends() {
  for (const HostEnd& end : network_.host_ends) {
    const Tensor& tensor = network_.tensors[end.tensor];
    const int exponent = solution_.groups[tensor.group].front();
    const std::string held = unique(tensor.name + "/scaled");
    nn::Node multiply;
    multiply.name = unique(tensor.name + "/host_multiply");
    multiply.op_type = "Mul";
    multiply.file = graph_.file;
    const std::string factor =
        constant(tensor.name + "/factor",
                 nn::Tensor::of(
                     {1}, std::vector<float>{std::ldexp(1.0F, end.input ? exponent : -exponent)}));
    multiply.inputs = {end.input ? tensor.name : held, factor};
    multiply.outputs = {end.input ? held : tensor.name};
    auto place = nodes_.begin();
    for (auto node = nodes_.begin(); node != nodes_.end(); ++node) {
      const bool makes =
          std::find(node->outputs.begin(), node->outputs.end(), tensor.name) != node->outputs.end();
      if (makes) place = node + 1;
      std::replace(node->inputs.begin(), node->inputs.end(), tensor.name, held);
      if (!end.input) std::replace(node->outputs.begin(), node->outputs.end(), tensor.name, held);
    }
    const double largest = *std::max_element(tensor.largest.begin(), tensor.largest.end());
    result_.bounds[held] = std::min(range_.top, margin * largest * std::ldexp(1.0, exponent));
    result_.bounds[tensor.name] = largest;
    (end.input ? result_.host_inputs : result_.host_outputs)[tensor.name] = exponent;
    nodes_.insert(place, std::move(multiply));
  }
}

/// Fills the scales and bounds of the model's tensors.
void Writer::describe() {
  for (const Tensor& tensor : network_.tensors) {
    const std::vector<int> scale = exponents(tensor);
    double bound = 0;
    for (std::size_t i = 0; i < tensor.largest.size(); ++i) {
      bound = std::max(bound, tensor.expected(i) * std::ldexp(1.0, at(scale, i)));
    }
    result_.bounds[tensor.name] = std::min(bound, range_.top);
    if (is_zero(scale)) continue;
    result_.scales[tensor.name] = {scale, scale.size() == 1 ? 0 : tensor.axis};
  }
}

void collect_read(const nn::Graph& graph, std::set<std::string>& names) {
  for (const nn::Node& node : graph.nodes) {
    names.insert(node.inputs.begin(), node.inputs.end());
    for (const auto& [attribute, inner] : node.graphs) collect_read(*inner, names);
  }
  for (const nn::ValueInfo& output : graph.outputs) names.insert(output.name);
}

void Writer::drop_unread() {
  std::set<std::string> read;
  collect_read(graph_, read);
  for (auto one = graph_.initializers.begin(); one != graph_.initializers.end();) {
    one = read.count(one->first) == 0 ? graph_.initializers.erase(one) : std::next(one);
  }
}

ScaledNetwork Writer::run() {
  for (const auto& [name, tensor] : graph_.initializers) names_.insert(name);
  for (const nn::ValueInfo& input : graph_.inputs) names_.insert(input.name);
  for (const nn::Node& node : graph_.nodes) {
    names_.insert(node.name);
    names_.insert(node.outputs.begin(), node.outputs.end());
  }
  describe();
  for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
    nn::Node node = graph_.nodes[i];
    const auto layer = network_.layer_of_node.find(i);
    if (layer != network_.layer_of_node.end()) {
      write_layer(node, layer->second);
    } else if (node.domain.empty() && !node.outputs.empty() &&
               network_.find(node.outputs.front())) {
      if (node.op_type == "Clip") write_clip(node);
      for (const char* op : {"Add", "Sub", "Sum", "Mean", "Min", "Max", "Concat"}) {
        if (node.op_type == op) write_sum(node);
      }
    }
    nodes_.push_back(std::move(node));
  }
  write_host_ends();
  for (const HostEnd& end : network_.host_ends) {
    result_.scales.erase(network_.tensors[end.tensor].name);
  }
  graph_.nodes = std::move(nodes_);
  drop_unread();
  result_.graph = std::make_shared<const nn::Graph>(std::move(graph_));
  return std::move(result_);
}

}  // namespace

ScaledNetwork rewrite(const Network& network, const Solution& solution, const Range& range) {
  return Writer(network, solution, range).run();
}

}  // namespace tactus::compiler::scaling
