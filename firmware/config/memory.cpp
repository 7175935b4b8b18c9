#include "firmware/config/memory.h"

#include <algorithm>
#include <iterator>

#include "firmware/config/ddr_presets.h"
#include "firmware/driver/common/memory_system.h"
#include "isa/support/arbitration.h"
#include "isa/support/error.h"

namespace tactus {
namespace {

void check_clocks(const BoardValues& board, std::vector<MemoryProblem>& problems) {
  const BoardMemory& memory = *board.board_memory;
  std::vector<std::string> paths(memory.ports.begin(), memory.ports.end());
  if (memory.stream) paths.push_back(memory.stream->path);
  for (const std::string& path : paths) {
    try {
      (void)path_config(board, memory.path(path), 0, 1);
    } catch (const UserError& error) {
      if (board.port_clock_mhz) {
        problems.push_back({"/port_clock_mhz", error.what(), "--port-clock-mhz"});
      } else {
        problems.push_back({"/memory/paths/" + path + "/clock_mhz", error.what(), ""});
      }
      return;
    }
  }
}

/// Checks the text of the arbitration. Which units there are is known only for a run.
void check_names(const BoardValues& board, std::vector<MemoryProblem>& problems) {
  const bool replaced = !board.arbitration.empty();
  try {
    check_arbitration(arbitration_text(board), Arbitration::most_units,
                      board.board_memory->stream.has_value(), "");
  } catch (const UserError& error) {
    problems.push_back({replaced ? "/arbitration" : "/memory/arbitration", error.what(),
                        replaced ? "--arbitration" : ""});
  }
}

/// Checks the addresses of both banks in the DRAM.
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
                                    memory.base[p], end - 1, most - 1),
                        ""});
  }
  const bool apart =
      memory.base[0] + bytes[0] <= memory.base[1] || memory.base[1] + bytes[1] <= memory.base[0];
  if (apart) return;
  const unsigned low = memory.base[0] <= memory.base[1] ? 0 : 1;
  const std::uint64_t room = memory.base[1 - low] - memory.base[low];
  problems.push_back(
      {"/memory/base/dram1",
       fmt::format(
           "the bank takes bytes 0x{:x}..0x{:x}, and that of dram0 0x{:x}..0x{:x}; allowed: "
           "banks that do not overlap, here a dram{}_depth of up to {} vectors of {} bytes, or "
           "--memory fixed (of sweeps: board.memory_model)",
           memory.base[1], memory.base[1] + bytes[1] - 1, memory.base[0],
           memory.base[0] + bytes[0] - 1, low, room / vector, vector),
       ""});
}

/// Checks that the program starts in the DRAM and outside the banks. Its length is known only for a
/// run.
void check_stream(const BoardValues& board, const tcu::Architecture& architecture,
                  const DdrConfig& ddr, std::vector<MemoryProblem>& problems) {
  const BoardMemory& memory = *board.board_memory;
  if (!memory.stream) {
    if (board.stream_model == StreamModel::ideal) return;
    problems.push_back(
        {"/memory/stream", "missing key; stream_model \"board\" (--stream board) needs it", ""});
    return;
  }
  // The address is always checked against the board's own DRAM, and against a DRAM that replaces it
  // only if the program is read from there.
  if (board.stream_model == StreamModel::ideal && !board.ddr.empty()) return;
  const std::uint64_t base = memory.stream->base;
  const std::uint64_t most = std::min(ddr.bytes(), std::uint64_t{1} << 32);
  if (base >= most) {
    problems.push_back(
        {"/memory/stream/base",
         fmt::format("0x{:x} is not in the DRAM; allowed up to 0x{:x}", base, most - 1), ""});
  }
  const std::uint64_t vector = architecture.vector_bytes();
  const std::uint64_t depths[] = {architecture.dram0_depth, architecture.dram1_depth};
  for (unsigned p = 0; p < 2; ++p) {
    const std::uint64_t bank = memory.base[p], end = bank + depths[p] * vector;
    if (base < bank || base >= end) continue;
    problems.push_back(
        {"/memory/stream/base",
         fmt::format(
             "0x{:x} lies in the bank of dram{}, which takes bytes 0x{:x}..0x{:x}; allowed: "
             "a place outside of the banks",
             base, p, bank, end - 1),
         ""});
  }
}

/// Reads the preset and replaces the values that the board sets. Returns nothing and adds a problem
/// if there is no usable preset.
std::optional<DdrConfig> look_up_ddr(const BoardValues& board,
                                     std::vector<MemoryProblem>& problems) {
  const BoardMemory& memory = *board.board_memory;
  const bool replaced = !board.ddr.empty();
  try {
    DdrConfig config = read_ddr_preset(replaced ? board.ddr : memory.preset).config;
    for (const Parameter<DdrConfig>& p : ddr_parameters()) {
      const std::string& value = p.key == "scheduler"     ? memory.scheduler
                                 : p.key == "page_policy" ? memory.page_policy
                                                          : std::string();
      if (!value.empty()) p.set(config, value);
    }
    if (!memory.page_policy.empty()) config.page_timeout = memory.page_timeout;
    return config;
  } catch (const UserError& error) {
    problems.push_back(
        {replaced ? "/ddr" : "/memory/ddr/preset", error.what(), replaced ? "--ddr" : ""});
  }
  return std::nullopt;
}

