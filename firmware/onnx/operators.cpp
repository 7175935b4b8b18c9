#include "firmware/onnx/operators.h"

#include <algorithm>
#include <iterator>

#include "isa/support/text.h"

namespace tactus::nn {

// What operators compute, in firmware/reference.
void run_binarizer(Call&), run_bipolar_quant(Call&), run_bit_shift(Call&), run_col2im(Call&),
    run_cum_prod(Call&), run_dft(Call&), run_einsum(Call&), run_feature_extractor(Call&),
    run_fused_conv(Call&), run_fused_mat_mul(Call&), run_gather_elements(Call&),
    run_gather_nd(Call&), run_global_lp_pool(Call&), run_grid_sample(Call&), run_imputer(Call&),
    run_label_encoder(Call&), run_linear_classifier(Call&), run_linear_regressor(Call&),
    run_lp_pool(Call&), run_mel_weight_matrix(Call&), run_normalizer(Call&), run_quant(Call&),
    run_quantised_concat(Call&), run_quantised_softmax(Call&), run_reverse_sequence(Call&),
    run_scaler(Call&), run_scatter_elements(Call&), run_scatter_nd(Call&), run_stft(Call&),
    run_top_k(Call&), run_tree_classifier(Call&), run_tree_regressor(Call&), run_trilu(Call&),
    run_window(Call&), run_bitwise(Call&), run_hardmax(Call&), run_lp_normalization(Call&),
    run_mean_variance_normalization(Call&), run_shrink(Call&), run_special(Call&),
    run_svm_classifier(Call&), run_svm_regressor(Call&), run_swiglu(Call&),
    run_tree_ensemble(Call&), run_trigonometry(Call&);
void run_add(Call&), run_arg(Call&), run_attention(Call&), run_average_pool(Call&),
    run_batch_normalization(Call&), run_cast(Call&), run_center_crop_pad(Call&), run_clip(Call&),
    run_concat(Call&), run_constant(Call&), run_constant_of_shape(Call&), run_conv(Call&),
    run_conv_transpose(Call&), run_cum_sum(Call&), run_depth_to_space(Call&),
    run_dequantize_linear(Call&), run_div(Call&), run_dropout(Call&),
    run_dynamic_quantize_linear(Call&), run_equal(Call&), run_expand(Call&), run_flatten(Call&),
    run_function(Call&), run_gather(Call&), run_gemm(Call&), run_global_average_pool(Call&),
    run_global_max_pool(Call&), run_group_normalization(Call&), run_gru(Call&), run_identity(Call&),
    run_instance_normalization(Call&), run_integer_product(Call&), run_layer_normalization(Call&),
    run_leaky_relu(Call&), run_less(Call&), run_log_softmax(Call&), run_logic(Call&),
    run_lrn(Call&), run_lstm(Call&), run_mat_mul(Call&), run_max(Call&), run_max_pool(Call&),
    run_mean(Call&), run_min(Call&), run_mod(Call&), run_mul(Call&),
    run_multi_head_attention(Call&), run_not(Call&), run_one_hot(Call&), run_p_relu(Call&),
    run_pad(Call&), run_pow(Call&), run_q_linear_conv(Call&), run_q_linear_mat_mul(Call&),
    run_quantised_elements(Call&), run_quantised_gemm(Call&), run_quantize_linear(Call&),
    run_range(Call&), run_reduce(Call&), run_relu(Call&), run_reshape(Call&), run_resize(Call&),
    run_rms_normalization(Call&), run_rnn(Call&), run_rotary_embedding(Call&),
    run_runtime_attention(Call&), run_runtime_gelu(Call&), run_runtime_rotary(Call&),
    run_skip_normalization(Call&), run_shape(Call&), run_signs(Call&), run_size(Call&),
    run_slice(Call&), run_softmax(Call&), run_split(Call&), run_squeeze(Call&), run_sub(Call&),
    run_sum(Call&), run_tile(Call&), run_transpose(Call&), run_unsqueeze(Call&), run_where(Call&);

namespace {

constexpr std::int64_t last = newest_opset;

/// Some operators of newer sets are entered from the first set on: ONNX Runtime writes them in
/// models of older sets, or its own operators are replaced by them there.
constexpr Form forms[] = {
    {"Abs Neg", 6, last, 1, 1, 1, "", run_signs},
    {"Sign", 9, last, 1, 1, 1, "", run_signs},
    {"Add", 7, last, 2, 2, 1, "", run_add},
    {"And Or Xor", 7, last, 2, 2, 1, "", run_logic},
    {"ArgMax ArgMin", 1, 11, 1, 1, 1, "axis keepdims", run_arg},
    {"ArgMax ArgMin", 12, last, 1, 1, 1, "axis keepdims select_last_index", run_arg},
    {"Attention", 7, last, 3, 7, 4,
     "is_causal kv_num_heads left_window_size q_num_heads qk_matmul_output_mode right_window_size "
     "scale softcap softmax_precision",
     run_attention},
    {"AveragePool", 1, 9, 1, 1, 1, "auto_pad count_include_pad kernel_shape pads strides",
     run_average_pool},
    {"AveragePool", 10, 18, 1, 1, 1,
     "auto_pad ceil_mode count_include_pad kernel_shape pads strides", run_average_pool},
    {"AveragePool", 19, last, 1, 1, 1,
     "auto_pad ceil_mode count_include_pad dilations kernel_shape pads strides", run_average_pool},
    {"BatchNormalization", 7, 8, 5, 5, 5, "epsilon momentum spatial", run_batch_normalization},
    {"BatchNormalization", 9, 13, 5, 5, 5, "epsilon momentum", run_batch_normalization},
    {"BatchNormalization", 14, last, 5, 5, 3, "epsilon momentum training_mode",
     run_batch_normalization},
    {"Cast", 6, 18, 1, 1, 1, "to", run_cast},
    {"Cast", 19, 23, 1, 1, 1, "saturate to", run_cast},
    {"Cast", 24, last, 1, 1, 1, "round_mode saturate to", run_cast},
    {"Softplus Softsign", 1, last, 1, 1, 1, "", run_function},
    {"Ceil Exp Floor Log Reciprocal Sigmoid Sqrt Tanh", 6, last, 1, 1, 1, "", run_function},
    {"Celu", 12, last, 1, 1, 1, "alpha", run_function},
    {"CenterCropPad", 18, last, 2, 2, 1, "axes", run_center_crop_pad, 1},
    {"Clip", 6, 10, 1, 1, 1, "min max", run_clip},
    {"Clip", 11, last, 1, 3, 1, "", run_clip},
    {"Concat", 4, last, 1, any_number, 1, "axis", run_concat},
    {"Constant", 1, 11, 0, 0, 1, "value", run_constant},
    {"Constant", 12, last, 0, 0, 1, "value value_float value_floats value_int value_ints",
     run_constant},
    {"ConstantOfShape", 9, last, 1, 1, 1, "value", run_constant_of_shape, 0},
    {"Conv", 1, last, 2, 3, 1, "auto_pad dilations group kernel_shape pads strides", run_conv},
    {"ConvInteger", 10, last, 2, 4, 1, "auto_pad dilations group kernel_shape pads strides",
     run_integer_product},
    {"ConvTranspose", 1, last, 2, 3, 1,
     "auto_pad dilations group kernel_shape output_padding output_shape pads strides",
     run_conv_transpose},
    {"CumSum", 11, last, 2, 2, 1, "exclusive reverse", run_cum_sum},
    {"DepthToSpace", 1, 10, 1, 1, 1, "blocksize", run_depth_to_space},
    {"DepthToSpace", 11, last, 1, 1, 1, "blocksize mode", run_depth_to_space},
    {"DequantizeLinear", 10, 12, 2, 3, 1, "", run_dequantize_linear},
    {"DequantizeLinear", 13, 20, 2, 3, 1, "axis", run_dequantize_linear},
    {"DequantizeLinear", 21, 22, 2, 3, 1, "axis block_size", run_dequantize_linear},
    {"DequantizeLinear", 23, last, 2, 3, 1, "axis block_size output_dtype", run_dequantize_linear},
    {"Div", 7, last, 2, 2, 1, "", run_div},
    {"Dropout", 7, 11, 1, 1, 2, "ratio", run_dropout},
    {"Dropout", 12, last, 1, 3, 2, "seed", run_dropout},
    {"DynamicQuantizeLinear", 11, last, 1, 1, 3, "", run_dynamic_quantize_linear},
    {"Elu", 6, last, 1, 1, 1, "alpha", run_function},
    {"Equal", 7, last, 2, 2, 1, "", run_equal},
    {"Erf", 9, last, 1, 1, 1, "", run_function},
    {"Expand", 8, last, 2, 2, 1, "", run_expand, 1},
    {"Flatten", 1, last, 1, 1, 1, "axis", run_flatten},
    {"GRU", 7, 13, 3, 6, 2,
     "activation_alpha activation_beta activations clip direction hidden_size linear_before_reset",
     run_gru},
    {"GRU", 14, last, 3, 6, 2,
     "activation_alpha activation_beta activations clip direction hidden_size layout "
     "linear_before_reset",
     run_gru},
    {"Gather", 1, last, 2, 2, 1, "axis", run_gather},
    {"Gelu", 7, last, 1, 1, 1, "approximate", run_function},
    {"Gemm", 7, 10, 3, 3, 1, "alpha beta transA transB", run_gemm},
    {"Gemm", 11, last, 2, 3, 1, "alpha beta transA transB", run_gemm},
    {"GlobalAveragePool", 1, last, 1, 1, 1, "", run_global_average_pool},
    {"GlobalMaxPool", 1, last, 1, 1, 1, "", run_global_max_pool},
    {"Greater Less", 7, last, 2, 2, 1, "", run_less},
    {"GreaterOrEqual LessOrEqual", 12, last, 2, 2, 1, "", run_less},
    {"GroupNormalization", 18, 20, 3, 3, 1, "epsilon num_groups", run_group_normalization},
    {"GroupNormalization", 21, last, 3, 3, 1, "epsilon num_groups stash_type",
     run_group_normalization},
    {"HardSigmoid", 6, last, 1, 1, 1, "alpha beta", run_function},
    {"HardSwish", 14, last, 1, 1, 1, "", run_function},
    {"Identity", 1, last, 1, 1, 1, "", run_identity},
    {"InstanceNormalization", 6, last, 3, 3, 1, "epsilon", run_instance_normalization},
    {"LRN", 1, last, 1, 1, 1, "alpha beta bias size", run_lrn},
    {"LSTM", 7, 13, 3, 8, 3,
     "activation_alpha activation_beta activations clip direction hidden_size input_forget",
     run_lstm},
    {"LSTM", 14, last, 3, 8, 3,
     "activation_alpha activation_beta activations clip direction hidden_size input_forget layout",
     run_lstm},
    {"LayerNormalization", 7, last, 2, 3, 3, "axis epsilon stash_type", run_layer_normalization},
    {"LeakyRelu", 6, last, 1, 1, 1, "alpha", run_leaky_relu},
    {"LogSoftmax", 1, last, 1, 1, 1, "axis", run_log_softmax},
    {"MatMul", 1, last, 2, 2, 1, "", run_mat_mul},
    {"MatMulInteger", 10, last, 2, 4, 1, "", run_integer_product},
    {"Max", 6, last, 1, any_number, 1, "", run_max},
    {"MaxPool", 1, 7, 1, 1, 1, "auto_pad kernel_shape pads strides", run_max_pool},
    {"MaxPool", 8, 9, 1, 1, 2, "auto_pad kernel_shape pads storage_order strides", run_max_pool},
    {"MaxPool", 10, last, 1, 1, 2,
     "auto_pad ceil_mode dilations kernel_shape pads storage_order strides", run_max_pool},
    {"Mean", 6, last, 1, any_number, 1, "", run_mean},
    {"Min", 6, last, 1, any_number, 1, "", run_min},
    {"Mish", 18, last, 1, 1, 1, "", run_function},
    {"Mod", 10, last, 2, 2, 1, "fmod", run_mod},
    {"Mul", 7, last, 2, 2, 1, "", run_mul},
    {"Not", 1, last, 1, 1, 1, "", run_not},
    {"OneHot", 9, last, 3, 3, 1, "axis", run_one_hot, 1},
    {"PRelu", 7, last, 2, 2, 1, "", run_p_relu},
    {"Pad", 2, 10, 1, 1, 1, "mode pads value", run_pad, 1},
    {"Pad", 11, 17, 2, 3, 1, "mode", run_pad, 1},
    {"Pad", 18, last, 2, 4, 1, "mode", run_pad, 1},
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
    {"RMSNormalization SimplifiedLayerNormalization", 7, last, 2, 2, 1, "axis epsilon stash_type",
     run_rms_normalization},
    {"RNN", 7, 13, 3, 6, 2,
     "activation_alpha activation_beta activations clip direction hidden_size", run_rnn},
    {"RNN", 14, last, 3, 6, 2,
     "activation_alpha activation_beta activations clip direction hidden_size layout", run_rnn},
    {"Range", 11, 26, 3, 3, 1, "", run_range, 0},
    {"Range", 27, last, 3, 3, 1, "stash_type", run_range, 0},
    {"ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd "
     "ReduceSumSquare",
     1, 17, 1, 1, 1, "axes keepdims", run_reduce, 1},
    {"ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd "
     "ReduceSumSquare",
     18, last, 1, 2, 1, "keepdims noop_with_empty_axes", run_reduce, 1},
    {"ReduceSum", 1, 12, 1, 1, 1, "axes keepdims", run_reduce, 1},
    {"ReduceSum", 13, last, 1, 2, 1, "keepdims noop_with_empty_axes", run_reduce, 1},
    {"Relu", 6, last, 1, 1, 1, "", run_relu},
    {"Reshape", 5, 13, 2, 2, 1, "", run_reshape, 1},
    {"Reshape", 14, last, 2, 2, 1, "allowzero", run_reshape, 1},
    {"Resize", 10, 10, 2, 2, 1, "mode", run_resize, 1},
    {"Resize", 11, 17, 1, 4, 1,
     "coordinate_transformation_mode cubic_coeff_a exclude_outside extrapolation_value mode "
     "nearest_mode",
     run_resize, 1},
    {"Resize", 18, last, 1, 4, 1,
     "antialias axes coordinate_transformation_mode cubic_coeff_a exclude_outside "
     "extrapolation_value keep_aspect_ratio_policy mode nearest_mode",
     run_resize, 1},
    {"RotaryEmbedding", 7, last, 3, 4, 1, "interleaved num_heads rotary_embedding_dim",
     run_rotary_embedding},
    {"Round", 11, last, 1, 1, 1, "", run_function},
    {"Selu", 6, last, 1, 1, 1, "alpha gamma", run_function},
    {"Shape", 1, 14, 1, 1, 1, "", run_shape},
    {"Shape", 15, last, 1, 1, 1, "end start", run_shape},
    {"Size", 1, last, 1, 1, 1, "", run_size},
    {"Slice", 1, 9, 1, 1, 1, "axes ends starts", run_slice, 1},
    {"Slice", 10, last, 3, 5, 1, "", run_slice, 1},
    {"Softmax", 1, last, 1, 1, 1, "axis", run_softmax},
    {"SpaceToDepth", 1, 27, 1, 1, 1, "blocksize", run_depth_to_space},
    {"SpaceToDepth", 28, last, 1, 1, 1, "blocksize mode", run_depth_to_space},
    {"Split", 2, 12, 1, 1, any_number, "axis split", run_split, 1},
    {"Split", 13, 17, 1, 2, any_number, "axis", run_split, 1},
    {"Split", 18, last, 1, 2, any_number, "axis num_outputs", run_split, 1},
    {"Squeeze", 1, 12, 1, 1, 1, "axes", run_squeeze, 1},
    {"Squeeze", 13, last, 1, 2, 1, "", run_squeeze, 1},
    {"Sub", 7, last, 2, 2, 1, "", run_sub},
    {"Sum", 6, last, 1, any_number, 1, "", run_sum},
    {"Swish", 7, last, 1, 1, 1, "alpha", run_function},
    {"ThresholdedRelu", 10, last, 1, 1, 1, "alpha", run_function},
    {"Tile", 6, last, 2, 2, 1, "", run_tile, 1},
    {"Transpose", 1, last, 1, 1, 1, "perm", run_transpose},
    {"Unsqueeze", 1, 12, 1, 1, 1, "axes", run_unsqueeze, 1},
    {"Unsqueeze", 13, last, 2, 2, 1, "", run_unsqueeze, 1},
    {"Upsample", 7, 8, 1, 1, 1, "mode scales", run_resize, 1},
    {"Upsample", 9, 9, 2, 2, 1, "mode", run_resize, 1},
    {"Where", 9, last, 3, 3, 1, "", run_where},
    {"ArrayFeatureExtractor", 1, last, 2, 2, 1, "", run_feature_extractor},
    {"Binarizer", 1, last, 1, 1, 1, "threshold", run_binarizer},
    {"BipolarQuant", 1, last, 2, 2, 1, "", run_bipolar_quant},
    {"Acos Asin Atan Cos Sin Tan", 7, last, 1, 1, 1, "", run_trigonometry},
    {"Acosh Asinh Atanh Cosh Sinh", 9, last, 1, 1, 1, "", run_trigonometry},
    {"BitwiseAnd BitwiseOr BitwiseXor", 18, last, 2, 2, 1, "", run_bitwise},
    {"BitwiseNot", 18, last, 1, 1, 1, "", run_bitwise},
    {"Hardmax", 1, last, 1, 1, 1, "axis", run_hardmax},
    {"IsInf", 10, last, 1, 1, 1, "detect_negative detect_positive", run_special},
    {"IsNaN", 9, last, 1, 1, 1, "", run_special},
    {"LpNormalization", 1, last, 1, 1, 1, "axis p", run_lp_normalization},
    {"MeanVarianceNormalization", 9, last, 1, 1, 1, "axes", run_mean_variance_normalization},
    {"Shrink", 9, last, 1, 1, 1, "bias lambd", run_shrink},
    {"SwiGLU", 28, last, 2, 2, 1, "alpha", run_swiglu},
    {"BitShift", 11, last, 2, 2, 1, "direction", run_bit_shift},
    {"BlackmanWindow HammingWindow HannWindow", 17, last, 1, 1, 1, "output_datatype periodic",
     run_window, 0},
    {"Col2Im", 18, last, 3, 3, 1, "dilations pads strides", run_col2im, 1},
    {"CumProd", 26, last, 2, 2, 1, "exclusive reverse", run_cum_prod},
    {"DFT", 17, 19, 1, 2, 1, "axis inverse onesided", run_dft, 1},
    {"DFT", 20, last, 1, 3, 1, "inverse onesided", run_dft, 1},
    {"Einsum", 12, last, 1, any_number, 1, "equation", run_einsum},
    {"GatherElements", 11, last, 2, 2, 1, "axis", run_gather_elements},
    {"GatherND", 11, 11, 2, 2, 1, "", run_gather_nd},
    {"GatherND", 12, last, 2, 2, 1, "batch_dims", run_gather_nd},
    {"GlobalLpPool", 2, last, 1, 1, 1, "p", run_global_lp_pool},
    {"GridSample", 16, last, 2, 2, 1, "align_corners mode padding_mode", run_grid_sample},
    {"Imputer", 1, last, 1, 1, 1, "imputed_value_floats replaced_value_float", run_imputer},
    {"LabelEncoder", 1, last, 1, 1, 1,
     "default_float default_int64 keys_floats keys_int64s values_floats values_int64s",
     run_label_encoder},
    {"LinearClassifier", 1, last, 1, 1, 2,
     "classlabels_ints classlabels_strings coefficients intercepts multi_class post_transform",
     run_linear_classifier},
    {"LinearRegressor", 1, last, 1, 1, 1, "coefficients intercepts post_transform targets",
     run_linear_regressor},
    {"LpPool", 2, 17, 1, 1, 1, "auto_pad kernel_shape p pads strides", run_lp_pool},
    {"LpPool", 18, last, 1, 1, 1, "auto_pad ceil_mode dilations kernel_shape p pads strides",
     run_lp_pool},
    {"MelWeightMatrix", 17, last, 5, 5, 1, "output_datatype", run_mel_weight_matrix, 0},
    {"Normalizer", 1, last, 1, 1, 1, "norm", run_normalizer},
    {"Quant", 1, last, 4, 4, 1, "narrow rounding_mode signed", run_quant},
    {"ReverseSequence", 10, last, 2, 2, 1, "batch_axis time_axis", run_reverse_sequence},
    {"STFT", 17, last, 2, 4, 1, "onesided", run_stft, 1},
    {"SVMClassifier", 1, last, 1, 1, 2,
     "classlabels_ints classlabels_strings coefficients kernel_params kernel_type post_transform "
     "prob_a prob_b rho support_vectors vectors_per_class",
     run_svm_classifier},
    {"SVMRegressor", 1, last, 1, 1, 1,
     "coefficients kernel_params kernel_type n_supports one_class post_transform rho "
     "support_vectors",
     run_svm_regressor},
    {"Scaler", 1, last, 1, 1, 1, "offset scale", run_scaler},
    {"Scatter", 9, 10, 3, 3, 1, "axis", run_scatter_elements},
    {"ScatterElements", 11, 15, 3, 3, 1, "axis", run_scatter_elements},
    {"ScatterElements", 16, last, 3, 3, 1, "axis reduction", run_scatter_elements},
    {"ScatterND", 11, 15, 3, 3, 1, "", run_scatter_nd},
    {"ScatterND", 16, last, 3, 3, 1, "reduction", run_scatter_nd},
    {"TopK", 1, 9, 1, 1, 2, "axis k", run_top_k},
    {"TopK", 10, 10, 2, 2, 2, "axis", run_top_k, 1},
    {"TopK", 11, last, 2, 2, 2, "axis largest sorted", run_top_k, 1},
    {"TreeEnsemble", 7, last, 1, 1, 1,
     "aggregate_function leaf_targetids leaf_weights membership_values n_targets "
     "nodes_falseleafs nodes_falsenodeids nodes_featureids nodes_hitrates "
     "nodes_missing_value_tracks_true nodes_modes nodes_splits nodes_trueleafs "
     "nodes_truenodeids post_transform tree_roots",
     run_tree_ensemble},
    {"TreeEnsembleClassifier", 1, last, 1, 1, 2,
     "base_values class_ids class_nodeids class_treeids class_weights "
     "classlabels_int64s classlabels_strings nodes_falsenodeids "
     "nodes_featureids nodes_hitrates nodes_missing_value_tracks_true "
     "nodes_modes nodes_nodeids nodes_treeids nodes_truenodeids nodes_values "
     "post_transform",
     run_tree_classifier},
    {"TreeEnsembleRegressor", 1, last, 1, 1, 1,
     "aggregate_function base_values n_targets nodes_falsenodeids "
     "nodes_featureids nodes_hitrates nodes_missing_value_tracks_true "
     "nodes_modes nodes_nodeids nodes_treeids nodes_truenodeids nodes_values "
     "post_transform target_ids target_nodeids target_treeids "
     "target_weights",
     run_tree_regressor},
    {"Trilu", 14, last, 1, 2, 1, "upper", run_trilu, 1},
};

/// Operators of ONNX Runtime's own domain, of all its versions. What attributes they may have, the
/// loader checks (functions.h).
constexpr Form runtime_forms[] = {
    {"Attention", 1, last, 2, 7, 1, "", run_runtime_attention},
    {"BiasGelu", 1, last, 2, 2, 1, "", run_runtime_gelu},
    {"FastGelu", 1, last, 1, 2, 1, "", run_runtime_gelu},
    {"FusedConv", 1, last, 2, 4, 1, "", run_fused_conv},
    {"FusedMatMul TransposeMatMul", 1, last, 2, 2, 1, "", run_fused_mat_mul},
    {"Gelu QuickGelu", 1, last, 1, 1, 1, "", run_runtime_gelu},
    {"MultiHeadAttention", 1, last, 3, 8, 3, "", run_multi_head_attention},
    {"QGemm", 1, last, 6, 9, 1, "", run_quantised_gemm},
    {"QLinearAdd QLinearMul", 1, last, 7, 8, 1, "", run_quantised_elements},
    {"QLinearAveragePool QLinearGlobalAveragePool QLinearLeakyRelu QLinearSigmoid", 1, last, 4, 5,
     1, "", run_quantised_elements},
    {"QLinearConcat", 1, last, 5, any_number, 1, "", run_quantised_concat},
    {"QLinearSoftmax", 1, last, 2, 5, 1, "", run_quantised_softmax},
    {"RotaryEmbedding", 1, last, 4, 4, 1, "", run_runtime_rotary},
    {"SkipLayerNormalization", 1, last, 3, 5, 4, "", run_skip_normalization},
    {"SkipSimplifiedLayerNormalization", 1, last, 3, 4, 4, "", run_skip_normalization},
};

/// Calls visit(word) for each of the words separated by blanks, until it returns true.
template <typename Visit>
bool any_word(std::string_view words, const Visit& visit) {
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    if (visit(words.substr(0, end))) return true;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return false;
}

bool has_word(std::string_view words, std::string_view word) {
  return any_word(words, [&](std::string_view other) { return other == word; });
}

}  // namespace

const Form* find_form(std::string_view op_type, std::int64_t opset) {
  const auto* found = std::find_if(std::begin(forms), std::end(forms), [&](const Form& form) {
    return opset >= form.since && opset <= form.until && has_word(form.names, op_type);
  });
  return found == std::end(forms) ? nullptr : found;
}

const Form* find_form(const Node& node, std::int64_t opset) {
  if (node.domain.empty()) return find_form(node.op_type, opset);
  if (node.domain != "com.microsoft") return nullptr;
  const auto* found =
      std::find_if(std::begin(runtime_forms), std::end(runtime_forms),
                   [&](const Form& form) { return has_word(form.names, node.op_type); });
  return found == std::end(runtime_forms) ? nullptr : found;
}

bool is_known(const Node& node) {
  if (!node.domain.empty()) return find_form(node, newest_opset) != nullptr;
  return std::any_of(std::begin(forms), std::end(forms),
                     [&](const Form& form) { return has_word(form.names, node.op_type); });
}

std::string form_problem(const Node& node, std::int64_t opset) {
  const Form* form = find_form(node, opset);
  if (form == nullptr) return fmt::format("operator set {} does not have this operator", opset);
  for (std::size_t i = 0; i < form->least_inputs; ++i) {
    if (node.input(i).empty()) return fmt::format("input {} is missing", i);
  }
  // An absent input may stand at the end, too.
  std::size_t inputs = node.inputs.size();
  while (inputs > 0 && node.inputs[inputs - 1].empty()) --inputs;
  if (inputs > form->most_inputs) {
    return fmt::format("has {} inputs; allowed are {} to {}", inputs, form->least_inputs,
                       form->most_inputs);
  }
  for (std::size_t i = form->most_outputs; i < node.outputs.size(); ++i) {
    if (node.outputs[i].empty()) continue;
    return fmt::format("output {} ({}) is not supported", i, quote(node.outputs[i]));
  }
  for (const auto& attribute : node.attributes) {
    if (!node.domain.empty() || has_word(form->attributes, attribute.first)) continue;
    return fmt::format("attribute {} does not belong to this operator here; allowed are: {}",
                       quote(attribute.first),
                       form->attributes.empty() ? "none" : form->attributes);
  }
  return {};
}

std::vector<std::string_view> known_operators() {
  std::vector<std::string_view> names;
  for (const Form& form : forms) {
    any_word(form.names, [&](std::string_view name) {
      names.push_back(name);
      return false;
    });
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace tactus::nn
