#include "models/sim/energy_figure_infos.h"

namespace tactus {

std::vector<FigureInfo> energy_figure_infos() {
  const std::vector<FigureInfo> figures{
      {"energy.table", "text", "the table of energies that follow, of --energy"},
      {"energy.source", "text", "where the table's numbers are from"},
      {"energy.technology", "text", "what they are for"},
      {"energy.unit", "text", "pJ, or relative: weights without a unit"},
      {"energy.total", "energy.unit", "events of the run times the table's energies"},
      {"energy.per_image", "energy.unit", "the total over the images that the run computes"},
      {"energy.static", "energy.unit", "of the total: cycles times the table's static_per_cycle"},
      {"energy.power_mw", "mW", "total / latency, of a table in pJ"},
      {"energy.by_event.*", "", "events and their energies"},
      {"energy.area.*", "", "of the design on the chip, where the table has areas"},
      {"energy.layers.*", "", "the same total for each layer"},
  };
  return own_figures_of("energy", figures);
}

std::vector<FigureInfo> own_figures_of(std::string_view part, std::vector<FigureInfo> figures) {
  for (FigureInfo& figure : figures) {
    figure.source = FigureInfo::Source::own;
    figure.needs = part;
  }
  return figures;
}

}  // namespace tactus
