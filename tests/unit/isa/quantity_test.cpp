// Times in ms: the digits that tell one cycle from the next, and no more.
#include "isa/support/quantity.h"

#include <cstdint>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace tactus {
namespace {

TEST(Quantity, DecimalsOfMillisecondsTellOneCycleFromTheNext) {
  EXPECT_EQ(decimals_of_ms(100), 5);
  EXPECT_EQ(decimals_of_ms(101), 6);
  EXPECT_EQ(decimals_of_ms(0.001), 0);
  EXPECT_EQ(decimals_of_ms(0.0001), 0);
}

TEST(Quantity, MillisecondsHaveNoDigitsOfTheDivision) {
  EXPECT_EQ(fmt::format("{}", cycles_in_ms(24895, 100)), "0.24895");
  EXPECT_EQ(fmt::format("{}", cycles_in_ms(0, 100)), "0");
  EXPECT_EQ(fmt::format("{}", cycles_in_ms(1, 3)), "0.000333333333333333");
}

TEST(Quantity, MillisecondsOfNeighbouringCyclesDiffer) {
  for (const double clock_mhz : {0.01, 33.3, 100.0, 187.5, 1700.0}) {
    for (const std::uint64_t cycles : {0ULL, 999ULL, 123'456'789ULL, 1'000'000'000'000ULL}) {
      EXPECT_LT(cycles_in_ms(cycles, clock_mhz), cycles_in_ms(cycles + 1, clock_mhz))
          << cycles << " at " << clock_mhz << " MHz";
    }
  }
}

}  // namespace
}  // namespace tactus
