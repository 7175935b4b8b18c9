#include "firmware/compiler/frontend/folded_products.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "firmware/compiler/frontend/channel_folds.h"
#include "firmware/compiler/frontend/operators/folding.h"
#include "firmware/reference/reference.h"
#include "isa/support/text.h"

namespace tactus::compiler {
namespace {

bool all_finite(const std::vector<float>& values) {
  return std::all_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); });
}

/// Calls visit(name) for each value of the surrounding graph that a node's sub-graphs may read.
template <typename Visit>
void for_captured(const nn::Node& node, const Visit& visit) {
  for (const auto& [attribute, sub_graph] : node.graphs) {
    for (const nn::Node& inner : sub_graph->nodes) {
      for (const std::string& input : inner.inputs) visit(input);
      for_captured(inner, visit);
    }
    for (const nn::ValueInfo& output : sub_graph->outputs) visit(output.name);
  }
}

class ProductFolding {
 public:
  ProductFolding(const nn::Graph& graph, const WantsFold& wants,
                 const std::vector<std::string>& outputs)
      : graph_(graph), wants_(wants), nodes_(graph.nodes), gone_(graph.nodes.size(), false) {
    outputs_.insert(outputs.begin(), outputs.end());
    if (outputs.empty()) {
      for (const nn::ValueInfo& info : graph.outputs) outputs_.insert(info.name);
    }
    for (std::size_t k = 0; k < nodes_.size(); ++k) {
      for (const std::string& output : nodes_[k].outputs) makers_[output] = k;
      for (const std::string& input : nodes_[k].inputs) ++readings_[input];
      for (const std::string& input : nodes_[k].inputs) reader_[input] = k;
      for_captured(nodes_[k], [&](const std::string& name) { readings_[name] += 2; });
    }
  }

  std::optional<nn::Graph> run();

 private:
  [[nodiscard]] const nn::Tensor* constant(const std::string& name);
  [[nodiscard]] const nn::Tensor* real_constant(const std::string& name);
  [[nodiscard]] std::optional<nn::Shape> shape_of(const std::string& name, unsigned depth = 0);
  [[nodiscard]] std::optional<FoldedProduct> read_product(std::size_t node);
  [[nodiscard]] bool only_read_once(const std::string& value) const;
  [[nodiscard]] std::optional<Neighbour> read_neighbour(std::size_t node, const std::string& data,
                                                        std::size_t channels, std::size_t from_end,
                                                        std::size_t rank);
  [[nodiscard]] std::optional<std::vector<double>> per_channel(const nn::Tensor& tensor,
                                                               std::size_t channels,
                                                               std::size_t from_end,
                                                               std::size_t rank) const;
  [[nodiscard]] std::vector<Neighbour> find_before(const FoldedProduct& product);
  [[nodiscard]] std::vector<Neighbour> find_behind(const FoldedProduct& product);
  void try_product(FoldedProduct product);
  [[nodiscard]] bool try_fold(const FoldedProduct& product, const std::vector<Neighbour>& before,
                              const std::vector<Neighbour>& behind);
  void apply(const FoldedProduct& folded, const std::vector<Neighbour>& before,
             const std::vector<Neighbour>& behind, const nn::ChannelMap& left);
  std::string add_constant(std::string name, nn::Tensor tensor);

  const nn::Graph& graph_;
  const WantsFold& wants_;
  std::vector<nn::Node> nodes_;
  std::vector<bool> gone_;
  std::unordered_set<std::string> outputs_;
  std::unordered_map<std::string, std::size_t> makers_, readings_, reader_;
  /// Constants that nodes compute; null: not constant.
  std::unordered_map<std::string, std::unique_ptr<nn::Tensor>> computed_;
  std::map<std::string, nn::Tensor> made_;  ///< new initializers
  nn::FindConstant find_ = [this](const std::string& name) { return real_constant(name); };
};

