// Engine check of cycles that the fast engine skips: they are evaluated, and nothing may happen in
// them.
#pragma once

#include <cstdint>
#include <vector>

#include "models/sim/account.h"
#include "models/sim/clock.h"

namespace tactus {

class LeftOutCycles {
 public:
  /// Call before the first of these cycles.
  LeftOutCycles(std::vector<Account*> accounts, const Clock& clock);
  /// Call after each of them; `now` is its number. Throws InternalError if a register has changed
  /// since the first, or if a unit is in another state.
  void check(Cycle now) const;

 private:
  const Clock& clock_;
  std::uint64_t progress_;
  std::vector<Account*> accounts_;
  std::vector<unsigned> codes_;  ///< state of each account
};

}  // namespace tactus
