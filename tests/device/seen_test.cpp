// What a platform sees of a TcuDevice: flags, registers and interrupt have one time, whoever looks
// and whatever the engine; failed accesses do not look like success.
#include <fstream>
#include <iterator>
#include <map>

#include <gtest/gtest.h>

#include "firmware/report/tcu/device_observer.h"
#include "isa/support/error.h"
#include "tests/device/platform.h"
#include "tests/support/error_of.h"
#include "tests/support/program.h"
#include "tests/support/test_scale.h"

namespace tactus {
namespace {

using sc_core::sc_time;

/// Copies vectors of DRAM0, with products between.
std::vector<std::uint8_t> copies(const tcu::Architecture& architecture, unsigned count = 3) {
  Program program(architecture);
  for (unsigned i = 0; i < count; ++i) {
    program.read_dram(0, 8, {0, 0}, {i, 0}).read_dram(1, 4, {16, 0}, {i, 0});
    program.load_weights(8).mat_mul(8).write_dram(0, 8, {0, 0}, {500 + i, 0});
  }
  return program.bytes();
}

/// A memory that has only b_transport, by far the most common one. It waits, or adds its latency to
/// the delay, and answers one of its accesses with an error.
struct BlockingMemory final : sc_core::sc_module {
  tlm_utils::simple_target_socket<BlockingMemory> socket{"socket"};
  sc_time latency;
  bool waits = false;
  unsigned refused = ~0U;  ///< number of the access that is refused, from 0 on
  tlm::tlm_response_status answer = tlm::TLM_GENERIC_ERROR_RESPONSE;
  unsigned accesses = 0;
  std::map<std::uint64_t, std::uint8_t> bytes;

  BlockingMemory(const sc_core::sc_module_name& name, sc_time time)
      : sc_module(name), latency(std::move(time)) {
    socket.register_b_transport(this, &BlockingMemory::b_transport);
    socket.register_transport_dbg(this, &BlockingMemory::transport_dbg);
  }
  unsigned transport_dbg(tlm::tlm_generic_payload& access) {
    for (unsigned i = 0; i < access.get_data_length(); ++i) {
      std::uint8_t& byte = bytes[access.get_address() + i];
      if (access.is_read()) access.get_data_ptr()[i] = byte;
      if (access.is_write()) byte = access.get_data_ptr()[i];
    }
    return access.get_data_length();
  }
  void b_transport(tlm::tlm_generic_payload& access, sc_time& delay) {
    if (accesses++ == refused) return access.set_response_status(answer);
    transport_dbg(access);
    access.set_response_status(tlm::TLM_OK_RESPONSE);
    if (waits) {
      wait(delay + latency);
      delay = sc_core::SC_ZERO_TIME;
    } else {
      delay += latency;
    }
  }
};

/// A device whose memories have only b_transport, with the latencies of 20 cycles for reads and
/// writes.
struct BlockingUnit : DeviceUnit {
  BlockingMemory dram0, dram1, programs;
  std::unique_ptr<BlockingMemory> samples;

