// The compiler's table of operators: how each is folded, expanded and planned. What the standard
// says of them is in firmware/onnx/operators.h.
//
// One file a family in operators/. To add an operator: write it as nodes of other operators
// (expansion.h) or, where there are none for it, a plan function (planner.h), which describes what
// it computes as a nest (nest.h), and name it in its family's list.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "firmware/compiler/frontend/emitter.h"
#include "firmware/compiler/frontend/expansion.h"
#include "firmware/compiler/frontend/model.h"
#include "firmware/compiler/frontend/planner.h"

namespace tactus::compiler {

/// What the analysis of a whole model has to know of an operator.
enum Trait : std::uint32_t {
  is_product = 1,            ///< multiplies matrices; it is never left to the host
  has_inner_products = 2,    ///< is expanded to nodes with products that read each other
  is_recurrent = 4,          ///< repeats its work for each element of a sequence, input 0
  keeps_layout = 8,          ///< works on single elements; the result has the operands' layout
  keeps_rows = 16,           ///< its operand may lie in rows if a reader of the result wants rows
  wants_image = 32,          ///< needs channels innermost in memory
  wants_rows = 64,           ///< needs the last dimension innermost in memory
  keeps_quantisation = 128,  ///< results are values of the operand, so the steps stay the same
  reads_shape = 256,         ///< reads only the shape of its operand
  takes_means = 512,         ///< each result is a mean of several elements
};
using Traits = std::uint32_t;  ///< a set of them

struct Operator {
  std::string_view type;
  Traits traits = 0;
  Role role = Role::simple;  ///< of its step in a layer, unless plan() sets another one
  /// Plans a node at run time. Null: the operator exists at compile time only.
  Plan (*plan)(Planner&) = nullptr;
  /// Folds a node whose operands are all constant. Null: the reference executor does it, if it has
  /// the operator.
  void (*fold)(Planner&) = nullptr;
  /// Writes other nodes that compute the same; they are planned in place of the node. Returns false
  /// if this form needs none; plan() is then called. Not called in compatible mode.
  bool (*expand)(Planner&, Expansion&) = nullptr;
};

using Operators = std::vector<Operator>;

// The families.
[[nodiscard]] Operators convolution_operators();    ///< Conv
[[nodiscard]] Operators matrix_operators();         ///< MatMul, Gemm
[[nodiscard]] Operators arithmetic_operators();     ///< Add, Sub, Mul, Div
[[nodiscard]] Operators activation_operators();     ///< Relu, LeakyRelu, Clip, Softmax
[[nodiscard]] Operators normalisation_operators();  ///< BatchNormalization
[[nodiscard]] Operators pool_operators();           ///< MaxPool, AveragePool, GlobalAveragePool
[[nodiscard]] Operators resize_operators();         ///< Resize
[[nodiscard]] Operators relabel_operators();        ///< Transpose, Identity, Dropout
[[nodiscard]] Operators rearrange_operators();      ///< Reshape, Concat, Split, Slice, Pad...
[[nodiscard]] Operators constant_operators();       ///< Constant, Shape, Cast...
[[nodiscard]] Operators selection_operators();      ///< Gather, Expand, Tile, DepthToSpace...
[[nodiscard]] Operators function_operators();       ///< Sigmoid, Tanh, HardSwish, Abs, Pow...
[[nodiscard]] Operators statistics_operators();     ///< LogSoftmax, LRN, LayerNormalization...
[[nodiscard]] Operators reduction_operators();      ///< ReduceMean, ReduceSum, ReduceMax...
[[nodiscard]] Operators quantisation_operators();   ///< QuantizeLinear, DequantizeLinear
[[nodiscard]] Operators attention_operators();      ///< Attention, RotaryEmbedding
[[nodiscard]] Operators indexing_operators();       ///< GatherND, ScatterND, Trilu...
[[nodiscard]] Operators composed_operators();       ///< Einsum, DFT, STFT, LpPool...
[[nodiscard]] Operators sampling_operators();       ///< GridSample
[[nodiscard]] Operators recurrent_operators();      ///< RNN, GRU, LSTM
[[nodiscard]] Operators logic_operators();          ///< Equal, Less, And, Where, Sign, Round...

/// Operators that only expansions use; their names are none of ONNX.
[[nodiscard]] Operators internal_operators();

/// Finds an operator; null if there is none.
[[nodiscard]] const Operator* find_operator(std::string_view type);
[[nodiscard]] const Operator* find_internal_operator(std::string_view type);
/// True if the node's operator is in the table and has one of the traits.
[[nodiscard]] bool has(const nn::Node& node, Traits traits);
/// All types in the table, sorted.
[[nodiscard]] std::vector<std::string_view> operator_types();
/// The supported operators as sorted text: "Add, AveragePool, ...".
[[nodiscard]] std::string supported_operators();

}  // namespace tactus::compiler
