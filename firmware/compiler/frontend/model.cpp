#include "firmware/compiler/frontend/model.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_set>

#include "firmware/compiler/frontend/bounds.h"
#include "firmware/compiler/frontend/operators.h"
#include "firmware/compiler/frontend/operators/axes.h"
#include "firmware/compiler/frontend/planner.h"
#include "firmware/compiler/frontend/traversal.h"
#include "firmware/onnx/input_shapes.h"
#include "firmware/onnx/operators.h"
#include "firmware/onnx/sub_graphs.h"
#include "firmware/reference/reference.h"
#include "isa/support/error.h"
#include "isa/support/text.h"
#include "isa/tcu/arithmetic.h"

namespace tactus::compiler {
namespace {

using NodeOrder = std::vector<const nn::Node*>;
using Problems = std::vector<std::string>;

bool has_supported_opset(const nn::Graph& graph) {
  return graph.opset >= nn::first_opset && graph.opset <= nn::newest_opset;
}

bool is_real_type(std::int64_t type) {
  return type == nn::onnx_float || type == nn::onnx_double || type == nn::onnx_float16 ||
         type == nn::onnx_bfloat16;
}

/// True if every reader converts the integers to real numbers, so that the value can be real from
/// the beginning.
bool only_cast_to_real(const Model& model, const std::string& name) {
  const auto& readers = model.nodes_reading.at(name);
  return !model.compat && std::all_of(readers.begin(), readers.end(), [](const nn::Node* node) {
    return node->op_type == "Cast" && is_real_type(node->integer("to", 0));
  });
}

/// Whether the value is what the node repeats its work over, along dimension 0.
bool is_sequence(const nn::Node& node, const std::string& value, std::int64_t opset) {
  if (has(node, is_recurrent)) return node.integer("layout", 0) == 0 && node.input(0) == value;
  if (node.op_type != "Scan" || opset < 9) return false;
  const std::size_t scanned = std::min<std::size_t>(
      static_cast<std::size_t>(std::max<std::int64_t>(node.integer("num_scan_inputs", 0), 0)),
      node.inputs.size());
  const nn::Shape axes = node.integers("scan_input_axes", nn::Shape(scanned, 0));
  for (std::size_t k = 0; k < std::min(scanned, axes.size()); ++k) {
    if (node.inputs[node.inputs.size() - scanned + k] == value && axes[k] == 0) return true;
  }
  return false;
}

/// Whether the first dimension, which nobody gives, is no batch but the steps of a sequence.
bool is_open_sequence(const Model& model, const nn::ValueInfo& info, const Options& options) {
  if (!info.dims || info.dims->empty() || info.dims->front().size) return false;
  auto given = options.input_shapes.find(info.name);
  if (given == options.input_shapes.end()) given = options.input_shapes.find("");
  const bool is_given =
      given != options.input_shapes.end() && !given->second.empty() && given->second.front() >= 0;
  const auto& readers = model.nodes_reading.at(info.name);
  return !is_given && std::any_of(readers.begin(), readers.end(), [&](const nn::Node* node) {
    return is_sequence(*node, info.name, model.graph->opset);
  });
}

void declare_inputs(Model& model, const Options& options, Problems& problems) {
  std::set<std::string> unknown;
  for (const auto& [name, shape] : options.input_shapes) {
    if (!name.empty()) unknown.insert(name);
  }
  for (const nn::ValueInfo& info : model.graph->inputs) {
    unknown.erase(info.name);
    if (model.nodes_reading.count(info.name) == 0) continue;
    const bool whole =
        info.type != nn::ElementType::float32 && !only_cast_to_real(model, info.name);
    const std::string where = fmt::format("{}: input {}", model.graph->file, quote(info.name));
    if (is_open_sequence(model, info, options)) {
      problems.push_back(where +
                         ": the length of the sequence is open in the model; give its size");
      continue;
    }
    std::optional<nn::Shape> shape = nn::input_shape(where, info, options.input_shapes, problems);
    if (!shape) continue;
    (void)nn::element_count(*shape, where);
    Value& value = model.values[info.name];
    value.name = info.name;
    if (whole) {
      nn::Tensor sample = nn::Tensor::of(
          *shape,
          std::vector<std::int64_t>(static_cast<std::size_t>(nn::element_count(*shape, where))));
      sample.stored = info.stored;
      value.sample = std::make_shared<const nn::Tensor>(std::move(sample));
    }
    value.layout = model.natural_layout(info.name, std::move(*shape));
    if (!whole) model.inputs.push_back(info.name);
  }
  for (const std::string& name : unknown) {
    problems.push_back(fmt::format("{}: a shape was given for {}, which is no input",
                                   model.graph->file, quote(name)));
  }
}

void declare_constants(Model& model) {
  for (const auto& [name, tensor] : model.graph->initializers) {
    Value& value = model.values[name];
    value.name = name;
    // The graph outlives the model, so this pointer does not own the tensor.
    value.constant = std::shared_ptr<const nn::Tensor>(std::shared_ptr<void>(), &tensor);
  }
}

/// Reports outputs that the operator does not have, and unsupported optional ones.
void check_results(const Model& model, Planner& planner) {
  if (planner.failed()) return;
  for (std::size_t i = 0; i < planner.node.outputs.size(); ++i) {
    if (!planner.output_read(i)) continue;
    const auto made = model.values.find(planner.node.outputs[i]);
    if (made == model.values.end() || !made->second.known()) {
      planner.problem("output {} ({}) is not supported", i, quote(planner.node.outputs[i]));
    }
  }
}

/// Computes the results of a node with constant operands by the reference executor.
void fold_by_reference(Planner& planner) {
  std::vector<const nn::Tensor*> operands;
  for (std::size_t i = 0; i < planner.node.inputs.size(); ++i) {
    operands.push_back(planner.constant(i));
  }
  std::vector<nn::Tensor> results = nn::run_node(planner.node, planner.opset(), operands);
  for (std::size_t i = 0; i < results.size(); ++i) planner.fold(std::move(results[i]), i);
}

struct Findings {
  Problems& problems;
  bool unsupported = false;  ///< the operator is unknown here
};

void plan_node(Model& model, const nn::Node& node, Findings& found, bool expanded = false);

/// Plans the nodes of an expansion. Returns false if the node needs none.
bool plan_expansion(Model& model, Planner& planner, const Operator& op, Findings& found) {
  if (op.expand == nullptr || model.compat) return false;
  Expansion expansion(planner);
  if (!op.expand(planner, expansion)) return false;
  if (planner.failed()) return true;
  const std::size_t before = found.problems.size();
  for (const nn::Node* made : expansion.nodes()) {
    plan_node(model, *made, found, true);
    if (found.problems.size() != before) break;
  }
  return true;
}

/// Decision about a node with sub-graphs: it is replaced by one of them or unrolled. The graph is
/// then analysed again.
struct Decision {
  std::string node;
  std::function<nn::Graph(const nn::Graph&, const std::string& node)> without;
};

constexpr std::int64_t most_iterations = 4096;

/// The sizes of an operand's dimensions; null if it is not known.
const nn::Shape* shape_of(const Value* value) {
  if (value == nullptr) return nullptr;
  return value->constant != nullptr ? &value->constant->shape : &value->layout->shape;
}

/// A Scan has as many iterations as its scanned inputs have slices.
void decide_scan(Planner& p) {
  const nn::ScanForm form = nn::scan_form(p.node, p.opset());
  std::int64_t count = -1, batches = 1;
  for (std::size_t k = 0; k < form.input_axes.size(); ++k) {
    const std::size_t input = form.operands + form.states + k;
    const nn::Shape* shape = shape_of(p.value(input));
    if (shape == nullptr) return;
    const std::size_t batched = form.batched ? 1 : 0;
    const std::optional<std::int64_t> axis =
        normal_axis(p, form.input_axes[k], shape->size() - std::min(batched, shape->size()));
    if (!axis) return;
    const std::int64_t size = (*shape)[static_cast<std::size_t>(*axis) + batched];
    if (form.batched) batches = shape->front();
    if (count >= 0 && size != count) {
      p.problem("input {} has {} slices, the inputs before it {}; they must be equal", input, size,
                count);
      return;
    }
    count = size;
  }
  if (count < 1 || batches < 1 || count * batches > most_iterations) {
    p.problem("has {} iterations; supported are 1 to {}, unrolled", count * batches,
              most_iterations);
    return;
  }
  throw Decision{p.node.name, [=](const auto& graph, const auto& name) {
                   return nn::with_slices(graph, name, count, batches);
                 }};
}

/// Throws the decision, or reports why there is none.
void decide(Planner& p) {
  const nn::Node& node = p.node;
  const auto whole = [&](std::size_t i, const char* what) -> std::optional<std::int64_t> {
    const nn::Tensor* tensor = p.need_constant(i, what, nn::ElementType::int64);
    if (tensor == nullptr) return std::nullopt;
    if (tensor->integers.size() == 1) return tensor->integers.front();
    p.problem("{} has shape {}; supported is one value", what, nn::to_string(tensor->shape));
    return std::nullopt;
  };
  if (node.op_type == "If") {
    if (const auto condition = whole(0, "the condition")) {
      throw Decision{node.name, [taken = *condition != 0](const auto& graph, const auto& name) {
                       return nn::with_branch(graph, name, taken);
                     }};
    }
    return;
  }
  if (node.op_type == "Scan") {
    decide_scan(p);
    return;
  }
  const auto body = node.graphs.find("body");
  if (node.op_type != "Loop" || body == node.graphs.end()) {
    p.problem("has sub-graphs; supported are those of If, Loop and Scan");
    return;
  }
  const auto count = whole(0, "the number of iterations");
  const auto condition = p.given(1) ? whole(1, "the condition") : std::optional<std::int64_t>(1);
  if (!count || !condition) return;
  if (!nn::keeps_condition(*body->second)) {
    p.problem("the body computes the condition; supported are bodies that leave it as it is");
  } else if (*count > most_iterations) {
    p.problem("has {} iterations; supported are up to {}, unrolled", *count, most_iterations);
  } else {
    const std::int64_t times = *condition != 0 ? std::max<std::int64_t>(*count, 0) : 0;
    throw Decision{node.name, [times](const auto& graph, const auto& name) {
                     return nn::with_iterations(graph, name, times);
                   }};
  }
}

/// The role of a step in its layer, unless plan() sets another one.
Role role_of(Work work) {
  switch (work) {
    case Work::convolution:
    case Work::product:
      return Role::start;
    case Work::add:
      return Role::add;
    case Work::normalisation:
      return Role::normalisation;
    case Work::relu:
    case Work::leaky_relu:
    case Work::clip:
    case Work::tables:
    case Work::softmax:
      return Role::activation;
    case Work::max_pool:
    case Work::average_pool:
      return Role::pool;
    default:
      return Role::simple;
  }
}

void plan_node(Model& model, const nn::Node& node, Findings& found, bool expanded) {
  Problems& problems = found.problems;
  Planner planner(model, node, problems);
  if (!node.graphs.empty()) {
    try {
      decide(planner);
    } catch (const UserError& error) {
      problems.emplace_back(error.what());
    }
    return;
  }
  derive_bounds(model, node);
  const Operator* op = node.domain.empty() ? find_operator(node.op_type) : nullptr;
  if (op == nullptr && expanded) op = find_internal_operator(node.op_type);
  try {
    const bool folds = planner.all_constant() && nn::reference_has(node, planner.opset());
    if (op == nullptr && folds) {
      fold_by_reference(planner);
      return;
    }
  } catch (const UserError& error) {
    problems.emplace_back(error.what());
    return;
  }
  if (op == nullptr) {
    found.unsupported = true;
    if (!model.compat && nn::reference_has(node, planner.opset())) {
      planner.problem(
          "the unit does not have the operator, and a product depends on it; the host computes it "
          "only before the program, from inputs alone, and behind the last product");
    } else {
      planner.problem("the operator{} is not supported",
                      node.domain.empty() ? "" : " of domain " + quote(node.domain));
    }
    return;
  }
  try {
    const bool constant = planner.all_constant();
    if (constant && op->fold != nullptr) {
      op->fold(planner);
      check_results(model, planner);
      return;
    }
    if (constant && !expanded && nn::reference_has(node, planner.opset())) {
      fold_by_reference(planner);
      check_results(model, planner);
      return;
    }
    if (plan_expansion(model, planner, *op, found) || planner.failed()) return;
    if (op->plan == nullptr) {
      for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        const Value* operand = planner.value(i);
        if (operand != nullptr && operand->constant == nullptr) {
          planner.problem("{} is computed at run time; supported are constants only",
                          quote(operand->name));
        }
      }
      return;
    }
    Step& step = planner.step();
    step.node = &node;
    step.work = op->work;
    step.role = role_of(op->work);
    step.emit = op->plan(planner);
    if (planner.failed() || !step.emit) return;
    check_results(model, planner);
    model.steps.push_back(std::move(step));
  } catch (const UserError& error) {
    // Attributes are read where they are needed; their exceptions name the node.
    problems.emplace_back(error.what());
  }
}

/// Removes steps that no output depends on. (A Shape depends on its operand's shape only, not on
/// the operand.)
void drop_unread(Model& model) {
  std::unordered_set<std::string_view> wanted(model.outputs.begin(), model.outputs.end());
  std::vector<bool> live(model.steps.size());
  for (std::size_t k = model.steps.size(); k-- > 0;) {
    const Step& step = model.steps[k];
    for (const std::string& name : step.writes) live[k] = live[k] || wanted.count(name) != 0;
    if (live[k]) wanted.insert(step.reads.begin(), step.reads.end());
  }
  std::vector<Step> kept;
  for (std::size_t k = 0; k < model.steps.size(); ++k) {
    if (live[k]) kept.push_back(std::move(model.steps[k]));
  }
  model.steps = std::move(kept);
}

bool multiplies(const nn::Node& node) { return has(node, is_product | has_inner_products); }

/// True if the host can compute a node that cannot be planned or that reads values of the host: the
/// reference executor supports it, and it is no product and no product depends on it.
bool host_can_take(const Model& model, const nn::Node& node) {
  return !model.compat && !multiplies(node) && model.before_product.count(&node) == 0 &&
         nn::reference_has(node, model.graph->opset);
}

bool reads_host_value(const Model& model, const nn::Node& node) {
  return std::any_of(node.inputs.begin(), node.inputs.end(),
                     [&](const std::string& input) { return model.host_values.count(input) != 0; });
}

void leave_to_host(Model& model, const nn::Node& node, std::string reason) {
  model.host_nodes.push_back({&node, std::move(reason)});
  for (const std::string& output : node.outputs) {
    if (!output.empty()) model.host_values.insert(output);
  }
}

// ---- before the program -------------------------------------------------------------------------

/// Finds a value; null if it is unknown.
const Value* find_value(const Model& model, const std::string& name) {
  const auto found = model.values.find(name);
  return found == model.values.end() || !found->second.known() ? nullptr : &found->second;
}

/// True if the host knows the value before the program runs.
bool known_before(const Model& model, const std::string& name) {
  const Value* value = find_value(model, name);
  return value != nullptr &&
         (value->constant != nullptr || value->sample != nullptr ||
          std::find(model.inputs.begin(), model.inputs.end(), name) != model.inputs.end());
}

/// True if an operand with an open shape decides the shape of the result.
bool has_open_shape(const Model& model, const nn::Node& node) {
  const nn::Form* form = nn::find_form(node, model.graph->opset);
  if (form == nullptr) return false;
  for (std::size_t i = form->shape_input; i < node.inputs.size(); ++i) {
    if (node.inputs[i].empty()) continue;
    const Value* value = find_value(model, node.inputs[i]);
    if (value != nullptr && value->constant == nullptr) return true;
  }
  return false;
}

/// True if the host can compute the node before the program, from the model's inputs and values
/// that depend on these only.
bool can_come_before(const Model& model, const nn::Node& node) {
  return !model.compat && node.graphs.empty() && !has_open_shape(model, node) &&
         nn::reference_has(node, model.graph->opset) &&
         std::all_of(node.inputs.begin(), node.inputs.end(), [&](const std::string& input) {
           return input.empty() || known_before(model, input);
         });
}

/// The first operand of integers; null if there is none, or if only its shape is read.
const std::string* whole_operand(const Model& model, const nn::Node& node) {
  if (has(node, reads_shape)) return nullptr;
  for (const std::string& input : node.inputs) {
    const Value* value = input.empty() ? nullptr : find_value(model, input);
    if (value != nullptr && value->host_only()) return &input;
  }
  return nullptr;
}

bool reads_truth(const Model& model, const nn::Node& node) {
  return std::any_of(node.inputs.begin(), node.inputs.end(), [&](const std::string& input) {
    const Value* value = input.empty() ? nullptr : find_value(model, input);
    return value != nullptr && value->sample != nullptr &&
           value->sample->type != nn::ElementType::float32;
  });
}

/// Leaves a node to the host before the program. Computes it with samples of the operands to find
/// types and shapes of its results.
void compute_before(Model& model, const nn::Node& node, std::string reason, Problems& problems) {
  std::vector<nn::Tensor> inputs(node.inputs.size());
  std::vector<const nn::Tensor*> operands;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    operands.push_back(nullptr);
    if (node.inputs[i].empty()) continue;
    const Value& value = model.value(node.inputs[i]);
    operands[i] = value.constant != nullptr ? value.constant.get() : value.sample.get();
    if (operands[i] != nullptr) continue;
    inputs[i] = nn::Tensor::zeros(value.layout->shape);
    operands[i] = &inputs[i];
  }
  std::vector<nn::Tensor> results;
  try {
    results = nn::run_node(node, model.graph->opset, operands);
  } catch (const UserError& error) {
    problems.emplace_back(error.what());
    return;
  }
  model.nodes_before.push_back({&node, std::move(reason)});
  for (std::size_t i = 0; i < std::min(results.size(), node.outputs.size()); ++i) {
    if (node.outputs[i].empty()) continue;
    if (results[i].size() == 0) {
      Planner(model, node, problems)
          .problem("output {} would have shape {}; supported are sizes of 1 or more",
                   quote(node.outputs[i]), nn::to_string(results[i].shape));
      return;
    }
    Value& made = model.values[node.outputs[i]];
    made.name = node.outputs[i];
    made.layout = model.natural_layout(made.name, results[i].shape);
    made.sample = std::make_shared<const nn::Tensor>(std::move(results[i]));
  }
}