const nn::Tensor* ProductFolding::constant(const std::string& name) {
  if (const nn::Tensor* stored = graph_.initializer(name)) return stored;
  const auto made = made_.find(name);
  if (made != made_.end()) return &made->second;
  const auto known = computed_.find(name);
  if (known != computed_.end()) return known->second.get();
  const auto maker = makers_.find(name);
  if (maker == makers_.end()) return nullptr;
  computed_[name] = nullptr;
  const nn::Node& node = nodes_[maker->second];
  if (!node.graphs.empty() || !nn::reference_has(node, graph_.opset)) return nullptr;
  std::vector<const nn::Tensor*> operands;
  for (const std::string& input : node.inputs) {
    operands.push_back(input.empty() ? nullptr : constant(input));
    if (!input.empty() && operands.back() == nullptr) return nullptr;
  }
  try {
    std::vector<nn::Tensor> results = nn::run_node(node, graph_.opset, operands);
    for (std::size_t k = 0; k < std::min(results.size(), node.outputs.size()); ++k) {
      computed_[node.outputs[k]] = std::make_unique<nn::Tensor>(std::move(results[k]));
    }
  } catch (const UserError&) {
    return nullptr;  // whoever compiles the node reports it
  }
  return computed_[name].get();
}

const nn::Tensor* ProductFolding::real_constant(const std::string& name) {
  const nn::Tensor* tensor = constant(name);
  const bool good = tensor != nullptr && tensor->type == nn::ElementType::float32 &&
                    tensor->size() > 0 && all_finite(tensor->floats);
  return good ? tensor : nullptr;
}

/// Sizes of a value as far as they follow from a few operators; -1: unknown.
std::optional<nn::Shape> ProductFolding::shape_of(const std::string& name, unsigned depth) {
  constexpr unsigned deepest = 64;
  for (const nn::ValueInfo& info : graph_.inputs) {
    if (info.name != name) continue;
    if (!info.dims) return std::nullopt;
    nn::Shape shape;
    for (const nn::Dimension& dimension : *info.dims) shape.push_back(dimension.size.value_or(-1));
    return shape;
  }
  const auto maker = makers_.find(name);
  if (maker == makers_.end() || depth > deepest) return std::nullopt;
  const nn::Node& node = nodes_[maker->second];
  static const std::set<std::string_view> same{
      "Relu", "LeakyRelu",   "Clip",      "Sigmoid", "Tanh",    "BatchNormalization",
      "Elu",  "HardSigmoid", "HardSwish", "Softmax", "Dropout", "Identity"};
  static const std::set<std::string_view> windows{"MaxPool", "AveragePool", "GlobalAveragePool",
                                                  "GlobalMaxPool"};
  if (node.inputs.empty()) return std::nullopt;
  if (same.count(node.op_type) != 0) return shape_of(node.inputs[0], depth + 1);
  if (windows.count(node.op_type) != 0) {
    std::optional<nn::Shape> shape = shape_of(node.inputs[0], depth + 1);
    if (shape && shape->size() > 2) std::fill(shape->begin() + 2, shape->end(), -1);
    return shape;
  }
  const nn::Tensor* weights = node.inputs.size() > 1 ? constant(node.inputs[1]) : nullptr;
  if (node.op_type == "Conv" || node.op_type == "ConvTranspose") {
    if (weights == nullptr || weights->shape.size() < 3) return std::nullopt;
    nn::Shape shape(weights->shape.size(), -1);
    shape[1] =
        node.op_type == "Conv" ? weights->shape[0] : weights->shape[1] * node.integer("group", 1);
    return shape;
  }
  if (node.op_type == "Gemm" && weights != nullptr && weights->shape.size() == 2) {
    return nn::Shape{-1, weights->shape[node.integer("transB", 0) != 0 ? 0 : 1]};
  }
  if (node.op_type == "MatMul" && weights != nullptr && weights->shape.size() == 2) {
    std::optional<nn::Shape> shape = shape_of(node.inputs[0], depth + 1);
    if (shape && !shape->empty()) shape->back() = weights->shape[1];
    return shape;
  }
  if (node.op_type == "Flatten") return nn::Shape{-1, -1};
  return std::nullopt;
}

bool ProductFolding::only_read_once(const std::string& value) const {
  const auto readings = readings_.find(value);
  return readings != readings_.end() && readings->second == 1 && outputs_.count(value) == 0;
}

