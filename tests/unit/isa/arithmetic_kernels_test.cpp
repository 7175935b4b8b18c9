// The vector kernels compared with the scalar definitions. Every buffer has its exact size and only
// the alignment of a lane, so that AddressSanitizer detects accesses beyond it.
#include "isa/tcu/arithmetic_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <ostream>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "isa/tcu/names.h"

namespace tactus::tcu {

// Prints the parameter in logs.
void PrintTo(DataType type, std::ostream* out) { *out << info(type).name; }
void PrintTo(MacRounding rounding, std::ostream* out) {
  *out << (rounding == MacRounding::sum ? "sum" : "legacy");
}
void PrintTo(KernelSet set, std::ostream* out) {
  const char* const names[] = {"reference", "portable", "sse2", "avx2", "avx512"};
  *out << names[static_cast<std::size_t>(set)];
}

namespace {

constexpr std::size_t sizes[] = {1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 31, 32, 33, 64, 100, 256};

class Vector {
 public:
  Vector(DataType type, std::size_t lanes)
      : type_(type), lanes_(lanes), bytes_((lanes + 1) * info(type).storage_bytes) {}
  [[nodiscard]] char* data() { return bytes_.data() + info(type_).storage_bytes; }
  [[nodiscard]] const char* data() const { return bytes_.data() + info(type_).storage_bytes; }
  [[nodiscard]] std::int64_t operator[](std::size_t i) const { return lane(type_, data(), i); }
  void set(std::size_t i, std::int64_t mantissa) { set_lane(type_, data(), i, mantissa); }
  [[nodiscard]] std::size_t size() const { return lanes_; }
  bool operator==(const Vector& other) const { return bytes_ == other.bytes_; }

 private:
  DataType type_;
  std::size_t lanes_;
  std::vector<char> bytes_;
};

void PrintTo(const Vector& vector, std::ostream* out) {
  for (std::size_t i = 0; i < vector.size(); ++i) *out << vector[i] << ' ';
}

class Random {
 public:
  explicit Random(DataType type) : type_(type), engine_(static_cast<unsigned>(type) + 1) {}

  /// Returns a random vector from one of several distributions, since a chain of full-range
  /// products always saturates.
  Vector vector(std::size_t lanes) {
    Vector result(type_, lanes);
    const unsigned kind = below(6);
    for (std::size_t i = 0; i < lanes; ++i) result.set(i, mantissa(kind == 5 ? below(5) : kind));
    return result;
  }

 private:
  unsigned below(unsigned limit) { return static_cast<unsigned>(engine_() % limit); }

  std::int64_t mantissa(unsigned kind) {
    const DataTypeInfo& format = info(type_);
    const std::int64_t one = std::int64_t{1} << format.binary_point;
    const auto full =
        static_cast<std::int64_t>(engine_() % (std::uint64_t{1} << format.width_bits));
    const std::int64_t any = full + format.min();
    switch (kind) {
      case 0:
        return any;
      case 1: {  // extreme values
        const std::int64_t values[] = {format.min(), format.min() + 1, -one,        -1, 0, 1,
                                       one,          format.max() - 1, format.max()};
        return values[below(9)];
      }
      case 2: {  // odd multiples of powers of two, whose products are often ties
        const std::int64_t power = std::int64_t{1} << below(format.binary_point + 1);
        return std::clamp((any / power / 4 * 2 + 1) * power, format.min(), format.max());
      }
      case 3:  // values around one
        return std::clamp(any % (2 * one), format.min(), format.max());
      default:  // any magnitude
        return any / (std::int64_t{1} << below(format.width_bits));
    }
  }

