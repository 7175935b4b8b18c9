#include "firmware/compiler/frontend/results.h"

#include "isa/support/text.h"

namespace tactus::compiler {
namespace {

void add_notes(Compiled& result, const Model& model, const Options& options) {
  for (const HostNode& left : model.host_nodes) {
    if (left.reason.empty()) continue;
    result.notes.push_back(fmt::format("node {} ({}) is left to the host: {}",
                                       quote(left.node->name), left.node->op_type, left.reason));
  }
  if (!model.host_nodes.empty()) {
    std::vector<std::string_view> from;
    for (const std::string& name : model.outputs) from.emplace_back(name);
    result.notes.push_back(fmt::format(
        "the host computes {} node{} from the program's outputs {}; tactus run does so after the "
        "simulation",
        model.host_nodes.size(), model.host_nodes.size() == 1 ? "" : "s", quote_list(from)));
  }
  for (const HostStep& step : result.host_steps) {
    result.notes.push_back(fmt::format(
        options.compat ? "node {} ({}) is compiled to a copy: the host has to compute it on {}"
                       : "node {} ({}) is left to the host, which has to compute it on {}",
        quote(step.node), step.op, quote(step.output)));
  }
}

}  // namespace

TensorLayout layout_of(const Model& model, const std::string& name) {
  const Layout& layout = *model.value(name).layout;
  return {name, layout.shape, layout.order,
          static_cast<std::uint64_t>(layout.vectors(model.architecture.array_size))};
}

void fill_from_model(Compiled& result, const nn::Graph& graph, const Model& model,
                     const Options& options) {
  result.architecture = model.architecture;
  for (const std::string& name : model.inputs) {
    result.input_layouts.push_back(layout_of(model, name));
  }
  for (const std::string& name : model.outputs) {
    result.output_layouts.push_back(layout_of(model, name));
  }
  result.host_steps = model.host_steps;
  result.notes = model.notes;
  if (!model.host.nodes.empty()) result.host = std::make_shared<const nn::Graph>(model.host);
  result.model_outputs = options.outputs;
  if (result.model_outputs.empty()) {
    for (const nn::ValueInfo& info : graph.outputs) result.model_outputs.push_back(info.name);
  }
  add_notes(result, model, options);
}

void note_if_empty(Compiled& result) {
  if (result.instructions != 0) return;
  result.notes.emplace_back(
      "the program is empty: no instruction is needed, the outputs lie where the inputs do");
}

}  // namespace tactus::compiler
