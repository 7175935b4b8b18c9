#include "firmware/reference/reference.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "firmware/reference/call.h"
#include "isa/support/text.h"

namespace tactus::nn {
namespace {

constexpr std::int64_t first_opset = 7, last_opset = 13;
constexpr std::size_t any_number = SIZE_MAX;

/// One form of an operator, and the operator sets that have it.
struct Entry {
  std::string_view name;
  std::int64_t since, until;
  std::size_t least_inputs, most_inputs, most_outputs;
  std::string_view attributes;  ///< words
  Operator run;
};

constexpr Entry table[] = {
    {"Add", 7, 13, 2, 2, 1, "", run_add},
    {"AveragePool", 7, 9, 1, 1, 1, "auto_pad count_include_pad kernel_shape pads strides",
     run_average_pool},
    {"AveragePool", 10, 13, 1, 1, 1,
     "auto_pad ceil_mode count_include_pad kernel_shape pads strides", run_average_pool},
    {"BatchNormalization", 7, 8, 5, 5, 1, "epsilon momentum spatial", run_batch_normalization},
    {"BatchNormalization", 9, 13, 5, 5, 1, "epsilon momentum", run_batch_normalization},
    {"Cast", 7, 13, 1, 1, 1, "to", run_cast},
    {"Clip", 7, 10, 1, 1, 1, "min max", run_clip},
    {"Clip", 11, 13, 1, 3, 1, "", run_clip},
    {"Concat", 7, 13, 1, any_number, 1, "axis", run_concat},
    {"Constant", 7, 11, 0, 0, 1, "value", run_constant},
    {"Constant", 12, 13, 0, 0, 1, "value value_float value_floats value_int value_ints",
     run_constant},
    {"Conv", 7, 13, 2, 3, 1, "auto_pad dilations group kernel_shape pads strides", run_conv},
    {"Div", 7, 13, 2, 2, 1, "", run_div},
    {"Flatten", 7, 13, 1, 1, 1, "axis", run_flatten},
    {"Gather", 7, 13, 2, 2, 1, "axis", run_gather},
    {"Gemm", 7, 10, 3, 3, 1, "alpha beta transA transB", run_gemm},
    {"Gemm", 11, 13, 2, 3, 1, "alpha beta transA transB", run_gemm},
    {"GlobalAveragePool", 7, 13, 1, 1, 1, "", run_global_average_pool},
    {"LeakyRelu", 7, 13, 1, 1, 1, "alpha", run_leaky_relu},
    {"MatMul", 7, 13, 2, 2, 1, "", run_mat_mul},
    {"MaxPool", 7, 7, 1, 1, 1, "auto_pad kernel_shape pads strides", run_max_pool},
    {"MaxPool", 8, 9, 1, 1, 1, "auto_pad kernel_shape pads storage_order strides", run_max_pool},
    {"MaxPool", 10, 13, 1, 1, 1,
     "auto_pad ceil_mode dilations kernel_shape pads storage_order strides", run_max_pool},
    {"Mul", 7, 13, 2, 2, 1, "", run_mul},
    {"Pad", 7, 10, 1, 1, 1, "mode pads value", run_pad},
    {"Pad", 11, 13, 2, 3, 1, "mode", run_pad},
    {"Relu", 7, 13, 1, 1, 1, "", run_relu},
    {"Reshape", 7, 13, 2, 2, 1, "", run_reshape},
    {"Resize", 10, 10, 2, 2, 1, "mode", run_resize},
    {"Resize", 11, 13, 1, 4, 1,
     "coordinate_transformation_mode cubic_coeff_a exclude_outside extrapolation_value mode "
     "nearest_mode",
     run_resize},
    {"Shape", 7, 13, 1, 1, 1, "", run_shape},
    {"Slice", 7, 9, 1, 1, 1, "axes ends starts", run_slice},
    {"Slice", 10, 13, 3, 5, 1, "", run_slice},
    {"Softmax", 7, 13, 1, 1, 1, "axis", run_softmax},
    {"Split", 7, 12, 1, 1, any_number, "axis split", run_split},
    {"Split", 13, 13, 1, 2, any_number, "axis", run_split},
    {"Squeeze", 7, 12, 1, 1, 1, "axes", run_squeeze},
    {"Squeeze", 13, 13, 1, 2, 1, "", run_squeeze},
    {"Sub", 7, 13, 2, 2, 1, "", run_sub},
    {"Transpose", 7, 13, 1, 1, 1, "perm", run_transpose},
    {"Unsqueeze", 7, 12, 1, 1, 1, "axes", run_unsqueeze},
    {"Unsqueeze", 13, 13, 2, 2, 1, "", run_unsqueeze},
};

bool has_word(std::string_view words, std::string_view word) {
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    if (words.substr(0, end) == word) return true;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return false;
}

const Entry& find_entry(const Node& node, std::int64_t opset) {
  bool known = false;
  for (const Entry& entry : table) {
    if (!node.domain.empty() || entry.name != node.op_type) continue;
    known = true;
    if (opset >= entry.since && opset <= entry.until) return entry;
  }
  if (known) user_error("{}: operator set {} does not have this operator", node.where(), opset);
  user_error("{}: the reference executor does not have this operator", node.where());
}

void check_form(const Node& node, const Entry& entry) {
  if (node.inputs.size() < entry.least_inputs || node.inputs.size() > entry.most_inputs) {
    user_error("{}: has {} inputs; allowed are {} to {}", node.where(), node.inputs.size(),
               entry.least_inputs, entry.most_inputs);
  }
  if (node.outputs.size() > entry.most_outputs) {
    user_error("{}: has {} outputs; allowed are {}", node.where(), node.outputs.size(),
               entry.most_outputs);
  }
  for (const auto& attribute : node.attributes) {
    if (!has_word(entry.attributes, attribute.first)) {
      user_error("{}: attribute {} does not belong to this operator here; allowed are: {}",
                 node.where(), quote(attribute.first),
                 entry.attributes.empty() ? "none" : entry.attributes);
    }
  }
}

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

}  // namespace

Values run_reference(const Graph& graph, const Values& inputs,
                     const std::function<void(std::size_t node)>& on_node) {
  if (graph.opset < first_opset || graph.opset > last_opset) {
    user_error("{}: operator set {} is not supported; allowed are {} to {}", graph.file,
               graph.opset, first_opset, last_opset);
  }
  for (const ValueInfo& info : graph.inputs) check_input(graph, info, inputs);
  if (inputs.size() != graph.inputs.size()) {
    user_error("{}: {} inputs are given; the model has {}", graph.file, inputs.size(),
               graph.inputs.size());
  }
  Values values = inputs;
  for (const Node& node : graph.nodes) {
    if (on_node) on_node(static_cast<std::size_t>(&node - graph.nodes.data()));
    const Entry& entry = find_entry(node, graph.opset);
    check_form(node, entry);
    std::vector<const Tensor*> arguments;
    for (const std::string& name : node.inputs) {
      const Tensor* tensor = nullptr;
      if (!name.empty()) {
        const auto value = values.find(name);
        tensor = value != values.end() ? &value->second : graph.initializer(name);
        if (tensor == nullptr) user_error("{}: input {} has no value", node.where(), quote(name));
      }
      arguments.push_back(tensor);
    }
    Call call(node, graph.opset, std::move(arguments));
    entry.run(call);
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      if (!node.outputs[i].empty()) values[node.outputs[i]] = std::move(call.results.at(i));
    }
  }
  return values;
}

}  // namespace tactus::nn
