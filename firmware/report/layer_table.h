// The layers of a run as rows of text, for the screen and for spreadsheets.
#pragma once

#include <string>
#include <vector>

#include "firmware/report/figures.h"
#include "firmware/report/run_document.h"
#include "firmware/report/text_table.h"

namespace tactus {

/// The layers of the first image, without layers of 0 cycles. Columns: first and last cycle,
/// counted as in waveforms and timelines; cycles; ms; share of the run's cycles; share of the
/// layer's cycles in which the main unit works; bytes read and written at all ports; instructions;
/// energy (with an energy table); main reason for lost cycles. A last row has the cycles in which
/// constants are copied once before the first image, if there are any; they are outside the run.
/// There are no rows if the run names no layers.
[[nodiscard]] TextTable layer_table(const RunDocument& document);

/// Name, unit and explanation of each column that a machine can have.
[[nodiscard]] std::vector<Figure> layer_columns(const MachineInfo& machine);

}  // namespace tactus
