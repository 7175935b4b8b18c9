// Runs kernels on DPAS machines. The first 8 bytes choose a machine; the rest is a program, as text
// or as a container. A refusal of the machine must be a UserError. An accepted program must end in
// the same way with the engines `step` and `fast`: finished, at the cycle limit, hung with a report
// of who waits for what, or refused while it runs; in the same cycle, with the same bytes in
// registers and memory.
//
// The replay test calls the function with random kernels and mutations of them.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "firmware/driver/dpas/simulation.h"
#include "isa/dpas/assembly.h"
#include "isa/dpas/container.h"
#include "isa/support/error.h"
#include "tests/dpas/machine_fuzz.h"

namespace tactus::dpas {
namespace {

constexpr std::uint64_t place_bytes = 16384;
constexpr std::uint64_t cycle_limit = 20000;

void require(bool condition, const std::string& what, std::string_view program) {
  if (condition) return;
  std::fprintf(stderr, "dpas_machine_fuzz: %s\n%.*s\n", what.c_str(),
               static_cast<int>(program.size()), program.data());
  std::abort();
}

bool readable(const std::string& text) {
  return !text.empty() && text.size() < 100000 && std::all_of(text.begin(), text.end(), [](char c) {
    return c == '\n' || static_cast<unsigned char>(c) >= 0x20;
  });
}

/// Outcome of a run, which may be an error.
struct FuzzOutcome {
  std::string error;
  RunEnd end = RunEnd::finished;
  std::vector<std::uint64_t> counts;
  std::vector<std::string> waits_for;
  std::vector<std::uint32_t> issues;
  std::vector<std::uint8_t> memory, registers;
};

void run_into(FuzzOutcome& outcome, const DpasSimulationConfig& config, const Program& program) {
  DpasSimulation simulation(config);
  const std::uint64_t base = simulation.allocate("all", place_bytes);
  std::vector<std::uint8_t> bytes(place_bytes);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i * 37);
  simulation.write(base, bytes);
  std::vector<DpasThread> threads(config.machine.threads);
  for (std::size_t t = 0; t < threads.size(); ++t) {
    threads[t].kernel = &program.kernels[t % program.kernels.size()];
    for (const Input& input : threads[t].kernel->inputs) {
      // Addresses point to the thread's own part of the buffer.
      const std::uint64_t value = input.size == 8 ? base + t * (place_bytes / 8) : t;
      threads[t].set(threads[t].kernel->variable(input.variable)->name, value, input.size);
    }
  }
  RunOptions options;
  options.max_cycles = cycle_limit;
  options.retire_log = &outcome.issues;
  const DpasRunResult result = simulation.run(program, threads, options);
  outcome.end = result.end;
  outcome.waits_for = result.waits_for;
  outcome.counts = result.accounting.totals.values;
  outcome.counts.insert(outcome.counts.end(), {result.cycles, result.retired, result.last_retire});
  for (const UnitCycles& unit : result.accounting.units) {
    outcome.counts.insert(outcome.counts.end(), unit.cycles.begin(), unit.cycles.end());
  }
  outcome.memory = simulation.read(base, place_bytes);
  outcome.registers = simulation.read_memory(1, 0, simulation.memory_bytes(1));
}

FuzzOutcome outcome_of(DpasSimulationConfig config, Engine engine, const Program& program) {
  config.machine.engine = engine;
  FuzzOutcome outcome;
  try {
    run_into(outcome, config, program);
  } catch (const UserError& error) {
    outcome.error = error.what();
  }
  return outcome;
}

void check_run(const DpasSimulationConfig& config, const Program& program, std::string_view text,
               MachineFuzzCounts& counts) {
  const FuzzOutcome step = outcome_of(config, Engine::step, program);
  const FuzzOutcome fast = outcome_of(config, Engine::fast, program);
  require(step.error == fast.error, "engines fail differently: " + step.error + " | " + fast.error,
          text);
  if (!step.error.empty()) {
    ++counts.failed;
    require(readable(step.error), "an unreadable error", text);
    return;
  }
  require(step.end == fast.end, "engines end differently", text);
  require(step.counts == fast.counts, "engines count differently", text);
  require(step.issues == fast.issues, "engines issue differently", text);
  require(step.memory == fast.memory, "engines store differently", text);
  require(step.registers == fast.registers, "engines compute differently", text);
  require(step.waits_for == fast.waits_for, "engines wait for different things", text);
  switch (step.end) {
    case RunEnd::finished:
      ++counts.finished;
      break;
    case RunEnd::hang:
      ++counts.hung;
      require(!step.waits_for.empty(), "a hang without a report", text);
      for (const std::string& line : step.waits_for) require(readable(line), "who waits", text);
      break;
    case RunEnd::cycle_limit:
      ++counts.cut_off;
      break;
  }
}

}  // namespace

