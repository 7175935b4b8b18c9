#include "models/tcu/fast/tcu_sequences.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "isa/support/error.h"
#include "models/tcu/fast/sequenced_decoder.h"
#include "models/tcu/system.h"

namespace tactus {
namespace {

/// No sequence is begun if fewer cycles are left.
constexpr Cycle fewest_cycles = 64;
/// If a transfer to a memory that does not keep time comes within fewer instructions, no sequence
/// is begun.
constexpr std::uint64_t fewest_between_moves = 12;
constexpr std::uint64_t longest_pause = 4096;

}  // namespace

TcuSequences::TcuSequences(TcuSystem& system)
    : system_(system),
      program_(system.source_, system.stream_, system.tcu_.decoder_,
               system.config_.tcu.architecture, system.config_.axi_data_bits / 8),
      bursts_(system.config_.axi_data_bits / 8,
              static_cast<unsigned>(system.config_.tcu.architecture.vector_bytes()),
              system.tcu_.decoder_.registers(),
              [this](std::uint64_t instruction) -> const ProgramItem& {
                return program_[instruction].item;
              }),
      machine_(system, program_),
      counters_(machine_),
      changes_(system.clock_, system.sampler_.get()),
      observers_(system, program_, bursts_, counters_, changes_, setting_),
      path_(system, program_, machine_, counters_, changes_, observers_, setting_),
      states_(system, program_, machine_, setting_, path_),
      learner_(system, program_, machine_, counters_, changes_, setting_, path_, states_) {}

bool TcuSequences::possible(const tcu::Architecture& architecture) {
  return architecture.dais_blocks.empty();
}

bool TcuSequences::tells(const EventSink* events) const {
  if (events == nullptr && !system_.sampler_) return true;
  if (!(machine_.memories_keep_time() || machine_.memories_rewind()) || system_.samples_by_cycle_)
    return false;
  // The readiness of port B of local memory depends on the last queued transfer, which no state
  // contains.
  if (system_.sampler_ && system_.config_.tcu.architecture.dma_queue != 0) return false;
  return events == nullptr ||
         (events->kinds() != 0 && (events->kinds() & ~timeline_event_kinds) == 0);
}

void TcuSequences::take(Horizon& horizon) {
  if (wait_ > 0) {
    --wait_;
    return;
  }
  if (horizon.cycle < system_.clock_.now + fewest_cycles) return;
  // The fast checks come first: after most retires the design is not at rest.
  Position position;
  if (!sequenced(system_.tcu_.decoder_).rests()) return;
  const std::optional<std::uint64_t> next = program_.find();
  if (!next) return;
  position.next = *next;
  position.now = system_.clock_.now;
  if (!machine_.rests()) return;
  renew();
  if (!begin(position)) return;
  changes_.begin();
  const std::uint64_t first = path_.rest().next;
  path_.until_border() = horizon.retires;
  // The last cycle is left to the design, so that waits_for() sees the wires of that cycle.
  const Cycle until = horizon.cycle - 1;
  if (setting_.memories) {
    walk_live(position, until);
  } else {
    walk(position, until);
  }
  leave();
  horizon.retires = path_.until_border();
  if (system_.paused_) internal_error("a border lies in a sequence and was not met");
  if (path_.rest().next != first) {
    pause_ = 0;
    return;
  }
  pause_ = std::min(longest_pause, 2 * pause_ + 1);
  wait_ = pause_;
}

/// True if a sequence would end soon because of a DRAM that does not keep time. `executed`: see
/// SequencePath::begin().
bool TcuSequences::asks_memories_soon(std::uint64_t executed, std::uint64_t next) {
  if (setting_.memories_keep_time || setting_.memories) return false;
  const std::uint64_t end = std::min(program_.count(), next + fewest_between_moves);
  for (std::uint64_t i = executed; i < end && program_.know(i + 1); ++i) {
    if (program_[i].item.moves_dram()) return true;
  }
  return false;
}

/// Selects the accounts whose changes are recorded, and decides whether the design is taken in two
/// parts. What observers see of a cycle depends on both, so a design that is observed is taken as
/// one.
void TcuSequences::list_observers() {
  changes_.list(counters_.accounts());
  setting_.divided = setting_.memories && !changes_.are_observed() &&
                     !sequenced(system_.tcu_.decoder_).has_blocks();
  if (setting_.divided) changes_.record(counters_.array());
}

/// Forgets all states if there are too many, or if they no longer apply.
void TcuSequences::renew() {
  Decoder& decoder = system_.tcu_.decoder_;
  const bool keep_time = machine_.memories_keep_time();
  const bool live = !keep_time && machine_.memories_rewind();
  if (setting_.design && !setting_.known->full() &&
      decoder.registers().timeout == setting_.timeout && keep_time == setting_.memories_keep_time &&
      live == (setting_.memories != nullptr) && changes_.holds()) {
    return;
  }
  forget();
  setting_.timeout = decoder.registers().timeout;
  setting_.memories_keep_time = keep_time;
  setting_.memories.reset();
  if (live) begin_live();
  machine_.begin(live, keep_time);
  counters_.list();
  list_observers();
  path_.renew();
  KnownDesigns* const shared = live ? system_.config_.known.get() : nullptr;
  setting_.design =
      shared != nullptr
          ? shared->find({system_.config_.tcu.architecture, system_.config_.axi_data_bits,
                          setting_.timeout, setting_.divided, changes_.recorded(), changes_.kinds(),
                          changes_.has_flags()})
          : std::make_shared<KnownDesign>();
  setting_.known = &setting_.design->sequences;
  machine_.use(*setting_.design);
  sequenced(decoder).shapes().use(&setting_.design->shapes);
}

void TcuSequences::forget() {
  sequenced(system_.tcu_.decoder_).shapes().use(nullptr);
  setting_.design.reset();
  setting_.known = nullptr;
  counters_.forget();
}

/// Saves the state of the design, which is at rest, as the first of a sequence. Returns false if
/// none can begin.
bool TcuSequences::begin(Position& position) {
  Decoder& decoder = system_.tcu_.decoder_;
  program_.begin(position.next, *setting_.design);
  const std::uint64_t executed = position.next - sequenced(decoder).waiting();
  if (!program_.know(position.next) || asks_memories_soon(executed, position.next)) return false;
  counters_.count();
  counters_.note_change();
  sequenced(decoder).shapes().last_access() = 0;
  program_.show_shapes();
  machine_.next() = position.next;
  position.timer = sequenced(decoder).timer();
  states_.begin(position);
  path_.begin(position, executed);
  return true;
}

void TcuSequences::walk(Position& position, Cycle until) {
  while (!path_.full()) {
    // An unknown interval may accept an instruction, too.
    if (position.next < program_.count()) {
      if (!program_.know(position.next + 1)) return;
    } else if (known(position.state).rests) {
      return;
    }
    const KnownSequences::State* state = &known(position.state);
    if (state->cycles == 0) {
      if (!learner_.work_out(position, position.state, 0)) return;
      state = &known(position.state);
    }
    if (state->left_out || position.now + state->cycles > until) return;
    const Id shape = state->accepts ? program_[position.next].shape : KnownSequences::none;
    Id next = setting_.known->next(position.state, shape);
    if (next == KnownSequences::none || system_.is_checked(checks_)) {
      if (!learner_.work_out(position, position.state, 0)) return;
      state = &known(position.state);
      next = setting_.known->next(position.state, shape);
    }
    path_.add(position.state);
    position.now += state->cycles;
    if (state->accepts) ++position.next;
    position.state = next;
    if (known(next).rests) path_.commit(position);
  }
}

/// Loads the state of the last rest, from which the design continues.
void TcuSequences::leave() {
  Clock& clock = system_.clock_;
  counters_.add(*setting_.known);
  clock.now = path_.rest().now;
  states_.load(path_.rest());
  sequenced(system_.tcu_.decoder_).adopt_levels();
  changes_.end(clock.now);
  program_.show_instructions(path_.rest().next);
  system_.rested_ = false;
}

void TcuSequences::pass_border_again() {
  if (observers_.is_border(system_.clock_.now)) system_.array_time_->account().settle();
}

}  // namespace tactus
