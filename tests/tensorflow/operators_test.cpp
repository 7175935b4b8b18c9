// Every operator compared with TensorFlow: small frozen graphs with results computed by TensorFlow
// (make_cases.py); Tactus computes them with the reference executor and on the simulated unit.
#include <algorithm>
#include <filesystem>
#include <set>

#include <gtest/gtest.h>

#include "firmware/onnx/operators.h"
#include "firmware/onnx/tensor_files.h"
#include "firmware/tensorflow/model_files.h"
#include "firmware/tensorflow/writer.h"
#include "tests/compiler/models/outcome.h"

namespace tactus::tf {
namespace {

namespace fs = std::filesystem;

struct Case {
  std::string name;
  ImportOptions options;
  nn::Values inputs, expected;
  nn::Graph graph;
};

std::vector<std::string> case_names() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(TACTUS_GOLDEN_DIR "/tensorflow")) {
    if (entry.path().extension() == ".pb") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

Case read_case(const std::string& name) {
  const std::string base = TACTUS_GOLDEN_DIR "/tensorflow/" + name;
  Case c;
  c.name = name;
  for (nn::NamedTensor& array : nn::read_npz(base + ".npz")) {
    const bool input = array.name.rfind("in_", 0) == 0;
    const std::string node = array.name.substr(input ? 3 : 4);
    if (input) {
      c.options.input_shapes[node] = array.tensor.shape;
      c.inputs[node] = std::move(array.tensor);
    } else {
      c.options.outputs.push_back(node);
      c.expected[node] = std::move(array.tensor);
    }
  }
  c.graph = load_model(base + ".pb", c.options);
  return c;
}

/// Returns the tolerance relative to the largest value. Without tables, a Softmax before a product
/// is approximated by a piecewise linear function.
double tolerance_of(const std::string& name) { return name == "softmax_inside" ? 0.01 : 0.005; }

class Operators : public testing::TestWithParam<std::string> {};

TEST_P(Operators, TheReferenceEqualsTensorFlow) {
  const Case c = read_case(GetParam());
  const nn::Values values = nn::run_reference(c.graph, c.inputs);
  for (const auto& [name, expected] : c.expected) {
    const nn::Tensor& actual = values.at(name);
    EXPECT_EQ(actual.shape, expected.shape) << name;
    EXPECT_LT(compiler::relative_error(actual, expected), 1e-5) << name;
  }
}

TEST_P(Operators, TheUnitEqualsTensorFlow) {
  const Case c = read_case(GetParam());
  const compiler::Compiled compiled = compiler::compile(c.graph, compiler::ample_architecture());
  const nn::Values values = compiler::finished(compiled, c.inputs);
  for (const auto& [name, expected] : c.expected) {
    const nn::Tensor& actual = values.at(name);
    EXPECT_EQ(actual.shape, expected.shape) << name;
    EXPECT_LT(compiler::relative_error(actual, expected), tolerance_of(c.name)) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(TensorFlow, Operators, testing::ValuesIn(case_names()),
                         [](const auto& tested) { return tested.param; });

/// Finds operators in the list of supported operators that no case uses.
TEST(OperatorList, HasACaseForEveryOperator) {
  std::set<std::string> seen;
  for (const std::string& name : case_names()) {
    const GraphDef graph = read_graph_def(TACTUS_GOLDEN_DIR "/tensorflow/" + name + ".pb");
    for (const Node& node : graph.nodes) seen.insert(node.op);
  }
  // Operators without a case: current TensorFlow does not write them, or they are other names for
  // an operator with a case.
  const std::set<std::string> without{"BatchNormWithGlobalNormalization",
                                      "ArgMin",
                                      "BatchMatMul",
                                      "BatchMatMulV3",
                                      "BiasAddV1",
                                      "CheckNumerics",
                                      "Concat",
                                      "Div",
                                      "EnsureShape",
                                      "Equal",
                                      "Gather",
                                      "Greater",
                                      "GreaterEqual",
                                      "HardSwish",  // TensorFlow Lite's: lite_test.cpp
                                      "Gelu",
                                      "UnidirectionalSequenceLSTM",
                                      "PRelu",
                                      "NotEqual",
                                      "Cos",
                                      "Sin",
                                      "IdentityN",
                                      "Inv",
                                      "Less",
                                      "LessEqual",
                                      "LogicalAnd",
                                      "LogicalNot",
                                      "LogicalOr",
                                      "MaxPoolV2",
                                      "OnesLike",
                                      "PreventGradient",
                                      "Rank",
                                      "Rint",
                                      "Select",
                                      "ShapeN",
                                      "Snapshot",
                                      "ZerosLike"};
  std::string list = supported_operators();
  std::set<std::string> missing;
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find(", ", at), list.size());
    const std::string op = list.substr(at, end - at);
    if (seen.count(op) == 0 && without.count(op) == 0) missing.insert(op);
    at = end + 2;
  }
  EXPECT_EQ(missing, std::set<std::string>{});
}

TEST(TensorFlowWriter, WritesOperatorsOfOnnx) {
  const std::vector<std::string_view> known = nn::known_operators();
  for (const std::string_view op : written_operators()) {
    EXPECT_TRUE(std::binary_search(known.begin(), known.end(), op)) << op;
  }
}

}  // namespace
}  // namespace tactus::tf
