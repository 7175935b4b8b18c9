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
#include "models/tcu/fast/local_orders.h"
#include "models/tcu/fast/observed_changes.h"
#include "models/tcu/fast/program_bursts.h"
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
  using Owner = CounterOwner;
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
  struct Program {
    const std::uint8_t* bytes = nullptr;
    std::uint64_t whole = 0;             ///< bytes of the program at `bytes`
    const std::uint8_t* rest = nullptr;  ///< the bytes after these
    std::uint64_t count = 0;             ///< number of instructions
    /// Number of instructions, from the first on, that may be taken
    std::uint64_t in_sequences = 0;
    std::uint64_t leftover = 0;  ///< bytes after the last instruction, too few for another one
    /// If at least this many instructions have not been accepted when an interval begins, the
    /// interval does not reach the end of the stream.
    std::uint64_t many = 0;
  };
  struct Known {
    ProgramItem item;
    std::uint32_t shape = 0;
  };

  [[nodiscard]] KnownSequences::State& known(Id id) const { return (*known_)[id]; }
  [[nodiscard]] bool rests() const;
  [[nodiscard]] bool units_rest() const;
  [[nodiscard]] bool is_over() const;
  [[nodiscard]] bool find_program(Position& position);
  void renew();
  [[nodiscard]] bool memories_keep_time() const;
  [[nodiscard]] bool asks_memories() const;
  [[nodiscard]] bool asks_memories_soon(std::uint64_t next);
  bool begin(Position& position);
  [[nodiscard]] bool learns() const;  ///< true if more intervals may be worked out
  // These compare what is remembered of an interval with what working it out has found
  // (sequence_checks.cpp).
  void check_interval(const KnownSequences::State& known, const KnownSequences::State& found) const;
  void check_growth(Id interval, const std::vector<KnownSequences::Count>& growth) const;
  void check_changes(Id interval, const std::vector<KnownSequences::Change>& changes) const;
  [[nodiscard]] std::string name_of_counter(std::uint32_t counter) const;
  /// Compares the states after an interval. `part` saves their registers.
  void check_next(Id known, Id found, void (TcuSequences::*part)(Registers&));
  void walk(Position& position, Cycle until);
  void leave();
  void commit(const Position& position);
  void use(const Step& step);
  void finish_path(const Position& position);
  void pass_border(Cycle now);
  [[nodiscard]] bool know_items(std::uint64_t upto) {
    return place_of(upto) <= first_place_ + items_.size() || know_more_items(upto);
  }
  [[nodiscard]] bool know_more_items(std::uint64_t upto);
  [[nodiscard]] const Known& item(std::uint64_t instruction) const {
    return items_[place_of(instruction) - first_place_];
  }
  void registers(Registers& r);
  template <typename Unit>
  void registers_unless_idle(Registers& r, Unit& unit, bool idle,
                             std::vector<std::uint8_t>& idle_bytes, Account* account);
  void port_registers(Registers& r, unsigned p);
  void registers_but_moves(Registers& r, bool alone);
  void registers_of_moves(Registers& r, bool alone);
  void save(Position& position);
  Id save(KeptCounts& counts, bool keeps, bool& is_new, void (TcuSequences::*part)(Registers&));
  void load(const Position& position);
  void load_program(std::uint64_t next);
  void forget_wires();
  bool work_out(const Position& position, Id interval);
  void begin_interval(const Position& position);
  void end_interval(KnownSequences::State& found);
  void note_interval(Id interval, const KnownSequences::State& found,
                     const std::vector<KnownSequences::Count>& growth, const KeptCounts* counts);
  bool run_interval(KnownSequences::State& found);
  [[nodiscard]] bool accepts() const;
  [[nodiscard]] bool retires() const;

  // With live memories (live_sequences.cpp).
  static constexpr unsigned port_parts = 3;  ///< bits of busy_parts() that stand for ports
  [[nodiscard]] bool memories_rewind() const;
  void begin_live();
  [[nodiscard]] unsigned busy_parts() const;
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
  void control_registers(Registers& r);
  void move_registers(Registers& r);
  [[nodiscard]] Id save_control();
  [[nodiscard]] std::array<Id, 2> offers();
  [[nodiscard]] Id save_moves();
  void load_control(const Position& position);
  void load_moves(Id moves);
  void load_account_of_head();
  void show_head(Id control);
  [[nodiscard]] bool control_rests() const;
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
  template <typename IsOwner>
  void keep_growth(const IsOwner& is_owner);
  void keep_growth_of_control(bool move_waits);
  void keep_growth_of_moves(bool move_waits, bool loses);

  [[nodiscard]] TcuPeriods::Design periodic_design();
  void count_accounts();
  bool take_growth();
  void add_counts();
  void add_counts(Id interval, std::uint64_t times);
  [[nodiscard]] Cycle& last_response(unsigned p);
  void note_responses(Id interval, Cycle now);
  void list_counters();
  [[nodiscard]] Owner owner(const Account& account) const;
  /// Instructions that have entered the decoder are numbered by place. The two instructions before
  /// the program, which the slots of the decoder's queue still show, have places 0 and 1.
  [[nodiscard]] static std::uint64_t place_of(std::uint64_t instruction) { return instruction + 2; }
  [[nodiscard]] tcu::Instruction entered(std::uint64_t place);
  /// A number for the distance of the program's end when this instruction is the next to be
  /// accepted. It is 0 for all instructions that are far from the end. For each of the last few it
  /// differs, and depends on the number of bytes after the last instruction.
  [[nodiscard]] std::uint64_t ending(std::uint64_t next) const {
    const std::uint64_t left = program_.count - next;
    return left >= program_.many ? 0 : (program_.leftover + 1) * program_.many - left;
  }
  [[nodiscard]] const std::uint8_t* bytes(std::uint64_t at, std::uint64_t count);

  TcuSystem& system_;
  ProgramItems shapes_;
  LocalOrders orders_;
  ProgramBursts bursts_;
  std::unique_ptr<TcuData> data_;
  std::shared_ptr<KnownDesign> design_;  ///< null: before the first sequence, or forgotten
  KnownSequences* known_ = nullptr;      ///< those of design_
  TcuPeriods periods_;
  std::vector<Account*> accounts_;
  CounterList counters_;  ///< counters of the accounts, then those of events
  CounterList events_;
  std::vector<std::uint32_t> places_;  ///< places of the accounts' first counters
  ObservedChanges changes_;
  Cycle sampled_ = 0;            ///< the sampler has seen all cycles before this one
  std::uint16_t flags_ = 0;      ///< flags that the sampler sees from this cycle on
  std::size_t array_ = 0;        ///< number of the array's account
  std::size_t first_event_ = 0;  ///< place of the first event's counter
  /// Values of the counters to which they return after every interval that is worked out. Empty: to
  /// be read.
  std::vector<std::uint64_t> before_, events_before_;
  std::vector<KnownSequences::Count> growth_;
  /// Changes of the interval that is worked out
  std::vector<KnownSequences::Change> found_changes_;
  std::vector<std::uint8_t> bytes_;

  Program program_;
  std::vector<std::uint8_t> torn_;  ///< a part of the program that is not contiguous in memory
  /// Instructions that entered before the program
  std::array<tcu::Instruction, 2> entered_before_;
  std::vector<Known> items_;  ///< items from first_place_ on
  std::uint64_t first_place_ = 0;
  std::uint64_t executed_ = 0;  ///< instructions whose data has been worked out
  std::optional<std::uint64_t> last_access_;
  std::uint64_t until_border_ = 0;  ///< see Horizon::retires
  std::vector<Step> path_;          ///< intervals passed since the last rest
  /// Passes of each interval whose counts are still to be added up, and the intervals with passes
  std::vector<std::uint64_t> uses_;
  std::vector<Id> used_;
  Position committed_;
  Position loaded_;  ///< position that the design's registers have
  Began began_;
  std::uint64_t next_ = 0;           ///< instruction that the design accepts next
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
  std::vector<Owner> owners_;         ///< owner of each counter
  std::vector<std::uint32_t> turns_;  ///< see KnownSequences::State::turns
  std::vector<KnownSequences::Kept> kept_;
};

}  // namespace tactus