void report_whole_operand(Model& model, const nn::Node& node, const std::string& operand,
                          Problems& problems) {
  const nn::Tensor& sample = *model.value(operand).sample;
  const auto at = std::find(node.inputs.begin(), node.inputs.end(), operand);
  Planner(model, node, problems)
      .problem(
          "input {} ({}) holds {} elements, which the program has not, and the host cannot compute "
          "the node before the program: {}. Shapes, axes and the like must be known when "
          "compiling: make the input an initializer",
          at - node.inputs.begin(), quote(operand), nn::name_of(sample.type, sample.stored),
          !nn::reference_has(node, model.graph->opset) ? "the operator is not supported"
          : has_open_shape(model, node)                ? "its values decide a shape"
                                        : "another input is computed by the program");
}

/// The problems of one node as the reason for leaving it to the host, without the node's name.
std::string reason_of(const nn::Node& node, const Problems& problems) {
  std::string text;
  for (std::string problem : problems) {
    const std::string where = node.where() + ": ";
    if (problem.rfind(where, 0) == 0) problem.erase(0, where.size());
    text += (text.empty() ? "" : "; ") + problem;
  }
  return text;
}

/// Whether a node with sub-graphs hands the value to them and decides nothing by it.
bool only_carries(const nn::Node& node, const std::string& value) {
  return node.op_type == "Scan" ||
         (node.op_type == "Loop" && node.input(0) != value && node.input(1) != value);
}

