// The whole design: instruction stream, TCU, two DRAM ports down to their AXI slaves.
//
// The slaves' TLM-2.0 sockets are the border: bind each to a memory. Source: hardware spec
// section 11.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <systemc>

#include "models/axi/axi_target.h"
#include "models/sim/clock.h"
#include "models/sim/machine.h"
#include "models/sim/phases.h"
#include "models/sim/stalls.h"
#include "models/sim/trace/cycle_watcher.h"
#include "models/tcu/array_time.h"
#include "models/tcu/dram_port/dram_port.h"
#include "models/tcu/pins/own_units.h"
#include "models/tcu/sampler/sampler.h"
#include "models/tcu/stream_adapter/stream_adapter.h"
#include "models/tcu/tcu.h"

namespace tactus {

class KnownDesigns;
class TcuSequences;

/// The source of the instruction stream.
class InstructionSource {
 public:
  virtual ~InstructionSource() = default;
  /// The word offered in this cycle, or null. Stays offered until taken.
  virtual const std::uint8_t* word(Cycle now) = 0;
  /// The offered word was taken in cycle `now`.
  virtual void taken(Cycle now) = 0;
  /// True if no more words will be offered.
  [[nodiscard]] virtual bool exhausted() const = 0;
  /// True if a word is outstanding that will come by itself, after some time.
  [[nodiscard]] virtual bool waits_for_memory() const { return false; }
  /// Number of cycles from `now` on, at most `most`, in which no word is offered, after one in
  /// which none was; 0: unknown.
  [[nodiscard]] virtual Cycle waits(Cycle /*now*/, Cycle /*most*/) const { return 0; }
  /// The program's words, if one is offered in every cycle up to the end and they can be read ahead
  /// of time.
  struct Program {
    const std::uint8_t* bytes = nullptr;
    std::uint64_t whole = 0;             ///< number of bytes at `bytes`
    const std::uint8_t* rest = nullptr;  ///< the words that follow them
    std::uint64_t words = 0;             ///< total number of words
    std::uint64_t taken = 0;             ///< number of words taken so far
    /// Instructions at the end that are not taken in sequences, for a source that has to know the
    /// cycle in which its last word is taken.
    std::uint64_t by_cycle = 0;
  };
  [[nodiscard]] virtual std::optional<Program> program() const { return {}; }
  /// Sets the number of words of the program that have been taken.
  virtual void seek(std::uint64_t /*taken*/) {}
  /// Account of the time spent waiting for a memory; null if it has none.
  [[nodiscard]] virtual Account* memory_account() { return nullptr; }
};

class TcuSystem final : public sc_core::sc_module, public Machine {
 public:
  struct Config {
    Tcu::Config tcu;
    unsigned axi_data_bits = 64;          ///< width of DRAM ports and instruction stream: 32..1024
    std::uint32_t sample_block_size = 0;  ///< samples a block; 0: no sampler in the design
    std::uint16_t sample_interval = 0;    ///< cycles, initial value of the register
    Cycle sample_pause = 0;  ///< cycles for which the samples' consumer is away after each block
    StallGenerator stalls;
    /// Evaluate units in a new random order every cycle instead of the fixed one (slow; for tests).
    std::optional<std::uint32_t> shuffle_seed;
    /// Evaluate every unit in every cycle, even if it is asleep (slow; for tests).
    bool evaluates_all = false;
    Engine engine = Engine::fast;
    /// Modules in the place of units, or beside them. With one the engine is step, and cycle() has
    /// to be called in a thread (ClockDriver).
    std::vector<OwnUnit> own_units;
    /// Engine check: evaluates one of this many cycles with sleeping units, skips, and known
    /// intervals.
    std::uint32_t check_every = 100;
    /// What the fast engine learns together with other units that share a live memory; null: alone.
    std::shared_ptr<KnownDesigns> known;
  };

  /// Throws UserError if the AXI width does not fit the architecture's vectors.
  TcuSystem(const sc_core::sc_module_name& name, Clock& clock, const Config& config,
            InstructionSource& source);
  ~TcuSystem() override;

  /// The unit with this name, for evaluating it alone. Throws UserError if there is none, or if it
  /// has no pins.
  [[nodiscard]] PinnedUnit pinned_unit(const std::string& name);
  /// The whole design at its AXI pins, for evaluating it there. Its targets must not drive wires.
  [[nodiscard]] PinnedUnit pinned_at_axi();
  [[nodiscard]] AxiLinks& pins(unsigned port) { return ports_[port]->pins; }
  void attach(unsigned port, AxiTarget& target);
  [[nodiscard]] AxiTarget* target(unsigned port) { return ports_[port]->target; }

