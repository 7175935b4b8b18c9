// SIMD instructions: their rates, and how far the decoder runs ahead through its queues. Source:
// hardware spec sections 4.2, 8.2, 8.3, 12.3.
#include <algorithm>

#include "tests/support/timing_cases.h"

namespace tactus {
namespace {

using Kind = TcuEvent;

class SimdTiming : public ArrayTiming {
 protected:
  static constexpr Cycle first_control = h + 1;  ///< one cycle in the accumulators' control queue
};
INSTANTIATE_TEST_SUITE_P(N, SimdTiming, testing::ValuesIn(array_sizes),
                         testing::PrintToStringParamName());

// The runs are long enough to fill the decoder's queue of 2N on the largest array several times.
constexpr std::uint64_t long_run = 300;

TEST_P(SimdTiming, ReadWriteTakesFour) {
  for (const std::uint64_t count : {std::uint64_t{1}, long_run}) {
    Program p = program();
    for (std::uint64_t i = 0; i < count; ++i) p.simd_read_write();
    const Recorder r = run_bare(p);
    const Cycle alu = first_control + 1;  // the operand is read with the control
    const Cycle write = alu + 2;
    EXPECT_EQ(r.cycles_of(Kind::accumulator_read_a), steps(first_control, count, 4));
    EXPECT_EQ(r.cycles_of(Kind::alu), steps(alu, count, 4));
    EXPECT_EQ(r.cycles_of(Kind::accumulator_write_a), steps(write, count, 4));
  }
}

TEST_P(SimdTiming, ReadWriteAccumulateTakesFour) {
  Program p = program();
  for (std::uint64_t i = 0; i < long_run; ++i) p.simd_read_write(true);
  const Recorder r = run_bare(p);
  const Cycle alu = first_control + 1;
  EXPECT_EQ(r.cycles_of(Kind::alu), steps(alu, long_run, 4));
  // The write phase follows the ALU issue; the operand arrives with the result.
  EXPECT_EQ(r.cycles_of(Kind::accumulator_read_b), steps(alu + 1, long_run, 4));
  EXPECT_EQ(r.cycles_of(Kind::accumulator_write_a), steps(alu + 2, long_run, 4));
}

TEST_P(SimdTiming, ReadOnlyTakesTwo) {
  Program p = program();
  for (std::uint64_t i = 0; i < long_run; ++i) p.simd_read();
  const Recorder r = run_bare(p);
  EXPECT_EQ(r.cycles_of(Kind::accumulator_read_a), steps(first_control, long_run, 2));
  EXPECT_EQ(r.cycles_of(Kind::alu), steps(first_control + 1, long_run, 2));
  EXPECT_EQ(r.cycles_of(Kind::accumulator_write_a), Cycles{});
}

/// Returns two of every three cycles from `first` on, since at most two results may be pending.
Cycles two_in_three(Cycle first, std::uint64_t count) {
  Cycles cycles;
  for (std::uint64_t i = 0; i < count; ++i) cycles.push_back(first + i / 2 * 3 + i % 2);
  return cycles;
}

TEST_P(SimdTiming, WriteOnlyTakesOneAndAHalf) {
  Program p = program();
  for (std::uint64_t i = 0; i < long_run; ++i) p.simd_write();
  const Recorder r = run_bare(p);
  EXPECT_EQ(r.cycles_of(Kind::alu), two_in_three(first_control, long_run));
  EXPECT_EQ(r.cycles_of(Kind::accumulator_write_a), two_in_three(first_control + 2, long_run));
  EXPECT_EQ(r.cycles_of(Kind::accumulator_read_a), Cycles{});
}

TEST_P(SimdTiming, NeitherTakesOneAndAHalf) {
  Program p = program();
  for (std::uint64_t i = 0; i < long_run; ++i) p.simd_neither();
  const Recorder r = run_bare(p);
  EXPECT_EQ(r.cycles_of(Kind::alu), two_in_three(first_control, long_run));
  EXPECT_EQ(r.cycles_of(Kind::accumulator_write_a), Cycles{});
}

TEST_P(SimdTiming, PairOfReadOnlyAndReadWriteTakesSix) {
  const std::uint64_t pairs = long_run / 2;
  Program p = program();
  for (std::uint64_t i = 0; i < pairs; ++i) p.simd_read().simd_read_write();
  const Recorder r = run_bare(p);
  Cycles alu;
  for (std::uint64_t i = 0; i < pairs; ++i) {
    const Cycle start = first_control + 6 * i;
    alu.push_back(start + 1);      // read-only: 2 cycles
    alu.push_back(start + 2 + 1);  // read and write: 4 cycles
  }
  EXPECT_EQ(r.cycles_of(Kind::alu), alu);
  EXPECT_EQ(r.cycles_of(Kind::accumulator_write_a), steps(first_control + 2 + 3, pairs, 6));
}

// ---- decoding ahead ----------------------------------------------------------------------------

TEST_P(SimdTiming, DecoderRunsAheadByTwoQueues) {
  Program p = program();
  for (std::uint64_t i = 0; i < long_run; ++i) p.simd_read_write();
  const Recorder r = run_bare(p);
  Cycles expected;
  for (std::uint64_t i = 0; i < long_run; ++i) {
    // Instruction j leaves the accumulators' 2-entry queue with its write phase, in h+3+4j. Its
    // entry is free one cycle later, for instruction j+2; the decoder's queue of 2N accepts a new
    // one in the same cycle, instruction j+2+2N. So i retires no earlier than h+4+4(i-2N-2).
    const Cycle in_order = h + i;
    const Cycle room = i < 2 * n_array + 2 ? 0 : h + 4 + 4 * (i - 2 * n_array - 2);
    expected.push_back(std::max(in_order, room));
  }
  EXPECT_EQ(r.cycles_of(Kind::retired), expected);
}

TEST_P(SimdTiming, ExactlyTwoQueuesOfSimdsWait) {
  // The accumulators wait for a result that the array gives much later, since it is busy with zero
  // weights.
  const std::uint64_t loads = 8 * n_array;
  Program p = program();
  p.load_weights_zeroes(loads).mat_mul_zeroes(1);
  for (std::uint64_t i = 0; i < long_run; ++i) p.simd_read_write();
  const Recorder r = run_bare(p);

  const Cycle run = h + loads + 1;            // after the last load
  const Cycle write = run + 2 * n_array - 1;  // write of the array's result
  EXPECT_EQ(r.first(Kind::accumulator_write_a), write);
  EXPECT_EQ(r.first(Kind::accumulator_read_a), write + 1);
  const Cycle first_leaves = write + 1 + 2;  // read, ALU, write phase
  const std::uint64_t waiting = 2 * n_array + 2;
  EXPECT_EQ(r.cycles_of(Kind::retired), joined({steps(h, 2), steps(h + 2, waiting),
                                                steps(first_leaves + 1, long_run - waiting, 4)}));
}

/// The decoder's array queue has 2N entries.
TEST_P(SimdTiming, ArrayQueueHoldsTwoN) {
  const std::uint64_t loads = 8 * n_array;
  Program p = program();
  p.load_weights_zeroes(loads);
  const std::uint64_t count = 4 * n_array;
  for (std::uint64_t i = 0; i < count; ++i) p.load_weights_zeroes(1);
  const Recorder r = run_bare(p);
  EXPECT_EQ(r.cycles_of(Kind::load), steps(h + 1, loads + count));
  // The array's 2-entry queue is one ahead of the loads, so the last item of the first instruction
  // leaves the decoder's queue in the cycle before the last load. That instruction and 2N-1 others
  // fill the queue.
  const Cycle room = h + loads - 1;
  EXPECT_EQ(r.cycles_of(Kind::retired),
            joined({steps(h, 2 * n_array), steps(room, count + 1 - 2 * n_array)}));
}

/// The array's own queue has 2 plain entries.
TEST_P(SimdTiming, ArrayHoldsTwo) {
  const std::uint64_t n = 4 * n_array, count = 4 * n_array;
  Program p = program();
  p.mat_mul_zeroes(n);
  for (std::uint64_t i = 0; i < count; ++i) p.load_weights_zeroes(1);
  const Recorder r = run_bare(p);
  const Cycle load = h + n + 2 * n_array;  // after the last run and the drain
  EXPECT_EQ(r.cycles_of(Kind::load), steps(load, count));
  // The decoder's queue has room when the MatMul's last item leaves it, one cycle before the last
  // run, and for the two loads that wait in the array; then again in the cycle after the first
  // load.
  const Cycle first_room = h + n - 1;
  EXPECT_EQ(r.cycles_of(Kind::retired), joined({steps(h, 2 * n_array), steps(first_room, 1 + 2),
                                                steps(load + 1, count + 1 - 2 * n_array - 3)}));
}

/// The decoder's dataflow queue has 2N entries.
TEST_P(SimdTiming, DataflowQueueHoldsTwoN) {
  const std::uint64_t n = 20;
  Program p = program();
  // The weight vector waits for the array to drain and blocks the router's path from local memory,
  // so the next two moves stay in the dataflow queue, and so do all later instructions.
  p.mat_mul_zeroes(n).load_weights(1);
  p.move(Program::Kind::local_to_accumulator, 1).move(Program::Kind::local_to_accumulator, 1);
  for (std::uint64_t i = 0; i < 4 * n_array; ++i) p.mat_mul_zeroes(1);
  const Recorder r = run_bare(p);
  const Cycle first_write = h + 2 * n_array;
  const Cycle load = h + n + 2 * n_array;
  EXPECT_EQ(r.cycles_of(Kind::load), Cycles{load});
  // The accumulator queue is full first: the first MatMul stays in it until the last of its vectors
  // gets one of the two entries before the accumulators, 3 cycles before its last write, which is n
  // - 1 writes after the first. The dataflow queue is full with the next instruction, until the
  // weights are loaded.
  const Cycle room_in_accumulator_queue = first_write + n - 3;
  Cycles retires = r.cycles_of(Kind::retired);
  retires.resize(4 + 2 * n_array - 1);
  EXPECT_EQ(retires, joined({steps(h, 4 + 2 * n_array - 3), {room_in_accumulator_queue}, {load}}));
}

// ---- between SIMD and the array ----------------------------------------------------------------

TEST_P(SimdTiming, SimdAfterMatMulReadsAfterTheLastWrite) {
  for (const std::uint64_t n : counts()) {
    SCOPED_TRACE(n);
    const Recorder r = run_bare(program().mat_mul(n).simd_read_write());
    const Cycle last_write = h + 2 * n_array + n - 1;
    const Cycle read = last_write + 1;
    EXPECT_EQ(r.cycles_of(Kind::accumulator_read_a), Cycles{read});
    EXPECT_EQ(r.cycles_of(Kind::alu), Cycles{read + 1});
    EXPECT_EQ(r.cycles_of(Kind::accumulator_write_a),
              joined({steps(h + 2 * n_array, n), {read + 3}}));
    EXPECT_EQ(r.retired(1), h + n);  // goes to the queue at once
  }
}

TEST_P(SimdTiming, MatMulAfterSimdRunsAfterTheLastWrite) {
  for (const std::uint64_t n : counts()) {
    for (const std::uint64_t simds : {1U, 2U, 5U}) {
      SCOPED_TRACE(testing::Message() << simds << " SIMDs, " << n << " vectors");
      Program p = program();
      for (std::uint64_t i = 0; i < simds; ++i) p.simd_read_write();
      const Cycle last_write = h + 4 * simds;
      const Recorder plain = run_bare(Program(p).mat_mul(n, {0, 0}, {1, 0}));
      EXPECT_EQ(plain.cycles_of(Kind::run), steps(last_write + 1, n));
      // An accumulating MatMul also waits for its first operand, which is read after that write.
      const Recorder adding = run_bare(Program(p).mat_mul_accumulate(n, {0, 0}, {1, 0}));
      EXPECT_EQ(adding.cycles_of(Kind::run), steps(last_write + 2, n));
    }
  }
}

TEST_P(SimdTiming, SimdsOverlapTransfers) {
  const std::uint64_t n = 3 * n_array;
  Program p = program();
  for (unsigned i = 0; i < 4; ++i) p.simd_read_write();
  const Recorder r = run_bare(p.read_dram(0, n));
  const Cycle head = h + 4;
  EXPECT_EQ(r.cycles_of(Kind::dram_control), Cycles{head});
  EXPECT_EQ(r.cycles_of(Kind::local_write_b), steps(head + 1, n));
  EXPECT_EQ(r.cycles_of(Kind::alu), steps(h + 2, 4, 4));
}

}  // namespace
}  // namespace tactus
