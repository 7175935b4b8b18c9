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

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "models/sim/machine.h"
#include "models/tcu/counters.h"
#include "models/tcu/fast/known_design.h"
#include "models/tcu/fast/live_memories.h"
#include "models/tcu/fast/observed_changes.h"
#include "models/tcu/fast/program_bursts.h"
#include "models/tcu/fast/sequence_checks.h"
#include "models/tcu/fast/sequence_counters.h"
#include "models/tcu/fast/sequence_program.h"
#include "models/tcu/fast/sequenced_design.h"
#include "models/tcu/fast/tcu_data.h"
#include "models/tcu/fast/tcu_periods.h"

namespace tactus {

class PlantedFault;
class TcuSystem;

class TcuSequences {
 public:
  explicit TcuSequences(TcuSystem& system);
  ~TcuSequences();

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
  [[nodiscard]] std::uint64_t taken() const { return taken_; }
  /// Cycles taken so far.
  [[nodiscard]] Cycle taken_cycles() const { return taken_cycles_; }
  /// Look-ups of an interval beside a live memory so far.
  [[nodiscard]] std::uint64_t visits() const { return visits_; }
  /// Intervals that this unit has worked out so far.
  [[nodiscard]] std::uint64_t worked_out() const { return worked_out_; }
  /// Cycles of intervals that were skipped as repetitions when these were worked out.
  [[nodiscard]] Cycle skipped() const { return periods_.skipped(); }

 private:
  friend class PlantedFault;  ///< used by tests
  using Id = KnownSequences::Id;
  /// A place in the program, and a cycle.
  struct Position {
    Id state = KnownSequences::none;
    std::uint64_t next = 0;  ///< instruction that is accepted next
    Cycle now = 0;
    std::uint64_t timer = 0;  ///< the decoder's timer, with live memories
    /// State of the transfers, if the design is taken in two parts
    Id moves = KnownSequences::none;
    [[nodiscard]] bool operator==(const Position& o) const {
      return state == o.state && next == o.next && now == o.now && moves == o.moves;
    }
  };
  using KeptCounts = KnownSequences::KeptCounts;
  using Passage = KnownSequences::Passage;
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
  /// Upper limit on the intervals of a sequence in which the design never comes to rest.
  static constexpr std::size_t longest_path = 1U << 18;
  /// Limit on the cycles of an interval, and on a wait for a memory. Longer ones are not taken.
  static constexpr Cycle longest_interval = 1U << 20;
  /// One entry of a path: an interval and how often it repeats.
  struct Step {
    Id interval = KnownSequences::none;
    std::uint64_t times = 0;
    bool of_moves = false;  ///< a step of the transfers' part
  };
  [[nodiscard]] KnownSequences::State& known(Id id) const { return (*known_)[id]; }
  [[nodiscard]] bool is_over();
  void renew();
  [[nodiscard]] bool asks_memories_soon(std::uint64_t next);
  bool begin(Position& position);
  [[nodiscard]] bool learns() const;  ///< true if more intervals may be worked out
  [[nodiscard]] SequenceCheck check() { return {*known_, began_.now, machine_.next()}; }
  void check_next(Id known, Id found, SequencedDesign::Part part);
  void walk(Position& position, Cycle until);
  void leave();
  void commit(const Position& position);
  void finish_path(const Position& position);
  void pass_border(Cycle now);
  void save(Position& position);
  Id save(KeptCounts& counts, bool keeps, bool& is_new, SequencedDesign::Part part);
  void load(const Position& position);
  void load_program(std::uint64_t next);
  bool work_out(const Position& position, Id interval);
  void begin_interval(const Position& position);
  void end_interval(KnownSequences::State& found);
  void note_interval(Id interval, const KnownSequences::State& found, const KeptCounts* counts);
  bool run_interval(KnownSequences::State& found);
  [[nodiscard]] bool accepts() const;
  [[nodiscard]] bool retires() const;

  // With live memories (live_sequences.cpp).
  void begin_live();
  void walk_live(Position& position, Cycle until);
  [[nodiscard]] bool rests(const Position& position) const;
  void drive(const Position& position);
  bool step_live(Position& position, Cycle until);
  bool work_out_live(const Position& position, Id interval);
  void hold_memories(unsigned busy);
  void release_memories();
  bool run_live_interval(KnownSequences::State& found);
  void note_passing(KnownSequences::State& found);
  void note_timer(KnownSequences::State& found) const;
  void pass_time(Position& position, Id interval, Cycle cycles) const;

  // The intervals passed since the last rest (live_path.cpp).
  void begin_path();
  void commit_path(const Position& position);
  void drop_path(const Position& position);
  void retire_on_path(Cycle now);
  void pass_border_on_path(Cycle now);
  void add_step(bool of_moves, Id interval, std::uint64_t times);
  void end_steps();
  void note_path_responses(Id interval, Cycle now);
  // What observers of accounts and events are told (told_changes.cpp).
  void list_observers();
  void sample_until(Cycle end, std::uint64_t retired);
  void tell_changes(Id interval, Cycle now, std::uint64_t accepted, std::uint64_t retired);
  [[nodiscard]] Event event_of(const KnownSequences::Change& change, std::uint64_t accepted,
                               std::uint64_t retired);
  template <typename Begin, typename Retire>
  void tell_steps(const Begin& begin, const Retire& retire);
  void tell_path_changes();
  void tell_memories(Cycle before);
  [[nodiscard]] bool is_of_second_port(const KnownSequences::Change& change) const;
  [[nodiscard]] bool is_border(Cycle now);
  void tell_path();

