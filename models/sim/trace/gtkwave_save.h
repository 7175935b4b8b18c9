// Files that viewers open a waveform with: a GTKWave save file with tables that translate values to
// names, and commands for Surfer.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "models/sim/clock.h"
#include "models/sim/trace/selection.h"

namespace tactus::trace {

/// The view with which a viewer opens.
struct FirstView {
  Cycle first = 0;  ///< first cycle that was traced
  /// Time of a cycle as GTKWave counts it, see VcdWriter::viewer_units_per_cycle().
  std::uint64_t units_per_cycle = 1;
  std::uint64_t period_ps = 10000;  ///< period of a cycle
  struct Mark {
    Cycle at;
    std::string name;
  };
  std::vector<Mark> marks = {};  ///< GTKWave has 26 of them; the others are left out
  /// Cycles across a window of about a thousand pixels.
  static constexpr Cycle cycles = 100;
};

/// Names for the values of a signal whose note lists them, "0 single, 1 skip read" or "0 NoOp 1
/// Move" (values hexadecimal); empty for other notes, such as those of bit masks.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> value_names(const Signal& signal);

/// A translation of values for GTKWave: a file of its own, and the signals that use it.
struct Translation {
  /// Text of the file: a line "1 MatMul" for each value, in the radix that GTKWave shows.
  std::string text;
  std::vector<std::string> signals;
};
/// Returns one translation for each set of names that signals of the plan have.
[[nodiscard]] std::vector<Translation> translations(const Plan& plan);

/// Text of the .gtkw file. `waveform` is the name of the VCD (or FST) file that GTKWave opens with
/// it. First a group of what the instruction is: the program counter and the channel that has an
/// opcode; then every unit as a group, each channel as a group inside. Registers, levels and states
/// stand before the channels of their unit; addresses, sizes and counts are decimal, other numbers
/// hexadecimal, values with names are translated by `files` (of translations(), in their order;
/// empty: none). Only the instruction's group is open.
[[nodiscard]] std::string gtkwave_save(const Plan& plan, const std::string& waveform,
                                       const FirstView& view = {},
                                       const std::vector<std::string>& files = {});

/// Commands for `surfer --command-file F.sucl WAVEFORM`: the same signals in the same order, units
/// divided by their names, which Surfer takes as single words. Surfers without `zoom_to` tell it
/// and show the whole waveform.
[[nodiscard]] std::string surfer_commands(const Plan& plan, const std::string& waveform,
                                          const FirstView& view = {});

}  // namespace tactus::trace
