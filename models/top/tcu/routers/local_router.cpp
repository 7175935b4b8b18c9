#include "models/top/tcu/routers/local_router.h"

#include <algorithm>

#include "models/top/channel_signals.h"

namespace tactus {

LocalRouter::LocalRouter(const sc_core::sc_module_name& name, Clock& clock, unsigned array_size,
                         std::uint64_t local_depth, const LocalRouterLinks& links)
    : sc_module(name),
      clock_(clock),
      links_(links),
      read_(1, local_depth),
      write_(1, local_depth),
      accumulator_(2 * array_size, local_depth),
      account_("local_router", clock, state_table, rest) {}

void LocalRouter::SelectStream::drive(bool leg_valid, const Select& leg) {
  valid = queue.has_output(leg_valid);
  select = queue.output(leg);
}

bool LocalRouter::SelectStream::commit(bool enqueue, const Select& leg) {
  if (!valid) return false;
  const bool taken = data_fires && expander.last(select.size);
  if (data_fires) expander.advance(select.size);
  return queue.commit(enqueue, leg, taken) || taken;
}

void LocalRouter::drive() {
  const Dataflow& flow = links_.control.bits;
  needed_legs_ = 0;
  switch (flow.kind) {
    case DataflowKind::local_to_array_weights:
      needed_legs_ = leg_read;
      read_leg_ = {to_weights, flow.size};
      break;
    case DataflowKind::local_to_array_to_accumulator:
      needed_legs_ = leg_read | leg_accumulator;
      read_leg_ = {to_input, flow.size};
      accumulator_leg_ = {from_array, flow.size};
      break;
    case DataflowKind::array_to_accumulator:
      needed_legs_ = leg_accumulator;
      accumulator_leg_ = {from_array, flow.size};
      break;
    case DataflowKind::accumulator_to_local:
      needed_legs_ = leg_write;
      write_leg_ = {from_accumulator, flow.size};
      break;
    case DataflowKind::local_to_accumulator:
      needed_legs_ = leg_read | leg_accumulator;
      read_leg_ = {to_accumulator, flow.size};
      accumulator_leg_ = {from_local, flow.size};
      break;
    case DataflowKind::local_to_dais_to_accumulator:
      needed_legs_ = leg_read | leg_accumulator;
      read_leg_ = {to_dais, flow.size};
      accumulator_leg_ = {from_dais, flow.results};
      break;
    case DataflowKind::none:
      break;
  }
  pending_legs_ = links_.control.valid ? needed_legs_ & ~done_legs_ : 0;
  read_.drive((pending_legs_ & leg_read) != 0, read_leg_);
  write_.drive((pending_legs_ & leg_write) != 0, write_leg_);
  accumulator_.drive((pending_legs_ & leg_accumulator) != 0, accumulator_leg_);

  const bool read = links_.local.read_data.valid;
  links_.array_weights.valid = read && read_.routes_to(to_weights);
  links_.array_input.valid = read && read_.routes_to(to_input);
  if (links_.dais_input != nullptr) {
    links_.dais_input->valid = read && read_.routes_to(to_dais);
    results_of_dais_ = accumulator_.routes_to(from_dais);
  }
  links_.local.write_data.valid =
      write_.routes_to(from_accumulator) && links_.accumulator_output.valid;
  if (accumulator_.routes_to(from_array)) {
    links_.accumulator_input.valid = links_.array_output.valid;
  } else if (accumulator_.routes_to(from_dais)) {
    links_.accumulator_input.valid = links_.dais_output->valid;
  } else {
    links_.accumulator_input.valid =
        accumulator_.routes_to(from_local) && read && read_.routes_to(to_accumulator);
  }
  route();
}

/// The data paths.
void LocalRouter::route() {
  const VectorRef read = links_.local.read_data.bits;
  links_.array_weights.bits = read;
  links_.array_input.bits = read;
  if (links_.dais_input != nullptr) links_.dais_input->bits = read;
  links_.local.write_data.bits = links_.accumulator_output.bits;
  if (accumulator_.routes_to(from_array)) {
    links_.accumulator_input.bits = links_.array_output.bits;
  } else if (accumulator_.routes_to(from_dais)) {
    links_.accumulator_input.bits = links_.dais_output->bits;
  } else {
    links_.accumulator_input.bits = read;
  }
}

bool LocalRouter::redrive() {
  if (read_.ends() || write_.ends() || accumulator_.ends()) return false;
  route();
  return true;
}

void LocalRouter::repeat() {
  read_.repeat();
  write_.repeat();
  accumulator_.repeat();
}

Cycle LocalRouter::steady(Cycle most) const {
  for (const SelectStream* stream : {&read_, &write_, &accumulator_}) {
    if (stream->data_fires) {
      most = std::min(most, stream->expander.before_last(stream->select.size));
    }
  }
  return most;
}

void LocalRouter::run_reads() {
  links_.array_weights.run = links_.array_input.run = links_.local.read_data.run;
}
void LocalRouter::run_results() {
  links_.accumulator_input.run =
      accumulator_.routes_to(from_array) ? links_.array_output.run : links_.local.read_data.run;
}
void LocalRouter::run_writes() { links_.local.write_data.run = links_.accumulator_output.run; }

void LocalRouter::run(Cycle cycles) {
  for (SelectStream* stream : {&read_, &write_, &accumulator_}) {
    if (stream->data_fires) stream->expander.advance_by(cycles);
  }
}

void LocalRouter::accept_results() {
  links_.array_output.ready = accumulator_.routes_to(from_array) && links_.accumulator_input.ready;
  if (links_.dais_output != nullptr) {
    links_.dais_output->ready = accumulator_.routes_to(from_dais) && links_.accumulator_input.ready;
  }
  accumulator_.data_fires = accumulator_.valid && links_.accumulator_input.fires();
  links_.accumulator_output.ready =
      write_.routes_to(from_accumulator) && links_.local.write_data.ready;
  write_.data_fires = write_.valid && links_.local.write_data.fires();
}

void LocalRouter::accept_reads() {
  bool consumer_ready = false;
  if (read_.valid) {
    switch (read_.select.route) {
      case to_weights:
        consumer_ready = links_.array_weights.ready;
        break;
      case to_input:
        consumer_ready = links_.array_input.ready;
        break;
      case to_dais:
        consumer_ready = links_.dais_input->ready;
        break;
      default:
        consumer_ready = accumulator_.routes_to(from_local) && links_.accumulator_input.ready;
        break;
    }
  }
  links_.local.read_data.ready = consumer_ready;
  read_.data_fires = consumer_ready && links_.local.read_data.valid;
  ready_legs_ = ready_legs();
  links_.control.ready = (needed_legs_ & ~(ready_legs_ | done_legs_)) == 0;
}

unsigned LocalRouter::ready_legs() const {
  return (read_.can_enqueue() ? leg_read : 0U) | (write_.can_enqueue() ? leg_write : 0U) |
         (accumulator_.can_enqueue() ? leg_accumulator : 0U);
}

LocalRouter::State LocalRouter::state() const {
  if (read_.data_fires || write_.data_fires || accumulator_.data_fires) return pass;
  if (!read_.valid && !write_.valid && !accumulator_.valid) return rest;
  const bool offered = (read_.valid && links_.local.read_data.valid) ||
                       (write_.valid && links_.accumulator_output.valid) ||
                       (accumulator_.valid && links_.accumulator_input.valid);
  return offered ? wait_consumer : wait_source;
}

void LocalRouter::commit() {
  account_.enter(state());
  const unsigned fires = pending_legs_ & ready_legs_;
  const unsigned done = links_.control.ready ? 0 : done_legs_ | fires;
  bool turn = fires != 0 || done != done_legs_;
  done_legs_ = done;
  if (fires != 0) ++clock_.progress;
  turn |= read_.commit((fires & leg_read) != 0, read_leg_);
  turn |= write_.commit((fires & leg_write) != 0, write_leg_);
  turn |= accumulator_.commit((fires & leg_accumulator) != 0, accumulator_leg_);
  if (turn) ++clock_.turns;
}

void LocalRouter::describe(const trace::Scope& scope) const {
  scope.channel("control", links_.control);
  scope.channel("read_data", links_.local.read_data);
  scope.channel("write_data", links_.local.write_data);
  scope.channel("array_weights", links_.array_weights);
  scope.channel("array_input", links_.array_input);
  scope.channel("array_output", links_.array_output);
  const bool has_dais = links_.dais_input != nullptr;
  if (has_dais) {
    scope.channel("dais_input", *links_.dais_input);
    scope.channel("dais_output", *links_.dais_output);
  }
  scope.channel("acc_input", links_.accumulator_input);
  scope.channel("acc_output", links_.accumulator_output);
  const unsigned bits = std::max(1U, scope.widths().layout.local_address);
  const auto select = [&](const char* name, const SelectStream& s, std::uint64_t capacity,
                          const char* note) {
    const trace::Scope part = scope.part(name);
    part.wire("valid", 1, [&s] { return s.valid; });
    part.state(
        "select", 2, [&s] { return s.valid ? s.select.route : 0; }, note, trace::Moment::committed);
    part.level("queue", capacity, [&s] { return s.queue.count(); });
    part.reg(
        "counter", bits, [&s] { return s.expander.count(); }, trace::Radix::decimal);
  };
  select("R", read_, 1,
         has_dais
             ? "0 array weights, 1 array input, 2 accumulators, 3 DAIS blocks; 0 while not valid"
             : "0 array weights, 1 array input, 2 accumulators; 0 while not valid");
  select("L", write_, 1, "1 accumulator output; 0 while not valid");
  select("W", accumulator_, 2 * scope.widths().architecture.array_size,
         has_dais ? "0 array output, 1 local memory, 2 DAIS blocks; 0 while not valid"
                  : "0 array output, 1 local memory; 0 while not valid");
  scope.state(
      "done", 3, [this] { return done_legs_; }, "legs taken: 1 R, 2 L, 4 W");
}

}  // namespace tactus
