// What an instruction has to wait for at the decoder's head, of those before it whose accesses to
// local memory may be late: queued transfers, and LoadWeights with reads of their own. The decoder
// finds it out from addresses; with Clock::timing_only, where addresses are made up, instructions
// carry it along. models/tcu/fast/local_orders.h works it out.
#pragma once

#include <cstdint>

#include "isa/tcu/architecture.h"

namespace tactus {

struct LocalOrder {
  static constexpr std::uint8_t any = 255;
  /// Whether accesses may be late in such a machine.
  [[nodiscard]] static bool decides(const tcu::Architecture& architecture) {
    return architecture.dma_queue != 0 ||
           architecture.shadow_weights == tcu::ShadowWeights::own_reads;
  }
  /// How many of the newest transfers before it may still be queued while it goes on; the one
  /// before those uses the same vectors.
  std::uint8_t moves = any;
  /// How many of the newest LoadWeights before it may still have vectors to read while it writes.
  std::uint8_t loads = any;
  /// The instruction just before it writes vectors that it reads.
  bool overwritten = false;
};

}  // namespace tactus
