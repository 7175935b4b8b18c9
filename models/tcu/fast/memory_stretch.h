// Stretches of the accumulators' memory in which what is written is made of what is read.
#pragma once

#include "models/tcu/memory/dual_port_memory.h"

namespace tactus {

template <typename Combine>
void DualPortMemory::stretch_updates(Cycle cycles, const Combine& combine) {
  const MemoryRequest* written = ports_[0]->request.stretch;
  const MemoryRequest* read = ports_[1]->request.stretch;
  VectorRef leaves = state_[1].data.front();
  for (Cycle i = 0; i < cycles;) {
    const std::uint64_t address = written[i].address;
    Cycle count = 1;
    if (address < depth_ && leaves == vector(address)) {
      // Updates of neighbours, each of the vector that was read the cycle before.
      while (i + count < cycles && written[i + count].address == address + count &&
             address + count < depth_) {
        ++count;
      }
    }
    // What is read waits for one cycle, where only that cycle's write could change it.
    const Cycle last = i + count - 1;
    VectorRef enters = vector_or_zero(read[last].address);
    if (read[last].address == written[last].address) enters = copy_of(enters, last);
    if (address < depth_ && !clock_.timing_only) combine(i, count, leaves, vector(address));
    leaves = enters;
    i += count;
  }
  shift_reads(1, leaves);
  stats_.writes[0] += cycles;
  stats_.reads[1] += cycles;
}

}  // namespace tactus