/// True if the value is known to exceed what the data type holds.
bool exceeds_type(const Model& model, const std::string& name) {
  const auto bound = model.bounds.find(name);
  const tcu::DataType type = model.architecture.data_type;
  return bound != model.bounds.end() && bound->second > tcu::to_real(type, info(type).max());
}

/// The first of the values that exceeds what the data type holds; null if none does.
const std::string* beyond_type(const Model& model, const std::vector<std::string>& names) {
  const auto found = std::find_if(names.begin(), names.end(), [&](const std::string& name) {
    return exceeds_type(model, name);
  });
  return found == names.end() ? nullptr : &*found;
}

std::string beyond_reason(const Model& model, const std::string& name) {
  return fmt::format("{} reaches {:.4g}, which {} does not hold", quote(name),
                     model.bounds.at(name), info(model.architecture.data_type).name);
}

/// Plans the node for the unit or, if that is not possible, for the host.
void plan_or_leave(Model& model, const nn::Node& node, Findings& found) {
  if (has_supported_opset(*model.graph) && nn::is_known(node)) {
    const std::string problem = nn::form_problem(node, model.graph->opset);
    if (!problem.empty()) {
      found.problems.push_back(node.where() + ": " + problem);
      return;
    }
  }
  if (reads_host_value(model, node)) {
    if (host_can_take(model, node)) {
      leave_to_host(model, node, "");
    } else {
      found.unsupported = found.unsupported || node.graphs.empty();
      Planner(model, node, found.problems)
          .problem("{}", node.graphs.empty() || node.op_type == "Scan"
                             ? "reads what the host would have to compute, and cannot be left to it"
                             : "its condition or number of iterations is computed at run time; "
                               "supported are constants, and what follows from constants and "
                               "shapes");
    }
    return;
  }
  const bool before = can_come_before(model, node);
  const std::string* whole = whole_operand(model, node);
  if (before && (whole != nullptr || reads_truth(model, node))) {
    compute_before(model, node, "", found.problems);
    return;
  }
  if (const std::string* value = beyond_type(model, node.inputs); value != nullptr && before) {
    compute_before(model, node, beyond_reason(model, *value), found.problems);
    return;
  }
  if (const std::string* value = beyond_type(model, node.outputs);
      value != nullptr && host_can_take(model, node)) {
    leave_to_host(model, node, beyond_reason(model, *value));
    return;
  }
  if (whole != nullptr && !only_carries(node, *whole)) {
    report_whole_operand(model, node, *whole, found.problems);
    return;
  }
  Problems own;
  Findings here{own};
  plan_node(model, node, here);
  if (own.empty()) return;
  if (host_can_take(model, node)) {
    leave_to_host(model, node,
                  here.unsupported ? "the unit does not have the operator" : reason_of(node, own));
    return;
  }
  if (before && node.graphs.empty() && here.unsupported) {
    compute_before(model, node, "the unit does not have the operator", found.problems);
    return;
  }
  found.unsupported = found.unsupported || here.unsupported;
  found.problems.insert(found.problems.end(), own.begin(), own.end());
}

