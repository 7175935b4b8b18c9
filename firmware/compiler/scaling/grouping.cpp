#include "firmware/compiler/scaling/grouping.h"

#include <cmath>
#include <cstdint>
#include <map>
#include <utility>

namespace tactus::compiler::scaling {
namespace {

/// The axis of the operand if the result has the same size there.
std::size_t same_axis(const Tensor& from, const Tensor& to) {
  const bool same = from.axis != no_axis && from.shape.size() == to.shape.size() &&
                    from.shape[from.axis] == to.shape[from.axis];
  return same ? from.axis : no_axis;
}

std::size_t loses_axis(const Tensor&, const Tensor&) { return no_axis; }

}  // namespace

std::size_t product(const nn::Shape& shape, std::size_t first, std::size_t last) {
  std::size_t result = 1;
  for (std::size_t i = first; i < last; ++i) result *= size_at(shape, i);
  return result;
}

std::size_t Grouping::add(const std::string& name) {
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

std::size_t Grouping::root(std::size_t group) {
  while (parents_[group] != group) group = parents_[group] = parents_[parents_[group]];
  return group;
}

void Grouping::tie(std::size_t a, std::size_t b) {
  const std::size_t first = root(network_.tensors[a].group);
  const std::size_t second = root(network_.tensors[b].group);
  if (first == second) return;
  Group& kept = network_.groups[first];
  const Group& other = network_.groups[second];
  kept.fixed = kept.fixed || other.fixed;
  kept.uniform = kept.uniform || other.uniform || kept.channels != other.channels;
  parents_[second] = first;
}

void Grouping::fix_all(const nn::Node& node) {
  for (const auto* names : {&node.inputs, &node.outputs}) {
    for (const std::string& name : *names) {
      if (is_computed(name)) fix(tensor(name));
    }
  }
}

void Grouping::set_axis(std::size_t tensor, std::size_t axis) {
  Tensor& made = network_.tensors[tensor];
  made.axis = axis;
  made.channels.resize(size_at(made.shape, axis));
  for (std::size_t i = 0; i < made.channels.size(); ++i) made.channels[i] = i;
  network_.groups[root(made.group)].channels = made.channels.size();
}

void Grouping::follow(std::size_t tensor, std::size_t from, std::size_t axis) {
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

void Grouping::finish_groups() {
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

// ---- nodes that pass a scale on -----------------------------------------------------------------

void Grouping::pass(const nn::Node& node,
                    const std::function<std::size_t(const Tensor&, const Tensor&)>& axis) {
  const std::size_t from = tensor(node.inputs.front());
  for (const std::string& name : node.outputs) {
    if (!is_computed(name)) continue;
    const std::size_t to = tensor(name);
    follow(to, from, axis(network_.tensors[from], network_.tensors[to]));
  }
}

/// Channels of a tensor with the same elements in another shape: along an axis of the result whose
/// index decides the channel.
void Grouping::reshape(const nn::Node& node) {
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

bool Grouping::pads_zeros(const nn::Node& node) const {
  if (node.text("mode", "constant") != "constant") return true;
  if (node.has("value")) return node.real("value", 0) == 0;
  const std::string_view name = node.input(2);
  if (name.empty()) return true;
  const nn::Tensor* value = network_.constant(name);
  return value != nullptr && value->size() == 1 && value->reals().front() == 0;
}

bool Grouping::has_constant_limits(const nn::Node& node) const {
  for (std::size_t i = 1; i < node.inputs.size(); ++i) {
    if (!node.inputs[i].empty() && network_.constant(node.inputs[i]) == nullptr) return false;
  }
  return true;
}

/// True if a Clip is the same for every positive factor.
bool Grouping::clips_at_zero_only(const nn::Node& node) const {
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

std::size_t Grouping::axis_behind_reduction(const nn::Node& node, const Tensor& from,
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

bool Grouping::passes_on(const nn::Node& node) {
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

bool Grouping::passes_sum(const nn::Node& node) {
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

}  // namespace tactus::compiler::scaling
