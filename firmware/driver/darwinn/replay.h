// Replay of an Edge TPU executable, model R1: its transfers in the order of the DMA hints.
//
// The instruction encoding of the chip is not documented, so nothing is executed and there are no
// output values: the result is a latency bound by transfers, with compute left out or as one lump
// of cycles that a package estimates. Time is whole picoseconds; a hint is one transfer and takes
// its bytes over the link's rate, rounded up. The model:
//   infeed     starts when the way to the device is free, the last fence is passed, and, on a link
//              where outputs block inputs, every earlier outfeed has ended
//   outfeed    starts when the way back is free, the last fence is passed, every earlier infeed has
//              ended and, from the first output on, compute has
//   fence      is passed when everything before it has ended; so is the interrupt
//   compute    starts when the infeeds before the first output (without one: before the interrupt)
//              have ended
// The sum of one request is the end of its last step and the link's fixed cost. With its three
// constants per link this is a fit to published latencies, not a mechanism of the chip.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "isa/darwinn/json.h"
#include "isa/darwinn/package.h"
#include "isa/support/link_values.h"

namespace tactus {

using Picoseconds = std::uint64_t;
constexpr double picoseconds_per_ms = 1e9;

struct ReplayStep {
  darwinn::Hint hint;  ///< its views lead into the package
  std::int64_t bytes = 0;
  Picoseconds start = 0, end = 0;
  bool inferred = false;  ///< no hint: added at the end of a list that is not deterministic
};

struct ReplayResult {
  std::vector<ReplayStep> steps;
  Picoseconds compute_start = 0, compute_end = 0;
  Picoseconds listed = 0;  ///< of one request, as far as its hints go
  Picoseconds total = 0;   ///< with what was inferred
  Picoseconds bound = 0;   ///< if both directions and compute overlapped wholly
  darwinn::Traffic traffic;
};

/// The DMA list of an executable, without times: a step for each hint and, where the hints are not
/// deterministic and lack their end, what the device asks for by itself.
[[nodiscard]] std::vector<ReplayStep> dma_list(const darwinn::Executable& executable);

/// Bytes over a rate, rounded up.
[[nodiscard]] Picoseconds transfer_time(std::int64_t bytes, std::uint64_t bytes_per_second);

/// One request. `cycles` of compute at the link's core clock; 0: none.
[[nodiscard]] ReplayResult replay(const darwinn::Executable& executable, const LinkValues& link,
                                  std::uint64_t cycles);

/// What a replay is and what it is not, for every report. `source` says where the cycles of compute
/// come from; empty: compute is not modelled.
[[nodiscard]] std::string replay_words(std::uint64_t cycles, const std::string& source);

}  // namespace tactus
