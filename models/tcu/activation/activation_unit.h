// Activation unit between accumulators and local memory: an extension of Tactus's own, absent from
// the RTL.
//
// Takes a vector per cycle and offers the result 2 cycles later, in order: one stage for scale and
// offset, one for slope and limit. Results that are not taken wait; at most three are inside.
// Parameter vectors come one per cycle, in the order scale, offset, slope, limit, and are used from
// the next cycle on. The local router lets no vector in while earlier parameters are still to come.
// isa/tcu/activation.h defines the results.
//
// Stalls: input waits while three results are inside.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <systemc>

#include "isa/tcu/activation.h"
#include "models/sim/account.h"
#include "models/sim/clock.h"
#include "models/sim/fast/registers.h"
#include "models/sim/link.h"
#include "models/sim/queue.h"
#include "models/sim/trace/signals.h"

namespace tactus {

/// The unit's wires; the local router has their other ends.
struct ActivationLinks {
  Link<VectorRef> parameters, input, output;
};

class ActivationUnit final : public sc_core::sc_module {
 public:
  struct Stats {
    std::uint64_t vectors = 0;     ///< vectors that entered
    std::uint64_t parameters = 0;  ///< vectors of parameters
  };
  enum State : std::uint8_t { take, load, give, wait_output, pass, rest };
  static constexpr std::array<UnitState, 6> state_table{{
      {"take", StateKind::busy, "a vector enters"},
      {"load", StateKind::busy, "a vector of parameters enters"},
      {"give", StateKind::busy, "a result leaves, and nothing enters"},
      {"wait_output", StateKind::stall, "a result is there, and local memory does not take it"},
      {"pass", StateKind::busy, "results only advance inside the unit"},
      {"idle", StateKind::idle, "nothing is inside"},
  }};

  ActivationUnit(const sc_core::sc_module_name& name, Clock& clock,
                 const tcu::Architecture& architecture, ActivationLinks& links);

  template <typename List>
  void border(List& list) {  ///< see Border
    list.consumes("parameters", links_.parameters);
    list.consumes("input", links_.input);
    list.produces("output", links_.output);
  }
  void drive();            ///< everything that it drives depends on registers
  static void decide() {}  ///< move() reads wires, too
  void move();
  void commit() { move(); }
  /// See models/sim/activity.h.
  [[nodiscard]] bool sleeps() const { return idle() && account_.code() == rest; }
  [[nodiscard]] bool idle() const { return results_.empty(); }
  void registers(Registers& r);  ///< see models/sim/fast/registers.h
  // For the data of whole instructions; no time passes and nothing is counted. Precondition: the
  // unit is empty.
  /// Takes the next vector of parameters.
  void take_parameters(VectorRef vector);
  /// Computes the result of a vector.
  void activate_now(VectorRef input, std::uint8_t* result) const;
  [[nodiscard]] const Stats& stats() const { return stats_; }
  [[nodiscard]] Stats& counts() { return stats_; }  ///< see Account::counts()
  [[nodiscard]] static std::string waits_for() { return "local memory to take a result"; }
  void describe(const trace::Scope& scope) const;
  [[nodiscard]] std::array<Account*, 1> accounts() { return {&account_}; }

 private:
  static constexpr Cycle latency = 2;
  static constexpr std::size_t capacity = 3;
  [[nodiscard]] bool offers() const {
    return !results_.empty() && available_.front() <= clock_.now;
  }
  [[nodiscard]] State state() const;

  Clock& clock_;
  ActivationLinks& links_;
  tcu::DataType type_;
  std::size_t lanes_;
  std::vector<tcu::ActivationParameters> parameters_;  ///< parameters of each lane
  unsigned next_parameter_ = 0;
  BlockRing results_;
  std::vector<Cycle> available_;  ///< cycle in which each result is offered
  Stats stats_;
  Account account_;
};

}  // namespace tactus
