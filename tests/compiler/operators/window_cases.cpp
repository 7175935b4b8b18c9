// Pools and Resize: windows, borders, and interpolation weights.
#include "tests/compiler/operators/sample.h"

namespace tactus::compiler {
namespace {

struct WindowForm {
  const char* form;
  Attributes attributes;
};

/// Windows have 1, 2 or 4 elements, so averages are exact.
const std::vector<WindowForm>& two_by_two() {
  static const std::vector<WindowForm> forms{
      {"2x2 of stride 2", {{"kernel_shape", Ints{2, 2}}, {"strides", Ints{2, 2}}}},
      {"2x2 of stride 1", {{"kernel_shape", Ints{2, 2}}}},
      {"1x2", {{"kernel_shape", Ints{1, 2}}}},
      {"2x2 padded", {{"kernel_shape", Ints{2, 2}}, {"pads", Ints{1, 1, 1, 1}}}},
      {"2x2 padded before", {{"kernel_shape", Ints{2, 2}}, {"pads", Ints{1, 0, 0, 1}}}},
      {"2x2 SAME_UPPER", {{"kernel_shape", Ints{2, 2}}, {"auto_pad", std::string("SAME_UPPER")}}},
      {"2x2 of stride 2, rounded up",
       {{"kernel_shape", Ints{2, 2}}, {"strides", Ints{2, 2}}, {"ceil_mode", std::int64_t{1}}}},
  };
  return forms;
}

void add_pool(Cases& cases, const std::string& op, const WindowForm& f, double units = 0,
              const Numbers& numbers = {-1, 1, 0.5}) {
  cases.push_back({op, f.form, [=](Sample& s) {
                     s.allow(units);
                     s.output(s.node(op, {s.computed(s.image(4, 5), numbers)}, f.attributes));
                   }});
}

void add_pools(Cases& cases) {
  for (const char* op : {"MaxPool", "AveragePool"}) {
    for (const WindowForm& f : two_by_two()) add_pool(cases, op, f);
    cases.push_back({op, "along one dimension", [=](Sample& s) {
                       s.output(s.node(op, {s.computed({1, s.channels(), 8}, {-1, 1, 0.5})},
                                       {{"kernel_shape", Ints{2}}, {"strides", Ints{2}}}));
                     }});
    cases.push_back({op, "of an image with a depth", [=](Sample& s) {
                       s.output(
                           s.node(op, {s.computed({1, s.channels(), 3, 2, 4}, {-1, 1, 0.5})},
                                  {{"kernel_shape", Ints{2, 1, 2}}, {"strides", Ints{1, 1, 2}}}));
                     }});
    cases.push_back({op, "of two images", [=](Sample& s) {
                       s.output(s.node(op, {s.computed({2, s.channels(), 4, 4}, {-1, 1, 0.5})},
                                       {{"kernel_shape", Ints{2, 2}}, {"strides", Ints{2, 2}}}));
                     }});
  }
  const Numbers negative{-2, -0.5, 0.5}, small{-0.5, 0.5, 0.5};
  add_pool(cases, "MaxPool",
           {"3x3 padded, below 0", {{"kernel_shape", Ints{3, 3}}, {"pads", Ints{1, 1, 1, 1}}}}, 0,
           negative);
  add_pool(cases, "MaxPool",
           {"2x2 dilated", {{"kernel_shape", Ints{2, 2}}, {"dilations", Ints{2, 2}}}});
  add_pool(cases, "AveragePool",
           {"2x2 padded, padding counted",
            {{"kernel_shape", Ints{2, 2}},
             {"pads", Ints{1, 1, 1, 1}},
             {"count_include_pad", std::int64_t{1}}}});
  // Allowed error: rounded factors 1/9 and 1/6 are off by 0.5, times sums up to 4.5; or nine
  // products are rounded.
  add_pool(cases, "AveragePool",
           {"3x3 padded", {{"kernel_shape", Ints{3, 3}}, {"pads", Ints{1, 1, 1, 1}}}}, 8, small);
  for (const char* op : {"GlobalAveragePool", "GlobalMaxPool"}) {
    const auto form = [&](const char* name, std::int64_t height, std::int64_t width,
                          const Numbers& numbers) {
      cases.push_back({op, name, [=](Sample& s) {
                         const std::int64_t count = height * width;
                         if (op == std::string("GlobalAveragePool")) {
                           s.allow_mean(count, static_cast<double>(count) * numbers.high);
                         }
                         s.output(s.node(op, {s.computed(s.image(height, width), numbers)}));
                       }});
    };
    form("2x2", 2, 2, {-1, 1, 0.5});
    form("1x2", 1, 2, {-1, 1, 0.5});
    form("1x1", 1, 1, {-1, 1, 0.5});
    form("3x3", 3, 3, small);
    form("4x4", 4, 4, {0, 0.5, 0.5});
    cases.push_back({op, "along one dimension", [=](Sample& s) {
                       s.output(s.node(op, {s.computed({1, s.channels(), 4}, {-1, 1, 0.5})}));
                     }});
  }
}

struct Scaling {
  const char* form;
  std::vector<float> scales;  ///< empty: `sizes` is used
  Ints sizes;
  Attributes attributes;
  double units = 0;
};

void add_resizes(Cases& cases) {
  const auto mode = [](const char* kind, const char* transform, const char* nearest = "") {
    Attributes attributes{{"mode", std::string(kind)},
                          {"coordinate_transformation_mode", std::string(transform)}};
    if (*nearest != '\0') attributes["nearest_mode"] = std::string(nearest);
    return attributes;
  };
  // Interpolation weights are 1/4, 1/2, 3/4 and their products, so results of whole numbers are
  // multiples of 1/16.
  const std::vector<Scaling> forms{
      {"nearest, twice as large", {1, 1, 2, 2}, {}, mode("nearest", "asymmetric", "floor")},
      {"nearest, half as large", {1, 1, 0.5F, 0.5F}, {}, mode("nearest", "half_pixel")},
      {"nearest, of other sizes", {}, {5, 3}, mode("nearest", "half_pixel", "round_prefer_ceil")},
      {"nearest, one way", {1, 1, 1, 3}, {}, mode("nearest", "asymmetric", "ceil")},
      {"linear, twice as large", {1, 1, 2, 2}, {}, mode("linear", "half_pixel")},
      {"linear, corners aligned", {}, {7, 9}, mode("linear", "align_corners"), 0},
      {"linear, asymmetric", {1, 1, 2, 2}, {}, mode("linear", "asymmetric")},
      {"linear, one way", {1, 1, 1, 2}, {}, mode("linear", "pytorch_half_pixel")},
      {"linear, half as large", {1, 1, 0.5F, 0.5F}, {}, mode("linear", "half_pixel")},
      // Allowed error: four rounded weights, each off by 0.5, times values up to 2, and four
      // rounded products.
      {"linear, of other sizes", {}, {7, 3}, mode("linear", "half_pixel"), 6},
  };
  for (const Scaling& f : forms) {
    cases.push_back(
        {"Resize", f.form, [=](Sample& s) {
           s.allow(f.units);
           std::vector<std::string> inputs{s.computed(s.image(4, 5), {-2, 2, 1}), ""};
           if (f.scales.empty()) {
             inputs.insert(inputs.end(), {"", s.list({1, s.channels(), f.sizes[0], f.sizes[1]})});
           } else {
             inputs.push_back(s.constant(floats({4}, f.scales)));
           }
           s.output(s.node("Resize", inputs, f.attributes));
         }});
  }
  // The unit resizes images only; rows are resized by the host.
  cases.push_back({"Resize", "along one dimension", [=](Sample& s) {
                     s.on_host();
                     s.output(s.node("Resize",
                                     {s.computed({1, s.channels(), 5}, {-2, 2, 1}), "",
                                      s.constant(floats({3}, {1, 1, 2}))},
                                     mode("linear", "half_pixel")));
                   }});
  for (const char* kind : {"nearest", "linear"}) {
    cases.push_back({"Upsample", kind, [=](Sample& s) {
                       s.opset(9);
                       s.output(s.node("Upsample",
                                       {s.computed(s.image(), {-2, 2, 1}),
                                        s.constant(floats({4}, {1, 1, 2, 2}))},
                                       {{"mode", std::string(kind)}}));
                     }});
  }
}

}  // namespace

Cases window_cases() {
  Cases cases;
  add_pools(cases);
  add_resizes(cases);
  return cases;
}

}  // namespace tactus::compiler
