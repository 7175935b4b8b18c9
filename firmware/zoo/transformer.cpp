// Transformers: an encoder of texts, a classifier of images, and a decoder's block for one token,
// which reads the keys and values of the tokens before it.
#include <cmath>
#include <utility>

#include "firmware/zoo/zoo.h"

namespace tactus::nn {
namespace {

using Value = Builder::Value;

/// Sizes of a transformer's block.
struct Block {
  std::int64_t tokens, width, heads, hidden;

  [[nodiscard]] std::int64_t head_width() const { return width / heads; }
};

/// Rearranges [1, tokens, width] to [1, heads, tokens, width of a head].
Value split_heads(Builder& net, const std::string& name, const Value& x, const Block& block) {
  const Value split =
      net.reshape(name + "/split", x, {1, block.tokens, block.heads, block.head_width()});
  return net.transpose(name + "/heads", split, {0, 2, 1, 3});
}

/// Computes softmax(q k' / sqrt(width of a head) + bias) v for each head, and the product that
/// mixes the heads. An empty bias is left out.
Value attention(Builder& net, const std::string& name, const Value& q, const Value& k,
                const Value& v, const Value& bias, const Block& block) {
  const Value columns = net.transpose(name + "/columns", k, {0, 1, 3, 2});
  const double root = std::sqrt(static_cast<double>(block.head_width()));
  Value scores = net.product(name + "/scores", q, columns);
  scores = net.scale(name + "/scaled", scores, static_cast<float>(1 / root));
  if (!bias.empty()) scores = net.add(name + "/masked", scores, bias);
  Value x = net.product(name + "/mixed", net.softmax(name + "/weights", scores, -1), v);
  net.set_variance(x, 0.25);
  x = net.reshape(name + "/joined", net.transpose(name + "/tokens", x, {0, 2, 1, 3}),
                  {1, block.tokens, block.width});
  return net.dense(name + "/output", x, block.width, 0.5);
}

/// Adds the attention of all tokens to each other.
Value self_attention(Builder& net, const std::string& name, const Value& x, const Value& bias,
                     const Block& block) {
  const auto part = [&](const char* what, double deviation) {
    const std::string own = name + "/" + what;
    return split_heads(net, own, net.dense(own, x, block.width, deviation), block);
  };
  const Value q = part("query", 1.5), k = part("key", 1.5), v = part("value", 1.5);
  return attention(net, name, q, k, v, bias, block);
}

Value feed_forward(Builder& net, const std::string& name, const Value& x, const Block& block) {
  const Value hidden = net.gelu(name + "/gelu", net.dense(name + "/up", x, block.hidden, 1));
  return net.dense(name + "/down", hidden, block.width, 0.5);
}

}  // namespace

Network build_bert_tiny(std::uint64_t seed) {
  const Block block{128, 128, 2, 512};
  Builder net("bert-tiny", 17, seed);
  const Value ids = net.integer_input("input_ids", {1, block.tokens});
  const Value types = net.integer_input("token_type_ids", {1, block.tokens});
  const Value bias =
      net.attention_bias("mask", net.integer_input("attention_mask", {1, block.tokens}));
  Value x =
      net.add("embeddings/typed", net.embedding("embeddings/word", ids, 30522, block.width, 0.7),
              net.embedding("embeddings/type", types, 2, block.width, 0.5));
  x = net.add("embeddings/placed", x,
              net.weight("embeddings/position", {1, block.tokens, block.width}, 0.5));
  x = net.layer_normalization("embeddings/norm", x);
  for (int layer = 0; layer < 2; ++layer) {
    const std::string name = "layer_" + std::to_string(layer);
    x = net.add(name + "/attended", x, self_attention(net, name + "/attention", x, bias, block));
    x = net.layer_normalization(name + "/attention/norm", x);
    x = net.add(name + "/fed", x, feed_forward(net, name + "/ffn", x, block));
    x = net.layer_normalization(name + "/ffn/norm", x);
  }
  net.output(x, "last_hidden_state");
  return std::move(net).finish();
}

Network build_deit_tiny(std::uint64_t seed) {
  constexpr std::int64_t patches = 14 * 14;
  const Block block{patches + 1, 192, 3, 768};
  Builder net("deit-tiny-4", 17, seed);
  Builder::Conv patch;
  patch.channels = block.width;
  patch.kernel = patch.stride = 16;
  patch.deviation = 1;
  Value x = net.conv("patches", net.input("pixel_values", {1, 3, 224, 224}), patch);
  x = net.transpose("tokens", net.reshape("rows", x, {1, block.width, patches}), {0, 2, 1});
  x = net.concat("with_class", {net.weight("class", {1, 1, block.width}, 1), x}, 1);
  x = net.add("placed", x, net.weight("position", {1, block.tokens, block.width}, 0.5));
  for (int layer = 0; layer < 4; ++layer) {
    const std::string name = "layer_" + std::to_string(layer);
    const Value first = net.layer_normalization(name + "/attention/norm", x);
    x = net.add(name + "/attended", x, self_attention(net, name + "/attention", first, "", block));
    const Value second = net.layer_normalization(name + "/ffn/norm", x);
    x = net.add(name + "/fed", x, feed_forward(net, name + "/ffn", second, block));
  }
  x = net.pick("class_token", net.layer_normalization("norm", x), 0, 1);
  net.output(net.gemm("head", x, 1000, 2), "logits");
  return std::move(net).finish();
}

Network build_gpt2_block(std::uint64_t seed) {
  constexpr std::int64_t past = 63;
  const Block block{1, 768, 12, 3072};
  Builder net("gpt2-block", 17, seed);
  const Value in = net.input("hidden_states", {1, 1, block.width});
  const Shape kept{1, block.heads, past, block.head_width()};
  const Value past_key = net.input("past_key", kept), past_value = net.input("past_value", kept);
  const Value joined =
      net.dense("attention/qkv", net.layer_normalization("norm_0", in), 3 * block.width, 2);
  const std::vector<Value> parts = net.split("attention/parts", joined, 2, 3);
  const Value q = split_heads(net, "attention/query", parts[0], block);
  const Value k = net.concat("attention/keys",
                             {past_key, split_heads(net, "attention/key", parts[1], block)}, 2);
  const Value v = net.concat("attention/values",
                             {past_value, split_heads(net, "attention/value", parts[2], block)}, 2);
  Value x = net.add("attended", in, attention(net, "attention", q, k, v, "", block));
  const Value up = net.dense("ffn/up", net.layer_normalization("norm_1", x), block.hidden, 1.15);
  x = net.add("fed", x, net.dense("ffn/down", net.tanh_gelu("ffn/gelu", up), block.width, 0.5));
  net.output(x, "next_hidden_states");
  net.output(k, "present_key");
  net.output(v, "present_value");
  return std::move(net).finish();
}

}  // namespace tactus::nn
