// The figures of energy and area in statistics, for machines to which an energy table can apply.
#pragma once

#include <vector>

#include "models/sim/machine_info.h"

namespace tactus {

[[nodiscard]] std::vector<FigureInfo> energy_figure_infos();

/// Returns the figures as those of the machine's driver, for machines that have `part`.
[[nodiscard]] std::vector<FigureInfo> own_figures_of(std::string_view part,
                                                     std::vector<FigureInfo> figures);

}  // namespace tactus
