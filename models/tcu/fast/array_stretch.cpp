// Stretches of the systolic array; see models/sim/engine.h.
#include <algorithm>

#include "models/tcu/systolic_array/systolic_array.h"

namespace tactus {

Cycle SystolicArray::steady(Cycle most) const {
  if (edge_.taken && !(edge_.enters && control_.uniform(links_.control.bits))) return 0;
  const bool multiplies = edge_.taken && !links_.control.bits.load;
  if (multiplies && drained()) return 0;  // the draining begins anew after it
  if (countdown_ > 0 && !multiplies) most = std::min(most, countdown_);
  if (results_.empty()) return most;
  // Without output the first result is still on its way, or waits for the consumer.
  const Cycle first = available_[available_front_];
  if (!edge_.offers) return first <= clock_.now ? 0 : std::min(most, first - clock_.now);
  if (!edge_.leaves) return most;
  // Results of the stretch itself leave in it only if there is one for every cycle of the pipeline.
  if (!multiplies || results_.count() < depth_) most = std::min<Cycle>(most, results_.count());
  const std::size_t waiting = std::min<std::size_t>(results_.count(), most);
  for (std::size_t i = 0, slot = available_front_; i < waiting; ++i) {
    if (available_[slot] > clock_.now + i) return i;
    slot = slot + 1 == available_.size() ? 0 : slot + 1;
  }
  return most;
}

/// A stretch's inputs are taken first, so results may be among those that leave in it.
void SystolicArray::offer_stretch(Cycle first, Cycle cycles) {
  const ArrayControl& control = control_.front();  // they are all like it
  if (edge_.taken && control.load) {
    for (Cycle i = 0; i < cycles; ++i) load(control.zeroes ? nullptr : links_.weights.stretch[i]);
  } else if (edge_.taken) {
    take_over_weights();
    multiply_pending();
    for (Cycle i = 0; i < cycles; ++i) expect_result(first + i);
    if (control.zeroes) pending_.assign(cycles, nullptr);
    multiply(control.zeroes ? pending_.data() : links_.input.stretch, cycles);
    pending_.clear();
    count_multiplications(cycles, control.zeroes);
  }
  if (!edge_.leaves) return;
  if (pending_.size() + cycles > results_.count()) multiply_pending();
  stretch_.resize(cycles);
  for (Cycle i = 0; i < cycles; ++i) stretch_[i] = results_.at(i);
  links_.output.stretch = stretch_.data();
}

void SystolicArray::stretch(Cycle cycles) {
  const bool multiplies = edge_.taken && !control_.front().load;
  if (!multiplies && countdown_ > 0) {
    countdown_ -= cycles;
    ++clock_.progress;
  }
  if (!edge_.leaves) return;
  ++clock_.progress;
  for (Cycle i = 0; i < cycles; ++i) results_.pop();
  available_front_ = (available_front_ + cycles) % available_.size();
}

}  // namespace tactus
