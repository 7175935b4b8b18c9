#include "firmware/compiler/frontend/operators/table_curve.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "isa/tcu/arithmetic.h"
#include "isa/tcu/lookup.h"

namespace tactus::compiler {
namespace {

/// Middle between the smallest and the largest deviation of an end piece. Most samples are near its
/// inner end.
double middle_deviation(double left, double right, const Function& deviation) {
  double least = 0, most = 0;
  const bool falls = std::abs(left) > std::abs(right);
  const double near = falls ? right : left, length = falls ? left - right : right - left;
  for (double part = 1; part > 1e-6; part *= 0.8) {
    const double off = deviation(near + part * length);
    least = std::min(least, off);
    most = std::max(most, off);
  }
  return (least + most) / 2;
}

/// Exponents of the powers of two by which arguments are multiplied; the finest keys, near 0, come
/// last.
using InputScales = std::vector<int>;

class Drawing {
 public:
  Drawing(const Function& f, const tcu::Architecture& architecture,
          const std::optional<Reach>& needed)
      : f_(f), architecture_(architecture), needed_(needed), type_(architecture.data_type) {
    const tcu::DataTypeInfo& type = tcu::info(type_);
    step_ = tcu::to_real(type_, 1);
    least_ = tcu::to_real(type_, type.min());
    most_ = tcu::to_real(type_, type.max());
    key_step_ = std::ldexp(1.0, -static_cast<int>(architecture.lookup_tables.key_binary_point));
    half_depth_ = static_cast<std::int64_t>(architecture.lookup_tables.depth / 2);
    collect_samples();
  }

  TableCurve best() {
    const double allowed = std::max(2 * step_, 1.0 / 4096);
    std::vector<TableCurve> drawn;
    std::size_t best = 0;
    for (const InputScales& scales : candidates()) {
      const bool is_first = drawn.empty();
      if (!is_first && drawn[best].error <= allowed && scales.size() > drawn[best].pieces.size()) {
        break;
      }
      drawn.push_back(draw(scales));
      measure(drawn.back(), is_first ? HUGE_VAL : drawn[best].error);
      if (drawn.back().error < drawn[best].error) best = drawn.size() - 1;
    }
    constexpr double large = 1.0 / 16;
    return drawn[best].error > large ? best_beside_pole(drawn) : drawn[best];
  }

 private:
  void collect_samples();
  [[nodiscard]] std::vector<InputScales> candidates() const;
  [[nodiscard]] TableCurve draw(const InputScales& scales) const;
  [[nodiscard]] TableCurve best_beside_pole(const std::vector<TableCurve>& drawn) const;
  /// The error at a sample, see TableCurve::error; empty: it does not count.
  [[nodiscard]] std::optional<double> error_of(const TableCurve& curve, std::size_t sample) const;
  void measure(TableCurve& curve, double worst) const;
  [[nodiscard]] double cut(double at) const;
  [[nodiscard]] double reach(int finer, int coarser) const;
  [[nodiscard]] double ring(double x, double inner, double outer) const;
  [[nodiscard]] TablePiece draw_piece(int exponent, double inner, double outer) const;

