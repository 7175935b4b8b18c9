// Programs without ordering hazards give the reference interpreter's results for any memory
// latency, stalls at the ports and gaps in the instruction stream.
#include <string>

#include <gtest/gtest.h>

#include "tests/support/differential.h"
#include "tests/support/test_scale.h"

namespace tactus {
namespace {

/// Runs `program` on `config` in `parts` runs on one machine, and compares with the reference.
std::string compare_with_reference(const RandomProgram& program, const TcuSimulationConfig& config,
                                   std::size_t parts) {
  FunctionalModel reference(program.architecture);
  load_windows(program, reference);
  TcuSimulation simulation(config);
  load_windows(program, simulation);
  const std::vector<std::uint8_t> bytes = program.bytes();
  const std::size_t count = program.instructions.size();
  for (std::size_t part = 0; part < parts; ++part) {
    const auto begin =
        static_cast<std::ptrdiff_t>(count * part / parts * simulation.instruction_bytes());
    const auto end =
        static_cast<std::ptrdiff_t>(count * (part + 1) / parts * simulation.instruction_bytes());
    const std::vector<std::uint8_t> piece(bytes.begin() + begin, bytes.begin() + end);
    FunctionalModel::Counts before = reference.counts();
    const FunctionalModel::Counts& after = reference.counts();
    reference.run(piece);
    FunctionalModel::Counts counts = after;
    counts.instructions -= before.instructions;
    counts.array_runs -= before.array_runs;
    counts.array_loads -= before.array_loads;
    counts.alu_operations -= before.alu_operations;
    counts.table_vectors -= before.table_vectors;
    counts.lookups -= before.lookups;
    for (unsigned block = 0; block < 8; ++block) {
      counts.dais_instructions[block] -= before.dais_instructions[block];
      counts.dais_samples[block] -= before.dais_samples[block];
    }
    for (unsigned port = 0; port < 2; ++port) {
      counts.vectors_read[port] -= before.vectors_read[port];
      counts.vectors_written[port] -= before.vectors_written[port];
    }
    const TcuRunResult result = simulation.run(piece);
    std::string text = difference(program.architecture, config.axi_data_bits, result, counts);
    if (text.empty()) text = difference(simulation, reference);
    if (!text.empty()) return text + "\n" + describe(config);
  }
  return {};
}

void check_seed(std::uint64_t seed, const RandomOptions& options) {
  const RandomProgram program = random_program(seed, options);
  Random random(seed ^ 0x7131);
  TcuSimulationConfig config = machine_config(program);
  randomise_timing(random, config);
  const std::size_t parts = random.range(1, 3);
  EXPECT_EQ(shortest_failure(
                program,
                [&](const RandomProgram& p) { return compare_with_reference(p, config, parts); }),
            "");
}

TEST(FunctionalProperty, ShortPrograms) {
  for (const std::uint64_t seed : test_seeds(1'000'000, 4000)) {
    RandomOptions options;
    options.instructions = 25;
    check_seed(seed, options);
    if (HasFailure()) break;
  }
}

TEST(FunctionalProperty, LongPrograms) {
  for (const std::uint64_t seed : test_seeds(2'000'000, 800)) {
    RandomOptions options;
    options.instructions = 200;
    check_seed(seed, options);
    if (HasFailure()) break;
  }
}

TEST(FunctionalProperty, TimingNeverChangesData) {
  for (const std::uint64_t seed : test_seeds(3'000'000, 400)) {
    const RandomProgram program = random_program(seed);
    Random random(seed ^ 0x5CA1E);
    TcuSimulation plain(machine_config(program));
    load_windows(program, plain);
    const TcuRunResult expected = plain.run(program.bytes());
    const std::vector<std::uint8_t> expected_contents = contents(plain, program);
    for (unsigned round = 0; round < 4; ++round) {
      TcuSimulationConfig config = machine_config(program);
      randomise_timing(random, config);
      SCOPED_TRACE("seed " + std::to_string(seed) + ", " + describe(config));
      TcuSimulation simulation(config);
      load_windows(program, simulation);
      const TcuRunResult result = simulation.run(program.bytes());
      EXPECT_EQ(result.end, RunEnd::finished);
      EXPECT_EQ(result.read_bursts, expected.read_bursts);
      EXPECT_EQ(result.write_bursts, expected.write_bursts);
      // The reference machine has the shortest latencies and no stalls, so no other machine is
      // faster.
      EXPECT_GE(result.cycles, expected.cycles);
      ASSERT_EQ(contents(simulation, program), expected_contents);
    }
  }
}

}  // namespace
}  // namespace tactus
