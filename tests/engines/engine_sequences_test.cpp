// Known sequences of instructions: programs that repeat at other addresses, with hazards between
// accumulating writes, bursts that cross pages, late accesses to local memory, and runs that are
// interrupted or observed in the middle. Results equal those of the step engine, with every
// extension that sequences support.
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "isa/tcu/assembler.h"
#include "models/tcu/fast/tcu_sequences.h"
#include "tests/support/differential.h"
#include "tests/support/event_log.h"
#include "tests/support/repeated_program.h"
#include "tests/support/run_record.h"
#include "tests/support/test_scale.h"

namespace tactus {
namespace {

/// Returns a random program that is repeated at other addresses. Every second program is for a
/// machine with random extensions; `exactly` sets the extensions instead.
RandomProgram random_repeated(std::uint64_t seed, TcuSimulationConfig& config,
                              unsigned instructions, std::optional<unsigned> exactly = {}) {
  Random random(seed ^ 0x5EC5);
  RandomOptions options;
  options.hazards = Hazards::any;
  options.wrap = random.chance(20);
  options.instructions = instructions;
  options.extensions = random.chance(50);
  options.exactly = exactly;
  RandomProgram program = random_program(seed, options);
  program.architecture.dais_blocks.clear();
  const tcu::InstructionLayout layout(program.architecture);
  std::vector<tcu::Instruction> legal;
  for (const tcu::Instruction& instruction : program.instructions) {
    if (check(program.architecture, layout, instruction).empty()) legal.push_back(instruction);
  }
  program.instructions = legal;
  program = repeated(random, program, 12);
  config = machine_config(program);
  config.read_latency = random.pick<Cycle>({1, 2, 5, 20, 60});
  config.write_latency = random.pick<Cycle>({1, 2, 5, 40});
  if (random.chance(30)) {
    config.sample_block_size = 1 + random.below(9);
    config.sample_interval = random.pick<std::uint16_t>({1, 2, 7, 30, 200});
    config.sample_pause = random.pick<Cycle>({0, 0, 3, 100});
  }
  return program;
}

void fill_windows(RandomProgram& program, std::uint64_t seed) {
  Random random(seed);
  for (unsigned port = 0; port < 2; ++port) {
    RandomProgram::Window window{port, 0, std::vector<std::uint8_t>(512 * 1024)};
    for (std::uint8_t& byte : window.bytes) byte = static_cast<std::uint8_t>(random.below(256));
    program.windows.push_back(window);
  }
}

struct Taken {
  std::uint64_t in_sequences = 0, all = 0;
};

std::string compare_engines(const RandomProgram& program, TcuSimulationConfig config, Taken& taken,
                            Cycle max_cycles = 0) {
  config.engine = Engine::step;
  const RunRecord step = record_run(program, config, max_cycles, false, observed_of(program));
  config.engine = Engine::fast;
  const RunRecord fast = record_run(program, config, max_cycles, false, observed_of(program));
  taken.in_sequences += fast.in_sequences;
  taken.all += fast.result.retired;
  return difference(step, fast);
}

TEST(EngineSequences, AgreeOnProgramsThatRepeatThemselves) {
  Taken taken;
  for (const std::uint64_t seed : test_seeds(30'000'000, 300)) {
    TcuSimulationConfig config;
    const RandomProgram program = random_repeated(seed, config, 14);
    ASSERT_EQ(
        shortest_failure(
            program, [&](const RandomProgram& p) { return compare_engines(p, config, taken, 0); }),
        "");
  }
  EXPECT_GT(6 * taken.in_sequences, taken.all);
}

/// A sequence can cover a program from its first instruction to the last cycle of its last
/// instruction, with any part of a stream word remaining.
TEST(EngineSequences, AWholeProgramIsTakenInSequences) {
  for (const unsigned bits : {32U, 64U, 128U}) {
    for (unsigned products = 1; products <= 9; ++products) {
      RandomProgram program;
      program.axi_data_bits = bits;
      program.instructions = tcu::assemble(program.architecture,
                                           fmt::format(R"(
        DataMove DRAM1(0) -> Local(0), 9
        DataMove DRAM0(0) -> Local(9), 20
        LoadWeights Local(0), 9
        .repeat {} k
          MatMul Local(9) -> Acc(0), 20
          DataMove Acc(0) -> Local(40), 20
        .end
        DataMove Local(40) -> DRAM0(100), 20
      )",
                                                       products),
                                           "whole");
      fill_windows(program, products);
      Taken taken;
      ASSERT_EQ(compare_engines(program, machine_config(program), taken), "") << bits << " bits";
      EXPECT_EQ(taken.in_sequences, taken.all) << bits << " bits, " << products << " products";
    }
  }
}

/// Each extension, and combinations of extensions that delay accesses.
TEST(EngineSequences, AgreeWithEachExtension) {
  constexpr unsigned own = shadow_weights | own_reads;
  std::uint64_t first = 34'000'000;
  for (const unsigned extensions :
       {unsigned{activation_unit}, unsigned{lookup_tables}, unsigned{shadow_weights},
        unsigned{dma_queue}, own, shadow_weights | dma_queue, own | dma_queue,
        own | dma_queue | activation_unit | lookup_tables}) {
    Taken taken;
    for (const std::uint64_t seed : test_seeds(first, 60)) {
      TcuSimulationConfig config;
      const RandomProgram program = random_repeated(seed, config, 14, extensions);
      ASSERT_EQ(
          shortest_failure(
              program, [&](const RandomProgram& p) { return compare_engines(p, config, taken); }),
          "");
    }
    // With a queue of DataMoves there are few cycles in which a sequence may begin or end.
    const unsigned part = (extensions & dma_queue) != 0 ? 40 : 8;
    EXPECT_GT(part * taken.in_sequences, taken.all) << "extensions " << extensions;
    first += 10'000;
  }
}

/// A cycle limit ends the run in the middle. Memories must have the contents of that cycle.
TEST(EngineSequences, AgreeWhereARunIsCutOff) {
  Taken taken;
  for (const std::uint64_t seed : test_seeds(31'000'000, 150)) {
    TcuSimulationConfig config;
    const RandomProgram program = random_repeated(seed, config, 10);
    Random random(seed);
    const Cycle limit = random.range(50, 6000);
    ASSERT_EQ(compare_engines(program, config, taken, limit), "")
        << seed << ", " << limit << " cycles";
  }
  EXPECT_GT(8 * taken.in_sequences, taken.all);
}

struct RegionOutcome {
  std::vector<std::uint64_t> figures;
  std::vector<std::uint32_t> retires;
  std::vector<std::uint8_t> contents;
  bool operator==(const RegionOutcome& o) const {
    return figures == o.figures && retires == o.retires && contents == o.contents;
  }
};

void append(std::vector<std::uint64_t>& figures, const Counters& counters) {
  figures.insert(figures.end(), counters.time.begin(), counters.time.end());
  figures.insert(figures.end(), counters.values.begin(), counters.values.end());
}

/// Regions end within intervals that could be skipped at once.
TEST(EngineSequences, AgreeInEveryRegion) {
  std::uint64_t in_sequences = 0;
  for (const std::uint64_t seed : test_seeds(32'000'000, 100)) {
    TcuSimulationConfig config;
    const RandomProgram program = random_repeated(seed, config, 12);
    Random random(seed);
    TcuRunOptions options;
    for (std::uint64_t first = 0; first < program.instructions.size();) {
      const std::uint64_t left = program.instructions.size() - first;
      const std::uint64_t count = std::min(left, random.range(1, 60));
      options.regions.push_back({"region", first, count});
      first += count;
    }
    const auto run = [&](Engine engine) {
      config.engine = engine;
      TcuSimulation simulation(config);
      load_windows(program, simulation);
      RegionOutcome outcome;
      options.retire_log = &outcome.retires;
      options.max_cycles = 200'000;
      const TcuRunResult result = simulation.run(program.bytes(), options);
      append(outcome.figures, result.accounting.totals);
      for (const RegionFigures& region : result.accounting.regions) {
        append(outcome.figures, region.counters);
      }
      for (const RegionSpan& span : result.accounting.spans) {
        outcome.figures.insert(outcome.figures.end(), {span.region, span.from, span.to});
      }
      outcome.contents = contents(simulation, program);
      if (simulation.system().sequences() != nullptr) {
        in_sequences += simulation.system().sequences()->taken();
      }
      return outcome;
    };
    ASSERT_TRUE(run(Engine::step) == run(Engine::fast)) << seed;
  }
  EXPECT_GT(in_sequences, 0U);
}

/// After a run with known sequences, all events of another run are recorded: the machine must be in
/// the state that the step engine leaves.
TEST(EngineSequences, LeaveTheMachineInTheStateOfTheStepEngine) {
  for (const std::uint64_t seed : test_seeds(33'000'000, 60)) {
    TcuSimulationConfig config;
    const RandomProgram program = random_repeated(seed, config, 8);
    const auto run = [&](Engine engine) {
      config.engine = engine;
      TcuSimulation simulation(config);
      load_windows(program, simulation);
      TcuRunOptions options;
      options.max_cycles = 50'000;
      std::vector<std::string> log;
      if (simulation.run(program.bytes(), options).end != RunEnd::finished) return log;
      EventLog sink(simulation.machine().event_format(), log);
      // The run in between has a driver that is called in every cycle.
      TcuRunOptions driver = options;
      driver.on_write_response = [&log](Cycle cycle) { log.push_back(std::to_string(cycle)); };
      (void)simulation.run(program.bytes(), driver);
      simulation.observe(&sink);
      (void)simulation.run(program.bytes(), options);
      return log;
    };
    ASSERT_EQ(run(Engine::step), run(Engine::fast)) << seed;
  }
}

/// Queued moves and late reads of weights. Accesses before and after them use the same vectors of
/// local memory, some of them, or adjacent ones.
TEST(EngineSequences, AgreeOnLateAccesses) {
  const std::string source = R"(
    DataMove DRAM0(0) -> Local(0), 200
    .repeat 40 k
      DataMove DRAM1(100 * k) -> Local(300 + k), 10
      LoadWeights Local(300 + k), 8
      MatMul Local(k) -> Acc(k), 12
      DataMove DRAM0(17 * k) -> Local(400 + k), 5
      LoadWeights Local(k + 9), 8
      DataMove Acc(k) -> Local(k + 12), 6
      MatMul.acc Local(395 + k) -> Acc(k), 7
      LoadWeights Local(404), 8
      DataMove DRAM0(40 * k) -> Local(400), 3
      DataMove DRAM0(40 * k) -> Local(440), 3
      DataMove Local(400) -> DRAM1(0), 6
      LoadWeights Local(431 + k), 8
      LoadWeights.zeroes 2
      MatMul Local(500 - 4 * k) -> Acc(40), 30
      DataMove Acc(40) -> Local(438 + k), 6
      DataMove Local(440) -> DRAM0(250 * k), 9
      DataMove Acc(3) -> Local(436 + k), 6
      DataMove.acc Local(431 + k) -> Acc(3), 3
      LoadWeights Local(400), 3
      LoadWeights Local(410), 3
      LoadWeights Local(420), 3
      LoadWeights Local(430), 3
      LoadWeights Local(440), 3
      DataMove DRAM0(0) -> Local(421), 1
      DataMove Acc(40) -> Local(404 + k), 1
      MatMul Local(0) -> Acc(3), 2
    .end
  )";
  for (const unsigned entries : {0U, 1U, 2U, 8U}) {
    for (const auto shadow :
         {tcu::ShadowWeights::off, tcu::ShadowWeights::on, tcu::ShadowWeights::own_reads}) {
      RandomProgram program;
      program.architecture.dma_queue = entries;
      program.architecture.shadow_weights = shadow;
      program.instructions = tcu::assemble(program.architecture, source, "late");
      fill_windows(program, entries);
      Taken taken;
      TcuSimulationConfig config = machine_config(program);
      for (const Cycle latency : {1U, 7U, 60U}) {
        config.read_latency = latency;
        EXPECT_EQ(compare_engines(program, config, taken), "")
            << entries << ", " << static_cast<unsigned>(shadow) << ", latency " << latency;
      }
      EXPECT_GT(taken.in_sequences, 0U) << entries << ", " << static_cast<unsigned>(shadow);
    }
  }
}

