// The fast engine of the TCU: settles a cycle only where it is not known, takes cycles that are
// alike at once, and lets local memory, array and accumulators stay behind. See
// models/sim/engine.h.
#pragma once

#include <cstdint>
#include <memory>

#include "models/tcu/fast/tcu_edges.h"
#include "models/tcu/fast/tcu_verifier.h"

namespace tactus {

/// One call sequence a cycle, once the outside has driven: recall() or, if that returns false or
/// somebody looks at wires, settle(); then commit(). Where the cycles to come are alike, stretch()
/// in the place of commit() takes many.
class TcuReplay {
 public:
  TcuReplay(Tcu& tcu, Clock& clock, Engine engine);

  /// The cycle in full.
  void settle();
  /// Instead of settle(): true if a cycle like this one has been settled before. Then payloads and
  /// the wires to the outside show it, other wires do not. `new_inputs`: the outside may have
  /// changed its wires since the last call. Unless there is an event sink, units may stay behind
  /// from here on: catch_up() before their state is read.
  [[nodiscard]] bool recall(bool new_inputs = true);
  void commit();

  /// Whether the coming cycle is like the last as far as the units' facts go. Catches up.
  [[nodiscard]] bool repeats();
  /// After recall(): whether a register moves in this cycle such that the next is not like it.
  [[nodiscard]] bool turns() const { return turned_; }
  /// After recall(): whether nothing moves but the decoder's timer.
  [[nodiscard]] bool rests() const;
  /// After repeats(), or after recall() in a cycle that does not turn: how many cycles from the
  /// present one on, `most` at the most, are alike, provided that the outside drives the same in
  /// them.
  [[nodiscard]] Cycle steady(Cycle most) const;
  void offer_stretch(Cycle cycles);  ///< what the TCU gives to the DRAM ports; moves nothing
  void stretch(Cycle cycles);        ///< needs what the ports give
  /// Local memory, array and accumulators may be some cycles behind. Afterwards they are not.
  [[gnu::noinline]] void catch_up();

  /// Registers of the units have been loaded: nothing holds of what was looked at before.
  void forget() {
    facts_known_ = looked_ = recalled_ = stays_behind_ = still_ = false;
    turned_ = true;
    place_ = nullptr;
    behind_.cycles = 0;
  }

  /// Null unless the engine is verify.
  [[nodiscard]] TcuVerifier* verifier() { return verifier_.get(); }

 private:
  /// Cycles that local memory, array and accumulators have not made yet. For these three they are
  /// alike.
  struct Behind {
    Cycle first = 0;
    Cycle cycles = 0;
    Cycle most = 0;  ///< what comes after so many is not known
    TcuEdges::Data edges{};
  };
  // Inlined: recall() runs in every cycle, and is nearly the only one to call these two.
  [[gnu::always_inline]] void look(Tcu& tcu);
  [[gnu::always_inline]] void recall_data(Tcu& tcu, const TcuEdges& edges);
  [[nodiscard]] std::uint64_t inputs() const;
  void show_outputs(std::uint8_t outputs);
  [[nodiscard]] bool data_rests() const;
  [[nodiscard]] Cycle data_steady(Cycle most) const;
  void enter_data_accounts();
  void enter_accounts();
  void rest(Cycle cycles);
  void stretch_data(Cycle first, Cycle cycles, unsigned source);

  // What happens in a cycle: look() finds its facts. recall() looks them up: either the cycle is
  // known, or commit() will write what came out of it to place_. commit() or stretch() ends the
  // cycle. After a cycle that was settled in full facts_known_ is false.
  Tcu& tcu_;
  Clock& clock_;
  KnownCycles<TcuEdges> known_;
  KnownCycles<TcuEdges>::Place* place_ = nullptr;  ///< for a cycle that is not known yet
  CycleFacts place_facts_;                         ///< of that cycle
  CycleFacts facts_;       ///< of the units in the coming cycle, without the outside's
  CycleFacts last_facts_;  ///< in the last cycle
  /// The parts of facts_ that belong to local memory, array and accumulators, each shifted to where
  /// it lies in its word. They hold for as long as these units stay behind; that of the
  /// accumulators also while the accumulators rest.
  std::uint64_t local_facts_ = 0, array_facts_ = 0, accumulators_facts_ = 0;
  bool facts_known_ = false;   ///< these three were looked at in the last cycle
  bool looked_ = false;        ///< facts_ is of the coming cycle
  bool recalled_ = false;      ///< the present cycle
  bool stays_behind_ = false;  ///< in the present cycle
  bool turned_ = true;         ///< the last cycle, or nobody looked at it
  bool rests_ = false;         ///< TcuEdges::rests of the present cycle, if it was recalled
  /// Nothing moved in the last cycle but the decoder's timer: what is known of it holds until the
  /// outside changes its wires.
  bool still_ = false;
  std::uint8_t outputs_ = 0;  ///< what the wires to the outside show
  std::uint64_t inputs_ = 0;  ///< what the outside drove when it was looked at
  Behind behind_;
  std::unique_ptr<TcuVerifier> verifier_;
};

}  // namespace tactus
