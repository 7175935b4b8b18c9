// Tests of the SIMD units: multiplication and addition through a register, and every operation.
#include <algorithm>

#include "firmware/selftest/tcu/products.h"
#include "firmware/selftest/tcu/target.h"
#include "isa/tcu/arithmetic.h"
#include "isa/tcu/names.h"

namespace tactus::selftest {

std::string simd_affine(Target& target) {
  const tcu::Architecture& a = target.architecture();
  const std::uint64_t most = target.full() ? a.accumulator_depth : 1024;
  const std::uint64_t size = std::min({a.accumulator_depth / 4, a.local_depth,
                                       target.dram_depth(0) / 2, target.dram_depth(1) / 2, most});
  if (size == 0) skip("accumulators of {} vectors; 4 are needed", a.accumulator_depth);
  const Affine affine(target.type());
  const std::size_t lanes = size * target.lanes();
  const Lanes inputs = target.random_vectors(size);
  Lanes constants(lanes, affine.factor);
  constants.resize(2 * lanes, affine.addend);
  target.write(0, 0, inputs);
  target.write(0, size, target.random_vectors(size));
  target.write(1, 0, constants);
  target.run("simd", {{"SIZE", size}});

  const double error = affine.check(inputs, target.read(0, size, size), true);
  Lanes expected(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::int64_t product =
        tcu::alu(a.data_type, tcu::SimdOp::multiply, inputs[i], affine.factor);
    expected[i] = tcu::alu(a.data_type, tcu::SimdOp::add, affine.addend, product);
  }
  target.expect(0, size, expected, "bit for bit");
  return fmt::format("{} vectors, {} x + {} off by {:.3f} at most, allowed {}", size,
                     affine.real_factor, affine.real_addend, error, Affine::tolerance);
}

namespace {

/// The operations in simd_operations.tasm, in its order: all except NoOp.
constexpr unsigned first_operation = static_cast<unsigned>(tcu::SimdOp::zero);
constexpr unsigned last_operation = static_cast<unsigned>(tcu::SimdOp::max);
constexpr unsigned operations = last_operation - first_operation + 1;

/// Vectors whose lanes are extreme or random values, by chance.
Lanes corners(Target& target, std::uint64_t count) {
  const tcu::DataTypeInfo& format = info(target.type());
  const std::int64_t one = std::int64_t{1} << format.binary_point;
  const Lanes values = {0, 1, -1, one, -one, format.min(), format.max(), format.min() + 1};
  Lanes lanes = target.random_vectors(count);
  for (std::int64_t& lane : lanes) {
    const std::uint64_t choice = target.random().below(values.size() + 4);
    if (choice < values.size()) lane = values[choice];
  }
  return lanes;
}

}  // namespace

std::string simd_operations(Target& target) {
  const tcu::Architecture& a = target.architecture();
  // The accumulators hold A, B, the results of each operation and sums. DRAM0 holds A, results and
  // sums.
  const std::uint64_t pairs =
      std::min({a.accumulator_depth / (operations + 3), a.local_depth / (operations + 1),
                target.dram_depth(0) / (operations + 2), target.dram_depth(1), std::uint64_t{8}});
  if (pairs == 0) {
    skip("memories too small: accumulators {} (needs {}), local memory {} ({}), DRAM0 {} ({})",
         a.accumulator_depth, operations + 3, a.local_depth, operations + 1, target.dram_depth(0),
         operations + 2);
  }
  const Lanes left = corners(target, pairs);
  const Lanes right = corners(target, pairs);
  target.write(0, 0, left);
  target.write(1, 0, right);
  target.write(0, pairs, target.random_vectors((operations + 1) * pairs));
  target.run("simd_operations", {{"PAIRS", pairs}});

  Lanes sums(left.size(), 0);
  for (unsigned number = first_operation; number <= last_operation; ++number) {
    const auto op = static_cast<tcu::SimdOp>(number);
    Lanes results(left.size());
    for (std::size_t i = 0; i < left.size(); ++i) {
      const std::int64_t first = tcu::source_count(op) == 2 ? left[i] : right[i];
      results[i] = tcu::alu(a.data_type, op, first, right[i]);
      sums[i] = tcu::saturating_add(a.data_type, sums[i], results[i]);
    }
    target.expect(0, (number - first_operation + 1) * pairs, results, info(op).name);
  }
  target.expect(0, (operations + 1) * pairs, sums, "sums of the register's values");
  return fmt::format("{} operations on {} pairs of vectors", operations, pairs);
}

}  // namespace tactus::selftest
