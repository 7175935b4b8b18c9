// Best points and Pareto fronts compared with their definitions.
#include "firmware/sweep/findings.h"

#include <random>

#include <gtest/gtest.h>

#include "isa/support/error.h"

namespace tactus::sweep {
namespace {

TEST(SweepFindings, AFrontHasThePointsThatNoOtherDominates) {
  std::mt19937 engine(7);
  for (int round = 0; round < 200; ++round) {
    const std::size_t values = 2 + engine() % 2;
    std::vector<std::vector<double>> points(engine() % 40);
    for (std::vector<double>& p : points) {
      for (std::size_t v = 0; v < values; ++v) p.push_back(static_cast<double>(engine() % 12));
    }
    std::vector<bool> on(points.size());
    const std::vector<std::size_t> front = pareto_front(points);
    for (std::size_t i = 0; i < front.size(); ++i) {
      on[front[i]] = true;
      if (i > 0) {
        EXPECT_LT(points[front[i - 1]], points[front[i]]);
      }
    }
    for (std::size_t i = 0; i < points.size(); ++i) {
      bool beaten = false;
      for (std::size_t k = 0; k < points.size(); ++k) {
        bool no_worse = true;
        for (std::size_t v = 0; v < values; ++v) no_worse &= points[k][v] <= points[i][v];
        beaten = beaten || (no_worse && (points[k] != points[i] || k < i));
      }
      EXPECT_NE(on[i], beaten) << i;
    }
  }
}

Measured point(double latency, double bits, double multipliers) {
  Measured m;
  m.latency_ms = latency;
  m.frames_per_second = 1000 / latency;
  m.memory_bits = bits;
  m.multipliers = multipliers;
  return m;
}

TEST(SweepFindings, BestPointsFollowTheirDefinitions) {
  const std::vector<Measured> all{point(10, 100, 72),   point(11, 80, 90),  point(10.5, 90, 20),
                                  point(11.1, 1000, 2), point(10, 100, 72), point(40, 5, 1)};
  std::vector<const Measured*> pointers;
  for (const Measured& m : all) pointers.push_back(&m);
  const Best best = best_of(pointers);
  EXPECT_EQ(best.fastest, 0U);
  EXPECT_EQ(best.smallest, 1U);     // 11 is 10 % more than the fastest, which is allowed
  EXPECT_EQ(best.multipliers, 2U);  // 11.1 is too much
  EXPECT_EQ(best.efficient, 5U);
}

Results results_of(const std::vector<std::string>& lines) {
  Results results;
  for (const std::string& line : lines) results.lines.push_back(Line::parse(line));
  return results;
}

TEST(SweepFindings, AKeyWithDifferentValuesVaries) {
  const Results results =
      results_of({R"({"status": "ok", "configuration": {"a": {"x": 1, "y": 2}, "b": {"x": "s"}}})",
                  R"({"status": "ok", "configuration": {"a": {"x": 1, "y": 3}, "b": {"x": "s"}}})",
                  R"({"status": "ok", "configuration": {"a": {"x": 1, "y": 2}, "b": {}}})"});
  EXPECT_EQ(varied_keys(results.lines), (std::vector<std::string>{"a.y", "b.x"}));
}

TEST(SweepFindings, KeysThatFollowFromAnotherAreImplied) {
  const Results results = results_of(
      {R"({"configuration": {"board": {"name": "a", "mhz": 100, "latency": 1, "x": 1}}})",
       R"({"configuration": {"board": {"name": "a", "mhz": 100, "latency": 2, "x": 1}}})",
       R"({"configuration": {"board": {"name": "b", "mhz": 300, "latency": 1, "x": 1}}})",
       R"({"configuration": {"board": {"name": "b", "mhz": 300, "latency": 2, "x": 1}}})"});
  EXPECT_EQ(implied_by(results.lines, "board.name"), std::vector<std::string>{"board.mhz"});
  EXPECT_EQ(implied_by(results.lines, "board.x"), std::vector<std::string>{});
}

TEST(SweepFindings, LinesWithoutFiguresAreRefused) {
  const Results results = results_of({R"({"status": "ok", "point": 1, "configuration": {}})"});
  EXPECT_THROW((void)measured(results), UserError);
}

}  // namespace
}  // namespace tactus::sweep
