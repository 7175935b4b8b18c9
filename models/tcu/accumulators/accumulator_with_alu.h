// Accumulators with their SIMD ALUs, and the sequencer that shares them.
//
// Takes accumulator accesses and SIMD instructions in program order from a 2-entry queue. Cycles
// per SIMD instruction in a long sequence: read+write 4, read only 2, write only and neither 1.5. A
// reading SIMD holds the sequencer until its operand arrives. Select queues of one entry connect
// accumulator input (from router or ALU), accumulator output (to router or ALU) and ALU output (to
// nothing or accumulator). Source: hardware spec section 8.2.
//
// Vectors for lookup tables, which only a machine with tables has, pass the same queue and the
// router's path to the accumulators: one per cycle, in program order, after the writes before them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <systemc>

#include "models/sim/account.h"
#include "models/sim/clock.h"
#include "models/sim/fork.h"
#include "models/sim/queue.h"
#include "models/tcu/accumulators/accumulator.h"
#include "models/tcu/accumulators/alu_array.h"
#include "models/tcu/accumulators/lookup_memory.h"
#include "models/tcu/channels.h"

namespace tactus {

struct AccumulatorWithAluLinks {
  Link<AccumulatorControl>& control;
  Link<VectorRef>& input;   ///< from the local router
  Link<VectorRef>& output;  ///< to the local router
};

class AccumulatorWithAlu final : public sc_core::sc_module {
 public:
  enum State : std::uint8_t {
    access,
    deliver,
    wait_input,
    wait_alu,
    wait_operand,
    wait_lock,
    wait_reader,
    load_table,
    rest,
  };
  static constexpr std::array<UnitState, 9> state_table{{
      {"access", StateKind::busy, "a vector is read or written at port A"},
      {"deliver", StateKind::busy, "no access; a vector read before leaves for local memory"},
      {"wait_input", StateKind::stall,
       "a write waits for its vector from the array or from local memory"},
      {"wait_alu", StateKind::stall, "a SIMD instruction is between its accesses"},
      {"wait_operand", StateKind::stall,
       "an accumulating write waits for the old vector from port B"},
      {"wait_lock", StateKind::stall,
       "an accumulating write waits because port B is locked until earlier plain writes are done"},
      {"wait_reader", StateKind::stall, "a vector that was read has not been taken"},
      {"load_table", StateKind::busy,
       "no access; entries of a lookup table pass, or are awaited in their turn", "tables"},
      {"idle", StateKind::idle, "nothing to do"},
  }};

  AccumulatorWithAlu(const sc_core::sc_module_name& name, Clock& clock,
                     const tcu::Architecture& architecture, const AccumulatorWithAluLinks& links);

  template <typename List>
  void border(List& list) {  ///< see Border
    list.consumes("control", links_.control);
    list.consumes("input", links_.input);
    list.produces("output", links_.output);
  }
  void drive();   ///< output.valid, control.ready
  void accept();  ///< input.ready
  void commit() {
    decide();
    move();
  }

  /// Changes made at the clock edge.
  struct Edge {
    unsigned fires, done;  ///< legs of the head: taken, and taken so far
    unsigned taken;        ///< items taken from the select queues
    bool read_done;
    bool enters, retires;  ///< items of the control queue
    bool rests;            ///< no register moves
    State state;
  };
  void decide();
  void move();
  [[nodiscard]] bool sleeps() const { return edge_.rests; }  ///< models/sim/activity.h

  [[nodiscard]] Accumulator& accumulator() { return accumulator_; }
  [[nodiscard]] const Accumulator& accumulator() const { return accumulator_; }
  [[nodiscard]] const AluArray& alu() const { return alu_; }
  [[nodiscard]] AluArray& alu() { return alu_; }
  /// True if the item at the head waits for entries of a lookup table.
  [[nodiscard]] bool awaits_entries() const {
    return control_.front().table != 0 && !control_.empty();
  }
  /// The lookup tables; null unless the architecture has them.
  [[nodiscard]] const LookupMemory* tables() const { return tables_.get(); }
  [[nodiscard]] LookupMemory* tables() { return tables_.get(); }
  [[nodiscard]] std::vector<Account*> accounts() {
    std::vector<Account*> accounts{&account_, &alu_.account()};
    if (tables_) accounts.push_back(&tables_->account());
    return accounts;
  }
  void registers(Registers& r);  ///< see models/sim/fast/registers.h
  /// True if no item is in progress.
  [[nodiscard]] bool rests() const { return idle() && fork_.done() == 0 && !accumulator_.locked(); }
  [[nodiscard]] bool idle() const {
    return control_.empty() && selects_.full == 0 && alu_.idle() && accumulator_.idle();
  }
  [[nodiscard]] std::string waits_for() const;
  /// `alu` is the scope of the ALU array.
  void describe(const trace::Scope& scope, const trace::Scope& alu) const;

