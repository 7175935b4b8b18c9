// Runs passes on kernels that are not ready for lowering.
#pragma once

#include <cstdint>
#include <string_view>

#include "firmware/compiler/stripe/ir.h"
#include "isa/tcu/architecture.h"

namespace tactus::compiler {

/// Places contractions without a location at the array: tiles them to fit accumulators and local
/// memory, caches the tiles there, and orders loops so that weights are loaded seldom. Kernels with
/// a location stay unchanged. Throws UserError with the block's name if a contraction cannot be
/// tiled. `axi_bytes` is the number of bytes of a DRAM port in a cycle, from which the cost of
/// reading and writing tiles follows.
void complete_passes(stripe::Program& program, const tcu::Architecture& architecture,
                     std::uint64_t axi_bytes = 8);

/// The template of these passes: configs/stripe/lowering.json.j2.
[[nodiscard]] std::string_view lowering_passes();

}  // namespace tactus::compiler
