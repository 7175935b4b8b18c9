// Replay R2, through the SystemC model of the link. With an ideal link it equals R1 to the
// picosecond; otherwise it equals closed forms.
#include <random>

#include <gtest/gtest.h>

#include "firmware/config/link.h"
#include "firmware/driver/darwinn/link_replay.h"
#include "isa/darwinn/file.h"
#include "isa/darwinn/verify.h"
#include "tests/darwinn/golden.h"
#include "tests/darwinn/sample_package.h"
#include "tests/support/test_scale.h"

namespace tactus::darwinn {
namespace {

void expect_equal(const ReplayResult& found, const ReplayResult& expected) {
  EXPECT_EQ(found.total, expected.total);
  EXPECT_EQ(found.compute_start, expected.compute_start);
  ASSERT_EQ(found.steps.size(), expected.steps.size());
  for (std::size_t i = 0; i < found.steps.size(); ++i) {
    EXPECT_EQ(found.steps[i].start, expected.steps[i].start) << "step " << i;
    EXPECT_EQ(found.steps[i].end, expected.steps[i].end) << "step " << i;
  }
}

TEST(DarwinnLinkReplay, AnIdealLinkEqualsTheSimpleReplayOnRealModels) {
  DARWINN_NEEDS_GOLDEN("manifest.json");
  const auto manifest = golden_json("manifest.json");
  for (const auto& [name, facts] : manifest.at("files").items()) {
    const File file(golden_file("tflite/" + name));
    (void)verify(file.package(), name);
    for (const char* link_name : {"usb3", "usb2", "pcie"}) {
      const LinkPreset link = read_link(link_name);
      for (const Executable& executable : file.package().executables) {
        for (const std::uint64_t cycles : {0, 1000000}) {
          SCOPED_TRACE(
              fmt::format("{} {} {} {}", name, type_name(executable.type), link_name, cycles));
          expect_equal(replay_on_link(executable, ideal_link(link), cycles),
                       replay(executable, link, cycles));
        }
      }
    }
  }
}

/// Random hints in any order, followed by the interrupt.
void random_hints(Executable& executable, std::mt19937_64& random) {
  executable.hints = {instruction(0)};
  const std::uint64_t count = random() % 20;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto size = static_cast<std::int32_t>(1 + random() % 100000);
    switch (random() % 6) {
      case 0:
        executable.hints.push_back(descriptor(infeed, input, 0, size, "in"));
        break;
      case 1:
        executable.hints.push_back(descriptor(infeed, parameter, 0, size));
        break;
      case 2:
        executable.hints.push_back(descriptor(outfeed, output, 0, size, "out"));
        break;
      case 3:
        executable.hints.push_back(descriptor(outfeed, scratch, 0, size));
        break;
      case 4:
        executable.hints.push_back(descriptor(infeed, scratch, 0, size));
        break;
      default:
        executable.hints.push_back(fence());
    }
  }
  executable.hints.push_back(interrupt(0));
}

TEST(DarwinnLinkReplay, AnIdealLinkEqualsTheSimpleReplayOnRandomLists) {
  for (const std::uint64_t seed : test_seeds(1, 200)) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    SamplePackage sample;
    random_hints(sample.main(), random);
    LinkValues link;
    link.out_bytes_per_second = link.in_bytes_per_second = 1 + random() % 1000000000;
    link.outfeed_blocks_infeed = random() % 2 == 0;
    const std::uint64_t cycles = random() % 3 == 0 ? 0 : random() % 1000000;
    expect_equal(replay_on_link(sample.main(), ideal_link(link), cycles),
                 replay(sample.main(), link, cycles));
  }
}

/// A link of 1 byte per nanosecond without fixed costs.
LinkValues wire() {
  LinkValues link;
  link.wire_bytes_per_second = link.core_hz = 1000000000;
  link.fixed_ps = 0;
  return link;
}

std::uint64_t nanoseconds(const ReplayResult& result) {
  EXPECT_EQ(result.total % 1000, 0U);
  return result.total / 1000;
}

/// A request with a chunk of 128 bytes, an input and an output.
SamplePackage& make_simple(SamplePackage& sample, std::int32_t in, std::int32_t out) {
  sample.main().hints = {instruction(0), descriptor(infeed, input, 0, in, "in"),
                         descriptor(outfeed, output, 0, out, "out"), interrupt(0)};
  return sample;
}

TEST(DarwinnLinkReplay, HeadersAndPacketsAddTheirBytes) {
  SamplePackage sample;
  make_simple(sample, 1000, 300);
  LinkValues link = wire();
  EXPECT_EQ(nanoseconds(replay_on_link(sample.main(), link, 0)), 128U + 1000 + 300);
  link.header_bytes = 8;
  EXPECT_EQ(nanoseconds(replay_on_link(sample.main(), link, 0)), 8U + 128 + 8 + 1000 + 300);
  link.packet_bytes = 100;
  link.packet_overhead_bytes = 10;
  const LinkReplayResult result = replay_on_link(sample.main(), link, 0);
  const std::uint64_t packets_out = 1 + 2 + 1 + 10, packets_in = 3;
  EXPECT_EQ(nanoseconds(result), 8U + 128 + 8 + 1000 + 10 * packets_out + 300 + 10 * packets_in);
  EXPECT_EQ(result.out.transactions, 4U);
  EXPECT_EQ(result.out.bytes, 8U + 128 + 8 + 1000);
  EXPECT_EQ(result.out.wire_bytes, result.out.bytes + 10 * packets_out);
  EXPECT_EQ(result.in.busy, (300U + 10 * packets_in) * 1000);
}

