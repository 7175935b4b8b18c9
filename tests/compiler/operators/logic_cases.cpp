// Comparisons, logic, Where and functions with steps. The unit computes them if a product follows;
// otherwise they are left to the host.
#include "tests/compiler/operators/sample.h"

namespace tactus::compiler {
namespace {

/// Selects one of two computed values, before a product.
void choose(Sample& s, const std::string& condition) {
  s.before_product();
  const std::string then = s.computed(s.image()), otherwise = s.computed(s.image());
  s.output(s.node("Where", {condition, then, otherwise}));
}

}  // namespace

Cases logic_cases() {
  Cases cases;
  for (const char* op : {"Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual"}) {
    const std::string type = op;
    cases.push_back({type, "computed", [type](Sample& s) {
                       const std::string a = s.computed(s.image());
                       choose(s, s.node(type, {a, s.computed(s.image())}));
                     }});
    cases.push_back({type, "constant on the right", [type](Sample& s) {
                       const std::string a = s.computed(s.image());
                       choose(s, s.node(type, {a, s.scalar(0.5F)}));
                     }});
    cases.push_back({type, "constant on the left", [type](Sample& s) {
                       const std::string b = s.computed(s.image());
                       choose(s, s.node(type, {s.constant({1, s.channels(), 1, 1}), b}));
                     }});
  }
  for (const char* op : {"And", "Or", "Xor"}) {
    const std::string type = op;
    cases.push_back({type, "of two comparisons", [type](Sample& s) {
                       const std::string a = s.computed(s.image()), b = s.computed(s.image());
                       const std::string one = s.node("Greater", {a, s.scalar(0)});
                       choose(s, s.node(type, {one, s.node("Less", {b, a})}));
                     }});
  }
  cases.push_back({"Not", "of a comparison", [](Sample& s) {
                     const std::string a = s.computed(s.image());
                     choose(s, s.node("Not", {s.node("Greater", {a, s.scalar(0)})}));
                   }});
  cases.push_back(
      {"Where", "constant condition", [](Sample& s) {
         nn::Tensor condition = nn::Tensor::of({1, 1, 3, 3}, Ints{1, 0, 0, 1, 1, 0, 1, 1, 1});
         condition.stored = nn::onnx_bool;
         choose(s, s.constant(std::move(condition)));
       }});
  cases.push_back({"Where", "constant of a choice", [](Sample& s) {
                     s.before_product();
                     const std::string a = s.computed(s.image());
                     const std::string positive = s.node("Greater", {a, s.scalar(0)});
                     s.output(s.node("Where", {positive, s.scalar(-1), a}));
                   }});
  for (const char* op : {"Ceil", "Floor", "Round", "Sign", "ThresholdedRelu"}) {
    const std::string type = op;
    cases.push_back({type, "before a product", [type](Sample& s) {
                       s.before_product();
                       s.output(s.node(type, {s.computed(s.image())}));
                     }});
  }
  cases.push_back({"Shrink", "with a step", [](Sample& s) {
                     s.before_product();
                     const std::string x = s.computed(s.image());
                     s.output(s.node("Shrink", {x}, {{"lambd", 0.5F}, {"bias", 0.25F}}));
                   }});
  return cases;
}

}  // namespace tactus::compiler
