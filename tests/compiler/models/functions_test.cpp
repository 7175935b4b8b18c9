// Functions on machines with lookup tables: their results for every number of the data type are
// compared with the error bound stated by the compiler. Also operators composed of such functions.
#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "firmware/compiler/frontend/operators/table_curve.h"
#include "isa/tcu/arithmetic.h"
#include "tests/compiler/models/outcome.h"

namespace tactus::compiler {
namespace {

tcu::Architecture with_tables(tcu::Architecture a, std::uint32_t count = 2,
                              std::uint32_t depth = 256, std::uint32_t key_binary_point = 4) {
  a.lookup_tables = {count, depth, key_binary_point};
  a.simd_registers_depth = count + 1;
  return a;
}

/// The data type is FP16BP8, since a test can try all its 65536 numbers.
tcu::Architecture small_machine() { return with_tables(architecture(8)); }

/// Returns the number after "largest error " in the compiler's notes; infinite if there is none.
double stated_error(const Compiled& compiled) {
  for (const std::string& note : compiled.notes) {
    const std::size_t at = note.find("largest error ");
    if (at != std::string::npos) return std::stod(note.substr(at + 14));
  }
  return HUGE_VAL;
}

std::vector<float> every_number(tcu::DataType type) {
  std::vector<float> values;
  for (std::int64_t m = tcu::info(type).min(); m <= tcu::info(type).max(); ++m) {
    values.push_back(static_cast<float>(tcu::to_real(type, m)));
  }
  return values;
}

/// Returns the largest error over all numbers of FP16BP8, relative to max(1, |expected value|). The
/// expected value saturates to the data type's range; NaN is skipped.
double largest_error(const std::vector<float>& x, const std::vector<float>& y,
                     const std::function<double(double)>& f) {
  double largest = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    double expected = f(static_cast<double>(x[i]));
    if (std::isnan(expected)) continue;
    expected = std::clamp(expected, -128.0, 32767.0 / 256);
    largest = std::max(largest, std::abs(static_cast<double>(y[i]) - expected) /
                                    std::max(1.0, std::abs(expected)));
  }
  return largest;
}

struct FunctionCase {
  std::string op;
  Attributes attributes;
  std::function<double(double)> f;
};

double logistic(double x) { return 1 / (1 + std::exp(-x)); }
double soft(double x) { return std::log1p(std::exp(-std::abs(x))) + std::max(x, 0.0); }

const std::vector<FunctionCase>& functions() {
  static const std::vector<FunctionCase> all{
      {"Sigmoid", {}, logistic},
      {"Tanh", {}, [](double x) { return std::tanh(x); }},
      {"Erf", {}, [](double x) { return std::erf(x); }},
      {"Gelu", {}, [](double x) { return x * (1 + std::erf(x / std::sqrt(2.0))) / 2; }},
      {"Mish", {}, [](double x) { return x * std::tanh(soft(x)); }},
      {"HardSwish", {}, [](double x) { return x * std::clamp(x / 6 + 0.5, 0.0, 1.0); }},
      {"HardSigmoid",
       {{"alpha", 0.25F}, {"beta", 0.5F}},
       [](double x) { return std::clamp(0.25 * x + 0.5, 0.0, 1.0); }},
      {"Softplus", {}, soft},
      {"Softsign", {}, [](double x) { return x / (1 + std::abs(x)); }},
      {"Elu", {}, [](double x) { return x > 0 ? x : std::expm1(x); }},
      {"Celu", {{"alpha", 2.0F}}, [](double x) { return x > 0 ? x : 2 * std::expm1(x / 2); }},
      {"Selu",
       {},
       [](double x) {
         return 1.05070102214813232 * (x > 0 ? x : 1.67326319217681885 * std::expm1(x));
       }},
      {"Exp", {}, [](double x) { return std::exp(x); }},
      {"Log", {}, [](double x) { return std::log(x); }},
      {"Sqrt", {}, [](double x) { return std::sqrt(x); }},
      {"Reciprocal", {}, [](double x) { return 1 / x; }},
  };
  return all;
}

class EveryNumber : public testing::TestWithParam<FunctionCase> {};

TEST_P(EveryNumber, IsWithinTheStatedBound) {
  const FunctionCase& c = GetParam();
  GraphMaker maker(20);
  maker.input("x", {1, 8, 128, 64}).node(c.op, {"x"}, {"y"}, c.attributes).output("y");
  const Compiled compiled = compile(maker.graph, small_machine());
  EXPECT_EQ(compiled.host, nullptr);
  const double stated = stated_error(compiled);
  const std::vector<float> x = every_number(tcu::DataType::fp16bp8);
  const std::vector<float> y = run(compiled, {{"x", x}}).at("y");
  const double error = largest_error(x, y, c.f);
  std::printf("%-12s largest error %.5f, stated %.5f\n", c.op.c_str(), error, stated);
  // The note rounds to two digits.
  EXPECT_LE(error, stated * 1.06);
  EXPECT_GE(error, stated * 0.94) << "the statement is no more than what is measured";
  EXPECT_LE(error, 2.0 / 256) << "two steps of the data type, as firmware/compiler/README.md says";
}

INSTANTIATE_TEST_SUITE_P(Functions, EveryNumber, testing::ValuesIn(functions()),
                         [](const auto& test) { return test.param.op; });

// ---- wide types and other tables ----------------------------------------------------------------

/// Returns values around 0 and over the whole range of FP32BP16.
std::vector<float> wide_numbers(std::size_t count) {
  std::vector<float> values;
  for (std::size_t k = 0; k < count; ++k) {
    const double t = static_cast<double>(k) / static_cast<double>(count) * 2 - 1;
    values.push_back(static_cast<float>(k % 2 == 0 ? t * 16 : t * std::abs(t) * 32000));
  }
  return values;
}

TEST(WideNumbers, FunctionsOfWideNumbersKeepTheErrorBound) {
  // Error bounds. They include values whose argument or result is near the ends of the range, where
  // the result itself is large.
  const std::map<std::string, double> bounds{{"Sigmoid", 0.001},   {"Tanh", 0.001}, {"Gelu", 0.001},
                                             {"Softplus", 0.001},  {"Exp", 0.03},   {"Sqrt", 0.005},
                                             {"Reciprocal", 0.01}, {"Log", 0.005}};
  const tcu::Architecture machine = with_tables(ample_architecture());
  const std::vector<float> x = wide_numbers(8192);
  for (const FunctionCase& c : functions()) {
    const auto bound = bounds.find(c.op);
    if (bound == bounds.end()) continue;
    GraphMaker maker(20);
    maker.input("x", {1, 8, 32, 32}).node(c.op, {"x"}, {"y"}, c.attributes).output("y");
    const Compiled compiled = compile(maker.graph, machine);
    const std::vector<float> y = run(compiled, {{"x", x}}).at("y");
    double largest = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double expected = std::clamp(c.f(static_cast<double>(x[i])), -32768.0, 32767.99);
      if (std::isnan(expected)) continue;
      largest = std::max(largest, std::abs(static_cast<double>(y[i]) - expected) /
                                      std::max(1.0, std::abs(expected)));
    }
    std::printf("%-12s largest error %.6f, stated %.6f\n", c.op.c_str(), largest,
                stated_error(compiled));
    EXPECT_LE(largest, bound->second) << c.op;
  }
}

