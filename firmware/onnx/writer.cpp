#include "firmware/onnx/writer.h"

#include <limits>

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <onnx/onnx_pb.h>

#include "isa/support/error.h"

namespace tactus::nn {
namespace {

using Proto = onnx::AttributeProto;

/// Type in the file: FLOAT for real numbers, the original type for integers.
int data_type(ElementType type, std::int32_t stored) {
  if (type == ElementType::float32) return onnx::TensorProto::FLOAT;
  return stored == 0 ? onnx::TensorProto::INT64 : stored;
}

template <typename T>
void set_raw(onnx::TensorProto& proto, const std::vector<T>& values) {
  proto.set_raw_data(values.data(), values.size() * sizeof(T));
}

void set_tensor(onnx::TensorProto& proto, const Tensor& tensor) {
  for (const std::int64_t size : tensor.shape) proto.add_dims(size);
  proto.set_data_type(data_type(tensor.type, tensor.stored));
  if (tensor.type == ElementType::float32) {
    set_raw(proto, tensor.floats);
  } else if (tensor.stored == onnx::TensorProto::UINT32) {
    for (const std::int64_t value : tensor.integers) {
      proto.add_uint64_data(static_cast<std::uint64_t>(value));
    }
  } else if (tensor.stored != 0) {
    for (const std::int64_t value : tensor.integers) {
      proto.add_int32_data(static_cast<std::int32_t>(value));
    }
  } else {
    set_raw(proto, tensor.integers);
  }
}

/// Writes an attribute; one overload for each kind.
struct AttributeWriter {
  Proto& proto;

  void operator()(std::int64_t value) const {
    proto.set_type(Proto::INT);
    proto.set_i(value);
  }
  void operator()(float value) const {
    proto.set_type(Proto::FLOAT);
    proto.set_f(value);
  }
  void operator()(const std::string& value) const {
    proto.set_type(Proto::STRING);
    proto.set_s(value);
  }
  void operator()(const std::vector<std::int64_t>& values) const {
    proto.set_type(Proto::INTS);
    for (const std::int64_t value : values) proto.add_ints(value);
  }
  void operator()(const std::vector<float>& values) const {
    proto.set_type(Proto::FLOATS);
    for (const float value : values) proto.add_floats(value);
  }
  void operator()(const std::vector<std::string>& values) const {
    proto.set_type(Proto::STRINGS);
    for (const std::string& value : values) proto.add_strings(value);
  }
  void operator()(const Tensor& tensor) const {
    proto.set_type(Proto::TENSOR);
    set_tensor(*proto.mutable_t(), tensor);
  }
};

void set_value_info(onnx::ValueInfoProto& proto, const ValueInfo& info) {
  proto.set_name(info.name);
  auto& type = *proto.mutable_type()->mutable_tensor_type();
  type.set_elem_type(data_type(info.type, info.stored));
  if (!info.dims) return;
  auto& shape = *type.mutable_shape();
  for (const Dimension& dimension : *info.dims) {
    auto& dim = *shape.add_dim();
    if (dimension.size) {
      dim.set_dim_value(*dimension.size);
    } else if (!dimension.symbol.empty()) {
      dim.set_dim_param(dimension.symbol);
    }
  }
}

void set_graph(onnx::GraphProto& proto, const Graph& graph);

void set_node(onnx::NodeProto& proto, const Node& node) {
  proto.set_name(node.name);
  proto.set_op_type(node.op_type);
  proto.set_domain(node.domain);
  for (const std::string& input : node.inputs) proto.add_input(input);
  for (const std::string& output : node.outputs) proto.add_output(output);
  for (const auto& [name, value] : node.attributes) {
    auto& attribute = *proto.add_attribute();
    attribute.set_name(name);
    std::visit(AttributeWriter{attribute}, value);
  }
  for (const auto& [name, graph] : node.graphs) {
    auto& attribute = *proto.add_attribute();
    attribute.set_name(name);
    attribute.set_type(Proto::GRAPH);
    set_graph(*attribute.mutable_g(), *graph);
  }
}

void set_graph(onnx::GraphProto& proto, const Graph& graph) {
  proto.set_name(graph.name);
  for (const Node& node : graph.nodes) set_node(*proto.add_node(), node);
  for (const auto& [name, tensor] : graph.initializers) {
    auto& initializer = *proto.add_initializer();
    initializer.set_name(name);
    set_tensor(initializer, tensor);
  }
  for (const ValueInfo& input : graph.inputs) set_value_info(*proto.add_input(), input);
  for (const ValueInfo& output : graph.outputs) set_value_info(*proto.add_output(), output);
}

}  // namespace

std::vector<std::uint8_t> write_graph(const Graph& graph) {
  onnx::ModelProto model;
  model.set_ir_version(graph.ir_version);
  model.set_producer_name("tactus");
  auto& opset = *model.add_opset_import();
  opset.set_domain("");
  opset.set_version(graph.opset);
  set_graph(*model.mutable_graph(), graph);

  const std::size_t size = model.ByteSizeLong();
  if (size > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    user_error("{}: the model needs {} bytes; an ONNX file has less than 2 GiB", graph.name, size);
  }
  std::vector<std::uint8_t> bytes(size);
  google::protobuf::io::ArrayOutputStream stream(bytes.data(), static_cast<int>(size));
  google::protobuf::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);
  if (!model.SerializeToCodedStream(&coded)) internal_error("the ONNX model cannot be serialized");
  return bytes;
}

}  // namespace tactus::nn
