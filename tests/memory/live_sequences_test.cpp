// Sequences with live memories: instructions are skipped with remembered intervals of the design,
// while a board's memory receives addresses and beats at its pins. Transfers of any size and
// direction, alone and with other instructions, on random memories; both ports accessing the same
// bytes; runs that are cut off, divided into regions, or follow each other. Results equal those of
// the step engine.
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "isa/tcu/assembler.h"
#include "tests/memory/live_cases.h"
#include "tests/support/differential.h"
#include "tests/support/repeated_program.h"
#include "tests/support/run_record.h"
#include "tests/support/test_scale.h"

namespace tactus {
namespace {

using tcu::Instruction;
using namespace live;  // NOLINT

struct Taken {
  std::uint64_t in_sequences = 0, all = 0;
};

std::string compare(const std::vector<RunOrder>& runs, TcuSimulationConfig config, Taken& taken) {
  config.engine = Engine::step;
  const std::vector<RunRecord> step = record_runs(runs, config);
  config.engine = Engine::fast;
  const std::vector<RunRecord> fast = record_runs(runs, config);
  taken.in_sequences += fast.back().in_sequences;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    taken.all += fast[i].result.retired;
    const std::string text = difference(step[i], fast[i]);
    if (!text.empty()) return fmt::format("run {}: {}", i, text);
    if (!step[i].error.empty()) break;  // after an error the machine's behaviour is undefined
  }
  return {};
}

std::string compare(const Case& c, Taken& taken, Cycle max_cycles = 0) {
  RunOrder order{&c.program, {}, false, observed_of(c.program)};
  order.options.max_cycles = max_cycles;
  return compare({order}, c.config, taken);
}

std::string shortest(const Case& c, Taken& taken) {
  return shortest_failure(c.program, [&](const RandomProgram& program) {
    return compare({program, c.config}, taken);
  });
}

TEST(LiveSequences, AgreeOnTransfers) {
  Taken taken;
  for (const std::uint64_t seed : test_seeds(42'000'000, 120)) {
    Options options;
    options.transfers_only = true;
    ASSERT_EQ(shortest(random_case(seed, options), taken), "");
  }
  EXPECT_GT(5 * taken.in_sequences, 4 * taken.all);
}

TEST(LiveSequences, AgreeOnProgramsWithOtherInstructions) {
  Taken taken;
  for (const std::uint64_t seed : test_seeds(42'100'300, 120)) {
    ASSERT_EQ(shortest(random_case(seed, {}), taken), "");
  }
  EXPECT_GT(2 * taken.in_sequences, taken.all);
}

TEST(LiveSequences, AgreeWithExtensions) {
  Taken taken;
  for (const std::uint64_t seed : test_seeds(42'200'000, 120)) {
    Options options;
    options.extensions = static_cast<unsigned>(seed % 32);
    ASSERT_EQ(shortest(random_case(seed, options), taken), "");
  }
  EXPECT_GT(taken.in_sequences, 0U);
}

/// Accesses of both ports to the same bytes take effect in the order of time.
TEST(LiveSequences, AgreeWhereBothPortsAccessTheSameBytes) {
  Taken taken;
  for (const std::uint64_t seed : test_seeds(42'300'000, 120)) {
    Options options;
    options.shared = true;
    options.transfers_only = seed % 2 == 0;
    options.extensions = seed % 3 == 0 ? unsigned{dma_queue} : 0U;
    ASSERT_EQ(shortest(random_case(seed, options), taken), "");
  }
  EXPECT_GT(taken.in_sequences, 0U);
}

TEST(LiveSequences, AgreeOnAnyInstructions) {
  Taken taken;
  for (const std::uint64_t seed : test_seeds(42'400'200, 120)) {
    Random random(seed);
    RandomOptions options;
    options.hazards = seed % 3 == 0 ? Hazards::any : Hazards::none;
    options.instructions = static_cast<unsigned>(random.range(4, 14));
    Case c;
    c.program = random_program(seed, options);
    c.program.architecture.dais_blocks.clear();
    if (!fits(c.program)) continue;
    const tcu::InstructionLayout layout(c.program.architecture);
    std::vector<Instruction> legal;
    for (const Instruction& instruction : c.program.instructions) {
      if (check(c.program.architecture, layout, instruction).empty()) legal.push_back(instruction);
    }
    c.program.instructions = legal;
    c.program = repeated(random, c.program, 25);
    c.config = machine_config(c.program);
    random_live_memory(random, c.config, false);
    ASSERT_EQ(shortest(c, taken), "");
  }
  EXPECT_GT(taken.in_sequences, 0U);
}

/// Several programs and images, with regions; some are cut off in the middle. The last one is
/// observed in every event.
TEST(LiveSequences, AgreeWhereRunsFollowEachOther) {
  Taken taken;
  std::vector<std::uint64_t> seeds = test_seeds(42'500'000, 60);
  // Seeds of two special cases: a run ends after retires of the next instructions were announced
  // ahead, and an empty decoder keeps an older instruction.
  seeds.insert(seeds.end(), {42'500'191, 42'500'384});
  for (const std::uint64_t seed : seeds) {
    Random random(seed);
    Options options;
    options.transfers_only = random.chance(40);
    options.shared = random.chance(20);
    options.extensions = random.chance(30) ? static_cast<unsigned>(random.below(32)) : 0;
    const Case c = random_case(seed, options);
    RandomProgram other = c.program;
    other.instructions =
        c.program.prefix(random.range(1, c.program.instructions.size())).instructions;
    for (RandomProgram::Window& window : other.windows) {
      for (std::uint8_t& byte : window.bytes) byte ^= 0x5A;
    }
    std::vector<RunOrder> runs;
    for (unsigned i = 0; i < 5; ++i) {
      const RandomProgram& program = random.chance(50) ? other : c.program;
      RunOrder& order = runs.emplace_back(RunOrder{&program, {}, i == 4});
      order.accounts = random.pick({Observed::nobody, Observed::nobody, Observed::time,
                                    Observed::everybody, Observed::timeline});
      if (random.chance(60))
        order.options.regions = random_regions(random, program.instructions.size());
      if (random.chance(20)) order.options.max_cycles = random.range(1, random.pick({300U, 6000U}));
    }
    ASSERT_EQ(compare(runs, c.config, taken), "") << "seed " << seed;
  }
  EXPECT_GT(taken.in_sequences, 0U);
}

TEST(LiveSequences, AgreeWhereARunIsCutOff) {
  Taken taken;
  for (const std::uint64_t seed : test_seeds(42'600'500, 150)) {
    Options options;
    options.transfers_only = seed % 2 == 0;
    const Case c = random_case(seed, options);
    Random random(seed);
    const Cycle limit = random.range(1, random.pick({500U, 5'000U, 20'000U}));
    ASSERT_EQ(compare(c, taken, limit), "") << seed << ", " << limit << " cycles";
  }
  EXPECT_GT(taken.in_sequences, 0U);
}

/// Limits include the cycles in which the design is idle.
TEST(LiveSequences, AgreeAtEveryLimit) {
  Taken taken;
  Options options;
  options.transfers_only = true;
  const Case c = random_case(42'600'584, options);
  for (Cycle limit = 1; limit <= 500; ++limit) {
    ASSERT_EQ(compare(c, taken, limit), "") << limit << " cycles";
  }
}

/// A program behind a random path to this DRAM.
Case plain_case(const std::string& source, unsigned array_size, unsigned bits,
                const std::string& preset) {
  RandomProgram program;
  program.architecture.array_size = array_size;
  program.axi_data_bits = bits;
  program.instructions = tcu::assemble(program.architecture, source, "plain");
  for (unsigned port = 0; port < 2; ++port) {
    program.windows.push_back({port, 0, std::vector<std::uint8_t>(256 * 1024, 0x35)});
  }
  Case c{program, machine_config(program)};
  Random random(bits);
  random_live_memory(random, c.config, false);
  c.config.board_memory->preset = preset;
  c.config.resolved_ddr = read_ddr_preset(preset).config;
  c.config.resolved_ddr->address_map = "row_bank_column";
  c.config.resolved_ddr->rows = std::uint64_t{1} << 17;  // at least 2 GB
  return c;
}

/// Repeated DataMoves and products are simulated a few times; then sequences are known.
TEST(LiveSequences, TakeNearlyAllOfAPlainProgram) {
  for (const std::string& preset : config_names("dram")) {
    for (const unsigned bits : {32U, 64U, 128U}) {
      Taken taken;
      const Case c = plain_case(R"(
        .repeat 150 k
          DataMove DRAM0(40 * k) -> Local(0), 40
          DataMove DRAM1(9 * k) -> Local(100), 9
          LoadWeights Local(100), 9
          MatMul Local(0) -> Acc(0), 40
          DataMove Acc(0) -> Local(200), 40
          DataMove Local(200) -> DRAM0(7000 + 40 * k), 40
        .end
      )",
                                8, bits, preset);
      ASSERT_EQ(compare(c, taken), "") << preset << ", " << bits << " bits";
      EXPECT_GT(10 * taken.in_sequences, 9 * taken.all) << preset << ", " << bits << " bits";
    }
  }
}

/// Vectors that do not divide a page cross it at some of the steps of a strided DataMove.
TEST(LiveSequences, TakeStridedMovesAcrossPages) {
  for (const unsigned size : {6U, 12U, 20U}) {
    for (const std::string& preset : config_names("dram")) {
      Taken taken;
      const Case c = plain_case(R"(
        .repeat 150 k
          DataMove DRAM0(38 + 128 * k)@2 -> Local(0), 9
          DataMove DRAM1(45 + 256 * k)@8 -> Local(100), 12
          DataMove DRAM1(900 + 64 * k) -> Local(300), 9
          LoadWeights Local(100), 3
          MatMul Local(0) -> Acc(0), 9
          DataMove Acc(0) -> Local(200), 9
          DataMove Local(200) -> DRAM0(7045 + 128 * k)@4, 9
        .end
      )",
                                size, 32, preset);
      ASSERT_EQ(compare(c, taken), "") << size << ", " << preset;
      EXPECT_GT(4 * taken.in_sequences, 3 * taken.all) << size << ", " << preset;
    }
  }
}

}  // namespace
}  // namespace tactus
