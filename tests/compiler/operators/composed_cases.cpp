// Operators on known indices, and operators that are written as products, sums and rearrangements.
#include "tests/compiler/operators/sample.h"

namespace tactus::compiler {
namespace {

nn::Tensor whole_numbers(nn::Shape shape, std::vector<std::int64_t> values) {
  return nn::Tensor::of(std::move(shape), std::move(values));
}

std::int64_t one() { return 1; }

void add_gathers(Cases& cases) {
  add(cases, "GatherElements", "of rows", [](Sample& s) {
    const std::string x = s.computed({3, s.channels()});
    return s.node("GatherElements", {x, s.constant(whole_numbers({2, 2}, {2, 0, -1, 1}))});
  });
  add(cases, "GatherElements", "along the lanes", [](Sample& s) {
    const std::string x = s.computed({2, s.channels()});
    return s.node("GatherElements", {x, s.constant(whole_numbers({2, 3}, {0, 1, 0, 1, 1, 0}))},
                  {{"axis", one()}});
  });
  add(cases, "GatherND", "of rows", [](Sample& s) {
    const std::string x = s.computed({3, s.channels()});
    return s.node("GatherND", {x, s.constant(whole_numbers({2, 1}, {2, -3}))});
  });
  add(cases, "GatherND", "of elements, by batches", [](Sample& s) {
    s.opset(13);
    const std::string x = s.computed({2, 3, s.channels()});
    return s.node("GatherND", {x, s.constant(whole_numbers({2, 1, 2}, {2, 0, 1, 1}))},
                  {{"batch_dims", one()}});
  });
  add(cases, "ReverseSequence", "of rows", [](Sample& s) {
    const std::string x = s.computed({3, 2, s.channels()});
    return s.node("ReverseSequence", {x, s.list({2, 3})});
  });
  add(cases, "CenterCropPad", "of rows and lanes", [](Sample& s) {
    const std::string x = s.computed({4, 2, s.channels()});
    return s.node("CenterCropPad", {x, s.list({1, 5, s.channels() + 2})});
  });
  add(cases, "CenterCropPad", "of an axis", [](Sample& s) {
    const std::string x = s.computed({3, s.channels()});
    return s.node("CenterCropPad", {x, s.list({s.channels() - 1})}, {{"axes", nn::Shape{-1}}});
  });
  for (const std::int64_t upper : {0, 1}) {
    add(cases, "Trilu", upper != 0 ? "above" : "below", [=](Sample& s) {
      const std::string x = s.computed({2, 3, s.channels()});
      return s.node("Trilu", {x, s.constant(whole_numbers({}, {upper}))}, {{"upper", upper}});
    });
  }
}

void add_scatters(Cases& cases) {
  for (const bool constant : {false, true}) {
    const std::string which = constant ? ", of constants" : "";
    for (const char* op : {"Scatter", "ScatterElements"}) {
      add(cases, op, "in rows" + which, [=](Sample& s) {
        if (op == std::string("Scatter")) s.opset(10);
        const std::string x = s.computed({3, s.channels()});
        const std::string updates = constant ? s.constant({2, 2}) : s.computed({2, 2});
        return s.node(op, {x, s.constant(whole_numbers({2, 2}, {2, 0, 0, 1})), updates});
      });
    }
    add(cases, "ScatterND", "of rows" + which, [=](Sample& s) {
      const std::string x = s.computed({3, s.channels()});
      const nn::Shape shape{2, s.channels()};
      return s.node("ScatterND", {x, s.constant(whole_numbers({2, 1}, {2, -3})),
                                  constant ? s.constant(shape) : s.computed(shape)});
    });
  }
  add(cases, "ScatterND", "into a constant", [](Sample& s) {
    const std::string x = s.computed({2, s.channels()});
    return s.node("ScatterND",
                  {s.constant({3, s.channels()}), s.constant(whole_numbers({2, 1}, {2, 0})), x});
  });
}

void add_products(Cases& cases) {
  const auto einsum = [&](const char* equation, const std::vector<nn::Shape>& shapes,
                          bool constant) {
    add(cases, "Einsum", equation, [=](Sample& s) {
      std::vector<std::string> inputs;
      for (std::size_t k = 0; k < shapes.size(); ++k) {
        const Numbers few{-1, 1, 1, static_cast<int>(shapes[k].size()) - 1, 3};
        inputs.push_back(k != 0 && constant ? s.constant(shapes[k], few)
                                            : s.computed(shapes[k], few));
      }
      return s.node("Einsum", inputs, {{"equation", std::string(equation)}});
    });
  };
  einsum("ij,jk->ik", {{3, 4}, {4, 5}}, true);
  einsum("bij,bkj->bik", {{2, 3, 4}, {2, 5, 4}}, false);
  einsum("abc->cab", {{2, 3, 4}}, false);
  einsum("ij->i", {{3, 5}}, false);
  einsum("ij,ij->ij", {{3, 4}, {3, 4}}, false);
  einsum("i,j->ij", {{3}, {4}}, true);
  einsum("ii->i", {{4, 4}}, false);
  einsum("bjj,jk->bk", {{2, 3, 3}, {3, 5}}, true);
  einsum("nchw,cd->ndhw", {{1, 4, 2, 3}, {4, 5}}, true);
  // Transforms of 4 elements have no weights but 0, 1 and -1; the reference's cosine of a quarter
  // turn is 6e-17.
  constexpr double nearly_exact = 1e-6;
  const Numbers few{-1, 1, 0.5};
  for (const std::int64_t side : {0, 1}) {
    add(cases, "DFT", side != 0 ? "of one side" : "of both sides", [=](Sample& s) {
      s.opset(17);
      s.allow(nearly_exact);
      return s.node("DFT", {s.computed({2, 4, 1}, few)}, {{"onesided", side}});
    });
  }
  add(cases, "DFT", "of complex numbers along another axis", [=](Sample& s) {
    s.opset(20);
    s.allow(nearly_exact);
    return s.node(
        "DFT", {s.computed({4, 3, 2}, {-0.5, 0.5, 0.5}), "", s.constant(whole_numbers({}, {0}))});
  });
  add(cases, "DFT", "of one side, inverse", [=](Sample& s) {
    s.opset(20);
    s.allow(nearly_exact);
    const std::string x = s.computed({2, 3, 2}, {-0.5, 0.5, 0.5});
    return s.node("DFT", {x}, {{"inverse", one()}, {"onesided", one()}});
  });
  add(cases, "STFT", "of frames of 4", [=](Sample& s) {
    s.allow(nearly_exact);
    return s.node("STFT", {s.computed({1, 10, 1}, few), s.constant(whole_numbers({}, {3})), "",
                           s.constant(whole_numbers({}, {4}))});
  });
  add(cases, "GridSample", "between pixels", [](Sample& s) {
    s.opset(20);
    const nn::Tensor grid = floats({1, 2, 2, 2}, {-1, -1, 0, 0, 1, -1, 0.5F, 1});
    return s.node("GridSample", {s.computed({1, s.channels(), 3, 3}), s.constant(grid)},
                  {{"align_corners", one()}});
  });
}

void add_windows(Cases& cases) {
  add(cases, "Col2Im", "of overlapping blocks", [](Sample& s) {
    const std::string x = s.computed({1, 4 * s.channels(), 4}, {-0.5, 0.5, 0.5});
    return s.node("Col2Im", {x, s.list({3, 3}), s.list({2, 2})});
  });
  add(cases, "LpPool", "sums of absolute values", [](Sample& s) {
    return s.node("LpPool", {s.computed(s.image(4, 4), {-1, 1, 0.5})},
                  {{"kernel_shape", Ints{2, 2}}, {"p", one()}});
  });
  cases.push_back({"LpPool", "roots of squares", [](Sample& s) {
                     s.allow_stated(4, 8);
                     s.host_without_tables();
                     s.output(s.node("LpPool", {s.computed(s.image(4, 4), {0.5, 1, 0.5})},
                                     {{"kernel_shape", Ints{2, 2}}, {"strides", Ints{2, 2}}}));
                   }});
  cases.push_back({"LpPool", "roots of cubes", [](Sample& s) {
                     s.allow_stated(8, 16);
                     s.host_without_tables();
                     s.output(s.node("LpPool", {s.computed(s.image(4, 4), {0.5, 1, 0.5})},
                                     {{"kernel_shape", Ints{2, 2}}, {"p", std::int64_t{3}}}));
                   }});
  add(cases, "GlobalLpPool", "sums of absolute values", [](Sample& s) {
    return s.node("GlobalLpPool", {s.computed(s.image(2, 2), {-1, 1, 0.5})}, {{"p", one()}});
  });
}

void add_functions(Cases& cases) {
  cases.push_back(
      {"LpNormalization", "of rows", [](Sample& s) {
         s.allow_stated(8, 40);
         s.host_without_tables();
         s.output(s.node("LpNormalization", {s.computed({3, 4}, {0.5, 1, 0.5})}, {{"p", one()}}));
       }});
  cases.push_back({"MeanVarianceNormalization", "of an image", [](Sample& s) {
                     s.allow_stated(8, 60);
                     s.host_without_tables();
                     s.output(s.node("MeanVarianceNormalization", {s.computed(s.image(3, 4))}));
                   }});
  add(cases, "Shrink", "by its limit", [](Sample& s) {
    return s.node("Shrink", {s.computed(s.image())}, {{"lambd", 0.5F}, {"bias", 0.5F}});
  });
  cases.push_back(
      {"SwiGLU", "of images", [](Sample& s) {
         s.opset(28);
         s.allow_stated(8, 8);
         s.host_without_tables();
         s.output(s.node("SwiGLU", {s.computed(s.image(2, 2)), s.computed(s.image(2, 2))}));
       }});
  for (const std::int64_t sign : {0, 1}) {
    add(cases, "Quant", sign != 0 ? "with a sign" : "without a sign", [=](Sample& s) {
      return s.node("Quant", {s.computed(s.image()), s.scalar(0.5F), s.scalar(0), s.scalar(3)},
                    {{"signed", sign}});
    });
  }
}

}  // namespace

Cases composed_cases() {
  Cases cases;
  add_gathers(cases);
  add_scatters(cases);
  add_products(cases);
  add_windows(cases);
  add_functions(cases);
  return cases;
}

}  // namespace tactus::compiler
