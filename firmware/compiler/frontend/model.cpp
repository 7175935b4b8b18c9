#include "firmware/compiler/frontend/model.h"

#include <algorithm>
#include <set>
#include <unordered_set>

#include "firmware/compiler/frontend/operators.h"
#include "firmware/compiler/frontend/planner.h"
#include "firmware/compiler/frontend/traversal.h"
#include "isa/support/error.h"
#include "isa/support/text.h"

namespace tactus::compiler {
namespace {

constexpr std::int64_t oldest_opset = 7, newest_opset = 13;

using NodeOrder = std::vector<const nn::Node*>;
using Problems = std::vector<std::string>;

/// The shape of an input: the user's sizes first, then the model's, then 1 for the batch.
std::optional<nn::Shape> input_shape(const nn::Graph& graph, const nn::ValueInfo& info,
                                     const Options& options, Problems& problems) {
  const std::string where = fmt::format("{}: input {}", graph.file, quote(info.name));
  auto given = options.input_shapes.find(info.name);
  const bool by_name = given != options.input_shapes.end();
  if (!by_name) given = options.input_shapes.find("");
  nn::Shape wanted;
  if (given != options.input_shapes.end()) wanted = given->second;
  if (!info.dims) {
    if (!wanted.empty() && *std::min_element(wanted.begin(), wanted.end()) > 0) return wanted;
    problems.push_back(where + ": the model states no shape; give one");
    return std::nullopt;
  }
  const std::vector<nn::Dimension>& dims = *info.dims;
  // The shape for all inputs may name leading dimensions only, such as the batch.
  if (by_name ? wanted.size() != dims.size() : wanted.size() > dims.size()) {
    problems.push_back(fmt::format("{}: has {} dimensions, the given shape {} has {}", where,
                                   dims.size(), nn::to_string(wanted), wanted.size()));
    return std::nullopt;
  }
  nn::Shape shape;
  for (std::size_t k = 0; k < dims.size(); ++k) {
    const std::int64_t user = k < wanted.size() ? wanted[k] : -1;
    std::int64_t size = user;
    if (dims[k].size) {
      if (user >= 0 && user != *dims[k].size) {
        problems.push_back(fmt::format("{}: dimension {} is {} in the model, {} was given", where,
                                       k, *dims[k].size, user));
        return std::nullopt;
      }
      size = *dims[k].size;
    } else if (size < 0) {
      if (k != 0) {
        problems.push_back(fmt::format("{}: dimension {} is open in the model{}; give its size",
                                       where, k,
                                       dims[k].symbol.empty() ? "" : " (" + dims[k].symbol + ")"));
        return std::nullopt;
      }
      size = 1;
    }
    if (size < 1) {
      problems.push_back(
          fmt::format("{}: dimension {} is {}; allowed are 1 and more", where, k, size));
      return std::nullopt;
    }
    shape.push_back(size);
  }
  if (shape.empty()) shape = {1};
  return shape;
}

void declare_inputs(Model& model, const Options& options, Problems& problems) {
  std::set<std::string> unknown;
  for (const auto& [name, shape] : options.input_shapes) {
    if (!name.empty()) unknown.insert(name);
  }
  for (const nn::ValueInfo& info : model.graph->inputs) {
    unknown.erase(info.name);
    if (model.nodes_reading.count(info.name) == 0) continue;
    if (info.type != nn::ElementType::float32) {
      problems.push_back(fmt::format("{}: input {} holds {} elements; supported is FLOAT",
                                     model.graph->file, quote(info.name), nn::name_of(info.type)));
      continue;
    }
    std::optional<nn::Shape> shape = input_shape(*model.graph, info, options, problems);
    if (!shape) continue;
    (void)nn::element_count(*shape, model.graph->file + ": input " + quote(info.name));
    Value& value = model.values[info.name];
    value.name = info.name;
    value.layout = model.natural_layout(info.name, std::move(*shape));
    model.inputs.push_back(info.name);
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
    // The graph outlives the model, so nothing is owned or copied here.
    value.constant = std::shared_ptr<const nn::Tensor>(std::shared_ptr<void>(), &tensor);
  }
}

/// Outputs that the operator does not have, or optional ones that are not supported.
void check_results(const Model& model, Planner& planner) {
  if (planner.failed()) return;
  for (std::size_t i = 0; i < planner.node.outputs.size(); ++i) {
    if (!planner.output_given(i)) continue;
    const auto made = model.values.find(planner.node.outputs[i]);
    if (made == model.values.end() || !made->second.known()) {
      planner.problem("output {} ({}) is not supported", i, quote(planner.node.outputs[i]));
    }
  }
}

void plan_node(Model& model, const nn::Node& node, Problems& problems, bool& unsupported) {
  Planner planner(model, node, problems);
  const Operator* op = node.domain.empty() ? find_operator(node.op_type) : nullptr;
  if (op == nullptr) {
    unsupported = true;
    planner.problem("the operator{} is not supported",
                    node.domain.empty() ? "" : " of domain " + quote(node.domain));
    return;
  }
  for (std::size_t i = 0; i < op->least_inputs; ++i) {
    if (!planner.given(i)) {
      planner.problem("input {} is missing", i);
      return;
    }
  }
  try {
    const bool constant = planner.all_constant();
    if (constant && op->fold != nullptr) {
      op->fold(planner);
      check_results(model, planner);
      return;
    }
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
    step.role = op->role;
    step.emit = op->plan(planner);
    if (planner.failed() || !step.emit) return;
    check_results(model, planner);
    model.steps.push_back(std::move(step));
  } catch (const UserError& error) {
    // Attributes are read where they are needed; what they throw names the node.
    problems.emplace_back(error.what());
  }
}

/// Steps that lead to an output; of Shape only its operand's shape was needed.
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

void connect(Model& model, Problems& problems) {
  drop_unread(model);
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
    if (problems.empty() && !model.values.at(name).known()) {
      problems.push_back(fmt::format("{}: output {} depends on a value that is not defined",
                                     model.graph->file, quote(name)));
    }
    if (model.values.at(name).constant != nullptr) {
      problems.push_back(fmt::format("{}: output {} is constant", model.graph->file, quote(name)));
    }
  }
  // What only a shape was taken from is no input of the program.
  model.inputs.erase(std::remove_if(model.inputs.begin(), model.inputs.end(),
                                    [&](const std::string& name) {
                                      const Value& value = model.values.at(name);
                                      return value.readers.empty() && !value.output;
                                    }),
                     model.inputs.end());
}

}  // namespace

