#include "models/sim/fast/gate_verifier.h"

#include "isa/support/error.h"

namespace tactus {

std::vector<bool> GateVerifier::wires() const {
  std::vector<bool> values;
  for (const NamedWire& wire : wires_) values.push_back(*wire.value);
  return values;
}

std::vector<std::uint64_t> GateVerifier::payloads() const {
  std::vector<std::uint64_t> values;
  for (const NamedPayload& payload : payloads_) {
    values.push_back(*payload.valid ? payload.value() : 0);
  }
  return values;
}

void GateVerifier::check(const std::vector<bool>& before, const char* why) const {
  for (std::size_t i = 0; i < wires_.size(); ++i) {
    if (*wires_[i].value == before[i] || (wires_[i].while_moving && !moving_)) continue;
    internal_error("engine verify: cycle {}: {}: wire {} is {}, and was {} before; {}", clock_.now,
                   unit_, wires_[i].name, int{*wires_[i].value}, int{before[i]}, why);
  }
}

void GateVerifier::check_payloads(const std::vector<std::uint64_t>& before) const {
  for (std::size_t i = 0; i < payloads_.size(); ++i) {
    if (!*payloads_[i].valid || payloads_[i].value() == before[i]) continue;
    internal_error("engine verify: cycle {}: {}: redrive() left a payload of {} as it was",
                   clock_.now, unit_, payloads_[i].name);
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
