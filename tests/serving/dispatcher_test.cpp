// Queues without machines: who is served when, against recursions written here.
#include <algorithm>

#include <gtest/gtest.h>

#include "firmware/serving/dispatcher.h"
#include "tests/support/random_program.h"
#include "tests/support/test_scale.h"

namespace tactus {
namespace {

struct Done {
  unsigned model, unit;
  Cycle arrival, taken, end;
  bool operator==(const Done& o) const {
    return model == o.model && unit == o.unit && arrival == o.arrival && taken == o.taken &&
           end == o.end;
  }
};

/// Serves with units that take a fixed time for each model.
std::vector<Done> serve_all(Dispatcher& dispatcher, unsigned units,
                            const std::vector<Cycle>& times) {
  std::vector<Done> done;
  std::vector<std::optional<Cycle>> due(units, 0);  // when each unit acts next
  for (;;) {
    std::optional<Cycle> now;
    for (const auto& time : due) {
      if (time && (!now || *time < *now)) now = time;
    }
    if (!now) break;
    std::vector<unsigned> acting;
    for (unsigned u = 0; u < units; ++u) {
      if (due[u] != now) continue;
      acting.push_back(u);
      dispatcher.free(u);
    }
    for (const unsigned u : acting) {
      dispatcher.decide(*now);
      if (const auto request = dispatcher.take(u)) {
        due[u] = *now + times[request->model];
        done.push_back({request->model, u, request->arrival, *now, *due[u]});
      } else {
        due[u] = dispatcher.next(u);
      }
    }
  }
  dispatcher.finish();
  return done;
}

Dispatcher::Queue arriving(std::vector<Cycle> arrivals, std::vector<unsigned> units) {
  Dispatcher::Queue queue;
  queue.arrivals = std::move(arrivals);
  queue.units = std::move(units);
  return queue;
}

/// One model on one unit: a request begins when it has arrived and the one before has ended. It is
/// dropped if it finds as many waiting as may wait.
TEST(Dispatcher, OneQueueFollowsItsRecursion) {
  for (const std::uint64_t seed : test_seeds(61'000'000, 200)) {
    Random random(seed);
    std::vector<Cycle> arrivals;
    Cycle at = 0;
    for (std::uint64_t i = random.range(1, 60); i > 0; --i) {
      arrivals.push_back(at += random.below(20));
    }
    const Cycle time = random.range(1, 20);
    const std::uint64_t most = random.below(4);
    std::vector<Done> expected;
    std::uint64_t dropped = 0;
    for (const Cycle arrival : arrivals) {
      const auto waits = [&](const Done& d) { return d.taken > arrival; };
      const auto waiting = std::count_if(expected.begin(), expected.end(), waits);
      const Cycle taken = expected.empty() ? arrival : std::max(arrival, expected.back().end);
      if (taken > arrival && static_cast<std::uint64_t>(waiting) >= most) {
        ++dropped;
      } else {
        expected.push_back({0, 0, arrival, taken, taken + time});
      }
    }
    Dispatcher dispatcher({{arriving(arrivals, {0})}, 1, ServingOrder::turns, most, {}});
    EXPECT_TRUE(serve_all(dispatcher, 1, {time}) == expected) << "seed " << seed;
    EXPECT_EQ(dispatcher.counts(0).dropped, dropped) << "seed " << seed;
    EXPECT_EQ(dispatcher.counts(0).arrived, arrivals.size());
  }
}

TEST(Dispatcher, ModelsTakeTurnsOrHavePriority) {
  const std::vector<Dispatcher::Queue> queues{arriving({0, 0, 0}, {0}), arriving({0, 0, 0}, {0})};
  const auto order = [&](ServingOrder by) {
    Dispatcher dispatcher({queues, 1, by, {}, {}});
    std::vector<unsigned> models;
    for (const Done& done : serve_all(dispatcher, 1, {10, 10})) models.push_back(done.model);
    return models;
  };
  EXPECT_EQ(order(ServingOrder::turns), (std::vector<unsigned>{0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(order(ServingOrder::priority), (std::vector<unsigned>{0, 0, 0, 1, 1, 1}));
}

TEST(Dispatcher, TheFreeUnitWithTheLowestNumberTakesARequest) {
  Dispatcher dispatcher({{arriving({5, 6, 30, 30}, {0, 1})}, 2, ServingOrder::turns, {}, {}});
  const std::vector<Done> expected{
      {0, 0, 5, 5, 15}, {0, 1, 6, 6, 16}, {0, 0, 30, 30, 40}, {0, 1, 30, 30, 40}};
  EXPECT_TRUE(serve_all(dispatcher, 2, {10}) == expected);
}

TEST(Dispatcher, AModelThatIsAlwaysReadyFillsItsUnit) {
  Dispatcher::Queue ready;
  ready.ready = true;
  ready.count = 3;
  ready.units = {0};
  Dispatcher dispatcher({{ready}, 1, ServingOrder::turns, {}, {}});
  const std::vector<Done> expected{{0, 0, 0, 0, 10}, {0, 0, 10, 10, 20}, {0, 0, 20, 20, 30}};
  EXPECT_TRUE(serve_all(dispatcher, 1, {10}) == expected);
  EXPECT_EQ(dispatcher.counts(0).arrived, 3U);
}

TEST(Dispatcher, NothingBeginsAfterTheEndAndEveryRequestIsCountedOnce) {
  for (const std::uint64_t seed : test_seeds(62'000'000, 200)) {
    Random random(seed);
    const auto units = static_cast<unsigned>(random.range(1, 4));
    const Cycle end = random.range(50, 300);
    Dispatcher::Config config;
    config.units = units;
    config.order = random.chance(50) ? ServingOrder::turns : ServingOrder::priority;
    config.end = end;
    if (random.chance(70)) config.most_waiting = random.below(5);
    std::vector<Cycle> times;
    for (std::uint64_t m = random.range(1, 4); m > 0; --m) {
      std::vector<Cycle> arrivals;
      for (Cycle at = random.below(9); at < end; at += random.below(30)) arrivals.push_back(at);
      std::vector<unsigned> on;
      for (unsigned u = 0; u < units; ++u) {
        if (random.chance(60)) on.push_back(u);
      }
      if (on.empty()) on.push_back(0);
      config.models.push_back(arriving(arrivals, on));
      times.push_back(random.range(1, 60));
    }
    Dispatcher dispatcher(config);
    const std::vector<Done> done = serve_all(dispatcher, units, times);
    for (unsigned m = 0; m < times.size(); ++m) {
      const Dispatcher::Counts& counts = dispatcher.counts(m);
      std::vector<Cycle> taken;
      for (const Done& d : done) {
        if (d.model != m) continue;
        EXPECT_LT(d.taken, end);
        EXPECT_GE(d.taken, d.arrival);
        taken.push_back(d.arrival);
      }
      EXPECT_TRUE(std::is_sorted(taken.begin(), taken.end())) << "first come, first served";
      EXPECT_EQ(counts.arrived, config.models[m].arrivals.size()) << "seed " << seed;
      EXPECT_EQ(counts.arrived, taken.size() + counts.dropped + counts.waiting.size());
      EXPECT_LE(counts.waiting.size(), config.most_waiting.value_or(~0ULL));
    }
  }
}

}  // namespace
}  // namespace tactus
