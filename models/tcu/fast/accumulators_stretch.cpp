// Stretches of the accumulators; see models/sim/engine.h.
#include "models/tcu/accumulators/accumulator_with_alu.h"
#include "models/tcu/fast/memory_stretch.h"

namespace tactus {

/// SIMD operations come and go every few cycles; accesses make the stretches.
Cycle AccumulatorWithAlu::steady(Cycle most) const {
  if (edge_.rests) return most;
  if (!alu_.idle() || edge_.alu.issues || control_.empty()) return 0;
  const Link<AccumulatorControl>& offered = links_.control;
  if (!edge_.enters || !control_.uniform(offered.bits)) return 0;
  if (!edge_.retires || (edge_.fires & leg_accumulator) == 0) return 0;
  const auto address = [this](const AccumulatorControl& c) {
    return edge_.write ? c.write_address : c.read_address;
  };
  // What enters finds one item in the queue.
  const std::uint64_t next = address(control_.front());
  return next != address(offered.bits) && accumulator_.steady(next) ? most : 0;
}

void AccumulatorWithAlu::stretch(Cycle cycles) {
  if (edge_.rests) return;
  const AccumulatorControl* items = links_.control.stretch;
  MemoryRequest* requests = accumulator_.begin_stretch(cycles);
  const auto pass = [&](auto address) {
    requests[0] = {edge_.write, control_.front().*address};
    for (Cycle i = 1; i < cycles; ++i) {
      requests[i] = {edge_.write, items[i - 1].*address};
    }
  };
  if (edge_.write) {
    pass(&AccumulatorControl::write_address);
  } else {
    pass(&AccumulatorControl::read_address);
  }
  accumulator_input_.stretch = links_.input.stretch;
  accumulator_.stretch(cycles);
  links_.output.stretch = accumulator_output_.stretch;
  // Its two slots hold the last two items.
  if (cycles > 1) control_.commit(true, items[cycles - 2], true);
  control_.commit(true, items[cycles - 1], true);
}

bool Accumulator::steady(std::uint64_t next) const {
  // Port B's reads of accumulates go on while nothing holds the lock: it has nothing to release.
  if ((edge_.fires & leg_b) != 0) return requests_.count() == 1 && memory_.waiting(1) == 1;
  // A plain write that goes straight through is seen by its own lock command.
  if (requests_.empty()) return !lock_.held;
  const MemoryRequest& waiting = requests_.front();
  if ((edge_.fires & leg_lock) == 0) return !lock_.held || !waiting.write;
  // The write before releases the lock in the cycle in which the next takes it.
  return waiting.address != next && lock_.held && lock_.condition == waiting;
}

MemoryRequest* Accumulator::begin_stretch(Cycle cycles) {
  const std::size_t waiting = requests_.count();
  if (stretch_.size() < waiting + cycles) stretch_.resize(waiting + cycles);
  if (waiting != 0) stretch_.front() = requests_.front();
  port_a_.request.stretch = stretch_.data();
  port_b_.request.stretch = stretch_.data() + waiting;
  return stretch_.data() + waiting;
}

/// The lock goes from each plain write to the next, or stays as it is: see steady().
void Accumulator::stretch(Cycle cycles) {
  ++clock_.progress;
  if ((edge_.fires & leg_b) != 0) {
    // Port B is one request ahead.
    for (Cycle i = 0; clock_.timing_only && i < cycles; ++i) {
      if (stretch_[i] == stretch_[i + 1]) ++early_reads_;
    }
    memory_.stretch_updates(cycles, [this](Cycle i, Cycle count, VectorRef old, std::uint8_t* sum) {
      add_stretch(links_.input.stretch + i, count, old, sum);
    });
  } else {
    memory_.offer_stretch(cycles);
    port_a_.write_data.stretch = links_.input.stretch;
    memory_.stretch(cycles);
  }
  if (requests_.empty()) return;
  requests_.commit(true, stretch_[cycles], true);
  if ((edge_.fires & leg_lock) != 0) lock_.condition = stretch_[cycles];
}

/// The inputs often lie one behind the other, too.
void Accumulator::add_stretch(const VectorRef* inputs, Cycle count, VectorRef old,
                              std::uint8_t* sum) {
  const std::size_t bytes = memory_.vector_bytes();
  for (Cycle done = 0; done < count;) {
    const VectorRef first = inputs[done];
    Cycle more = 1;
    while (done + more < count && inputs[done + more] == first + more * bytes) ++more;
    kernels_.add(first, old + done * bytes, sum + done * bytes, more * lanes_);
    done += more;
  }
}

}  // namespace tactus