  explicit BlockingUnit(const TcuDevice::Config& config)
      : DeviceUnit(config),
        dram0("dram0", config.period * 19),
        dram1("dram1", config.period * 19),
        programs("programs", config.period * 19) {
    device.dram0.bind(dram0.socket);
    device.dram1.bind(dram1.socket);
    device.instructions.bind(programs.socket);
    if (config.system.sample_block_size == 0) return;
    samples = std::make_unique<BlockingMemory>("samples", config.period * 19);
    device.samples().bind(samples->socket);
  }
  std::size_t store(const std::vector<std::uint8_t>& program, std::uint64_t address = 0) {
    const auto stream = device.stream(program, "program");
    for (std::size_t i = 0; i < stream.size(); ++i) programs.bytes[address + i] = stream[i];
    return stream.size();
  }
};

TcuDevice::Config blocking_config() {
  TcuDevice::Config config = device_config(small_machine());
  config.transport = Transport::blocking;
  return config;
}

/// Values of all registers but those of the present cycle.
std::vector<std::uint32_t> registers(TcuDevice& device) {
  std::vector<std::uint32_t> values;
  for (const tcu::DeviceRegisterInfo& info : tcu::device_registers) {
    const bool cycle =
        info.address == DeviceRegister::cycle || info.address == DeviceRegister::cycle_msb;
    if (!info.of_samples && !cycle) values.push_back(device.value(info.address));
  }
  return values;
}

// ---- failures -----------------------------------------------------------------------------------

struct Refusal {
  const char* memory;
  unsigned access;
  tlm::tlm_response_status answer;
};

/// After an error the program does not end with Done; the interrupt of the error comes, and after a
/// reset of a channel or of the device a program takes the cycles that it takes on a new device.
TEST(TcuDeviceSeen, AFailedTransferDoesNotLookLikeSuccess) {
  sc_core::sc_report_handler::set_actions(device_message_type, sc_core::SC_WARNING,
                                          sc_core::SC_DO_NOTHING);
  const auto program = copies(small_machine().architecture, 40);
  Cycle expected = 0;
  for (const Refusal& refusal : {Refusal{"none", 0, tlm::TLM_OK_RESPONSE},
                                 {"programs", 0, tlm::TLM_ADDRESS_ERROR_RESPONSE},
                                 {"programs", 2, tlm::TLM_GENERIC_ERROR_RESPONSE},
                                 {"programs", 1, tlm::TLM_INCOMPLETE_RESPONSE},
                                 {"dram0", 0, tlm::TLM_GENERIC_ERROR_RESPONSE},
                                 {"dram0", 7, tlm::TLM_INCOMPLETE_RESPONSE},
                                 {"dram1", 3, tlm::TLM_ADDRESS_ERROR_RESPONSE}}) {
    const bool fails = refusal.answer != tlm::TLM_OK_RESPONSE;
    for (const Engine engine : {Engine::step, Engine::fast, Engine::check}) {
      TcuDevice::Config config = blocking_config();
      config.system.engine = engine;
      config.system.check_every = 1;
      config.burst_bytes = 128;
      KernelScope kernel;
      BlockingUnit unit(config);
      const std::size_t size = unit.store(program);
      const std::string name = refusal.memory;
      BlockingMemory& memory = name == "dram0"   ? unit.dram0
                               : name == "dram1" ? unit.dram1
                                                 : unit.programs;
      if (fails) {
        memory.refused = refusal.access;
        memory.answer = refusal.answer;
      }
      bool done = false;
      unit.host.run = [&](TestHost& host) {
        host.start(0, size);
        host.write(DeviceRegister::control, tcu::control_done_irq | tcu::control_error_irq);
        host.wait_for_interrupt();
        host.pass(sc_time(1, sc_core::SC_MS));
        const std::uint32_t status = host.read(DeviceRegister::status);
        EXPECT_EQ((status & tcu::status_error) != 0, fails) << refusal.memory;
        EXPECT_EQ((status & tcu::status_done) != 0, !fails) << refusal.memory;
        if (!fails) {
          expected = host.read(DeviceRegister::latency);
        } else {
          EXPECT_EQ(host.read(DeviceRegister::latency), 0U);
          host.write(DeviceRegister::status, ~0U);
          EXPECT_EQ(host.read(DeviceRegister::status) & tcu::status_error, tcu::status_error);
          host.write(DeviceRegister::control, tcu::control_reset);
          host.pass(sc_time(1, sc_core::SC_MS));
        }
        EXPECT_EQ(host.read(DeviceRegister::status) & tcu::status_error, 0U);
        host.write(DeviceRegister::status, tcu::status_done);
        host.pass(sc_time(1, sc_core::SC_US));
        host.start(0, size);
        host.wait_for_interrupt();
        EXPECT_EQ(host.read(DeviceRegister::status), tcu::status_done | tcu::status_idle);
        EXPECT_EQ(host.read(DeviceRegister::latency), expected) << refusal.memory;
        done = true;
      };
      sc_core::sc_start();
      EXPECT_TRUE(done) << refusal.memory << ' ' << refusal.access;
      kernel.end_threads();
    }
  }
  sc_core::sc_report_handler::set_actions(device_message_type, sc_core::SC_WARNING,
                                          sc_core::SC_DEFAULT_WARNING_ACTIONS);
}

// ---- interrupts ---------------------------------------------------------------------------------

/// A host that clears, masks and enables at any instants, in any order, loses no interrupt: after
/// it has looked, it waits for the level with the interrupt enabled, and Done is there.
TEST(TcuDeviceSeen, NoInterruptIsLost) {
  const auto program = copies(small_machine().architecture, 1);
  for (const std::uint64_t seed : test_seeds(46'800'000, 6)) {
    Random random(seed);
    TcuDevice::Config config = device_config(small_machine());
    config.system.engine = random.pick({Engine::step, Engine::fast});
    config.trusts_dmi = random.chance(50);
    KernelScope kernel;
    BankedUnit unit(config, 20, 5);
    const auto stream = unit.device.stream(program, "program");
    unit.write(0, stream);
    unsigned runs = 0;
    const sc_time tenth = config.period / 10;
    unit.host.run = [&](TestHost& host) {
      host.start(0, stream.size());
      const sc_time begin = sc_core::sc_time_stamp();
      host.wait_for_interrupt();
      const sc_time length = sc_core::sc_time_stamp() - begin;
      for (; runs < 40; ++runs) {
        host.write(DeviceRegister::status, tcu::status_done);
        const std::uint64_t past = sc_core::sc_time_stamp().value() % config.period.value();
        host.pass(config.period * 4 - sc_time::from_value(past));
        host.start(0, stream.size());
        host.pass(length - tenth * static_cast<double>(runs % 20 + 1));
        // A write that clears Done before it is set does not clear what is still to come.
        bool seen = false;
        for (std::uint64_t i = random.range(1, 12); i > 0 && !seen; --i) {
          switch (random.below(4)) {
            case 0:
              seen = (host.read(DeviceRegister::status) & tcu::status_done) != 0;
              break;
            case 1:
              if ((host.read(DeviceRegister::status) & tcu::status_done) == 0) {
                host.write(DeviceRegister::status, tcu::status_done);
              }
              break;
            case 2:
              host.write(DeviceRegister::control, 0);
              break;
            default:
              host.write(DeviceRegister::control, tcu::control_done_irq);
          }
          host.pass(random.chance(30) ? sc_core::SC_ZERO_TIME : tenth);
          if (host.interrupt.read()) break;
        }
        host.write(DeviceRegister::control, tcu::control_done_irq);
        host.wait_for_interrupt();
        EXPECT_EQ(host.read(DeviceRegister::status), tcu::status_done | tcu::status_idle);
      }
    };
    sc_core::sc_start();
    EXPECT_EQ(runs, 40U) << "seed " << seed;
    kernel.end_threads();
  }
}

/// Done, the latency and the interrupt appear at the same time, whether the host polls in steps of
/// any size or waits, and so does the end of a block of samples.
TEST(TcuDeviceSeen, FlagsHaveOneTimeWhoeverLooks) {
  TcuSimulationConfig machine = small_machine();
  machine.sample_block_size = 50;
  machine.sample_interval = 7;
  const auto program = copies(machine.architecture, 40);
  struct Times {
    sc_time samples, done;
    std::uint32_t latency = 0, bytes = 0;
    bool operator==(const Times& o) const {
      return samples == o.samples && done == o.done && latency == o.latency && bytes == o.bytes;
    }
  };
  std::optional<Times> first;
  for (const Engine engine : {Engine::step, Engine::fast}) {
    for (const bool trusts : {false, true}) {
      for (const unsigned poll_ns : {0U, 10U, 137U}) {
        for (const unsigned slice_ns : {0U, 333U}) {
          machine.engine = engine;
          TcuDevice::Config config = device_config(machine);
          config.trusts_dmi = trusts;
          KernelScope kernel;
          BankedUnit unit(config, 20, 5);
          const auto stream = unit.device.stream(program, "program");
          unit.write(0, stream);
          Times times;
          bool over = false;
          unit.host.run = [&](TestHost& host) {
            host.write(DeviceRegister::s2mm_dmacr, tcu::dmacr_run | tcu::dmacr_complete_irq);
            host.write(DeviceRegister::s2mm_da, 0x100);
            host.write(DeviceRegister::s2mm_length, 4096);
            host.start(0, stream.size());
            host.write(DeviceRegister::control, 0);
            const auto await = [&](DeviceRegister which, std::uint32_t flag) {
              while (!host.interrupt.read()) {
                if ((host.read(which) & flag) != 0) {
                  host.pass(sc_core::SC_ZERO_TIME);
                  EXPECT_TRUE(host.interrupt.read()) << "a flag before its interrupt";
                  continue;
                }
                if (poll_ns == 0) {
                  host.wait_for_interrupt();
                } else {
                  host.pass_or_interrupt(sc_time(poll_ns, sc_core::SC_NS));
                }
              }
              EXPECT_EQ(host.read(which) & flag, flag);
              return sc_core::sc_time_stamp();
            };
            times.samples = await(DeviceRegister::s2mm_dmasr, tcu::dmasr_complete);
            times.bytes = host.read(DeviceRegister::s2mm_length);
            host.write(DeviceRegister::s2mm_dmasr, tcu::dmasr_complete);
            host.write(DeviceRegister::control, tcu::control_done_irq);
            host.pass(sc_time(1, sc_core::SC_NS));
            times.done = await(DeviceRegister::status, tcu::status_done);
            times.latency = host.read(DeviceRegister::latency);
            over = true;
            sc_core::sc_stop();  // the sampler never ends
          };
          while (!over) {
            if (slice_ns == 0) {
              sc_core::sc_start();
            } else {
              sc_core::sc_start(sc_time(slice_ns, sc_core::SC_NS));
            }
          }
          if (!first) first = times;
          EXPECT_TRUE(times == *first)
              << "engine " << static_cast<int>(engine) << " dmi " << trusts << " polls " << poll_ns
              << " slices " << slice_ns << ": samples " << times.samples << ", done " << times.done
              << "; first " << first->samples << ", " << first->done;
          kernel.end_threads();
        }
      }
    }
  }
}

/// Every register has the same value after each run of a program, with every engine.
TEST(TcuDeviceSeen, FiveRunsLeaveTheSameRegisters) {
  const auto program = copies(small_machine().architecture, 60);
  std::vector<std::vector<std::uint32_t>> expected;
  for (const Engine engine : {Engine::step, Engine::fast, Engine::check}) {
    for (const bool trusts : {false, true}) {
      TcuDevice::Config config = device_config(small_machine());
      config.system.engine = engine;
      config.system.check_every = 1;
      config.trusts_dmi = trusts;
      KernelScope kernel;
      BankedUnit unit(config, 20, 5);
      const auto stream = unit.device.stream(program, "program");
      unit.write(0, stream);
      std::vector<std::vector<std::uint32_t>> found;
      unit.host.run = [&](TestHost& host) {
        for (unsigned i = 0; i < 5; ++i) {
          host.start(0, stream.size());
          host.wait_for_interrupt();
          found.push_back(registers(unit.device));
          host.write(DeviceRegister::status, tcu::status_done);
          host.pass(sc_time(1, sc_core::SC_US));
        }
        host.write(DeviceRegister::control, tcu::control_reset);
        host.pass(sc_time(1, sc_core::SC_US));
        found.push_back(registers(unit.device));
      };
      sc_core::sc_start();
      ASSERT_EQ(found.size(), 6U);
      if (expected.empty()) expected = found;
      EXPECT_EQ(found, expected) << "engine " << static_cast<int>(engine) << ' ' << trusts;
      kernel.end_threads();
    }
  }
}

// ---- memories and addresses ---------------------------------------------------------------------

/// A memory with b_transport alone gives the cycles of a run, whether it waits or adds to the
/// delay.
TEST(TcuDeviceSeen, AMemoryThatWaitsGivesTheCyclesOfOneThatDoesNot) {
  TcuSimulationConfig machine = small_machine();
  machine.write_latency = machine.read_latency = 20;
  const auto program = copies(machine.architecture, 20);
  TcuSimulation alone(machine);
  const Cycle cycles = alone.run(program).cycles;
  for (const Engine engine : {Engine::step, Engine::fast}) {
    for (const bool waits : {false, true}) {
      TcuDevice::Config config = blocking_config();
      config.system.engine = engine;
      KernelScope kernel;
      BlockingUnit unit(config);
      for (BlockingMemory* memory : {&unit.dram0, &unit.dram1, &unit.programs}) {
        memory->waits = waits;
      }
      const std::size_t size = unit.store(program);
      Cycle found = 0;
      unit.host.run = [&](TestHost& host) {
        host.start(0, size);
        host.wait_for_interrupt();
        found = host.read(DeviceRegister::latency);
      };
      sc_core::sc_start();
      EXPECT_EQ(found, cycles) << waits;
      kernel.end_threads();
    }
  }
}

/// A program may lie anywhere in 64 bits of addresses; a transfer beyond 2^64 is refused.
TEST(TcuDeviceSeen, ProgramsLieAnywhereInTheAddressSpace) {
  const auto program = copies(small_machine().architecture, 1);
  Random random(46'900'000);
  TcuDevice::Config config = blocking_config();
  config.system.sample_block_size = 4;
  KernelScope kernel;
  BlockingUnit unit(config);
  const std::size_t size = unit.store(program);
  const std::uint64_t word = config.system.axi_data_bits / 8;
  unsigned runs = 0;
  unit.host.run = [&](TestHost& host) {
    std::uint32_t cycles = 0;
    for (unsigned i = 0; i < 40; ++i) {
      const std::uint64_t from_end = random.below(4) * size / 2 / word * word;
      std::uint64_t address =
          i % 2 == 0 ? 0 - from_end : random.below(1ULL << 62) << random.below(3);
      address -= address % word;
      const bool fits = address == 0 || size <= 0 - address;
      unit.programs.bytes.clear();
      if (fits) (void)unit.store(program, address);
      host.write(DeviceRegister::control, tcu::control_done_irq);
      host.write(DeviceRegister::mm2s_dmacr, tcu::dmacr_run);
      host.write(DeviceRegister::mm2s_sa, static_cast<std::uint32_t>(address));
      host.write(DeviceRegister::mm2s_sa_msb, static_cast<std::uint32_t>(address >> 32));
      const auto answer = host.write(DeviceRegister::mm2s_length, static_cast<std::uint32_t>(size));
      EXPECT_EQ(answer == tlm::TLM_OK_RESPONSE, fits) << std::hex << address;
      host.write(DeviceRegister::s2mm_dmacr, tcu::dmacr_run);
      host.write(DeviceRegister::s2mm_da, ~7U);
      host.write(DeviceRegister::s2mm_da_msb, ~0U);
      EXPECT_EQ(host.write(DeviceRegister::s2mm_length, 16), tlm::TLM_GENERIC_ERROR_RESPONSE);
      if (!fits) continue;
      host.wait_for_interrupt();
      if (cycles == 0) cycles = host.read(DeviceRegister::latency);
      EXPECT_EQ(host.read(DeviceRegister::latency), cycles) << std::hex << address;
      host.write(DeviceRegister::status, tcu::status_done);
      host.pass(sc_time(1, sc_core::SC_US));
      ++runs;
    }
  };
  sc_core::sc_start();
  EXPECT_GT(runs, 15U);
  kernel.end_threads();
}

/// A bank of 4 GB refuses what it does not have.
TEST(TcuDeviceSeen, ABankHasFourGigabytes) {
  KernelScope kernel;
  FixedLatencyBank bank("bank", {1, 1, sc_time(10, sc_core::SC_NS)});
  TestHost host("host");
  sc_core::sc_signal<bool> a, b;
  host.interrupt(a);
  host.reset(b);
  host.socket.bind(bank.socket);
  bool done = false;
  host.run = [&](TestHost& cpu) {
    for (const auto& [address, status] : std::map<std::uint64_t, tlm::tlm_response_status>{
             {0xFFFFFFFC, tlm::TLM_OK_RESPONSE},
             {0xFFFFFFFD, tlm::TLM_ADDRESS_ERROR_RESPONSE},
             {0x100000000, tlm::TLM_ADDRESS_ERROR_RESPONSE},
             {0x4000000000000000, tlm::TLM_ADDRESS_ERROR_RESPONSE},
             {~std::uint64_t{0}, tlm::TLM_ADDRESS_ERROR_RESPONSE}}) {
      std::uint32_t value = 0;
      EXPECT_EQ(cpu.access(tlm::TLM_WRITE_COMMAND, address, value), status) << std::hex << address;
    }
    done = true;
  };
  sc_core::sc_start();
  EXPECT_TRUE(done);
  kernel.end_threads();
}

// ---- time resolution ----------------------------------------------------------------------------

/// Latency, statistics and the time scale of the waveform are those of the clock.
TEST(TcuDeviceSeen, EveryTimeResolutionGivesTheSameFigures) {
  const auto program = copies(small_machine().architecture, 2);
  TcuSimulation alone(small_machine());
  const Cycle cycles = alone.run(program).cycles;
  struct Resolution {
    double value;
    sc_core::sc_time_unit unit;
  };
  for (const Resolution& resolution :
       {Resolution{1, sc_core::SC_FS}, Resolution{1, sc_core::SC_PS},
        Resolution{10, sc_core::SC_PS}, Resolution{1, sc_core::SC_NS}}) {
    KernelScope kernel;
    sc_core::sc_set_time_resolution(resolution.value, resolution.unit);
    TcuDevice::Config config = device_config(small_machine());
    config.period = sc_time(10, sc_core::SC_NS);
    BankedUnit unit(config, 20, 5);
    const auto stream = unit.device.stream(program, "program");
    unit.write(0, stream);
    const std::string vcd = testing::TempDir() + "/resolution.vcd";
    DeviceObserver observer(unit.device);
    observer.trace(vcd);
    Cycle found = 0;
    unit.host.run = [&](TestHost& host) {
      host.start(0, stream.size());
      host.wait_for_interrupt();
      found = host.read(DeviceRegister::latency);
    };
    sc_core::sc_start();
    observer.finish();
    EXPECT_EQ(found, cycles);
    EXPECT_NE(observer.statistics(0).find("\"clock_mhz\": 100.0"), std::string::npos);
    std::ifstream file(vcd);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    EXPECT_NE(text.find("$timescale 1 ns $end"), std::string::npos);
    kernel.end_threads();
  }
}

TEST(TcuDeviceSeen, APeriodThatTheResolutionCannotHoldIsAnError) {
  KernelScope kernel;
  sc_core::sc_set_time_resolution(1, sc_core::SC_NS);
  TcuDevice::Config config = device_config(small_machine());
  config.period = sc_time(1, sc_core::SC_NS);
  EXPECT_EQ(error_of([&] { const TcuDevice device("tcu", config); }),
            "tcu: a clock period of 1 ns at a time resolution of 1 ns; allowed 2 ns or more");
}

// ---- reset --------------------------------------------------------------------------------------

TEST(TcuDeviceSeen, AResetGivesAllRegistersTheirResetValues) {
  const auto program = copies(small_machine().architecture, 4);
  TcuDevice::Config config = device_config(small_machine());
  config.system.sample_block_size = 4;
  KernelScope kernel;
  BankedUnit unit(config, 20, 5);
  const auto stream = unit.device.stream(program, "program");
  unit.write(0, stream);
  bool done = false;
  unit.host.run = [&](TestHost& host) {
    host.start(0, stream.size(), tcu::dmacr_complete_irq);
    host.pass(sc_time(20, sc_core::SC_US));
    EXPECT_GT(host.read(DeviceRegister::retired), 0U);
    host.reset.write(true);
    host.pass(sc_time(1, sc_core::SC_US));
    EXPECT_EQ(host.read(DeviceRegister::status), tcu::status_resetting);
    EXPECT_EQ(host.write(DeviceRegister::mm2s_sa, 0), tlm::TLM_GENERIC_ERROR_RESPONSE);
    host.reset.write(false);
    host.pass(config.period);
    for (const tcu::DeviceRegisterInfo& info : tcu::device_registers) {
      if (info.address == DeviceRegister::cycle) continue;
      EXPECT_EQ(host.read(info.address), info.reset) << info.name;
    }
    EXPECT_FALSE(host.interrupt.read());
    done = true;
  };
  sc_core::sc_start();
  EXPECT_TRUE(done);
  kernel.end_threads();
}

// ---- errors and observers -----------------------------------------------------------------------

/// An exception of the platform or sc_stop() leaves a waveform and a timeline.
TEST(TcuDeviceSeen, AnEndInTheMiddleLeavesTheFilesOfAnObserver) {
  const auto program = copies(small_machine().architecture, 60);
  for (const bool stops : {false, true}) {
    const std::string vcd = testing::TempDir() + "/middle.vcd";
    const std::string json = testing::TempDir() + "/middle.json";
    std::remove(vcd.c_str());
    std::remove(json.c_str());
    KernelScope kernel;
    BankedUnit unit(device_config(small_machine()), 20, 5);
    const auto stream = unit.device.stream(program, "program");
    unit.write(0, stream);
    {
      DeviceObserver observer(unit.device);
      observer.trace(vcd);
      observer.timeline(json);
      unit.host.run = [&](TestHost& host) {
        host.start(0, stream.size());
        host.pass(sc_time(12, sc_core::SC_US));
        if (!stops) throw std::runtime_error("the platform objects");
        sc_core::sc_stop();
      };
      EXPECT_EQ(error_of([&] { (void)observer.statistics(0); }),
                "tcu: statistics of program 0; ended so far: 0");
      try {
        sc_core::sc_start();
      } catch (const std::exception& error) {
        EXPECT_NE(std::string(error.what()).find("the platform objects"), std::string::npos);
      }
      if (stops) {
        observer.finish();
        observer.finish();
      }
    }
    for (const std::string& path : {vcd, json}) {
      std::ifstream file(path);
      const std::string text{std::istreambuf_iterator<char>(file), {}};
      EXPECT_GT(text.size(), 1000U) << path << ' ' << stops;
    }
    kernel.end_threads();
  }
}

/// Collects SystemC's reports, as "type: message", while it exists.
class Reports {
 public:
  Reports() {
    collected().clear();
    sc_core::sc_report_handler::set_handler(
        [](const sc_core::sc_report& report, const sc_core::sc_actions& /*actions*/) {
          collected().push_back(std::string(report.get_msg_type()) + ": " + report.get_msg());
        });
  }
  ~Reports() { sc_core::sc_report_handler::set_handler(nullptr); }
  Reports(const Reports&) = delete;
  Reports& operator=(const Reports&) = delete;

