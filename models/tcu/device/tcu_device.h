// A TCU as a component of a SystemC design: registers and memories over TLM-2.0, an interrupt, a
// reset.
//
// A host writes a program's address and length to the registers (isa/tcu/device_registers.h). The
// unit reads the program from `instructions`, works on the memories behind `dram0` and `dram1`, and
// raises the interrupt. models/tcu/device/README.md explains its use.
//
// Time. Cycle t is the time [t, t+1) clock periods of SystemC time. A register access takes effect
// at its time, annotated delay included, in the first cycle that begins then or later; it takes no
// time itself. While the kernel has no other work, the unit runs ahead of kernel time by up to
// `most_ahead` cycles. An idle unit requests no activation. Cycles. From the first word of a
// program to its last retire or write response it takes the cycles that `tactus run` counts with
// the same memories. MM2S_DMASR.IOC_Irq is set at the end of the cycle in which the last word is
// taken, TCU_STATUS.Done at the end of the first cycle in which the unit is idle. A flag, the
// registers that belong to it and the interrupt change at the same time, whatever accesses there
// are before.
//
// With a signal at the port `clock` a cycle begins at each of its rising edges, whatever their
// distance, and is evaluated with the step engine at the edge that ends it. What is done between
// two edges takes effect at the second. Memories have real time: latencies in cycles change with
// the period.
//
// Its initiators send whole bursts (models/axi/axi_slave.h). After an error response
// TCU_STATUS.Error is set, and the program that runs then ends without Done; the status register of
// a DMA says which error it was. Errors of the design, which it cannot handle, are SystemC reports
// of severity SC_ERROR with the message type device_message_type.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <tlm_utils/simple_target_socket.h>
#include <systemc>
#include <tlm>

#include "isa/tcu/device_registers.h"
#include "models/axi/axi_slave.h"
#include "models/sim/clock_driver.h"
#include "models/tcu/device/instruction_fetch.h"
#include "models/tcu/device/reporting.h"
#include "models/tcu/device/sample_writer.h"
#include "models/tcu/system.h"

namespace tactus {

class TcuDevice final : public sc_core::sc_module {
 public:
  using SC_CURRENT_USER_MODULE = TcuDevice;  // what SC_HAS_PROCESS defines before SystemC 3

  struct Config {
    TcuSystem::Config system;
    sc_core::sc_time period;  ///< clock period without a clock port; 0: 10 ns
    /// Address of the first byte of each DRAM bank on the bus, and so at the sockets dram0 and
    /// dram1; a multiple of 4 KB, at most 2^64 - 4 GB.
    std::array<std::uint64_t, 2> dram_base{0, 0};
    /// Transport of all initiator sockets. Every memory answers blocking calls, several at a time;
    /// one that has only b_transport takes non-blocking ones one by one.
    Transport transport = Transport::blocking;
    /// The memories grant DMI with the same latency as their transactions, as FixedLatencyBank
    /// does. The fast engine then takes sequences of instructions.
    bool trusts_dmi = false;
    unsigned length_bits = 26;  ///< bits of MM2S_LENGTH and S2MM_LENGTH: 8..26
    /// Burst size of the instruction DMA; a power of two, at least a word.
    unsigned burst_bytes = 4096;
    unsigned bursts = 2;           ///< bursts of the instruction DMA in flight
    Cycle most_ahead = 1U << 20U;  ///< cycles ahead of kernel time
  };

  /// Throws UserError for a configuration that cannot be built.
  TcuDevice(const sc_core::sc_module_name& name, const Config& config);
  ~TcuDevice() override;

  tlm_utils::simple_target_socket<TcuDevice> registers{"registers"};
  /// An sc_in<bool> that may be left unbound: the unit then has cycles of Config::period.
  sc_core::sc_port<sc_core::sc_signal_in_if<bool>, 1, sc_core::SC_ZERO_OR_MORE_BOUND> clock{
      "clock"};
  sc_core::sc_in<bool> reset{"reset"};  ///< high: in reset
  sc_core::sc_out<bool> interrupt{"interrupt"};

 private:
  Clock clock_;
  const bool names_period_;  ///< the configuration does
  const Config config_;
  InstructionFetch fetch_;
  TcuSystem system_;
  std::array<std::unique_ptr<AxiSlave>, 2> slaves_;
  std::unique_ptr<SampleWriter> writer_;  ///< null without a sampler

 public:
  tlm::tlm_initiator_socket<>& dram0;
  tlm::tlm_initiator_socket<>& dram1;
  tlm::tlm_initiator_socket<>& instructions;
  /// Socket for samples. Throws UserError without a sampler.
  [[nodiscard]] tlm::tlm_initiator_socket<>& samples();

  /// The AXI slave of a DRAM port, for memories that want more of it than its socket.
  [[nodiscard]] AxiSlave& slave(unsigned port) { return *slaves_[port]; }
  /// The number of the present cycle, and the times of cycles.
  [[nodiscard]] Clock& cycles() { return clock_; }
  [[nodiscard]] const Clock& cycles() const { return clock_; }
  [[nodiscard]] const Config& config() const { return config_; }
  [[nodiscard]] TcuSystem& system() { return system_; }
  [[nodiscard]] const TcuSystem& system() const { return system_; }

