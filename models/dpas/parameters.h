// What a DPAS machine is made with, beside its profile.
#pragma once

#include <cstdint>
#include <optional>

#include "isa/dpas/profile.h"
#include "isa/dpas/semantics.h"
#include "models/sim/engine.h"

namespace tactus::dpas {

/// How an instruction waits for results of the array and of memory (both ours).
enum class Sync : std::uint8_t {
  scoreboard,  ///< hardware marks every register that is to be written or read
  tokens,      ///< and every DPAS and message holds one of the profile's tokens while in flight
};

/// Which DPAS are joined to macros.
enum class Macros : std::uint8_t {
  as_written,  ///< where the program has {Atomic}; if nowhere, wherever the conditions hold
  off,
};

enum class MemoryKind : std::uint8_t {
  axi,    ///< bursts on AXI4 pins, with a TLM-2.0 memory behind them
  ideal,  ///< a fixed latency and a number of bytes a cycle
};

struct MachineParameters {
  Profile profile;
  std::uint32_t threads = 1;  ///< hardware threads that run the kernel, 1..8
  LatencyModel latency = LatencyModel::model;
  Numerics numerics;
  Sync sync = Sync::scoreboard;
  Macros macros = Macros::as_written;

  MemoryKind memory = MemoryKind::axi;
  std::uint32_t messages = 32;                 ///< in the load/store unit, waiting or in flight
  std::uint32_t bursts = 32;                   ///< AXI: in flight each way, 1..64
  std::optional<std::uint32_t> ideal_latency;  ///< ideal: issue to use; unset: the profile's L1
  std::uint32_t ideal_bytes = 64;              ///< ideal: bytes a cycle
  std::uint32_t axi_data_bits = 64;

  Engine engine = Engine::fast;

  [[nodiscard]] std::uint32_t ideal_cycles() const {
    return ideal_latency.value_or(profile.l1_latency);
  }
  /// Bytes that the memory side moves in a cycle at most.
  [[nodiscard]] std::uint32_t beat_bytes() const {
    return memory == MemoryKind::ideal ? ideal_bytes : axi_data_bits / 8;
  }
};

}  // namespace tactus::dpas
