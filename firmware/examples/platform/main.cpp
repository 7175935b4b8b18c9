// A platform with a TCU in it: a host thread, a bus, one memory of fixed latency, the TCU's
// registers and its interrupt. The host loads a compiled model, programs the DMA, waits for the
// interrupt, reads the outputs and prints the latency. The waveform has the TCU's signals and two
// of the platform's, up to cycle 20000.
//
//   platform MODEL.tmodel [WAVEFORM.vcd [STATISTICS.json]]
#include <cstdio>
#include <exception>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include <systemc>

#include "bus.h"
#include "firmware/driver/tcu/model.h"
#include "firmware/report/tcu/device_observer.h"
#include "host.h"
#include "isa/tcu/device_registers.h"
#include "models/dram/fixed_latency_bank.h"
#include "models/tcu/device/tcu_device.h"

namespace {

// The address map of the bus.
constexpr std::uint64_t ddr_base = 0x00000000, ddr_size = 0x40000000;
constexpr std::uint64_t tcu_base = 0x40400000;
constexpr std::uint64_t dram0_base = 0x10000000, dram1_base = 0x20000000;
constexpr std::uint64_t program_base = 0x30000000;

void simulate(const std::string& path, const std::optional<std::string>& waveform,
              const std::optional<std::string>& statistics) {
  const tactus::Model model = tactus::read_model(path, tactus::ProgramChecks::strict);

  tactus::TcuDevice::Config config;
  config.system.tcu.architecture = model.file.arch;
  config.system.axi_data_bits = 128;
  config.period = sc_core::sc_time(10, sc_core::SC_NS);
  config.transport = tactus::Transport::blocking;
  config.trusts_dmi = true;
  config.dram_base = {dram0_base, dram1_base};
  tactus::TcuDevice tcu("tcu", config);

  tactus::FixedLatencyBank ddr("ddr", {20, 5, config.period});
  HostCpu host("host", model, tcu, {tcu_base, dram0_base, dram1_base, program_base});
  Bus bus("bus", {"host", "dram0", "dram1", "instructions"},
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
