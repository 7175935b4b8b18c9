// Several TCUs behind one memory: each computes the same as alone, one unit behaves as the machine
// of a run, and all engines agree on the waiting times.
#include <array>

#include <gtest/gtest.h>

#include "firmware/config/board.h"
#include "firmware/config/memory.h"
#include "firmware/driver/tcu/units.h"
#include "isa/support/error.h"
#include "isa/tcu/instruction.h"
#include "tests/support/error_of.h"
#include "tests/support/program.h"
#include "tests/support/random_program.h"
#include "tests/support/test_scale.h"

namespace tactus {
namespace {

TcuSimulationConfig board_config(const char* name, bool stream = false) {
  Board board = read_board(name);
  board.memory_model = MemoryModel::board;
  board.stream_model = stream ? StreamModel::board : StreamModel::ideal;
  TcuSimulationConfig config = board.simulation_config();
  resolve_memory(config);
  return config;
}

/// Random reads, products and writes in any order. All data that are read were written by the host
/// or the program before.
std::vector<std::uint8_t> random_moves(Random& random, const tcu::Architecture& architecture) {
  Program program(architecture);
  for (unsigned i = 0; i < 120; ++i) {
    const std::uint64_t n = random.range(1, 40);
    if (random.chance(40))
      program.read_dram(random.below(2), n, {random.below(64), 0}, {random.below(200), 0});
    if (random.chance(40))
      program.write_dram(random.below(2), n, {random.below(64), 0}, {random.below(200), 0});
    if (random.chance(30)) program.load_weights(architecture.array_size);
    if (random.chance(50)) program.mat_mul(random.range(1, 40));
    program.no_op(random.below(20));
  }
  return program.bytes();
}

/// Everything that can be observed of a program on one unit.
struct Shown {
  std::vector<std::uint32_t> retires;
  std::vector<Cycle> cycles;
  std::vector<std::vector<std::uint64_t>> time;  ///< cycles by reason, for each run
  std::vector<std::uint8_t> bytes;

