// The figures of a board's DRAM in statistics, for the tables of machines that may have one.
#pragma once

#include <string_view>
#include <vector>

#include "models/sim/machine_info.h"

namespace tactus {

/// `unit`: whose account only a machine with such a memory keeps.
[[nodiscard]] std::vector<FigureInfo> ddr_figure_infos(std::string_view unit);

}  // namespace tactus
