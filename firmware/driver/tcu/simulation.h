// One machine: a design, its two memories and the clock, on a SystemC kernel of its own.
//
// A machine runs streams of instructions one after the other; its memories, weights and registers
// keep their contents in between, cycle numbers go on.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "firmware/driver/common/accounting.h"
#include "firmware/driver/tcu/program_stream.h"
#include "isa/support/board_values.h"
#include "models/axi/axi_slave.h"
#include "models/sim/clock_driver.h"
#include "models/sim/engine.h"
#include "models/sim/events.h"
#include "models/sim/kernel_scope.h"
#include "models/tcu/system.h"

namespace tactus {

/// Makes the memory of a DRAM port and binds the slave's socket to it. Called during elaboration.
using MemoryFactory =
    std::function<std::unique_ptr<sc_core::sc_module>(unsigned port, AxiSlave& slave)>;

struct TcuSimulationConfig : BoardValues {
  tcu::Architecture architecture;
  tcu::MacRounding rounding = tcu::MacRounding::sum;
  std::uint16_t decoder_timeout = 100;  ///< cycles, reset value of the register
  std::uint32_t sample_block_size = 0;  ///< 0: no sampler
  std::uint16_t sample_interval = 0;    ///< cycles, initial value of the register
  Cycle sample_pause = 0;               ///< see Top::Config
  Cycle feed_gap = 0;                   ///< idle cycles after each word of the instruction stream
  StallGenerator stalls{1, 0};
  Engine engine = Engine::fast;
  std::optional<std::uint32_t> shuffle_seed;  ///< see Top::Config; takes the step engine
  AxiSlave::Transport transport = AxiSlave::Transport::non_blocking;
  MemoryFactory memory;  ///< empty: a FixedLatencyBank
};

/// Why a run ended.
enum class RunEnd {
  finished,     ///< everything streamed, retired and answered
  hang,         ///< nothing can change any more
  cycle_limit,  ///< RunOptions::max_cycles
};

struct RunOptions {
  Cycle max_cycles = 0;  ///< of this run; 0: no limit
  std::vector<std::uint32_t>* retire_log =
      nullptr;  ///< appended: retire cycle of every instruction
  /// Called after every cycle in which DRAM port 0 received a write response, with the cycle.
  std::function<void(Cycle)> on_write_response;
  /// Parts of the program whose figures are wanted on their own; in order, inside the program.
  std::vector<tcu::LayerEntry> regions;
  /// Called now and then with the cycles and instructions of this run so far.
  std::function<void(Cycle cycles, std::uint64_t instructions)> progress;
};

/// Figures of one run. Cycles count from its first cycle, in which the first word is offered.
struct RunResult {
  RunEnd end = RunEnd::finished;
  /// The cycle of the last retire or write response; up to the end if the run did not finish.
  Cycle cycles = 0;
  std::uint64_t instructions = 0;  ///< of the program, without padding
  std::uint64_t retired = 0;       ///< with padding
  Cycle last_retire = 0;           ///< of the program's last instruction that retired
  Cycle last_retire_padded = 0;    ///< of the last instruction that retired, padding included
  std::array<std::optional<Cycle>, 2> last_b;  ///< last write response of each port, if any
  std::array<std::uint64_t, 2> read_beats{}, write_beats{}, read_bursts{}, write_bursts{};
  std::uint64_t array_runs = 0;  ///< vectors multiplied
  std::uint64_t array_loads = 0;
  std::uint64_t alu_operations = 0;
  struct DaisCounts {
    std::uint64_t instructions = 0;
    std::uint64_t samples = 0;
  };
  std::vector<DaisCounts> dais;  ///< of each DAIS block of the architecture
  Accounting accounting;
  std::vector<std::string> waits_for;  ///< unless finished: what each busy unit waits for
};

class TcuSimulation {
 public:
  /// Throws UserError for a configuration that cannot be built.
  explicit TcuSimulation(const TcuSimulationConfig& config);
  ~TcuSimulation();
  TcuSimulation(const TcuSimulation&) = delete;
  TcuSimulation& operator=(const TcuSimulation&) = delete;

  /// Streams a program: whole instructions, padded here with NoOps to whole words of the stream. It
  /// is read from where it is until the run ends. A run cut off by a limit or a hang leaves what is
  /// in flight to the next.
  RunResult run(const std::vector<std::uint8_t>& program, const RunOptions& options = {});

  /// Host access to a DRAM bank, byte addresses, no time passes. Goes through the memory's
  /// transport_dbg; throws UserError if it refuses.
  void write_dram(unsigned port, std::uint64_t address, const std::uint8_t* bytes,
                  std::uint64_t count);
  void write_dram(unsigned port, std::uint64_t address, const std::vector<std::uint8_t>& bytes) {
    write_dram(port, address, bytes.data(), bytes.size());
  }
  [[nodiscard]] std::vector<std::uint8_t> read_dram(unsigned port, std::uint64_t address,
                                                    std::uint64_t count);

  /// Receives events from the next run on; null: nobody.
  void observe(EventSink* sink) { clock_.events = sink; }
  /// Shows every cycle's signals from the next run on; null: to nobody.
  void watch(CycleWatcher* watcher) { clock_.watcher = watcher; }
  /// Receives every interval of every unit's account from the next run on; null: nobody.
  void observe_accounts(AccountObserver* observer);
  /// Widths for printing this machine's events.
  [[nodiscard]] EventFormat event_format() const;

  [[nodiscard]] const TcuSimulationConfig& config() const { return config_; }
  [[nodiscard]] TcuSystem& system() { return *system_; }
  [[nodiscard]] const TcuSystem& system() const { return *system_; }
  [[nodiscard]] Cycle now() const { return clock_.now; }
  [[nodiscard]] unsigned word_bytes() const { return config_.axi_data_bits / 8; }
  [[nodiscard]] unsigned instruction_bytes() const { return instruction_bytes_; }

 private:
  /// The run under way.
  struct Run {
    const RunOptions* options = nullptr;
    RunResult result;
    Cycle first = 0;
    Cycle last_activity = 0;
    std::uint64_t seen_progress = 0;
    std::uint64_t seen_responses = 0;
    Cycle next_report = 0;
    bool border = false;  ///< a region's last instruction retired in the present cycle
  };

  static Cycle last_event(const RunResult& result);
  bool tick(Cycle most);
  void retired(Cycle cycle);
  void report_responses();
  [[nodiscard]] Cycle patience() const;
  [[nodiscard]] Cycle until_checks() const;
  void add_counters(RunResult& result, bool subtract) const;
  std::uint64_t debug_access(unsigned port, tlm::tlm_command command, std::uint64_t address,
                             std::uint8_t* data, std::uint64_t count);

  const TcuSimulationConfig config_;
  unsigned instruction_bytes_;
  KernelScope kernel_;  // before every module
  Clock clock_;
  ProgramStream stream_;
  std::unique_ptr<TcuSystem> system_;
  std::array<std::unique_ptr<AxiSlave>, 2> slaves_;
  std::array<std::unique_ptr<sc_core::sc_module>, 2> memories_;
  std::unique_ptr<ClockDriver> driver_;
  std::unique_ptr<Accountant> accountant_;
  Run run_;
};

}  // namespace tactus
