#include "firmware/onnx/runtime_functions.h"

#include <cstdlib>
#include <sstream>
#include <string_view>

namespace tactus::nn {
namespace {

/// Nodes are lines "RESULT = OPERATOR OPERAND..."; an operand "@NAME" is an attribute of the call,
/// "#NUMBER" the value of a Constant.
struct RuntimeFunction {
  const char* name;
  const char* inputs;
  const char* body;  ///< the last line has the function's result
};

#define GELU                                                       \
  "r = Constant #0.70710678\nl = Mul x r\ne = Erf l\n"             \
  "o = Constant #1\ng = Add e o\np = Mul x g\nh = Constant #0.5\n" \
  "y = Mul p h"

constexpr RuntimeFunction table[] = {
    {"QLinearAdd", "a as az b bs bz ys yz",
     "p = DequantizeLinear a as az\nq = DequantizeLinear b bs bz\n"
     "r = Add p q\ny = QuantizeLinear r ys yz"},
    {"QLinearMul", "a as az b bs bz ys yz",
     "p = DequantizeLinear a as az\nq = DequantizeLinear b bs bz\n"
     "r = Mul p q\ny = QuantizeLinear r ys yz"},
    {"QLinearSigmoid", "x xs xz ys yz",
     "p = DequantizeLinear x xs xz\nr = Sigmoid p\ny = QuantizeLinear r ys yz"},
    {"QLinearLeakyRelu", "x xs xz ys yz",
     "p = DequantizeLinear x xs xz\nr = LeakyRelu p @alpha\ny = QuantizeLinear r ys yz"},
    {"QLinearGlobalAveragePool", "x xs xz ys yz",
     "p = DequantizeLinear x xs xz\nr = GlobalAveragePool p\ny = QuantizeLinear r ys yz"},
    {"QLinearAveragePool", "x xs xz ys yz",
     "p = DequantizeLinear x xs xz\n"
     "r = AveragePool p @auto_pad @ceil_mode @count_include_pad @kernel_shape @pads @strides\n"
     "y = QuantizeLinear r ys yz"},
    {"QGemm", "a as az b bs bz c ys yz",
     "p = DequantizeLinear a as az\nq = DequantizeLinear b bs bz\ns = Mul as bs\n"
     "t = DequantizeLinear c s\nr = Gemm p q t @alpha @transA @transB\n"
     "y = QuantizeLinear r ys yz"},
    {"Gelu", "x", GELU},
    {"BiasGelu", "a b", "x = Add a b\n" GELU},
};

#undef GELU

void add_node(onnx::FunctionProto& function, const std::string& line) {
  std::istringstream words(line);
  std::string word;
  onnx::NodeProto& node = *function.add_node();
  words >> word;
  node.add_output(word);
  node.set_name(word);
  words >> word >> word;
  node.set_op_type(word);
  while (words >> word) {
    if (word[0] == '@') {
      const std::string name = word.substr(1);
      onnx::AttributeProto& attribute = *node.add_attribute();
      attribute.set_name(name);
      attribute.set_ref_attr_name(name);
      function.add_attribute(name);
    } else if (word[0] == '#') {
      onnx::AttributeProto& attribute = *node.add_attribute();
      attribute.set_name("value");
      attribute.set_type(onnx::AttributeProto::TENSOR);
      attribute.mutable_t()->set_data_type(onnx::TensorProto::FLOAT);
      attribute.mutable_t()->add_float_data(std::strtof(word.c_str() + 1, nullptr));
    } else {
      node.add_input(word);
    }
  }
}

}  // namespace

std::vector<onnx::FunctionProto> runtime_functions() {
  std::vector<onnx::FunctionProto> functions;
  for (const RuntimeFunction& described : table) {
    onnx::FunctionProto& function = functions.emplace_back();
    function.set_domain("com.microsoft");
    function.set_name(described.name);
    std::istringstream inputs(described.inputs), lines(described.body);
    for (std::string name; inputs >> name;) function.add_input(name);
    for (std::string line; std::getline(lines, line);) add_node(function, line);
    function.add_output("y");
  }
  return functions;
}

}  // namespace tactus::nn
