// The free places of a memory, as runs of neighbours. Freed runs join their neighbours.
//
// Users: the strategies' heap (space.h), which takes places one by one, and the optimiser's
// residence, which takes neighbours. Two allocators are not of this kind: ArenaSpace frees nothing,
// and Stripe's placement (firmware/compiler/stripe/passes/placement.cpp) knows all lifetimes before
// it places anything.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

namespace tactus::compiler {

class FreeRuns {
 public:
  /// All places from `first` to before `end` are free.
  FreeRuns(std::uint64_t first, std::uint64_t end);

  /// Takes `count` neighbours from the first run that is large enough.
  [[nodiscard]] std::optional<std::uint64_t> take(std::uint64_t count);
  /// Takes up to `count` places from the first run; some place must be free. Returns the first one
  /// and their number.
  [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> take_lowest(std::uint64_t count);
  /// Throws InternalError if a place is free already.
  void free(std::uint64_t first, std::uint64_t count);

  /// Number of free places, which need not be neighbours.
  [[nodiscard]] std::uint64_t room() const { return room_; }
  /// One past the highest place that was ever taken.
  [[nodiscard]] std::uint64_t highest() const { return highest_; }

 private:
  using Runs = std::map<std::uint64_t, std::uint64_t>;  ///< first place -> one past the last

  std::uint64_t take_from(Runs::iterator run, std::uint64_t count);

  Runs free_;
  std::uint64_t room_ = 0, highest_ = 0;
};

}  // namespace tactus::compiler
