#include "firmware/compiler/frontend/model.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <unordered_set>

#include <fmt/format.h>

#include "firmware/compiler/frontend/declarations.h"
#include "firmware/compiler/frontend/host_graphs.h"
#include "firmware/compiler/frontend/host_or_unit.h"
#include "firmware/compiler/frontend/node_plan.h"
#include "firmware/compiler/frontend/operators.h"
#include "firmware/compiler/frontend/sub_graphs.h"
#include "firmware/compiler/frontend/traversal.h"
#include "firmware/onnx/operators.h"
#include "isa/support/error.h"
#include "isa/support/text.h"

namespace tactus::compiler {
namespace {

using NodeOrder = std::vector<const nn::Node*>;

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
    if (model.compat && model.values[name].constant != nullptr) {
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

const Value* Model::find(const std::string& name) const {
  const auto found = values.find(name);
  return found == values.end() || !found->second.known() ? nullptr : &found->second;
}

std::string Model::source_of(const nn::Node& node, const std::string& value) const {
  const bool is_users =
      !value.empty() && (graph->initializer(value) != nullptr || graph->producer(value) != nullptr);
  if (is_users) return value;
  const auto origin = origins.find(&node);
  return "node " + (origin == origins.end() ? node : *origin->second).name;
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

/// Analyses the nodes. Throws a Decision if it can be made for a node with sub-graphs, and
/// EarlyNodes.
Model analyse_nodes(const nn::Graph& graph, const tcu::Architecture& architecture,
                    const Options& options, const TableCurves& curves, const Parts& parts,
                    const std::set<std::string>& early) {
  Model model;
  model.parts = parts;
  model.early = early;
  model.table_curves = curves;
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
  if (problems.empty() && !model.compat) form_host_graph(model);
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

Model analyse(const nn::Graph& graph, const tcu::Architecture& architecture, const Options& options,
              const TableCurves& curves, const Parts& parts) {
  std::shared_ptr<const nn::Graph> without;
  std::set<std::string> early;
  for (;;) {
    const nn::Graph& now = without ? *without : graph;
    try {
      Model model = analyse_nodes(now, architecture, options, curves, parts, early);
      model.without_sub_graphs = without;
      return model;
    } catch (const Decision& decision) {
      without = std::make_shared<const nn::Graph>(decision.without(now, decision.node));
    } catch (const EarlyNodes& found) {
      early.insert(found.results.begin(), found.results.end());
    }
  }
}

}  // namespace tactus::compiler
