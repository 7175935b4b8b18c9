// Results of DPAS: golden vectors, every variant compared with the reference loop, formats.
#include <cmath>
#include <cstring>
#include <random>

#include <gtest/gtest.h>

#include "isa/dpas/dpas_kernels.h"
#include "isa/dpas/exact_sum.h"
#include "isa/dpas/formats.h"
#include "tests/dpas/golden.h"

namespace tactus::dpas {
namespace {

constexpr KernelSet all_sets[] = {KernelSet::reference, KernelSet::portable, KernelSet::avx2,
                                  KernelSet::avx512};

TEST(DpasGolden, PrimaryExpectationsBitForBit) {
  unsigned count = 0;
  for (const Vector& v : golden_vectors()) {
    for (const KernelSet set : all_sets) {
      if (!supported(set)) continue;
      const auto got = compute(v, v.config, select_dpas(v.config, set));
      EXPECT_EQ(difference(v.config, got, v.expectation(v.primary).bytes), "")
          << v.file << " " << v.text << " " << v.pattern;
    }
    ++count;
  }
  EXPECT_GE(count, 80U);
}

TEST(DpasGolden, OrderIndependentVectorsInEveryMode) {
  unsigned count = 0;
  for (const Vector& v : golden_vectors()) {
    if (!v.order_independent) continue;
    ++count;
    for (const FloatMode mode : {FloatMode::seq, FloatMode::dot, FloatMode::exact}) {
      DpasConfig config = v.config;
      config.numerics.float_mode = mode;
      EXPECT_EQ(difference(config, compute(v, config, dpas), v.expectation(v.primary).bytes), "")
          << v.file << " " << v.text;
    }
  }
  EXPECT_GE(count, 60U);
}

/// The golden data have results of an independent model for all three floating-point modes.
TEST(DpasGolden, EveryModeEqualsTheIndependentModel) {
  unsigned count = 0;
  for (const Vector& v : golden_vectors()) {
    for (const Expectation& expected : v.expectations) {
      DpasConfig config = v.config;
      if (expected.name == "model_seq") config.numerics.float_mode = FloatMode::seq;
      if (expected.name == "model_dot") config.numerics.float_mode = FloatMode::dot;
      if (expected.name == "model_exact") config.numerics.float_mode = FloatMode::exact;
      if (expected.name == "cm_emu") continue;
      EXPECT_EQ(difference(config, compute(v, config, dpas), expected.bytes), "")
          << v.file << " " << v.text << " " << expected.name << " " << v.pattern;
      ++count;
    }
  }
  EXPECT_GE(count, 100U);
}

// ---- variants against the reference loop --------------------------------------------------------

struct Case {
  DpasConfig config;
  std::vector<std::uint8_t> src0, src1, src2;
};

std::vector<std::pair<Precision, Precision>> precision_pairs() {
  std::vector<std::pair<Precision, Precision>> pairs;
  for (unsigned w = 0; w < precision_codes; ++w) {
    for (unsigned a = 0; a < precision_codes; ++a) {
      const auto x = static_cast<Precision>(w), y = static_cast<Precision>(a);
      if (ops_per_channel(x, y) != 0) pairs.emplace_back(x, y);
    }
  }
  return pairs;
}

/// Elements have any bits. In every fourth case floats have ordinary sizes, so that not all sums
/// are NaN. Every eighth case has few different bytes, so that exact zeros and ties occur.
Case random_case(std::mt19937_64& random, Precision w, Precision a) {
  Case c;
  c.config.w = w;
  c.config.a = a;
  c.config.execution_size = random() % 2 != 0 ? 16 : 8;
  c.config.repeat_count = static_cast<std::uint8_t>(1 + random() % 8);
  c.config.src0_null = random() % 5 == 0;
  const PrecisionClass kind = info(w).kind;
  std::vector<Type> types = {Type::f};
  if (kind == PrecisionClass::integer) types = {Type::d, Type::ud};
  if (kind == PrecisionClass::bf || kind == PrecisionClass::fp8) types.push_back(Type::bf);
  if (kind == PrecisionClass::hf) types.push_back(Type::hf);
  c.config.dst_type = types[random() % types.size()];
  c.config.src0_type = types[random() % types.size()];
  c.config.numerics.tf32_truncate = random() % 4 != 0;
  const DpasShape shape = shape_of(c.config);
  const unsigned style = static_cast<unsigned>(random() % 8);
  const auto fill = [&](std::vector<std::uint8_t>& bytes, unsigned size, unsigned width) {
    bytes.resize(size);
    for (unsigned i = 0; i < size; ++i) {
      bytes[i] = static_cast<std::uint8_t>(random());
      if (style == 7) bytes[i] = static_cast<std::uint8_t>((random() % 4) * 0x40);
      if (style % 4 != 0 && width > 1 && i % width == width - 1) {
        bytes[i] = static_cast<std::uint8_t>((bytes[i] & 0x83U) | 0x3CU);
      }
    }
  };
  fill(c.src0, shape.src0_bytes, info(c.config.src0_type).bytes);
  fill(c.src1, shape.src1_bytes, info(w).bits / 8);
  fill(c.src2, shape.src2_bytes, info(a).bits / 8);
  return c;
}

TEST(DpasKernels, EqualTheReferenceBitForBit) {
  std::mt19937_64 random(20260821);
  const auto pairs = precision_pairs();
  unsigned count = 0;
  for (unsigned round = 0; round < 300; ++round) {
    for (const auto& [w, a] : pairs) {
      const Case c = random_case(random, w, a);
      std::vector<std::uint8_t> expected(shape_of(c.config).dst_bytes), got(expected.size());
      dpas_reference(c.config, expected.data(), c.src0.data(), c.src1.data(), c.src2.data());
      for (const KernelSet set : {KernelSet::portable, KernelSet::avx2, KernelSet::avx512}) {
        if (!supported(set)) continue;
        select_dpas(c.config, set)(c.config, got.data(), c.src0.data(), c.src1.data(),
                                   c.src2.data());
        ASSERT_EQ(to_hex(got), to_hex(expected))
            << info(w).name << " " << info(a).name << " set " << static_cast<int>(set) << " RC "
            << int{c.config.repeat_count} << " ES " << int{c.config.execution_size};
        ++count;
      }
    }
  }
  EXPECT_GE(count, 300U * 40U);
}

TEST(DpasKernels, ReadAllSourcesBeforeTheyWrite) {
  std::mt19937_64 random(7);
  for (unsigned round = 0; round < 400; ++round) {
    const auto pairs = precision_pairs();
    const auto& [w, a] = pairs[random() % pairs.size()];
    Case c = random_case(random, w, a);
    const DpasShape shape = shape_of(c.config);
    // The operands are at random places in one array of bytes.
    std::vector<std::uint8_t> file(2048);
    for (std::uint8_t& byte : file) byte = static_cast<std::uint8_t>(random() & 0xBFU);
    const auto place = [&](unsigned bytes) { return random() % (file.size() - bytes) / 4 * 4; };
    const std::size_t dst = place(shape.dst_bytes), src0 = place(shape.src0_bytes),
                      src1 = place(shape.src1_bytes), src2 = place(shape.src2_bytes);
    const std::vector<std::uint8_t> before = file;
    std::vector<std::uint8_t> expected(shape.dst_bytes);
    dpas_reference(c.config, expected.data(), &before[src0], &before[src1], &before[src2]);
    for (const KernelSet set : all_sets) {
      if (!supported(set)) continue;
      file = before;
      select_dpas(c.config, set)(c.config, &file[dst], &file[src0], &file[src1], &file[src2]);
      EXPECT_EQ(std::memcmp(&file[dst], expected.data(), expected.size()), 0);
      std::copy(before.begin() + static_cast<std::ptrdiff_t>(dst),
                before.begin() + static_cast<std::ptrdiff_t>(dst + shape.dst_bytes),
                file.begin() + static_cast<std::ptrdiff_t>(dst));
      EXPECT_EQ(file, before) << "bytes beside dst were written";
    }
  }
}

// ---- formats ------------------------------------------------------------------------------------

TEST(DpasFormats, HalfPrecisionIsThatOfTheCompiler) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    _Float16 expected;
    std::memcpy(&expected, &half, sizeof half);
    const float value = hf_to_float(half);
    if (std::isnan(static_cast<float>(expected))) {
      EXPECT_TRUE(std::isnan(value));
      EXPECT_EQ(float_to_hf(value), 0x7E00);
      continue;
    }
    ASSERT_EQ(value, static_cast<float>(expected)) << bits;
    ASSERT_EQ(std::signbit(value), (half >> 15) != 0);
    ASSERT_EQ(float_to_hf(value), half);
  }
}