// Each transfer ends with one beat of the device's bus. With one outstanding transfer this time is
// added to each; with three the wire transfers the next ones meanwhile.
TEST(DarwinnLinkReplay, OutstandingTransfersHideTheDeviceBus) {
  SamplePackage sample;
  make_simple(sample, 1000, 100);
  LinkValues link = wire();
  link.device_bus_hz = 20000000;  // 50 ns
  link.device_bus_bytes = 1000;
  link.transfer_bytes = 100;
  link.transfers_outstanding = 1;
  const std::uint64_t pieces = 2 + 10, output = 50 + 100;
  EXPECT_EQ(nanoseconds(replay_on_link(sample.main(), link, 0)), 1128 + pieces * 50 + output);
  link.transfers_outstanding = 3;
  EXPECT_EQ(nanoseconds(replay_on_link(sample.main(), link, 0)), 1128U + 50 + output);
}

// The bus is slower than the wire (one byte in 1000 ns), so it determines the time.
TEST(DarwinnLinkReplay, ASlowBus) {
  SamplePackage sample;
  make_simple(sample, 1000, 100);
  LinkValues link = wire();
  link.device_bus_hz = 1000000;
  link.device_bus_bytes = 1;
  link.transfer_bytes = 100;
  for (const std::uint64_t outstanding : {1, 3}) {
    link.transfers_outstanding = outstanding;
    EXPECT_EQ(nanoseconds(replay_on_link(sample.main(), link, 0)),
              (128U + 1000) * 1000 + 100 * 1000 + 100);
  }
}

TEST(DarwinnLinkReplay, ChunksAndTheEvent) {
  SamplePackage sample;
  make_simple(sample, 100, 2500);
  LinkValues link = wire();
  link.chunk_bytes = 1024;
  link.packet_overhead_bytes = 7;  // per transfer
  link.event_bytes = 16;
  const LinkReplayResult result = replay_on_link(sample.main(), link, 0);
  EXPECT_EQ(nanoseconds(result), 128U + 7 + 100 + 7 + 2500 + 3 * 7 + 16 + 7);
  EXPECT_EQ(result.in.transactions, 4U);
}

TEST(DarwinnLinkReplay, OutputsDelayTransfersToTheDevice) {
  SamplePackage sample;
  sample.main().hints = {instruction(0), descriptor(outfeed, scratch, 0, 200),
                         descriptor(infeed, input, 0, 100, "in"),
                         descriptor(outfeed, output, 0, 50, "out"), interrupt(0)};
  LinkValues link = wire();
  EXPECT_EQ(nanoseconds(replay_on_link(sample.main(), link, 0)), 128U + 200 + 100 + 50);
  link.outfeed_blocks_infeed = false;
  EXPECT_EQ(nanoseconds(replay_on_link(sample.main(), link, 0)), 128U + 200 + 50);
}

// The device fetches data itself. Each piece needs a request (one packet overhead); no piece
// crosses a page.
TEST(DarwinnLinkReplay, FetchesByTheDevice) {
  SamplePackage sample;
  make_simple(sample, 1000, 64);
  sample.main().hints[1].offset = 24;
  LinkValues link = wire();
  link.device_fetches = true;
  link.header_bytes = 16;
  link.transfer_bytes = 512;
  link.transfers_outstanding = 1;
  link.packet_bytes = 1 << 20;
  link.packet_overhead_bytes = 24;
  // The pieces are: descriptor 16 bytes, chunk 128, input 488 (up to the next multiple of 512) and
  // 512.
  const std::uint64_t pieces = 4, bytes = 16 + 128 + 1000;
  const LinkReplayResult result = replay_on_link(sample.main(), link, 0);
  EXPECT_EQ(nanoseconds(result), pieces * 24 + bytes + pieces * 24 + 64 + 24);
  EXPECT_EQ(result.in.transactions, pieces + 1);
}

TEST(DarwinnLinkReplay, RealLinksTakeUpToHalfMoreThanTheirWire) {
  SamplePackage sample;
  make_simple(sample, 1000000, 100000);
  for (const char* name : {"usb3", "usb2", "pcie"}) {
    SCOPED_TRACE(name);
    const LinkPreset link = read_link(name);
    const LinkReplayResult result = replay_on_link(sample.main(), link, 0);
    const Picoseconds wire_time = transfer_time(1000000 + 128 + 100000, link.wire_bytes_per_second);
    EXPECT_GT(result.total, wire_time + link.fixed_ps);
    EXPECT_LT(result.total, wire_time * 3 / 2 + link.fixed_ps);
  }
}

}  // namespace
}  // namespace tactus::darwinn
