// Test with XOR, the smallest complete network. Source: toolchain spec section 0.2.
#include <array>
#include <cmath>

#include "firmware/selftest/tcu/products.h"
#include "firmware/selftest/tcu/target.h"
#include "isa/tcu/arithmetic.h"

namespace tactus::selftest {
namespace {

/// Bias and weights of layer 1, then of layer 2, as mantissas of FP16BP8.
constexpr std::array<std::array<std::int64_t, 2>, 6> constants = {
    {{0, -29}, {-210, 233}, {210, -204}, {1, 0}, {309, 0}, {318, 0}}};
constexpr double constants_one = 256;
constexpr std::uint64_t layer_vectors = 3;

/// The constants as vectors in the machine's data type; lanes from the third on are zero.
Lanes constant_vectors(const Target& target) {
  const double one = std::ldexp(1.0, static_cast<int>(info(target.type()).binary_point));
  Lanes lanes;
  for (const auto& vector : constants) {
    for (const std::int64_t value : vector) {
      lanes.push_back(std::llround(static_cast<double>(value) / constants_one * one));
    }
    lanes.resize(lanes.size() + target.lanes() - vector.size(), 0);
  }
  return lanes;
}

/// Makes a complete block of weights: the vectors of one layer, then zeroes.
Lanes block(const Target& target, const Lanes& vectors, unsigned layer) {
  const std::uint64_t n = target.lanes();
  const auto begin = vectors.begin() + static_cast<std::ptrdiff_t>(layer * layer_vectors * n);
  Lanes whole(begin, begin + static_cast<std::ptrdiff_t>(layer_vectors * n));
  whole.resize((n + 1) * n, 0);
  return whole;
}

}  // namespace

std::string xor_network(Target& target) {
  constexpr double tolerance = 0.2;
  const tcu::Architecture& a = target.architecture();
  const std::uint64_t n = target.lanes();
  if (a.local_depth < 5 || a.accumulator_depth < 2 || target.dram_depth(0) < 2 ||
      target.dram_depth(1) < constants.size()) {
    skip(
        "memories too small: local memory {} (needs 5), accumulators {} (2), DRAM0 {} (2), "
        "DRAM1 {} ({})",
        a.local_depth, a.accumulator_depth, target.dram_depth(0), target.dram_depth(1),
        constants.size());
  }
  const Lanes vectors = constant_vectors(target);
  const Product product{a.data_type, target.rounding(), n};
  target.write(1, 0, vectors);
  double worst = 0;
  for (unsigned row = 0; row < 4; ++row) {
    const std::int64_t one = std::int64_t{1} << info(a.data_type).binary_point;
    Lanes x(n, 0);
    x[0] = (row & 1) != 0 ? one : 0;
    x[1] = (row & 2) != 0 ? one : 0;
    target.write(0, 0, x);
    target.write(0, 1, target.random_vectors(1));
    target.run("xor", {});

    Lanes hidden = product.of(block(target, vectors, 0), x);
    for (std::int64_t& lane : hidden) lane = tcu::alu(a.data_type, tcu::SimdOp::max, lane, 0);
    const double found = tcu::to_real(a.data_type, target.read(0, 0, 1).front());
    const double truth = row == 1 || row == 2 ? 1 : 0;
    worst = std::max(worst, std::abs(found - truth));
    if (worst > tolerance) {
      fail("{} xor {} should be {} within {}, found {:.4f}", row & 1, row >> 1, truth, tolerance,
           found);
    }
    target.expect(0, 0, product.of(block(target, vectors, 1), hidden), "output, bit for bit");
    target.expect(0, 1, hidden, "hidden layer, bit for bit");
  }
  return fmt::format("4 rows, off by {:.3f} at most, allowed {}", worst, tolerance);
}

}  // namespace tactus::selftest
