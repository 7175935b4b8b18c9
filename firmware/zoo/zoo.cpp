#include "firmware/zoo/zoo.h"

#include <algorithm>
#include <iterator>

#include "firmware/zoo/random.h"
#include "firmware/zoo/random_input.h"
#include "isa/support/error.h"
#include "isa/support/text.h"

namespace tactus::nn {

const std::vector<ZooEntry>& zoo() {
  static const std::vector<ZooEntry> entries{
      {"resnet20v2", "Keras CIFAR-10 ResNet v2, depth 20 (He et al., arXiv:1603.05027)",
       build_resnet20v2},
      {"yolov4-tiny-192", "yolov4-tiny.cfg of Darknet at 192 x 192 (arXiv:2011.08036)",
       [](std::uint64_t seed) { return build_yolov4_tiny(192, seed); }},
      {"yolov4-tiny-416", "yolov4-tiny.cfg of Darknet (arXiv:2011.08036)",
       [](std::uint64_t seed) { return build_yolov4_tiny(416, seed); }},
      {"resnet50v2", "Keras ResNet50V2 (He et al., arXiv:1603.05027)", build_resnet50v2},
      {"mobilenetv1", "MobileNet, width 1.0, 224 x 224 (Howard et al., arXiv:1704.04861)",
       [](std::uint64_t seed) { return build_mobilenetv1("mobilenetv1", 1, 224, 1000, seed); }},
      {"mobilenetv2", "MobileNetV2, width 1.0, 224 x 224 (Sandler et al., arXiv:1801.04381)",
       build_mobilenetv2},
      {"mobilenetv1-tiny",
       "MobileNet, width 0.25, 96 x 96, of MLPerf Tiny's visual wake words (arXiv:2106.07597)",
       [](std::uint64_t seed) { return build_mobilenetv1("mobilenetv1-tiny", 0.25, 96, 2, seed); }},
      {"bert-tiny", "BERT-Tiny's encoder, 128 tokens (Turc et al., arXiv:1908.08962)",
       build_bert_tiny},
      {"deit-tiny-4", "DeiT-Ti, 4 of its 12 layers (Touvron et al., arXiv:2012.12877)",
       build_deit_tiny},
      {"gpt2-block", "one block of GPT-2, a token behind 63 (Radford et al., 2019)",
       build_gpt2_block},
      {"mlp", "for tests: two dense layers", build_mlp},
      {"cnn", "for tests: convolutions, pooling, classifier", build_cnn},
      {"csp", "for tests: split, concat, residual, normalisation, upsampling", build_csp},
  };
  return entries;
}

const ZooEntry& zoo_entry(std::string_view name) {
  std::vector<std::string_view> names;
  for (const ZooEntry& entry : zoo()) {
    if (entry.name == name) return entry;
    names.push_back(entry.name);
  }
  user_error("unknown network {}; allowed are {}{}", quote(name), quote_list(names),
             suggestion(name, names));
}

namespace {

/// Rows of the smallest table that nodes look up with the value, directly or after casts and
/// reshapes; 0: there is none.
std::int64_t smallest_table(const Graph& graph, const std::string& value, unsigned depth = 0) {
  constexpr unsigned deepest = 8;
  std::int64_t smallest = 0;
  const auto take = [&](std::int64_t size) {
    if (size > 0 && (smallest == 0 || size < smallest)) smallest = size;
  };
  for (const Node& node : graph.nodes) {
    if (node.op_type == "Gather" && node.input(1) == value) {
      const Tensor* table = graph.initializer(node.inputs[0]);
      const std::int64_t axis = node.integer("axis", 0);
      if (table == nullptr || axis < 0 || axis >= static_cast<std::int64_t>(table->shape.size())) {
        continue;
      }
      take(table->shape[static_cast<std::size_t>(axis)]);
    }
    constexpr std::string_view same[] = {"Cast",    "Flatten",   "Identity", "Reshape",
                                         "Squeeze", "Transpose", "Unsqueeze"};
    const bool passes = std::find(std::begin(same), std::end(same), node.op_type) != std::end(same);
    if (passes && node.input(0) == value && depth < deepest && !node.outputs.empty()) {
      take(smallest_table(graph, node.outputs[0], depth + 1));
    }
  }
  return smallest;
}

}  // namespace

Tensor random_input(const Graph& graph, const ValueInfo& input, std::uint64_t seed) {
  Shape shape;
  if (!input.dims) user_error("input {}: its shape is not stated", quote(input.name));
  for (const Dimension& dimension : *input.dims) {
    if (!dimension.size) {
      user_error("input {}: dimension {} is not stated", quote(input.name), shape.size());
    }
    shape.push_back(*dimension.size);
  }
  if (input.type == ElementType::float32) return random_input(shape, seed);
  const std::int64_t table = smallest_table(graph, input.name);
  const bool is_signed = input.stored == onnx_int8;
  const bool is_byte = is_signed || input.stored == onnx_uint8;
  const auto count = static_cast<std::uint64_t>(table > 0 ? table : is_byte ? 256 : 2);
  std::vector<std::int64_t> values(static_cast<std::size_t>(element_count(shape)));
  Random random(seed);
  for (std::int64_t& value : values) {
    value = static_cast<std::int64_t>(random.next() % count) - (table == 0 && is_signed ? 128 : 0);
  }
  Tensor tensor = Tensor::of(shape, std::move(values));
  tensor.stored = input.stored;
  return tensor;
}

Tensor random_input(const ValueInfo& input, std::uint64_t seed) {
  if (input.type != ElementType::float32) {
    user_error("input {}: element type {}; allowed is FLOAT", quote(input.name),
               name_of(input.type));
  }
  return random_input(Graph(), input, seed);
}

Tensor random_input(const Shape& shape, std::uint64_t seed) {
  Tensor tensor = Tensor::zeros(shape);
  Random random(seed);
  for (float& value : tensor.floats) value = random.uniform(1);
  return tensor;
}

}  // namespace tactus::nn
