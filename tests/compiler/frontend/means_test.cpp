// Means in stages: whatever the values are, the machine's arithmetic stays within the stated
// steps, and no sum saturates.
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "firmware/compiler/frontend/operators/means.h"
#include "isa/tcu/arithmetic.h"

namespace tactus::compiler {
namespace {

using Mantissas = std::vector<std::int64_t>;

/// The mean by the plan, as the array computes it.
std::int64_t computed_mean(tcu::DataType type, const MeanPlan& plan, Mantissas values) {
  const auto multiplied = [&](std::int64_t x, float by, std::int64_t sum) {
    return tcu::mac(type, tcu::MacRounding::sum, x, tcu::quantise(type, by), sum);
  };
  for (const MeanStage& stage : plan.stages) {
    Mantissas sums(static_cast<std::size_t>(stage.results), 0);
    EXPECT_LE(values.size(), static_cast<std::size_t>(stage.terms * stage.results));
    for (std::size_t i = 0; i < values.size(); ++i) {
      sums[i % sums.size()] = multiplied(values[i], stage.weight, sums[i % sums.size()]);
    }
    values = std::move(sums);
  }
  EXPECT_EQ(values.size(), 1U);
  for (const float factor : plan.factors) values[0] = multiplied(values[0], factor, 0);
  return values[0];
}

double exact_mean(const Mantissas& values) {
  double sum = 0;
  for (const std::int64_t value : values) sum += static_cast<double>(value);
  return sum / static_cast<double>(values.size());
}

/// Largest error in steps over equal values, positive ones and those of both signs up to `most`.
double largest_error(tcu::DataType type, const MeanPlan& plan, std::int64_t count,
                     std::int64_t most) {
  std::mt19937_64 random(static_cast<std::uint64_t>(count));
  double largest = 0;
  const auto check = [&](const Mantissas& values) {
    const auto mean = static_cast<double>(computed_mean(type, plan, values));
    largest = std::max(largest, std::abs(mean - exact_mean(values)));
  };
  Mantissas values(static_cast<std::size_t>(count));
  for (int trial = 0; trial < (count > 4096 ? 1 : 4); ++trial) {
    for (const std::int64_t low : {std::int64_t{0}, -most}) {
      std::uniform_int_distribution<std::int64_t> draw(low, most);
      for (std::int64_t& value : values) value = draw(random);
      check(values);
      check(Mantissas(values.size(), values.front()));
    }
    check(Mantissas(values.size(), most - trial));
  }
  return largest;
}

constexpr std::int64_t counts[] = {2,   3,    4,    5,    6,    7,     8,     9,    10,
                                   12,  15,   16,   25,   31,   36,    49,    64,   81,
                                   100, 121,  144,  196,  255,  256,   400,   768,  784,
                                   900, 1000, 1024, 3136, 4096, 12544, 50176, 65536};

TEST(Means, AreNearForAnyValuesAndWithinTwoStepsWithABound) {
  for (const tcu::DataType type :
       {tcu::DataType::fp16bp8, tcu::DataType::fp18bp10, tcu::DataType::fp32bp16}) {
    const double step = tcu::to_real(type, 1);
    for (const std::int64_t count : counts) {
      for (const std::int64_t granule : {1, 32}) {
        if (count > 1024 && (granule == 1 || type != tcu::DataType::fp16bp8)) continue;
        const MeanPlan any = plan_mean(type, count, std::nullopt, 4094, granule);
        for (const double size : {1.0, 8.0, 32.0, 1e9}) {
          const auto most = static_cast<std::int64_t>(
              std::min(size / step, static_cast<double>(tcu::info(type).max())));
          // No way in stages that is known has less than 5 steps for 900 values.
          EXPECT_LE(largest_error(type, any, count, most), count == 900 ? 5.01 : 4.01)
              << tcu::info(type).name << ", " << count << " values up to " << size;
        }
        const MeanPlan bounded = plan_mean(type, count, 8, 4094, granule);
        EXPECT_LE(largest_error(type, bounded, count, static_cast<std::int64_t>(8 / step)), 2.01)
            << tcu::info(type).name << ", " << count << " values, bound 8";
      }
    }
  }
}

TEST(Means, OfAPowerOfTwoOfBoundedValuesAreOneSumAndOneFactor) {
  const MeanPlan plan = plan_mean(tcu::DataType::fp16bp8, 64, 1, 4094);
  ASSERT_EQ(plan.stages.size(), 1U);
  EXPECT_EQ(plan.stages[0].weight, 1);
  EXPECT_EQ(plan.factors, std::vector<float>{1.0F / 64});
}

TEST(Means, FactorsAreProductsOfNumbersThatTheTypeHas) {
  const tcu::DataType type = tcu::DataType::fp16bp8;
  for (const double factor : {1.0 / 49, 1.0 / 9, 64.0 / 49, 8.0 / 49, 1024.0 / 1000, 2.25}) {
    const Constants found = constants_for(type, factor, 127);
    double product = 1;
    for (const float number : found.numbers) {
      EXPECT_EQ(tcu::to_real(type, tcu::quantise(type, number)), static_cast<double>(number));
      product *= static_cast<double>(number);
    }
    EXPECT_NEAR(product / factor, 1, 1e-4) << factor;
  }
}

}  // namespace
}  // namespace tactus::compiler
