// Random kernels on random machines: the engines step, fast and verify agree in every cycle, and
// the values equal those of an interpreter without units and time.
#include <gtest/gtest.h>

#include "firmware/config/board.h"
#include "firmware/config/port_memory.h"
#include "isa/support/error.h"
#include "tests/dpas/interpreter.h"
#include "tests/dpas/machine_rig.h"
#include "tests/dpas/random_kernel.h"
#include "tests/support/test_scale.h"

namespace tactus::dpas {
namespace {

constexpr std::uint32_t buffer_bytes = 8192;

/// Puts the memory of a random board behind the port, sometimes with another DRAM or path.
void put_on_random_board(std::mt19937_64& random, DpasSimulationConfig& config) {
  const auto one_of = [&](const std::vector<std::string>& names) {
    return names[random() % names.size()];
  };
  const unsigned data_bits = config.axi_data_bits;
  BoardValues& board = config;
  board = read_board(one_of(config_names("boards")));
  board.axi_data_bits = data_bits;
  if (random() % 2 == 0) board.ddr = one_of(config_names("dram"));
  if (random() % 2 == 0) board.port_data_bits = 32U << random() % 5;
  if (random() % 2 == 0) board.interconnect_ns = static_cast<double>(random() % 200);
  board.memory_model = MemoryModel::board;
  board.board_memory->base = {random() % 2 * 4096, 1 << 24};
  config.resolved_ddr = resolve_port_memory(config);
}

DpasSimulationConfig random_machine(std::mt19937_64& random) {
  const auto pick = [&](std::uint64_t from, std::uint64_t to) {
    return static_cast<std::uint32_t>(from + random() % (to - from + 1));
  };
  const char* const profiles[] = {"xehp_sdv", "dg2", "arl", "pvc", "pvcxt", "xe2"};
  DpasSimulationConfig config = config_of(profiles[pick(0, 5)]);
  MachineParameters& machine = config.machine;
  machine.threads = pick(1, pick(1, 4) == 1 ? 8 : 3);
  machine.threads = std::min(machine.threads, machine.profile.threads);
  machine.latency = pick(0, 3) == 0 ? LatencyModel::igc : LatencyModel::model;
  machine.sync = pick(0, 2) == 0 ? Sync::tokens : Sync::scoreboard;
  machine.profile.tokens = pick(0, 1) == 0 ? pick(1, 4) : machine.profile.tokens;
  machine.profile.bank_conflict_cycles = pick(0, 2) == 0 ? pick(1, 3) : 0;
  machine.macros = pick(0, 3) == 0 ? Macros::off : Macros::as_written;
  machine.memory = pick(0, 2) == 0 ? MemoryKind::ideal : MemoryKind::axi;
  machine.messages = pick(1, pick(0, 1) == 0 ? 3 : 32);
  machine.bursts = pick(1, pick(0, 1) == 0 ? 3 : 64);
  machine.ideal_latency = pick(9, 120);
  machine.ideal_bytes = 4U << pick(0, 7);
  config.axi_data_bits = 32U << pick(0, 5);
  config.read_latency = pick(1, pick(0, 1) == 0 ? 4 : 150);
  config.write_latency = pick(1, pick(0, 1) == 0 ? 4 : 150);
  const bool board = machine.memory == MemoryKind::axi && pick(0, 1) == 0;
  if (board) put_on_random_board(random, config);
  return config;
}

std::vector<std::uint8_t> random_bytes(std::mt19937_64& random, std::size_t count) {
  std::vector<std::uint8_t> bytes(count);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random() >> 24);
  return bytes;
}

struct Outcome {
  Ran ran;
  std::vector<std::uint8_t> memory, registers;
};

/// Runs one kernel per thread, so that threads do not store to the same addresses.
Outcome execute(DpasSimulationConfig config, Engine engine, KernelBuilder& builder,
                std::size_t kernels, const std::vector<std::uint8_t>& memory) {
  config.machine.engine = engine;
  DpasSimulation simulation(config);
  const std::uint64_t base = simulation.allocate("all", memory.size());
  simulation.write(base, memory);
  Outcome outcome;
  RunOptions options;
  options.retire_log = &outcome.ran.issues;
  options.max_cycles = 3'000'000;
  std::vector<DpasThread> threads(kernels);
  for (std::size_t t = 0; t < kernels; ++t) threads[t].kernel = &builder.program().kernels[t];
  outcome.ran.result = simulation.run(builder.program(), threads, options);
  outcome.memory = simulation.read(base, memory.size());
  outcome.registers = simulation.read_memory(1, 0, simulation.memory_bytes(1));
  return outcome;
}

void expect_same(const Outcome& a, const Outcome& b, const std::string& what) {
  EXPECT_EQ(a.ran.result.end, b.ran.result.end) << what;
  EXPECT_EQ(a.ran.result.cycles, b.ran.result.cycles) << what;
  EXPECT_EQ(a.ran.issues, b.ran.issues) << what;
  EXPECT_EQ(a.memory, b.memory) << what;
  EXPECT_EQ(a.registers, b.registers) << what;
  EXPECT_EQ(a.ran.result.ddr.has_value(), b.ran.result.ddr.has_value()) << what;
  if (a.ran.result.ddr) {
    const DdrFigures &x = *a.ran.result.ddr, &y = *b.ran.result.ddr;
    EXPECT_EQ(x.hits, y.hits) << what;
    EXPECT_EQ(x.misses, y.misses) << what;
    EXPECT_EQ(x.conflicts, y.conflicts) << what;
    EXPECT_EQ(x.time, y.time) << what;
  }
  const Accounting &x = a.ran.result.accounting, &y = b.ran.result.accounting;
  EXPECT_EQ(x.cycles, y.cycles) << what;
  EXPECT_EQ(x.totals.values, y.totals.values) << what;
  ASSERT_EQ(x.units.size(), y.units.size());
  for (std::size_t i = 0; i < x.units.size(); ++i) {
    EXPECT_EQ(x.units[i].cycles, y.units[i].cycles) << what << ": " << x.units[i].unit;
  }
}

TEST(DpasMachineEngines, RandomKernelsAgree) {
  for (const std::uint64_t seed : test_seeds(1, 150)) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    const DpasSimulationConfig config = random_machine(random);
    const Profile& profile = config.machine.profile;
    const unsigned threads = config.machine.threads;
    const bool barriers = random() % 2 == 0 && threads == 1;
    // Buffer: [0x10000: input][output of thread 0][output of thread 1]...
    InterpretedMemory memory;
    memory.base = 0x10000;
    memory.bytes = random_bytes(random, std::size_t{buffer_bytes} * (threads + 1));
    KernelBuilder builder(profile);
    std::vector<Kernel> kernels;
    for (unsigned t = 0; t < threads; ++t) {
      KernelBuilder one(profile);
      const RandomMemory places{memory.base, memory.base + std::uint64_t{buffer_bytes} * (t + 1),
                                buffer_bytes};
      random_kernel(one, profile, places, random, 5 + static_cast<unsigned>(random() % 60),
                    barriers);
      kernels.push_back(one.kernel());
    }
    builder.program().kernels = kernels;
    const std::vector<std::uint8_t> initial = memory.bytes;

    const Outcome step = execute(config, Engine::step, builder, threads, initial);
    ASSERT_EQ(step.ran.result.end, RunEnd::finished);
    expect_same(step, execute(config, Engine::fast, builder, threads, initial), "fast");
    expect_same(step, execute(config, Engine::check, builder, threads, initial), "check");

    std::vector<std::uint8_t> all;
    for (unsigned t = 0; t < threads; ++t) {
      std::vector<std::uint8_t> registers(profile.register_file_bytes());
      registers[0] = registers[16] = static_cast<std::uint8_t>(t);
      interpret(profile, kernels[t], config.machine.numerics, registers, memory);
      all.insert(all.end(), registers.begin(), registers.end());
    }
    EXPECT_EQ(step.registers, all);
    EXPECT_EQ(step.memory, memory.bytes);
    if (step.ran.result.ddr) {
      // The memory's stalled cycles are the cycles in which the slave waited for the memory.
      const auto& units = step.ran.result.accounting;
      const UnitCycles& slave = units.unit("slave");
      EXPECT_EQ(units.unit("memory").of(StateKind::stall),
                slave.cycles[AxiSlave::read_latency] + slave.cycles[AxiSlave::write_latency]);
    }
    if (testing::Test::HasFailure()) return;
  }
}