std::optional<FoldedProduct> ProductFolding::read_product(std::size_t number) {
  const nn::Node& node = nodes_[number];
  std::optional<nn::ConstantProduct> read = nn::read_product(node, find_);
  if (!read || constant(node.inputs[0]) != nullptr) return std::nullopt;
  FoldedProduct product;
  static_cast<nn::ConstantProduct&>(product) = std::move(*read);
  product.node = number;
  if (product.is_convolution) {
    product.rank = product.shape.size();
    const nn::Shape pads = node.integers("pads", {});
    product.has_padding =
        node.text("auto_pad", "NOTSET").substr(0, 4) == "SAME" ||
        std::any_of(pads.begin(), pads.end(), [](std::int64_t pad) { return pad != 0; });
  } else if (product.is_matmul) {
    if (const auto operand = shape_of(node.inputs[0])) product.rank = operand->size();
  } else {
    product.rank = 2;
  }
  return product;
}

/// The values by channel, which is dimension `from_end` from the last one; nothing if the tensor
/// varies along another one or has more dimensions than the other operand (`rank`; 0: unknown).
std::optional<std::vector<double>> ProductFolding::per_channel(const nn::Tensor& tensor,
                                                               std::size_t channels,
                                                               std::size_t from_end,
                                                               std::size_t rank) const {
  const nn::Shape& shape = tensor.shape;
  if (shape.size() > std::max<std::size_t>(rank, 1)) return std::nullopt;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    const auto size = static_cast<std::size_t>(shape[shape.size() - 1 - k]);
    if (size != 1 && (k != from_end || size != channels)) return std::nullopt;
  }
  return to_doubles(tensor.floats);
}

/// Reads a node as a map of the channels of `data`, which is one of its inputs; nothing if it is
/// another one.
std::optional<Neighbour> ProductFolding::read_neighbour(std::size_t number, const std::string& data,
                                                        std::size_t channels, std::size_t from_end,
                                                        std::size_t rank) {
  const nn::Node& node = nodes_[number];
  if (!node.domain.empty() || node.outputs.empty()) return std::nullopt;
  for (std::size_t k = 1; k < node.outputs.size(); ++k) {
    if (readings_.count(node.outputs[k]) != 0 || outputs_.count(node.outputs[k]) != 0) return {};
  }
  Neighbour neighbour;
  neighbour.node = number;
  nn::ChannelMap& map = neighbour.map;
  if (node.op_type == "BatchNormalization") {
    const std::size_t channel_rank = from_end + 2;  // the channels are dimension 1
    if (node.inputs[0] != data || rank != channel_rank) return std::nullopt;
    const std::optional<nn::ChannelMap> read = nn::read_normalisation(node, channels, find_);
    if (!read) return std::nullopt;
    map = *read;
    neighbour.factors = to_floats(map.factor);
    neighbour.summands = to_floats(map.offset);
    return map.finite() ? std::optional(std::move(neighbour)) : std::nullopt;
  }
  const std::string& op = node.op_type;
  const bool adds = op == "Add" || op == "Sub", divides = op == "Div";
  if ((!adds && !divides && op != "Mul") || node.inputs.size() != 2) return std::nullopt;
  const bool is_first = node.inputs[0] == data;
  if (divides && !is_first) return std::nullopt;
  const nn::Tensor* operand = real_constant(node.inputs[is_first ? 1 : 0]);
  if (operand == nullptr) return std::nullopt;
  std::optional<std::vector<double>> values = per_channel(*operand, channels, from_end, rank);
  if (!values) return std::nullopt;
  neighbour.factors = neighbour.summands = {};
  if (divides) {
    for (double& value : *values) value = 1 / value;
    neighbour.factors = machine_reciprocals(operand->floats).factors;
  } else {
    (adds ? neighbour.summands : neighbour.factors) = operand->floats;
  }
  if (adds) {
    map.offset = std::move(*values);
    if (op == "Sub" && is_first) {
      for (double& value : map.offset) value = -value;
    } else if (op == "Sub") {
      map.factor = {-1};
    }
  } else {
    map.factor = std::move(*values);
  }
  return map.finite() ? std::optional(std::move(neighbour)) : std::nullopt;
}

