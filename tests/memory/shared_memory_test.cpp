// Several units behind one memory, which take turns: random programs, different ones for different
// units, with regions, limits and observers. The engines agree in everything that can be observed,
// and a unit alone does what a machine of its own does.
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "isa/support/error.h"
#include "tests/memory/live_cases.h"
#include "tests/support/run_record.h"
#include "tests/support/test_scale.h"

namespace tactus {
namespace {

using namespace live;  // NOLINT

/// The programs of several units and their runs.
struct Together {
  TcuSimulationConfig config;
  std::vector<RandomProgram> programs;
  std::vector<std::vector<RunOrder>> runs;  ///< of each unit that has any
  unsigned units = 1;
};

/// Returns the program without what moves a window out of the unit's bank, from a random
/// instruction on, with other data.
RandomProgram variant(Random& random, RandomProgram program) {
  const tcu::InstructionLayout layout(program.architecture);
  std::vector<tcu::Instruction> kept;
  for (const tcu::Instruction& instruction : program.instructions) {
    if (static_cast<tcu::Opcode>(instruction.opcode) == tcu::Opcode::configure) {
      const auto target = static_cast<tcu::ConfigRegister>(
          tcu::configure_fields(layout, instruction).register_number);
      if (target == tcu::ConfigRegister::dram0_offset) continue;
      if (target == tcu::ConfigRegister::dram1_offset) continue;
    }
    kept.push_back(instruction);
  }
  const std::uint64_t first = random.chance(50) ? 0 : random.below(kept.size() / 2 + 1);
  program.instructions.assign(kept.begin() + static_cast<std::ptrdiff_t>(first), kept.end());
  const auto key = static_cast<std::uint8_t>(random.below(256));
  for (RandomProgram::Window& window : program.windows) {
    window.bytes.resize(program.architecture.dram0_depth * program.architecture.vector_bytes());
    for (std::uint8_t& byte : window.bytes) byte ^= key;
  }
  return program;
}

RunOrder random_order(Random& random, const RandomProgram& program) {
  RunOrder order{&program, {}, random.chance(10)};
  order.accounts = random.pick({Observed::nobody, Observed::nobody, Observed::nobody,
                                Observed::time, Observed::everybody, Observed::timeline});
  if (random.chance(40)) {
    order.options.regions = random_regions(random, program.instructions.size());
  }
  if (random.chance(15)) order.options.max_cycles = random.range(1, random.pick({300U, 6000U}));
  return order;
}

/// Draws 1 to 5 units with 1 to 3 runs each; some units may have none.
Together random_together(std::uint64_t seed) {
  Random random(seed);
  Options options;
  options.transfers_only = random.chance(40);
  options.extensions = random.chance(40) ? static_cast<unsigned>(random.below(32)) : 0;
  const Case one = random_case(seed, options);
  Together all;
  all.config = one.config;
  const std::uint64_t working = random.pick({1U, 2U, 2U, 3U, 5U});
  all.units = static_cast<unsigned>(working + random.pick({0U, 0U, 1U}));
  for (std::uint64_t u = 0; u < working; ++u) {
    all.programs.push_back(variant(random, one.program));
  }
  for (const RandomProgram& program : all.programs) {
    std::vector<RunOrder>& runs = all.runs.emplace_back();
    for (std::uint64_t i = random.range(1, 3); i > 0; --i) {
      runs.push_back(random_order(random, program));
    }
  }
  return all;
}

std::string difference(const RecordsTogether& one, const RecordsTogether& other) {
  for (std::size_t u = 0; u < one.units.size(); ++u) {
    for (std::size_t i = 0; i < one.units[u].size(); ++i) {
      if (i >= other.units[u].size()) return fmt::format("unit {} has no run {}", u, i);
      const std::string text = difference(one.units[u][i], other.units[u][i]);
      if (!text.empty()) return fmt::format("unit {}, run {}: {}", u, i, text);
    }
  }
  return one.memory_statistics == other.memory_statistics ? "" : "figures of the memory";
}

struct TakenTogether {
  std::uint64_t in_sequences = 0, all = 0;
};

std::string compare(const Together& all, TakenTogether& taken) {
  TcuSimulationConfig config = all.config;
  config.engine = Engine::step;
  const RecordsTogether step = record_together(all.runs, config, all.units);
  config.engine = Engine::fast;
  const RecordsTogether fast = record_together(all.runs, config, all.units);
  for (const std::vector<RunRecord>& runs : fast.units) {
    taken.in_sequences += runs.back().in_sequences;
    for (const RunRecord& run : runs) taken.all += run.result.retired;
  }
  std::string text = difference(step, fast);
  if (!text.empty()) return "step and fast: " + text;
  config.engine = Engine::check;
  config.check_every = 1;
  try {
    text = difference(step, record_together(all.runs, config, all.units));
  } catch (const InternalError& error) {
    text = error.what();
  }
  if (!text.empty()) return "step and check: " + text;
  if (all.units != 1) return {};
  const std::vector<RunRecord> alone = record_runs(all.runs[0], all.config);
  for (std::size_t i = 0; text.empty() && i < alone.size(); ++i) {
    // The memory of a machine alone does what is due at a limit, too.
    if (all.runs[0][i].options.max_cycles != 0) break;
    RunRecord run = alone[i];
    run.memory_statistics.clear();
    text = difference(step.units[0][i], run);
  }
  return text.empty() ? text : "with a machine of its own: " + text;
}

TEST(SharedMemory, EnginesAgreeOnSeveralUnits) {
  TakenTogether taken;
  std::vector<std::uint64_t> seeds = test_seeds(48'100'000, 24);
  // A run cut off while a write is under way; a unit that hangs beside one that works; a transfer
  // beside an activation unit that holds results.
  seeds.insert(seeds.end(), {48'100'150, 48'100'281, 48'100'856});
  for (const std::uint64_t seed : seeds) {
    ASSERT_EQ(compare(random_together(seed), taken), "") << "seed " << seed;
  }
  EXPECT_GT(5 * taken.in_sequences, taken.all);
}

/// What one unit has worked out, the others know: four units work out less than four times what one
/// does alone.
TEST(SharedMemory, UnitsLearnTogether) {
  std::uint64_t by_one = 0, by_four = 0;
  for (const std::uint64_t seed : test_seeds(48'200'000, 12)) {
    Options options;
    options.transfers_only = true;
    const Case one = random_case(seed, options);
    Random random(seed);
    const RandomProgram program = variant(random, one.program);
    const std::vector<std::vector<RunOrder>> runs(4, {RunOrder{&program, {}, false}});
    const RecordsTogether together = record_together(runs, one.config, 4);
    const RecordsTogether alone = record_together({runs[0]}, one.config, 1);
    by_one += alone.units[0][0].worked_out;
    for (const std::vector<RunRecord>& unit : together.units) by_four += unit[0].worked_out;
  }
  EXPECT_GT(by_one, 100U);
  EXPECT_LT(by_four, 3 * by_one) << "four times as many, and more, if each learns alone";
}

std::string random_arbitration(Random& random, unsigned units, bool has_stream) {
  const auto name = [&](unsigned i) {
    if (i == units) return random.pick({std::string("dram0"), std::string("dram1")});
    if (random.chance(30)) return fmt::format("unit{}.dram{}", i, random.below(2));
    return random.chance(20) && has_stream ? fmt::format("unit{}.stream", i)
                                           : fmt::format("unit{}", i);
  };
  std::vector<unsigned> order;
  for (unsigned i = 0; i <= units; ++i) {
    if (random.chance(70)) order.insert(order.begin() + random.below(order.size() + 1), i);
  }
  const unsigned kind = static_cast<unsigned>(random.below(5));
  if (order.empty() || kind == 0) return "round_robin";
  // A port of all units comes before those that it includes.
  std::stable_partition(order.begin(), order.end(), [&](unsigned i) { return i != units; });
  std::string text = kind < 3 ? "fixed:" : "shares:";
  for (std::size_t i = 0; i < order.size(); ++i) {
    text += (i == 0 ? "" : ",") + name(order[i]);
    if (kind >= 3) text += fmt::format("={}", random.pick({0.01, 0.1, 0.14}));
  }
  if (kind == 4)
    text += random.pick({std::string(":1"), std::string(":100"), std::string(":5000")});
  return text;
}

TEST(SharedMemory, EnginesAgreeUnderEveryArbitration) {
  TakenTogether taken;
  for (const std::uint64_t seed : test_seeds(48'300'000, 24)) {
    Together all = random_together(seed);
    Random random(seed + 1);
    const bool has_stream = all.config.board_memory->stream.has_value();
    all.config.arbitration = random_arbitration(random, all.units, has_stream);
    ASSERT_EQ(compare(all, taken), "") << "seed " << seed << " " << all.config.arbitration;
  }
  EXPECT_GT(taken.in_sequences, 0U);
}

/// Both ports of the only unit access the same bytes, so that their order in time matters.
TEST(SharedMemory, EnginesAgreeWhereBothPortsAccessTheSameBytes) {
  TakenTogether taken;
  for (const std::uint64_t seed : test_seeds(48'200'000, 24)) {
    Random random(seed);
    Options options;
    options.shared = true;
    options.transfers_only = random.chance(50);
    const Case one = random_case(seed, options);
    Together all;
    all.config = one.config;
    all.programs = {one.program};
    all.runs = {{random_order(random, all.programs[0]), random_order(random, all.programs[0])}};
    ASSERT_EQ(compare(all, taken), "") << "seed " << seed;
  }
  EXPECT_GT(taken.in_sequences, 0U);
}

}  // namespace
}  // namespace tactus
