// Random paths and DRAMs for the ports of a machine.
#pragma once

#include <string>
#include <vector>

#include "firmware/config/config_files.h"
#include "firmware/config/ddr_presets.h"
#include "tests/support/differential.h"

namespace tactus {

inline MemoryPath random_path(Random& random) {
  MemoryPath path;
  path.ratio = random.pick({ClockRatio{1, 1}, ClockRatio{29, 9}, ClockRatio{13, 24},
                            ClockRatio{3, 1}, ClockRatio{1, 2}, ClockRatio{997, 1000}});
  path.data_bits = random.pick({32U, 64U, 128U, 256U, 512U});
  path.split_beats = random.pick({1U, 3U, 16U, 64U});
  path.outstanding = random.pick({1U, 2U, 8U, 64U});
  path.write_buffer_beats = random.pick({1U, 2U, 8U, 32U});
  path.controller_port = random.pick({0U, 1U});
  for (unsigned d = 0; d < 2; ++d) {
    path.crossing[d] = static_cast<double>(random.below(8));
    path.interconnect_ns[d] = random.pick({0.0, 3.5, 110.0});
    path.fixed_ns[d] = random.pick({0.0, 1.0, 60.0, 95.0});
  }
  return path;
}

inline constexpr std::uint64_t bytes_of_a_bank = std::uint64_t{1} << 30;

/// True if the program's addresses fit a DRAM bank. (Random programs use all 32 address bits.)
inline bool fits(const RandomProgram& program) {
  for (const RandomProgram::Window& window : program.windows) {
    if (window.address + window.bytes.size() > bytes_of_a_bank) return false;
  }
  return true;
}

inline void random_memory(Random& random, TcuSimulationConfig& config) {
  BoardMemory memory;
  memory.paths = {{"a", random_path(random)}, {"b", random_path(random)}};
  memory.ports = {"a", random.pick({std::string("a"), std::string("b")})};
  memory.base = {0, bytes_of_a_bank};
  const std::vector<std::string> presets = config_names("dram");
  memory.preset = presets[random.below(presets.size())];
  if (random.chance(50)) {
    memory.paths.emplace_back("c", random_path(random));
    memory.stream = MemoryStream{random.pick({std::string("a"), std::string("c")}),
                                 random.pick({128U, 1024U, 4096U}), random.pick({1U, 2U, 7U}),
                                 2 * bytes_of_a_bank - (std::uint64_t{1} << 20)};
    config.stream_model = StreamModel::board;
  }
  config.memory_model = MemoryModel::board;
  config.board_memory = memory;
  DdrConfig ddr = read_ddr_preset(memory.preset).config;
  ddr.scheduler = random.pick({DdrScheduler::fifo, DdrScheduler::frfcfs});
  ddr.page_policy = random.pick({DdrPagePolicy::open, DdrPagePolicy::closed});
  ddr.rows = std::uint64_t{1} << 17;  // at least 2 GB
  ddr.address_map = random.pick({std::string("row_bank_column"), std::string("row_column_bank"),
                                 std::string("bank_row_column")});
  ddr.port_queue = random.pick({1U, 2U, 8U});
  config.resolved_ddr = ddr;
}

}  // namespace tactus
