#include "firmware/compiler/frontend/host_or_unit.h"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "firmware/compiler/frontend/operators.h"
#include "firmware/compiler/frontend/planner.h"
#include "firmware/reference/reference.h"
#include "isa/support/error.h"
#include "isa/support/text.h"
#include "isa/tcu/arithmetic.h"

namespace tactus::compiler {
namespace {

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

/// True if the host knows the value before the program runs.
bool known_before(const Model& model, const std::string& name) {
  const Value* value = model.find(name);
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
    const Value* value = model.find(node.inputs[i]);
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
    const Value* value = input.empty() ? nullptr : model.find(input);
    if (value != nullptr && value->host_only()) return &input;
  }
  return nullptr;
}

/// True for operators whose results the program cannot have: its numbers are all finite.
bool asks_for_numbers(const nn::Node& node) {
  return node.op_type == "IsNaN" || node.op_type == "IsInf";
}

bool reads_truth(const Model& model, const nn::Node& node) {
  if (has(node, reads_shape)) return false;
  return std::any_of(node.inputs.begin(), node.inputs.end(), [&](const std::string& input) {
    const Value* value = input.empty() ? nullptr : model.find(input);
    return value != nullptr && value->sample != nullptr &&
           value->sample->type != nn::ElementType::float32;
  });
}

/// Computes a node with samples of the operands that are not constant: those that are known, or
/// with this number in all elements.
std::vector<nn::Tensor> run_with_samples(const Model& model, const nn::Node& node,
                                         std::optional<std::int64_t> number) {
  std::vector<nn::Tensor> inputs(node.inputs.size());
  std::vector<const nn::Tensor*> operands(node.inputs.size(), nullptr);
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    if (node.inputs[i].empty()) continue;
    const Value& value = model.value(node.inputs[i]);
    operands[i] = &inputs[i];
    if (value.constant != nullptr) {
      operands[i] = value.constant.get();
    } else {
      inputs[i] = value.sample != nullptr ? *value.sample : nn::Tensor::zeros(value.layout->shape);
      if (!number) continue;
      std::fill(inputs[i].integers.begin(), inputs[i].integers.end(), *number);
      std::fill(inputs[i].floats.begin(), inputs[i].floats.end(), static_cast<float>(*number));
    }
  }
  return nn::run_node(node, model.graph->opset, operands);
}

/// Leaves a node to the host before the program. Computes it with samples of the operands to find
/// types and shapes of its results.
void compute_before(Model& model, const nn::Node& node, std::string reason, Problems& problems) {
  std::vector<nn::Tensor> results;
  try {
    results = run_with_samples(model, node, std::nullopt);
  } catch (const UserError& error) {
    // A sample may be refused where values of the user's are allowed, such as a divisor of 0.
    try {
      results = run_with_samples(model, node, 1);
    } catch (const UserError&) {
      problems.emplace_back(error.what());
      return;
    }
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

/// Adds the nodes of the unit that the host would have to compute before the program, so that it
/// can compute `node`, too. Returns false if it cannot.
bool find_early(const Model& model, const nn::Node& node, std::vector<std::string>& results) {
  if (model.compat || !node.graphs.empty() || has_open_shape(model, node) || multiplies(node) ||
      !nn::reference_has(node, model.graph->opset)) {
    return false;
  }
  return std::all_of(node.inputs.begin(), node.inputs.end(), [&](const std::string& input) {
    if (input.empty() || known_before(model, input)) return true;
    const nn::Node* const producer = model.graph->producer(input);
    if (producer == nullptr || model.find(input) == nullptr) return false;
    const std::string& first = producer->outputs.front();
    if (std::find(results.begin(), results.end(), first) != results.end()) return true;
    if (!find_early(model, *producer, results)) return false;
    results.push_back(first);
    return true;
  });
}

/// Has the graph analysed again with the unit's nodes before this one left to the host, if the host
/// can then compute this node.
void retry_with_early(const Model& model, const nn::Node& node) {
  EarlyNodes early;
  const bool found =
      find_early(model, node, early.results) &&
      std::any_of(early.results.begin(), early.results.end(),
                  [&](const auto& result) { return model.early.count(result) == 0; });
  if (found) throw early;
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

/// For a node that reads a value of the host: the host computes it, or it is an error.
void follow_host(Model& model, const nn::Node& node, Findings& found) {
  if (host_can_take(model, node)) return leave_to_host(model, node, "");
  found.unsupported = found.unsupported || node.graphs.empty();
  const bool known = !node.graphs.empty() || nn::reference_has(node, model.graph->opset);
  Planner(model, node, found.problems)
      .problem("{}", !known ? "the operator is not supported"
                     : node.graphs.empty() || node.op_type == "Scan"
                         ? "reads what the host would have to compute, and cannot be left to it"
                         : "its condition or number of iterations is computed at run time; "
                           "supported are constants, and what follows from constants and "
                           "shapes");
}

}  // namespace

void mark_before_product(Model& model, const std::vector<const nn::Node*>& order) {
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

void plan_or_leave(Model& model, const nn::Node& node, Findings& found) {
  if (has_supported_opset(*model.graph) && nn::is_known(node)) {
    const std::string problem = nn::form_problem(node, model.graph->opset);
    if (!problem.empty()) {
      found.problems.push_back(node.where() + ": " + problem);
      return;
    }
  }
  if (reads_host_value(model, node)) return follow_host(model, node, found);
  const bool before = can_come_before(model, node);
  const std::string* whole = whole_operand(model, node);
  const bool is_early = !node.outputs.empty() && model.early.count(node.outputs.front()) != 0;
  if (before &&
      (is_early || whole != nullptr || asks_for_numbers(node) || reads_truth(model, node))) {
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
    retry_with_early(model, node);
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
  retry_with_early(model, node);
  found.unsupported = found.unsupported || here.unsupported;
  found.problems.insert(found.problems.end(), own.begin(), own.end());
}

}  // namespace tactus::compiler
