#include "firmware/onnx/sub_graphs.h"

#include <algorithm>
#include <set>
#include <utility>

#include "isa/support/error.h"
#include "isa/support/text.h"

namespace tactus::nn {
namespace {

using Names = std::map<std::string, std::string>;

/// Moves values and nodes of sub-graphs into the surrounding graph under new names.
class Inlining {
 public:
  Inlining(const Graph& graph, std::string node) : from_(graph), name_(std::move(node)) {
    for (const ValueInfo& input : graph.inputs) values_.insert(input.name);
    for (const auto& [name, tensor] : graph.initializers) values_.insert(name);
    for (const Node& other : graph.nodes) {
      nodes_.insert(other.name);
      values_.insert(other.outputs.begin(), other.outputs.end());
    }
    result_ = graph;
    result_.nodes.clear();
  }

  [[nodiscard]] const Node& node() const {
    for (const Node& candidate : from_.nodes) {
      if (candidate.name == name_) return candidate;
    }
    internal_error("there is no node {} to put sub-graphs in the place of", quote(name_));
  }

  /// Adds the nodes of a sub-graph; `names` gives the values of its inputs. Returns the names of
  /// its outputs. Outputs that a node of the sub-graph makes are named as `wishes` says.
  std::vector<std::string> add(const Graph& part, Names names,
                               const std::vector<std::string>& wishes = {}) {
    std::set<std::string> made;
    for (const Node& inner : part.nodes) made.insert(inner.outputs.begin(), inner.outputs.end());
    for (std::size_t k = 0; k < wishes.size(); ++k) {
      const std::string& inner = part.outputs[k].name;
      if (!wishes[k].empty() && made.count(inner) != 0) names.emplace(inner, wishes[k]);
    }
    const auto own = [&](const std::string& inner) {
      const auto [found, added] = names.emplace(inner, "");
      if (added) found->second = unused(values_, inner);
    };
    for (const auto& [inner, tensor] : part.initializers) {
      own(inner);
      result_.initializers[names.at(inner)] = tensor;
    }
    for (const Node& inner : part.nodes) {
      for (const std::string& output : inner.outputs) {
        if (!output.empty()) own(output);
      }
    }
    for (const Node& inner : part.nodes) {
      Node copy = renamed(inner, names);
      copy.name = unused(nodes_, inner.name);
      nodes.push_back(std::move(copy));
    }
    std::vector<std::string> outputs;
    for (const ValueInfo& output : part.outputs) {
      const auto found = names.find(output.name);
      outputs.push_back(found == names.end() ? output.name : found->second);
    }
    return outputs;
  }

  std::string constant(Tensor tensor) {
    std::string name = unused(values_, "constant");
    result_.initializers[name] = std::move(tensor);
    return name;
  }

  /// Adds a node with one result; without a name it gets one.
  std::string add(const std::string& op, std::vector<std::string> inputs, std::string output = "",
                  std::map<std::string, Attribute, std::less<>> attributes = {}) {
    Node made;
    made.op_type = op;
    made.name = unused(nodes_, op);
    made.file = from_.file;
    made.inputs = std::move(inputs);
    made.outputs = {output.empty() ? unused(values_, op) : std::move(output)};
    made.attributes = std::move(attributes);
    nodes.push_back(std::move(made));
    return nodes.back().outputs.front();
  }

  /// The value with one dimension of size 1 more.
  std::string raised(const std::string& value, std::int64_t axis) {
    if (from_.opset < 13) return add("Unsqueeze", {value}, "", {{"axes", Shape{axis}}});
    return add("Unsqueeze", {value, constant(Tensor::of({1}, std::vector{axis}))});
  }

  /// The slice number `index` along an axis, without it.
  std::string slice(const std::string& value, std::int64_t index, std::int64_t axis) {
    return add("Gather", {value, constant(Tensor::of({}, std::vector{index}))}, "",
               {{"axis", axis}});
  }

  [[nodiscard]] Graph take() {
    for (const Node& other : from_.nodes) {
      if (other.name != name_) {
        result_.nodes.push_back(other);
      } else {
        result_.nodes.insert(result_.nodes.end(), nodes.begin(), nodes.end());
      }
    }
    return std::move(result_);
  }

  std::vector<Node> nodes;  ///< nodes that replace the node

 private:
  std::string unused(std::set<std::string>& taken, const std::string& inner) const {
    const std::string base = name_ + "/" + inner;
    std::string name = base;
    for (unsigned k = 1; !taken.insert(name).second; ++k) name = fmt::format("{} {}", base, k);
    return name;
  }

  static Node renamed(Node node, const Names& names) {
    for (auto* list : {&node.inputs, &node.outputs}) {
      for (std::string& name : *list) {
        const auto found = names.find(name);
        if (found != names.end()) name = found->second;
      }
    }
    for (auto& [attribute, graph] : node.graphs) {
      graph = std::make_shared<const Graph>(renamed_around(*graph, names));
    }
    return node;
  }

