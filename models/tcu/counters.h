// The list of the counters of the TCU's units. Statistics and pages, energies, and the intervals of
// the fast engine are made from it. A new counter is a field of its unit and a row here;
// run_figures() or layer_figures() in machine_info.cpp explain it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace tactus {

class TcuSystem;

/// The owner of a counter in a design in two parts: the control, the transfers, or the part whose
/// instruction is at the decoder's head.
enum class CounterOwner : std::uint8_t { control, moves, head, nobody };

struct TcuCounter {
  std::string_view name;               ///< name in statistics; empty: not in statistics
  unsigned values;                     ///< one for each DRAM or local port, or a single one
  std::array<CounterOwner, 2> owners;  ///< owner of each value
  /// Returns the counter of value `index`; null if the design lacks the unit.
  std::uint64_t* (*at)(TcuSystem& system, unsigned index);
  /// Number of consecutive counters at that place; 1 for those with a name
  std::size_t length = 1;
};

/// All counters, in the order of statistics.
[[nodiscard]] const std::vector<TcuCounter>& tcu_counters();

/// Calls visit(counter, index, place) for each value of each counter; `place` is null if the design
/// lacks the unit.
template <typename Visit>
void for_each_counter(TcuSystem& system, Visit&& visit) {
  for (const TcuCounter& counter : tcu_counters()) {
    for (unsigned i = 0; i < counter.values; ++i) visit(counter, i, counter.at(system, i));
  }
}

}  // namespace tactus
