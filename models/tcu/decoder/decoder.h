// Decoder: instruction queue, forks, address and size expanders, configuration registers.
//
// Accepts one instruction a cycle into a 2-entry queue; the instruction is at the head from the
// next cycle. Strictly in order, one instruction at the head. Its legs (requests to other units)
// may be taken in any order and in different cycles; it retires in the cycle in which the last is
// taken, and the program counter counts retires, not completions. Requests to local memory have no
// queue before them, so an instruction that uses a local port stays until its last local request is
// accepted; the other streams run ahead in queues of 2N entries (dataflow, accumulators, array,
// DAIS blocks) or one entry (DRAM, host dataflow).
//
// With a queue for transfers, an extension of Tactus's own, these leave the head in one cycle and
// are done in order beside it, from the next cycle on, each as it would be at the head. An
// instruction waits at the head if it would see or overwrite their vectors too early: if its range
// of local memory overlaps that of a queued transfer and one of the two writes. A Configure of a
// DRAM offset or of AxCACHE waits while transfers are queued. A range goes from the lowest to the
// highest address; one that wraps is all of local memory.
//
// If weights have reads of their own, another extension, a LoadWeights also leaves the head in one
// cycle (models/tcu/systolic_array/weight_loads.h), if there is room. Its weights are sent ahead
// while it still waits behind the head, unless the head or a queued transfer writes one of them. An
// instruction that would overwrite vectors that it has not read yet waits at the head. These waits
// count as waiting for the array.
//
// Stalls: waits for any leg's consumer. Not modelled: the decoder's lock pool, which never blocks
// (hardware spec section 4.4). Source: hardware spec sections 3 and 4.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <systemc>

#include "isa/tcu/instruction.h"
#include "isa/tcu/instruction_kind.h"
#include "models/sim/account.h"
#include "models/sim/clock.h"
#include "models/sim/fast/registers.h"
#include "models/sim/fork.h"
#include "models/sim/queue.h"
#include "models/tcu/channels.h"
#include "models/tcu/decoder/decoder_shapes.h"
#include "models/tcu/decoder/decoding.h"
#include "models/tcu/decoder/expander.h"
#include "models/tcu/systolic_array/weight_loads.h"

namespace tactus {

/// Configure writes these registers at its retire; they have the new values from the next cycle on.
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
  Link<DaisControl>& dais;
  std::array<Link<DramRequest>*, 2> dram;
  WeightLoads* weight_loads = nullptr;  ///< null unless weights have reads of their own
};

class Decoder final : public sc_core::sc_module, private DecoderItems {
 public:
  struct Stats {
    std::uint64_t retired = 0;
    Cycle last_retire = 0;
    std::array<std::uint64_t, 16> retired_by_opcode{};
    std::array<std::uint64_t, tcu::most_dais_blocks> retired_by_dais_block{};
    std::array<std::uint64_t, tcu::instruction_kinds> retired_by_kind{}, vectors_by_kind{};
  };
  /// Queues whose number of entries observers are told at each change.
  enum LeveledQueue : std::uint8_t {
    array_level,
    accumulator_level,
    dataflow_level,
    dais_level,
    level_count
  };
  using Levels = std::array<std::uint64_t, level_count>;
  /// States of the queue for transfers.
  enum TransferState : std::uint8_t { passes, waits, no_transfer };
  static constexpr std::array<UnitState, 3> transfer_states{{
      {"pass", StateKind::busy,
       "a vector of a queued transfer is read from or written to local memory"},
      {"wait", StateKind::stall, "the oldest queued transfer waits for its DRAM port"},
      {"idle", StateKind::idle, "no transfer is queued"},
  }};
  enum State : std::uint8_t {
    busy,
    wait_dram0,
    wait_dram1,
    wait_host_router,
    wait_array,
    wait_dais,
    wait_accumulators,
    wait_local_router,
    wait_local_a,
    wait_local_b,
    wait_transfer,
    wait_transfer_queue,
    starved,
    ended,
  };
  static constexpr std::array<UnitState, 14> state_table{{
      {"busy", StateKind::busy, "an instruction retires or sends a request to local memory"},
      {"wait_dram0", StateKind::stall, "the request slot of DRAM port 0 is taken"},
      {"wait_dram1", StateKind::stall, "the request slot of DRAM port 1 is taken"},
      {"wait_host_router", StateKind::stall, "the host router still serves an earlier transfer"},
      {"wait_array", StateKind::stall, "the array's queue of 2N instructions is full"},
      {"wait_dais", StateKind::stall, "the DAIS blocks' queue of 2N instructions is full", "dais"},
      {"wait_accumulators", StateKind::stall, "the accumulators' queue of 2N instructions is full"},
      {"wait_local_router", StateKind::stall, "the local router's queue is full"},
      {"wait_local_a", StateKind::stall,
       "local port A takes no request: its reader does not keep up, or the accumulators have no "
       "vector to write"},
      {"wait_local_b", StateKind::stall,
       "local port B takes no request: the DRAM port does not keep up, or has no vector to write"},
      {"wait_transfer", StateKind::stall,
       "a queued transfer has to finish first: it uses the same vectors of local memory, or the "
       "register that the instruction changes",
       "transfers"},
      {"wait_transfer_queue", StateKind::stall, "the queue for transfers is full", "transfers"},
      {"starved", StateKind::stall, "no instruction has arrived, and the stream has not ended"},
      {"idle", StateKind::idle, "the instruction stream has ended"},
  }};
  /// The account counts states separately for each kind of instruction at the head; context 0 is no
  /// instruction, context k is InstructionKind k-1.
  static constexpr unsigned contexts = tcu::instruction_kinds + 1;

