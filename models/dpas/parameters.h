// Parameters of a DPAS machine, besides its profile.
#pragma once

#include <cstdint>
#include <optional>

#include "isa/dpas/profile.h"
#include "isa/dpas/semantics.h"
#include "models/sim/engine.h"

namespace tactus::dpas {

/// How an instruction waits for results of the array and of memory. Both mechanisms are Tactus's
/// own.
enum class Sync : std::uint8_t {
  scoreboard,  ///< the hardware marks each register that will be written or read
  /// as scoreboard; in addition each DPAS and message holds one of the profile's tokens in flight
  tokens,
};

/// Which DPAS form macros.
enum class Macros : std::uint8_t {
  as_written,  ///< those with {Atomic}; in a program without it, all that meet the conditions
  off,
};

enum class MemoryKind : std::uint8_t {
  axi,    ///< bursts on AXI4 pins, with a TLM-2.0 memory behind them
  ideal,  ///< fixed latency and width
};

struct MachineParameters {
  Profile profile;
  std::uint32_t threads = 1;  ///< hardware threads that run the kernel, 1..8
  LatencyModel latency = LatencyModel::model;
  Numerics numerics;
  Sync sync = Sync::scoreboard;
  Macros macros = Macros::as_written;

  MemoryKind memory = MemoryKind::axi;
  std::uint32_t messages = 32;  ///< most messages in the load/store unit, waiting or in flight
  std::uint32_t bursts = 32;    ///< AXI: most bursts in flight in each direction, 1..64
  /// ideal: cycles from issue to use; unset: the profile's L1 latency
  std::optional<std::uint32_t> ideal_latency;
  std::uint32_t ideal_bytes = 64;  ///< ideal: bytes per cycle
  std::uint32_t axi_data_bits = 64;

  Engine engine = Engine::fast;

  [[nodiscard]] std::uint32_t ideal_cycles() const {
    return ideal_latency.value_or(profile.l1_latency);
  }
  /// Largest number of bytes that the memory side transfers in a cycle.
  [[nodiscard]] std::uint32_t beat_bytes() const {
    return memory == MemoryKind::ideal ? ideal_bytes : axi_data_bits / 8;
  }
};

}  // namespace tactus::dpas
