// If, Loop and Scan are replaced by their sub-graphs if the condition or count is known when
// compiling, and refused otherwise.
#include <gtest/gtest.h>

#include "tests/compiler/frontend/graphs.h"

namespace tactus::compiler {
namespace {

nn::ValueInfo named(const std::string& name) {
  nn::ValueInfo info;
  info.name = name;
  return info;
}

std::shared_ptr<const nn::Graph> part(GraphMaker maker, const std::vector<std::string>& inputs,
                                      const std::vector<std::string>& outputs) {
  for (const std::string& name : inputs) maker.graph.inputs.push_back(named(name));
  for (const std::string& name : outputs) maker.graph.outputs.push_back(named(name));
  return std::make_shared<const nn::Graph>(maker.graph);
}

nn::Tensor truth(bool value) {
  nn::Tensor tensor = nn::Tensor::of({}, std::vector<std::int64_t>{value ? 1 : 0});
  tensor.stored = nn::onnx_bool;
  return tensor;
}

/// y = (height of x == rows) ? Relu(x) w : -x w.
nn::Graph choice(std::int64_t rows) {
  GraphMaker maker;
  maker.input("x", {2, 4}).weights("w", {4, 3}, 1.0F).constant("rows", integers({rows}));
  maker.constant("first", integers({0}));
  maker.node("Shape", {"x"}, {"shape"}).node("Gather", {"shape", "first"}, {"height"});
  maker.node("Equal", {"height", "rows"}, {"same"});
  maker.node("If", {"same"}, {"chosen"}).node("MatMul", {"chosen", "w"}, {"y"}).output("y");
  nn::Node& node = maker.graph.nodes[3];
  node.graphs["then_branch"] = part(GraphMaker().node("Relu", {"x"}, {"r"}), {}, {"r"});
  node.graphs["else_branch"] = part(GraphMaker().node("Neg", {"x"}, {"r"}), {}, {"r"});
  return maker.graph;
}

TEST(SubGraphs, BranchOfAConstantConditionIsCompiled) {
  for (const std::int64_t rows : {2, 3}) expect_near_reference(choice(rows), architecture(4));
}

TEST(SubGraphs, ComputedConditionIsRefused) {
  GraphMaker maker;
  maker.input("x", {2, 4}).constant("zero", floats({}, {0}));
  maker.node("ReduceSum", {"x"}, {"sum"}, {{"keepdims", std::int64_t{0}}});
  maker.node("Less", {"zero", "sum"}, {"same"}).node("If", {"same"}, {"y"}).output("y");
  for (const char* name : {"then_branch", "else_branch"}) {
    maker.graph.nodes[2].graphs[name] = part(GraphMaker().node("Neg", {"x"}, {"r"}), {}, {"r"});
  }
  EXPECT_EQ(refusal(maker.graph),
            "test.onnx: node \"n_y\" (If): its condition or number of iterations is computed at "
            "run time; supported are constants, and what follows from constants and shapes");
}

/// What a Loop's condition follows from.
enum class End { kept, negated, iteration, carried, computed };

/// Returns a Loop that repeats h = Relu(h w + x), at most three times. The outputs are the last h,
/// and h after each iteration.
GraphMaker loop(End end) {
  GraphMaker maker;
  maker.input("x", {2, 4}).input("h", {2, 4}).weights("w", {4, 4}, 0.5F);
  maker.constant("trips", nn::Tensor::of({}, std::vector<std::int64_t>{3}));
  maker.constant("limit", nn::Tensor::of({}, std::vector<std::int64_t>{1}));
  maker.constant("start", nn::Tensor::of({}, std::vector<std::int64_t>{-1}));
  maker.constant("true", truth(true)).constant("zero", floats({}, {0}));
  const bool counts = end == End::carried;
  maker.node("Loop",
             counts ? std::vector<std::string>{"", "true", "h", "start"}
                    : std::vector<std::string>{"trips", "true", "h"},
             counts ? std::vector<std::string>{"last", "", "all"}
                    : std::vector<std::string>{"last", "all"});
  maker.output("last").output("all");
  GraphMaker body;
  body.node("MatMul", {"h_in", "w"}, {"product"}).node("Add", {"product", "x"}, {"sum"});
  body.node("Relu", {"sum"}, {"h_out"});
  if (end == End::kept) body.node("Identity", {"on"}, {"still"});
  if (end == End::negated) body.node("Not", {"on"}, {"still"});
  if (end == End::iteration) body.node("Less", {"i", "limit"}, {"still"});
  if (counts) {
    body.node("Add", {"time", "limit"}, {"later"}).node("Less", {"later", "limit"}, {"still"});
  }
  if (end == End::computed) {
    body.node("ReduceSum", {"h_out"}, {"whole"}, {{"keepdims", std::int64_t{0}}});
    body.node("Less", {"zero", "whole"}, {"still"});
  }
  std::vector<std::string> inputs{"i", "on", "h_in"}, outputs{"still", "h_out", "h_out"};
  if (counts) {
    inputs.push_back("time");
    outputs.insert(outputs.begin() + 2, "later");
  }
  maker.graph.nodes[0].graphs["body"] = part(body, inputs, outputs);
  return maker;
}

TEST(SubGraphs, LoopWhoseNumberOfIterationsIsKnownIsUnrolled) {
  for (const End end : {End::kept, End::negated, End::iteration, End::carried}) {
    expect_near_reference(loop(end).graph, architecture(4));
  }
}

TEST(SubGraphs, LoopWhoseEndIsComputedIsRefused) {
  EXPECT_EQ(refusal(loop(End::computed).graph).substr(0, 170),
            std::string("test.onnx: node \"n_last\" (Loop): the body computes the condition from "
                        "values that are known at run time only; supported are conditions that "
                        "follow from constants and the iteration's number")
                .substr(0, 170));
}

/// Returns a Scan that computes h = Relu(h w + slice) for each slice of x. The outputs are the last
/// h, and -h after each slice.
GraphMaker scan(std::int64_t opset, Attributes attributes, const nn::Shape& x, const nn::Shape& h) {
  GraphMaker maker(opset);
  maker.input("x", x).input("h", h).weights("w", {4, 4}, 0.5F);
  const std::vector<std::string> operands{"h", "x"};
  attributes["num_scan_inputs"] = std::int64_t{1};
  maker.node("Scan", opset < 9 ? std::vector<std::string>{"", "h", "x"} : operands, {"last", "all"},
             attributes);
  maker.output("last").output("all");
  GraphMaker body(opset);
  body.node("MatMul", {"h_in", "w"}, {"product"}).node("Add", {"product", "slice"}, {"sum"});
  body.node("Relu", {"sum"}, {"h_out"}).node("Neg", {"h_out"}, {"seen"});
  maker.graph.nodes[0].graphs["body"] = part(body, {"h_in", "slice"}, {"h_out", "seen"});
  return maker;
}

TEST(SubGraphs, ScanIsUnrolled) {
  const Attributes forms[] = {
      {},
      {{"scan_input_directions", Ints{1}}},
      {{"scan_output_directions", Ints{1}}, {"scan_output_axes", Ints{-1}}},
  };
  for (const std::int64_t opset : {9, 16}) {
    for (const Attributes& form : forms) {
      expect_near_reference(scan(opset, form, {5, 2, 4}, {2, 4}).graph, architecture(4));
    }
  }
  const nn::Graph middle = scan(11, {{"scan_input_axes", Ints{-2}}}, {2, 3, 4}, {2, 4}).graph;
  expect_near_reference(middle, architecture(4));
  EXPECT_EQ(nn::run_reference(
                middle, {{"x", nn::Tensor::zeros({2, 3, 4})}, {"h", nn::Tensor::zeros({2, 4})}})
                .at("all")
                .shape,
            (nn::Shape{3, 2, 4}));
}

TEST(SubGraphs, ScanOfABatchIsUnrolled) {
  expect_near_reference(scan(8, {{"directions", Ints{1}}}, {2, 3, 1, 4}, {2, 1, 4}).graph,
                        architecture(4));
}

TEST(SubGraphs, ScanThatDoesNotFitIsRefused) {
  EXPECT_EQ(refusal(scan(9, {{"scan_input_axes", Ints{3}}}, {5, 2, 4}, {2, 4}).graph),
            "test.onnx: node \"n_last\" (Scan): axis 3 is outside the 3 dimensions; supported are "
            "-3 to 2");
  EXPECT_EQ(refusal(scan(9, {{"scan_input_directions", Ints{2}}}, {5, 2, 4}, {2, 4}).graph),
            "test.onnx: node \"n_last\" (Scan): attribute \"scan_input_directions\" has the value "
            "2; allowed are 0 and 1");
  EXPECT_EQ(refusal(scan(9, {}, {5000, 2, 4}, {2, 4}).graph),
            "test.onnx: node \"n_last\" (Scan): has 5000 iterations; supported are 1 to 4096, "
            "unrolled");
}

}  // namespace
}  // namespace tactus::compiler
