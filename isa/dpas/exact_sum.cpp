#include "isa/dpas/exact_sum.h"

#include <cmath>

#include "isa/dpas/formats.h"

namespace tactus::dpas {
namespace {

struct Parts {
  std::uint64_t significand;
  int exponent;  ///< exponent of the significand's last bit
  bool negative;
};

Parts split(float value) {
  const std::uint32_t bits = formats::bits_of(value);
  const std::uint32_t field = (bits >> 23) & 0xFFU;
  const std::uint32_t fraction = bits & 0x7FFFFFU;
  if (field == 0) return {fraction, -149, (bits >> 31) != 0};
  return {fraction | 0x800000U, static_cast<int>(field) - 150, (bits >> 31) != 0};
}

}  // namespace

void ExactSum::add_product(float a, float b) {
  if (std::isnan(a) || std::isnan(b)) {
    nan_ = true;
    return;
  }
  const bool negative = std::signbit(a) != std::signbit(b);
  any_term_ = true;
  if (std::isinf(a) || std::isinf(b)) {
    if (a == 0 || b == 0) {
      nan_ = true;
    } else {
      (negative ? minus_infinity_ : plus_infinity_) = true;
    }
    return;
  }
  const Parts x = split(a);
  const Parts y = split(b);
  const std::uint64_t product = x.significand * y.significand;
  if (product != 0 || !negative) any_plus_ = true;
  if (product != 0) accumulate(product, x.exponent + y.exponent, negative);
}

void ExactSum::accumulate(std::uint64_t significand, int exponent, bool negative) {
  const auto position = static_cast<unsigned>(exponent - lowest);
  const unsigned limb = position / 64;
  const unsigned shift = position % 64;
  const std::uint64_t low = significand << shift;
  const std::uint64_t high = shift == 0 ? 0 : significand >> (64 - shift);
  std::uint64_t carry = 0;
  for (unsigned i = limb; i < limbs; ++i) {
    const std::uint64_t part = i == limb ? low : i == limb + 1 ? high : 0;
    if (part == 0 && carry == 0 && i > limb + 1) break;
    const std::uint64_t before = sum_[i];
    if (negative) {
      const std::uint64_t once = before - part;
      sum_[i] = once - carry;
      carry = (before < part ? 1U : 0U) + (once < carry ? 1U : 0U);
    } else {
      const std::uint64_t once = before + part;
      sum_[i] = once + carry;
      carry = (once < before ? 1U : 0U) + (sum_[i] < once ? 1U : 0U);
    }
  }
}

float ExactSum::rounded(bool flush) const {
  if (nan_ || (plus_infinity_ && minus_infinity_)) {
    return formats::float_of(formats::canonical_nan);
  }
  if (plus_infinity_ || minus_infinity_) {
    return formats::float_of(plus_infinity_ ? 0x7F800000U : 0xFF800000U);
  }
  std::array<std::uint64_t, limbs> magnitude = sum_;
  const bool negative = (sum_[limbs - 1] >> 63) != 0;
  if (negative) {
    std::uint64_t carry = 1;
    for (std::uint64_t& limb : magnitude) {
      limb = ~limb + carry;
      carry = carry != 0 && limb == 0 ? 1 : 0;
    }
  }
  int top = static_cast<int>(limbs) - 1;
  while (top >= 0 && magnitude[static_cast<unsigned>(top)] == 0) --top;
  if (top < 0) return any_term_ && !any_plus_ ? -0.0F : 0.0F;
  const auto bit = [&](int index) {
    return index >= 0 &&
           ((magnitude[static_cast<unsigned>(index) / 64] >> (static_cast<unsigned>(index) % 64)) &
            1U) != 0;
  };
  int first = top * 64 + 63;
  while (!bit(first)) --first;
  // Keeps 24 bits, fewer if the result is denormal.
  int last = first - 23;
  if (last + lowest < -149) last = -149 - lowest;
  std::uint64_t kept = 0;
  for (int i = first; i >= last; --i) kept = kept * 2 + (bit(i) ? 1U : 0U);
  bool below = false;
  for (int i = last - 2; i >= 0 && !below; --i) below = bit(i);
  if (bit(last - 1) && (below || (kept & 1U) != 0)) ++kept;
  float value = std::ldexp(static_cast<float>(kept), last + lowest);
  if (flush && value < 0x1p-126F) value = 0;
  return negative ? -value : value;
}

}  // namespace tactus::dpas
