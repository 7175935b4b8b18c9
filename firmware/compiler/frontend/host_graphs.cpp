#include "firmware/compiler/frontend/host_graphs.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "firmware/reference/reference.h"
#include "isa/support/error.h"
#include "isa/support/text.h"

namespace tactus::compiler {
namespace {

nn::ValueInfo info_of(const std::string& name, const nn::Tensor& tensor) {
  nn::ValueInfo info{name, tensor.type, tensor.stored, std::vector<nn::Dimension>()};
  for (const std::int64_t size : tensor.shape) info.dims->push_back({size, ""});
  return info;
}

/// Lets the host's graph state a constant output of the model.
void add_constant_output(nn::Graph& host, const std::string& name, const nn::Tensor& constant) {
  nn::Node& copy = host.nodes.emplace_back();
  copy.name = name;
  copy.op_type = "Identity";
  copy.inputs = {"constant:" + name};
  copy.outputs = {name};
  host.initializers.emplace(copy.inputs.front(), constant);
  host.outputs.emplace_back().name = name;
}

/// Keeps the nodes that compute a wanted value. What these read is wanted as well.
void keep_wanted(std::vector<HostNode>& nodes, std::unordered_set<std::string>& wanted) {
  std::vector<HostNode> kept;
  for (std::size_t k = nodes.size(); k-- > 0;) {
    const nn::Node& node = *nodes[k].node;
    const bool needed =
        std::any_of(node.outputs.begin(), node.outputs.end(),
                    [&](const std::string& output) { return wanted.count(output) != 0; });
    if (!needed) continue;
    wanted.insert(node.inputs.begin(), node.inputs.end());
    kept.push_back(std::move(nodes[k]));
  }
  std::reverse(kept.begin(), kept.end());
  nodes = std::move(kept);
}

}  // namespace

void form_graph_before(Model& model) {
  nn::Graph& before = model.host_before;
  std::unordered_set<std::string> wanted(model.carried.begin(), model.carried.end());
  for (const HostNode& early : model.nodes_before) {
    for (const std::string& name : early.node->outputs) {
      if (name.empty()) continue;
      const Value& value = model.value(name);
      const bool read = !value.readers.empty() || value.output;
      if (!read && model.carried.count(name) == 0) continue;
      wanted.insert(name);
      if (read) model.inputs.push_back(name);
      before.outputs.push_back(info_of(name, *value.sample));
    }
  }
  keep_wanted(model.nodes_before, wanted);
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

void form_host_graph(Model& model) {
  nn::Graph& host = model.host;
  std::unordered_set<std::string> wanted;
  std::vector<std::string> device_outputs;
  for (const std::string& name : model.outputs) {
    const bool by_host = model.host_values.count(name) != 0;
    const Value* const value = by_host ? nullptr : model.find(name);
    if (by_host) {
      wanted.insert(name);
      host.outputs.emplace_back().name = name;
    } else if (value != nullptr && value->constant != nullptr) {
      add_constant_output(host, name, *value->constant);
    } else if (value != nullptr && value->sample != nullptr) {
      model.carried.insert(name);
    } else {
      device_outputs.push_back(name);
      continue;
    }
    model.values.at(name).output = false;
  }
  keep_wanted(model.host_nodes, wanted);
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
      if (value.sample != nullptr) {
        model.carried.insert(input);
        if (declared.insert(input).second) host.inputs.push_back(info_of(input, *value.sample));
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
      host.inputs.push_back(std::move(info));
      model.values.at(name).output = true;
    }
  }
  model.outputs = std::move(device_outputs);
}

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

void try_host_graph(Model& model, std::vector<std::string>& problems) {
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
  std::vector<std::string> found;
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

}  // namespace tactus::compiler
