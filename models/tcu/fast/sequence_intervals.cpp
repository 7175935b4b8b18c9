// States and intervals of the design, and how those that are not known are worked out; see
// models/sim/fast/README.md.
#include <utility>

#include "models/tcu/fast/sequenced_decoder.h"
#include "models/tcu/fast/tcu_sequences.h"
#include "models/tcu/system.h"

namespace tactus {
namespace {

constexpr Cycle no_response = ~Cycle{0};

}  // namespace

/// Saves the state of the design, or of the part of it that `part` saves.
KnownSequences::Id TcuSequences::save(KeptCounts& counts, bool keeps, bool& is_new,
                                      SequencedDesign::Part part) {
  std::uint16_t& timer = sequenced(system_.tcu_.decoder_).timer();
  const std::uint16_t time = timer;
  if (memories_) timer = timeout_;
  counts.saved.clear();
  {
    Registers r(bytes_, system_.clock_.now,
                sequenced(system_.tcu_.decoder_).shapes().last_access());
    if (keeps) r.keep_counts(counts.saved, 1);
    (machine_.*part)(r);
  }
  timer = time;
  return known_->find(bytes_, is_new);
}

/// Saves the current state of the design.
void TcuSequences::save(Position& position) {
  if (divided_) {
    position.state = save_control();
    position.moves = save_moves();
    return;
  }
  const unsigned busy = memories_ ? machine_.busy_parts() : 0;
  bool is_new = false;
  position.state = save(counts_, busy != 0, is_new, &SequencedDesign::whole);
  if (!is_new) return;
  KnownSequences::State& state = known(position.state);
  state.rests = machine_.rests();
  state.busy = static_cast<std::uint8_t>(busy);
  state.waiting = static_cast<std::uint8_t>(sequenced(system_.tcu_.decoder_).waiting());
}

/// Loads a state. If the design has two parts, one may be left out.
void TcuSequences::load(const Position& position) {
  if (!divided_) {
    Registers r(known_->registers(position.state), system_.clock_.now, 0);
    if (known(position.state).busy != 0) r.keep_counts(counts_.live, 1);
    sequenced(system_.tcu_.decoder_).shapes().last_access() = 0;
    machine_.whole(r);
    load_program(position.next);
  } else {
    if (position.state != KnownSequences::none) load_control(position);
    if (position.moves != KnownSequences::none) load_moves(position.moves);
  }
  if (memories_)
    sequenced(system_.tcu_.decoder_).timer() = static_cast<std::uint16_t>(position.timer);
}

/// Loads the part of a state that follows from the program: `next` is the instruction that is
/// accepted next.
void TcuSequences::load_program(std::uint64_t next) {
  program_.load(next);
  system_.withdraw_word();
  machine_.forget_wires();
}

TcuPeriods::Design TcuSequences::periodic_design() {
  return {system_.clock_,
          [this](Registers& r) { machine_.whole(r); },
          [this](Registers& r) {
            machine_.whole(r);
            load_program(machine_.next());
            system_.rested_ = false;
          },
          [this] {
            return std::uint64_t{system_.ports_[0]->port.beat_phase()} << 32 |
                   system_.ports_[1]->port.beat_phase();
          },
          [this](Cycle from, Cycle cycles) {
            const Cycle now = system_.clock_.now;
            changes_.repeat(from, now, cycles / (now - from));
            for (auto& port : system_.ports_) {
              Cycle& last = port->port.splitter().counts().last_write_response;
              if (last != no_response && last >= from) last += cycles;
            }
          },
          counters_.accounts(),
          counters_.all()};
}

/// Begins to work out the interval of this position. What the design counts is taken back later.
void TcuSequences::begin_interval(const Position& position) {
  ++worked_out_;
  Clock& clock = system_.clock_;
  Decoder& decoder = system_.tcu_.decoder_;
  clock.now = position.now;
  if (!(loaded_ == position)) load(position);
  counters_.begin_interval();
  began_ = {clock.now,
            sequenced(decoder).accepted(),
            decoder.stats().retired,
            decoder.registers().program_counter,
            decoder.stats().last_retire,
            {},
            sequenced(decoder).timer(),
            system_.tcu_.accumulators_.accumulator().early_reads()};
  for (unsigned p = 0; p < 2; ++p) {
    began_.responses[p] = std::exchange(machine_.last_response(p), no_response);
  }
  if (position.next < program_.count())
    sequenced(decoder).shapes().expect(program_[position.next].shape);
  machine_.next() = position.next;
  loaded_ = {};
  system_.rested_ = false;
  sequenced(decoder).adopt_levels();
  changes_.begin_interval(clock.now);
  clock.timing_only = true;
}

/// Ends an interval that is worked out. What it has counted is still to be taken back.
void TcuSequences::end_interval(KnownSequences::State& found) {
  Clock& clock = system_.clock_;
  Decoder& decoder = system_.tcu_.decoder_;
  clock.timing_only = false;
  changes_.end_interval(found_changes_);
  found.cycles = static_cast<std::uint32_t>(clock.now - began_.now);
  found.accepts = accepts();
  found.retires = retires();
  found.left_out |= system_.tcu_.accumulators_.accumulator().early_reads() != began_.early_reads;
  for (unsigned p = 0; p < 2; ++p) {
    Cycle& last = machine_.last_response(p);
    if (last != no_response) {
      found.response[p] = static_cast<std::uint32_t>(last - began_.now);
      found.responds = true;
    }
    last = began_.responses[p];
  }
  sequenced(decoder).reset_retires(began_.program_counter, began_.last_retire);
  if (found.accepts) ++machine_.next();
}

/// Lets the design run from the state to the end of its interval, and remembers what that counts
/// instead of counting it. Returns false if the interval does not end, or if its counts cannot be
/// remembered.
bool TcuSequences::work_out(const Position& position, Id interval) {
  begin_interval(position);
  KnownSequences::State found;
  const bool ends = memories_ ? run_live_interval(found) : run_interval(found);
  end_interval(found);
  if (!counters_.take_growth(began_.now) || !ends) return false;
  Position after{KnownSequences::none, machine_.next(), system_.clock_.now,
                 sequenced(system_.tcu_.decoder_).timer(), KnownSequences::none};
  save(after);
  loaded_ = after;
  note_interval(interval, found, memories_ ? &counts_ : nullptr);
  const Id shape = found.accepts ? program_[position.next].shape : KnownSequences::none;
  if (memories_) {
    set_link(interval, shape, after.state, found.busy != 0, counts_);
  } else {
    const Id known = known_->next(interval, shape);
    if (known != KnownSequences::none) check_next(known, after.state, &SequencedDesign::whole);
    known_->set_next(interval, shape, after.state);
  }
  return true;
}

/// Remembers an interval that has been worked out, or compares it if it is known. `counts`
/// are those that its state keeps; null: none.
void TcuSequences::note_interval(Id interval, const KnownSequences::State& found,
                                 const KeptCounts* counts) {
  KnownSequences::State& state = known(interval);
  if (state.cycles == 0) {
    state.cycles = found.cycles;
    state.response = found.response;
    state.responds = found.responds;
    state.accepts = found.accepts;
    state.retires = found.retires;
    state.left_out = found.left_out;
    state.busy = found.busy;
    state.array_works = found.array_works;
    state.passing = found.passing;
    state.timer = found.timer;
    known_->set_counts(interval, counters_.growth());
    known_->set_changes(interval, found_changes_);
    if (counts != nullptr) known_->set_growth(interval, *counts);
  } else {
    const SequenceCheck check = this->check();
    check.interval(interval, found);
    check.growth(interval, counters_);
    check.changes(interval, found_changes_, counters_.accounts());
  }
}

/// Compares the states after an interval. `part` saves their registers.
void TcuSequences::check_next(Id known, Id found, SequencedDesign::Part part) {
  if (known == found) return;
  SequenceCheck::Saved saved;
  {
    Registers r(saved.bytes, system_.clock_.now,
                sequenced(system_.tcu_.decoder_).shapes().last_access());
    r.note_units(saved.places);
    (machine_.*part)(r);
  }
  check().successor(known, found, saved);
}

/// True if the interval that is worked out has accepted an instruction; retires(): has retired one.
bool TcuSequences::accepts() const {
  return sequenced(system_.tcu_.decoder_).accepted() != began_.accepted;
}
bool TcuSequences::retires() const {
  return system_.tcu_.decoder_.stats().retired != began_.retired;
}

/// Lets the design run to the end of its interval. Returns false if the interval does not end.
bool TcuSequences::run_interval(KnownSequences::State& found) {
  Clock& clock = system_.clock_;
  periods_.begin(sequenced(system_.tcu_.decoder_).shapes().last_access());
  while (!accepts() && !retires()) {
    if (clock.now - began_.now >= longest_interval) return false;
    const std::uint64_t progress = clock.progress;
    system_.pass(longest_interval);
    system_.rested_ = clock.progress == progress;
    const bool goes_on = !accepts() && !retires();
    if (!machine_.asks_memories()) {  // pass() has taken all other long waits at once
      if (machine_.next() < program_.count()) continue;
      if (is_over()) break;
      continue;
    }
    if (!memories_keep_time_) {
      found.left_out = true;  // before the memory sees the request
      break;
    }
    if (periods_.due() && goes_on) periods_.look();
  }
  return true;
}

}  // namespace tactus