  DataType type_;
  std::mt19937_64 engine_;
};

std::string name_of(DataType type, MacRounding rounding) {
  return std::string(info(type).name) + (rounding == MacRounding::sum ? "Sum" : "Legacy");
}

// ---- the MAC chain, for every variant -----------------------------------------------------------

using ChainCase = std::tuple<DataType, MacRounding, KernelSet>;
class MacChainTest : public testing::TestWithParam<ChainCase> {};

Vector chained_macs(DataType type, MacRounding rounding, const Vector& weights, const Vector& x) {
  const std::size_t n = x.size();
  Vector out(type, n);
  for (std::size_t i = 0; i < n; ++i) {
    std::int64_t y = weights[i];
    for (std::size_t j = 0; j < n; ++j) y = mac(type, rounding, x[j], weights[(j + 1) * n + i], y);
    out.set(i, y);
  }
  return out;
}

TEST_P(MacChainTest, EqualsChainedMacs) {
  const auto [type, rounding, set] = GetParam();
  if (!supported(set)) GTEST_SKIP() << "not for this machine";
  const VectorKernels& kernels = vector_kernels(type, rounding, set);
  Random random(type);
  for (const std::size_t n : sizes) {
    for (std::size_t round = 0; round < (n > 64 ? 8 : 100); ++round) {
      const Vector weights = random.vector((n + 1) * n), x = random.vector(n);
      Vector out(type, n);
      kernels.mac_chain(weights.data(), x.data(), out.data(), n);
      ASSERT_EQ(out, chained_macs(type, rounding, weights, x)) << "n = " << n;
    }
  }
}

/// Each lane has one product, an odd multiple of half a unit, which is added to biases that are
/// even, odd, or almost saturated.
TEST_P(MacChainTest, TiesWithEveryParity) {
  const auto [type, rounding, set] = GetParam();
  if (!supported(set)) GTEST_SKIP() << "not for this machine";
  const VectorKernels& kernels = vector_kernels(type, rounding, set);
  const std::size_t n = 8;
  const std::int64_t half = std::int64_t{1} << (info(type).binary_point - 1);
  Vector weights(type, (n + 1) * n), x(type, n), out(type, n);
  const std::int64_t max = info(type).max(), min = info(type).min();
  const std::int64_t biases[n] = {0, 1, -1, 2, max, max - 1, min, min + 1};
  for (std::size_t i = 0; i < n; ++i) weights.set(i, biases[i]);
  for (std::int64_t odd = -255; odd <= 255; odd += 2) {
    if (odd * half < min || odd * half > max) continue;
    for (const std::int64_t factor : {-3, -1, 1, 3}) {
      for (std::size_t i = 0; i < n; ++i) weights.set(n + i, factor);
      x.set(0, odd * half);
      kernels.mac_chain(weights.data(), x.data(), out.data(), n);
      ASSERT_EQ(out, chained_macs(type, rounding, weights, x)) << odd << "/2 * " << factor;
    }
  }
}

TEST_P(MacChainTest, ProductsOfExtremes) {
  const auto [type, rounding, set] = GetParam();
  if (!supported(set)) GTEST_SKIP() << "not for this machine";
  const VectorKernels& kernels = vector_kernels(type, rounding, set);
  const std::int64_t max = info(type).max(), min = info(type).min();
  const std::int64_t one = std::int64_t{1} << info(type).binary_point;
  const std::int64_t values[] = {min, min + 1, -one - 1, -one,    1 - one, -1, 0,
                                 1,   one - 1, one,      one + 1, max - 1, max};
  const std::size_t n = 13;
  Vector weights(type, (n + 1) * n), x(type, n), out(type, n);
  for (const std::int64_t factor : values) {
    for (const std::int64_t bias : values) {
      for (std::size_t i = 0; i < n; ++i) {
        weights.set(i, bias);
        weights.set(n + i, values[i]);
      }
      x.set(0, factor);
      kernels.mac_chain(weights.data(), x.data(), out.data(), n);
      ASSERT_EQ(out, chained_macs(type, rounding, weights, x)) << factor << " + " << bias;
    }
  }
}

/// Tries every input of the types of up to 16 bits, and the same number of inputs of the others,
/// with the largest products.
TEST_P(MacChainTest, InputsOfEveryMagnitude) {
  const auto [type, rounding, set] = GetParam();
  if (!supported(set)) GTEST_SKIP() << "not for this machine";
  const VectorKernels& kernels = vector_kernels(type, rounding, set);
  const std::int64_t max = info(type).max(), min = info(type).min();
  const std::size_t n = 8;
  const std::int64_t factors[n] = {min, min + 1, -1, 0, 1, max / 2, max - 1, max};
  const std::int64_t biases[n] = {max, 0, min, max, min, -1, min, max};
  Vector weights(type, (n + 1) * n), x(type, n), out(type, n);
  for (std::size_t i = 0; i < n; ++i) {
    weights.set(i, biases[i]);
    weights.set(n + i, factors[i]);
  }
  const std::int64_t step = (max - min) / 65536 + 1;
  for (std::int64_t value = min; value <= max; value += step) {
    x.set(0, value);
    kernels.mac_chain(weights.data(), x.data(), out.data(), n);
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_EQ(out[i], mac(type, rounding, value, factors[i], biases[i])) << value;
    }
  }
}

/// Some inputs are null, and some vectors saturate.
TEST_P(MacChainTest, ChainsEqualChainedMacs) {
  const auto [type, rounding, set] = GetParam();
  if (!supported(set)) GTEST_SKIP() << "not for this machine";
  const VectorKernels& kernels = vector_kernels(type, rounding, set);
  Random random(type);
  for (std::size_t n = 1; n <= 33; ++n) {
    for (std::size_t count = 0; count <= 17; count += count < 9 ? 1 : 8) {
      const Vector weights = random.vector((n + 1) * n), zeroes(type, n);
      std::vector<Vector> x;
      std::vector<const std::uint8_t*> inputs;
      x.reserve(count);
      for (std::size_t i = 0; i < count; ++i) {
        const bool null = (i + n + count) % 7 == 0;
        x.push_back(null ? zeroes : random.vector(n));
        inputs.push_back(null ? nullptr : reinterpret_cast<const std::uint8_t*>(x[i].data()));
      }
      Vector out(type, count * n);
      kernels.mac_chains(weights.data(), inputs.data(), out.data(), n, count);
      for (std::size_t i = 0; i < count; ++i) {
        const Vector expected = chained_macs(type, rounding, weights, x[i]);
        for (std::size_t j = 0; j < n; ++j) {
          ASSERT_EQ(out[i * n + j], expected[j])
              << "n = " << n << ", vector " << i << " of " << count << ", lane " << j;
        }
      }
    }
  }
}

/// In each position, one lane saturates and comes back, or just stays within the range.
TEST_P(MacChainTest, ChainsAtTheEdgeOfTheRange) {
  const auto [type, rounding, set] = GetParam();
  if (!supported(set)) GTEST_SKIP() << "not for this machine";
  const VectorKernels& kernels = vector_kernels(type, rounding, set);
  const std::int64_t one = std::int64_t{1} << info(type).binary_point;
  const std::size_t count = 9;
  for (const std::size_t n : {5, 8, 19, 32}) {
    for (std::size_t position = 0; position < n; ++position) {
      for (const std::int64_t edge : {info(type).min(), info(type).max()}) {
        Vector weights(type, (n + 1) * n), out(type, count * n);
        weights.set(position, edge);
        weights.set(n + position, one);
        weights.set(n * n + position, 2);
        std::vector<Vector> x;
        std::vector<const std::uint8_t*> inputs;
        x.reserve(count);
        for (std::size_t i = 0; i < count; ++i) {
          x.push_back(Vector(type, n));
          x[i].set(0, static_cast<std::int64_t>(i % 5) - 2);
          x[i].set(n - 1, edge < 0 ? one : -one);
          inputs.push_back(reinterpret_cast<const std::uint8_t*>(x[i].data()));
        }
        kernels.mac_chains(weights.data(), inputs.data(), out.data(), n, count);
        for (std::size_t i = 0; i < count; ++i) {
          const Vector expected = chained_macs(type, rounding, weights, x[i]);
          for (std::size_t j = 0; j < n; ++j) ASSERT_EQ(out[i * n + j], expected[j]);
        }
      }
    }
  }
}

std::string chain_name(const testing::TestParamInfo<ChainCase>& test) {
  const auto [type, rounding, set] = test.param;
  const char* const names[] = {"Reference", "Portable", "Sse2", "Avx2", "Avx512"};
  return name_of(type, rounding) + names[static_cast<std::size_t>(set)];
}

INSTANTIATE_TEST_SUITE_P(All, MacChainTest,
                         testing::Combine(testing::Values(DataType::fp8bp4, DataType::fp16bp8,
                                                          DataType::fp18bp10, DataType::fp32bp16),
                                          testing::Values(MacRounding::sum, MacRounding::legacy),
                                          testing::Values(KernelSet::reference, KernelSet::portable,
                                                          KernelSet::sse2, KernelSet::avx2,
                                                          KernelSet::avx512)),
                         chain_name);

// ---- lane-wise kernels --------------------------------------------------------------------------

class LaneKernelsTest : public testing::TestWithParam<DataType> {
 protected:
  using Binary = std::function<void(const void*, const void*, void*, std::size_t)>;
  using Scalar = std::function<std::int64_t(std::int64_t, std::int64_t)>;

