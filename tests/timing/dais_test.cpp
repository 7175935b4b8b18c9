// DAIS blocks in the machine: single instructions, streams, wide samples, and how they take turns
// with other users of local memory and accumulators. The formulas are those of isa/README.md: the
// formulas of MatMul with the block's latency L in place of the array's 2N - 1 cycles.
#include <algorithm>
#include <array>

#include "tests/support/dais_blocks.h"
#include "tests/support/timing_cases.h"

namespace tactus {
namespace {

using Kind = TcuEvent;
using Move = Program::Kind;

constexpr std::array<std::size_t, 4> block_latencies = {1, 2, 3, 6};

class DaisTiming : public ArrayTiming {
 protected:
  /// Returns an empty program for a machine with one block of k_in and k_out vectors per sample.
  static Program with_block(std::size_t latency, std::size_t k_in = 1, std::size_t k_out = 1) {
    const std::size_t n = GetParam();
    tcu::Architecture architecture = timing_architecture(GetParam());
    // With several vectors per sample, the last vector is not full.
    architecture.dais_blocks = {relay_block("block", k_in * n - (k_in > 1 ? 1 : 0),
                                            k_out * n - (k_out > 1 ? 1 : 0), latency)};
    return Program(architecture);
  }
};
INSTANTIATE_TEST_SUITE_P(N, DaisTiming, testing::ValuesIn(array_sizes),
                         testing::PrintToStringParamName());

TEST_P(DaisTiming, SingleInstruction) {
  for (const std::size_t latency : block_latencies) {
    for (const std::uint64_t n : counts()) {
      SCOPED_TRACE(testing::Message() << n << " samples, latency " << latency);
      const Recorder r = run_bare(with_block(latency).dais(n).no_op());
      const Cycle first_sample = h + 1;  // read in h, data one cycle later
      EXPECT_EQ(r.cycles_of(Kind::local_read_a), steps(h, n));
      EXPECT_EQ(r.cycles_of(Kind::dais), steps(first_sample, n));
      EXPECT_EQ(r.cycles_of(Kind::accumulator_write_a), steps(first_sample + latency, n));
      EXPECT_EQ(r.retired(0), h + n - 1);
      EXPECT_EQ(r.head(1), h + n);
    }
  }
}

/// An accumulating Dais takes no longer than a plain one. An accumulating MatMul does, since it
/// must not start before its results can be written.
TEST_P(DaisTiming, AccumulatingTakesNoLonger) {
  for (const std::size_t latency : block_latencies) {
    for (const std::uint64_t n : counts()) {
      SCOPED_TRACE(testing::Message() << n << " samples, latency " << latency);
      const Recorder r = run_bare(with_block(latency).dais_accumulate(n));
      const Cycle first_write = h + 1 + latency;
      EXPECT_EQ(r.cycles_of(Kind::dais), steps(h + 1, n));
      EXPECT_EQ(r.cycles_of(Kind::accumulator_write_a), steps(first_write, n));
      // The old vectors are read as for MatMul: two before the first write.
      const std::uint64_t ahead = std::min<std::uint64_t>(n, 2);
      EXPECT_EQ(r.cycles_of(Kind::accumulator_read_b),
                joined({steps(h + 1, ahead), steps(first_write + 1, n - ahead)}));
      EXPECT_EQ(r.retired(0), h + n - 1);
    }
  }
}

TEST_P(DaisTiming, AccumulatingWideSamplesTakesNoLonger) {
  for (const std::size_t latency : block_latencies) {
    for (const std::size_t k_in : {1U, 2U, 3U}) {
      for (const std::size_t k_out : {1U, 2U, 3U}) {
        SCOPED_TRACE(testing::Message()
                     << k_in << " and " << k_out << " vectors, latency " << latency);
        const Recorder plain = run_bare(with_block(latency, k_in, k_out).dais(7));
        const Recorder adding = run_bare(with_block(latency, k_in, k_out).dais_accumulate(7));
        EXPECT_EQ(adding.cycles_of(Kind::dais), plain.cycles_of(Kind::dais));
        EXPECT_EQ(adding.cycles_of(Kind::accumulator_write_a),
                  plain.cycles_of(Kind::accumulator_write_a));
        EXPECT_EQ(adding.retired(0), plain.retired(0));
      }
    }
  }
}

TEST_P(DaisTiming, BackToBackLeavesNoBubble) {
  for (const std::size_t latency : block_latencies) {
    for (const std::uint64_t n : counts()) {
      SCOPED_TRACE(testing::Message() << n << " samples, latency " << latency);
      if (latency + 1 > 2 * n_array * n) continue;  // this case is in the next test
      const std::uint64_t instructions = 2 * n_array + 7;
      Program p = with_block(latency);
      for (std::uint64_t i = 0; i < instructions; ++i) {
        // Strides do not cost cycles.
        p.dais(n, 0, {i, static_cast<unsigned>(i % 3)}, {i * n, static_cast<unsigned>(i % 2)});
      }
      const Recorder r = run_bare(p);
      EXPECT_EQ(r.cycles_of(Kind::local_read_a), steps(h, instructions * n));
      EXPECT_EQ(r.cycles_of(Kind::accumulator_write_a), steps(h + 1 + latency, instructions * n));
      EXPECT_EQ(r.cycles_of(Kind::retired), steps(h + n - 1, instructions, n));
    }
  }
}

/// The local router stores 2N instructions with pending results, and one more may have its inputs
/// on the way. This limits only pipelines longer than that, with instructions of few samples.
TEST(DaisQueues, AtMostTwoNAndOneInstructionsWaitForResults) {
  constexpr Cycle h = 1, n_array = 2, latency = 9;
  tcu::Architecture architecture = timing_architecture(n_array);
  architecture.dais_blocks = {relay_block("slow", n_array, n_array, latency)};
  Program p(architecture);
  const std::uint64_t instructions = 23;
  for (std::uint64_t i = 0; i < instructions; ++i) p.dais(1);
  Cycles expected;
  for (std::uint64_t i = 0; i < instructions; ++i) {
    const std::uint64_t together = 2 * n_array + 1;
    expected.push_back(h + 1 + latency + i / together * (latency + 1) + i % together);
  }
  EXPECT_EQ(run_bare(p).cycles_of(Kind::accumulator_write_a), expected);
}

TEST_P(DaisTiming, WideInputsAreCollected) {
  for (const std::size_t latency : block_latencies) {
    for (const std::size_t k_in : {2U, 3U, 5U}) {
      for (const std::size_t k_out : {1U, 2U}) {
        for (const std::uint64_t n : counts()) {
          SCOPED_TRACE(testing::Message() << n << " samples of " << k_in << " and " << k_out
                                          << " vectors, latency " << latency);
          const Recorder r = run_bare(with_block(latency, k_in, k_out).dais(n));
          // A sample enters with its last vector, one cycle after that vector was read.
          const Cycle first_sample = h + k_in;
          EXPECT_EQ(r.cycles_of(Kind::local_read_a), steps(h, n * k_in));
          EXPECT_EQ(r.cycles_of(Kind::dais), steps(first_sample, n, k_in));
          Cycles writes;
          for (std::uint64_t i = 0; i < n; ++i) {
            for (std::size_t j = 0; j < k_out; ++j) {
              writes.push_back(first_sample + i * k_in + latency + j);
            }
          }
          EXPECT_EQ(r.cycles_of(Kind::accumulator_write_a), writes);
          EXPECT_EQ(r.retired(0), h + n * k_in - 1);
        }
      }
    }
  }
}

/// Results have more vectors than inputs: the block holds L samples, and then accepts a sample when
/// a result leaves with its last vector.
TEST_P(DaisTiming, WideResultsHoldTheInputBack) {
  for (const std::size_t latency : block_latencies) {
    for (const std::size_t k_in : {1U, 2U}) {
      for (const std::size_t k_out : {2U, 3U, 5U}) {
        for (const std::uint64_t n : counts()) {
          SCOPED_TRACE(testing::Message() << n << " samples of " << k_in << " and " << k_out
                                          << " vectors, latency " << latency);
          const Recorder r = run_bare(with_block(latency, k_in, k_out).dais(n));
          const Cycle first_sample = h + k_in;
          const Cycle first_write = first_sample + latency;
          // One vector per cycle from the first on.
          EXPECT_EQ(r.cycles_of(Kind::accumulator_write_a), steps(first_write, n * k_out));
          Cycles samples;
          for (std::uint64_t i = 0; i < n; ++i) {
            Cycle enters = i == 0 ? first_sample : samples.back() + k_in;
            if (i >= latency) {
              enters = std::max(enters, first_write + (i - latency + 1) * k_out - 1);
            }
            samples.push_back(enters);
          }
          EXPECT_EQ(r.cycles_of(Kind::dais), samples);
        }
      }
    }
  }
}

/// A block of one rank and results of two vectors: one sample every second cycle.
TEST_P(DaisTiming, AStalledInputReadsAheadByThree) {
  const std::uint64_t n = 8;
  const Recorder r = run_bare(with_block(1, 1, 2).dais(n));
  EXPECT_EQ(r.cycles_of(Kind::dais), steps(h + 1, n, 2));
  // Vectors leave the memory in h+1, h+3, h+5 ... From h+5 to h+7 two vectors are stored, so the
  // memory pauses.
  EXPECT_EQ(r.cycles_of(Kind::local_read_a), joined({steps(h, 5), steps(h + 8, 3)}));
  EXPECT_EQ(r.retired(0), h + 10);
}

TEST_P(DaisTiming, AddressesWalkSampleAfterSample) {
  using Addresses = std::vector<std::uint64_t>;
  const Recorder narrow = run_bare(with_block(1).dais(4, 0, {100, 2}, {50, 3}));
  EXPECT_EQ(narrow.operands_of(Kind::local_read_a), (Addresses{100, 104, 108, 112}));
  EXPECT_EQ(narrow.operands_of(Kind::accumulator_write_a), (Addresses{50, 58, 66, 74}));
  const Recorder wide = run_bare(with_block(3, 3, 2).dais(2, 0, {100, 1}, {50, 4}));
  EXPECT_EQ(wide.operands_of(Kind::local_read_a), (Addresses{100, 102, 104, 106, 108, 110}));
  EXPECT_EQ(wide.operands_of(Kind::accumulator_write_a), (Addresses{50, 66, 82, 98}));
  // Addresses wrap at the depths, here 4096 and 1024.
  const Recorder wrap = run_bare(with_block(1, 2, 2).dais(2, 0, {4094, 0}, {1022, 0}));
  EXPECT_EQ(wrap.operands_of(Kind::local_read_a), (Addresses{4094, 4095, 0, 1}));
  EXPECT_EQ(wrap.operands_of(Kind::accumulator_write_a), (Addresses{1022, 1023, 0, 1}));
}

// ---- with other instructions -------------------------------------------------------------------

TEST_P(DaisTiming, ResultsFollowThoseOfTheArray) {
  for (const std::size_t latency : block_latencies) {
    for (const std::uint64_t n : counts()) {
      SCOPED_TRACE(testing::Message() << n << " vectors, latency " << latency);
      const Recorder r = run_bare(with_block(latency).mat_mul(n).dais(n, 0, {n, 0}, {n, 0}));
      const Cycle first_product = h + 2 * n_array;
      // If the block's results are ready early, they wait in the block for the array's last result;
      // then no cycle is lost.
      const Cycle ready = h + n + 1 + latency;
      const Cycle first_result = std::max(first_product + n, ready);
      EXPECT_EQ(r.cycles_of(Kind::accumulator_write_a),
                joined({steps(first_product, n), steps(first_result, n)}));
      Cycles samples = steps(h + n + 1, std::min<std::uint64_t>(n, latency));
      for (std::uint64_t i = latency; i < n; ++i) samples.push_back(first_result + i - latency);
      EXPECT_EQ(r.cycles_of(Kind::dais), samples);
    }
  }
}

TEST_P(DaisTiming, TheArrayWaitsForResultsOfABlock) {
  for (const std::size_t latency : block_latencies) {
    for (const std::uint64_t n : counts()) {
      SCOPED_TRACE(testing::Message() << n << " vectors, latency " << latency);
      const Recorder r = run_bare(with_block(latency).dais(n).mat_mul(n, {n, 0}, {n, 0}));
      const Cycle last_result = h + latency + n;
      // A run must wait until the accumulators offer its write.
      const Cycle first_run = last_result + 1;
      EXPECT_EQ(r.cycles_of(Kind::run), steps(first_run, n));
      EXPECT_EQ(r.cycles_of(Kind::accumulator_write_a),
                joined({steps(h + 1 + latency, n), steps(first_run + 2 * n_array - 1, n)}));
    }
  }
}

TEST_P(DaisTiming, WeightsDoNotWaitForABlock) {
  const std::uint64_t n = 5, weights = n_array + 1;
  for (const std::size_t latency : block_latencies) {
    const Recorder r = run_bare(with_block(latency).dais(n).load_weights(weights));
    EXPECT_EQ(r.cycles_of(Kind::local_read_a), steps(h, n + weights));
    EXPECT_EQ(r.cycles_of(Kind::load), steps(h + n + 1, weights));
  }
}

/// Results are written in the order of the instructions, for all latencies.
TEST_P(DaisTiming, BlocksTakeTurnsInOrder) {
  const std::size_t slow = 6, fast = 1;
  tcu::Architecture architecture = timing_architecture(GetParam());
  architecture.dais_blocks = {relay_block("slow", n_array, n_array, slow),
                              relay_block("fast", n_array, n_array, fast)};
  for (const std::uint64_t n : counts()) {
    SCOPED_TRACE(n);
    const Recorder overtaking =
        run_bare(Program(architecture).dais(n, 0).dais(n, 1, {n, 0}, {n, 0}));
    const Cycle first = h + 1 + slow;
    // The fast block's first sample waits inside the block, the others before it.
    EXPECT_EQ(overtaking.cycles_of(Kind::accumulator_write_a), steps(first, 2 * n));
    EXPECT_EQ(overtaking.cycles_of(Kind::dais),
              joined({steps(h + 1, n + 1), steps(first + n, n - 1)}));
    std::vector<std::uint64_t> addresses;
    for (std::uint64_t i = 0; i < 2 * n; ++i) addresses.push_back(i);
    EXPECT_EQ(overtaking.operands_of(Kind::accumulator_write_a), addresses);

    const Recorder behind = run_bare(Program(architecture).dais(n, 1).dais(n, 0, {n, 0}, {n, 0}));
    EXPECT_EQ(behind.cycles_of(Kind::accumulator_write_a),
              joined({steps(h + 1 + fast, n), steps(h + n + 1 + slow, n)}));
    EXPECT_EQ(behind.cycles_of(Kind::dais), steps(h + 1, 2 * n));
  }
}

TEST_P(DaisTiming, ASampleCanWaitHalfCollected) {
  // Samples of 2 vectors of one block come between samples of the other. Both collect their vectors
  // in one register, in order.
  tcu::Architecture architecture = timing_architecture(GetParam());
  architecture.dais_blocks = {relay_block("wide", 2 * n_array, 1, 1),
                              relay_block("narrow", n_array, 3 * n_array, 1)};
  const Recorder r = run_bare(Program(architecture).dais(2, 0).dais(2, 1).dais(1, 0));
  // Samples of "wide" enter in h+2 and h+4. "narrow" has results of 3 vectors: its samples enter in
  // h+5 and h+8.
  EXPECT_EQ(r.cycles_of(Kind::dais), (Cycles{h + 2, h + 4, h + 5, h + 8, h + 10}));
  EXPECT_EQ(r.operands_of(Kind::dais), (std::vector<std::uint64_t>{0, 0, 1, 1, 0}));
  // The last result of "wide" is ready in h+11 but waits for the 6 vectors of "narrow" in h+6 ..
  // h+11.
  EXPECT_EQ(r.cycles_of(Kind::accumulator_write_a),
            joined({{h + 3, h + 5}, steps(h + 6, 6), {h + 12}}));
}

/// SIMD instructions keep the accumulators busy: the block fills up and then continues without a
/// gap.
TEST_P(DaisTiming, ABusyAccumulatorStallsTheBlock) {
  const std::uint64_t n = 12;
  for (const std::size_t latency : block_latencies) {
    SCOPED_TRACE(latency);
    const std::uint64_t operations = 5;
    Program p = with_block(latency);
    for (std::uint64_t i = 0; i < operations; ++i) p.simd_read_write();
    const Recorder r = run_bare(p.dais(n));
    // accumulator write of the first in h+4, then one every 4
    const Cycle last_simd = h + 4 * operations;
    const Cycles writes = r.cycles_of(Kind::accumulator_write_a);
    ASSERT_EQ(writes.size(), operations + n);
    EXPECT_EQ(writes[operations - 1], last_simd);
    const Cycle first = std::max(last_simd + 1, h + operations + 1 + latency);
    EXPECT_EQ(Cycles(writes.begin() + operations, writes.end()), steps(first, n));
    EXPECT_EQ(r.cycles_of(Kind::dais),
              joined({steps(h + operations + 1, latency), steps(first, n - latency)}));
  }
}

TEST_P(DaisTiming, AccumulatorReadsFollowTheLastResult) {
  for (const std::uint64_t n : counts()) {
    SCOPED_TRACE(n);
    const Recorder r = run_bare(with_block(3).dais(n).move(Move::accumulator_to_local, n));
    const Cycle first_read = h + 3 + n + 1;
    EXPECT_EQ(r.cycles_of(Kind::accumulator_read_a), steps(first_read, n));
    EXPECT_EQ(r.retired(1), first_read + n);
  }
}

TEST_P(DaisTiming, LocalToAccumulatorFollowsResultsWithoutGap) {
  for (const std::uint64_t n : counts()) {
    SCOPED_TRACE(n);
    const Recorder r =
        run_bare(with_block(3).dais(n).move(Move::local_to_accumulator, n, {0, 0}, {n, 0}));
    EXPECT_EQ(r.cycles_of(Kind::accumulator_write_a), steps(h + 1 + 3, 2 * n));
  }
}

TEST_P(DaisTiming, PlainThenAccumulateIdlesThePortForOneCycle) {
  for (const std::uint64_t n : counts()) {
    SCOPED_TRACE(n);
    const Recorder r = run_bare(with_block(1).dais(n).dais_accumulate(n, 0, {n, 0}, {n, 0}));
    const Cycle last_plain = h + 1 + n;
    EXPECT_EQ(r.cycles_of(Kind::accumulator_read_b), steps(last_plain + 1, n));
    EXPECT_EQ(r.cycles_of(Kind::accumulator_write_a),
              joined({steps(h + 2, n), steps(last_plain + 2, n)}));
  }
}

TEST_P(DaisTiming, OnlyLocalReadsHoldTheDecoder) {
  const Recorder r = run_bare(with_block(1).dais(1).simd_read().no_op(3));
  EXPECT_EQ(r.cycles_of(Kind::retired), steps(h, 5));
}

TEST_P(DaisTiming, UnnamedBlocksAreOneCycleNoOps) {
  Program p = with_block(1);
  for (std::uint8_t flags = 0; flags < 16; ++flags) {
    if (flags / 2 != 0) p.raw({0x6, flags, 1, 2, 3});
  }
  const Recorder r = run_bare(p);
  EXPECT_EQ(r.cycles_of(Kind::retired), steps(h, 14));
  EXPECT_EQ(r.cycles_of(Kind::dais), Cycles{});
  EXPECT_EQ(r.cycles_of(Kind::local_read_a), Cycles{});
}

}  // namespace
}  // namespace tactus
