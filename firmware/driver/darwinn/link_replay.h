// Replay model R2: the transfers of R1 (replay.h) as transactions through the SystemC model of the
// link, piece by piece, with the rules of link_requests.h.
//
// With everything but the wire switched off (ideal_link) the result is R1's to the picosecond.
// Costs of the host's software are the link's fixed cost, which is not part of the wire.
#pragma once

#include "firmware/driver/darwinn/link_requests.h"
#include "firmware/driver/darwinn/replay.h"

namespace tactus {

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
