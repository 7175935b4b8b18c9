#include "models/tcu/accumulators/accumulator.h"

#include <algorithm>

#include "models/tcu/channel_signals.h"
#include "models/tcu/events.h"
#include "models/tcu/widths.h"

namespace tactus {

Accumulator::Accumulator(const sc_core::sc_module_name& name, Clock& clock,
                         const tcu::Architecture& architecture, const AccumulatorLinks& links)
    : sc_module(name),
      clock_(clock),
      links_(links),
      kernels_(tcu::vector_kernels(architecture.data_type)),
      lanes_(architecture.array_size),
      ordered_(architecture.shadow_weights != tcu::ShadowWeights::off),
      memory_("memory", clock, architecture.accumulator_depth, architecture.vector_bytes(),
              {{TcuEvent::accumulator_read_a, TcuEvent::accumulator_read_b},
               {TcuEvent::accumulator_write_a, TcuEvent::accumulator_write_a}},
              port_a_, port_b_),
      address_mask_((std::uint64_t{1} << tcu::address_bits(architecture.accumulator_depth)) - 1),
      sum_(architecture.vector_bytes()) {}

void Accumulator::accept() {
  const AccumulatorRequest& request = links_.control.bits;
  unsigned needed = leg_a;
  if (request.write) needed |= leg_route | (request.accumulate ? leg_b : leg_lock);
  request_leg_.write = request.write;
  route_leg_ = request.accumulate ? through_adder : direct;
  request_leg_.address = port_b_.request.bits.address = request.address;
  port_a_.request.bits = requests_.output(request_leg_);
  fork_.offer(links_.control.valid, needed);
  const bool has_input = links_.input.valid;

  port_a_.request.valid = requests_.has_output(fork_.pending(leg_a));
  early_ = lock_.held ||
           (links_.control.valid && request.accumulate && reads_too_early(request.address));
  port_b_.request.valid = fork_.pending(leg_b) && !early_;

  // Through the adder, input and port B's data leave together.
  const bool routed = routes_.has_output(fork_.pending(leg_route));
  sums_ = routes_.output(route_leg_) == through_adder;
  const bool has_operand = !sums_ || port_b_.read_data.valid;
  port_a_.write_data.valid = routed && has_input && has_operand;
  memory_.accept();
  const bool consumer_ready = routed && port_a_.write_data.ready;
  links_.input.ready = consumer_ready && has_operand;
  port_b_.read_data.ready = consumer_ready && sums_ && has_input;

  const unsigned ready = ready_legs();
  links_.control.ready = fork_.all(ready);
  fires_ = fork_.fires(ready);
}

unsigned Accumulator::ready_legs() const {
  unsigned ready = leg_lock;
  if (requests_.can_enqueue(port_a_.request.ready)) ready |= leg_a;
  if (routes_.can_enqueue(port_a_.write_data.fires())) ready |= leg_route;
  if (!early_ && port_b_.request.ready) ready |= leg_b;
  return ready;
}

void Accumulator::Lock::commit(bool command, const MemoryRequest& next, bool a_fires,
                               const MemoryRequest& a) {
  if (held && a_fires && a == condition) held = false;
  const bool observed = a_fires && a == next;
  if (!command || observed) return;
  held = true;
  condition = next;
}

Accumulator::Activity Accumulator::activity() const {
  const Link<MemoryRequest>& request = port_a_.request;
  if (request.fires()) return Activity::access;
  if (request.valid && request.bits.write) {
    if (!links_.input.valid) return Activity::wait_data;
    return early_ ? Activity::wait_lock : Activity::wait_operand;
  }
  const bool data_waits = port_a_.read_data.valid && !port_a_.read_data.ready;
  return request.valid || data_waits ? Activity::wait_reader : Activity::none;
}

void Accumulator::decide() {
  memory_.decide();
  const unsigned done = fork_.after(links_.control.ready, fires_);
  edge_.fires = fires_;
  edge_.done = done;
  edge_.takes_input = port_a_.write_data.fires();
  edge_.a_fires = port_a_.request.fires();
  edge_.a_ready = port_a_.request.ready;
  edge_.activity = activity();
  edge_.rests = done == fork_.done() && fires_ == 0 && !edge_.takes_input && !edge_.a_fires &&
                memory_.edge().rests;
}

void Accumulator::move() {
  if (edge_.rests) return;
  // Once port A has taken the write of this control item, earlier writes are done.
  if ((edge_.fires & leg_b) != 0 && (fork_.done() & leg_a) == 0 && !requests_.empty() &&
      requests_.front().write && requests_.front().address == links_.control.bits.address) {
    ++early_reads_;
  }
  fork_.move(edge_.done);
  routes_.commit((edge_.fires & leg_route) != 0, route_leg_, edge_.takes_input);
  if (edge_.fires != 0) ++clock_.progress;
  if (edge_.takes_input) {
    ++clock_.progress;
    port_a_.write_data.bits = links_.input.bits;
    if (sums_) {
      kernels_.add(links_.input.bits, port_b_.read_data.bits, sum_.data(), lanes_);
      port_a_.write_data.bits = sum_.data();
    }
  }
  lock_.commit((edge_.fires & leg_lock) != 0, request_leg_, edge_.a_fires, port_a_.request.bits);
  requests_.commit((edge_.fires & leg_a) != 0, request_leg_, edge_.a_ready);
  memory_.move();
}

std::string Accumulator::waits_for() const {
  if (requests_.empty()) return "nothing to do";
  if (!requests_.front().write) return "room for read data, which nobody takes";
  return "data for a write to accumulator " + std::to_string(requests_.front().address);
}

void Accumulator::describe(const trace::Scope& scope) const {
  const unsigned bits = std::max(1U, layout_of(scope).accumulator_address);
  scope.channel("control", links_.control);
  scope.channel("input", links_.input);
  scope.channel("output", port_a_.read_data);
  scope.level("port_a_queue", 1, [this] { return requests_.count(); });
  scope.level("demux_queue", 1, [this] { return routes_.count(); });
  scope.level("mux_queue", 1, [this] { return routes_.count(); });
  scope.state(
      "done", 5, [this] { return fork_.done(); },
      "legs taken: 1 port A, 2 port B, 4 demux, 8 mux, 10 lock");
  scope.reg("lock_held", 1, [this] { return lock_.held; });
  scope.reg(
      "lock_address", bits, [this] { return lock_.held ? lock_.condition.address : 0; },
      trace::Radix::decimal);
  memory_.describe(scope.unit("acc"));
}

}  // namespace tactus
