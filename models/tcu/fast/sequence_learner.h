// Works out unknown intervals of the design, as a whole or in two parts, and remembers them.
//
// The design itself runs through an unknown interval, with Clock::timing_only: no data moves. What
// it counts and tells meanwhile is remembered and taken back. Beside live memories the ports see
// the wires that the memories drive, and the memories see nothing.
//
// Intervals may be worked out in a sequence: after SequenceStates::begin(), until the registers of
// the last rest have been loaded.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "models/tcu/fast/observed_changes.h"
#include "models/tcu/fast/sequence_checks.h"
#include "models/tcu/fast/sequence_counters.h"
#include "models/tcu/fast/sequence_path.h"
#include "models/tcu/fast/sequence_program.h"
#include "models/tcu/fast/sequence_setting.h"
#include "models/tcu/fast/sequence_states.h"
#include "models/tcu/fast/sequenced_design.h"
#include "models/tcu/fast/tcu_periods.h"

namespace tactus {

class SequenceLearner {
 public:
  using Id = KnownSequences::Id;
  using Position = SequencePosition;
  using KeptCounts = KnownSequences::KeptCounts;
  /// How an interval of the control ends: after `cycles` cycles; 0: at its own end.
  struct ControlEnd {
    Cycle cycles = 0;
    bool pops = false;  ///< the transfer at the head is done in the last cycle
  };

  SequenceLearner(TcuSystem& system, SequenceProgram& program, SequencedDesign& design,
                  SequenceCounters& counters, ObservedChanges& changes,
                  const SequenceSetting& setting, const SequencePath& path, SequenceStates& states);

  // ---- at any time

  /// Intervals worked out so far.
  [[nodiscard]] std::uint64_t worked_out() const { return worked_out_; }
  /// Cycles of these that were skipped as repetitions.
  [[nodiscard]] Cycle skipped() const { return periods_.skipped(); }

  // ---- before a sequence

  /// Prepares what stands in for live memories. Call if there are such memories, when the setting
  /// has changed.
  void begin_live();

  // ---- Each works out an interval from this position and remembers it, or compares it if it is
  // known. Returns false if the interval cannot be remembered, or if working out does not pay.
  // `driven` are the wires that live memories drive in the position's cycle.

  /// The next interval of the whole design.
  bool work_out(const Position& position, Id interval, unsigned driven);
  /// An interval of the control, beside transfers that do nothing; a transfer at the head waits
  /// there.
  bool work_out_control(const Position& position, const ControlEnd& end, unsigned driven);
  /// One cycle of the transfers, whose interval has this key. `loses`: the array waits for the
  /// transfer at the head.
  bool work_out_moves(const Position& position, Id key, bool loses, unsigned driven);

  // ---- keys by which intervals of the control are found

  /// Returns the key of the state after an interval of the control.
  [[nodiscard]] Id key_of_control(const Position& position, bool accepts, bool pops) const {
    return (accepts ? program_[position.next].shape : no_shape) << 1 | (pops ? 1U : 0U);
  }
  /// Returns the key of an interval of the control that ends after this number of cycles.
  [[nodiscard]] static Id key_of_early(Cycle cycles) {
    return ends_early | static_cast<Id>(cycles);
  }

 private:
  /// The begin of an interval that is worked out, and what had been counted by then.
  struct Began {
    Cycle now = 0;
    std::uint64_t accepted = 0, retired = 0;
    std::uint32_t program_counter = 0;
    Cycle last_retire = 0;
    std::array<Cycle, 2> responses{};
    std::uint64_t timer = 0;
    std::uint64_t early_reads = 0;
  };
  /// Used in place of a shape if no instruction is accepted.
  static constexpr Id no_shape = (1U << 28) - 1;
  /// Bit that no key with a shape has.
  static constexpr Id ends_early = 1U << 30;

  [[nodiscard]] KnownSequences::State& known(Id id) const { return setting_[id]; }
  [[nodiscard]] bool learns() const;  ///< true if more intervals may be worked out
  [[nodiscard]] bool is_over();
  [[nodiscard]] TcuPeriods::Design periodic_design();

  void begin_interval(const Position& position);
  void end_interval(KnownSequences::State& found);
  bool work_out_whole(const Position& position, Id interval);
  bool run_interval(KnownSequences::State& found);
  bool run_live_interval(KnownSequences::State& found);
  bool run_control(const ControlEnd& end, bool one_cycle, bool move_waits);
  [[nodiscard]] bool accepts() const;
  [[nodiscard]] bool retires() const;
  void hold_memories(unsigned driven, unsigned busy);
  void release_memories();

  // What is remembered of them.
  void note_interval(Id interval, const KnownSequences::State& found, const KeptCounts* counts);
  void note_control(const Position& position, const ControlEnd& end,
                    const KnownSequences::State& found, Id next);
  void note_passing(KnownSequences::State& found);
  void note_timer(KnownSequences::State& found) const;
  void find_turns(bool works, KnownSequences::State& found);
  void set_link(Id interval, Id shape, Id next, bool keeps, const KeptCounts& counts);
  [[nodiscard]] SequenceCheck check() { return {*setting_.known, began_.now, design_.next()}; }
  void check_next(Id known, Id found, SequencedDesign::Part part);

  TcuSystem& system_;
  SequenceProgram& program_;
  SequencedDesign& design_;
  SequenceCounters& counters_;
  ObservedChanges& changes_;
  const SequenceSetting& setting_;
  const SequencePath& path_;
  SequenceStates& states_;
  TcuPeriods periods_;
  std::uint64_t worked_out_ = 0;

  Began began_;
  std::array<std::unique_ptr<HeldTarget>, 2> held_;
  std::array<AxiTarget*, 2> targets_{};  ///< targets of the ports while held_ replaces them
  /// Changes of the interval that is worked out
  std::vector<KnownSequences::Change> found_changes_;
  std::vector<std::uint32_t> turns_;        ///< see KnownSequences::State::turns
  std::vector<KnownSequences::Kept> kept_;  ///< scratch space
};

}  // namespace tactus
