#include "models/top/tcu/accumulators/accumulator_with_alu.h"

#include <cstring>

#include "models/top/channel_signals.h"

namespace tactus {

AccumulatorWithAlu::AccumulatorWithAlu(const sc_core::sc_module_name& name, Clock& clock,
                                       const tcu::Architecture& architecture,
                                       const AccumulatorWithAluLinks& links)
    : sc_module(name),
      clock_(clock),
      links_(links),
      accumulator_("accumulator", clock, architecture,
                   {request_, accumulator_input_, accumulator_output_}),
      alu_("alu", clock, architecture, {operation_, alu_input_, alu_output_}),
      account_("accumulators", clock, state_table, rest) {}

/// What the item at the head asks for in this cycle. The head may be stale (empty queue): its legs
/// are then not valid, but `read_done_` still follows them, as in the RTL.
void AccumulatorWithAlu::decode_phase() {
  const AccumulatorControl& item = control_.front();
  simd_ = item.alu.op != tcu::SimdOp::no_op;
  const bool two_phases = item.read && item.write;
  if (!two_phases) {
    phase_ = Phase::single;
  } else if (read_done_) {
    phase_ = Phase::write;
  } else {
    // Without a source 0 the read phase passes in one cycle and issues no ALU operation.
    const bool uses_input = item.alu.left == 0 || item.alu.right == 0;
    phase_ = simd_ && !uses_input ? Phase::skip_read : Phase::read;
  }

  const bool reads = two_phases ? phase_ == Phase::read : item.read;
  const bool writes = two_phases ? phase_ == Phase::write : item.write;
  needed_legs_ = 0;
  if (reads) needed_legs_ |= leg_accumulator | leg_output_select;
  if (writes) needed_legs_ |= leg_accumulator | leg_input_select;
  if (simd_) {
    // The ALU operation issues in the first phase; where its result goes is settled in the last.
    if (phase_ == Phase::single || phase_ == Phase::read) needed_legs_ |= leg_alu;
    if (phase_ == Phase::single || phase_ == Phase::write) needed_legs_ |= leg_result_select;
  }
  result_to_accumulator_ = writes;
  request_.bits = {writes ? item.write_address : item.read_address, writes,
                   writes && item.accumulate};
  operation_.bits = item.alu;
}

void AccumulatorWithAlu::drive() {
  was_idle_ = idle();
  links_.control.ready = control_.can_enqueue();
  decode_phase();
  pending_legs_ = control_.empty() ? 0 : needed_legs_ & ~done_legs_;
  request_.valid = (pending_legs_ & leg_accumulator) != 0;
  operation_.valid = (pending_legs_ & leg_alu) != 0;

  const auto select = [&](const SelectQueue& queue, unsigned leg, bool value, bool& selected,
                          bool& route) {
    selected = queue.has_output((pending_legs_ & leg) != 0);
    route = queue.output(value ? 1 : 0) != 0;
  };
  select(input_select_, leg_input_select, simd_, input_selected_, input_from_alu_);
  select(output_select_, leg_output_select, simd_, output_selected_, output_to_alu_);
  select(result_select_, leg_result_select, result_to_accumulator_, result_selected_, result_kept_);

  accumulator_.drive();
  alu_.drive();
  const bool out = output_selected_ && accumulator_output_.valid;
  links_.output.valid = out && !output_to_alu_;
  links_.output.bits = accumulator_output_.bits;
  alu_input_.valid = out && output_to_alu_;
  alu_input_.bits = accumulator_output_.bits;
}

void AccumulatorWithAlu::accept() {
  if (input_from_alu_) {
    accumulator_input_.valid =
        input_selected_ && result_selected_ && result_kept_ && alu_output_.valid;
  } else {
    accumulator_input_.valid = input_selected_ && links_.input.valid;
  }
  accumulator_.accept_input();
  accumulator_.accept_control();
  links_.input.ready = input_selected_ && !input_from_alu_ && accumulator_input_.ready;
}

void AccumulatorWithAlu::route_input() {
  accumulator_input_.bits = input_from_alu_ ? alu_output_.bits : links_.input.bits;
}

AccumulatorWithAlu::State AccumulatorWithAlu::state() const {
  switch (accumulator_.activity()) {
    case Accumulator::Activity::access:
      return access;
    case Accumulator::Activity::wait_data:
      return input_from_alu_ ? wait_alu : wait_input;
    case Accumulator::Activity::wait_operand:
      return wait_operand;
    case Accumulator::Activity::wait_lock:
      return wait_lock;
    case Accumulator::Activity::wait_reader:
      return wait_reader;
    case Accumulator::Activity::none:
      break;
  }
  if (was_idle_) return rest;
  return !alu_.idle() || (!control_.empty() && simd_) ? wait_alu : deliver;
}

void AccumulatorWithAlu::commit() {
  const std::uint64_t progress = clock_.progress;
  route_input();
  alu_.accept();
  accumulator_output_.ready =
      output_selected_ && (output_to_alu_ ? alu_input_.ready : links_.output.ready);
  const bool alu_to_accumulator = input_selected_ && input_from_alu_ && accumulator_input_.ready;
  alu_output_.ready = result_selected_ && (!result_kept_ || alu_to_accumulator);

  account_.enter(state());
  const bool input_taken = accumulator_input_.fires();
  const bool output_taken = accumulator_output_.fires();
  const bool result_taken = alu_output_.fires();
  unsigned ready = 0;
  if (request_.ready) ready |= leg_accumulator;
  if (operation_.ready) ready |= leg_alu;
  if (input_select_.can_enqueue(input_taken)) ready |= leg_input_select;
  if (output_select_.can_enqueue(output_taken)) ready |= leg_output_select;
  if (result_select_.can_enqueue(result_taken)) ready |= leg_result_select;

  const bool all = (needed_legs_ & ~(ready | done_legs_)) == 0;
  fires_ = pending_legs_ & ready;
  const unsigned done = all ? 0 : done_legs_ | fires_;
  const bool read_done = read_done_;
  bool turn = done != done_legs_;
  done_legs_ = done;
  switch (phase_) {
    case Phase::single:
      read_done_ = false;
      break;
    case Phase::read:
      read_done_ = all;
      break;
    case Phase::skip_read:
      read_done_ = true;
      break;
    case Phase::write:
      read_done_ = !all;
      break;
  }
  retires_ = all && (phase_ == Phase::single || phase_ == Phase::write);
  turn |= read_done_ != read_done;
  turn |= input_select_.commit((fires_ & leg_input_select) != 0, simd_, input_taken);
  turn |= output_select_.commit((fires_ & leg_output_select) != 0, simd_, output_taken);
  turn |= result_select_.commit((fires_ & leg_result_select) != 0, result_to_accumulator_,
                                result_taken);
  // Children first: they look at this cycle's wires, which point into the head.
  accumulator_.commit();
  alu_.commit();
  if (fires_ != 0 || (retires_ && !control_.empty())) ++clock_.progress;
  turn |= control_.commit(links_.control.fires(), links_.control.bits, retires_);
  if (turn) ++clock_.turns;
  moved_ = clock_.progress != progress;
}

bool AccumulatorWithAlu::redrive() {
  const AccumulatorControl& item = control_.front();
  request_.bits.address = request_.bits.write ? item.write_address : item.read_address;
  accumulator_.redrive();
  alu_.redrive();
  links_.output.bits = accumulator_output_.bits;
  alu_input_.bits = accumulator_output_.bits;
  return true;
}

/// The select queues keep their content: what leaves is followed by its like.
void AccumulatorWithAlu::repeat() {
  route_input();
  accumulator_.repeat();
  if (!alu_.idle() || operation_.fires()) alu_.commit();
  if (fires_ != 0 || (retires_ && !control_.empty())) ++clock_.progress;
  if (control_.commit(links_.control.fires(), links_.control.bits, retires_)) ++clock_.turns;
}

/// SIMD operations come and go every few cycles; accesses make the runs.
Cycle AccumulatorWithAlu::steady(Cycle most) const {
  if (!alu_.idle() || operation_.fires() || control_.empty()) return 0;
  const Link<AccumulatorControl>& offered = links_.control;
  if (!offered.fires() || !control_.uniform(offered.bits)) return 0;
  if (!retires_ || !request_.fires()) return 0;
  // The addresses that come after one another: in the queue, then on the link.
  const auto address = [this](const AccumulatorControl& c) {
    return request_.bits.write ? c.write_address : c.read_address;
  };
  const AccumulatorControl& last = control_.back();
  const bool differ = address(last) != address(offered.bits) &&
                      (control_.count() < 2 || address(control_.front()) != address(last));
  return differ && accumulator_.lock_is_steady(address(control_.front())) ? most : 0;
}

void AccumulatorWithAlu::run(Cycle cycles) {
  const bool gives = links_.output.fires();
  const std::size_t bytes = accumulator_.memory().vector_bytes();
  if (gives) {
    run_bytes_.resize(cycles * bytes);
    run_.resize(cycles);
  }
  for (Cycle i = 0; i < cycles; ++i) {
    links_.control.bits = links_.control.run[i];
    if (links_.input.fires()) links_.input.bits = links_.input.run[i];
    redrive();
    if (gives) {
      std::memcpy(run_bytes_.data() + i * bytes, links_.output.bits, bytes);
      run_[i] = run_bytes_.data() + i * bytes;
    }
    repeat();
  }
  links_.output.run = run_.data();
}

std::string AccumulatorWithAlu::waits_for() const {
  if (control_.empty()) return accumulator_.waits_for();
  const AccumulatorControl& item = control_.front();
  std::string text = simd_ ? "SIMD instruction" : "access";
  text += item.read ? (item.write ? " (read+write)" : " (read)") : item.write ? " (write)" : "";
  if (pending_legs_ & leg_alu) return text + " waits for the ALU's input vector";
  return text + " waits behind: " + accumulator_.waits_for();
}

void AccumulatorWithAlu::describe(const trace::Scope& scope, const trace::Scope& alu) const {
  scope.channel("control", links_.control);
  scope.channel("input", links_.input);
  scope.channel("output", links_.output);
  {
    trace::Payload head = scope.head(
        "head", [this] { return !control_.empty(); }, [this] { return retires_; },
        trace::Moment::committed);
    describe_accumulator_control(
        head, [this]() -> const AccumulatorControl& { return control_.front(); });
  }
  scope.level("control_queue", 2, [this] { return control_.count(); });
  scope.state(
      "phase", 2, [this] { return phase_; }, "0 single, 1 read, 2 skip read, 3 write",
      trace::Moment::committed);
  scope.reg("readDone", 1, [this] { return read_done_; });
  scope.state(
      "done", 5, [this] { return done_legs_; }, "legs taken: 1 accumulator, 2 I, 4 O, 8 D, 10 ALU");
  const auto select = [&](const char* name, const SelectQueue& queue, const bool& valid,
                          const bool& value, const char* note) {
    const trace::Scope part = scope.part(name);
    part.wire("valid", 1, [&valid] { return valid; });
    part.state(
        "select", 1, [&valid, &value] { return valid && value; }, note, trace::Moment::committed);
    part.level("queue", 1, [&queue] { return queue.count(); });
  };
  select("I", input_select_, input_selected_, input_from_alu_, "0 router, 1 ALU");
  select("O", output_select_, output_selected_, output_to_alu_, "0 router, 1 ALU");
  select("D", result_select_, result_selected_, result_kept_, "0 sink, 1 accumulator");
  accumulator_.describe(scope.unit("accumulator"));
  alu_.describe(alu);
}

}  // namespace tactus
