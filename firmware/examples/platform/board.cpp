// A platform on a board's memory: a CPU with a core for each of two TCUs, a bus, and the DDR of a
// ZCU104 with its paths and controller. Each TCU has two ports of the memory for its banks; the CPU
// and the fetches of the programs share a third, behind the bus. Both TCUs run the same model.
//
//   board_platform MODEL.tmodel
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include <systemc>

#include "bus.h"
#include "firmware/config/board.h"
#include "firmware/config/board_ddr.h"
#include "firmware/driver/common/ddr_memory.h"
#include "firmware/driver/tcu/model.h"
#include "host.h"
#include "isa/support/program_path.h"
#include "isa/tcu/device_registers.h"
#include "models/tcu/device/tcu_device.h"

namespace {

constexpr unsigned units = 2;
constexpr std::uint64_t ddr_size = 0x80000000;

/// The address map of the bus: programs, banks, and the registers above the DDR.
HostMap map_of(unsigned unit) {
  return {0xa0000000 + std::uint64_t{unit} * tactus::tcu::device_register_bytes,
          0x20000000 + std::uint64_t{unit} * 0x10000000,
          0x40000000 + std::uint64_t{unit} * 0x10000000, std::uint64_t{unit} * 0x10000000};
}

/// A TCU, the core that drives it, and their signals.
struct Unit {
  tactus::TcuDevice tcu;
  HostCpu core;
  sc_core::sc_signal<bool> interrupt, reset;

  Unit(const tactus::Model& model, const tactus::TcuDevice::Config& config, unsigned number)
      : tcu(("tcu" + std::to_string(number)).c_str(), config),
        core(("core" + std::to_string(number)).c_str(), model, tcu, map_of(number)) {
    tcu.interrupt(interrupt);
    tcu.reset(reset);
    core.interrupt(interrupt);
    core.reset(reset);
  }
};

void simulate(const std::string& path) {
  const tactus::Model model = tactus::read_model(path, tactus::ProgramChecks::strict);
  const tactus::Board board = tactus::read_board("zcu104");

  std::vector<tactus::BoardPort> ports = {{"bus", "hp3"}};
  std::vector<std::string> initiators;
  std::vector<Bus::Target> targets = {{"ddr", 0, ddr_size}};
  for (unsigned u = 0; u < units; ++u) {
    const std::string name = "tcu" + std::to_string(u);
    ports.push_back({name + "_dram0", "hp1"});
    ports.push_back({name + "_dram1", "hp2"});
    initiators.push_back(name + "_core");
    initiators.push_back(name + "_fetch");
    targets.push_back({name, map_of(u).registers, tactus::tcu::device_register_bytes});
  }
  tactus::DdrMemory ddr("ddr", tactus::ddr_memory_config(board, ports));
  Bus bus("bus", initiators, targets);
  bus.target(0).bind(ddr.socket(0));

  tactus::TcuDevice::Config config;
  config.system.tcu.architecture = model.file.arch;
  config.system.axi_data_bits = board.axi_data_bits;
  config.period = sc_core::sc_time(1 / board.clock_mhz, sc_core::SC_US);
  std::vector<std::unique_ptr<Unit>> all;
  for (unsigned u = 0; u < units; ++u) {
    config.dram_base = {map_of(u).dram0, map_of(u).dram1};
    all.push_back(std::make_unique<Unit>(model, config, u));
    Unit& unit = *all.back();
    ddr.attach(1 + std::size_t{2} * u, unit.tcu.slave(0), "memory0");
    ddr.attach(2 + std::size_t{2} * u, unit.tcu.slave(1), "memory1");
    unit.core.bus.bind(bus.initiator(std::size_t{2} * u));
    unit.tcu.instructions.bind(bus.initiator(std::size_t{2} * u + 1));
    bus.target(1 + u).bind(unit.tcu.registers);
  }
  sc_core::sc_start();
  const tactus::DdrStatistics& statistics = ddr.statistics();
  std::printf("DDR: %llu reads, %llu writes, %llu row hits, %llu refreshes\n",
              static_cast<unsigned long long>(statistics.reads),
              static_cast<unsigned long long>(statistics.writes),
              static_cast<unsigned long long>(statistics.hits),
              static_cast<unsigned long long>(statistics.refreshes));
}

}  // namespace

int sc_main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: board_platform MODEL.tmodel\n");
    return 2;
  }
  try {
    tactus::set_program_path(TACTUS_PROGRAM);
    simulate(argv[1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "board_platform: %s\n", error.what());
    return 2;
  }
  return 0;
}