DpasSimulationConfig fuzzed_machine(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto pick = [&](std::uint64_t from, std::uint64_t to) {
    return static_cast<std::uint32_t>(from + random() % (to - from + 1));
  };
  const auto power = [&](std::uint64_t from, std::uint64_t to) { return 1U << pick(from, to); };
  DpasSimulationConfig config;
  MachineParameters& machine = config.machine;
  Profile& p = machine.profile;
  p.name = "random";
  p.execution_size = power(3, 4);
  p.grf_bytes = 4 * p.execution_size;
  p.grf_count = power(5, 8);
  p.tokens = pick(0, 1) == 0 ? pick(1, 4) : 16;
  p.threads = pick(1, 16);
  p.precisions = 0;
  for (unsigned code = 0; code < precision_codes; ++code) {
    const auto precision = static_cast<Precision>(code);
    if (!is_reserved(precision))
      p.precisions = static_cast<PrecisionSet>(p.precisions | bit(precision));
  }
  p.narrow_fp8_accumulators = pick(0, 1) == 0;
  p.any_systolic_depth = pick(0, 1) == 0;
  p.dpasw = pick(0, 3) == 0;
  p.array_depth = power(1, 3);
  p.overhead = pick(8, pick(0, 3) == 0 ? 200 : 16);
  for (std::uint32_t& latency : p.igc_latency) latency = pick(8, 60);
  p.src1_buffer_bytes = pick(0, 4) * 256;
  p.src2_buffer_bytes = pick(0, 4) * 512;
  p.macro_src1_below_rc8 = pick(0, 1) == 0;
  p.bank_period = power(1, 4);
  p.bundle_period = power(2, 6);
  p.bundle_registers = power(0, 2);
  p.bank_conflict_cycles = pick(0, 2) == 0 ? pick(1, 5) : 0;
  for (auto latency :
       {&Profile::alu_latency, &Profile::alu_latency_simd16, &Profile::alu_latency_simd32,
        &Profile::flag_latency, &Profile::branch_latency, &Profile::barrier_latency,
        &Profile::fence_latency, &Profile::send_latency}) {
    p.*latency = pick(1, pick(0, 1) == 0 ? 3 : 40);
  }
  machine.threads = pick(1, std::min<std::uint32_t>(p.threads, most_threads));
  machine.latency = pick(0, 3) == 0 ? LatencyModel::igc : LatencyModel::model;
  machine.sync = pick(0, 1) == 0 ? Sync::tokens : Sync::scoreboard;
  machine.macros = pick(0, 3) == 0 ? Macros::off : Macros::as_written;
  machine.memory = pick(0, 1) == 0 ? MemoryKind::ideal : MemoryKind::axi;
  machine.messages = pick(1, pick(0, 1) == 0 ? 2 : 32);
  machine.bursts = pick(1, pick(0, 1) == 0 ? 2 : 64);
  machine.ideal_latency = p.send_latency + (pick(0, 60) == 0 ? 0 : pick(1, 120));
  machine.ideal_bytes = power(2, 12);
  config.axi_data_bits = power(5, 10);
  config.read_latency = pick(1, 150);
  config.write_latency = pick(1, 150);
  return config;
}

MachineFuzzCounts& machine_fuzz_counts() {
  static MachineFuzzCounts counts;
  return counts;
}

}  // namespace tactus::dpas

/// The first 8 bytes choose the machine.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tactus;
  using namespace tactus::dpas;
  if (size < 8 || size > 1U << 16U) return 0;
  std::uint64_t seed = 0;
  for (unsigned i = 0; i < 8; ++i) seed = seed << 8 | data[i];
  const std::vector<std::uint8_t> bytes(data + 8, data + size);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const DpasSimulationConfig config = fuzzed_machine(seed);
  MachineFuzzCounts& counts = machine_fuzz_counts();
  Program program;
  try {
    program = is_container(bytes) ? read_container(bytes, "file") : assemble(text, "file");
    LegalityOptions options;
    options.allow_overlap = seed % 2 != 0;
    resolve(program, config.machine.profile, options);
  } catch (const UserError& error) {
    require(readable(error.what()), "an unreadable error", text);
    ++counts.refused;
    return 0;
  }
  if (!program.kernels.empty()) check_run(config, program, text, counts);
  return 0;
}
