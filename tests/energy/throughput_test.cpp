// Rates and percentiles of many latencies.
#include "firmware/driver/common/throughput.h"

#include <numeric>

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

namespace tactus {
namespace {

TEST(Throughput, OfOneImageIsItsLatency) {
  const Throughput t = throughput({500}, 100, 0);
  EXPECT_EQ(t.images, 1U);
  EXPECT_DOUBLE_EQ(t.seconds, 5e-6);
  EXPECT_DOUBLE_EQ(t.frames_per_second.value(), 2e5);
  for (const std::uint64_t cycles : {t.min, t.median, t.p95, t.max}) EXPECT_EQ(cycles, 500U);
}

TEST(Throughput, RanksAreTheNearest) {
  std::vector<std::uint64_t> latencies(100);
  std::iota(latencies.rbegin(), latencies.rend(), 1);  // 100, 99, ..., 1
  const Throughput t = throughput(latencies, 50, 2);
  EXPECT_EQ(t.min, 1U);
  EXPECT_EQ(t.median, 50U);
  EXPECT_EQ(t.p95, 95U);
  EXPECT_EQ(t.max, 100U);
  // 5050 cycles of 20 ns, plus 2 us of the host for each of 100 images.
  EXPECT_DOUBLE_EQ(t.seconds, 101e-6 + 200e-6);
  EXPECT_DOUBLE_EQ(t.frames_per_second.value(), 100 / 301e-6);
  EXPECT_EQ(throughput({3, 1, 2}, 1, 0).median, 2U);
  EXPECT_EQ(throughput({3, 1, 2}, 1, 0).p95, 3U);
  EXPECT_EQ(throughput({4, 1}, 1, 0).median, 1U);
  EXPECT_DOUBLE_EQ(to_json(t).at("latency_ms").at("median").get<double>(), 1e-3);
}

/// Unit 0 executes runs 0 and 2, unit 1 executes runs 1 and 3. The total time is that of the slower
/// unit.
TEST(Throughput, OfUnitsIsTheTimeOfTheSlowest) {
  const Throughput t = throughput({100, 300, 200, 50}, 100, 1, 1, 2);
  EXPECT_EQ(t.images, 4U);
  EXPECT_DOUBLE_EQ(t.seconds, 3.5e-6 + 2e-6);
  EXPECT_EQ(t.max, 300U);
  EXPECT_DOUBLE_EQ(throughput({100, 300}, 100, 0, 1, 1).seconds, 4e-6);
}

TEST(Throughput, OfABatchCountsItsImages) {
  const Throughput t = throughput({400, 500}, 100, 1, 8);
  EXPECT_EQ(t.images, 16U);
  EXPECT_EQ(t.batch, 8U);
  EXPECT_DOUBLE_EQ(t.seconds, 9e-6 + 2e-6);
  EXPECT_DOUBLE_EQ(t.frames_per_second.value(), 16 / 11e-6);
  EXPECT_DOUBLE_EQ(to_json(t).at("latency_ms").at("max").get<double>(), 5e-3);
  EXPECT_DOUBLE_EQ(to_json(t).at("ms_per_image").at("max").get<double>(), 5e-3 / 8);
  EXPECT_EQ(runs_of(1, 8), 1U);
  EXPECT_EQ(runs_of(8, 8), 1U);
  EXPECT_EQ(runs_of(9, 8), 2U);
}

}  // namespace
}  // namespace tactus
