// Takes sequences of instructions whose timing is known, without working out their cycles; see
// models/sim/fast/README.md.
//
// A sequence begins and ends in cycles in which the design *rests*: instructions may wait in the
// decoder, and nothing else is under way. Between them it goes from state to state
// (KnownSequences), and only adds up what the intervals count. Intervals that are not known are
// worked out by the design itself, from the registers of their first state, with
// Clock::timing_only: no data moves. Once the design would rest again the instructions' data is
// worked out, one instruction after the other (TcuData). What is not known to end in a rest never
// was: the design then goes on, cycle by cycle, from the last rest.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "models/sim/machine.h"
#include "models/tcu/counters.h"
#include "models/tcu/fast/known_sequences.h"
#include "models/tcu/fast/live_memories.h"
#include "models/tcu/fast/local_orders.h"
#include "models/tcu/fast/observed_changes.h"
#include "models/tcu/fast/program_bursts.h"
#include "models/tcu/fast/program_items.h"
#include "models/tcu/fast/tcu_data.h"
#include "models/tcu/fast/tcu_periods.h"

namespace tactus {

class PlantedFault;
class TcuSystem;

class TcuSequences {
 public:
  explicit TcuSequences(TcuSystem& system);
  ~TcuSequences();

  /// Whether every part of the machine can be taken in sequences.
  [[nodiscard]] static bool possible(const tcu::Architecture& architecture);
  /// Whether the observer of events, if there is one, and the sampler can be told what they see.
  [[nodiscard]] bool tells(const EventSink* events) const;
  /// After a cycle: takes instructions as long as the clock does not go beyond the horizon. At its
  /// borders Machine::on_border() is called.
  void take(Horizon& horizon);

  /// Forgets what is known, and with it the decoder's shapes.
  void forget();

  /// Instructions taken so far.
  [[nodiscard]] std::uint64_t taken() const { return taken_; }
  /// Cycles of intervals that were not worked out, because they repeat the ones before.
  [[nodiscard]] Cycle skipped() const { return periods_.skipped(); }

 private:
  friend class PlantedFault;  ///< of tests
  using Id = KnownSequences::Id;
  /// Where in the program, and when.
  struct Position {
    Id state = KnownSequences::none;
    std::uint64_t next = 0;  ///< instruction that is accepted next
    Cycle now = 0;
    std::uint64_t timer = 0;          ///< of the decoder, with live memories
    Id moves = KnownSequences::none;  ///< the state of what serves moves, where that is a part
    [[nodiscard]] bool operator==(const Position& o) const {
      return state == o.state && next == o.next && now == o.now && moves == o.moves;
    }
  };
  /// Counters kept outside a saved state: their values now, and when the last state was saved.
  struct KeptCounts {
    std::vector<Registers::Count> live, saved;
  };
  /// An interval, and the link to what comes after it.
  struct Passage {
    Id interval = KnownSequences::none, link = KnownSequences::none;
  };
  using Owner = CounterOwner;
  /// When an interval that is worked out began, and what was counted by then.
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
  /// Cycles after which an interval that does not end is given up, or a wait for a memory.
  static constexpr Cycle longest_interval = 1U << 20;
  /// One entry of a path: an interval and how often it repeats.
  struct Step {
    Id interval = KnownSequences::none;
    std::uint64_t times = 0;
    bool of_moves = false;  ///< of a design in two parts
  };
  /// Places of the accounts that tell what the array's time goes into.
  struct Reasons {
    std::size_t array = 0, decoder = 0;
    std::array<std::size_t, 2> ports{};
  };
  class PathChanges;
  struct Program {
    const std::uint8_t* bytes = nullptr;
    std::uint64_t whole = 0;             ///< bytes that lie there
    const std::uint8_t* rest = nullptr;  ///< those that follow them
    std::uint64_t count = 0;             ///< instructions
    std::uint64_t in_sequences = 0;      ///< the first so many may be taken
    std::uint64_t leftover = 0;          ///< bytes behind them, less than an instruction
    /// An interval does not come to the end of the stream if so many instructions, or more, have
    /// not been accepted when it begins.
    std::uint64_t many = 0;
  };
  struct Known {
    ProgramItem item;
    std::uint32_t shape = 0;
  };

