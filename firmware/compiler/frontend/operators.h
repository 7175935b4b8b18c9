// The table of operators: what each may be, how it is folded, how it is planned.
//
// One file a family in operators/. To add an operator: write a plan function (planner.h) whose
// emitter fills the layer (emitter.h), and name it in its family's list.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "firmware/compiler/frontend/emitter.h"
#include "firmware/compiler/frontend/model.h"
#include "firmware/compiler/frontend/planner.h"

namespace tactus::compiler {

struct Operator {
  std::string_view type;
  std::size_t least_inputs = 1;
  Role role = Role::simple;
  /// At run time. Null: only at compile time.
  Emit (*plan)(Planner&) = nullptr;
  /// With all operands constant. Null: not at compile time.
  void (*fold)(Planner&) = nullptr;
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
[[nodiscard]] Operators constant_operators();       ///< Constant, Shape, Gather, Cast...

/// Null if there is none.
[[nodiscard]] const Operator* find_operator(std::string_view type);
/// Sorted, "Add, AveragePool, ...".
[[nodiscard]] std::string supported_operators();

}  // namespace tactus::compiler
