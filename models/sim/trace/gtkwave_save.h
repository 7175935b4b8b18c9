// A GTKWave save file for a waveform: units as groups, each channel as a group inside.
#pragma once

#include <string>

#include "models/sim/trace/selection.h"

namespace tactus::trace {

/// Text of the .gtkw file. `waveform` is the name of the VCD (or FST) file that GTKWave opens with
/// it. Registers, levels and states stand before the channels of their unit; addresses, sizes and
/// counts are decimal, other numbers hexadecimal. Only the decoder's group is open.
[[nodiscard]] std::string gtkwave_save(const Plan& plan, const std::string& waveform);

}  // namespace tactus::trace
