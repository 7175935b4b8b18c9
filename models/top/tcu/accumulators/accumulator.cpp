#include "models/top/tcu/accumulators/accumulator.h"

#include <algorithm>

#include "models/top/channel_signals.h"

namespace tactus {

Accumulator::Accumulator(const sc_core::sc_module_name& name, Clock& clock,
                         const tcu::Architecture& architecture, const AccumulatorLinks& links)
    : sc_module(name),
      clock_(clock),
      links_(links),
      kernels_(tcu::vector_kernels(architecture.data_type)),
      lanes_(architecture.array_size),
      memory_("memory", clock, architecture.accumulator_depth, architecture.vector_bytes(),
              {{EventKind::accumulator_read_a, EventKind::accumulator_read_b},
               {EventKind::accumulator_write_a, EventKind::accumulator_write_a}},
              port_a_, port_b_),
      sum_(architecture.vector_bytes()) {}

void Accumulator::drive() {
  memory_.drive();
  links_.output.valid = port_a_.read_data.valid;
  links_.output.bits = port_a_.read_data.bits;
}

void Accumulator::accept_input() {
  const AccumulatorRequest& request = links_.control.bits;
  if (!request.write) {
    needed_legs_ = leg_a;
  } else if (request.accumulate) {
    needed_legs_ = leg_a | leg_b | leg_input_route | leg_write_route;
  } else {
    needed_legs_ = leg_a | leg_lock | leg_input_route | leg_write_route;
  }
  pending_legs_ = links_.control.valid ? needed_legs_ & ~done_legs_ : 0;
  request_leg_ = {request.write, request.address};
  route_leg_ = request.accumulate ? through_adder : direct;

  port_a_.request.valid = requests_.has_output((pending_legs_ & leg_a) != 0);
  port_a_.request.bits = requests_.output(request_leg_);
  port_b_.request.valid = (pending_legs_ & leg_b) != 0 && !lock_.held;
  port_b_.request.bits = {false, request.address};

  const bool input_routed = input_routes_.has_output((pending_legs_ & leg_input_route) != 0);
  const bool write_routed = write_routes_.has_output((pending_legs_ & leg_write_route) != 0);
  const Route input_route = input_routes_.output(route_leg_);
  const Route write_route = write_routes_.output(route_leg_);
  const bool operand_valid =
      input_routed && links_.input.valid && (input_route == direct || port_b_.read_data.valid);
  const bool routes_agree = input_routed && write_routed && input_route == write_route;

  port_a_.write_data.valid = routes_agree && operand_valid;
  memory_.accept();
  const bool write_ready = port_a_.write_data.ready;

  // Through the adder, input and port B's data leave together.
  const bool consumer_ready = routes_agree && write_ready;
  links_.input.ready = consumer_ready && (input_route == direct || port_b_.read_data.valid);
  port_b_.read_data.ready = consumer_ready && input_route == through_adder && links_.input.valid;
  input_route_taken_ = links_.input.fires();
  write_route_taken_ = port_a_.write_data.fires();
  sums_ = write_route == through_adder;
}

unsigned Accumulator::ready_legs() const {
  unsigned ready = leg_lock;
  if (requests_.can_enqueue(port_a_.request.ready)) ready |= leg_a;
  if (input_routes_.can_enqueue(input_route_taken_)) ready |= leg_input_route;
  if (write_routes_.can_enqueue(write_route_taken_)) ready |= leg_write_route;
  if (!lock_.held && port_b_.request.ready) ready |= leg_b;
  return ready;
}

void Accumulator::accept_control() {
  links_.control.ready = (needed_legs_ & ~(ready_legs() | done_legs_)) == 0;
}

bool Accumulator::Lock::commit(bool command, const MemoryRequest& next, bool a_fires,
                               const MemoryRequest& a) {
  const bool was_held = held;
  if (held && a_fires && a == condition) held = false;
  const bool observed = a_fires && a == next;
  if (command && !observed) {
    held = true;
    condition = next;
  }
  return held != was_held;
}

bool Accumulator::lock_is_steady(std::uint64_t next) const {
  if (requests_.empty()) return !lock_.held;
  const MemoryRequest& waiting = requests_.front();
  if ((fires_ & leg_lock) == 0) return !lock_.held || !waiting.write;
  return waiting.address != next && (!lock_.held || lock_.condition == waiting);
}

Accumulator::Activity Accumulator::activity() const {
  const Link<MemoryRequest>& request = port_a_.request;
  if (request.fires()) return Activity::access;
  if (request.valid && request.bits.write) {
    if (!links_.input.valid) return Activity::wait_data;
    return lock_.held ? Activity::wait_lock : Activity::wait_operand;
  }
  const bool data_waits = port_a_.read_data.valid && !links_.output.ready;
  return request.valid || data_waits ? Activity::wait_reader : Activity::none;
}

void Accumulator::commit() {
  fires_ = pending_legs_ & ready_legs();
  const unsigned done = links_.control.ready ? 0 : done_legs_ | fires_;
  bool turn = done != done_legs_;
  done_legs_ = done;
  port_a_.read_data.ready = links_.output.ready;
  turn |= input_routes_.commit((fires_ & leg_input_route) != 0, route_leg_, input_route_taken_);
  turn |= write_routes_.commit((fires_ & leg_write_route) != 0, route_leg_, write_route_taken_);
  if (turn) ++clock_.turns;
  move();
}

void Accumulator::redrive() {
  memory_.redrive();
  links_.output.bits = port_a_.read_data.bits;
  request_leg_.address = port_b_.request.bits.address = links_.control.bits.address;
  port_a_.request.bits = requests_.output(request_leg_);
}

/// Requests and data.
void Accumulator::move() {
  if (fires_ != 0) ++clock_.progress;
  if (port_a_.write_data.fires()) {
    ++clock_.progress;
    port_a_.write_data.bits = links_.input.bits;
    if (sums_) {
      kernels_.add(links_.input.bits, port_b_.read_data.bits, sum_.data(), lanes_);
      port_a_.write_data.bits = sum_.data();
    }
  }
  bool turn = lock_.commit((fires_ & leg_lock) != 0, request_leg_, port_a_.request.fires(),
                           port_a_.request.bits);
  turn |= requests_.commit((fires_ & leg_a) != 0, request_leg_, port_a_.request.ready);
  if (turn) ++clock_.turns;
  memory_.commit();
}

std::string Accumulator::waits_for() const {
  if (requests_.empty()) return "nothing to do";
  if (!requests_.front().write) return "room for read data, which nobody takes";
  return "data for a write to accumulator " + std::to_string(requests_.front().address);
}

void Accumulator::describe(const trace::Scope& scope) const {
  const unsigned bits = std::max(1U, scope.widths().layout.accumulator_address);
  scope.channel("control", links_.control);
  scope.channel("input", links_.input);
  scope.channel("output", links_.output);
  scope.level("port_a_queue", 1, [this] { return requests_.count(); });
  scope.level("demux_queue", 1, [this] { return input_routes_.count(); });
  scope.level("mux_queue", 1, [this] { return write_routes_.count(); });
  scope.state(
      "done", 5, [this] { return done_legs_; },
      "legs taken: 1 port A, 2 port B, 4 demux, 8 mux, 10 lock");
  scope.reg("lock_held", 1, [this] { return lock_.held; });
  scope.reg(
      "lock_address", bits, [this] { return lock_.held ? lock_.condition.address : 0; },
      trace::Radix::decimal);
  memory_.describe(scope.unit("acc"));
}

}  // namespace tactus
