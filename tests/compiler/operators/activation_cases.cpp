// Operators of one operand with parameters: Relu, LeakyRelu, Clip, BatchNormalization, piecewise
// linear functions, powers, quantisation.
#include <optional>

#include "tests/compiler/operators/sample.h"

namespace tactus::compiler {
namespace {

using Build = std::function<std::string(Sample&, const std::string& x)>;

/// Adds two cases: an image, and a matrix of three rows.
void add_on_shapes(Cases& cases, const std::string& op, const std::string& form, const Build& build,
                   const Numbers& numbers = {}) {
  cases.push_back(
      {op, form, [=](Sample& s) { s.output(build(s, s.computed(s.image(), numbers))); }});
  cases.push_back({op, form + ", of a matrix", [=](Sample& s) {
                     s.output(build(s, s.computed({3, s.channels()}, numbers)));
                   }});
}

void add_plain(Cases& cases, const std::string& op, const std::string& form, Attributes attributes,
               double units = 0, const Numbers& numbers = {}) {
  add_on_shapes(
      cases, op, form,
      [=](Sample& s, const std::string& x) {
        s.allow_stated(2, units);
        if (op == "LeakyRelu") s.allow_optimised(leaky_units);
        return s.node(op, {x}, attributes);
      },
      numbers);
}

struct Bounds {
  const char* form;
  std::optional<float> low, high;
};

void add_clips(Cases& cases) {
  const std::vector<Bounds> all{
      {"around 0", -1, 1},
      {"above 0", 0.5F, 1.5F},
      {"below 0", -1.5F, -0.5F},
      {"from 0", 0, 1},
      {"to 0", -1, 0},
      {"without a lower bound", std::nullopt, 1},
      {"without a lower bound, below 0", std::nullopt, -0.5F},
      {"without an upper bound", -1, std::nullopt},
      {"without an upper bound, above 0", 0.5F, std::nullopt},
      {"without bounds", std::nullopt, std::nullopt},
      {"beyond the range", -1e6F, 1e6F},
      {"from above 0 to beyond the range", 0.5F, 1e6F},
      {"from beyond the range to below 0", -1e6F, -0.5F},
      {"of crossing bounds", 1, -1},
      {"of one value", 0.5F, 0.5F},
      {"of one negative value", -0.5F, -0.5F},
  };
  for (const Bounds& bounds : all) {
    add_on_shapes(cases, "Clip", bounds.form, [=](Sample& s, const std::string& x) {
      std::vector<std::string> inputs{x, bounds.low ? s.scalar(*bounds.low) : ""};
      if (bounds.high) inputs.push_back(s.scalar(*bounds.high));
      if (inputs.back().empty()) inputs.pop_back();
      return s.node("Clip", inputs);
    });
  }
  add_on_shapes(cases, "Clip", "of bounds in attributes", [](Sample& s, const std::string& x) {
    s.opset(10);
    s.before_product();
    return s.node("Clip", {x}, {{"min", 0.5F}, {"max", 1.5F}});
  });
  for (const bool both : {false, true}) {
    add_on_shapes(cases, "Clip", both ? "of computed bounds" : "of a computed upper bound",
                  [=](Sample& s, const std::string& x) {
                    const std::string low = both ? s.computed({1}) : s.scalar(-1);
                    return s.node("Clip", {x, low, s.computed({1})});
                  });
  }
}

void add_normalisations(Cases& cases) {
  const auto build = [](double low, double high, bool moved) {
    return [=](Sample& s, const std::string& x) {
      const nn::Shape channels{s.channels()};
      const auto row = [&](double from, double to) {
        return s.constant(channels, {from, to, 0.5, -1, 3, true});
      };
      const std::string scale = row(low, high), offset = moved ? row(-1, 1) : row(0, 0);
      const std::string mean = moved ? row(-1, 1) : row(0, 0);
      return s.node("BatchNormalization", {x, scale, offset, mean, row(1, 1)}, {{"epsilon", 0.0F}});
    };
  };
  add_on_shapes(cases, "BatchNormalization", "factors of both signs", build(-1, 1, true));
  add_on_shapes(cases, "BatchNormalization", "negative factors", build(-1, -0.5, true));
  add_on_shapes(cases, "BatchNormalization", "positive factors", build(0.5, 1, true));
  add_on_shapes(cases, "BatchNormalization", "factors alone", build(-1, 1, false));
  add_on_shapes(cases, "BatchNormalization", "offsets alone", build(1, 1, true));
  cases.push_back({"BatchNormalization", "of rank 3", [=](Sample& s) {
                     s.output(build(-1, 1, true)(s, s.computed({1, s.channels(), 4})));
                   }});
  cases.push_back({"BatchNormalization", "of two images", [=](Sample& s) {
                     s.output(build(-1, 1, true)(s, s.computed({2, s.channels(), 2, 2})));
                   }});
  cases.push_back({"BatchNormalization", "read by a ReLU and by others", [=](Sample& s) {
                     const std::string x = s.computed(s.image());
                     const std::string y = build(-1, 1, true)(s, x);
                     s.output(s.node("Add", {s.node("Relu", {y}), y}));
                   }});
}

void add_powers(Cases& cases) {
  for (const float power : {1.0F, 2.0F, 3.0F, 4.0F}) {
    add_on_shapes(cases, "Pow", "to the " + std::to_string(static_cast<int>(power)),
                  [=](Sample& s, const std::string& x) {
                    return s.node("Pow", {x, s.scalar(power)});
                  },
                  {-1.5, 1.5, 0.5});
  }
  add_on_shapes(cases, "Pow", "to the 1.5",
                [](Sample& s, const std::string& x) {
                  s.allow_stated(2, 3);
                  s.host_without_tables();
                  return s.node("Pow", {x, s.scalar(1.5F)});
                },
                {0.5, 2, 0.5, -1, 3, true});
}

nn::Tensor zero_point(std::int64_t value, std::int32_t stored) {
  nn::Tensor tensor = nn::Tensor::of({}, std::vector<std::int64_t>{value});
  tensor.stored = stored;
  return tensor;
}

/// The values are whole numbers of quantisation steps, so only the range of the integers has an
/// effect.
std::string quantised_pair(Sample& s, const std::string& x, std::int64_t zero,
                           std::int32_t stored) {
  const std::string scale = s.scalar(0.5F), point = s.constant(zero_point(zero, stored));
  return s.node("DequantizeLinear", {s.node("QuantizeLinear", {x, scale, point}), scale, point});
}

void add_quantisations(Cases& cases) {
  for (const char* op : {"QuantizeLinear", "DequantizeLinear"}) {
    add_on_shapes(cases, op, "pair, unsigned", [](Sample& s, const std::string& x) {
      return quantised_pair(s, x, 128, nn::onnx_uint8);
    });
    add_on_shapes(cases, op, "pair whose range ends above 0", [](Sample& s, const std::string& x) {
      return quantised_pair(s, x, 254, nn::onnx_uint8);
    });
    add_on_shapes(cases, op, "pair whose range begins at 0", [](Sample& s, const std::string& x) {
      return quantised_pair(s, x, 0, nn::onnx_uint8);
    });
    add_on_shapes(cases, op, "pair, signed", [](Sample& s, const std::string& x) {
      return quantised_pair(s, x, 126, nn::onnx_int8);
    });
    cases.push_back({op, "pair with a scale for each channel", [](Sample& s) {
                       const nn::Shape each{s.channels()};
                       nn::Tensor points = s.draw(each, {120, 126, 1, -1, 3, true});
                       points = nn::Tensor::of(
                           each,
                           std::vector<std::int64_t>(points.floats.begin(), points.floats.end()));
                       points.stored = nn::onnx_int8;
                       const std::string x = s.computed(s.image()), point = s.constant(points);
                       const std::string scale = s.constant(each, {0.25, 0.5, 0.25, -1, 3, true});
                       const std::string integers = s.node("QuantizeLinear", {x, scale, point});
                       s.output(s.node("DequantizeLinear", {integers, scale, point}));
                     }});
  }
  cases.push_back(
      {"DequantizeLinear", "of constant weights", [](Sample& s) {
         nn::Tensor integers = s.draw({s.channels(), s.channels(), 1, 1}, {-2, 2, 1, 1, 2, true});
         integers.integers.assign(integers.floats.begin(), integers.floats.end());
         integers.floats.clear();
         integers.type = nn::ElementType::int64;
         integers.stored = nn::onnx_int8;
         const std::string weights =
             s.node("DequantizeLinear", {s.constant(integers), s.scalar(0.5F)});
         s.output(s.node("Conv", {s.computed(s.image()), weights}));
       }});
}

nn::Tensor whole(nn::Tensor tensor, std::int32_t stored) {
  tensor.integers.assign(tensor.floats.begin(), tensor.floats.end());
  tensor.floats.clear();
  tensor.type = nn::ElementType::int64;
  tensor.stored = stored;
  return tensor;
}

/// Adds a quantised product. The step is 0.5 for x, 0.5 for the weights (or one step per output),
/// and 0.25 for the result.
std::string quantised_product(Sample& s, const std::string& op, bool by_output, bool with_bias) {
  const bool conv = op == "QLinearConv";
  const std::int64_t n = s.channels();
  const std::string scale = s.scalar(0.5F), point = s.constant(zero_point(3, nn::onnx_uint8));
  const std::string x = s.node(
      "QuantizeLinear",
      {s.computed(conv ? s.image() : nn::Shape{3, n}, {0, 2, 0.5, -1, 3, true}), scale, point});
  const Numbers few{-1, 1, 1, conv ? 1 : 0, 2, true};
  const std::string w =
      s.constant(whole(s.draw(conv ? nn::Shape{n, n, 1, 1} : nn::Shape{n, n}, few), nn::onnx_int8));
  std::string steps = scale, zeroes = s.constant(zero_point(0, nn::onnx_int8));
  if (by_output) {
    steps = s.constant({n}, {0.5, 1, 0.5, -1, 3, true});
    zeroes = s.constant(whole(nn::Tensor::zeros({n}), nn::onnx_int8));
  }
  const std::string step = s.scalar(0.25F), zero = s.constant(zero_point(100, nn::onnx_uint8));
  std::vector<std::string> inputs{x, scale, point, w, steps, zeroes, step, zero};
  if (with_bias) {
    inputs.push_back(s.constant(whole(s.draw({n}, {-2, 2, 1, -1, 3, true}), nn::onnx_int32)));
  }
  return s.node("DequantizeLinear", {s.node(op, inputs), step, zero});
}

void add_quantised_products(Cases& cases) {
  for (const char* op : {"QLinearConv", "QLinearMatMul"}) {
    const bool conv = std::string(op) == "QLinearConv";
    for (const bool by_output : {false, true}) {
      cases.push_back({op, by_output ? "a scale for each output" : "one scale", [=](Sample& s) {
                         s.output(quantised_product(s, op, by_output, conv && !by_output));
                       }});
    }
  }
}

/// Adds products of integers whose quantisation step is computed from the values at run time, with
/// weights in steps of 0.25.
void add_dynamic_products(Cases& cases) {
  const auto product = [](Sample& s, bool conv, bool zero_point_given) {
    const std::int64_t n = s.channels();
    const std::vector<std::string> x =
        s.nodes("DynamicQuantizeLinear", {s.computed(conv ? s.image() : nn::Shape{3, n})}, 3);
    const Numbers few{-1, 1, 1, conv ? 1 : 0, 2, true};
    std::vector<std::string> inputs{
        x[0],
        s.constant(
            whole(s.draw(conv ? nn::Shape{n, n, 1, 1} : nn::Shape{n, n}, few), nn::onnx_int8)),
        x[2]};
    if (zero_point_given) inputs.push_back(s.constant(zero_point(0, nn::onnx_int8)));
    const std::string sums = s.node(conv ? "ConvInteger" : "MatMulInteger", inputs);
    const std::string real = s.node("Cast", {sums}, {{"to", std::int64_t{1}}});
    // Two values that are off by half a step of 4 / 255, and roundings.
    s.allow(0.25 * 2 * 0.008 / s.unit() + 2);
    s.output(s.node("Mul", {real, s.node("Mul", {x[1], s.scalar(0.25F)})}));
  };
  for (const char* op : {"DynamicQuantizeLinear", "MatMulInteger", "ConvInteger"}) {
    const bool conv = op == std::string("ConvInteger");
    cases.push_back({op, "of a computed scale", [=](Sample& s) { product(s, conv, true); }});
    cases.push_back({op, "without a zero point", [=](Sample& s) { product(s, conv, false); }});
  }
}

}  // namespace

Cases activation_cases() {
  Cases cases;
  add_plain(cases, "Relu", "plain", {});
  add_plain(cases, "LeakyRelu", "slope 0.5", {{"alpha", 0.5F}});
  add_plain(cases, "LeakyRelu", "slope -0.5", {{"alpha", -0.5F}});
  add_plain(cases, "LeakyRelu", "slope 0", {{"alpha", 0.0F}});
  add_plain(cases, "LeakyRelu", "slope 1", {{"alpha", 1.0F}});
  add_plain(cases, "LeakyRelu", "slope 2", {{"alpha", 2.0F}});
  add_plain(cases, "Neg", "plain", {});
  add_plain(cases, "Abs", "plain", {});
  add_plain(cases, "HardSigmoid", "exact slope", {{"alpha", 0.25F}, {"beta", 0.5F}});
  add_plain(cases, "HardSigmoid", "falling", {{"alpha", -0.5F}, {"beta", 0.5F}});
  // Allowed error in units of the last place: the rounded slope is off by 0.5, times values up to
  // 2; the product is off by 0.5.
  add_plain(cases, "HardSigmoid", "of the usual slope", {}, 2);
  // Allowed error of HardSwish: that of HardSigmoid with slope 1/6, times 2, plus 0.5 for the last
  // product.
  add_plain(cases, "HardSwish", "plain", {}, 4);
  add_clips(cases);
  add_normalisations(cases);
  add_powers(cases);
  add_quantisations(cases);
  add_quantised_products(cases);
  add_dynamic_products(cases);
  return cases;
}

}  // namespace tactus::compiler
