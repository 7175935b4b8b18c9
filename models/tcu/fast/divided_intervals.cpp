// Works out unknown intervals of a design in two parts (divided_sequences.cpp).
//
// The control is worked out beside transfers that do nothing: the decoder holds a transfer at its
// head. If the transfer is done before the control's interval is over, the interval is worked out
// up to that cycle, and the transfer is then dropped. The transfers are worked out for one cycle,
// beside a control of which only the instruction at the head matters.
#include "models/tcu/fast/sequence_learner.h"
#include "models/tcu/fast/sequenced_decoder.h"
#include "models/tcu/system.h"

namespace tactus {

bool SequenceLearner::work_out_control(const Position& position, const ControlEnd& end,
                                       unsigned driven) {
  if (!learns()) return false;
  const bool waits = known(position.state).move_waits();
  Decoder& decoder = system_.tcu_.decoder_;
  hold_memories(driven, 0);
  Position from = position;
  from.moves = KnownSequences::none;
  begin_interval(from);
  sequenced(decoder).hold_moves(true);
  design_.forget_wires();
  KnownSequences::State found;
  const bool works = ArrayTime::of_array(system_.tcu_.array_account().code());
  bool ends = run_control(end, known(position.state).one_cycle, waits);
  end_interval(found);
  find_turns(works, found);
  note_timer(found);
  ends = counters_.take_growth(began_.now) && ends;
  if (end.pops) sequenced(decoder).drop_head();
  sequenced(decoder).hold_moves(false);
  if (ends) {
    counters_.keep_growth_of_control(waits);
    const Id next = states_.save_control();
    if (!end.pops) {
      states_.note_loaded({next, design_.next(), system_.clock_.now, sequenced(decoder).timer(),
                           KnownSequences::none});
    }
    note_control(position, end, found, next);
  }
  release_memories();
  return ends;
}

/// Finds the cycles in which the array gets or loses work. `works`: it had work before the
/// interval.
void SequenceLearner::find_turns(bool works, KnownSequences::State& found) {
  turns_.clear();
  found.array_works = works;
  for (const KnownSequences::Change& change : found_changes_) {
    if (change.account != counters_.array()) continue;
    const bool turned = ArrayTime::of_array(change.code) != works;
    works = works != turned;
    if (change.offset == 0) found.array_works = works;
    if (turned && change.offset != 0) turns_.push_back(change.offset);
  }
}

/// Lets the control run to the end of its interval. Returns false if the interval does not end.
bool SequenceLearner::run_control(const ControlEnd& end, bool one_cycle, bool move_waits) {
  Clock& clock = system_.clock_;
  const Cycle all = one_cycle         ? 1
                    : end.cycles != 0 ? end.cycles
                                      : SequenceSetting::longest_interval;
  for (bool ends = false; !ends;) {
    const Cycle passed = clock.now - began_.now;
    if (passed >= SequenceSetting::longest_interval) return false;
    const std::uint64_t before = clock.progress;
    system_.pass(all - passed);
    system_.rested_ = clock.progress == before;
    ends = accepts() || retires() || clock.now - began_.now == all;
    if (ends || end.cycles != 0 || !(move_waits || design_.next() == program_.count())) continue;
    ends = move_waits ? design_.control_rests() : is_over();
  }
  return true;
}

/// Remembers an interval of the control and its successor. `next` is the state of the control after
/// the interval of `position`, up to `end`.
void SequenceLearner::note_control(const Position& position, const ControlEnd& end,
                                   const KnownSequences::State& found, Id next) {
  KnownSequences::State control = found;
  control.response = {KnownSequences::none, KnownSequences::none};
  if (known(position.state).head_moves) control.timer = KnownSequences::none;
  const Id interval = end.cycles == 0
                          ? position.state
                          : setting_.known->interval_of(position.state, key_of_early(end.cycles));
  const bool is_new = known(interval).cycles == 0;
  note_interval(interval, control, nullptr);
  if (is_new) setting_.known->set_turns(interval, turns_);
  const KnownSequences::State& state = known(interval);
  if (state.one_cycle && !end.pops) {
    known(interval).waits = next == interval && !state.accepts && !state.retires;
  }
  const Id after = key_of_control(position, found.accepts, end.pops);
  if (const Id known = setting_.known->next(interval, after); known != KnownSequences::none) {
    return check_next(setting_.known->link(known).state, next, &SequencedDesign::control);
  }
  kept_.clear();
  setting_.known->set_next(interval, after, setting_.known->add_link(next, kept_, true));
}

bool SequenceLearner::work_out_moves(const Position& position, Id key, bool loses,
                                     unsigned driven) {
  if (!learns()) return false;
  Decoder& decoder = system_.tcu_.decoder_;
  hold_memories(driven, known(position.moves).busy);
  Position from = position;
  from.state = KnownSequences::none;
  begin_interval(from);
  states_.show_head(position.state);
  // The other units may be in any state of the control, so they are not evaluated: not even if a
  // wire that they read changes and wakes them, since their own wires are of another state.
  Clock& clock = system_.clock_;
  clock.activity.awake = TcuSystem::units_of_moves;
  KnownSequences::State found;
  system_.offer_word();
  system_.settle();
  clock.activity.awake &= TcuSystem::units_of_moves;
  system_.clock_edge();
  ++clock.now;
  note_passing(found);
  end_interval(found);
  note_timer(found);
  const bool fits = counters_.take_growth(began_.now);
  const Id next = states_.save_moves();
  states_.note_loaded(
      {KnownSequences::none, position.next, system_.clock_.now, sequenced(decoder).timer(), next});
  release_memories();
  if (!fits) return false;
  const bool waits = known(position.state).move_waits();
  counters_.keep_growth_of_moves(waits, loses);
  found.accepts = found.left_out = false;
  found.retires = found.retires && waits;
  if (!known(position.state).head_moves) found.timer = KnownSequences::none;
  const Id interval = setting_.known->interval_of(position.moves, key);
  note_interval(interval, found, &states_.counts_of_moves());
  set_link(interval, KnownSequences::none, next, true, states_.counts_of_moves());
  return true;
}

}  // namespace tactus
