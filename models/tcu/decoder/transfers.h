// The queue in which transfers wait beside the head, in machines with `dma_queue`.
#pragma once

#include "models/tcu/decoder/decoder.h"

namespace tactus {

struct Decoder::Transfers {
  Transfers(Clock& clock, std::size_t capacity)
      : slots(capacity), account("transfers", clock, transfer_states, no_transfer) {}
  /// The i-th oldest transfer; the oldest is in progress.
  [[nodiscard]] Decoded& at(std::size_t i) { return slots[(first + i) % slots.size()]; }
  [[nodiscard]] bool empty() const { return count == 0; }
  [[nodiscard]] bool full() const { return count == slots.size(); }
  std::vector<Decoded> slots;
  std::size_t first = 0, count = 0;
  Account account;
};

}  // namespace tactus
