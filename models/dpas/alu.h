// The vector ALU: mov with conversions, add, cmp.
//
// It executes in order. An instruction occupies the ALU for one cycle per register of its widest
// operand (Tactus's own rule). Its result may be used 10, 11 or 13 cycles after issue, for
// execution sizes up to 8, 16 or 32; a predicate 16 cycles after issue (published, values of the
// profile).
#pragma once

#include <array>
#include <cstdint>

#include <systemc>

#include "models/dpas/channels.h"
#include "models/dpas/register_file.h"
#include "models/sim/account.h"

namespace tactus::dpas {

class Alu final : public sc_core::sc_module {
 public:
  enum State : unsigned { execute, drain, rest };
  static constexpr std::array<UnitState, 3> state_table{{
      {"execute", StateKind::busy, "an instruction enters, one register a cycle"},
      {"drain", StateKind::stall, "no instruction enters, and results are on their way"},
      {"idle", StateKind::idle, "nothing to do"},
  }};
  struct Stats {
    std::uint64_t instructions = 0;
    std::uint64_t lanes = 0;   ///< sum of the execution sizes of all instructions
    std::uint64_t cycles = 0;  ///< cycles in which an instruction occupied the ALU
  };

  Alu(const sc_core::sc_module_name& name, Clock& clock, RegisterFile& registers,
      Link<Issued>& issued);

  void drive();
  void commit();
  /// First cycle after `now` in which the state changes without a new instruction; `never`: none.
  [[nodiscard]] Cycle next_event(Cycle now) const;

  /// First cycle in which the next instruction may enter.
  [[nodiscard]] Cycle free_at() const { return free_at_; }
  [[nodiscard]] Stats stats(Cycle now) const;
  [[nodiscard]] State state(Cycle now) const {
    return now < free_at_ ? execute : now < drained_at_ ? drain : rest;
  }
  [[nodiscard]] Account& account() { return account_; }
  /// The predicates of a thread, one word of bits each, indexed by id from 1 on.
  [[nodiscard]] std::uint32_t* predicates(unsigned thread) { return predicates_[thread].data(); }
  /// Clears all predicates of a thread.
  void reset(unsigned thread, unsigned predicates) { predicates_[thread].assign(predicates, 0); }
  void describe(const trace::Scope& scope) const;

 private:
  void accept(const Issued& issued);

  Clock& clock_;
  RegisterFile& registers_;
  Link<Issued>& issued_;
  std::vector<std::vector<std::uint32_t>> predicates_;  ///< predicates of each thread
  Cycle free_at_ = 0, drained_at_ = 0;
  Stats stats_;
  Account account_;
};

}  // namespace tactus::dpas
