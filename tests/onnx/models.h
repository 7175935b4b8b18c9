// ONNX models as protobuf messages; tests make errors in them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <onnx/onnx_pb.h>

#include "firmware/onnx/loader.h"

namespace tactus::nn {

/// The graph x [1,4] -> Gemm with weights "w" [4,2] and bias "b" [2] -> y -> Relu -> z.
inline onnx::ModelProto small_model() {
  onnx::ModelProto model;
  model.set_ir_version(5);
  model.add_opset_import()->set_version(10);
  onnx::GraphProto& graph = *model.mutable_graph();
  graph.set_name("small");
  const auto add_value = [](onnx::ValueInfoProto& info, const char* name, std::int64_t width) {
    info.set_name(name);
    auto& type = *info.mutable_type()->mutable_tensor_type();
    type.set_elem_type(onnx::TensorProto::FLOAT);
    type.mutable_shape()->add_dim()->set_dim_value(1);
    type.mutable_shape()->add_dim()->set_dim_value(width);
  };
  add_value(*graph.add_input(), "x", 4);
  add_value(*graph.add_output(), "z", 2);
  const auto add_tensor = [&](const char* name, std::vector<std::int64_t> dims, int count) {
    onnx::TensorProto& tensor = *graph.add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(onnx::TensorProto::FLOAT);
    for (const std::int64_t dim : dims) tensor.add_dims(dim);
    for (int i = 0; i < count; ++i) tensor.add_float_data(static_cast<float>(i));
  };
  add_tensor("w", {4, 2}, 8);
  add_tensor("b", {2}, 2);
  onnx::NodeProto& gemm = *graph.add_node();
  gemm.set_name("dense");
  gemm.set_op_type("Gemm");
  for (const char* input : {"x", "w", "b"}) gemm.add_input(input);
  gemm.add_output("y");
  onnx::AttributeProto& alpha = *gemm.add_attribute();
  alpha.set_name("alpha");
  alpha.set_type(onnx::AttributeProto::FLOAT);
  alpha.set_f(2);
  onnx::NodeProto& relu = *graph.add_node();
  relu.set_name("relu");
  relu.set_op_type("Relu");
  relu.add_input("y");
  relu.add_output("z");
  return model;
}

inline std::vector<std::uint8_t> bytes_of(const onnx::ModelProto& model) {
  const std::string text = model.SerializeAsString();
  return {text.begin(), text.end()};
}

inline Graph parse(const onnx::ModelProto& model) { return parse_graph(bytes_of(model), "m.onnx"); }

}  // namespace tactus::nn
