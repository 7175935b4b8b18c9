// Shadow weights: the closed forms of models/tcu/README.md, and the order of accumulator updates
// that they need.
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

/// {LoadWeights r + 1; MatMul n} takes n + r + 1 cycles.
TEST_P(ShadowWeightsTiming, WeightsAndProductTakeOneCycleAVector) {
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

/// With accumulation the pair takes the same cycles: the first update reads its old vector one
/// cycle earlier.
TEST_P(ShadowWeightsTiming, WeightsAndAccumulatingProductTakeOneCycleAVector) {
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

/// Updates of one vector reach the accumulators one block of weights apart, and each finds the
/// previous one written: the closed form is the same, and no update is lost.
TEST_P(ShadowWeightsTiming, UpdatesOfOneVectorFollowEachOther) {
  if (n_array < 4) return;  // blocks of few vectors are in the next test
  const std::uint64_t pairs = 6, weights = n_array + 1;
  Program p = shadowed();
  for (std::uint64_t i = 0; i < pairs; ++i) p.load_weights(weights).mat_mul_accumulate(1);
  const Cycles runs = run_bare(p).cycles_of(Kind::run);
  ASSERT_EQ(runs.size(), pairs);
  for (std::uint64_t i = 1; i < pairs; ++i) EXPECT_EQ(runs[i] - runs[i - 1], 1 + weights) << i;
}

/// Without weights in between, an update is written, the next update reads the old vector and is
/// written one cycle later. When the array is full of such updates, each takes two cycles.
TEST_P(ShadowWeightsTiming, UpdatesOfOneVectorWaitForEachOther) {
  const std::uint64_t updates = 4 * n_array;
  Program p = shadowed();
  for (std::uint64_t i = 0; i < updates; ++i) p.mat_mul_accumulate(1);
  const Recorder r = run_bare(p);
  const Cycles writes = r.cycles_of(Kind::accumulator_write_a);
  ASSERT_EQ(writes.size(), updates);
  for (std::uint64_t i = 1; i < updates; ++i) EXPECT_EQ(writes[i] - writes[i - 1], 2U) << i;
}

/// Without the extension the array drains, so a pair takes n + 3N cycles.
TEST_P(ShadowWeightsTiming, WithoutTheExtensionTheArrayDrainsAsInTheRtl) {
  const std::uint64_t n = 5;
  Program p = program();
  for (unsigned i = 0; i < 4; ++i) p.load_weights(n_array + 1).mat_mul(n);
  const Cycles runs = run_bare(p).cycles_of(Kind::run);
  for (unsigned i = 1; i < 4; ++i) EXPECT_EQ(runs[i * n] - runs[(i - 1) * n], n + 3 * n_array);
}

// ---- weights with reads of their own ----------------------------------------------------------

class OwnWeightReadsTiming : public ArrayTiming {
 protected:
  static Program beside() {
    tcu::Architecture a = timing_architecture(GetParam());
    a.shadow_weights = tcu::ShadowWeights::own_reads;
    return Program(a);
  }
};
INSTANTIATE_TEST_SUITE_P(N, OwnWeightReadsTiming, testing::ValuesIn(array_sizes),
                         testing::PrintToStringParamName());

/// A load takes one cycle at the head. Its first vector enters two cycles later, and a product can
/// follow the last one.
TEST_P(OwnWeightReadsTiming, ALoadLeavesTheHeadInOneCycle) {
  for (const std::uint64_t weights : {std::uint64_t{1}, n_array / 2 + 1, n_array + 1}) {
    SCOPED_TRACE(weights);
    const Recorder r = run_bare(beside().load_weights(weights).mat_mul(3));
    EXPECT_EQ(r.retired(0), h);
    EXPECT_EQ(r.cycles_of(Kind::load), steps(h + 2, weights));
    EXPECT_EQ(r.cycles_of(Kind::run), steps(h + 2 + weights, 3));
  }
}

/// Two pairs {LoadWeights k; MatMul n} take 2 max(n + 1, k) cycles, accumulating or not, and up to
/// 2 more if k is n + 1: a LoadWeights comes to the head one cycle after the previous product, so
/// every second one starts too late.
TEST_P(OwnWeightReadsTiming, WeightsAndProductTakeTheLongerOfTheTwo) {
  const std::uint64_t pairs = 12;
  for (const bool accumulate : {false, true}) {
    for (const std::uint64_t n : counts()) {
      for (const std::uint64_t weights : {std::uint64_t{1}, n_array / 2 + 1, n_array + 1}) {
        SCOPED_TRACE(testing::Message() << n << " vectors, " << weights << " of weights");
        Program p = beside();
        for (std::uint64_t i = 0; i < pairs; ++i) {
          p.load_weights(weights);
          if (accumulate) {
            p.mat_mul_accumulate(n, {0, 0}, {i * n, 0});
          } else {
            p.mat_mul(n);
          }
        }
        const Cycles runs = run_bare(p).cycles_of(Kind::run);
        ASSERT_EQ(runs.size(), pairs * n);
        const Cycle two = 2 * std::max(n + 1, weights);
        for (std::uint64_t i = 5; i < pairs; ++i) {
          const Cycle actual = runs[i * n] - runs[(i - 2) * n];
          EXPECT_GE(actual, two) << i;
          EXPECT_LE(actual, two + (weights == n + 1 ? 2 : 0)) << i;
        }
      }
    }
  }
}

/// Weights after a product begin in the cycle in which the product takes over the previous weights.
TEST_P(OwnWeightReadsTiming, WeightsWaitForTheTakeover) {
  const std::uint64_t k = n_array + 1;
  const Recorder r =
      run_bare(beside().load_weights(k).mat_mul(2).load_weights(k).load_weights_zeroes(1));
  const Cycle first_run = h + 2 + k;
  EXPECT_EQ(r.cycles_of(Kind::run), steps(first_run, 2));
  EXPECT_EQ(r.cycles_of(Kind::load), joined({steps(h + 2, k), steps(first_run, k + 1)}));
}

/// A write to a weight vector waits until the vector is read; a read does not wait.
TEST_P(OwnWeightReadsTiming, AWriterWaitsForWeights) {
  const std::uint64_t k = n_array + 1;
  const auto move = Program::Kind::accumulator_to_local;
  const auto second_retires = [&](std::uint64_t address) {
    return run_bare(beside().load_weights(k, {100, 0}).move(move, 1, {address, 0})).retired(1);
  };
  const Cycle free = second_retires(100 + k);
  EXPECT_EQ(second_retires(99), free);
  const Cycle last_load = h + 1 + k;
  EXPECT_EQ(second_retires(100), last_load + 1 + (free - (h + 1)));
  EXPECT_EQ(second_retires(100 + k - 1), second_retires(100));
}

/// Four loads may be queued, including the oldest.
TEST_P(OwnWeightReadsTiming, AFullQueueHoldsTheHead) {
  const std::uint64_t k = n_array + 1;
  Program p = beside();
  for (int i = 0; i < 6; ++i) p.load_weights(k);
  const Recorder r = run_bare(p);
  EXPECT_EQ(r.retired(3), h + 3);
  EXPECT_EQ(r.retired(4), h + 1 + k + 1);
  EXPECT_EQ(r.retired(5), h + 1 + 2 * k + 1);
}

}  // namespace
}  // namespace tactus
