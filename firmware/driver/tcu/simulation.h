// A machine with a TCU: the design, its two memories and the clock, on a SystemC kernel.
//
// A machine runs programs one after the other. Memories, weights and registers keep their contents
// in between, and cycle numbers go on.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "firmware/driver/common/simulation.h"
#include "firmware/driver/tcu/program_stream.h"
#include "firmware/driver/tcu/run_result.h"
#include "isa/dram/ddr_config.h"
#include "isa/support/board_values.h"
#include "models/axi/axi_slave.h"
#include "models/sim/engine.h"
#include "models/sim/events.h"
#include "models/tcu/system.h"

namespace tactus {

class MemorySystem;

/// A function that makes the memory of a DRAM port and binds the slave's socket to it. It is called
/// during elaboration.
using MemoryFactory =
    std::function<std::unique_ptr<sc_core::sc_module>(unsigned port, AxiSlave& slave)>;

/// Configuration of a machine. If memory_model is `board`, resolve_memory()
/// (firmware/config/memory.h) must have set `resolved_ddr`.
struct TcuSimulationConfig : BoardValues {
  tcu::Architecture architecture;
  tcu::MacRounding rounding = tcu::MacRounding::sum;
  std::uint16_t decoder_timeout = 100;  ///< cycles, reset value of the register
  std::uint32_t sample_block_size = 0;  ///< 0: no sampler
  std::uint16_t sample_interval = 0;    ///< cycles, initial value of the register
  Cycle sample_pause = 0;               ///< see TcuSystem::Config
  Cycle feed_gap = 0;                   ///< idle cycles after each word of the instruction stream
  StallGenerator stalls{1, 0};
  Engine engine = Engine::fast;
  std::uint32_t check_every = 100;            ///< see TcuSystem::Config
  bool evaluates_all = false;                 ///< see TcuSystem::Config
  std::optional<std::uint32_t> shuffle_seed;  ///< see TcuSystem::Config; selects the step engine
  AxiSlave::Transport transport = AxiSlave::Transport::non_blocking;
  std::vector<OwnUnit> own_units;         ///< see TcuSystem::Config
  MemoryFactory memory;                   ///< empty: as the memory model says
  std::optional<DdrConfig> resolved_ddr;  ///< the DRAM of the board's memory
};

struct TcuRunOptions : RunOptions {
  /// Called after every cycle in which DRAM port 0 receives a write response, with the number of
  /// the cycle in the run.
  std::function<void(Cycle)> on_write_response;
};

class TcuSimulation final : public Simulation {
 public:
  /// Throws UserError for a configuration that cannot be built. With `kernel`, `memory` and `known`
  /// the machine is one of several that share these (firmware/driver/tcu/units.h); the
  /// configuration then has the bases of this machine's banks.
  explicit TcuSimulation(const TcuSimulationConfig& config, KernelScope* kernel = nullptr,
                         MemorySystem* memory = nullptr,
                         const std::shared_ptr<KnownDesigns>& known = nullptr);
  ~TcuSimulation() override;
  TcuSimulation(const TcuSimulation&) = delete;
  TcuSimulation& operator=(const TcuSimulation&) = delete;

  /// Runs a program of whole instructions; NoOps pad it to whole words of the stream. The program
  /// must outlive the run. If a limit or a hang ends the run, work in flight continues in the next
  /// run.
  TcuRunResult run(const std::vector<std::uint8_t>& program, const TcuRunOptions& options = {});

  /// Passes the cycles up to `cycle`, without a program. The machine must be idle. Returns at once
  /// if the clock is there or beyond.
  void rest_until(Cycle cycle) {
    if (cycle > clock_.now) system_->pass_idle(cycle - clock_.now);
  }

  // The host accesses a DRAM bank by byte address, in no simulated time. The functions use the
  // memory's transport_dbg and throw UserError if it refuses. Addresses beyond the bank's depth are
  // allowed, because the offset registers reach them.
  void write_dram(unsigned port, std::uint64_t address, const std::uint8_t* bytes,
                  std::uint64_t count);
  void write_dram(unsigned port, std::uint64_t address, const std::vector<std::uint8_t>& bytes) {
    write_dram(port, address, bytes.data(), bytes.size());
  }
  [[nodiscard]] std::vector<std::uint8_t> read_dram(unsigned port, std::uint64_t address,
                                                    std::uint64_t count);

  [[nodiscard]] std::uint64_t memory_bytes(std::size_t memory) const override;
  [[nodiscard]] std::vector<std::uint8_t> read_memory(std::size_t memory, std::uint64_t address,
                                                      std::uint64_t count) override;

  [[nodiscard]] const TcuSimulationConfig& config() const { return config_; }
  [[nodiscard]] TcuSystem& system() { return *system_; }
  [[nodiscard]] const TcuSystem& system() const { return *system_; }
  /// The board's memory, the machine's own or a shared one; null with any other memory.
  [[nodiscard]] MemorySystem* memory_system() { return board_memory_; }
  [[nodiscard]] unsigned word_bytes() const { return config_.axi_data_bits / 8; }
  [[nodiscard]] unsigned instruction_bytes() const { return instruction_bytes_; }

 private:
  void build(const std::shared_ptr<KnownDesigns>& known);
  void start_stream(const std::vector<std::uint8_t>& program);
  std::uint64_t debug_access(unsigned port, tlm::tlm_command command, std::uint64_t address,
                             std::uint8_t* data, std::uint64_t count);

  const TcuSimulationConfig config_;
  unsigned instruction_bytes_;
  ProgramStream stream_;
  std::unique_ptr<TcuSystem> system_;
  std::array<std::unique_ptr<AxiSlave>, 2> slaves_;
  /// Address behind the last byte that write_dram() has written, by port.
  std::array<std::uint64_t, 2> host_written_end_{};
  std::unique_ptr<MemorySystem> own_memory_;
  MemorySystem* board_memory_;  ///< own_memory_ or a shared one; null with any other memory
  /// Reader of the instruction stream; null: all words are available at once.
  std::unique_ptr<StreamReader> stream_reader_;
  std::array<std::unique_ptr<sc_core::sc_module>, 2> memories_;  ///< null with the board's memory
};

}  // namespace tactus
