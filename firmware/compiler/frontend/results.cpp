#include "firmware/compiler/frontend/results.h"

#include <algorithm>

#include "firmware/compiler/frontend/expansion.h"
#include "firmware/compiler/frontend/loop_nest.h"
#include "firmware/compiler/frontend/operators.h"
#include "isa/support/text.h"

namespace tactus::compiler {
namespace {

/// Text such as "2 nodes (Cast, Gather)".
std::string work_text(const std::vector<HostNode>& nodes) {
  std::vector<std::string_view> operators;
  for (const HostNode& left : nodes) {
    if (std::find(operators.begin(), operators.end(), left.node->op_type) == operators.end()) {
      operators.emplace_back(left.node->op_type);
    }
  }
  return fmt::format("{} node{} ({})", nodes.size(), nodes.size() == 1 ? "" : "s",
                     fmt::join(operators, ", "));
}

void add_notes(Compiled& result, const Model& model, const Options& options) {
  for (const HostNode& early : model.nodes_before) {
    if (early.reason.empty() && has(*early.node, is_product | has_inner_products)) {
      result.notes.push_back(fmt::format(
          "node {} ({}) is computed by the host before the program: its operands are whole numbers "
          "that follow from the inputs; in no cycle",
          quote(early.node->name), early.node->op_type));
    }
    if (early.reason.empty()) continue;
    result.notes.push_back(
        fmt::format("node {} ({}) is computed by the host before the program: {}",
                    quote(early.node->name), early.node->op_type, early.reason));
  }
  if (!model.nodes_before.empty()) {
    std::vector<std::string_view> made, carried;
    for (const nn::ValueInfo& info : model.host_before.outputs) {
      const bool read =
          std::find(model.inputs.begin(), model.inputs.end(), info.name) != model.inputs.end();
      (read ? made : carried).emplace_back(info.name);
    }
    result.notes.push_back(fmt::format(
        "the host computes {} before the program{}{}{}{}; tactus run does so before the simulation",
        work_text(model.nodes_before), made.empty() ? "" : ", as part of the input: ",
        quote_list(made), carried.empty() ? "" : ", for outputs of the model or work behind it: ",
        quote_list(carried)));
  }
  for (const HostNode& left : model.host_nodes) {
    if (left.reason.empty()) continue;
    result.notes.push_back(fmt::format("node {} ({}) is left to the host: {}",
                                       quote(left.node->name), left.node->op_type, left.reason));
  }
  if (!model.host_nodes.empty()) {
    std::vector<std::string_view> from;
    for (const std::string& name : model.outputs) from.emplace_back(name);
    result.notes.push_back(
        fmt::format("the host computes {} node{}{}{}; tactus run does so after the simulation",
                    model.host_nodes.size(), model.host_nodes.size() == 1 ? "" : "s",
                    from.empty() ? "" : " from the program's outputs ", quote_list(from)));
  }
  for (const HostStep& step : result.host_steps) {
    result.notes.push_back(fmt::format(
        options.compat ? "node {} ({}) is compiled to a copy: the host has to compute it on {}"
                       : "node {} ({}) is left to the host, which has to compute it on {}",
        quote(step.node), step.op, quote(step.output)));
  }
}

/// Multiply-accumulates of convolutions and matrix products, including those on padding.
std::uint64_t macs_with_padding(const Model& model) {
  std::uint64_t sum = 0;
  for (const Step& step : model.steps) {
    const auto* nest = std::get_if<LoopNest>(&step.nest);
    if (nest != nullptr) sum += nest->macs_with_padding();
  }
  return sum;
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
  result.macs_with_padding = macs_with_padding(model);
  result.host_steps = model.host_steps;
  result.notes = model.notes;
  result.expected_errors = model.expected_errors;
  if (!model.host_before.inputs.empty()) {
    result.host_before = std::make_shared<const nn::Graph>(model.host_before);
  }
  if (!model.host.nodes.empty()) result.host = std::make_shared<const nn::Graph>(model.host);
  result.model_outputs = options.outputs;
  if (result.model_outputs.empty()) {
    for (const nn::ValueInfo& info : graph.outputs) result.model_outputs.push_back(info.name);
  }
  for (const nn::ValueInfo& info : graph.outputs) {
    if (info.stored != 0) result.output_types[info.name] = info.stored;
    if (info.type == nn::ElementType::int64) result.output_types.emplace(info.name, nn::onnx_int64);
  }
  add_notes(result, model, options);
}

void note_if_empty(Compiled& result) {
  if (result.instructions != 0) return;
  result.notes.emplace_back(
      result.output_layouts.empty()
          ? "the program is empty: the host computes all outputs, nothing is left for the unit"
          : "the program is empty: no instruction is needed, the outputs lie where the inputs do");
}

}  // namespace tactus::compiler
