// Sequences with live memories, for a design in two parts: the transfers between DRAMs and local
// memory, and the control, which is everything else; see models/sim/fast/README.md.
//
// The parts meet at the decoder's head only. While a transfer is at the head, the rest of the
// decoder waits, and the control works on what is in its queues. While another instruction is at
// the head, it requests nothing of the transfers. So each part has states of its own, and there are
// far fewer of these than pairs of states. divided_intervals.cpp works them out.
#include <algorithm>

#include "isa/support/error.h"
#include "models/tcu/fast/tcu_sequences.h"
#include "models/tcu/system.h"

namespace tactus {
namespace {

using Id = KnownSequences::Id;

// Fields in the key of an interval of the transfers, above the bits of the wires that the memories
// drive.
constexpr unsigned drive_bits = 2 * LiveMemories::drive_bits;
/// Bit: the array has no work because of the transfer at the head.
constexpr Id array_waits = 1U << drive_bits;
/// First bit of the number for what the head requests.
constexpr unsigned offer_at = drive_bits + 1;

}  // namespace

/// Takes an interval of the control, or its part before a transfer is done, and as many cycles of
/// the transfers. Returns false if they cannot be part of a sequence.
bool TcuSequences::step_divided(Position& position, Cycle until) {
  const Id control = position.state;
  if (known(control).cycles == 0 && !learner_.work_out_control(position, {}, driven_)) return false;
  const KnownSequences::State& state = known(control);
  if (state.left_out) return false;
  const Cycle begin = position.now;
  const Cycle end = state.waits ? ~Cycle{0} : begin + state.cycles;
  bool pops = false;
  return walk_moves(position, end, until, pops) && take_control(position, begin, pops);
}

/// Takes cycles of the transfers beside the current state of the control, up to `end` or until the
/// transfer at the head is done. Returns false if they cannot be part of a sequence, or would go
/// beyond `until`.
bool TcuSequences::walk_moves(Position& position, Cycle end, Cycle until, bool& pops) {
  const Cycle begin = position.now;
  const Id control = position.state;
  const bool timed = known(control).head_moves;
  const bool over = known(control).waits && !known(control).move_waits();
  Lost lost{false, begin};
  while (position.now < end && !pops) {
    if (position.now >= until || path_.full()) return false;
    const Cycle last = std::min(end, until);
    if (!timed && resting_moves_.interval != KnownSequences::none) {
      path_.add(true, resting_moves_.interval, last - position.now);
      position.now = last;
      continue;
    }
    resting_moves_ = {};
    ++visits_;
    drive(position);
    if (position.now >= lost.until) lost = loses_time(control, begin, position.now);
    const Id key = key_of_moves(position, lost.time);
    Passage moves;
    if ((!find_moves(position.moves, key, moves) || system_.is_checked(checks_)) &&
        !(learner_.work_out_moves(position, key, lost.time, driven_) &&
          find_moves(position.moves, key, moves))) {
      return false;
    }
    Cycle cycles = 1;
    const KnownSequences::State& interval = known(moves.interval);
    if (interval.passing.any() && position.now >= quiet_until_) {
      const Cycle most = std::min(lost.until, last) - position.now;
      const Cycle beats = setting_.memories->repeats(interval.passing, known(position.moves).busy,
                                                     position.now, most);
      if (beats > 1 && !interval.retires) {
        take_beats(position, moves, lost.time, beats);
        continue;
      }
    } else if (setting_.known->stays(position.moves, moves)) {
      if (!wait_for_memories(position, last)) return false;
      cycles = std::min(lost.until, quiet_until_) - position.now;
      if (!timed && known(position.moves).rests && setting_.memories->idle())
        resting_moves_ = moves;
    }
    pops = interval.retires;
    if (timed) pass_time(position, moves.interval, cycles);
    if (!take_moves(position, moves, cycles)) return false;
    position.now += cycles;
    if (over && rests(position)) break;
  }
  return true;
}

/// Takes an interval in which only beats are transferred, and the following ones with the same
/// handshakes, `most` in all. The memories drive the same wires in all of them
/// (LiveMemories::repeats()). `loses`: the array waits for the transfer at the head.
void TcuSequences::take_beats(Position& position, Passage moves, bool loses, Cycle most) {
  const Cycle begin = position.now;
  const bool timed = known(position.state).head_moves;
  const LiveMemories::Passing passing = known(moves.interval).passing;
  const std::uint8_t busy = known(position.moves).busy;
  const auto is_alike = [&] {
    const KnownSequences::State& interval = known(moves.interval);
    return interval.passing == passing && !interval.retires && known(position.moves).busy == busy;
  };
  do {
    ++visits_;
    path_.add(true, moves.interval, 1);
    if (timed) pass_time(position, moves.interval, 1);
    ++position.now;
    position.moves = setting_.known->link(moves.link).state;
    if (setting_.known->follow(moves, states_.counts_of_moves())) states_.forget_loaded();
  } while (position.now < begin + most &&
           find_moves(position.moves, key_of_moves(position, loses), moves) && is_alike());
  setting_.memories->pass_beats(passing, begin, position.now - begin);
}

/// Returns whether the array waits for the transfer at the head in cycle `now`, and how long this
/// holds. `begin` is the begin of the control's interval.
TcuSequences::Lost TcuSequences::loses_time(Id control, Cycle begin, Cycle now) const {
  if (!known(control).move_waits()) return {false, ~Cycle{0}};
  const KnownSequences::State& interval = known(control);
  const std::uint32_t* turns = setting_.known->turns(control);
  bool works = interval.array_works;
  for (std::uint32_t i = 0; i < interval.turn_count; ++i, works = !works) {
    if (begin + turns[i] > now) return {!works, begin + turns[i]};
  }
  return {!works, ~Cycle{0}};
}

/// The transfers only wait. Finds the cycle up to which the memories drive the same wires, `until`
/// at the most.
bool TcuSequences::wait_for_memories(const Position& position, Cycle until) {
  if (position.now < quiet_until_) return true;
  const Cycle most = std::min(until - position.now, SequenceSetting::longest_interval);
  const Cycle waits =
      setting_.memories->waits(known(position.moves).busy, driven_, position.now, most);
  if (waits == SequenceSetting::longest_interval) return false;
  quiet_until_ = position.now + waits;
  return setting_.memories->pass({}, position.now, waits);
}

/// Finds the control's interval and its link. Returns false if one of them is unknown.
bool TcuSequences::find_control(const Position& position, const ControlEnd& end, Passage& found) {
  found.interval = position.state;
  if (end.cycles != 0) {
    found.interval = setting_.known->next(position.state, learner_.key_of_early(end.cycles));
    if (found.interval == KnownSequences::none || known(found.interval).cycles == 0) return false;
  }
  const Id key = learner_.key_of_control(position, known(found.interval).accepts, end.pops);
  found.link = setting_.known->next(found.interval, key);
  return found.link != KnownSequences::none;
}

/// Finds the interval of the transfers and its link. Returns false if one of them is unknown.
bool TcuSequences::find_moves(Id state, Id key, Passage& found) {
  found.interval = setting_.known->next(state, key);
  if (found.interval == KnownSequences::none) return false;
  const KnownSequences::State& interval = known(found.interval);
  if (interval.cycles == 0) return false;
  const Id after = interval.grows ? setting_.known->successor(found.interval, KnownSequences::none,
                                                              true, states_.counts_of_moves())
                                  : KnownSequences::none;
  found.link = setting_.known->next(found.interval, after);
  return found.link != KnownSequences::none;
}

/// Returns the key of an interval of the transfers: everything besides their state on which it
/// depends. `loses`: the array waits for the transfer at the head.
Id TcuSequences::key_of_moves(const Position& position, bool loses) const {
  const KnownSequences::State& control = known(position.state);
  if (!control.head_moves) return driven_;
  const Id offer = control.offers[known(position.moves).begun ? 1 : 0];
  return driven_ | (loses ? array_waits : 0) | offer << offer_at;
}

/// Takes the part that has passed of the control's interval, which began in cycle `begin`.
bool TcuSequences::take_control(Position& position, Cycle begin, bool pops) {
  const Cycle cycles = position.now - begin;
  const bool waits = known(position.state).waits;
  Position from = position;
  from.now = begin;
  const bool early = !waits && cycles != known(position.state).cycles;
  const ControlEnd end{early ? cycles : 0, pops};
  Passage control;
  if ((!find_control(from, end, control) || system_.is_checked(checks_)) &&
      !(learner_.work_out_control(from, end, driven_) && find_control(from, end, control))) {
    return false;
  }
  const KnownSequences::State& interval = known(control.interval);
  if (interval.left_out) return false;
  if (!known(position.state).head_moves) pass_time(position, control.interval, cycles);
  path_.add(false, control.interval, waits ? cycles : 1);
  if (interval.accepts) ++position.next;
  position.state = setting_.known->link(control.link).state;
  if (pops || interval.retires) path_.retire(position.now);
  return true;
}

/// Takes an interval of the transfers. Returns false if the memories must be rewound
/// (LiveMemories::pass()).
bool TcuSequences::take_moves(Position& position, const Passage& passage, Cycle cycles) {
  const KnownSequences::State& interval = known(passage.interval);
  const KnownSequences::Link link = setting_.known->link(passage.link);
  path_.add(true, passage.interval, cycles);
  if (interval.responds) path_.note_responses(passage.interval, position.now);
  if (position.now >= quiet_until_) {
    if (!setting_.memories->pass(interval.passing, position.now, cycles)) {
      position.now += cycles;
      return false;
    }
  } else if (interval.passing.any()) {
    internal_error("cycle {}: a move goes on while its memory is still", position.now);
  }
  position.moves = link.state;
  if ((interval.grows || !link.same) && setting_.known->follow(passage, states_.counts_of_moves()))
    states_.forget_loaded();
  return true;
}

}  // namespace tactus
