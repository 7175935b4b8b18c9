// Sends requests of inferences through the SystemC model of a host link: in which order the
// transfers go, and what each of them waits for.
//
// The host works on one request after the other (LinkRequest::host). It then hands the request's
// DMA list over. DMAs of each direction go in the order of all lists.
//
// USB: the host sends a header before each DMA, then transfers of limited length. A limited number
// of transfers is under way at a time. The next DMA follows when all of one has been handed over.
//
// PCIe:
// - The host writes descriptors of instruction chunks into a ring, chunk by chunk. While the ring
//   is full, the host waits and begins no other request.
// - The device fetches: it sends a request to the host for each piece of data. It fetches chunks
//   after their descriptors; a status block then frees the descriptor's place in the ring.
// - A piece, also of an output, lies in one page. If the device does not know the page's entry of
//   the page table, it reads the entry first, and the direction of the piece waits meanwhile. An
//   entry belongs to a request, because the host maps its buffers for each request.
// - Outputs are sent in chunks, and an event announces the interrupt.
//
// Waits:
//   infeed     for the fences before it in its list; if outputs block inputs, for all earlier
//              outfeeds; for its memory, see LinkRequest
//   compute    for the infeeds before the first output (before the interrupt, if there is no
//              output), for the compute of the previous request, and for its memory
//   outfeed    for the fences and all infeeds before it and, from the first output on, for compute
//   fence      until everything before it in its list has ended
//   interrupt  until everything before it in all lists, and compute, have ended, so that requests
//              end in order
// All instructions are on the device before compute begins. Times are in picoseconds from the
// start.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "firmware/driver/darwinn/replay.h"

namespace tactus {

struct LinkFigures {
  std::uint64_t transactions = 0, bytes = 0, wire_bytes = 0;
  Picoseconds busy = 0;  ///< time in which the wire was occupied
};

[[nodiscard]] nlohmann::ordered_json to_json(const LinkFigures& figures);

struct LinkRequest {
  std::vector<ReplayStep> steps;  ///< DMA list; the run sets start and end of each step
  Picoseconds host = 0;           ///< time of the host before it hands the list over
  Picoseconds compute = 0;        ///< duration of compute
  /// Number of the user's request, which may consist of several requests to the device.
  std::size_t user = 0;
  /// Number of the previous request that uses the same device memory. Inputs wait until that
  /// request has computed, and compute waits until it has ended.
  std::optional<std::size_t> memory_after;
  /// True: the request replaces the parameters of earlier ones, so its infeeds wait until all of
  /// those have computed.
  bool replaces_parameters = false;

  // Results: times set by run_requests().
  Picoseconds submitted = 0;  ///< when the host starts its work on the request
  Picoseconds released = 0;   ///< when the host hands the list over
  Picoseconds compute_start = 0, compute_end = 0;
  Picoseconds end = 0;  ///< when the last step has ended, and all earlier requests have
};

struct LinkRun {
  std::vector<LinkRequest> requests;
  Picoseconds end = 0;  ///< time of the last event
  LinkFigures to_device, to_host;
  std::uint64_t translations = 0;  ///< page table entries that the device has read
};

/// Runs the requests; at most `in_flight` requests of the user are under way at a time. The link is
/// described by its parts, `wire_bytes_per_second` and so on; `fixed_ps` is ignored. Throws
/// UserError for a request whose buffers have more pages than the page table can map.
[[nodiscard]] LinkRun run_requests(std::vector<LinkRequest> requests, const LinkValues& link,
                                   std::size_t in_flight = 1);

}  // namespace tactus
