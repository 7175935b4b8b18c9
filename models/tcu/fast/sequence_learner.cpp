#include "models/tcu/fast/sequence_learner.h"

#include <utility>

#include "models/tcu/fast/sequenced_decoder.h"
#include "models/tcu/system.h"

namespace tactus {
namespace {

/// Working out an interval costs time beyond its cycles. `interval` is the number of cycles taken
/// in sequences that pay for it. If more than `most_unpaid` cycles are unpaid, no more intervals
/// are worked out, since they do not repeat often enough.
struct Price {
  Cycle interval, most_unpaid;
};
constexpr Price price{64, Cycle{1} << 19};
/// The price with live memories, where most intervals are one cycle.
constexpr Price price_live{12, Cycle{1} << 14};
constexpr Cycle no_response = ~Cycle{0};

}  // namespace

SequenceLearner::SequenceLearner(TcuSystem& system, SequenceProgram& program,
                                 SequencedDesign& design, SequenceCounters& counters,
                                 ObservedChanges& changes, const SequenceSetting& setting,
                                 const SequencePath& path, SequenceStates& states)
    : system_(system),
      program_(program),
      design_(design),
      counters_(counters),
      changes_(changes),
      setting_(setting),
      path_(path),
      states_(states),
      periods_(periodic_design()) {}

/// True if the program has ended and nothing is under way.
bool SequenceLearner::is_over() {
  return design_.next() == program_.count() && system_.source_.exhausted() && design_.rests();
}

bool SequenceLearner::learns() const {
  if (system_.clock_.engine == Engine::check) return !setting_.known->full();
  const Price& paid = setting_.memories ? price_live : price;
  return !setting_.known->full() &&
         paid.interval * worked_out_ < path_.taken_cycles() + paid.most_unpaid;
}

void SequenceLearner::begin_live() {
  const unsigned beat_bytes = system_.config_.axi_data_bits / 8;
  for (unsigned p = 0; p < 2; ++p) {
    held_[p] = std::make_unique<HeldTarget>(system_.ports_[p]->pins, beat_bytes);
  }
}

TcuPeriods::Design SequenceLearner::periodic_design() {
  return {system_.clock_,
          [this](Registers& r) { design_.whole(r); },
          [this](Registers& r) {
            design_.whole(r);
            states_.load_program(design_.next());
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
void SequenceLearner::begin_interval(const Position& position) {
  ++worked_out_;
  Clock& clock = system_.clock_;
  Decoder& decoder = system_.tcu_.decoder_;
  clock.now = position.now;
  if (!states_.has_loaded(position)) states_.load(position);
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
    began_.responses[p] = std::exchange(design_.last_response(p), no_response);
  }
  if (position.next < program_.count())
    sequenced(decoder).shapes().expect(program_[position.next].shape);
  design_.next() = position.next;
  states_.forget_loaded();
  system_.rested_ = false;
  sequenced(decoder).adopt_levels();
  changes_.begin_interval(clock.now);
  clock.timing_only = true;
}

/// Ends an interval that is worked out. What it has counted is still to be taken back.
void SequenceLearner::end_interval(KnownSequences::State& found) {
  Clock& clock = system_.clock_;
  Decoder& decoder = system_.tcu_.decoder_;
  clock.timing_only = false;
  changes_.end_interval(found_changes_);
  found.cycles = static_cast<std::uint32_t>(clock.now - began_.now);
  found.accepts = accepts();
  found.retires = retires();
  found.left_out |= system_.tcu_.accumulators_.accumulator().early_reads() != began_.early_reads;
  for (unsigned p = 0; p < 2; ++p) {
    Cycle& last = design_.last_response(p);
    if (last != no_response) {
      found.response[p] = static_cast<std::uint32_t>(last - began_.now);
      found.responds = true;
    }
    last = began_.responses[p];
  }
  sequenced(decoder).reset_retires(began_.program_counter, began_.last_retire);
  if (found.accepts) ++design_.next();
}

bool SequenceLearner::work_out(const Position& position, Id interval, unsigned driven) {
  if (!learns()) return false;
  if (!setting_.memories) return work_out_whole(position, interval);
  hold_memories(driven, known(position.state).busy);
  const bool done = work_out_whole(position, interval);
  release_memories();
  return done;
}

/// Lets the design run from the state to the end of its interval, and remembers what that counts
/// instead of counting it. Returns false if the interval does not end, or if its counts cannot be
/// remembered.
bool SequenceLearner::work_out_whole(const Position& position, Id interval) {
  begin_interval(position);
  KnownSequences::State found;
  const bool ends = setting_.memories ? run_live_interval(found) : run_interval(found);
  end_interval(found);
  if (!counters_.take_growth(began_.now) || !ends) return false;
  Position after{KnownSequences::none, design_.next(), system_.clock_.now,
                 sequenced(system_.tcu_.decoder_).timer(), KnownSequences::none};
  states_.save(after);
  states_.note_loaded(after);
  note_interval(interval, found, setting_.memories ? &states_.counts() : nullptr);
  const Id shape = found.accepts ? program_[position.next].shape : KnownSequences::none;
  if (setting_.memories) {
    set_link(interval, shape, after.state, found.busy != 0, states_.counts());
  } else {
    const Id known = setting_.known->next(interval, shape);
    if (known != KnownSequences::none) check_next(known, after.state, &SequencedDesign::whole);
    setting_.known->set_next(interval, shape, after.state);
  }
  return true;
}

/// Remembers an interval that has been worked out, or compares it if it is known. `counts`
/// are those that its state keeps; null: none.
void SequenceLearner::note_interval(Id interval, const KnownSequences::State& found,
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
    setting_.known->set_counts(interval, counters_.growth());
    setting_.known->set_changes(interval, found_changes_);
    if (counts != nullptr) setting_.known->set_growth(interval, *counts);
  } else {
    const SequenceCheck check = this->check();
    check.interval(interval, found);
    check.growth(interval, counters_);
    check.changes(interval, found_changes_, counters_.accounts());
  }
}

/// Compares the states after an interval. `part` saves their registers.
void SequenceLearner::check_next(Id known, Id found, SequencedDesign::Part part) {
  if (known == found) return;
  SequenceCheck::Saved saved;
  {
    Registers r(saved.bytes, system_.clock_.now,
                sequenced(system_.tcu_.decoder_).shapes().last_access());
    r.note_units(saved.places);
    (design_.*part)(r);
  }
  check().successor(known, found, saved);
}

/// True if the interval that is worked out has accepted an instruction; retires(): has retired one.
bool SequenceLearner::accepts() const {
  return sequenced(system_.tcu_.decoder_).accepted() != began_.accepted;
}
bool SequenceLearner::retires() const {
  return system_.tcu_.decoder_.stats().retired != began_.retired;
}

/// Lets the design run to the end of its interval. Returns false if the interval does not end.
bool SequenceLearner::run_interval(KnownSequences::State& found) {
  Clock& clock = system_.clock_;
  periods_.begin(sequenced(system_.tcu_.decoder_).shapes().last_access());
  while (!accepts() && !retires()) {
    if (clock.now - began_.now >= SequenceSetting::longest_interval) return false;
    const std::uint64_t progress = clock.progress;
    system_.pass(SequenceSetting::longest_interval);
    system_.rested_ = clock.progress == progress;
    const bool goes_on = !accepts() && !retires();
    if (!design_.asks_memories()) {  // pass() has taken all other long waits at once
      if (design_.next() < program_.count()) continue;
      if (is_over()) break;
      continue;
    }
    if (!setting_.memories_keep_time) {
      found.left_out = true;  // before the memory sees the request
      break;
    }
    if (periods_.due() && goes_on) periods_.look();
  }
  return true;
}

}  // namespace tactus
