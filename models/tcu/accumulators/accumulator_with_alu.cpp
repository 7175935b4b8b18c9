#include "models/tcu/accumulators/accumulator_with_alu.h"

#include <fmt/format.h>

#include "models/tcu/channel_signals.h"

namespace tactus {

AccumulatorWithAlu::AccumulatorWithAlu(const sc_core::sc_module_name& name, Clock& clock,
                                       const tcu::Architecture& architecture,
                                       const AccumulatorWithAluLinks& links)
    : sc_module(name),
      clock_(clock),
      links_(links),
      accumulator_("accumulator", clock, architecture, {request_, accumulator_input_}),
      accumulator_output_(accumulator_.output()),
      tables_(architecture.lookup_tables.count == 0
                  ? nullptr
                  : std::make_unique<LookupMemory>("tables", clock, architecture)),
      alu_("alu", clock, architecture, {operation_, alu_input_, alu_output_, tables_.get()}),
      address_mask_((std::uint64_t{1} << tcu::address_bits(architecture.accumulator_depth)) - 1),
      account_("accumulators", clock, state_table, rest) {}

constexpr std::array<AccumulatorWithAlu::Step, 32> AccumulatorWithAlu::make_steps() {
  std::array<Step, 32> steps{};
  for (unsigned bits = 0; bits < steps.size(); ++bits) {
    Step& step = steps[bits];
    const bool simd = (bits & bit_simd) != 0;
    const bool two_phases = (bits & bit_read) != 0 && (bits & bit_write) != 0;
    if (!two_phases) {
      step.phase = Phase::single;
    } else if ((bits & bit_done) != 0) {
      step.phase = Phase::write;
    } else {
      // Without a source 0 the read phase passes in one cycle and issues no ALU operation.
      step.phase = simd && (bits & bit_input) == 0 ? Phase::skip_read : Phase::read;
    }
    const bool reads = two_phases ? step.phase == Phase::read : (bits & bit_read) != 0;
    step.writes = two_phases ? step.phase == Phase::write : (bits & bit_write) != 0;
    unsigned legs = 0;
    if (reads) legs |= leg_accumulator | leg_output_select;
    if (step.writes) legs |= leg_accumulator | leg_input_select;
    // The ALU operation issues in the first phase; where its result goes is settled in the last.
    if (simd && (step.phase == Phase::single || step.phase == Phase::read)) legs |= leg_alu;
    if (simd && (step.phase == Phase::single || step.phase == Phase::write)) {
      legs |= leg_result_select;
    }
    step.needed_legs = static_cast<std::uint8_t>(legs);
  }
  return steps;
}

constexpr std::array<AccumulatorWithAlu::Step, 32> AccumulatorWithAlu::steps = make_steps();

/// Decodes the requests of the item at the head in this cycle. The head may be stale (empty queue):
/// its legs are then not valid, but `read_done_` still follows them, as in the RTL.
void AccumulatorWithAlu::decode_phase() {
  const AccumulatorControl& item = control_.front();
  const Step step = steps[step_index(item, read_done_)];
  simd_ = item.alu.op != tcu::SimdOp::no_op;
  entries_ = awaits_entries();
  phase_ = step.phase;
  fork_.offer(!control_.empty(), step.needed_legs);
  offered_ = (simd_ ? leg_input_select | leg_output_select : 0U) |
             (step.writes ? unsigned{leg_result_select} : 0U);
  request_.bits = {step.writes ? item.write_address : item.read_address, step.writes,
                   step.writes && item.accumulate};
  // If no operation is issued, the ALU's input shows a NoOp, for which it is ready without a
  // vector.
  operation_.bits = (step.needed_legs & leg_alu) != 0 ? item.alu : AluOperation{};
}

void AccumulatorWithAlu::drive() {
  links_.control.ready = control_.can_enqueue();
  decode_phase();
  request_.valid = fork_.pending(leg_accumulator);
  operation_.valid = fork_.pending(leg_alu);

  selected_ = selects_.full | (fork_.pending() & select_legs);
  routes_ = selects_.output(offered_);

  accumulator_.drive();
  alu_.drive();
  const bool out = selected(leg_output_select) && accumulator_output_.valid;
  links_.output.valid = out && !output_to_alu();
  alu_input_.valid = out && output_to_alu();
  links_.output.bits = alu_input_.bits = accumulator_output_.bits;
}

void AccumulatorWithAlu::accept() {
  const bool takes = selected(leg_input_select);
  if (input_from_alu()) {
    accumulator_input_.valid =
        takes && selected(leg_result_select) && result_kept() && alu_output_.valid;
  } else {
    accumulator_input_.valid = takes && links_.input.valid;
  }
  accumulator_.accept();
  links_.input.ready = takes ? !input_from_alu() && accumulator_input_.ready : entries_;
}

/// Before the clock edge.
AccumulatorWithAlu::State AccumulatorWithAlu::state() const {
  switch (accumulator_.edge().activity) {
    case Accumulator::Activity::access:
      return access;
    case Accumulator::Activity::wait_data:
      return input_from_alu() ? wait_alu : wait_input;
    case Accumulator::Activity::wait_operand:
      return wait_operand;
    case Accumulator::Activity::wait_lock:
      return wait_lock;
    case Accumulator::Activity::wait_reader:
      return wait_reader;
    case Accumulator::Activity::none:
      break;
  }
  if (idle()) return rest;
  if (entries_) return load_table;
  return !alu_.idle() || (!control_.empty() && simd_) ? wait_alu : deliver;
}

LookupMemory::State AccumulatorWithAlu::table_state() const {
  if (takes_entries_) return LookupMemory::load;
  if (entries_) return LookupMemory::wait;
  const bool looks_up = alu_.edge().issues && operation_.bits.op == tcu::SimdOp::lookup;
  return looks_up ? LookupMemory::look_up : LookupMemory::rest;
}

void AccumulatorWithAlu::decide() {
  alu_.accept();
  accumulator_output_.ready =
      selected(leg_output_select) && (output_to_alu() ? alu_input_.ready : links_.output.ready);
  const bool alu_to_accumulator =
      selected(leg_input_select) && input_from_alu() && accumulator_input_.ready;
  alu_output_.ready = selected(leg_result_select) && (!result_kept() || alu_to_accumulator);
  accumulator_.decide();
  alu_.decide();

  unsigned taken = 0;  // items of the select queues taken together with the vector
  if (accumulator_input_.fires()) taken |= leg_input_select;
  if (accumulator_output_.fires()) taken |= leg_output_select;
  if (alu_output_.fires()) taken |= leg_result_select;
  unsigned ready = select_legs & (taken | ~selects_.full);
  if (request_.ready) ready |= leg_accumulator;
  if (operation_.ready) ready |= leg_alu;

  const bool all = fork_.all(ready);
  const unsigned fires = fork_.fires(ready);
  const unsigned done = fork_.after(all, fires);
  edge_.fires = fires;
  edge_.done = done;
  edge_.taken = taken;
  edge_.read_done = read_done_after(all);
  edge_.enters = links_.control.fires();
  edge_.retires = all && (phase_ == Phase::single || phase_ == Phase::write);
  takes_entries_ = entries_ && !selected(leg_input_select) && links_.input.valid;
  if (entries_) edge_.retires = takes_entries_;
  edge_.state = state();
  edge_.rests = fires == 0 && taken == 0 && done == fork_.done() && edge_.read_done == read_done_ &&
                !edge_.enters && (!edge_.retires || control_.empty()) &&
                accumulator_.edge().rests && alu_.rests();
}

/// True if the read phase of the item at the head is complete after this cycle. `all`: everything
/// it requests is taken in this cycle.
bool AccumulatorWithAlu::read_done_after(bool all) const {
  switch (phase_) {
    case Phase::single:
      return false;
    case Phase::read:
      return all;
    case Phase::skip_read:
      return true;
    case Phase::write:
      return !all;
  }
  return false;
}

void AccumulatorWithAlu::move_entries() {
  tables_->enter_account(table_state());
  if (takes_entries_) {
    const AccumulatorControl& item = control_.front();
    ++tables_->counts().vectors;
    if (!clock_.timing_only) {
      tables_->write(item.table - 1U, item.read_address, links_.input.bits);
    }
  }
}

/// The children are moved first, since they read this cycle's wires, which point into the head.
void AccumulatorWithAlu::move() {
  account_.enter(edge_.state);
  alu_.account().enter(alu_.edge().state);
  if (tables_) move_entries();
  if (edge_.rests) return;
  accumulator_input_.bits = input_from_alu() ? alu_output_.bits : links_.input.bits;
  accumulator_.move();
  alu_.move();
  fork_.move(edge_.done);
  read_done_ = edge_.read_done;
  selects_.commit(edge_.fires & select_legs, offered_, edge_.taken);
  if (edge_.fires != 0 || (edge_.retires && !control_.empty())) ++clock_.progress;
  control_.commit(edge_.enters, links_.control.bits, edge_.retires);
}

std::string AccumulatorWithAlu::waits_for() const {
  if (control_.empty()) return accumulator_.waits_for();
  const AccumulatorControl& item = control_.front();
  if (item.table != 0) return fmt::format("entries for lookup table {}", item.table - 1);
  std::string text = simd_ ? "SIMD instruction" : "access";
  text += item.read ? (item.write ? " (read+write)" : " (read)") : item.write ? " (write)" : "";
  if (fork_.pending(leg_alu)) return text + " waits for the ALU's input vector";
  return text + " waits behind: " + accumulator_.waits_for();
}

void AccumulatorWithAlu::describe(const trace::Scope& scope, const trace::Scope& alu) const {
  scope.channel("control", links_.control);
  scope.channel("input", links_.input);
  scope.channel("output", links_.output);
  {
    trace::Payload head = scope.head(
        "head", [this] { return !control_.empty(); }, [this] { return edge_.retires; },
        trace::Moment::committed);
    trace::describe_fields<AccumulatorControl>(
        head, [this]() -> const AccumulatorControl& { return control_.front(); });
  }
  scope.level("control_queue", 2, [this] { return control_.count(); });
  scope.state(
      "phase", 2, [this] { return phase_; }, "0 single, 1 read, 2 skip read, 3 write",
      trace::Moment::committed);
  scope.reg("readDone", 1, [this] { return read_done_; });
  scope.state(
      "done", 5, [this] { return fork_.done(); },
      "legs taken: 1 accumulator, 2 I, 4 O, 8 D, 10 ALU");
  const auto select = [&](const char* name, Leg queue, const char* note) {
    const trace::Scope part = scope.part(name);
    part.wire("valid", 1, [this, queue] { return selected(queue); });
    part.state(
        "select", 1, [this, queue] { return selected(queue) && (routes_ & queue) != 0; }, note,
        trace::Moment::committed);
    part.level("queue", 1, [this, queue] { return (selects_.full & queue) != 0 ? 1 : 0; });
  };
  select("I", leg_input_select, "0 router, 1 ALU");
  select("O", leg_output_select, "0 router, 1 ALU");
  select("D", leg_result_select, "0 sink, 1 accumulator");
  accumulator_.describe(scope.unit("accumulator"));
  if (tables_) tables_->describe(scope.unit("tables"));
  alu_.describe(alu);
}

}  // namespace tactus