/// Nodes before the product, the nearest first.
std::vector<Neighbour> ProductFolding::find_before(const FoldedProduct& product) {
  std::vector<Neighbour> found;
  std::string value = nodes_[product.node].inputs[0];
  const std::size_t from_end = product.is_convolution ? product.rank - 2 : 0;
  for (;;) {
    const auto maker = makers_.find(value);
    if (maker == makers_.end() || gone_[maker->second] || !only_read_once(value)) return found;
    const nn::Node& node = nodes_[maker->second];
    if (node.inputs.empty()) return found;
    const bool swapped = node.inputs.size() == 2 && constant(node.inputs[0]) != nullptr;
    const std::string data = node.inputs[swapped ? 1 : 0];
    // The constant must not have more channels or dimensions than the operand.
    const std::optional<nn::Shape> shape = shape_of(data);
    const bool normalises = node.op_type == "BatchNormalization";
    const std::size_t rank = normalises ? product.rank : shape ? shape->size() : 0;
    if (product.rank != 0 && rank != 0 && rank != product.rank) return found;
    std::optional<Neighbour> map =
        read_neighbour(maker->second, data, product.inputs, from_end, rank);
    if (!map) return found;
    const bool by_channel =
        !normalises && (map->map.factor.size() > 1 || map->map.offset.size() > 1);
    if (by_channel && (rank <= from_end || (*shape)[rank - 1 - from_end] !=
                                               static_cast<std::int64_t>(product.inputs))) {
      return found;
    }
    const bool takes_summand = !product.has_padding && !product.is_transposed && !product.is_matmul;
    if (map->map.has_offset() && !takes_summand) return found;
    found.push_back(std::move(*map));
    value = data;
  }
}

/// Nodes behind the product, the nearest first.
std::vector<Neighbour> ProductFolding::find_behind(const FoldedProduct& product) {
  std::vector<Neighbour> found;
  std::string value = nodes_[product.node].outputs[0];
  const std::size_t from_end = product.is_convolution ? product.rank - 2 : 0;
  while (only_read_once(value)) {
    const auto reader = reader_.find(value);
    if (reader == reader_.end()) return found;
    std::optional<Neighbour> map =
        read_neighbour(reader->second, value, product.outputs, from_end, product.rank);
    if (!map) return found;
    found.push_back(std::move(*map));
    value = nodes_[reader->second].outputs[0];
  }
  return found;
}

bool ProductFolding::try_fold(const FoldedProduct& product, const std::vector<Neighbour>& before,
                              const std::vector<Neighbour>& behind) {
  ProductFold fold;
  fold.product = &nodes_[product.node];
  fold.apart = constants_of(product);
  FoldedProduct folded = product;
  for (const Neighbour& neighbour : before) fold_before(folded, neighbour.map);
  for (const Neighbour& neighbour : behind) fold_behind(folded, neighbour.map);
  for (const auto* side : {&before, &behind}) {
    for (const Neighbour& neighbour : *side) {
      fold.nodes.push_back(&nodes_[neighbour.node]);
      if (!neighbour.factors.empty()) fold.apart.factors.push_back(neighbour.factors);
      if (!neighbour.summands.empty()) fold.apart.summands.push_back(neighbour.summands);
    }
  }
  nn::ChannelMap left;
  if (product.is_matmul && !folded.bias.empty()) {
    left.offset = std::exchange(folded.bias, {});
    folded.bias_shape.clear();
  }
  fold.together = constants_of(folded);
  if (left.has_offset()) fold.together.summands.push_back(to_floats(left.offset));
  const bool good = all_finite(to_floats(folded.values)) && all_finite(to_floats(folded.bias)) &&
                    all_finite(to_floats(left.offset));
  if (!good || !wants_(fold)) return false;
  apply(folded, before, behind, left);
  return true;
}

std::string ProductFolding::add_constant(std::string name, nn::Tensor tensor) {
  while (graph_.initializer(name) != nullptr || made_.count(name) != 0 ||
         makers_.count(name) != 0 || readings_.count(name) != 0) {
    name += '\'';
  }
  made_.emplace(name, std::move(tensor));
  readings_[name] = 1;
  return name;
}

