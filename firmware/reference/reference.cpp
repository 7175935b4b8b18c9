#include "firmware/reference/reference.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "firmware/onnx/number_types.h"
#include "firmware/onnx/operators.h"
#include "firmware/onnx/sub_graphs.h"
#include "firmware/reference/call.h"
#include "isa/support/text.h"

namespace tactus::nn {
namespace {

void check_input(const Graph& graph, const ValueInfo& info, const Values& inputs) {
  const std::string subject = fmt::format("{}: input {}", graph.file, quote(info.name));
  const auto given = inputs.find(info.name);
  if (given == inputs.end()) user_error("{}: no values are given", subject);
  const Tensor& tensor = given->second;
  bool fits = tensor.type == info.type;
  if (info.dims) {
    fits = fits && info.dims->size() == tensor.shape.size();
    for (std::size_t i = 0; fits && i < tensor.shape.size(); ++i) {
      fits = (*info.dims)[i].size.value_or(tensor.shape[i]) == tensor.shape[i];
    }
  }
  if (!fits) {
    user_error("{}: the values given are {} {}, which is not what the model states", subject,
               name_of(tensor.type), to_string(tensor.shape));
  }
}

std::vector<Tensor> computed(const Node& node, std::int64_t opset,
                             std::vector<const Tensor*> inputs) {
  if (!is_known(node)) {
    user_error("{}: the reference executor does not have this operator", node.where());
  }
  const std::string problem = form_problem(node, opset);
  if (!problem.empty()) user_error("{}: {}", node.where(), problem);
  Call call(node, opset, std::move(inputs));
  find_form(node, opset)->run(call);
  for (Tensor& result : call.results) wrap_integers(result);
  return std::move(call.results);
}

}  // namespace

bool reference_has(const Node& node, std::int64_t opset) {
  return opset >= first_opset && find_form(node, opset) != nullptr;
}

std::vector<Tensor> run_node(const Node& node, std::int64_t opset,
                             const std::vector<const Tensor*>& inputs) {
  return computed(node, opset, inputs);
}

namespace {

/// Executes a graph; a sub-graph within its surrounding graph.
class Run {
 public:
  Run(const Graph& graph, Values& values, const Run* around, const ReferenceOptions& options)
      : graph_(graph), values_(values), around_(around), options_(options) {}

  /// Computes nodes of the graph whose outputs have no values yet: those for which `needed` is
  /// true, or all if it is empty.
  void nodes(const std::vector<Node>& nodes, const std::vector<bool>& needed = {},
             const std::function<void(std::size_t node)>& on_node = {});

 private:
  /// Null if the value is absent.
  [[nodiscard]] const Tensor* find(const Node& node, const std::string& name) const {
    if (name.empty()) return nullptr;
    for (const Run* run = this; run != nullptr; run = run->around_) {
      const auto value = run->values_.find(name);
      if (value != run->values_.end()) return &value->second;
      if (const Tensor* initial = run->graph_.initializer(name)) return initial;
    }
    user_error("{}: input {} has no value", node.where(), quote(name));
  }
  /// Outputs of a sub-graph for these input values.
  [[nodiscard]] std::vector<Tensor> sub_graph(const Node& node, const std::string& attribute,
                                              std::vector<Tensor> inputs) const;
  [[nodiscard]] std::vector<Tensor> branch(const Node& node) const;
  [[nodiscard]] std::vector<Tensor> loop(const Node& node) const;
  [[nodiscard]] std::vector<Tensor> scan(const Node& node) const;
  /// The same for one element of the batch.
  [[nodiscard]] std::vector<Tensor> scan(const Node& node, const ScanForm& form,
                                         const std::vector<Tensor>& operands) const;
  /// The slice of a tensor along an axis, without it.
  [[nodiscard]] Tensor slice(const Node& node, const Tensor& x, std::int64_t index,
                             std::int64_t axis) const;
  /// Tensors of one shape one behind the other along a new axis.
  [[nodiscard]] Tensor stack(const Node& node, const std::vector<Tensor>& parts,
                             std::int64_t axis) const;