nn::ValueInfo info_of(const std::string& name, const nn::Tensor& tensor) {
  nn::ValueInfo info{name, tensor.type, tensor.stored, std::vector<nn::Dimension>()};
  for (const std::int64_t size : tensor.shape) info.dims->push_back({size, ""});
  return info;
}

/// Makes a graph of the nodes that the host computes before the program. Its values that the
/// program reads become inputs of the program.
void form_graph_before(Model& model) {
  nn::Graph& before = model.host_before;
  std::unordered_set<std::string> wanted;
  for (const HostNode& early : model.nodes_before) {
    for (const std::string& name : early.node->outputs) {
      if (name.empty()) continue;
      const Value& value = model.value(name);
      if (value.readers.empty() && !value.output) continue;
      wanted.insert(name);
      model.inputs.push_back(name);
      before.outputs.push_back(info_of(name, *value.sample));
    }
  }
  std::vector<HostNode> kept;
  for (std::size_t k = model.nodes_before.size(); k-- > 0;) {
    const std::vector<std::string>& outputs = model.nodes_before[k].node->outputs;
    const bool needed = std::any_of(outputs.begin(), outputs.end(), [&](const std::string& output) {
      return wanted.count(output) != 0;
    });
    if (!needed) continue;
    wanted.insert(model.nodes_before[k].node->inputs.begin(),
                  model.nodes_before[k].node->inputs.end());
    kept.push_back(std::move(model.nodes_before[k]));
  }
  std::reverse(kept.begin(), kept.end());
  model.nodes_before = std::move(kept);
  for (const HostNode& early : model.nodes_before) {
    before.nodes.push_back(*early.node);
    for (const std::string& input : early.node->inputs) {
      if (input.empty()) continue;
      const Value& value = model.value(input);
      if (value.constant != nullptr) before.initializers.emplace(input, *value.constant);
    }
  }
  for (const nn::ValueInfo& info : model.graph->inputs) {
    if (wanted.count(info.name) == 0) continue;
    const Value& value = model.value(info.name);
    before.inputs.push_back(value.sample != nullptr
                                ? info_of(info.name, *value.sample)
                                : info_of(info.name, nn::Tensor::zeros(value.layout->shape)));
  }
}

