#include "firmware/onnx/runtime_functions.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string_view>

#include <fmt/format.h>

namespace tactus::nn {
namespace {

/// Inputs are names: "!x" is required, "-x" is refused. Nodes are lines
/// "RESULT,... = OPERATOR OPERAND...". An operand "@NAME" is the attribute of the call,
/// "OTHER@NAME" that attribute under another name, "@NAME=NUMBER" with a default;
/// "NAME=VALUE" is an attribute of the node. The value of a Constant is "#NUMBER", "##INTEGER", or
/// "#[INTEGER,...]".
struct Description {
  const char* domain;
  const char* name;
  const char* inputs;
  const char* outputs;
  const char* body;
  const char* conditions = "";  ///< see RuntimeFunction
};

constexpr const char* microsoft = "com.microsoft";

#define GELU                                                       \
  "r = Constant #0.70710678\nl = Mul x r\ne = Erf l\n"             \
  "o = Constant #1\ng = Add e o\np = Mul x g\nh = Constant #0.5\n" \
  "y = Mul p h"

#define ROTARY                         \
  "cp = Gather c p\nsp = Gather s p\n" \
  "y = RotaryEmbedding x cp sp @interleaved @num_heads @rotary_embedding_dim"

/// Parts of a bias for queries, keys and values.
#define BIASES                                                                          \
  "i0 = Constant ##0\ni1 = Constant ##1\ni2 = Constant ##2\nthird = Constant #[3,-1]\n" \
  "b3 = Reshape b third\nbq = Gather b3 i0\nbk = Gather b3 i1\nbv = Gather b3 i2\n"

/// Numbers to be added from a mask of shape [batch, keys] and a bias. A Transpose of two dimensions
/// refuses masks of other shapes.
#define MASK                                                                     \
  "m2 = Transpose m perm=0,1\nrow = Constant #[0,1,1,-1]\nm4 = Reshape m2 row\n" \
  "mt = Cast m4 to=9\nzero = Constant #0\n"                                      \
  "low = Constant value@mask_filter_value=-10000\n"                              \
  "mw = Where mt zero low\nmask = Add mw a\n"

/// Product of quantised matrices. Columns of the second may have scales of their own; alpha
/// multiplies the bias, too.
#define PRODUCT(turn, columns, result)                                  \
  "p = DequantizeLinear a as az\n" turn "q = DequantizeLinear " columns \
  " bs bz\ns = Mul as bs\ncr = Cast c to=1\nt = Mul cr s\n" result      \
  " = Gemm p q t @alpha beta@alpha @transA\n"
#define TURN "bt = Transpose b perm=1,0\n"

/// A convolution, a sum with another tensor, and an activation.
#define FUSED_CONV                                                            \
  "c = Conv x w b @auto_pad @dilations @group @kernel_shape @pads @strides\n" \
  "t = Add c z\n"
#define TURNED(x) x "t = Einsum " x " equation=...ij->...ji\n"
#define TIMES_ALPHA "s = Constant value@alpha=1\ny = Mul p s"

constexpr Description table[] = {
    {microsoft, "QLinearAdd", "a as az b bs bz ys yz", "y",
     "p = DequantizeLinear a as az\nq = DequantizeLinear b bs bz\n"
     "r = Add p q\ny = QuantizeLinear r ys yz"},
    {microsoft, "QLinearMul", "a as az b bs bz ys yz", "y",
     "p = DequantizeLinear a as az\nq = DequantizeLinear b bs bz\n"
     "r = Mul p q\ny = QuantizeLinear r ys yz"},
    {microsoft, "QLinearSigmoid", "x xs xz ys yz", "y",
     "p = DequantizeLinear x xs xz\nr = Sigmoid p\ny = QuantizeLinear r ys yz"},
    {microsoft, "QLinearLeakyRelu", "x xs xz ys yz", "y",
     "p = DequantizeLinear x xs xz\nr = LeakyRelu p @alpha\ny = QuantizeLinear r ys yz"},
    {microsoft, "QLinearGlobalAveragePool", "x xs xz ys yz", "y",
     "p = DequantizeLinear x xs xz\nr = GlobalAveragePool p\ny = QuantizeLinear r ys yz"},
    {microsoft, "QLinearAveragePool", "x xs xz ys yz", "y",
     "p = DequantizeLinear x xs xz\n"
     "r = AveragePool p @auto_pad @ceil_mode @count_include_pad @kernel_shape @pads @strides\n"
     "y = QuantizeLinear r ys yz"},
    {microsoft, "QGemm", "a as az b bs bz c !ys yz", "y",
     PRODUCT(TURN, "bt", "r") "y = QuantizeLinear r ys yz", "transB"},
    {microsoft, "QGemm", "a as az b bs bz c !ys yz", "y",
     PRODUCT("", "b", "r") "y = QuantizeLinear r ys yz"},
    {microsoft, "QGemm", "a as az b bs bz c", "y", PRODUCT(TURN, "bt", "y"), "transB"},
    {microsoft, "QGemm", "a as az b bs bz c", "y", PRODUCT("", "b", "y")},
    {microsoft, "QLinearSoftmax", "x xs xz ys yz", "y",
     "p = DequantizeLinear x xs xz\nr = Softmax p @axis\ny = QuantizeLinear r ys yz"},
    {microsoft, "FusedConv", "x w b z", "y", FUSED_CONV "y = Relu t", "activation=Relu"},
    {microsoft, "FusedConv", "x w b z", "y", FUSED_CONV "y = Sigmoid t", "activation=Sigmoid"},
    {microsoft, "FusedConv", "x w b z", "y", FUSED_CONV "y = Tanh t", "activation=Tanh"},
    {microsoft, "FusedConv", "x w b z", "y", FUSED_CONV "y = LeakyRelu t alpha@activation_params",
     "activation=LeakyRelu"},
    {microsoft, "FusedMatMul", "a b", "y", TURNED("a") TURNED("b") "p = MatMul at bt\n" TIMES_ALPHA,
     "transA transB alpha"},
    {microsoft, "FusedMatMul", "a b", "y", TURNED("a") TURNED("b") "y = MatMul at bt",
     "transA transB"},
    {microsoft, "FusedMatMul", "a b", "y", TURNED("a") "p = MatMul at b\n" TIMES_ALPHA,
     "transA alpha"},
    {microsoft, "FusedMatMul", "a b", "y", TURNED("b") "p = MatMul a bt\n" TIMES_ALPHA,
     "transB alpha"},
    {microsoft, "FusedMatMul", "a b", "y", TURNED("a") "y = MatMul at b", "transA"},
    {microsoft, "FusedMatMul", "a b", "y", TURNED("b") "y = MatMul a bt", "transB"},
    {microsoft, "FusedMatMul", "a b", "y", "p = MatMul a b\n" TIMES_ALPHA, "alpha"},
    {microsoft, "FusedMatMul", "a b", "y", "y = MatMul a b"},
    {microsoft, "Gelu", "x", "y", GELU},
    {microsoft, "BiasGelu", "a b", "y", "x = Add a b\n" GELU},
    {microsoft, "FastGelu", "x b", "y", "t = Add x b\ny = Gelu t approximate=tanh"},
    {microsoft, "QuickGelu", "x", "y", "y = Swish x @alpha=1.702"},
    {microsoft, "SkipLayerNormalization", "x s g b a", "y mean inverse t",
     "u = Add x s\nt = Add u a\ny = LayerNormalization t g b @epsilon=1e-12"},
    {microsoft, "SkipSimplifiedLayerNormalization", "x s g a", "y mean inverse t",
     "u = Add x s\nt = Add u a\ny = RMSNormalization t g @epsilon=1e-12"},
    {"", "SimplifiedLayerNormalization", "x s", "y",
     "y = RMSNormalization x s @axis @epsilon @stash_type"},
    {"", "RotaryEmbedding", "x c s !p", "y", ROTARY},
    {microsoft, "RotaryEmbedding", "x !p c s", "y", ROTARY},
    {microsoft, "MultiHeadAttention", "q !k !v b m a pk pv -length -beams", "y k1 v1",
     BIASES MASK
     "xq = Add q bq\nxk = Add k bk\nxv = Add v bv\n"
     "y,k1,v1 = Attention xq xk xv mask pk pv q_num_heads@num_heads kv_num_heads@num_heads "
     "is_causal@unidirectional @scale"},
    {microsoft, "Attention", "x w b m -past a -length", "y",
     BIASES MASK "each = Constant #[0,3,-1]\nw3 = Reshape w each\nwq = Gather w3 i0 axis=1\n"
                 "wk = Gather w3 i1 axis=1\nwv = Gather w3 i2 axis=1\n"
                 "pq = MatMul x wq\npk = MatMul x wk\npv = MatMul x wv\n"
                 "xq = Add pq bq\nxk = Add pk bk\nxv = Add pv bv\n"
                 "y = Attention xq xk xv mask q_num_heads@num_heads kv_num_heads@num_heads "
                 "is_causal@unidirectional @scale"},
};

#undef GELU
#undef ROTARY
#undef BIASES
#undef MASK
#undef PRODUCT
#undef TURN
#undef FUSED_CONV
#undef TURNED
#undef TIMES_ALPHA

std::vector<std::int64_t> integers_of(const std::string& text) {
  std::vector<std::int64_t> values;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    values.push_back(std::strtoll(word.c_str(), nullptr, 10));
  }
  return values;
}

/// The value of a Constant, without the first '#'.
void set_value(onnx::NodeProto& node, const std::string& text) {
  onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name("value");
  attribute.set_type(onnx::AttributeProto::TENSOR);
  onnx::TensorProto& tensor = *attribute.mutable_t();
  const bool list = text[0] == '[';
  if (!list && text[0] != '#') {
    tensor.set_data_type(onnx::TensorProto::FLOAT);
    tensor.add_float_data(std::strtof(text.c_str(), nullptr));
    return;
  }
  tensor.set_data_type(onnx::TensorProto::INT64);
  for (const std::int64_t value : integers_of(text.substr(1))) tensor.add_int64_data(value);
  if (list) tensor.add_dims(tensor.int64_data_size());
}

/// "OTHER@NAME=DEFAULT" or "NAME=VALUE".
void add_attribute(onnx::FunctionProto& function, onnx::NodeProto& node, const std::string& word) {
  const std::size_t at = word.find('@'), equals = word.find('=');
  const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
  onnx::AttributeProto& attribute = *node.add_attribute();
  if (at != std::string::npos) {
    const std::string name = word.substr(at + 1, equals - std::min(equals, at + 1));
    attribute.set_name(at == 0 ? name : word.substr(0, at));
    attribute.set_ref_attr_name(name);
    function.add_attribute(name);
    if (value.empty()) return;
    attribute.set_type(onnx::AttributeProto::FLOAT);
    attribute.set_f(std::strtof(value.c_str(), nullptr));
    return;
  }
  attribute.set_name(word.substr(0, equals));
  const bool number = value.find_first_not_of("0123456789,") == std::string::npos;
  if (!number) {
    attribute.set_type(onnx::AttributeProto::STRING);
    attribute.set_s(value);
  } else if (value.find(',') == std::string::npos) {
    attribute.set_type(onnx::AttributeProto::INT);
    attribute.set_i(integers_of(value).front());
  } else {
    attribute.set_type(onnx::AttributeProto::INTS);
    for (const std::int64_t each : integers_of(value)) attribute.add_ints(each);
  }
}

void add_node(onnx::FunctionProto& function, const std::string& line) {
  std::istringstream words(line);
  std::string word;
  onnx::NodeProto& node = *function.add_node();
  words >> word;
  std::istringstream outputs(word);
  for (std::string output; std::getline(outputs, output, ',');) node.add_output(output);
  node.set_name(node.output(0));
  words >> word >> word;
  node.set_op_type(word);
  while (words >> word) {
    if (word[0] == '#') {
      set_value(node, word.substr(1));
    } else if (word.find_first_of("@=") != std::string::npos) {
      add_attribute(function, node, word);
    } else {
      node.add_input(word);
    }
  }
}

}  // namespace