TEST(DpasFormats, RoundsFloatsToHalvesToNearestEven) {
  std::mt19937 random(3);
  for (unsigned i = 0; i < 2000000; ++i) {
    std::uint32_t bits = static_cast<std::uint32_t>(random());
    if (i % 2 == 0) bits = (bits & 0x80001FFFU) | (0x33000000U + (bits % 0x16000000U & ~0x1FFFU));
    if (i % 3 == 0) bits &= ~0xFFFU;  // ties
    const float value = formats::float_of(bits);
    if (std::isnan(value)) continue;
    const auto expected = static_cast<_Float16>(value);
    std::uint16_t expected_bits;
    std::memcpy(&expected_bits, &expected, sizeof expected_bits);
    ASSERT_EQ(float_to_hf(value), expected_bits) << std::hexfloat << value;
  }
}

TEST(DpasFormats, SmallFloats) {
  EXPECT_EQ(to_float(Precision::e2m1, 0x1), 0.5F);
  const float magnitudes[] = {0, 0.5F, 1, 1.5F, 2, 3, 4, 6};
  for (std::uint32_t i = 0; i < 16; ++i) {
    EXPECT_EQ(to_float(Precision::e2m1, i), (i < 8 ? 1.0F : -1.0F) * magnitudes[i % 8]);
  }
  for (std::uint32_t i = 0; i < 256; ++i) {
    const int exponent = static_cast<int>(i >> 3 & 15), fraction = static_cast<int>(i & 7);
    const float sign = i < 128 ? 1.0F : -1.0F;
    const float value = to_float(Precision::hf8, i);
    if (exponent == 15 && fraction == 7) {
      EXPECT_TRUE(std::isnan(value));
    } else if (exponent == 0) {
      EXPECT_EQ(value, sign * std::ldexp(static_cast<float>(fraction), -9));
    } else {
      EXPECT_EQ(value, sign * std::ldexp(static_cast<float>(8 + fraction), exponent - 10));
    }
  }
  EXPECT_TRUE(std::isinf(to_float(Precision::bf8, 0x7C)));
  EXPECT_EQ(to_float(Precision::bf8, 0x01), 0x1p-16F);
  EXPECT_EQ(to_float(Precision::bf, 0x3F80), 1.0F);
  EXPECT_EQ(float_to_bf(formats::float_of(0x3F808000U)), 0x3F80);  // a tie goes to even
  EXPECT_EQ(float_to_bf(formats::float_of(0x3F818000U)), 0x3F82);
  EXPECT_EQ(float_to_bf(formats::float_of(0x7F7FFFFFU)), 0x7F80);
  EXPECT_EQ(float_to_bf(formats::float_of(0x7F800001U)), 0x7FC0);
}

