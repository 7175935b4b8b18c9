#include "firmware/reference/reference.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "firmware/onnx/sub_graphs.h"
#include "firmware/reference/call.h"
#include "isa/support/text.h"

namespace tactus::nn {
namespace {

constexpr std::int64_t first_opset = 7, last = 25;
constexpr std::size_t any_number = SIZE_MAX;

/// A form of operators, and the operator sets that have it.
struct Entry {
  std::string_view names;  ///< separated by blanks
  std::int64_t since, until;
  std::size_t least_inputs, most_inputs, most_outputs;
  std::string_view attributes;  ///< their names, too
  Operator run;
};

/// Operators that only newer sets of ONNX have stand from the first set on if ONNX Runtime writes
/// them, or its own operators become them, in models of older sets.
constexpr Entry table[] = {
    {"Abs Neg", 7, last, 1, 1, 1, "", run_signs},
    {"Sign", 9, last, 1, 1, 1, "", run_signs},
    {"Add", 7, last, 2, 2, 1, "", run_add},
    {"And Or Xor", 7, last, 2, 2, 1, "", run_logic},
    {"ArgMax ArgMin", 7, 11, 1, 1, 1, "axis keepdims", run_arg},
    {"ArgMax ArgMin", 12, last, 1, 1, 1, "axis keepdims select_last_index", run_arg},
    {"Attention", 7, last, 3, 7, 4,
     "is_causal kv_num_heads left_window_size q_num_heads qk_matmul_output_mode right_window_size "
     "scale softcap softmax_precision",
     run_attention},
    {"AveragePool", 7, 9, 1, 1, 1, "auto_pad count_include_pad kernel_shape pads strides",
     run_average_pool},
    {"AveragePool", 10, 18, 1, 1, 1,
     "auto_pad ceil_mode count_include_pad kernel_shape pads strides", run_average_pool},
    {"AveragePool", 19, last, 1, 1, 1,
     "auto_pad ceil_mode count_include_pad dilations kernel_shape pads strides", run_average_pool},
    {"BatchNormalization", 7, 8, 5, 5, 5, "epsilon momentum spatial", run_batch_normalization},
    {"BatchNormalization", 9, 13, 5, 5, 5, "epsilon momentum", run_batch_normalization},
    {"BatchNormalization", 14, last, 5, 5, 3, "epsilon momentum training_mode",
     run_batch_normalization},
    {"Cast", 7, 18, 1, 1, 1, "to", run_cast},
    {"Cast", 19, 23, 1, 1, 1, "saturate to", run_cast},
    {"Cast", 24, last, 1, 1, 1, "round_mode saturate to", run_cast},
    {"Ceil Exp Floor Log Reciprocal Sigmoid Softplus Softsign Sqrt Tanh", 7, last, 1, 1, 1, "",
     run_function},
    {"Celu", 12, last, 1, 1, 1, "alpha", run_function},
    {"Clip", 7, 10, 1, 1, 1, "min max", run_clip},
    {"Clip", 11, last, 1, 3, 1, "", run_clip},
    {"Concat", 7, last, 1, any_number, 1, "axis", run_concat},
    {"Constant", 7, 11, 0, 0, 1, "value", run_constant},
    {"Constant", 12, last, 0, 0, 1, "value value_float value_floats value_int value_ints",
     run_constant},
    {"ConstantOfShape", 9, last, 1, 1, 1, "value", run_constant_of_shape},
    {"Conv", 7, last, 2, 3, 1, "auto_pad dilations group kernel_shape pads strides", run_conv},
    {"ConvInteger", 10, last, 2, 4, 1, "auto_pad dilations group kernel_shape pads strides",
     run_integer_product},
    {"ConvTranspose", 7, last, 2, 3, 1,
     "auto_pad dilations group kernel_shape output_padding output_shape pads strides",
     run_conv_transpose},
    {"CumSum", 11, last, 2, 2, 1, "exclusive reverse", run_cum_sum},
    {"DepthToSpace", 7, 10, 1, 1, 1, "blocksize", run_depth_to_space},
    {"DepthToSpace", 11, last, 1, 1, 1, "blocksize mode", run_depth_to_space},
    {"DequantizeLinear", 10, 12, 2, 3, 1, "", run_dequantize_linear},
    {"DequantizeLinear", 13, 20, 2, 3, 1, "axis", run_dequantize_linear},
    {"DequantizeLinear", 21, 22, 2, 3, 1, "axis block_size", run_dequantize_linear},
    {"DequantizeLinear", 23, last, 2, 3, 1, "axis block_size output_dtype", run_dequantize_linear},
    {"Div", 7, last, 2, 2, 1, "", run_div},
    {"Dropout", 7, 11, 1, 1, 2, "ratio", run_dropout},
    {"Dropout", 12, last, 1, 3, 2, "seed", run_dropout},
    {"DynamicQuantizeLinear", 11, last, 1, 1, 3, "", run_dynamic_quantize_linear},
    {"Elu", 7, last, 1, 1, 1, "alpha", run_function},
    {"Equal", 7, last, 2, 2, 1, "", run_equal},
    {"Erf", 9, last, 1, 1, 1, "", run_function},
    {"Expand", 8, last, 2, 2, 1, "", run_expand},
    {"Flatten", 7, last, 1, 1, 1, "axis", run_flatten},
    {"GRU", 7, 13, 3, 6, 2,
     "activation_alpha activation_beta activations clip direction hidden_size linear_before_reset",
     run_gru},
    {"GRU", 14, last, 3, 6, 2,
     "activation_alpha activation_beta activations clip direction hidden_size layout "
     "linear_before_reset",
     run_gru},
    {"Gather", 7, last, 2, 2, 1, "axis", run_gather},
    {"Gelu", 7, last, 1, 1, 1, "approximate", run_function},
    {"Gemm", 7, 10, 3, 3, 1, "alpha beta transA transB", run_gemm},
    {"Gemm", 11, last, 2, 3, 1, "alpha beta transA transB", run_gemm},
    {"GlobalAveragePool", 7, last, 1, 1, 1, "", run_global_average_pool},
    {"GlobalMaxPool", 7, last, 1, 1, 1, "", run_global_max_pool},
    {"Greater Less", 7, last, 2, 2, 1, "", run_less},
    {"GreaterOrEqual LessOrEqual", 12, last, 2, 2, 1, "", run_less},
    {"HardSigmoid", 7, last, 1, 1, 1, "alpha beta", run_function},
    {"HardSwish", 14, last, 1, 1, 1, "", run_function},
    {"Identity", 7, last, 1, 1, 1, "", run_identity},
    {"InstanceNormalization", 7, last, 3, 3, 1, "epsilon", run_instance_normalization},
    {"LRN", 7, last, 1, 1, 1, "alpha beta bias size", run_lrn},
    {"LSTM", 7, 13, 3, 8, 3,
     "activation_alpha activation_beta activations clip direction hidden_size input_forget",
     run_lstm},
    {"LSTM", 14, last, 3, 8, 3,
     "activation_alpha activation_beta activations clip direction hidden_size input_forget layout",
     run_lstm},
    {"LayerNormalization", 7, last, 2, 3, 3, "axis epsilon stash_type", run_layer_normalization},
    {"LeakyRelu", 7, last, 1, 1, 1, "alpha", run_leaky_relu},
    {"LogSoftmax", 7, last, 1, 1, 1, "axis", run_log_softmax},
    {"MatMul", 7, last, 2, 2, 1, "", run_mat_mul},
    {"MatMulInteger", 10, last, 2, 4, 1, "", run_integer_product},
    {"Max", 7, last, 1, any_number, 1, "", run_max},
    {"MaxPool", 7, 7, 1, 1, 1, "auto_pad kernel_shape pads strides", run_max_pool},
    {"MaxPool", 8, 9, 1, 1, 2, "auto_pad kernel_shape pads storage_order strides", run_max_pool},
    {"MaxPool", 10, last, 1, 1, 2,
     "auto_pad ceil_mode dilations kernel_shape pads storage_order strides", run_max_pool},
    {"Mean", 7, last, 1, any_number, 1, "", run_mean},
    {"Min", 7, last, 1, any_number, 1, "", run_min},
    {"Mish", 18, last, 1, 1, 1, "", run_function},
    {"Mod", 10, last, 2, 2, 1, "fmod", run_mod},
    {"Mul", 7, last, 2, 2, 1, "", run_mul},
    {"Not", 7, last, 1, 1, 1, "", run_not},
    {"OneHot", 9, last, 3, 3, 1, "axis", run_one_hot},
    {"PRelu", 7, last, 2, 2, 1, "", run_p_relu},
    {"Pad", 7, 10, 1, 1, 1, "mode pads value", run_pad},
    {"Pad", 11, last, 2, 4, 1, "mode", run_pad},
    {"Pow", 7, last, 2, 2, 1, "", run_pow},
    {"QLinearConv", 10, last, 8, 9, 1, "auto_pad dilations group kernel_shape pads strides",
     run_q_linear_conv},
    {"QLinearMatMul", 10, last, 8, 8, 1, "", run_q_linear_mat_mul},
    {"QuantizeLinear", 10, 12, 2, 3, 1, "", run_quantize_linear},
    {"QuantizeLinear", 13, 18, 2, 3, 1, "axis", run_quantize_linear},
    {"QuantizeLinear", 19, 20, 2, 3, 1, "axis saturate", run_quantize_linear},
    {"QuantizeLinear", 21, 22, 2, 3, 1, "axis block_size output_dtype saturate",
     run_quantize_linear},
    {"QuantizeLinear", 23, last, 2, 3, 1, "axis block_size output_dtype precision saturate",
     run_quantize_linear},
    {"RMSNormalization", 7, last, 2, 2, 1, "axis epsilon stash_type", run_rms_normalization},
    {"RNN", 7, 13, 3, 6, 2,
     "activation_alpha activation_beta activations clip direction hidden_size", run_rnn},
    {"RNN", 14, last, 3, 6, 2,
     "activation_alpha activation_beta activations clip direction hidden_size layout", run_rnn},
    {"Range", 11, last, 3, 3, 1, "", run_range},
    {"ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd "
     "ReduceSumSquare",
     7, 17, 1, 1, 1, "axes keepdims", run_reduce},
    {"ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd "
     "ReduceSumSquare",
     18, last, 1, 2, 1, "keepdims noop_with_empty_axes", run_reduce},
    {"ReduceSum", 7, 12, 1, 1, 1, "axes keepdims", run_reduce},
    {"ReduceSum", 13, last, 1, 2, 1, "keepdims noop_with_empty_axes", run_reduce},
    {"Relu", 7, last, 1, 1, 1, "", run_relu},
    {"Reshape", 7, 13, 2, 2, 1, "", run_reshape},
    {"Reshape", 14, last, 2, 2, 1, "allowzero", run_reshape},
    {"Resize", 10, 10, 2, 2, 1, "mode", run_resize},
    {"Resize", 11, 17, 1, 4, 1,
     "coordinate_transformation_mode cubic_coeff_a exclude_outside extrapolation_value mode "
     "nearest_mode",
     run_resize},
    {"Resize", 18, last, 1, 4, 1,
     "antialias axes coordinate_transformation_mode cubic_coeff_a exclude_outside "
     "extrapolation_value keep_aspect_ratio_policy mode nearest_mode",
     run_resize},
    {"RotaryEmbedding", 7, last, 3, 4, 1, "interleaved num_heads rotary_embedding_dim",
     run_rotary_embedding},
    {"Round", 11, last, 1, 1, 1, "", run_function},
    {"Selu", 7, last, 1, 1, 1, "alpha gamma", run_function},
    {"Shape", 7, 14, 1, 1, 1, "", run_shape},
    {"Shape", 15, last, 1, 1, 1, "end start", run_shape},
    {"Size", 7, last, 1, 1, 1, "", run_size},
    {"Slice", 7, 9, 1, 1, 1, "axes ends starts", run_slice},
    {"Slice", 10, last, 3, 5, 1, "", run_slice},
    {"Softmax", 7, last, 1, 1, 1, "axis", run_softmax},
    {"SpaceToDepth", 7, last, 1, 1, 1, "blocksize", run_depth_to_space},
    {"Split", 7, 12, 1, 1, any_number, "axis split", run_split},
    {"Split", 13, 17, 1, 2, any_number, "axis", run_split},
    {"Split", 18, last, 1, 2, any_number, "axis num_outputs", run_split},
    {"Squeeze", 7, 12, 1, 1, 1, "axes", run_squeeze},
    {"Squeeze", 13, last, 1, 2, 1, "", run_squeeze},
    {"Sub", 7, last, 2, 2, 1, "", run_sub},
    {"Sum", 7, last, 1, any_number, 1, "", run_sum},
    {"Swish", 7, last, 1, 1, 1, "alpha", run_function},
    {"ThresholdedRelu", 10, last, 1, 1, 1, "alpha", run_function},
    {"Tile", 7, last, 2, 2, 1, "", run_tile},
    {"Transpose", 7, last, 1, 1, 1, "perm", run_transpose},
    {"Unsqueeze", 7, 12, 1, 1, 1, "axes", run_unsqueeze},
    {"Unsqueeze", 13, last, 2, 2, 1, "", run_unsqueeze},
    {"Upsample", 7, 8, 1, 1, 1, "mode scales", run_resize},
    {"Upsample", 9, 9, 2, 2, 1, "mode", run_resize},
    {"Where", 9, last, 3, 3, 1, "", run_where},
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

Tensor Run::slice(const Node& node, const Tensor& x, std::int64_t index, std::int64_t axis) const {
  Node gather = node;
  gather.op_type = "Gather";
  gather.inputs.assign(2, "");
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
  concat.inputs.assign(parts.size(), "");
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

void Run::nodes(const std::function<void(std::size_t node)>& on_node) {
  for (const Node& node : graph_.nodes) {
    if (on_node) on_node(static_cast<std::size_t>(&node - graph_.nodes.data()));
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
  if (graph.opset < first_opset || graph.opset > last) {
    user_error("{}: operator set {} is not supported; allowed are {} to {}", graph.file,
               graph.opset, first_opset, last);
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
