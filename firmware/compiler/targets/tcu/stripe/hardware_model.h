// The tensor compute unit as a hardware model.
#pragma once

#include <cstdint>

#include "firmware/compiler/stripe/hardware_model.h"
#include "isa/tcu/architecture.h"

namespace tactus::tcu {

/// Parameters that an architecture file does not have.
struct ModelParameters {
  std::uint64_t clock_mhz = 150;
  std::uint64_t axi_bytes = 8;       ///< bytes of a DRAM port in a cycle, in each direction
  std::uint64_t pipeline_depth = 1;  ///< tiles in flight
};

/// Makes the model. It has the memories DRAM0, DRAM1, LOCAL, ACC and WREG (weights and bias row; a
/// bus endpoint only), the compute units ARRAY (with its stencil) and SIMD, and the movers DMA0,
/// DMA1, ACCMOVE and WLOAD. Units that share a port of LOCAL share a bus entry: port A is used by
/// the array's reads, WLOAD and ACCMOVE, port B by DMA0 and DMA1. Sizes are rounded down to whole
/// KiB. Throws UserError for a memory below 1 KiB.
[[nodiscard]] stripe::HardwareModel hardware_model(const Architecture& architecture,
                                                   const ModelParameters& parameters = {});

}  // namespace tactus::tcu
