// A machine with a DPAS array and its memory, on a SystemC kernel of its own: hardware threads,
// register files, array, ALU and load/store unit.
//
// Example:
//
//   DpasSimulationConfig config;  // parameters: see also simulation_parameters.h
//   config.machine.profile = dpas::read_profile(config_path("dpas", "pvc"));
//   config.machine.threads = 2;
//   config.machine.memory = dpas::MemoryKind::ideal;
//
//   dpas::Program program = dpas::assemble(text, "gemm");  // or dpas::read_program(path, profile)
//   dpas::resolve(program, config.machine.profile);
//
//   DpasSimulation simulation(config);
//   const std::uint64_t a = simulation.allocate("A", bytes_of_a);
//   simulation.write(a, matrix_a);             // takes no simulated time
//
//   std::vector<DpasThread> threads(2);        // may run different kernels
//   threads[0].kernel = threads[1].kernel = &program.kernels.front();
//   threads[0].set("PA", a, 8);                // an .input of the kernel
//
//   DpasRunResult result = simulation.run(program, threads);
//   result.end == RunEnd::finished; result.cycles; result.macs; result.accounting ...
//
//   std::vector<std::uint8_t> c = simulation.read(address_of_c, bytes_of_c);
//
// A machine runs programs one after the other: memory keeps its contents, cycle numbers continue,
// registers are cleared. After a run that ends by a limit, a hang or an error, the machine cannot
// run another. Kernels may access only bound buffers. A process may have several machines and use
// them one after the other or in turns.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
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

/// A function that makes the memory behind the AXI pins and binds the slave's socket to it. It is
/// called during elaboration.
using DpasMemoryFactory = std::function<std::unique_ptr<sc_core::sc_module>(AxiSlave& slave)>;

/// Configuration of a machine. If memory_model is `board` and the machine's memory is AXI,
/// `resolved_ddr` must come from resolve_port_memory() (firmware/config/port_memory.h). The port
/// uses the path and base of the board's dram0.
struct DpasSimulationConfig : BoardValues {
  dpas::MachineParameters machine;  ///< axi_data_bits is set from the board
  AxiSlave::Transport transport = AxiSlave::Transport::non_blocking;
  DpasMemoryFactory memory;               ///< for MemoryKind::axi; empty: as the memory model says
  std::optional<DdrConfig> resolved_ddr;  ///< DRAM of the board's memory
};

/// The kernel of a hardware thread, and its inputs.
struct DpasThread {
  const dpas::Kernel* kernel = nullptr;  ///< null: the thread does nothing
  /// Values of the kernel's .inputs, by name.
  std::map<std::string, std::vector<std::uint8_t>, std::less<>> inputs;

  /// Sets an input to a whole number, little-endian, of `bytes` bytes.
  void set(const std::string& name, std::uint64_t value, unsigned bytes) {
    std::vector<std::uint8_t>& input = inputs[name];
    input.clear();
    for (unsigned i = 0; i < bytes; ++i) {
      input.push_back(static_cast<std::uint8_t>(i < 8 ? value >> (8 * i) : 0));
    }
  }
};

/// Figures of a run. Cycles count from the run's first cycle, in which the first instruction may be
/// issued. `cycles` is the cycle of the last ret. `instructions` is the length of all threads'
/// kernels together, or the number of instructions issued if a kernel has jumps.
struct DpasRunResult : RunResult {
  DpasRunResult() : RunResult(dpas_machine_info()) {}

  // These are counters of the machine, under their names.
  std::uint64_t dpas = 0;             ///< DPAS instructions
  std::uint64_t rows = 0;             ///< cycles in which a row entered the array
  std::uint64_t macs = 0;             ///< multiply-accumulates
  std::uint64_t grf_reads = 0;        ///< registers read
  std::uint64_t grf_reads_saved = 0;  ///< registers not read because operand buffers held them
  std::uint64_t grf_writes = 0;       ///< registers written
  std::uint64_t bytes_loaded = 0, bytes_stored = 0;
  std::optional<DdrFigures> ddr;  ///< empty without the board's memory
};

class DpasSimulation final : public Simulation {
 public:
  /// Throws UserError for a configuration that cannot be built.
  explicit DpasSimulation(const DpasSimulationConfig& config);
  ~DpasSimulation() override;
  DpasSimulation(const DpasSimulation&) = delete;
  DpasSimulation& operator=(const DpasSimulation&) = delete;

  /// Binds a buffer at a new address and returns that. It is a multiple of 4096, and at least one
  /// unused page of 4096 bytes separates buffers. Throws UserError if the memory is too small.
  std::uint64_t allocate(const std::string& name, std::uint64_t bytes);
  /// Binds a buffer at a given address. Throws UserError if it overlaps another buffer.
  void bind(const dpas::Buffer& buffer);
  [[nodiscard]] const std::vector<dpas::Buffer>& buffers() const { return buffers_; }

  // The host accesses memory in no simulated time. Throws UserError if the memory refuses it.
  void write(std::uint64_t address, const std::uint8_t* bytes, std::uint64_t count);
  void write(std::uint64_t address, const std::vector<std::uint8_t>& bytes) {
    write(address, bytes.data(), bytes.size());
  }
  [[nodiscard]] std::vector<std::uint8_t> read(std::uint64_t address, std::uint64_t count);

  /// Runs one kernel per thread until all have ended. There are at most as many threads as the
  /// configuration has. The kernels belong to `program`, which must be resolved for the
  /// configuration's profile. Throws UserError if an input is missing or has a wrong size. Throws
  /// UserError with the line if a kernel does something that the machine does not allow.
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
  std::uint64_t memory_end_ = 0;  ///< first address after the memory
  std::vector<dpas::Buffer> buffers_;
  std::uint64_t next_address_ = 0x10000;
  std::unique_ptr<dpas::System> system_;
  std::unique_ptr<AxiSlave> slave_;
  std::unique_ptr<MemorySystem> board_memory_;
  std::unique_ptr<sc_core::sc_module> memory_;  ///< null with the board's memory
  /// Kernels of the last run, to which the machine may still refer.
  std::vector<std::unique_ptr<dpas::DecodedKernel>> kernels_;
};

}  // namespace tactus
