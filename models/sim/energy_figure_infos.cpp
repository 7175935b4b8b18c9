#include "models/sim/energy_figure_infos.h"

namespace tactus {

std::vector<FigureInfo> energy_figure_infos() {
  constexpr auto own = FigureInfo::Source::own;
  return {
      {"energy.table", "text", "the table of energies that follow, of --energy", own, "", "energy"},
      {"energy.source", "text", "where the table's numbers are from", own, "", "energy"},
      {"energy.technology", "text", "what they are for", own, "", "energy"},
      {"energy.unit", "text", "pJ, or relative: weights without a unit", own, "", "energy"},
      {"energy.total", "energy.unit", "events of the run times the table's energies", own, "",
       "energy"},
      {"energy.per_image", "energy.unit", "the total over the images that the run computes", own,
       "", "energy"},
      {"energy.static", "energy.unit", "of the total: cycles times the table's static_per_cycle",
       own, "", "energy"},
      {"energy.power_mw", "mW", "total / latency, of a table in pJ", own, "", "energy"},
      {"energy.by_event.*", "", "events and their energies", own, "", "energy"},
      {"energy.area.*", "", "of the design on the chip, where the table has areas", own, "",
       "energy"},
      {"energy.layers.*", "", "the same total for each layer", own, "", "energy"},
  };
}

}  // namespace tactus