/// Reports outputs of integers, which no program can compute.
void check_outputs_before(const Model& model, Problems& problems) {
  for (const std::string& name : model.outputs) {
    const Value* value = find_value(model, name);
    if (value == nullptr || !value->host_only()) continue;
    problems.push_back(fmt::format(
        "{}: output {} holds {} elements that follow from the inputs without a node that the unit "
        "computes; supported are outputs of the program",
        model.graph->file, quote(name), nn::name_of(value->sample->type, value->sample->stored)));
  }
}

/// Makes a graph of the nodes that the host computes after the program for requested outputs. Its
/// inputs are the program's outputs "device:NAME", its outputs are those outputs of the model that
/// it computes.
void form_host_graph(Model& model) {
  nn::Graph& host = model.host;
  std::unordered_set<std::string> wanted;
  std::vector<std::string> device_outputs;
  for (const std::string& name : model.outputs) {
    if (model.host_values.count(name) == 0) {
      device_outputs.push_back(name);
      continue;
    }
    wanted.insert(name);
    host.outputs.emplace_back().name = name;
  }
  std::vector<HostNode> kept;
  for (std::size_t k = model.host_nodes.size(); k-- > 0;) {
    HostNode& left = model.host_nodes[k];
    const auto& outputs = left.node->outputs;
    const bool needed = std::any_of(outputs.begin(), outputs.end(), [&](const std::string& output) {
      return wanted.count(output) != 0;
    });
    if (!needed) continue;
    wanted.insert(left.node->inputs.begin(), left.node->inputs.end());
    kept.push_back(std::move(left));
  }
  std::reverse(kept.begin(), kept.end());
  model.host_nodes = std::move(kept);
  std::unordered_set<std::string> declared;
  for (const HostNode& left : model.host_nodes) {
    host.nodes.push_back(*left.node);
    for (std::string& input : host.nodes.back().inputs) {
      if (input.empty() || model.host_values.count(input) != 0) continue;
      const Value& value = model.value(input);
      if (value.constant != nullptr) {
        host.initializers.emplace(input, *value.constant);
        continue;
      }
      const std::string name = input;
      input = host_input_prefix + name;
      if (!declared.insert(name).second) continue;
      if (std::find(device_outputs.begin(), device_outputs.end(), name) == device_outputs.end()) {
        device_outputs.push_back(name);
      }
      nn::ValueInfo info;
      info.name = input;
      info.dims.emplace();
      for (const std::int64_t size : value.layout->shape) info.dims->push_back({size, ""});
      if (value.sample != nullptr) {
        info.type = value.sample->type;
        info.stored = value.sample->stored;
      }
      host.inputs.push_back(std::move(info));
      model.values.at(name).output = true;
    }
  }
  for (const std::string& name : model.outputs) {
    if (model.host_values.count(name) != 0) model.values.at(name).output = false;
  }
  model.outputs = std::move(device_outputs);
}

