// tactus boards, architectures, machines: lists of names for the command line. tactus zoo lists the
// networks.
#include <filesystem>
#include <utility>

#include <fmt/core.h>

#include "firmware/cli/args.h"
#include "firmware/cli/commands.h"
#include "firmware/cli/table.h"
#include "firmware/config/board.h"
#include "firmware/config/config_files.h"
#include "firmware/config/ddr_presets.h"
#include "isa/dpas/profile.h"
#include "isa/support/error.h"
#include "isa/tcu/architecture.h"

namespace tactus {
namespace {

using Rows = std::vector<std::vector<std::string>>;

/// A command without options that prints the rows which `add` appends.
template <typename Add>
int list(const char* command, const char* summary, const Words& words,
         std::vector<Table::Column> columns, Add&& add) {
  Args args(command, summary, {});
  if (!args.parse(words)) return exit_ok;
  Rows rows;
  add(rows);
  fmt::print("{}", Table(std::move(columns)).text(rows));
  return exit_ok;
}

std::string array_text(const tcu::Architecture& architecture) {
  return fmt::format("{0}x{0} {1}", architecture.array_size, info(architecture.data_type).name);
}

}  // namespace

int boards_command(const Words& words) {
  return list(
      "boards",
      "Lists the boards of configs/boards, which --board takes by name.\n"
      "tactus info BOARD says where each value of one comes from.",
      words,
      {{"board", true},
       {"array", true},
       {"MHz"},
       {"AXI bits"},
       {"latency"},
       {"DRAM", true},
       {"title", true}},
      [&](Rows& rows) {
        for (const std::string& name : config_names("boards")) {
          const Board board = read_board(name);
          rows.push_back({board.name, array_text(board.architecture),
                          fmt::format("{:g}", board.clock_mhz), std::to_string(board.axi_data_bits),
                          fmt::format("{}/{}", board.read_latency, board.write_latency),
                          board.board_memory ? board.board_memory->preset : "-", board.title});
        }
      });
}

int architectures_command(const Words& words) {
  return list(
      "architectures",
      "Lists the architectures of configs/arch, which --arch takes by name.\n"
      "Depths are vectors. tactus info FILE explains one.",
      words,
      {{"architecture", true},
       {"array", true},
       {"local"},
       {"accumulators"},
       {"DRAM0"},
       {"DRAM1"},
       {"file", true}},
      [&](Rows& rows) {
        const std::string folder = (std::filesystem::path(config_folder()) / "arch").string();
        for (const std::string& name : config_names("arch", ".tarch")) {
          const std::string path = folder + "/" + name + ".tarch";
          const tcu::Architecture a = tcu::read_architecture(path);
          rows.push_back({name, array_text(a), std::to_string(a.local_depth),
                          std::to_string(a.accumulator_depth), std::to_string(a.dram0_depth),
                          std::to_string(a.dram1_depth), path});
        }
      });
}

int drams_command(const Words& words) {
  return list(
      "drams",
      "Lists the DRAMs of configs/dram, which --ddr takes by name.\n"
      "tactus info DRAM says what one does in clocks and ns, and where each value\n"
      "comes from.",
      words,
      {{"DRAM", true}, {"bits"}, {"MT/s"}, {"MiB"}, {"GB/s peak"}, {"CL-RCD-RP"}, {"title", true}},
      [&](Rows& rows) {
        for (const std::string& name : config_names("dram")) {
          const DdrPreset preset = read_ddr_preset(name);
          const DdrConfig& c = preset.config;
          rows.push_back({name, std::to_string(c.bus_bits), fmt::format("{:.0f}", 2e6 / c.tck_ps),
                          std::to_string(c.bytes() >> 20),
                          fmt::format("{:.2f}", c.bus_bits / 8.0 * 2e3 / c.tck_ps),
                          fmt::format("{}-{}-{}", c.cl, c.t_rcd, c.t_rp), preset.title});
        }
      });
}

int machines_command(const Words& words) {
  return list(
      "machines",
      "Lists what --machine takes: machines with a DPAS array, of configs/dpas, and\n"
      "for products (tactus gemm) TCUs on a board or with an architecture.",
      words, {{"machine", true}, {"array", true}, {"registers of a thread", true}, {"title", true}},
      [&](Rows& rows) {
        for (const std::string& name : config_names("dpas")) {
          const dpas::Profile profile = dpas::read_profile(config_path("dpas", name));
          rows.push_back(
              {name,
               fmt::format("{} channels, {} stages", profile.execution_size, profile.array_depth),
               fmt::format("{} x {} bytes", profile.grf_count, profile.grf_bytes), profile.title});
        }
        for (const std::string& name : config_names("boards")) {
          const Board board = read_board(name);
          rows.push_back({"tcu:" + name, array_text(board.architecture), "-", board.title});
        }
        rows.push_back({"tcu:F.tarch", "", "-", "a TCU of any architecture"});
      });
}

}  // namespace tactus