  [[nodiscard]] bool rests() const;
  [[nodiscard]] bool units_rest() const;
  [[nodiscard]] bool is_over() const;
  [[nodiscard]] bool find_program(Position& position);
  void renew();
  [[nodiscard]] bool memories_keep_time() const;
  [[nodiscard]] bool asks_memories() const;
  [[nodiscard]] bool asks_memories_soon(std::uint64_t next);
  bool begin(Position& position);
  [[nodiscard]] bool learns() const;  ///< whether more intervals are to be worked out
  // What is known of an interval, against what was found by working it out (sequence_checks.cpp).
  void check_interval(const KnownSequences::State& known, const KnownSequences::State& found) const;
  void check_growth(Id interval, const std::vector<KnownSequences::Count>& growth) const;
  void check_changes(Id interval, const std::vector<KnownSequences::Change>& changes) const;
  [[nodiscard]] std::string name_of_counter(std::uint32_t counter) const;
  /// The states after it. `part`: saves their registers.
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

  // With memories that do not keep time (live_sequences.cpp).
  static constexpr unsigned port_parts = 3;  ///< of busy_parts(): the ports
  [[nodiscard]] bool memories_rewind() const;
  void begin_live();
  [[nodiscard]] unsigned busy_parts() const;
  void walk_live(Position& position, Cycle until);
  [[nodiscard]] bool rests(const Position& position) const;
  void drive(const Position& position);
  bool step_live(Position& position, Cycle until);
  [[nodiscard]] Id interval_of(Id state, unsigned driven);
  bool work_out_live(const Position& position, Id interval);
  void hold_memories(unsigned busy);
  void release_memories();
  bool run_live_interval(KnownSequences::State& found);
  void note_passing(KnownSequences::State& found);
  void note_timer(KnownSequences::State& found) const;
  void pass_time(Position& position, Id interval, Cycle cycles) const;

  // What has passed since the last rest (live_path.cpp).
  void begin_path();
  void commit_path(const Position& position);
  void drop_path();
  void retire_on_path(Cycle now);
  void pass_border_on_path(Cycle now);
  void add_step(bool of_moves, Id interval, std::uint64_t times);
  void end_steps();
  void note_path_responses(Id interval, Cycle now);
  // What observers of accounts and events hear of it (told_changes.cpp).
  void list_observers();
  void sample_until(Cycle end, std::uint64_t retired);
  void tell_changes(Id interval, Cycle now, std::uint64_t accepted, std::uint64_t retired);
  [[nodiscard]] Event event_of(const KnownSequences::Change& change, std::uint64_t accepted,
                               std::uint64_t retired);
  void tell_path_changes();
  void tell_array_time(Cycle now);
  void tell_path();

  // Counts that states do not tell (kept_counts.cpp).
  void set_growth(Id interval, const KeptCounts& counts);
  void set_link(Id interval, Id shape, Id next, bool keeps, const KeptCounts& counts);
  [[nodiscard]] Id successor(Id interval, Id shape, bool keeps, const KeptCounts& counts);
  [[nodiscard]] Id ends_of_counts(Id interval, Id shape, bool keeps, const KeptCounts& counts);
  [[nodiscard]] Id number(std::uint64_t kind, std::uint64_t value);
  [[nodiscard]] bool stays(Id state, const Passage& passage) const;
  void follow(const Passage& passage, KeptCounts& counts);

