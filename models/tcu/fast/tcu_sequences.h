// Takes sequences of instructions whose timing is known, without evaluating their cycles; see
// models/sim/fast/README.md.
//
// A sequence begins and ends in a cycle in which the design is *at rest*: instructions may wait in
// the decoder, and nothing else is under way. In between it goes from state to state
// (KnownSequences) and only adds up the counts of the intervals. An unknown interval is worked out
// by the design itself, from the registers of its first state, with Clock::timing_only: no data
// moves. When the design would be at rest again, the data of the instructions is worked out, one
// instruction after the other (TcuData). If a sequence does not lead to a rest, it is dropped, and
// the design continues cycle by cycle from the last rest.
#pragma once

#include <cstdint>

#include "models/sim/machine.h"
#include "models/tcu/counters.h"
#include "models/tcu/fast/observed_changes.h"
#include "models/tcu/fast/program_bursts.h"
#include "models/tcu/fast/sequence_counters.h"
#include "models/tcu/fast/sequence_learner.h"
#include "models/tcu/fast/sequence_observers.h"
#include "models/tcu/fast/sequence_path.h"
#include "models/tcu/fast/sequence_program.h"
#include "models/tcu/fast/sequence_setting.h"
#include "models/tcu/fast/sequence_states.h"
#include "models/tcu/fast/sequenced_design.h"

namespace tactus {

class PlantedFault;
class TcuSystem;

class TcuSequences {
 public:
  explicit TcuSequences(TcuSystem& system);

  /// True if every part of the machine can be taken in sequences.
  [[nodiscard]] static bool possible(const tcu::Architecture& architecture);
  /// True if sequences can tell the observer of events, if there is one, and the sampler what these
  /// see.
  [[nodiscard]] bool tells(const EventSink* events) const;
  /// Call after a cycle. Takes instructions as long as the clock does not go beyond the horizon,
  /// and calls Machine::on_border() at its borders.
  void take(Horizon& horizon);
  /// Call in the cycle after a retire. Settles the account of the array's time if a region begins
  /// here whose border was passed already, in a sequence that was dropped.
  void pass_border_again();

  /// Forgets all states, intervals and shapes; other units keep what is shared.
  void forget();

  /// Instructions taken so far.
  [[nodiscard]] std::uint64_t taken() const { return path_.taken(); }
  /// Cycles taken so far.
  [[nodiscard]] Cycle taken_cycles() const { return path_.taken_cycles(); }
  /// Look-ups of an interval beside a live memory so far.
  [[nodiscard]] std::uint64_t visits() const { return visits_; }
  /// Intervals that this unit has worked out so far.
  [[nodiscard]] std::uint64_t worked_out() const { return learner_.worked_out(); }
  /// Cycles of intervals that were skipped as repetitions when these were worked out.
  [[nodiscard]] Cycle skipped() const { return learner_.skipped(); }

 private:
  friend class PlantedFault;  ///< used by tests
  using Id = KnownSequences::Id;
  using Position = SequencePosition;
  using Passage = KnownSequences::Passage;
  using ControlEnd = SequenceLearner::ControlEnd;

  [[nodiscard]] KnownSequences::State& known(Id id) const { return setting_[id]; }
  void renew();
  void list_observers();
  [[nodiscard]] bool asks_memories_soon(std::uint64_t executed, std::uint64_t next);
  bool begin(Position& position);
  void walk(Position& position, Cycle until);
  void leave();

  // With live memories (live_sequences.cpp).
  void begin_live();
  void begin_path();
  void commit_path(const Position& position);
  void walk_live(Position& position, Cycle until);
  [[nodiscard]] bool rests(const Position& position) const;
  void drive(const Position& position);
  bool step_live(Position& position, Cycle until);
  void pass_time(Position& position, Id interval, Cycle cycles) const;

  // For a design in two parts (divided_sequences.cpp).
  /// True if the array waits for the transfer at the head, and the cycle up to which this holds.
  struct Lost {
    bool time = false;
    Cycle until = 0;
  };
  bool step_divided(Position& position, Cycle until);
  bool walk_moves(Position& position, Cycle end, Cycle until, bool& pops);
  bool wait_for_memories(const Position& position, Cycle until);
  bool take_control(Position& position, Cycle begin, bool pops);
  [[nodiscard]] bool take_moves(Position& position, const Passage& passage, Cycle cycles);
  void take_beats(Position& position, Passage moves, bool loses, Cycle most);
  [[nodiscard]] bool find_control(const Position& position, const ControlEnd& end, Passage& found);
  [[nodiscard]] bool find_moves(Id state, Id key, Passage& found);
  [[nodiscard]] Lost loses_time(Id control, Cycle begin, Cycle now) const;
  [[nodiscard]] Id key_of_moves(const Position& position, bool loses) const;

  TcuSystem& system_;
  SequenceSetting setting_;
  SequenceProgram program_;
  ProgramBursts bursts_;
  SequencedDesign machine_;
  SequenceCounters counters_;
  ObservedChanges changes_;
  SequenceObservers observers_;
  SequencePath path_;
  SequenceStates states_;
  SequenceLearner learner_;

  std::uint32_t checks_ = 0;  ///< known intervals that engine check has met so far
  std::uint64_t visits_ = 0;
  std::uint64_t wait_ = 0, pause_ = 0;  ///< calls of take() to skip, after calls without a result

  unsigned driven_ = 0;    ///< wires that the memories drive
  Cycle driven_at_ = 0;    ///< cycle of these wires; ~0: the memories must be asked
  Cycle quiet_until_ = 0;  ///< up to this cycle the wires stay the same without a handshake
  Passage resting_moves_;  ///< transfers that do nothing, while none is at the head; none: unknown
};

}  // namespace tactus
