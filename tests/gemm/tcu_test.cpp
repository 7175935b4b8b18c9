// Matrix products on a TCU: correct for any shape, with cycles near the bound of the array.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "firmware/gemm/tcu/runner.h"
#include "firmware/gemm/tcu/schedule.h"
#include "isa/support/error.h"

namespace tactus::gemm {
namespace {

Problem shape(std::uint64_t m, std::uint64_t n, std::uint64_t k) {
  Problem problem;
  problem.m = m, problem.n = n, problem.k = k;
  problem.name = problem.shape();
  return problem;
}

Measurement measured(const TcuSimulationConfig& config, const Problem& problem) {
  return make_tcu_runner("tcu", config)->run(problem, {});
}

TEST(TcuGemm, RandomShapesAreRight) {
  ASSERT_TRUE(rc::check([] {
    TcuSimulationConfig config;
    config.architecture.array_size = *rc::gen::element(2U, 4U, 8U);
    // Memories are small, so that rows are computed in chunks and tiles are streamed.
    config.architecture.local_depth = *rc::gen::inRange<std::uint64_t>(40, 400);
    config.architecture.accumulator_depth = *rc::gen::inRange<std::uint64_t>(8, 80);
    config.axi_data_bits = 32;
    const Problem problem =
        shape(*rc::gen::inRange(1, 70), *rc::gen::inRange(1, 40), *rc::gen::inRange(1, 40));
    const Measurement result = measured(config, problem);
    RC_ASSERT(result.wrong.empty());
    RC_ASSERT(result.checked == problem.m * problem.n);
    RC_ASSERT(result.run.cycles >= result.bound.cycles);
  }));
}

TEST(TcuGemm, TheBoundFollowsTheClosedForm) {
  // The bound is blocks * (S + M) + 2 S.
  EXPECT_EQ(weight_stationary_bound(shape(64, 64, 64), 16), 1312U);
  EXPECT_EQ(weight_stationary_bound(shape(197, 768, 768), 16), 490784U);
  EXPECT_EQ(weight_stationary_bound(shape(197, 768, 768), 32), 131968U);
  EXPECT_EQ(weight_stationary_bound(shape(1, 256, 256), 32), 2176U);
}

TEST(TcuGemm, KeepsAInLocalMemoryIfItFits) {
  const tcu::Architecture architecture;
  // The accumulators cannot hold all 128 columns of tiles at once.
  EXPECT_TRUE(choose_schedule(shape(64, 1024, 64), architecture, {}).a_stays);
  // 16384 rows of 8 tiles do not fit 8192 vectors at once.
  EXPECT_GT(choose_schedule(shape(16384, 64, 64), architecture, {}).chunks, 1U);
}

TEST(TcuGemm, TooLargeForTheMemoryIsRefused) {
  tcu::Architecture architecture;
  architecture.dram1_depth = 100;
  try {
    (void)choose_schedule(shape(64, 64, 64), architecture, {});
    FAIL();
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(), "64x64x64: B in DRAM1 needs 576 vectors; allowed 100");
  }
}

}  // namespace
}  // namespace tactus::gemm
