// Operators that combine elements along axes: reductions, Softmax, normalisations by computed sums.
#include "tests/compiler/operators/sample.h"

namespace tactus::compiler {
namespace {

struct ReductionForm {
  const char* form;
  std::function<nn::Shape(Sample&)> shape;
  Ints axes;  ///< empty: all
  bool keeps = true;
};

std::int64_t reduced_elements(const nn::Shape& shape, const Ints& axes) {
  std::int64_t count = 1;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const auto at = static_cast<std::int64_t>(d);
    bool is_reduced = axes.empty();
    for (const std::int64_t axis : axes) {
      is_reduced = is_reduced || axis == at || axis + static_cast<std::int64_t>(shape.size()) == at;
    }
    if (is_reduced) count *= shape[d];
  }
  return count;
}

/// Numbers such that any reduction over `axes` sums at most six elements other than 0, of 0.5 or 1
/// each.
Numbers few(const nn::Shape& shape, const Ints& axes) {
  if (reduced_elements(shape, axes) <= 6) return {-1, 1, 0.5};
  if (reduced_elements(shape, axes) <= 12) return {-0.5, 0.5, 0.5};
  // The reduction includes channels, of which only one or three are not 0.
  const std::int64_t rest = reduced_elements(shape, axes) / shape[1];
  return {-0.5, 0.5, 0.5, 1, rest > 6 ? 1 : 3};
}

void add_reductions(Cases& cases) {
  const auto image = [](Sample& s) { return s.image(2, 2); };
  const auto wide = [](Sample& s) { return s.image(3, 2); };
  const auto matrix = [](Sample& s) { return nn::Shape{5, s.channels()}; };
  const std::vector<ReductionForm> forms{
      {"over pixels", image, {2, 3}},
      {"over pixels, dropped", image, {2, 3}, false},
      {"over width", wide, {3}},
      {"over height, dropped", wide, {-2}, false},
      {"over channels", image, {1}},
      {"over channels, dropped", image, {1}, false},
      {"over channels and height", image, {1, 2}},
      {"over rows of a matrix", matrix, {-1}},
      {"over columns of a matrix", matrix, {0}, false},
      {"over all of a matrix",
       [](Sample& s) {
         return nn::Shape{2, s.channels()};
       },
       {},
       false},
      {"over the last of rank 3",
       [](Sample& s) {
         return nn::Shape{2, s.channels(), 4};
       },
       {2}},
  };
  for (const char* op : {"ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin"}) {
    for (const ReductionForm& f : forms) {
      cases.push_back(
          {op, f.form, [=](Sample& s) {
             const nn::Shape shape = f.shape(s);
             const std::string x = s.computed(shape, few(shape, f.axes));
             if (op == std::string("ReduceMean")) {
               s.allow_mean(reduced_elements(shape, f.axes), 6);
             }
             std::vector<std::string> inputs{x};
             if (!f.axes.empty()) inputs.push_back(s.list(f.axes));
             s.output(s.node(op, inputs, {{"keepdims", std::int64_t{f.keeps ? 1 : 0}}}));
           }});
    }
    cases.push_back(
        {op, "of axes in an attribute", [=](Sample& s) {
           s.opset(12);
           s.output(s.node(op, {s.computed(s.image(2, 2), {-1, 1, 0.5})}, {{"axes", Ints{2, 3}}}));
         }});
    cases.push_back({op, "over nothing", [=](Sample& s) {
                       const nn::Tensor none = nn::Tensor::of({0}, std::vector<std::int64_t>{});
                       s.output(s.node(op, {s.computed(s.image(2, 2)), s.constant(none)},
                                       {{"noop_with_empty_axes", std::int64_t{1}}}));
                     }});
  }
}

/// Adds reductions of other values than the input's. Roots and logarithms have the stated error of
/// functions.
void add_composed_reductions(Cases& cases) {
  for (const char* op :
       {"ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceSumSquare"}) {
    const std::string type = op;
    const bool curved = type != "ReduceL1" && type != "ReduceSumSquare";
    const Numbers numbers = type == "ReduceLogSum" ? Numbers{0.5, 1, 0.5} : Numbers{-1, 1, 0.5};
    const auto form = [&](const char* name, const nn::Shape& shape, const Ints& axes, bool keeps) {
      cases.push_back({type, name, [=](Sample& s) {
                         if (curved) {
                           s.allow_stated(8, 40);
                           s.host_without_tables();
                         }
                         s.output(s.node(type, {s.computed(shape, numbers), s.list(axes)},
                                         {{"keepdims", std::int64_t{keeps ? 1 : 0}}}));
                       }});
    };
    form("over the last", {3, 4}, {-1}, true);
    form("over rows, dropped", {4, 3}, {0}, false);
    form("over two dimensions", {1, 3, 2, 2}, {2, 3}, true);
    form("over dimensions apart, dropped", {2, 3, 2}, {0, 2}, false);
  }
}

/// Adds Softmax and LogSoftmax. The allowed error has four times the stated error of functions, and
/// 24 units for sums and products.
void add_softmaxes(Cases& cases) {
  for (const char* op : {"Softmax", "LogSoftmax"}) {
    const auto form = [&](const char* name, const std::function<nn::Shape(Sample&)>& shape,
                          std::int64_t axis, std::int64_t opset) {
      cases.push_back({op, name, [=](Sample& s) {
                         s.opset(opset);
                         s.allow_stated(4, 24);
                         const std::string x = s.computed(shape(s));
                         s.output(s.node(op, {x}, {{"axis", axis}}));
                       }});
    };
    form(
        "along the last of a matrix",
        [](Sample& s) {
          return nn::Shape{3, s.channels()};
        },
        -1, 13);
    form(
        "along channels", [](Sample& s) { return s.image(2, 2); }, 1, 13);
    form(
        "along width", [](Sample& s) { return s.image(2, 3); }, 3, 13);
    form(
        "of one dimension", [](Sample& s) { return nn::Shape{s.channels()}; }, 0, 13);
    form(
        "of all behind an axis",
        [](Sample& s) {
          return nn::Shape{2, s.channels(), 3};
        },
        1, 12);
  }
}

void add_reduced_normalisations(Cases& cases) {
  const Numbers factor{-1, 1, 0.5};
  const auto layer = [&](const char* name, const std::function<nn::Shape(Sample&)>& shape,
                         std::int64_t axis, bool moved) {
    cases.push_back({"LayerNormalization", name, [=](Sample& s) {
                       s.allow_stated(8, 40);
                       s.host_without_tables();
                       const nn::Shape all = shape(s);
                       const nn::Shape rest(all.begin() + axis, all.end());
                       std::vector<std::string> inputs{s.computed(all), s.constant(rest, factor)};
                       if (moved) inputs.push_back(s.constant(rest, factor));
                       s.output(s.node("LayerNormalization", inputs, {{"axis", axis}}));
                     }});
  };
  layer(
      "of rows",
      [](Sample& s) {
        return nn::Shape{2, 3, s.channels() + 2};
      },
      2, true);
  layer(
      "of rows without an offset",
      [](Sample& s) {
        return nn::Shape{3, s.channels() + 2};
      },
      1, false);
  layer(
      "of matrices",
      [](Sample& s) {
        return nn::Shape{2, 3, s.channels()};
      },
      1, true);
  const auto instance = [&](const char* name, const std::function<nn::Shape(Sample&)>& shape) {
    cases.push_back({"InstanceNormalization", name, [=](Sample& s) {
                       s.allow_stated(8, 40);
                       s.host_without_tables();
                       const std::string x = s.computed(shape(s));
                       s.output(
                           s.node("InstanceNormalization", {x, s.constant({s.channels()}, factor),
                                                            s.constant({s.channels()}, factor)}));
                     }});
  };
  instance("of images", [](Sample& s) { return s.image(3, 4); });
  instance("of two images", [](Sample& s) { return nn::Shape{2, s.channels(), 2, 4}; });
  instance("along one dimension", [](Sample& s) { return nn::Shape{1, s.channels(), 6}; });
  for (const bool of_channels : {false, true}) {
    cases.push_back({"GroupNormalization", of_channels ? "by channel" : "by group", [=](Sample& s) {
                       s.opset(of_channels ? 21 : 18);
                       s.allow_stated(8, 40);
                       s.host_without_tables();
                       const nn::Shape factors{of_channels ? s.channels() : 1};
                       const std::string x = s.computed(s.image(3, 4));
                       s.output(
                           s.node("GroupNormalization",
                                  {x, s.constant(factors, factor), s.constant(factors, factor)},
                                  {{"num_groups", std::int64_t{1}}}));
                     }});
  }
  for (const std::int64_t size : {3, 4}) {
    cases.push_back({"LRN", "of " + std::to_string(size) + " channels", [=](Sample& s) {
                       s.allow_stated(2, 16);
                       s.output(s.node("LRN", {s.computed(s.image())},
                                       {{"size", size}, {"alpha", 0.75F}, {"beta", 0.5F}}));
                     }});
  }
}

void add_cumulative_sums(Cases& cases) {
  const auto form = [&](const char* name, const std::function<nn::Shape(Sample&)>& shape,
                        std::int64_t axis, bool exclusive, bool reverse) {
    cases.push_back(
        {"CumSum", name, [=](Sample& s) {
           const nn::Shape all = shape(s);
           const auto rank = static_cast<std::int64_t>(all.size());
           const int along = static_cast<int>(axis < 0 ? axis + rank : axis);
           const nn::Tensor number = nn::Tensor::of({}, std::vector<std::int64_t>{axis});
           s.output(s.node("CumSum",
                           {s.computed(all, {-1, 1, 0.5, along, 3, true}), s.constant(number)},
                           {{"exclusive", std::int64_t{exclusive ? 1 : 0}},
                            {"reverse", std::int64_t{reverse ? 1 : 0}}}));
         }});
  };
  const auto rows = [](Sample& s) { return nn::Shape{2, 3, s.channels()}; };
  form("along the last", rows, -1, false, false);
  form("along the last from the end", rows, 2, false, true);
  form("before each element", rows, 1, true, false);
  form(
      "behind each channel", [](Sample& s) { return s.image(2, 2); }, 1, true, true);
}

}  // namespace

Cases reduction_cases() {
  Cases cases;
  add_cumulative_sums(cases);
  add_reductions(cases);
  add_composed_reductions(cases);
  add_softmaxes(cases);
  add_reduced_normalisations(cases);
  return cases;
}

}  // namespace tactus::compiler
