// Random programs on machines with random paths and DRAMs: the engines agree in every cycle, and
// the data equal those of a machine with memory of fixed latency.
#include <string>

#include <gtest/gtest.h>

#include "isa/support/error.h"
#include "isa/tcu/assembler.h"
#include "tests/memory/random_memory.h"
#include "tests/support/differential.h"
#include "tests/support/run_record.h"
#include "tests/support/test_scale.h"

namespace tactus {
namespace {

std::string compare(const RandomProgram& program, TcuSimulationConfig config, bool events) {
  config.engine = Engine::step;
  const RunRecord step = record_run(program, config, 0, events, observed_of(program));
  if (step.result.end != RunEnd::finished) return {};  // other tests compare hangs
  config.engine = Engine::fast;
  std::string text = difference(step, record_run(program, config, 0, events, observed_of(program)));
  config.engine = Engine::check;
  config.check_every = 1;
  try {
    if (text.empty())
      text = difference(step, record_run(program, config, 0, events, observed_of(program)));
  } catch (const InternalError& error) {
    text = error.what();
  }
  if (!text.empty()) return text;
  TcuSimulationConfig fixed = config;
  fixed.memory_model = MemoryModel::fixed;
  fixed.stream_model = StreamModel::ideal;
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
  // The stalled cycles of a memory are the cycles in which its slave waited for it.
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

/// Short DataMoves in both directions: most of the time the TCU waits for a memory with irregular
/// beats. The decoder's timeout expires in every wait, and the last wait continues after the
/// program's end.
RandomProgram program_of_short_moves(unsigned lanes, unsigned axi_data_bits) {
  RandomProgram program;
  program.architecture.array_size = lanes;
  program.architecture.local_depth = 512;
  program.axi_data_bits = axi_data_bits;
  program.instructions = tcu::assemble(program.architecture, R"(
      Configure Timeout = 3
      .repeat 12 k
        DataMove DRAM1(7 * k) -> Local(k), 1
        DataMove DRAM0(300 * k) -> Local(20 + k), 1 + k
        DataMove Local(k) -> DRAM0(40 + k), 1
        DataMove Local(19) -> DRAM1(900), 6
      .end
      DataMove DRAM0(0) -> Local(0), 40
    )",
                                       "short_moves");
  return program;
}

TEST(BoardMemoryEngines, AgreeWhileTheTcuWaits) {
  for (const std::uint64_t seed : test_seeds(32'500'000, 40)) {
    Random random(seed);
    const unsigned lanes = random.pick({4U, 8U, 16U});
    const RandomProgram program = program_of_short_moves(lanes, random.pick({32U, 64U}));
    TcuSimulationConfig config = machine_config(program);
    config.clock_mhz = random.pick({100.0, 333.0, 25.0});
    random_memory(random, config);
    for (const bool events : {false, true}) {
      ASSERT_EQ(compare(program, config, events), "") << "seed " << seed << ", events " << events;
    }
  }
}

}  // namespace
}  // namespace tactus
