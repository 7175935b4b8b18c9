// Random programs on machines with random paths and DRAMs: the engines agree in every cycle, and
// data is that of a memory of fixed latency.
#include <string>

#include <gtest/gtest.h>

#include "firmware/config/config_files.h"
#include "firmware/config/ddr_presets.h"
#include "isa/support/error.h"
#include "tests/support/differential.h"
#include "tests/support/run_record.h"
#include "tests/support/test_scale.h"

namespace tactus {
namespace {

MemoryPath random_path(Random& random) {
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

constexpr std::uint64_t bank_bytes = std::uint64_t{1} << 30;

/// Random programs reach anywhere in 32 bits, a bank of a DRAM is smaller.
bool fits(const RandomProgram& program) {
  for (const RandomProgram::Window& window : program.windows) {
    if (window.address + window.bytes.size() > bank_bytes) return false;
  }
  return true;
}

void random_memory(Random& random, TcuSimulationConfig& config) {
  BoardMemory memory;
  memory.paths = {{"a", random_path(random)}, {"b", random_path(random)}};
  memory.ports = {"a", random.pick({std::string("a"), std::string("b")})};
  memory.base = {0, bank_bytes};
  const std::vector<std::string> presets = config_names("dram");
  memory.preset = presets[random.below(presets.size())];
  config.memory_model = MemoryModel::board;
  config.board_memory = memory;
  DdrConfig ddr = read_ddr_preset(memory.preset).config;
  ddr.scheduler = random.pick({DdrScheduler::fifo, DdrScheduler::frfcfs});
  ddr.page_policy = random.pick({DdrPagePolicy::open, DdrPagePolicy::closed});
  ddr.rows = std::uint64_t{1} << 17;  // 2 GB and more
  ddr.address_map = random.pick({std::string("row_bank_column"), std::string("row_column_bank"),
                                 std::string("bank_row_column")});
  ddr.port_queue = random.pick({1U, 2U, 8U});
  config.resolved_ddr = ddr;
}

std::string compare(const RandomProgram& program, TcuSimulationConfig config, bool events) {
  config.engine = Engine::step;
  const RunRecord step = record_run(program, config, 0, events);
  if (step.result.end != RunEnd::finished) return {};  // compared elsewhere
  config.engine = Engine::fast;
  std::string text = difference(step, record_run(program, config, 0, events));
  config.engine = Engine::verify;
  try {
    if (text.empty()) text = difference(step, record_run(program, config, 0, events));
  } catch (const InternalError& error) {
    text = error.what();
  }
  if (!text.empty()) return text;
  TcuSimulationConfig fixed = config;
  fixed.memory_model = MemoryModel::fixed;
  fixed.engine = Engine::fast;
  const std::vector<std::uint8_t> data = record_run(program, fixed, 0, false).contents;
  if (step.contents != data) {
    std::size_t at = 0;
    while (step.contents[at] == data[at]) ++at;
    std::string windows;
    for (const RandomProgram::Window& w : program.windows) {
      windows += fmt::format("; window {} at 0x{:x}, {} bytes", w.port, w.address, w.bytes.size());
    }
    return fmt::format("byte {} of {} differs{}; preset {}", at, data.size(), windows,
                       config.board_memory->preset);
  }
  // Where the slaves waited for the memory is what the memories' accounts split.
  for (unsigned p = 0; p < 2; ++p) {
    const UnitCycles& slave = step.result.accounting.unit(p == 0 ? "slave0" : "slave1");
    const UnitCycles& memory = step.result.accounting.unit(p == 0 ? "memory0" : "memory1");
    const std::uint64_t waited =
        slave.cycles[AxiSlave::read_latency] + slave.cycles[AxiSlave::write_latency];
    if (memory.of(StateKind::stall) != waited) {
      return fmt::format("the account of memory {} has {} cycles of {}", p,
                         memory.of(StateKind::stall), waited);
    }
  }
  return {};
}

TEST(BoardMemoryEngines, AgreeOnRandomProgramsPathsAndPresets) {
  for (const std::uint64_t seed : test_seeds(32'000'000, 400)) {
    RandomOptions options;
    options.hazards = Hazards::none;
    const RandomProgram program = random_program(seed, options);
    if (!fits(program)) continue;
    Random random(seed ^ 0xB0A);
    TcuSimulationConfig config = machine_config(program);
    randomise_timing(random, config);
    config.clock_mhz = random.pick({100.0, 333.0, 25.0});
    random_memory(random, config);
    const bool events = random.chance(30);
    if (!events) config.stalls = StallGenerator();
    ASSERT_EQ(compare(program, config, events), "") << "seed " << seed;
  }
}

}  // namespace
}  // namespace tactus
