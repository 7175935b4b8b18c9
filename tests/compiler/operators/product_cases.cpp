// Convolutions and matrix products. Weights differ from channel to channel, and include whole
// blocks of zeroes.
//
// Each output has three weights of at most 1, times values of at most 2, and a bias of at most 1,
// so results stay below 8.
#include "tests/compiler/operators/sample.h"

namespace tactus::compiler {
namespace {

const Numbers weight{-1, 1, 0.5};

/// Weights with at most three nonzero elements for each index of dimension 0.
std::string weights(Sample& s, const nn::Shape& shape) {
  nn::Shape flat{shape[0], 1};
  for (std::size_t d = 1; d < shape.size(); ++d) flat[1] *= shape[d];
  Numbers numbers = weight;
  numbers.sparse = 1;
  nn::Tensor tensor = s.draw(flat, numbers);
  tensor.shape = shape;
  return s.constant(tensor);
}

/// Weights with at most one nonzero element for each index of dimension 1 and up.
std::string turned_weights(Sample& s, const nn::Shape& shape) {
  nn::Shape columns{shape[0], 1};
  for (std::size_t d = 1; d < shape.size(); ++d) columns[1] *= shape[d];
  Numbers numbers = weight;
  numbers.sparse = 0;
  numbers.most = 1;
  nn::Tensor tensor = s.draw(columns, numbers);
  tensor.shape = shape;
  return s.constant(tensor);
}

std::string bias(Sample& s, std::int64_t channels) { return s.constant({channels}, weight); }

struct Form {
  const char* form;
  nn::Shape kernel;
  Attributes attributes;
  bool bias = true;
};

void add_convolutions(Cases& cases) {
  const std::vector<Form> forms{
      {"1x1", {1, 1}, {}},
      {"1x1 without bias", {1, 1}, {}, false},
      {"3x3 padded", {3, 3}, {{"pads", Ints{1, 1, 1, 1}}}},
      {"3x3 of stride 2", {3, 3}, {{"pads", Ints{1, 1, 1, 1}}, {"strides", Ints{2, 2}}}},
      {"3x2 padded on one side", {3, 2}, {{"pads", Ints{0, 1, 2, 0}}}},
      {"2x2 dilated", {2, 2}, {{"dilations", Ints{2, 1}}}, false},
      {"3x3 SAME_LOWER", {3, 3}, {{"auto_pad", std::string("SAME_LOWER")}}},
  };
  for (const Form& f : forms) {
    cases.push_back({"Conv", f.form, [=](Sample& s) {
                       const std::int64_t results = s.channels() + 1;
                       std::vector<std::string> inputs{
                           s.computed(s.image(4, 5)),
                           weights(s, {results, s.channels(), f.kernel[0], f.kernel[1]})};
                       if (f.bias) inputs.push_back(bias(s, results));
                       s.output(s.node("Conv", inputs, f.attributes));
                     }});
  }
  const auto grouped = [&](const char* form, auto groups_of, std::int64_t inputs,
                           std::int64_t outputs) {
    cases.push_back({"Conv", form, [=](Sample& s) {
                       const std::int64_t groups = groups_of(s);
                       s.output(s.node("Conv",
                                       {s.computed({1, groups * inputs, 4, 4}),
                                        weights(s, {groups * outputs, inputs, 3, 3}),
                                        bias(s, groups * outputs)},
                                       {{"group", groups}, {"pads", Ints{1, 1, 1, 1}}}));
                     }});
  };
  const auto each = [](Sample& s) { return s.channels(); };
  grouped("depthwise", each, 1, 1);
  grouped("depthwise, two results each", each, 1, 2);
  grouped(
      "three groups", [](Sample&) { return 3; }, 5, 4);
  grouped(
      "two groups of a block", [](Sample& s) { return s.setting().array_size / 4; }, 4, 4);
  cases.push_back(
      {"Conv", "of an image with a depth", [](Sample& s) {
         const std::int64_t n = s.channels();
         s.output(s.node(
             "Conv", {s.computed({1, n, 3, 2, 3}), weights(s, {n + 1, n, 2, 1, 2}), bias(s, n + 1)},
             {{"pads", Ints{1, 0, 0, 0, 0, 1}}, {"strides", Ints{2, 1, 1}}}));
       }});
  cases.push_back(
      {"ConvTranspose", "of an image with a depth", [](Sample& s) {
         const std::int64_t n = s.channels();
         s.output(
             s.node("ConvTranspose",
                    {s.computed({1, n, 2, 2, 2}), turned_weights(s, {n, 3, 2, 1, 2}), bias(s, 3)},
                    {{"strides", Ints{2, 1, 1}}, {"pads", Ints{0, 0, 0, 1, 0, 0}}}));
       }});
  cases.push_back({"Conv", "of two images", [](Sample& s) {
                     s.output(s.node("Conv", {s.computed({2, s.channels(), 3, 3}),
                                              weights(s, {s.channels(), s.channels(), 3, 3}),
                                              bias(s, s.channels())}));
                   }});
  cases.push_back(
      {"Conv", "along one dimension", [](Sample& s) {
         s.output(s.node("Conv",
                         {s.computed({1, s.channels(), 7}),
                          weights(s, {s.channels(), s.channels(), 3}), bias(s, s.channels())},
                         {{"pads", Ints{1, 1}}}));
       }});
  cases.push_back({"Conv", "of zeroes and a bias", [](Sample& s) {
                     s.output(s.node("Conv", {s.computed(s.image()),
                                              s.constant({s.channels(), s.channels(), 1, 1},
                                                         {0, 0, 1, -1, 3, true}),
                                              bias(s, s.channels())}));
                   }});
  cases.push_back({"Conv", "before an activation with a slope per channel", [](Sample& s) {
                     s.allow_optimised(leaky_units);
                     const std::string y = s.node(
                         "Conv",
                         {s.computed(s.image()), weights(s, {s.channels(), s.channels(), 1, 1})});
                     s.output(s.node("PRelu", {y, s.constant({s.channels(), 1, 1}, weight)}));
                   }});
  cases.push_back({"Conv", "before a clip above 0", [](Sample& s) {
                     const std::string y = s.node(
                         "Conv",
                         {s.computed(s.image()), weights(s, {s.channels(), s.channels(), 1, 1})});
                     s.output(s.node("Clip", {y, s.scalar(0.5F), s.scalar(1.5F)}));
                   }});
  cases.push_back(
      {"Conv", "before a sum, a normalisation and a ReLU", [](Sample& s) {
         const std::string x = s.computed(s.image(), {-1, 1, 0.5});
         std::string y = s.node("Conv", {x, weights(s, {s.channels(), s.channels(), 3, 3})},
                                {{"pads", Ints{1, 1, 1, 1}}});
         y = s.node("Add", {y, x});
         const nn::Shape channels{s.channels()};
         const Numbers one{1, 1, 1, -1, 3, true};
         y = s.node("BatchNormalization",
                    {y, s.constant(channels, {-1, 1, 0.5}), s.constant(channels, weight),
                     s.constant(channels, weight), s.constant(channels, one)},
                    {{"epsilon", 0.0F}});
         s.output(s.node("Relu", {y}));
       }});
}

void add_transposed(Cases& cases) {
  const std::vector<Form> forms{
      {"2x2 of stride 2", {2, 2}, {{"strides", Ints{2, 2}}}},
      {"2x2 of stride 2 without bias", {2, 2}, {{"strides", Ints{2, 2}}}, false},
      {"3x3 of stride 2, padded",
       {3, 3},
       {{"strides", Ints{2, 2}}, {"pads", Ints{1, 1, 1, 1}}, {"output_padding", Ints{1, 1}}}},
      {"3x3 of stride 1", {3, 3}, {}},
      {"2x3 dilated", {2, 3}, {{"dilations", Ints{2, 1}}}},
      {"3x3 of a stated size", {3, 3}, {{"strides", Ints{2, 2}}, {"output_shape", Ints{6, 7}}}},
  };
  for (const Form& f : forms) {
    cases.push_back({"ConvTranspose", f.form, [=](Sample& s) {
                       const std::int64_t results = s.channels() + 1;
                       // For each tap of an output only one input channel has a nonzero weight; at
                       // most 4 taps overlap.
                       std::vector<std::string> inputs{
                           s.computed(s.image(3, 4), {-0.5, 0.5, 0.5}),
                           turned_weights(s, {s.channels(), results, f.kernel[0], f.kernel[1]})};
                       if (f.bias) inputs.push_back(bias(s, results));
                       s.output(s.node("ConvTranspose", inputs, f.attributes));
                     }});
  }
  cases.push_back({"ConvTranspose", "depthwise", [](Sample& s) {
                     s.output(s.node("ConvTranspose",
                                     {s.computed(s.image(), {-0.5, 0.5, 0.5}),
                                      s.constant({s.channels(), 1, 3, 3}, weight)},
                                     {{"group", s.channels()}, {"strides", Ints{2, 2}}}));
                   }});
  cases.push_back({"ConvTranspose", "along one dimension", [](Sample& s) {
                     s.output(s.node("ConvTranspose",
                                     {s.computed({1, s.channels(), 4}, {-0.5, 0.5, 0.5}),
                                      turned_weights(s, {s.channels(), s.channels(), 3})},
                                     {{"strides", Ints{2}}}));
                   }});
}

/// Weights with at most three nonzero elements per column.
std::string columns(Sample& s, const nn::Shape& shape) {
  Numbers numbers = weight;
  numbers.sparse = static_cast<int>(shape.size()) - 2;
  return s.constant(shape, numbers);
}

void add_matrix_products(Cases& cases) {
  const auto form = [&](const char* name, const std::function<nn::Shape(Sample&)>& rows) {
    cases.push_back({"MatMul", name, [=](Sample& s) {
                       s.output(s.node("MatMul", {s.computed(rows(s)),
                                                  columns(s, {s.channels(), s.channels() + 2})}));
                     }});
  };
  form("by a constant", [](Sample& s) { return nn::Shape{5, s.channels()}; });
  form("one row by a constant", [](Sample& s) { return nn::Shape{1, s.channels()}; });
  form("rank 3 by a constant", [](Sample& s) { return nn::Shape{2, 3, s.channels()}; });
  form("rank 4 by a constant", [](Sample& s) { return nn::Shape{1, 2, 3, s.channels()}; });
  cases.push_back({"MatMul", "by a constant vector", [](Sample& s) {
                     Numbers numbers = weight;
                     numbers.sparse = 0;
                     s.output(s.node("MatMul", {s.computed({5, s.channels()}),
                                                s.constant({s.channels()}, numbers)}));
                   }});
  cases.push_back({"MatMul", "by a constant a batch", [](Sample& s) {
                     s.output(s.node("MatMul", {s.computed({2, 3, s.channels()}),
                                                columns(s, {2, s.channels(), 5})}));
                   }});
  cases.push_back(
      {"MatMul", "constant first", [](Sample& s) {
         s.output(s.node("MatMul", {weights(s, {5, s.channels()}), s.computed({s.channels(), 3})}));
       }});
  cases.push_back({"MatMul", "of two computed matrices", [](Sample& s) {
                     const std::string a = s.computed({4, s.channels()});
                     Numbers numbers = weight;
                     numbers.sparse = 0;
                     s.output(s.node("MatMul", {a, s.computed({s.channels(), 5}, numbers)}));
                   }});
  cases.push_back({"MatMul", "of computed matrices a batch", [](Sample& s) {
                     const std::string a = s.computed({2, 4, s.channels()});
                     Numbers numbers = weight;
                     numbers.sparse = 1;
                     s.output(s.node("MatMul", {a, s.computed({2, s.channels(), 5}, numbers)}));
                   }});
  cases.push_back({"MatMul", "of computed matrices, one for all", [](Sample& s) {
                     const std::string a = s.computed({2, 4, s.channels()});
                     Numbers numbers = weight;
                     numbers.sparse = 0;
                     s.output(s.node("MatMul", {a, s.computed({s.channels(), 5}, numbers)}));
                   }});
}

void add_gemms(Cases& cases) {
  struct GemmForm {
    const char* form;
    Attributes attributes;
    std::function<nn::Shape(std::int64_t columns)> addend;  ///< empty: no addend
    bool computed_addend = false, computed_matrix = false;
  };
  const auto row = [](std::int64_t columns) { return nn::Shape{columns}; };
  const auto full = [](std::int64_t columns) { return nn::Shape{4, columns}; };
  const std::int64_t yes = 1;
  const std::vector<GemmForm> forms{
      {"plain", {}, {}},
      {"with a row", {}, row},
      {"with one value", {}, [](std::int64_t) { return nn::Shape{}; }},
      {"with a column",
       {},
       [](std::int64_t) {
         return nn::Shape{4, 1};
       }},
      {"with a matrix", {}, full},
      {"with a computed row", {}, row, true},
      {"with a computed matrix", {}, full, true},
      {"alpha and beta", {{"alpha", 0.5F}, {"beta", -1.0F}}, row},
      {"alpha and beta, with a matrix", {{"alpha", 0.5F}, {"beta", -0.5F}}, full},
      {"transA", {{"transA", yes}}, row},
      {"transB", {{"transB", yes}}, row},
      {"transA and transB", {{"transA", yes}, {"transB", yes}}, row},
      {"by a computed matrix", {}, row, false, true},
      {"by a computed matrix, transB", {{"transB", yes}}, row, false, true},
  };
  for (const GemmForm& f : forms) {
    cases.push_back(
        {"Gemm", f.form, [=](Sample& s) {
           const std::int64_t results = s.channels() + 1;
           const auto is_turned = [&](const char* attribute) {
             return f.attributes.count(attribute) != 0;
           };
           const std::string a = s.computed(is_turned("transA") ? nn::Shape{s.channels(), 4}
                                                                : nn::Shape{4, s.channels()});
           const bool turned = is_turned("transB");
           const nn::Shape shape =
               turned ? nn::Shape{results, s.channels()} : nn::Shape{s.channels(), results};
           Numbers numbers = weight;
           numbers.sparse = turned ? 1 : 0;
           std::vector<std::string> inputs{
               a, f.computed_matrix ? s.computed(shape, numbers) : s.constant(shape, numbers)};
           if (f.addend) {
             inputs.push_back(f.computed_addend ? s.computed(f.addend(results), weight)
                                                : s.constant(f.addend(results), weight));
           }
           s.output(s.node("Gemm", inputs, f.attributes));
         }});
  }
}

}  // namespace

Cases product_cases() {
  Cases cases;
  add_convolutions(cases);
  add_transposed(cases);
  add_matrix_products(cases);
  add_gemms(cases);
  return cases;
}

}  // namespace tactus::compiler
