// An attribute, an optional input or a type that is accepted has its effect. Every row of the
// tables of operators (firmware/onnx/operators.cpp, runtime_functions.cpp) has a case whose values
// differ without it; the float reference and compiled programs give the values of others
// (cases.json).
#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "firmware/onnx/number_types.h"
#include "firmware/onnx/operators.h"
#include "firmware/onnx/runtime_functions.h"
#include "firmware/onnx/tensor_files.h"
#include "tests/compiler/attributes/recorded_case.h"
#include "tests/compiler/models/outcome.h"

namespace tactus::compiler {
namespace {

/// Attributes that cannot change what inference computes.
const std::map<std::string, std::string>& without_effect() {
  static const std::string of_training = "only training uses it; other values are refused",
                           of_weights = "it must be the size of the weights; others are refused",
                           of_float8 = "it concerns 8-bit floats, which are refused",
                           of_type = "real numbers of any type are FLOAT inside",
                           of_speed = "it says how often a branch is taken",
                           inner = "it is the type of inner numbers, which the unit has its own of";
  static const std::map<std::string, std::string> all{
      {"BatchNormalization momentum", of_training},
      {"Dropout input 1", of_training},
      {"Dropout ratio", of_training},
      {"Dropout seed", of_training},
      {"Attention softmax_precision", inner},
      {"GroupNormalization stash_type", inner},
      {"LayerNormalization stash_type", inner},
      {"RMSNormalization stash_type", inner},
      {"SimplifiedLayerNormalization stash_type", inner},
      {"QuantizeLinear precision", "1 (FLOAT) is what it is without; others are refused"},
      {"Cast saturate", of_float8},
      {"Cast round_mode", of_float8},
      {"QuantizeLinear saturate", of_float8},
      {"Conv kernel_shape", of_weights},
      {"ConvInteger kernel_shape", of_weights},
      {"ConvTranspose kernel_shape", of_weights},
      {"QLinearConv kernel_shape", of_weights},
      {"GRU hidden_size", of_weights},
      {"LSTM hidden_size", of_weights},
      {"RNN hidden_size", of_weights},
      {"GRU input 4", "lengths of sequences must be those of the input; others are refused"},
      {"LSTM input 4", "lengths of sequences must be those of the input; others are refused"},
      {"RNN input 4", "lengths of sequences must be those of the input; others are refused"},
      {"Range stash_type", inner},
      {"HannWindow output_datatype", of_type},
      {"HammingWindow output_datatype", of_type},
      {"BlackmanWindow output_datatype", of_type},
      {"MelWeightMatrix output_datatype", of_type},
      {"FusedConv kernel_shape", of_weights},
      {"LinearClassifier multi_class", "the numbers of labels and intercepts say the same"},
      {"QLinearSoftmax input 2", "a Softmax does not change with what is added to all elements"},
      {"QLinearSoftmax opset", "it is the model's"},
      {"TopK sorted", "without it any order is right, the sorted one, too"},
      {"TreeEnsemble nodes_hitrates", of_speed},
      {"TreeEnsembleClassifier nodes_hitrates", of_speed},
      {"TreeEnsembleRegressor nodes_hitrates", of_speed}};
  return all;
}

/// Largest error of the reference: roundings in single precision, or one step of quantised numbers.
bool is_near(const nn::Tensor& actual, const nn::Tensor& expected, double allowed) {
  if (actual.shape != expected.shape || nn::type_of(actual) != nn::type_of(expected)) return false;
  const bool quantised = expected.stored == nn::onnx_uint8 || expected.stored == nn::onnx_int8;
  if (!quantised) return relative_error(actual, expected) <= allowed;
  for (std::size_t i = 0; i < expected.integers.size(); ++i) {
    if (std::abs(actual.integers[i] - expected.integers[i]) > 1) return false;
  }
  return true;
}

/// Says how results of the reference differ; empty: they do not.
std::string difference_of_reference(const RecordedCase& c, std::int64_t opset) {
  try {
    const nn::Values actual = nn::run_reference(c.graph(opset), c.values());
    for (const auto& [name, expected] : c.outputs) {
      const auto made = actual.find(name);
      if (made == actual.end()) return name + " has no value";
      // Real numbers of other types are FLOAT until they are written.
      const nn::Tensor typed = expected.type == nn::ElementType::float32
                                   ? nn::as_type(made->second, nn::type_of(expected))
                                   : made->second;
      if (is_near(typed, expected, 1e-5)) continue;
      return name + " is wrong, error " + std::to_string(relative_error(typed, expected)) +
             ", shape " + nn::to_string(typed.shape) + ", type " +
             std::to_string(nn::type_of(typed));
    }
  } catch (const UserError& error) {
    return std::string("refused: ") + error.what();
  }
  return {};
}

/// True if the refusal is the one that the case expects.
bool is_expected(const RecordedCase& c, const std::string& message) {
  return !c.refused.empty() && message.find(c.refused) != std::string::npos;
}

TEST(Attributes, ReferenceGivesTheValuesOfOthers) {
  ASSERT_GT(recorded_cases().size(), 600U);
  for (const RecordedCase& c : recorded_cases()) {
    for (const std::int64_t opset : c.opsets) {
      const std::string found = difference_of_reference(c, opset);
      const bool refused = found.rfind("refused: ", 0) == 0;
      if (c.refused.empty() ? found.empty() : refused && is_expected(c, found)) continue;
      ADD_FAILURE() << c.text() << ", operator set " << opset << ": "
                    << (found.empty() ? "is not refused" : found);
    }
  }
}

// ---- every row has a case -----------------------------------------------------------------------

std::vector<std::string> words_of(std::string_view text) {
  std::istringstream stream{std::string(text)};
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

/// A row of the tables: an attribute ("alpha") or optional input ("input 2") of an operator in one
/// of its forms.
struct Row {
  const nn::Form* form;
  std::string op, domain, what;

  bool operator<(const Row& other) const {
    return std::tie(form, op, domain, what) <
           std::tie(other.form, other.op, other.domain, other.what);
  }
};

void add_inputs(std::set<Row>& rows, const nn::Form& form, const std::string& op,
                const std::string& domain, const std::vector<std::size_t>& refused) {
  if (form.most_inputs == nn::any_number) return;
  for (std::size_t i = form.least_inputs; i < form.most_inputs; ++i) {
    if (std::find(refused.begin(), refused.end(), i) != refused.end()) continue;
    rows.insert({&form, op, domain, "input " + std::to_string(i)});
  }
}

std::set<Row> all_rows() {
  std::set<Row> rows;
  for (const std::string_view op : nn::known_operators()) {
    for (std::int64_t opset = nn::first_opset; opset <= nn::newest_opset; ++opset) {
      const nn::Form* form = nn::find_form(op, opset);
      if (form == nullptr) continue;
      for (const std::string& word : words_of(form->attributes)) {
        rows.insert({form, std::string(op), "", word});
      }
      add_inputs(rows, *form, std::string(op), "", {});
    }
  }
  for (const nn::RuntimeFunction& function : nn::runtime_functions()) {
    nn::Node node;
    node.domain = function.proto.domain();
    node.op_type = function.proto.name();
    const nn::Form* form = nn::find_form(node, nn::newest_opset);
    if (node.domain.empty() || form == nullptr) continue;
    for (const std::string& name : function.proto.attribute()) {
      rows.insert({form, node.op_type, node.domain, name});
    }
    for (const std::string& condition : function.conditions) {
      rows.insert({form, node.op_type, node.domain, condition.substr(0, condition.find('='))});
    }
    add_inputs(rows, *form, node.op_type, node.domain, function.refused);
  }
  return rows;
}

/// True if the case gives other values, or is refused, without the attribute or input.
bool has_effect(RecordedCase c, std::int64_t opset, const std::string& what) {
  if (!c.refused.empty()) return true;
  if (what.rfind("input ", 0) == 0) {
    c.inputs[std::stoul(what.substr(6))] = nullptr;
  } else {
    c.attributes.erase(what);
  }
  return !difference_of_reference(c, opset).empty();
}

/// Rows that the case covers: what it gives, and what its values show.
void add_covered(const RecordedCase& c, std::set<Row>& covered) {
  std::set<std::string> given;
  for (const auto& [name, value] : c.attributes.items()) given.insert(name);
  for (std::size_t i = 0; i < c.inputs.size(); ++i) {
    if (!c.inputs[i].is_null()) given.insert("input " + std::to_string(i));
  }
  for (const std::int64_t opset : c.opsets) {
    nn::Node node;
    node.domain = c.domain;
    node.op_type = c.op;
    const nn::Form* form = nn::find_form(node, opset);
    for (const std::string& what : given) {
      const Row row{form, c.op, c.domain, what};
      if (covered.count(row) != 0) continue;
      const bool exempt = without_effect().count(c.op + " " + what) != 0;
      if (exempt || has_effect(c, opset, what)) covered.insert(row);
    }
  }
}

TEST(Attributes, EveryRowHasACaseInWhichItMatters) {
  std::set<Row> covered;
  for (const RecordedCase& c : recorded_cases()) add_covered(c, covered);
  const std::set<Row> rows = all_rows();
  EXPECT_GT(rows.size(), 300U);
  for (const Row& row : rows) {
    if (covered.count(row) != 0) continue;
    ADD_FAILURE() << row.op << " of operator sets " << row.form->since << " to " << row.form->until
                  << ": no case shows the effect of " << row.what
                  << "; add one to tests/compiler/attributes/variants.py";
  }
}

TEST(Attributes, EveryQuantisedTypeHasACase) {
  std::set<std::string> seen;
  for (const RecordedCase& c : recorded_cases()) {
    for (const auto& input : c.inputs) {
      if (!input.is_null()) seen.insert(c.op + " " + std::to_string(input.value("type", 1)));
    }
    for (const auto& [name, output] : c.outputs) {
      seen.insert(c.op + " to " + std::to_string(nn::type_of(output)));
    }
  }
  for (const char* op : {"QuantizeLinear", "DequantizeLinear"}) {
    for (const int type : {nn::onnx_int8, nn::onnx_uint8, nn::onnx_int16, nn::onnx_uint16}) {
      EXPECT_EQ(seen.count(std::string(op) + " " + std::to_string(type)), 1U) << op << type;
    }
  }
  EXPECT_EQ(seen.count("DequantizeLinear 6"), 1U);
  for (const char* op :
       {"QLinearConv", "QLinearMatMul", "QLinearAdd", "QLinearMul", "QGemm", "QLinearSigmoid",
        "QLinearLeakyRelu", "QLinearAveragePool", "QLinearGlobalAveragePool"}) {
    for (const int type : {nn::onnx_int8, nn::onnx_uint8}) {
      EXPECT_EQ(seen.count(std::string(op) + " to " + std::to_string(type)), 1U) << op << type;
    }
  }
  for (const char* op : {"Add", "Sub", "Mul", "Div", "Sum", "Max", "Min"}) {
    for (const int type : {2, 3, 4, 5, 6, 7, 12}) {
      EXPECT_EQ(seen.count(std::string(op) + " to " + std::to_string(type)), 1U) << op << type;
    }
  }
}

// ---- programs -----------------------------------------------------------------------------------

tcu::Architecture machine_of_tables() {
  tcu::Architecture machine = architecture(8);
  machine.data_type = tcu::DataType::fp32bp16;
  machine.lookup_tables = {2, 256, 4};
  machine.simd_registers_depth = 3;
  return machine;
}

/// Compiles and simulates a case whose inputs from `first_constant` on are known when compiling.
/// Empty if the values are right; refusals are thrown.
std::string difference_of_program(const RecordedCase& c, std::int64_t opset,
                                  std::size_t first_constant, bool optimise) {
  Options options;
  options.optimise = optimise;
  options.effort = 20;
  const nn::Graph graph = c.graph(opset, first_constant);
  const nn::Values actual =
      finished(compile(graph, machine_of_tables(), options), c.values(first_constant));
  for (const auto& [name, expected] : c.outputs) {
    if (is_near(actual.at(name), expected, 0.01)) continue;
    return name + " has shape " + nn::to_string(actual.at(name).shape) + ", type " +
           std::to_string(nn::type_of(actual.at(name))) + ", error " +
           std::to_string(relative_error(actual.at(name), expected));
  }
  return {};
}

/// Ways of compiling and constant inputs alternate from case to case, so that all kinds meet all.
TEST(Attributes, ProgramsGiveTheValuesOfOthersOrAreRefused) {
  std::set<std::string> compiled;
  std::size_t right = 0, number = 0;
  for (const RecordedCase& c : recorded_cases()) {
    const bool optimise = ++number % 4 == 0;
    const std::size_t constants = number % 3 == 0 ? c.inputs.size() : 1;
    const std::int64_t opset = number % 2 == 0 ? c.opsets.front() : c.opsets.back();
    try {
      const std::string found = difference_of_program(c, opset, constants, optimise);
      EXPECT_TRUE(found.empty() && c.refused.empty())
          << c.text() << ", operator set " << opset << ", constants from input " << constants
          << ": " << (found.empty() ? "is not refused" : found);
      compiled.insert(c.op);
      ++right;
    } catch (const UserError&) {  // NOLINT(bugprone-empty-catch)
      // The compiler supports fewer forms than the reference; its refusals have tests of their own.
    }
  }
  EXPECT_GT(right, 250U);
  EXPECT_GT(compiled.size(), 60U);
}

TEST(Attributes, FoldedIntegersWrap) {
  GraphMaker maker;
  nn::Tensor zero = integers({0}), hundred = integers({100});
  zero.stored = hundred.stored = nn::onnx_uint8;
  maker.input("x", {1, 8}).constant("zero", zero).constant("hundred", hundred);
  maker.node("Sub", {"zero", "hundred"}, {"whole"});
  maker.node("Cast", {"whole"}, {"real"}, {{"to", std::int64_t{nn::onnx_float}}});
  maker.node("Add", {"x", "real"}, {"y"}).output("y");
  const nn::Values values{{"x", nn::Tensor::zeros({1, 8})}};
  const nn::Values made = finished(compile(maker.graph, machine_of_tables()), values);
  EXPECT_EQ(made.at("y").floats, std::vector<float>(8, 156));
}

TEST(Attributes, FilesKeepTheTypeOfATensor) {
  const nn::Tensor tensor = floats({3}, {0, 1, 2.75F});
  const std::string folder = testing::TempDir();
  for (const int type : {1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 16}) {
    const nn::Tensor typed = nn::as_type(tensor, type);
    for (const char* name : {"attributes_test.npy", "attributes_test.pb"}) {
      nn::write_tensor(folder + name, "t", typed);
      const nn::Tensor again = nn::read_tensor(folder + name).tensor;
      EXPECT_EQ(again, typed) << type;
      const bool in_numpy = type != nn::onnx_bfloat16 || std::string(name) == "attributes_test.pb";
      EXPECT_EQ(nn::type_of(again), in_numpy ? type : nn::onnx_float);
    }
  }
}

}  // namespace
}  // namespace tactus::compiler
