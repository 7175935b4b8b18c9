// Long transfers through the DRAM ports with both engines: one to four beats per vector, bursts
// split at page borders, strided DataMoves with one beat per burst, both directions at both ports,
// memories of any timing. Most runs have no observer, since only then cycles are skipped.
#include <algorithm>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "isa/support/error.h"
#include "tests/support/differential.h"
#include "tests/support/phased_memory.h"
#include "tests/support/run_record.h"
#include "tests/support/test_scale.h"

namespace tactus {
namespace {

using Kind = tcu::DataMoveKind;
using Protocol = PhasedMemory::Protocol;

constexpr std::uint64_t local_depth = 2048;
constexpr std::uint64_t accumulator_depth = 512;
constexpr std::uint64_t dram_vectors = 4096;  ///< DataMoves start below this address

std::uint64_t random_count(Random& random) {
  return random.chance(60) ? random.range(1, 300) : random.pick<std::uint64_t>({1, 2, 3, 256, 600});
}

tcu::Instruction random_move(Random& random, const tcu::InstructionLayout& layout) {
  const Kind kind = random.chance(70) ? random.pick({Kind::dram0_to_local, Kind::dram1_to_local})
                                      : random.pick({Kind::local_to_dram0, Kind::local_to_dram1});
  // Transfers often begin up to four vectors after a page border.
  std::uint64_t dram = random.below(dram_vectors);
  if (random.chance(40)) dram = (dram & ~std::uint64_t{255}) + random.below(5);
  const auto stride = [&random] {
    return static_cast<unsigned>(random.chance(50) ? 0 : random.below(4));
  };
  return make_data_move(layout, kind, {random.below(local_depth), stride()}, {dram, stride()},
                        random_count(random));
}

tcu::Instruction random_instruction(Random& random, const tcu::InstructionLayout& layout,
                                    const tcu::Architecture& architecture) {
  const std::uint64_t local = random.below(local_depth);
  const std::uint64_t accumulator = random.below(accumulator_depth);
  switch (random.below(10)) {
    case 0:
      return make_load_weights(layout, {local, 0}, random.range(1, architecture.array_size + 1));
    case 1:
      return make_mat_mul(layout, {local, 0}, {accumulator, 0}, random.range(1, 200), false);
    case 2:
      return make_data_move(layout, Kind::local_to_accumulator, {local, 0}, {accumulator, 0},
                            random.range(1, 100));
    case 3:
      return make_configure(
          layout,
          random.pick({tcu::ConfigRegister::dram0_offset, tcu::ConfigRegister::dram1_offset}),
          static_cast<std::uint32_t>(random.below(2)));
    default:
      return random_move(random, layout);
  }
}

RandomProgram transfers(std::uint64_t seed) {
  Random random(seed);
  RandomProgram program;
  program.seed = seed;
  tcu::Architecture& a = program.architecture;
  a.data_type = random.pick({tcu::DataType::fp8bp4, tcu::DataType::fp16bp8, tcu::DataType::fp18bp10,
                             tcu::DataType::fp32bp16});
  a.local_depth = local_depth;
  a.accumulator_depth = accumulator_depth;
  const auto vector_bits = static_cast<unsigned>(a.vector_bytes() * 8);
  program.axi_data_bits = std::max(32U, vector_bits / random.pick({1U, 1U, 1U, 2U, 4U}));
  const tcu::InstructionLayout layout(a);
  for (unsigned i = 0; i < 16; ++i) {
    program.instructions.push_back(random_instruction(random, layout, a));
  }
  for (unsigned port = 0; port < 2; ++port) {
    RandomProgram::Window window{port, 0, std::vector<std::uint8_t>(2 << 16)};
    for (std::uint8_t& byte : window.bytes) byte = static_cast<std::uint8_t>(random.below(256));
    program.windows.push_back(std::move(window));
  }
  return program;
}

/// A memory that is mostly as fast as the port, so that a beat is transferred in nearly every
/// cycle.
PhasedMemory::Config uneven_memory(Random& random) {
  PhasedMemory::Config memory;
  memory.protocol =
      random.pick({Protocol::completed, Protocol::completed, Protocol::updated_response,
                   Protocol::updated_request, Protocol::accepted});
  memory.latency = [seed = random.below(1000), count = std::uint64_t{0},
                    rare = random.range(2, 60)](bool) mutable {
    return (seed + ++count) % rare == 0 ? 1 + (seed + 37 * count) % 23 : 1;
  };
  return memory;
}

TcuSimulationConfig random_config(Random& random, const RandomProgram& program) {
  TcuSimulationConfig config = machine_config(program);
  config.read_latency = random.pick<std::uint64_t>({1, 1, 2, 3, 20});
  config.write_latency = random.pick<std::uint64_t>({1, 5});
  config.clock_mhz = random.pick({100.0, 333.0, 7.0});
  if (random.chance(20)) config.transport = AxiSlave::Transport::blocking;
  if (random.chance(30)) {
    config.transport = AxiSlave::Transport::non_blocking;
    use_phased_memory(config, uneven_memory(random));
  }
  if (random.chance(20)) config.feed_gap = random.range(1, 40);
  return config;
}

std::string compare(const RandomProgram& program, TcuSimulationConfig config, bool events) {
  config.engine = Engine::step;
  const RunRecord step = record_run(program, config, 0, events, observed_of(program));
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
  return text.empty() ? text : text + "\n" + describe(config);
}

TEST(EnginesDram, AgreeOnLongTransfers) {
  for (const std::uint64_t seed : test_seeds(16'000'000, 250)) {
    const RandomProgram program = transfers(seed);
    Random random(seed ^ 0xD4A);
    const TcuSimulationConfig config = random_config(random, program);
    const bool events = random.chance(10);
    EXPECT_EQ(shortest_failure(program,
                               [&](const RandomProgram& p) { return compare(p, config, events); }),
              "");
    if (HasFailure()) return;
  }
}

/// A program of 1000 bursts of one 16-byte vector, and the same number of vectors in long bursts.
RandomProgram strided_and_whole() {
  RandomProgram program;
  program.axi_data_bits = 128;
  const tcu::InstructionLayout layout(program.architecture);
  program.instructions = {make_data_move(layout, Kind::dram1_to_local, {0, 0}, {0, 1}, 1000),
                          make_data_move(layout, Kind::dram0_to_local, {1000, 0}, {0, 0}, 1000)};
  return program;
}

/// A read needs four of eleven units: port, host router, decoder and local memory.
TEST(EnginesDram, ReadsLeaveMostUnitsAsleep) {
  const RandomProgram program = strided_and_whole();
  TcuSimulationConfig config = machine_config(program);
  EXPECT_EQ(compare(program, config, false), "");
  const RunRecord fast = record_run(program, config, 0, false, observed_of(program));
  EXPECT_GT(fast.simulated, 2000U);
  EXPECT_LT(fast.evaluations * 11, fast.most_evaluations * 5);
}

/// The refused burst, the message and the number of requests before it are the same as with the
/// step engine.
TEST(EnginesDram, AgreeOnARefusalInAStream) {
  const RandomProgram program = strided_and_whole();
  const auto outcome = [&](Engine engine) {
    std::uint64_t requests = 0;
    PhasedMemory::Config memory;
    memory.protocol = Protocol::completed;
    memory.latency = [&requests](bool) { return ++requests, 1; };
    memory.refuses = [](std::uint32_t address) { return address == 32U * 500; };
    TcuSimulationConfig config = machine_config(program);
    config.engine = engine;
    use_phased_memory(config, memory);
    TcuSimulation simulation(config);
    std::string text = "no error";
    try {
      (void)simulation.run(program.bytes());
    } catch (const UserError& error) {
      text = error.what();
    }
    return text + " after " + std::to_string(requests);
  };
  const std::string step = outcome(Engine::step);
  EXPECT_NE(step.find("0x3e80"), std::string::npos) << step;
  EXPECT_EQ(outcome(Engine::fast), step);
  EXPECT_EQ(outcome(Engine::check), step);
}

}  // namespace
}  // namespace tactus
