// Points of a sweep that are networks, compiled models or programs of a TCU on a board.
#pragma once

#include <string>

#include "firmware/bench/evaluation.h"
#include "firmware/sweep/configuration.h"

namespace tactus::sweep {

/// Converts the configuration of such a point to a task of `tactus bench`. Throws UserError, naming
/// the key, if a value is out of range.
[[nodiscard]] bench::Task to_task(const Configuration& configuration);

/// Throws UserError if the width of the AXI port or the board's memory does not suit the
/// architecture.
void check_machine(const BoardValues& board, const tcu::Architecture& architecture);

/// Adds the figures of a TCU's size.
void add_size(Configuration& figures, const tcu::Architecture& architecture,
              std::uint64_t units = 1);

/// All keys of a network's configuration, with the values of a board. `board` is a name in
/// configs/boards or a path relative to the folder of `file`. Throws UserError if there is no such
/// board.
[[nodiscard]] Configuration board_defaults(const std::string& board, const std::string& file);
/// The keys of an architecture. Paths are absolute.
[[nodiscard]] Configuration architecture_values(const tcu::Architecture& architecture);

}  // namespace tactus::sweep
