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

/// An update of the vector that was updated last waits until that one is written, 2N - 1 cycles
/// after its input entered; in the cycle behind the old vector is read, and a cycle later added to.
TEST_P(ShadowWeightsTiming, UpdatesOfOneVectorWaitForEachOther) {
  const std::uint64_t pairs = 6;
  for (const std::uint64_t weights : {std::uint64_t{1}, n_array + 1, 3 * n_array}) {
    SCOPED_TRACE(weights);
    Program p = shadowed();
    for (std::uint64_t i = 0; i < pairs; ++i) p.load_weights(weights).mat_mul_accumulate(1);
    const Cycles runs = run_bare(p).cycles_of(Kind::run);
    ASSERT_EQ(runs.size(), pairs);
    for (std::uint64_t i = 1; i < pairs; ++i) {
      EXPECT_EQ(runs[i] - runs[i - 1], std::max<Cycle>(1 + weights, 2 * n_array + 1)) << i;
    }
  }
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
