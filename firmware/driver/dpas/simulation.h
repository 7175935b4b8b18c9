// One DPAS machine: threads with registers, array, ALU, load/store unit and a memory, on a SystemC
// kernel of its own.
//
// How to run a kernel:
//
//   DpasSimulationConfig config;                              // parameters; also
//   simulation_parameters.h config.machine.profile = dpas::read_profile(config_path("dpas",
//   "pvc")); config.machine.threads = 2; config.machine.memory = dpas::MemoryKind::ideal;
//   dpas::Program program = dpas::assemble(text, "gemm");     // or dpas::read_program(path,
//   profile) dpas::resolve(program, config.machine.profile);
//
//   DpasSimulation simulation(config);
//   const std::uint64_t a = simulation.allocate("A", bytes_of_a);
//   simulation.write(a, matrix_a);                            // takes no time
//   std::vector<DpasThread> threads(2);                       // may run different kernels
//   threads[0].kernel = threads[1].kernel = &program.kernels.front();
//   threads[0].set("PA", a, 8);                               // an .input of the kernel
//   DpasRunResult result = simulation.run(program, threads);
//   result.end == RunEnd::finished; result.cycles; result.macs; result.accounting ...
//   std::vector<std::uint8_t> c = simulation.read(address_of_c, bytes_of_c);
//
// A machine runs programs one after the other; its memory keeps its contents in between, cycle
// numbers go on, registers are cleared; a run that was cut off by a limit, a hang or an error is
// the machine's last. Kernels may touch bound buffers only. Several machines may live in one
// process, one after the other or, as other simulations, in turns.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "firmware/driver/common/ddr_figures.h"
#include "firmware/driver/common/simulation.h"
#include "isa/dram/ddr_config.h"
#include "isa/support/board_values.h"
#include "models/axi/axi_slave.h"
#include "models/dpas/machine_info.h"
#include "models/dpas/system.h"

namespace tactus {

class MemorySystem;

/// Makes the memory behind the AXI pins and binds the slave's socket to it. Called during
/// elaboration.
using DpasMemoryFactory = std::function<std::unique_ptr<sc_core::sc_module>(AxiSlave& slave)>;

/// Where board.memory_model is `board` and the port AXI, resolve_port_memory()
/// (firmware/config/port_memory.h) has looked up the board's DRAM: the port has the path and the
/// base of the board's dram0.
struct DpasSimulationConfig : BoardValues {
  dpas::MachineParameters machine;  ///< its axi_data_bits are the board's
  AxiSlave::Transport transport = AxiSlave::Transport::non_blocking;
  DpasMemoryFactory memory;               ///< of MemoryKind::axi; empty: as the memory model says
  std::optional<DdrConfig> resolved_ddr;  ///< of the board's memory
};

/// What a hardware thread runs.
struct DpasThread {
  const dpas::Kernel* kernel = nullptr;                                  ///< null: nothing
  std::map<std::string, std::vector<std::uint8_t>, std::less<>> inputs;  ///< by name of .input

  /// A whole number, little-endian, in the input's size.
  void set(const std::string& name, std::uint64_t value, unsigned bytes) {
    std::vector<std::uint8_t>& input = inputs[name];
    input.clear();
    for (unsigned i = 0; i < bytes; ++i) {
      input.push_back(static_cast<std::uint8_t>(i < 8 ? value >> (8 * i) : 0));
    }
  }
};

/// Figures of one run; cycles count from its first, in which the first instruction may be issued.
/// `cycles` is that of the last ret, and `instructions` those of all threads; of kernels that jump,
/// as many as were issued.
struct DpasRunResult : RunResult {
  DpasRunResult() : RunResult(dpas_machine_info()) {}

  // Counters of the machine, here by name.
  std::uint64_t dpas = 0;             ///< instructions
  std::uint64_t rows = 0;             ///< cycles in which one entered the array
  std::uint64_t macs = 0;             ///< multiply-accumulates
  std::uint64_t grf_reads = 0;        ///< registers
  std::uint64_t grf_reads_saved = 0;  ///< registers that operand buffers held
  std::uint64_t grf_writes = 0;       ///< registers
  std::uint64_t bytes_loaded = 0, bytes_stored = 0;
  std::optional<DdrFigures> ddr;  ///< none without the board's memory
};

class DpasSimulation final : public Simulation {
 public:
  /// Throws UserError for a configuration that cannot be built.
  explicit DpasSimulation(const DpasSimulationConfig& config);
  ~DpasSimulation() override;
  DpasSimulation(const DpasSimulation&) = delete;
  DpasSimulation& operator=(const DpasSimulation&) = delete;

  /// Binds a buffer at an address of its own, which begins a page of 4096 bytes; between buffers
  /// lies at least one that belongs to none. Throws UserError if the memory does not hold it.
  std::uint64_t allocate(const std::string& name, std::uint64_t bytes);
  /// Binds a buffer at this address. Throws UserError if it overlaps another.
  void bind(const dpas::Buffer& buffer);
  [[nodiscard]] const std::vector<dpas::Buffer>& buffers() const { return buffers_; }

  /// Host access to memory; no time passes. Throws UserError if the memory refuses it.
  void write(std::uint64_t address, const std::uint8_t* bytes, std::uint64_t count);
  void write(std::uint64_t address, const std::vector<std::uint8_t>& bytes) {
    write(address, bytes.data(), bytes.size());
  }
  [[nodiscard]] std::vector<std::uint8_t> read(std::uint64_t address, std::uint64_t count);

  /// Runs one kernel a thread, `threads` of the configuration at the most, until all have ended.
  /// Kernels are of `program`, resolved for the configuration's profile. Throws UserError for an
  /// input that a thread lacks or that has the wrong size, and for what kernels do that the machine
  /// does not allow, with the line.
  DpasRunResult run(const dpas::Program& program, const std::vector<DpasThread>& threads,
                    const RunOptions& options = {});

  [[nodiscard]] std::uint64_t memory_bytes(std::size_t memory) const override;
  [[nodiscard]] std::vector<std::uint8_t> read_memory(std::size_t memory, std::uint64_t address,
                                                      std::uint64_t count) override;

  [[nodiscard]] const DpasSimulationConfig& config() const { return config_; }
  [[nodiscard]] dpas::System& system() { return *system_; }
  [[nodiscard]] const dpas::System& system() const { return *system_; }

 private:
  [[nodiscard]] dpas::ThreadStart start_of(const dpas::Program& program, const DpasThread& thread,
                                           unsigned number,
                                           const dpas::DecodedKernel& kernel) const;
  std::uint64_t debug_access(tlm::tlm_command command, std::uint64_t address, std::uint8_t* data,
                             std::uint64_t count);

  const DpasSimulationConfig config_;
  std::uint64_t memory_end_ = 0;  ///< first address that the memory does not have
  std::vector<dpas::Buffer> buffers_;
  std::uint64_t next_address_ = 0x10000;
  std::unique_ptr<dpas::System> system_;
  std::unique_ptr<AxiSlave> slave_;
  std::unique_ptr<MemorySystem> board_memory_;
  std::unique_ptr<sc_core::sc_module> memory_;  ///< null with the board's
  /// Of the run under way: they stay as long as the machine may look at them.
  std::vector<std::unique_ptr<dpas::DecodedKernel>> kernels_;
};

}  // namespace tactus
