#include "models/tcu/memory/dual_port_memory.h"

#include <algorithm>
#include <string>

#include "isa/support/error.h"
#include "models/tcu/channel_signals.h"

namespace tactus {

DualPortMemory::DualPortMemory(const sc_core::sc_module_name& name, Clock& clock,
                               std::uint64_t depth, std::uint64_t vector_bytes,
                               const EventKinds& kinds, MemoryPort& port_a, MemoryPort& port_b)
    : sc_module(name),
      clock_(clock),
      depth_(depth),
      vector_bytes_(vector_bytes),
      kinds_(kinds),
      ports_{&port_a, &port_b},
      state_{PortState(vector_bytes), PortState(vector_bytes)},
      zero_(vector_bytes) {
  constexpr std::uint64_t host_limit = std::uint64_t{1} << 36;
  if (depth > host_limit / vector_bytes) {
    user_error("memory {}: {} vectors of {} bytes are more than this simulator holds; allowed {}",
               this->name(), depth, vector_bytes, host_limit / vector_bytes);
  }
  storage_ = zeroed_bytes(depth, vector_bytes);
  if (storage_ == nullptr) {
    user_error("memory {}: the host has no room for {} vectors of {} bytes", this->name(), depth,
               vector_bytes);
  }
}

void DualPortMemory::tell(EventKind kind, std::uint64_t address, VectorRef data) {
  clock_.events->event({kind, 0, address, 0, 0, data});
}

DualPortMemory::State DualPortMemory::state(const MemoryPort& port) {
  const Link<MemoryRequest>& request = port.request;
  if (!request.valid) return rest;
  if (request.bits.write) return request.ready ? writes : wait_data;
  return request.ready ? reads : wait_reader;
}

void DualPortMemory::decide() {
  edge_.rests = true;
  for (unsigned p = 0; p < 2; ++p) {
    const MemoryPort& port = *ports_[p];
    const State state = this->state(port);
    const PortEdge edge{port.read_data.fires(), state == reads, state == writes, state};
    // A read that was in flight has arrived.
    edge_.rests =
        edge_.rests && !(edge.leaves || edge.enters || edge.writes || state_[p].in_flight);
    edge_.ports[p] = edge;
  }
}

void DualPortMemory::describe(const trace::Scope& scope) const {
  const unsigned address_bits = std::max(1U, tcu::address_bits(depth_));
  for (unsigned p = 0; p < 2; ++p) {
    const trace::Scope part = scope.part(p == 0 ? "port_a" : "port_b");
    part.channel("request", ports_[p]->request, address_bits);
    part.channel("write_data", ports_[p]->write_data);
    part.channel("read_data", ports_[p]->read_data);
    const PortState& state = state_[p];
    part.level("read_queue", 3, [&state] { return state.stored(); });
    part.reg("read_in_flight", 1, [&state] { return state.in_flight; });
  }
  const trace::Widths& widths = scope.widths();
  scope.family(
      "cells", depth_, widths.vector_bits(),
      [](std::uint64_t address) { return "v" + std::to_string(address); },
      [this, &widths](std::uint64_t address, std::uint64_t* words) {
        trace::pack_lanes(widths, vector(address), words);
      });
}

}  // namespace tactus