/// Adds steps for final Softmax nodes: the program's output with their name contains their operand.
void add_final_steps(Model& model) {
  nn::Graph& host = model.host;
  for (const HostStep& step : model.host_steps) {
    const bool requested =
        std::find(model.outputs.begin(), model.outputs.end(), step.output) != model.outputs.end();
    if (!requested) continue;
    const auto node =
        std::find_if(model.graph->nodes.begin(), model.graph->nodes.end(),
                     [&](const nn::Node& candidate) { return candidate.name == step.node; });
    if (node == model.graph->nodes.end()) continue;
    host.nodes.push_back(*node);
    host.nodes.back().inputs = {host_input_prefix + step.output};
    nn::ValueInfo info;
    info.name = host_input_prefix + step.output;
    info.dims.emplace();
    for (const std::int64_t size : model.value(step.output).layout->shape) {
      info.dims->push_back({size, ""});
    }
    host.inputs.push_back(std::move(info));
    host.outputs.emplace_back().name = step.output;
  }
}

/// Computes the host's part once, so that an invalid model is refused now and not when it is run.
/// Sets the shapes of its outputs.
void try_host_graph(Model& model, Problems& problems) {
  nn::Graph& host = model.host;
  nn::Values inputs;
  for (const nn::ValueInfo& info : host.inputs) {
    nn::Shape shape;
    for (const nn::Dimension& dimension : *info.dims) shape.push_back(*dimension.size);
    nn::Tensor tensor = nn::Tensor::zeros(std::move(shape));
    for (float& value : tensor.floats) value = 0.5F;
    if (info.type == nn::ElementType::int64) tensor = tensor.rounded(info.stored);
    inputs.emplace(info.name, std::move(tensor));
  }
  Problems found;
  try {
    const nn::Values values = nn::run_reference(host, inputs);
    for (nn::ValueInfo& output : host.outputs) {
      const auto made = values.find(output.name);
      if (made == values.end()) {
        found.push_back(
            fmt::format("{}: output {} has no value for inference", host.file, quote(output.name)));
        continue;
      }
      output.type = made->second.type;
      output.stored = made->second.stored;
      output.dims.emplace();
      for (const std::int64_t size : made->second.shape) output.dims->push_back({size, ""});
    }
  } catch (const UserError& error) {
    found.emplace_back(error.what());
  }
  if (found.empty()) return;
  for (const HostNode& left : model.host_nodes) {
    if (!left.reason.empty()) problems.push_back(left.node->where() + ": " + left.reason);
  }
  problems.insert(problems.end(), found.begin(), found.end());
}

/// Marks the nodes that a product reads from, directly or not. The gates of a recurrent one are
/// read by the product of its next step, the weights of an Attention by that with its values.
void mark_before_product(Model& model, const NodeOrder& order) {
  std::unordered_set<std::string_view> wanted;
  for (std::size_t k = order.size(); k-- > 0;) {
    const nn::Node& node = *order[k];
    const bool before =
        std::any_of(node.outputs.begin(), node.outputs.end(),
                    [&](const std::string& output) { return wanted.count(output) != 0; });
    if (before || has(node, has_inner_products)) model.before_product.insert(&node);
    if (before || multiplies(node)) wanted.insert(node.inputs.begin(), node.inputs.end());
  }
}

/// Text that names values at which the model could be cut: known values read by nodes that cannot
/// be planned.
std::string cut_hint(const Model& model, const NodeOrder& order) {
  std::vector<std::string> ends;
  for (const nn::Node* node : order) {
    const bool made =
        std::any_of(node->outputs.begin(), node->outputs.end(), [&](const auto& name) {
          const auto found = model.values.find(name);
          return model.host_values.count(name) != 0 ||
                 (found != model.values.end() && found->second.known());
        });
    if (made) continue;
    for (const std::string& input : node->inputs) {
      const auto found = model.values.find(input);
      const bool usable = found != model.values.end() && found->second.layout &&
                          model.graph->producer(input) != nullptr &&
                          std::find(ends.begin(), ends.end(), input) == ends.end();
      if (usable) ends.push_back(input);
    }
  }
  if (ends.empty() || ends.size() > 16) return "";
  std::string text = fmt::format("{}: what comes before can be compiled alone:", model.graph->file);
  for (const std::string& end : ends) text += fmt::format(" --output-tensor {}", quote(end));
  return text;
}

