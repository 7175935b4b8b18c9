// Options that shape a machine, shared by the commands that run one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "firmware/cli/args.h"
#include "firmware/config/board.h"
#include "firmware/driver/tcu/simulation.h"

namespace tactus {

/// --board, those of the board's values, and those of the simulation.
[[nodiscard]] std::vector<Args::Option> machine_options();

/// --engine, also for commands that build no machine.
[[nodiscard]] Args::Option engine_option();
[[nodiscard]] Engine read_engine(const Args& args);

/// The board of --board, if it is given: its values become the configuration's, the architecture
/// included. To be called before the architecture is set by other options.
std::optional<Board> read_board_option(const Args& args, TcuSimulationConfig& config);

/// The values of a board, and which memory follows from them: latencies are those of the memory of
/// fixed latency, which whoever gives one gets. Throws UserError for options that contradict it.
void read_memory_options(const Args& args, BoardValues& board);

/// Reads the other options into a configuration whose architecture is already set, and warns about
/// its DAIS blocks. What they leave out stays as it is. `where` describes the board's memory, as
/// resolve_memory() wants it; empty: the file of --board.
void read_machine_options(const Args& args, TcuSimulationConfig& config,
                          const std::string& where = "");

/// What --arch names: an architecture of configs/arch, or a file. A note says which keys the file
/// leaves to their defaults.
[[nodiscard]] tcu::Architecture read_architecture_option(const std::string& name);

/// On standard error, a line for each of tcu::dais_block_warnings().
void warn_about_dais_blocks(const tcu::Architecture& architecture);

}  // namespace tactus
