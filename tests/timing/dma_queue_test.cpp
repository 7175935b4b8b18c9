// The queue for transfers: what overlaps, what waits for what, and the closed forms of
// models/tcu/README.md.
#include "tests/support/timing_cases.h"

namespace tactus {
namespace {

using Kind = TcuEvent;

class DmaQueueTiming : public ArrayTiming {
 protected:
  static Program queued(std::uint32_t entries = 4) {
    tcu::Architecture a = timing_architecture(GetParam());
    a.dma_queue = entries;
    return Program(a);
  }
};
INSTANTIATE_TEST_SUITE_P(N, DmaQueueTiming, testing::ValuesIn(array_sizes),
                         testing::PrintToStringParamName());

/// A move takes one cycle at the head, then the cycles that it would take there without a queue.
TEST_P(DmaQueueTiming, ATransferLeavesTheHeadInOneCycle) {
  for (const std::uint64_t n : counts()) {
    for (const Cycle latency : {1U, 5U}) {
      SCOPED_TRACE(testing::Message() << n << " vectors, latency " << latency);
      const Recorder r = run_bare(queued().read_dram(0, n).no_op(), latency);
      EXPECT_EQ(r.retired(0), h);
      EXPECT_EQ(r.head(1), h + 1);
      EXPECT_EQ(r.cycles_of(Kind::local_write_b), steps(h + 1 + latency, n));
    }
  }
}

TEST_P(DmaQueueTiming, AMatMulOfOtherVectorsDoesNotWait) {
  const std::uint64_t n = 3 * n_array + 5;
  const Recorder r = run_bare(queued().read_dram(0, n, {1000, 0}).mat_mul(n), 20);
  EXPECT_EQ(r.cycles_of(Kind::local_read_a), steps(h + 1, n));
  EXPECT_EQ(r.cycles_of(Kind::local_write_b), steps(h + 1 + 20, n));
}

/// A read of local memory starts in the cycle after the vector is written, not earlier and not
/// later.
TEST_P(DmaQueueTiming, AReaderWaitsForItsVectors) {
  const std::uint64_t n = 6;
  const Cycle latency = 7;
  const Cycle last_write = h + 1 + latency + n - 1;
  const auto first_read = [&](std::uint64_t address, unsigned stride) {
    return run_bare(queued().read_dram(0, n, {100, 0}).mat_mul(3, {address, stride}), latency)
        .cycles_of(Kind::local_read_a)
        .front();
  };
  EXPECT_EQ(first_read(105, 0), last_write + 1);
  EXPECT_EQ(first_read(98, 0), last_write + 1);  // 98..100
  EXPECT_EQ(first_read(97, 0), h + 1);           // 97..99
  EXPECT_EQ(first_read(106, 0), h + 1);
  EXPECT_EQ(first_read(97, 4), last_write + 1);    // 97, 113, 129: the whole range counts
  EXPECT_EQ(first_read(4095, 0), last_write + 1);  // a range that wraps counts as all of the memory
}

/// A write to local memory waits for moves in both directions; a read waits for moves that write.
TEST_P(DmaQueueTiming, AWriterWaitsForReaders) {
  const std::uint64_t n = 6;
  const auto move = Program::Kind::accumulator_to_local;
  const Recorder overwritten =
      run_bare(queued().write_dram(0, n, {100, 0}).move(move, 1, {100, 0}));
  const Cycle last_read = h + 1 + n - 1;
  EXPECT_EQ(overwritten.cycles_of(Kind::local_read_b), steps(h + 1, n));
  EXPECT_EQ(overwritten.cycles_of(Kind::local_write_a), (Cycles{last_read + 1 + 2}));
  const Recorder read = run_bare(queued().write_dram(0, n, {100, 0}).mat_mul(2, {100, 0}));
  EXPECT_EQ(read.cycles_of(Kind::local_read_a), steps(h + 1, 2));
}

TEST_P(DmaQueueTiming, TransfersKeepTheirOrder) {
  const std::uint64_t n = 5;
  const Cycle latency = 3;
  const Recorder r = run_bare(
      queued().read_dram(0, n, {100, 0}).write_dram(1, n, {100, 0}).read_dram(0, n, {100, 0}),
      latency);
  const Cycle first = h + 1 + latency;
  EXPECT_EQ(r.cycles_of(Kind::retired), steps(h, 3));
  EXPECT_EQ(r.cycles_of(Kind::local_read_b), steps(first + n, n));
  EXPECT_EQ(r.cycles_of(Kind::local_write_b),
            joined({steps(first, n), steps(first + 2 * n + latency, n)}));
}

/// An entry is free in the cycle after its move has ended.
TEST_P(DmaQueueTiming, AFullQueueHoldsTheHead) {
  const std::uint64_t n = 5;
  const Cycle latency = 4;
  for (const std::uint32_t entries : {1U, 2U, 3U}) {
    SCOPED_TRACE(entries);
    Program p = queued(entries);
    for (std::uint64_t i = 0; i < entries + 1; ++i) p.read_dram(0, n, {i * n, 0});
    const Recorder r = run_bare(p, latency);
    const Cycle first_done = h + latency + n;
    EXPECT_EQ(r.retired(entries - 1), h + entries - 1);
    EXPECT_EQ(r.retired(entries), first_done + 1);
  }
}

TEST_P(DmaQueueTiming, AConfigureOfAnOffsetWaitsForQueuedTransfers) {
  const std::uint64_t n = 5;
  const Cycle latency = 4, done = h + latency + n;
  const auto second = [&](tcu::ConfigRegister reg) {
    return run_bare(queued().read_dram(0, n).configure(reg, 1), latency).retired(1);
  };
  EXPECT_EQ(second(tcu::ConfigRegister::dram0_offset), done + 1);
  EXPECT_EQ(second(tcu::ConfigRegister::dram1_cache), done + 1);
  EXPECT_EQ(second(tcu::ConfigRegister::timeout), h + 1);
}

class DmaQueueAxi : public testing::TestWithParam<AxiCase> {};
INSTANTIATE_TEST_SUITE_P(N, DmaQueueAxi, testing::ValuesIn(axi_cases),
                         testing::PrintToStringParamName());

/// The pair {DRAM read k; MatMul n} takes max(n + 1, c0 + m k) cycles, c0 = 5 + L, or 4 + L if m =
/// 1.
TEST_P(DmaQueueAxi, AReadAndAProductTakeTheLongerOfTheTwo) {
  const AxiCase c = GetParam();
  const Cycle latency = 20;
  const std::uint64_t m = c.beats(), pairs = 6;
  const Cycle c0 = (m == 1 ? 4 : 5) + latency;
  for (const std::uint64_t k : {std::uint64_t{1}, std::uint64_t{9}}) {
    for (const std::uint64_t n : {std::uint64_t{3}, std::uint64_t{40}, std::uint64_t{300}}) {
      SCOPED_TRACE(testing::Message() << k << " vectors read, " << n << " multiplied");
      tcu::Architecture a = timing_architecture(c.n_array);
      a.dma_queue = 2;
      Program p(a);
      for (std::uint64_t i = 0; i < pairs; ++i) {
        p.read_dram(0, k, {2000 + k * i, 0}).mat_mul(n, {0, 0}, {0, 0});
      }
      const Recorder r = run_axi(p, c.data_bits, {latency, 5});
      const Cycles writes = r.cycles_of(Kind::local_write_b);
      ASSERT_EQ(writes.size(), pairs * k);
      EXPECT_EQ(writes[5 * k] - writes[4 * k], std::max<Cycle>(n + 1, c0 + m * k));
    }
  }
}

/// With shadow weights {DRAM read k; LoadWeights N + 1; MatMul n} takes max(n + N + 2, c0 + m k)
/// cycles.
TEST_P(DmaQueueAxi, WeightsAreReadWhileTheArrayWorks) {
  const AxiCase c = GetParam();
  const Cycle latency = 20;
  const std::uint64_t m = c.beats(), pairs = 6, weights = c.n_array + 1, n = 2 * c.n_array;
  const Cycle c0 = (m == 1 ? 4 : 5) + latency;
  tcu::Architecture a = timing_architecture(c.n_array);
  a.dma_queue = 2;
  a.shadow_weights = tcu::ShadowWeights::on;
  Program p(a);
  for (std::uint64_t i = 0; i < pairs; ++i) {
    p.read_dram(1, weights, {2000 + weights * i, 0}).load_weights(weights).mat_mul(n);
  }
  const Cycles writes = run_axi(p, c.data_bits, {latency, 5}).cycles_of(Kind::local_write_b);
  ASSERT_EQ(writes.size(), pairs * weights);
  EXPECT_EQ(writes[5 * weights] - writes[4 * weights],
            std::max<Cycle>(n + weights + 1, c0 + m * weights));
}

}  // namespace
}  // namespace tactus
