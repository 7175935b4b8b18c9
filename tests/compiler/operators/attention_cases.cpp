// Attention, RotaryEmbedding and RMSNormalization.
#include "tests/compiler/operators/sample.h"

namespace tactus::compiler {
namespace {

constexpr std::int64_t heads = 2, queries = 3;

/// Adds cases of Attention; the allowed errors are those of two products and a Softmax.
void add_attentions(Cases& cases) {
  const auto form = [&](const char* name, const std::function<void(Sample&)>& build) {
    cases.push_back({"Attention", name, [=](Sample& s) {
                       s.allow_stated(16, 60);
                       build(s);
                     }});
  };
  form("of heads", [](Sample& s) {
    const nn::Shape q{1, heads, queries, s.channels()}, k{1, heads, 4, s.channels()};
    s.output(s.node("Attention", {s.computed(q), s.computed(k), s.computed(k)}));
  });
  form("of rows, causal, with shared heads", [](Sample& s) {
    const nn::Shape q{1, queries, 2 * heads * 4}, k{1, queries, heads * 4};
    s.output(s.node(
        "Attention", {s.computed(q), s.computed(k), s.computed(k)},
        {{"q_num_heads", 2 * heads}, {"kv_num_heads", heads}, {"is_causal", std::int64_t{1}}}));
  });
  form("behind a past", [](Sample& s) {
    const nn::Shape q{1, heads, queries, s.channels()}, past{1, heads, 2, s.channels()};
    const std::vector<std::string> results = s.nodes(
        "Attention",
        {s.computed(q), s.computed(q), s.computed(q), "", s.computed(past), s.computed(past)}, 3,
        {{"is_causal", std::int64_t{1}}});
    s.output(results[0]);
    s.output(results[1]);
  });
  form("with a mask and a soft cap", [](Sample& s) {
    const nn::Shape q{1, heads, queries, s.channels()};
    nn::Tensor mask = nn::Tensor::of({queries, queries}, Ints{1, 0, 0, 1, 1, 0, 0, 1, 1});
    mask.stored = nn::onnx_bool;
    s.output(s.node("Attention",
                    {s.computed(q), s.computed(q), s.computed(q), s.constant(std::move(mask))},
                    {{"softcap", 2.0F}, {"scale", 0.25F}}));
  });
}

/// Adds cases of RotaryEmbedding, whose numbers are exact.
void add_rotations(Cases& cases) {
  const Numbers angles{-1, 1, 0.5, -1, 3, true};
  const auto form = [&](const char* name, const std::function<nn::Shape(Sample&)>& shape,
                        Attributes attributes, std::int64_t pairs, bool computed) {
    cases.push_back(
        {"RotaryEmbedding", name, [=](Sample& s) {
           const nn::Shape x = shape(s);
           const nn::Shape table{x[0], queries, pairs};
           const auto angle = [&] {
             return computed ? s.computed(table, angles) : s.constant(table, angles);
           };
           const std::string cosines = angle(), sines = angle();
           s.output(s.node("RotaryEmbedding", {s.computed(x), cosines, sines}, attributes));
         }});
  };
  const auto of_heads = [](std::int64_t width) {
    return [=](Sample&) { return nn::Shape{1, heads, queries, width}; };
  };
  form("of halves", of_heads(8), {}, 4, false);
  form("of neighbours", of_heads(12), {{"interleaved", std::int64_t{1}}}, 6, false);
  form("of a part, angles computed", of_heads(10), {{"rotary_embedding_dim", std::int64_t{6}}}, 3,
       true);
  form(
      "of rows",
      [](Sample&) {
        return nn::Shape{2, queries, heads * 6};
      },
      {{"num_heads", heads}}, 3, false);
}

void add_layer_normalisations(Cases& cases) {
  const auto form = [&](const char* name, const std::function<nn::Shape(Sample&)>& shape,
                        std::int64_t axis) {
    cases.push_back({"RMSNormalization", name, [=](Sample& s) {
                       s.allow_stated(8, 40);
                       s.host_without_tables();
                       const nn::Shape all = shape(s);
                       const nn::Shape rest(all.begin() + axis, all.end());
                       const std::string scale = s.constant(rest, {-1, 1, 0.5});
                       s.output(s.node("RMSNormalization", {s.computed(all, {0.5, 2, 0.5}), scale},
                                       {{"axis", axis}}));
                     }});
  };
  form(
      "of rows",
      [](Sample& s) {
        return nn::Shape{2, 3, s.channels() + 2};
      },
      2);
  form(
      "of matrices",
      [](Sample& s) {
        return nn::Shape{2, 3, s.channels()};
      },
      1);
}

}  // namespace

Cases attention_cases() {
  Cases cases;
  add_attentions(cases);
  add_rotations(cases);
  add_layer_normalisations(cases);
  return cases;
}

}  // namespace tactus::compiler