TEST(DpasFormats, ExactSumsRoundOnce) {
  // A double holds sums of a few products of small floats exactly.
  std::mt19937 random(11);
  for (unsigned round = 0; round < 20000; ++round) {
    ExactSum sum;
    double exact = 0;
    for (unsigned i = 0; i < 6; ++i) {
      const float a = std::ldexp(static_cast<float>(static_cast<int>(random() % 4096) - 2048),
                                 static_cast<int>(random() % 12));
      const float b = std::ldexp(static_cast<float>(static_cast<int>(random() % 4096) - 2048),
                                 -static_cast<int>(random() % 12));
      sum.add_product(a, b);
      exact += double{a} * double{b};
    }
    ASSERT_EQ(sum.rounded(false), static_cast<float>(exact));
  }
}

TEST(DpasFormats, ExactSumsOfExtremes) {
  const auto sum_of = [](std::initializer_list<std::pair<float, float>> products) {
    ExactSum sum;
    for (const auto& [a, b] : products) sum.add_product(a, b);
    return sum.rounded(false);
  };
  const float huge = formats::float_of(0x7F7FFFFFU), tiny = formats::float_of(1U);
  EXPECT_EQ(sum_of({{huge, huge}, {-huge, huge}, {tiny, 1}}), tiny);
  EXPECT_TRUE(std::isinf(sum_of({{huge, 2}})));
  EXPECT_EQ(sum_of({{tiny, 0.5F}}), 0.0F);  // a tie with zero goes to even
  EXPECT_EQ(sum_of({{tiny, 0.5F}, {tiny, tiny}}), tiny);
  EXPECT_EQ(sum_of({{tiny, 1.5F}}), 2 * tiny);
  EXPECT_TRUE(std::signbit(sum_of({{-0.0F, 1}, {0.0F, -1}})));
  EXPECT_FALSE(std::signbit(sum_of({{-1.0F, 1}, {1.0F, 1}})));
  EXPECT_TRUE(std::isnan(sum_of({{INFINITY, 0}})));
  EXPECT_TRUE(std::isnan(sum_of({{INFINITY, 1}, {-INFINITY, 1}})));
  EXPECT_TRUE(std::isinf(sum_of({{INFINITY, 1}, {-huge, huge}})));
}

// ---- options ------------------------------------------------------------------------------------

