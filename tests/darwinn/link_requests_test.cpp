// Successive requests over a host link: closed forms, and properties of random series.
#include <random>

#include <gtest/gtest.h>

#include "firmware/driver/darwinn/link_requests.h"
#include "isa/support/error.h"
#include "tests/darwinn/sample_package.h"
#include "tests/support/test_scale.h"

namespace tactus::darwinn {
namespace {

constexpr Picoseconds per_byte = 1000;  // time of a byte on the link of wire(): 1 ns

/// A link of 1 GB/s in each direction without fixed costs.
LinkValues wire(bool outfeed_blocks_infeed) {
  LinkValues link;
  link.wire_bytes_per_second = 1000000000;
  link.outfeed_blocks_infeed = outfeed_blocks_infeed;
  return link;
}

ReplayStep step(const Hint& hint, std::int64_t bytes) {
  ReplayStep one;
  one.hint = hint;
  one.bytes = bytes;
  return one;
}

/// A request: an input of 100 bytes, a fence, instructions of 10 bytes, a computation of 50 ns, an
/// output of 20 bytes, the interrupt.
LinkRequest sample(std::size_t user) {
  LinkRequest request;
  request.steps = {step(descriptor(infeed, input, 0, 100, "x"), 100), step(fence(), 0),
                   step(instruction(0), 10), step(descriptor(outfeed, output, 0, 20, "y"), 20),
                   step(interrupt(0), 0)};
  request.compute = 50 * per_byte;
  request.host = 30 * per_byte;
  request.user = user;
  return request;
}

TEST(DarwinnLinkRequests, WithoutOverlapRequestsAddUp) {
  const LinkRun run = run_requests({sample(0), sample(1), sample(2)}, wire(true));
  constexpr Picoseconds one = (30 + 100 + 10 + 50 + 20) * per_byte;
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(run.requests[i].submitted, i * one);
    EXPECT_EQ(run.requests[i].end, (i + 1) * one);
  }
  EXPECT_EQ(run.end, 3 * one);
  EXPECT_EQ(run.to_device.bytes, 330U);
  EXPECT_EQ(run.to_host.bytes, 60U);
  EXPECT_EQ(run.to_device.busy, 330 * per_byte);
}

TEST(DarwinnLinkRequests, TheHostWorksAheadOverOneEndpoint) {
  // Data to the device wait for outputs, so only the host's 30 ns overlap with the previous
  // request.
  const LinkRun run = run_requests({sample(0), sample(1), sample(2)}, wire(true), 2);
  EXPECT_EQ(run.requests[1].released, 60 * per_byte);
  EXPECT_EQ(run.requests[0].end, 210 * per_byte);
  EXPECT_EQ(run.requests[1].steps[0].start, 210 * per_byte);
  EXPECT_EQ(run.end, (210 + 180 + 180) * per_byte);
}

TEST(DarwinnLinkRequests, InputsOfTheNextRequestWaitForTheMemory) {
  std::vector<LinkRequest> requests = {sample(0), sample(1)};
  requests[1].memory_after = 0;
  const LinkRun run = run_requests(requests, wire(false), 2);
  // Compute ends at 190 ns. The output of request 0 is transferred while the input of request 1
  // arrives.
  EXPECT_EQ(run.requests[0].compute_end, 190 * per_byte);
  EXPECT_EQ(run.requests[1].steps[0].start, 190 * per_byte);
  EXPECT_EQ(run.requests[0].end, 210 * per_byte);
  EXPECT_EQ(run.requests[1].compute_start, 300 * per_byte);
  EXPECT_EQ(run.end, 370 * per_byte);
}

TEST(DarwinnLinkRequests, WithMemoryOfItsOwnTheNextRequestIsSentDuringCompute) {
  const LinkRun run = run_requests({sample(0), sample(1), sample(2)}, wire(false), 3);
  // The wire to the device is the bottleneck: 110 ns per request, from 30 ns on.
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(run.requests[i].steps[0].start, (30 + 110 * i) * per_byte) << i;
    EXPECT_EQ(run.requests[i].compute_start, (140 + 110 * i) * per_byte) << i;
  }
  EXPECT_EQ(run.end, (30 + 330 + 50 + 20) * per_byte);
}

TEST(DarwinnLinkRequests, ComputeWaitsForOutputsInItsMemory) {
  std::vector<LinkRequest> requests = {sample(0), sample(1)};
  requests[0].steps[3] = step(descriptor(outfeed, output, 0, 500, "y"), 500);
  requests[1].memory_after = 0;
  const LinkRun run = run_requests(requests, wire(false), 2);
  EXPECT_EQ(run.requests[0].end, 690 * per_byte);
  EXPECT_EQ(run.requests[1].compute_start, 690 * per_byte);
}

