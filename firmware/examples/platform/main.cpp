// A platform with a TCU in it: a host thread, a bus, one DDR memory, the TCU's registers and its
// interrupt. The host loads a compiled model, programs the DMA, waits for the interrupt, reads the
// outputs and prints the latency. The waveform has the TCU's signals and two of the platform's, up
// to cycle 20000.
//
//   platform MODEL.tmodel [WAVEFORM.vcd [STATISTICS.json]]
#include <cstdio>
#include <exception>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include <tlm_utils/simple_initiator_socket.h>
#include <systemc>
#include <tlm>

#include "bus.h"
#include "firmware/driver/tcu/host.h"
#include "firmware/driver/tcu/model.h"
#include "firmware/report/tcu/device_observer.h"
#include "isa/support/error.h"
#include "isa/tcu/device_registers.h"
#include "models/dram/fixed_latency_bank.h"
#include "models/tcu/device/tcu_device.h"

namespace {

using tactus::tcu::DeviceRegister;

// The address map of the bus.
constexpr std::uint64_t ddr_base = 0x00000000, ddr_size = 0x40000000;
constexpr std::uint64_t tcu_base = 0x40400000;
constexpr std::uint64_t dram0_base = 0x10000000, dram1_base = 0x20000000;
constexpr std::uint64_t program_base = 0x30000000;

class HostCpu final : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(HostCpu);
  tlm_utils::simple_initiator_socket<HostCpu> bus{"bus"};
  sc_core::sc_in<bool> interrupt{"interrupt"};
  sc_core::sc_out<bool> reset{"reset"};

  HostCpu(const sc_core::sc_module_name& name, const tactus::Model& model,
          const tactus::TcuDevice& tcu)
      : sc_module(name), model_(model), tcu_(tcu) {
    SC_THREAD(thread);
  }

 private:
  void thread() {
    reset.write(false);
    const tactus::tcu::ModelFile& file = model_.file;
    const std::uint64_t vector = file.arch.vector_bytes();
    for (std::size_t i = 0; i < model_.constants.size(); ++i) {
      store(dram1_base + file.consts[i].base * vector, model_.constants[i]);
    }
    if (file.preloads()) {
      run(tactus::constants_to_local(model_, tactus::tcu::InstructionLayout(file.arch)));
    }
    for (const tactus::tcu::TensorEntry& input : file.inputs) {
      store(dram0_base + input.base * vector, std::vector<std::uint8_t>(input.size * vector, 1));
    }
    const std::uint64_t cycles = run(model_.program);
    const double microseconds =
        static_cast<double>(cycles) * tcu_.config().period.to_seconds() * 1e6;
    std::printf("%s: %llu cycles, %.1f us\n", file.name.c_str(),
                static_cast<unsigned long long>(cycles), microseconds);
    for (const tactus::tcu::TensorEntry& output : file.outputs) {
      const std::vector<std::uint8_t> bytes =
          load(dram0_base + output.base * vector, output.size * vector);
      std::printf("%s:", output.name.c_str());
      for (std::size_t i = 0; i < 8 && i < bytes.size(); ++i) std::printf(" %02x", bytes[i]);
      std::printf(" ...\n");
    }
  }

  /// Streams a program, waits for its end, and returns its cycles.
  std::uint64_t run(const std::vector<std::uint8_t>& program) {
    const std::vector<std::uint8_t> stream = tcu_.stream(program, model_.path);
    store(program_base, stream);
    write(DeviceRegister::control, tactus::tcu::control_done_irq | tactus::tcu::control_error_irq);
    write(DeviceRegister::mm2s_dmacr, tactus::tcu::dmacr_run);
    write(DeviceRegister::mm2s_sa, program_base);
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
    payload.set_address(tcu_base + static_cast<std::uint64_t>(which));
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

  /// Reads or writes memory as a loader does: no simulated time passes.
  void debug(tlm::tlm_command command, std::uint64_t address, std::uint8_t* bytes,
             std::size_t count) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(bytes);
    payload.set_data_length(static_cast<unsigned>(count));
    payload.set_streaming_width(static_cast<unsigned>(count));
    if (bus->transport_dbg(payload) != count) {
      tactus::user_error("no memory holds {} bytes at 0x{:x}", count, address);
    }
  }
  void store(std::uint64_t address, std::vector<std::uint8_t> bytes) {
    debug(tlm::TLM_WRITE_COMMAND, address, bytes.data(), bytes.size());
  }
  std::vector<std::uint8_t> load(std::uint64_t address, std::size_t count) {
    std::vector<std::uint8_t> bytes(count);
    debug(tlm::TLM_READ_COMMAND, address, bytes.data(), count);
    return bytes;
  }

  const tactus::Model& model_;
  const tactus::TcuDevice& tcu_;
};

void simulate(const std::string& path, const std::optional<std::string>& waveform,
              const std::optional<std::string>& statistics) {
  const tactus::Model model = tactus::read_model(path, tactus::ProgramChecks::strict);

  tactus::TcuDevice::Config config;
  config.system.tcu.architecture = model.file.arch;
  config.system.axi_data_bits = 128;
  config.period = sc_core::sc_time(10, sc_core::SC_NS);
  config.transport = tactus::Transport::blocking;
  config.trusts_dmi = true;
  tactus::TcuDevice tcu("tcu", config);

  tactus::FixedLatencyBank ddr("ddr", {20, 5, config.period});
  HostCpu host("host", model, tcu);
  Bus bus("bus", {{"host", 0}, {"dram0", dram0_base}, {"dram1", dram1_base}, {"instructions", 0}},
          {{"ddr", ddr_base, ddr_size}, {"tcu", tcu_base, tactus::tcu::device_register_bytes}});
  host.bus.bind(bus.initiator(0));
  tcu.dram0.bind(bus.initiator(1));
  tcu.dram1.bind(bus.initiator(2));
  tcu.instructions.bind(bus.initiator(3));
  bus.target(0).bind(ddr.socket);
  bus.target(1).bind(tcu.registers);

  sc_core::sc_signal<bool> interrupt("irq"), reset("rst");
  tcu.interrupt(interrupt);
  tcu.reset(reset);
  host.interrupt(interrupt);
  host.reset(reset);

  tactus::DeviceObserver observer(tcu);
  observer.name_layers(model);
  if (waveform) {
    tactus::TraceOptions options;
    options.window.last = 20'000;  // in cycles; a whole network would be gigabytes
    options.surroundings = [&](const tactus::trace::Scope& top) {
      const tactus::trace::Scope platform = top.unit("platform");
      platform.wire("interrupt", 1, [&] { return interrupt.read(); });
      platform.wire("reset", 1, [&] { return reset.read(); });
    };
    observer.trace(*waveform, options);
  }
  sc_core::sc_start();
  observer.finish();
  std::printf("%s", observer.summary().c_str());
  if (statistics) std::ofstream(*statistics) << observer.statistics(observer.programs().size() - 1);
}

}  // namespace

int sc_main(int argc, char** argv) {
  if (argc < 2 || argc > 4) {
    std::fprintf(stderr, "usage: platform MODEL.tmodel [WAVEFORM.vcd [STATISTICS.json]]\n");
    return 2;
  }
  try {
    const auto file = [&](int i) {
      return argc > i ? std::optional<std::string>(argv[i]) : std::nullopt;
    };
    simulate(argv[1], file(2), file(3));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "platform: %s\n", error.what());
    return 2;
  }
  return 0;
}
