// Writing packages.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/darwinn/package.h"

namespace tactus::darwinn {

/// Writes a package in the layout of the Edge TPU compiler: the MultiExecutable at offset 4096;
/// every executable at a multiple of 4096 and of such a length; parameters at offset 4096 of their
/// executable. The package is not checked; `bytes`, offsets and fields_present are ignored.
/// Executables are listed in the given order and stored in reverse order.
[[nodiscard]] std::vector<std::uint8_t> write_package(const Package& package);

/// Writes a package without alignment beyond that of FlatBuffers, as other tools do.
[[nodiscard]] std::vector<std::uint8_t> write_package_unaligned(const Package& package);

}  // namespace tactus::darwinn
