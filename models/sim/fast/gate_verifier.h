// Verifies what the fast engine leaves out of a gated unit (see gate.h). The unit is settled in
// full in every cycle; in cycles in which the fast engine would not have called it, the wires that
// it drives must keep their values.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "models/sim/account.h"
#include "models/sim/clock.h"
#include "models/sim/link.h"

namespace tactus {

class GateVerifier {
 public:
  GateVerifier(std::string unit, Clock& clock, UnitSet bit, const Account& account)
      : unit_(std::move(unit)), clock_(clock), bit_(bit), account_(account) {}

  /// The unit drives valid and payload of this link. `payload`: what of it has to be the same.
  template <typename T, typename Payload>
  void produces(const std::string& name, const Link<T>& link, Payload payload) {
    wires_.push_back({name + ".valid", link.valid.value(), false, false});
    payloads_.push_back({name + ".bits", link.valid.value(),
                         [&link, payload] { return std::uint64_t{payload(link.bits)}; }, 0});
  }
  /// The unit drives ready of this link.
  template <typename T>
  void consumes(const std::string& name, const Link<T>& link) {
    wires_.push_back({name + ".ready", link.ready.value(), false, false});
  }
  /// The same for a ready at which nobody looks while the unit rests: then random stalls may change
  /// it.
  template <typename T>
  void consumes_while_moving(const std::string& name, const Link<T>& link) {
    wires_.push_back({name + ".ready", link.ready.value(), true, false});
  }

  /// Takes the place of gate::drive() or, for a unit that looks at wires, gate::drive_from_wires().
  template <typename Unit>
  void drive(Unit& unit, bool looks_at_wires) {
    const UnitSet stirred = looks_at_wires ? clock_.agenda.stirred : 0;
    full_ = ((clock_.agenda.turned | stirred) & bit_) != 0;
    note_wires();
    if (!full_ && moving_) {
      full_ = !unit.redrive();
      note_payloads();
    }
    unit.drive();
    if (full_) return;
    check(moving_ ? "redrive() said that no wire changes" : "nothing of the unit was to move");
    if (moving_) check_payloads();
  }
  /// Takes the place of the call that stands behind `if (gate::accepts(...))`.
  template <typename Accept>
  void accept(Accept&& accept) {
    full_ = full_ || (clock_.agenda.stirred & bit_) != 0;
    note_wires();
    accept();
    if (!full_) check("accept() was left out");
  }
  /// Takes the place of gate::commit(). `stirred`: Agenda::stirred before begin_clock_edge().
  template <typename Unit>
  void commit(Unit& unit, UnitSet stirred) {
    full_ = full_ || (stirred & bit_) != 0;
    const std::uint64_t turns = clock_.turns;
    const std::uint64_t progress = clock_.progress;
    const unsigned state = account_.code();
    ++clock_.agenda.evaluations;
    unit.commit();
    const bool turned = clock_.turns != turns;
    if (!full_) check_commit(turned, clock_.progress != progress, account_.code() != state);
    if (turned) clock_.agenda.turned |= bit_;
    if (full_ && !turned) moving_ = unit.moves();
  }

 private:
  struct NamedWire {
    std::string name;
    const bool* value;
    bool while_moving;    ///< only then it is looked at
    bool before = false;  ///< when it was noted
  };
  struct NamedPayload {
    std::string name;
    const bool* valid;
    std::function<std::uint64_t()> value;
    std::uint64_t before = 0;  ///< when it was noted
  };
  void note_wires();
  void note_payloads();
  void check(const char* why) const;
  void check_payloads() const;
  void check_commit(bool turned, bool progressed, bool state_changed) const;

  std::string unit_;
  Clock& clock_;
  UnitSet bit_;
  const Account& account_;
  std::vector<NamedWire> wires_;
  std::vector<NamedPayload> payloads_;
  bool full_ = true;     ///< the fast engine settles the unit in full in this cycle
  bool moving_ = false;  ///< its bit of Agenda::moving in the fast engine
};

}  // namespace tactus
