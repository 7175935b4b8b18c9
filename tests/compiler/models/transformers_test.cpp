// Small blocks of transformers, written with the nodes that exporters use today and with those of
// older exporters. Programs of the strategies, the optimiser and Stripe are compared with the float
// reference.
#include <limits>

#include <gtest/gtest.h>

#include "firmware/compiler/targets/tcu/stripe/from_onnx.h"
#include "tests/compiler/models/outcome.h"

namespace tactus::compiler {
namespace {

constexpr std::int64_t tokens = 6, width = 16, heads = 2, head = width / heads;
constexpr float smallest_float = std::numeric_limits<float>::lowest();

nn::Tensor number(float value) { return floats({}, {value}); }

/// Adds nodes of transformers to a graph. Every function returns the name of its result. `today`:
/// use today's operators instead of their older expansions.
class Exporter {
 public:
  Exporter(std::int64_t opset, bool today) : maker(opset), today_(today) {}

  std::string op(const std::string& type, std::vector<std::string> inputs,
                 Attributes attributes = {}) {
    const std::string out = type + "_" + std::to_string(count_++);
    maker.node(type, inputs, {out}, std::move(attributes));
    return out;
  }
  std::string constant(nn::Tensor tensor) {
    const std::string out = "constant_" + std::to_string(count_++);
    maker.constant(out, std::move(tensor));
    return out;
  }
  std::string weight(const nn::Shape& shape, float range) {
    const std::string out = "weight_" + std::to_string(count_++);
    maker.weights(out, shape, range);
    return out;
  }
  std::string dense(const std::string& x, std::int64_t inputs, std::int64_t outputs) {
    const std::string product = op("MatMul", {x, weight({inputs, outputs}, 0.4F)});
    return op("Add", {weight({outputs}, 0.2F), product});
  }
  std::string mean(const std::string& x) {
    if (maker.graph.opset >= 18) return op("ReduceMean", {x, constant(integers({-1}))});
    return op("ReduceMean", {x}, {{"axes", Ints{-1}}});
  }
  std::string layer_norm(const std::string& x) {
    const std::string gamma = weight({width}, 1.5F), beta = weight({width}, 0.5F);
    if (today_) return op("LayerNormalization", {x, gamma, beta}, {{"axis", std::int64_t{-1}}});
    const std::string centred = op("Sub", {x, mean(x)});
    const std::string variance = mean(op("Pow", {centred, constant(number(2))}));
    const std::string root = op("Sqrt", {op("Add", {variance, constant(number(1e-5F))})});
    return op("Add", {op("Mul", {op("Div", {centred, root}), gamma}), beta});
  }
  std::string gelu(const std::string& x) {
    if (today_) return op("Gelu", {x});
    const std::string erf = op("Erf", {op("Div", {x, constant(number(1.41421356F))})});
    const std::string gated = op("Mul", {x, op("Add", {erf, constant(number(1))})});
    return op("Mul", {gated, constant(number(0.5F))});
  }
  std::string tanh_gelu(const std::string& x) {
    if (today_) return op("Gelu", {x}, {{"approximate", std::string("tanh")}});
    const std::string cube = op("Pow", {x, constant(number(3))});
    const std::string sum = op("Add", {x, op("Mul", {cube, constant(number(0.044715F))})});
    const std::string tanh = op("Tanh", {op("Mul", {sum, constant(number(0.79788456F))})});
    return op("Mul",
              {op("Mul", {x, constant(number(0.5F))}), op("Add", {tanh, constant(number(1))})});
  }
  std::string reshape(const std::string& x, const nn::Shape& shape) {
    return op("Reshape", {x, constant(integers(shape))});
  }
  std::string by_heads(const std::string& x, std::int64_t count) {
    return op("Transpose", {reshape(x, {1, count, heads, head})}, {{"perm", Ints{0, 2, 1, 3}}});
  }
  /// Adds an attention. The function `masked` adds the mask's nodes: it gets the name of the scores
  /// and returns that of the masked scores.
  template <typename Masked>
  std::string attention(const std::string& q, const std::string& k, const std::string& v,
                        std::int64_t count, const Masked& masked) {
    const std::string columns = op("Transpose", {k}, {{"perm", Ints{0, 1, 3, 2}}});
    const std::string scores = op("MatMul", {q, columns});
    const std::string scaled = op("Div", {scores, constant(number(std::sqrt(float{head})))});
    const std::string weights = op("Softmax", {masked(scaled)}, {{"axis", std::int64_t{-1}}});
    const std::string mixed = op("MatMul", {weights, v});
    const std::string rows = op("Transpose", {mixed}, {{"perm", Ints{0, 2, 1, 3}}});
    return dense(reshape(rows, {1, count, width}), width, width);
  }

  GraphMaker maker;

