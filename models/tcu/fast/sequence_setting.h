// What the classes of sequences share: places in a program, and what their states depend on.
#pragma once

#include <cstdint>
#include <memory>

#include "models/tcu/fast/known_design.h"
#include "models/tcu/fast/live_memories.h"

namespace tactus {

/// A place in the program, and a cycle.
struct SequencePosition {
  using Id = KnownSequences::Id;
  Id state = KnownSequences::none;
  std::uint64_t next = 0;  ///< instruction that is accepted next
  Cycle now = 0;
  std::uint64_t timer = 0;  ///< the decoder's timer, with live memories
  /// State of the transfers, if the design is taken in two parts
  Id moves = KnownSequences::none;
  [[nodiscard]] bool operator==(const SequencePosition& o) const {
    return state == o.state && next == o.next && now == o.now && moves == o.moves;
  }
};

/// An interval that was taken, and how often it was repeated.
struct SequenceStep {
  KnownSequences::Id interval = KnownSequences::none;
  std::uint64_t times = 0;
  bool of_moves = false;  ///< a step of the transfers' part
};

/// What all states and intervals depend on. TcuSequences sets it before a sequence begins, and
/// forgets all states when it changes.
struct SequenceSetting {
  /// Limit on the cycles of an interval, and on a wait for a memory. Longer ones are not taken.
  static constexpr Cycle longest_interval = 1U << 20;

  std::shared_ptr<KnownDesign> design;  ///< null: before the first sequence, or forgotten
  KnownSequences* known = nullptr;      ///< those of `design`
  /// Null: the memories keep time, or cannot return to a rest.
  std::unique_ptr<LiveMemories> memories;
  bool memories_keep_time = false;
  bool divided = false;       ///< the design is taken in two parts
  std::uint16_t timeout = 0;  ///< value of the decoder's register

  [[nodiscard]] KnownSequences::State& operator[](KnownSequences::Id id) const {
    return (*known)[id];
  }
};

}  // namespace tactus
