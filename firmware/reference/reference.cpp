#include "firmware/reference/reference.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "firmware/reference/call.h"
#include "isa/support/text.h"

namespace tactus::nn {
namespace {

constexpr std::int64_t first_opset = 7, last_opset = 21;
constexpr std::size_t any_number = SIZE_MAX;

/// A form of operators, and the operator sets that have it.
struct Entry {
  std::string_view names;  ///< separated by blanks
  std::int64_t since, until;
  std::size_t least_inputs, most_inputs, most_outputs;
  std::string_view attributes;  ///< their names, too
  Operator run;
};

constexpr Entry table[] = {
    {"Abs Neg", 7, 21, 1, 1, 1, "", run_signs},
    {"Sign", 9, 21, 1, 1, 1, "", run_signs},
    {"Add", 7, 21, 2, 2, 1, "", run_add},
    {"And Or Xor", 7, 21, 2, 2, 1, "", run_logic},
    {"ArgMax ArgMin", 7, 11, 1, 1, 1, "axis keepdims", run_arg},
    {"ArgMax ArgMin", 12, 21, 1, 1, 1, "axis keepdims select_last_index", run_arg},
    {"AveragePool", 7, 9, 1, 1, 1, "auto_pad count_include_pad kernel_shape pads strides",
     run_average_pool},
    {"AveragePool", 10, 18, 1, 1, 1,
     "auto_pad ceil_mode count_include_pad kernel_shape pads strides", run_average_pool},
    {"AveragePool", 19, 21, 1, 1, 1,
     "auto_pad ceil_mode count_include_pad dilations kernel_shape pads strides", run_average_pool},
    {"BatchNormalization", 7, 8, 5, 5, 5, "epsilon momentum spatial", run_batch_normalization},
    {"BatchNormalization", 9, 13, 5, 5, 5, "epsilon momentum", run_batch_normalization},
    {"BatchNormalization", 14, 21, 5, 5, 3, "epsilon momentum training_mode",
     run_batch_normalization},
    {"Cast", 7, 18, 1, 1, 1, "to", run_cast},
    {"Cast", 19, 21, 1, 1, 1, "saturate to", run_cast},
    {"Ceil Exp Floor Log Reciprocal Sigmoid Softplus Softsign Sqrt Tanh", 7, 21, 1, 1, 1, "",
     run_function},
    {"Celu", 12, 21, 1, 1, 1, "alpha", run_function},
    {"Clip", 7, 10, 1, 1, 1, "min max", run_clip},
    {"Clip", 11, 21, 1, 3, 1, "", run_clip},
    {"Concat", 7, 21, 1, any_number, 1, "axis", run_concat},
    {"Constant", 7, 11, 0, 0, 1, "value", run_constant},
    {"Constant", 12, 21, 0, 0, 1, "value value_float value_floats value_int value_ints",
     run_constant},
    {"ConstantOfShape", 9, 21, 1, 1, 1, "value", run_constant_of_shape},
    {"Conv", 7, 21, 2, 3, 1, "auto_pad dilations group kernel_shape pads strides", run_conv},
    {"ConvInteger", 10, 21, 2, 4, 1, "auto_pad dilations group kernel_shape pads strides",
     run_integer_product},
    {"ConvTranspose", 7, 21, 2, 3, 1,
     "auto_pad dilations group kernel_shape output_padding output_shape pads strides",
     run_conv_transpose},
    {"CumSum", 11, 21, 2, 2, 1, "exclusive reverse", run_cum_sum},
    {"DepthToSpace", 7, 10, 1, 1, 1, "blocksize", run_depth_to_space},
    {"DepthToSpace", 11, 21, 1, 1, 1, "blocksize mode", run_depth_to_space},
    {"DequantizeLinear", 10, 12, 2, 3, 1, "", run_dequantize_linear},
    {"DequantizeLinear", 13, 20, 2, 3, 1, "axis", run_dequantize_linear},
    {"DequantizeLinear", 21, 21, 2, 3, 1, "axis block_size", run_dequantize_linear},
    {"Div", 7, 21, 2, 2, 1, "", run_div},
    {"Dropout", 7, 11, 1, 1, 2, "ratio", run_dropout},
    {"Dropout", 12, 21, 1, 3, 2, "seed", run_dropout},
    {"DynamicQuantizeLinear", 11, 21, 1, 1, 3, "", run_dynamic_quantize_linear},
    {"Elu", 7, 21, 1, 1, 1, "alpha", run_function},
    {"Equal", 7, 21, 2, 2, 1, "", run_equal},
    {"Erf", 9, 21, 1, 1, 1, "", run_function},
    {"Expand", 8, 21, 2, 2, 1, "", run_expand},
    {"Flatten", 7, 21, 1, 1, 1, "axis", run_flatten},
    {"GRU", 7, 13, 3, 6, 2,
     "activation_alpha activation_beta activations clip direction hidden_size linear_before_reset",
     run_gru},
    {"GRU", 14, 21, 3, 6, 2,
     "activation_alpha activation_beta activations clip direction hidden_size layout "
     "linear_before_reset",
     run_gru},
    {"Gather", 7, 21, 2, 2, 1, "axis", run_gather},
    {"Gelu", 20, 21, 1, 1, 1, "approximate", run_function},
    {"Gemm", 7, 10, 3, 3, 1, "alpha beta transA transB", run_gemm},
    {"Gemm", 11, 21, 2, 3, 1, "alpha beta transA transB", run_gemm},
    {"GlobalAveragePool", 7, 21, 1, 1, 1, "", run_global_average_pool},
    {"GlobalMaxPool", 7, 21, 1, 1, 1, "", run_global_max_pool},
    {"Greater Less", 7, 21, 2, 2, 1, "", run_less},
    {"GreaterOrEqual LessOrEqual", 12, 21, 2, 2, 1, "", run_less},
    {"HardSigmoid", 7, 21, 1, 1, 1, "alpha beta", run_function},
    {"HardSwish", 14, 21, 1, 1, 1, "", run_function},
    {"Identity", 7, 21, 1, 1, 1, "", run_identity},
    {"InstanceNormalization", 7, 21, 3, 3, 1, "epsilon", run_instance_normalization},
    {"LRN", 7, 21, 1, 1, 1, "alpha beta bias size", run_lrn},
    {"LSTM", 7, 13, 3, 8, 3,
     "activation_alpha activation_beta activations clip direction hidden_size input_forget",
     run_lstm},
    {"LSTM", 14, 21, 3, 8, 3,
     "activation_alpha activation_beta activations clip direction hidden_size input_forget layout",
     run_lstm},
    {"LayerNormalization", 17, 21, 2, 3, 3, "axis epsilon stash_type", run_layer_normalization},
    {"LeakyRelu", 7, 21, 1, 1, 1, "alpha", run_leaky_relu},
    {"LogSoftmax", 7, 21, 1, 1, 1, "axis", run_log_softmax},
    {"MatMul", 7, 21, 2, 2, 1, "", run_mat_mul},
    {"MatMulInteger", 10, 21, 2, 4, 1, "", run_integer_product},
    {"Max", 7, 21, 1, any_number, 1, "", run_max},
    {"MaxPool", 7, 7, 1, 1, 1, "auto_pad kernel_shape pads strides", run_max_pool},
    {"MaxPool", 8, 9, 1, 1, 2, "auto_pad kernel_shape pads storage_order strides", run_max_pool},
    {"MaxPool", 10, 21, 1, 1, 2,
     "auto_pad ceil_mode dilations kernel_shape pads storage_order strides", run_max_pool},
    {"Mean", 7, 21, 1, any_number, 1, "", run_mean},
    {"Min", 7, 21, 1, any_number, 1, "", run_min},
    {"Mish", 18, 21, 1, 1, 1, "", run_function},
    {"Mul", 7, 21, 2, 2, 1, "", run_mul},
    {"Not", 7, 21, 1, 1, 1, "", run_not},
    {"OneHot", 9, 21, 3, 3, 1, "axis", run_one_hot},
    {"PRelu", 7, 21, 2, 2, 1, "", run_p_relu},
    {"Pad", 7, 10, 1, 1, 1, "mode pads value", run_pad},
    {"Pad", 11, 21, 2, 4, 1, "mode", run_pad},
    {"Pow", 7, 21, 2, 2, 1, "", run_pow},
    {"QLinearConv", 10, 21, 8, 9, 1, "auto_pad dilations group kernel_shape pads strides",
     run_q_linear_conv},
    {"QLinearMatMul", 10, 21, 8, 8, 1, "", run_q_linear_mat_mul},
    {"QuantizeLinear", 10, 12, 2, 3, 1, "", run_quantize_linear},
    {"QuantizeLinear", 13, 18, 2, 3, 1, "axis", run_quantize_linear},
    {"QuantizeLinear", 19, 20, 2, 3, 1, "axis saturate", run_quantize_linear},
    {"QuantizeLinear", 21, 21, 2, 3, 1, "axis block_size output_dtype saturate",
     run_quantize_linear},
    {"RNN", 7, 13, 3, 6, 2,
     "activation_alpha activation_beta activations clip direction hidden_size", run_rnn},
    {"RNN", 14, 21, 3, 6, 2,
     "activation_alpha activation_beta activations clip direction hidden_size layout", run_rnn},
    {"Range", 11, 21, 3, 3, 1, "", run_range},
    {"ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd "
     "ReduceSumSquare",
     7, 17, 1, 1, 1, "axes keepdims", run_reduce},
    {"ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd "
     "ReduceSumSquare",
     18, 21, 1, 2, 1, "keepdims noop_with_empty_axes", run_reduce},
    {"ReduceSum", 7, 12, 1, 1, 1, "axes keepdims", run_reduce},
    {"ReduceSum", 13, 21, 1, 2, 1, "keepdims noop_with_empty_axes", run_reduce},
    {"Relu", 7, 21, 1, 1, 1, "", run_relu},
    {"Reshape", 7, 13, 2, 2, 1, "", run_reshape},
    {"Reshape", 14, 21, 2, 2, 1, "allowzero", run_reshape},
    {"Resize", 10, 10, 2, 2, 1, "mode", run_resize},
    {"Resize", 11, 17, 1, 4, 1,
     "coordinate_transformation_mode cubic_coeff_a exclude_outside extrapolation_value mode "
     "nearest_mode",
     run_resize},
    {"Resize", 18, 21, 1, 4, 1,
     "antialias axes coordinate_transformation_mode cubic_coeff_a exclude_outside "
     "extrapolation_value keep_aspect_ratio_policy mode nearest_mode",
     run_resize},
    {"Round", 11, 21, 1, 1, 1, "", run_function},
    {"Selu", 7, 21, 1, 1, 1, "alpha gamma", run_function},
    {"Shape", 7, 14, 1, 1, 1, "", run_shape},
    {"Shape", 15, 21, 1, 1, 1, "end start", run_shape},
    {"Size", 7, 21, 1, 1, 1, "", run_size},
    {"Slice", 7, 9, 1, 1, 1, "axes ends starts", run_slice},
    {"Slice", 10, 21, 3, 5, 1, "", run_slice},
    {"Softmax", 7, 21, 1, 1, 1, "axis", run_softmax},
    {"SpaceToDepth", 7, 21, 1, 1, 1, "blocksize", run_depth_to_space},
    {"Split", 7, 12, 1, 1, any_number, "axis split", run_split},
    {"Split", 13, 17, 1, 2, any_number, "axis", run_split},
    {"Split", 18, 21, 1, 2, any_number, "axis num_outputs", run_split},
    {"Squeeze", 7, 12, 1, 1, 1, "axes", run_squeeze},
    {"Squeeze", 13, 21, 1, 2, 1, "", run_squeeze},
    {"Sub", 7, 21, 2, 2, 1, "", run_sub},
    {"Sum", 7, 21, 1, any_number, 1, "", run_sum},
    {"ThresholdedRelu", 10, 21, 1, 1, 1, "alpha", run_function},
    {"Tile", 7, 21, 2, 2, 1, "", run_tile},
    {"Transpose", 7, 21, 1, 1, 1, "perm", run_transpose},
    {"Unsqueeze", 7, 12, 1, 1, 1, "axes", run_unsqueeze},
    {"Unsqueeze", 13, 21, 2, 2, 1, "", run_unsqueeze},
    {"Upsample", 7, 8, 1, 1, 1, "mode scales", run_resize},
    {"Upsample", 9, 9, 2, 2, 1, "mode", run_resize},
    {"Where", 9, 21, 3, 3, 1, "", run_where},
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
    if (!node.domain.empty() || !has_word(entry.names, node.op_type)) continue;
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

std::vector<Tensor> computed(const Node& node, std::int64_t opset,
                             std::vector<const Tensor*> inputs) {
  const Entry& entry = find_entry(node, opset);
  check_form(node, entry);
  Call call(node, opset, std::move(inputs));
  entry.run(call);
  return std::move(call.results);
}

}  // namespace

bool reference_has(const Node& node, std::int64_t opset) {
  return node.domain.empty() &&
         std::any_of(std::begin(table), std::end(table), [&](const Entry& e) {
           return has_word(e.names, node.op_type) && opset >= e.since && opset <= e.until;
         });
}

std::vector<Tensor> run_node(const Node& node, std::int64_t opset,
                             const std::vector<const Tensor*>& inputs) {
  return computed(node, opset, inputs);
}

namespace {

/// Executes a graph; a sub-graph within its surrounding graph.
class Run {
 public:
  Run(const Graph& graph, Values& values, const Run* around)
      : graph_(graph), values_(values), around_(around) {}

  void nodes(const std::function<void(std::size_t node)>& on_node);

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

  const Graph& graph_;
  Values& values_;
  const Run* around_;
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
  Run run(graph, values, this);
  run.nodes({});
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

void Run::nodes(const std::function<void(std::size_t node)>& on_node) {
  for (const Node& node : graph_.nodes) {
    if (on_node) on_node(static_cast<std::size_t>(&node - graph_.nodes.data()));
    std::vector<Tensor> results;
    if (node.domain.empty() && node.op_type == "If") {
      results = branch(node);
    } else if (node.domain.empty() && node.op_type == "Loop") {
      results = loop(node);
    } else {
      std::vector<const Tensor*> arguments;
      for (const std::string& name : node.inputs) arguments.push_back(find(node, name));
      results = computed(node, graph_.opset, std::move(arguments));
    }
    // Optional outputs for training have no value; reading one is an error.
    for (std::size_t i = 0; i < std::min(node.outputs.size(), results.size()); ++i) {
      if (!node.outputs[i].empty()) values_[node.outputs[i]] = std::move(results[i]);
    }
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
  Run(graph, values, nullptr).nodes(on_node);
  return values;
}

}  // namespace tactus::nn
