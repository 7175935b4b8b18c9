// Decoder: instruction queue, forks, address and size expanders, configuration registers.
//
// Accepts one instruction a cycle into a 2-entry queue; the instruction is at the head from the
// next cycle. Strictly in order, one instruction at the head. Its legs (requests to other units)
// may be taken in any order and in different cycles; it retires in the cycle in which the last is
// taken, and the program counter counts retires, not completions. Requests to local memory have no
// queue before them, so an instruction that uses a local port stays until its last local request is
// accepted; the other streams run ahead in queues of 2N entries (dataflow, accumulators, array) or
// one entry (DRAM, host dataflow).
//
// Stalls: waits for any leg's consumer. Not modelled: the decoder's lock pool, which never blocks
// (hardware spec section 4.4). Source: hardware spec sections 3 and 4.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>

#include <systemc>

#include "isa/tcu/instruction.h"
#include "models/sim/clock.h"
#include "models/sim/queue.h"
#include "models/top/tcu/channels.h"
#include "models/top/tcu/decoder/expander.h"

namespace tactus {

/// Written by Configure at its retire, seen from the next cycle on.
struct ConfigRegisters {
  std::array<std::uint32_t, 2> dram_offset{};  ///< bytes, a multiple of 65536
  std::array<std::uint8_t, 2> dram_cache{};    ///< AxCACHE
  std::uint16_t timeout = 100;                 ///< cycles; the reset value is a build option
  std::uint32_t tracepoint = 0xFFFFFFFF;
  std::uint32_t program_counter = 0;
  std::uint16_t sample_interval = 0;  ///< cycles; 0 = off
};

/// The decoder's wires. The decoder produces all but `instruction`.
struct DecoderLinks {
  Link<const std::uint8_t*>& instruction;  ///< instruction bytes, low byte first
  MemoryPort& local_a;
  MemoryPort& local_b;
  Link<Dataflow>& dataflow;
  Link<HostDataflow>& host;
  Link<ArrayControl>& array;
  Link<AccumulatorControl>& accumulator;
  std::array<Link<DramRequest>*, 2> dram;
};

class Decoder final : public sc_core::sc_module {
 public:
  struct Stats {
    std::uint64_t retired = 0;
    Cycle last_retire = 0;
    std::array<std::uint64_t, 16> retired_by_opcode{};
  };

  Decoder(const sc_core::sc_module_name& name, Clock& clock, const tcu::Architecture& architecture,
          std::uint16_t reset_timeout, const DecoderLinks& links);

  void drive();
  void commit();
  void begin_repeats();  ///< see models/sim/engine.h
  [[nodiscard]] bool redrive();
  void repeat();

  [[nodiscard]] const ConfigRegisters& registers() const { return registers_; }
  [[nodiscard]] const DecoderLinks& links() const { return links_; }
  [[nodiscard]] const Stats& stats() const { return stats_; }
  /// Nothing at the head and nothing queued for any unit.
  [[nodiscard]] bool idle() const;
  /// Decoder outputs, as levels of this cycle.
  [[nodiscard]] bool timeout() const { return timer_ == registers_.timeout; }
  [[nodiscard]] bool tracepoint() const {
    return registers_.program_counter == registers_.tracepoint;
  }
  [[nodiscard]] bool head_valid() const { return !queue_.empty(); }
  /// Whether the head would retire in this cycle, valid or not; settled wires, before commit().
  [[nodiscard]] bool head_ready() const {
    const unsigned open = queue_.front().legs & ~done_legs_;
    return (open & ~ready_legs(open)) == 0;
  }
  /// The head and the legs it waits for, for a message about a program that hangs.
  [[nodiscard]] std::string waits_for() const;

  /// Called with (cycle, program counter before) at each retire; may be empty.
  std::function<void(Cycle, std::uint32_t)> on_retire;

 private:
  /// Streams an instruction feeds; a set is a bit mask.
  enum Leg : unsigned {
    leg_dataflow = 1,
    leg_local_a = 2,
    leg_local_b = 4,
    leg_accumulator = 8,
    leg_array = 16,
    leg_dram0 = 32,
    leg_dram1 = 64,
    leg_host = 128,
  };

