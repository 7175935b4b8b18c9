// Local functions and sub-graphs of ONNX models.
#include <gtest/gtest.h>

#include "firmware/onnx/loader.h"
#include "firmware/onnx/sub_graphs.h"
#include "firmware/onnx/writer.h"
#include "isa/support/error.h"
#include "tests/onnx/models.h"

namespace tactus::nn {
namespace {

using Names = std::vector<std::string>;

std::string refusal(const onnx::ModelProto& model) {
  try {
    static_cast<void>(parse(model));
  } catch (const UserError& error) {
    return error.what();
  }
  return "(accepted)";
}

template <typename Owner>
onnx::NodeProto& add_node(Owner& owner, const std::string& op, const Names& inputs,
                          const Names& outputs, const std::string& domain = "") {
  onnx::NodeProto& node = *owner.add_node();
  node.set_op_type(op);
  node.set_domain(domain);
  for (const std::string& input : inputs) node.add_input(input);
  for (const std::string& output : outputs) node.add_output(output);
  return node;
}

/// A model with two calls of "my.Lean", a LeakyRelu whose alpha is the function's attribute
/// "slope".
onnx::ModelProto model_with_function() {
  onnx::ModelProto model = small_model();
  model.set_ir_version(8);
  auto& domain = *model.add_opset_import();
  domain.set_domain("my");
  domain.set_version(1);
  onnx::FunctionProto& function = *model.add_functions();
  function.set_name("Lean");
  function.set_domain("my");
  function.add_input("a");
  function.add_output("b");
  function.add_attribute("slope");
  onnx::NodeProto& leaky = add_node(function, "LeakyRelu", {"a"}, {"t"});
  onnx::AttributeProto& alpha = *leaky.add_attribute();
  alpha.set_name("alpha");
  alpha.set_type(onnx::AttributeProto::FLOAT);
  alpha.set_ref_attr_name("slope");
  add_node(function, "Neg", {"t"}, {"b"});
  add_node(*model.mutable_graph(), "Lean", {"z"}, {"p"}, "my");
  onnx::NodeProto& second = add_node(*model.mutable_graph(), "Lean", {"p"}, {"q"}, "my");
  onnx::AttributeProto& slope = *second.add_attribute();
  slope.set_name("slope");
  slope.set_type(onnx::AttributeProto::FLOAT);
  slope.set_f(0.5F);
  model.mutable_graph()->mutable_output(0)->set_name("q");
  return model;
}

TEST(LocalFunctions, AreInlinedWhereTheyAreCalled) {
  const Graph graph = parse(model_with_function());
  ASSERT_EQ(graph.nodes.size(), 6U);
  EXPECT_EQ(graph.nodes[2].op_type, "LeakyRelu");
  EXPECT_EQ(graph.nodes[2].inputs, Names{"z"});
  EXPECT_EQ(graph.nodes[2].outputs, Names{"p/t"});
  EXPECT_FALSE(graph.nodes[2].has("alpha"));  // the operator's default
  EXPECT_EQ(graph.nodes[3].outputs, Names{"p"});
  EXPECT_EQ(graph.nodes[4].outputs, Names{"q/t"});
  EXPECT_EQ(graph.nodes[4].real("alpha"), 0.5F);
}

TEST(LocalFunctions, HaveDefaultsOfTheirAttributes) {
  onnx::ModelProto model = model_with_function();
  onnx::AttributeProto fallback;
  fallback.set_name("slope");
  fallback.set_type(onnx::AttributeProto::FLOAT);
  fallback.set_f(0.25F);
  // Writes attribute_proto, field 11, by hand, since only ONNX 1.13 and later have it.
  const std::string text = fallback.SerializeAsString();
  std::string bytes = model.functions(0).SerializeAsString();
  bytes += static_cast<char>(11 << 3 | 2);
  bytes += static_cast<char>(text.size());
  ASSERT_TRUE(model.mutable_functions(0)->ParseFromString(bytes + text));
  const Graph graph = parse(model);
  EXPECT_EQ(graph.nodes[2].real("alpha"), 0.25F);
  EXPECT_EQ(graph.nodes[4].real("alpha"), 0.5F);
}

TEST(LocalFunctions, InvalidOnesAreRefused) {
  onnx::ModelProto model = model_with_function();
  add_node(*model.mutable_functions(0), "Lean", {"b"}, {"c"}, "my");
  EXPECT_EQ(refusal(model), "m.onnx: local function \"my.Lean\" calls itself");
  model = model_with_function();
  model.mutable_functions(0)->add_opset_import()->set_version(9);
  EXPECT_EQ(refusal(model),
            "m.onnx: local function \"my.Lean\" is written for version 9 of operator set "
            "\"ai.onnx\", the model for 10; supported are functions of the model's versions");
  model = model_with_function();
  *model.add_functions() = model.functions(0);
  EXPECT_EQ(refusal(model), "m.onnx: local function \"my.Lean\" is there twice");
  model = model_with_function();
  model.mutable_graph()->mutable_node(2)->add_input("x");
  EXPECT_NE(refusal(model).find("has 2 inputs and 1 outputs; local function \"my.Lean\" has 1"),
            std::string::npos);
}

onnx::AttributeProto& add_graph(onnx::NodeProto& node, const std::string& name) {
  onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::GRAPH);
  return attribute;
}

/// A model of y2 = condition ? Neg(late) : Relu(z), in which a node after the If computes "late".
onnx::ModelProto model_with_if() {
  onnx::ModelProto model = small_model();
  onnx::GraphProto& graph = *model.mutable_graph();
  onnx::TensorProto& condition = *graph.add_initializer();
  condition.set_name("condition");
  condition.set_data_type(onnx::TensorProto::BOOL);
  condition.add_int32_data(1);
  onnx::NodeProto& choice = add_node(graph, "If", {"condition"}, {"chosen"});
  choice.set_name("choice");
  onnx::GraphProto& yes = *add_graph(choice, "then_branch").mutable_g();
  add_node(yes, "Abs", {"late"}, {"t"});
  add_node(yes, "Neg", {"t"}, {"r"});
  yes.add_output()->set_name("r");
  onnx::GraphProto& no = *add_graph(choice, "else_branch").mutable_g();
  add_node(no, "Relu", {"z"}, {"r"});
  no.add_output()->set_name("r");
  add_node(graph, "Neg", {"z"}, {"late"});
  graph.mutable_output(0)->set_name("chosen");
  return model;
}

TEST(SubGraphs, AreReadSortedAndWrittenAgain) {
  const Graph graph = parse(model_with_if());
  ASSERT_EQ(graph.nodes.size(), 4U);
  EXPECT_EQ(graph.nodes[2].op_type, "Neg");  // the value that the branch reads is computed first
  const Node& choice = graph.nodes[3];
  EXPECT_EQ(choice.graphs.at("then_branch")->nodes.size(), 2U);
  const Graph again = parse_graph(write_graph(graph), "again.onnx");
  EXPECT_EQ(again.nodes[3].graphs.at("else_branch")->nodes[0].inputs, Names{"z"});
}

TEST(SubGraphs, MayUseValuesOfTheOuterGraph) {
  onnx::ModelProto model = model_with_if();
  model.mutable_graph()
      ->mutable_node(2)
      ->mutable_attribute(1)
      ->mutable_g()
      ->mutable_node(0)
      ->set_input(0, "nothing");
  EXPECT_NE(refusal(model).find("node \"choice\" (If): input \"nothing\" is not defined"),
            std::string::npos);
}

TEST(SubGraphs, BranchesTakeTheNodesPlace) {
  const Graph graph = parse(model_with_if());
  const Graph yes = with_branch(graph, "choice", true), no = with_branch(graph, "choice", false);
  ASSERT_EQ(yes.nodes.size(), 5U);
  EXPECT_EQ(yes.nodes[3].inputs, Names{"late"});
  EXPECT_EQ(yes.nodes[4].outputs, Names{"chosen"});
  EXPECT_EQ(yes.nodes[4].inputs, yes.nodes[3].outputs);
  ASSERT_EQ(no.nodes.size(), 4U);
  EXPECT_EQ(no.nodes[3].op_type, "Relu");
}

TEST(SubGraphs, IterationsTakeTheLoopsPlace) {
  onnx::ModelProto model = small_model();
  onnx::GraphProto& graph = *model.mutable_graph();
  onnx::NodeProto& loop = add_node(graph, "Loop", {"", "", "z"}, {"last", "all"});
  loop.set_name("loop");
  onnx::GraphProto& body = *add_graph(loop, "body").mutable_g();
  for (const char* input : {"i", "goes_on", "h"}) body.add_input()->set_name(input);
  add_node(body, "Abs", {"h"}, {"next"});
  add_node(body, "Identity", {"goes_on"}, {"still"});
  for (const char* output : {"still", "next", "next"}) body.add_output()->set_name(output);
  graph.mutable_output(0)->set_name("last");
  *graph.add_output() = graph.output(0);
  graph.mutable_output(1)->set_name("all");
  const Graph read = parse(model);
  EXPECT_TRUE(keeps_condition(*read.nodes[2].graphs.at("body")));
  const Graph flat = with_iterations(read, "loop", 3);
  std::size_t bodies = 0;
  for (const Node& node : flat.nodes) bodies += node.op_type == "Abs" ? 1 : 0;
  EXPECT_EQ(bodies, 3U);
  EXPECT_EQ(flat.producer("all")->inputs.size(), 3U);
  EXPECT_THROW(static_cast<void>(with_iterations(read, "loop", 0)), UserError);
}

TEST(SubGraphs, SizesOfOldExportersAreOpen) {
  for (const std::int64_t size : {-1, 0}) {
    onnx::ModelProto model = small_model();
    model.mutable_graph()
        ->mutable_input(0)
        ->mutable_type()
        ->mutable_tensor_type()
        ->mutable_shape()
        ->mutable_dim(0)
        ->set_dim_value(size);
    EXPECT_FALSE((*parse(model).inputs[0].dims)[0].size.has_value());
  }
}

}  // namespace
}  // namespace tactus::nn
