#include "models/sim/fast/gate_verifier.h"

#include "isa/support/error.h"

namespace tactus {

void GateVerifier::note_wires() {
  for (NamedWire& wire : wires_) wire.before = *wire.value;
}

void GateVerifier::note_payloads() {
  for (NamedPayload& payload : payloads_) payload.before = *payload.valid ? payload.value() : 0;
}

void GateVerifier::check(const char* why) const {
  for (const NamedWire& wire : wires_) {
    if (*wire.value == wire.before || (wire.while_moving && !moving_)) continue;
    internal_error("engine verify: cycle {}: {}: wire {} is {}, and was {} before; {}", clock_.now,
                   unit_, wire.name, int{*wire.value}, int{wire.before}, why);
  }
}

void GateVerifier::check_payloads() const {
  for (const NamedPayload& payload : payloads_) {
    if (!*payload.valid || payload.value() == payload.before) continue;
    internal_error("engine verify: cycle {}: {}: redrive() left a payload of {} as it was",
                   clock_.now, unit_, payload.name);
  }
}

void GateVerifier::check_commit(bool turned, bool progressed, bool state_changed) const {
  const auto differs = [&](const char* fact, const char* why) {
    internal_error("engine verify: cycle {}: {}: {} although {}", clock_.now, unit_, fact, why);
  };
  if (state_changed) differs("the account's state changes", "the cycle was like the one before");
  if (moving_) return;
  if (turned) differs("a register that decisions look at moves", "nothing was to move");
  if (progressed) differs("a register moves", "nothing was to move");
}

}  // namespace tactus