/// Successive updates of one accumulator, which are lost depending on timing, and DataMoves that
/// cross a page, some of them by one beat.
TEST(EngineSequences, AgreeOnHazardsAndPages) {
  for (const unsigned bits : {32U, 64U, 128U}) {
    for (const unsigned size : {2U, 8U, 12U}) {
      RandomProgram program;
      program.architecture.array_size = size;
      program.axi_data_bits = bits;
      if (size * 16 < bits || size * 16 % bits != 0) continue;
      const std::string source = R"(
        DataMove DRAM0(0) -> Local(0), 200
        .repeat 40 k
          DataMove DRAM1(100 * k) -> Local(300 + k), 10
          DataMove DRAM0(17 * k)@1 -> Local(400 + k), 5
          LoadWeights Local(k), 3
          MatMul Local(k) -> Acc(5), 1
          MatMul.acc Local(k) -> Acc(5), 1
          MatMul.acc Local(k + 1) -> Acc(5), 1
          LoadWeights Local(k + 9), 2
          MatMul.acc Local(k + 1) -> Acc(5), 1
          DataMove.acc Local(k) -> Acc(5), 1
          DataMove.acc Local(k) -> Acc(3 + k), 3
          DataMove.acc Local(k) -> Acc(5), 3
          DataMove Acc(5) -> Local(600 + k), 1
          DataMove Local(600) -> DRAM0(250 * k), 9
          DataMove Acc(5) -> Local(600 + k), 1
          DataMove DRAM0(250 * k) -> Local(700), 9
        .end
      )";
      program.instructions = tcu::assemble(program.architecture, source, "hazards");
      fill_windows(program, bits);
      Taken taken;
      TcuSimulationConfig config = machine_config(program);
      for (const Cycle latency : {1U, 20U}) {
        config.read_latency = latency;
        EXPECT_EQ(compare_engines(program, config, taken), "") << bits << ", " << size;
      }
      EXPECT_GT(taken.in_sequences, 0U) << bits << ", " << size;
    }
  }
}

