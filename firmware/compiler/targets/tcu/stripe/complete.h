// The passes between a program and its lowering, for the kernels that lack them.
#pragma once

#include <cstdint>
#include <string_view>

#include "firmware/compiler/stripe/ir.h"
#include "isa/tcu/architecture.h"

namespace tactus::compiler {

/// Contractions that are not at the array yet are laid on it, tiled to what fits accumulators and
/// local memory, and cached there; loops are put in an order that loads weights seldom. Kernels
/// that are located already stay as they are. UserError with the block's name for a contraction
/// that cannot be tiled. `axi_bytes`: a cycle and DRAM port, which says what a line costs that a
/// tile reads or writes.
void complete_passes(stripe::Program& program, const tcu::Architecture& architecture,
                     std::uint64_t axi_bytes = 8);

/// The template of these passes: configs/stripe/lowering.json.j2.
[[nodiscard]] std::string_view lowering_passes();

}  // namespace tactus::compiler