/// Writes the folded product. `left` is the summand that stays an Add, in place of the last node
/// behind the product.
void ProductFolding::apply(const FoldedProduct& folded, const std::vector<Neighbour>& before,
                           const std::vector<Neighbour>& behind, const nn::ChannelMap& left) {
  nn::Node& node = nodes_[folded.node];
  std::vector<std::string_view> names;
  for (const auto* side : {&before, &behind}) {
    for (const Neighbour& neighbour : *side) names.emplace_back(nodes_[neighbour.node].name);
  }
  const std::string with = fmt::format(" with {}", fmt::join(names, ", "));
  nn::Tensor weights = nn::Tensor::of(folded.shape, to_floats(folded.values));
  node.inputs[1] = add_constant(node.inputs[1] + with, std::move(weights));
  if (!folded.bias.empty()) {
    const std::string old = node.input(2).empty() ? node.name + " bias" : node.inputs[2];
    node.inputs.resize(std::max<std::size_t>(node.inputs.size(), 3));
    node.inputs[2] =
        add_constant(old + with, nn::Tensor::of(folded.bias_shape, to_floats(folded.bias)));
  }
  node.attributes.erase("alpha");
  node.attributes.erase("beta");
  for (const Neighbour& neighbour : before) {
    const nn::Node& gone = nodes_[neighbour.node];
    const bool is_first = constant(gone.inputs[0]) == nullptr;
    node.inputs[0] = gone.inputs[is_first ? 0 : 1];
    gone_[neighbour.node] = true;
  }
  reader_[node.inputs[0]] = folded.node;
  if (behind.empty()) return;
  const std::string result = nodes_[behind.back().node].outputs[0];
  for (const Neighbour& neighbour : behind) gone_[neighbour.node] = true;
  if (!left.has_offset()) {
    node.outputs[0] = result;
    makers_[result] = folded.node;
    return;
  }
  nn::Node& last = nodes_[behind.back().node];
  gone_[behind.back().node] = false;
  last.op_type = "Add";
  last.attributes.clear();
  last.inputs = {node.outputs[0],
                 add_constant(last.name + " summand",
                              nn::Tensor::of({static_cast<std::int64_t>(left.offset.size())},
                                             to_floats(left.offset)))};
  last.outputs = {result};
  reader_[node.outputs[0]] = behind.back().node;
}

/// Tries all nodes around the product, then fewer, the farthest left out first.
void ProductFolding::try_product(FoldedProduct product) {
  const std::vector<Neighbour> before = find_before(product), behind = find_behind(product);
  if (before.empty() && behind.empty()) return;
  if (!read_constants(product)) return;
  for (std::size_t size = before.size() + behind.size(); size > 0; --size) {
    for (std::size_t b = std::min(size, before.size()) + 1; b-- > 0;) {
      if (size - b > behind.size()) continue;
      const auto first = [](const std::vector<Neighbour>& list, std::size_t count) {
        return std::vector<Neighbour>(list.begin(),
                                      list.begin() + static_cast<std::ptrdiff_t>(count));
      };
      if (try_fold(product, first(before, b), first(behind, size - b))) return;
    }
  }
}

std::optional<nn::Graph> ProductFolding::run() {
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    if (gone_[k]) continue;
    if (std::optional<FoldedProduct> product = read_product(k)) try_product(std::move(*product));
  }
  if (made_.empty()) return std::nullopt;
  nn::Graph result = graph_;
  result.nodes.clear();
  std::unordered_set<std::string> read;
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    if (gone_[k]) continue;
    read.insert(nodes_[k].inputs.begin(), nodes_[k].inputs.end());
    for_captured(nodes_[k], [&](const std::string& name) { read.insert(name); });
    result.nodes.push_back(std::move(nodes_[k]));
  }
  for (auto& [name, tensor] : made_) result.initializers.emplace(name, std::move(tensor));
  for (auto at = result.initializers.begin(); at != result.initializers.end();) {
    const bool keeps = read.count(at->first) != 0 || outputs_.count(at->first) != 0;
    at = keeps ? std::next(at) : result.initializers.erase(at);
  }
  return result;
}

}  // namespace

std::optional<nn::Graph> fold_products(const nn::Graph& graph, const WantsFold& wants,
                                       const std::vector<std::string>& outputs) {
  return ProductFolding(graph, wants, outputs).run();
}

}  // namespace tactus::compiler
