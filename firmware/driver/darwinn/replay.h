// Replay of an Edge TPU executable, model R1: its transfers in the order of the DMA hints.
//
// The instruction encoding of the chip is not documented, so nothing is executed and there are no
// output values. The result is a latency that transfers determine; compute is left out, or is one
// block of cycles that a package estimates. Time is in whole picoseconds. A hint is one transfer,
// which takes its bytes divided by the link's rate, rounded up. The model:
//   infeed     starts when the channel to the device is free, the last fence is passed and, if
//              outputs block inputs on the link, every earlier outfeed has ended
//   outfeed    starts when the channel to the host is free, the last fence is passed, every earlier
//              infeed has ended and, from the first output on, compute has ended
//   fence      is passed when everything before it has ended
//   interrupt  comes when everything before it has ended
//   compute    starts when the infeeds before the first output (before the interrupt, if there is
//   no
//              output) have ended
// The latency of a request is the end of its last step plus the link's fixed cost. The model has
// three constants per link; it is fitted to published latencies and describes no mechanism of the
// chip.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/darwinn/json.h"
#include "isa/darwinn/package.h"
#include "isa/support/link_values.h"

namespace tactus {

using Picoseconds = std::uint64_t;
constexpr double picoseconds_per_ms = 1e9;

struct ReplayStep {
  darwinn::Hint hint;  ///< refers to data of the package, which must outlive the step
  std::int64_t bytes = 0;
  Picoseconds start = 0, end = 0;
  /// True: no hint, but added at the end of a list that is not fully deterministic.
  bool inferred = false;
};

struct ReplayResult {
  std::vector<ReplayStep> steps;
  Picoseconds compute_start = 0, compute_end = 0;
  Picoseconds listed = 0;  ///< latency of the steps that are hints
  Picoseconds total = 0;   ///< latency of all steps, inferred ones included
  Picoseconds bound = 0;   ///< lower bound: both directions and compute overlap completely
  darwinn::Traffic traffic;
};

/// Returns the DMA list of an executable, without times: a step for each hint. If the hints are not
/// fully deterministic and do not end with an interrupt, the steps are added that the device
/// performs by itself.
[[nodiscard]] std::vector<ReplayStep> dma_list(const darwinn::Executable& executable);

/// Time of a transfer: bytes divided by the rate, rounded up.
[[nodiscard]] Picoseconds transfer_time(std::int64_t bytes, std::uint64_t bytes_per_second);

/// Replays one request. `cycles` is the time of compute in cycles of the link's core clock; 0:
/// none.
[[nodiscard]] ReplayResult replay(const darwinn::Executable& executable, const LinkValues& link,
                                  std::uint64_t cycles);

/// Returns a sentence for reports about what a replay models. `source` names the origin of the
/// compute cycles; empty: compute is not modelled.
[[nodiscard]] std::string replay_words(std::uint64_t cycles, const std::string& source);

}  // namespace tactus
