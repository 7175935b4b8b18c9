// The operators that ONNX has with the same meaning, under its own name. The readers of both
// formats and the writer share the rows.
#pragma once

#include <cstddef>
#include <string_view>

namespace tactus::tf {

enum class SameResult : unsigned char {
  number,
  condition,  ///< true or false
  written,    ///< a number; the writer writes the ONNX operator as this one
};
struct SameOperator {
  std::string_view op;
  const char* onnx;
  std::string_view lite;  ///< in TensorFlow Lite; empty: it is not there, or has attributes
  std::size_t inputs;     ///< 0: 1 or more
  SameResult result = SameResult::number;
};
inline constexpr SameOperator same_operators[] = {
    {"Abs", "Abs", "ABS", 1},
    {"Add", "Add", "", 2},
    {"AddN", "Sum", "ADD_N", 0},
    {"AddV2", "Add", "", 2, SameResult::written},
    {"Ceil", "Ceil", "CEIL", 1},
    {"Cos", "Cos", "COS", 1},
    {"Div", "Div", "", 2},
    {"Elu", "Elu", "ELU", 1, SameResult::written},
    {"Equal", "Equal", "EQUAL", 2, SameResult::condition},
    {"Erf", "Erf", "", 1},
    {"Exp", "Exp", "EXP", 1},
    {"Floor", "Floor", "FLOOR", 1},
    {"Greater", "Greater", "GREATER", 2, SameResult::condition},
    {"GreaterEqual", "GreaterOrEqual", "GREATER_EQUAL", 2, SameResult::condition},
    {"Inv", "Reciprocal", "", 1},
    {"Less", "Less", "LESS", 2, SameResult::condition},
    {"LessEqual", "LessOrEqual", "LESS_EQUAL", 2, SameResult::condition},
    {"Log", "Log", "LOG", 1},
    {"LogicalAnd", "And", "LOGICAL_AND", 2, SameResult::condition},
    {"LogicalNot", "Not", "LOGICAL_NOT", 1, SameResult::condition},
    {"LogicalOr", "Or", "LOGICAL_OR", 2, SameResult::condition},
    {"Maximum", "Max", "MAXIMUM", 2},
    {"Minimum", "Min", "MINIMUM", 2},
    {"Mul", "Mul", "", 2, SameResult::written},
    {"Neg", "Neg", "NEG", 1},
    {"PRelu", "PRelu", "PRELU", 2},
    {"Pow", "Pow", "POW", 2},
    {"RealDiv", "Div", "", 2, SameResult::written},
    {"Reciprocal", "Reciprocal", "", 1},
    {"Relu", "Relu", "RELU", 1, SameResult::written},
    {"Rint", "Round", "", 1},
    {"Round", "Round", "ROUND", 1},
    {"Selu", "Selu", "", 1},
    {"Sigmoid", "Sigmoid", "LOGISTIC", 1, SameResult::written},
    {"Sign", "Sign", "SIGN", 1},
    {"Sin", "Sin", "SIN", 1},
    {"Softplus", "Softplus", "", 1},
    {"Softsign", "Softsign", "", 1},
    {"Sqrt", "Sqrt", "SQRT", 1},
    {"Sub", "Sub", "", 2, SameResult::written},
    {"Tanh", "Tanh", "TANH", 1, SameResult::written},
};

}  // namespace tactus::tf
