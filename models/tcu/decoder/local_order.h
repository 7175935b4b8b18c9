// The earlier instructions with late accesses to local memory for which an instruction must wait at
// the decoder's head: queued transfers, and LoadWeights with reads of their own. The decoder finds
// them by addresses. With Clock::timing_only addresses are arbitrary, and instructions have this
// information instead. models/tcu/fast/local_orders.h computes it.
#pragma once

#include <cstdint>

#include "isa/tcu/architecture.h"

namespace tactus {

struct LocalOrder {
  static constexpr std::uint8_t any = 255;
  /// True if accesses may be late in a machine with this architecture.
  [[nodiscard]] static bool decides(const tcu::Architecture& architecture) {
    return architecture.dma_queue != 0 ||
           architecture.shadow_weights == tcu::ShadowWeights::own_reads;
  }
  /// Number of the newest transfers before it that may still be queued when it continues. The
  /// transfer before these uses the same vectors.
  std::uint8_t moves = any;
  /// Number of the newest LoadWeights before it that may still have vectors to read while it
  /// writes.
  std::uint8_t loads = any;
  /// True if the instruction just before it writes vectors that it reads.
  bool overwritten = false;
};

}  // namespace tactus
