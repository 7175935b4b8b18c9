// Replay model R2: the transfers of R1 (replay.h) go through the SystemC model of the link, piece
// by piece, by the rules of link_requests.h.
//
// If all costs except the wire's are switched off (ideal_link), the result equals R1's to the
// picosecond. The link's fixed cost is added to both; it covers the host's software.
#pragma once

#include "firmware/driver/darwinn/link_requests.h"
#include "firmware/driver/darwinn/replay.h"

namespace tactus {

struct LinkReplayResult : ReplayResult {
  LinkFigures out, in;  ///< directions to the device and to the host
};

/// Replays one request. The link is described by its parts, `wire_bytes_per_second` and so on.
[[nodiscard]] LinkReplayResult replay_on_link(const darwinn::Executable& executable,
                                              const LinkValues& link, std::uint64_t cycles);

/// Returns the link with R1's rate and without other costs. R1 has a rate for each direction and a
/// wire has one for both, so a UserError is thrown unless the two are equal.
[[nodiscard]] LinkValues ideal_link(const LinkValues& link);

}  // namespace tactus
