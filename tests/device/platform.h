// A small SystemC design of a user around TcuDevices: a host thread, memories, signals.
#pragma once

#include <cstring>
#include <functional>
#include <memory>
#include <vector>

#include <tlm_utils/simple_initiator_socket.h>
#include <systemc>
#include <tlm>

#include "firmware/driver/tcu/simulation.h"
#include "models/dram/fixed_latency_bank.h"
#include "models/sim/kernel_scope.h"
#include "models/tcu/device/tcu_device.h"
#include "tests/support/random_program.h"

namespace tactus {

using tcu::DeviceRegister;

/// A CPU: a thread that runs a function, and a socket to a device's registers.
class TestHost final : public sc_core::sc_module {
 public:
  using SC_CURRENT_USER_MODULE = TestHost;  // what SC_HAS_PROCESS defines before SystemC 3
  tlm_utils::simple_initiator_socket<TestHost> socket{"socket"};
  sc_core::sc_in<bool> interrupt{"interrupt"};
  sc_core::sc_out<bool> reset{"reset"};
  std::function<void(TestHost&)> run;

  explicit TestHost(const sc_core::sc_module_name& name) : sc_module(name) { SC_THREAD(thread); }

  tlm::tlm_response_status access(tlm::tlm_command command, std::uint64_t address,
                                  std::uint32_t& value, unsigned bytes = 4,
                                  sc_core::sc_time delay = sc_core::SC_ZERO_TIME) {
    return access_bytes(command, address, &value, bytes, nullptr, delay);
  }
  /// An access of `bytes` bytes at `data`; `enables`: as many byte enables, or null.
  tlm::tlm_response_status access_bytes(tlm::tlm_command command, std::uint64_t address, void* data,
                                        unsigned bytes, void* enables = nullptr,
                                        sc_core::sc_time delay = sc_core::SC_ZERO_TIME) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(static_cast<unsigned char*>(data));
    payload.set_data_length(bytes);
    payload.set_streaming_width(bytes);
    payload.set_byte_enable_ptr(static_cast<unsigned char*>(enables));
    payload.set_byte_enable_length(enables == nullptr ? 0 : bytes);
    socket->b_transport(payload, delay);
    return payload.get_response_status();
  }
  tlm::tlm_response_status write(DeviceRegister which, std::uint32_t value) {
    return access(tlm::TLM_WRITE_COMMAND, static_cast<std::uint64_t>(which), value);
  }
  std::uint32_t read(DeviceRegister which) {
    std::uint32_t value = 0;
    if (access(tlm::TLM_READ_COMMAND, static_cast<std::uint64_t>(which), value) !=
        tlm::TLM_OK_RESPONSE) {
      throw std::runtime_error("a register cannot be read");
    }
    return value;
  }
  /// Starts a program as a driver does. `enables` is the set of enabled interrupts of the DMA.
  void start(std::uint64_t address, std::size_t bytes, std::uint32_t enables = 0) {
    write(DeviceRegister::control, tcu::control_done_irq);
    write(DeviceRegister::mm2s_dmacr, tcu::dmacr_run | enables);
    write(DeviceRegister::mm2s_sa, static_cast<std::uint32_t>(address));
    write(DeviceRegister::mm2s_length, static_cast<std::uint32_t>(bytes));
  }
  void wait_for_interrupt() {
    while (!interrupt.read()) wait(interrupt.value_changed_event());
  }
  void pass(const sc_core::sc_time& time) { wait(time); }
  /// Waits for the interrupt to change, at most this time.
  void pass_or_interrupt(const sc_core::sc_time& time) {
    wait(time, interrupt.value_changed_event());
  }

 private:
  void thread() {
    if (run) run(*this);
  }
};

/// Returns the configuration of a device that is the same machine as a TcuSimulation.
inline TcuDevice::Config device_config(const TcuSimulationConfig& config) {
  TcuDevice::Config device;
  device.system.tcu = {config.architecture, config.rounding, config.decoder_timeout};
  device.system.axi_data_bits = config.axi_data_bits;
  device.system.engine = config.engine;
  device.system.stalls = config.stalls;
  device.system.sample_block_size = config.sample_block_size;
  device.system.sample_interval = config.sample_interval;
  device.period = clock_period(config.clock_mhz);
  device.transport = config.transport;
  return device;
}

/// An array of 8, small memories, fixed latencies.
inline TcuSimulationConfig small_machine() {
  TcuSimulationConfig config;
  config.architecture.array_size = 8;
  config.architecture.dram0_depth = config.architecture.dram1_depth = 1024;
  config.architecture.local_depth = config.architecture.accumulator_depth = 256;
  config.read_latency = 20;
  config.write_latency = 5;
  return config;
}

/// One device with a host. The caller binds the memories.
struct DeviceUnit {
  TcuDevice device;
  TestHost host;
  sc_core::sc_signal<bool> interrupt, reset;

  explicit DeviceUnit(const TcuDevice::Config& config, const std::string& name = "tcu")
      : device(name.c_str(), config),
        host((name + "_host").c_str()),
        interrupt((name + "_interrupt").c_str()),
        reset((name + "_reset").c_str()) {
    host.socket.bind(device.registers);
    device.interrupt(interrupt);
    device.reset(reset);
    host.interrupt(interrupt);
    host.reset(reset);
  }
};

/// A DeviceUnit with a bank of fixed latency at each port.
struct BankedUnit : DeviceUnit {
  FixedLatencyBank::Config latencies;
  FixedLatencyBank dram0, dram1, programs;
  std::unique_ptr<FixedLatencyBank> samples;

  /// Latencies are counted in cycles of `period`; 0: the device's.
  BankedUnit(const TcuDevice::Config& config, std::uint64_t read_latency,
             std::uint64_t write_latency, const std::string& name = "tcu",
             const sc_core::sc_time& period = sc_core::SC_ZERO_TIME)
      : DeviceUnit(config, name),
        latencies{read_latency, write_latency,
                  period == sc_core::SC_ZERO_TIME ? device.config().period : period},
        dram0((name + "_bank0").c_str(), latencies),
        dram1((name + "_bank1").c_str(), latencies),
        programs((name + "_programs").c_str(), latencies) {
    device.dram0.bind(dram0.socket);
    device.dram1.bind(dram1.socket);
    device.instructions.bind(programs.socket);
    if (config.system.sample_block_size == 0) return;
    samples = std::make_unique<FixedLatencyBank>((name + "_samples").c_str(), latencies);
    device.samples().bind(samples->socket);
  }
  FixedLatencyBank& bank(unsigned port) { return port == 0 ? dram0 : dram1; }
  void write(std::uint64_t address, const std::vector<std::uint8_t>& program) {
    programs.memory().write(static_cast<std::uint32_t>(address), program.data(), program.size());
  }
  /// Address in its bank of a part of a program's data.
  [[nodiscard]] std::uint32_t place(const RandomProgram::Window& w) const {
    return static_cast<std::uint32_t>(device.config().dram_base[w.port] + w.address);
  }
  void load(const RandomProgram& program) {
    for (const RandomProgram::Window& w : program.windows) {
      bank(w.port).memory().write(place(w), w.bytes.data(), w.bytes.size());
    }
  }
};

}  // namespace tactus
