// Requests on their way through the SystemC model of a host link: who sends what, and who waits for
// what.
//
// The host works on one request after the other (`host`), then hands over its DMA list. DMAs of a
// direction go in the order of all lists. The host sends over USB: a header ahead of each DMA, then
// transfers of limited length, so many of them under way; the next DMA follows when all of one has
// been handed over. Over PCIe the host writes descriptors of instruction chunks into a ring, chunk
// by chunk, and waits while it is full: it takes up no other request. The device fetches: a request
// on the way to the host for each piece, and chunks after their descriptor; a status block then
// frees the descriptor's place. Pieces, outputs too, lie in one page each, whose entry of the page
// table the device has or reads first; meanwhile that direction waits. Entries are those of a
// request, for the host maps its buffers for it. Outputs come in chunks. The interrupt is announced
// by an event. What waits:
//   infeed     for the fences before it in its list; where outputs block inputs, for every earlier
//              outfeed; for its memory, see LinkRequest
//   compute    for the infeeds before the first output (without one: before the interrupt), for the
//              compute of the request before, and for its memory
//   outfeed    for the fences and all infeeds before it, and, from the first output on, for compute
//   fence      is passed when everything before it in its list has ended
//   interrupt  when everything before it in all lists has ended, and compute: requests end in order
// Instructions are whole on the device before compute begins. Times are picoseconds from the start.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "firmware/driver/darwinn/replay.h"

namespace tactus {

struct LinkFigures {
  std::uint64_t transactions = 0, bytes = 0, wire_bytes = 0;
  Picoseconds busy = 0;  ///< of the wire
};

struct LinkRequest {
  std::vector<ReplayStep> steps;  ///< the DMA list; start and end are filled in
  Picoseconds host = 0;           ///< of the host, before the list is handed over
  Picoseconds compute = 0;
  std::size_t user = 0;  ///< number of the user's request; one may be several of the device's
  /// The request before it in the same device memory: inputs wait until it has computed, compute
  /// until it has ended.
  std::optional<std::size_t> memory_after;
  /// Parameters of requests before are replaced: infeeds wait until those have computed.
  bool replaces_parameters = false;

  // What came of it.
  Picoseconds submitted = 0;  ///< the host began with it
  Picoseconds released = 0;   ///< the list was handed over
  Picoseconds compute_start = 0, compute_end = 0;
  Picoseconds end = 0;  ///< of its last step
};

struct LinkRun {
  std::vector<LinkRequest> requests;
  Picoseconds end = 0;  ///< of the last thing that happened
  LinkFigures to_device, to_host;
  std::uint64_t translations = 0;  ///< entries of the page table that the device has read
};

/// Runs the requests; at most `in_flight` of the user's at a time. The link as its parts,
/// `wire_bytes_per_second` and so on; `fixed_ps` is not looked at. Throws UserError for a request
/// whose buffers have more pages than the page table maps.
[[nodiscard]] LinkRun run_requests(std::vector<LinkRequest> requests, const LinkValues& link,
                                   std::size_t in_flight = 1);

}  // namespace tactus
