// Stretches of local memory and of the accumulators' memory; see models/sim/engine.h.
#include <algorithm>

#include "models/tcu/memory/dual_port_memory.h"

namespace tactus {

/// Reads of a stretch are not copied, so nothing may be written meanwhile.
Cycle DualPortMemory::steady(Cycle most) const {
  const bool any_read = edge_.ports[0].enters || edge_.ports[1].enters;
  const bool any_write = edge_.ports[0].writes || edge_.ports[1].writes;
  return any_read && any_write ? 0 : most;
}

void DualPortMemory::offer_stretch(Cycle cycles) {
  for (unsigned p = 0; p < 2; ++p) {
    if (!edge_.ports[p].enters) continue;
    PortState& state = state_[p];
    const MemoryRequest* requests = ports_[p]->request.stretch;
    const std::size_t waiting = std::min<std::size_t>(state.data.count(), cycles);
    state.stretch.resize(cycles);
    for (std::size_t i = 0; i < waiting; ++i) state.stretch[i] = state.data.at(i);
    for (std::size_t i = waiting; i < cycles; ++i) {
      state.stretch[i] = vector_or_zero(requests[i - waiting].address);
    }
    ports_[p]->read_data.stretch = state.stretch.data();
  }
}

/// What is in the queue at the end of a stretch: the vectors read last.
void DualPortMemory::finish_reads(unsigned p, Cycle cycles) {
  PortState& state = state_[p];
  const MemoryRequest* requests = ports_[p]->request.stretch;
  const Cycle kept = std::min<Cycle>(state.data.count(), cycles);
  for (Cycle i = cycles - kept; i < cycles; ++i) {
    shift_reads(p, vector_or_zero(requests[i].address));
  }
  stats_.reads[p] += cycles;
  ++clock_.progress;
}

void DualPortMemory::shift_reads(unsigned p, VectorRef vector) {
  BlockRing& data = state_[p].data;
  data.pop();
  copy_block(data.push(), vector, vector_bytes_);
}

void DualPortMemory::stretch(Cycle cycles) {
  for (unsigned p = 0; p < 2; ++p) {
    if (edge_.ports[p].enters) finish_reads(p, cycles);
    if (!edge_.ports[p].writes) continue;
    const MemoryRequest* requests = ports_[p]->request.stretch;
    const VectorRef* vectors = ports_[p]->write_data.stretch;
    for (Cycle i = 0; i < cycles; ++i) {
      if (requests[i].address >= depth_ || clock_.timing_only) continue;
      copy_block(vector(requests[i].address), vectors[i], vector_bytes_);
    }
    stats_.writes[p] += cycles;
  }
}

}  // namespace tactus
