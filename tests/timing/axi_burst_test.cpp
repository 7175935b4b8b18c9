// How transfers are split into bursts: Vmax, pages of 4096 bytes, and the RTL's off-by-one at page
// borders. Source: hardware spec sections 10.1, 10.3.
#include <utility>

#include "tests/support/timing_cases.h"

namespace tactus {
namespace {

using Kind = TcuEvent;

/// Byte address and AxLEN, i.e. the number of beats minus one.
using Burst = std::pair<std::uint64_t, std::uint64_t>;
using Bursts = std::vector<Burst>;

Bursts bursts_of(const Recorder& r, EventKind kind, unsigned port = 0) {
  Bursts bursts;
  for (const Recorder::Entry& e : r.of(kind, port)) bursts.emplace_back(e.a, e.b);
  return bursts;
}

struct SplitCase {
  AxiCase design;
  std::uint64_t vector;  ///< DRAM address of the transfer, in vectors
  std::uint64_t count;   ///< number of vectors
  Bursts expected;
};

/// 8-byte beats, one per vector: beats = vectors, byte address = 8 * vector.
constexpr AxiCase narrow{4, 64};
/// 16-byte beats, one per vector; a burst of Vmax is one page.
constexpr AxiCase wide{8, 128};
/// 32-byte beats, one per vector; a burst of Vmax is two pages.
constexpr AxiCase wider{16, 256};
/// 8-byte beats, two per vector.
constexpr AxiCase pair{8, 64};

const SplitCase split_cases[] = {
    // The transfer ends at the page border.
    {narrow, 511, 1, {{4088, 0}}},
    {narrow, 384, 128, {{3072, 127}}},
    // One beat is beyond the page border: the burst is not split, against AXI's rule, as in the
    // RTL.
    {narrow, 511, 2, {{4088, 1}}},
    {narrow, 510, 3, {{4080, 2}}},
    {narrow, 508, 5, {{4064, 4}}},
    {narrow, 384, 129, {{3072, 128}}},
    // Two beats are beyond the page border: the burst is split at the border.
    {narrow, 511, 3, {{4088, 0}, {4096, 1}}},
    {narrow, 510, 4, {{4080, 1}, {4096, 1}}},
    {narrow, 508, 6, {{4064, 3}, {4096, 1}}},
    {narrow, 384, 130, {{3072, 127}, {4096, 1}}},
    // The same sizes in another page.
    {narrow, 1023, 2, {{8184, 1}}},
    {narrow, 1023, 3, {{8184, 0}, {8192, 1}}},
    // All beats but one are beyond the page border.
    {narrow, 511, 256, {{4088, 0}, {4096, 254}}},
    {wide, 129, 127, {{2064, 126}}},
    {wide, 129, 128, {{2064, 127}}},
    {wide, 130, 128, {{2080, 125}, {4096, 1}}},
    {wide, 0, 256, {{0, 255}}},
    {wide, 1, 256, {{16, 255}}},
    {wide, 2, 256, {{32, 253}, {4096, 1}}},
    // Longer than a page: the rest of a page, whole pages, the rest. A span of 4096 is not more
    // than a page.
    {wider, 0, 128, {{0, 127}}},
    {wider, 0, 129, {{0, 128}}},
    {wider, 0, 130, {{0, 127}, {4096, 1}}},
    {wider, 0, 256, {{0, 127}, {4096, 127}}},
    {wider, 1, 256, {{32, 126}, {4096, 127}, {8192, 0}}},
    {wider, 127, 256, {{4064, 0}, {4096, 127}, {8192, 126}}},
    // Transfers are split at Vmax first, then at pages.
    {narrow, 0, 256, {{0, 255}}},
    {narrow, 0, 257, {{0, 255}, {2048, 0}}},
    {narrow, 100, 600, {{800, 255}, {2848, 155}, {4096, 99}, {4896, 87}}},
    {pair, 0, 128, {{0, 255}}},
    {pair, 0, 129, {{0, 255}, {2048, 1}}},
    {pair, 0, 300, {{0, 255}, {2048, 255}, {4096, 87}}},
    // With two beats per vector, the transfer ends at the border or two beats are beyond it, so the
    // off-by-one never occurs.
    {pair, 255, 1, {{4080, 1}}},
    {pair, 255, 2, {{4080, 1}, {4096, 1}}},
    {pair, 200, 100, {{3200, 111}, {4096, 87}}},
};

TEST(Bursts, AreCutWhereTheRtlCutsThem) {
  for (const SplitCase& c : split_cases) {
    SCOPED_TRACE(testing::Message() << c.design << ", vector " << c.vector << ", " << c.count);
    const Program empty(timing_architecture(c.design.n_array));
    const Recorder in =
        run_axi(Program(empty).read_dram(0, c.count, {0, 0}, {c.vector, 0}), c.design.data_bits);
    EXPECT_EQ(bursts_of(in, Kind::axi_read_address), c.expected);
    const Recorder out =
        run_axi(Program(empty).write_dram(1, c.count, {0, 0}, {c.vector, 0}), c.design.data_bits);
    EXPECT_EQ(bursts_of(out, Kind::axi_write_address, 1), c.expected);
    // Each piece ends with a beat marked last, and gets a response.
    std::vector<std::uint64_t> last;
    for (const Burst& burst : c.expected) {
      last.insert(last.end(), burst.second, 0);
      last.push_back(1);
    }
    EXPECT_EQ(out.operands_of(Kind::axi_write_data, 1), last);
    EXPECT_EQ(out.cycles_of(Kind::axi_write_response, 1).size(), c.expected.size());
  }
}

TEST(Bursts, OfAnyDesignHoldAtMostVmaxVectors) {
  for (const AxiCase& design : axi_cases) {
    SCOPED_TRACE(testing::Message() << design);
    const std::uint64_t vmax = design.burst_vectors();
    const std::uint64_t bytes = vmax * design.vector_bytes();
    if (bytes > 4096) continue;  // also split at pages; tested above
    const Program empty(timing_architecture(design.n_array));
    const Recorder r = run_axi(Program(empty).read_dram(0, 2 * vmax + 1), design.data_bits);
    const std::uint64_t m = design.beats();
    EXPECT_EQ(bursts_of(r, Kind::axi_read_address),
              (Bursts{{0, vmax * m - 1}, {bytes, vmax * m - 1}, {2 * bytes, m - 1}}));
  }
}

TEST(Bursts, CarryOffsetAndCacheOfTheirPort) {
  using Register = tcu::ConfigRegister;
  const Recorder r = run_axi(Program(timing_architecture(8))
                                 .configure(Register::dram0_offset, 0x12)
                                 .configure(Register::dram0_cache, 3)
                                 .configure(Register::dram1_offset, 0xFFFF)
                                 .configure(Register::dram1_cache, 0xA)
                                 .read_dram(0, 1, {0, 0}, {5, 0})
                                 .write_dram(1, 1, {0, 0}, {0x1001, 0}),
                             64);
  const Recorder::Entry read = r.of(Kind::axi_read_address).at(0);
  EXPECT_EQ(read.a, 0x120000U + 5 * 16);
  EXPECT_EQ(read.c, 3U);
  const Recorder::Entry write = r.of(Kind::axi_write_address, 1).at(0);
  EXPECT_EQ(write.a, 0x10U);  // 0xFFFF0000 + 0x10010, in 32 bits
  EXPECT_EQ(write.c, 0xAU);
}

// ---- timing of pieces --------------------------------------------------------------------------

TEST(SplitTiming, PiecesOfAReadGoOutOneACycle) {
  const Cycle latency = 10;
  const std::uint64_t n = 256;
  const Recorder r =
      run_axi(Program(timing_architecture(16)).read_dram(0, n, {0, 0}, {1, 0}), 256, {latency, 1});
  const Cycle h = r.accepted(0) + 1;
  EXPECT_EQ(r.cycles_of(Kind::axi_read_address), steps(h + 2, 3));
  // Only the first piece is booked, with the length of the whole burst, so the data arrive as for a
  // single burst.
  EXPECT_EQ(r.cycles_of(Kind::axi_read_data), steps(h + 2 + latency, n));
  EXPECT_EQ(r.retired(0), h + 4 + latency + n - 1);
}

TEST(SplitTiming, AtMostTwoReadsAreBookedWhileOneAddressIsOut) {
  const Cycle latency = 600;
  const std::uint64_t vmax = 256;
  const Recorder r = run_axi(
      Program(timing_architecture(16)).read_dram(0, 4 * vmax, {0, 0}, {1, 0}), 256, {latency, 1});
  const Cycle h = r.accepted(0) + 1;
  // Bursts have three pieces. The third burst's first piece is issued, but waits for its booking
  // until the last beat of the first burst; so do its other pieces. The fourth burst behaves in the
  // same way.
  const Cycle first_done = h + 2 + latency + vmax - 1;
  const Cycle second_done = first_done + vmax;
  EXPECT_EQ(
      r.cycles_of(Kind::axi_read_address),
      joined({steps(h + 2, 3 + 3 + 1), steps(first_done + 1, 2 + 1), steps(second_done + 1, 2)}));
}

TEST(SplitTiming, PiecesOfAWrite) {
  const Cycle answer = 300;
  const std::uint64_t n = 256;
  const Recorder r =
      run_axi(Program(timing_architecture(16)).write_dram(0, n, {0, 0}, {1, 0}).read_dram(0, 1),
              256, {1, answer});
  const Cycle h = r.accepted(0) + 1;
  const Cycle first_beat = h + 4;
  EXPECT_EQ(r.cycles_of(Kind::axi_write_address), steps(h + 2, 3));
  EXPECT_EQ(r.cycles_of(Kind::axi_write_data), steps(first_beat, n));
  const Cycle first_end = first_beat + 127 - 1;
  const Cycle second_end = first_end + 128;
  const Cycle third_end = second_end + 1;
  EXPECT_EQ(r.cycles_of(Kind::axi_write_response),
            (Cycles{first_end + answer, second_end + answer, third_end + answer}));
  // Only the last response reaches the Converter.
  EXPECT_EQ(r.cycles_of(Kind::axi_read_address), Cycles{third_end + answer + 4});
}

}  // namespace
}  // namespace tactus
