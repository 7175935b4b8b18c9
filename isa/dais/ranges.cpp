#include "isa/dais/ranges.h"

#include <algorithm>
#include <array>

#include "isa/support/error.h"

namespace tactus::dais {
namespace {

constexpr MantissaRange full{};

MantissaRange join(const MantissaRange& a, const MantissaRange& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

MantissaRange negated(const MantissaRange& a) {
  if (a.low == full.low) return full;  // the negative of the smallest mantissa wraps
  return {-a.high, -a.low};
}

MantissaRange sum(const MantissaRange& a, const MantissaRange& b) {
  MantissaRange result;
  if (__builtin_add_overflow(a.low, b.low, &result.low)) return full;
  if (__builtin_add_overflow(a.high, b.high, &result.high)) return full;
  return result;
}

MantissaRange product(const MantissaRange& a, const MantissaRange& b) {
  std::array<Mantissa, 4> corners{};
  if (__builtin_mul_overflow(a.low, b.low, &corners[0])) return full;
  if (__builtin_mul_overflow(a.low, b.high, &corners[1])) return full;
  if (__builtin_mul_overflow(a.high, b.low, &corners[2])) return full;
  if (__builtin_mul_overflow(a.high, b.high, &corners[3])) return full;
  const auto [low, high] = std::minmax_element(corners.begin(), corners.end());
  return {*low, *high};
}

MantissaRange shifted_left(const MantissaRange& a, unsigned count) {
  const MantissaRange result{shift_left(a.low, count), shift_left(a.high, count)};
  const bool exact =
      shift_right(result.low, count) == a.low && shift_right(result.high, count) == a.high;
  return exact ? result : full;
}

MantissaRange shifted_right(const MantissaRange& a, unsigned count) {
  return {shift_right(a.low, count), shift_right(a.high, count)};
}

/// A range that contains all results of and, or, xor. Bits above those of both operands are copies
/// of signs.
MantissaRange bitwise(const MantissaRange& a, const MantissaRange& b) {
  const MantissaRange both = join(a, b);
  const std::uint64_t span = bits_of(both.high < 0 ? -(both.high + 1) : both.high) |
                             bits_of(both.low < 0 ? -(both.low + 1) : both.low);
  unsigned bits = 0;
  while (bits < 63 && (span >> bits) != 0) ++bits;
  const Mantissa end = from_bits(low_mask(bits));
  return {both.low < 0 ? -end - 1 : 0, end};
}

class Analysis {
 public:
  explicit Analysis(const Steps& steps) : steps_(steps), ranges_(steps.steps.size()) {}

  std::vector<OpRange> run() {
    for (std::size_t i = 0; i < ranges_.size(); ++i) ranges_[i] = analyse(steps_.steps[i]);
    return std::move(ranges_);
  }

 private:
  [[nodiscard]] MantissaRange operand0(const Step& step) const {
    const MantissaRange& value = ranges_[step.id0].value;
    return step.negate0 ? negated(value) : value;
  }
  [[nodiscard]] MantissaRange operand1(const Step& step) const {
    if (!step.has_id1) return {step.constant, step.constant};
    const MantissaRange& value = ranges_[step.id1].value;
    return step.negate1 ? negated(value) : value;
  }

  /// Range after the cut, if the step has one, given the range `computed` before it.
  static OpRange finish(const Step& step, const MantissaRange& computed) {
    OpRange result;
    const MantissaRange type = range_of_type(step.width, step.is_signed);
    result.fits_type = computed.within(type);
    result.value = step.cuts && !result.fits_type ? type : computed;
    result.inner = result.value;
    return result;
  }

  [[nodiscard]] OpRange analyse(const Step& step) const {
    switch (step.kind) {
      case StepKind::copy:
        return finish(step, full);
      case StepKind::constant:
        return finish(step, {step.constant, step.constant});
      case StepKind::add: {
        const MantissaRange total =
            sum(shifted_left(operand0(step), step.left0), shifted_left(operand1(step), step.left1));
        return with_inner(finish(step, shifted_right(total, step.right)), step.right > 0, total);
      }
      case StepKind::relu: {
        const MantissaRange source = operand0(step);
        const MantissaRange positive{std::max<Mantissa>(source.low, 0),
                                     std::max<Mantissa>(source.high, 0)};
        return with_inner(finish(step, shifted_right(positive, step.right)), true, source);
      }
      case StepKind::quantise: {
        const MantissaRange source = operand0(step);
        return with_inner(finish(step, shifted_right(source, step.right)), step.right > 0, source);
      }
      case StepKind::mux:
        return finish(step, join(shifted_left(operand0(step), step.left0),
                                 shifted_left(operand1(step), step.left1)));
      case StepKind::multiply:
        return finish(step, product(operand0(step), operand1(step)));
      case StepKind::lookup: {
        const std::vector<std::int32_t>& entries = steps_.tables[step.condition].entries;
        const auto [low, high] = std::minmax_element(entries.begin(), entries.end());
        return finish(step, {*low, *high});
      }
      default:
        return analyse_bits(step);
    }
  }

  [[nodiscard]] OpRange analyse_bits(const Step& step) const {
    switch (step.kind) {
      case StepKind::bit_any:
      case StepKind::bit_all:
        return finish(step, {0, 1});
      case StepKind::bit_not: {
        const MantissaRange source = operand0(step);
        const MantissaRange inverted{-1 - source.high, -1 - source.low};
        if (step.is_signed || step.constant == -1) return finish(step, inverted);
        return finish(step, {0, step.constant});
      }
      case StepKind::bit_and:
      case StepKind::bit_or:
      case StepKind::bit_xor:
        return finish(step, bitwise(shifted_left(operand0(step), step.left0),
                                    shifted_left(operand1(step), step.left1)));
      default:
        internal_error("step of kind {}", static_cast<int>(step.kind));
    }
  }

  static OpRange with_inner(OpRange result, bool counts, const MantissaRange& inner) {
    if (counts) result.inner = join(result.inner, inner);
    return result;
  }

  const Steps& steps_;
  std::vector<OpRange> ranges_;
};

}  // namespace

MantissaRange range_of_type(unsigned width, bool is_signed) {
  if (width >= 64) return full;
  if (width == 0) return {0, 0};
  if (is_signed) {
    const Mantissa end = from_bits(low_mask(width - 1));
    return {-end - 1, end};
  }
  return {0, from_bits(low_mask(width))};
}

std::vector<OpRange> value_ranges(const Steps& steps) { return Analysis(steps).run(); }

}  // namespace tactus::dais
