// The platform's CPU, one core: it loads a compiled model, programs the DMA of a TCU, waits for the
// interrupt, prints the latency, and reads the outputs.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include <tlm_utils/simple_initiator_socket.h>
#include <systemc>
#include <tlm>

#include "firmware/driver/tcu/host.h"
#include "firmware/driver/tcu/model.h"
#include "isa/support/error.h"
#include "isa/tcu/device_registers.h"
#include "models/tcu/device/tcu_device.h"

/// Addresses on the bus.
struct HostMap {
  std::uint64_t registers;     ///< of the TCU
  std::uint64_t dram0, dram1;  ///< its banks
  std::uint64_t program;       ///< place for a program
};

class HostCpu final : public sc_core::sc_module {
 public:
  using SC_CURRENT_USER_MODULE = HostCpu;  // what SC_HAS_PROCESS defines before SystemC 3
  tlm_utils::simple_initiator_socket<HostCpu> bus{"bus"};
  sc_core::sc_in<bool> interrupt{"interrupt"};
  sc_core::sc_out<bool> reset{"reset"};

  HostCpu(const sc_core::sc_module_name& name, const tactus::Model& model,
          const tactus::TcuDevice& tcu, const HostMap& map)
      : sc_module(name), model_(model), tcu_(tcu), map_(map) {
    SC_THREAD(thread);
  }

 private:
  using DeviceRegister = tactus::tcu::DeviceRegister;

  void thread() {
    reset.write(false);
    const tactus::tcu::ModelFile& file = model_.file;
    const std::uint64_t vector = file.arch.vector_bytes();
    for (std::size_t i = 0; i < model_.constants.size(); ++i) {
      store(map_.dram1 + file.consts[i].base * vector, model_.constants[i]);
    }
    if (file.preloads()) {
      run(tactus::constants_to_local(model_, tactus::tcu::InstructionLayout(file.arch)));
    }
    for (const tactus::tcu::TensorEntry& input : file.inputs) {
      store(map_.dram0 + input.base * vector, std::vector<std::uint8_t>(input.size * vector, 1));
    }
    const std::uint64_t cycles = run(model_.program);
    const double microseconds =
        static_cast<double>(cycles) * tcu_.config().period.to_seconds() * 1e6;
    std::printf("%s: %llu cycles, %.1f us\n", file.name.c_str(),
                static_cast<unsigned long long>(cycles), microseconds);
    for (const tactus::tcu::TensorEntry& output : file.outputs) {
      const std::vector<std::uint8_t> bytes =
          load(map_.dram0 + output.base * vector, output.size * vector);
      std::printf("%s:", output.name.c_str());
      for (std::size_t i = 0; i < 8 && i < bytes.size(); ++i) std::printf(" %02x", bytes[i]);
      std::printf(" ...\n");
    }
  }

  /// Streams a program, waits for its end, and returns its cycles.
  std::uint64_t run(const std::vector<std::uint8_t>& program) {
    const std::vector<std::uint8_t> stream = tcu_.stream(program, model_.path);
    store(map_.program, stream);
    write(DeviceRegister::control, tactus::tcu::control_done_irq | tactus::tcu::control_error_irq);
    write(DeviceRegister::mm2s_dmacr, tactus::tcu::dmacr_run);
    write(DeviceRegister::mm2s_sa, static_cast<std::uint32_t>(map_.program));
    write(DeviceRegister::mm2s_length, static_cast<std::uint32_t>(stream.size()));
    while (!interrupt.read()) wait(interrupt.value_changed_event());  // a level, not an edge
    if ((read(DeviceRegister::status) & tactus::tcu::status_error) != 0) {
      SC_REPORT_ERROR("/platform/host", "the TCU reports that a memory has refused an access");
    }
    write(DeviceRegister::status, tactus::tcu::status_done);
    return read(DeviceRegister::latency) | std::uint64_t{read(DeviceRegister::latency_msb)} << 32;
  }

  void access(tlm::tlm_command command, DeviceRegister which, std::uint32_t& value) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(map_.registers + static_cast<std::uint64_t>(which));
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    payload.set_data_length(4);
    payload.set_streaming_width(4);
    sc_core::sc_time delay(50, sc_core::SC_NS);  // time that this CPU takes to access a register
    bus->b_transport(payload, delay);
    if (payload.is_response_error()) {
      tactus::user_error("register 0x{:x}: {}", static_cast<unsigned>(which),
                         payload.get_response_string());
    }
  }
  void write(DeviceRegister which, std::uint32_t value) {
    access(tlm::TLM_WRITE_COMMAND, which, value);
  }
  std::uint32_t read(DeviceRegister which) {
    std::uint32_t value = 0;
    access(tlm::TLM_READ_COMMAND, which, value);
    return value;
  }

  static void fill_in(tlm::tlm_generic_payload& payload, tlm::tlm_command command,
                      std::uint64_t address, std::vector<std::uint8_t>& bytes) {
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(bytes.data());
    payload.set_data_length(static_cast<unsigned>(bytes.size()));
    payload.set_streaming_width(static_cast<unsigned>(bytes.size()));
  }
  /// Writes memory as a loader does: no simulated time passes.
  void store(std::uint64_t address, std::vector<std::uint8_t> bytes) {
    tlm::tlm_generic_payload payload;
    fill_in(payload, tlm::TLM_WRITE_COMMAND, address, bytes);
    if (bus->transport_dbg(payload) != bytes.size()) {
      tactus::user_error("no memory holds {} bytes at 0x{:x}", bytes.size(), address);
    }
  }
  /// Reads memory as the CPU does, in the memory's time.
  std::vector<std::uint8_t> load(std::uint64_t address, std::size_t count) {
    std::vector<std::uint8_t> bytes(count);
    tlm::tlm_generic_payload payload;
    fill_in(payload, tlm::TLM_READ_COMMAND, address, bytes);
    sc_core::sc_time delay;
    bus->b_transport(payload, delay);
    wait(delay);
    if (payload.is_response_error()) {
      tactus::user_error("{} bytes at 0x{:x}: {}", count, address, payload.get_response_string());
    }
    return bytes;
  }

  const tactus::Model& model_;
  const tactus::TcuDevice& tcu_;
  const HostMap map_;
};
