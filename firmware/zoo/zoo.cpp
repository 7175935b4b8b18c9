#include "firmware/zoo/zoo.h"

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

Tensor random_input(const ValueInfo& input, std::uint64_t seed) {
  Shape shape;
  if (!input.dims) user_error("input {}: its shape is not stated", quote(input.name));
  for (const Dimension& dimension : *input.dims) {
    if (!dimension.size) {
      user_error("input {}: dimension {} is not stated", quote(input.name), shape.size());
    }
    shape.push_back(*dimension.size);
  }
  if (input.type != ElementType::float32) {
    user_error("input {}: element type {}; allowed is FLOAT", quote(input.name),
               name_of(input.type));
  }
  return random_input(shape, seed);
}

Tensor random_input(const Shape& shape, std::uint64_t seed) {
  Tensor tensor = Tensor::zeros(shape);
  Random random(seed);
  for (float& value : tensor.floats) value = random.uniform(1);
  return tensor;
}

}  // namespace tactus::nn
