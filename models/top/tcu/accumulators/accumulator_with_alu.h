// Accumulators with their SIMD ALUs, and the sequencer that shares them.
//
// Takes accumulator accesses and SIMD instructions in program order from a 2-entry queue. Cycles
// per SIMD instruction in a long run: read+write 4, read only 2, write only and neither 1.5. A
// reading SIMD holds the sequencer until its operand arrives. Select queues of one entry connect
// accumulator input (from router or ALU), accumulator output (to router or ALU) and ALU output (to
// nothing or accumulator). Source: hardware spec section 8.2.
#pragma once

#include <string>

#include <systemc>

#include "models/sim/account.h"
#include "models/sim/clock.h"
#include "models/sim/queue.h"
#include "models/top/tcu/accumulators/accumulator.h"
#include "models/top/tcu/accumulators/alu_array.h"
#include "models/top/tcu/channels.h"

namespace tactus {

struct AccumulatorWithAluLinks {
  Link<AccumulatorControl>& control;
  Link<VectorRef>& input;   ///< from the local router
  Link<VectorRef>& output;  ///< to the local router
};

class AccumulatorWithAlu final : public sc_core::sc_module {
 public:
  enum State : unsigned {
    access,
    deliver,
    wait_input,
    wait_alu,
    wait_operand,
    wait_lock,
    wait_reader,
    rest,
  };
  static constexpr std::array<UnitState, 8> state_table{{
      {"access", StateKind::busy, "a vector is read or written at port A"},
      {"deliver", StateKind::busy, "no access; a vector read before leaves for local memory"},
      {"wait_input", StateKind::stall,
       "a write waits for its vector from the array or from local memory"},
      {"wait_alu", StateKind::stall, "a SIMD instruction is between its accesses"},
      {"wait_operand", StateKind::stall,
       "an accumulating write waits for the old vector from port B"},
      {"wait_lock", StateKind::stall,
       "an accumulating write waits because port B is locked until earlier plain writes are done"},
      {"wait_reader", StateKind::stall, "a vector that was read is not taken"},
      {"idle", StateKind::idle, "nothing to do"},
  }};

  AccumulatorWithAlu(const sc_core::sc_module_name& name, Clock& clock,
                     const tcu::Architecture& architecture, const AccumulatorWithAluLinks& links);

  void drive();   ///< output.valid, control.ready
  void accept();  ///< input.ready
  void commit();
  [[nodiscard]] bool moves() const { return moved_; }  ///< see models/sim/engine.h
  bool redrive();
  void repeat();
  [[nodiscard]] Cycle steady(Cycle most) const;
  void run(Cycle cycles);  ///< needs control and input, offers the output

  [[nodiscard]] Accumulator& accumulator() { return accumulator_; }
  [[nodiscard]] const Accumulator& accumulator() const { return accumulator_; }
  [[nodiscard]] const AluArray& alu() const { return alu_; }
  [[nodiscard]] AluArray& alu() { return alu_; }
  [[nodiscard]] Account& account() { return account_; }
  [[nodiscard]] bool idle() const {
    return control_.empty() && accumulator_.idle() && alu_.idle() && input_select_.empty() &&
           output_select_.empty() && result_select_.empty();
  }
  [[nodiscard]] std::string waits_for() const;
  /// `alu`: where the ALU array goes.
  void describe(const trace::Scope& scope, const trace::Scope& alu) const;

 private:
  enum Leg : unsigned {
    leg_accumulator = 1,
    leg_input_select = 2,
    leg_output_select = 4,
    leg_result_select = 8,
    leg_alu = 16,
  };
  /// Where the item at the head stands. Items that read and write take two phases.
  enum class Phase { single, read, skip_read, write };
  /// Items of I and O: 1 selects the ALU, 0 the router. Items of D: 1 keeps the result, 0 drops it.
  using SelectQueue = Queue<std::uint8_t, QueueKind::pipe_flow, 1>;

  void decode_phase();
  void route_input();
  [[nodiscard]] State state() const;

  Clock& clock_;
  AccumulatorWithAluLinks links_;
  Link<AccumulatorRequest> request_;
  Link<VectorRef> accumulator_input_, accumulator_output_;
  Link<AluOperation> operation_;
  Link<VectorRef> alu_input_, alu_output_;
  Accumulator accumulator_;
  AluArray alu_;

  Queue<AccumulatorControl, QueueKind::plain, 2> control_;
  SelectQueue input_select_;   ///< I
  SelectQueue output_select_;  ///< O
  SelectQueue result_select_;  ///< D
  bool read_done_ = false;
  bool was_idle_ = false;
  bool moved_ = false;  ///< in the last cycle
  unsigned done_legs_ = 0;

  std::vector<std::uint8_t> run_bytes_;  ///< vectors that leave in a run
  std::vector<VectorRef> run_;

  // The settled wires of the present cycle.
  Phase phase_ = Phase::single;
  unsigned needed_legs_ = 0;
  unsigned pending_legs_ = 0;
  unsigned fires_ = 0;  ///< legs
  bool simd_ = false;   ///< value of all select legs
  bool result_to_accumulator_ = false;
  bool input_selected_ = false, input_from_alu_ = false;
  bool output_selected_ = false, output_to_alu_ = false;
  bool result_selected_ = false, result_kept_ = false;
  bool retires_ = false;  ///< the head, if there is one
  Account account_;
};

}  // namespace tactus
