// Operators read from ONNX files, including those of ONNX Runtime's own domain, are compared with
// outputs of ONNX Runtime. runtime.json holds the cases.
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <onnx/onnx_pb.h>

#include "firmware/onnx/loader.h"
#include "tests/compiler/models/outcome.h"

namespace tactus::compiler {
namespace {

using Json = nlohmann::json;

nn::Tensor tensor_of(const Json& json) {
  const auto shape = json.at("shape").get<nn::Shape>();
  if (json.contains("floats")) {
    return nn::Tensor::of(shape, json.at("floats").get<std::vector<float>>());
  }
  nn::Tensor tensor = nn::Tensor::of(shape, json.at("integers").get<std::vector<std::int64_t>>());
  const auto type = json.at("type").get<std::int32_t>();
  if (type != nn::onnx_int64) tensor.stored = type;
  return tensor;
}

void describe(onnx::ValueInfoProto& info, const std::string& name, const Json& tensor) {
  info.set_name(name);
  auto& type = *info.mutable_type()->mutable_tensor_type();
  type.set_elem_type(tensor.value("type", std::int32_t{nn::onnx_float}));
  type.mutable_shape();
  for (const Json& size : tensor.at("shape")) {
    type.mutable_shape()->add_dim()->set_dim_value(size.get<std::int64_t>());
  }
}

void add_initializer(onnx::GraphProto& graph, const std::string& name, const Json& tensor) {
  onnx::TensorProto& made = *graph.add_initializer();
  made.set_name(name);
  made.set_data_type(tensor.value("type", std::int32_t{nn::onnx_float}));
  for (const Json& size : tensor.at("shape")) made.add_dims(size.get<std::int64_t>());
  for (const Json& value : tensor.value("floats", Json::array())) {
    made.add_float_data(value.get<float>());
  }
  for (const Json& value : tensor.value("integers", Json::array())) {
    if (made.data_type() == nn::onnx_int64) {
      made.add_int64_data(value.get<std::int64_t>());
    } else {
      made.add_int32_data(value.get<std::int32_t>());
    }
  }
}

void add_attribute(onnx::NodeProto& node, const std::string& name, const Json& value) {
  onnx::AttributeProto& made = *node.add_attribute();
  made.set_name(name);
  if (value.is_string()) {
    made.set_type(onnx::AttributeProto::STRING);
    made.set_s(value.get<std::string>());
  } else if (value.is_number_float()) {
    made.set_type(onnx::AttributeProto::FLOAT);
    made.set_f(value.get<float>());
  } else if (value.is_number()) {
    made.set_type(onnx::AttributeProto::INT);
    made.set_i(value.get<std::int64_t>());
  } else {
    made.set_type(onnx::AttributeProto::INTS);
    for (const Json& each : value) made.add_ints(each.get<std::int64_t>());
  }
}

nn::Graph graph_of(const Json& json) {
  onnx::ModelProto model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(json.at("opset").get<std::int64_t>());
  onnx::OperatorSetIdProto& runtime = *model.add_opset_import();
  runtime.set_domain("com.microsoft");
  runtime.set_version(1);
  onnx::GraphProto& graph = *model.mutable_graph();
  graph.set_name("g");
  for (const auto& [name, value] : json.at("inputs").items()) {
    describe(*graph.add_input(), name, value);
  }
  for (const auto& [name, value] : json.at("constants").items()) {
    add_initializer(graph, name, value);
  }
  for (const Json& described : json.at("nodes")) {
    onnx::NodeProto& node = *graph.add_node();
    node.set_op_type(described.at("op").get<std::string>());
    node.set_domain(described.value("domain", ""));
    for (const Json& input : described.at("inputs")) node.add_input(input.get<std::string>());
    for (const Json& output : described.at("outputs")) node.add_output(output.get<std::string>());
    const Json attributes = described.value("attributes", Json::object());
    for (const auto& [name, value] : attributes.items()) add_attribute(node, name, value);
  }
  for (const auto& [name, value] : json.at("outputs").items()) {
    describe(*graph.add_output(), name, value);
  }
  const std::string bytes = model.SerializeAsString();
  return nn::parse_graph({bytes.begin(), bytes.end()}, "m.onnx");
}

class Runtime : public testing::TestWithParam<bool> {};

/// With tables of 256 entries the error of each case is below its stated bound.
TEST_P(Runtime, GivesTheSameValues) {
  std::ifstream file(TACTUS_SOURCE_DIR "/tests/compiler/operators/runtime.json");
  const Json json = Json::parse(file);
  ASSERT_GT(json.at("cases").size(), 30U);
  tcu::Architecture machine = ample_architecture();
  machine.data_type = tcu::DataType::fp18bp10;
  machine.lookup_tables = {2, 256, 4};
  machine.simd_registers_depth = 3;
  for (const Json& description : json.at("cases")) {
    SCOPED_TRACE(description.at("name").get<std::string>());
    nn::Values inputs;
    for (const auto& [name, value] : description.at("inputs").items()) {
      inputs[name] = tensor_of(value);
    }
    try {
      const nn::Graph graph = graph_of(description);
      Options options;
      options.optimise = GetParam();
      const nn::Values actual = finished(compile(graph, machine, options), inputs);
      const nn::Values reference = nn::run_reference(graph, inputs);
      for (const auto& [name, value] : description.at("outputs").items()) {
        const nn::Tensor expected = tensor_of(value);
        EXPECT_EQ(actual.at(name).shape, expected.shape) << name;
        EXPECT_LE(relative_error(actual.at(name), expected), description.at("error").get<double>())
            << name;
        EXPECT_LE(relative_error(reference.at(name), expected), 1e-5) << name;
      }
    } catch (const UserError& error) {
      ADD_FAILURE() << error.what();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, Runtime, testing::Bool(), [](const auto& test) {
  return std::string(test.param ? "Optimised" : "ByStrategy");
});

}  // namespace
}  // namespace tactus::compiler
