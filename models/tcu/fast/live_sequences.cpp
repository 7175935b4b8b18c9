// Sequences with live memories, such as a board's; see models/sim/fast/README.md.
#include <algorithm>
#include <array>
#include <memory>

#include "isa/support/error.h"
#include "models/tcu/fast/tcu_sequences.h"
#include "models/tcu/system.h"

namespace tactus {
namespace {

using Id = KnownSequences::Id;

}  // namespace

void TcuSequences::begin_live() {
  std::array<LiveMemories::Port, 2> ports;
  for (unsigned p = 0; p < 2; ++p) ports[p] = {&system_.ports_[p]->pins, system_.ports_[p]->target};
  const unsigned beat_bytes = system_.config_.axi_data_bits / 8;
  setting_.memories = std::make_unique<LiveMemories>(system_.clock_, ports, beat_bytes, bursts_);
  learner_.begin_live();
}

/// True if nothing is under way, in the memories included.
bool TcuSequences::rests(const Position& position) const {
  return known(position.state).rests && (!setting_.divided || known(position.moves).rests) &&
         setting_.memories->idle();
}

/// Begins a path in the current cycle, in which the design is at rest.
void TcuSequences::begin_path() {
  path_.begin_live();
  states_.counts().live.clear();
  states_.counts_of_moves().live.clear();
  quiet_until_ = 0;
  resting_moves_ = {};
}

/// Accepts the path as passed. It ends in this position.
void TcuSequences::commit_path(const Position& position) {
  if (!states_.counts().live.empty() || !states_.counts_of_moves().live.empty()) {
    internal_error("cycle {}: counts are kept at a rest", position.now);
  }
  path_.commit_live(position);
}

/// Continues as long as every interval is known or can be worked out. The intervals after the last
/// rest are then undone, and the memories return to that rest.
void TcuSequences::walk_live(Position& position, Cycle until) {
  const LiveMemories::TimingOnly timing_only(*setting_.memories);
  setting_.memories->withdraw();
  begin_path();
  driven_at_ = ~Cycle{0};
  while (!path_.full()) {
    if (position.next < program_.count()) {
      if (!program_.know(position.next + 1)) break;
    } else if (rests(position)) {
      break;
    }
    if (!(setting_.divided ? step_divided(position, until) : step_live(position, until))) break;
    if (!rests(position)) continue;
    commit_path(position);
    begin_path();
  }
  path_.drop_live(position);
}

/// Asks the memories for the wires that they drive in the position's cycle.
void TcuSequences::drive(const Position& position) {
  if (driven_at_ == position.now || position.now < quiet_until_) return;
  const Id ports = setting_.divided ? position.moves : position.state;
  driven_ = setting_.memories->drive(known(ports).busy, position.now);
  driven_at_ = position.now;
}

/// Advances the decoder's timer by the cycles of an interval.
void TcuSequences::pass_time(Position& position, Id interval, Cycle cycles) const {
  const std::uint32_t timer = known(interval).timer;
  position.timer = timer != KnownSequences::none
                       ? timer
                       : std::min<Cycle>(position.timer + cycles, setting_.timeout);
}

/// Takes the next interval. Returns false if it cannot be part of a sequence.
bool TcuSequences::step_live(Position& position, Cycle until) {
  ++visits_;
  drive(position);
  Passage found{setting_.known->interval_of(position.state, driven_), KnownSequences::none};
  if (known(found.interval).cycles == 0 && !learner_.work_out(position, found.interval, driven_))
    return false;
  const auto link = [&] {
    const KnownSequences::State& interval = known(found.interval);
    const Id shape = interval.accepts ? program_[position.next].shape : KnownSequences::none;
    return setting_.known->next(
        found.interval,
        setting_.known->successor(found.interval, shape, interval.busy != 0, states_.counts()));
  };
  found.link = link();
  if (found.link == KnownSequences::none || system_.is_checked(checks_)) {
    if (!learner_.work_out(position, found.interval, driven_)) return false;
    found.link = link();
  }
  const KnownSequences::State& interval = known(found.interval);
  if (interval.left_out) return false;
  Cycle cycles = interval.cycles;
  if (known(position.state).busy != 0 && setting_.known->stays(position.state, found)) {
    // Nothing changes until the memories drive other wires.
    const Cycle most = std::min(SequenceSetting::longest_interval, until - position.now);
    cycles = setting_.memories->waits(known(position.state).busy, driven_, position.now, most);
    if (cycles == most) return false;
  }
  if (position.now + cycles > until) return false;
  path_.add(false, found.interval, cycles / interval.cycles);
  path_.note_responses(found.interval, position.now);
  const bool ordered = setting_.memories->pass(interval.passing, position.now, cycles);
  position.now += cycles;
  if (!ordered) return false;
  if (interval.accepts) ++position.next;
  pass_time(position, found.interval, cycles);
  position.state = setting_.known->link(found.link).state;
  const bool retires = interval.retires;
  if (setting_.known->follow(found, states_.counts())) states_.forget_loaded();
  if (retires) path_.retire(position.now);
  return true;
}

}  // namespace tactus
