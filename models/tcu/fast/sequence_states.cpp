#include "models/tcu/fast/sequence_states.h"

#include "isa/support/error.h"
#include "models/tcu/fast/sequenced_decoder.h"
#include "models/tcu/system.h"

namespace tactus {
namespace {

using Id = KnownSequences::Id;

/// Limit on the numbers of offers(), which are part of the keys of the transfers' intervals.
constexpr Id most_offers = 1U << 20;

}  // namespace

void SequenceStates::begin(Position& position) {
  save(position);
  loaded_ = position;
  moves_rest_ = false;
}

/// Saves the state of the design, or of the part of it that `part` saves.
Id SequenceStates::save(KeptCounts& counts, bool keeps, bool& is_new, SequencedDesign::Part part) {
  std::uint16_t& timer = sequenced(system_.tcu_.decoder_).timer();
  const std::uint16_t time = timer;
  if (setting_.memories) timer = setting_.timeout;
  counts.saved.clear();
  {
    Registers r(bytes_, system_.clock_.now,
                sequenced(system_.tcu_.decoder_).shapes().last_access());
    if (keeps) r.keep_counts(counts.saved, 1);
    (design_.*part)(r);
  }
  timer = time;
  return setting_.known->find(bytes_, is_new);
}

void SequenceStates::save(Position& position) {
  if (setting_.divided) {
    position.state = save_control();
    position.moves = save_moves();
    return;
  }
  const unsigned busy = setting_.memories ? design_.busy_parts() : 0;
  bool is_new = false;
  position.state = save(counts_, busy != 0, is_new, &SequencedDesign::whole);
  if (!is_new) return;
  KnownSequences::State& state = known(position.state);
  state.rests = design_.rests();
  state.busy = static_cast<std::uint8_t>(busy);
  state.waiting = static_cast<std::uint8_t>(sequenced(system_.tcu_.decoder_).waiting());
}

void SequenceStates::load(const Position& position) {
  if (!setting_.divided) {
    Registers r(setting_.known->registers(position.state), system_.clock_.now, 0);
    if (known(position.state).busy != 0) r.keep_counts(counts_.live, 1);
    sequenced(system_.tcu_.decoder_).shapes().last_access() = 0;
    design_.whole(r);
    load_program(position.next);
  } else {
    if (position.state != KnownSequences::none) load_control(position);
    if (position.moves != KnownSequences::none) load_moves(position.moves);
  }
  if (setting_.memories)
    sequenced(system_.tcu_.decoder_).timer() = static_cast<std::uint16_t>(position.timer);
}

void SequenceStates::load_program(std::uint64_t next) {
  program_.load(next);
  system_.withdraw_word();
  design_.forget_wires();
}

Id SequenceStates::save_control() {
  Decoder& decoder = system_.tcu_.decoder_;
  bool is_new = false;
  const Id id = save(counts_, false, is_new, &SequencedDesign::control);
  if (!is_new) return id;
  const bool head_moves = sequenced(decoder).head_moves_dram();
  const std::array<Id, 2> offers = head_moves ? this->offers() : std::array<Id, 2>{};
  KnownSequences::State& state = known(id);
  state.rests = design_.control_rests();
  state.waiting = static_cast<std::uint8_t>(sequenced(decoder).waiting());
  state.head_moves = head_moves;
  state.one_cycle = state.rests && (state.move_waits() || design_.next() == program_.count());
  state.offers = offers;
  return id;
}

/// Returns numbers for what the transfer at the head decides: while its requests wait, and after
/// that.
std::array<Id, 2> SequenceStates::offers() {
  Decoder& decoder = system_.tcu_.decoder_;
  const std::uint64_t waits = sequenced(decoder).waiting() != 0 ? 1 : 0;
  const Id before = setting_.known->number(waits, sequenced(decoder).head_shape());
  if (before >= most_offers) internal_error("{} numbers are more than sequences remember", before);
  return {before,
          waits != 0 ? setting_.known->number(2, sequenced(decoder).head_context()) : before};
}

Id SequenceStates::save_moves() {
  Decoder& decoder = system_.tcu_.decoder_;
  bool is_new = false;
  const Id id = save(counts_of_moves_, true, is_new, &SequencedDesign::moves);
  if (!is_new) return id;
  KnownSequences::State& state = known(id);
  state.busy = static_cast<std::uint8_t>(design_.busy_parts());
  state.rests = design_.moves_rest();
  state.begun = sequenced(decoder).head_move_has_begun();
  return id;
}

/// Loads a state of the control, beside transfers that do nothing.
void SequenceStates::load_control(const Position& position) {
  Registers r(setting_.known->registers(position.state), system_.clock_.now, 0);
  sequenced(system_.tcu_.decoder_).shapes().last_access() = 0;
  design_.control(r);
  load_program(position.next);
  if (!moves_rest_) load_moves(path_.rest().moves);
  moves_rest_ = true;
  load_account_of_head();
}

/// Loads a state of the transfers, beside any state of the control.
void SequenceStates::load_moves(Id moves) {
  Registers r(setting_.known->registers(moves), system_.clock_.now, 0);
  r.keep_counts(counts_of_moves_.live, 1);
  design_.moves(r);
  moves_rest_ = false;
  load_account_of_head();
  design_.forget_wires();
}

/// Lets the account of the decoder begin with the coming cycle, and that of the array's time with
/// it.
void SequenceStates::load_account_of_head() {
  system_.tcu_.decoder_.account().restart();
  system_.array_time_->account().restart();
  system_.array_time_->renew();
}

void SequenceStates::show_head(Id control) {
  Registers r(setting_.known->registers(control), system_.clock_.now, 0);
  std::uint64_t tag = 0, end = 0;
  r(tag);
  r(end);
  sequenced(system_.tcu_.decoder_).registers_of_instructions(r);
  design_.forget_wires();
}

}  // namespace tactus
