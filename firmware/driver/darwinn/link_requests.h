// Requests of inferences through the SystemC model of a host link: the order of transfers and the
// waits between them.
//
// The host works on one request after the other (`host`), then hands over the request's DMA list.
// DMAs of each direction go in the order of all lists.
//
// USB: the host sends a header before each DMA, then transfers of limited length, a limited number
// of them under way. The next DMA follows when one has been handed over completely.
//
// PCIe: the host writes descriptors of instruction chunks into a ring, chunk by chunk. While the
// ring is full it waits and takes up no other request. The device fetches: it sends a request to
// the host for each piece, and fetches chunks after their descriptors; a status block then frees
// the descriptor's place. A piece (also of an output) lies in one page. If the device does not know
// the page's entry of the page table, it reads the entry first, and this direction waits meanwhile.
// Entries belong to a request, because the host maps its buffers for each request. Outputs come in
// chunks. An event announces the interrupt.
//
// Waits:
//   infeed     for the fences before it in its list; if outputs block inputs, for all earlier
//              outfeeds; for its memory, see LinkRequest
//   compute    for the infeeds before the first output (without one: before the interrupt), for the
//              compute of the previous request, and for its memory
//   outfeed    for the fences and all infeeds before it and, from the first output on, for compute
//   fence      until everything before it in its list has ended
//   interrupt  until everything before it in all lists, and compute, have ended: requests end in
//              order
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
  std::vector<ReplayStep> steps;  ///< DMA list; the run sets start and end
  Picoseconds host = 0;           ///< host's time before the list is handed over
  Picoseconds compute = 0;
  /// number of the user's request, which may consist of several of the device's
  std::size_t user = 0;
  /// The previous request in the same device memory: inputs wait until it has computed, compute
  /// until it has ended.
  std::optional<std::size_t> memory_after;
  /// Replaces the parameters of earlier requests: infeeds wait until those have computed.
  bool replaces_parameters = false;

  // Results.
  Picoseconds submitted = 0;  ///< the host started its work on the request
  Picoseconds released = 0;   ///< the list was handed over
  Picoseconds compute_start = 0, compute_end = 0;
  Picoseconds end = 0;  ///< end of the last step
};

struct LinkRun {
  std::vector<LinkRequest> requests;
  Picoseconds end = 0;  ///< time of the last event
  LinkFigures to_device, to_host;
  std::uint64_t translations = 0;  ///< page table entries that the device has read
};

/// Runs the requests, at most `in_flight` of the user's at a time. The link is described by its
/// parts, `wire_bytes_per_second` and so on; `fixed_ps` is ignored. Throws UserError for a request
/// whose buffers have more pages than the page table can map.
[[nodiscard]] LinkRun run_requests(std::vector<LinkRequest> requests, const LinkValues& link,
                                   std::size_t in_flight = 1);

}  // namespace tactus
