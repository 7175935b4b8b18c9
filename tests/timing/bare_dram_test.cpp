// DataMoves between DRAM and local memory at the TCU's own interface, with ideal memories. Source:
// hardware spec sections 6, 12.4.
#include "tests/support/timing_cases.h"

namespace tactus {
namespace {

using Kind = TcuEvent;

class BareDramTiming : public ArrayTiming {};
INSTANTIATE_TEST_SUITE_P(N, BareDramTiming, testing::ValuesIn(array_sizes),
                         testing::PrintToStringParamName());

constexpr Cycle access_latencies[] = {1, 2, 7, 30};

TEST_P(BareDramTiming, Read) {
  for (const unsigned port : {0U, 1U}) {
    for (const Cycle k : access_latencies) {
      for (const std::uint64_t n : counts()) {
        SCOPED_TRACE(testing::Message() << "port " << port << ", k=" << k << ", n=" << n);
        const Recorder r = run_bare(program().read_dram(port, n), k);
        EXPECT_EQ(r.cycles_of(Kind::dram_control, port), Cycles{h});
        EXPECT_EQ(r.cycles_of(Kind::dram_in, port), steps(h + k, n));
        EXPECT_EQ(r.cycles_of(Kind::local_write_b), steps(h + k, n));
        const Cycle occupancy = n + k;
        EXPECT_EQ(r.retired(0), h + occupancy - 1);
      }
    }
  }
}

TEST_P(BareDramTiming, Write) {
  for (const unsigned port : {0U, 1U}) {
    for (const std::uint64_t n : counts()) {
      SCOPED_TRACE(testing::Message() << "port " << port << ", n=" << n);
      const Recorder r = run_bare(program().write_dram(port, n));
      EXPECT_EQ(r.cycles_of(Kind::dram_control, port), Cycles{h});
      EXPECT_EQ(r.cycles_of(Kind::local_read_b), steps(h, n));
      EXPECT_EQ(r.cycles_of(Kind::dram_out, port), steps(h + 1, n));
      EXPECT_EQ(r.retired(0), h + n - 1);
    }
  }
}

TEST_P(BareDramTiming, StridedTransfersSendOneRequestAVector) {
  for (const Cycle k : access_latencies) {
    for (const std::uint64_t n : counts()) {
      SCOPED_TRACE(testing::Message() << "k=" << k << ", n=" << n);
      const Recorder in = run_bare(program().read_dram(0, n, {0, 0}, {7, 2}), k);
      EXPECT_EQ(in.cycles_of(Kind::dram_control), steps(h, n));
      EXPECT_EQ(in.cycles_of(Kind::local_write_b), steps(h + k, n));
      EXPECT_EQ(in.retired(0), h + n + k - 1);
      const Recorder out = run_bare(program().write_dram(1, n, {0, 0}, {7, 2}), k);
      EXPECT_EQ(out.cycles_of(Kind::dram_control, 1), steps(h, n));
      EXPECT_EQ(out.cycles_of(Kind::dram_out, 1), steps(h + 1, n));
      EXPECT_EQ(out.retired(0), h + n - 1);
      for (std::uint64_t i = 0; i < n; ++i) {
        const Recorder::Entry control = in.of(Kind::dram_control).at(i);
        EXPECT_EQ(control.b, 7 + 4 * i);
        EXPECT_EQ(control.c, 0U);  // one vector
      }
    }
  }
}

TEST_P(BareDramTiming, AnUnstridedTransferIsOneRequest) {
  const Recorder r = run_bare(program().read_dram(1, 100, {0, 0}, {7, 0}));
  const Recorder::Entry control = r.of(Kind::dram_control, 1).at(0);
  EXPECT_EQ(control.a, 0U);
  EXPECT_EQ(control.b, 7U);
  EXPECT_EQ(control.c, 99U);
}

TEST_P(BareDramTiming, TransfersNeverOverlap) {
  const Cycle k = 5, n = 6;
  const Recorder r =
      run_bare(program().read_dram(0, n).read_dram(1, n).write_dram(1, n).read_dram(1, n), k);
  const Cycle second = h + n + k;
  const Cycle third = second + n + k;
  const Cycle fourth = third + n;
  EXPECT_EQ(r.cycles_of(Kind::dram_control, 0), Cycles{h});
  EXPECT_EQ(r.cycles_of(Kind::dram_control, 1), (Cycles{second, third, fourth}));
  EXPECT_EQ(r.cycles_of(Kind::local_write_b),
            joined({steps(h + k, n), steps(second + k, n), steps(fourth + k, n)}));
}

}  // namespace
}  // namespace tactus
