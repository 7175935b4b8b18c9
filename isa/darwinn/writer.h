// Writing packages.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/darwinn/package.h"

namespace tactus::darwinn {

/// The bytes of a package, laid out as the Edge TPU compiler does: the MultiExecutable at 4096,
/// every executable at a multiple of 4096 and of such a length, parameters at 4096 of their
/// executable. Writes what the package says, sound or not; `bytes`, offsets and fields_present are
/// not looked at. Executables are listed in the order given, and stored the other way round.
[[nodiscard]] std::vector<std::uint8_t> write_package(const Package& package);

/// The same without any alignment beyond FlatBuffers' own, as other tools write it.
[[nodiscard]] std::vector<std::uint8_t> write_package_unaligned(const Package& package);

}  // namespace tactus::darwinn
