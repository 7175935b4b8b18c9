// What the array's time goes into: in every cycle rows enter it, or one reason keeps them from it.
//
// A cycle in which no row enters is lost, and is attributed by the first of these rules:
//   1. The array has an instruction: src1 is being loaded, or rows meet in a bank.
//   2. It has none: what the threads wait for, the shortest wait of all threads first, in the order
//      of the states below, since with several threads the first that goes on is what is missing.
//      A wait for data counts as bandwidth while beats pass the memory port, else as latency.
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

  /// At the end of a cycle, with the states of the units in it.
  void commit(Array::State array, const IssueStage& threads, MemoryPort::State memory);
  [[nodiscard]] Account& account() { return account_; }

 private:
  Account account_;
};

}  // namespace tactus::dpas
