#include "firmware/cli/machine_options.h"

#include <algorithm>

#include "firmware/cli/parameter_options.h"
#include "firmware/cli/verbosity.h"
#include "firmware/config/architectures.h"
#include "firmware/config/config_files.h"
#include "firmware/config/memory.h"
#include "firmware/config/memory_choice.h"
#include "firmware/driver/tcu/simulation_parameters.h"
#include "isa/support/board_values.h"
#include "isa/support/located.h"
#include "isa/support/read_number.h"

namespace tactus {
namespace {

/// The parameter `engine` without the number of "check=N", for commands that have no other options
/// of the simulation.
const Parameter<TcuSimulationConfig>& engine_parameter() {
  static const Parameter<TcuSimulationConfig> parameter = [] {
    const auto found =
        std::find_if(simulation_parameters().begin(), simulation_parameters().end(),
                     [](const auto& parameter) { return parameter.key == "engine"; });
    return found->with_number_at("");
  }();
  return parameter;
}

/// Checks the AXI width. The error names the architecture's file if the command line has one.
void check_width(const Args& args, const tcu::Architecture& architecture, unsigned bits) {
  const auto check = [&] { check_axi_width(architecture, bits); };
  for (const char* option : {"arch", "model", "board"}) {
    if (const auto file = args.text(option)) return located(*file, check);
  }
  if (!args.positional().empty()) return located(args.positional().front(), check);
  check();
}

/// Checks the width given as an option. The error for one that is no power of two lists the widths
/// that fit the architecture.
void check_width_option(const Args& args, const tcu::Architecture& architecture) {
  const auto text = args.text("axi-data-bits");
  if (!text) return;
  const auto bits = read_number<unsigned>(*text);
  if (!bits || *bits < axi_width_range.min || *bits > axi_width_range.max) return;
  check_width(args, architecture, *bits);
}

}  // namespace

Args::Option engine_option() {
  return parameter_options({"", "", {engine_parameter()}}, "").front();
}

Engine read_engine(const Args& args) {
  TcuSimulationConfig config;
  if (const auto value = option_value(engine_parameter(), args)) {
    engine_parameter().set(config, *value);
  }
  return config.engine;
}

std::vector<Args::Option> machine_options() {
  const std::string group = "Board";
  Args::Option board{"board", "NAME|F.json",
                     "a board of configs/boards or a file: its architecture and the values below, "
                     "which other options replace"};
  board.group = group;
  std::vector<Args::Option> options{board};
  for (const auto& section : {parameter_options(board_parameters().section(), group),
                              parameter_options(simulation_parameters().section(), "Simulation")}) {
    options.insert(options.end(), section.begin(), section.end());
  }
  return options;
}

std::optional<Board> read_board_option(const Args& args, TcuSimulationConfig& config) {
  const auto name = args.text("board");
  if (!name) return std::nullopt;
  Board board = read_board(*name);
  static_cast<BoardValues&>(config) = board;
  config.architecture = board.architecture;
  return board;
}

void read_memory_options(const Args& args, BoardValues& board) {
  const bool described = board.board_memory.has_value();
  read_options(board_parameters(), args, board);
  choose_memory(board, "tactus " + args.command() + ": ",
                [&](const Parameter<BoardValues>& parameter) -> std::string {
                  return option_value(parameter, args) ? "--" + parameter.option : "";
                });
  if (described || !board.board_memory) return;
  note(
      "no board describes the way to {}: two ports of {} bits on the design's clock, without "
      "latency of their own; --port-clock-mhz, --port-data-bits and --interconnect-ns change them",
      board.ddr, board.axi_data_bits);
}

void read_machine_options(const Args& args, TcuSimulationConfig& config, const std::string& where) {
  check_width_option(args, config.architecture);
  read_memory_options(args, config);
  read_options(simulation_parameters(), args, config);
  check_width(args, config.architecture, config.axi_data_bits);
  const auto board = args.text("board");
  const std::optional<BoardMemory> described = config.board_memory;
  resolve_memory(config, !where.empty() ? where
                         : board        ? config_path("boards", *board) + ":"
                                        : "the board's ");
  if (described && described->base != config.board_memory->base) {
    note("the banks of dram0 and dram1 begin at 0x{:x} and 0x{:x} of {}",
         config.board_memory->base[0], config.board_memory->base[1], config.ddr);
  }
  warn_about_dais_blocks(config.architecture);
}

tcu::Architecture read_architecture_option(const std::string& name) {
  std::string defaults;
  tcu::Architecture architecture = read_named_architecture(name, &defaults);
  if (!defaults.empty()) note("{} leaves to their defaults: {}", name, defaults);
  return architecture;
}

void warn_about_dais_blocks(const tcu::Architecture& architecture) {
  for (const std::string& line : tcu::dais_block_warnings(architecture)) {
    warn("{}", line);
  }
}

}  // namespace tactus
