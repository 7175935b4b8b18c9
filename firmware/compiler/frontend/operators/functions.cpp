// Functions of single elements.
//
// Those made of straight pieces (Abs, HardSigmoid, HardSwish...) are written as the operators that
// make them. Curved ones (Sigmoid, Tanh...) are drawn by chords where a product follows: each piece
// is the input moved and scaled, cut to the piece's rise; the pieces add up. At the model's end the
// host computes them exactly.
#include <algorithm>
#include <cmath>
#include <functional>

#include "firmware/compiler/frontend/operators.h"
#include "isa/support/text.h"
#include "isa/tcu/arithmetic.h"

namespace tactus::compiler {
namespace {

using Function = std::function<double(double)>;

// ---- chords -------------------------------------------------------------------------------------

/// From x on with the slope, for a rise (negative: a fall).
struct Chord {
  float slope = 0, offset = 0;  ///< x * slope + offset is 0 where the chord begins
  float rise = 0;
};

struct Curve {
  float start = 0;  ///< value left of all chords
  std::vector<Chord> chords;
  double error = 0;  ///< largest over all values of the data type
};

double largest_deviation(const Function& f, double from, double to) {
  constexpr int samples = 16;
  const double low = f(from), high = f(to);
  double most = 0;
  for (int k = 1; k < samples; ++k) {
    const double part = static_cast<double>(k) / samples;
    most = std::max(most, std::abs(f(from + part * (to - from)) - (low + part * (high - low))));
  }
  return most;
}

/// The longest chords that stay within `allowed` of the function, from `from` to `to`.
std::vector<double> break_points(const Function& f, double from, double to, double allowed,
                                 double step) {
  std::vector<double> points{from};
  while (points.back() < to) {
    const double begin = points.back();
    double width = to - begin;
    while (width > step && largest_deviation(f, begin, begin + width) > allowed) width /= 2;
    // Between this width, which is good, and its double.
    for (double more = width / 2; more > step; more /= 2) {
      if (begin + width + more <= to &&
          largest_deviation(f, begin, begin + width + more) <= allowed) {
        width += more;
      }
    }
    points.push_back(std::min(to, std::round((begin + std::max(width, step)) / step) * step));
  }
  return points;
}

/// The curve's value as the unit computes it.
double value_of(const Curve& curve, double x, double step) {
  double sum = static_cast<double>(curve.start);
  for (const Chord& chord : curve.chords) {
    const double at = std::round(x * static_cast<double>(chord.slope) / step) * step +
                      static_cast<double>(chord.offset);
    sum += chord.rise < 0 ? std::clamp(at, static_cast<double>(chord.rise), 0.0)
                          : std::clamp(at, 0.0, static_cast<double>(chord.rise));
  }
  return sum;
}

/// Chords of a function that is constant left of `from` and right of `to`, up to a step or so.
/// Slopes are rounded before offsets follow from them, and rises join rounded values, so that
/// errors do not add up along the chords.
Curve draw(const Function& f, double from, double to, tcu::DataType type) {
  const double step = tcu::to_real(type, 1);
  const auto rounded = [&](double v) { return std::round(v / step) * step; };
  const double allowed = std::max(step, 1.0 / 256);
  from = std::max(from, tcu::to_real(type, tcu::info(type).min()));
  to = std::min(to, tcu::to_real(type, tcu::info(type).max()));
  const std::vector<double> points = break_points(f, rounded(from), rounded(to), allowed, step);
  Curve curve;
  curve.start = static_cast<float>(rounded(f(points.front())));
  for (std::size_t k = 0; k + 1 < points.size(); ++k) {
    const double rise = rounded(f(points[k + 1])) - rounded(f(points[k]));
    // A slope that is a little too steep reaches the rise; one too flat would not.
    double slope = rise / (points[k + 1] - points[k]) / step;
    slope = (rise < 0 ? std::floor(slope) : std::ceil(slope)) * step;
    if (rise == 0) continue;
    curve.chords.push_back({static_cast<float>(slope),
                            static_cast<float>(-rounded(slope * points[k])),
                            static_cast<float>(rise)});
  }
  const std::int64_t least = tcu::info(type).min(), most = tcu::info(type).max();
  const std::int64_t stride = std::max<std::int64_t>(1, (most - least) / 65536);
  const auto look = [&](double x) {
    curve.error = std::max(curve.error, std::abs(value_of(curve, x, step) - f(x)));
  };
  for (std::int64_t m = least; m <= most; m += stride) look(tcu::to_real(type, m));
  for (double x = -32; x <= 32; x += 1.0 / 256) {
    if (x >= tcu::to_real(type, least) && x <= tcu::to_real(type, most)) look(x);
  }
  return curve;
}

Emit plan_curve(Planner& p) {
  const Layout* x = p.activation(0);
  if (x == nullptr) return {};
  const std::vector<float>& numbers = p.node.reals("chords");
  Curve curve;
  curve.start = numbers[0];
  for (std::size_t k = 1; k + 2 < numbers.size(); k += 3) {
    curve.chords.push_back({numbers[k], numbers[k + 1], numbers[k + 2]});
  }
  p.reads(0);
  p.output(*x);
  return [curve, in = p.node.inputs[0], out = p.node.outputs[0]](Emitter& e) {
    const Addresses source = e.temps(in);
    const std::size_t count = source.size();
    const auto all = [&](float value) { return Addresses(count, e.load(e.splat(value)).front()); };
    const Addresses zero = all(0.0F);
    std::vector<Addresses> parts;
    for (const Chord& chord : curve.chords) {
      const Addresses line = e.allocate(count), part = e.allocate(count);
      e.hir().add(hir::Kind::norm, {source, all(chord.slope), all(chord.offset)}, line);
      const Addresses rise = all(chord.rise);
      const bool falls = chord.rise < 0;
      e.hir().add(hir::Kind::clip, {line, falls ? rise : zero, falls ? zero : rise}, part);
      parts.push_back(part);
    }
    parts.push_back(all(curve.start));
    parts.push_back(all(1.0F));
    const Addresses y = e.allocate(count);
    e.hir().add(hir::Kind::average_pool, std::move(parts), y);
    e.result(out, y);
  };
}

/// A node that draws the function by chords; returns its output.
std::string drawn(Planner& p, Expansion& e, const std::string& x, const Curve& curve) {
  std::vector<float> numbers{curve.start};
  for (const Chord& chord : curve.chords) {
    numbers.insert(numbers.end(), {chord.slope, chord.offset, chord.rise});
  }
  p.note(fmt::format(
      "node {} ({}) is computed by {} chords; largest error {:.4f} over the whole range of {}",
      quote(p.node.name), p.node.op_type, curve.chords.size(), curve.error,
      tcu::info(p.architecture().data_type).name));
  return e.node("curve", {x}, {{"chords", numbers}});
}

// ---- operators ----------------------------------------------------------------------------------

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// A factor for the input and a function of it that ends flat: x * f(x), or f(x) alone.
struct Shape {
  Function f;
  double reach = 0;  ///< beyond it the function is as flat as the data type's step
  bool times_x = false;
};

std::optional<Shape> shape_of(const nn::Node& node) {
  const std::string& op = node.op_type;
  if (op == "Sigmoid") return Shape{sigmoid, 8, false};
  if (op == "Tanh") return Shape{[](double x) { return std::tanh(x); }, 5, false};
  if (op == "Erf") return Shape{[](double x) { return std::erf(x); }, 3, false};
  if (op == "Gelu") {
    return Shape{[](double x) { return (1 + std::erf(x / 1.4142135623730951)) / 2; }, 4, true};
  }
  if (op == "Mish") {
    return Shape{[](double x) { return std::tanh(std::log1p(std::exp(std::min(x, 30.0)))); }, 9,
                 true};
  }
  return std::nullopt;
}

bool expand_curve(Planner& p, Expansion& e) {
  const std::optional<Shape> shape = shape_of(p.node);
  if (!shape || p.value(0) == nullptr || !p.value(0)->layout) return false;
  if (!p.before_product()) {
    p.problem("no product follows, so it is computed exactly there");
    return true;
  }
  const Curve curve = draw(shape->f, -shape->reach, shape->reach, p.architecture().data_type);
  const std::string& x = p.node.inputs[0];
  const std::string y = drawn(p, e, x, curve);
  if (shape->times_x) {
    e.last("Mul", {x, y});
  } else {
    e.last("Identity", {y});
  }
  return true;
}

std::string clipped(Planner& p, Expansion& e, const std::string& x, float low, float high) {
  if (p.opset() < 11) return e.node("Clip", {x}, {{"min", low}, {"max", high}});
  return e.node("Clip", {x, e.constant(low), e.constant(high)});
}

bool expand_straight(Planner& p, Expansion& e) {
  const std::string& op = p.node.op_type;
  const std::string& x = p.node.inputs[0];
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

/// Whole powers are products.
bool expand_pow(Planner& p, Expansion& e) {
  const nn::Tensor* exponent = p.constant(1);
  if (exponent == nullptr || exponent->size() != 1) {
    p.problem("the exponent is no constant of one value; supported are 1, 2, 3, 4");
    return true;
  }
  const double power = exponent->type == nn::ElementType::float32
                           ? static_cast<double>(exponent->floats[0])
                           : static_cast<double>(exponent->integers[0]);
  if (power != 1 && power != 2 && power != 3 && power != 4) {
    p.problem("the exponent is {}; supported are 1, 2, 3, 4", power);
    return true;
  }
  const std::string& x = p.node.inputs[0];
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

Operator curve_operator() { return {"curve", 1, Role::simple, plan_curve}; }

Operators function_operators() {
  Operators all;
  for (const char* type : {"Sigmoid", "Tanh", "Erf", "Gelu", "Mish"}) {
    all.push_back({type, 1, Role::simple, nullptr, nullptr, expand_curve});
  }
  for (const char* type : {"Neg", "Abs", "HardSigmoid", "HardSwish"}) {
    all.push_back({type, 1, Role::simple, nullptr, nullptr, expand_straight});
  }
  all.push_back({"Pow", 2, Role::simple, nullptr, nullptr, expand_pow});
  return all;
}

}  // namespace tactus::compiler
