// The path: the intervals taken since the last rest, what follows from them, and where the last
// rest was.
//
// At the next rest the path is accepted: its retires and changes are told, its counts are added up,
// and the data of its instructions is worked out. Otherwise it is dropped. Beside live memories the
// figures of a border are handed on at once, because those of the memories are the figures of the
// current cycle. If the path is dropped later, its instructions up to the border are evaluated
// again with the same figures, and the border is not told again.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "models/tcu/fast/sequence_observers.h"
#include "models/tcu/fast/tcu_data.h"

namespace tactus {

class SequencePath {
 public:
  using Id = KnownSequences::Id;
  using Position = SequencePosition;

  SequencePath(TcuSystem& system, SequenceProgram& program, SequencedDesign& design,
               SequenceCounters& counters, ObservedChanges& changes, SequenceObservers& observers,
               const SequenceSetting& setting)
      : system_(system),
        program_(program),
        design_(design),
        counters_(counters),
        changes_(changes),
        observers_(observers),
        setting_(setting) {}

  // ---- at any time

  /// Instructions taken so far, and cycles.
  [[nodiscard]] std::uint64_t taken() const { return taken_; }
  [[nodiscard]] Cycle taken_cycles() const { return taken_cycles_; }

  // ---- of a sequence

  /// Finds the design's memories and registers. Call before the first sequence, and when the
  /// setting has changed.
  void renew();
  /// Begins a sequence at this rest. The data of `executed` instructions has been worked out.
  void begin(const Position& rest, std::uint64_t executed);
  /// See Horizon::retires. Set it before instructions are taken.
  [[nodiscard]] std::uint64_t& until_border() { return until_border_; }
  /// The last rest.
  [[nodiscard]] const Position& rest() const { return rest_; }
  /// True if no more intervals should be taken: the design never comes to rest.
  [[nodiscard]] bool full() const { return steps_.size() >= longest; }

  // ---- of a path beside memories that keep time

  /// Adds an interval.
  void add(Id interval) { steps_.push_back({interval, 1, false}); }
  /// Accepts the path. It ends in this position, at a rest.
  void commit(const Position& position);

  // ---- of a path beside live memories

  /// Begins a path in the current cycle, in which the design is at rest.
  void begin_live();
  /// Adds passes of an interval. Many intervals pass several times in a row.
  void add(bool of_moves, Id interval, std::uint64_t times) {
    SequenceStep& newest = newest_[of_moves ? 1 : 0];
    if (newest.interval != interval) {
      if (newest.times != 0) steps_.push_back(newest);
      newest = {interval, 0, of_moves};
    }
    newest.times += times;
  }
  /// Notes the last write responses of an interval that begins in cycle `now`.
  void note_responses(Id interval, Cycle now);
  /// Notes a retire in the cycle before `now`. Its interval has been added.
  void retire(Cycle now) {
    retires_.push_back(now - 1);
    if (retires_.size() == until_border_) pass_border_live(now);
  }
  /// Accepts the path. It ends in this position, at a rest.
  void commit_live(const Position& position);
  /// Undoes the path, which has led to this position. What has been told of it will occur again.
  void drop_live(const Position& position);

 private:
  /// Upper limit on the intervals of a sequence in which the design never comes to rest.
  static constexpr std::size_t longest = 1U << 18;
  void end_steps();
  void pass_border(Cycle now);
  void pass_border_live(Cycle now);
  void tell_retires();
  void finish(const Position& position);

  TcuSystem& system_;
  SequenceProgram& program_;
  SequencedDesign& design_;
  SequenceCounters& counters_;
  ObservedChanges& changes_;
  SequenceObservers& observers_;
  const SequenceSetting& setting_;
  std::unique_ptr<TcuData> data_;

  Position rest_;
  std::uint64_t executed_ = 0;  ///< instructions whose data has been worked out
  std::uint64_t until_border_ = 0;
  std::uint64_t taken_ = 0;
  Cycle taken_cycles_ = 0;
  std::vector<SequenceStep> steps_;

  // Beside live memories.
  /// Last step of the control, or of the whole design; last step of the transfers
  std::array<SequenceStep, 2> newest_;
  std::vector<Cycle> retires_;
  std::uint64_t told_ = 0;   ///< number of retires that have been told
  std::size_t counted_ = 0;  ///< number of steps whose counts have been added up
  /// Last write responses: now, and before the path
  std::array<Cycle, 2> responses_{}, old_responses_{};
};

}  // namespace tactus
