// Account of the cycles of the array: in each cycle either a row enters the array, or the cycle is
// lost for one reason.
//
// A lost cycle is attributed by the first rule that applies:
//   1. The array has an instruction: src1 is being loaded, or rows have a bank conflict.
//   2. The array has no instruction: the reason is what the threads wait for. With several threads
//      it is the wait that comes first in the order of the states below, since a thread that waits
//      for less would be the first to supply an instruction. A wait for memory counts as bandwidth
//      in cycles with a beat in its direction at the memory port, else as latency.
//   3. All threads have ended.
#pragma once

#include <array>
#include <cstdint>

#include "models/dpas/issue_stage.h"
#include "models/sim/machine_info.h"

namespace tactus::dpas {

class ArrayTime {
 public:
  enum State : std::uint8_t {
    compute,
    load_src1,
    bank_conflict,
    issue,
    macro,
    alu_results,
    results,
    sources,
    tokens,
    branch,
    queue,
    load_data,
    load_wait,
    store_data,
    store_wait,
    barrier,
    end,
    ended,
  };
  static constexpr std::size_t states = 18;
  static const std::array<UnitState, states> state_table;
  [[nodiscard]] static TimeInfo info();

  explicit ArrayTime(const Clock& clock) : account_("array_time", clock, state_table, ended) {}

  /// Accounts for the current cycle. Called at its end, with the states of the units in it.
  void commit(Array::State array, const IssueStage& threads, MemoryPort::State memory);
  [[nodiscard]] Account& account() { return account_; }

 private:
  Account account_;
};

}  // namespace tactus::dpas
