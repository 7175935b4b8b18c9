// The traced signals, and the places of their values in a snapshot of one cycle.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/sim/trace/signals.h"

namespace tactus::trace {

struct Selection {
  /// Patterns with `*`, `?` and `[...]` over whole names; a pattern that matches a scope selects
  /// all below. Empty: everything but families.
  std::vector<std::string> globs;
  unsigned depth = 0;  ///< deepest level of units; 0: all. 1 is the top
};

/// A traced signal. Two names of one channel share their place.
struct Chosen {
  const Signal* signal;
  std::string name;
  std::size_t slot;  ///< first word in the snapshot; none: the clock
  unsigned width;
};

/// Values that are read together: all values of a moment that are always valid, or the payload of a
/// channel.
struct Group {
  struct Item {
    const bool* flag;
    Read read;
    std::size_t slot;
    unsigned width;
    std::size_t variable;  ///< number of the value if it is shown; none: it is only a guard
  };
  /// The items that are shown, in a form that is fast to iterate over.
  struct Shown {
    std::uint32_t slot, width, variable;
  };
  std::size_t guard = none;  ///< slot of the channel's valid; while it is 0 the items are unknown
  std::vector<Item> items;
  std::vector<Shown> shown;
};

struct Plan {
  std::vector<Chosen> chosen;
  std::vector<Group> settled, committed;  ///< groups by moment of reading
  std::size_t words = 0;                  ///< words of a snapshot
  std::size_t variables = 0;
  /// Variable of chosen[i]; the clock has none.
  std::vector<std::size_t> variable_of;
};

/// Throws UserError for a glob that selects nothing (naming the nearest names) and for a selection
/// that is empty or larger than a million signals.
[[nodiscard]] Plan make_plan(const Registry& registry, const Selection& selection);

/// Returns a list with one line for each signal (or family), with width, kind, and the meaning of a
/// state's values. With globs it has only the selected signals.
[[nodiscard]] std::string list_signals(const Registry& registry, const Selection& selection);

}  // namespace tactus::trace
