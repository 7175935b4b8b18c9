// Accounts of states, their observers, and figures derived from the accounts.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "firmware/report/activity.h"
#include "firmware/report/run_figures.h"
#include "models/sim/account.h"
#include "models/sim/array_figures.h"
#include "models/tcu/array_time.h"
#include "models/tcu/machine_info.h"

namespace tactus {
namespace {

constexpr std::array<UnitState, 3> states{{{"a", StateKind::busy, "works"},
                                           {"b", StateKind::stall, "waits"},
                                           {"c", StateKind::idle, "rests"}}};

struct Intervals final : AccountObserver {
  void interval(const Account&, unsigned code, Cycle from, Cycle to) override {
    EXPECT_LT(from, to);
    EXPECT_EQ(from, end);
    end = to;
    cycles[code] += to - from;
  }
  Cycle end = 0;
  std::vector<std::uint64_t> cycles = std::vector<std::uint64_t>(6);
};

TEST(Account, AStateHoldsUntilTheNextOneIsEntered) {
  Clock clock;
  Account account("unit", clock, states, 2);
  clock.now = 5;
  account.enter(0);  // state "a" from cycle 5 on
  clock.now = 6;
  account.enter(0);
  clock.now = 9;
  account.enter(1);
  clock.now = 20;
  account.settle();
  EXPECT_EQ(account.cycles(), (std::vector<std::uint64_t>{4, 11, 5}));
}

TEST(Account, StatesOfContextsAreCountedSeparately) {
  Clock clock;
  Account account("unit", clock, states, 2, 2);
  account.enter(3 + 1);
  clock.now = 7;
  account.enter(1);
  clock.now = 8;
  account.settle();
  EXPECT_EQ(account.cycles(), (std::vector<std::uint64_t>{0, 1, 0, 0, 7, 0}));
}

RC_GTEST_PROP(Account, CoversEveryCycleOnce, (std::vector<std::uint8_t> steps)) {
  Clock clock;
  Account account("unit", clock, states, 2, 2);
  Intervals intervals;
  account.observe(&intervals);
  std::vector<std::uint64_t> expected(6);
  unsigned code = 2;
  for (const std::uint8_t step : steps) {
    if (step % 7 < 6) account.enter(code = step % 7);  // otherwise the unit is idle
    ++expected[code];
    ++clock.now;
    if (step % 11 == 0) account.settle();
  }
  account.settle();
  RC_ASSERT(account.cycles() == expected);
  RC_ASSERT(intervals.cycles == expected);
  RC_ASSERT(intervals.end == clock.now);
}

RC_GTEST_PROP(Activity, KeepsEveryCycleInAFewBuckets, (std::vector<std::uint16_t> lengths)) {
  Activity activity(tcu_machine_info().time);
  Activity::Bucket expected(ArrayTime::states);
  Cycle now = 0;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const unsigned state = i % ArrayTime::states;
    activity.add(state, now, now + lengths[i]);
    expected[state] += lengths[i];
    now += lengths[i];
  }
  Activity::Bucket found(ArrayTime::states);
  for (const Activity::Bucket& bucket : activity.buckets()) {
    std::uint64_t sum = 0;
    for (std::size_t s = 0; s < bucket.size(); ++s) {
      found[s] += bucket[s];
      sum += bucket[s];
    }
    RC_ASSERT(sum <= activity.width());
  }
  RC_ASSERT(found == expected);
  RC_ASSERT(activity.buckets().size() <= Activity::most_buckets);
}

constexpr MachineRates rates_8x8{64, 64, 8, 16};

/// Sets a counter.
void set(Counters& counters, std::string_view name, unsigned index, std::uint64_t value) {
  counters.values[counters.info->counter({name, index})] = value;
}

TEST(Roofline, APointBoundByTheArray) {
  Counters counters(tcu_machine_info());
  counters.time[ArrayTime::compute] = 500;
  counters.time[ArrayTime::drain] = 500;
  set(counters, "array_runs", 0, 500);
  set(counters, "read_beats", 0, 100);
  set(counters, "write_beats", 1, 25);
  const Roofline r = roofline(counters, rates_8x8);
  EXPECT_EQ(r.macs, 500U * 64);
  EXPECT_EQ(r.bytes, 125U * 8);
  EXPECT_DOUBLE_EQ(r.macs_per_cycle, 32);
  EXPECT_DOUBLE_EQ(r.bytes_per_cycle, 1);
  EXPECT_DOUBLE_EQ(r.peak_macs_per_cycle, 64);
  EXPECT_DOUBLE_EQ(r.peak_bytes_per_cycle, 16);
  EXPECT_DOUBLE_EQ(*r.intensity, 32);
  EXPECT_DOUBLE_EQ(r.ridge, 4);
  EXPECT_FALSE(r.memory_bound);
  EXPECT_DOUBLE_EQ(r.share_of_roof, 0.5);
}

/// The roofline has a second point for the network's own multiply-accumulates, without padding.
TEST(Roofline, OfUsefulMultiplyAccumulates) {
  Counters counters(tcu_machine_info());
  counters.time[ArrayTime::compute] = 500;
  counters.time[ArrayTime::drain] = 500;
  set(counters, "array_runs", 0, 500);
  set(counters, "read_beats", 0, 100);
  const Roofline r = roofline(counters, rates_8x8, 4000);
  EXPECT_EQ(r.macs, 4000U);
  EXPECT_DOUBLE_EQ(r.macs_per_cycle, 4);
  EXPECT_DOUBLE_EQ(r.peak_macs_per_cycle, 64);
  EXPECT_DOUBLE_EQ(*r.intensity, 5);
}

TEST(ArrayFigures, AreSharesOfTheCycles) {
  EXPECT_DOUBLE_EQ(*array_figures::busy(250, 1000), 0.25);
  EXPECT_DOUBLE_EQ(*array_figures::useful(1600, 1000, 64), 0.025);
  EXPECT_FALSE(array_figures::busy(0, 0));
  EXPECT_FALSE(array_figures::useful(1600, 0, 64));
  EXPECT_FALSE(array_figures::useful(std::nullopt, 1000, 64));
}

TEST(Roofline, APointBoundByTheMemory) {
  Counters counters(tcu_machine_info());
  counters.time[ArrayTime::compute] = 10;
  counters.time[ArrayTime::dram0_read_data] = 90;
  set(counters, "array_runs", 0, 10);
  set(counters, "read_beats", 0, 80);
  const Roofline r = roofline(counters, rates_8x8);
  EXPECT_DOUBLE_EQ(*r.intensity, 1);
  EXPECT_TRUE(r.memory_bound);
  EXPECT_DOUBLE_EQ(r.attainable, 16);
  EXPECT_DOUBLE_EQ(r.share_of_roof, 6.4 / 16);
}

TEST(Roofline, AProgramWithoutTraffic) {
  Counters counters(tcu_machine_info());
  counters.time[ArrayTime::compute] = 10;
  set(counters, "array_runs", 0, 10);
  const Roofline r = roofline(counters, rates_8x8);
  EXPECT_FALSE(r.intensity);
  EXPECT_FALSE(r.memory_bound);
  EXPECT_DOUBLE_EQ(r.share_of_roof, 1);
}

TEST(LostCyclesOrder, IsLargestFirst) {
  Counters counters(tcu_machine_info());
  counters.time[ArrayTime::compute] = 1000;
  counters.time[ArrayTime::simd] = 5;
  counters.time[ArrayTime::drain] = 7;
  counters.time[ArrayTime::ended] = 5;
  const std::vector<LostCycles> lost = lost_cycles(counters);
  ASSERT_EQ(lost.size(), 3U);
  EXPECT_EQ(lost[0].reason, ArrayTime::drain);
  EXPECT_EQ(lost[1].reason, ArrayTime::simd);
  EXPECT_EQ(lost[2].reason, ArrayTime::ended);
  EXPECT_EQ(lost_total(counters), 17U);
}

}  // namespace
}  // namespace tactus
