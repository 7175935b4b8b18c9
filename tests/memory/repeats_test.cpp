// Random paths and DRAMs behind programs that repeat at other addresses, with bursts that cross
// pages, and runs that are cut off, divided into regions or followed by others. Results, including
// the memory's, equal those of the step engine.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/memory/random_memory.h"
#include "tests/support/differential.h"
#include "tests/support/repeated_program.h"
#include "tests/support/run_record.h"
#include "tests/support/test_scale.h"

namespace tactus {
namespace {

struct RepeatedCase {
  RandomProgram program;
  TcuSimulationConfig config;
};

/// Returns a random case; empty if the program accesses bytes beyond a bank.
std::optional<RepeatedCase> random_case(std::uint64_t seed, Hazards hazards, unsigned instructions,
                                        unsigned times) {
  Random random(seed ^ 0x5E9);
  RandomOptions options;
  options.hazards = hazards;
  options.instructions = instructions;
  RepeatedCase found;
  found.program = random_program(seed, options);
  found.program.architecture.dais_blocks.clear();
  if (!fits(found.program)) return {};
  // Depths are reduced so that the banks do not overlap.
  tcu::Architecture& a = found.program.architecture;
  while (a.dram0_depth * a.vector_bytes() > bytes_of_a_bank / 2) a.dram0_depth /= 2;
  while (a.dram1_depth * a.vector_bytes() > bytes_of_a_bank / 2) a.dram1_depth /= 2;
  const tcu::InstructionLayout layout(a);
  std::vector<tcu::Instruction> legal;
  for (const tcu::Instruction& instruction : found.program.instructions) {
    if (check(a, layout, instruction).empty()) legal.push_back(instruction);
  }
  found.program.instructions = legal;
  found.program = repeated(random, found.program, times);
  found.config = machine_config(found.program);
  found.config.clock_mhz = random.pick({100.0, 333.0, 25.0});
  random_memory(random, found.config);
  found.config.stream_model = StreamModel::ideal;
  return found;
}

std::string ddr_difference(const RunRecord& one, const RunRecord& other) {
  const auto text = [](const RunRecord& record) {
    const DdrFigures& d = *record.result.ddr;
    return fmt::format(
        "{} hits, {} misses, {} conflicts, {} refreshes, {} of {} clocks, {} bytes, "
        "times {}",
        d.hits, d.misses, d.conflicts, d.refreshes, d.bus_clocks, d.clocks, d.bytes,
        fmt::join(d.time, " "));
  };
  return text(one) == text(other) ? "" : text(one) + " and " + text(other);
}

bool is_dram_move(const tcu::Instruction& instruction) {
  if (static_cast<tcu::Opcode>(instruction.opcode) != tcu::Opcode::data_move) return false;
  switch (static_cast<tcu::DataMoveKind>(instruction.flags)) {
    case tcu::DataMoveKind::dram0_to_local:
    case tcu::DataMoveKind::local_to_dram0:
    case tcu::DataMoveKind::dram1_to_local:
    case tcu::DataMoveKind::local_to_dram1:
      return true;
    default:
      return false;
  }
}

/// Compares the engines. `in_sequences` counts instructions that the fast engine skipped in
/// sequences.
std::string compare(const RepeatedCase& c, Cycle max_cycles = 0,
                    std::uint64_t* in_sequences = nullptr) {
  TcuSimulationConfig config = c.config;
  config.engine = Engine::step;
  const RunRecord step = record_run(c.program, config, max_cycles, false, observed_of(c.program));
  config.engine = Engine::fast;
  const RunRecord fast = record_run(c.program, config, max_cycles, false, observed_of(c.program));
  if (in_sequences != nullptr) *in_sequences += fast.in_sequences;
  const std::string text = difference(step, fast);
  return text.empty() && step.result.ddr ? ddr_difference(step, fast) : text;
}

TEST(BoardMemoryRepeats, AgreeOnProgramsThatRepeatThemselves) {
  for (const std::uint64_t seed : test_seeds(34'000'000, 250)) {
    const std::optional<RepeatedCase> c =
        random_case(seed, seed % 3 == 0 ? Hazards::any : Hazards::none, 12, 30);
    if (!c) continue;
    ASSERT_EQ(compare(*c), "") << "seed " << seed;
  }
}

/// Long parts of the programs do not access the memory, so they are skipped in sequences.
TEST(BoardMemoryRepeats, AgreeOnLongPartsWithoutTransfers) {
  std::uint64_t in_sequences = 0;
  for (const std::uint64_t seed : test_seeds(38'000'000, 120)) {
    std::optional<RepeatedCase> c =
        random_case(seed, seed % 3 == 0 ? Hazards::any : Hazards::none, 16, 8);
    if (!c) continue;
    std::vector<tcu::Instruction> moves, others;
    for (const tcu::Instruction& instruction : c->program.instructions) {
      (is_dram_move(instruction) ? moves : others).push_back(instruction);
    }
    c->program.instructions.clear();
    for (std::size_t k = 0; k < 8; ++k) {
      c->program.instructions.insert(c->program.instructions.end(), others.begin(), others.end());
      for (std::size_t i = 0; i < 2 && !moves.empty(); ++i) {
        c->program.instructions.push_back(moves[(2 * k + i) % moves.size()]);
      }
    }
    ASSERT_EQ(compare(*c, 0, &in_sequences), "") << "seed " << seed;
  }
  EXPECT_GT(in_sequences, 1000U);
}

TEST(BoardMemoryRepeats, AgreeWhereARunIsCutOff) {
  for (const std::uint64_t seed : test_seeds(35'000'000, 100)) {
    const std::optional<RepeatedCase> c = random_case(seed, Hazards::none, 8, 10);
    Random random(seed);
    const Cycle limit = random.range(50, 9000);
    if (!c) continue;
    ASSERT_EQ(compare(*c, limit), "") << seed << ", " << limit << " cycles";
  }
}

/// Several runs on one machine, with regions. In the last run the driver is called for every write
/// response.
TEST(BoardMemoryRepeats, LeaveTheMachineInTheStateOfTheStepEngine) {
  for (const std::uint64_t seed : test_seeds(36'000'000, 80)) {
    const std::optional<RepeatedCase> c = random_case(seed, Hazards::none, 8, 8);
    if (!c) continue;
    Random random(seed);
    TcuRunOptions options;
    options.max_cycles = 400'000;
    for (std::uint64_t first = 0; first < c->program.instructions.size();) {
      const std::uint64_t left = c->program.instructions.size() - first;
      const std::uint64_t count = std::min(left, random.range(1, 40));
      options.regions.push_back({"region", first, count});
      first += count;
    }
    const auto run = [&](Engine engine) {
      TcuSimulationConfig config = c->config;
      config.engine = engine;
      TcuSimulation simulation(config);
      load_windows(c->program, simulation);
      std::vector<std::uint64_t> outcome;
      for (unsigned i = 0; i < 3; ++i) {
        TcuRunOptions present = options;
        if (i == 2) {
          present.on_write_response = [&outcome](Cycle cycle) { outcome.push_back(cycle); };
        }
        const TcuRunResult result = simulation.run(c->program.bytes(), present);
        outcome.push_back(result.cycles);
        for (const RegionFigures& region : result.accounting.regions) {
          const Counters& counters = region.counters;
          outcome.insert(outcome.end(), counters.time.begin(), counters.time.end());
          outcome.insert(outcome.end(), counters.values.begin(), counters.values.end());
        }
        if (result.end != RunEnd::finished) break;
      }
      for (const std::uint8_t byte : contents(simulation, c->program)) outcome.push_back(byte);
      return outcome;
    };
    ASSERT_EQ(run(Engine::step), run(Engine::fast)) << seed;
  }
}

}  // namespace
}  // namespace tactus
