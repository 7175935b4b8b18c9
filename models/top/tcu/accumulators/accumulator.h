// Accumulator: a dual-port memory with a saturating adder at its write port.
//
// Plain write: written in the cycle in which data arrives. Accumulating write: port B reads the old
// vector in the control cycle at the earliest, the sum is written one cycle later at the earliest.
// Read: data one cycle after the request. One operation a cycle for any homogeneous sequence. Port
// A executes strictly in order; a lock keeps port B's reads behind pending plain writes.
//
// The RTL's two lost-update hazards follow from the rules: nothing orders an accumulate behind the
// accumulate just before it, and the first of two equal pending plain writes releases the lock.
// Source: hardware spec sections 2.5 and 8.1.
#pragma once

#include <systemc>

#include "isa/tcu/arithmetic.h"
#include "models/sim/clock.h"
#include "models/sim/queue.h"
#include "models/top/tcu/channels.h"
#include "models/top/tcu/memory/dual_port_memory.h"

namespace tactus {

struct AccumulatorRequest {
  std::uint64_t address = 0;
  bool write = false;
  bool accumulate = false;
};

struct AccumulatorLinks {
  Link<AccumulatorRequest>& control;
  Link<VectorRef>& input;
  Link<VectorRef>& output;
};

class Accumulator final : public sc_core::sc_module {
 public:
  Accumulator(const sc_core::sc_module_name& name, Clock& clock,
              const tcu::Architecture& architecture, const AccumulatorLinks& links);

  void drive();           ///< output.valid; needs nothing
  void accept_input();    ///< input.ready; needs control and input driven
  void accept_control();  ///< control.ready
  void commit();          ///< needs output.ready
  void redrive();         ///< see models/sim/engine.h; needs the control's address
  /// The routes' queues keep their content: what leaves is followed by its like.
  void repeat() { move(); }
  /// Whether the lock keeps its state while requests like the present one go on, at addresses that
  /// differ from each to the next from `next` on.
  [[nodiscard]] bool lock_is_steady(std::uint64_t next) const;

  [[nodiscard]] DualPortMemory& memory() { return memory_; }
  [[nodiscard]] const DualPortMemory& memory() const { return memory_; }
  [[nodiscard]] bool idle() const {
    return requests_.empty() && input_routes_.empty() && write_routes_.empty() && memory_.idle();
  }
  [[nodiscard]] std::string waits_for() const;
  void describe(const trace::Scope& scope) const;

  /// What port A does in this cycle; settled wires, before commit().
  enum class Activity { none, access, wait_data, wait_operand, wait_lock, wait_reader };
  [[nodiscard]] Activity activity() const;

 private:
  enum Route : unsigned { direct, through_adder };
  enum Leg : unsigned {
    leg_a = 1,
    leg_b = 2,
    leg_input_route = 4,
    leg_write_route = 8,
    leg_lock = 16
  };

  /// The lock of hardware spec 2.5 in the one use that matters: taken by port A for a plain write,
  /// respected by port B.
  struct Lock {
    bool held = false;
    MemoryRequest condition;
    /// True if it is taken or released.
    bool commit(bool command, const MemoryRequest& next, bool a_fires, const MemoryRequest& a);
  };

  [[nodiscard]] unsigned ready_legs() const;
  void move();

  Clock& clock_;
  AccumulatorLinks links_;
  const tcu::VectorKernels& kernels_;
  std::size_t lanes_;
  MemoryPort port_a_, port_b_;
  DualPortMemory memory_;

  Queue<MemoryRequest, QueueKind::pipe_flow, 1> requests_;  ///< before port A
  Queue<Route, QueueKind::pipe_flow, 1> input_routes_;      ///< input -> direct or adder
  Queue<Route, QueueKind::pipe_flow, 1> write_routes_;      ///< direct or adder -> port A
  Lock lock_;
  unsigned needed_legs_ = 0;
  unsigned pending_legs_ = 0;
  unsigned done_legs_ = 0;

  // The settled wires of the present cycle.
  unsigned fires_ = 0;  ///< legs
  MemoryRequest request_leg_;
  Route route_leg_ = direct;
  bool input_route_taken_ = false;
  bool write_route_taken_ = false;
  bool sums_ = false;  ///< the input goes through the adder
  std::vector<std::uint8_t> sum_;
};

}  // namespace tactus