  bool operator==(const Shown& o) const {
    return retires == o.retires && cycles == o.cycles && time == o.time && bytes == o.bytes;
  }
};

constexpr std::uint64_t shown_vectors = 240;

/// Runs the program twice, on banks with a pattern that depends on the unit.
Shown run_twice(TcuSimulation& simulation, const std::vector<std::uint8_t>& program,
                unsigned unit) {
  const std::uint64_t bytes = shown_vectors * simulation.config().architecture.vector_bytes();
  Shown shown;
  for (const unsigned p : {0U, 1U}) {
    std::vector<std::uint8_t> data(bytes);
    for (std::size_t i = 0; i < bytes; ++i)
      data[i] = static_cast<std::uint8_t>(i * 7 + 31 * p + 101 * unit);
    simulation.write_dram(p, 0, data);
  }
  TcuRunOptions options;
  options.retire_log = &shown.retires;
  for (int i = 0; i < 2; ++i) {
    const TcuRunResult result = simulation.run(program, options);
    EXPECT_EQ(result.end, RunEnd::finished);
    shown.cycles.push_back(result.cycles);
    shown.time.push_back(result.accounting.totals.time);
  }
  for (const unsigned p : {0U, 1U}) {
    const auto data = simulation.read_dram(p, 0, bytes);
    shown.bytes.insert(shown.bytes.end(), data.begin(), data.end());
  }
  return shown;
}

std::vector<Shown> run_together(const TcuSimulationConfig& config,
                                const std::vector<std::vector<std::uint8_t>>& programs) {
  std::size_t longest = 0;
  for (const auto& program : programs) longest = std::max(longest, program.size());
  TcuUnits units(config, static_cast<unsigned>(programs.size()), longest);
  std::vector<Shown> shown(programs.size());
  units.run([&](unsigned u) { shown[u] = run_twice(units[u], programs[u], u); });
  return shown;
}

TEST(TcuUnits, OneUnitTakesTheCyclesOfARun) {
  for (const std::uint64_t seed : test_seeds(47'000'000, 12)) {
    Random random(seed);
    TcuSimulationConfig config =
        board_config(random.pick({"zcu104", "arty_a7_35", "ultra96_v2", "zcu104_dual"}));
    config.engine = random.pick({Engine::step, Engine::fast});
    const auto program = random_moves(random, config.architecture);
    TcuSimulation alone(config);
    const Shown expected = run_twice(alone, program, 0);
    EXPECT_TRUE(run_together(config, {program}).front() == expected) << "seed " << seed;
  }
}

TEST(TcuUnits, EnginesAgreeAndEachUnitComputesWhatItDoesAlone) {
  for (const std::uint64_t seed : test_seeds(47'100'000, 10)) {
    Random random(seed);
    const bool stream = random.chance(40);
    TcuSimulationConfig config =
        board_config(stream ? random.pick({"zcu104", "zcu104_dual"})
                            : random.pick({"zcu104", "zcu104_dual", "arty_a7_35", "ultra96_v2"}),
                     stream);
    std::vector<std::vector<std::uint8_t>> programs;
    for (std::uint64_t u = random.range(2, 5); u > 0; --u) {
      programs.push_back(random_moves(random, config.architecture));
    }
    // All units execute the same stream.
    if (stream) programs.assign(programs.size(), programs.front());
    config.engine = Engine::step;
    const std::vector<Shown> stepped = run_together(config, programs);
    for (const Engine engine : {Engine::fast, Engine::check}) {
      config.engine = engine;
      EXPECT_TRUE(run_together(config, programs) == stepped) << "seed " << seed;
    }
    Cycle together = 0, apart = 0;
    for (unsigned u = 0; u < programs.size(); ++u) {
      TcuSimulation alone(config);
      const Shown expected = run_twice(alone, programs[u], u);
      EXPECT_TRUE(stepped[u].bytes == expected.bytes) << "seed " << seed << ", unit " << u;
      together += stepped[u].cycles[0] + stepped[u].cycles[1];
      apart += expected.cycles[0] + expected.cycles[1];
    }
    EXPECT_GT(together, apart) << "they wait for each other, seed " << seed;
  }
}

/// Several units, and a stream from the DRAM, cost no more than as many runs of the step engine: no
/// more cycles are evaluated, and the kernel does nothing.
TEST(TcuUnits, NoModeEvaluatesMoreThanStepDoes) {
  for (const auto& [board, stream, count] : {std::tuple{"arty_a7_35", false, 5U},
                                             {"zcu104", false, 3U},
                                             {"zcu104", true, 3U},
                                             {"zcu104", true, 1U}}) {
    TcuSimulationConfig config = board_config(board, stream);
    Random random(48'000'000 + count);
    const auto program = random_moves(random, config.architecture);
    config.engine = Engine::step;
    Cycle steps = 0;
    {
      TcuSimulation alone(config);
      (void)run_twice(alone, program, 0);
      EXPECT_EQ(alone.system().passed().evaluated, alone.now());
      steps = alone.now();
    }
    config.engine = Engine::fast;
    TcuUnits units(config, count, program.size());
    units.run([&](unsigned u) { (void)run_twice(units[u], program, u); });
    for (unsigned u = 0; u < count; ++u) {
      const TcuSystem::Passed passed = units[u].system().passed();
      EXPECT_EQ(passed.evaluated + passed.skipped + passed.taken, units[u].now());
      EXPECT_LE(passed.evaluated + passed.visits, steps) << board << ", unit " << u;
      EXPECT_GT(passed.skipped, 0U) << board << ", unit " << u;
    }
    EXPECT_EQ(sc_core::sc_time_stamp(), sc_core::SC_ZERO_TIME) << board;
  }
}

/// Equal programs make their requests in the same cycles: the memory serves unit 0 first.
TEST(TcuUnits, RequestsOfOneCycleComeInTheOrderOfTheUnits) {
  for (const Engine engine : {Engine::step, Engine::fast, Engine::check}) {
    TcuSimulationConfig config = board_config("arty_a7_35");
    config.engine = engine;
    Program program(config.architecture);
    program.read_dram(0, 1, {0, 0});
    TcuUnits units(config, 4, 0);
    std::array<Cycle, 4> cycles{};
    units.run([&](unsigned u) { cycles[u] = units[u].run(program.bytes()).cycles; });
    for (unsigned u = 1; u < 4; ++u) EXPECT_GT(cycles[u], cycles[u - 1]) << "unit " << u;
  }
}

/// Idle units do not slow down a unit that runs a program.
TEST(TcuUnits, AnIdleUnitCostsTheOthersNothing) {
  TcuSimulationConfig config = board_config("zcu104");
  Random random(7);
  const auto program = random_moves(random, config.architecture);
  TcuSimulation alone(config);
  const Shown expected = run_twice(alone, program, 0);
  TcuUnits units(config, 4, 0);
  Shown shown;
  units.run([&](unsigned u) {
    if (u == 0) shown = run_twice(units[0], program, 0);
  });
  EXPECT_TRUE(shown == expected);
}

TEST(TcuUnits, BanksDoNotOverlap) {
  const TcuSimulationConfig config = board_config("zcu104", true);
  constexpr std::uint64_t stream_bytes = 1 << 20;
  const auto bases = bank_places(config, 7, stream_bytes);
  ASSERT_EQ(bases.size(), 7U);
  EXPECT_EQ(bases[0], config.board_memory->base) << "unit 0 has the board's places";
  const std::uint64_t bank = config.architecture.dram0_depth * config.architecture.vector_bytes();
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges{
      {config.board_memory->stream->base, config.board_memory->stream->base + stream_bytes}};
  for (const auto& unit : bases) {
    for (const std::uint64_t base : unit) ranges.emplace_back(base, base + bank);
  }
  std::sort(ranges.begin(), ranges.end());
  for (std::size_t i = 1; i < ranges.size(); ++i) EXPECT_LE(ranges[i - 1].second, ranges[i].first);
  EXPECT_LE(ranges.back().second, config.resolved_ddr->bytes());
  const std::string error = error_of([&] { (void)bank_places(config, 8, stream_bytes); });
  EXPECT_NE(error.find("allowed 1..7"), std::string::npos) << error;
  EXPECT_EQ(bank_places(board_config("zcu104"), 8, 0).size(), 8U);
}

/// A program that moves its window on a DRAM bank could access another unit's bank.
TEST(TcuUnits, AProgramThatMovesItsDramWindowIsRefused) {
  const TcuSimulationConfig config = board_config("zcu104");
  const auto error = [&](tcu::ConfigRegister target, std::uint32_t value) {
    Model model;
    model.path = "m.tmodel";
    model.file.arch = config.architecture;
    const tcu::InstructionLayout layout(config.architecture);
    model.program = tcu::encode_program(
        layout, {tcu::make_no_op(), tcu::make_configure(layout, target, value)});
    return error_of([&] { TcuUnits::check_deal(config, 2, 2, model); });
  };
  EXPECT_EQ(error(tcu::ConfigRegister::dram0_offset, 0), "no error");
  EXPECT_EQ(error(tcu::ConfigRegister::timeout, 3), "no error");
  for (const auto target : {tcu::ConfigRegister::dram0_offset, tcu::ConfigRegister::dram1_offset}) {
    EXPECT_EQ(error(target, 1),
              "m.tmodel: instruction 1 sets the offset of a DRAM bank to 1, out of the unit's bank "
              "into what may be another unit's; allowed for several units: 0");
  }
}

TEST(TcuUnits, AnExceptionOfOneUnitLeavesTheRun) {
  const TcuSimulationConfig config = board_config("zcu104");
  Random random(3);
  const auto program = random_moves(random, config.architecture);
  TcuUnits units(config, 3, 0);
  EXPECT_EQ(error_of([&] {
              units.run([&](unsigned u) {
                (void)units[u].run(program);
                if (u == 1) user_error("unit 1 objects");
                (void)units[u].run(program);
              });
            }),
            "unit 1 objects");
}

}  // namespace
}  // namespace tactus