  // Counts kept outside states (kept_counts.cpp).
  void set_link(Id interval, Id shape, Id next, bool keeps, const KeptCounts& counts);

  // For a design in two parts (divided_sequences.cpp, divided_intervals.cpp).
  /// How an interval of the control ends: after `cycles` cycles; 0: at its own end.
  struct ControlEnd {
    Cycle cycles = 0;
    bool pops = false;  ///< the transfer at the head is done in the last cycle
  };
  /// True if the array waits for the transfer at the head, and the cycle up to which this holds.
  struct Lost {
    bool time = false;
    Cycle until = 0;
  };
  [[nodiscard]] Id save_control();
  [[nodiscard]] std::array<Id, 2> offers();
  [[nodiscard]] Id save_moves();
  void load_control(const Position& position);
  void load_moves(Id moves);
  void load_account_of_head();
  void show_head(Id control);
  [[nodiscard]] bool move_waits(Id control) const;
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
  [[nodiscard]] Id key_of_control(const Position& position, bool accepts, bool pops) const;
  [[nodiscard]] static Id key_of_early(Cycle cycles);
  bool work_out_control(const Position& position, const ControlEnd& end);
  bool run_control(const ControlEnd& end, bool one_cycle, bool move_waits);
  void note_control(const Position& position, const ControlEnd& end,
                    const KnownSequences::State& found, Id next);
  bool work_out_moves(const Position& position, Id key, bool loses);
  void find_turns(bool works, KnownSequences::State& found);

  [[nodiscard]] TcuPeriods::Design periodic_design();
  void note_responses(Id interval, Cycle now);
  TcuSystem& system_;
  SequenceProgram program_;
  ProgramBursts bursts_;
  SequencedDesign machine_;
  SequenceCounters counters_;
  std::unique_ptr<TcuData> data_;
  std::shared_ptr<KnownDesign> design_;  ///< null: before the first sequence, or forgotten
  KnownSequences* known_ = nullptr;      ///< those of design_
  TcuPeriods periods_;
  ObservedChanges changes_;
  Cycle sampled_ = 0;        ///< the sampler has seen all cycles before this one
  std::uint16_t flags_ = 0;  ///< flags that the sampler sees from this cycle on
  /// Changes of the interval that is worked out
  std::vector<KnownSequences::Change> found_changes_;
  std::vector<std::uint8_t> bytes_;

  std::uint64_t executed_ = 0;      ///< instructions whose data has been worked out
  std::uint64_t until_border_ = 0;  ///< see Horizon::retires
  std::vector<Step> path_;          ///< intervals passed since the last rest
  Position committed_;
  Position loaded_;  ///< position that the design's registers have
  Began began_;
  bool memories_keep_time_ = false;  ///< the memories kept time when the states were saved
  std::uint64_t taken_ = 0, worked_out_ = 0;
  std::uint32_t checks_ = 0;  ///< known intervals that engine check has met so far
  Cycle taken_cycles_ = 0;
  std::uint64_t visits_ = 0;
  std::uint64_t wait_ = 0, pause_ = 0;  ///< calls of take() to skip, after calls without a result
  std::uint16_t timeout_ = 0;  ///< value of the timeout register when the states were saved

  /// Null: the memories keep time, or cannot return to a rest.
  std::unique_ptr<LiveMemories> memories_;
  std::array<std::unique_ptr<HeldTarget>, 2> held_;
  std::array<AxiTarget*, 2> targets_{};  ///< targets of the ports while held_ replaces them
  unsigned driven_ = 0;                  ///< wires that the memories drive
  Cycle driven_at_ = 0;                  ///< cycle of these wires; ~0: the memories must be asked
  Cycle quiet_until_ = 0;  ///< up to this cycle the wires stay the same without a handshake
  // The path.
  /// Last step of the control, or of the whole design; last step of the transfers
  std::array<Step, 2> newest_;
  std::vector<Cycle> retires_;
  std::uint64_t told_ = 0;   ///< number of retires that have been told
  std::size_t counted_ = 0;  ///< number of steps whose counts have been added up
  /// Cycles that begin a region, whose borders have been passed and that observers of the array's
  /// time have not been told of
  std::deque<Cycle> borders_;
  /// Last write responses: now, and before the path
  std::array<Cycle, 2> responses_{}, old_responses_{};

  KeptCounts counts_;           ///< counts of the whole design, or of its control
  KeptCounts counts_of_moves_;  ///< counts of the transfers of a design in two parts
  bool divided_ = false;        ///< the design is taken in two parts
  bool moves_rest_ = false;     ///< the transfers of the design, as loaded, are at rest
  Passage resting_moves_;  ///< transfers that do nothing, while none is at the head; none: unknown
  std::vector<std::uint32_t> turns_;  ///< see KnownSequences::State::turns
  std::vector<KnownSequences::Kept> kept_;
};

}  // namespace tactus
