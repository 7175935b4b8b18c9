// The figures of energy and area in statistics, for the tables of machines that an energy table may
// be for.
#pragma once

#include <vector>

#include "models/sim/machine_info.h"

namespace tactus {

[[nodiscard]] std::vector<FigureInfo> energy_figure_infos();

}  // namespace tactus
