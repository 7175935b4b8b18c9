// Products and maxima of more terms than local memory holds are divided by the strategy that splits
// layers.
#include <gtest/gtest.h>

#include "tests/compiler/models/outcome.h"
#include "tests/support/error_of.h"

namespace tactus::compiler {
namespace {

constexpr std::uint64_t few = 320;  // vectors

/// A machine whose local memory holds few of a product's rows.
tcu::Architecture narrow() {
  tcu::Architecture machine = ample_architecture();
  machine.local_depth = few;
  return machine;
}

nn::Tensor drawn(const nn::Shape& shape, unsigned seed) {
  nn::Tensor tensor = nn::Tensor::zeros(shape);
  for (std::size_t k = 0; k < tensor.floats.size(); ++k) {
    // Eighths from -1 to 1.
    tensor.floats[k] = static_cast<float>((k * 7 + seed * 5) % 17) / 8 - 1;
  }
  return tensor;
}

/// Checks that the program gives the reference's values on the narrow machine, and that the graph
/// does not compile undivided (--compat).
void expect_divided(const nn::Graph& graph, const nn::Shape& shape, bool has_compat = true) {
  const nn::Values inputs{{"x", drawn(shape, 1)}};
  const nn::Values expected = nn::run_reference(graph, inputs);
  const nn::Values outputs = finished(compile(graph, narrow()), inputs);
  EXPECT_LT(relative_error(outputs.at("y"), expected.at("y")), 1e-3);
  EXPECT_EQ(outputs.at("y").shape, expected.at("y").shape);
  if (!has_compat) return;
  Options options;
  options.compat = true;
  EXPECT_NE(error_of([&] {
              (void)compile(graph, narrow(), options);
            }).find("vectors for one of its results, there are 320"),
            std::string::npos);
}

TEST(Parts, OfMatrices) {
  GraphMaker maker;
  maker.input("x", {2, 700}).constant("w", drawn({700, 5}, 2));
  maker.node("MatMul", {"x", "w"}, {"y"}).output("y");
  expect_divided(maker.graph, {2, 700});
}

TEST(Parts, OfALinearBehindAFlattenedImage) {
  GraphMaker maker;
  maker.input("x", {1, 16, 5, 5}).constant("w", drawn({6, 400}, 3)).constant("b", drawn({6}, 4));
  maker.node("Relu", {"x"}, {"r"}).node("Flatten", {"r"}, {"f"});
  maker.node("Gemm", {"f", "w", "b"}, {"y"}, {{"transB", std::int64_t{1}}}).output("y");
  expect_divided(maker.graph, {1, 16, 5, 5});
  // Channels are cut, so that no pixel moves.
  for (const LayerInfo& layer : compile(maker.graph, narrow()).layers) {
    EXPECT_EQ(layer.name.find("lay out"), std::string::npos) << layer.name;
  }
}

TEST(Parts, OfAConvolution) {
  GraphMaker maker;
  maker.input("x", {1, 64, 4, 4}).constant("w", drawn({4, 64, 3, 3}, 5));
  maker.constant("b", drawn({4}, 6)).node("Conv", {"x", "w", "b"}, {"y"}).output("y");
  expect_divided(maker.graph, {1, 64, 4, 4});
}

TEST(Parts, OfMaxima) {
  for (const char* op : {"ReduceMax", "ReduceMin", "GlobalMaxPool"}) {
    GraphMaker maker;
    maker.input("x", {1, 8, 20, 20}).node(op, {"x"}, {"y"}).output("y");
    expect_divided(maker.graph, {1, 8, 20, 20}, false);
  }
}

TEST(Parts, WhatCannotBeDividedIsRefused) {
  // The kernel of one block of channels is too large already.
  GraphMaker maker;
  maker.input("x", {1, 8, 7, 7}).constant("w", drawn({4, 8, 7, 7}, 7));
  maker.node("Conv", {"x", "w"}, {"y"}).output("y");
  const std::string error = error_of([&] { (void)compile(maker.graph, narrow()); });
  EXPECT_NE(error.find("insufficient local memory, required at least"), std::string::npos) << error;
  EXPECT_NE(error.find("--optimise or --via stripe may divide it"), std::string::npos) << error;
}

}  // namespace
}  // namespace tactus::compiler
