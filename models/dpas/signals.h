// The payload fields of the machine's channels, for waveforms.
#pragma once

#include "models/dpas/channels.h"
#include "models/sim/trace/signals.h"

namespace tactus::dpas {

inline void describe_payload(trace::Payload& p, const Issued& issued) {
  p.field(
      "thread", 3, [&issued] { return issued.thread; }, trace::Radix::decimal);
  p.field("kind", 4, [&issued] {
    return issued.operation == nullptr ? OperationKind::ret : issued.operation->kind;
  });
  p.field(
      "instruction", 32,
      [&issued] { return issued.operation == nullptr ? 0 : issued.operation->index; },
      trace::Radix::decimal);
}

}  // namespace tactus::dpas
