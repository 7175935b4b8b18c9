// How instructions wait for each other between local memory, array and accumulators. Source:
// hardware spec sections 2.6, 7.1, 8.1, 12.2.
#include <algorithm>

#include "tests/support/timing_cases.h"

namespace tactus {
namespace {

using Kind = TcuEvent;
using Move = Program::Kind;

class InteractionTiming : public ArrayTiming {};
INSTANTIATE_TEST_SUITE_P(N, InteractionTiming, testing::ValuesIn(array_sizes),
                         testing::PrintToStringParamName());

/// Returns the cycles of local reads for a consumer that accepts one vector per cycle from cycle
/// `taken` on; the first read is requested in `first`.
Cycles reads_of_stalled(Cycle first, Cycle taken, std::uint64_t n) {
  // Three reads are accepted, then the port pauses until fewer than 2 vectors are stored: 3 are
  // stored until `taken`, 2 in taken+1, 1 in taken+2.
  const std::uint64_t prefetched = std::min<std::uint64_t>(n, 3);
  return joined({steps(first, prefetched), steps(taken + 2, n - prefetched)});
}

TEST_P(InteractionTiming, WeightsWaitForTheArrayToDrain) {
  for (const bool accumulate : {false, true}) {
    for (const std::uint64_t n : counts()) {
      for (const std::uint64_t weights : counts()) {
        SCOPED_TRACE(testing::Message() << n << " vectors, " << weights << " weights"
                                        << (accumulate ? ", accumulate" : ""));
        Program p = program();
        accumulate ? p.mat_mul_accumulate(n) : p.mat_mul(n);
        const Recorder r = run_bare(p.load_weights(weights).no_op());

        const Cycle last_run = h + n + (accumulate ? 1 : 0);
        // one cycle after the run's result has left
        const Cycle first_load = last_run + 2 * n_array;
        const Cycle last_load = first_load + weights - 1;
        EXPECT_EQ(r.last(Kind::run), last_run);
        EXPECT_EQ(r.cycles_of(Kind::load), steps(first_load, weights));

        const Cycle head = h + n;
        Cycles reads = r.cycles_of(Kind::local_read_a);
        reads.erase(reads.begin(), reads.begin() + static_cast<std::ptrdiff_t>(n));
        EXPECT_EQ(reads, reads_of_stalled(head, first_load, weights));
        // Weights that all fit the read buffer do not stall the decoder.
        EXPECT_EQ(r.retired(1), weights > 3 ? last_load - 1 : head + weights - 1);
      }
    }
  }
}

TEST_P(InteractionTiming, ZeroWeightsWaitForTheArrayToDrain) {
  for (const std::uint64_t n : counts()) {
    SCOPED_TRACE(n);
    const Recorder r = run_bare(program().mat_mul_zeroes(n).load_weights_zeroes(n_array + 1));
    const Cycle last_run = h + n;
    EXPECT_EQ(r.cycles_of(Kind::load), steps(last_run + 2 * n_array, n_array + 1));
    EXPECT_EQ(r.cycles_of(Kind::retired), steps(h, 2));
  }
}

TEST_P(InteractionTiming, MatMulAfterWeights) {
  for (const bool accumulate : {false, true}) {
    for (const std::uint64_t weights : counts()) {
      for (const std::uint64_t n : {Cycle{1}, Cycle{4}, n_array + 1}) {
        SCOPED_TRACE(testing::Message() << n << " vectors, " << weights << " weights"
                                        << (accumulate ? ", accumulate" : ""));
        Program p = program();
        p.mat_mul(1).load_weights(weights);
        const Recorder r = run_bare(accumulate ? p.mat_mul_accumulate(n) : p.mat_mul(n));
        const Cycle last_load = h + 1 + 2 * n_array + weights - 1;
        // More than 3 weight vectors stall the decoder until one cycle before the last load. The
        // operand of an accumulating MatMul is then requested one cycle later than the first run
        // needs it.
        const Cycle operand = accumulate && weights > 3 ? 1 : 0;
        Cycles runs = r.cycles_of(Kind::run);
        runs.erase(runs.begin());
        EXPECT_EQ(runs, steps(last_load + 1 + operand, n));
      }
    }
  }
}

TEST_P(InteractionTiming, MatMulAfterWeightsFromIdle) {
  for (const std::uint64_t weights : counts()) {
    SCOPED_TRACE(weights);
    const Cycle last_load = h + weights;
    const Recorder plain = run_bare(program().load_weights(weights).mat_mul(4));
    EXPECT_EQ(plain.cycles_of(Kind::load), steps(h + 1, weights));
    EXPECT_EQ(plain.cycles_of(Kind::run), steps(last_load + 1, 4));
    const Recorder adding = run_bare(program().load_weights(weights).mat_mul_accumulate(4));
    EXPECT_EQ(adding.cycles_of(Kind::run), steps(last_load + 2, 4));
  }
}

TEST_P(InteractionTiming, PeriodOfTheConvolutionLoop) {
  for (const bool accumulate : {false, true}) {
    for (const std::uint64_t n : counts()) {
      SCOPED_TRACE(testing::Message() << n << (accumulate ? " accumulate" : ""));
      const unsigned loops = 6;
      Program p = program();
      for (unsigned i = 0; i < loops; ++i) {
        p.load_weights(n_array + 1);
        accumulate ? p.mat_mul_accumulate(n) : p.mat_mul(n);
      }
      const Recorder r = run_bare(p);
      // n runs, 2N-1 cycles of drain, N+1 loads; and one cycle for the accumulate operand unless
      // all weights fit the read buffer, which is the case only for N = 2.
      const Cycle operand = accumulate && n_array + 1 > 3 ? 1 : 0;
      const Cycle period = n + (2 * n_array - 1) + (n_array + 1) + operand;
      EXPECT_EQ(period, n + 3 * n_array + operand);
      const Cycles loads = r.cycles_of(Kind::load);
      const Cycles runs = r.cycles_of(Kind::run);
      for (unsigned i = 2; i < loops; ++i) {
        EXPECT_EQ(loads.at(i * (n_array + 1)) - loads.at((i - 1) * (n_array + 1)), period);
        EXPECT_EQ(runs.at(i * n) - runs.at((i - 1) * n), period);
      }
    }
  }
}

// ---- accumulator boundaries --------------------------------------------------------------------

/// Runs two MatMuls of n vectors to different accumulators.
Recorder run_pair(Program p, std::uint64_t n, bool first_adds, bool second_adds) {
  first_adds ? p.mat_mul_accumulate(n) : p.mat_mul(n);
  second_adds ? p.mat_mul_accumulate(n, {n, 0}, {n, 0}) : p.mat_mul(n, {n, 0}, {n, 0});
  return run_bare(p);
}

TEST_P(InteractionTiming, PlainThenAccumulateIdlesThePortForOneCycle) {
  for (const std::uint64_t n : counts()) {
    SCOPED_TRACE(n);
    const Recorder r = run_pair(program(), n, false, true);
    const Cycle last_plain = h + 2 * n_array + n - 1;
    // Port B may read when the last plain write is in memory; its data arrive one cycle later.
    const Cycle first_sum = last_plain + 1 + 1;
    EXPECT_EQ(r.cycles_of(Kind::accumulator_write_a),
              joined({steps(h + 2 * n_array, n), steps(first_sum, n)}));
    EXPECT_EQ(r.cycles_of(Kind::accumulator_read_b), steps(last_plain + 1, n));
    // The array continues, except in the idle cycle, in which no result is accepted.
    const std::uint64_t before = std::min<std::uint64_t>(2 * n, last_plain + 1 - (h + 1));
    EXPECT_EQ(r.cycles_of(Kind::run),
              joined({steps(h + 1, before), steps(last_plain + 2, 2 * n - before)}));
  }
}

TEST_P(InteractionTiming, OtherBoundariesLeaveNoGap) {
  for (const std::uint64_t n : counts()) {
    SCOPED_TRACE(n);
    const Recorder sums = run_pair(program(), n, true, true);
    EXPECT_EQ(sums.cycles_of(Kind::accumulator_write_a), steps(h + 2 * n_array + 1, 2 * n));
    const Recorder mixed = run_pair(program(), n, true, false);
    EXPECT_EQ(mixed.cycles_of(Kind::accumulator_write_a), steps(h + 2 * n_array + 1, 2 * n));
  }
}

/// Pairs of a plain and an accumulating MatMul of one vector each.
TEST_P(InteractionTiming, SingleVectorsOnOneAddressSkipTheLock) {
  const unsigned pairs = 4;
  Program same = program(), different = program();
  for (unsigned i = 0; i < pairs; ++i) {
    same.mat_mul(1).mat_mul_accumulate(1);
    different.mat_mul(1, {0, 0}, {2 * i, 0}).mat_mul_accumulate(1, {0, 0}, {2 * i + 1, 0});
  }
  const Cycle first_write = h + 2 * n_array;
  // On one address, every later plain write is announced while an equal request of the previous
  // accumulating write fires, so the lock is not taken: only the first boundary has an idle cycle.
  EXPECT_EQ(run_bare(same).cycles_of(Kind::accumulator_write_a),
            joined({{first_write}, steps(first_write + 2, 2 * pairs - 1)}));
  // On different addresses every boundary has an idle cycle: plain write, idle, accumulating write.
  Cycles expected;
  for (unsigned i = 0; i < pairs; ++i) {
    expected.push_back(first_write + 3 * i);
    expected.push_back(first_write + 3 * i + 2);
  }
  EXPECT_EQ(run_bare(different).cycles_of(Kind::accumulator_write_a), expected);
}

TEST_P(InteractionTiming, AccumulatorReadsFollowTheLastArrayWrite) {
  for (const std::uint64_t n : counts()) {
    SCOPED_TRACE(n);
    const Recorder r = run_bare(program().mat_mul(n).move(Move::accumulator_to_local, n).no_op());
    const Cycle last_write = h + 2 * n_array + n - 1;
    const Cycle first_read = last_write + 1;
    EXPECT_EQ(r.last(Kind::accumulator_write_a), last_write);
    EXPECT_EQ(r.cycles_of(Kind::accumulator_read_a), steps(first_read, n));
    EXPECT_EQ(r.cycles_of(Kind::local_write_a), steps(first_read + 1, n));
    // The move is at the head until its last local write.
    EXPECT_EQ(r.retired(1), first_read + n);
    EXPECT_EQ(r.retired(2), first_read + n + 1);
  }
}

TEST_P(InteractionTiming, LocalToAccumulatorFollowsArrayWritesWithoutGap) {
  for (const std::uint64_t n : counts()) {
    for (const std::uint64_t moved : counts()) {
      SCOPED_TRACE(testing::Message() << n << " vectors, " << moved << " moved");
      const Recorder r =
          run_bare(program().mat_mul(n).move(Move::local_to_accumulator, moved, {0, 0}, {n, 0}));
      const Cycle first_write = h + 2 * n_array;
      const Cycle first_moved = first_write + n;
      EXPECT_EQ(r.cycles_of(Kind::accumulator_write_a), steps(first_write, n + moved));
      const Cycle head = h + n;
      EXPECT_EQ(r.cycles_of(Kind::local_read_a),
                joined({steps(h, n), reads_of_stalled(head, first_moved, moved)}));
    }
  }
}

TEST_P(InteractionTiming, TransfersOverlapTheEndOfAProduct) {
  for (const std::uint64_t n : counts()) {
    SCOPED_TRACE(n);
    const Recorder r = run_bare(program().mat_mul(n).write_dram(0, n).read_dram(1, n));
    const Cycle written = h + n;  // head of the move: the MatMul's last read is accepted
    EXPECT_EQ(r.cycles_of(Kind::dram_control, 0), Cycles{written});
    EXPECT_EQ(r.cycles_of(Kind::local_read_b), steps(written, n));
    EXPECT_EQ(r.cycles_of(Kind::dram_control, 1), Cycles{written + n});
    EXPECT_EQ(r.cycles_of(Kind::accumulator_write_a), steps(h + 2 * n_array, n));
  }
}

TEST_P(InteractionTiming, ZeroesOverlapTransfers) {
  const std::uint64_t n = 3 * n_array;
  const Recorder r =
      run_bare(program().load_weights_zeroes(n_array + 1).mat_mul_zeroes(n).read_dram(0, n));
  const Cycle last_load = h + n_array + 1;
  EXPECT_EQ(r.cycles_of(Kind::retired), joined({steps(h, 2), {h + 2 + 1 + n - 1}}));
  EXPECT_EQ(r.cycles_of(Kind::run), steps(last_load + 1, n));
  EXPECT_EQ(r.cycles_of(Kind::local_write_b), steps(h + 2 + 1, n));
}

}  // namespace
}  // namespace tactus
