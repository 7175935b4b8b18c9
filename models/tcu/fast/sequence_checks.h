// Engine check: works known intervals out again and compares the results. All engines compare an
// interval that happens to be worked out twice.
#pragma once

#include <cstdint>
#include <vector>

#include "models/tcu/fast/sequence_counters.h"

namespace tactus {

/// Compares what is remembered with what working an interval out has found.
struct SequenceCheck {
  using Id = KnownSequences::Id;
  const KnownSequences& known;
  Cycle began;         ///< cycle in which the interval begins
  std::uint64_t next;  ///< instruction that is accepted next

  void interval(Id interval, const KnownSequences::State& found) const;
  void growth(Id interval, const SequenceCounters& counters) const;
  void changes(Id interval, const std::vector<KnownSequences::Change>& changes,
               const std::vector<Account*>& accounts) const;
  /// Compares the states after an interval. `saved` are the registers now, and their units.
  struct Saved {
    std::vector<std::uint8_t> bytes;
    std::vector<Registers::Place> places;
  };
  void successor(Id before, Id found, const Saved& saved) const;
};

}  // namespace tactus