/// Strided DataMoves of vectors that do not divide a page. Some cross one, at any beat.
TEST(EngineSequences, AgreeOnStridedVectorsAcrossPages) {
  for (const std::uint64_t seed : test_seeds(39'000'000, 40)) {
    Random random(seed);
    RandomProgram program;
    tcu::Architecture& a = program.architecture;
    a.array_size = random.pick({3U, 5U, 6U, 12U, 20U, 31U});
    if (a.array_size % 2 != 0) a.data_type = tcu::DataType::fp32bp16;
    program.axi_data_bits = 32;
    std::string source;
    for (unsigned i = 0; i < 6; ++i) {
      const std::string dram =
          fmt::format("DRAM{}({} + {} * k)@{}", random.below(2), random.below(400),
                      random.below(300), 1U << random.below(5));
      const std::string local = fmt::format("Local({})", random.below(400));
      const std::uint64_t vectors = random.range(1, random.chance(20) ? 300 : 20);
      source += random.chance(70) ? fmt::format("DataMove {} -> {}, {}\n", dram, local, vectors)
                                  : fmt::format("DataMove {} -> {}, {}\n", local, dram, vectors);
      if (random.chance(30)) source += fmt::format("MatMul {} -> Acc(0), 9\n", local);
    }
    program.instructions =
        tcu::assemble(a, ".repeat 60 k\n" + source + ".end\n", fmt::format("seed {}", seed));
    fill_windows(program, seed);
    TcuSimulationConfig config = machine_config(program);
    config.read_latency = random.pick<Cycle>({1, 2, 20});
    Taken taken;
    ASSERT_EQ(compare_engines(program, config, taken), "") << "seed " << seed << "\n" << source;
    EXPECT_GT(2 * taken.in_sequences, taken.all) << "seed " << seed << "\n" << source;
  }
}

}  // namespace
}  // namespace tactus
