// Packages whose programs run on the TCU. Their chip is "tcu-" and the architecture's name.
//
// The executable's serialized_model is the text of a model file (.tmodel): the architecture and the
// places of inputs and outputs in DRAM0. Fields are in Configure instructions of the DRAM offset
// registers and take block numbers: device byte address >> 16. Inputs and outputs lie in scratch
// memory at the model file's bases, except those that a field names: each of them has a buffer of
// its own, at any multiple of a block, which holds the tensor's pieces in order.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "isa/darwinn/linker.h"
#include "isa/darwinn/package.h"
#include "isa/tcu/model_file.h"

namespace tactus::darwinn {

/// Device addresses are linked as numbers of blocks of this many bytes.
constexpr std::uint64_t tcu_block_bytes = 65536;

/// Names of the inputs (or outputs, see `desc`) that have a base of their own because a field names
/// them.
[[nodiscard]] std::set<std::string_view> based_layers(const Executable& executable,
                                                      std::int16_t desc);

/// Converts addresses to block numbers. Throws UserError if an address is not a multiple of a block
/// or exceeds the 16 bits of the offset registers.
[[nodiscard]] Addresses in_blocks(Addresses addresses);

/// Model file of the main executable. Throws PackageError (E_ARCH).
[[nodiscard]] tcu::ModelFile tcu_model(const Package& package, const std::string& file);

/// Checks the rules that only packages for the TCU have: E_ARCH, E_CHUNKSIZE, E_FIELD_UNITS. One
/// rule: a read must come between a write to DRAM0 and a linked Configure of its offset. A write
/// may still issue addresses after its instruction has ended, and these would get the new offset.
void verify_tcu_package(const Package& package, const std::string& file);

}  // namespace tactus::darwinn
