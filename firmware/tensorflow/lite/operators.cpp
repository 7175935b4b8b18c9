// The operators of TensorFlow Lite as nodes of TensorFlow.
#include <algorithm>
#include <map>

#include "firmware/tensorflow/lite/builder.h"
#include "firmware/tensorflow/same_operators.h"

namespace tactus::tf::lite {
namespace {

using Sizes = std::vector<std::int64_t>;

std::string text(Padding padding) { return padding == Padding::same ? "SAME" : "VALID"; }

/// A list with one entry per dimension of an N H W C image.
Sizes per_dimension(std::int64_t rows, std::int64_t columns) { return {1, rows, columns, 1}; }

// ---- one node -----------------------------------------------------------------------------------

/// Operators that are one node of TensorFlow with the same inputs and without attributes, besides
/// those of same_operators.
struct Plain {
  std::string_view lite, op;
};
constexpr Plain plain_operators[] = {{"ARG_MAX", "ArgMax"},
                                     {"ARG_MIN", "ArgMin"},
                                     {"BATCH_TO_SPACE_ND", "BatchToSpaceND"},
                                     {"DEQUANTIZE", "Identity"},
                                     {"EXPAND_DIMS", "ExpandDims"},
                                     {"FILL", "Fill"},
                                     {"FLOOR_DIV", "FloorDiv"},
                                     {"FLOOR_MOD", "FloorMod"},
                                     {"HARD_SWISH", "HardSwish"},
                                     {"LOG_SOFTMAX", "LogSoftmax"},
                                     {"NOT_EQUAL", "NotEqual"},
                                     {"PAD", "Pad"},
                                     {"PADV2", "PadV2"},
                                     {"QUANTIZE", "Identity"},
                                     {"RANGE", "Range"},
                                     {"RANK", "Rank"},
                                     {"RELU6", "Relu6"},
                                     {"RSQRT", "Rsqrt"},
                                     {"SELECT", "Select"},
                                     {"SELECT_V2", "SelectV2"},
                                     {"SHAPE", "Shape"},
                                     {"SLICE", "Slice"},
                                     {"SPACE_TO_BATCH_ND", "SpaceToBatchND"},
                                     {"SQUARE", "Square"},
                                     {"SQUARED_DIFFERENCE", "SquaredDifference"},
                                     {"TILE", "Tile"},
                                     {"TRANSPOSE", "Transpose"},
                                     {"ZEROS_LIKE", "ZerosLike"}};

void build_plain(Builder& b) {
  for (const SameOperator& row : same_operators) {
    if (row.lite == b.kind()) return b.finish(b.add(row.op, b.inputs()));
  }
  const auto* const row = std::find_if(std::begin(plain_operators), std::end(plain_operators),
                                       [&](const Plain& p) { return p.lite == b.kind(); });
  b.finish(b.add(row->op, b.inputs()));
}

// ---- arithmetic ---------------------------------------------------------------------------------

/// Applies the activation that belongs to the operator, and ends it.
template <typename Options>
void with_activation(Builder& b, const Options* options, Output value) {
  b.finish(options == nullptr ? value : b.activated(value, options->activation()));
}

void build_add(Builder& b) {
  with_activation(b, b.op().options_as_AddOptions(), b.add("AddV2", b.inputs()));
}
void build_sub(Builder& b) {
  with_activation(b, b.op().options_as_SubOptions(), b.add("Sub", b.inputs()));
}
void build_mul(Builder& b) {
  with_activation(b, b.op().options_as_MulOptions(), b.add("Mul", b.inputs()));
}
void build_div(Builder& b) {
  with_activation(b, b.op().options_as_DivOptions(), b.add("RealDiv", b.inputs()));
}

void build_clip(Builder& b) {
  const float low = b.kind() == "RELU_0_TO_1" ? 0.0F : -1.0F;
  b.finish(b.add("ClipByValue", {b.input(0), b.constant(low), b.constant(1.0F)}));
}

void build_leaky_relu(Builder& b) {
  const float alpha = b.need(b.op().options_as_LeakyReluOptions()).alpha();
  b.finish(b.add("LeakyRelu", b.inputs(), {{"alpha", alpha}}));
}

void build_gelu(Builder& b) {
  const auto* const options = b.op().options_as_GeluOptions();
  b.finish(
      b.add("Gelu", b.inputs(), {{"approximate", options != nullptr && options->approximate()}}));
}

void build_softmax(Builder& b) {
  const float beta = b.need(b.op().options_as_SoftmaxOptions()).beta();
  Output x = b.input(0);
  if (beta != 1) x = b.add("Mul", {x, b.constant(beta)});
  b.finish(b.add("Softmax", {x}));
}

void build_cast(Builder& b) {
  b.finish(b.add("Cast", {b.input(0)}, {{"DstT", TypeName{b.result_code()}}}));
}

void build_fake_quant(Builder& b) {
  const auto& options = b.need(b.op().options_as_FakeQuantOptions());
  b.finish(b.add("FakeQuantWithMinMaxArgs", b.inputs(),
                 {{"min", options.min()},
                  {"max", options.max()},
                  {"num_bits", std::int64_t{options.num_bits()}},
                  {"narrow_range", options.narrow_range()}}));
}

/// MEAN, SUM, REDUCE_MAX, ...: operand, axes.
void build_reduction(Builder& b) {
  static const std::map<std::string_view, std::string_view> ops{{"MEAN", "Mean"},
                                                                {"REDUCE_MAX", "Max"},
                                                                {"REDUCE_MIN", "Min"},
                                                                {"REDUCE_PROD", "Prod"},
                                                                {"SUM", "Sum"}};
  const bool keep = b.need(b.op().options_as_ReducerOptions()).keep_dims();
  b.finish(b.add(ops.at(b.kind()), b.inputs(), {{"keep_dims", keep}}));
}

/// Divides a vector of channels by its length, which counts as 1e-6 at least.
void build_l2_normalisation(Builder& b) {
  constexpr float least = 1e-12F;
  const Output x = b.input(0);
  const Output square = b.add("Square", {x});
  const Output sum = b.add("Sum", {square, b.constant(Sizes{-1})}, {{"keep_dims", true}});
  const Output factor = b.add("Rsqrt", {b.add("Maximum", {sum, b.constant(least)})});
  with_activation(b, b.op().options_as_L2NormOptions(), b.add("Mul", {x, factor}));
}

// ---- products -----------------------------------------------------------------------------------

template <typename Options>
NodeAttributes window(const Options& options) {
  return {{"padding", text(options.padding())},
          {"strides", per_dimension(options.stride_h(), options.stride_w())}};
}

/// The value with the bias, if there is one, and the activation.
template <typename Options>
Output biased(Builder& b, const Options& options, Output value, std::size_t bias) {
  if (b.has(bias)) value = b.add("BiasAdd", {value, b.input(bias)});
  return b.activated(value, options.activation());
}

/// Weights: outputs, rows, columns, inputs.
void build_convolution(Builder& b) {
  const auto& options = b.need(b.op().options_as_Conv2DOptions());
  NodeAttributes attributes = window(options);
  attributes["dilations"] = per_dimension(options.dilation_h(), options.dilation_w());
  const Output weights = b.add("Transpose", {b.input(1), b.constant(Sizes{1, 2, 3, 0})});
  b.finish(biased(b, options, b.add("Conv2D", {b.input(0), weights}, std::move(attributes)), 2));
}

/// Weights: 1, rows, columns, channels x multiplier.
void build_depthwise(Builder& b) {
  const auto& options = b.need(b.op().options_as_DepthwiseConv2DOptions());
  const Sizes shape = b.shape(b.tensor(1)), image = b.shape(b.tensor(0));
  if (shape.size() != 4 || image.size() != 4 || image[3] < 1 || shape[3] % image[3] != 0) {
    b.fail("weights of shape {} for an image of {}", nn::to_string(shape), nn::to_string(image));
  }
  NodeAttributes attributes = window(options);
  attributes["dilations"] = per_dimension(options.dilation_h(), options.dilation_w());
  const Output weights =
      b.add("Reshape",
            {b.input(1), b.constant(Sizes{shape[1], shape[2], image[3], shape[3] / image[3]})});
  b.finish(biased(b, options,
                  b.add("DepthwiseConv2dNative", {b.input(0), weights}, std::move(attributes)), 2));
}

/// Sizes of the result, weights (outputs, rows, columns, inputs), image, bias.
void build_transposed_convolution(Builder& b) {
  const auto& options = b.need(b.op().options_as_TransposeConvOptions());
  const Output weights = b.add("Transpose", {b.input(1), b.constant(Sizes{1, 2, 0, 3})});
  b.finish(biased(b, options,
                  b.add("Conv2DBackpropInput", {b.input(0), weights, b.input(2)}, window(options)),
                  3));
}

/// Operand with any number of dimensions, weights (outputs, inputs), bias.
void build_fully_connected(Builder& b) {
  const auto& options = b.need(b.op().options_as_FullyConnectedOptions());
  if (options.weights_format() != 0) {
    b.fail("weights in format {} are not supported; allowed is 0, the plain one",
           static_cast<int>(options.weights_format()));
  }
  const Sizes weights = b.shape(b.tensor(1)), result = b.shape(b.result_tensor());
  if (weights.size() != 2 || result.empty()) {
    b.fail("weights of shape {} for a result of {}", nn::to_string(weights), nn::to_string(result));
  }
  Output x = b.input(0);
  if (b.shape(b.tensor(0)).size() != 2 || b.shape(b.tensor(0)).back() != weights[1]) {
    x = b.add("Reshape", {x, b.constant(Sizes{-1, weights[1]})});
  }
  Output value = biased(b, options, b.add("MatMul", {x, b.input(1)}, {{"transpose_b", true}}), 2);
  if (result.size() != 2) {
    Sizes shape = result;
    shape.front() = -1;
    value = b.add("Reshape", {value, b.constant(std::move(shape))});
  }
  b.finish(value);
}

void build_batch_product(Builder& b) {
  const auto* const options = b.op().options_as_BatchMatMulOptions();
  b.finish(b.add("BatchMatMulV2", b.inputs(),
                 {{"adj_x", options != nullptr && options->adj_x()},
                  {"adj_y", options != nullptr && options->adj_y()}}));
}

// ---- images -------------------------------------------------------------------------------------

void build_pool(Builder& b) {
  const auto& options = b.need(b.op().options_as_Pool2DOptions());
  NodeAttributes attributes = window(options);
  attributes["ksize"] = per_dimension(options.filter_height(), options.filter_width());
  const bool average = b.kind() == "AVERAGE_POOL_2D";
  with_activation(b, &options,
                  b.add(average ? "AvgPool" : "MaxPool", b.inputs(), std::move(attributes)));
}

template <typename Options>
void resize(Builder& b, std::string_view op, const Options& options) {
  b.finish(b.add(op, b.inputs(),
                 {{"align_corners", options.align_corners()},
                  {"half_pixel_centers", options.half_pixel_centers()}}));
}
void build_bilinear(Builder& b) {
  resize(b, "ResizeBilinear", b.need(b.op().options_as_ResizeBilinearOptions()));
}
void build_nearest(Builder& b) {
  resize(b, "ResizeNearestNeighbor", b.need(b.op().options_as_ResizeNearestNeighborOptions()));
}

void build_lrn(Builder& b) {
  const auto& options = b.need(b.op().options_as_LocalResponseNormalizationOptions());
  b.finish(b.add("LRN", b.inputs(),
                 {{"depth_radius", std::int64_t{options.radius()}},
                  {"bias", options.bias()},
                  {"alpha", options.alpha()},
                  {"beta", options.beta()}}));
}

void build_depth_to_space(Builder& b) {
  const std::int64_t block = b.need(b.op().options_as_DepthToSpaceOptions()).block_size();
  b.finish(b.add("DepthToSpace", b.inputs(), {{"block_size", block}}));
}
void build_space_to_depth(Builder& b) {
  const std::int64_t block = b.need(b.op().options_as_SpaceToDepthOptions()).block_size();
  b.finish(b.add("SpaceToDepth", b.inputs(), {{"block_size", block}}));
}

void build_mirror_pad(Builder& b) {
  const MirrorMode mode = b.need(b.op().options_as_MirrorPadOptions()).mode();
  b.finish(b.add("MirrorPad", b.inputs(),
                 {{"mode", std::string(mode == MirrorMode::reflect ? "REFLECT" : "SYMMETRIC")}}));
}

// ---- rearrangement ------------------------------------------------------------------------------

void build_concat(Builder& b) {
  const auto& options = b.need(b.op().options_as_ConcatenationOptions());
  std::vector<Output> inputs = b.inputs();
  if (inputs.size() == 1) {
    with_activation(b, &options, b.add("Identity", inputs));
    return;
  }
  inputs.push_back(b.constant(Sizes{options.axis()}));
  with_activation(b, &options, b.add("ConcatV2", std::move(inputs)));
}

Sizes list_of(const flatbuffers::Vector<std::int32_t>* from) {
  return from == nullptr ? Sizes{} : Sizes(from->begin(), from->end());
}

/// The shape is an input or, in old files, an option.
void build_reshape(Builder& b) {
  const auto* const options = b.op().options_as_ReshapeOptions();
  const bool by_input =
      b.has(1) && (b.is_constant(1) || options == nullptr || list_of(options->new_shape()).empty());
  if (!by_input && options == nullptr) b.fail("it has no shape");
  const Output shape = by_input ? b.input(1) : b.constant(list_of(options->new_shape()));
  b.finish(b.add("Reshape", {b.input(0), shape}));
}

void build_squeeze(Builder& b) {
  const auto* const options = b.op().options_as_SqueezeOptions();
  const Sizes axes = options == nullptr ? Sizes{} : list_of(options->squeeze_dims());
  b.finish(b.add("Squeeze", b.inputs(), {{"squeeze_dims", axes}}));
}

void build_strided_slice(Builder& b) {
  const auto& options = b.need(b.op().options_as_StridedSliceOptions());
  if (options.offset()) b.fail("ends that are relative to begins are not supported");
  b.finish(b.add("StridedSlice", b.inputs(),
                 {{"begin_mask", std::int64_t{options.begin_mask()}},
                  {"end_mask", std::int64_t{options.end_mask()}},
                  {"ellipsis_mask", std::int64_t{options.ellipsis_mask()}},
                  {"new_axis_mask", std::int64_t{options.new_axis_mask()}},
                  {"shrink_axis_mask", std::int64_t{options.shrink_axis_mask()}}}));
}

void build_gather(Builder& b) {
  const auto& options = b.need(b.op().options_as_GatherOptions());
  b.finish(b.add("GatherV2", {b.input(0), b.input(1), b.constant(Sizes{options.axis()})},
                 {{"batch_dims", std::int64_t{options.batch_dims()}}}));
}

void build_pack(Builder& b) {
  const std::int64_t axis = b.need(b.op().options_as_PackOptions()).axis();
  b.finish(b.add("Pack", b.inputs(), {{"axis", axis}}));
}

void build_unpack(Builder& b) {
  const auto& options = b.need(b.op().options_as_UnpackOptions());
  b.finish_all(
      b.add("Unpack", b.inputs(),
            {{"axis", std::int64_t{options.axis()}}, {"num", std::int64_t{options.num()}}}));
}

void build_split(Builder& b) {
  const std::int64_t parts = b.need(b.op().options_as_SplitOptions()).num_splits();
  b.finish_all(b.add("Split", b.inputs(), {{"num_split", parts}}));
}

void build_split_v(Builder& b) {
  const std::int64_t parts = b.need(b.op().options_as_SplitVOptions()).num_splits();
  b.finish_all(b.add("SplitV", b.inputs(), {{"num_split", parts}}));
}

/// The weights become inputs of one node, see firmware/tensorflow/operators/recurrent.cpp. States
/// begin as zeros.
void build_lstm(Builder& b) {
  const auto& options = b.need(b.op().options_as_UnidirectionalSequenceLSTMOptions());
  constexpr std::size_t plain = 16, states = 18, norms = 20;
  if (b.has(plain)) b.fail("its projection (input {}) is not supported", plain);
  for (std::size_t i = norms; i < b.input_count(); ++i) {
    if (b.has(i)) b.fail("its layer normalisation (input {}) is not supported", i);
  }
  for (std::size_t i = states; i < norms; ++i) {
    if (b.is_constant(i)) b.fail("initial states (input {}) are not supported", i);
  }
  if (options.activation() != Activation::tanh) {
    b.fail("activation {} is not supported; supported is TANH",
           static_cast<int>(options.activation()));
  }
  std::vector<Output> inputs;
  for (std::size_t i = 0; i < plain; ++i) {
    inputs.push_back(b.has(i) ? b.input(i) : b.constant(Sizes{}));
  }
  b.finish(b.add("UnidirectionalSequenceLSTM", std::move(inputs),
                 {{"time_major", options.time_major()}, {"cell_clip", options.cell_clip()}}));
}

constexpr LiteOperator other_operators[] = {
    {"ADD", 2, build_add},
    {"AVERAGE_POOL_2D", 1, build_pool},
    {"BATCH_MATMUL", 2, build_batch_product},
    {"CAST", 1, build_cast},
    {"CONCATENATION", 1, build_concat},
    {"CONV_2D", 2, build_convolution},
    {"DEPTHWISE_CONV_2D", 2, build_depthwise},
    {"DEPTH_TO_SPACE", 1, build_depth_to_space},
    {"DIV", 2, build_div},
    {"FAKE_QUANT", 1, build_fake_quant},
    {"FULLY_CONNECTED", 2, build_fully_connected},
    {"GATHER", 2, build_gather},
    {"GELU", 1, build_gelu},
    {"L2_NORMALIZATION", 1, build_l2_normalisation},
    {"LEAKY_RELU", 1, build_leaky_relu},
    {"LOCAL_RESPONSE_NORMALIZATION", 1, build_lrn},
    {"MAX_POOL_2D", 1, build_pool},
    {"MEAN", 2, build_reduction},
    {"MIRROR_PAD", 2, build_mirror_pad},
    {"MUL", 2, build_mul},
    {"PACK", 1, build_pack},
    {"REDUCE_MAX", 2, build_reduction},
    {"REDUCE_MIN", 2, build_reduction},
    {"REDUCE_PROD", 2, build_reduction},
    {"RELU_0_TO_1", 1, build_clip},
    {"RELU_N1_TO_1", 1, build_clip},
    {"RESHAPE", 1, build_reshape},
    {"RESIZE_BILINEAR", 2, build_bilinear},
    {"RESIZE_NEAREST_NEIGHBOR", 2, build_nearest},
    {"SOFTMAX", 1, build_softmax},
    {"SPACE_TO_DEPTH", 1, build_space_to_depth},
    {"SPLIT", 2, build_split},
    {"SPLIT_V", 3, build_split_v},
    {"SQUEEZE", 1, build_squeeze},
    {"STRIDED_SLICE", 4, build_strided_slice},
    {"SUB", 2, build_sub},
    {"SUM", 2, build_reduction},
    {"TRANSPOSE_CONV", 3, build_transposed_convolution},
    {"UNIDIRECTIONAL_SEQUENCE_LSTM", 16, build_lstm},
    {"UNPACK", 1, build_unpack},
};

const std::map<std::string_view, LiteOperator>& table() {
  static const std::map<std::string_view, LiteOperator> all = [] {
    std::map<std::string_view, LiteOperator> by_name;
    for (const Plain& row : plain_operators) {
      by_name.emplace(row.lite, LiteOperator{row.lite, 0, build_plain});
    }
    for (const SameOperator& row : same_operators) {
      if (!row.lite.empty()) by_name.emplace(row.lite, LiteOperator{row.lite, 0, build_plain});
    }
    for (const LiteOperator& row : other_operators) by_name.emplace(row.name, row);
    return by_name;
  }();
  return all;
}

}  // namespace

const LiteOperator* find_lite_operator(std::string_view name) {
  const auto found = table().find(name);
  return found == table().end() ? nullptr : &found->second;
}

std::string lite_operator_names() {
  std::string list;
  for (const auto& row : table()) list += (list.empty() ? "" : ", ") + std::string(row.first);
  return list;
}

}  // namespace tactus::tf::lite