  /// The result goes to a third vector, to each operand, or one vector is both operands and the
  /// result.
  void compare(const Binary& kernel, const Scalar& scalar, const std::string& what) {
    for (const std::size_t n : sizes) {
      for (int round = 0; round < 4; ++round) {
        Vector left = random_.vector(n), right = random_.vector(n);
        for (std::size_t i = 0; i < n; i += 3) right.set(i, left[i]);
        Vector expected(GetParam(), n), same(GetParam(), n), out(GetParam(), n);
        for (std::size_t i = 0; i < n; ++i) {
          expected.set(i, scalar(left[i], right[i]));
          same.set(i, scalar(left[i], left[i]));
        }
        kernel(left.data(), right.data(), out.data(), n);
        ASSERT_EQ(out, expected) << what << ", n = " << n;
        Vector left_copy = left;
        kernel(left_copy.data(), right.data(), left_copy.data(), n);
        ASSERT_EQ(left_copy, expected) << what << " into the left operand, n = " << n;
        kernel(left.data(), right.data(), right.data(), n);
        ASSERT_EQ(right, expected) << what << " into the right operand, n = " << n;
        kernel(left.data(), left.data(), left.data(), n);
        ASSERT_EQ(left, same) << what << " of one vector in place, n = " << n;
      }
    }
  }

