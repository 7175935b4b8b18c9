// Saves the states of a design in two parts (divided_sequences.cpp), and works out its unknown
// intervals.
//
// The control is worked out beside transfers that do nothing: the decoder holds a transfer at its
// head. If the transfer is done before the control's interval is over, the interval is worked out
// up to that cycle, and the transfer is then dropped. The transfers are worked out for one cycle,
// beside a control of which only the instruction at the head matters.
#include <algorithm>

#include "isa/support/error.h"
#include "models/tcu/fast/sequenced_decoder.h"
#include "models/tcu/fast/tcu_sequences.h"
#include "models/tcu/system.h"

namespace tactus {
namespace {

using Id = KnownSequences::Id;

/// Limit on the numbers of offers(), which are part of the keys of the transfers' intervals.
constexpr Id most_offers = 1U << 20;

}  // namespace

/// True if a transfer waits at the head, or is under way there.
bool TcuSequences::move_waits(Id control) const {
  return known(control).head_moves && known(control).waiting != 0;
}

/// Saves the current state of the control.
Id TcuSequences::save_control() {
  Decoder& decoder = system_.tcu_.decoder_;
  bool is_new = false;
  const Id id = save(counts_, false, is_new, &SequencedDesign::control);
  if (!is_new) return id;
  const bool head_moves = sequenced(decoder).head_moves_dram();
  const std::array<Id, 2> offers = head_moves ? this->offers() : std::array<Id, 2>{};
  KnownSequences::State& state = known(id);
  state.rests = machine_.control_rests();
  state.waiting = static_cast<std::uint8_t>(sequenced(decoder).waiting());
  state.head_moves = head_moves;
  state.one_cycle = state.rests && (move_waits(id) || machine_.next() == program_.count());
  state.offers = offers;
  return id;
}

/// Returns numbers for what the transfer at the head decides: while its requests wait, and after
/// that.
std::array<Id, 2> TcuSequences::offers() {
  Decoder& decoder = system_.tcu_.decoder_;
  const std::uint64_t waits = sequenced(decoder).waiting() != 0 ? 1 : 0;
  const Id before = known_->number(waits, sequenced(decoder).head_shape());
  if (before >= most_offers) internal_error("{} numbers are more than sequences remember", before);
  return {before, waits != 0 ? known_->number(2, sequenced(decoder).head_context()) : before};
}

/// Saves the current state of the transfers.
Id TcuSequences::save_moves() {
  Decoder& decoder = system_.tcu_.decoder_;
  bool is_new = false;
  const Id id = save(counts_of_moves_, true, is_new, &SequencedDesign::moves);
  if (!is_new) return id;
  KnownSequences::State& state = known(id);
  state.busy = static_cast<std::uint8_t>(machine_.busy_parts());
  state.rests = machine_.moves_rest();
  state.begun = sequenced(decoder).head_move_has_begun();
  return id;
}

/// Loads a state of the control, beside transfers that do nothing.
void TcuSequences::load_control(const Position& position) {
  Registers r(known_->registers(position.state), system_.clock_.now, 0);
  sequenced(system_.tcu_.decoder_).shapes().last_access() = 0;
  machine_.control(r);
  load_program(position.next);
  if (!moves_rest_) load_moves(committed_.moves);
  moves_rest_ = true;
  load_account_of_head();
}

/// Loads a state of the transfers, beside any state of the control.
void TcuSequences::load_moves(Id moves) {
  Registers r(known_->registers(moves), system_.clock_.now, 0);
  r.keep_counts(counts_of_moves_.live, 1);
  machine_.moves(r);
  moves_rest_ = false;
  load_account_of_head();
  machine_.forget_wires();
}

/// Lets the account of the decoder begin with the coming cycle, and that of the array's time with
/// it.
void TcuSequences::load_account_of_head() {
  system_.tcu_.decoder_.account().restart();
  system_.array_time_->account().restart();
  system_.array_time_->renew();
}

/// Works out an interval of the control, beside transfers that do nothing; a transfer at the head
/// waits there.
bool TcuSequences::work_out_control(const Position& position, const ControlEnd& end) {
  if (!learns()) return false;
  const bool waits = move_waits(position.state);
  Decoder& decoder = system_.tcu_.decoder_;
  hold_memories(0);
  Position from = position;
  from.moves = KnownSequences::none;
  begin_interval(from);
  sequenced(decoder).hold_moves(true);
  machine_.forget_wires();
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
    const Id next = save_control();
    if (!end.pops) {
      loaded_ = {next, machine_.next(), system_.clock_.now, sequenced(decoder).timer(),
                 KnownSequences::none};
    }
    note_control(position, end, found, next);
  }
  release_memories();
  return ends;
}

