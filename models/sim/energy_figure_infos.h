// The figures of energy and area in statistics, for the tables of machines that an energy table may
// be for.
#pragma once

#include <vector>

#include "models/sim/machine_info.h"

namespace tactus {

[[nodiscard]] std::vector<FigureInfo> energy_figure_infos();

/// The figures as the driver's own, of machines that have `part`.
[[nodiscard]] std::vector<FigureInfo> own_figures_of(std::string_view part,
                                                     std::vector<FigureInfo> figures);

}  // namespace tactus
