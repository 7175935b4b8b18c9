// Frozen TensorFlow graphs as protobuf messages; tests import them or make errors in them.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <graph_def.pb.h>

#include "firmware/onnx/graph.h"
#include "firmware/tensorflow/graph_def.h"
#include "firmware/tensorflow/importer.h"
#include "firmware/tensorflow/tensors.h"

namespace tactus::tf {

/// Builds a node, attribute by attribute.
class NodeMaker {
 public:
  explicit NodeMaker(proto::NodeDef& node) : node_(&node) {}
  proto::AttrValue& attribute(const std::string& key) {
    for (auto& entry : *node_->mutable_attr()) {
      if (entry.key() == key) return *entry.mutable_value();
    }
    auto& entry = *node_->add_attr();
    entry.set_key(key);
    return *entry.mutable_value();
  }
  NodeMaker& text(const std::string& key, const std::string& value) {
    attribute(key).set_s(value);
    return *this;
  }
  NodeMaker& number(const std::string& key, std::int64_t value) {
    attribute(key).set_i(value);
    return *this;
  }
  NodeMaker& flag(const std::string& key, bool value) {
    attribute(key).set_b(value);
    return *this;
  }
  NodeMaker& numbers(const std::string& key, const std::vector<std::int64_t>& values) {
    auto& list = *attribute(key).mutable_list();
    list.Clear();
    for (const std::int64_t value : values) list.add_i(value);
    return *this;
  }
  [[nodiscard]] proto::NodeDef& message() const { return *node_; }

 private:
  proto::NodeDef* node_;
};

class GraphMaker {
 public:
  proto::GraphDef message;

  NodeMaker node(const std::string& op, const std::string& name,
                 const std::vector<std::string>& inputs) {
    proto::NodeDef& made = *message.add_node();
    made.set_name(name);
    made.set_op(op);
    for (const std::string& input : inputs) made.add_input(input);
    return NodeMaker(made);
  }
  /// Adds an input. A size of -1 is unknown.
  NodeMaker input(const std::string& name, const nn::Shape& shape) {
    NodeMaker made = node("Placeholder", name, {});
    made.attribute("dtype").set_type(tf_float);
    auto& message_shape = *made.attribute("shape").mutable_shape();
    for (const std::int64_t size : shape) message_shape.add_dim()->set_size(size);
    return made;
  }
  NodeMaker constant(const std::string& name, const nn::Tensor& tensor) {
    NodeMaker made = node("Const", name, {});
    proto::Tensor& value = *made.attribute("value").mutable_tensor();
    save_tensor(tensor, value);
    made.attribute("dtype").set_type(value.dtype());
    return made;
  }
  NodeMaker constant(const std::string& name, const std::vector<std::int64_t>& values) {
    return constant(name, nn::Tensor::of({static_cast<std::int64_t>(values.size())}, values));
  }
  /// Adds weights: varying values between -1 and 1.
  NodeMaker weights(const std::string& name, const nn::Shape& shape) {
    nn::Tensor tensor = nn::Tensor::zeros(shape);
    for (float& value : tensor.floats) {
      state_ = state_ * 1664525U + 1013904223U;
      value = static_cast<float>(static_cast<int>(state_ >> 16 & 0xFFU) - 128) / 128.0F;
    }
    return constant(name, tensor);
  }

  [[nodiscard]] std::vector<std::uint8_t> bytes() const {
    const std::string text = message.SerializeAsString();
    return {text.begin(), text.end()};
  }
  [[nodiscard]] nn::Graph import(const ImportOptions& options = {}) const {
    return import_graph(parse_graph_def(bytes(), "test.pb"), options);
  }

 private:
  std::uint32_t state_ = 12345;
};

/// A convolution with bias, a Relu, a pool and a classifier, applied to an image.
inline GraphMaker small_network() {
  GraphMaker maker;
  maker.input("x", {-1, 6, 5, 3});
  maker.weights("w", {3, 3, 3, 4});
  maker.weights("b", {4});
  maker.node("Conv2D", "conv", {"x", "w"}).text("padding", "SAME").numbers("strides", {1, 2, 1, 1});
  maker.node("BiasAdd", "bias", {"conv", "b"});
  maker.node("Relu", "relu", {"bias:0", "^w"});
  maker.node("MaxPool", "pool", {"relu"})
      .text("padding", "VALID")
      .numbers("ksize", {1, 2, 2, 1})
      .numbers("strides", {1, 1, 2, 1});
  maker.constant("shape", std::vector<std::int64_t>{-1, 16});
  maker.node("Reshape", "flat", {"pool", "shape"});
  maker.weights("w2", {5, 16});
  maker.node("MatMul", "scores", {"flat", "w2"}).flag("transpose_b", true);
  maker.node("Softmax", "classes", {"scores"});
  return maker;
}

}  // namespace tactus::tf
