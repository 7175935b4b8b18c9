#include "firmware/config/memory.h"

#include "firmware/config/ddr_presets.h"
#include "firmware/driver/common/memory_system.h"
#include "isa/support/error.h"

namespace tactus {
namespace {

DdrConfig ddr_config(const BoardValues& board) {
  DdrConfig config =
      read_ddr_preset(board.ddr.empty() ? board.board_memory->preset : board.ddr).config;
  for (const Parameter<DdrConfig>& p : ddr_parameters()) {
    const std::string& value = p.key == "scheduler"     ? board.board_memory->scheduler
                               : p.key == "page_policy" ? board.board_memory->page_policy
                                                        : std::string();
    if (!value.empty()) p.set(config, value);
  }
  return config;
}

/// The two banks in the DRAM.
void check_banks(const BoardMemory& memory, const tcu::Architecture& architecture,
                 const DdrConfig& ddr, std::vector<MemoryProblem>& problems) {
  const std::uint64_t vector = architecture.vector_bytes();
  const std::uint64_t bytes[] = {architecture.dram0_depth * vector,
                                 architecture.dram1_depth * vector};
  for (unsigned p = 0; p < 2; ++p) {
    const std::uint64_t end = memory.base[p] + bytes[p];
    const std::uint64_t most = std::min(ddr.bytes(), std::uint64_t{1} << 32);
    if (end <= most && end >= memory.base[p]) continue;
    problems.push_back({fmt::format("/memory/base/dram{}", p),
                        fmt::format("the bank takes bytes 0x{:x}..0x{:x}; allowed up to 0x{:x}, "
                                    "the end of the DRAM",
                                    memory.base[p], end - 1, most - 1)});
  }
  const bool apart =
      memory.base[0] + bytes[0] <= memory.base[1] || memory.base[1] + bytes[1] <= memory.base[0];
  if (apart) return;
  problems.push_back(
      {"/memory/base/dram1",
       fmt::format(
           "the bank takes bytes 0x{:x}..0x{:x}, and that of dram0 0x{:x}..0x{:x}; allowed: "
           "banks that do not overlap, or --memory fixed (of sweeps: board.memory_model)",
           memory.base[1], memory.base[1] + bytes[1] - 1, memory.base[0],
           memory.base[0] + bytes[0] - 1)});
}

}  // namespace

std::vector<MemoryProblem> memory_problems(const BoardValues& board,
                                           const tcu::Architecture& architecture) {
  std::vector<MemoryProblem> problems;
  if (!board.board_memory) return problems;
  for (unsigned p = 0; p < 2; ++p) {
    try {
      (void)path_config(board, p, 1);
    } catch (const UserError& error) {
      problems.push_back(
          {"/memory/paths/" + board.board_memory->ports[p] + "/clock_mhz", error.what()});
      break;
    }
  }
  try {
    check_banks(*board.board_memory, architecture, ddr_config(board), problems);
  } catch (const UserError& error) {
    problems.push_back({"/memory/ddr/preset", error.what()});
  }
  return problems;
}

void resolve_memory(TcuSimulationConfig& config) {
  config.resolved_ddr.reset();
  if (config.memory_model == MemoryModel::fixed) return;
  if (!config.board_memory) {
    user_error(
        "the memory model \"board\" needs a board whose file has a \"memory\"; see "
        "configs/README.md");
  }
  for (const MemoryProblem& problem : memory_problems(config, config.architecture)) {
    user_error("the board's {}: {}", problem.path, problem.what);
  }
  config.resolved_ddr = ddr_config(config);
}

}  // namespace tactus
