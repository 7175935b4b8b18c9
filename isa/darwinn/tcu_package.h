// Packages whose programs run on the TCU: chip "tcu-" and the architecture's name.
//
// The executable's serialized_model is the text of a model file (.tmodel): architecture, and where
// inputs and outputs lie in DRAM0. Fields are on Configure instructions of the DRAM offset
// registers and take block numbers: device byte address >> 16. Inputs and outputs lie in scratch
// memory, at the model file's bases, but for those that a field names: each of these has a buffer
// of its own, at any multiple of a block, in which the pieces of the tensor follow each other.
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

/// The names of inputs, or of outputs, that fields give bases of their own. `desc`: input, output.
[[nodiscard]] std::set<std::string_view> based_layers(const Executable& executable,
                                                      std::int16_t desc);

/// Addresses as the fields take them. Throws UserError for one that is no multiple of a block or
/// beyond the 16 bits of the offset registers.
[[nodiscard]] Addresses in_blocks(Addresses addresses);

/// The model of the main executable. Throws PackageError (E_ARCH).
[[nodiscard]] tcu::ModelFile tcu_model(const Package& package, const std::string& file);

/// The rules that only such packages have: E_ARCH, E_CHUNKSIZE, E_FIELD_UNITS. One of them: between
/// a write to DRAM0 and a linked Configure of its offset stands a read, for a write's addresses may
/// still be to come when its instruction is over, and would get the other offset.
void verify_tcu_package(const Package& package, const std::string& file);

}  // namespace tactus::darwinn