TEST(DpasMachineEngines, ARunThatIsStoppedAnywhereGoesOnUnchanged) {
  std::mt19937_64 random(7);
  for (unsigned i = 0; i < 20; ++i) {
    const DpasSimulationConfig config = random_machine(random);
    KernelBuilder builder(config.machine.profile);
    random_kernel(builder, config.machine.profile, {0x10000, 0x10000 + buffer_bytes, buffer_bytes},
                  random, 30, false);
    const std::uint64_t limit = 1 + random() % 400;
    std::vector<std::vector<std::uint64_t>> totals;
    for (const Engine engine : {Engine::step, Engine::fast, Engine::check}) {
      DpasSimulationConfig with_engine = config;
      with_engine.machine.engine = engine;
      DpasSimulation simulation(with_engine);
      (void)simulation.allocate("all", std::uint64_t{buffer_bytes} * 2);
      RunOptions options;
      options.max_cycles = limit;
      DpasThread thread;
      thread.kernel = &builder.kernel();
      const DpasRunResult result = simulation.run(builder.program(), {thread}, options);
      totals.push_back(result.accounting.totals.values);
      totals.back().push_back(result.cycles);
      totals.back().push_back(result.accounting.cycles);
    }
    EXPECT_EQ(totals[0], totals[1]) << i;
    EXPECT_EQ(totals[0], totals[2]) << i;
  }
}

}  // namespace
}  // namespace tactus::dpas
