// Folded graphs compute what the model computes, and only what may be folded is.
#include "firmware/compiler/frontend/folded_products.h"

#include <algorithm>
#include <random>

#include "tests/compiler/frontend/graphs.h"

namespace tactus::compiler {
namespace {

/// Draws graphs with one product and constants around it.
class Drawn {
 public:
  explicit Drawn(std::uint32_t seed) : random_(seed) {}

  nn::Graph draw() {
    const int kind = pick(4);
    const bool image = kind < 2;
    in_ = 2 * (1 + pick(3));
    out_ = 2 * (1 + pick(3));
    rank_ = image ? 3 + pick(2) : kind == 3 ? 2 + pick(2) : 2;
    nn::Shape shape{image ? 2 : 3, in_};
    if (!image) shape = rank_ == 2 ? nn::Shape{3, in_} : nn::Shape{2, 3, in_};
    while (image && shape.size() < static_cast<std::size_t>(rank_)) shape.push_back(5);
    maker_.input("x", shape);
    std::string value = "x";
    channels_ = in_;
    axis_ = image ? 1 : rank_ - 1;
    for (int k = pick(3); k > 0; --k) value = around(value);
    value = kind == 0   ? convolution(value)
            : kind == 1 ? transposed(value)
            : kind == 2 ? gemm(value)
                        : matmul(value);
    channels_ = out_;
    for (int k = pick(4); k > 0; --k) value = around(value);
    maker_.node("Relu", {value}, {"y"}).output("y");
    return maker_.graph;
  }

 private:
  int pick(int count) { return std::uniform_int_distribution<int>(0, count - 1)(random_); }
  std::string constant(const nn::Shape& shape, float least = -2) {
    nn::Tensor tensor = nn::Tensor::zeros(shape);
    std::uniform_real_distribution<float> draw(least, 2);
    for (float& value : tensor.floats) value = draw(random_);
    const std::string name = "c" + std::to_string(next_++);
    maker_.constant(name, tensor);
    return name;
  }
  std::string node(const std::string& op, const std::vector<std::string>& inputs,
                   Attributes attributes = {}) {
    const std::string name = "v" + std::to_string(next_++);
    maker_.node(op, inputs, {name}, std::move(attributes));
    return name;
  }
  /// A scalar, or a value for each channel.
  nn::Shape around_shape() {
    if (pick(2) == 0)
      return pick(2) == 0 ? nn::Shape{} : nn::Shape(static_cast<std::size_t>(rank_), 1);
    nn::Shape shape(static_cast<std::size_t>(rank_ - axis_), 1);
    shape.front() = channels_;
    return shape;
  }
  std::string around(const std::string& value) {
    switch (pick(axis_ == 1 ? 7 : 6)) {
      case 0:
        return node("Mul", {value, constant(around_shape())});
      case 1:
        return node("Mul", {constant(around_shape()), value});
      case 2:
        return node("Add", {value, constant(around_shape())});
      case 3:
        return node("Sub", {value, constant(around_shape())});
      case 4:
        return node("Sub", {constant(around_shape()), value});
      case 5:
        return node("Div", {value, constant(around_shape(), 0.3F)});
      default: {
        const nn::Shape all{channels_};
        return node("BatchNormalization",
                    {value, constant(all), constant(all), constant(all), constant(all, 0.2F)});
      }
    }
  }
  std::string convolution(const std::string& value) {
    const std::int64_t groups = pick(2) == 0 ? 1 : 2;
    const auto spatial = static_cast<std::size_t>(rank_ - 2);
    nn::Shape shape{out_, in_ / groups};
    shape.resize(2 + spatial, 2);
    std::vector<std::string> inputs{value, constant(shape)};
    if (pick(2) == 0) inputs.push_back(constant({out_}));
    return node("Conv", inputs, {{"group", groups}, {"pads", Ints(2 * spatial, pick(2))}});
  }
  std::string transposed(const std::string& value) {
    const std::int64_t groups = pick(2) == 0 ? 1 : 2;
    nn::Shape shape{in_, out_ / groups};
    shape.resize(static_cast<std::size_t>(rank_), 2);
    std::vector<std::string> inputs{value, constant(shape)};
    if (pick(2) == 0) inputs.push_back(constant({out_}));
    return node("ConvTranspose", inputs, {{"group", groups}});
  }
  std::string gemm(const std::string& value) {
    const std::int64_t turned = pick(2);
    std::vector<std::string> inputs{value, constant(turned ? Ints{out_, in_} : Ints{in_, out_})};
    const nn::Shape addends[] = {{}, {out_}, {1, out_}, {3, out_}, {3, 1}, {1}};
    if (pick(4) != 0) inputs.push_back(constant(addends[pick(6)]));
    return node("Gemm", inputs, {{"transB", turned}, {"alpha", 0.5F}, {"beta", 1.5F}});
  }
  std::string matmul(const std::string& value) {
    return node("MatMul", {value, constant({in_, out_})});
  }

