// Functions of single elements.
//
// Functions made of straight pieces (Abs, HardSigmoid, HardSwish...) are expanded into other
// operators. Curved ones (Sigmoid, Tanh...) are looked up in tables if the machine has tables. If
// it has none, they are approximated by chords if a product follows (curves.cpp); else the host
// computes them exactly.
#include "firmware/compiler/frontend/operators/functions.h"

#include <algorithm>
#include <cmath>

#include "firmware/compiler/frontend/operators.h"
#include "firmware/compiler/frontend/operators/quantised_clip.h"
#include "isa/support/text.h"
#include "isa/tcu/arithmetic.h"

namespace tactus::compiler {
namespace {

// ---- operators ----------------------------------------------------------------------------------

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double softplus(double x) { return x > 30 ? x : std::log1p(std::exp(x)); }
double normal_below(double x) { return (1 + std::erf(x / 1.4142135623730951)) / 2; }

/// A function, and its form without tables: factor * Relu(x) + rest(x), or x * rest(x), where rest
/// is constant beyond its reach. Without a reach the function needs tables.
struct Shape {
  Function f;
  Function rest;
  std::optional<Reach> reach;
  bool times_x = false;
  double relu = 0;
};

/// The function alpha (e^(x / width) - 1) below 0 and factor * x above.
Shape exponential_unit(double alpha, double width, double factor) {
  const Function below = [=](double x) { return alpha * std::expm1(std::min(x, 0.0) / width); };
  return {[=](double x) { return x > 0 ? factor * x : below(x); }, below,
          Reach{-8 * std::max(width, 1.0), 0}, false, factor};
}

std::optional<Shape> curved_shape(const nn::Node& node) {
  const std::string& op = node.op_type;
  const auto real = [&](const char* name, float fallback) {
    return static_cast<double>(node.real(name, fallback));
  };
  const auto times_x = [](const Function& rest, double reach) {
    return Shape{[rest](double x) { return x * rest(x); }, rest, Reach{-reach, reach}, true, 0};
  };
  const auto flat = [](const Function& f, double reach) {
    return Shape{f, f, Reach{-reach, reach}, false, 0};
  };
  if (op == "Sigmoid") return flat(sigmoid, 8);
  if (op == "Tanh") return flat([](double x) { return std::tanh(x); }, 5);
  if (op == "Erf") return flat([](double x) { return std::erf(x); }, 3);
  if (op == "Gelu" && node.text("approximate", "none") == "tanh") {
    return times_x(
        [](double x) {
          return (1 + std::tanh(0.7978845608028654 * (x + 0.044715 * x * x * x))) / 2;
        },
        4);
  }
  if (op == "Gelu") return times_x(normal_below, 4);
  if (op == "Swish") {
    const double alpha = real("alpha", 1);
    return times_x([alpha](double x) { return sigmoid(alpha * x); }, 8 / std::abs(alpha));
  }
  if (op == "Mish") return times_x([](double x) { return std::tanh(softplus(x)); }, 9);
  if (op == "Softplus") {
    return Shape{softplus, [](double x) { return softplus(x) - std::max(x, 0.0); }, Reach{-8, 8},
                 false, 1};
  }
  if (op == "Elu") return exponential_unit(real("alpha", 1), 1, 1);
  if (op == "Celu") return exponential_unit(real("alpha", 1), real("alpha", 1), 1);
  if (op == "Selu") {
    const double gamma = real("gamma", 1.05070102214813232421875F);
    return exponential_unit(real("alpha", 1.67326319217681884765625F) * gamma, 1, gamma);
  }
  return std::nullopt;
}

std::optional<Shape> shape_of(const nn::Node& node) {
  const std::string& op = node.op_type;
  const auto real = [&](const char* name, float fallback) {
    return static_cast<double>(node.real(name, fallback));
  };
  const auto tables_only = [](Function f) {
    return Shape{std::move(f), {}, std::nullopt, false, 0};
  };
  if (op == "Exp") return tables_only([](double x) { return std::exp(x); });
  if (op == "Log") return tables_only([](double x) { return std::log(x); });
  if (op == "Sqrt") return tables_only([](double x) { return std::sqrt(x); });
  if (op == "Reciprocal") return tables_only([](double x) { return 1 / x; });
  if (op == "Atan") return tables_only([](double x) { return std::atan(x); });
  if (op == "Softsign") return tables_only([](double x) { return x / (1 + std::abs(x)); });
  if (op == "HardSwish") {
    return tables_only([](double x) { return x * std::clamp(x / 6 + 0.5, 0.0, 1.0); });
  }
  if (op == "HardSigmoid") {
    const double alpha = real("alpha", 0.2F), beta = real("beta", 0.5F);
    return tables_only([=](double x) { return std::clamp(alpha * x + beta, 0.0, 1.0); });
  }
  return curved_shape(node);
}

/// Name of a node's function: operator and attributes.
std::string name_of(const nn::Node& node) {
  std::string name = node.op_type;
  for (const char* attribute : {"alpha", "beta", "gamma"}) {
    if (node.has(attribute)) name += fmt::format(" {} {:g}", attribute, node.real(attribute));
  }
  if (node.has("approximate")) name += " " + node.text("approximate");
  return name;
}

/// True for functions that the host computes exactly unless a product follows.
bool prefers_host(const nn::Node& node) { return node.op_type == "Atan"; }

bool expand_curve(Planner& p, Expansion& e) {
  const std::optional<Shape> shape = shape_of(p.node);
  if (!shape || p.value(0) == nullptr || !p.value(0)->layout) return false;
  const std::string& x = p.node.inputs[0];
  if (prefers_host(p.node) && !p.before_product()) {
    p.problem("no product follows, so it is computed exactly there");
    return true;
  }
  if (has_tables(p.architecture())) {
    const FunctionOf function = p.node.op_type == "Reciprocal"
                                    ? reciprocal_of(p, x)
                                    : FunctionOf{x, {name_of(p.node), shape->f, std::nullopt}};
    compute_last(p, e, function.x, function.function);
    return true;
  }
  if (!p.before_product()) {
    p.problem("no product follows, so it is computed exactly there");
    return true;
  }
  const std::string y = computed(p, e, x, {name_of(p.node), shape->rest, shape->reach});
  if (p.failed()) return true;
  if (shape->times_x) {
    e.last("Mul", {x, y});
  } else if (shape->relu != 0) {
    std::string straight = e.node("Relu", {x});
    if (shape->relu != 1) {
      straight = e.node("Mul", {straight, e.constant(static_cast<float>(shape->relu))});
    }
    e.last("Add", {straight, y});
  } else {
    e.last("Identity", {y});
  }
  return true;
}

/// Null: the value is not known.
const Value* known_value(const Planner& p, const std::string& name) {
  const auto found = p.model().values.find(name);
  return found == p.model().values.end() ? nullptr : &found->second;
}

/// The number of a constant with one element whose rank adds no dimension to results.
std::optional<double> number_of(const Planner& p, const std::string& name) {
  const Value* value = known_value(p, name);
  if (value == nullptr || value->constant == nullptr || value->constant->size() != 1 ||
      value->constant->shape.size() > 1) {
    return {};
  }
  return value->constant->reals().front();
}

const nn::Node* standard_producer(const Planner& p, const std::string& value) {
  const nn::Node* node = p.model().graph->producer(value);
  return node != nullptr && node->domain.empty() ? node : nullptr;
}

struct BinaryOperator {
  const char* type;
  char symbol;
  double (*f)(double, double);
};

/// Finds a binary operator; null if it is none.
const BinaryOperator* binary_operator(const std::string& type) {
  static constexpr BinaryOperator all[] = {
      {"Add", '+', [](double a, double b) { return a + b; }},
      {"Sub", '-', [](double a, double b) { return a - b; }},
      {"Mul", '*', [](double a, double b) { return a * b; }},
      {"Div", '/', [](double a, double b) { return a / b; }},
      {"Pow", '^', [](double a, double b) { return std::pow(a, b); }}};
  for (const BinaryOperator& op : all) {
    if (type == op.type) return &op;
  }
  return nullptr;
}

/// The value as a function of `x`, if it is computed from `x` by operators on single elements and
/// constant numbers.
std::optional<ElementFunction> function_of(const Planner& p, const std::string& x,
                                           const std::string& value, unsigned depth = 0) {
  constexpr unsigned deepest = 12;
  if (value == x) return ElementFunction{"x", [](double v) { return v; }, std::nullopt};
  if (const std::optional<double> number = number_of(p, value)) {
    return ElementFunction{fmt::format("{:.9g}", *number), [n = *number](double) { return n; },
                           std::nullopt};
  }
  const nn::Node* node = standard_producer(p, value);
  if (node == nullptr || depth == deepest) return std::nullopt;
  if (node->inputs.size() == 1) {
    const std::optional<Shape> shape = shape_of(*node);
    if (!shape) return std::nullopt;
    const auto in = function_of(p, x, node->inputs[0], depth + 1);
    if (!in) return std::nullopt;
    const std::string inner = in->name == "x" ? "" : " of " + in->name;
    return ElementFunction{name_of(*node) + inner,
                           [f = shape->f, g = in->f](double v) { return f(g(v)); }, std::nullopt};
  }
  const BinaryOperator* op = binary_operator(node->op_type);
  if (op == nullptr || node->inputs.size() != 2) return std::nullopt;
  const auto a = function_of(p, x, node->inputs[0], depth + 1);
  const auto b = a ? function_of(p, x, node->inputs[1], depth + 1) : std::nullopt;
  if (!b) return std::nullopt;
  return ElementFunction{
      fmt::format("({} {} {})", a->name, op->symbol, b->name),
      [of_two = op->f, f = a->f, g = b->f](double v) { return of_two(f(v), g(v)); }, std::nullopt};
}

/// For a node with one operand that is a constant number, the other operand.
const std::string* line_operand(const Planner& p, const nn::Node& node, bool with_sums) {
  const std::string& op = node.op_type;
  const bool product = op == "Mul" || op == "Div";
  if (node.inputs.size() != 2 || !(product || (with_sums && (op == "Add" || op == "Sub")))) {
    return nullptr;
  }
  if (number_of(p, node.inputs[1])) return node.inputs.data();
  return op != "Div" && number_of(p, node.inputs[0]) ? &node.inputs[1] : nullptr;
}

/// True if the value is a curved function of one element, or a linear function of one.
bool is_curve(const Planner& p, const std::string& value) {
  constexpr unsigned longest = 4;
  const nn::Node* node = standard_producer(p, value);
  for (unsigned k = 0; k < longest && node != nullptr; ++k) {
    if (node->inputs.size() == 1 && shape_of(*node)) return true;
    const std::string* before = line_operand(p, *node, true);
    node = before == nullptr ? nullptr : standard_producer(p, *before);
  }
  return false;
}

/// Recognises the product of a value (times a number) with a curved function of the same value:
/// GELU, SiLU, Mish...
std::optional<FunctionOf> gated(const Planner& p, const nn::Node& node) {
  if (node.op_type != "Mul" || node.inputs.size() != 2) return std::nullopt;
  for (std::size_t i = 0; i < 2; ++i) {
    const std::string& gate = node.inputs[1 - i];
    if (!is_curve(p, gate)) continue;
    std::string x = node.inputs[i];
    while (!x.empty()) {
      const Value* value = known_value(p, x);
      if (value == nullptr || !value->layout) break;
      const auto factor = function_of(p, x, node.inputs[i]), f = function_of(p, x, gate);
      if (factor && f) {
        return FunctionOf{
            x,
            {factor->name + " times " + f->name,
             [g = factor->f, f = f->f](double v) { return g(v) * f(v); }, std::nullopt}};
      }
      const nn::Node* before = standard_producer(p, x);
      const std::string* operand = before == nullptr ? nullptr : line_operand(p, *before, false);
      x = operand == nullptr ? "" : *operand;
    }
  }
  return std::nullopt;
}

/// Recognises gated(), or a number times such a product.
std::optional<FunctionOf> scaled_gated(const Planner& p) {
  if (auto found = gated(p, p.node)) return found;
  const std::string* product = line_operand(p, p.node, false);
  const nn::Node* node = product == nullptr ? nullptr : standard_producer(p, *product);
  if (node == nullptr) return std::nullopt;
  auto found = gated(p, *node);
  const auto factor = found ? function_of(p, *product, p.node.outputs[0]) : std::nullopt;
  if (!factor) return std::nullopt;
  found->function.name += fmt::format(" as x of {}", factor->name);
  found->function.f = [f = found->function.f, g = factor->f](double v) { return g(f(v)); };
  return found;
}

bool expand_straight(Planner& p, Expansion& e) {
  const std::string& op = p.node.op_type;
  const std::string& x = p.node.inputs[0];
  const bool two_slopes = op == "HardSwish" || op == "HardSigmoid";
  if (two_slopes && has_tables(p.architecture())) return expand_curve(p, e);
  if (op == "Neg") {
    e.last("Mul", {x, e.constant(-1.0F)});
  } else if (op == "Abs") {
    e.last("Max", {x, e.node("Mul", {x, e.constant(-1.0F)})});
  } else if (op == "HardSigmoid") {
    const std::string line =
        e.node("Add", {e.node("Mul", {x, e.constant(p.node.real("alpha", 0.2F))}),
                       e.constant(p.node.real("beta", 0.5F))});
    e.last("Identity", {clipped(p, e, line, 0, 1)});
  } else {  // HardSwish
    const std::string line =
        e.node("Add", {e.node("Mul", {x, e.constant(1.0F / 6)}), e.constant(0.5F)});
    e.last("Mul", {x, clipped(p, e, line, 0, 1)});
  }
  return true;
}

/// Expands Sin, Cos: the argument minus the nearest multiple of 2 pi is looked up. Where no product
/// follows, the host computes them exactly.
bool expand_wave(Planner& p, Expansion& e) {
  if (p.value(0) == nullptr || !p.value(0)->layout) return false;
  const bool is_sine = p.node.op_type == "Sin";
  if (!p.before_product() || !has_tables(p.architecture())) {
    p.problem(p.before_product()
                  ? "supported are machines with lookup tables (lookup_tables of the "
                    "architecture)"
                  : "no product follows, so it is computed exactly there");
    return true;
  }
  const tcu::DataType type = p.architecture().data_type;
  const auto held = [&](double value) {
    return tcu::to_real(type, tcu::quantise(type, static_cast<float>(value)));
  };
  constexpr double turn = 6.283185307179586;
  const std::string& x = p.node.inputs[0];
  const double most = p.bound(x).value_or(tcu::to_real(type, tcu::info(type).max()));
  Reach needed{-most, most};
  std::string angle = x;
  if (most > turn / 2) {
    const double of_turn = held(1 / turn);
    const std::string turns = e.node("Mul", {x, e.constant(static_cast<float>(of_turn))});
    const std::string whole =
        rounded_to_steps(p, e, turns, nn::Tensor::of({}, std::vector{1.0F}), 1);
    angle = e.node("Sub", {x, e.node("Mul", {whole, e.constant(static_cast<float>(turn))})});
    // Where rounding was to the wrong neighbour, the rest is more than half a turn.
    const double wrong = turn * (most * std::abs(of_turn - 1 / turn) + 2 * tcu::to_real(type, 1));
    needed = {-turn / 2 - wrong, turn / 2 + wrong};
    p.expect_error(most / turn * std::abs(held(turn) - turn));
  }
  compute_last(p, e, angle,
               {fmt::format("{} up to {:.3g}", p.node.op_type, needed.to),
                [is_sine](double v) { return is_sine ? std::sin(v) : std::cos(v); }, needed});
  return true;
}

/// Expands Pow: integer powers become products, others are looked up.
bool expand_pow(Planner& p, Expansion& e) {
  const nn::Tensor* exponent = p.constant(1);
  if (exponent == nullptr || exponent->size() != 1) {
    p.problem("the exponent is no constant of one value; supported are constants");
    return true;
  }
  const double power = exponent->type == nn::ElementType::float32
                           ? static_cast<double>(exponent->floats[0])
                           : static_cast<double>(exponent->integers[0]);
  const std::string& x = p.node.inputs[0];
  if (power != 1 && power != 2 && power != 3 && power != 4) {
    if (!has_tables(p.architecture())) {
      p.problem("the exponent is {}; supported are 1, 2, 3, 4, others with lookup tables", power);
      return true;
    }
    compute_last(p, e, x,
                 {fmt::format("Pow {:a}", power), [power](double v) { return std::pow(v, power); },
                  std::nullopt});
    return true;
  }
  if (power == 1) {
    e.last("Identity", {x});
  } else if (power == 2) {
    e.last("Mul", {x, x});
  } else {
    const std::string square = e.node("Mul", {x, x});
    e.last("Mul", {square, power == 3 ? x : square});
  }
  return true;
}

}  // namespace

FunctionOf reciprocal_of(const Planner& p, const std::string& value) {
  constexpr unsigned longest = 8;
  std::string at = value, x = value;
  bool curved = false;
  for (unsigned k = 0; k < longest; ++k) {
    const nn::Node* node = standard_producer(p, at);
    if (node == nullptr) break;
    const bool curve = node->inputs.size() == 1 && shape_of(*node);
    const std::string* before = curve ? node->inputs.data() : line_operand(p, *node, true);
    if (before == nullptr) break;
    at = *before;
    curved = curved || curve;
    if (curved) x = at;
  }
  const std::optional<ElementFunction> f =
      has_tables(p.architecture()) ? function_of(p, x, value) : std::nullopt;
  if (!f || x == value) {
    return {value, {"Reciprocal", [](double v) { return 1 / v; }, std::nullopt}};
  }
  return {x, {"Reciprocal of " + f->name, [f = f->f](double v) { return 1 / f(v); }, std::nullopt}};
}

bool expand_gated(Planner& p, Expansion& e) {
  if (!has_tables(p.architecture())) return false;
  const std::optional<FunctionOf> found = scaled_gated(p);
  if (!found) return false;
  compute_last(p, e, found->x, found->function);
  return true;
}

Operators function_operators() {
  Operators all;
  for (const char* type :
       {"Sigmoid", "Tanh", "Erf", "Gelu", "Mish", "Swish", "Softplus", "Elu", "Celu", "Selu", "Exp",
        "Log", "Sqrt", "Reciprocal", "Softsign", "Atan"}) {
    all.push_back({type, keeps_layout, Role::simple, nullptr, nullptr, expand_curve});
  }
  for (const char* type : {"Neg", "Abs", "HardSigmoid", "HardSwish"}) {
    all.push_back({type, keeps_layout, Role::simple, nullptr, nullptr, expand_straight});
  }
  for (const char* type : {"Sin", "Cos"}) {
    all.push_back({type, keeps_layout, Role::simple, nullptr, nullptr, expand_wave});
  }
  all.push_back({"Pow", keeps_layout, Role::simple, nullptr, nullptr, expand_pow});
  return all;
}

}  // namespace tactus::compiler