/// Places one bank behind the other from byte 0 on, and the program behind both.
void move_banks(BoardMemory& memory, const tcu::Architecture& architecture) {
  constexpr std::uint64_t page = 4096;
  const auto end = [&](std::uint64_t base, std::uint64_t depth) {
    return (base + depth * architecture.vector_bytes() + page - 1) / page * page;
  };
  memory.base = {0, end(0, architecture.dram0_depth)};
  if (memory.stream) memory.stream->base = end(memory.base[1], architecture.dram1_depth);
}

/// Moves banks that do not fit into a DRAM that replaces the board's. Removes the program's address
/// if it lies beyond this DRAM and the program is not read from it.
void fit_banks(BoardValues& board, const tcu::Architecture& architecture, const DdrConfig& ddr,
               std::vector<MemoryProblem>& problems) {
  BoardMemory& memory = *board.board_memory;
  const std::uint64_t most = std::min(ddr.bytes(), std::uint64_t{1} << 32);
  const std::uint64_t vectors = most / architecture.vector_bytes();
  const bool too_small = architecture.dram0_depth >= vectors ||
                         architecture.dram1_depth > vectors - architecture.dram0_depth;
  if (too_small) {
    problems.push_back(
        {"/ddr",
         fmt::format(
             "{} has 0x{:x} bytes, too few for both banks; allowed: architecture.dram0_depth and "
             "dram1_depth of up to {} vectors of {} bytes together (here {} and {})",
             board.ddr, most, vectors, architecture.vector_bytes(), architecture.dram0_depth,
             architecture.dram1_depth),
         "--ddr"});
    return;
  }
  std::vector<MemoryProblem> misfits;
  check_banks(memory, architecture, ddr, misfits);
  if (!misfits.empty()) move_banks(memory, architecture);
  const bool unused = memory.stream && board.stream_model == StreamModel::ideal;
  if (unused && memory.stream->base >= most) memory.stream.reset();
}

std::vector<MemoryProblem> problems_with(BoardValues& board, const tcu::Architecture& architecture,
                                         std::optional<DdrConfig>& ddr) {
  std::vector<MemoryProblem> problems;
  if (!board.board_memory) return problems;
  check_clocks(board, problems);
  check_names(board, problems);
  ddr = look_up_ddr(board, problems);
  if (ddr) {
    if (!board.ddr.empty() && board.ddr != board.board_memory->preset) {
      fit_banks(board, architecture, *ddr, problems);
      if (!problems.empty()) return problems;
    }
    check_banks(*board.board_memory, architecture, *ddr, problems);
    check_stream(board, architecture, *ddr, problems);
  }
  return problems;
}

}  // namespace

std::vector<MemoryProblem> memory_problems(const BoardValues& board,
                                           const tcu::Architecture& architecture) {
  std::optional<DdrConfig> ddr;
  BoardValues copy = board;
  return problems_with(copy, architecture, ddr);
}

void place_banks(BoardValues& board, const tcu::Architecture& architecture) {
  std::optional<DdrConfig> ddr;
  (void)problems_with(board, architecture, ddr);
}

BoardMemory plain_memory(unsigned axi_data_bits) {
  constexpr unsigned longest_burst = 4096;
  MemoryPath path;
  path.data_bits = axi_data_bits;
  path.split_beats = std::min(256U, longest_burst / (axi_data_bits / 8));
  BoardMemory memory;
  for (unsigned p = 0; p < 2; ++p) {
    memory.ports[p] = fmt::format("dram{}", p);
    path.controller_port = p;
    memory.paths.emplace_back(memory.ports[p], path);
  }
  return memory;
}

TcuSimulationConfig tcu_config(const BoardValues& board, const tcu::Architecture& architecture) {
  TcuSimulationConfig config;
  static_cast<BoardValues&>(config) = board;
  config.architecture = architecture;
  resolve_memory(config);
  return config;
}

void resolve_memory(TcuSimulationConfig& config, const std::string& where) {
  config.resolved_ddr.reset();
  if (config.memory_model == MemoryModel::fixed) {
    if (config.stream_model == StreamModel::ideal) return;
    user_error(
        "the instruction stream cannot come out of the memory of fixed latency; allowed: "
        "--stream ideal (stream_model), or the memory of a board that describes one");
  }
  if (!config.board_memory) {
    user_error(
        "the memory model \"board\" needs a board whose file has a \"memory\"; see "
        "configs/README.md");
  }
  for (const MemoryProblem& problem :
       problems_with(config, config.architecture, config.resolved_ddr)) {
    if (!problem.option.empty()) user_error("{}: {}", problem.option, problem.what);
    user_error("{}{}: {}", where, problem.path, problem.what);
  }
}

bool replaces_board_memory(std::string_view key) {
  constexpr std::string_view keys[] = {"port_clock_mhz", "port_data_bits", "interconnect_ns", "ddr",
                                       "arbitration"};
  return std::find(std::begin(keys), std::end(keys), key) != std::end(keys);
}

BoardValues in_force(BoardValues board) {
  if (board.memory_model == MemoryModel::fixed || !board.board_memory) return board;
  for (auto& [name, path] : board.board_memory->paths) {
    if (board.port_clock_mhz) path.clock_mhz = board.port_clock_mhz;
    path.data_bits = board.port_data_bits.value_or(path.data_bits);
    if (board.interconnect_ns) path.interconnect_ns.fill(*board.interconnect_ns);
  }
  if (!board.ddr.empty()) board.board_memory->preset = board.ddr;
  if (!board.arbitration.empty()) board.board_memory->arbitration = board.arbitration;
  board.port_clock_mhz.reset();
  board.port_data_bits.reset();
  board.interconnect_ns.reset();
  board.ddr.clear();
  board.arbitration.clear();
  return board;
}

}  // namespace tactus
