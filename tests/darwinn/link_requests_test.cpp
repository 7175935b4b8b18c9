// Requests that follow each other over a host link: sums that can be written down, and what must
// hold of any series.
#include <random>

#include <gtest/gtest.h>

#include "firmware/driver/darwinn/link_requests.h"
#include "tests/darwinn/sample_package.h"
#include "tests/support/test_scale.h"

namespace tactus::darwinn {
namespace {

constexpr Picoseconds per_byte = 1000;  // of the wire below

/// A bare wire of 1 GB/s each way.
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

/// Inputs of 100 bytes, a fence, instructions of 10, compute of 50 ns, outputs of 20, the
/// interrupt.
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

TEST(DarwinnLinkRequests, OneAtATimeIsTheSum) {
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
  // Data to the device wait for outputs: only the host's 30 are hidden behind the request before.
  const LinkRun run = run_requests({sample(0), sample(1), sample(2)}, wire(true), 2);
  EXPECT_EQ(run.requests[1].released, 60 * per_byte);
  EXPECT_EQ(run.requests[0].end, 210 * per_byte);
  EXPECT_EQ(run.requests[1].steps[0].start, 210 * per_byte);
  EXPECT_EQ(run.end, (210 + 180 + 180) * per_byte);
}

TEST(DarwinnLinkRequests, InputsOfTheNextWaitForTheMemory) {
  std::vector<LinkRequest> requests = {sample(0), sample(1)};
  requests[1].memory_after = 0;
  const LinkRun run = run_requests(requests, wire(false), 2);
  // Computed at 190; the output of 0 goes back while the input of 1 comes.
  EXPECT_EQ(run.requests[0].compute_end, 190 * per_byte);
  EXPECT_EQ(run.requests[1].steps[0].start, 190 * per_byte);
  EXPECT_EQ(run.requests[0].end, 210 * per_byte);
  EXPECT_EQ(run.requests[1].compute_start, 300 * per_byte);
  EXPECT_EQ(run.end, 370 * per_byte);
}

TEST(DarwinnLinkRequests, WithMemoryOfItsOwnTheNextComesMeanwhile) {
  const LinkRun run = run_requests({sample(0), sample(1), sample(2)}, wire(false), 3);
  // The wire out is the bottleneck: 110 a request from 30 on.
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

TEST(DarwinnLinkRequests, ParametersAreReplacedWhenNobodyComputes) {
  std::vector<LinkRequest> requests = {sample(0), sample(1)};
  requests[1].replaces_parameters = true;
  const LinkRun run = run_requests(requests, wire(false), 2);
  EXPECT_EQ(run.requests[1].steps[0].start, run.requests[0].compute_end);
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

TEST(DarwinnLinkRequests, WhatHoldsOfAnySeries) {
  for (const std::uint64_t seed : test_seeds(1, 200)) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    LinkValues link = wire(random() % 2 == 0);
    if (random() % 2 == 0) {
      link.packet_bytes = 512;
      link.packet_overhead_bytes = 32;
      link.device_fetches = random() % 2 == 0;
      link.header_bytes = 8;
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
    // With more on the wires than data, that of one request (a fetch, an event) may come behind
    // data of the next.
    if (link.event_bytes == 0) {
      EXPECT_LE(fast.end, slow.end);
    }
    EXPECT_EQ(fast.to_device.bytes, slow.to_device.bytes);
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