  const VectorKernels& kernels_ = vector_kernels(GetParam());
  Random random_{GetParam()};
};

TEST_P(LaneKernelsTest, AddEqualsSaturatingAdd) {
  compare(
      kernels_.add, [](std::int64_t a, std::int64_t b) { return saturating_add(GetParam(), a, b); },
      "add");
}

TEST_P(LaneKernelsTest, AluEqualsScalarAlu) {
  for (std::size_t code = 0; code < simd_ops; ++code) {
    const auto op = static_cast<SimdOp>(code);
    const auto kernel = [&](const void* left, const void* right, void* out, std::size_t n) {
      kernels_.alu(op, left, right, out, n);
    };
    const auto scalar = [&](std::int64_t a, std::int64_t b) { return alu(GetParam(), op, a, b); };
    ASSERT_NO_FATAL_FAILURE(compare(kernel, scalar, std::string(info(op).name)));
  }
}

TEST_P(LaneKernelsTest, BytesAreLittleEndianWithoutSignExtension) {
  const DataTypeInfo& format = info(GetParam());
  for (const std::size_t n : sizes) {
    const Vector lanes = random_.vector(n);
    std::vector<std::uint8_t> bytes(n * format.storage_bytes);
    kernels_.to_bytes(lanes.data(), bytes.data(), n);
    for (std::size_t i = 0; i < n; ++i) {
      std::int64_t stored = 0;
      for (unsigned b = format.storage_bytes; b-- > 0;) {
        stored = stored * 256 + bytes[i * format.storage_bytes + b];
      }
      const std::int64_t modulus = format.max() - format.min() + 1;
      ASSERT_EQ(stored, lanes[i] < 0 ? lanes[i] + modulus : lanes[i]);
    }
    Vector back(GetParam(), n);
    kernels_.from_bytes(bytes.data(), back.data(), n);
    ASSERT_EQ(back, lanes);
  }
}

std::string type_name(const testing::TestParamInfo<DataType>& test) {
  return std::string(info(test.param).name);
}

INSTANTIATE_TEST_SUITE_P(All, LaneKernelsTest,
                         testing::Values(DataType::fp8bp4, DataType::fp16bp8, DataType::fp18bp10,
                                         DataType::fp32bp16),
                         type_name);

TEST(LaneKernels, Fp18Bp10IgnoresTheUpperBitsOfItsBytes) {
  const std::uint8_t bytes[] = {0x00, 0x00, 0xFE, 0xFF, 0xFF, 0xFF, 0xFD, 0x5A};
  Vector lanes(DataType::fp18bp10, 2);
  const VectorKernels& kernels = vector_kernels(DataType::fp18bp10);
  kernels.from_bytes(bytes, lanes.data(), 2);
  EXPECT_EQ(lanes[0], -131072);
  EXPECT_EQ(lanes[1], 131071);
  std::uint8_t back[8];
  kernels.to_bytes(lanes.data(), back, 2);
  const std::uint8_t expected[] = {0x00, 0x00, 0x02, 0x00, 0xFF, 0xFF, 0x01, 0x00};
  EXPECT_TRUE(std::equal(back, back + 8, expected));
}

}  // namespace
}  // namespace tactus::tcu
