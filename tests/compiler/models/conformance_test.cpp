// ONNX's own tests of single nodes (Debian: libonnx-testdata). Each test whose operators Tactus
// supports gives the expected values on the simulated unit, or is listed here with a reason.
#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include <gtest/gtest.h>

#include "firmware/compiler/frontend/operators.h"
#include "firmware/compiler/targets/tcu/stripe/from_onnx.h"
#include "firmware/onnx/loader.h"
#include "firmware/onnx/operators.h"
#include "firmware/onnx/tensor_files.h"
#include "tests/compiler/models/outcome.h"

namespace tactus::compiler {
namespace {

namespace fs = std::filesystem;

const std::string suite = "/usr/share/libonnx-testdata/data/node";

struct Case {
  nn::Graph graph;
  std::vector<nn::Tensor> inputs, expected;  ///< in the graph's order
};

std::vector<nn::Tensor> read_set(const fs::path& folder, const std::string& what) {
  std::vector<nn::Tensor> tensors;
  for (std::size_t i = 0;; ++i) {
    const fs::path path = folder / (what + "_" + std::to_string(i) + ".pb");
    if (!fs::exists(path)) return tensors;
    tensors.push_back(nn::read_tensor(path.string()).tensor);
  }
}

/// How many of the first inputs are computed at run time: all, and, if there are several, one.
std::vector<std::size_t> computed_inputs(const Case& c) {
  const std::size_t all = c.inputs.size();
  return all > 1 ? std::vector<std::size_t>{all, 1} : std::vector<std::size_t>{all};
}

/// Returns the graph with the inputs from number `first` on as initializers, as models have for
/// weights and shapes.
nn::Graph with_initializers(const Case& c, std::size_t first) {
  nn::Graph graph = c.graph;
  graph.inputs.clear();
  for (std::size_t i = 0; i < c.inputs.size(); ++i) {
    const nn::ValueInfo& info = c.graph.inputs[i];
    if (i < first) {
      graph.inputs.push_back(info);
    } else {
      graph.initializers[info.name] = c.inputs[i];
    }
  }
  return graph;
}

enum class Outcome { right, wrong, refused };

using Compile = Compiled (*)(const nn::Graph& graph, const tcu::Architecture& architecture);

Compiled layer_by_layer(const nn::Graph& graph, const tcu::Architecture& architecture) {
  return compile(graph, architecture);
}

Compiled by_way_of_stripe(const nn::Graph& graph, const tcu::Architecture& architecture) {
  return compile_via_stripe(graph, architecture).model;
}

/// The text of a right outcome where the host computes all outputs.
constexpr const char* on_host = "by the host alone";

/// Allowed error relative to the largest value. An LSTM has five piecewise linear functions per
/// step, whose errors add up.
double allowed_error(const std::string& name) {
  return name.rfind("test_lstm_", 0) == 0 ? 0.01 : 0.005;
}

/// Compiles the case with all inputs computed at run time or, if that is refused, with all but the
/// first known when compiling; then runs and compares it. `text` gets the refusal or how far the
/// values are off.
Outcome outcome_of(const Case& c, Compile compile, double allowed, std::string& text) {
  for (const std::size_t first : computed_inputs(c)) {
    const nn::Graph graph = with_initializers(c, first);
    try {
      const Compiled compiled = compile(graph, ample_architecture());
      nn::Values inputs;
      for (std::size_t i = 0; i < c.inputs.size(); ++i) {
        inputs[c.graph.inputs[i].name] = c.inputs[i];
      }
      const nn::Values outputs = finished(compiled, inputs);
      for (std::size_t i = 0; i < c.expected.size(); ++i) {
        const nn::Tensor& actual = outputs.at(compiled.model_outputs.at(i));
        const double error = relative_error(actual, c.expected[i]);
        if (actual.shape != c.expected[i].shape || !(error < allowed)) {
          text = "shape " + nn::to_string(actual.shape) + ", error " + std::to_string(error);
          return Outcome::wrong;
        }
      }
      text = compiled.output_layouts.empty() ? on_host : "";
      return Outcome::right;
    } catch (const UserError& error) {
      text = error.what();
    }
  }
  return Outcome::refused;
}

/// Reads a test case. Empty for tests of unsupported operators, and for tests without tensors.
std::optional<Case> read_case(const fs::path& folder) {
  Case c;
  try {
    c.graph = nn::load_graph((folder / "model.onnx").string());
    for (const nn::Node& node : c.graph.nodes) {
      const bool known =
          node.domain.empty() && (!node.graphs.empty() || find_operator(node.op_type) != nullptr ||
                                  nn::reference_has(node, c.graph.opset));
      if (!known) return std::nullopt;
    }
    c.inputs = read_set(folder / "test_data_set_0", "input");
    c.expected = read_set(folder / "test_data_set_0", "output");
  } catch (const UserError&) {
    return std::nullopt;
  }
  if (c.inputs.size() != c.graph.inputs.size()) return std::nullopt;
  return c;
}

/// Reasons why tests are refused or give other values, by a prefix of the tests' names.
const std::map<std::string, std::string>& reasons() {
  static const std::string sized = "the values of an input decide the size of the result";
  static const std::string corners =
      "expects corners of a fractional output size, ONNX Runtime those of the whole one";
  static const std::string training = "training";
  static const std::string infinite = "a fixed point has neither NaN nor infinities";
  static const std::string empty = "tensors without elements";
  static const std::string decided = "a condition or number of iterations is an input";
  static const std::map<std::string, std::string> all{
      {"test_batchnorm_epsilon_training", training},
      {"test_batchnorm_example_training", training},
      {"test_blackmanwindow", sized},
      {"test_cast_BFLOAT16_to_FLOAT", infinite},
      {"test_cast_FLOAT_to_BFLOAT16", infinite},
      {"test_castlike_BFLOAT16_to_FLOAT", infinite},
      {"test_castlike_FLOAT_to_BFLOAT16", infinite},
      {"test_constantofshape", sized},
      {"test_dropout_default_mask", training},
      {"test_hammingwindow", sized},
      {"test_hannwindow", sized},
      {"test_if", decided},
      {"test_loop11", decided},
      {"test_melweightmatrix", sized},
      {"test_range_float_type_positive_delta_expanded", decided},
      {"test_range_int32", sized},
      {"test_reshape_allowzero", empty},
      {"test_resize_downsample_scales_cubic_align_corners", corners},
      {"test_resize_downsample_scales_linear_align_corners", corners},
      {"test_split_zero_size", empty},
      {"test_training_dropout", training},
      {"test_tril_zero", empty},
      {"test_triu_zero", empty},
  };
  return all;
}

std::string reason_of(const std::string& name) {
  std::string best, reason;
  for (const auto& [prefix, why] : reasons()) {
    if (name.rfind(prefix, 0) == 0 && prefix.size() >= best.size()) {
      best = prefix;
      reason = why;
    }
  }
  return reason;
}

/// Calls `visit` with every test that read_case() accepts, in the order of names.
template <typename Visit>
void each_case(Visit&& visit) {
  std::vector<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(suite)) folders.push_back(entry.path());
  std::sort(folders.begin(), folders.end());
  for (const fs::path& folder : folders) {
    const std::optional<Case> c = read_case(folder);
    if (c) visit(folder.filename().string(), *c);
  }
}

class Conformance : public testing::TestWithParam<Compile> {};

TEST_P(Conformance, NodeTestsOfTheStandard) {
  if (!fs::exists(suite)) {
    GTEST_SKIP() << suite << " is not there; as root: apt-get install libonnx-testdata";
  }
  std::map<Outcome, std::size_t> counts;
  std::map<std::string, std::size_t> by_reason;
  std::size_t by_host = 0;
  each_case([&](const std::string& name, const Case& c) {
    std::string text;
    const Outcome outcome = outcome_of(c, GetParam(), allowed_error(name), text);
    ++counts[outcome];
    if (outcome == Outcome::right && text == on_host) ++by_host;
    if (outcome != Outcome::right) ++by_reason[reason_of(name)];
    if (outcome == Outcome::right || reason_of(name) != "") return;
    ADD_FAILURE() << name << (outcome == Outcome::wrong ? " is wrong: " : " is refused: ") << text;
  });
  std::printf(
      "%zu right (%zu by the host alone), %zu of other values with a reason, %zu refused with a "
      "reason\n",
      counts[Outcome::right], by_host, counts[Outcome::wrong], counts[Outcome::refused]);
  for (const auto& [reason, count] : by_reason) std::printf("%zu: %s\n", count, reason.c_str());
  EXPECT_GE(counts[Outcome::right], 709U);
  EXPECT_LE(counts[Outcome::wrong], 6U);
}

INSTANTIATE_TEST_SUITE_P(Ways, Conformance, testing::Values(layer_by_layer, by_way_of_stripe),
                         [](const auto& tested) {
                           return tested.index == 0 ? "LayerByLayer" : "ByWayOfStripe";
                         });

/// Each operator of ONNX's table has a case in tests/compiler/operators (EveryForm) if the unit
/// computes it; else it occurs here in a test whose values are compared, or elsewhere.
TEST(OperatorTable, EveryOperatorHasATest) {
  if (!fs::exists(suite)) {
    GTEST_SKIP() << suite << " is not there; as root: apt-get install libonnx-testdata";
  }
  // ONNX's older tests lack these.
  static const std::set<std::string_view> by_attributes{
      "ArrayFeatureExtractor",
      "BlackmanWindow",
      "HammingWindow",
      "HannWindow",
      "MelWeightMatrix",
      "Binarizer",
      "BipolarQuant",
      "BitwiseAnd",
      "BitwiseNot",
      "BitwiseOr",
      "BitwiseXor",
      "CumProd",
      "Imputer",
      "LabelEncoder",
      "LinearClassifier",
      "LinearRegressor",
      "Normalizer",
      "SVMClassifier",
      "SVMRegressor",
      "Scaler",
      "SimplifiedLayerNormalization",
      "TreeEnsemble",
      "TreeEnsembleClassifier",
      "TreeEnsembleRegressor"};  // tests/compiler/attributes/cases.json
  std::set<std::string> seen;
  each_case([&](const std::string& name, const Case& c) {
    for (const nn::Node& node : c.graph.nodes) {
      if (reason_of(name).empty()) seen.insert(node.op_type);
    }
  });
  for (const std::string_view op : nn::known_operators()) {
    if (find_operator(op) != nullptr) continue;
    const bool tested = seen.count(std::string(op)) != 0;
    EXPECT_NE(tested, by_attributes.count(op) != 0) << op << (tested ? " is tested here" : "");
  }
}

/// The compiler's table has no operator that ONNX's lacks.
TEST(OperatorTable, CompilerHasOnlyOperatorsOfOnnx) {
  const std::vector<std::string_view> known = nn::known_operators();
  for (const std::string_view op : operator_types()) {
    EXPECT_TRUE(std::binary_search(known.begin(), known.end(), op)) << op;
  }
}

/// Returns the error text of `compile`; empty if it succeeds.
std::string refusal_of(Compile compile, const nn::Graph& graph,
                       const tcu::Architecture& architecture) {
  try {
    (void)compile(graph, architecture);
    return {};
  } catch (const UserError& error) {
    return error.what();
  }
}

/// The machines are without and with lookup tables.
class StripeOnMachines : public testing::TestWithParam<bool> {};

TEST_P(StripeOnMachines, CompilesAllThatTheLayerCompilerCompiles) {
  if (!fs::exists(suite)) {
    GTEST_SKIP() << suite << " is not there; as root: apt-get install libonnx-testdata";
  }
  tcu::Architecture machine = architecture(8);
  machine.dram0_depth = machine.dram1_depth = std::uint64_t{1} << 20;
  if (GetParam()) {
    machine.data_type = tcu::DataType::fp8bp4;  // small tables are computed fast
    machine.lookup_tables = {2, 64, 2};
    machine.simd_registers_depth = 3;
  }
  std::size_t both = 0;
  each_case([&](const std::string& name, const Case& c) {
    for (const std::size_t first : computed_inputs(c)) {
      const nn::Graph graph = with_initializers(c, first);
      if (!refusal_of(layer_by_layer, graph, machine).empty()) continue;
      const std::string refused = refusal_of(by_way_of_stripe, graph, machine);
      EXPECT_EQ(refused, "") << name;
      both += refused.empty() ? 1 : 0;
    }
  });
  std::printf("%zu programs\n", both);
  EXPECT_GE(both, 994U);
}

INSTANTIATE_TEST_SUITE_P(Tables, StripeOnMachines, testing::Bool(), [](const auto& tested) {
  return tested.param ? "WithTables" : "WithoutTables";
});

}  // namespace
}  // namespace tactus::compiler
