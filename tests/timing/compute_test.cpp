// Single instructions on the compute side, and streams of one kind. Source: hardware spec sections
// 4.1, 12.1, 12.6, 12.8.
#include <algorithm>

#include "tests/support/timing_cases.h"

namespace tactus {
namespace {

using Kind = TcuEvent;
using Move = Program::Kind;

class ComputeTiming : public ArrayTiming {};
INSTANTIATE_TEST_SUITE_P(N, ComputeTiming, testing::ValuesIn(array_sizes),
                         testing::PrintToStringParamName());

TEST_P(ComputeTiming, NoOpStreamRetiresOneACycle) {
  const std::uint64_t count = 100;
  const Recorder r = run_bare(program().no_op(count));
  // An instruction is accepted in cycle k, is at the head in k+1 and retires there. PC = k at its
  // retire.
  EXPECT_EQ(r.cycles_of(Kind::instruction_accepted), steps(0, count));
  EXPECT_EQ(r.cycles_of(Kind::retired), steps(h, count));
  for (const Recorder::Entry& e : r.of(Kind::retired)) EXPECT_EQ(e.c, e.cycle - h);
}

TEST_P(ComputeTiming, ConfigureAndUndefinedInstructionsTakeOneCycle) {
  Program p = program();
  p.configure(tcu::ConfigRegister::timeout, 50).configure(tcu::ConfigRegister::tracepoint, 7);
  for (std::uint8_t opcode = 0x5; opcode <= 0xE; ++opcode) p.raw({opcode, 3, 1, 2, 3});
  std::uint64_t count = 2 + 10;
  for (std::uint8_t kind = 0; kind < 16; ++kind) {
    if (kind < 4 || (kind > 0xB && kind != 0xE)) continue;
    p.raw({0x2, kind, 1, 2, 3});
    ++count;
  }
  const Recorder r = run_bare(p);
  EXPECT_EQ(r.cycles_of(Kind::retired), steps(h, count));
}

TEST_P(ComputeTiming, AWrittenProgramCounterShowsInTheNextRetire) {
  const Recorder r =
      run_bare(program().no_op(2).configure(tcu::ConfigRegister::program_counter, 1000).no_op(2));
  std::vector<std::uint64_t> counters;
  for (const Recorder::Entry& e : r.of(Kind::retired)) counters.push_back(e.c);
  EXPECT_EQ(counters, (std::vector<std::uint64_t>{0, 1, 2, 1000, 1001}));
}

/// The decoder's own queue has 2 plain entries.
TEST_P(ComputeTiming, InstructionQueueHoldsTwo) {
  const Cycle n = 10;
  const Recorder r = run_bare(program().load_weights(n).no_op(4));
  const Cycle retire = h + n - 1;
  // Two instructions fill the queue; an entry is free in the cycle after the head retires.
  EXPECT_EQ(r.cycles_of(Kind::instruction_accepted), joined({{0, 1}, steps(retire + 1, 3)}));
  EXPECT_EQ(r.cycles_of(Kind::retired), joined({{retire}, steps(retire + 1, 4)}));
}

TEST_P(ComputeTiming, TimeoutCountsCyclesOfAWaitingHead) {
  const Cycle timeout = 5, latency = 20, n = 3;
  const Recorder r = run_bare(
      program().configure(tcu::ConfigRegister::timeout, timeout).read_dram(0, n).no_op(), latency);
  const Cycle head = h + 1;
  const Cycle retire = head + latency + n - 1;
  // The timer is 0 in the head's first cycle, and again in the cycle after its retire.
  EXPECT_EQ(r.cycles_of(Kind::timeout), steps(head + timeout, retire - (head + timeout) + 1));
}

// ---- section 12.1, line by line ----------------------------------------------------------------

TEST_P(ComputeTiming, MatMul) {
  for (const std::uint64_t n : counts()) {
    SCOPED_TRACE(n);
    const Recorder r = run_bare(program().mat_mul(n).no_op());
    const Cycle first_run = h + 1;              // read in h, data one cycle later
    const Cycle first_write = h + 2 * n_array;  // run + (2N-1) cycles of the pipeline
    EXPECT_EQ(r.cycles_of(Kind::local_read_a), steps(h, n));
    EXPECT_EQ(r.cycles_of(Kind::run), steps(first_run, n));
    EXPECT_EQ(r.cycles_of(Kind::accumulator_write_a), steps(first_write, n));
    EXPECT_EQ(r.retired(0), h + n - 1);
    EXPECT_EQ(r.head(1), h + n);
  }
}

TEST_P(ComputeTiming, MatMulAccumulate) {
  for (const std::uint64_t n : counts()) {
    SCOPED_TRACE(n);
    const Recorder r = run_bare(program().mat_mul_accumulate(n));
    // Control reaches the accumulators in h+1. The first run waits for port B's data, one cycle
    // later.
    const Cycle first_run = h + 2;
    const Cycle first_write = h + 2 * n_array + 1;
    EXPECT_EQ(r.cycles_of(Kind::local_read_a), steps(h, n));
    EXPECT_EQ(r.cycles_of(Kind::run), steps(first_run, n));
    EXPECT_EQ(r.cycles_of(Kind::accumulator_write_a), steps(first_write, n));
    EXPECT_EQ(r.retired(0), h + n - 1);
    // Port A's one-entry queue lets one operation look ahead of the first write; each later
    // operation requests its operand when the write before the previous one has left.
    const std::uint64_t ahead = std::min<std::uint64_t>(n, 2);
    EXPECT_EQ(r.cycles_of(Kind::accumulator_read_b),
              joined({steps(h + 1, ahead), steps(first_write + 1, n - ahead)}));
  }
}

TEST_P(ComputeTiming, MatMulZeroes) {
  for (const std::uint64_t n : counts()) {
    SCOPED_TRACE(n);
    const Recorder r = run_bare(program().mat_mul_zeroes(n));
    EXPECT_EQ(r.cycles_of(Kind::local_read_a), Cycles{});
    EXPECT_EQ(r.cycles_of(Kind::run), steps(h + 1, n));  // one cycle in the array's queue
    EXPECT_EQ(r.cycles_of(Kind::accumulator_write_a), steps(h + 2 * n_array, n));
    EXPECT_EQ(r.retired(0), h);  // it does not use local memory
  }
}

TEST_P(ComputeTiming, LoadWeights) {
  for (const std::uint64_t n : counts()) {
    SCOPED_TRACE(n);
    const Recorder r = run_bare(program().load_weights(n, {10, 0}));
    EXPECT_EQ(r.cycles_of(Kind::local_read_a), steps(h, n));
    EXPECT_EQ(r.cycles_of(Kind::load), steps(h + 1, n));
    EXPECT_EQ(r.retired(0), h + n - 1);
    const std::vector<std::uint64_t> addresses = r.operands_of(Kind::local_read_a);
    for (std::uint64_t i = 0; i < n; ++i) EXPECT_EQ(addresses.at(i), 10 + n - 1 - i);
  }
}

TEST_P(ComputeTiming, LoadWeightsZeroes) {
  for (const std::uint64_t n : counts()) {
    SCOPED_TRACE(n);
    const Recorder r = run_bare(program().load_weights_zeroes(n));
    EXPECT_EQ(r.cycles_of(Kind::load), steps(h + 1, n));
    EXPECT_EQ(r.retired(0), h);
  }
}

TEST_P(ComputeTiming, AccumulatorToLocal) {
  for (const std::uint64_t n : counts()) {
    SCOPED_TRACE(n);
    const Recorder r = run_bare(program().move(Move::accumulator_to_local, n));
    const Cycle first_read = h + 1;   // one cycle in the accumulators' queue
    const Cycle first_write = h + 2;  // read data one cycle later
    EXPECT_EQ(r.cycles_of(Kind::accumulator_read_a), steps(first_read, n));
    EXPECT_EQ(r.cycles_of(Kind::local_write_a), steps(first_write, n));
    const Cycle occupancy = n + 2;
    EXPECT_EQ(r.retired(0), h + occupancy - 1);  // in the cycle of its last local write
  }
}

TEST_P(ComputeTiming, LocalToAccumulator) {
  for (const bool accumulate : {false, true}) {
    for (const std::uint64_t n : counts()) {
      SCOPED_TRACE(testing::Message() << n << (accumulate ? " accumulate" : ""));
      const auto kind =
          accumulate ? Move::local_to_accumulator_accumulate : Move::local_to_accumulator;
      const Recorder r = run_bare(program().move(kind, n));
      const Cycle operand = accumulate ? 1 : 0;  // port B's data, one cycle after the control
      EXPECT_EQ(r.cycles_of(Kind::local_read_a), steps(h, n));
      EXPECT_EQ(r.cycles_of(Kind::accumulator_write_a), steps(h + 1 + operand, n));
      EXPECT_EQ(r.retired(0), h + n - 1);
    }
  }
}

TEST_P(ComputeTiming, MatMulsBackToBackLeaveNoBubble) {
  for (const bool accumulate : {false, true}) {
    for (const std::uint64_t n : counts()) {
      SCOPED_TRACE(testing::Message() << n << (accumulate ? " accumulate" : ""));
      // Enough instructions to fill the router's 2N selections with results that are still in the
      // array.
      const std::uint64_t instructions = 2 * n_array + 7;
      Program p = program();
      for (std::uint64_t i = 0; i < instructions; ++i) {
        // Strides do not cost cycles.
        const tcu::Operand local{i, static_cast<unsigned>(i % 3)};
        const tcu::Operand accumulator{i * n, static_cast<unsigned>(i % 2)};
        accumulate ? p.mat_mul_accumulate(n, local, accumulator) : p.mat_mul(n, local, accumulator);
      }
      const Recorder r = run_bare(p);
      const Cycle operand = accumulate ? 1 : 0;
      const std::uint64_t vectors = instructions * n;
      EXPECT_EQ(r.cycles_of(Kind::run), steps(h + 1 + operand, vectors));
      EXPECT_EQ(r.cycles_of(Kind::accumulator_write_a), steps(h + 2 * n_array + operand, vectors));
      EXPECT_EQ(r.retired(0), h + n - 1);
      if (!accumulate) {
        EXPECT_EQ(r.cycles_of(Kind::retired), steps(h + n - 1, instructions, n));
      }
    }
  }
}

TEST_P(ComputeTiming, StridesAndReverseWalkAddresses) {
  using Addresses = std::vector<std::uint64_t>;
  const Recorder m = run_bare(program().mat_mul(4, {100, 2}, {50, 3}));
  EXPECT_EQ(m.operands_of(Kind::local_read_a), (Addresses{100, 104, 108, 112}));
  EXPECT_EQ(m.operands_of(Kind::accumulator_write_a), (Addresses{50, 58, 66, 74}));
  const Recorder w = run_bare(program().load_weights(4, {100, 1}));
  EXPECT_EQ(w.operands_of(Kind::local_read_a), (Addresses{106, 104, 102, 100}));
  // Addresses wrap at the depths, here 4096 and 1024.
  const Recorder wrap = run_bare(program().mat_mul(4, {4094, 0}, {1022, 0}));
  EXPECT_EQ(wrap.operands_of(Kind::local_read_a), (Addresses{4094, 4095, 0, 1}));
  EXPECT_EQ(wrap.operands_of(Kind::accumulator_write_a), (Addresses{1022, 1023, 0, 1}));
}

/// The offset from the base wraps at the depth; the sum wraps at the next power of two.
TEST_P(ComputeTiming, AddressesOfADepthThatIsNoPowerOfTwo) {
  using Addresses = std::vector<std::uint64_t>;
  tcu::Architecture architecture = timing_architecture(GetParam());
  architecture.local_depth = 384;
  const Recorder strided = run_bare(Program(architecture).mat_mul(5, {1, 7}));
  EXPECT_EQ(strided.operands_of(Kind::local_read_a), (Addresses{1, 129, 257, 1, 129}));
  const Recorder beyond = run_bare(Program(architecture).mat_mul(3, {383, 0}));
  EXPECT_EQ(beyond.operands_of(Kind::local_read_a), (Addresses{383, 384, 385}));
  const Recorder around = run_bare(Program(architecture).mat_mul(3, {510, 0}));
  EXPECT_EQ(around.operands_of(Kind::local_read_a), (Addresses{510, 511, 0}));
}

/// The example of section 12.6.
TEST(WorkedExample, MatMulOfFourVectorsOnAnArrayOfEight) {
  const Recorder r = run_bare(Program(timing_architecture(8)).mat_mul(4).no_op());
  EXPECT_EQ(r.cycles_of(Kind::instruction_accepted), (Cycles{0, 1}));
  EXPECT_EQ(r.cycles_of(Kind::local_read_a), (Cycles{1, 2, 3, 4}));
  EXPECT_EQ(r.cycles_of(Kind::run), (Cycles{2, 3, 4, 5}));
  EXPECT_EQ(r.cycles_of(Kind::accumulator_write_a), (Cycles{17, 18, 19, 20}));
  EXPECT_EQ(r.cycles_of(Kind::retired), (Cycles{4, 5}));
}

}  // namespace
}  // namespace tactus
