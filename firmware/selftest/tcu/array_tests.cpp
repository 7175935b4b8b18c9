// Tests of the array: with a diagonal matrix, with random matrices and strides, and of its
// rounding.
#include <algorithm>

#include "firmware/selftest/tcu/products.h"
#include "firmware/selftest/tcu/target.h"
#include "isa/tcu/arithmetic.h"

namespace tactus::selftest {
namespace {

/// Number of rows that array.tasm can multiply; it has inputs and results in DRAM0.
std::uint64_t array_rows(const Target& target) {
  const tcu::Architecture& a = target.architecture();
  // Larger arrays get fewer rows, so that the expected results are computed in a short time.
  const std::uint64_t most =
      target.full() ? a.accumulator_depth
                    : std::max<std::uint64_t>(4'000'000 / (target.lanes() * target.lanes()), 16);
  return std::min({a.accumulator_depth, a.local_depth, target.dram_depth(0) / 2, most});
}

void require_array(const Target& target) {
  if (target.dram_depth(1) <= target.lanes()) {
    skip("DRAM1 of {} vectors cannot hold a block of weights of {}", target.dram_depth(1),
         target.lanes() + 1);
  }
  if (target.dram_depth(0) < 2) skip("DRAM0 of one vector cannot hold input and result");
}

/// Makes a block of weights: the bias in every lane, then `factor` times the identity matrix.
Lanes diagonal(std::uint64_t n, std::int64_t factor, std::int64_t bias) {
  Lanes block((n + 1) * n, 0);
  for (std::uint64_t i = 0; i < n; ++i) {
    block[i] = bias;
    block[(i + 1) * n + i] = factor;
  }
  return block;
}

void run_array(Target& target, const Lanes& block, const Lanes& inputs) {
  const std::uint64_t rows = inputs.size() / target.lanes();
  target.write(0, 0, inputs);
  target.write(0, rows, target.random_vectors(rows));
  target.write(1, 0, block);
  target.run("array", {{"ROWS", rows},
                       {"CHUNK", std::min(target.lanes() + 1, target.architecture().local_depth)}});
}

}  // namespace

std::string array_affine(Target& target) {
  require_array(target);
  const Affine affine(target.type());
  const Lanes block = diagonal(target.lanes(), affine.factor, affine.addend);
  const std::uint64_t rows = array_rows(target);
  const Lanes inputs = target.random_vectors(rows);
  run_array(target, block, inputs);
  const bool two_steps = target.rounding() == tcu::MacRounding::legacy;
  const double error = affine.check(inputs, target.read(0, rows, rows), two_steps);
  const Product product{target.type(), target.rounding(), target.lanes()};
  target.expect(0, rows, product.of(block, inputs), "bit for bit");
  return fmt::format("{} vectors, {} x + {} off by {:.3f} at most, allowed {}", rows,
                     affine.real_factor, affine.real_addend, error, Affine::tolerance);
}

std::string array_strides(Target& target) {
  require_array(target);
  const tcu::Architecture& a = target.architecture();
  const std::uint64_t n = target.lanes();
  const std::uint64_t rows = 4;
  if (a.local_depth <= n || a.local_depth < rows || a.accumulator_depth < rows ||
      target.dram_depth(0) < 6 * rows) {
    skip("memories too small: local memory {} (needs {}), accumulators {} ({}), DRAM0 {} ({})",
         a.local_depth, std::max(n + 1, rows), a.accumulator_depth, rows, target.dram_depth(0),
         6 * rows);
  }
  const std::int64_t one = std::int64_t{1} << info(a.data_type).binary_point;
  unsigned ran = 0;
  for (unsigned code0 = 0; code0 < std::min(a.stride0_depth, 63U); ++code0) {
    for (unsigned code1 = 0; code1 < std::min(a.stride1_depth, 63U); ++code1) {
      if (std::max(n, rows - 1) > (a.local_depth - 1) >> code0) continue;
      if (rows - 1 > (a.accumulator_depth - 1) >> code1) continue;
      ++ran;
      // Every other pair of strides has data within -1..1, so that sums rarely saturate.
      const Lanes block =
          ran % 2 == 0 ? target.random_vectors(n + 1) : target.random_vectors(n + 1, -one, one);
      const Lanes inputs = ran % 2 == 0 ? target.random_vectors(2 * rows)
                                        : target.random_vectors(2 * rows, -one, one);
      target.write(1, 0, block);
      target.write(0, 0, inputs);
      target.write(0, 2 * rows, target.random_vectors(4 * rows));
      target.run("array_strides", {{"ROWS", rows},
                                   {"STEP0", std::uint64_t{1} << code0},
                                   {"STEP1", std::uint64_t{1} << code1}});
      const Product product{a.data_type, target.rounding(), n};
      const Lanes products = product.of(block, inputs);
      const auto half = products.begin() + static_cast<std::ptrdiff_t>(rows * n);
      Lanes expected(products.begin(), half);
      product.accumulate(expected, {half, products.end()});
      Lanes bias;
      for (std::uint64_t i = 0; i < rows * n; ++i) bias.push_back(block[i % n]);
      expected.insert(expected.end(), bias.begin(), bias.end());
      Lanes twice = bias;
      product.accumulate(twice, bias);
      expected.insert(expected.end(), twice.begin(), twice.end());
      expected.resize(expected.size() + rows * n, 0);
      target.expect(0, 2 * rows, expected, fmt::format("stride codes {} and {}", code0, code1));
    }
  }
  return fmt::format("{} pairs of stride codes", ran);
}

namespace {

/// A multiply-accumulate x * weight + bias in mantissas, with results computed by hand. h stands
/// for one half, so h * 1 is exactly between two mantissas. A case's comment has the exact sum, its
/// rounding to even, and after a semicolon how the legacy result comes about.
struct RoundingCase {
  std::int64_t x, weight, bias;
  std::int64_t sum, legacy;  ///< results with each MacRounding
};

std::vector<RoundingCase> rounding_cases(const tcu::DataTypeInfo& format) {
  const std::int64_t h = std::int64_t{1} << (format.binary_point - 1);
  const std::int64_t min = format.min();
  const std::int64_t max = format.max();
  return {
      {h, 1, 0, 0, 0},      // 0.5 to 0
      {h, 1, 1, 2, 1},      // 1.5 to 2; legacy rounds the product 0.5 to 0, then adds 1
      {h, 1, -1, 0, -1},    // -0.5 to 0; 0 - 1
      {h, 3, 0, 2, 2},      // 1.5 to 2
      {h, 3, 1, 2, 3},      // 2.5 to 2; 2 + 1
      {h, 3, -1, 0, 1},     // 0.5 to 0; 2 - 1
      {h, -1, 0, 0, 0},     // -0.5 to 0
      {h, -1, 1, 0, 1},     // 0.5 to 0; 0 + 1
      {h, -1, -1, -2, -1},  // -1.5 to -2; 0 - 1
      {h + 1, 1, 0, 1, 1},  // just above 0.5
      {h - 1, 1, 0, 0, 0},  // just below 0.5
      {max, max, 0, max, max},  {max, min, 0, min, min},
      {max, max, min, max, -1},  // the sum saturates; legacy saturates the product, then adds
      {min, max, max, min, -1},
  };
}

}  // namespace

std::string array_rounding(Target& target) {
  require_array(target);
  const tcu::DataTypeInfo& format = info(target.type());
  const bool legacy = target.rounding() == tcu::MacRounding::legacy;
  const std::uint64_t n = target.lanes();
  unsigned ran = 0;
  for (const RoundingCase& c : rounding_cases(format)) {
    run_array(target, diagonal(n, c.weight, c.bias), Lanes(n, c.x));
    target.expect(0, 1, Lanes(n, legacy ? c.legacy : c.sum),
                  fmt::format("{} * {} + {} in mantissas, {}", c.x, c.weight, c.bias,
                              legacy ? "product rounded" : "sum rounded"));
    ++ran;
  }
  return fmt::format("{} cases; rounds the {}", ran,
                     legacy ? "product, as hardware before 2022-03-18" : "exact sum");
}

}  // namespace tactus::selftest