 private:
  enum Leg : unsigned {
    leg_accumulator = 1,
    leg_input_select = 2,
    leg_output_select = 4,
    leg_result_select = 8,
    leg_alu = 16,
    select_legs = leg_input_select | leg_output_select | leg_result_select,
  };
  /// Phase of the item at the head. Items that read and write take two phases.
  enum class Phase : std::uint8_t { single, read, skip_read, write };
  /// Behaviour of an item in a cycle at the head, without addresses and operation.
  struct Step {
    Phase phase;
    std::uint8_t needed_legs;
    bool writes;
  };
  /// All steps, by the bits of step_index().
  static constexpr std::array<Step, 32> make_steps();
  static const std::array<Step, 32> steps;
  enum StepBit : unsigned {
    bit_read = 1,
    bit_write = 2,
    bit_simd = 4,
    bit_input = 8,
    bit_done = 16
  };
  [[nodiscard]] static unsigned step_index(const AccumulatorControl& item, bool read_done) {
    return (item.read ? bit_read : 0U) | (item.write ? bit_write : 0U) |
           (item.alu.op != tcu::SimdOp::no_op ? bit_simd : 0U) |
           (item.alu.left == 0 || item.alu.right == 0 ? bit_input : 0U) |
           (read_done ? bit_done : 0U);
  }
  /// The select queues I, O and D, pipe-flow queues of one entry. They are computed together: each
  /// is a bit at the position of its leg. Items of I and O: 1 selects the ALU, 0 the router. Items
  /// of D: 1 keeps the result, 0 drops it.
  struct SelectQueues {
    unsigned full = 0;
    unsigned items = 0;
    [[nodiscard]] unsigned output(unsigned offered) const {
      return (items & full) | (offered & ~full);
    }
    /// Does the clock edge, as Queue::commit() does.
    void commit(unsigned enqueue, unsigned offered, unsigned taken) {
      const unsigned stored = stores(enqueue, taken);
      items = (items & ~stored) | (offered & stored);
      full = (full & ~taken) | stored;
    }

   private:
    [[nodiscard]] unsigned stores(unsigned enqueue, unsigned taken) const {
      return enqueue & (full ^ ~taken);  // otherwise the item passes through
    }
  };

  void decode_phase();
  [[nodiscard]] LookupMemory::State table_state() const;
  void move_entries();
  [[nodiscard]] State state() const;
  [[nodiscard]] bool read_done_after(bool all) const;

  Clock& clock_;
  AccumulatorWithAluLinks links_;
  Link<AccumulatorRequest> request_;
  Link<VectorRef> accumulator_input_;
  Link<AluOperation> operation_;
  Link<VectorRef> alu_input_, alu_output_;
  Accumulator accumulator_;
  Link<VectorRef>& accumulator_output_;
  std::unique_ptr<LookupMemory> tables_;
  AluArray alu_;

  Queue<AccumulatorControl, QueueKind::plain, 2> control_;
  SelectQueues selects_;
  bool read_done_ = false;
  Fork fork_;  ///< fork of the item at the head, in its current phase

  // The settled wires of this cycle.
  Phase phase_ = Phase::single;
  bool simd_ = false;           ///< the item at the head is a SIMD instruction
  bool entries_ = false;        ///< the item at the head waits for entries of a lookup table
  bool takes_entries_ = false;  ///< and an entry comes in this cycle
  unsigned offered_ = 0;        ///< to the select queues
  unsigned selected_ = 0, routes_ = 0;  ///< outputs of the select queues: valid and item
  [[nodiscard]] bool selected(Leg queue) const { return (selected_ & queue) != 0; }
  [[nodiscard]] bool input_from_alu() const { return (routes_ & leg_input_select) != 0; }
  [[nodiscard]] bool output_to_alu() const { return (routes_ & leg_output_select) != 0; }
  [[nodiscard]] bool result_kept() const { return (routes_ & leg_result_select) != 0; }
  Edge edge_{};
  std::uint64_t address_mask_;
  Account account_;
};

}  // namespace tactus
