// Functions of single elements that are not piecewise linear. They use lookup tables if the machine
// has them, else chords if a product follows, else the host computes them.
#include "tests/compiler/operators/sample.h"

namespace tactus::compiler {
namespace {

struct Function {
  const char* op;
  Numbers numbers;
  Attributes attributes;
};

const Numbers everywhere{-2, 2, 0.5, -1, 3, true}, positive{0.5, 2, 0.5, -1, 3, true};

const std::vector<Function>& functions() {
  static const std::vector<Function> all{
      {"Sigmoid", everywhere, {}},
      {"Tanh", everywhere, {}},
      {"Erf", everywhere, {}},
      {"Gelu", everywhere, {}},
      {"Mish", everywhere, {}},
      {"Swish", everywhere, {{"alpha", 1.5F}}},
      {"Softplus", everywhere, {}},
      {"Elu", everywhere, {{"alpha", 0.75F}}},
      {"Celu", everywhere, {{"alpha", 2.0F}}},
      {"Selu", everywhere, {}},
      {"Exp", {-2, 1.5, 0.5, -1, 3, true}, {}},
      {"Log", positive, {}},
      {"Sqrt", positive, {}},
      {"Reciprocal", positive, {}},
      {"Softsign", everywhere, {}},
  };
  return all;
}

/// True for functions that may be approximated by chords.
bool has_chords(const std::string& op) {
  return op != "Exp" && op != "Log" && op != "Sqrt" && op != "Reciprocal" && op != "Softsign";
}

}  // namespace

Cases function_cases() {
  Cases cases;
  for (const char* op : {"Sin", "Cos", "Atan"}) {
    const std::string type = op;
    cases.push_back({type, "before a product", [type](Sample& s) {
                       s.allow_stated(2, 4);
                       s.host_without_tables();
                       if (s.setting().tables) s.before_product();
                       s.output(s.node(type, {s.computed(s.image(), {-4, 4, 0.5, -1, 3, true})}));
                     }});
  }
  for (const Function& f : functions()) {
    const auto form = [&](const char* name, const std::function<nn::Shape(Sample&)>& shape,
                          bool product) {
      cases.push_back({f.op, name, [=](Sample& s) {
                         // The allowed error is twice the function's stated error, plus roundings
                         // of the result and of the product.
                         s.allow_stated(2, 3);
                         if (!has_chords(f.op)) s.host_without_tables();
                         if (product && (s.setting().tables || has_chords(f.op))) {
                           s.before_product();
                         }
                         s.output(s.node(f.op, {s.computed(shape(s), f.numbers)}, f.attributes));
                       }});
    };
    form(
        "of an image", [](Sample& s) { return s.image(2, 2); }, false);
    form(
        "of an image before a product", [](Sample& s) { return s.image(2, 2); }, true);
    form(
        "of a matrix before a product",
        [](Sample& s) {
          return nn::Shape{2, s.channels()};
        },
        true);
  }
  cases.push_back({"Gelu", "by the hyperbolic tangent", [](Sample& s) {
                     s.allow_stated(2, 3);
                     s.before_product();
                     s.output(s.node("Gelu", {s.computed(s.image(2, 2), everywhere)},
                                     {{"approximate", std::string("tanh")}}));
                   }});
  cases.push_back({"Sigmoid", "as a gate", [](Sample& s) {
                     s.allow_stated(2, 3);
                     s.before_product();
                     const std::string x = s.computed(s.image(2, 2), everywhere);
                     s.output(s.node("Mul", {x, s.node("Sigmoid", {x})}));
                   }});
  for (const bool half_first : {false, true}) {
    cases.push_back(
        {"Erf", half_first ? "in half of GELU" : "in GELU", [=](Sample& s) {
           s.allow_stated(4, 8);
           s.before_product();
           const std::string x = s.computed(s.image(2, 2), everywhere);
           const std::string erf = s.node("Erf", {s.node("Div", {x, s.scalar(1.41421356F)})});
           const std::string gate = s.node("Add", {erf, s.scalar(1)});
           if (half_first) {
             s.output(s.node("Mul", {s.node("Mul", {x, s.scalar(0.5F)}), gate}));
           } else {
             s.output(s.node("Mul", {s.node("Mul", {x, gate}), s.scalar(0.5F)}));
           }
         }});
  }
  cases.push_back(
      {"Tanh", "in GELU", [](Sample& s) {
         s.allow_stated(4, 8);
         s.before_product();
         const std::string x = s.computed(s.image(2, 2), everywhere);
         const std::string cube = s.node("Pow", {x, s.scalar(3)});
         const std::string sum = s.node("Add", {x, s.node("Mul", {s.scalar(0.044715F), cube})});
         const std::string tanh = s.node("Tanh", {s.node("Mul", {s.scalar(0.79788456F), sum})});
         const std::string gate = s.node("Add", {s.scalar(1), tanh});
         s.output(s.node("Mul", {s.node("Mul", {s.scalar(0.5F), x}), gate}));
       }});
  return cases;
}

}  // namespace tactus::compiler
