// The payload fields of AXI channels, for waveforms.
#pragma once

#include "models/axi/axi.h"
#include "models/sim/trace/signals.h"

namespace tactus::trace {

inline void describe_payload(Payload& p, const AxiAddress& a) {
  p.field("addr", 32, [&a] { return a.address; });
  p.field(
      "len", 8, [&a] { return a.length; }, Radix::decimal);
  p.field("cache", 4, [&a] { return a.cache; });
}

inline void describe_payload(Payload& p, const AxiBeat& b) {
  const unsigned count = p.widths().beat_bits / 8;
  p.bytes("data", count, [&b, count](std::uint64_t* words) { pack_bytes(b.data, count, words); });
  p.field("last", 1, [&b] { return b.last; });
}

inline void describe_payload(Payload& /*p*/, const AxiResponse& /*r*/) {}

/// Declares the five channels of one AXI port as signals.
inline void describe_axi(const Scope& scope, const AxiLinks& links) {
  scope.channel("ar", links.ar);
  scope.channel("aw", links.aw);
  scope.channel("w", links.w);
  scope.channel("r", links.r);
  scope.channel("b", links.b);
}

}  // namespace tactus::trace
