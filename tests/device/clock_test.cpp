// A TcuDevice whose cycles are the edges of a clock signal.
#include <optional>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "firmware/report/tcu/device_observer.h"
#include "models/tcu/pins/unit_pins.h"
#include "tests/device/platform.h"
#include "tests/support/differential.h"
#include "tests/support/error_of.h"
#include "tests/support/program.h"
#include "tests/support/test_scale.h"

namespace tactus {
namespace {

using sc_core::SC_NS;
using sc_core::sc_time;

/// Distance of edge k of a clock and the next.
using Period = std::function<sc_time(Cycle k)>;

Period constant(double ns) {
  return [ns](Cycle) { return sc_time(ns, SC_NS); };
}

struct ClockSource final : sc_core::sc_module {
  using SC_CURRENT_USER_MODULE = ClockSource;  // what SC_HAS_PROCESS defines before SystemC 3
  ClockSource(const sc_core::sc_module_name& name, Period period_)
      : sc_module(name), period(std::move(period_)) {
    SC_THREAD(run);
  }
  void run() {
    for (Cycle k = 0;; ++k) {
      signal.write(true);
      wait(2, SC_NS);
      signal.write(false);
      wait(period(k) - sc_time(2, SC_NS));
    }
  }
  Period period;
  sc_core::sc_signal<bool> signal{"signal"};
};

/// What a host sees of a program that it starts at edge `start`.
struct Seen {
  std::uint64_t latency = 0;
  sc_time done;  ///< from the start to Done
  std::vector<std::uint32_t> retires;
  std::vector<std::uint8_t> windows, samples;

