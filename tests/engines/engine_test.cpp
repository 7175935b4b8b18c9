// The fast engine equals the step engine on random programs: every event, retire cycle, sample,
// counter and memory word agrees, with hazards, hangs, configuration changes, stalls and gaps in
// the stream.
#include <string>

#include <gtest/gtest.h>

#include "isa/support/error.h"
#include "isa/tcu/assembler.h"
#include "tests/support/differential.h"
#include "tests/support/phased_memory.h"
#include "tests/support/run_record.h"
#include "tests/support/test_scale.h"

namespace tactus {
namespace {

/// Number of units evaluated by the fast engine so far, and the number without sleeping units.
struct Work {
  std::uint64_t evaluations = 0;
  std::uint64_t most = 0;
  unsigned hangs = 0;
};

/// Compares with engine check, which evaluates everything that the fast engine skips.
std::string checked(const RandomProgram& program, TcuSimulationConfig config, const RunRecord& step,
                    Cycle max_cycles, bool events) {
  config.engine = Engine::check;
  config.check_every = 1;
  try {
    return difference(step, record_run(program, config, max_cycles, events, observed_of(program)));
  } catch (const InternalError& error) {
    return error.what();
  }
}

/// Compares with a run in which every unit is evaluated in every cycle.
std::string without_sleep(const RandomProgram& program, TcuSimulationConfig config,
                          const RunRecord& step, Cycle max_cycles, bool events) {
  config.engine = Engine::step;
  config.evaluates_all = true;
  const RunRecord all = record_run(program, config, max_cycles, events, observed_of(program));
  if (all.evaluations != all.most_evaluations) return "a unit slept";
  return difference(step, all);
}

std::string compare_engines(const RandomProgram& program, TcuSimulationConfig config, Work& work,
                            Cycle max_cycles = 0, bool events = true) {
  config.engine = Engine::step;
  const RunRecord step = record_run(program, config, max_cycles, events, observed_of(program));
  config.engine = Engine::fast;
  const RunRecord fast = record_run(program, config, max_cycles, events, observed_of(program));
  work.evaluations += fast.evaluations;
  work.most += fast.most_evaluations;
  if (fast.result.end == RunEnd::hang) ++work.hangs;
  std::string text = difference(step, fast);
  if (text.empty()) text = checked(program, config, step, max_cycles, events);
  if (text.empty()) text = without_sleep(program, config, step, max_cycles, events);
  return text.empty() ? text : text + "\n" + describe(config);
}

/// The timing of most programs is random. A third of them run on a fast, regular machine in which
/// most cycles are like the previous one.
void random_machine(Random& random, TcuSimulationConfig& config) {
  if (random.chance(33)) {
    config.read_latency = random.pick<std::uint64_t>({1, 2, 20});
    config.write_latency = random.pick<std::uint64_t>({1, 5});
  } else {
    randomise_timing(random, config);
  }
  if (random.chance(20)) config.decoder_timeout = static_cast<std::uint16_t>(random.below(30));
}

Work check_seeds(
    std::uint64_t first, std::uint64_t count, Hazards hazards,
    const std::function<void(Random&, RandomProgram&, TcuSimulationConfig&)>& change = {},
    Cycle max_cycles = 0, bool events = true) {
  Work work;
  for (const std::uint64_t seed : test_seeds(first, count)) {
    RandomOptions options;
    options.hazards = hazards;
    options.wrap = hazards == Hazards::none;
    options.instructions = 30;
    RandomProgram program = random_program(seed, options);
    Random random(seed ^ 0xFA57);
    TcuSimulationConfig config = machine_config(program);
    random_machine(random, config);
    if (change) change(random, program, config);
    EXPECT_EQ(shortest_failure(program,
                               [&](const RandomProgram& p) {
                                 return compare_engines(p, config, work, max_cycles, events);
                               }),
              "");
    if (::testing::Test::HasFailure()) break;
  }
  return work;
}

TEST(Engines, AgreeOnProgramsWithoutHazards) { check_seeds(10'000'000, 600, Hazards::none); }

TEST(Engines, AgreeOnProgramsWithHazards) { check_seeds(11'000'000, 1000, Hazards::any); }

TEST(Engines, AgreeWithoutObservers) { check_seeds(12'000'000, 300, Hazards::any, {}, 0, false); }

TEST(Engines, AgreeInEverySample) {
  check_seeds(13'000'000, 200, Hazards::any,
              [](Random& random, RandomProgram& program, TcuSimulationConfig& config) {
                config.sample_block_size = static_cast<std::uint32_t>(random.range(1, 5));
                const auto interval = static_cast<std::uint32_t>(random.range(1, 12));
                program.instructions.insert(
                    program.instructions.begin(),
                    make_configure(tcu::InstructionLayout(program.architecture),
                                   tcu::ConfigRegister::sample_interval, interval));
              });
}

/// Fields of instructions are changed at random: undefined opcodes and kinds, sizes beyond a depth,
/// SIMD instructions that wait forever. Most of these programs hang; the cause of the hang must be
/// the same.
TEST(Engines, AgreeOnIllegalProgramsAndHangs) {
  const Work work = check_seeds(
      14'000'000, 800, Hazards::any,
      [](Random& random, RandomProgram& program, TcuSimulationConfig& config) {
        // with stalls a hang is detected only after 100 000 cycles
        config.stalls = StallGenerator();
        for (unsigned changes = static_cast<unsigned>(random.range(1, 4)); changes > 0; --changes) {
          tcu::Instruction& i = program.instructions[random.below(program.instructions.size())];
          switch (random.below(5)) {
            case 0:
              i.opcode = static_cast<std::uint8_t>(random.below(16));
              break;
            case 1:
              i.flags = static_cast<std::uint8_t>(random.below(16));
              break;
            case 2:
              i.operand0 ^= std::uint64_t{1} << random.below(8);
              break;
            case 3:
              i.operand1 ^= std::uint64_t{1} << random.below(8);
              break;
            default:
              i.operand2 ^= std::uint64_t{1} << random.below(8);
              break;
          }
        }
      },
      20000);
  EXPECT_GT(work.hangs, 0U);
}

/// The memory has a timing of its own and responds through the SystemC kernel.
TEST(Engines, AgreeWithAMemoryOfAnyTiming) {
  check_seeds(15'000'000, 150, Hazards::any,
              [](Random& random, RandomProgram&, TcuSimulationConfig& config) {
                using Protocol = PhasedMemory::Protocol;
                PhasedMemory::Config memory;
                memory.protocol = random.pick({Protocol::completed, Protocol::updated_response,
                                               Protocol::updated_request, Protocol::accepted});
                memory.request_cycles = random.chance(50) ? 0 : 0.25;
                // The latencies depend on the number of the transaction, so they are the same for
                // both engines.
                memory.latency = [seed = random.below(1000), count = std::uint64_t{0}](
                                     bool) mutable { return 1 + (seed + 37 * ++count) % 23; };
                use_phased_memory(config, memory);
              });
}

/// Real programs have this form: long runs of instructions of one kind.
TEST(Engines, AgreeOnLongRuns) {
  for (const unsigned bits : {64U, 128U}) {
    RandomProgram program;
    program.axi_data_bits = bits;
    program.architecture.local_depth = 512;
    program.architecture.accumulator_depth = 256;
    const std::string source = R"(
      DataMove DRAM0(0) -> Local(0), 300
      DataMove DRAM1(0)@2 -> Local(300), 100
      LoadWeights Local(300), 9
      MatMul Local(0) -> Acc(0), 200
      .repeat 20 k
        LoadWeights Local(300 + k), 9
        MatMul.acc Local(k) -> Acc(0), 200
      .end
      DataMove Acc(0) -> Local(0), 200
      DataMove Local(0) -> DRAM0(512), 200
      DataMove Local(0) -> Acc(3), 200
      DataMove.acc Local(0)@2 -> Acc(0), 100
    )";
    program.instructions = tcu::assemble(program.architecture, source, "long_runs");
    Random random(bits);
    for (unsigned port = 0; port < 2; ++port) {
      RandomProgram::Window window{port, 0, std::vector<std::uint8_t>(16 * 1024)};
      for (std::uint8_t& byte : window.bytes) byte = static_cast<std::uint8_t>(random.below(4));
      program.windows.push_back(window);
    }
    Work work;
    TcuSimulationConfig config = machine_config(program);
    config.read_latency = 20;
    EXPECT_EQ(compare_engines(program, config, work), "");
    // on average fewer than 6 of 11 units are evaluated
    EXPECT_LT(work.evaluations * 11, work.most * 6);
  }
}

}  // namespace
}  // namespace tactus
