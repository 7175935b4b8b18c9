// A TcuDevice in a SystemC design of a user takes the same cycles as `tactus run`.
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "firmware/config/board.h"
#include "firmware/config/board_ddr.h"
#include "firmware/config/memory.h"
#include "firmware/driver/common/memory_system.h"
#include "firmware/report/run_document.h"
#include "firmware/report/tcu/device_observer.h"
#include "firmware/report/tcu/run_figures.h"
#include "isa/support/error.h"
#include "models/axi/bus_map.h"
#include "models/tcu/fast/tcu_sequences.h"
#include "tests/device/platform.h"
#include "tests/support/differential.h"
#include "tests/support/error_of.h"
#include "tests/support/phased_memory.h"
#include "tests/support/program.h"
#include "tests/support/repeated_program.h"
#include "tests/support/test_scale.h"

namespace tactus {
namespace {

struct Figures {
  Cycle cycles = 0;
  std::vector<std::uint32_t> retires;  ///< counted from the first word of the stream
  std::vector<std::uint8_t> windows;

  bool operator==(const Figures& o) const {
    return cycles == o.cycles && retires == o.retires && windows == o.windows;
  }
};

Figures run_alone(const RandomProgram& program, const TcuSimulationConfig& config) {
  TcuSimulation simulation(config);
  load_windows(program, simulation);
  Figures figures;
  TcuRunOptions options;
  options.retire_log = &figures.retires;
  const TcuRunResult result = simulation.run(program.bytes(), options);
  EXPECT_EQ(result.end, RunEnd::finished);
  figures.cycles = result.cycles;
  for (const RandomProgram::Window& w : program.windows) {
    const auto bytes = simulation.read_dram(w.port, w.address, w.bytes.size());
    figures.windows.insert(figures.windows.end(), bytes.begin(), bytes.end());
  }
  return figures;
}

/// Returns the figures of the last program on a device.
Figures figures_of(BankedUnit& unit, const RandomProgram& program,
                   const std::vector<Cycle>& retires) {
  Figures figures;
  figures.cycles = unit.device.value(DeviceRegister::latency);
  // The retire log of a run does not include the NoOps that pad the stream.
  for (std::size_t i = 0; i < std::min(retires.size(), program.instructions.size()); ++i) {
    figures.retires.push_back(static_cast<std::uint32_t>(retires[i]));
  }
  for (const RandomProgram::Window& w : program.windows) {
    std::vector<std::uint8_t> bytes(w.bytes.size());
    unit.bank(w.port).memory().read(unit.place(w), bytes.data(), bytes.size());
    figures.windows.insert(figures.windows.end(), bytes.begin(), bytes.end());
  }
  return figures;
}

/// Runs a program on a device. The host starts it at time `at`.
Figures run_on_device(const RandomProgram& program, const TcuDevice::Config& config,
                      std::uint64_t read_latency, std::uint64_t write_latency,
                      const sc_core::sc_time& at) {
  KernelScope kernel;
  BankedUnit unit(config, read_latency, write_latency);
  unit.load(program);
  const auto stream = unit.device.stream(program.bytes(), "program");
  unit.write(0x1000, stream);
  std::vector<Cycle> retires;
  unit.device.system().tcu().decoder().on_retire = [&](Cycle cycle, std::uint32_t) {
    retires.push_back(cycle);
  };
  bool done = false;
  unit.host.run = [&](TestHost& host) {
    host.pass(at);
    host.start(0x1000, stream.size());
    host.wait_for_interrupt();
    done = true;
  };
  sc_core::sc_start();
  EXPECT_TRUE(done);
  const Cycle first = unit.device.first_word();
  for (Cycle& cycle : retires) cycle -= first;
  kernel.end_threads();
  return figures_of(unit, program, retires);
}

TEST(TcuDevice, WithFixedLatencyItTakesTheCyclesOfARun) {
  for (const std::uint64_t seed : test_seeds(46'000'000, 60)) {
    Random random(seed);
    RandomProgram program = random_program(seed);
    if (random.chance(50)) program = repeated(random, program, 8);
    TcuSimulationConfig config = machine_config(program);
    config.read_latency = random.range(1, 30);
    config.write_latency = random.range(1, 30);
    config.engine = Engine::step;
    const Figures alone = run_alone(program, config);
    for (const Engine engine : {Engine::step, Engine::fast, Engine::check}) {
      config.engine = engine;
      TcuDevice::Config device = device_config(config);
      device.trusts_dmi = random.chance(70);
      device.transport = random.chance(30) ? Transport::blocking : Transport::non_blocking;
      device.dram_base = {random.below(1000) * 4096, random.below(1000) * 4096};
      const sc_core::sc_time at(static_cast<double>(random.below(100000)), sc_core::SC_NS);
      const Figures there =
          run_on_device(program, device, config.read_latency, config.write_latency, at);
      ASSERT_EQ(there.cycles, alone.cycles) << "seed " << seed << "\n" << program.describe();
      ASSERT_TRUE(there.retires == alone.retires) << "seed " << seed;
      ASSERT_TRUE(there.windows == alone.windows) << "seed " << seed;
    }
  }
}

/// The board's memory with a port for each of a unit's sockets, at the bases of the board's file.
DdrMemory::Config all_ports(const Board& board) {
  const BoardMemory& memory = *board.board_memory;
  return ddr_memory_config(board, {{"port0", memory.ports[0], memory.base[0]},
                                   {"port1", memory.ports[1], memory.base[1]},
                                   {"stream", memory.stream->path, memory.stream->base}});
}

/// Data and instructions come from the same board memory.
TEST(TcuDevice, WithTheBoardsMemoryItTakesTheCyclesOfARun) {
  for (const std::uint64_t seed : test_seeds(46'100'000, 10)) {
    Random random(seed);
    Board board = read_board(random.pick({"zcu104", "zcu104_dual"}));
    board.memory_model = MemoryModel::board;
    board.stream_model = StreamModel::board;
    TcuSimulationConfig config = board.simulation_config();
    config.engine = random.pick({Engine::step, Engine::fast});
    resolve_memory(config);
    Program program(config.architecture);
    for (unsigned i = 0; i < 300; ++i) {
      const std::uint64_t n = random.range(1, 40);
      if (random.chance(30)) program.read_dram(random.below(2), n, {random.below(64), 0});
      if (random.chance(30)) program.write_dram(random.below(2), n, {random.below(64), 0});
      if (random.chance(30)) program.load_weights(config.architecture.array_size);
      program.mat_mul(random.range(1, 40));
      program.no_op(random.below(50));
    }
    const auto bytes = program.bytes();
    TcuSimulation alone(config);
    const TcuRunResult result = alone.run(bytes);
    ASSERT_EQ(result.end, RunEnd::finished);

    KernelScope kernel;
    DeviceUnit unit(device_config(config));
    DdrMemory memory("memory", all_ports(board));
    memory.attach(0, unit.device.slave(0), "memory0");
    memory.attach(1, unit.device.slave(1), "memory1");
    unit.device.instructions.bind(memory.socket(2));
    const std::uint64_t base = board.board_memory->stream->base;
    const auto stream = unit.device.stream(bytes, "program");
    memory.memory().write(static_cast<std::uint32_t>(base), stream.data(), stream.size());
    // Addresses are relative to the base of the stream's path.
    unit.host.run = [&](TestHost& host) {
      host.start(0, stream.size());
      host.wait_for_interrupt();
    };
    sc_core::sc_start();
    const Decoder& decoder = unit.device.system().tcu().decoder();
    // A run counts from its start, which includes the latency of the first words.
    EXPECT_EQ(decoder.stats().last_retire, result.last_retire_padded) << "seed " << seed;
    EXPECT_EQ(unit.device.value(DeviceRegister::latency) + unit.device.first_word(), result.cycles);
    kernel.end_threads();
  }
}

// ---- in a user's design -------------------------------------------------------------------------

/// A program that copies vectors [from, from + n) of DRAM0 to [to, to + n), with products in
/// between.
std::vector<std::uint8_t> copy_program(const tcu::Architecture& architecture, std::uint64_t from,
                                       std::uint64_t to, std::uint64_t n, unsigned work = 20) {
  Program program(architecture);
  program.read_dram(0, n, {0, 0}, {from, 0});
  for (unsigned i = 0; i < work; ++i) program.load_weights(8).mat_mul(n);
  program.write_dram(0, n, {0, 0}, {to, 0});
  return program.bytes();
}

std::vector<std::uint8_t> pattern(std::size_t bytes, unsigned seed) {
  std::vector<std::uint8_t> data(bytes);
  for (std::size_t i = 0; i < bytes; ++i) data[i] = static_cast<std::uint8_t>(i * 13 + seed);
  return data;
}

std::vector<std::uint8_t> read(FixedLatencyBank& bank, std::uint64_t at, std::size_t bytes) {
  std::vector<std::uint8_t> data(bytes);
  bank.memory().read(static_cast<std::uint32_t>(at), data.data(), bytes);
  return data;
}

TEST(TcuDevice, TwoProgramsInTurnTakeTheCyclesOfTwoRuns) {
  const TcuSimulationConfig config = small_machine();
  const auto& architecture = config.architecture;
  const std::uint64_t vector = architecture.vector_bytes();
  const auto first = copy_program(architecture, 0, 100, 16);
  const auto second = copy_program(architecture, 100, 200, 16, 7);
  TcuSimulation alone(config);
  const std::array<Cycle, 2> cycles{alone.run(first).cycles, alone.run(second).cycles};

  KernelScope kernel;
  BankedUnit unit(device_config(config), 20, 5);
  const auto a = unit.device.stream(first, "first"), b = unit.device.stream(second, "second");
  unit.write(0, a);
  unit.write(0x8000, b);
  const auto data = pattern(16 * vector, 1);
  unit.dram0.memory().write(0, data.data(), data.size());
  std::array<Cycle, 2> latency{};
  sc_core::sc_time end;
  unit.host.run = [&](TestHost& host) {
    host.start(0, a.size());
    host.wait_for_interrupt();
    latency[0] = host.read(DeviceRegister::latency);
    EXPECT_EQ(host.read(DeviceRegister::status) & 3, tcu::status_done | tcu::status_idle);
    host.write(DeviceRegister::status, tcu::status_done);
    host.pass(sc_core::sc_time(3, sc_core::SC_US));
    EXPECT_FALSE(host.interrupt.read());
    EXPECT_EQ(host.read(DeviceRegister::status), tcu::status_idle);
    host.start(0x8000, b.size());
    EXPECT_EQ(host.read(DeviceRegister::status) & tcu::status_idle, 0U);
    host.wait_for_interrupt();
    latency[1] = host.read(DeviceRegister::latency);
    host.pass(sc_core::sc_time(1, sc_core::SC_MS));  // time passes after the program's end
    end = sc_core::sc_time_stamp();
  };
  sc_core::sc_start();
  EXPECT_EQ(latency, cycles);
  EXPECT_EQ(read(unit.dram0, 200 * vector, data.size()), data);
  EXPECT_GT(end, sc_core::sc_time(1, sc_core::SC_MS));
  kernel.end_threads();
}

/// The interrupt IOC_Irq comes when the last word is taken, Done when all data are in memory, in
/// the same cycles with every engine.
TEST(TcuDevice, InterruptsComeInTheSameCycleWithEveryEngine) {
  TcuSimulationConfig config = small_machine();
  Program moves(config.architecture);
  for (unsigned i = 0; i < 200; ++i) {
    moves.read_dram(0, 8, {0, 0}, {i, 0}).load_weights(8).mat_mul(8);
    moves.move(tcu::DataMoveKind::accumulator_to_local, 8).write_dram(0, 8, {0, 0}, {500 + i, 0});
    moves.no_op(60);  // the unit becomes idle
  }
  const auto program = moves.bytes();
  std::vector<std::array<sc_core::sc_time, 2>> times;
  for (const Engine engine : {Engine::step, Engine::fast}) {
    for (const bool trusts : {false, true}) {
      config.engine = engine;
      TcuDevice::Config device = device_config(config);
      device.trusts_dmi = trusts;
      KernelScope kernel;
      BankedUnit unit(device, 20, 5);
      const auto stream = unit.device.stream(program, "program");
      unit.write(0, stream);
      auto& time = times.emplace_back();
      unit.host.run = [&](TestHost& host) {
        host.start(0, stream.size(), tcu::dmacr_complete_irq);
        host.wait_for_interrupt();
        time[0] = sc_core::sc_time_stamp();
        EXPECT_EQ(host.read(DeviceRegister::mm2s_dmasr), tcu::dmasr_idle | tcu::dmasr_complete);
        host.write(DeviceRegister::mm2s_dmasr, tcu::dmasr_complete);
        host.pass(sc_core::SC_ZERO_TIME);
        host.pass(sc_core::SC_ZERO_TIME);
        host.wait_for_interrupt();
        time[1] = sc_core::sc_time_stamp();
        EXPECT_EQ(host.read(DeviceRegister::status) & 1, tcu::status_done);
      };
      sc_core::sc_start();
      EXPECT_LT(time[0], time[1]);
      EXPECT_EQ(time, times.front()) << "engine " << static_cast<int>(engine) << ' ' << trusts;
      if (engine == Engine::fast && trusts) {
        EXPECT_GT(unit.device.system().sequences()->taken(), 300U);
      }
      kernel.end_threads();
    }
  }
}

/// After a reset by pin or by register, during transfers and products, the next program takes the
/// same cycles as on a new machine.
TEST(TcuDevice, AfterAResetItBehavesAsANewOne) {
  for (const std::uint64_t seed : test_seeds(46'200'000, 40)) {
    Random random(seed);
    RandomOptions options;
    RandomProgram program = random_program(seed, options);
    if (!program.architecture.dais_blocks.empty()) continue;
    TcuSimulationConfig config = machine_config(program);
    config.read_latency = random.range(1, 30);
    config.write_latency = random.range(1, 30);
    config.engine = random.pick({Engine::step, Engine::fast});
    const Cycle cycles = run_alone(program, config).cycles;
    TcuDevice::Config device = device_config(config);
    device.trusts_dmi = random.chance(50);
    KernelScope kernel;
    BankedUnit unit(device, config.read_latency, config.write_latency);
    unit.load(program);
    const auto stream = unit.device.stream(program.bytes(), "program");
    unit.write(0, stream);
    const bool by_pin = random.chance(50);
    const std::uint64_t when = random.below(cycles + 30);
    Cycle again = 0;
    std::uint32_t counter = 1;
    unit.host.run = [&](TestHost& host) {
      host.start(0, stream.size());
      host.pass(device.period * static_cast<double>(when));
      if (by_pin) {
        host.reset.write(true);
        host.pass(device.period * 2);
        EXPECT_EQ(host.write(DeviceRegister::control, 1), tlm::TLM_GENERIC_ERROR_RESPONSE);
        host.reset.write(false);
      } else {
        host.write(DeviceRegister::control, tcu::control_reset);
      }
      host.pass(device.period);
      while ((host.read(DeviceRegister::status) & tcu::status_resetting) != 0) {
        host.pass(device.period * 10);
      }
      counter = host.read(DeviceRegister::program_counter);
      EXPECT_EQ(host.read(DeviceRegister::mm2s_dmasr), tcu::dmasr_halted);
      unit.load(program);
      host.start(0, stream.size());
      host.wait_for_interrupt();
      again = host.read(DeviceRegister::latency);
    };
    sc_core::sc_start();
    EXPECT_EQ(counter, 0U) << "seed " << seed;
    ASSERT_EQ(again, cycles) << "seed " << seed << " reset in cycle " << when;
    kernel.end_threads();
  }
}

/// The unit gets half an instruction and waits for the rest, so it hangs.
TEST(TcuDevice, AResetFreesAUnitThatHangs) {
  const TcuSimulationConfig config = small_machine();
  Program program(config.architecture);
  program.move(tcu::DataMoveKind::accumulator_to_local, 4);
  const auto good = copy_program(config.architecture, 0, 100, 8);
  TcuSimulation alone(config);
  const Cycle cycles = alone.run(good).cycles;
  for (const Engine engine : {Engine::step, Engine::fast}) {
    TcuDevice::Config device = device_config(config);
    device.system.engine = engine;
    KernelScope kernel;
    BankedUnit unit(device, 20, 5);
    const auto stream = unit.device.stream(good, "program");
    unit.write(0, stream);
    std::vector<std::uint8_t> part(stream.begin(), stream.begin() + 8);  // half an instruction
    unit.write(0x4000, part);
    bool hung = false;
    Cycle again = 0;
    unit.host.run = [&](TestHost& host) {
      host.start(0x4000, part.size());
      host.pass(device.period * 5000);
      hung = (host.read(DeviceRegister::status) & tcu::status_idle) == 0;
      host.write(DeviceRegister::control, tcu::control_reset);
      host.pass(device.period * 3000);
      EXPECT_EQ(host.read(DeviceRegister::status) & 7, tcu::status_idle);
      host.start(0, stream.size());
      host.wait_for_interrupt();
      again = host.read(DeviceRegister::latency);
    };
    sc_core::sc_start();
    EXPECT_TRUE(hung);
    EXPECT_EQ(again, cycles);
    kernel.end_threads();
  }
}

/// Units in one kernel that start at different times do not affect each other.
TEST(TcuDevice, SeveralInstancesRunSideBySide) {
  const TcuSimulationConfig config = small_machine();
  const auto program = copy_program(config.architecture, 0, 100, 16, 60);
  TcuSimulation alone(config);
  const Cycle cycles = alone.run(program).cycles;
  KernelScope kernel;
  std::vector<std::unique_ptr<BankedUnit>> units;
  unsigned done = 0;
  for (unsigned u = 0; u < 3; ++u) {
    TcuDevice::Config device = device_config(config);
    device.trusts_dmi = u != 1;
    device.period = sc_core::sc_time(10 + 3 * u, sc_core::SC_NS);
    units.push_back(std::make_unique<BankedUnit>(device, 20, 5, "tcu" + std::to_string(u)));
    BankedUnit& unit = *units.back();
    const auto stream = unit.device.stream(program, "program");
    unit.write(0, stream);
    unit.host.run = [&, u, size = stream.size()](TestHost& host) {
      host.pass(sc_core::sc_time(777 * u, sc_core::SC_NS));
      host.start(0, size);
      host.wait_for_interrupt();
      EXPECT_EQ(host.read(DeviceRegister::latency), cycles) << u;
      ++done;
    };
  }
  sc_core::sc_start();
  EXPECT_EQ(done, 3U);
  kernel.end_threads();
}

/// Two units share one memory controller and have address ranges of their own. Each is slower than
/// alone, and both compute the same results as alone, in the same cycles with every engine.
TEST(TcuDevice, UnitsShareOneMemoryController) {
  Board board = read_board("zcu104");
  board.memory_model = MemoryModel::board;
  TcuSimulationConfig config = board.simulation_config();
  resolve_memory(config);
  Program program(config.architecture);
  for (unsigned i = 0; i < 100; ++i) {
    program.read_dram(0, 30, {0, 0}, {30 * i, 0}).write_dram(1, 30, {0, 0}, {30 * i, 0});
  }
  TcuSimulation alone(config);
  const Cycle cycles = alone.run(program.bytes()).cycles;
  std::array<std::array<Cycle, 2>, 2> latencies{};
  for (const unsigned fast : {0U, 1U}) {
    config.engine = fast == 1 ? Engine::fast : Engine::step;
    KernelScope kernel;
    const std::uint64_t vector = config.architecture.vector_bytes();
    std::vector<std::unique_ptr<DeviceUnit>> units;
    std::vector<std::unique_ptr<FixedLatencyBank>> programs;
    std::vector<BoardPort> ports;
    for (unsigned p = 0; p < 4; ++p) {
      ports.push_back({"port" + std::to_string(p), p % 2 == 0 ? "hp1" : "hp3", p * 0x1000000U});
    }
    DdrMemory ddr("ddr", ddr_memory_config(board, ports));
    for (unsigned u = 0; u < 2; ++u) {
      const std::string name = "tcu" + std::to_string(u);
      units.push_back(std::make_unique<DeviceUnit>(device_config(config), name));
      TcuDevice& device = units.back()->device;
      ddr.attach(std::size_t{2} * u, device.slave(0), "memory0");
      ddr.attach(std::size_t{2} * u + 1, device.slave(1), "memory1");
      programs.push_back(std::make_unique<FixedLatencyBank>(
          (name + "_programs").c_str(), FixedLatencyBank::Config{20, 5, device.config().period}));
      device.instructions.bind(programs.back()->socket);
      const auto stream = device.stream(program.bytes(), "program");
      programs.back()->memory().write(0, stream.data(), stream.size());
      const auto data = pattern(3000 * vector, u);
      ddr.memory().write(static_cast<std::uint32_t>(2 * u * 0x1000000), data.data(), data.size());
      units.back()->host.run = [&latencies, fast, u, size = stream.size()](TestHost& host) {
        host.start(0, size);
        host.wait_for_interrupt();
        latencies[fast][u] = host.read(DeviceRegister::latency);
      };
    }
    sc_core::sc_start();
    for (unsigned u = 0; u < 2; ++u) {
      EXPECT_GT(latencies[fast][u], cycles);
      std::vector<std::uint8_t> copy(3000 * vector);
      ddr.memory().read(static_cast<std::uint32_t>((2 * u + 1) * 0x1000000), copy.data(),
                        copy.size());
      EXPECT_TRUE(copy == pattern(copy.size(), u)) << u;
    }
    kernel.end_threads();
  }
  EXPECT_EQ(latencies[0], latencies[1]);
}

TEST(TcuDevice, ObserversTellOfEachProgram) {
  const TcuSimulationConfig config = small_machine();
  const auto program = copy_program(config.architecture, 0, 100, 16);
  TcuSimulation alone(config);
  const TcuRunResult run = alone.run(program);
  const std::string vcd = testing::TempDir() + "/device.vcd";
  const std::string json = testing::TempDir() + "/device.json";
  KernelScope kernel;
  BankedUnit unit(device_config(config), 20, 5);
  const auto stream = unit.device.stream(program, "program");
  unit.write(0, stream);
  DeviceObserver observer(unit.device);
  observer.trace(vcd);
  observer.timeline(json);
  unit.host.run = [&](TestHost& host) {
    for (unsigned i = 0; i < 2; ++i) {
      host.start(0, stream.size());
      host.wait_for_interrupt();
      EXPECT_EQ(host.read(DeviceRegister::latency), run.cycles);
      host.write(DeviceRegister::status, tcu::status_done);
      host.pass(sc_core::sc_time(1, sc_core::SC_US));
    }
  };
  sc_core::sc_start();
  observer.finish();
  ASSERT_EQ(observer.programs().size(), 2U);
  for (const TcuRunResult& result : observer.programs()) {
    EXPECT_EQ(result.array_runs, run.array_runs);
    EXPECT_EQ(result.read_beats[0], run.read_beats[0]);
    EXPECT_GE(result.accounting.cycles, run.cycles);
    EXPECT_LT(result.accounting.cycles, run.cycles + 30);  // plus the latency of the first words
  }
  EXPECT_NE(observer.summary().find("program 1: "), std::string::npos);
  std::ifstream waves(vcd), slices(json);
  const std::string text{std::istreambuf_iterator<char>(waves), {}};
  EXPECT_NE(text.find("program_counter"), std::string::npos);
  const std::string events{std::istreambuf_iterator<char>(slices), {}};
  EXPECT_NE(events.find("program 1"), std::string::npos);
  EXPECT_EQ(events.substr(events.find_last_not_of(" \n"), 1), "}");
  kernel.end_threads();
}

/// The instructions of a program in three layers, with a gap between the second and the third.
Model in_layers(const tcu::Architecture& architecture, const std::vector<std::uint8_t>& program) {
  Model model;
  model.file.arch = architecture;
  model.program = program;
  const std::uint64_t all =
      program.size() / tcu::InstructionLayout(architecture).instruction_bytes();
  const std::uint64_t part = all / 4;
  for (const std::uint64_t first : {std::uint64_t{0}, part, 3 * part}) {
    tcu::LayerEntry layer;
    layer.name = fmt::format("layer {}", first);
    layer.first = first;
    layer.count = part;
    layer.macs = 100 * first + 1;
    model.file.layers.push_back(layer);
  }
  return model;
}

/// Statistics as JSON, without the keys that only one side has.
nlohmann::ordered_json common_statistics(const std::string& text) {
  auto json = nlohmann::ordered_json::parse(text);
  for (const char* key : {"config", "wall_seconds", "cycles_per_second", "throughput", "ddr",
                          "total_cycles", "unwritten_reads"}) {
    json.erase(key);
  }
  for (auto& image : json["images"]) image.erase("ddr");
  return json;
}

/// Statistics of a run, as `tactus run --stats` writes them.
std::string statistics_of(const TcuRunResult& result, const Model& model, double clock_mhz,
                          const MachineRates& rates) {
  RunDocument document;
  document.clock_mhz = clock_mhz;
  document.back_to_back = false;
  document.rates = rates;
  document.expected = expectations(model.file.layers);
  document.macs = tcu::macs_of(model.file.layers);
  ReportedRun run;
  run.run = &result;
  run.cycles = result.cycles;
  run.last_retire = result.last_retire_padded;
  run.own = own_figures(result, model.file.arch, std::nullopt);
  document.images.push_back(run);
  return stats_json(document);
}

/// Data and instructions come from the board's memory: the statistics, with those of each layer,
/// equal those of a run.
TEST(TcuDevice, StatisticsEqualThoseOfARun) {
  for (const std::uint64_t seed : test_seeds(46'500'000, 12)) {
    Random random(seed);
    Board board = read_board("zcu104");
    board.memory_model = MemoryModel::board;
    board.stream_model = StreamModel::board;
    TcuSimulationConfig config = board.simulation_config();
    config.engine = random.pick({Engine::step, Engine::fast});
    resolve_memory(config);
    Program program(config.architecture);
    for (unsigned i = 0; i < 200; ++i) {
      const std::uint64_t n = random.range(1, 40);
      if (random.chance(30)) program.read_dram(random.below(2), n, {random.below(64), 0});
      if (random.chance(30)) program.write_dram(random.below(2), n, {random.below(64), 0});
      if (random.chance(30)) program.load_weights(config.architecture.array_size);
      program.mat_mul(random.range(1, 40));
    }
    const Model model = in_layers(config.architecture, program.bytes());
    TcuSimulation alone(config);
    TcuRunOptions options;
    options.regions = tcu::regions_of(model.file.layers);
    TcuRunResult result = alone.run(model.program, options);
    result.ddr.reset();
    const std::string expected =
        statistics_of(result, model, config.clock_mhz, alone.machine().rates());

    for (const bool is_module : {false, true}) {
      KernelScope kernel;
      TcuDevice::Config device = device_config(config);
      if (is_module) device.transport = random.pick({Transport::blocking, Transport::non_blocking});
      DeviceUnit unit(device);
      std::unique_ptr<MemorySystem> system;
      std::unique_ptr<DdrMemory> module;
      const auto attach = [&](auto& memory) {
        for (unsigned p = 0; p < 2; ++p) {
          memory.attach(p, unit.device.slave(p), p == 0 ? "memory0" : "memory1");
        }
      };
      if (is_module) {
        module = std::make_unique<DdrMemory>("memory", all_ports(board));
        attach(*module);
        unit.device.instructions.bind(module->socket(2));
      } else {
        system =
            std::make_unique<MemorySystem>(board, *config.resolved_ddr, std::vector<unsigned>{0, 1},
                                           unit.device.cycles(), MemorySystem::Stream::initiator);
        attach(*system);
        system->attach_stream(unit.device.instructions);
      }
      const auto stream = unit.device.stream(model.program, "program");
      const std::uint64_t base = board.board_memory->stream->base;
      (is_module ? module->memory() : system->controller().memory())
          .write(static_cast<std::uint32_t>(base), stream.data(), stream.size());
      DeviceObserver observer(unit.device);
      observer.name_layers(model);
      unit.host.run = [&](TestHost& host) {
        host.start(0, stream.size());
        host.wait_for_interrupt();
      };
      sc_core::sc_start();
      ASSERT_EQ(observer.programs().size(), 1U);
      const auto found = common_statistics(observer.statistics(0));
      EXPECT_EQ(found.at("accounting").at("layers").size(), 5U);
      EXPECT_EQ(found.dump(1), common_statistics(expected).dump(1))
          << "seed " << seed << (is_module ? ", DdrMemory" : "");
      kernel.end_threads();
    }
  }
}

/// The fast engine runs this program in sequences. Only its first layer waits for the first word of
/// the stream. The second program has no layers.
TEST(TcuDevice, LayersOfAProgramThatIsReadAtOnce) {
  const TcuSimulationConfig config = small_machine();
  const Model model =
      in_layers(config.architecture, copy_program(config.architecture, 0, 100, 16, 400));
  const auto other = copy_program(config.architecture, 0, 100, 16, 30);
  TcuSimulation alone(config);
  TcuRunOptions options;
  options.regions = tcu::regions_of(model.file.layers);
  const TcuRunResult run = alone.run(model.program, options);
  KernelScope kernel;
  TcuDevice::Config device = device_config(config);
  device.trusts_dmi = true;
  BankedUnit unit(device, 20, 5);
  const auto stream = unit.device.stream(model.program, "program");
  const auto second = unit.device.stream(other, "program");
  unit.write(0, stream);
  unit.write(0x10000, second);
  DeviceObserver observer(unit.device);
  observer.name_layers(model);
  unit.host.run = [&](TestHost& host) {
    for (const auto& [address, bytes] : {std::pair<std::uint64_t, std::size_t>{0, stream.size()},
                                         {0x10000, second.size()},
                                         {0, stream.size()}}) {
      host.start(address, bytes);
      host.wait_for_interrupt();
      host.write(DeviceRegister::status, tcu::status_done);
      host.pass(sc_core::sc_time(1, sc_core::SC_US));
    }
  };
  sc_core::sc_start();
  ASSERT_EQ(observer.programs().size(), 3U);
  EXPECT_TRUE(observer.programs()[1].accounting.regions.empty());
  for (const std::size_t i : {0U, 2U}) {
    const std::vector<RegionFigures>& regions = observer.programs()[i].accounting.regions;
    ASSERT_EQ(regions.size(), run.accounting.regions.size());
    const Cycle wait = observer.programs()[i].cycles - run.cycles;
    EXPECT_GE(wait, 19U);
    EXPECT_LT(wait, 30U);
    for (std::size_t r = 0; r < regions.size(); ++r) {
      const RegionFigures& expected = run.accounting.regions[r];
      EXPECT_EQ(regions[r].name, expected.name);
      EXPECT_EQ(regions[r].instructions, expected.instructions);
      EXPECT_EQ(regions[r].counters.cycles(), expected.counters.cycles() + (r == 0 ? wait : 0));
      if (r != 0) {
        EXPECT_EQ(regions[r].counters.values, expected.counters.values);
      }
    }
  }
  kernel.end_threads();
}

/// The registers take device_register_bytes of the bus; memories and registers must not overlap.
TEST(TcuDevice, ABusMapThatOverlapsIsAnError) {
  BusMap map;
  map.add("ddr", 0, 0x40000000);
  EXPECT_EQ(error_of([&] { map.add("tcu", 0x3FFFF000, 0x2000); }),
            "address map: tcu (0x3ffff000..0x40000fff) overlaps ddr (0x0..0x3fffffff)");
  map.add("tcu", 0x40000000, tcu::device_register_bytes);
  EXPECT_EQ(map.find(0x40000FFC, 4), 1U);
  EXPECT_EQ(map.find(0x40000FFE, 4), BusMap::npos);
  EXPECT_EQ(map.find(0x3FFFFFFC, 4), 0U);
}

// ---- errors ------------------------------------------------------------------------------------

/// A memory that throws, or refuses with an error response.
struct BadMemory final : sc_core::sc_module {
  tlm_utils::simple_target_socket<BadMemory> socket{"socket"};
  bool throws = false;
  explicit BadMemory(const sc_core::sc_module_name& name) : sc_module(name) {
    socket.register_b_transport(this, &BadMemory::b_transport);
  }
  void b_transport(tlm::tlm_generic_payload& access, sc_core::sc_time& /*delay*/) {
    if (throws) throw std::runtime_error("the memory is on fire");
    access.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  }
};

TEST(TcuDevice, AnExceptionOfAMemoryLeavesTheSimulation) {
  for (const Transport transport : {Transport::blocking, Transport::non_blocking}) {
    TcuDevice::Config config = device_config(small_machine());
    config.transport = transport;
    KernelScope kernel;
    DeviceUnit unit(config);
    BadMemory bad("bad");
    FixedLatencyBank dram0("b0", {5, 5, config.period}), dram1("b1", {5, 5, config.period});
    unit.device.dram0.bind(dram0.socket);
    unit.device.dram1.bind(dram1.socket);
    unit.device.instructions.bind(bad.socket);
    bad.throws = true;
    unit.host.run = [](TestHost& host) { host.start(0, 64); };
    std::string text;
    try {
      sc_core::sc_start();
    } catch (const std::exception& error) {
      text = error.what();
    }
    EXPECT_NE(text.find("the memory is on fire"), std::string::npos) << text;
    kernel.end_threads();
  }
}

TEST(TcuDevice, TheStatusTellsThatMemoryRefusedAProgram) {
  const TcuDevice::Config config = device_config(small_machine());
  KernelScope kernel;
  DeviceUnit unit(config);
  BadMemory bad("bad");
  FixedLatencyBank dram0("b0", {5, 5, config.period}), dram1("b1", {5, 5, config.period});
  unit.device.dram0.bind(dram0.socket);
  unit.device.dram1.bind(dram1.socket);
  unit.device.instructions.bind(bad.socket);
  bool told = false;
  unit.host.run = [&](TestHost& host) {
    host.start(0, 64, tcu::dmacr_error_irq);
    host.wait_for_interrupt();
    EXPECT_EQ(host.read(DeviceRegister::mm2s_dmasr),
              tcu::dmasr_halted | tcu::dmasr_decode_error | tcu::dmasr_error);
    EXPECT_EQ(host.read(DeviceRegister::mm2s_dmacr) & tcu::dmacr_run, 0U);
    told = true;
  };
  sc_core::sc_start();
  EXPECT_TRUE(told);
  kernel.end_threads();
}

TEST(TcuDevice, AnUnboundSocketIsAnErrorThatNamesIt) {
  const TcuDevice::Config config = device_config(small_machine());
  KernelScope kernel;
  DeviceUnit unit(config);
  FixedLatencyBank dram0("b0", {5, 5, config.period}), dram1("b1", {5, 5, config.period});
  unit.device.dram0.bind(dram0.socket);
  unit.device.dram1.bind(dram1.socket);
  const std::string text = error_of([] { sc_core::sc_start(sc_core::SC_ZERO_TIME); });
  EXPECT_EQ(text,
            "tcu: socket instructions is bound to nothing; all sockets and ports of a TcuDevice "
            "have to be");
}

TEST(TcuDevice, AProgramLongerThanTheLengthRegisterIsAnError) {
  TcuDevice::Config config = device_config(small_machine());
  config.length_bits = 10;
  KernelScope kernel;
  BankedUnit unit(config, 5, 5);
  const std::string text =
      error_of([&] { (void)unit.device.stream(std::vector<std::uint8_t>(1032), "p.tprog"); });
  EXPECT_EQ(text,
            "p.tprog: a program of 1032 bytes for tcu; its MM2S_LENGTH has 10 bits: allowed "
            "1..1023");
}

TEST(TcuDevice, SamplesGoToMemory) {
  TcuSimulationConfig config = small_machine();
  config.sample_block_size = 50;
  config.sample_interval = 7;
  const auto program = copy_program(config.architecture, 0, 100, 16, 60);
  KernelScope kernel;
  BankedUnit unit(device_config(config), 20, 5);
  const auto stream = unit.device.stream(program, "program");
  unit.write(0, stream);
  bool done = false;
  unit.host.run = [&](TestHost& host) {
    host.write(DeviceRegister::s2mm_dmacr, tcu::dmacr_run | tcu::dmacr_complete_irq);
    host.write(DeviceRegister::s2mm_da, 0x100);
    EXPECT_EQ(host.write(DeviceRegister::s2mm_length, 4096), tlm::TLM_OK_RESPONSE);
    host.start(0, stream.size());
    host.write(DeviceRegister::control, 0);
    host.wait_for_interrupt();
    EXPECT_EQ(host.read(DeviceRegister::s2mm_dmasr), tcu::dmasr_idle | tcu::dmasr_complete);
    EXPECT_EQ(host.read(DeviceRegister::s2mm_length), 400U);
    done = true;
    sc_core::sc_stop();  // the sampler never ends
  };
  sc_core::sc_start();
  EXPECT_TRUE(done);
  const auto bytes = read(*unit.samples, 0x100, 400);
  std::uint32_t last = 0;
  for (unsigned i = 0; i < 50; ++i) {
    std::uint32_t counter = 0;
    std::memcpy(&counter, bytes.data() + 8 * i, sizeof counter);
    EXPECT_GE(counter, last);
    last = counter;
  }
  EXPECT_GT(last, 0U);
  kernel.end_threads();
}

}  // namespace
}  // namespace tactus