TEST(Tables, TablesOfAnySizeKeepTheStatedError) {
  GraphMaker maker(13);
  maker.input("x", {1, 8, 128, 64}).node("Sigmoid", {"x"}, {"y"}).output("y");
  const std::vector<float> x = every_number(tcu::DataType::fp16bp8);
  double last = 1;
  for (const std::uint32_t depth : {16U, 64U, 4096U}) {
    for (const std::uint32_t count : {2U, 3U}) {
      const std::uint32_t point = depth == 16 ? 0 : depth == 64 ? 2 : 8;
      const Compiled compiled =
          compile(maker.graph, with_tables(architecture(8), count, depth, point));
      const double error = largest_error(x, run(compiled, {{"x", x}}).at("y"), logistic);
      EXPECT_LE(error, stated_error(compiled) * 1.06);
      EXPECT_LE(error, last);
      if (count == 3) last = error;
    }
  }
  EXPECT_LE(last, 1.0 / 256);
}

/// Functions are left to the host if the machine has one table only, or too few registers for the
/// results of a lookup.
TEST(Tables, UnusableTablesLeaveFunctionsToTheHost) {
  GraphMaker maker(13);
  maker.input("x", {1, 8}).node("Sigmoid", {"x"}, {"y"}).output("y");
  EXPECT_NE(compile(maker.graph, with_tables(architecture(8), 1)).host, nullptr);
  tcu::Architecture few = small_machine();
  few.simd_registers_depth = 2;
  EXPECT_NE(compile(maker.graph, few).host, nullptr);
  EXPECT_EQ(compile(maker.graph, small_machine()).host, nullptr);
}

