// The layers of a run as rows of text, for the screen and for spreadsheets.
#pragma once

#include <string>
#include <vector>

#include "firmware/report/figures.h"
#include "firmware/report/run_document.h"

namespace tactus {

struct LayerTable {
  std::vector<std::string> titles;  ///< the first column is the layer's name
  std::vector<std::vector<std::string>> rows;
};

/// The layers of the first image, those of no cycles left out: first and last cycle as waveforms
/// and timelines count them, cycles, ms, share of the run's cycles, share in which the main unit
/// works, bytes read and written at all ports, instructions, the reason for most of the lost
/// cycles, and before it the energy where a table was given. No rows if the run names no layers.
[[nodiscard]] LayerTable layer_table(const RunDocument& document);

/// What the titles of a machine's tables mean.
[[nodiscard]] std::vector<Figure> layer_columns(const MachineInfo& machine);
[[nodiscard]] std::string layers_csv(const LayerTable& table);

}  // namespace tactus
