// Speed of the DPAS machine: whole runs with data and timing, in DPAS instructions per second.
#include <benchmark/benchmark.h>

#include "tests/dpas/machine_rig.h"

namespace tactus::dpas {
namespace {

/// A kernel with eight accumulators of 8x16 and K = 32 * rounds. Every round has 3 loads from ideal
/// memory, one of 32 rows of A and two of B, and 8 DPAS.
void tile_kernel(KernelBuilder& k, std::uint64_t a, std::uint64_t b, unsigned rounds) {
  constexpr unsigned accumulators = 64, first_a = 8, first_b = 24;
  Block2d rows_of_a;
  rows_of_a.width = 32;
  rows_of_a.height = 32;
  Block2d rows_of_b;
  rows_of_b.width = 16;
  rows_of_b.height = 32;
  rows_of_b.transform = true;
  for (unsigned i = 0; i < 8; ++i) {
    k.mov(k.result(accumulators + 8 * i, 16), KernelBuilder::immediate(0), 16);
  }
  for (unsigned round = 0; round < rounds; ++round) {
    KernelBuilder::Surface surface{a, 32, 32, 32, 0, 0};
    k.load_block(first_a, rows_of_a, surface);
    for (unsigned n = 0; n < 2; ++n) {
      k.load_block(first_b + 8 * n, rows_of_b, {b, 32, 32, 32, static_cast<int>(16 * n), 0});
    }
    for (unsigned n = 0; n < 2; ++n) {
      for (unsigned m = 0; m < 4; ++m) {
        k.accumulate(8, accumulators + 8 * (4 * n + m), first_b + 8 * n, first_a + 4 * m);
      }
    }
  }
  k.ret();
}

void machine(benchmark::State& state, Engine engine, bool loads) {
  DpasSimulationConfig config = config_of("pvc");
  config.machine.engine = engine;
  config.machine.threads = 4;
  config.machine.ideal_bytes = 512;
  KernelBuilder k(config.machine.profile);
  DpasSimulation simulation(config);
  const std::uint64_t a = simulation.allocate("A", 4096), b = simulation.allocate("B", 4096);
  constexpr unsigned rounds = 1000;
  if (loads) {
    tile_kernel(k, a, b, rounds);
  } else {
    for (unsigned i = 0; i < 8 * rounds; ++i) {
      k.accumulate(8, 32 + 8 * (i % 8), i / 8 % 2 * 8, 16 + i % 4 * 4);
    }
    k.ret();
  }
  std::uint64_t instructions = 0, cycles = 0;
  for (auto _ : state) {
    const Ran ran = run(simulation, k, 4);
    instructions += ran.result.dpas;
    cycles += ran.result.cycles;
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(instructions));
  state.counters["cycles/s"] =
      benchmark::Counter(static_cast<double>(cycles), benchmark::Counter::kIsRate);
}

BENCHMARK_CAPTURE(machine, int8_8x8_fast, Engine::fast, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(machine, int8_8x8_step, Engine::step, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(machine, int8_tile_fast, Engine::fast, true)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(machine, int8_tile_step, Engine::step, true)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tactus::dpas

BENCHMARK_MAIN();
