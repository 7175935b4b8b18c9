// DRAM -> local memory through AXI. Source: hardware spec sections 10, 12.5.
#include "tests/support/axi_timeline.h"
#include "tests/support/timing_cases.h"

namespace tactus {
namespace {

using Kind = TcuEvent;

class AxiReadTiming : public testing::TestWithParam<AxiCase> {
 protected:
  const Cycle m = GetParam().beats();
  const Cycle fill = m == 1 ? 2 : 3;  ///< cycles from a vector's last beat to its local write

  [[nodiscard]] static Program program() {
    return Program(timing_architecture(GetParam().n_array));
  }
  [[nodiscard]] static Recorder run(const Program& program, Latencies latencies) {
    return run_axi(program, GetParam().data_bits, latencies);
  }
};
INSTANTIATE_TEST_SUITE_P(Designs, AxiReadTiming, testing::ValuesIn(axi_cases),
                         testing::PrintToStringParamName());

constexpr Cycle latencies[] = {1, 2, 10, 40};

/// Returns the bursts of a transfer from address 0 without stride.
std::vector<Pieces> bursts(const AxiCase& c, std::uint64_t n) {
  const std::uint64_t piece = 256 / c.burst_pieces();
  std::vector<Pieces> bursts;
  for (; n > c.burst_vectors(); n -= c.burst_vectors()) {
    bursts.emplace_back(c.burst_pieces(), piece);
  }
  bursts.emplace_back();
  std::uint64_t beats = n * c.beats();
  for (; beats > piece; beats -= piece) bursts.back().push_back(piece);
  bursts.back().push_back(beats);
  return bursts;
}

TEST_P(AxiReadTiming, OneBurst) {
  for (const unsigned port : {0U, 1U}) {
    for (const Cycle latency : latencies) {
      for (const std::uint64_t n : {1U, 2U, 3U, 4U, 7U, 16U}) {
        SCOPED_TRACE(testing::Message() << "port " << port << ", L=" << latency << ", n=" << n);
        const Recorder r = run(program().read_dram(port, n), {latency, 1});
        const Cycle h = r.accepted(0) + 1;
        const Cycle address = h + 2;  // Converter's request queue and AXI queue
        const Cycle first_beat = address + latency;
        const Cycle first_write = first_beat + m - 1 + fill;
        EXPECT_EQ(first_write, m == 1 ? h + 4 + latency : h + m + 4 + latency);
        EXPECT_EQ(r.cycles_of(Kind::axi_read_address, port), Cycles{address});
        EXPECT_EQ(r.cycles_of(Kind::axi_read_data, port), steps(first_beat, n * m));
        EXPECT_EQ(r.cycles_of(Kind::local_write_b), steps(first_write, n, m));
        const Cycle occupancy = m == 1 ? 4 + latency + n : 5 + latency + n * m;
        EXPECT_EQ(r.retired(0), h + occupancy - 1);
      }
    }
  }
}

TEST_P(AxiReadTiming, LongTransfersStayGapless) {
  const AxiCase c = GetParam();
  for (const Cycle latency : {Cycle{1}, Cycle{100}}) {
    for (const std::uint64_t n : {c.burst_vectors(), c.burst_vectors() + 1, 3 * c.burst_vectors(),
                                  5 * c.burst_vectors() + 3}) {
      SCOPED_TRACE(testing::Message() << "L=" << latency << ", n=" << n);
      const Recorder r = run(program().read_dram(0, n), {latency, 1});
      const Cycle h = r.accepted(0) + 1;
      const ReadTimeline expected(bursts(c, n), m, latency);
      EXPECT_EQ(r.cycles_of(Kind::axi_read_address), from(h, expected.addresses));
      // Up to three bursts in flight cover the latency, so beats arrive without a gap.
      EXPECT_EQ(r.cycles_of(Kind::axi_read_data), steps(h + 2 + latency, n * m));
      EXPECT_EQ(r.cycles_of(Kind::local_write_b), from(h, expected.local_writes));
      const Cycle occupancy = m == 1 ? 4 + latency + n : 5 + latency + n * m;
      EXPECT_EQ(r.retired(0), h + occupancy - 1);
    }
  }
}

TEST_P(AxiReadTiming, ThreeBurstsAtOnceAreTooFewForALongLatency) {
  const AxiCase c = GetParam();
  const Cycle latency = 900;  // more than the beats of three bursts
  const std::uint64_t n = 7 * c.burst_vectors();
  const Recorder r = run(program().read_dram(0, n), {latency, 1});
  const Cycle h = r.accepted(0) + 1;
  const ReadTimeline expected(bursts(c, n), m, latency);
  EXPECT_EQ(r.cycles_of(Kind::axi_read_address), from(h, expected.addresses));
  EXPECT_EQ(r.cycles_of(Kind::axi_read_data), from(h, expected.beats));
  EXPECT_EQ(r.cycles_of(Kind::local_write_b), from(h, expected.local_writes));
}

TEST_P(AxiReadTiming, StridedIsOneBurstAVectorAndThreeAtOnce) {
  for (const Cycle latency : {1U, 2U, 3U, 4U, 20U, 50U}) {
    for (const std::uint64_t n : {1U, 3U, 4U, 5U, 20U}) {
      SCOPED_TRACE(testing::Message() << "L=" << latency << ", n=" << n);
      const Recorder r = run(program().read_dram(0, n, {0, 0}, {0, 3}), {latency, 1});
      const Cycle h = r.accepted(0) + 1;
      const ReadTimeline expected(std::vector<Pieces>(n, {m}), m, latency);
      EXPECT_EQ(r.cycles_of(Kind::axi_read_address), from(h, expected.addresses));
      EXPECT_EQ(r.cycles_of(Kind::axi_read_data), from(h, expected.beats));
      EXPECT_EQ(r.cycles_of(Kind::local_write_b), from(h, expected.local_writes));
      EXPECT_EQ(r.retired(0), h + expected.local_writes.back());
      for (std::uint64_t i = 0; i < n; ++i) {
        const Recorder::Entry address = r.of(Kind::axi_read_address).at(i);
        EXPECT_EQ(address.a, 8 * i * GetParam().vector_bytes());
        EXPECT_EQ(address.b, m - 1);
      }
    }
  }
}

TEST_P(AxiReadTiming, ConsecutiveTransfersDoNotOverlap) {
  const Cycle latency = 10;
  const Recorder r =
      run(program().read_dram(0, 5).read_dram(1, 3).read_dram(1, 2).read_dram(0, 1), {latency, 1});
  const Cycles ports[] = {r.cycles_of(Kind::axi_read_address, 0),
                          r.cycles_of(Kind::axi_read_address, 1)};
  // One cycle each for retire, head, Converter, AXI queue, counted from the retire.
  EXPECT_EQ(ports[1], (Cycles{r.retired(0) + 3, r.retired(1) + 3}));
  EXPECT_EQ(ports[0].at(1), r.retired(2) + 3);
}

TEST_P(AxiReadTiming, OtherInstructionsRunRightAfter) {
  const Recorder r = run(program().read_dram(0, 2).mat_mul(3), {10, 1});
  EXPECT_EQ(r.cycles_of(Kind::local_read_a), steps(r.retired(0) + 1, 3));
}

/// A memory may take any time; waiting for it is not reported as a hang.
TEST(AxiLatency, MayBeVeryLong) {
  for (const Cycle latency : {1000U, 1001U, 1002U, 5000U}) {
    SCOPED_TRACE(latency);
    const Recorder r = run_axi(Program(timing_architecture(8)).read_dram(0, 1).write_dram(0, 1), 64,
                               {latency, latency});
    EXPECT_EQ(r.cycles_of(Kind::axi_read_data), steps(1 + 2 + latency, 2));
    EXPECT_EQ(r.first(Kind::axi_write_response), r.last(Kind::axi_write_data) + latency);
  }
}

// ---- the spec's own example
// ------------------------------------------------------------------------

TEST(AxiExample, StridedReadOfLatencyTwenty) {
  const Recorder r =
      run_axi(Program(timing_architecture(8)).read_dram(0, 6, {0, 0}, {0, 1}), 64, {20, 1});
  EXPECT_EQ(from(0, r.cycles_of(Kind::axi_read_address)), from(1, {2, 3, 4, 24, 26, 28}));
}

/// Example of section 12.7: a chain through both ports, latency 10, m = 2.
TEST(AxiExample, Chain) {
  using Move = Program::Kind;
  Program p{tcu::Architecture()};
  p.read_dram(0, 8).read_dram(1, 9, {8, 0}).load_weights(9, {8, 0}).mat_mul(8);
  p.move(Move::accumulator_to_local, 8, {20, 0}).write_dram(0, 8, {20, 0}, {100, 0});
  const Recorder r = run_axi(p, 64, {10, 1});
  EXPECT_EQ(r.cycles_of(Kind::retired), (Cycles{31, 64, 73, 81, 106, 117}));
  EXPECT_EQ(r.cycles_of(Kind::axi_read_address, 0), Cycles{3});
  EXPECT_EQ(r.cycles_of(Kind::axi_read_address, 1), Cycles{34});
  EXPECT_EQ(r.cycles_of(Kind::load), steps(66, 9));
  EXPECT_EQ(r.cycles_of(Kind::run), steps(75, 8));
  EXPECT_EQ(r.cycles_of(Kind::accumulator_write_a), steps(90, 8));
  EXPECT_EQ(r.cycles_of(Kind::local_write_a), steps(99, 8));
  EXPECT_EQ(r.cycles_of(Kind::local_read_b), joined({steps(107, 7), {117}}));
  EXPECT_EQ(r.cycles_of(Kind::axi_write_address), Cycles{109});
  EXPECT_EQ(r.cycles_of(Kind::axi_write_data), steps(111, 16));
  EXPECT_EQ(r.cycles_of(Kind::axi_write_response), Cycles{127});
}

}  // namespace
}  // namespace tactus
