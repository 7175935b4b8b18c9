// What observers of accounts are told of intervals that have passed.
#include <algorithm>

#include "models/tcu/fast/tcu_sequences.h"
#include "models/tcu/system.h"

namespace tactus {

/// The changes of the path's steps, of one part of the design, in the order of time.
class TcuSequences::PathChanges {
 public:
  PathChanges(const TcuSequences& sequences, bool of_moves, Cycle begin)
      : known_(sequences.known_), path_(sequences.path_), of_moves_(of_moves), now_(begin) {
    find();
  }
  /// When the next change comes; ~0: there is none.
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
  /// The next step with changes.
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
  Cycle now_;  ///< when the interval begins
  std::size_t step_ = 0;
  std::uint64_t times_ = 0;
  std::uint32_t change_ = 0;
};

/// Tells the changes of an interval that begins in cycle `now`.
void TcuSequences::tell_changes(Id interval, Cycle now) {
  const KnownSequences::Change* changes = known_.changes(interval);
  for (std::uint32_t i = 0; i < known_[interval].change_count; ++i) {
    changes_.tell(changes[i].account, changes[i].code, now + changes[i].offset);
  }
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

/// From the states of the accounts that decide it.
void TcuSequences::tell_array_time(Cycle now) {
  const auto moves = [this](unsigned p) {
    return ArrayTime::port_moves(changes_.code(reasons_.ports[p]));
  };
  const ArrayTime::State state = system_.array_time_->state(
      changes_.code(reasons_.array), changes_.code(reasons_.decoder), {moves(0), moves(1)});
  changes_.tell(accounts_.size() - 1, state, now);
}

}  // namespace tactus