void connect(Model& model, Problems& problems) {
  check_outputs_before(model, problems);
  drop_unread(model);
  std::unordered_set<std::string> notes;
  for (const Step& step : model.steps) {
    // The nodes of an expansion may all have the same note.
    const bool told = step.note.empty() || !notes.insert(step.note).second;
    if (!told) model.notes.push_back(step.note);
  }
  for (const Step& step : model.steps) {
    for (const std::string& name : step.reads) {
      model.values.at(name).readers.push_back(step.node->name);
    }
  }
  for (const HostStep& step : model.host_steps) {
    const auto made = model.values.find(step.output);
    if (made == model.values.end() || made->second.readers.empty()) continue;
    problems.push_back(
        fmt::format("{}: node {} ({}): is left to the host, so it is supported only as the last "
                    "node before an output; {} is read by {}",
                    model.graph->file, quote(step.node), step.op, quote(step.output),
                    quote(made->second.readers.front())));
  }
  for (const std::string& name : model.outputs) {
    if (problems.empty() && !model.values[name].known()) {
      problems.push_back(fmt::format("{}: output {} depends on a value that is not defined",
                                     model.graph->file, quote(name)));
    }
    if (model.values[name].constant != nullptr) {
      problems.push_back(fmt::format("{}: output {} is constant", model.graph->file, quote(name)));
    }
  }
  // Inputs of which only the shape is used are no inputs of the program.
  model.inputs.erase(std::remove_if(model.inputs.begin(), model.inputs.end(),
                                    [&](const std::string& name) {
                                      const Value& value = model.values.at(name);
                                      return value.readers.empty() && !value.output;
                                    }),
                     model.inputs.end());
  if (problems.empty()) form_graph_before(model);
}

}  // namespace

bool Value::host_only() const {
  return sample != nullptr && sample->type != nn::ElementType::float32 &&
         sample->stored != nn::onnx_bool;
}

const Value& Model::value(const std::string& name) const {
  const auto found = values.find(name);
  if (found == values.end()) internal_error("the compiler lost value {}", quote(name));
  return found->second;
}

std::string Model::source_of(const nn::Node& node, const std::string& value) const {
  const bool is_users =
      !value.empty() && (graph->initializer(value) != nullptr || graph->producer(value) != nullptr);
  if (is_users) return value;
  const auto origin = origins.find(&node);
  return "node " + (origin == origins.end() ? node : *origin->second).name;
}

namespace {

bool is_to_image(const nn::Node& node) {
  const auto permutation = node.attributes.find("perm");
  return node.op_type == "Transpose" && permutation != node.attributes.end() &&
         permutation->second == nn::Attribute(nn::Shape{0, 3, 1, 2});
}

/// True if an operator that needs rows reads the value, directly or through operators on single
/// elements and Transposes, which move no data.
bool reaches_rows(const Model& model, const std::string& value, unsigned depth = 0) {
  constexpr unsigned deepest = 16;
  const auto readers = model.nodes_reading.find(value);
  if (readers == model.nodes_reading.end() || depth > deepest) return false;
  return std::any_of(readers->second.begin(), readers->second.end(), [&](const nn::Node* node) {
    if (node->outputs.empty()) return false;
    if (has(*node, wants_rows)) return true;
    return has(*node, keeps_layout | keeps_rows) &&
           reaches_rows(model, node->outputs.front(), depth + 1);
  });
}

/// True if an operator that needs an image reads the value, directly or through operators on single
/// elements; with `turned`, through a Transpose from NHWC to NCHW.
bool reaches_image(const Model& model, const std::string& value, bool turned, unsigned depth = 0) {
  constexpr unsigned deepest = 16;
  const auto readers = model.nodes_reading.find(value);
  if (readers == model.nodes_reading.end() || depth > deepest) return false;
  return std::any_of(readers->second.begin(), readers->second.end(), [&](const nn::Node* node) {
    if (node->outputs.empty()) return false;
    if (!turned && has(*node, wants_image)) return node->inputs.front() == value;
    if (turned && is_to_image(*node)) {
      return reaches_image(model, node->outputs.front(), false, depth + 1);
    }
    return has(*node, keeps_layout) &&
           reaches_image(model, node->outputs.front(), turned, depth + 1);
  });
}

/// True if all readers of a value, apart from operators on single elements, are Transposes of the
/// last two of three dimensions whose results are read as rows.
bool reaches_turn(const Model& model, const std::string& value, unsigned depth = 0) {
  constexpr unsigned deepest = 16;
  const auto readers = model.nodes_reading.find(value);
  if (readers == model.nodes_reading.end() || depth > deepest) return false;
  return std::all_of(readers->second.begin(), readers->second.end(), [&](const nn::Node* node) {
    if (node->outputs.empty()) return false;
    const auto permutation = node->attributes.find("perm");
    if (node->op_type == "Transpose") {
      const std::string& turned = node->outputs.front();
      return permutation != node->attributes.end() &&
             permutation->second == nn::Attribute(nn::Shape{0, 2, 1}) &&
             reaches_rows(model, turned) && !reaches_image(model, turned, false);
    }
    return (has(*node, keeps_layout) || node->op_type == "Concat") &&
           reaches_turn(model, node->outputs.front(), depth + 1);
  });
}

}  // namespace

