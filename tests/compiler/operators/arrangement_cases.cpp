// Operators that move elements or change the shape, and operators whose result is known when
// compiling.
#include "tests/compiler/operators/sample.h"

namespace tactus::compiler {
namespace {

/// Adds a case of an operator that takes a tensor and a list of whole numbers.
void add_listed(Cases& cases, const std::string& op, const std::string& form,
                const std::function<nn::Shape(Sample&)>& shape,
                const std::function<Ints(Sample&)>& list, const Attributes& attributes = {}) {
  add(cases, op, form, [=](Sample& s) {
    const std::string x = s.computed(shape(s));
    return s.node(op, {x, s.list(list(s))}, attributes);
  });
}

nn::Shape image(Sample& s) { return s.image(); }
nn::Shape matrix(Sample& s) { return {3, s.channels()}; }

void add_relabels(Cases& cases) {
  const auto turn = [&](const char* form, const std::function<nn::Shape(Sample&)>& shape,
                        const Ints& permutation) {
    add(cases, "Transpose", form, [=](Sample& s) {
      Attributes attributes;
      if (!permutation.empty()) attributes["perm"] = permutation;
      return s.node("Transpose", {s.computed(shape(s))}, attributes);
    });
  };
  turn("of a matrix", matrix, {});
  turn("to channels last", image, {0, 2, 3, 1});
  turn("of height and width", image, {0, 1, 3, 2});
  turn("of rank 3", [](Sample& s) { return nn::Shape{2, 3, s.channels()}; }, {1, 2, 0});
  for (const char* op : {"Identity", "Dropout"}) {
    add(cases, op, "of an image", [=](Sample& s) { return s.node(op, {s.computed(s.image())}); });
    add(cases, op, "of a matrix", [=](Sample& s) { return s.node(op, {s.computed(matrix(s))}); });
  }
  add(cases, "Cast", "to real numbers of another width", [](Sample& s) {
    return s.node("Cast", {s.computed(s.image())},
                  {{"to", static_cast<std::int64_t>(nn::onnx_double)}});
  });
}

void add_shapes(Cases& cases) {
  add_listed(cases, "Reshape", "to a matrix", image, [](Sample& s) {
    return Ints{1, 9 * s.channels()};
  });
  add_listed(cases, "Reshape", "of rows of other lengths", matrix, [](Sample& s) {
    return Ints{s.channels(), 3};
  });
  add_listed(cases, "Reshape", "with what is left", image, [](Sample&) { return Ints{0, -1}; });
  add_listed(
      cases, "Reshape", "to an image",
      [](Sample& s) {
        return nn::Shape{2, 4 * s.channels()};
      },
      [](Sample& s) {
        return Ints{2, s.channels(), 2, 2};
      });
  for (const std::int64_t axis : {0, 1, 2}) {
    add(cases, "Flatten", "from axis " + std::to_string(axis), [=](Sample& s) {
      return s.node("Flatten", {s.computed({2, s.channels(), 2, 2})}, {{"axis", axis}});
    });
  }
  add(cases, "Flatten", "before a product", [](Sample& s) {
    const std::string flat = s.node("Flatten", {s.computed(s.image(2, 2), {-1, 1, 0.5})});
    return s.node("MatMul", {flat, s.constant({4 * s.channels(), 5}, {-1, 1, 0.5, 0})});
  });
  add_listed(
      cases, "Squeeze", "of pixels", [](Sample& s) { return s.image(1, 1); },
      [](Sample&) {
        return Ints{2, 3};
      });
  add_listed(
      cases, "Squeeze", "of height", [](Sample& s) { return s.image(1, 4); },
      [](Sample&) { return Ints{-2}; });
  add(cases, "Squeeze", "to a scalar", [](Sample& s) {
    return s.node("Squeeze", {s.computed({1, 1})});
  });
  add(cases, "Unsqueeze", "of a scalar", [](Sample& s) {
    return s.node("Unsqueeze", {s.computed({}), s.list({0, 1})});
  });
  add(cases, "Reshape", "to a scalar and back", [](Sample& s) {
    const std::string scalar = s.node("Reshape", {s.computed({1, 1, 1, 1}), s.list({})});
    return s.node("Reshape", {scalar, s.list({1, -1})});
  });
  add(cases, "Gather", "of one element", [](Sample& s) {
    const nn::Tensor index = nn::Tensor::of({}, std::vector<std::int64_t>{-2});
    return s.node("Gather", {s.computed({s.channels()}), s.constant(index)});
  });
  add(cases, "Expand", "of a scalar", [](Sample& s) {
    return s.node("Expand", {s.computed({}), s.list({2, s.channels()})});
  });
  add(cases, "Transpose", "of a scalar",
      [](Sample& s) { return s.node("Transpose", {s.computed({})}); });
  add_listed(cases, "Unsqueeze", "to an image", matrix, [](Sample&) { return Ints{2, 3}; });
  add_listed(cases, "Unsqueeze", "in front", matrix, [](Sample&) { return Ints{0}; });
  add(cases, "Shape", "of an operand, for a Reshape", [](Sample& s) {
    const std::string x = s.computed(s.image()), y = s.computed({1, 9 * s.channels()});
    return s.node("Reshape", {y, s.node("Shape", {x})});
  });
  add(cases, "Shape", "a part, for a Reshape", [](Sample& s) {
    const std::string x = s.computed({9, s.channels()}), y = s.computed(s.image());
    return s.node("Reshape", {y, s.node("Shape", {x}, {{"start", std::int64_t{0}}})});
  });
  add(cases, "Size", "of an operand, for a Reshape", [](Sample& s) {
    const std::string x = s.computed(matrix(s)), y = s.computed(matrix(s));
    const std::string one = s.list({1});
    const std::string size = s.node("Unsqueeze", {s.node("Size", {x}), s.list({0})});
    return s.node("Reshape", {y, s.node("Concat", {one, size}, {{"axis", std::int64_t{0}}})});
  });
}

void add_cuts(Cases& cases) {
  const auto join = [&](const char* form, std::int64_t axis, auto second) {
    add(cases, "Concat", form, [=](Sample& s) {
      const std::string x = s.computed(s.image());
      return s.node("Concat", {x, second(s), x}, {{"axis", axis}});
    });
  };
  join("along channels", 1, [](Sample& s) { return s.computed({1, 5, 3, 3}); });
  join("along channels, with a constant", 1, [](Sample& s) { return s.constant({1, 2, 3, 3}); });
  join("along height", 2, [](Sample& s) { return s.computed({1, s.channels(), 2, 3}); });
  join("along width, with a constant", -1, [](Sample& s) {
    return s.constant({1, s.channels(), 3, 1});
  });
  const auto split = [&](const char* form, std::int64_t axis,
                         const std::function<Ints(Sample&)>& sizes) {
    cases.push_back({"Split", form, [=](Sample& s) {
                       const std::string x = s.computed(s.image(4, 3));
                       const Ints parts = sizes(s);
                       for (const std::string& part :
                            s.nodes("Split", {x, s.list(parts)}, parts.size(), {{"axis", axis}})) {
                         s.output(part);
                       }
                     }});
  };
  split("of channels", 1, [](Sample& s) { return Ints{1, s.channels() - 1}; });
  split("of height", 2, [](Sample&) { return Ints{1, 2, 1}; });
  add(cases, "Split", "of which one part is read", [](Sample& s) {
    const std::string x = s.computed({3, 2 * s.channels()});
    const std::int64_t half = s.channels();
    return s.nodes("Split", {x, s.list({half, half})}, 2, {{"axis", std::int64_t{1}}})[1];
  });
  const auto slice = [&](const char* form, const Ints& from, const Ints& to, const Ints& axes,
                         const Ints& steps) {
    add(cases, "Slice", form, [=](Sample& s) {
      return s.node("Slice", {s.computed(s.image(4, 4)), s.list(from), s.list(to), s.list(axes),
                              s.list(steps)});
    });
  };
  slice("of channels", {1}, {1000}, {1}, {1});
  slice("of pixels", {1, 0}, {3, -1}, {2, 3}, {1, 1});
  slice("of every second pixel", {0, 1}, {1000, 1000}, {2, 3}, {2, 2});
  slice("backwards", {-1}, {-1000}, {3}, {-1});
  slice("of channels backwards", {-1}, {-1000}, {1}, {-1});
}

void add_pads(Cases& cases) {
  const auto pad = [&](const char* form, const Ints& pads, const char* mode, bool value) {
    add(cases, "Pad", form, [=](Sample& s) {
      std::vector<std::string> inputs{s.computed(s.image()), s.list(pads)};
      if (value) inputs.push_back(s.scalar(-1.5F));
      return s.node("Pad", inputs, {{"mode", std::string(mode)}});
    });
  };
  pad("of pixels with 0", {0, 0, 1, 2, 0, 0, 0, 1}, "constant", false);
  pad("of pixels with a value", {0, 0, 1, 1, 0, 0, 1, 1}, "constant", true);
  pad("of channels with a value", {0, 1, 0, 0, 0, 2, 0, 0}, "constant", true);
  pad("reflected", {0, 0, 1, 1, 0, 0, 1, 2}, "reflect", false);
  pad("of edges", {0, 0, 1, 1, 0, 0, 1, 2}, "edge", false);
  pad("that cuts", {0, 0, -1, 0, 0, 0, 0, 1}, "constant", false);
}

void add_selections(Cases& cases) {
  const auto gather = [&](const char* form, std::int64_t axis, const Ints& indices) {
    add_listed(cases, "Gather", form, image, [=](Sample&) { return indices; }, {{"axis", axis}});
  };
  gather("of channels", 1, {1, 0, -1, 1});
  gather("of columns", 3, {2, 0});
  add(cases, "Gather", "of one channel", [](Sample& s) {
    const nn::Tensor index = nn::Tensor::of({}, std::vector<std::int64_t>{1});
    return s.node("Gather", {s.computed(s.image()), s.constant(index)},
                  {{"axis", std::int64_t{1}}});
  });
  add_listed(
      cases, "Expand", "of pixels", [](Sample& s) { return s.image(1, 1); },
      [](Sample&) {
        return Ints{1, 1, 2, 3};
      });
  add_listed(
      cases, "Expand", "of channels",
      [](Sample&) {
        return nn::Shape{1, 1, 2, 2};
      },
      [](Sample& s) {
        return Ints{1, s.channels(), 1, 1};
      });
  add_listed(cases, "Expand", "to a higher rank", matrix, [](Sample& s) {
    return Ints{2, 3, s.channels()};
  });
  add_listed(cases, "Tile", "of all dimensions", image, [](Sample&) { return Ints{1, 2, 2, 1}; });
  add_listed(cases, "Tile", "of a matrix", matrix, [](Sample&) { return Ints{2, 2}; });
  for (const char* mode : {"DCR", "CRD"}) {
    add(cases, "DepthToSpace", mode, [=](Sample& s) {
      return s.node("DepthToSpace", {s.computed({1, 4 * s.channels(), 2, 3})},
                    {{"blocksize", std::int64_t{2}}, {"mode", std::string(mode)}});
    });
  }
  add(cases, "SpaceToDepth", "blocks of 2", [](Sample& s) {
    return s.node("SpaceToDepth", {s.computed(s.image(4, 6))}, {{"blocksize", std::int64_t{2}}});
  });
}

void add_constants(Cases& cases) {
  const auto constant = [&](const char* form, const std::function<Attributes(Sample&)>& value) {
    add(cases, "Constant", form, [=](Sample& s) {
      const std::string x = s.computed(s.image());
      return s.node("Mul", {x, s.node("Constant", {}, value(s))});
    });
  };
  constant("tensor per channel", [](Sample& s) {
    return Attributes{{"value", s.draw({s.channels(), 1, 1}, {})}};
  });
  constant("one number", [](Sample&) { return Attributes{{"value_float", -1.5F}}; });
  constant("a row", [](Sample&) {
    return Attributes{{"value_floats", std::vector<float>{1, -0.5F, 2}}};
  });
  add(cases, "ConstantOfShape", "as an operand", [](Sample& s) {
    const std::string x = s.computed(s.image());
    const std::string shape = s.list({s.channels(), 1, 1});
    return s.node("Add",
                  {x, s.node("ConstantOfShape", {shape}, {{"value", floats({1}, {-1.5F})}})});
  });
  add(cases, "ConstantOfShape", "of the shape of an operand", [](Sample& s) {
    const std::string x = s.computed(s.image());
    return s.node("Max", {x, s.node("ConstantOfShape", {s.node("Shape", {x})})});
  });
}

}  // namespace

Cases arrangement_cases() {
  Cases cases;
  add_relabels(cases);
  add_shapes(cases);
  add_cuts(cases);
  add_pads(cases);
  add_selections(cases);
  add_constants(cases);
  return cases;
}

}  // namespace tactus::compiler
