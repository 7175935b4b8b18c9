// Scaled networks compute the same as the model in real numbers, and keep within the data type.
#include "firmware/compiler/scaling/scaling.h"

#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "firmware/zoo/random_input.h"

namespace tactus::compiler {
namespace {

using scaling::Multiplies;

struct Way {
  bool channels;
  Multiplies multiplies;
};
constexpr Way ways[] = {{false, Multiplies::none},
                        {true, Multiplies::none},
                        {false, Multiplies::worthwhile},
                        {true, Multiplies::worthwhile},
                        {true, Multiplies::all}};

/// Draws graphs of the operators that pass scales on, and some that do not.
class Drawn {
 public:
  explicit Drawn(std::uint32_t seed, float input_range = 1) : random_(seed), range_(input_range) {
    graph_.file = "drawn";
    graph_.ir_version = 8;
    graph_.opset = 13;
    shape_ = {1, 2 * (1 + pick(3)), 8, 8};
    add_info(graph_.inputs, "x", shape_);
    value_ = "x";
    product();
    for (int k = 0; k < 10; ++k) step();
    if (pick(2) == 0) head();
    add_info(graph_.outputs, value_, shape_);
  }

  nn::Graph graph() && { return std::move(graph_); }
  [[nodiscard]] nn::Values input(std::uint32_t seed) const {
    nn::Tensor x = nn::random_input(graph_, graph_.inputs.front(), seed);
    for (float& value : x.floats) value *= range_;
    return {{"x", x}};
  }

 private:
  using Attributes = std::map<std::string, nn::Attribute, std::less<>>;
  using Ints = std::vector<std::int64_t>;

  int pick(int count) { return std::uniform_int_distribution<int>(0, count - 1)(random_); }
  static void add_info(std::vector<nn::ValueInfo>& list, const std::string& name,
                       const nn::Shape& shape) {
    nn::ValueInfo info{name, nn::ElementType::float32, 0, std::vector<nn::Dimension>()};
    for (const std::int64_t size : shape) info.dims->push_back({size, ""});
    list.push_back(std::move(info));
  }
  std::string constant(const nn::Shape& shape, float low, float high) {
    nn::Tensor tensor = nn::Tensor::zeros(shape);
    std::uniform_real_distribution<float> draw(low, high);
    for (float& value : tensor.floats) value = draw(random_);
    return keep(std::move(tensor));
  }
  std::string integers(Ints values) {
    const auto size = static_cast<std::int64_t>(values.size());
    return keep(nn::Tensor::of({size}, std::move(values)));
  }
  std::string keep(nn::Tensor tensor) {
    const std::string name = "c" + std::to_string(next_++);
    graph_.initializers[name] = std::move(tensor);
    return name;
  }
  std::string node(const std::string& op, const std::vector<std::string>& inputs,
                   Attributes attributes = {}, std::size_t outputs = 1) {
    nn::Node made;
    made.name = "n" + std::to_string(next_);
    made.op_type = op;
    made.inputs = inputs;
    made.attributes = std::move(attributes);
    for (std::size_t i = 0; i < outputs; ++i) {
      made.outputs.push_back("v" + std::to_string(next_) + "_" + std::to_string(i));
    }
    ++next_;
    graph_.nodes.push_back(made);
    return made.outputs.front();
  }
  void apply(const std::string& op, std::vector<std::string> more = {},
             Attributes attributes = {}) {
    more.insert(more.begin(), value_);
    value_ = node(op, more, std::move(attributes));
  }
  [[nodiscard]] nn::Shape per_channel() const { return {shape_[1], 1, 1}; }

  void product() {
    const std::int64_t c = shape_[1];
    const int kind = pick(4);
    if (kind == 3) {  // depthwise
      apply("Conv", {constant({c, 1, 3, 3}, -1, 1), constant({c}, -1, 1)},
            {{"group", c}, {"pads", Ints{1, 1, 1, 1}}, {"kernel_shape", Ints{3, 3}}});
      return;
    }
    const std::int64_t out = 2 * (1 + pick(4));
    const float size = 0.02F + 0.5F * static_cast<float>(pick(3));
    if (kind == 2) {
      apply("ConvTranspose", {constant({c, out / 2, 1, 1}, -size, size), constant({out}, -1, 1)},
            {{"group", std::int64_t{2}}});
    } else if (kind == 1) {
      apply("Conv", {constant({out, c / 2, 1, 1}, -size, size)}, {{"group", std::int64_t{2}}});
    } else {
      apply("Conv", {constant({out, c, 3, 3}, -size, size), constant({out}, -1, 1)},
            {{"pads", Ints{1, 1, 1, 1}}});
    }
    shape_[1] = out;
  }

