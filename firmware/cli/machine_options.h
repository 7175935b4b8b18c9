// Options that shape a machine, shared by the commands that run one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "firmware/cli/args.h"
#include "firmware/config/board.h"
#include "firmware/driver/tcu/simulation.h"

namespace tactus {

/// The options --board, of the board's values, and of the simulation.
[[nodiscard]] std::vector<Args::Option> machine_options();

/// The option --engine alone, for commands without other options of the machine.
[[nodiscard]] Args::Option engine_option();
[[nodiscard]] Engine read_engine(const Args& args);

/// Reads the board of --board, if given, and copies its values and architecture into the
/// configuration. Call before other options set the architecture.
std::optional<Board> read_board_option(const Args& args, TcuSimulationConfig& config);

/// Reads options of a board's values and chooses the memory: giving a latency selects the memory of
/// fixed latency. Throws UserError for options that contradict this choice.
void read_memory_options(const Args& args, BoardValues& board);

/// Reads all other options into a configuration whose architecture is already set, and warns about
/// its DAIS blocks. Values without an option stay unchanged. `where` is the `where` of
/// resolve_memory(); empty: the file of --board.
void read_machine_options(const Args& args, TcuSimulationConfig& config,
                          const std::string& where = "");

/// Reads the architecture of --arch, a name of configs/arch or a file. Prints a note about keys
/// that the file leaves to their defaults.
[[nodiscard]] tcu::Architecture read_architecture_option(const std::string& name);

/// Prints a line on standard error for each of tcu::dais_block_warnings().
void warn_about_dais_blocks(const tcu::Architecture& architecture);

}  // namespace tactus