  [[nodiscard]] const std::vector<std::string>& texts() const { return collected(); }

 private:
  static std::vector<std::string>& collected() {
    static std::vector<std::string> texts;
    return texts;
  }
};

/// Warnings of refused accesses have a message type and name the address on the bus.
TEST(TcuDeviceSeen, AWarningNamesTheRefusedAccess) {
  const Reports reports;
  KernelScope kernel;
  TcuDevice::Config config = blocking_config();
  config.dram_base = {0x1000, 0x500000000};
  BlockingUnit unit(config);
  const std::size_t size = unit.store(copies(small_machine().architecture, 2), 0x123450000);
  unit.dram1.refused = 1;
  unit.host.run = [&](TestHost& host) {
    host.write(DeviceRegister::mm2s_sa_msb, 1);
    host.start(0x23450000, size);
  };
  sc_core::sc_start();
  ASSERT_EQ(reports.texts().size(), 1U);
  EXPECT_EQ(reports.texts().front(),
            "/tactus/tcu_device: tcu: dram1: the memory answered a read of 64 bytes at address "
            "0x500000010 with TLM_GENERIC_ERROR_RESPONSE");
  kernel.end_threads();
}

TEST(TcuDeviceSeen, ABankBeginsAtAPageAndEndsInTheAddressSpace) {
  for (const std::uint64_t base : {0x800ULL, 0xffffffff00001000ULL}) {
    TcuDevice::Config config = blocking_config();
    config.dram_base[1] = base;
    KernelScope kernel;
    EXPECT_EQ(error_of([&] { const TcuDevice device("tcu", config); }),
              fmt::format("tcu: bank dram1 at address 0x{:x}; allowed multiples of 4096 up to "
                          "0xffffffff00000000",
                          base));
  }
}

/// With the non-blocking transport the adapter of a memory that has only b_transport lets one
/// request be under way, which the device says once. The cost depends on the program: 1 % where
/// each DataMove is one burst, since it waits for all of its data anyway, and 2.3 times the cycles
/// where each vector is a burst of its own, as with a stride.
TEST(TcuDeviceSeen, AMemoryThatTakesOneRequestAtATimeIsReported) {
  struct Case {
    unsigned stride;
    Cycle blocking, serial;
  };
  for (const Case& expected : {Case{0, 8200, 8284}, {1, 14600, 33400}}) {
    Program program(small_machine().architecture);
    for (unsigned i = 0; i < 100; ++i) {
      program.read_dram(0, 8, {0, 0}, {i, expected.stride});
      program.write_dram(0, 8, {0, 0}, {500 + i, expected.stride});
    }
    for (const Transport transport : {Transport::blocking, Transport::non_blocking}) {
      const bool is_serial = transport == Transport::non_blocking;
      const Reports reports;
      KernelScope kernel;
      TcuDevice::Config config = blocking_config();
      config.transport = transport;
      BlockingUnit unit(config);
      const std::size_t size = unit.store(program.bytes());
      Cycle cycles = 0;
      unit.host.run = [&](TestHost& host) {
        host.start(0, size);
        host.wait_for_interrupt();
        cycles = host.read(DeviceRegister::latency);
      };
      sc_core::sc_start();
      EXPECT_EQ(cycles, is_serial ? expected.serial : expected.blocking);
      ASSERT_EQ(reports.texts().size(), is_serial ? 1U : 0U);
      if (is_serial) {
        EXPECT_EQ(
            reports.texts().front(),
            "/tactus/tcu_device: tcu: dram0: the memory accepts a request only with the answer "
            "to the one before, which costs cycles; with Transport::blocking several are "
            "under way");
      }
      kernel.end_threads();
    }
  }
}

}  // namespace
}  // namespace tactus
