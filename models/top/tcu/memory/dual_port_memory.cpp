#include "models/top/tcu/memory/dual_port_memory.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "isa/support/error.h"
#include "models/top/channel_signals.h"

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
  storage_.reset(static_cast<std::uint8_t*>(std::calloc(depth, vector_bytes)));
  if (storage_ == nullptr) {
    user_error("memory {}: the host has no room for {} vectors of {} bytes", this->name(), depth,
               vector_bytes);
  }
}

void DualPortMemory::drive() {
  for (unsigned p = 0; p < 2; ++p) {
    MemoryPort& port = *ports_[p];
    port.read_data.valid = !state_[p].data.empty();
    port.read_data.bits = state_[p].data.front();
  }
}

void DualPortMemory::accept() {
  for (unsigned p = 0; p < 2; ++p) {
    MemoryPort& port = *ports_[p];
    const bool write = port.request.bits.write;
    port.request.ready = write ? port.write_data.valid : state_[p].stored() < 2;
    port.write_data.ready = port.request.valid && write;
  }
}

void DualPortMemory::take_read(unsigned p) {
  PortState& state = state_[p];
  const Link<MemoryRequest>& request = ports_[p]->request;
  const bool leaves = ports_[p]->read_data.fires();
  const bool enters = request.fires() && !request.bits.write;
  if (!leaves && !enters && !state.in_flight) return;
  if (leaves != enters || state.in_flight != enters) ++clock_.turns;
  state.in_flight = enters;
  if (leaves) {
    state.data.pop();
    ++clock_.progress;
  }
  if (!enters) return;
  ++stats_.reads[p];
  if (clock_.events != nullptr) {
    clock_.events->event({kinds_.read[p], 0, request.bits.address});
  }
  std::uint8_t* slot = state.data.push();
  if (request.bits.address < depth_) {
    copy_block(slot, vector(request.bits.address), vector_bytes_);
  } else {
    std::memset(slot, 0, vector_bytes_);
  }
}

void DualPortMemory::take_write(unsigned p) {
  const Link<MemoryRequest>& request = ports_[p]->request;
  if (!request.fires() || !request.bits.write) return;
  ++stats_.writes[p];
  const VectorRef data = ports_[p]->write_data.bits;
  if (clock_.events != nullptr) {
    clock_.events->event({kinds_.write[p], 0, request.bits.address, 0, 0, data});
  }
  if (request.bits.address >= depth_) return;
  copy_block(vector(request.bits.address), data, vector_bytes_);
}

void DualPortMemory::commit() {
  // Both reads before both writes: a read of an address written in this cycle sees the old vector.
  take_read(0);
  take_read(1);
  take_write(0);
  take_write(1);
}

/// Reads of a run are not copied, so nothing may be written meanwhile.
Cycle DualPortMemory::steady(Cycle most) const {
  const bool reads = reads_port(0) || reads_port(1);
  const bool writes = writes_port(0) || writes_port(1);
  return reads && writes ? 0 : most;
}

void DualPortMemory::offer_run(Cycle cycles) {
  for (unsigned p = 0; p < 2; ++p) {
    if (!reads_port(p)) continue;
    PortState& state = state_[p];
    const MemoryRequest* requests = ports_[p]->request.run;
    const std::size_t waiting = std::min<std::size_t>(state.data.count(), cycles);
    state.run.resize(cycles);
    for (std::size_t i = 0; i < waiting; ++i) state.run[i] = state.data.at(i);
    for (std::size_t i = waiting; i < cycles; ++i) {
      const std::uint64_t address = requests[i - waiting].address;
      state.run[i] = address < depth_ ? vector(address) : zero_.data();
    }
    ports_[p]->read_data.run = state.run.data();
  }
}

/// What is in the queue at the end of a run: the vectors read last.
void DualPortMemory::finish_reads(unsigned p, Cycle cycles) {
  PortState& state = state_[p];
  const MemoryRequest* requests = ports_[p]->request.run;
  const Cycle kept = std::min<Cycle>(state.data.count(), cycles);
  for (Cycle i = cycles - kept; i < cycles; ++i) {
    state.data.pop();
    const std::uint64_t address = requests[i].address;
    copy_block(state.data.push(), address < depth_ ? vector(address) : zero_.data(), vector_bytes_);
  }
  stats_.reads[p] += cycles;
  ++clock_.progress;
}

void DualPortMemory::run(Cycle cycles) {
  for (unsigned p = 0; p < 2; ++p) {
    if (reads_port(p)) finish_reads(p, cycles);
    if (!writes_port(p)) continue;
    const MemoryRequest* requests = ports_[p]->request.run;
    const VectorRef* vectors = ports_[p]->write_data.run;
    for (Cycle i = 0; i < cycles; ++i) {
      if (requests[i].address >= depth_) continue;
      copy_block(vector(requests[i].address), vectors[i], vector_bytes_);
    }
    stats_.writes[p] += cycles;
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
  const tcu::Architecture& architecture = scope.widths().architecture;
  scope.family(
      "cells", depth_, scope.widths().vector_bits(),
      [](std::uint64_t address) { return "v" + std::to_string(address); },
      [this, &architecture](std::uint64_t address, std::uint64_t* words) {
        trace::pack_lanes(architecture, vector(address), words);
      });
}

}  // namespace tactus
