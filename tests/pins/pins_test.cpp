// Every unit at its pins equals the unit inside of a TCU, in every cycle and bit.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "firmware/replay/replay.h"
#include "models/tcu/pins/unit_pins.h"
#include "tests/support/differential.h"

namespace tactus {
namespace {

/// The module with the pins of a unit, for the unit's own place.
OwnUnit pins_of(const std::string& unit, const TcuSystem::Config& config, bool lockstep) {
  OwnUnit own;
  own.unit = unit;
  own.lockstep = lockstep;
  own.make = [unit, config](UnitSignals& signals) {
    auto module = std::make_unique<UnitPins>((unit + "_pins").c_str(), config, unit);
    module->bind(signals);
    return module;
  };
  return own;
}

const std::vector<std::string> units_of_rtl{"decoder", "array",        "accumulators",
                                            "local",   "local_router", "host_router",
                                            "stream",  "dram0",        "dram1"};

std::vector<std::string> logs() {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(TACTUS_GOLDEN_DIR "/logs")) {
    paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

TEST(Pins, EveryUnitEqualsTheModelOverTheGoldenLogs) {
  std::uint64_t events = 0;
  for (const std::string& path : logs()) {
    const GoldenLog log = read_golden_log(path);
    ReplayOptions options;
    for (const std::string& unit : units_of_rtl) {
      options.own_units.push_back(pins_of(unit, {}, true));
    }
    const LogReplayResult result = replay(log, options);
    ASSERT_EQ(result.difference, "") << path;
    events += result.events;
  }
  EXPECT_EQ(events, 92863U);
}

/// What a run shows outside of the units: cycles, retires, samples and DRAM. Runs of modules go on
/// for some cycles before they count as ended.
struct Shown {
  Cycle cycles = 0;
  std::vector<std::uint32_t> retires;
  std::vector<std::uint64_t> samples;
  std::vector<std::uint8_t> dram;
  std::vector<std::string> counters;  ///< those that are taken at channels, with their values
  bool operator==(const Shown& o) const {
    return cycles == o.cycles && retires == o.retires && dram == o.dram && counters == o.counters &&
           std::equal(o.samples.begin(), o.samples.end(), samples.begin());
  }
};

enum class Place { model, lockstep, module };

Shown run(const RandomProgram& program, TcuSimulationConfig config, Place place) {
  config.engine = Engine::step;
  config.sample_block_size = 4;
  config.sample_interval = 3;
  if (place != Place::model) {
    TcuSystem::Config alone;
    alone.tcu.architecture = config.architecture;
    alone.axi_data_bits = config.axi_data_bits;
    alone.sample_block_size = config.sample_block_size;
    alone.sample_interval = config.sample_interval;
    std::vector<std::string> units = units_of_rtl;
    units.emplace_back("sampler");
    if (!config.architecture.dais_blocks.empty()) units.emplace_back("dais");
    if (config.architecture.activation_unit) units.emplace_back("activation");
    for (const std::string& unit : units) {
      config.own_units.push_back(pins_of(unit, alone, place == Place::lockstep));
    }
  }
  TcuSimulation simulation(config);
  load_windows(program, simulation);
  Shown shown;
  simulation.system().on_sample = [&shown](const Sample& sample) {
    shown.samples.push_back(sample.word + (sample.last ? 1 : 0));
  };
  TcuRunOptions options;
  options.retire_log = &shown.retires;
  options.max_cycles = 20000;
  shown.cycles = simulation.run(program.bytes(), options).cycles;
  for (const RandomProgram::Window& window : program.windows) {
    const auto bytes = simulation.read_dram(window.port, window.address, window.bytes.size());
    shown.dram.insert(shown.dram.end(), bytes.begin(), bytes.end());
  }
  const std::vector<std::string> absent{
      "array_runs",     "array_loads_in_turn", "local_reads",        "local_writes",
      "alu_operations", "accumulator_reads",   "accumulator_writes", "table_vectors",
      "lookups",        "dais_vectors",        "activated_vectors",  "activation_parameters",
      "read_beats",     "write_beats"};
  if (place == Place::module) {
    for (const std::string_view name : simulation.system().absent().counters) {
      EXPECT_NE(std::find(absent.begin(), absent.end(), name), absent.end()) << name;
    }
  }
  const std::vector<std::uint64_t> values = simulation.system().counters();
  std::size_t i = 0;
  for (const CounterInfo& counter : simulation.system().info().counters) {
    for (unsigned v = 0; v < counter.values; ++v, ++i) {
      if (std::find(absent.begin(), absent.end(), counter.name) != absent.end()) continue;
      shown.counters.push_back(fmt::format("{} {}", counter.name, values[i]));
    }
  }
  return shown;
}

TEST(Pins, EveryUnitEqualsTheModelOnRandomMachines) {
  bool dais = false, activation = false;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    Random random(seed);
    RandomOptions drawn;
    drawn.exactly = static_cast<unsigned>(seed * 11) & ~unsigned{own_reads};
    drawn.instructions = 40;
    const RandomProgram program = random_program(seed, drawn);
    TcuSimulationConfig config = machine_config(program);
    randomise_timing(random, config);
    dais |= !config.architecture.dais_blocks.empty();
    activation |= config.architecture.activation_unit;
    const Shown expected = run(program, config, Place::model);
    EXPECT_FALSE(expected.samples.empty());
    EXPECT_TRUE(run(program, config, Place::lockstep) == expected) << "lockstep, seed " << seed;
    const Shown modules = run(program, config, Place::module);
    EXPECT_TRUE(modules == expected) << "modules, seed " << seed;
  }
  EXPECT_TRUE(dais && activation);
}

}  // namespace
}  // namespace tactus
