#include "tests/compiler/attributes/recorded_case.h"

#include <algorithm>
#include <fstream>
#include <limits>

#include <onnx/onnx_pb.h>

#include "firmware/onnx/loader.h"
#include "firmware/onnx/number_types.h"

namespace tactus::compiler {
namespace {

using Json = nlohmann::json;

float real_of(const Json& json) {
  if (json.is_number()) return json.get<float>();
  const auto text = json.get<std::string>();
  if (text == "nan") return std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  return text == "inf" ? infinity : -infinity;
}

nn::Tensor tensor_of(const Json& json) {
  const auto shape = json.at("shape").get<nn::Shape>();
  const std::int32_t type = json.value("type", std::int32_t{nn::onnx_float});
  nn::Tensor tensor;
  if (json.contains("floats")) {
    std::vector<float> values;
    for (const Json& value : json.at("floats")) values.push_back(real_of(value));
    tensor = nn::Tensor::of(shape, std::move(values));
  } else {
    tensor = nn::Tensor::of(shape, json.at("integers").get<std::vector<std::int64_t>>());
  }
  tensor.stored = type == nn::onnx_float || type == nn::onnx_int64 ? 0 : type;
  return tensor;
}

void write(onnx::TensorProto& proto, const std::string& name, const nn::Tensor& tensor) {
  proto.set_name(name);
  proto.set_data_type(nn::type_of(tensor));
  for (const std::int64_t size : tensor.shape) proto.add_dims(size);
  proto.set_raw_data(nn::raw_bytes_of(tensor));
}

void describe(onnx::ValueInfoProto& info, const std::string& name, const nn::Tensor& tensor) {
  info.set_name(name);
  auto& type = *info.mutable_type()->mutable_tensor_type();
  type.set_elem_type(nn::type_of(tensor));
  type.mutable_shape();
  for (const std::int64_t size : tensor.shape) {
    type.mutable_shape()->add_dim()->set_dim_value(size);
  }
}

void add_attribute(onnx::NodeProto& node, const std::string& name, const Json& value) {
  using Proto = onnx::AttributeProto;
  Proto& made = *node.add_attribute();
  made.set_name(name);
  const auto is_real = [](const Json& json) { return json.is_object() && json.contains("float"); };
  if (value.is_string()) {
    made.set_type(Proto::STRING);
    made.set_s(value.get<std::string>());
  } else if (value.is_number()) {
    made.set_type(Proto::INT);
    made.set_i(value.get<std::int64_t>());
  } else if (is_real(value)) {
    made.set_type(Proto::FLOAT);
    made.set_f(value.at("float").get<float>());
  } else if (value.is_object()) {
    made.set_type(Proto::TENSOR);
    write(*made.mutable_t(), "", tensor_of(value));
  } else {
    const bool texts = !value.empty() && value[0].is_string();
    const bool reals = !value.empty() && is_real(value[0]);
    made.set_type(texts ? Proto::STRINGS : reals ? Proto::FLOATS : Proto::INTS);
    for (const Json& each : value) {
      if (texts) made.add_strings(each.get<std::string>());
      if (reals) made.add_floats(each.at("float").get<float>());
      if (!texts && !reals) made.add_ints(each.get<std::int64_t>());
    }
  }
}

std::string input_name(std::size_t i) { return "i" + std::to_string(i); }

RecordedCase read(const Json& json) {
  RecordedCase made;
  made.op = json.at("op").get<std::string>();
  made.domain = json.value("domain", "");
  made.label = json.value("label", "");
  made.refused = json.value("refused", "");
  made.opsets = json.at("opsets").get<std::vector<std::int64_t>>();
  made.inputs = json.at("inputs");
  made.attributes = json.value("attributes", Json::object());
  for (const auto& [name, tensor] : json.at("outputs").items()) {
    made.outputs[name] = tensor_of(tensor);
  }
  return made;
}

}  // namespace

std::string RecordedCase::text() const {
  std::string shapes;
  for (const Json& input : inputs) {
    shapes += input.is_null() ? " -" : " " + nn::to_string(input.at("shape").get<nn::Shape>());
  }
  return op + shapes + " " + attributes.dump().substr(0, 160) + " " + label;
}

nn::Graph RecordedCase::graph(std::int64_t opset, std::size_t first_constant) const {
  onnx::ModelProto model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(opset);
  onnx::OperatorSetIdProto& runtime = *model.add_opset_import();
  runtime.set_domain("com.microsoft");
  runtime.set_version(1);
  onnx::GraphProto& made = *model.mutable_graph();
  made.set_name("g");
  onnx::NodeProto& node = *made.add_node();
  node.set_name("n");
  node.set_op_type(op);
  node.set_domain(domain);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::string name = inputs[i].is_null() ? "" : input_name(i);
    node.add_input(name);
    if (name.empty()) continue;
    const nn::Tensor tensor = tensor_of(inputs[i]);
    if (i < first_constant) {
      describe(*made.add_input(), name, tensor);
    } else {
      write(*made.add_initializer(), name, tensor);
    }
  }
  for (const auto& [name, value] : attributes.items()) add_attribute(node, name, value);
  for (const auto& [name, tensor] : outputs) {
    const int number = std::stoi(name.substr(1));
    while (node.output_size() <= number) node.add_output("");
    node.set_output(number, name);
    describe(*made.add_output(), name, tensor);
  }
  const std::string bytes = model.SerializeAsString();
  return nn::parse_graph({bytes.begin(), bytes.end()}, "m.onnx");
}

nn::Values RecordedCase::values(std::size_t first_constant) const {
  nn::Values values;
  for (std::size_t i = 0; i < std::min<std::size_t>(inputs.size(), first_constant); ++i) {
    if (!inputs[i].is_null()) values[input_name(i)] = tensor_of(inputs[i]);
  }
  return values;
}

const std::vector<RecordedCase>& recorded_cases() {
  static const std::vector<RecordedCase> all = [] {
    std::ifstream file(TACTUS_SOURCE_DIR "/tests/compiler/attributes/cases.json");
    std::vector<RecordedCase> made;
    const Json json = Json::parse(file);
    for (const Json& each : json.at("cases")) made.push_back(read(each));
    return made;
  }();
  return all;
}

}  // namespace tactus::compiler
