// The events of the DPAS machine.
#pragma once

#include "models/axi/axi_events.h"
#include "models/sim/events.h"

namespace tactus::dpas {

/// Events of a cycle are written in this order. `port` is the hardware thread, except at the AXI
/// pins.
struct DpasEvent {
  enum Kind : EventKind {
    issue,    ///< a: instruction, b: kind
    result,   ///< a: instruction
    message,  ///< a: instruction
    ar,
    aw,
    w,
    r,
    b,
  };
  static constexpr AxiEventKinds axi{ar, aw, w, r, b};
};

[[nodiscard]] EventFormat event_format(unsigned beat_bytes);

}  // namespace tactus::dpas
