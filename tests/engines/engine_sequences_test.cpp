// Sequences of instructions that are known again: programs that repeat themselves at other
// addresses, with hazards between accumulates, bursts that cross pages, and runs that are
// interrupted or looked at in the middle. All of it is what the step engine does.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "isa/tcu/assembler.h"
#include "models/tcu/fast/tcu_sequences.h"
#include "tests/support/differential.h"
#include "tests/support/repeated_program.h"
#include "tests/support/run_record.h"
#include "tests/support/test_scale.h"

namespace tactus {
namespace {

RandomProgram random_repeated(std::uint64_t seed, TcuSimulationConfig& config,
                              unsigned instructions) {
  Random random(seed ^ 0x5EC5);
  RandomOptions options;
  options.hazards = Hazards::any;
  options.wrap = random.chance(20);
  options.instructions = instructions;
  options.extensions = random.chance(10);
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
  return program;
}

struct Taken {
  std::uint64_t in_sequences = 0, all = 0;
};

std::string compare_engines(const RandomProgram& program, TcuSimulationConfig config, Taken& taken,
                            Cycle max_cycles = 0) {
  config.engine = Engine::step;
  const RunRecord step = record_run(program, config, max_cycles, false);
  config.engine = Engine::fast;
  const RunRecord fast = record_run(program, config, max_cycles, false);
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

/// A run ends somewhere in the middle, where memories have to be as they are in that cycle.
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

struct Outcome {
  std::vector<std::uint64_t> figures;
  std::vector<std::uint32_t> retires;
  std::vector<std::uint8_t> contents;
  bool operator==(const Outcome& o) const {
    return figures == o.figures && retires == o.retires && contents == o.contents;
  }
};

void append(std::vector<std::uint64_t>& figures, const Counters& counters) {
  figures.insert(figures.end(), counters.time.begin(), counters.time.end());
  figures.insert(figures.end(), counters.values.begin(), counters.values.end());
}

/// Regions end in the middle of what could be taken at once.
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
      Outcome outcome;
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

/// After a run of known sequences another one is watched in every event: nothing of it may be left
/// but what the step engine leaves.
TEST(EngineSequences, LeaveTheMachineAsItWouldBe) {
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
      class Log final : public EventLines {
       public:
        Log(EventFormat format, std::vector<std::string>& log)
            : EventLines(std::move(format)), log_(log) {}

       protected:
        void lines(Cycle cycle, const std::vector<std::string>& lines) override {
          for (const std::string& line : lines) log_.push_back(std::to_string(cycle) + " " + line);
        }

       private:
        std::vector<std::string>& log_;
      } sink(simulation.machine().event_format(), log);
      // In between one whose driver hears of every cycle.
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

/// Updates of one accumulator that follow each other at once: which of them are lost depends on
/// time. Moves of which some cross a page, others by one beat, others not.
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
      Random random(bits);
      for (unsigned port = 0; port < 2; ++port) {
        RandomProgram::Window window{port, 0, std::vector<std::uint8_t>(512 * 1024)};
        for (std::uint8_t& byte : window.bytes) byte = static_cast<std::uint8_t>(random.below(256));
        program.windows.push_back(window);
      }
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

}  // namespace
}  // namespace tactus
