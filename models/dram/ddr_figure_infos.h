// The figures that statistics give for a board's DRAM, for the tables of machines that can have
// one.
#pragma once

#include <string_view>
#include <vector>

#include "models/sim/machine_info.h"

namespace tactus {

/// `unit` names a unit that only machines with such a memory have in their account.
[[nodiscard]] std::vector<FigureInfo> ddr_figure_infos(std::string_view unit);

}  // namespace tactus