TEST(Tables, ATableIsLoadedOnceForAllItsUses) {
  GraphMaker maker(13);
  maker.input("x", {1, 8, 4, 4}).node("Sigmoid", {"x"}, {"y"}).output("y");
  Options options;
  options.dump_lir = true;
  const std::string text = compile(maker.graph, small_machine(), options).lir;
  std::size_t loads = 0;
  for (std::size_t at = 0; (at = text.find("load_lut", at)) != std::string::npos; ++at) ++loads;
  EXPECT_EQ(loads, 2U) << text;
}

/// x * Sigmoid(x) is one lookup, in the layer of the product before it.
TEST(Gates, AGateIsOneLookupInTheLayerBeforeIt) {
  GraphMaker maker(13);
  maker.input("x", {1, 8, 6, 6})
      .weights("w", {8, 8, 3, 3}, 0.25F)
      .node("Conv", {"x", "w"}, {"c"})
      .node("Sigmoid", {"c"}, {"s"})
      .node("Mul", {"c", "s"}, {"y"})
      .output("y");
  const Compiled compiled = compile(maker.graph, small_machine());
  EXPECT_EQ(compiled.layers.size(), 1U);
  expect_near_reference(maker.graph, small_machine());
  GraphMaker three(13);
  three.input("x", {1, 8, 6, 6})
      .node("Softplus", {"x"}, {"p"})
      .node("Tanh", {"p"}, {"t"})
      .node("Mul", {"t", "x"}, {"y"})
      .output("y");
  EXPECT_EQ(compile(three.graph, small_machine()).layers.size(), 1U);
  expect_near_reference(three.graph, small_machine());
}

TEST(Strategies, EveryStrategyUsesLookupTables) {
  for (const Strategy strategy : {Strategy::local_isolated, Strategy::local_vars,
                                  Strategy::local_consts, Strategy::local_vars_and_consts}) {
    GraphMaker maker(13);
    maker.input("x", {1, 8, 4, 4})
        .weights("w", {8, 8, 3, 3}, 0.25F)
        .node("Sigmoid", {"x"}, {"s"})
        .node("Conv", {"s", "w"}, {"c"})
        .node("Tanh", {"c"}, {"y"})
        .output("y");
    Options options;
    options.strategy = strategy;
    expect_near_reference(maker.graph, small_machine(), options, 0.07F);
  }
}

// ---- operators composed of functions ------------------------------------------------------------

/// Returns the largest error of an output compared with the float reference.
double deviation(const GraphMaker& maker, const tcu::Architecture& machine, float range = 2) {
  const Compiled compiled = compile(maker.graph, machine);
  EXPECT_EQ(compiled.host, nullptr);
  const auto inputs = values_for(compiled, range);
  nn::Values values;
  for (const TensorLayout& layout : compiled.input_layouts) {
    values[layout.name] = nn::Tensor::of(layout.shape, inputs.at(layout.name));
  }
  const nn::Values expected = nn::run_reference(maker.graph, values);
  const auto outputs = run(compiled, inputs);
  double largest = 0;
  for (const TensorLayout& layout : compiled.output_layouts) {
    const nn::Tensor& wanted = expected.at(layout.name);
    EXPECT_EQ(layout.shape, wanted.shape);
    const std::vector<float>& got = outputs.at(layout.name);
    for (std::size_t i = 0; i < got.size(); ++i) {
      largest = std::max(largest, static_cast<double>(std::abs(got[i] - wanted.floats[i])));
    }
  }
  return largest;
}

GraphMaker softmax(const std::string& op, const nn::Shape& shape, std::int64_t axis,
                   std::int64_t opset) {
  GraphMaker maker(opset);
  maker.input("x", shape).node(op, {"x"}, {"y"}, {{"axis", axis}}).output("y");
  return maker;
}

TEST(Softmax, IsComputedOnTheUnit) {
  for (const std::int64_t opset : {12, 13}) {
    for (const nn::Shape& shape : {nn::Shape{3, 10}, nn::Shape{2, 5, 3, 4}, nn::Shape{1, 100}}) {
      for (std::int64_t axis = 0; axis < static_cast<std::int64_t>(shape.size()); ++axis) {
        for (const char* op : {"Softmax", "LogSoftmax"}) {
          SCOPED_TRACE(nn::to_string(shape) + " axis " + std::to_string(axis) + " " + op);
          const GraphMaker maker = softmax(op, shape, axis, opset);
          const double wide = deviation(maker, with_tables(ample_architecture()), 4);
          EXPECT_LE(wide, 0.002);
          EXPECT_LE(deviation(maker, small_machine(), 4), 0.03);
        }
      }
    }
  }
}

