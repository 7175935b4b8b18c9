// Accumulator: a dual-port memory with a saturating adder at its write port.
//
// Plain write: written in the cycle in which data arrives. Accumulating write: port B reads the old
// vector in the control cycle at the earliest, the sum is written one cycle later at the earliest.
// Read: data one cycle after the request. One operation a cycle for any homogeneous sequence. Port
// A executes strictly in order; a lock keeps port B's reads behind pending plain writes.
//
// The RTL's two lost-update hazards follow from the rules: nothing orders an accumulate behind the
// accumulate just before it, and the first of two equal pending plain writes releases the lock.
// With shadow weights, where single vectors follow each other without a drain in between, port B's
// read waits instead while a write of the same vector is pending at port A, so no update is lost.
// Source: hardware spec sections 2.5 and 8.1.
#pragma once

#include <systemc>

#include "isa/tcu/arithmetic.h"
#include "models/sim/clock.h"
#include "models/sim/fork.h"
#include "models/sim/queue.h"
#include "models/tcu/channels.h"
#include "models/tcu/memory/dual_port_memory.h"

namespace tactus {

struct AccumulatorRequest {
  std::uint64_t address = 0;
  bool write = false;
  bool accumulate = false;
};

struct AccumulatorLinks {
  Link<AccumulatorRequest>& control;
  Link<VectorRef>& input;
};

class Accumulator final : public sc_core::sc_module {
 public:
  Accumulator(const sc_core::sc_module_name& name, Clock& clock,
              const tcu::Architecture& architecture, const AccumulatorLinks& links);

  void drive() { memory_.drive(); }  ///< output.valid; needs nothing
  void accept();                     ///< control.ready, input.ready; needs both driven
  /// The vectors that are read, for the consumer.
  [[nodiscard]] Link<VectorRef>& output() { return port_a_.read_data; }

  /// Work of port A in a cycle.
  enum class Activity : std::uint8_t {
    none,
    access,
    wait_data,
    wait_operand,
    wait_lock,
    wait_reader
  };
  /// Changes made at the clock edge.
  struct Edge {
    unsigned fires, done;  ///< legs of the control's request: taken, and taken so far
    bool takes_input;
    bool a_fires, a_ready;  ///< requests of port A
    bool rests;             ///< no register moves
    Activity activity;
  };
  void decide();  ///< needs output.ready
  [[nodiscard]] const Edge& edge() const { return edge_; }
  void move();
  /// True if an accumulate to this address would read the old vector before a pending write of it,
  /// in a machine that orders them. When port A has taken the control's own write, earlier writes
  /// are done.
  [[nodiscard]] bool reads_too_early(std::uint64_t address) const {
    return ordered_ && !requests_.empty() && (fork_.done() & leg_a) == 0 &&
           requests_.front().write && requests_.front().address == address;
  }

  [[nodiscard]] DualPortMemory& memory() { return memory_; }
  [[nodiscard]] const DualPortMemory& memory() const { return memory_; }
  void registers(Registers& r);  ///< see models/sim/fast/registers.h
  /// Number of vectors that port B has read before an earlier write of the same vector was done.
  [[nodiscard]] std::uint64_t early_reads() const { return early_reads_; }
  [[nodiscard]] bool locked() const { return lock_.held; }
  [[nodiscard]] bool idle() const { return requests_.empty() && routes_.empty() && memory_.idle(); }
  [[nodiscard]] std::string waits_for() const;
  void describe(const trace::Scope& scope) const;

 private:
  enum Route : std::uint8_t { direct, through_adder };
  enum Leg : unsigned {
    leg_a = 1,
    leg_b = 2,
    leg_route = 4 | 8,  ///< legs of the demultiplexer and of the multiplexer
    leg_lock = 16
  };

  /// The lock of hardware spec 2.5 in the one use that matters: taken by port A for a plain write,
  /// respected by port B.
  struct Lock {
    bool held = false;
    MemoryRequest condition;
    void commit(bool command, const MemoryRequest& next, bool a_fires, const MemoryRequest& a);
  };

  [[nodiscard]] unsigned ready_legs() const;
  [[nodiscard]] Activity activity() const;

  Clock& clock_;
  AccumulatorLinks links_;
  const tcu::VectorKernels& kernels_;
  std::size_t lanes_;
  bool ordered_;
  MemoryPort port_a_, port_b_;
  DualPortMemory memory_;

  Queue<MemoryRequest, QueueKind::pipe_flow, 1> requests_;  ///< before port A
  /// Direct or through the adder. The RTL has two such queues, one for the demultiplexer after the
  /// input and one for the multiplexer before port A. One queue is enough: the same requests fill
  /// both, and the input is taken in the cycle in which its vector or sum is written, so both
  /// always hold the same items.
  Queue<Route, QueueKind::pipe_flow, 1> routes_;
  Lock lock_;
  Fork fork_;  ///< fork of the control's request

  // The settled wires of the current cycle.
  unsigned fires_ = 0;  ///< legs
  MemoryRequest request_leg_;
  Route route_leg_ = direct;
  bool sums_ = false;   ///< the input goes through the adder
  bool early_ = false;  ///< port B's read waits for the lock, or for a write of its vector
  Edge edge_{};
  std::uint64_t early_reads_ = 0;
  std::uint64_t address_mask_;
  std::vector<std::uint8_t> sum_;
};

}  // namespace tactus
