// Random programs with random stalls: sums hold, busy cycles equal events, regions add up, and the
// order of evaluation has no effect. Every run checks the sums and events itself.
#include <cstdlib>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "isa/tcu/accesses.h"
#include "tests/support/differential.h"
#include "tests/support/test_scale.h"

namespace tactus {
namespace {

TcuRunResult run(const RandomProgram& program, const TcuSimulationConfig& config,
                 const std::vector<Region>& regions) {
  TcuSimulation simulation(config);
  load_windows(program, simulation);
  TcuRunOptions options;
  options.regions = regions;
  return simulation.run(program.bytes(), options);
}

std::string accounting_difference(const Accounting& a, const Accounting& b) {
  if (a.cycles != b.cycles) return fmt::format("{} and {} cycles", a.cycles, b.cycles);
  for (std::size_t u = 0; u < a.units.size(); ++u) {
    for (std::size_t s = 0; s < a.units[u].cycles.size(); ++s) {
      if (a.units[u].cycles[s] == b.units[u].cycles[s]) continue;
      return fmt::format("{} {}: {} and {}", a.units[u].unit, a.units[u].states[s].name,
                         a.units[u].cycles[s], b.units[u].cycles[s]);
    }
  }
  for (std::size_t r = 0; r < a.regions.size(); ++r) {
    if (a.regions[r].counters.time == b.regions[r].counters.time) continue;
    return fmt::format("region {} differs", a.regions[r].name);
  }
  return {};
}

/// Checks one program on one machine. Returns what is wrong; empty if nothing is.
std::string failure(const RandomProgram& program, const TcuSimulationConfig& config,
                    const std::vector<Region>& regions) {
  const TcuRunResult result = run(program, config, regions);
  const Accounting& a = result.accounting;
  const tcu::InstructionLayout layout(program.architecture);
  std::array<std::uint64_t, tcu::instruction_kinds> expected{}, vectors{};
  for (const tcu::Instruction& i : program.instructions) {
    const auto kind = static_cast<std::size_t>(kind_of(layout, i));
    ++expected[kind];
    vectors[kind] += vector_count(program.architecture, layout, i);
  }
  expected[0] += result.retired - result.instructions;  // the NoOps that pad the stream
  std::uint64_t head = 0, instructions = 0;
  for (std::size_t k = 0; k < expected.size(); ++k) {
    if (a.kinds[k].count != expected[k]) {
      return fmt::format("{} of {} instead of {}", a.kinds[k].count,
                         tcu::instruction_kind_infos[k].name, expected[k]);
    }
    if (a.kinds[k].vectors != vectors[k]) {
      return fmt::format("{} vectors of {} instead of {}", a.kinds[k].vectors,
                         tcu::instruction_kind_infos[k].name, vectors[k]);
    }
    head += a.kinds[k].head_cycles();
  }
  const auto dais = static_cast<std::size_t>(tcu::InstructionKind::dais);
  const std::uint64_t taken =
      program.architecture.dais_blocks.empty() ? 0 : a.unit("dais").cycles[DaisUnit::take];
  if (taken != vectors[dais]) {
    return fmt::format("DAIS blocks took {} vectors of {}", taken, vectors[dais]);
  }
  const UnitCycles& decoder = a.unit("decoder");
  head += decoder.cycles[Decoder::starved] + decoder.cycles[Decoder::ended];
  if (head != a.cycles) return fmt::format("head cycles {} of {}", head, a.cycles);
  for (const RegionFigures& region : a.regions) instructions += region.instructions;
  if (!a.regions.empty() && instructions != result.retired) {
    return fmt::format("{} instructions in regions, {} retired", instructions, result.retired);
  }
  TcuSimulationConfig shuffled = config;
  shuffled.shuffle_seed = 7;
  return accounting_difference(a, run(program, shuffled, regions).accounting);
}

TEST(RandomAccounting, HoldsUnderStallsAndInAnyOrder) {
  std::uint64_t dais_runs = 0;
  for (const std::uint64_t seed : test_seeds(4000, 40)) {
    Random random(seed);
    RandomOptions options;
    options.hazards = random.chance(50) ? Hazards::any : Hazards::none;
    options.instructions = 40;
    const RandomProgram program = random_program(seed, options);
    TcuSimulationConfig config = machine_config(program);
    if (seed % 4 != 0) randomise_timing(random, config);
    std::vector<Region> regions;
    for (std::uint64_t at = random.below(3); at < program.instructions.size();) {
      const std::uint64_t count =
          std::min<std::uint64_t>(random.range(1, 9), program.instructions.size() - at);
      regions.push_back({fmt::format("r{}", regions.size()), at, count});
      at += count + random.below(3);
    }
    const std::string text = failure(program, config, regions);
    ASSERT_EQ(text, "") << describe(config) << "\n" << program.describe();
    dais_runs += program.architecture.dais_blocks.empty() ? 0 : 1;
  }
  if (std::getenv("TACTUS_TEST_SEED") == nullptr) {
    EXPECT_GT(dais_runs, 5U);
  }
}

}  // namespace
}  // namespace tactus
