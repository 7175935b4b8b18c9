// DRAM presets by name, as boards are.
#pragma once

#include <string>

#include "isa/dram/ddr_preset.h"

namespace tactus {

/// `name`: of a file in configs/dram, or a path (see config_path). Throws UserError.
[[nodiscard]] DdrPreset read_ddr_preset(const std::string& name);

}  // namespace tactus
