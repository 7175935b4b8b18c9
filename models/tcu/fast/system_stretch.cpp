// Which cycles of the whole design are worked out, and how: one by one, from what is known of a
// cycle, or many at once; see models/sim/fast/README.md.
#include <algorithm>

#include "models/sim/bytes.h"
#include "models/sim/kernel_time.h"
#include "models/tcu/fast/tcu_sequences.h"
#include "models/tcu/system.h"

namespace tactus {

Cycle TcuSystem::advance(Cycle most) {
  const Cycle end = clock_.now + most;
  const std::uint64_t transactions = clock_.transactions;
  const bool all_observed =
      every_cycle_ || clock_.events != nullptr || clock_.engine != Engine::fast;
  Cycle quiet = 0;
  paused_ = false;
  seen_retired_ = tcu_.decoder().stats().retired;
  if (sequences_ && begins_program()) take_sequences();
  while (clock_.now < end) {
    const Cycle first = clock_.now;
    const std::uint64_t progress = clock_.progress;
    Cycle unobserved = all_observed ? 0 : end - first;
    if (clock_.watcher != nullptr) unobserved = std::min(unobserved, next_watched() - first);
    if (unobserved != 0) {
      unobserved_cycles(unobserved);
    } else {
      one_cycle();
    }
    rested_ = clock_.progress == progress;
    if (sequences_ && tcu_.decoder().stats().retired != seen_retired_) take_sequences();
    if (rested_) quiet = clock_.now - first;
    if (rested_ || clock_.transactions != transactions || paused_) break;
  }
  replay_.catch_up();
  horizon_ = {};
  return quiet;
}

/// Nothing of a program has been taken that can be read before its time.
bool TcuSystem::begins_program() const {
  const std::optional<InstructionSource::Program> program = source_.program();
  return program && program->taken == 0;
}

/// An instruction has retired, or a program begins: those that follow may be known.
void TcuSystem::take_sequences() {
  const std::uint64_t& retired = tcu_.decoder().stats().retired;
  horizon_.retires -= std::min(horizon_.retires, retired - seen_retired_);
  if (!paused_ && clock_.watcher == nullptr && clock_.events == nullptr && on_border) {
    sequences_->take(horizon_);
  }
  seen_retired_ = retired;
}

/// One cycle that nobody looks at, or as many as can be taken at once.
void TcuSystem::unobserved_cycles(Cycle most) {
  offer_word();
  Agenda& agenda = clock_.agenda;
  agenda.begin_cycle(false);
  if ((agenda.full | agenda.stirred) == 0 && (words_.valid || source_.exhausted())) {
    if (agenda.moving != 0) {
      // What moves outside the TCU has to say first what it drives, so only the last cycle is
      // known.
      if (replay_.repeats() && stretch(steady(most))) return;
    } else if (replay_.recall(false) && agenda.stirred == 0) {
      // After the first cycle in which nothing moves, somebody asks whether that was the end.
      const bool alone = replay_.rests() && !rested_;
      if (!alone && !replay_.turns() && stretch(replay_.steady(most))) return;
      replay_.commit();
      ++clock_.now;
      return;
    }
  }
  settle(true);
  finish_cycle();
}

/// `may_recall`: nobody looks at wires.
void TcuSystem::settle(bool may_recall) {
  if (verifier_ != nullptr) return settle_verified();
  Agenda& agenda = clock_.agenda;
  const UnitSet outside = agenda.full | agenda.moving | agenda.stirred;
  gate::drive_from_wires(agenda, stream_unit, stream_);
  if ((outside & port_units) != 0) {
    for (auto& p : ports_) {
      gate::drive(agenda, p->bit, *p);
      if (gate::accepts(agenda, p->bit)) p->port.accept();
    }
  }
  if (!may_recall || !replay_.recall(outside != 0)) replay_.settle();
  if (gate::accepts(agenda, stream_unit)) stream_.accept();
}

void TcuSystem::commit() {
  if (verifier_ != nullptr) return commit_verified();
  Agenda& agenda = clock_.agenda;
  agenda.begin_clock_edge();
  replay_.commit();
  gate::commit(clock_, stream_unit, stream_);
  if (((agenda.full | agenda.moving) & port_units) == 0) return;
  for (auto& p : ports_) gate::commit(clock_, p->bit, *p);
}

/// From settled wires on.
void TcuSystem::finish_cycle() {
  commit();
  take_word();
  ++clock_.now;
}

/// Cycles in which the ports go on as in the last one; 0 or 1: none.
Cycle TcuSystem::steady(Cycle most) const {
  if (ports_[0]->progresses && ports_[1]->progresses) return 0;
  for (const auto& port : ports_) most = port->steady(most);
  return replay_.steady(most);
}

/// Both ports do not move at once, so the one that does may say how long the stretch is: it depends
/// on its memory.
bool TcuSystem::stretch(Cycle cycles) {
  if (cycles < 2) return false;
  replay_.offer_stretch(cycles);
  Cycle ran = cycles;
  for (auto& port : ports_) {
    if (port->progresses && port->goes_on()) ran = port->stretch(cycles);
  }
  if (ran == 0) return false;
  replay_.stretch(ran);
  clock_.now += ran;
  return true;
}

bool TcuSystem::Port::redrive() {
  target->drive();
  return !stirred() && port.redrive();
}

void TcuSystem::Port::repeat() {
  port.repeat();
  target->commit();
}

Cycle TcuSystem::Port::steady(Cycle most) const {
  if (!goes_on()) return most;
  return progresses ? std::min(most, longest_stretch) : target->waits(most);
}

Cycle TcuSystem::Port::stretch_at_once(Cycle most) {
  if (stirred()) return 0;
  most = port.offer_stretch(most);
  if (most != 0) most = target->stretch(most);
  if (most != 0) port.stretch(most);
  return most;
}

Cycle TcuSystem::Port::stretch(Cycle most) {
  if (const Cycle cycles = stretch_at_once(most)) return cycles;
  const bool takes_requests = tcu_.request.fires();
  const bool takes_vectors = tcu_.out.fires();
  const bool gives_vectors = tcu_.in.fires();
  stretch_.resize(most);
  stretch_bytes_.resize(most * vector_bytes_);
  const Cycle first = clock_.now;
  std::uint64_t transactions = clock_.transactions;
  Cycle cycles = 0;
  bool more = true;
  while (more && cycles < most) {
    if (!redrive()) {
      // The wires show the next cycle already, and it has to be settled.
      clock_.agenda.stirred |= bit;
      break;
    }
    if (takes_requests) tcu_.request.bits = tcu_.request.stretch[cycles];
    if (takes_vectors) tcu_.out.bits = tcu_.out.stretch[cycles];
    if (gives_vectors) {
      std::uint8_t* vector = stretch_bytes_.data() + cycles * vector_bytes_;
      copy_block(vector, tcu_.in.bits, vector_bytes_);
      stretch_[cycles] = vector;
    }
    more = gate::repeat(clock_, bit, *this);
    ++cycles;
    ++clock_.now;
    if (clock_.transactions == transactions) continue;
    // The memory may have given the kernel something to do.
    transactions = clock_.transactions;
    if (cycles_before_kernel(clock_, 1) == 0) break;
  }
  clock_.now = first;
  tcu_.in.stretch = stretch_.data();
  return cycles;
}

}  // namespace tactus