  void step() {
    const std::int64_t c = shape_[1];
    switch (pick(22)) {
      case 0:
        apply("Relu");
        break;
      case 1:
        apply("LeakyRelu", {}, {{"alpha", 0.1F}});
        break;
      case 2:
        apply("PRelu", {constant(per_channel(), 0, 1)});
        break;
      case 3:
        apply("Clip", {constant({}, 0, 0), constant({}, 6, 6)});
        break;
      case 4:
        apply("Clip", {constant({}, 0, 0)});
        break;
      case 5:
        apply("AveragePool", {}, {{"kernel_shape", Ints{3, 3}}, {"pads", Ints{1, 1, 1, 1}}});
        break;
      case 6:
        apply("MaxPool", {}, {{"kernel_shape", Ints{3, 3}}, {"pads", Ints{1, 1, 1, 1}}});
        break;
      case 7: {  // a residual block
        const std::string before = value_;
        apply("Conv", {constant({c, c, 1, 1}, -1, 1), constant({c}, -1, 1)});
        apply("Relu");
        apply("Add", {before});
        break;
      }
      case 8:
        apply("Add", {constant(per_channel(), -1, 1)});
        break;
      case 9:
        value_ = node("Sub", {constant({1}, -1, 1), value_});
        break;
      case 10:
        apply("Mul", {constant(per_channel(), -2, 2)});
        break;
      case 11:
        apply("Div", {constant({}, 2, 3)});
        break;
      case 12:
        apply("Max", {constant(per_channel(), -1, 1)});
        break;
      case 13: {  // a gate
        const std::string gate = node("Sigmoid", {node("GlobalAveragePool", {value_})});
        apply("Mul", {gate});
        break;
      }
      case 14: {
        const std::string other = node("Relu", {value_});
        apply("Concat", {other, constant({1, 2, shape_[2], shape_[3]}, -1, 1)},
              {{"axis", std::int64_t{1}}});
        shape_[1] = 2 * c + 2;
        break;
      }
      case 15: {
        node("Split", {value_}, {{"axis", std::int64_t{1}}}, 2);
        const nn::Node& split = graph_.nodes.back();
        const std::string first = split.outputs[0], second = split.outputs[1];
        value_ = node("Concat", {second, first}, {{"axis", std::int64_t{1}}});
        break;
      }
      case 16:
        apply("Pad", {integers({0, 0, 1, 0, 0, 0, 0, 1})});
        shape_[2] += 1;
        shape_[3] += 1;
        break;
      case 17: {
        apply("Transpose", {}, {{"perm", Ints{0, 2, 3, 1}}});
        apply("Mul", {constant({c}, 0.5F, 2)});
        apply("Transpose", {}, {{"perm", Ints{0, 3, 1, 2}}});
        break;
      }
      case 18: {
        const std::vector<std::string> parts{constant({c}, 0.5F, 2), constant({c}, -1, 1),
                                             constant({c}, -1, 1), constant({c}, 0.1F, 2)};
        apply("BatchNormalization", parts);
        break;
      }
      case 19: {
        const std::string scales = keep(nn::Tensor::of({4}, std::vector<float>{1, 1, 2, 2}));
        const bool linear = pick(2) == 0;
        if (shape_[2] > 16) break;
        apply("Resize", {"", scales}, {{"mode", std::string(linear ? "linear" : "nearest")}});
        shape_[2] *= 2;
        shape_[3] *= 2;
        break;
      }
      case 20:
        apply("Abs");
        break;
      default:
        product();
        break;
    }
  }

  /// The last layers of a classifier.
  void head() {
    const std::int64_t c = shape_[1];
    std::int64_t rows = c;
    switch (pick(3)) {
      case 0:
        apply("GlobalAveragePool");
        apply("Reshape", {integers({1, -1})});
        break;
      case 1:
        apply("ReduceMean", {}, {{"axes", Ints{2, 3}}, {"keepdims", std::int64_t{0}}});
        break;
      default:
        apply("Flatten");
        rows = c * shape_[2] * shape_[3];
        break;
    }
    if (pick(2) == 0) {
      apply("Gemm", {constant({6, rows}, -0.5F, 0.5F), constant({6}, -1, 1)},
            {{"transB", std::int64_t{1}}, {"alpha", 0.5F}});
    } else {
      apply("MatMul", {constant({rows, 6}, -0.5F, 0.5F)});
      apply("Add", {constant({6}, -1, 1)});
    }
    shape_ = {1, 6};
    if (pick(2) == 0) apply("Softmax");
  }

