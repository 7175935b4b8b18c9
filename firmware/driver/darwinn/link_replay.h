// Replay model R2: the transfers of R1 (replay.h) as transactions through the SystemC model of the
// link, piece by piece, with the same rules of what waits for what.
//
// The host sends over USB: a header ahead of each DMA, then transfers of limited length, so many of
// them under way; the next DMA follows when all of one has been handed over. Over PCIe the device
// fetches: a request on the way to the host for each piece, none across a page, and instruction
// chunks after their descriptor. Outputs come in chunks. The interrupt is announced by an event.
// With all of that switched off (ideal_link) the result is R1's to the picosecond. Costs of the
// host's software are the link's fixed cost, which is not part of the wire.
#pragma once

#include "firmware/driver/darwinn/replay.h"

namespace tactus {

struct LinkFigures {
  std::uint64_t transactions = 0, bytes = 0, wire_bytes = 0;
  Picoseconds busy = 0;  ///< of the wire
};

struct LinkReplayResult : ReplayResult {
  LinkFigures out, in;
};

/// One request. The link as its parts, `wire_bytes_per_second` and so on.
[[nodiscard]] LinkReplayResult replay_on_link(const darwinn::Executable& executable,
                                              const LinkValues& link, std::uint64_t cycles);

/// The link whose parts take no time beside R1's rate. R1 has one rate each way, a wire one for
/// both: the rates must be equal.
[[nodiscard]] LinkValues ideal_link(const LinkValues& link);

}  // namespace tactus