  /// The sub-graph, with new names for the values of the surrounding graph.
  static Graph renamed_around(Graph graph, Names names) {
    for (const ValueInfo& input : graph.inputs) names.erase(input.name);
    for (const auto& [name, tensor] : graph.initializers) names.erase(name);
    for (const Node& node : graph.nodes) {
      for (const std::string& output : node.outputs) names.erase(output);
    }
    for (Node& node : graph.nodes) node = renamed(node, names);
    for (ValueInfo& output : graph.outputs) {
      const auto found = names.find(output.name);
      if (found != names.end()) output.name = found->second;
    }
    return graph;
  }

  const Graph& from_;
  const std::string name_;
  Graph result_;
  std::set<std::string> values_, nodes_;
};

const Graph& part_of(const Node& node, const std::string& attribute) {
  const auto found = node.graphs.find(attribute);
  if (found == node.graphs.end()) {
    user_error("{}: attribute {} is missing; a sub-graph is required", node.where(),
               quote(attribute));
  }
  return *found->second;
}

}  // namespace

Graph with_branch(const Graph& graph, const std::string& node, bool condition) {
  Inlining inlining(graph, node);
  const Node& from = inlining.node();
  const Graph& branch = part_of(from, condition ? "then_branch" : "else_branch");
  if (branch.outputs.size() < from.outputs.size()) {
    user_error("{}: has {} outputs, its branch {}", from.where(), from.outputs.size(),
               branch.outputs.size());
  }
  const std::vector<std::string> outputs = inlining.add(branch, {}, from.outputs);
  for (std::size_t k = 0; k < from.outputs.size(); ++k) {
    if (from.outputs[k].empty() || outputs[k] == from.outputs[k]) continue;
    inlining.add("Identity", {outputs[k]}, from.outputs[k]);
  }
  return inlining.take();
}

Graph with_iterations(const Graph& graph, const std::string& node, std::int64_t count) {
  Inlining inlining(graph, node);
  const Node& from = inlining.node();
  const Graph& body = part_of(from, "body");
  const std::size_t carried = from.inputs.size() < 2 ? 0 : from.inputs.size() - 2;
  if (body.inputs.size() != carried + 2 || body.outputs.size() < carried + 1 ||
      from.outputs.size() + 1 > body.outputs.size() || from.outputs.size() < carried) {
    user_error(
        "{}: has {} inputs and {} outputs, which its body of {} inputs and {} outputs does "
        "not fit",
        from.where(), from.inputs.size(), from.outputs.size(), body.inputs.size(),
        body.outputs.size());
  }
  Tensor yes = Tensor::of({}, std::vector<std::int64_t>{1});
  yes.stored = onnx_bool;
  const std::string condition = inlining.constant(std::move(yes));
  std::vector<std::string> now;
  if (carried != 0) now.assign(from.inputs.begin() + 2, from.inputs.end());
  std::vector<std::vector<std::string>> collected(from.outputs.size() - carried);
  for (std::int64_t i = 0; i < count; ++i) {
    Names names{
        {body.inputs[0].name, inlining.constant(Tensor::of({}, std::vector<std::int64_t>{i}))},
        {body.inputs[1].name, condition}};
    for (std::size_t k = 0; k < carried; ++k) names[body.inputs[k + 2].name] = now[k];
    const std::vector<std::string> made = inlining.add(body, std::move(names));
    now.assign(made.begin() + 1, made.begin() + 1 + static_cast<std::ptrdiff_t>(carried));
    for (std::size_t k = 0; k < collected.size(); ++k) {
      if (!from.outputs[carried + k].empty()) {
        collected[k].push_back(inlining.raised(made[1 + carried + k], 0));
      }
    }
  }
  for (std::size_t k = 0; k < from.outputs.size(); ++k) {
    if (from.outputs[k].empty()) continue;
    if (k < carried) {
      inlining.add("Identity", {now[k]}, from.outputs[k]);
    } else if (count > 0) {
      inlining.add("Concat", collected[k - carried], from.outputs[k], {{"axis", std::int64_t{0}}});
    } else {
      user_error("{}: output {} collects the values of no iteration", from.where(),
                 quote(from.outputs[k]));
    }
  }
  return inlining.take();
}

ScanForm scan_form(const Node& node, std::int64_t opset) {
  ScanForm form;
  form.batched = opset < 9;
  form.operands = form.batched ? 1 : 0;
  const Graph& body = part_of(node, "body");
  const std::int64_t scanned = node.integer("num_scan_inputs");
  const std::size_t given = node.inputs.size() - std::min(form.operands, node.inputs.size());
  if (scanned < 1 || static_cast<std::uint64_t>(scanned) > given || body.inputs.size() != given) {
    user_error("{}: has {} inputs, {} of them scanned, and its body {} inputs; these do not fit",
               node.where(), given, scanned, body.inputs.size());
  }
  form.states = given - static_cast<std::size_t>(scanned);
  if (body.outputs.size() < form.states || node.outputs.size() > body.outputs.size()) {
    user_error("{}: has {} outputs, its body {}, and {} states; these do not fit", node.where(),
               node.outputs.size(), body.outputs.size(), form.states);
  }
  if (form.batched && !node.input(0).empty()) {
    user_error("{}: input 0 gives lengths of sequences; supported are sequences of one length",
               node.where());
  }
  const auto inputs = static_cast<std::size_t>(scanned);
  const std::size_t outputs = body.outputs.size() - form.states;
  const auto list = [&](const char* name, std::size_t size) {
    Shape values = node.integers(name, Shape(size, 0));
    if (values.size() == size) return values;
    user_error("{}: attribute {} has {} values; allowed are {}", node.where(), quote(name),
               values.size(), size);
  };
  const auto flags = [&](const char* name, std::size_t size) {
    std::vector<bool> reversed;
    for (const std::int64_t direction : list(name, size)) {
      if (direction != 0 && direction != 1) {
        user_error("{}: attribute {} has the value {}; allowed are 0 and 1", node.where(),
                   quote(name), direction);
      }
      reversed.push_back(direction == 1);
    }
    return reversed;
  };
  form.inputs_reversed = flags(form.batched ? "directions" : "scan_input_directions", inputs);
  form.outputs_reversed.assign(outputs, false);
  form.input_axes.assign(inputs, 0);
  form.output_axes.assign(outputs, 0);
  if (!form.batched) {
    form.outputs_reversed = flags("scan_output_directions", outputs);
    form.input_axes = list("scan_input_axes", inputs);
    form.output_axes = list("scan_output_axes", outputs);
  }
  return form;
}

namespace {

/// The nodes of a Scan over one element of the batch. `values` are its states and scanned inputs;
/// returns its states and collected outputs.
std::vector<std::string> scanned(Inlining& inlining, const ScanForm& form, const Graph& body,
                                 const std::vector<std::string>& values, std::int64_t count) {
  const auto states = static_cast<std::ptrdiff_t>(form.states);
  std::vector<std::string> now(values.begin(), values.begin() + states);
  std::vector<std::vector<std::string>> collected(form.output_axes.size());
  for (std::int64_t i = 0; i < count; ++i) {
    Names names;
    for (std::size_t k = 0; k < values.size(); ++k) {
      std::string& name = names[body.inputs[k].name];
      if (k < form.states) {
        name = now[k];
        continue;
      }
      const std::size_t scan = k - form.states;
      name = inlining.slice(values[k], form.inputs_reversed[scan] ? count - 1 - i : i,
                            form.input_axes[scan]);
    }
    const std::vector<std::string> made = inlining.add(body, std::move(names));
    now.assign(made.begin(), made.begin() + states);
    for (std::size_t k = 0; k < collected.size(); ++k) {
      collected[k].push_back(inlining.raised(made[form.states + k], form.output_axes[k]));
    }
  }
  for (std::size_t k = 0; k < collected.size(); ++k) {
    if (form.outputs_reversed[k]) std::reverse(collected[k].begin(), collected[k].end());
    now.push_back(inlining.add("Concat", collected[k], "", {{"axis", form.output_axes[k]}}));
  }
  return now;
}

}  // namespace

Graph with_slices(const Graph& graph, const std::string& node, std::int64_t count,
                  std::int64_t batches) {
  Inlining inlining(graph, node);
  const Node& from = inlining.node();
  const ScanForm form = scan_form(from, graph.opset);
  const Graph& body = part_of(from, "body");
  const std::vector<std::string> operands(
      from.inputs.begin() + static_cast<std::ptrdiff_t>(form.operands), from.inputs.end());
  std::vector<std::vector<std::string>> results(body.outputs.size());
  for (std::int64_t b = 0; b < batches; ++b) {
    std::vector<std::string> values = operands;
    for (std::string& value : values) {
      if (form.batched) value = inlining.slice(value, b, 0);
    }
    const std::vector<std::string> made = scanned(inlining, form, body, values, count);
    for (std::size_t k = 0; k < made.size(); ++k) {
      results[k].push_back(form.batched ? inlining.raised(made[k], 0) : made[k]);
    }
  }
  for (std::size_t k = 0; k < from.outputs.size(); ++k) {
    if (from.outputs[k].empty()) continue;
    if (results[k].size() == 1) {
      inlining.add("Identity", results[k], from.outputs[k]);
    } else {
      inlining.add("Concat", results[k], from.outputs[k], {{"axis", std::int64_t{0}}});
    }
  }
  return inlining.take();
}

bool keeps_condition(const Graph& body) {
  if (body.inputs.size() < 2 || body.outputs.empty()) return false;
  std::string at = body.outputs.front().name;
  for (;;) {
    if (at == body.inputs[1].name) return true;
    const auto initializer = body.initializers.find(at);
    if (initializer != body.initializers.end()) {
      const std::vector<std::int64_t>& values = initializer->second.integers;
      return values.size() == 1 && values.front() != 0;
    }
    const Node* node = body.producer(at);
    if (node == nullptr) return false;
    if (node->op_type == "Constant" && node->has("value")) {
      const std::vector<std::int64_t>& values = node->tensor("value").integers;
      return values.size() == 1 && values.front() != 0;
    }
    if ((node->op_type != "Identity" && node->op_type != "Cast") || node->inputs.size() != 1) {
      return false;
    }
    at = node->inputs.front();
  }
}

}  // namespace tactus::nn
