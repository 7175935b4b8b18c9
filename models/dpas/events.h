// The events of the DPAS machine.
#pragma once

#include "models/axi/axi_events.h"
#include "models/sim/events.h"

namespace tactus::dpas {

/// The events of a cycle are written in this order. `port` is the hardware thread; at the AXI pins
/// it is 0.
struct DpasEvent {
  enum Kind : EventKind {
    issue,    ///< a: index of the instruction, b: its kind
    result,   ///< a: index of the instruction
    message,  ///< a: index of the instruction
    ar,
    aw,
    w,
    r,
    b,
  };
  static constexpr AxiEventKinds axi{ar, aw, w, r, b};
};

/// Names and fields of these events. Data of a beat has `beat_bytes` bytes.
[[nodiscard]] EventFormat event_format(unsigned beat_bytes);

}  // namespace tactus::dpas