namespace {

RuntimeFunction function_of(const Description& described) {
  RuntimeFunction made;
  onnx::FunctionProto& function = made.proto;
  function.set_domain(described.domain);
  function.set_name(described.name);
  std::istringstream inputs(described.inputs), outputs(described.outputs), lines(described.body);
  for (std::string name; inputs >> name;) {
    const auto number = static_cast<std::size_t>(function.input_size());
    if (name[0] == '!') made.required.push_back(number);
    if (name[0] == '-') made.refused.push_back(number);
    function.add_input(name[0] == '!' || name[0] == '-' ? name.substr(1) : name);
  }
  for (std::string name; outputs >> name;) function.add_output(name);
  std::istringstream conditions(described.conditions);
  for (std::string word; conditions >> word;) made.conditions.push_back(word);
  for (std::string line; std::getline(lines, line);) add_node(function, line);
  return made;
}

/// Joins `count` quantised tensors, each with scale and zero point.
RuntimeFunction quantised_concat(int count) {
  std::string inputs = "ys yz", body, parts;
  for (int k = 0; k < count; ++k) {
    inputs += fmt::format(" {1}x{0} s{0} z{0}", k, k + 1 == count ? "!" : "");
    body += fmt::format("p{0} = DequantizeLinear x{0} s{0} z{0}\n", k);
    parts += fmt::format(" p{}", k);
  }
  body += "r = Concat" + parts + " @axis\ny = QuantizeLinear r ys yz";
  return function_of({microsoft, "QLinearConcat", inputs.c_str(), "y", body.c_str()});
}

}  // namespace

std::vector<RuntimeFunction> runtime_functions() {
  std::vector<RuntimeFunction> functions;
  for (const Description& described : table) functions.push_back(function_of(described));
  constexpr int most_parts = 16;
  for (int count = most_parts; count > 0; --count) functions.push_back(quantised_concat(count));
  return functions;
}

}  // namespace tactus::nn