  /// Evaluates cycle clock.now and moves the clock to the next. The step engine does nothing else.
  void cycle();
  /// Evaluates one or more cycles, see Machine. The fast engine skips cycles in which nothing can
  /// change, and takes known sequences of instructions.
  Cycle advance(Cycle most) override;
  /// The horizon also counts retires still to come that observers have been told already.
  void set_horizon(const Horizon& horizon) override {
    horizon_ = horizon;
    const std::uint64_t told = tcu_.decoder().told_ahead();
    horizon_.retires += std::min(told, ~horizon.retires);
  }
  void pause() override { paused_ = true; }
  /// Passes cycles of an idle machine without evaluating them.
  void pass_idle(Cycle cycles);
  /// Makes the engine the step engine, of a design whose clock period may change. Call it before
  /// the first cycle.
  void keep_to_steps();
  /// Call when the source starts another program: removes a word of the program before that was not
  /// taken.
  void withdraw_word() { words_.valid = false; }
  /// Resets all registers to their values before cycle 0 and removes all work in progress; memories
  /// keep their contents. The source must be exhausted, and no answer of a memory outstanding.
  /// Throws UserError if DAIS blocks contain samples, which cannot be reset.
  void reset();
  /// While `holds`, the consumer of samples takes none. A consumer that calls it gets each sample
  /// in its cycle; others may get it earlier.
  void hold_samples(bool holds) {
    holds_samples_ = holds;
    samples_by_cycle_ = true;
  }

  [[nodiscard]] bool idle() const override;
  [[nodiscard]] std::vector<std::string> waits_for() override;
  [[nodiscard]] bool waits_for_memory() const override;

  /// How the engine has passed the cycles before the current one.
  struct Passed {
    Cycle evaluated = 0;       ///< in which the units that are awake were evaluated
    Cycle skipped = 0;         ///< in which all units slept
    Cycle taken = 0;           ///< of sequences that are known
    std::uint64_t visits = 0;  ///< look-ups of what the design does beside a live memory
  };
  [[nodiscard]] Passed passed() const;
  /// Number of evaluations of a unit in a cycle so far. Units that sleep are not evaluated.
  [[nodiscard]] std::uint64_t evaluations() const { return clock_.activity.evaluations; }
  [[nodiscard]] unsigned units() const;

  [[nodiscard]] const tcu::Architecture& architecture() const { return config_.tcu.architecture; }
  [[nodiscard]] const DramPort& port(unsigned port) const { return ports_[port]->port; }
  [[nodiscard]] DramPort& port(unsigned port) { return ports_[port]->port; }
  [[nodiscard]] Tcu& tcu() { return tcu_; }
  [[nodiscard]] const Tcu& tcu() const { return tcu_; }
  /// Sequences that are known; null if the machine has none.
  [[nodiscard]] const TcuSequences* sequences() const { return sequences_.get(); }

  void describe(const trace::Scope& scope) const override;
  [[nodiscard]] std::vector<Account*> accounts() override;
  /// What the model cannot say of units that modules replace. Other counts of such a unit are taken
  /// at its channels.
  struct Absent {
    std::vector<std::string_view> units;     ///< their accounts
    std::vector<std::string_view> counters;  ///< of MachineInfo::counters
    bool lost_cycles = false;                ///< the account of MachineInfo::time
    bool kinds = false;                      ///< kind_counts()
  };
  [[nodiscard]] Absent absent();

  // machine_info.cpp
  [[nodiscard]] const MachineInfo& info() const override;
  [[nodiscard]] MachineRates rates() const override;
  [[nodiscard]] std::vector<std::uint64_t> counters() const override;
  [[nodiscard]] std::vector<KindCounts> kind_counts() const override;
  [[nodiscard]] EventFormat event_format() const override;
  [[nodiscard]] std::shared_ptr<const trace::Widths> widths() const override;
  [[nodiscard]] std::function<bool()> trigger(const TraceTrigger& trigger) const override;

  /// The sampler; null if there is none.
  [[nodiscard]] const Sampler* sampler() const { return sampler_.get(); }

  /// Called for every sample that the stream's consumer takes.
  std::function<void(const Sample&)> on_sample;

 private:
  friend class SequencedDesign;
  friend class SequenceLearner;
  friend class SequenceObservers;
  friend class SequencePath;
  friend class SequenceStates;
  friend class TcuSequences;
  /// Their bits in UnitActivity.
  enum : UnitSet {
    stream_unit = Tcu::first_other,
    dram0_unit = stream_unit << 1,
    dram1_unit = stream_unit << 2,
    all_units = (dram1_unit << 1) - 1,
    /// Units for transfers.
    units_of_moves =
        Tcu::decoder_unit | Tcu::local_unit | Tcu::host_router_unit | dram0_unit | dram1_unit,
  };

