#include "models/tcu/routers/local_router.h"

#include <algorithm>

#include "models/tcu/channel_signals.h"

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

void LocalRouter::SelectStream::move(bool enqueue, const Select& leg, bool moves, bool ends) {
  if (ends) {
    expander.start_over();
  } else if (moves) {
    expander.advance_within();
  }
  if (enqueue || ends) queue.commit(enqueue, leg, ends);
}

/// Selects the control's item for each stream; returns the legs of the control.
unsigned LocalRouter::select_legs(const Dataflow& flow) {
  unsigned needed = 0;
  const auto read = [&](unsigned route) {
    needed |= leg_read;
    read_leg_ = {route, flow.size};
  };
  const auto write_accumulators = [&](unsigned route, std::uint64_t size) {
    needed |= leg_accumulator;
    accumulator_leg_ = {route, size};
  };
  switch (flow.kind) {
    case DataflowKind::local_to_array_weights:
      read(to_weights);
      break;
    case DataflowKind::local_to_array_to_accumulator:
      read(to_input);
      write_accumulators(from_array, flow.size);
      break;
    case DataflowKind::array_to_accumulator:
      write_accumulators(from_array, flow.size);
      break;
    case DataflowKind::accumulator_to_local:
      needed = leg_write;
      write_leg_ = {from_accumulator, flow.size};
      break;
    case DataflowKind::local_to_accumulator:
      read(to_accumulator);
      write_accumulators(from_local, flow.size);
      break;
    case DataflowKind::local_to_dais_to_accumulator:
      read(to_dais);
      write_accumulators(from_dais, flow.results);
      break;
    case DataflowKind::accumulator_to_activation_to_local:
      needed = leg_write;
      write_leg_ = {from_activation, flow.size};
      break;
    case DataflowKind::local_to_activation:
      read(to_activation);
      break;
    case DataflowKind::none:
      break;
  }
  return needed;
}

void LocalRouter::drive() {
  fork_.offer(links_.control.valid, select_legs(links_.control.bits));
  read_.drive(fork_.pending(leg_read), read_leg_);
  write_.drive(fork_.pending(leg_write), write_leg_);
  accumulator_.drive(fork_.pending(leg_accumulator), accumulator_leg_);

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
  route(accumulator_.select.route);
  if (links_.activation != nullptr) drive_activation();
}

/// The data paths.
void LocalRouter::route(unsigned source) {
  const VectorRef read = links_.local.read_data.bits;
  links_.array_weights.bits = read;
  links_.array_input.bits = read;
  if (links_.dais_input != nullptr) links_.dais_input->bits = read;
  links_.local.write_data.bits = links_.accumulator_output.bits;
  if (source == from_array) {
    links_.accumulator_input.bits = links_.array_output.bits;
  } else if (source == from_dais) {
    links_.accumulator_input.bits = links_.dais_output->bits;
  } else {
    links_.accumulator_input.bits = read;
  }
}

/// An item of L comes only after earlier items of R, so parameters that are still to be loaded are
/// at R's output.
void LocalRouter::drive_activation() {
  ActivationLinks& unit = *links_.activation;
  const bool loads = read_.routes_to(to_activation);
  const bool activates = write_.routes_to(from_activation);
  unit.parameters.bits = links_.local.read_data.bits;
  unit.input.bits = links_.accumulator_output.bits;
  unit.parameters.valid = loads && links_.local.read_data.valid;
  unit.input.valid = activates && !loads && links_.accumulator_output.valid;
  if (!activates) return;
  links_.local.write_data.valid = unit.output.valid;
  links_.local.write_data.bits = unit.output.bits;
}

