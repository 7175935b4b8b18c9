// Modules of the user's in the place of units of a TCU, or beside them.
//
// The step engine evaluates the other units as ever; those that sleep are left out. A cycle is
// evaluated in its middle: there the modules' clock falls, the wires settle between units and
// modules in delta cycles, and the units have their clock edge. The modules have theirs at the
// cycle's end, when their clock rises. Before cycle 0, and after a reset, `reset` is high for two
// rising edges without simulated time.
//
// In lockstep the model stays in its place, the module sees its inputs, and its outputs are
// compared in every cycle; a payload only while it is valid. A module alone has to keep the rules
// of models/sim/phases.h: no valid and no payload depends on a ready of the same cycle. Nor does
// a ready depend on its own valid. Both are tried before cycle 0 on inputs that are all 0 and all
// 1, since a chain of such wires through several units has no end.
//
// Accounts and events come from the model. They say nothing about a unit that a module replaces,
// and the counters that belong to its states are absent, too (TcuSystem::absent()).
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <systemc>

#include "isa/support/error.h"
#include "models/sim/clock.h"
#include "models/tcu/pins/pinned_unit.h"
#include "models/tcu/pins/unit_signals.h"

namespace tactus {

/// A module in the place of a unit, as a part of TcuSystem::Config.
struct OwnUnit {
  std::string unit;  ///< name of the unit, as for UnitPins
  /// Makes the module, and binds "clock", "reset" and every pin of the unit. It is called during
  /// elaboration.
  std::function<std::unique_ptr<sc_core::sc_module>(UnitSignals& signals)> make;
  bool lockstep = false;  ///< the model runs, and the module is compared with it
  /// File for the waveform of a difference; empty: none is written.
  std::string waveform = {};
};

/// The first difference between a module and the model in lockstep. what() is its text.
class UnitDifference : public UserError {
 public:
  UnitDifference(std::string unit_, std::string pin_, std::string field_, Cycle cycle_,
                 const std::string& text)
      : UserError(text),
        unit(std::move(unit_)),
        pin(std::move(pin_)),
        field(std::move(field_)),
        cycle(cycle_) {}
  std::string unit, pin, field;
  Cycle cycle;
};

class OwnUnits final : public sc_core::sc_module {
 public:
  /// `instruction` returns the words for the instruction at the decoder's head. Throws UserError
  /// for a module whose pins do not fit.
  OwnUnits(const sc_core::sc_module_name& name, Clock& clock, const std::vector<OwnUnit>& units,
           std::vector<PinnedUnit> models, std::shared_ptr<const trace::Widths> widths,
           std::function<std::string()> instruction);
  ~OwnUnits() override;

  /// The units that modules replace, as bits in UnitActivity; the units' names tell the others.
  [[nodiscard]] UnitSet replaced() const { return replaced_; }
  [[nodiscard]] bool replaces(const std::string& unit) const;

  // The steps of a cycle, called by a thread.
  /// Settles the wires of the cycle: `models()` does it for all units that are not replaced, and
  /// may be called several times. Throws UserError for wires that never settle, and UnitDifference.
  template <typename Models>
  void settle(const Models& models) {
    begin_cycle();
    unsigned rounds = 0;
    do {
      models();
    } while (exchange(rounds++));
    compare();
  }
  /// Call when the units have had their clock edge, with clock.now at the next cycle. The modules
  /// have theirs at the beginning of that cycle.
  void end_cycle();
  /// The modules are reset before the next cycle.
  void reset() { is_reset_ = false; }

  /// True if nothing has moved at the pins for a while, and no channel of a replaced unit has
  /// something to take.
  [[nodiscard]] bool idle() const;

 private:
  using SC_CURRENT_USER_MODULE = OwnUnits;  // what SC_HAS_PROCESS defines before SystemC 3
  struct Unit;
  static void wait_for_deltas(const std::string& what);
  void begin_cycle();
  bool exchange(unsigned round);
  void rise();
  void note_change(const Unit& unit);
  void compare();
  void reset_modules();
  void check_rules(Unit& unit);
  void check_rules(Unit& unit, bool level);
  [[noreturn]] void report(Unit& unit, std::size_t pin);
  [[nodiscard]] std::string write_waveform(Unit& unit) const;

  Clock& clock_;
  std::shared_ptr<const trace::Widths> widths_;
  std::function<std::string()> instruction_;
  sc_core::sc_event edge_{"edge"};  ///< the clock rises
  sc_core::sc_signal<bool, sc_core::SC_MANY_WRITERS> clock_signal_{"clock"};
  sc_core::sc_signal<bool> reset_signal_{"reset"};
  std::vector<std::unique_ptr<Unit>> units_;
  UnitSet replaced_ = 0;
  bool has_replaced_ = false;
  bool is_reset_ = false, is_checked_ = false;
  Cycle last_change_ = 0;
};

}  // namespace tactus