const Value& Model::value(const std::string& name) const {
  const auto found = values.find(name);
  if (found == values.end()) internal_error("the compiler lost value {}", quote(name));
  return found->second;
}

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
  return Layout::activation(std::move(shape));
}

Model analyse(const nn::Graph& graph, const tcu::Architecture& architecture,
              const Options& options) {
  Model model;
  model.graph = &graph;
  model.architecture = architecture;
  model.compat = options.compat;
  model.outputs = options.outputs;
  if (model.outputs.empty()) {
    for (const nn::ValueInfo& info : graph.outputs) model.outputs.push_back(info.name);
  }
  Problems problems;
  if (graph.opset < oldest_opset || graph.opset > newest_opset) {
    problems.push_back(fmt::format("{}: operator set {} is not supported; supported are {} to {}",
                                   graph.file, graph.opset, oldest_opset, newest_opset));
  }
  const NodeOrder order = traverse(graph, model.outputs);
  declare_constants(model);
  for (const nn::Node* node : order) {
    for (const std::string& input : node->inputs) model.nodes_reading[input].push_back(node);
  }
  declare_inputs(model, options, problems);
  for (const std::string& name : model.outputs) model.values[name].output = true;
  bool unsupported = false;
  for (const nn::Node* node : order) plan_node(model, *node, problems, unsupported);
  connect(model, problems);
  if (problems.empty()) return model;

  std::string text;
  for (const std::string& problem : problems) text += (text.empty() ? "" : "\n") + problem;
  if (unsupported) {
    text += fmt::format("\n{}: supported operators: {}", graph.file, supported_operators());
  }
  throw UserError(text);
}

}  // namespace tactus::compiler
