// Functions by lookup tables, operators composed of them, and products of two computed operands:
// compiled, simulated, compared.
#include <utility>

#include <gtest/gtest.h>

#include "tests/compiler/frontend/graphs.h"

namespace tactus::compiler {
namespace {

tcu::Architecture with_tables(tcu::Architecture a, std::uint32_t depth = 256,
                              std::uint32_t key_binary_point = 4) {
  a.lookup_tables = {2, depth, key_binary_point};
  a.simd_registers_depth = 3;
  return a;
}

/// The data type is FP32BP16, so that the errors are those of the tables and not of rounding.
tcu::Architecture wide(std::uint32_t array_size) {
  tcu::Architecture a = with_tables(architecture(array_size));
  a.data_type = tcu::DataType::fp32bp16;
  return a;
}

void check_tables(const GraphMaker& maker, float tolerance) {
  for (const std::uint32_t n : {2U, 4U, 8U}) {
    expect_near_reference(maker.graph, with_tables(architecture(n)), {}, tolerance);
  }
  expect_near_reference(maker.graph, wide(4), {}, tolerance);
}

class TableFunction : public testing::TestWithParam<const char*> {};

TEST_P(TableFunction, AloneAndBehindAProduct) {
  GraphMaker alone(20);
  alone.input("x", {2, 5, 3, 4}).node(GetParam(), {"x"}, {"y"}).output("y");
  check_tables(alone, 0.02F);
  GraphMaker behind(20);
  behind.input("x", {1, 5, 4, 4}).weights("w", {6, 5, 3, 3}, 0.1F).weights("b", {6}, 0.5F);
  behind.node("Conv", {"x", "w", "b"}, {"c"}).node(GetParam(), {"c"}, {"y"}).output("y");
  check_tables(behind, 0.1F);
}

INSTANTIATE_TEST_SUITE_P(Functions, TableFunction,
                         testing::Values("Sigmoid", "Tanh", "Erf", "Gelu", "Mish", "HardSwish",
                                         "HardSigmoid", "Softplus", "Softsign", "Elu", "Celu",
                                         "Selu", "Exp"),
                         [](const auto& tested) { return tested.param; });

/// Functions of a wide range, computed as sums of several tables.
TEST(TableFunction, OfAWideRange) {
  for (const char* op : {"Log", "Sqrt", "Reciprocal"}) {
    GraphMaker maker(20);
    maker.input("x", {2, 5, 3})
        .constant("three", floats({1}, {3}))
        .node("Abs", {"x"}, {"a"})
        .node("Add", {"a", "three"}, {"d"})
        .node(op, {"d"}, {"y"})
        .output("y");
    check_tables(maker, 0.05F);
  }
}

TEST(TableFunction, WithOtherTables) {
  GraphMaker maker(20);
  maker.input("x", {2, 9}).node("Sigmoid", {"x"}, {"y"}).output("y");
  for (const auto& [depth, point] :
       {std::pair(16U, 0U), std::pair(64U, 2U), std::pair(4096U, 8U)}) {
    for (const std::uint32_t n : {4U, 8U}) {
      expect_near_reference(maker.graph, with_tables(architecture(n), depth, point), {}, 0.05F);
    }
  }
}

TEST(TableFunction, OfAValueTimesItsFunction) {
  GraphMaker maker(13);
  maker.input("x", {1, 8, 6, 6})
      .weights("w", {8, 8, 3, 3}, 0.25F)
      .node("Conv", {"x", "w"}, {"c"})
      .node("Sigmoid", {"c"}, {"s"})
      .node("Mul", {"c", "s"}, {"y"})
      .output("y");
  check_tables(maker, 0.3F);
}

TEST(TableFunction, OnBothSidesOfAProduct) {
  GraphMaker maker(13);
  maker.input("x", {1, 8, 4, 4})
      .weights("w", {8, 8, 3, 3}, 0.25F)
      .node("Sigmoid", {"x"}, {"s"})
      .node("Conv", {"s", "w"}, {"c"})
      .node("Tanh", {"c"}, {"y"})
      .output("y");
  check_tables(maker, 0.15F);
}

TEST(TableFunction, InsideSoftmax) {
  for (const char* op : {"Softmax", "LogSoftmax"}) {
    for (const nn::Shape& shape : {nn::Shape{3, 10}, nn::Shape{2, 5, 3, 2}}) {
      for (std::int64_t axis = 0; axis < static_cast<std::int64_t>(shape.size()); ++axis) {
        GraphMaker maker(13);
        maker.input("x", shape).node(op, {"x"}, {"y"}, {{"axis", axis}}).output("y");
        check_tables(maker, 0.05F);
      }
    }
  }
}

TEST(TableFunction, InsideNormalisations) {
  GraphMaker layer(17);
  layer.input("x", {2, 3, 10}).weights("s", {10}, 1).weights("b", {10}, 1);
  layer.node("LayerNormalization", {"x", "s", "b"}, {"y"}, {{"axis", std::int64_t{-1}}});
  check_tables(layer.output("y"), 0.15F);
  GraphMaker instance(13);
  instance.input("x", {2, 5, 4, 3}).weights("s", {5}, 1).weights("b", {5}, 1);
  instance.node("InstanceNormalization", {"x", "s", "b"}, {"y"});
  check_tables(instance.output("y"), 0.15F);
  GraphMaker channels(13);
  channels.input("x", {1, 12, 3, 3}).weights("w", {4, 12, 1, 1}, 0.5F);
  channels.node("LRN", {"x"}, {"n"}, {{"size", std::int64_t{5}}, {"alpha", 0.5F}, {"beta", 0.75F}});
  check_tables(channels.node("Conv", {"n", "w"}, {"y"}).output("y"), 0.15F);
}

TEST(TableFunction, InsideDivisionsAndPowers) {
  GraphMaker division(13);
  division.input("a", {2, 9}).input("b", {2, 9}).constant("three", floats({1}, {3}));
  division.node("Add", {"b", "three"}, {"d"}).node("Div", {"a", "d"}, {"y"});
  check_tables(division.output("y"), 0.05F);
  GraphMaker power(13);
  power.input("x", {2, 9}).constant("e", floats({}, {1.5F})).node("Abs", {"x"}, {"a"});
  check_tables(power.node("Pow", {"a", "e"}, {"y"}).output("y"), 0.05F);
}

// ---- products of two computed operands ----------------------------------------------------------

TEST(ComputedProduct, OfAllRanks) {
  struct Case {
    nn::Shape a, b;
  };
  for (const Case& c :
       {Case{{5, 12}, {12, 20}}, Case{{2, 3, 4, 7}, {2, 3, 7, 5}}, Case{{3, 4, 7}, {7, 5}},
        Case{{4, 7}, {3, 7, 5}}, Case{{7}, {7, 5}}, Case{{4, 7}, {7}},
        Case{{2, 1, 4, 9}, {1, 3, 9, 9}}, Case{{1, 1}, {1, 1}}, Case{{1, 8}, {8, 1}}}) {
    SCOPED_TRACE(nn::to_string(c.a) + " by " + nn::to_string(c.b));
    GraphMaker maker(13);
    maker.input("a", c.a).input("b", c.b).node("MatMul", {"a", "b"}, {"y"}).output("y");
    check_tables(maker, 0.1F);
  }
}

TEST(ComputedProduct, OfATensorWithItself) {
  GraphMaker maker(13);
  maker.input("a", {2, 5, 5}).node("MatMul", {"a", "a"}, {"y"}).output("y");
  check_tables(maker, 0.1F);
}

TEST(ComputedProduct, OfAGemm) {
  GraphMaker maker(13);
  maker.input("a", {7, 5}).input("b", {9, 7}).input("c", {9});
  maker.node("Gemm", {"a", "b", "c"}, {"y"},
             {{"transA", std::int64_t{1}}, {"transB", std::int64_t{1}}, {"alpha", 0.5F}});
  check_tables(maker.output("y"), 0.1F);
  GraphMaker left(13);
  left.input("b", {2, 7, 5}).weights("a", {3, 7}, 1).node("MatMul", {"a", "b"}, {"y"});
  check_tables(left.output("y"), 0.1F);
}

/// The operands are too large for the memories, so the product is computed in tiles.
TEST(ComputedProduct, InTiles) {
  GraphMaker maker(13);
  maker.input("a", {2, 40, 24}).input("b", {2, 24, 36}).node("MatMul", {"a", "b"}, {"y"});
  maker.output("y");
  tcu::Architecture small = architecture(4);
  small.local_depth = 256;
  small.accumulator_depth = 64;
  expect_near_reference(maker.graph, small, {}, 0.3F);
}

/// Attention: Softmax between two products of computed operands, with tables and by chords.
TEST(ComputedProduct, AroundASoftmax) {
  GraphMaker maker(13);
  maker.input("x", {2, 5, 6}).attention("x", "y", 6, 0.4F).output("y");
  check_tables(maker, 0.1F);
  expect_near_reference(maker.graph, architecture(4), {}, 0.2F);
}

}  // namespace
}  // namespace tactus::compiler
