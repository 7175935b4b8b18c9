#include "isa/tcu/arithmetic.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace tactus::tcu {
namespace {

__extension__ typedef __int128 Exact;

constexpr DataType all_types[] = {DataType::fp8bp4, DataType::fp16bp8, DataType::fp18bp10,
                                  DataType::fp32bp16};
constexpr MacRounding all_roundings[] = {MacRounding::sum, MacRounding::legacy};

// ---- expected values: exact rationals, rounded by comparing the remainder with one half ---------

std::int64_t one(DataType type) {
  std::int64_t value = 1;
  for (unsigned i = 0; i < info(type).binary_point; ++i) value *= 2;
  return value;
}

std::int64_t limited(DataType type, Exact value) {
  if (value < info(type).min()) return info(type).min();
  if (value > info(type).max()) return info(type).max();
  return static_cast<std::int64_t>(value);
}

/// Returns the integer nearest to numerator/denominator; a tie goes to the even one.
Exact nearest(Exact numerator, Exact denominator) {
  Exact below = numerator / denominator;
  if (below * denominator > numerator) below -= 1;  // the division truncates
  const Exact to_below = numerator - below * denominator;
  const Exact to_above = denominator - to_below;
  if (to_below != to_above) return to_below < to_above ? below : below + 1;
  return below % 2 == 0 ? below : below + 1;
}

std::int64_t oracle(DataType type, MacRounding rounding, std::int64_t x, std::int64_t y,
                    std::int64_t z) {
  const Exact product = Exact{x} * y;
  if (rounding == MacRounding::sum) {
    return limited(type, nearest(product + Exact{z} * one(type), one(type)));
  }
  return limited(type, Exact{limited(type, nearest(product, one(type)))} + z);
}

/// Generates mantissas of a type, with many extremes, ties and small values.
rc::Gen<std::int64_t> mantissas(DataType type) {
  const std::int64_t min = info(type).min(), max = info(type).max();
  const auto tied = rc::gen::map(
      rc::gen::pair(rc::gen::inRange<std::int64_t>(min / 2, max / 2),
                    rc::gen::inRange<unsigned>(0, info(type).binary_point)),
      [=](const std::pair<std::int64_t, unsigned>& p) {
        // The product of two odd multiples of powers of two is often a tie.
        return limited(type, Exact{2 * (p.first >> p.second) + 1} * (std::int64_t{1} << p.second));
      });
  const std::vector<std::int64_t> extremes = {min, min + 1,       -one(type), -1,      0,
                                              1,   one(type) / 2, one(type),  max - 1, max};
  return rc::gen::oneOf(rc::gen::elementOf(extremes), tied,
                        rc::gen::inRange<std::int64_t>(-2 * one(type), 2 * one(type)),
                        rc::gen::inRange<std::int64_t>(min, max + 1));
}

rc::Gen<DataType> types() {
  return rc::gen::element(DataType::fp8bp4, DataType::fp16bp8, DataType::fp18bp10,
                          DataType::fp32bp16);
}

// ---- multiply-accumulate ------------------------------------------------------------------------

TEST(Mac, Fp8Bp4ForAllFactors) {
  constexpr DataType type = DataType::fp8bp4;
  for (const MacRounding rounding : all_roundings) {
    for (const std::int64_t z : {-128, -127, -65, -16, -2, -1, 0, 1, 2, 3, 16, 64, 126, 127}) {
      for (std::int64_t x = -128; x <= 127; ++x) {
        for (std::int64_t y = -128; y <= 127; ++y) {
          ASSERT_EQ(mac(type, rounding, x, y, z), oracle(type, rounding, x, y, z))
              << x << " * " << y << " + " << z << " rounding " << static_cast<int>(rounding);
        }
      }
    }
  }
}

TEST(Mac, TiesOfEveryTypeGoToTheEvenSum) {
  for (const DataType type : all_types) {
    const std::int64_t half = one(type) / 2;
    const std::int64_t limit = std::min<std::int64_t>(info(type).max() / half, 300);
    for (std::int64_t odd = -limit | 1; odd <= limit; odd += 2) {
      for (std::int64_t z = -9; z <= 9; ++z) {
        const std::int64_t result = mac(type, MacRounding::sum, odd * half, 1, z);
        EXPECT_EQ(result % 2, 0);
        EXPECT_EQ(std::abs(2 * result - (odd + 2 * z)), 1);
      }
    }
  }
}

RC_GTEST_PROP(Mac, EqualsTheOracle, ()) {
  const DataType type = *types();
  const auto values = mantissas(type);
  const std::int64_t x = *values, y = *values, z = *values;
  for (const MacRounding rounding : all_roundings) {
    RC_ASSERT(mac(type, rounding, x, y, z) == oracle(type, rounding, x, y, z));
  }
}

TEST(Mac, LegacyRoundsTheProductAlone) {
  // The product is half a unit, a tie. Rounded alone it becomes 0; added to 1 first, it becomes 2.
  EXPECT_EQ(mac(DataType::fp16bp8, MacRounding::sum, 128, 1, 1), 2);
  EXPECT_EQ(mac(DataType::fp16bp8, MacRounding::legacy, 128, 1, 1), 1);
}

TEST(Mac, LegacySaturatesTheProductAlone) {
  EXPECT_EQ(mac(DataType::fp16bp8, MacRounding::sum, 32767, 32767, -32768), 32767);
  EXPECT_EQ(mac(DataType::fp16bp8, MacRounding::legacy, 32767, 32767, -32768), -1);
}

TEST(Mac, LargestProductsOfTheWidestType) {
  const std::int64_t min = info(DataType::fp32bp16).min(), max = info(DataType::fp32bp16).max();
  EXPECT_EQ(mac(DataType::fp32bp16, MacRounding::sum, min, min, max), max);
  EXPECT_EQ(mac(DataType::fp32bp16, MacRounding::sum, min, max, min), min);
}

TEST(SaturatingAdd, ExactUntilItSaturates) {
  for (const DataType type : all_types) {
    const std::int64_t min = info(type).min(), max = info(type).max();
    EXPECT_EQ(saturating_add(type, max, 1), max);
    EXPECT_EQ(saturating_add(type, max - 1, 1), max);
    EXPECT_EQ(saturating_add(type, min, -1), min);
    EXPECT_EQ(saturating_add(type, min, max), -1);
  }
}

// ---- ALU ----------------------------------------------------------------------------------------

RC_GTEST_PROP(Alu, ArithmeticEqualsTheOracle, ()) {
  const DataType type = *types();
  const auto values = mantissas(type);
  const std::int64_t left = *values, right = *values;
  const std::int64_t modulus = info(type).max() - info(type).min() + 1;
  const auto is = [&](SimdOp op, Exact expected) {
    RC_ASSERT(alu(type, op, left, right) == static_cast<std::int64_t>(expected));
  };
  is(SimdOp::no_op, left);
  is(SimdOp::zero, 0);
  is(SimdOp::move, left);
  is(SimdOp::increment, limited(type, Exact{left} + one(type)));
  is(SimdOp::decrement, limited(type, Exact{left} - one(type)));
  is(SimdOp::add, limited(type, Exact{left} + right));
  is(SimdOp::subtract, limited(type, Exact{left} - right));
  is(SimdOp::multiply, oracle(type, MacRounding::sum, left, right, 0));
  is(SimdOp::multiply, oracle(type, MacRounding::legacy, left, right, 0));
  is(SimdOp::abs, left >= 0 ? left : -left > info(type).max() ? -left - modulus : -left);
  is(SimdOp::min, left < right ? left : right);
  is(SimdOp::max, left < right ? right : left);
}

RC_GTEST_PROP(Alu, LogicGivesOneOrZero, ()) {
  const DataType type = *types();
  const auto values = mantissas(type);
  const std::int64_t left = *values, right = *rc::gen::oneOf(values, rc::gen::just(left));
  const auto is = [&](SimdOp op, bool expected) {
    RC_ASSERT(alu(type, op, left, right) == (expected ? one(type) : 0));
  };
  is(SimdOp::not_, left == 0);
  is(SimdOp::and_, left != 0 && right != 0);
  is(SimdOp::or_, left != 0 || right != 0);
  is(SimdOp::greater_than, left > right);
  is(SimdOp::greater_than_equal, left >= right);
}

TEST(Alu, AbsOfTheMinimumIsTheMinimum) {
  for (const DataType type : all_types) {
    EXPECT_EQ(alu(type, SimdOp::abs, info(type).min(), 0), info(type).min());
    EXPECT_EQ(alu(type, SimdOp::abs, info(type).min() + 1, 0), info(type).max());
  }
}

TEST(Alu, TheNumberOneOfFp8Bp4IsEncodedAs16) {
  EXPECT_EQ(alu(DataType::fp8bp4, SimdOp::not_, 0, 0), 16);
  EXPECT_EQ(alu(DataType::fp8bp4, SimdOp::increment, 111, 0), 127);
  EXPECT_EQ(alu(DataType::fp8bp4, SimdOp::increment, 112, 0), 127);
  EXPECT_EQ(alu(DataType::fp8bp4, SimdOp::decrement, -113, 0), -128);
}

// ---- conversions --------------------------------------------------------------------------------

TEST(Quantise, TiesGoUp) {
  for (const DataType type : all_types) {
    const float step = 1.0F / static_cast<float>(one(type));
    EXPECT_EQ(quantise(type, 0.5F * step), 1);
    EXPECT_EQ(quantise(type, -0.5F * step), 0);
    EXPECT_EQ(quantise(type, 1.5F * step), 2);
    EXPECT_EQ(quantise(type, -1.5F * step), -1);
    EXPECT_EQ(quantise(type, std::nextafter(0.5F, 0.0F) * step), 0);
    EXPECT_EQ(quantise(type, std::nextafter(-0.5F, -1.0F) * step), -1);
  }
}

TEST(Quantise, SaturatesAndTakesNanAsZero) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  for (const DataType type : all_types) {
    for (const float large : {40000.0F, 3e38F, infinity}) {
      EXPECT_EQ(quantise(type, large), info(type).max());
      EXPECT_EQ(quantise(type, -large), info(type).min());
    }
    EXPECT_EQ(quantise(type, std::numeric_limits<float>::quiet_NaN()), 0);
  }
}