/// Finds the cycles in which the array gets or loses work. `works`: it had work before the
/// interval.
void TcuSequences::find_turns(bool works, KnownSequences::State& found) {
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
bool TcuSequences::run_control(const ControlEnd& end, bool one_cycle, bool move_waits) {
  Clock& clock = system_.clock_;
  const Cycle all = one_cycle ? 1 : end.cycles != 0 ? end.cycles : longest_interval;
  for (bool ends = false; !ends;) {
    const Cycle passed = clock.now - began_.now;
    if (passed >= longest_interval) return false;
    const std::uint64_t before = clock.progress;
    system_.pass(all - passed);
    system_.rested_ = clock.progress == before;
    ends = accepts() || retires() || clock.now - began_.now == all;
    if (ends || end.cycles != 0 || !(move_waits || machine_.next() == program_.count())) continue;
    ends = move_waits ? machine_.control_rests() : is_over();
  }
  return true;
}

/// Remembers an interval of the control and its successor. `next` is the state of the control after
/// the interval of `position`, up to `end`.
void TcuSequences::note_control(const Position& position, const ControlEnd& end,
                                const KnownSequences::State& found, Id next) {
  KnownSequences::State control = found;
  control.response = {KnownSequences::none, KnownSequences::none};
  if (known(position.state).head_moves) control.timer = KnownSequences::none;
  const Id interval = end.cycles == 0
                          ? position.state
                          : known_->interval_of(position.state, key_of_early(end.cycles));
  const bool is_new = known(interval).cycles == 0;
  note_interval(interval, control, nullptr);
  if (is_new) known_->set_turns(interval, turns_);
  const KnownSequences::State& state = known(interval);
  if (state.one_cycle && !end.pops) {
    known(interval).waits = next == interval && !state.accepts && !state.retires;
  }
  const Id after = key_of_control(position, found.accepts, end.pops);
  if (const Id known = known_->next(interval, after); known != KnownSequences::none) {
    return check_next(known_->link(known).state, next, &SequencedDesign::control);
  }
  kept_.clear();
  known_->set_next(interval, after, known_->add_link(next, kept_, true));
}

/// Loads the instructions in the decoder that belong to this state of the control.
void TcuSequences::show_head(Id control) {
  Registers r(known_->registers(control), system_.clock_.now, 0);
  std::uint64_t tag = 0, end = 0;
  r(tag);
  r(end);
  sequenced(system_.tcu_.decoder_).registers_of_instructions(r);
  machine_.forget_wires();
}

/// Works out one cycle of the transfers.
bool TcuSequences::work_out_moves(const Position& position, Id key, bool loses) {
  if (!learns()) return false;
  Decoder& decoder = system_.tcu_.decoder_;
  hold_memories(known(position.moves).busy);
  Position from = position;
  from.state = KnownSequences::none;
  begin_interval(from);
  show_head(position.state);
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
  const Id next = save_moves();
  loaded_ = {KnownSequences::none, position.next, system_.clock_.now, sequenced(decoder).timer(),
             next};
  release_memories();
  if (!fits) return false;
  const bool waits = move_waits(position.state);
  counters_.keep_growth_of_moves(waits, loses);
  found.accepts = found.left_out = false;
  found.retires = found.retires && waits;
  if (!known(position.state).head_moves) found.timer = KnownSequences::none;
  const Id interval = known_->interval_of(position.moves, key);
  note_interval(interval, found, &counts_of_moves_);
  set_link(interval, KnownSequences::none, next, true, counts_of_moves_);
  return true;
}

}  // namespace tactus
