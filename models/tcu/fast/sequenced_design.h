// The design as sequences see it: its registers, as a whole or in two parts, and what is at rest.
#pragma once

#include <cstdint>
#include <vector>

#include "models/tcu/counters.h"
#include "models/tcu/fast/known_design.h"
#include "models/tcu/fast/sequence_program.h"
#include "models/tcu/system.h"

namespace tactus {

class SequencedDesign {
 public:
  /// Saves or loads the registers of the design or of a part.
  using Part = void (SequencedDesign::*)(Registers&);

  SequencedDesign(TcuSystem& system, const SequenceProgram& program)
      : system_(system), program_(program) {}

  /// Sets what is part of a state: with `live` memories no slaves; else those, which may be left
  /// out while they are idle if the memories keep time.
  void begin(bool live, bool keeps_time) {
    live_ = live;
    keeps_time_ = keeps_time;
  }
  /// Registers of idle units are kept in `known`.
  void use(KnownDesign& known) { known_ = &known; }
  /// The instruction that the design accepts next.
  [[nodiscard]] std::uint64_t& next() { return next_; }

  void whole(Registers& r);
  void control(Registers& r);  ///< everything but the transfers
  void moves(Registers& r);    ///< the transfers
  /// Makes all units evaluate their wires again, since these follow from loaded registers.
  void forget_wires();

  [[nodiscard]] bool rests() const;
  [[nodiscard]] bool control_rests() const;
  [[nodiscard]] bool moves_rest() const;
  /// Returns the parts that are not idle, as bits: the ports, and above them transfers that the
  /// decoder still has to request.
  [[nodiscard]] unsigned busy_parts() const;
  static constexpr unsigned port_parts = 3;  ///< bits of busy_parts() that stand for ports

  [[nodiscard]] bool memories_keep_time() const;
  [[nodiscard]] bool memories_rewind() const;  ///< all of them
  [[nodiscard]] bool asks_memories() const;    ///< a request to a DRAM is on its way
  /// The cycle of the last write response at a port's pins.
  [[nodiscard]] Cycle& last_response(unsigned p);

  [[nodiscard]] TcuSystem& system() { return system_; }
  [[nodiscard]] Clock& clock() { return system_.clock_; }
  [[nodiscard]] const ArrayTime& array_time() const { return *system_.array_time_; }
  /// Accounts that follow from states.
  [[nodiscard]] std::vector<Account*> accounts();
  /// The part of a design in two parts that owns an account.
  [[nodiscard]] CounterOwner owner(const Account& account);

 private:
  [[nodiscard]] bool units_rest() const;
  void registers_but_moves(Registers& r, bool alone);
  void registers_of_moves(Registers& r, bool alone);
  template <typename Unit>
  void registers_unless_idle(Registers& r, Unit& unit, bool idle,
                             std::vector<std::uint8_t>& idle_bytes, Account* account);
  void port_registers(Registers& r, unsigned p);

  TcuSystem& system_;
  const SequenceProgram& program_;
  KnownDesign* known_ = nullptr;
  bool live_ = false, keeps_time_ = false;
  std::uint64_t next_ = 0;
};

}  // namespace tactus
