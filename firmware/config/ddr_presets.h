// Finds DRAM presets by name.
#pragma once

#include <string>

#include "isa/dram/ddr_preset.h"

namespace tactus {

/// Reads a preset by the name of a file in configs/dram, or by path (see config_path). Throws
/// UserError.
[[nodiscard]] DdrPreset read_ddr_preset(const std::string& name);

}  // namespace tactus
