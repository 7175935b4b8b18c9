// Timing of the activation unit: an activated DataMove from the accumulators takes two cycles more,
// for all functions; loading parameters takes four cycles.
#include "tests/support/timing_cases.h"

namespace tactus {
namespace {

using Kind = TcuEvent;
using Move = Program::Kind;

class ActivationTiming : public ArrayTiming {
 protected:
  static Program with_unit() {
    tcu::Architecture a = timing_architecture(GetParam());
    a.activation_unit = true;
    return Program(a);
  }
};
INSTANTIATE_TEST_SUITE_P(N, ActivationTiming, testing::ValuesIn(array_sizes),
                         testing::PrintToStringParamName());

TEST_P(ActivationTiming, ADataMoveTakesTwoCyclesMore) {
  for (const std::uint64_t n : counts()) {
    SCOPED_TRACE(n);
    const Recorder r = run_bare(with_unit().move(Move::accumulator_to_local_activated, n).no_op());
    EXPECT_EQ(r.cycles_of(Kind::accumulator_read_a), steps(h + 1, n));
    EXPECT_EQ(r.cycles_of(Kind::local_write_a), steps(h + 4, n));
    EXPECT_EQ(r.retired(0), h + n + 3);
    EXPECT_EQ(r.head(1), h + n + 4);
    const Recorder plain = run_bare(with_unit().move(Move::accumulator_to_local, n).no_op());
    EXPECT_EQ(plain.retired(0), h + n + 1);
  }
}

TEST_P(ActivationTiming, ParametersTakeFourCycles) {
  const Recorder r =
      run_bare(with_unit().load_activation({8, 1}).move(Move::accumulator_to_local_activated, 3));
  EXPECT_EQ(r.cycles_of(Kind::local_read_a), steps(h, 4));
  EXPECT_EQ(r.operands_of(Kind::local_read_a), (std::vector<std::uint64_t>{8, 10, 12, 14}));
  EXPECT_EQ(r.retired(0), h + 3);
  EXPECT_EQ(r.cycles_of(Kind::local_write_a), steps(h + 4 + 4, 3));
}

/// MatMul of n vectors and an activated move take 2n + 2N + 3 cycles; with a plain move they take
/// 2n + 2N + 1.
TEST_P(ActivationTiming, ResultsAreActivatedOnTheirWayOut) {
  for (const std::uint64_t n : counts()) {
    SCOPED_TRACE(n);
    const Recorder r = run_bare(
        with_unit().mat_mul(n).move(Move::accumulator_to_local_activated, n, {n, 0}, {0, 0}));
    EXPECT_EQ(r.retired(1), h - 1 + 2 * n + 2 * n_array + 3);
  }
}

/// Parameters that are loaded after a move waiting for results of the array arrive after the move's
/// last vector, and later vectors use all four parameters.
TEST_P(ActivationTiming, VectorsFollowTheirParameters) {
  const std::uint64_t n = 3;
  const Recorder r = run_bare(with_unit()
                                  .mat_mul(n)
                                  .move(Move::local_to_accumulator, n, {0, 0}, {n, 0})
                                  .load_activation()
                                  .move(Move::accumulator_to_local_activated, 1, {50, 0}, {0, 0}));
  const Cycle last_write = h + 2 * n_array + 2 * n - 1;
  // The parameters' reads end three cycles after the move's last vector has made room for the first
  // parameter.
  const Cycle head = last_write + 4;
  EXPECT_EQ(r.retired(2), head - 1);
  EXPECT_EQ(r.cycles_of(Kind::local_write_a), (Cycles{head + 4}));
}

}  // namespace
}  // namespace tactus