void LocalRouter::accept_results() {
  links_.array_output.ready = accumulator_.routes_to(from_array) && links_.accumulator_input.ready;
  if (links_.dais_output != nullptr) {
    links_.dais_output->ready = accumulator_.routes_to(from_dais) && links_.accumulator_input.ready;
  }
  accumulator_.data_fires = accumulator_.valid && links_.accumulator_input.fires();
  links_.accumulator_output.ready =
      write_.routes_to(from_accumulator) && links_.local.write_data.ready;
  if (links_.activation != nullptr) {
    const bool activates = write_.routes_to(from_activation);
    links_.activation->output.ready = activates && links_.local.write_data.ready;
    if (activates) {
      links_.accumulator_output.ready =
          !read_.routes_to(to_activation) && links_.activation->input.ready;
    }
  }
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
      case to_activation:
        consumer_ready = links_.activation->parameters.ready;
        break;
      default:
        consumer_ready = accumulator_.routes_to(from_local) && links_.accumulator_input.ready;
        break;
    }
  }
  links_.local.read_data.ready = consumer_ready;
  read_.data_fires = consumer_ready && links_.local.read_data.valid;
  ready_legs_ = ready_legs();
  links_.control.ready = fork_.all(ready_legs_);
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

void LocalRouter::decide() {
  const unsigned fires = fork_.fires(ready_legs_);
  const unsigned done = fork_.after(links_.control.ready, fires);
  unsigned moves = 0;
  unsigned ends = 0;
  const auto decide = [&](const SelectStream& stream, unsigned leg) {
    if (!stream.data_fires) return;
    moves |= leg;
    if (stream.expander.last(stream.select.size)) ends |= leg;
  };
  decide(read_, leg_read);
  decide(write_, leg_write);
  decide(accumulator_, leg_accumulator);
  // A vector that enters the activation unit advances no stream, and another vector follows.
  const bool activates = links_.activation != nullptr && links_.activation->input.fires();
  const bool rests = (fires | moves) == 0 && done == fork_.done() && !activates;
  edge_ = {fires, done, moves, ends, state(), rests};
}

void LocalRouter::move() {
  account_.enter(edge_.state);
  if (edge_.rests) return;
  fork_.move(edge_.done);
  if (edge_.fires != 0) ++clock_.progress;
  const unsigned active = edge_.fires | edge_.moves;
  const auto move = [&](SelectStream& stream, unsigned leg, const Select& item) {
    if ((active & leg) == 0) return;
    stream.move((edge_.fires & leg) != 0, item, (edge_.moves & leg) != 0, (edge_.ends & leg) != 0);
  };
  move(read_, leg_read, read_leg_);
  move(write_, leg_write, write_leg_);
  move(accumulator_, leg_accumulator, accumulator_leg_);
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
  const unsigned bits = std::max(1U, layout_of(scope).local_address);
  const unsigned select_bits = links_.activation != nullptr ? 3 : 2;
  const auto select = [&](const char* name, const SelectStream& s, std::uint64_t capacity,
                          const char* note) {
    const trace::Scope part = scope.part(name);
    part.wire("valid", 1, [&s] { return s.valid; });
    part.state(
        "select", select_bits, [&s] { return s.valid ? s.select.route : 0; }, note,
        trace::Moment::committed);
    part.level("queue", capacity, [&s] { return s.queue.count(); });
    part.reg(
        "counter", bits, [&s] { return s.expander.count(); }, trace::Radix::decimal);
  };
  select(
      "R", read_, 1,
      links_.activation != nullptr
          ? "0 array weights, 1 array input, 2 accumulators, 3 DAIS blocks, 4 activation unit; 0 "
            "while not valid"
      : has_dais
          ? "0 array weights, 1 array input, 2 accumulators, 3 DAIS blocks; 0 while not valid"
          : "0 array weights, 1 array input, 2 accumulators; 0 while not valid");
  select("L", write_, 1,
         links_.activation != nullptr ? "1 accumulator output, 2 activation unit; 0 while not valid"
                                      : "1 accumulator output; 0 while not valid");
  select("W", accumulator_, 2 * scope.widths().lanes,
         has_dais ? "0 array output, 1 local memory, 2 DAIS blocks; 0 while not valid"
                  : "0 array output, 1 local memory; 0 while not valid");
  scope.state(
      "done", 3, [this] { return fork_.done(); }, "legs taken: 1 R, 2 L, 4 W");
}

}  // namespace tactus