  // With a design in two parts (divided_sequences.cpp, divided_intervals.cpp).
  /// An interval of the control up to where it is taken: so many cycles, 0 for all.
  struct ControlEnd {
    Cycle cycles = 0;
    bool pops = false;  ///< the move at the head is done in the last of them
  };
  /// Whether the array waits for the move at the head, and up to which cycle that stays so.
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
  /// What entered the decoder has places: the program's instructions come behind the two that may
  /// have entered before it, and whose slots of the decoder's queue show them.
  [[nodiscard]] static std::uint64_t place_of(std::uint64_t instruction) { return instruction + 2; }
  [[nodiscard]] tcu::Instruction entered(std::uint64_t place);
  /// A number for how far the program's end is when this instruction is the next to be accepted:
  /// the same for all places that are far from it, 0, and another for each of the last few, which
  /// also tells how many bytes follow the last instruction.
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
  KnownSequences known_;
  TcuPeriods periods_;
  std::vector<Account*> accounts_;
  CounterList counters_;  ///< of the accounts, and behind them of events
  CounterList events_;
  std::vector<std::uint32_t> places_;  ///< of the accounts' first counters
  ObservedChanges changes_;
  Cycle sampled_ = 0;        ///< the sampler has passed the cycles before it
  std::uint16_t flags_ = 0;  ///< that it sees from there on
  Reasons reasons_;
  std::size_t first_event_ = 0;  ///< place
  /// The counters, to which every interval that is worked out returns. Empty: to be read.
  std::vector<std::uint64_t> before_, events_before_;
  std::vector<KnownSequences::Count> growth_;
  std::vector<KnownSequences::Change> found_changes_;  ///< of the interval that is worked out
  std::vector<std::uint8_t> bytes_;
  /// Registers of DRAM ports and their targets that are idle; empty: not known yet.
  std::array<std::vector<std::uint8_t>, 2> idle_ports_, idle_targets_;

  Program program_;
  std::vector<std::uint8_t> torn_;  ///< bytes of the program that do not lie in one piece
  std::array<tcu::Instruction, 2> entered_before_;  ///< before the program
  std::vector<Known> items_;                        ///< from first_place_ on
  std::uint64_t first_place_ = 0;
  std::uint64_t executed_ = 0;  ///< instructions whose data is worked out
  std::optional<std::uint64_t> last_access_;
  std::uint64_t until_border_ = 0;  ///< see Horizon::retires
  std::vector<Step> path_;          ///< intervals passed since the last rest
  std::vector<Id> used_;            ///< states whose counts are still to be added up
  Position committed_;
  Position loaded_;  ///< where the design is
  Began began_;
  std::uint64_t next_ = 0;           ///< instruction that the design accepts next
  bool memories_keep_time_ = false;  ///< when the states were saved
  std::uint64_t taken_ = 0, worked_out_ = 0;
  std::uint32_t checks_ = 0;  ///< known intervals met so far with engine check
  Cycle taken_cycles_ = 0;
  std::uint64_t wait_ = 0, pause_ = 0;  ///< calls to be left out, after some that led to nothing
  std::uint16_t timeout_ = 0;           ///< register at which the states were saved

  /// Null: the memories keep time, or they cannot be returned to a rest.
  std::unique_ptr<LiveMemories> memories_;
  std::array<std::unique_ptr<HeldTarget>, 2> held_;
  std::array<AxiTarget*, 2> targets_{};  ///< the memories', while those are held
  unsigned driven_ = 0;                  ///< by the memories
  Cycle driven_at_ = 0;                  ///< in this cycle; ~0: they have to be asked
  Cycle quiet_until_ = 0;                ///< up to there they drive the same, and nothing passes
  // The path.
  std::array<Step, 2> newest_;  ///< of the control, or the whole design, and of the moves
  std::vector<Cycle> retires_;
  std::uint64_t told_ = 0;                              ///< of them
  std::size_t counted_ = 0;                             ///< steps whose counts are added up
  std::array<Cycle, 2> responses_{}, old_responses_{};  ///< the last, and before the path

  KeptCounts counts_;           ///< of the whole design, or of its control
  KeptCounts counts_of_moves_;  ///< of a design in two parts
  std::vector<Registers::Count> next_counts_;
  bool divided_ = false;       ///< the design is taken in two parts
  bool moves_rest_ = false;    ///< of the design, as it was loaded
  Passage resting_moves_;      ///< comes again as long as no move is at the head; none: not known
  std::vector<Owner> owners_;  ///< of the counters
  std::vector<std::uint32_t> turns_;  ///< see KnownSequences::State::turns
  std::vector<std::uint32_t> growth_of_counts_;
  std::vector<KnownSequences::Kept> kept_;
  std::vector<std::uint8_t> signature_;
};

}  // namespace tactus