  Decoder(const sc_core::sc_module_name& name, Clock& clock, const tcu::Architecture& architecture,
          std::uint16_t reset_timeout, const DecoderLinks& links);
  ~Decoder() override;

  template <typename List>
  void border(List& list) {  ///< see Border
    const unsigned local = std::max(1U, layout_.local_address);
    list.consumes("instruction", links_.instruction, ByteCount{layout_.instruction_bytes()});
    list.produces("dataflow", links_.dataflow);
    list.produces("local_a", links_.local_a.request, local);
    list.produces("local_b", links_.local_b.request, local);
    list.produces("accumulator", links_.accumulator);
    list.produces("array", links_.array);
    if (layout_.dais_block_count > 0) list.produces("dais", links_.dais);
    list.produces("host", links_.host);
    list.produces("dram0", *links_.dram[0], 0U);
    list.produces("dram1", *links_.dram[1], 1U);
    list.tells("dram0_offset", 32, registers_.dram_offset[0]);
    list.tells("dram0_cache", 4, registers_.dram_cache[0]);
    list.tells("dram1_offset", 32, registers_.dram_offset[1]);
    list.tells("dram1_cache", 4, registers_.dram_cache[1]);
    list.tells("sample_interval", 16, registers_.sample_interval);
    list.tells("program_counter", 32, registers_.program_counter);
    list.tells(
        "head_valid", 1, [this] { return head().valid; },
        [this](std::uint64_t v) { outside_.valid = v != 0; });
    list.tells(
        "head_ready", 1, [this] { return head().ready; },
        [this](std::uint64_t v) { outside_.ready = v != 0; });
  }

  /// The instruction at the head: whether there is one, and whether it would retire in this cycle.
  struct Head {
    bool valid = false, ready = false;
  };
  /// Call with settled wires, before the clock edge.
  [[nodiscard]] Head head() const {
    return is_outside_ ? outside_ : Head{head_valid(), head_ready()};
  }
  /// A module outside of the model stands in the decoder's place (models/tcu/pins/own_units.h): it
  /// sets head() and the registers.
  void stand_outside() { is_outside_ = true; }
  /// The clock edge of such a decoder: counts the retire of its head. Its kind is not known.
  void commit_outside();
  /// The registers, for units that show them at pins of their own.
  [[nodiscard]] ConfigRegisters& config_registers() { return registers_; }

  void drive();
  void commit() {
    decide();
    move();
  }

  /// Changes made at the clock edge.
  struct Edge {
    unsigned entering;        ///< legs of the head that are taken
    unsigned firing, ending;  ///< streams whose output is taken; whose item ends with it
    State waits;              ///< state of an instruction that waits at the head
    bool head_ready;          ///< all of its legs are taken, valid or not
    bool accepts;             ///< an instruction
  };
  void decide();
  void move();
  /// See models/sim/activity.h. Meanwhile pass_time() counts the time.
  [[nodiscard]] bool sleeps() const {
    return !turned_ && edge_.firing == 0 &&
           (links_.weight_loads == nullptr ||
            (links_.weight_loads->empty() && !loads_were_queued_));
  }
  /// Passes cycles in which the decoder sleeps. The timer counts cycles without progress at the
  /// head, and stops at the timeout.
  void pass_time(Cycle cycles) {
    if (timeout() && clock_.events != nullptr) tell_timeout();
    const Cycle left = registers_.timeout - std::min(registers_.timeout, timer_);
    timer_ = edge_.head_ready ? 0 : static_cast<std::uint16_t>(timer_ + std::min(cycles, left));
  }