  void expect_equal(const Seen& o, const std::string& what) const {
    EXPECT_EQ(latency, o.latency) << what;
    EXPECT_EQ(retires, o.retires) << what;
    EXPECT_EQ(windows, o.windows) << what;
    EXPECT_EQ(samples, o.samples) << what;
  }
};

struct Case {
  TcuDevice::Config device;
  std::uint64_t read_latency = 1, write_latency = 1;  ///< in periods of 10 ns
  std::optional<Period> clock;                        ///< none: the device's own
  sc_time at{200, SC_NS};
  bool resets = false;  ///< the program is stopped by a reset and begun again
};

constexpr std::size_t sample_bytes = 512;

Seen run(const RandomProgram& program, const Case& start) {
  KernelScope kernel;
  TcuDevice::Config config = start.device;
  if (start.clock) config.period = sc_core::SC_ZERO_TIME;
  config.system.sample_block_size = 1000;
  config.system.sample_interval = 3;
  BankedUnit unit(config, start.read_latency, start.write_latency, "tcu", sc_time(10, SC_NS));
  std::optional<ClockSource> clock;
  if (start.clock) {
    clock.emplace("clock", *start.clock);
    unit.device.clock(clock->signal);
  }
  unit.load(program);
  const auto stream = unit.device.stream(program.bytes(), "program");
  unit.write(0x1000, stream);
  Seen seen;
  unit.device.system().tcu().decoder().on_retire = [&](Cycle cycle, std::uint32_t) {
    if (seen.retires.size() < program.instructions.size()) {
      seen.retires.push_back(static_cast<std::uint32_t>(cycle - unit.device.first_word()));
    }
  };
  unit.host.run = [&](TestHost& host) {
    host.pass(start.at);
    if (start.resets) {
      host.start(0x1000, stream.size());
      host.pass(sc_time(403, SC_NS));
      host.write(DeviceRegister::control, tcu::control_reset);
      while ((host.read(DeviceRegister::status) & tcu::status_resetting) != 0) {
        host.pass(sc_time(10, SC_NS));
      }
      seen.retires.clear();
      unit.load(program);
    }
    const sc_time begin = sc_core::sc_time_stamp();
    host.write(DeviceRegister::s2mm_dmacr, tcu::dmacr_run);
    host.write(DeviceRegister::s2mm_da, 0);
    host.write(DeviceRegister::s2mm_length, sample_bytes);
    host.start(0x1000, stream.size());
    host.wait_for_interrupt();
    seen.done = sc_core::sc_time_stamp() - begin;
    sc_core::sc_stop();
  };
  sc_core::sc_start();
  EXPECT_NE(seen.done, sc_core::SC_ZERO_TIME);
  seen.latency = unit.device.value(DeviceRegister::latency);
  for (const RandomProgram::Window& w : program.windows) {
    std::vector<std::uint8_t> bytes(w.bytes.size());
    unit.bank(w.port).memory().read(unit.place(w), bytes.data(), bytes.size());
    seen.windows.insert(seen.windows.end(), bytes.begin(), bytes.end());
  }
  seen.samples.resize(sample_bytes);
  unit.samples->memory().read(0, seen.samples.data(), sample_bytes);
  kernel.end_threads();
  return seen;
}

/// A machine for a program, with stalls or without.
Case machine_for(const RandomProgram& program, Random& random) {
  TcuSimulationConfig config = machine_config(program);
  config.engine = Engine::step;
  Case start;
  start.device = device_config(config);
  start.device.transport = random.chance(50) ? Transport::blocking : Transport::non_blocking;
  start.at = sc_time(static_cast<double>(random.below(5000)), SC_NS);
  start.read_latency = random.range(1, 30);
  start.write_latency = random.range(1, 30);
  return start;
}

TEST(ClockPort, AConstantClockIsThePeriod) {
  for (const std::uint64_t seed : test_seeds(81'000'000, 30)) {
    Random random(seed);
    const RandomProgram program = random_program(seed);
    Case machine = machine_for(program, random);
    const bool is_slow = random.chance(50);
    if (is_slow) machine.device.period = sc_time(17, SC_NS);
    const Seen expected = run(program, machine);
    machine.clock = constant(is_slow ? 17 : 10);
    const Seen seen = run(program, machine);
    seen.expect_equal(expected, "seed " + std::to_string(seed));
    EXPECT_EQ(seen.done, expected.done) << "seed " << seed;
  }
}

/// Memories without a latency of their own answer at the edge, so that no cycle depends on its
/// time.
TEST(ClockPort, AGatedClockTakesTheSameCycles) {
  for (const std::uint64_t seed : test_seeds(81'100'000, 10)) {
    Random random(seed);
    const RandomProgram program = random_program(seed);
    Case machine = machine_for(program, random);
    machine.read_latency = machine.write_latency = 1;
    machine.at = sc_time(200, SC_NS);
    const Seen expected = run(program, machine);
    const std::uint64_t from = 20 + random.below(40);
    sc_time gated;
    machine.clock = [from, &gated](Cycle k) {
      const bool stands = k >= from && k < from + 500 && k % 7 == 0;
      const sc_time period(stands ? 1234 : 10, SC_NS);
      gated += period - sc_time(10, SC_NS);
      return period;
    };
    const Seen seen = run(program, machine);
    seen.expect_equal(expected, "seed " + std::to_string(seed));
    EXPECT_GT(gated, sc_core::SC_ZERO_TIME);
    EXPECT_GT(seen.done, expected.done);
  }
}

TEST(ClockPort, TimeIsTheSumOfThePeriods) {
  const RandomProgram program = random_program(7);
  Random random(7);
  Case machine = machine_for(program, random);
  machine.read_latency = machine.write_latency = 1;
  machine.at = sc_time(200, SC_NS);
  const Seen expected = run(program, machine);
  const std::uint64_t cycles = expected.done.value() / sc_time(10, SC_NS).value();
  ASSERT_GT(cycles, 50U);
  machine.clock = [](Cycle k) { return sc_time(k < 20 + 50 ? 10 : 20, SC_NS); };
  const Seen seen = run(program, machine);
  seen.expect_equal(expected, "");
  EXPECT_EQ(seen.done, sc_time(10.0 * 50 + 20.0 * static_cast<double>(cycles - 50), SC_NS));
}

/// Latencies in time become fewer cycles.
TEST(ClockPort, MemoriesSeeRealTime) {
  Program program(small_machine().architecture);
  for (unsigned i = 0; i < 20; ++i) {
    program.read_dram(0, 1, {i, 0});
    program.write_dram(1, 1, {i, 0});
  }
  const auto cycles = [&](const Period& period) {
    KernelScope kernel;
    TcuDevice::Config config = device_config(small_machine());
    config.period = sc_core::SC_ZERO_TIME;
    BankedUnit unit(config, 41, 21);
    ClockSource clock("clock", period);
    unit.device.clock(clock.signal);
    DeviceObserver observer(unit.device);
    const auto stream = unit.device.stream(program.bytes(), "program");
    unit.write(0, stream);
    sc_time began, took;
    unit.host.run = [&](TestHost& host) {
      host.pass(sc_time(1000, SC_NS));
      began = sc_core::sc_time_stamp();
      host.start(0, stream.size());
      host.wait_for_interrupt();
      took = sc_core::sc_time_stamp() - began;
      EXPECT_EQ(host.read(DeviceRegister::cycle), unit.device.cycles().now);
      sc_core::sc_stop();
    };
    sc_core::sc_start();
    // Seconds of a program are those of the signal.
    const nlohmann::json statistics = nlohmann::json::parse(observer.statistics(0));
    const TcuRunResult& result = observer.programs()[0];
    const double ns = statistics.at("latency_ms").get<double>() * 1e6;
    EXPECT_NEAR(
        ns / static_cast<double>(result.cycles) * static_cast<double>(result.accounting.cycles),
        took.to_seconds() * 1e9, 1e-6);
    kernel.end_threads();
    return unit.device.value(DeviceRegister::latency);
  };
  const std::uint64_t fast = cycles(constant(10)), slow = cycles(constant(20));
  // Each of 20 reads waits 41 cycles at 10 ns and 21 at 20 ns.
  EXPECT_GE(fast - slow, 20U * 20);
  const std::uint64_t changing = cycles([](Cycle k) { return sc_time(k < 600 ? 10 : 20, SC_NS); });
  EXPECT_GT(changing, slow);
  EXPECT_LT(changing, fast);
}

TEST(ClockPort, AResetBetweenEdges) {
  const RandomProgram program = random_program(11);
  Random random(11);
  Case machine = machine_for(program, random);
  machine.resets = true;
  const Seen expected = run(program, machine);
  machine.clock = constant(10);
  run(program, machine).expect_equal(expected, "");
}

/// A device with modules in the place of units, with a clock port and without.
TEST(ClockPort, ModulesInThePlaceOfUnits) {
  const RandomProgram program = random_program(5);
  Random random(5);
  Case machine = machine_for(program, random);
  machine.at = sc_time(200, SC_NS);
  const Seen expected = run(program, machine);
  TcuSystem::Config alone = machine.device.system;
  alone.sample_block_size = 1000;
  alone.sample_interval = 3;
  for (const char* const unit : {"array", "accumulators", "dram0", "decoder"}) {
    OwnUnit own;
    own.unit = unit;
    own.make = [alone, unit](UnitSignals& signals) {
      auto module = std::make_unique<UnitPins>((std::string(unit) + "_pins").c_str(), alone, unit);
      module->bind(signals);
      return module;
    };
    machine.device.system.own_units.push_back(own);
  }
  machine.clock.reset();
  run(program, machine).expect_equal(expected, "without a clock port");
  machine.clock = constant(10);
  run(program, machine).expect_equal(expected, "with a clock port");
}

/// Statistics have nothing where only the model of a replaced unit counts.
TEST(ClockPort, FiguresOfAReplacedUnit) {
  Program program(small_machine().architecture);
  program.load_weights(8);
  program.mat_mul(5);
  program.write_dram(1, 1);
  for (const bool is_replaced : {false, true}) {
    KernelScope kernel;
    TcuDevice::Config config = device_config(small_machine());
    const TcuSystem::Config alone = config.system;
    OwnUnit own;
    own.unit = "array";
    own.make = [alone](UnitSignals& signals) {
      auto module = std::make_unique<SystolicArrayPins>("array_pins", alone);
      module->bind(signals);
      return module;
    };
    if (is_replaced) config.system.own_units.push_back(own);
    BankedUnit unit(config, 4, 4);
    DeviceObserver observer(unit.device);
    const auto stream = unit.device.stream(program.bytes(), "program");
    unit.write(0, stream);
    unit.host.run = [&](TestHost& host) {
      host.start(0, stream.size());
      host.wait_for_interrupt();
      sc_core::sc_stop();
    };
    sc_core::sc_start();
    const nlohmann::json statistics = nlohmann::json::parse(observer.statistics(0));
    EXPECT_EQ(statistics.at("array_runs").is_null(), is_replaced);
    if (!is_replaced) {
      EXPECT_EQ(statistics.at("array_runs"), 5);
    }
    EXPECT_EQ(statistics.at("array_loads"), 8);
    for (const nlohmann::json& accounting :
         {statistics.at("accounting"), statistics.at("images")[0].at("accounting")}) {
      EXPECT_EQ(accounting.at("units").at("array").is_null(), is_replaced);
      EXPECT_FALSE(accounting.at("units").at("accumulators").is_null());
      EXPECT_EQ(accounting.at("lost_cycles").is_null(), is_replaced);
    }
    EXPECT_EQ(statistics.contains("replaced_units"), is_replaced);
    EXPECT_EQ(observer.summary().find("an unknown number lost") != std::string::npos, is_replaced);
    kernel.end_threads();
  }
}

TEST(ClockPort, BadInput) {
  const auto error = [](auto change, const Period& period) {
    KernelScope kernel;
    TcuDevice::Config config = device_config(small_machine());
    config.period = sc_core::SC_ZERO_TIME;
    change(config);
    BankedUnit unit(config, 1, 1);
    ClockSource clock("clock", period);
    unit.device.clock(clock.signal);
    std::string text;
    try {
      sc_core::sc_start(sc_time(100, SC_NS));
    } catch (const std::exception& caught) {
      text = caught.what();
    }
    kernel.end_threads();
    return text;
  };
  EXPECT_NE(error([](auto& c) { c.period = sc_time(12, SC_NS); }, constant(10))
                .find("tcu: its port clock is bound, and Config::period says 12 ns; allowed is one "
                      "of them"),
            std::string::npos);
  EXPECT_NE(error([](auto& c) { c.trusts_dmi = true; }, constant(10))
                .find("tcu: its port clock is bound, and trusts_dmi is set"),
            std::string::npos);
  EXPECT_EQ(error([](auto&) {}, constant(10)), "");
}

TEST(ClockEdges, TimesAndCycles) {
  ClockEdges edges;
  const std::vector<std::uint64_t> times{5, 15, 25, 35, 36, 37, 100, 110, 111};
  for (const std::uint64_t time : times) edges.add(time);
  for (std::size_t i = 0; i < times.size(); ++i) EXPECT_EQ(edges.time_of(i), times[i]) << i;
  for (std::uint64_t time = 0; time <= 111; ++time) {
    const auto at = std::lower_bound(times.begin(), times.end(), time);
    EXPECT_EQ(edges.first_from(time), static_cast<Cycle>(at - times.begin())) << time;
  }
  EXPECT_EQ(edges.first_from(112), ClockEdges::unknown);
}

}  // namespace
}  // namespace tactus
