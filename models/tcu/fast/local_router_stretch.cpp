// Stretches of the local router; see models/sim/engine.h.
#include <algorithm>

#include "models/tcu/routers/local_router.h"

namespace tactus {

Cycle LocalRouter::steady(Cycle most) const {
  const auto cut = [&](const SelectStream& stream, unsigned leg) {
    if ((edge_.moves & leg) == 0) return;
    most = std::min(most, stream.expander.before_last(stream.front_size));
  };
  cut(read_, leg_read);
  cut(write_, leg_write);
  cut(accumulator_, leg_accumulator);
  return most;
}

void LocalRouter::stretch_reads() {
  links_.array_weights.stretch = links_.array_input.stretch = links_.local.read_data.stretch;
}

void LocalRouter::stretch_results(unsigned source) {
  links_.accumulator_input.stretch =
      source == from_array ? links_.array_output.stretch : links_.local.read_data.stretch;
}

void LocalRouter::stretch_writes() {
  links_.local.write_data.stretch = links_.accumulator_output.stretch;
}

void LocalRouter::stretch(Cycle cycles) {
  if ((edge_.moves & leg_read) != 0) read_.stretch(cycles);
  if ((edge_.moves & leg_write) != 0) write_.stretch(cycles);
  if ((edge_.moves & leg_accumulator) != 0) accumulator_.stretch(cycles);
}

void LocalRouter::SelectStream::stretch(Cycle cycles) {
  expander.advance_by(cycles);
  at_front_last = expander.last(front_size);
}

}  // namespace tactus