  [[nodiscard]] Stats& counts() { return stats_; }  ///< see Account::counts()
  [[nodiscard]] const ConfigRegisters& registers() const { return registers_; }
  [[nodiscard]] const DecoderLinks& links() const { return links_; }
  [[nodiscard]] const Stats& stats() const { return stats_; }
  [[nodiscard]] Account& account() { return account_; }
  [[nodiscard]] std::vector<Account*> accounts();
  [[nodiscard]] std::size_t queued_transfers() const;
  [[nodiscard]] Levels levels() const {
    return {array_queue_.count(), accumulator_queue_.count(), dataflow_queue_.count(),
            dais_queue_.count()};
  }
  /// Number of cycles without an event while the decoder sleeps, `most` at the most.
  [[nodiscard]] Cycle cycles_before_timeout(Cycle most) const {
    if (timeout()) return 0;
    if (edge_.head_ready || timer_ > registers_.timeout) return most;
    return std::min<Cycle>(most, registers_.timeout - timer_);
  }
  /// True if no instruction is at the head and nothing is queued for any unit.
  [[nodiscard]] bool idle() const;
  /// Decoder outputs, as levels of this cycle.
  [[nodiscard]] bool timeout() const { return timer_ == registers_.timeout; }
  [[nodiscard]] bool tracepoint() const {
    return registers_.program_counter == registers_.tracepoint;
  }
  [[nodiscard]] bool head_valid() const { return !queue_.empty(); }
  /// True if the head would retire in this cycle, whether or not it is valid. Call with settled
  /// wires, before the clock edge.
  [[nodiscard]] bool head_ready() const {
    const unsigned open = fork_.open();
    return blocked_ == Block::none && fork_.all(ready_legs(open, taken(open | shown_legs_)));
  }
  /// The number and the text of the instruction at the head.
  [[nodiscard]] std::string head_text() const;
  /// The head and the legs it waits for, for a message about a program that hangs.
  [[nodiscard]] std::string waits_for() const;

  /// Configuration registers and the timer as before cycle 0, and a queue of NoOps for the rest,
  /// which the registers of SequencedDecoder load.
  void reset(std::uint16_t timeout);
  /// Sets the register as if a host had written it before cycle 0.
  void preset_sample_interval(std::uint16_t cycles) { registers_.sample_interval = cycles; }
  void describe(const trace::Scope& scope) const;

  /// Called with (cycle, program counter before) at each retire; may be empty.
  std::function<void(Cycle, std::uint32_t)> on_retire;
  /// Calls on_retire, unless note_told() says that this retire has been told.
  void tell_retire(Cycle cycle, std::uint32_t counter) {
    if (told_ahead_ != 0) {
      --told_ahead_;
    } else if (on_retire) {
      on_retire(cycle, counter);
    }
  }
  /// Notes that on_retire has been called already for the next `retires` retires.
  void note_told(std::uint64_t retires) { told_ahead_ += retires; }
  [[nodiscard]] std::uint64_t told_ahead() const { return told_ahead_; }

 private:
  friend class BesideHead;        // models/tcu/decoder/transfers.h
  friend class SequencedDecoder;  // models/tcu/fast/sequenced_decoder.h
  /// The end of a leg: the wires to its consumer, and the expander with the item it is processing.
  struct Stream {
    unsigned index;
    Wire* valid;
    const Wire* ready;
    Expander expander;
    std::uint64_t size = 0;
    std::uint64_t step = 0;
    std::uint64_t before_last = 0;  ///< see Expander
  };
  /// Updates what depends on the stream's size or count, after a change of these.
  void note_count(Stream& s) {
    s.before_last = s.expander.before_last(s.size, s.step);
    const unsigned leg = 1U << s.index;
    last_legs_ = s.expander.last(s.size) ? last_legs_ | leg : last_legs_ & ~leg;
  }
  void begin(Leg leg, std::uint64_t size, std::uint64_t step = 0);

  /// Calls `visit` with the number of each leg.
  template <typename Visit>
  static void for_each(unsigned legs, Visit&& visit) {
    for (std::uint64_t rest = legs; rest != 0; rest &= rest - 1) {
      visit(static_cast<std::size_t>(__builtin_ctzll(rest)));
    }
  }
  [[nodiscard]] const Stream& stream(Leg leg) const { return streams_[__builtin_ctz(leg)]; }
  [[nodiscard]] Stream& stream(Leg leg) { return streams_[__builtin_ctz(leg)]; }

