// Local memory -> DRAM through AXI, and how reads and writes of a port exclude each other. Source:
// hardware spec sections 10, 12.5.
#include <algorithm>
#include <utility>

#include "tests/support/axi_timeline.h"
#include "tests/support/timing_cases.h"

namespace tactus {
namespace {

using Kind = TcuEvent;

class AxiWriteTiming : public testing::TestWithParam<AxiCase> {
 protected:
  const Cycle m = GetParam().beats();

  [[nodiscard]] static Program program() {
    return Program(timing_architecture(GetParam().n_array));
  }
  [[nodiscard]] static Recorder run(const Program& program, Latencies latencies) {
    return run_axi(program, GetParam().data_bits, latencies);
  }
};
INSTANTIATE_TEST_SUITE_P(Designs, AxiWriteTiming, testing::ValuesIn(axi_cases),
                         testing::PrintToStringParamName());

TEST_P(AxiWriteTiming, OneBurst) {
  for (const unsigned port : {0U, 1U}) {
    for (const Cycle answer : {Cycle{1}, Cycle{25}}) {
      for (const std::uint64_t n : {1U, 2U, 3U, 7U, 8U, 9U, 16U}) {
        SCOPED_TRACE(testing::Message() << "port " << port << ", L_b=" << answer << ", n=" << n);
        const Recorder r = run(program().write_dram(port, n), {1, answer});
        const Cycle h = r.accepted(0) + 1;
        EXPECT_EQ(r.cycles_of(Kind::axi_write_address, port), Cycles{h + 2});
        // Local memory, Converter's queue, serializer and AXI queue take one cycle each.
        const Cycle first_beat = h + 4;
        const Cycle last_beat = first_beat + n * m - 1;
        EXPECT_EQ(r.cycles_of(Kind::axi_write_data, port), steps(first_beat, n * m));
        EXPECT_EQ(r.cycles_of(Kind::axi_write_response, port), Cycles{last_beat + answer});
        const WriteTimeline expected(n, m);
        EXPECT_EQ(r.cycles_of(Kind::local_read_b), from(h, expected.local_reads));
        EXPECT_EQ(r.retired(0), h + expected.local_reads.back());
      }
    }
  }
}

/// The spec's closed forms of the local reads, for m = 1 and m = 2.
TEST(WriteReads, ClosedForms) {
  const std::uint64_t n = 100;
  EXPECT_EQ(WriteTimeline(n, 1).local_reads, steps(0, n));
  Cycles expected = steps(0, 7);
  // Three reads, then a pause until fewer than 2 vectors are stored.
  for (std::uint64_t k = 8; k <= n; ++k) expected.push_back(10 + 6 * ((k - 8) / 3) + (k - 8) % 3);
  EXPECT_EQ(WriteTimeline(n, 2).local_reads, expected);
}

TEST_P(AxiWriteTiming, LongTransfersAreContiguous) {
  const AxiCase c = GetParam();
  const std::uint64_t n = 2 * c.burst_vectors() + 5;
  const Recorder r = run(program().write_dram(0, n), {1, 1});
  const Cycle h = r.accepted(0) + 1;
  // The first address is two cycles ahead of its data. A later address leaves the Converter in the
  // cycle after the previous burst's last beat, in which its own data begin.
  const Cycle first_beat = h + 4;
  const std::uint64_t pieces = c.burst_pieces();
  EXPECT_EQ(r.cycles_of(Kind::axi_write_address),
            joined({steps(h + 2, pieces), steps(first_beat + 256, pieces), {first_beat + 512}}));
  EXPECT_EQ(r.cycles_of(Kind::axi_write_data), steps(first_beat, n * m));
  const Cycle piece = 256 / pieces;
  const Cycle last_beat = first_beat + n * m - 1;
  EXPECT_EQ(r.cycles_of(Kind::axi_write_response),
            joined({steps(first_beat + piece, 2 * pieces, piece), {last_beat + 1}}));
  EXPECT_EQ(r.cycles_of(Kind::local_read_b), from(h, WriteTimeline(n, m).local_reads));
}

TEST_P(AxiWriteTiming, TwoTransfersAreContiguous) {
  const std::pair<std::uint64_t, std::uint64_t> cases[] = {{5, 11}, {9, 1}, {12, 2}, {16, 3}};
  for (const auto& [first, second] : cases) {
    SCOPED_TRACE(testing::Message() << first << " and " << second);
    const Recorder r = run(program().write_dram(0, first).write_dram(0, second), {1, 1});
    const Cycle h = r.accepted(0) + 1;
    EXPECT_EQ(r.cycles_of(Kind::axi_write_data), steps(h + 4, (first + second) * m));
    const Cycle end_of_first = h + 4 + first * m;  // one cycle after its last beat
    EXPECT_EQ(r.cycles_of(Kind::axi_write_address), (Cycles{h + 2, end_of_first}));
    const WriteTimeline expected(first + second, m);
    EXPECT_EQ(r.cycles_of(Kind::local_read_b), from(h, expected.local_reads));
    // The decoder's host queue has one entry, which the first move occupies until its last vector.
    const Cycle place = expected.handed_over[first - 1];
    EXPECT_EQ(r.retired(1), h + std::max(expected.local_reads.back(), place));
  }
}

TEST_P(AxiWriteTiming, StridedIsOneBurstAVector) {
  const std::uint64_t n = 20;
  const Recorder r = run(program().write_dram(0, n, {0, 0}, {0, 3}), {1, 1});
  const Cycle h = r.accepted(0) + 1;
  const Cycle first_beat = h + 4;
  EXPECT_EQ(r.cycles_of(Kind::axi_write_address),
            joined({{h + 2}, steps(first_beat + m, n - 1, m)}));
  EXPECT_EQ(r.cycles_of(Kind::axi_write_data), steps(first_beat, n * m));
  EXPECT_EQ(r.cycles_of(Kind::axi_write_response), steps(first_beat + m, n, m));
  EXPECT_EQ(r.cycles_of(Kind::local_read_b), from(h, WriteTimeline(n, m).local_reads));
}

TEST_P(AxiWriteTiming, StridedWithSlowAnswersStallsAfterThree) {
  const std::uint64_t n = 12;
  const Cycle answer = 100;  // longer than three bursts
  const Recorder r = run(program().write_dram(0, n, {0, 0}, {0, 3}), {1, answer});
  const Cycle h = r.accepted(0) + 1;
  Cycles addresses, beats, responses;
  for (std::uint64_t i = 0; i < n; ++i) {
    Cycle address = h + 2;
    if (i > 0) address = beats.back() + 1;
    // Two responses are booked, and a third address may be out.
    if (i >= 3) address = std::max(address, responses[i - 3] + 1);
    addresses.push_back(address);
    const Cycle beat = i == 0 ? h + 4 : std::max(address, beats.back() + 1);
    for (Cycle b = 0; b < m; ++b) beats.push_back(beat + b);
    responses.push_back(beats.back() + answer);
  }
  EXPECT_EQ(addresses[3], responses[0] + 1);
  EXPECT_EQ(r.cycles_of(Kind::axi_write_address), addresses);
  EXPECT_EQ(r.cycles_of(Kind::axi_write_data), beats);
  EXPECT_EQ(r.cycles_of(Kind::axi_write_response), responses);
}

// ---- reads and writes of one port --------------------------------------------------------------

TEST_P(AxiWriteTiming, ReadWaitsForAllResponsesOfItsPort) {
  const std::uint64_t n = 3;
  for (const Cycle answer : {Cycle{1}, Cycle{2}, Cycle{30}}) {
    SCOPED_TRACE(answer);
    const Recorder r = run(program().write_dram(0, n).read_dram(0, 2), {1, answer});
    const Cycle last_response = r.accepted(0) + 1 + 4 + n * m - 1 + answer;
    EXPECT_EQ(r.cycles_of(Kind::axi_write_response), Cycles{last_response});
    // One cycle each: AXI queue, Converter's queue, the Converter's count; then the address's path
    // out.
    const Cycle answered = last_response + 4;
    const Cycle decoded = r.head(1) + 2;
    EXPECT_EQ(r.cycles_of(Kind::axi_read_address), Cycles{std::max(decoded, answered)});
  }
}

TEST_P(AxiWriteTiming, ReadWaitsForTheLastOfSeveralResponses) {
  const std::uint64_t n = 6;
  const Recorder r = run(program().write_dram(1, n, {0, 0}, {0, 1}).read_dram(1, 2), {1, 40});
  const Cycles responses = r.cycles_of(Kind::axi_write_response, 1);
  ASSERT_EQ(responses.size(), n);
  EXPECT_EQ(r.cycles_of(Kind::axi_read_address, 1), Cycles{responses.back() + 4});
}

TEST_P(AxiWriteTiming, WriteFollowsTheReadOfItsPort) {
  const Recorder r = run(program().read_dram(0, 3).write_dram(0, 3), {10, 1});
  EXPECT_EQ(r.cycles_of(Kind::axi_write_address), Cycles{r.retired(0) + 3});
}

TEST_P(AxiWriteTiming, AReadOfTheOtherPortWaitsOnlyForVectorsNotHandedOver) {
  const std::uint64_t read = 4;
  for (const Cycle latency : {Cycle{1}, Cycle{10}}) {
    for (const std::uint64_t n : {1U, 4U, 9U, 10U, 11U, 24U}) {
      SCOPED_TRACE(testing::Message() << "L=" << latency << ", n=" << n);
      const Recorder r = run(program().write_dram(0, n).read_dram(1, read), {latency, 100});
      const Cycle h = r.accepted(0) + 1;
      const WriteTimeline write(n, m);
      const Cycle address = r.head(1) + 2;  // directly after decoding
      EXPECT_EQ(r.cycles_of(Kind::axi_read_address, 1), Cycles{address});
      const Cycle ready = address + latency + m - 1 + (m == 1 ? 2 : 3);
      const Cycle allowed = h + write.handed_over.back() + 1;
      EXPECT_EQ(r.cycles_of(Kind::local_write_b), steps(std::max(ready, allowed), read, m));
    }
  }
}

TEST_P(AxiWriteTiming, TheEndOfAWriteOverlapsAProduct) {
  const Recorder r = run(program().write_dram(0, 20).mat_mul(5), {1, 50});
  EXPECT_EQ(r.cycles_of(Kind::run), steps(r.retired(0) + 2, 5));
  EXPECT_EQ(r.cycles_of(Kind::axi_write_data), steps(r.accepted(0) + 1 + 4, 20 * m));
}

}  // namespace
}  // namespace tactus