  struct Port {
    Port(unsigned index, Clock& clock, const Config& config, ConfigRegisters& registers,
         DramLinks& tcu);
    template <typename List>
    void border(List& list) {
      port.border(list, registers_);
    }
    AxiLinks pins;
    DramPort port;
    AxiTarget* target = nullptr;
    const UnitSet bit;  ///< bit of the unit in UnitActivity
    [[nodiscard]] static unsigned units() { return 1; }
    [[nodiscard]] std::vector<Account*> accounts() { return {&port.account()}; }
    [[nodiscard]] bool idle() const { return port.idle() && target->idle(); }
    void describe(const trace::Scope& scope) const { port.describe(scope); }
    void add_phases(Phases& phases);

    /// The wires of the cycle. The target is idle with its port, and has no unit of its own: while
    /// it waits for its memory alone, the port sleeps.
    void settle();
    /// The clock edge. `awake`: the port was, in this cycle.
    void commit(bool awake);
    bool target_waits = true;  ///< the target has something to do by itself

   private:
    Clock& clock_;
    ConfigRegisters& registers_;
    bool target_drives_ = false;  ///< the target drives wires in the current cycle
  };

  /// The list of the design's parts, in the order of reports: calls visit(name in waveforms, part)
  /// for each. All functions that concern every part use it.
  template <typename Self, typename Visit>
  static void for_each_part(Self& system, Visit&& visit) {
    visit("transmission", system.stream_);
    visit("tcu", system.tcu_);
    visit("dram0", *system.ports_[0]);
    visit("dram1", *system.ports_[1]);
  }

  void make_own_units();
  void settle_with_own_units();
  void count_outside();
  void offer_word();
  /// The first cycle, from the current one on, that an observer needs.
  [[nodiscard]] Cycle next_watched() const {
    return clock_.watcher == nullptr ? ~Cycle{0} : clock_.watcher->next(clock_.now);
  }
  void settle();
  void clock_edge();
  void shuffled_order(bool watched);
  /// The next cycle, or as many as can be left out; `most` at the most.
  void pass(Cycle most);
  [[nodiscard]] Cycle cycles_to_skip(Cycle most) const;
  [[nodiscard]] Cycle memories_wait(Cycle most) const;
  // Engine check (check.cpp).
  struct Checks {
    std::uint32_t sleeps = 0, skips = 0;  ///< met so far
    /// Sleeping units of the current cycle that are evaluated nevertheless.
    UnitSet asleep = 0;
  };
  /// True if engine check evaluates this case; `count` is the number of cases of its kind so far.
  [[nodiscard]] bool is_checked(std::uint32_t& count) const {
    return clock_.engine == Engine::check && ++count % config_.check_every == 0;
  }
  void wake_for_check();
  void check_sleep();
  void check_skip(Cycle cycles);
  const Config config_;
  Clock& clock_;
  InstructionSource& source_;
  StallGenerator stalls_;
  bool every_cycle_;  ///< there is more to do in a cycle than the units' work
  StreamAdapter::Bytes words_, instructions_;
  std::array<DramLinks, 2> dram_;
  StreamAdapter stream_;
  Tcu tcu_;
  std::array<std::unique_ptr<Port>, 2> ports_;
  void drive_samples();
  void commit_samples();
  /// Passes the sampler's cycles up to `end`, which are skipped and all have these flags.
  void pass_samples(Cycle end, std::uint16_t flags, std::uint32_t program_counter);

  Link<Sample> samples_;
  Cycle sample_pause_;
  Cycle samples_ready_at_ = 0;  ///< cycle from which the consumer is ready
  bool holds_samples_ = false;
  bool samples_outside_ = false;   ///< a module stands in the sampler's place
  bool samples_by_cycle_ = false;  ///< see hold_samples()
  std::unique_ptr<Sampler> sampler_;
  std::unique_ptr<OwnUnits> own_units_;  ///< null: all units are the model's
  Phases phases_;
  std::optional<std::mt19937> shuffle_;
  std::optional<ArrayTime> array_time_;
  std::unique_ptr<TcuSequences> sequences_;  ///< known sequences; null: there are none
  Horizon horizon_;
  std::uint64_t seen_retired_ = 0;  ///< number of retires when the horizon was last updated
  [[nodiscard]] bool begins_program() const;
  void take_sequences();
  void reset_registers(Registers& r);
  std::vector<std::uint8_t> reset_state_;  ///< registers before cycle 0
  Checks checks_;
  Passed passed_;  ///< evaluated and skipped cycles
  bool paused_ = false;
  bool rested_ = false;  ///< nothing changed in the last cycle
};

/// Checks that vectors of the architecture are whole numbers of beats of the AXI width, and throws
/// UserError naming the widths that fit. Scalars per beat must be at least 1 and divide N.
void check_axi_width(const tcu::Architecture& architecture, unsigned axi_data_bits);

}  // namespace tactus