  std::mt19937 random_;
  GraphMaker maker_;
  std::int64_t in_ = 0, out_ = 0, channels_ = 0;
  int rank_ = 0, axis_ = 0, next_ = 0;
};

bool always(const ProductFold&) { return true; }

nn::Values values_of(const nn::Graph& graph) {
  nn::Shape shape;
  for (const nn::Dimension& dimension : *graph.inputs.front().dims)
    shape.push_back(*dimension.size);
  nn::Tensor x = nn::Tensor::zeros(shape);
  for (std::size_t i = 0; i < x.floats.size(); ++i) {
    x.floats[i] = static_cast<float>((i * 37) % 23) / 8.0F - 1.0F;
  }
  return {{"x", x}};
}

void expect_equal(const nn::Graph& graph, const nn::Graph& folded) {
  const nn::Values inputs = values_of(graph);
  const nn::Tensor wanted = nn::run_reference(graph, inputs).at("y");
  const nn::Tensor got = nn::run_reference(folded, inputs).at("y");
  ASSERT_EQ(got.shape, wanted.shape);
  float largest = 1;
  for (const float value : wanted.floats) largest = std::max(largest, std::fabs(value));
  for (std::size_t i = 0; i < wanted.floats.size(); ++i) {
    ASSERT_NEAR(got.floats[i], wanted.floats[i], 1e-5F * largest) << "element " << i;
  }
}

TEST(FoldedProducts, DrawnGraphsComputeTheSame) {
  std::size_t folded = 0, gone = 0;
  for (std::uint32_t seed = 0; seed < 1000; ++seed) {
    SCOPED_TRACE(seed);
    const nn::Graph graph = Drawn(seed).draw();
    std::size_t asked = 0;
    const auto every_other = [&](const ProductFold& fold) {
      EXPECT_FALSE(fold.nodes.empty());
      return (++asked + seed) % 2 == 0;
    };
    for (const auto& wants : {WantsFold(always), WantsFold(every_other)}) {
      const auto result = fold_products(graph, wants);
      if (!result) continue;
      ++folded;
      gone += graph.nodes.size() - result->nodes.size();
      expect_equal(graph, *result);
      if (HasFatalFailure()) return;
    }
  }
  // Most drawn graphs have something to fold.
  EXPECT_GT(folded, 1000U);
  EXPECT_GT(gone, 2000U);
}

/// Number of nodes that are left of a Conv with a node before and a node behind it.
std::size_t nodes_left(GraphMaker& maker, const std::vector<std::string>& outputs = {}) {
  const auto folded = fold_products(maker.graph, always, outputs);
  return folded ? folded->nodes.size() : maker.graph.nodes.size();
}

TEST(FoldedProducts, ReadersOutputsAndPaddingForbidIt) {
  const auto graph = [](std::int64_t pad, const std::string& before) {
    GraphMaker maker;
    maker.input("x", {1, 2, 4, 4}).weights("w", {3, 2, 3, 3}, 1);
    maker.constant("k", floats({}, {2})).constant("j", floats({3, 1, 1}, {2, 3, 4}));
    maker.node(before, {"x", "k"}, {"m"});
    maker.node("Conv", {"m", "w"}, {"c"}, {{"pads", Ints(4, pad)}});
    maker.node("Mul", {"c", "j"}, {"y"}).output("y");
    return maker;
  };
  GraphMaker plain = graph(1, "Mul"), summand = graph(0, "Add"), padded = graph(1, "Add");
  EXPECT_EQ(nodes_left(plain), 1U);
  EXPECT_EQ(nodes_left(summand), 1U);
  EXPECT_EQ(nodes_left(padded), 2U);
  EXPECT_EQ(nodes_left(plain, {"c"}), 2U);
  EXPECT_EQ(nodes_left(plain, {"m", "y"}), 2U);
  plain.node("Relu", {"c"}, {"z"}).output("z");
  EXPECT_EQ(nodes_left(plain), 3U);
  GraphMaker wide;  // the factors give the image its channels
  wide.input("x", {1, 1, 4, 4}).weights("w", {3, 2, 3, 3}, 1);
  wide.constant("k", floats({2, 1, 1}, {2, 3})).node("Mul", {"x", "k"}, {"m"});
  wide.node("Conv", {"m", "w"}, {"y"}).output("y");
  EXPECT_EQ(nodes_left(wide), 2U);
}

TEST(FoldedProducts, ComputedWeightsAreFoldedAndSharedOnesKept) {
  GraphMaker maker;
  maker.input("x", {1, 2, 4, 4}).weights("raw", {2, 2, 1, 1}, 1);
  maker.constant("k", floats({}, {2})).node("Mul", {"raw", "k"}, {"w"});
  maker.node("Conv", {"x", "w"}, {"c"}).node("Mul", {"c", "k"}, {"d"});
  maker.node("Conv", {"d", "w"}, {"e"}).node("Relu", {"e"}, {"y"}).output("y");
  const auto folded = fold_products(maker.graph, always);
  ASSERT_TRUE(folded);
  EXPECT_EQ(folded->nodes.size(), 4U);
  expect_equal(maker.graph, *folded);
}

}  // namespace
}  // namespace tactus::compiler