/// Attention: Softmax between two products of computed operands, with and without tables.
TEST(Softmax, BetweenProducts) {
  GraphMaker maker(13);
  maker.input("x", {2, 9, 12}).attention("x", "y", 12, 0.4F).output("y");
  EXPECT_LE(deviation(maker, with_tables(ample_architecture()), 1), 0.01);
  EXPECT_LE(deviation(maker, ample_architecture(), 1), 0.05);
}

TEST(Normalisation, LayerAndInstance) {
  const tcu::Architecture wide = with_tables(ample_architecture());
  GraphMaker layer(17);
  layer.input("x", {2, 6, 20})
      .weights("s", {20}, 1)
      .weights("b", {20}, 1)
      .node("LayerNormalization", {"x", "s", "b"}, {"y"}, {{"axis", std::int64_t{-1}}})
      .output("y");
  EXPECT_LE(deviation(layer, wide), 0.01);
  EXPECT_LE(deviation(layer, small_machine()), 0.1);
  GraphMaker outer(17);
  outer.input("x", {2, 6, 4})
      .weights("s", {6, 4}, 1)
      .node("LayerNormalization", {"x", "s"}, {"y"}, {{"axis", std::int64_t{1}}})
      .output("y");
  EXPECT_LE(deviation(outer, wide), 0.01);
  GraphMaker instance(13);
  instance.input("x", {2, 10, 5, 7})
      .weights("s", {10}, 1)
      .weights("b", {10}, 1)
      .node("InstanceNormalization", {"x", "s", "b"}, {"y"})
      .output("y");
  EXPECT_LE(deviation(instance, wide), 0.01);
}

TEST(Normalisation, OfNeighbouringChannels) {
  GraphMaker maker(13);
  maker.input("x", {1, 12, 5, 5})
      .weights("w", {4, 12, 1, 1}, 0.5F)
      .node("LRN", {"x"}, {"n"}, {{"size", std::int64_t{5}}, {"alpha", 0.5F}, {"beta", 0.75F}})
      .node("Conv", {"n", "w"}, {"y"})
      .output("y");
  EXPECT_LE(deviation(maker, with_tables(ample_architecture())), 0.005);
  EXPECT_LE(deviation(maker, ample_architecture()), 0.05) << "by chords";
}

TEST(Division, ByComputedValues) {
  GraphMaker maker(13);
  maker.input("a", {2, 9})
      .input("b", {2, 9})
      .constant("one", floats({1}, {3.0F}))
      .node("Add", {"b", "one"}, {"d"})
      .node("Div", {"a", "d"}, {"y"})
      .output("y");
  EXPECT_LE(deviation(maker, with_tables(ample_architecture())), 0.01);
  EXPECT_LE(deviation(maker, small_machine()), 0.03);
}

TEST(Products, OfTwoComputedOperands) {
  struct Case {
    nn::Shape a, b;
  };
  for (const Case& c : {Case{{5, 12}, {12, 20}}, Case{{2, 3, 4, 7}, {2, 3, 7, 5}},
                        Case{{3, 4, 7}, {7, 5}}, Case{{4, 7}, {3, 7, 5}}, Case{{7}, {7, 5}},
                        Case{{4, 7}, {7}}, Case{{2, 1, 4, 9}, {1, 3, 9, 9}}}) {
    SCOPED_TRACE(nn::to_string(c.a) + " by " + nn::to_string(c.b));
    GraphMaker maker(13);
    maker.input("a", c.a).input("b", c.b).node("MatMul", {"a", "b"}, {"y"}).output("y");
    EXPECT_LE(deviation(maker, ample_architecture()), 0.001);
    for (const Strategy strategy : {Strategy::local_vars, Strategy::local_vars_and_consts}) {
      Options options;
      options.strategy = strategy;
      expect_near_reference(maker.graph, architecture(4), options, 0.1F);
    }
  }
}

TEST(Products, OfAGemm) {
  GraphMaker maker(13);
  maker.input("a", {7, 5})
      .input("b", {9, 7})
      .input("c", {9})
      .node("Gemm", {"a", "b", "c"}, {"y"},
            {{"transA", std::int64_t{1}}, {"transB", std::int64_t{1}}, {"alpha", 0.5F}})
      .output("y");
  EXPECT_LE(deviation(maker, ample_architecture()), 0.001);
  GraphMaker left(13);
  left.input("b", {2, 7, 5}).weights("a", {3, 7}, 1).node("MatMul", {"a", "b"}, {"y"}).output("y");
  EXPECT_LE(deviation(left, ample_architecture()), 0.001);
}

}  // namespace
}  // namespace tactus::compiler
