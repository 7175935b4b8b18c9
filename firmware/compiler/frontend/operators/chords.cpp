#include "firmware/compiler/frontend/operators/chords.h"

#include <algorithm>
#include <cmath>

#include "isa/tcu/arithmetic.h"

namespace tactus::compiler {
namespace {

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
    // The longest width is between this one, which is good, and its double.
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

/// The curve's value, computed as by the unit.
double value_of(const ChordCurve& curve, double x, double step) {
  auto sum = static_cast<double>(curve.start);
  for (const Chord& chord : curve.chords) {
    const double at = std::round(x * static_cast<double>(chord.slope) / step) * step +
                      static_cast<double>(chord.offset);
    sum += chord.rise < 0 ? std::clamp(at, static_cast<double>(chord.rise), 0.0)
                          : std::clamp(at, 0.0, static_cast<double>(chord.rise));
  }
  return sum;
}

}  // namespace

/// Draws a function. Slopes are rounded first, offsets are computed from rounded slopes, and rises
/// connect rounded values, so that errors do not add up along the chords.
ChordCurve draw_by_chords(const Function& f, double from, double to, tcu::DataType type,
                          std::optional<double> bound) {
  const double step = tcu::to_real(type, 1);
  const auto rounded = [&](double v) { return std::round(v / step) * step; };
  const double allowed = std::max(step, 1.0 / 256);
  from = std::max(from, tcu::to_real(type, tcu::info(type).min()));
  to = std::min(to, tcu::to_real(type, tcu::info(type).max()));
  const std::vector<double> points = break_points(f, rounded(from), rounded(to), allowed, step);
  ChordCurve curve;
  curve.start = static_cast<float>(rounded(f(points.front())));
  for (std::size_t k = 0; k + 1 < points.size(); ++k) {
    const double rise = rounded(f(points[k + 1])) - rounded(f(points[k]));
    // A slope slightly too steep reaches the rise; a flatter one would not.
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
    if (bound && std::abs(x) > *bound) return;
    curve.error = std::max(curve.error, std::abs(value_of(curve, x, step) - f(x)));
  };
  for (std::int64_t m = least; m <= most; m += stride) look(tcu::to_real(type, m));
  for (double x = -32; x <= 32; x += 1.0 / 256) {
    if (x >= tcu::to_real(type, least) && x <= tcu::to_real(type, most)) look(x);
  }
  return curve;
}

}  // namespace tactus::compiler
