// Long intervals in which the design repeatedly returns to the same state: transfers of many
// bursts, with concurrent products and moves. Skipped cycles have the same effects as in the step
// engine.
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "isa/tcu/assembler.h"
#include "tests/support/differential.h"
#include "tests/support/run_record.h"
#include "tests/support/test_scale.h"

namespace tactus {
namespace {

/// An instruction of up to some hundred vectors, usually a transfer.
std::string long_instruction(Random& random, unsigned size) {
  const auto local = [&] { return random.below(700); };
  const auto vectors = [&] {
    return random.chance(70) ? random.range(40, 600) : random.range(1, 40);
  };
  const auto stride = [&](unsigned percent, unsigned most) {
    return random.chance(percent) ? fmt::format("@{}", random.range(1, most)) : std::string();
  };
  const unsigned port = random.chance(50) ? 1 : 0;
  switch (random.below(8)) {
    case 0:
    case 1:
    case 2:
      return fmt::format("DataMove DRAM{}({}){} -> Local({}), {}", port, random.below(900),
                         stride(20, 2), local(), vectors());
    case 3:
    case 4:
      return fmt::format("DataMove Local({}) -> DRAM{}({}){}, {}", local(), port, random.below(900),
                         stride(20, 2), vectors());
    case 5:
      return fmt::format("MatMul{} Local({}) -> Acc({}), {}", random.chance(50) ? ".acc" : "",
                         local(), random.below(300), random.range(10, 300));
    case 6:
      return fmt::format("DataMove Acc({}) -> Local({}), {}", random.below(300), local(),
                         random.range(10, 300));
    default:
      return fmt::format("LoadWeights Local({}), {}", local(), random.range(1, size));
  }
}

RandomProgram long_transfers(std::uint64_t seed, TcuSimulationConfig& config) {
  Random random(seed);
  RandomProgram program;
  tcu::Architecture& a = program.architecture;
  a.array_size = random.pick({2U, 4U, 6U, 8U, 16U, 32U});
  a.data_type = random.pick({tcu::DataType::fp16bp8, tcu::DataType::fp18bp10});
  a.local_depth = 2048;
  a.accumulator_depth = 1024;
  a.dram0_depth = a.dram1_depth = 4096;
  const auto vector_bits = static_cast<unsigned>(a.vector_bytes() * 8);
  do {
    program.axi_data_bits = random.pick({32U, 64U, 128U});
  } while (vector_bits % program.axi_data_bits != 0);
  std::string source;
  for (unsigned i = 0; i < 10; ++i) source += long_instruction(random, a.array_size) + "\n";
  program.instructions =
      tcu::assemble(a, ".repeat 12 k\n" + source + ".end\n", fmt::format("seed {}", seed));
  for (unsigned port = 0; port < 2; ++port) {
    RandomProgram::Window window{port, 0,
                                 std::vector<std::uint8_t>(std::size_t{2200} * a.vector_bytes())};
    for (std::uint8_t& byte : window.bytes) byte = static_cast<std::uint8_t>(random.below(256));
    program.windows.push_back(window);
  }
  config = machine_config(program);
  config.read_latency = random.pick<Cycle>({1, 2, 5, 20, 60});
  config.write_latency = random.pick<Cycle>({1, 2, 5, 40});
  return program;
}

TEST(EnginePeriods, AgreeOnLongTransfers) {
  Cycle skipped = 0, all = 0;
  for (const std::uint64_t seed : test_seeds(37'000'000, 60)) {
    TcuSimulationConfig config;
    const RandomProgram program = long_transfers(seed, config);
    ASSERT_EQ(
        shortest_failure(program,
                         [&](const RandomProgram& p) {
                           config.engine = Engine::step;
                           const RunRecord step = record_run(p, config, 0, false, observed_of(p));
                           config.engine = Engine::fast;
                           const RunRecord fast = record_run(p, config, 0, false, observed_of(p));
                           skipped += fast.skipped;
                           all += fast.simulated;
                           return difference(step, fast);
                         }),
        "");
  }
  EXPECT_GT(10 * skipped, all);
}

/// How a transfer may be skipped depends on its last cycle, relative to its last bursts.
TEST(EnginePeriods, AgreeOnTransfersOfEverySize) {
  Cycle skipped = 0;
  for (const unsigned bits : {32U, 64U, 128U}) {
    for (unsigned vectors = 1; vectors <= 300; vectors += vectors < 130 ? 1 : 13) {
      RandomProgram program;
      program.architecture.array_size = 8;
      program.axi_data_bits = bits;
      program.instructions = tcu::assemble(program.architecture,
                                           fmt::format(R"(
        DataMove DRAM0(0) -> Local(0), 1
        DataMove DRAM1(0) -> Local(0), 1
        .repeat 9 k
          NoOp
        .end
        DataMove DRAM0(5) -> Local(0), {0}
        DataMove Local(3) -> DRAM1(250), {0}
        DataMove DRAM1(7)@1 -> Local(0), {0}
        DataMove Local(3) -> DRAM0(0)@1, {0}
        .repeat 80 k
          NoOp
        .end
      )",
                                                       vectors),
                                           "sizes");
      for (unsigned port = 0; port < 2; ++port) {
        program.windows.push_back({port, 0, std::vector<std::uint8_t>(16 * 1024, 7)});
      }
      TcuSimulationConfig config = machine_config(program);
      for (const Cycle latency : {1U, 20U}) {
        config.read_latency = latency;
        config.engine = Engine::step;
        const RunRecord step = record_run(program, config, 0, false, observed_of(program));
        config.engine = Engine::fast;
        const RunRecord fast = record_run(program, config, 0, false, observed_of(program));
        ASSERT_EQ(difference(step, fast), "") << bits << " bits, " << vectors << " vectors";
        skipped += fast.skipped;
      }
    }
  }
  EXPECT_GT(skipped, 10'000U);
}

}  // namespace
}  // namespace tactus
