#include "models/sim/energy_figure_infos.h"

namespace tactus {

std::vector<FigureInfo> energy_figure_infos() {
  const std::vector<FigureInfo> figures{
      {"energy.table", "text", "name of the energy table (--energy) behind the figures below"},
      {"energy.source", "text", "where the table's numbers come from"},
      {"energy.technology", "text", "technology that the table's numbers hold for"},
      {"energy.unit", "text", "pJ, or relative: weights without a unit"},
      {"energy.leaves_out", "text",
       "what accesses to DRAM do not contain: its commands, refresh and interface"},
      {"energy.units", "count",
       "with several units, whose energy, power and area these figures are; see tcus.count"},
      {"energy.images", "count", "with several units: images whose energy these figures are"},
      {"energy.total", "energy.unit",
       "sum over the events of the run, each times its energy in the table; of several units over "
       "all runs"},
      {"energy.per_image", "energy.unit", "energy.total / images that the run computes"},
      {"energy.static", "energy.unit",
       "part of energy.total: cycles times the table's static_per_cycle"},
      {"energy.power_mw", "mW",
       "energy.total / latency, of several units / time of all runs; only with a table in pJ"},
      {"energy.by_event.*", "", "each kind of event: its count and its energy"},
      {"energy.area.*", "", "area of the design on the chip, of all units, if the table has areas"},
      {"energy.layers.*", "", "energy.total of each layer"},
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
