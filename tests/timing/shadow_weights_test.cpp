// Shadow weights: the closed forms of models/tcu/README.md, and the order of updates that they
// need.
#include "tests/support/timing_cases.h"

namespace tactus {
namespace {

using Kind = TcuEvent;

class ShadowWeightsTiming : public ArrayTiming {
 protected:
  static Program shadowed() {
    tcu::Architecture a = timing_architecture(GetParam());
    a.shadow_weights = tcu::ShadowWeights::on;
    return Program(a);
  }
};
INSTANTIATE_TEST_SUITE_P(N, ShadowWeightsTiming, testing::ValuesIn(array_sizes),
                         testing::PrintToStringParamName());

/// {LoadWeights r + 1; MatMul n} = n + r + 1.
TEST_P(ShadowWeightsTiming, APairTakesItsVectors) {
  const std::uint64_t pairs = 2 * n_array + 5;
  for (const std::uint64_t n : counts()) {
    for (const std::uint64_t weights : {std::uint64_t{1}, n_array / 2 + 1, n_array + 1}) {
      SCOPED_TRACE(testing::Message() << n << " vectors, " << weights << " of weights");
      Program p = shadowed();
      for (std::uint64_t i = 0; i < pairs; ++i) p.load_weights(weights).mat_mul(n);
      const Recorder r = run_bare(p);
      Cycles loads, runs;
      for (std::uint64_t i = 0; i < pairs; ++i) {
        const Cycle first = h + 1 + i * (n + weights);
        for (std::uint64_t k = 0; k < weights; ++k) loads.push_back(first + k);
        for (std::uint64_t k = 0; k < n; ++k) runs.push_back(first + weights + k);
      }
      EXPECT_EQ(r.cycles_of(Kind::load), loads);
      EXPECT_EQ(r.cycles_of(Kind::run), runs);
    }
  }
}

/// The same where results are added: the first of them reads its old vector a cycle before.
TEST_P(ShadowWeightsTiming, AnAccumulatingPairTakesItsVectors) {
  const std::uint64_t pairs = 7, weights = n_array + 1;
  for (const std::uint64_t n : counts()) {
    SCOPED_TRACE(n);
    Program p = shadowed();
    for (std::uint64_t i = 0; i < pairs; ++i) {
      p.load_weights(weights).mat_mul_accumulate(n, {0, 0}, {i * n, 0});
    }
    const Recorder r = run_bare(p);
    const Cycles runs = r.cycles_of(Kind::run);
    ASSERT_EQ(runs.size(), pairs * n);
    for (std::uint64_t i = 1; i < pairs; ++i) {
      EXPECT_EQ(runs[i * n] - runs[(i - 1) * n], n + weights) << i;
    }
  }
}

/// Updates of one vector come at the accumulators one weight block apart, where each finds the one
/// before it written: the same closed form, and nothing is lost.
TEST_P(ShadowWeightsTiming, UpdatesOfOneVectorFollowEachOther) {
  if (n_array < 4) return;  // a block of few vectors: see the next test
  const std::uint64_t pairs = 6, weights = n_array + 1;
  Program p = shadowed();
  for (std::uint64_t i = 0; i < pairs; ++i) p.load_weights(weights).mat_mul_accumulate(1);
  const Cycles runs = run_bare(p).cycles_of(Kind::run);
  ASSERT_EQ(runs.size(), pairs);
  for (std::uint64_t i = 1; i < pairs; ++i) EXPECT_EQ(runs[i] - runs[i - 1], 1 + weights) << i;
}

/// Without weights in between: an update is written, the old vector of the next is read, and a
/// cycle later written. So they come at two cycles each, once the array is full of them.
TEST_P(ShadowWeightsTiming, UpdatesOfOneVectorWaitForEachOther) {
  const std::uint64_t updates = 4 * n_array;
  Program p = shadowed();
  for (std::uint64_t i = 0; i < updates; ++i) p.mat_mul_accumulate(1);
  const Recorder r = run_bare(p);
  const Cycles writes = r.cycles_of(Kind::accumulator_write_a);
  ASSERT_EQ(writes.size(), updates);
  for (std::uint64_t i = 1; i < updates; ++i) EXPECT_EQ(writes[i] - writes[i - 1], 2U) << i;
}

/// Without the extension the drain is there: n + 3N.
TEST_P(ShadowWeightsTiming, OffIsTheRtl) {
  const std::uint64_t n = 5;
  Program p = program();
  for (unsigned i = 0; i < 4; ++i) p.load_weights(n_array + 1).mat_mul(n);
  const Cycles runs = run_bare(p).cycles_of(Kind::run);
  for (unsigned i = 1; i < 4; ++i) EXPECT_EQ(runs[i * n] - runs[(i - 1) * n], n + 3 * n_array);
}

}  // namespace
}  // namespace tactus