float one_element(DpasConfig config, float a, float b, float c) {
  std::vector<std::uint8_t> src0(64), src1(512), src2(32), dst(64);
  config.repeat_count = 1;
  std::memcpy(src0.data(), &c, 4);
  const std::uint32_t a_bits = formats::bits_of(a), b_bits = formats::bits_of(b);
  if (config.w == Precision::tf32) {
    std::memcpy(src1.data(), &b_bits, 4);
    std::memcpy(src2.data(), &a_bits, 4);
  } else {
    const auto x = static_cast<std::uint16_t>(a_bits >> 16),
               y = static_cast<std::uint16_t>(b_bits >> 16);
    std::memcpy(src1.data(), &y, 2);
    std::memcpy(src2.data(), &x, 2);
  }
  dpas(config, dst.data(), src0.data(), src1.data(), src2.data());
  float result;
  std::memcpy(&result, dst.data(), 4);
  return result;
}

TEST(DpasOptions, FlushingOfDenormals) {
  DpasConfig config;
  config.w = config.a = Precision::bf;
  config.dst_type = config.src0_type = Type::f;
  // a denormal in both formats, bf and float
  const float denormal = formats::float_of(0x00400000U);
  EXPECT_EQ(one_element(config, denormal, 1, 0), denormal);
  EXPECT_EQ(one_element(config, 0, 0, denormal), denormal);
  config.numerics.ftz_in = true;
  EXPECT_EQ(one_element(config, denormal, 1, 0), 0.0F);
  EXPECT_EQ(one_element(config, 0, 0, denormal), 0.0F);
  EXPECT_EQ(one_element(config, 0x1p-100F, 0x1p-30F, 0), 0x1p-130F);
  config.numerics.ftz_out = true;
  for (const FloatMode mode : {FloatMode::seq, FloatMode::dot, FloatMode::exact}) {
    config.numerics.float_mode = mode;
    EXPECT_EQ(one_element(config, 0x1p-100F, 0x1p-30F, 0), 0.0F);
  }
}

TEST(DpasOptions, Tf32IgnoresTheLowerBits) {
  DpasConfig config;
  config.w = config.a = Precision::tf32;
  config.dst_type = config.src0_type = Type::f;
  const float value = 1.0F + 0x1p-20F;
  EXPECT_EQ(one_element(config, value, 1, 0), 1.0F);
  config.numerics.tf32_truncate = false;
  EXPECT_EQ(one_element(config, value, 1, 0), value);
}

TEST(DpasOptions, ModesRoundWhereTheySay) {
  // 2^24 + 1 + 1: rounding after each addition loses both ones; a single rounding does not.
  DpasConfig config;
  config.w = config.a = Precision::bf;
  config.dst_type = config.src0_type = Type::f;
  config.repeat_count = 1;
  std::vector<std::uint8_t> src0(64), src1(512), src2(32), dst(64);
  const float start = 0x1p24F;
  std::memcpy(src0.data(), &start, 4);
  const auto set = [&](unsigned k) {
    const std::uint16_t one = 0x3F80;
    std::memcpy(&src1[(k / 2 * 16) * 4 + k % 2 * 2], &one, 2);
    std::memcpy(&src2[k * 2], &one, 2);
  };
  const auto result = [&](FloatMode mode) {
    config.numerics.float_mode = mode;
    dpas(config, dst.data(), src0.data(), src1.data(), src2.data());
    float value;
    std::memcpy(&value, dst.data(), 4);
    return value - start;
  };
  set(0);
  set(1);
  EXPECT_EQ(result(FloatMode::seq), 0);
  EXPECT_EQ(result(FloatMode::dot), 2);
  EXPECT_EQ(result(FloatMode::exact), 2);
  src1.assign(512, 0);
  src2.assign(32, 0);
  set(0);
  set(2);
  EXPECT_EQ(result(FloatMode::dot), 0);
  EXPECT_EQ(result(FloatMode::exact), 2);
}

/// Systolic depths below 8 exist in the generic profile only. Rows of src2 are still 8 * OPS
/// elements apart.
TEST(DpasOptions, SmallerSystolicDepths) {
  DpasConfig config;
  config.systolic_depth = 2;
  config.repeat_count = 2;
  config.execution_size = 8;
  config.src0_null = true;
  std::vector<std::uint8_t> src1(shape_of(config).src1_bytes, 1), src2(64), dst(64);
  EXPECT_EQ(src1.size(), 64U);
  EXPECT_EQ(shape_of(config).src2_bytes, 32U + 8U);
  for (unsigned k = 0; k < 8; ++k) src2[k] = 1, src2[32 + k] = 2;
  dpas(config, dst.data(), nullptr, src1.data(), src2.data());
  EXPECT_EQ(dst[0], 8);
  EXPECT_EQ(dst[32], 16);
}

}  // namespace
}  // namespace tactus::dpas