  struct AccumulatorItem {
    AccumulatorControl control;
    std::uint64_t size = 0;
    std::uint64_t step = 0;
    friend bool alike(const AccumulatorItem& a, const AccumulatorItem& b) {
      return alike(a.control, b.control) && a.size == b.size;
    }
  };

  struct DramItem {
    DramRequest request;
    std::uint64_t step = 0;  ///< 0: one request for the whole run
    friend bool alike(const DramItem& a, const DramItem& b) {
      return alike(a.request, b.request) && (a.step == 0) == (b.step == 0);
    }
  };

  /// An instruction with all fields cut to the widths of the streams they go to.
  struct Decoded {
    tcu::Instruction raw;
    unsigned legs = 0;
    Dataflow dataflow;
    bool local_write = false;
    bool local_reverse = false;
    std::uint64_t local_base = 0;
    std::uint64_t local_size = 0;
    std::uint64_t local_step = 0;
    AccumulatorItem accumulator;
    ArrayControl array;
    HostDataflow host;
    DramItem dram;
    friend bool alike(const Decoded&, const Decoded&) { return false; }
  };

  [[nodiscard]] Decoded decode(const std::uint8_t* bytes) const;
  void decode_mat_mul(Decoded& d) const;
  void decode_data_move(Decoded& d) const;
  void decode_load_weights(Decoded& d) const;
  void decode_simd(Decoded& d) const;
  void set_local(Decoded& d, unsigned leg, bool write, std::uint64_t size) const;
  void set_accumulator(Decoded& d, bool read, bool accumulate) const;

  [[nodiscard]] static unsigned dram_leg(unsigned port) { return port == 0 ? leg_dram0 : leg_dram1; }
  /// The items at the expanders: of the queue, or of the head itself past an empty queue.
  [[nodiscard]] const AccumulatorItem& accumulator_item() const {
    return accumulator_queue_.output(queue_.front().accumulator);
  }
  [[nodiscard]] const DramItem& dram_item(unsigned port) const {
    return dram_queue_[port].output(queue_.front().dram);
  }
  [[nodiscard]] bool leg_valid(unsigned leg) const { return (pending_legs_ & leg) != 0; }
  [[nodiscard]] unsigned ready_legs(unsigned legs) const;
  void show_accumulator_addresses();
  [[nodiscard]] MemoryRequest local_request(const Expander& expander) const;
  void drive_local(MemoryPort& port, const Expander& expander, unsigned leg);
  void drive_accumulator();
  void drive_dram(unsigned port);
  void count_time(bool head_ready);
  void commit_streams(unsigned ready);
  void commit_dram(unsigned port, unsigned ready);
  void retire();
  void configure(const tcu::ConfigureFields& fields);

  Clock& clock_;
  const tcu::Architecture architecture_;
  const tcu::InstructionLayout layout_;
  const std::uint64_t local_mask_;        ///< of addresses and sizes
  const std::uint64_t accumulator_mask_;  ///< of addresses
  DecoderLinks links_;

  Queue<Decoded, QueueKind::plain, 2> queue_;
  unsigned done_legs_ = 0;
  unsigned queued_legs_ = 0;   ///< streams whose queue holds items
  unsigned pending_legs_ = 0;  ///< of the head in this cycle: needed and not done; 0 if no head

  Expander local_a_expander_;
  Expander local_b_expander_;
  Queue<Dataflow, QueueKind::pipe_flow> dataflow_queue_;
  Queue<AccumulatorItem, QueueKind::pipe_flow> accumulator_queue_;
  Expander accumulator_expander_;
  Queue<ArrayControl, QueueKind::pipe_flow> array_queue_;
  Expander array_expander_;
  Queue<HostDataflow, QueueKind::pipe_flow, 1> host_queue_;
  Expander host_expander_;
  std::array<Queue<DramItem, QueueKind::pipe_flow, 1>, 2> dram_queue_;
  std::array<Expander, 2> dram_expander_;

  ConfigRegisters registers_;
  std::uint16_t timer_ = 0;
  bool head_ready_ = false;  ///< in the last cycle
  unsigned moving_ = 0;      ///< streams that move in every cycle until the next turn
  Stats stats_;
};

}  // namespace tactus