TEST(DarwinnLinkRequests, ParametersAreReplacedWhenNoRequestComputes) {
  std::vector<LinkRequest> requests = {sample(0), sample(1)};
  requests[1].replaces_parameters = true;
  const LinkRun run = run_requests(requests, wire(false), 2);
  EXPECT_EQ(run.requests[1].steps[0].start, run.requests[0].compute_end);
}

/// A request of two chunks of 100 bytes, over a link on which the device fetches data itself.
LinkRequest chunks(std::size_t user) {
  LinkRequest request;
  request.steps = {step(instruction(0), 100), step(instruction(1), 100), step(interrupt(0), 0)};
  request.host = 10 * per_byte;
  request.user = user;
  return request;
}

// With a ring of one descriptor, the host writes the second chunk's descriptor when the status of
// the first chunk has arrived. It starts the next request when both chunks of the previous request
// have had a descriptor.
TEST(DarwinnLinkRequests, AFullRingHoldsTheHostUp) {
  LinkValues link = wire(false);
  link.device_fetches = true;
  link.ring_descriptors = 1;
  link.status_bytes = 16;
  const LinkRun one = run_requests({chunks(0), chunks(1)}, link, 2);
  constexpr Picoseconds next = 100 + 16;  // from the start of one chunk to the start of the next
  EXPECT_EQ(one.requests[0].steps[0].start, 10 * per_byte);
  EXPECT_EQ(one.requests[0].steps[1].start, (10 + next) * per_byte);
  EXPECT_EQ(one.requests[1].submitted, (10 + next) * per_byte);
  EXPECT_EQ(one.requests[1].steps[0].start, (10 + 2 * next) * per_byte);
  EXPECT_EQ(one.requests[1].steps[1].start, (10 + 3 * next) * per_byte);
  EXPECT_EQ(one.end, (10 + 3 * next + 100) * per_byte);
  EXPECT_EQ(one.to_host.bytes, 4U * 16);
  // With a ring of two, the first descriptor is free again while the second chunk is transferred.
  link.ring_descriptors = 2;
  const LinkRun two = run_requests({chunks(0), chunks(1)}, link, 2);
  EXPECT_EQ(two.requests[1].submitted, 10 * per_byte);
  EXPECT_EQ(two.end, (10 + 400) * per_byte);
  link.ring_descriptors = 0;
  EXPECT_EQ(run_requests({chunks(0), chunks(1)}, link, 2).end, two.end);
}

// The transfer has 200 bytes from address 4000 on: 96 up to the page border and 104 after it.
// Before each piece the device fetches a translation of 8 bytes, and the wire waits for it. Every
// piece has a request with an overhead of 5 bytes.
TEST(DarwinnLinkRequests, ATransferOverThePageBorder) {
  LinkValues link = wire(false);
  link.device_fetches = true;
  link.packet_overhead_bytes = 5;
  link.page_bytes = 4096;
  LinkRequest request;
  request.steps = {step(descriptor(infeed, input, 4000, 200, "x"), 200), step(interrupt(0), 0)};
  // Without translation: two requests of 5 bytes in succession; the second piece follows the first.
  EXPECT_EQ(run_requests({request}, link).end, (5 + 96 + 5 + 104 + 5) * per_byte);
  EXPECT_EQ(run_requests({request}, link).to_device.transactions, 2U);
  link.translations = 2;
  link.translation_bytes = 8;
  const LinkRun run = run_requests({request}, link);
  // The second translation is requested at once, and arrives after the first piece.
  constexpr Picoseconds entry = 8 + 5;
  EXPECT_EQ(run.end, (5 + entry + 5 + 96 + 5 + entry + 5 + 104 + 5) * per_byte);
  EXPECT_EQ(run.translations, 2U);
  // A transfer within a page needs one translation.
  request.steps[0].hint.offset = 0;
  const LinkRun inside = run_requests({request}, link);
  EXPECT_EQ(inside.end, (5 + entry + 5 + 200 + 5) * per_byte);
  EXPECT_EQ(inside.translations, 1U);
}

TEST(DarwinnLinkRequests, TheLastUsedTranslationsAreKept) {
  LinkValues link = wire(false);
  link.page_bytes = 4096;
  link.translation_bytes = 8;
  LinkRequest request;
  for (const std::int32_t offset : {0, 4096, 0, 8192, 0, 4096}) {
    request.steps.push_back(step(descriptor(infeed, parameter, offset, 10), 10));
  }
  const auto misses = [&](std::uint64_t entries) {
    link.translations = entries;
    return run_requests({request, request}, link).translations;
  };
  EXPECT_EQ(misses(1), 2U * 6);
  EXPECT_EQ(misses(2), 2U * 4) << "0, 4096, 8192 in the place of 4096, 4096";
  EXPECT_EQ(misses(3), 2U * 3);
}

