// Packages whose programs run on the TCU: chip "tcu-" and the architecture's name.
//
// The executable's serialized_model is the text of a model file (.tmodel): architecture, and where
// inputs and outputs lie in DRAM0. Fields are on Configure instructions of the DRAM offset
// registers and take block numbers: device byte address >> 16.
#pragma once

#include <cstdint>
#include <string>

#include "isa/darwinn/linker.h"
#include "isa/darwinn/package.h"
#include "isa/tcu/model_file.h"

namespace tactus::darwinn {

/// Device addresses are linked as numbers of blocks of this many bytes.
constexpr std::uint64_t tcu_block_bytes = 65536;

/// Addresses as the fields take them. Throws UserError for one that is no multiple of a block or
/// beyond the 16 bits of the offset registers.
[[nodiscard]] Addresses in_blocks(Addresses addresses);

/// The model of the main executable. Throws PackageError (E_ARCH).
[[nodiscard]] tcu::ModelFile tcu_model(const Package& package, const std::string& file);

/// The rules that only such packages have: E_ARCH, E_CHUNKSIZE, E_FIELD_UNITS.
void verify_tcu_package(const Package& package, const std::string& file);

}  // namespace tactus::darwinn
