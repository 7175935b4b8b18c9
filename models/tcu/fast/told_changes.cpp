// What observers of accounts are told about intervals that have passed.
#include <algorithm>

#include "models/tcu/events.h"
#include "models/tcu/fast/tcu_sequences.h"
#include "models/tcu/system.h"

namespace tactus {

/// Iterates over the changes in the steps of a path, of one part of the design, in the order of
/// time.
class TcuSequences::PathChanges {
 public:
  PathChanges(const TcuSequences& sequences, bool of_moves, Cycle begin)
      : known_(*sequences.known_), path_(sequences.path_), of_moves_(of_moves), now_(begin) {
    find();
  }
  /// Cycle of the next change; ~0: there is none.
  [[nodiscard]] Cycle at() const {
    return step_ == path_.size() ? ~Cycle{0} : now_ + next().offset;
  }
  [[nodiscard]] const KnownSequences::Change& next() const {
    return known_.changes(path_[step_].interval)[change_];
  }
  void pass() {
    const KnownSequences::State& interval = known_[path_[step_].interval];
    if (++change_ < interval.change_count) return;
    change_ = 0;
    now_ += interval.cycles;
    if (++times_ < path_[step_].times) return;
    times_ = 0;
    ++step_;
    find();
  }

 private:
  /// Finds the next step that has changes.
  void find() {
    for (; step_ < path_.size(); ++step_) {
      const Step& step = path_[step_];
      if (step.of_moves != of_moves_) continue;
      const KnownSequences::State& interval = known_[step.interval];
      if (interval.change_count != 0) return;
      now_ += interval.cycles * step.times;
    }
  }

  const KnownSequences& known_;
  const std::vector<Step>& path_;
  bool of_moves_;
  Cycle now_;  ///< begin of the current interval
  std::size_t step_ = 0;
  std::uint64_t times_ = 0;
  std::uint32_t change_ = 0;
};

/// Tells the changes of an interval that begins in cycle `now`. `accepted` and `retired` count the
/// program's instructions before it.
void TcuSequences::tell_changes(Id interval, Cycle now, std::uint64_t accepted,
                                std::uint64_t retired) {
  const KnownSequences::Change* changes = known_->changes(interval);
  for (std::uint32_t i = 0; i < known(interval).change_count; ++i) {
    const KnownSequences::Change& change = changes[i];
    changes_.tell_cycle(now + change.offset);
    if (change.of_flags()) {
      sample_until(now + change.offset, retired - executed_);
      flags_ = change.code;
    } else if (change.of_account()) {
      changes_.tell(change.account, change.code, now + change.offset);
    } else if (change.of_level()) {
      changes_.tell_level(change.account - KnownSequences::Change::first_level, change.code);
    } else {
      changes_.tell(event_of(change, accepted, retired));
    }
  }
}

/// Returns a remembered event with the operands that follow from the program. It has no data,
/// except the bytes of an instruction.
Event TcuSequences::event_of(const KnownSequences::Change& change, std::uint64_t accepted,
                             std::uint64_t retired) {
  const unsigned place = change.account - KnownSequences::Change::first_event;
  Event event{static_cast<EventKind>(place / KnownSequences::Change::most_ports),
              place % KnownSequences::Change::most_ports};
  switch (event.kind) {
    case TcuEvent::instruction_accepted:
      event.data = bytes(accepted * shapes_.instruction_bytes(), shapes_.instruction_bytes());
      break;
    case TcuEvent::retired: {
      const ProgramItem& retires = item(retired).item;
      event.a = retires.opcode;
      event.b = retires.flags;
      event.c = system_.tcu_.decoder_.registers().program_counter + (retired - executed_);
      break;
    }
    case TcuEvent::axi_read_address:
    case TcuEvent::axi_write_address: {
      const AxiAddress burst = bursts_.next(event.port, change.code);
      event.a = burst.address;
      event.b = burst.length;
      event.c = burst.cache;
      break;
    }
    default:
      break;
  }
  return event;
}

bool TcuSequences::tells(const EventSink* events) const {
  if (events == nullptr && !system_.sampler_) return true;
  if (!memories_keep_time() || system_.samples_by_cycle_) return false;
  // The readiness of port B of local memory depends on the last queued transfer, which no state
  // contains.
  if (system_.sampler_ && system_.config_.tcu.architecture.dma_queue != 0) return false;
  return events == nullptr ||
         (events->kinds() != 0 && (events->kinds() & ~timeline_event_kinds) == 0);
}

/// Lets the sampler see the cycles before `end`. `retired` instructions of the path have retired
/// before them.
void TcuSequences::sample_until(Cycle end, std::uint64_t retired) {
  if (!system_.sampler_) return;
  system_.clock_.now = sampled_;
  const std::uint32_t first = system_.tcu_.decoder_.registers().program_counter;
  system_.pass_samples(end, flags_, first + static_cast<std::uint32_t>(retired));
  sampled_ = end;
}

/// Tells the changes of the path since the last rest.
void TcuSequences::tell_path_changes() {
  if (!changes_.are_observed()) return;
  PathChanges control(*this, false, committed_.now), moves(*this, true, committed_.now);
  while (control.at() != ~Cycle{0} || moves.at() != ~Cycle{0}) {
    const Cycle now = std::min(control.at(), moves.at());
    for (PathChanges* part : {&control, &moves}) {
      for (; part->at() == now; part->pass()) {
        changes_.tell(part->next().account, part->next().code, now);
      }
    }
    if (divided_) tell_array_time(now);
  }
}

/// Derives the state of the array's time from the accounts of array, decoder and ports, and tells
/// it.
void TcuSequences::tell_array_time(Cycle now) {
  const auto moves = [this](unsigned p) {
    return ArrayTime::port_moves(changes_.code(reasons_.ports[p]));
  };
  const ArrayTime::State state = system_.array_time_->state(
      changes_.code(reasons_.array), changes_.code(reasons_.decoder), {moves(0), moves(1)});
  changes_.tell(accounts_.size() - 1, state, now);
}

}  // namespace tactus