TEST(DarwinnLinkRequests, MorePagesThanThePageTableMaps) {
  LinkValues link = wire(false);
  link.page_bytes = 4096;
  link.pages = 3;
  LinkRequest request;
  request.steps = {step(descriptor(infeed, input, 0, 8192, "x"), 8192),
                   step(descriptor(infeed, parameter, 0, 4096), 4096)};
  EXPECT_EQ(run_requests({request}, link).end, (8192 + 4096) * per_byte);
  request.steps[1].bytes = request.steps[1].hint.size = 4097;
  try {
    (void)run_requests({request}, link);
    ADD_FAILURE() << "run";
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what())
                  .find("4 pages of 4096 bytes; the page table of the link "
                        "maps 3"),
              std::string::npos)
        << error.what();
  }
}

LinkRequest random_request(std::mt19937_64& random, std::size_t user) {
  LinkRequest request;
  const std::uint64_t count = random() % 8;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto bytes = static_cast<std::int32_t>(1 + random() % 10000);
    switch (random() % 5) {
      case 0:
        request.steps.push_back(step(descriptor(infeed, input, 0, bytes, "x"), bytes));
        break;
      case 1:
        request.steps.push_back(step(descriptor(outfeed, output, 0, bytes, "y"), bytes));
        break;
      case 2:
        request.steps.push_back(step(instruction(0), bytes));
        break;
      case 3:
        request.steps.push_back(step(descriptor(infeed, parameter, 0, bytes), bytes));
        break;
      default:
        request.steps.push_back(step(fence(), 0));
    }
  }
  request.steps.push_back(step(interrupt(0), 0));
  request.compute = random() % 3 == 0 ? 0 : random() % 100000000;
  request.host = random() % 3 == 0 ? 0 : random() % 100000000;
  request.user = user;
  return request;
}

TEST(DarwinnLinkRequests, InvariantsHoldForRandomSeries) {
  for (const std::uint64_t seed : test_seeds(1, 200)) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    LinkValues link = wire(random() % 2 == 0);
    if (random() % 2 == 0) {
      link.packet_bytes = 512;
      link.packet_overhead_bytes = 32;
      link.device_fetches = random() % 2 == 0;
      link.header_bytes = 8;
      link.ring_descriptors = random() % 3;
      link.status_bytes = random() % 2 * 16;
      link.page_bytes = 4096;
      link.translations = random() % 4;
      link.translation_bytes = 8;
      link.transfer_bytes = 4096;
      link.transfers_outstanding = 1 + random() % 4;
      link.chunk_bytes = 256;
      link.chunks_queued = 1 + random() % 4;
      link.event_bytes = 16;
      link.device_bus_hz = 250000000;
    }
    std::vector<LinkRequest> requests;
    const std::size_t count = 1 + random() % 6;
    for (std::size_t i = 0; i < count; ++i) {
      requests.push_back(random_request(random, i));
      if (i > 0 && random() % 2 == 0) requests.back().memory_after = random() % i;
      requests.back().replaces_parameters = random() % 4 == 0;
    }
    const LinkRun slow = run_requests(requests, link, 1);
    const LinkRun fast = run_requests(requests, link, 1 + random() % 6);
    // With events, overhead of one request (a fetch, an event) may wait for data of the next
    // request, so several requests in flight may be slower than one.
    if (link.event_bytes == 0) {
      EXPECT_LE(fast.end, slow.end);
    }
    // Transfers in opposite directions evict each other's translations, so the number of
    // translations may differ.
    EXPECT_EQ(fast.to_device.bytes - link.translation_bytes * fast.translations,
              slow.to_device.bytes - link.translation_bytes * slow.translations);
    EXPECT_EQ(fast.to_host.bytes, slow.to_host.bytes);
    Picoseconds computed = 0, ended = 0;
    for (const LinkRequest& one : fast.requests) {
      EXPECT_GE(one.compute_start, computed);
      EXPECT_GE(one.end, ended);
      EXPECT_EQ(one.compute_end - one.compute_start, one.compute);
      EXPECT_EQ(one.released - one.submitted, one.host);
      computed = one.compute_end;
      ended = one.end;
      if (!one.memory_after) continue;
      EXPECT_GE(one.compute_start, fast.requests[*one.memory_after].end);
      for (const ReplayStep& each : one.steps) {
        if (each.hint.kind != HintKind::descriptor || each.hint.meta->desc != input) continue;
        EXPECT_GE(each.start, fast.requests[*one.memory_after].compute_end);
      }
    }
  }
}

}  // namespace
}  // namespace tactus::darwinn