  [[nodiscard]] static std::array<Stream, leg_count> make_streams(
      const tcu::Architecture& architecture, const DecoderLinks& links);
  /// Legs whose consumers would take an output in this cycle, valid or not.
  [[nodiscard]] unsigned taken(unsigned legs) const;
  [[nodiscard]] unsigned ready_legs(unsigned legs, unsigned taken) const;
  /// The queue for transfers.
  struct Transfers;
  /// Why the head may not begin.
  enum class Block : std::uint8_t { none, transfer, queue_full, weights };
  /// The instruction that the streams of transfers process.
  [[nodiscard]] const Decoded& mover() const { return transfers_ ? *oldest_ : queue_.front(); }
  [[nodiscard]] bool has_blocks() const { return transfers_ || links_.weight_loads != nullptr; }

  /// The state for each set of legs that the head waits for.
  static constexpr std::array<std::uint8_t, 512> make_wait_states();
  static const std::array<std::uint8_t, 512> wait_states;
  [[nodiscard]] unsigned state_code() const;
  void show();
  void show_items(unsigned legs);
  void show_local(MemoryPort& port, Leg leg);
  void show_dram(unsigned port);
  void show_addresses(unsigned legs);
  [[nodiscard]] std::uint64_t local_address(const Decoded& item, const Expander& expander) const;
  void move_streams();
  void move_queues(unsigned entering, unsigned ending);
  void take_instruction();
  void retire();
  void tell_timeout();
  void tell_levels();
  void configure(const tcu::ConfigureFields& fields);

  Clock& clock_;
  const tcu::Architecture architecture_;
  const tcu::InstructionLayout layout_;
  const std::uint64_t local_mask_;        ///< mask of addresses and sizes
  const std::uint64_t accumulator_mask_;  ///< mask of addresses
  const std::array<std::uint64_t, 2> dram_mask_;
  DecoderLinks links_;
  const Decoding decoding_;
  DecoderShapes shapes_;

  Queue<Decoded, QueueKind::plain, 2> queue_;  ///< entries are decoded in their slots
  Fork fork_;                                  ///< fork of the instruction at the head
  unsigned queued_legs_ = 0;                   ///< streams whose queue holds items
  unsigned full_legs_ = local_legs;  ///< streams whose queue has no room, or that have none
  unsigned shown_legs_ = 0;          ///< streams with an output in this cycle
  unsigned last_legs_ = all_legs;    ///< streams whose output is the last of its item
  unsigned fresh_legs_ = 0;          ///< streams whose wires do not show the item at the output yet
  std::array<Stream, leg_count> streams_;

  Queue<Dataflow, QueueKind::pipe_flow> dataflow_queue_;
  Queue<AccumulatorItem, QueueKind::pipe_flow> accumulator_queue_;
  Queue<ArrayControl, QueueKind::pipe_flow> array_queue_;
  Queue<DaisControl, QueueKind::pipe_flow> dais_queue_;
  Queue<HostDataflow, QueueKind::pipe_flow, 1> host_queue_;
  std::array<Queue<DramItem, QueueKind::pipe_flow, 1>, 2> dram_queue_;

  std::unique_ptr<Transfers> transfers_;
  const Decoded* oldest_ = nullptr;  ///< oldest of the queued transfers
  Fork transfer_fork_;               ///< fork of the oldest transfer
  std::uint64_t loads_ = 0;  ///< number of LoadWeights so far, if weights have reads of their own
  bool product_follows_ = false;    ///< true if a product came after the last of these
  bool sends_ahead_ = false;        ///< true if weights are sent ahead in this cycle
  bool loads_were_queued_ = false;  ///< weight loads were queued in the last cycle
  Block blocked_ = Block::none;     ///< why the head may not begin in this cycle
  bool holds_moves_ = false;        ///< see SequencedDecoder::hold_moves()
  unsigned head_legs_ = all_legs;   ///< legs that belong to the head
  /// Legs whose requests to local memory the head waits for.
  unsigned head_local_legs_ = local_legs;

  ConfigRegisters registers_;
  Head outside_;             ///< see stand_outside()
  bool is_outside_ = false;  ///< see stand_outside()
  std::uint16_t timer_ = 0;
  std::uint64_t told_ahead_ = 0;  ///< see note_told()
  Levels told_levels_{};          ///< the levels that observers of events were told last
  /// True if a register that the items at the outputs depend on has changed since the last show().
  bool turned_ = true;
  Edge edge_{};
  unsigned moving_ = 0;        ///< streams that moved within an item in the last cycle
  unsigned resumed_legs_ = 0;  ///< streams that were loaded in the middle of an item
  std::uint64_t accepted_ = 0;
  Stats stats_;
  Account account_;
};

}  // namespace tactus