 private:
  bool today_;
  unsigned count_ = 0;
};

/// An encoder's block. The mask is an input of whole numbers, in one of the forms that exporters
/// write.
nn::Graph encoder(std::int64_t opset, bool today) {
  Exporter net(opset, today);
  net.maker.input("x", {1, tokens, width}).input("mask", {1, tokens});
  net.maker.graph.inputs.back().type = nn::ElementType::int64;
  const std::string row = net.reshape("mask", {1, 1, 1, tokens});
  const auto masked = [&](const std::string& scores) {
    if (today) {
      const std::string real = net.op("Cast", {row}, {{"to", std::int64_t{1}}});
      const std::string padding = net.op("Sub", {net.constant(number(1)), real});
      return net.op("Add",
                    {scores, net.op("Mul", {padding, net.constant(number(smallest_float))})});
    }
    const std::string padding = net.op("Equal", {row, net.constant(integers({0}))});
    return net.op("Where", {padding, net.constant(number(-10000)), scores});
  };
  const auto part = [&] { return net.by_heads(net.dense("x", width, width), tokens); };
  const std::string q = part(), k = part(), v = part();
  std::string x = net.op("Add", {"x", net.attention(q, k, v, tokens, masked)});
  x = net.layer_norm(x);
  const std::string up = net.gelu(net.dense(x, width, 2 * width));
  x = net.layer_norm(net.op("Add", {x, net.dense(up, 2 * width, width)}));
  net.maker.output(x);
  return net.maker.graph;
}

/// Adds x cos + r(x) sin, where r(x) swaps the two halves of a head and negates the new first half.
std::string rotary(Exporter& net, const std::string& x, const std::string& cos,
                   const std::string& sin) {
  const auto half = [&](std::int64_t from, std::int64_t to) {
    return net.op("Slice", {x, net.constant(integers({from})), net.constant(integers({to})),
                            net.constant(integers({-1}))});
  };
  const std::string negated = net.op("Neg", {half(head / 2, head)});
  const std::string turned =
      net.op("Concat", {negated, half(0, head / 2)}, {{"axis", std::int64_t{-1}}});
  return net.op("Add", {net.op("Mul", {x, cos}), net.op("Mul", {turned, sin})});
}

/// A decoder's block for two new tokens after four earlier ones, whose keys and values are inputs.
/// The queries and keys of the new tokens are rotated by their positions; the first new token does
/// not see the second.
nn::Graph decoder(std::int64_t opset, bool today) {
  constexpr std::int64_t past = 4, more = 2;
  Exporter net(opset, today);
  net.maker.input("x", {1, more, width});
  net.maker.input("past_key", {1, heads, past, head}).input("past_value", {1, heads, past, head});
  const std::string first = net.layer_norm("x");
  const std::string joined = net.dense(first, width, 3 * width);
  net.maker.constant("sizes", integers({width, width, width}));
  net.maker.node("Split", {joined, "sizes"}, {"q", "k", "v"}, {{"axis", std::int64_t{2}}});
  const std::string cos = net.weight({1, 1, more, head}, 1),
                    sin = net.weight({1, 1, more, head}, 1);
  const std::string q = rotary(net, net.by_heads("q", more), cos, sin);
  const std::string new_k = rotary(net, net.by_heads("k", more), cos, sin);
  net.maker.node("Concat", {"past_key", new_k}, {"present_key"}, {{"axis", std::int64_t{2}}});
  net.maker.node("Concat", {"past_value", net.by_heads("v", more)}, {"present_value"},
                 {{"axis", std::int64_t{2}}});
  std::vector<float> causal(more * (past + more), 0);
  causal[past + 1] = today ? -std::numeric_limits<float>::infinity() : -10000;
  const std::string bias = net.constant(floats({1, 1, more, past + more}, causal));
  const auto masked = [&](const std::string& scores) { return net.op("Add", {scores, bias}); };
  std::string x =
      net.op("Add", {"x", net.attention(q, "present_key", "present_value", more, masked)});
  const std::string up = net.tanh_gelu(net.dense(net.layer_norm(x), width, 2 * width));
  x = net.op("Add", {x, net.dense(up, 2 * width, width)});
  net.maker.output(x).output("present_key").output("present_value");
  return net.maker.graph;
}

tcu::Architecture with_tables(tcu::DataType type) {
  tcu::Architecture machine = ample_architecture();
  machine.data_type = type;
  machine.lookup_tables = {2, 256, 4};
  machine.simd_registers_depth = 3;
  return machine;
}

nn::Values values_of(const nn::Graph& graph) {
  nn::Values values;
  std::uint32_t state = 7;
  for (const nn::ValueInfo& input : graph.inputs) {
    nn::Shape shape;
    for (const nn::Dimension& dimension : *input.dims) shape.push_back(*dimension.size);
    nn::Tensor tensor = nn::Tensor::zeros(shape);
    for (float& value : tensor.floats) {
      state = state * 1664525 + 1013904223;
      value = static_cast<float>(state >> 24) / 64 - 2;
    }
    if (input.type == nn::ElementType::int64) {
      tensor = nn::Tensor::of(shape, std::vector<std::int64_t>{1, 1, 0, 1, 0, 1});
    }
    values[input.name] = std::move(tensor);
  }
  return values;
}

std::vector<std::pair<std::string, Compiled>> ways_of(const nn::Graph& graph,
                                                      const tcu::Architecture& machine,
                                                      std::size_t count) {
  Options everything, optimised;
  everything.strategy = Strategy::local_vars_and_consts;
  optimised.optimise = true;
  std::vector<std::pair<std::string, Compiled>> ways;
  ways.emplace_back("local-isolated", compile(graph, machine));
  if (count == 1) return ways;
  ways.emplace_back("local-vars-and-consts", compile(graph, machine, everything));
  ways.emplace_back("--optimise", compile(graph, machine, optimised));
  ways.emplace_back("--via stripe", compile_via_stripe(graph, machine, {}).model);
  return ways;
}

struct Block {
  std::string name;
  nn::Graph (*build)(std::int64_t opset, bool today);
  std::int64_t opset;
  bool today;
};

class Transformer : public testing::TestWithParam<Block> {};

TEST_P(Transformer, GivesTheReferencesResult) {
  const nn::Graph graph = GetParam().build(GetParam().opset, GetParam().today);
  const nn::Values inputs = values_of(graph);
  const nn::Values expected = nn::run_reference(graph, inputs);
  for (const auto& [type, bound] :
       {std::pair(tcu::DataType::fp32bp16, 0.01), std::pair(tcu::DataType::fp16bp8, 0.05)}) {
    // Tables of the wide type take seconds to compute.
    const bool wide = type == tcu::DataType::fp32bp16;
    for (const auto& [way, compiled] : ways_of(graph, with_tables(type), wide ? 1 : 4)) {
      EXPECT_EQ(compiled.host, nullptr);
      const nn::Values results = finished(compiled, inputs);
      for (const nn::ValueInfo& output : graph.outputs) {
        const double error = relative_error(results.at(output.name), expected.at(output.name));
        std::printf("%s, %s, %s, %s: %.5f\n", GetParam().name.c_str(), way.c_str(),
                    std::string(tcu::info(type).name).c_str(), output.name.c_str(), error);
        EXPECT_LE(error, bound) << way << ", " << output.name;
      }
    }
  }
}

/// Without tables the blocks are refused, and the message says what the machine needs.
TEST_P(Transformer, IsRefusedWithoutTables) {
  try {
    (void)compile(GetParam().build(GetParam().opset, GetParam().today), ample_architecture());
    FAIL();
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what())
                  .find("lookup_tables of the architecture: a count of 2 or "
                        "more, and one register more than tables in "
                        "simd_registers_depth"),
              std::string::npos)
        << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(Blocks, Transformer,
                         testing::Values(Block{"Encoder17", encoder, 17, false},
                                         Block{"Encoder21", encoder, 21, true},
                                         Block{"Encoder12", encoder, 12, false},
                                         Block{"Decoder20", decoder, 20, true},
                                         Block{"Decoder13", decoder, 13, false}),
                         [](const auto& test) { return test.param.name; });

/// A GELU written as several nodes becomes one function of one element, with one lookup per vector.
TEST(WrittenOut, GeluIsOneLookup) {
  for (const bool by_tanh : {false, true}) {
    for (const bool today : {false, true}) {
      Exporter net(20, today);
      net.maker.input("x", {1, tokens, width});
      const std::string line = net.dense("x", width, width);
      net.maker.output(by_tanh ? net.tanh_gelu(line) : net.gelu(line));
      const Compiled compiled = compile(net.maker.graph, with_tables(tcu::DataType::fp16bp8));
      EXPECT_EQ(compiled.layers.size(), 1U) << by_tanh << today;
    }
  }
}

/// A square root and the division by it become one function, so that small roots keep their digits.
TEST(WrittenOut, DivisionByARootIsOneLookup) {
  for (const bool reciprocal : {false, true}) {
    Exporter net(17, false);
    net.maker.input("x", {1, 64}).input("v", {1, 64});
    const std::string root = net.op("Sqrt", {net.op("Add", {"v", net.constant(number(1e-5F))})});
    net.maker.output(reciprocal ? net.op("Mul", {"x", net.op("Reciprocal", {root})})
                                : net.op("Div", {"x", root}));
    const Compiled compiled = compile(net.maker.graph, with_tables(tcu::DataType::fp16bp8));
    nn::Values inputs;
    inputs["x"] = inputs["v"] = nn::Tensor::zeros({1, 64});
    for (std::size_t i = 0; i < 64; ++i) {
      inputs["v"].floats[i] = static_cast<float>(i + 1) / 256;
      inputs["x"].floats[i] = static_cast<float>(i % 5) / 8;
    }
    const std::string out = net.maker.graph.outputs[0].name;
    const nn::Values results = finished(compiled, inputs);
    EXPECT_LE(relative_error(results.at(out), nn::run_reference(net.maker.graph, inputs).at(out)),
              0.01);
  }
}

}  // namespace
}  // namespace tactus::compiler
