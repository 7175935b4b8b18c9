// Lookup tables beside the SIMD ALUs: an extension of Tactus's own, absent from the RTL.
//
// Each lane has its own copy of every table, so all lanes look up in one cycle. A vector of entries
// is written to all copies in the cycle in which it arrives, one a cycle; a lookup issued in an
// earlier cycle reads the old entries. isa/tcu/lookup.h defines keys. Initial contents are zero.
//
// Source of the instructions: public documentation; forms and cycles are Tactus's own.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <systemc>

#include "isa/tcu/arithmetic.h"
#include "isa/tcu/lookup.h"
#include "models/sim/account.h"
#include "models/sim/clock.h"
#include "models/sim/link.h"
#include "models/sim/trace/signals.h"

namespace tactus {

class LookupMemory final : public sc_core::sc_module {
 public:
  struct Stats {
    std::uint64_t vectors = 0;  ///< vectors of entries written
    std::uint64_t lookups = 0;  ///< vectors of arguments
  };
  enum State : std::uint8_t { load, wait, look_up, rest };
  static constexpr std::array<UnitState, 4> state_table{{
      {"load", StateKind::busy, "a vector of entries is written"},
      {"wait", StateKind::stall,
       "entries are awaited from local memory, or wait for accumulator writes before them"},
      {"lookup", StateKind::busy, "a Lookup issues"},
      {"idle", StateKind::idle, "no entries come, and no Lookup issues"},
  }};

  LookupMemory(const sc_core::sc_module_name& name, Clock& clock,
               const tcu::Architecture& architecture);

  [[nodiscard]] std::uint32_t tables() const { return form_.count; }
  // Data only; the callers count.
  /// Writes entries index * N and following of a table.
  void write(unsigned table, std::uint64_t index, VectorRef entries);
  /// Looks up all lanes. Writes each lane's difference, and table i's value at values + i * vector
  /// bytes.
  void find(VectorRef arguments, std::uint8_t* difference, std::uint8_t* values);
  void enter_account(State state) { account_.enter(state); }

  [[nodiscard]] const Stats& stats() const { return stats_; }
  [[nodiscard]] Stats& counts() { return stats_; }  ///< see Account::counts()
  [[nodiscard]] Account& account() { return account_; }
  void describe(const trace::Scope& scope) const;

 private:
  Clock& clock_;
  tcu::DataType type_;
  tcu::LookupTables form_;
  std::size_t lanes_;
  std::size_t vector_bytes_;
  std::vector<std::int64_t> entries_;  ///< mantissas, table after table
  Stats stats_;
  Account account_;
};

}  // namespace tactus