  const Function& f_;
  const tcu::Architecture& architecture_;
  std::optional<Reach> needed_;
  tcu::DataType type_;
  double step_ = 0, least_ = 0, most_ = 0, key_step_ = 0;
  std::int64_t half_depth_ = 0;
  std::vector<std::int64_t> samples_;  ///< mantissas
  std::vector<double> expected_;       ///< the function's values at the samples; NaN: none
  std::vector<double> nearest_;        ///< the same, with the values of other samples for NaN
};

void Drawing::collect_samples() {
  const tcu::DataTypeInfo& type = tcu::info(type_);
  constexpr std::int64_t all = std::int64_t{1} << 18;
  const std::int64_t count = type.max() - type.min() + 1;
  const std::int64_t stride = count <= all ? 1 : count / 65536;
  for (std::int64_t m = type.min(); m <= type.max(); m += stride) samples_.push_back(m);
  if (stride != 1) {
    // Samples around 0 are closer to each other.
    for (const std::int64_t fine : {std::int64_t{1}, stride / 4096, stride / 256}) {
      for (std::int64_t k = -4096; k <= 4096; ++k)
        samples_.push_back(k * std::max<std::int64_t>(fine, 1));
    }
    samples_.push_back(type.max());
    std::sort(samples_.begin(), samples_.end());
    samples_.erase(std::unique(samples_.begin(), samples_.end()), samples_.end());
  }
  for (const std::int64_t m : samples_) {
    const double value = f_(tcu::to_real(type_, m));
    expected_.push_back(std::isnan(value) ? value : std::clamp(value, least_, most_));
  }
  // The next sample with a value counts or, if there is none, the last one before.
  nearest_ = expected_;
  for (std::size_t i = samples_.size() - 1; i-- > 0;) {
    if (std::isnan(nearest_[i])) nearest_[i] = nearest_[i + 1];
  }
  double last = 0;
  for (double& value : nearest_) {
    if (std::isnan(value)) value = last;
    last = value;
  }
}

/// Candidates: a single piece, then two and more, each with keys 16 times as fine as the one
/// before.
std::vector<InputScales> Drawing::candidates() const {
  const int finest = static_cast<int>(tcu::info(type_).binary_point);
  std::vector<InputScales> all{{0}};
  for (const int scale : {-1, 1, -2, 2, -3, 3, -4, 4}) {
    if (std::abs(scale) <= finest) all.push_back({scale});
  }
  constexpr int ratio = 4, most_pieces = 7;
  for (int pieces = 2; pieces <= most_pieces; ++pieces) {
    for (int first = -3 * ratio; first + (pieces - 1) * ratio <= 3 * ratio; first += ratio) {
      if (-first > finest) continue;
      InputScales scales;
      for (int k = 0; k < pieces; ++k) scales.push_back(first + k * ratio);
      all.push_back(std::move(scales));
    }
  }
  return all;
}

/// The function's value; at arguments without a value, that of the nearest argument with one.
double Drawing::cut(double at) const {
  const double value = f_(at);
  if (!std::isnan(value)) return std::clamp(value, least_, most_);
  const auto mantissa = static_cast<std::int64_t>(std::nearbyint(at / step_));
  const auto place = static_cast<std::size_t>(
      std::lower_bound(samples_.begin(), samples_.end(), mantissa) - samples_.begin());
  return nearest_[std::min(place, samples_.size() - 1)];
}

/// Limit of the finer of two pieces: the middle between two keys of the coarser one.
double Drawing::reach(int finer, int coarser) const {
  const double distance = std::ldexp(key_step_, -coarser);
  const double covered = (static_cast<double>(half_depth_) - 0.5) * std::ldexp(key_step_, -finer);
  return (std::floor(covered / distance - 0.5) + 0.5) * distance;
}

/// The target of a piece: the function between +-inner and +-outer, constant elsewhere.
double Drawing::ring(double x, double inner, double outer) const {
  const double value = cut(std::clamp(std::clamp(x, -outer, outer), least_, most_));
  return inner == 0 ? value : value - cut(std::clamp(x, -inner, inner));
}

TablePiece Drawing::draw_piece(int exponent, double inner, double outer) const {
  const auto rounded = [&](double v) {
    return std::clamp(std::round(v / step_) * step_, least_, most_);
  };
  const double scale = std::ldexp(1.0, exponent);
  const double key = key_step_ / scale;  // distance of keys as a difference of arguments
  const std::int64_t entries = 2 * half_depth_;
  TablePiece piece;
  piece.scale = static_cast<float>(scale);
  for (std::int64_t e = 0; e < entries; ++e) {
    const double place = static_cast<double>(e - half_depth_) * key;
    double left = place - key / 2, right = place + key / 2;
    const bool first = e == 0, last = e + 1 == entries;
    if (first) left = std::min(left, least_);
    if (last) right = std::max(right, most_);
    const double at_left = ring(left, inner, outer), at_right = ring(right, inner, outer);
    const double slope = rounded((at_right - at_left) / (right - left) / scale);
    // The chord is shifted to the mean of the curve: errors of one sign would add up from layer to
    // layer.
    const double middle = (at_left + at_right) / 2;
    double height = middle + 2.0 / 3 * (ring(place, inner, outer) - middle);
    // An end piece has the chord of its inner end. If every argument is a key there are no chords.
    if (first) height = at_right - slope * scale * (right - place);
    if (last) height = at_left + slope * scale * (place - left);
    if (first || last) {
      height += middle_deviation(left, right, [&](double x) {
        return ring(x, inner, outer) - height - slope * scale * (x - place);
      });
    }
    if (!first && !last && key <= step_) height = ring(place, inner, outer);
    piece.slopes.push_back(static_cast<float>(slope));
    piece.values.push_back(static_cast<float>(rounded(height)));
  }
  return piece;
}

TableCurve Drawing::draw(const InputScales& scales) const {
  TableCurve curve;
  for (std::size_t k = 0; k < scales.size(); ++k) {
    const bool finest = k + 1 == scales.size();
    const double inner = finest ? 0 : reach(scales[k + 1], scales[k]);
    const double outer = k == 0 ? HUGE_VAL : reach(scales[k], scales[k - 1]);
    curve.pieces.push_back(draw_piece(scales[k], inner, outer));
  }
  return curve;
}

std::optional<double> Drawing::error_of(const TableCurve& curve, std::size_t sample) const {
  if (std::isnan(expected_[sample])) return std::nullopt;
  const double argument = tcu::to_real(type_, samples_[sample]);
  if (needed_ && (argument < needed_->from || argument > needed_->to)) return std::nullopt;
  const double value = tcu::to_real(type_, value_of(curve, architecture_, samples_[sample]));
  return std::abs(value - expected_[sample]) / std::max(1.0, std::abs(expected_[sample]));
}

/// Computes the error; stops when it exceeds `worst`.
void Drawing::measure(TableCurve& curve, double worst) const {
  for (std::size_t k = 0; k < samples_.size(); ++k) {
    const std::optional<double> error = error_of(curve, k);
    if (!error || *error <= curve.error) continue;
    curve.error = *error;
    curve.error_at = tcu::to_real(type_, samples_[k]);
    if (*error > worst) return;
  }
}

/// At a pole away from 0 every curve has a large error, which says nothing about the rest. Returns
/// the curve with the smallest mean error; of two that are nearly as good, the one with fewer
/// pieces.
TableCurve Drawing::best_beside_pole(const std::vector<TableCurve>& drawn) const {
  constexpr double better = 0.8;
  const TableCurve* best = nullptr;
  double best_sum = 0;
  for (const TableCurve& curve : drawn) {
    double sum = 0;
    for (std::size_t k = 0; k < samples_.size(); ++k) sum += error_of(curve, k).value_or(0);
    if (best != nullptr && sum > better * best_sum) continue;
    best = &curve;
    best_sum = sum;
  }
  TableCurve measured = *best;
  measure(measured, HUGE_VAL);
  return measured;
}

}  // namespace

bool has_tables(const tcu::Architecture& architecture) {
  const std::uint32_t count = architecture.lookup_tables.count;
  return count >= 2 && architecture.simd_registers_depth > count;
}

TableCurve draw_by_tables(const Function& f, const tcu::Architecture& architecture,
                          const std::optional<Reach>& needed) {
  return Drawing(f, architecture, needed).best();
}

std::int64_t value_of(const TableCurve& curve, const tcu::Architecture& architecture,
                      std::int64_t argument) {
  const tcu::DataType type = architecture.data_type;
  std::int64_t sum = 0;
  for (const TablePiece& piece : curve.pieces) {
    const std::int64_t x = piece.scale == 1.0F ? argument
                                               : tcu::alu(type, tcu::SimdOp::multiply, argument,
                                                          tcu::quantise(type, piece.scale));
    const tcu::LookupKey key = tcu::lookup_key(type, architecture.lookup_tables, x);
    const std::int64_t rise = tcu::alu(type, tcu::SimdOp::multiply, key.difference,
                                       tcu::quantise(type, piece.slopes[key.entry]));
    const std::int64_t value =
        tcu::saturating_add(type, rise, tcu::quantise(type, piece.values[key.entry]));
    sum = tcu::saturating_add(type, sum, value);
  }
  return sum;
}

}  // namespace tactus::compiler