TEST(Quantise, KnownValues) {
  EXPECT_EQ(quantise(DataType::fp16bp8, 1.0F / 49), 5);
  EXPECT_EQ(quantise(DataType::fp16bp8, -0.9110825F), -233);
  EXPECT_EQ(quantise(DataType::fp8bp4, -8.0F), -128);
  EXPECT_DOUBLE_EQ(to_real(DataType::fp16bp8, -233), -0.91015625);
}

RC_GTEST_PROP(Quantise, InvertsToReal, ()) {
  const DataType type = *types();
  const std::int64_t mantissa = *mantissas(type);
  RC_PRE(std::abs(mantissa) <= 1 << 24);  // a float can represent it
  RC_ASSERT(quantise(type, static_cast<float>(to_real(type, mantissa))) == mantissa);
}

RC_GTEST_PROP(Lane, SetLaneChangesOneLane, ()) {
  const DataType type = *types();
  const std::int64_t value = *mantissas(type);
  const std::size_t at = *rc::gen::inRange<std::size_t>(0, 5);
  std::vector<char> lanes(5 * info(type).storage_bytes);
  set_lane(type, lanes.data(), at, value);
  for (std::size_t i = 0; i < 5; ++i)
    RC_ASSERT(lane(type, lanes.data(), i) == (i == at ? value : 0));
}

}  // namespace
}  // namespace tactus::tcu