Layout Model::natural_layout(const std::string& name, nn::Shape shape) const {
  const auto readers = nodes_reading.find(name);
  if (shape.size() == 4 && readers != nodes_reading.end() && readers->second.size() == 1) {
    const nn::Node& reader = *readers->second.front();
    const auto permutation = reader.attributes.find("perm");
    if (reader.op_type == "Transpose" && permutation != reader.attributes.end() &&
        permutation->second == nn::Attribute(std::vector<std::int64_t>{0, 3, 1, 2})) {
      return Layout::plain(std::move(shape));
    }
  }
  if (!compat && shape.size() == 4 && !reaches_image(*this, name, false) &&
      reaches_image(*this, name, true)) {
    return Layout::plain(std::move(shape));
  }
  if (!compat && shape.size() == 4 && !reaches_image(*this, name, false) &&
      reaches_rows(*this, name)) {
    return Layout::plain(std::move(shape));
  }
  if (!compat && shape.size() == 3 &&
      (reaches_image(*this, name, false) || reaches_turn(*this, name))) {
    return {std::move(shape), {0, 2, 1}};
  }
  return Layout::activation(std::move(shape));
}

namespace {

/// True if an infinity among the node's constants stands for the end of the range: a limit, or a
/// mask that is added before a Softmax.
bool takes_infinity(const nn::Node& node) {
  static const std::set<std::string_view> takers{"Clip",
                                                 "Min",
                                                 "Max",
                                                 "Add",
                                                 "Where",
                                                 "Pad",
                                                 "Less",
                                                 "Equal",
                                                 "Greater",
                                                 "Attention",
                                                 "MultiHeadAttention"};
  return takers.count(node.op_type) != 0;
}

/// Reports constants of the program that are no numbers.
void check_constants(const Model& model, Problems& problems) {
  std::unordered_set<std::string_view> seen;
  for (const Step& step : model.steps) {
    const auto origin = model.origins.find(step.node);
    const nn::Node& users = origin == model.origins.end() ? *step.node : *origin->second;
    for (const nn::Node* node : {&users, step.node}) {
      for (const std::string& input : node->inputs) {
        const auto value = model.values.find(input);
        if (value == model.values.end() || value->second.constant == nullptr) continue;
        const std::vector<float>& floats = value->second.constant->floats;
        const bool infinite_too = takes_infinity(users) || takes_infinity(*node);
        const auto bad = std::find_if(floats.begin(), floats.end(), [&](float element) {
          return std::isnan(element) || (std::isinf(element) && !infinite_too);
        });
        if (bad == floats.end() || !seen.insert(value->first).second) continue;
        problems.push_back(fmt::format(
            "{}: element {} of {} is {}; allowed are finite numbers{}", users.where(),
            bad - floats.begin(),
            node == &users || model.source_of(*node, input) == input
                ? "constant " + quote(input)
                : "a constant that follows from its inputs",
            std::isnan(*bad) ? "NaN" : "infinite",
            std::isnan(*bad) ? "" : " (and infinities as limits and in masks that are added)"));
      }
      if (node == step.node) break;
    }
  }
}

/// Analyses the nodes. Throws a Decision if it can be made for a node with sub-graphs.
Model analyse_nodes(const nn::Graph& graph, const tcu::Architecture& architecture,
                    const Options& options) {
  Model model;
  model.graph = &graph;
  model.architecture = architecture;
  model.compat = options.compat;
  model.bounds = options.bounds;
  model.value_bound = options.value_bound;
  model.outputs = options.outputs;
  if (model.outputs.empty()) {
    for (const nn::ValueInfo& info : graph.outputs) model.outputs.push_back(info.name);
  }
  Problems problems;
  if (!has_supported_opset(graph)) {
    problems.push_back(fmt::format("{}: operator set {} is not supported; supported are {} to {}",
                                   graph.file, graph.opset, nn::first_opset, nn::newest_opset));
  }
  const NodeOrder order = traverse(graph, model.outputs);
  declare_constants(model);
  for (const nn::Node* node : order) {
    for (const std::string& input : node->inputs) model.nodes_reading[input].push_back(node);
  }
  for (const nn::Node& node : graph.nodes) model.node_names.insert(node.name);
  mark_before_product(model, order);
  declare_inputs(model, options, problems);
  for (const std::string& name : model.outputs) model.values[name].output = true;
  Findings found{problems};
  for (const nn::Node* node : order) plan_or_leave(model, *node, found);
  for (auto [part, name] : {std::pair(&model.host_before, "host before"), {&model.host, "host"}}) {
    part->file = graph.file;
    part->name = name;
    part->ir_version = std::max<std::int64_t>(graph.ir_version, 3);
    part->opset = graph.opset;
  }
  if (problems.empty() && !model.host_nodes.empty()) form_host_graph(model);
  connect(model, problems);
  if (problems.empty() && !model.compat) {
    add_final_steps(model);
    if (!model.host.nodes.empty()) try_host_graph(model, problems);
  }
  if (problems.empty()) check_constants(model, problems);
  if (problems.empty()) return model;

  std::string text;
  for (const std::string& problem : problems) text += (text.empty() ? "" : "\n") + problem;
  if (found.unsupported) {
    text += fmt::format("\n{}: supported operators: {}", graph.file, supported_operators());
  }
  const std::string hint = cut_hint(model, order);
  if (!hint.empty()) text += "\n" + hint;
  throw UserError(text);
}

}  // namespace

Model analyse(const nn::Graph& graph, const tcu::Architecture& architecture,
              const Options& options) {
  std::shared_ptr<const nn::Graph> without;
  for (;;) {
    const nn::Graph& now = without ? *without : graph;
    try {
      Model model = analyse_nodes(now, architecture, options);
      model.without_sub_graphs = without;
      return model;
    } catch (const Decision& decision) {
      without = std::make_shared<const nn::Graph>(decision.without(now, decision.node));
    }
  }
}

}  // namespace tactus::compiler