  const Graph& graph_;
  Values& values_;
  const Run* around_;
  const ReferenceOptions& options_;
};

bool is_true(const Node& node, const Tensor& tensor) {
  if (tensor.integers.size() == 1) return tensor.integers.front() != 0;
  user_error("{}: the condition has shape {}; one truth value is allowed", node.where(),
             to_string(tensor.shape));
}

std::vector<Tensor> Run::sub_graph(const Node& node, const std::string& attribute,
                                   std::vector<Tensor> inputs) const {
  const auto found = node.graphs.find(attribute);
  if (found == node.graphs.end() || found->second->inputs.size() != inputs.size()) {
    user_error("{}: attribute {} is no sub-graph of {} inputs", node.where(), quote(attribute),
               inputs.size());
  }
  const Graph& graph = *found->second;
  Values values;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    values[graph.inputs[i].name] = std::move(inputs[i]);
  }
  Run run(graph, values, this, options_);
  run.nodes(graph.nodes);
  std::vector<Tensor> results;
  for (const ValueInfo& output : graph.outputs) results.push_back(*run.find(node, output.name));
  return results;
}

std::vector<Tensor> Run::branch(const Node& node) const {
  const bool condition = is_true(node, *find(node, std::string(node.input(0))));
  return sub_graph(node, condition ? "then_branch" : "else_branch", {});
}

std::vector<Tensor> Run::loop(const Node& node) const {
  const Tensor* trips = find(node, std::string(node.input(0)));
  const Tensor* condition = find(node, std::string(node.input(1)));
  if (trips != nullptr && trips->integers.size() != 1) {
    user_error("{}: the number of iterations has shape {}; one integer is allowed", node.where(),
               to_string(trips->shape));
  }
  bool goes_on = condition == nullptr || is_true(node, *condition);
  std::vector<Tensor> carried;
  for (std::size_t i = 2; i < node.inputs.size(); ++i) {
    carried.push_back(*find(node, node.inputs[i]));
  }
  std::vector<Tensor> collected;
  for (std::int64_t i = 0; goes_on && (trips == nullptr || i < trips->integers.front()); ++i) {
    Tensor yes = Tensor::of({}, std::vector<std::int64_t>{1});
    yes.stored = onnx_bool;
    std::vector<Tensor> inputs{Tensor::of({}, std::vector<std::int64_t>{i}), std::move(yes)};
    inputs.insert(inputs.end(), carried.begin(), carried.end());
    std::vector<Tensor> made = sub_graph(node, "body", std::move(inputs));
    if (made.size() < carried.size() + 1) {
      user_error("{}: the body has {} outputs; {} or more are needed", node.where(), made.size(),
                 carried.size() + 1);
    }
    goes_on = is_true(node, made.front());
    for (std::size_t k = 0; k < carried.size(); ++k) carried[k] = std::move(made[k + 1]);
    collected.resize(made.size() - carried.size() - 1);
    for (std::size_t k = 0; k < collected.size(); ++k) {
      Tensor& all = collected[k];
      const Tensor& next = made[1 + carried.size() + k];
      if (i == 0) {
        all = next;
        all.shape.insert(all.shape.begin(), 0);
        all.floats.clear();
        all.integers.clear();
      }
      ++all.shape.front();
      all.floats.insert(all.floats.end(), next.floats.begin(), next.floats.end());
      all.integers.insert(all.integers.end(), next.integers.begin(), next.integers.end());
    }
  }
  carried.insert(carried.end(), collected.begin(), collected.end());
  return carried;
}

Tensor Run::slice(const Node& node, const Tensor& x, std::int64_t index, std::int64_t axis) const {
  Node gather = node;
  gather.op_type = "Gather";
  gather.inputs = {"x", "index"};
  gather.outputs.assign(1, "");
  gather.attributes = {{"axis", axis}};
  const Tensor at = Tensor::of({}, std::vector{index});
  return std::move(computed(gather, graph_.opset, {&x, &at}).front());
}

Tensor Run::stack(const Node& node, const std::vector<Tensor>& parts, std::int64_t axis) const {
  if (parts.empty()) user_error("{}: collects the values of no iteration", node.where());
  const auto rank = static_cast<std::int64_t>(parts.front().shape.size()) + 1;
  if (axis < -rank || axis >= rank) {
    user_error("{}: axis {} is not in an output of {} dimensions", node.where(), axis, rank);
  }
  std::vector<Tensor> longer = parts;
  std::vector<const Tensor*> operands;
  for (Tensor& part : longer) {
    part.shape.insert(part.shape.begin() + (axis < 0 ? axis + rank : axis), 1);
    operands.push_back(&part);
  }
  Node concat = node;
  concat.op_type = "Concat";
  concat.inputs.assign(parts.size(), "part");
  concat.outputs.assign(1, "");
  concat.attributes = {{"axis", axis < 0 ? axis + rank : axis}};
  return std::move(computed(concat, graph_.opset, operands).front());
}

std::vector<Tensor> Run::scan(const Node& node, const ScanForm& form,
                              const std::vector<Tensor>& operands) const {
  const auto states = static_cast<std::ptrdiff_t>(form.states);
  std::vector<Tensor> now(operands.begin(), operands.begin() + states);
  std::vector<std::vector<Tensor>> collected(form.output_axes.size());
  std::int64_t count = -1;
  for (std::size_t k = 0; k < form.input_axes.size(); ++k) {
    const Tensor& x = operands[form.states + k];
    const Call call(node, graph_.opset, {});
    const std::int64_t size = x.shape[call.axis(form.input_axes[k], x.shape.size())];
    if (count >= 0 && size != count) {
      user_error("{}: its inputs have {} and {} slices; they must be equal", node.where(), count,
                 size);
    }
    count = size;
  }
  for (std::int64_t i = 0; i < count; ++i) {
    std::vector<Tensor> inputs = now;
    for (std::size_t k = 0; k < form.input_axes.size(); ++k) {
      inputs.push_back(slice(node, operands[form.states + k],
                             form.inputs_reversed[k] ? count - 1 - i : i, form.input_axes[k]));
    }
    std::vector<Tensor> made = sub_graph(node, "body", std::move(inputs));
    for (std::size_t k = 0; k < collected.size(); ++k) {
      collected[k].push_back(std::move(made[form.states + k]));
    }
    made.resize(form.states);
    now = std::move(made);
  }
  for (std::size_t k = 0; k < collected.size(); ++k) {
    if (form.outputs_reversed[k]) std::reverse(collected[k].begin(), collected[k].end());
    now.push_back(stack(node, collected[k], form.output_axes[k]));
  }
  return now;
}

std::vector<Tensor> Run::scan(const Node& node) const {
  const ScanForm form = scan_form(node, graph_.opset);
  std::vector<Tensor> operands;
  for (std::size_t i = form.operands; i < node.inputs.size(); ++i) {
    operands.push_back(*find(node, node.inputs[i]));
  }
  if (!form.batched) return scan(node, form, operands);
  std::vector<std::vector<Tensor>> results;
  const std::int64_t batches = operands.front().shape.empty() ? 0 : operands.front().shape.front();
  for (std::int64_t b = 0; b < batches; ++b) {
    std::vector<Tensor> own;
    for (const Tensor& x : operands) own.push_back(slice(node, x, b, 0));
    std::vector<Tensor> made = scan(node, form, own);
    results.resize(made.size());
    for (std::size_t k = 0; k < made.size(); ++k) results[k].push_back(std::move(made[k]));
  }
  std::vector<Tensor> stacked;
  for (const std::vector<Tensor>& parts : results) stacked.push_back(stack(node, parts, 0));
  return stacked;
}

void Run::nodes(const std::vector<Node>& nodes, const std::vector<bool>& needed,
                const std::function<void(std::size_t node)>& on_node) {
  for (const Node& node : nodes) {
    const auto number = static_cast<std::size_t>(&node - nodes.data());
    if (!needed.empty() && !needed[number]) continue;
    if (on_node) on_node(number);
    const auto is_computed = [&](const std::string& output) { return values_.count(output) != 0; };
    if (std::any_of(node.outputs.begin(), node.outputs.end(), is_computed)) continue;
    std::vector<Tensor> results;
    if (node.domain.empty() && node.op_type == "If") {
      results = branch(node);
    } else if (node.domain.empty() && node.op_type == "Loop") {
      results = loop(node);
    } else if (node.domain.empty() && node.op_type == "Scan") {
      results = scan(node);
    } else {
      std::vector<const Tensor*> arguments;
      for (const std::string& name : node.inputs) arguments.push_back(find(node, name));
      results = options_.execute ? options_.execute(node, graph_.opset, arguments)
                                 : computed(node, graph_.opset, std::move(arguments));
    }
    if (options_.revise) options_.revise(node, results);
    // Optional outputs for training have no value; reading one is an error.
    for (std::size_t i = 0; i < std::min(node.outputs.size(), results.size()); ++i) {
      if (!node.outputs[i].empty()) values_[node.outputs[i]] = std::move(results[i]);
    }
  }
}

/// Adds the names that a sub-graph reads, its own values included.
void add_reads(const Node& node, std::set<std::string_view>& read) {
  read.insert(node.inputs.begin(), node.inputs.end());
  for (const auto& [name, graph] : node.graphs) {
    for (const Node& inner : graph->nodes) add_reads(inner, read);
    for (const ValueInfo& output : graph->outputs) read.insert(output.name);
  }
}

/// For each node, whether the outputs need it; empty if no outputs are given.
std::vector<bool> needed(const std::vector<Node>& nodes, const std::vector<std::string>& outputs) {
  if (outputs.empty()) return {};
  std::set<std::string_view> read(outputs.begin(), outputs.end());
  std::vector<bool> result(nodes.size());
  for (std::size_t i = nodes.size(); i-- > 0;) {
    const Node& node = nodes[i];
    result[i] = std::any_of(node.outputs.begin(), node.outputs.end(), [&](const auto& output) {
      return !output.empty() && read.count(output) != 0;
    });
    if (result[i]) add_reads(node, read);
  }
  return result;
}

}  // namespace

Values run_reference(const Graph& graph, const Values& inputs, const ReferenceOptions& options) {
  if (graph.opset < first_opset || graph.opset > newest_opset) {
    user_error("{}: operator set {} is not supported; allowed are {} to {}", graph.file,
               graph.opset, first_opset, newest_opset);
  }
  for (const ValueInfo& info : graph.inputs) check_input(graph, info, inputs);
  if (inputs.size() != graph.inputs.size()) {
    user_error("{}: {} inputs are given; the model has {}", graph.file, inputs.size(),
               graph.inputs.size());
  }
  Values values = inputs;
  Run run(graph, values, nullptr, options);
  // Values inside of an operator of ONNX Runtime follow from its own.
  run.nodes(graph.nodes_as_given, needed(graph.nodes_as_given, options.outputs));
  run.nodes(graph.nodes, needed(graph.nodes, options.outputs), options.on_node);
  return values;
}

}  // namespace tactus::nn