  /// The bytes of the current or last program, as they are in memory now. Throws UserError if the
  /// memory refuses debug reads.
  [[nodiscard]] std::vector<std::uint8_t> program();
  /// The program as the DMA streams it, padded with NoOps to whole words. Throws UserError if it is
  /// longer than the length register allows; `what` is its name for the message.
  [[nodiscard]] std::vector<std::uint8_t> stream(const std::vector<std::uint8_t>& program,
                                                 const std::string& what) const;

  /// Cycle in which the first word of the last program was available; ~0: none was.
  [[nodiscard]] Cycle first_word() const { return fetch_.first_offered(); }
  /// Current value of a register, as a read returns it.
  [[nodiscard]] std::uint32_t value(tcu::DeviceRegister which);

  // Hooks of observers (firmware/report/tcu/device_observer.h).
  std::function<void()> on_begin;  ///< a program begins in cycle cycles().now
  /// A program has ended. `failed`: a memory has refused an access, so there is no Done.
  std::function<void(bool failed)> on_end;
  std::function<void()> on_simulation_end;  ///< sc_stop() has ended the simulation
  /// Retires after which on_advance() is to be called; null: it need not be.
  std::function<std::uint64_t()> until_border;
  std::function<void()> on_advance;  ///< cycles have been simulated

 private:
  /// One half of the DMA.
  struct Channel {
    std::uint32_t control = 0, status = 0;
    std::uint64_t address = 0;
    std::uint32_t length = 0;
    bool busy = false;
    unsigned resets = 0;  ///< so far; the end of a transfer before a reset has no effect

    void reset();
    void end(std::uint32_t error);
    [[nodiscard]] bool interrupts() const;
  };

  void before_end_of_elaboration() override;
  void end_of_elaboration() override;
  void start_of_simulation() override;
  void end_of_simulation() override {
    if (on_simulation_end) on_simulation_end();
  }

  void access(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay);
  unsigned access_debug(tlm::tlm_generic_payload& transaction);
  [[nodiscard]] tlm::tlm_response_status check(const tlm::tlm_generic_payload& transaction) const;
  tlm::tlm_response_status write(tcu::DeviceRegister which, std::uint32_t value);
  tlm::tlm_response_status write_control(Channel& channel, std::uint32_t value);
  tlm::tlm_response_status write_address(Channel& channel, unsigned shift, std::uint32_t value);
  tlm::tlm_response_status begin_program(std::uint32_t bytes);
  tlm::tlm_response_status begin_samples(std::uint32_t bytes);
  [[nodiscard]] Channel& channel(tcu::DeviceRegister which);
  [[nodiscard]] bool may_begin(const Channel& channel, std::uint32_t bytes, unsigned unit) const;
  static void begin(Channel& channel, std::uint32_t bytes);

  void catch_up();
  void wake();
  [[nodiscard]] bool is_awake() const { return follows_clock() ? is_awake_ : driver_.running(); }
  /// Lets something happen in the unit in the first cycle that begins now or later.
  void in_next_cycle(std::function<void()> change);
  // A signal at the port `clock` (clock_port.cpp).
  [[nodiscard]] bool follows_clock() const { return clock_.edges != nullptr; }
  void follow_clock();
  void step_in_thread();
  void step();
  void wait_for_step();
  bool tick(Cycle most);
  [[nodiscard]] std::uint64_t retires_to_border() const {
    return until_border ? until_border() : ~std::uint64_t{0};
  }
  [[nodiscard]] bool after_cycles(Cycle quiet);
  void end_stream();
  void check_stream();
  void end_samples();
  void end_transfer(Channel& channel, std::uint64_t time, std::uint32_t error);
  /// Reports an access that a memory has refused.
  void warn(const std::string& what) const;
  /// Reports, once, a memory that takes one request at a time.
  void warn_of_serial_memory(const char* socket);
  /// Sets TCU_STATUS.Error.
  void show_error(std::uint64_t time);
  void end_program();
  [[nodiscard]] std::uint64_t last_event() const;

  void on_reset();
  void begin_reset();
  void finish_reset();
  void stop_channels();
  /// Lets flags, registers and interrupt change at the first clock edge from `time` on.
  void change_at(std::uint64_t time, std::function<void()> change);
  void update_interrupt();
  void make_changes();

  ClockDriver driver_;        ///< asleep with a clock port
  ClockEdges edges_;          ///< those of the clock port
  bool is_awake_ = false;     ///< with a clock port: the unit has something to do
  bool is_stepping_ = false;  ///< an edge is being evaluated
  sc_core::sc_event stepped_;
  std::vector<std::function<void()>> in_next_cycle_;
  Channel program_, samples_;
  std::uint32_t control_ = 0;
  // What the registers show. It changes by accesses and by changes_.
  bool done_ = false;
  bool error_ = false;
  bool idle_ = true;
  bool resetting_ = false;
  std::uint64_t latency_ = 0;
  // The unit, which may be ahead of what the registers show.
  bool runs_ = false;           ///< a program has begun and not ended
  bool stream_failed_ = false;  ///< the memory has refused a read of the last program
  bool access_failed_ = false;  ///< a memory has refused an access of this program
  bool warned_of_serial_ = false;
  std::uint64_t retired_before_ = 0, dropped_before_ = 0;  ///< counts at the last reset
  std::uint64_t seen_progress_ = 0;
  Cycle last_activity_ = 0;
  /// Changes that are due, by their time.
  std::multimap<std::uint64_t, std::function<void()>> changes_;
  sc_core::sc_event changed_;
};

}  // namespace tactus