  std::mt19937 random_;
  float range_;
  nn::Graph graph_;
  nn::Shape shape_;
  std::string value_;
  int next_ = 0;
};

/// Exponent of element `i` of a tensor.
int exponent_of(const TensorScale& scale, const nn::Shape& shape, std::size_t i) {
  if (scale.exponents.size() == 1) return scale.exponents.front();
  std::size_t inner = 1;
  for (std::size_t k = scale.axis + 1; k < shape.size(); ++k) {
    inner *= static_cast<std::size_t>(shape[k]);
  }
  return scale.exponents[i / inner % scale.exponents.size()];
}

/// Expects the tensors of both graphs to agree after unscaling. Returns the largest value held.
void expect_equal(const nn::Values& model, const nn::Values& held, const TensorScales& scales,
                  const std::string& where) {
  for (const auto& [name, tensor] : model) {
    if (tensor.type != nn::ElementType::float32) continue;
    const auto found = held.find(name);
    ASSERT_NE(found, held.end()) << where << " " << name;
    const auto scale = scales.find(name);
    double largest = 0, off = 0;
    for (std::size_t i = 0; i < tensor.floats.size(); ++i) {
      const int exponent = scale == scales.end() ? 0 : exponent_of(scale->second, tensor.shape, i);
      const double value = std::ldexp(double{found->second.floats[i]}, -exponent);
      largest = std::max(largest, std::abs(double{tensor.floats[i]}));
      off = std::max(off, std::abs(value - double{tensor.floats[i]}));
    }
    EXPECT_LE(off, 1e-5 * largest + 1e-12) << where << " " << name;
  }
}

std::string text_of(std::uint32_t seed, const Way& way) {
  return "seed " + std::to_string(seed) + (way.channels ? " channels " : " tensors ") +
         std::to_string(static_cast<int>(way.multiplies));
}

TEST(Scaling, ScaledGraphsComputeTheSameAndFitTheType) {
  std::size_t by_channel = 0, multiplies = 0, scaled = 0;
  for (std::uint32_t seed = 0; seed < 150; ++seed) {
    const Drawn drawn(seed);
    const nn::Values x = drawn.input(seed);
    const nn::Graph graph = Drawn(seed).graph();
    const nn::Values model = nn::run_reference(graph, x);
    Scaling scaling(graph, {}, tcu::DataType::fp16bp8);
    scaling.add_image(model);
    for (const Way& way : ways) {
      const ScaledNetwork network = scaling.scaled(way.channels, way.multiplies);
      const std::string where = text_of(seed, way);
      const nn::Values held = nn::run_reference(*network.graph, x);
      expect_equal(model, held, network.scales, where);
      EXPECT_EQ(network.scales.count("x") + network.scales.count(graph.outputs.front().name), 0U);
      for (const auto& [name, scale] : network.scales) {
        by_channel += scale.exponents.size() > 1 ? 1 : 0;
        // What is scaled has room for values 1.5 times as large as those of the image.
        if (*std::max_element(scale.exponents.begin(), scale.exponents.end()) <= 0) continue;
        for (const float value : held.at(name).floats) ASSERT_LT(1.5 * std::abs(value), 127.9);
      }
      for (const nn::Node& node : network.graph->nodes) {
        const bool product = node.op_type == "Conv" || node.op_type == "Gemm";
        for (std::size_t i = 1; product && i < node.inputs.size(); ++i) {
          const float factor = i == 1 && node.op_type == "Gemm" ? node.real("alpha", 1) : 1;
          for (const float value : network.graph->initializer(node.inputs[i])->floats) {
            ASSERT_LT(std::abs(factor * value), 128) << where << " " << node.name;
          }
        }
      }
      multiplies += network.multiplies;
      scaled += network.scales.size();
      if (way.multiplies == Multiplies::none) {
        EXPECT_EQ(network.multiplies, 0U) << where;
      }
    }
  }
  EXPECT_GT(by_channel, 300U);
  EXPECT_GT(multiplies, 300U);
  EXPECT_GT(scaled, 2000U);
}

TEST(Scaling, InputsBeyondTheTypeAreScaledAtTheHost) {
  for (std::uint32_t seed = 0; seed < 30; ++seed) {
    const Drawn drawn(seed, 255);
    const nn::Values x = drawn.input(seed);
    const nn::Graph graph = Drawn(seed, 255).graph();
    const nn::Values model = nn::run_reference(graph, x);
    Scaling scaling(graph, {}, tcu::DataType::fp16bp8);
    scaling.add_image(model);
    for (const Way& way : ways) {
      const ScaledNetwork network = scaling.scaled(way.channels, way.multiplies);
      ASSERT_EQ(network.host_inputs.count("x"), 1U) << seed;
      EXPECT_LE(network.host_inputs.at("x"), -2);
      EXPECT_GT(network.bounds.at("x"), 128) << "tells the compiler to leave it to the host";
      const nn::Values held = nn::run_reference(*network.graph, x);
      expect_equal(model, held, network.scales, text_of(seed, way));
    }
  }
}

}  // namespace
}  // namespace tactus::compiler
