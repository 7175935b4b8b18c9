// The tensor compute unit as a hardware model.
#pragma once

#include <cstdint>

#include "firmware/compiler/stripe/hardware_model.h"
#include "isa/tcu/architecture.h"

namespace tactus::tcu {

/// What an architecture file does not say.
struct ModelParameters {
  std::uint64_t clock_mhz = 150;
  std::uint64_t axi_bytes = 8;       ///< a cycle and direction, on each DRAM port
  std::uint64_t pipeline_depth = 1;  ///< tiles in flight
};

/// Memories DRAM0, DRAM1, LOCAL, ACC and WREG (weights and bias row; a bus endpoint only), compute
/// units ARRAY (with its stencil) and SIMD, movers DMA0, DMA1, ACCMOVE and WLOAD. Units that use
/// one port of LOCAL share one bus entry: port A the array's reads, WLOAD and ACCMOVE, port B DMA0
/// and DMA1. Sizes that are no whole KiB are rounded down; UserError for a memory below 1 KiB.
[[nodiscard]] stripe::HardwareModel hardware_model(const Architecture& architecture,
                                                   const ModelParameters& parameters = {});

}  // namespace tactus::tcu
