// Engine check of cycles that the fast engine leaves out: they are evaluated, and nothing may
// happen in them.
#pragma once

#include <cstdint>
#include <vector>

#include "models/sim/account.h"
#include "models/sim/clock.h"

namespace tactus {

class LeftOutCycles {
 public:
  /// Before the first of them.
  LeftOutCycles(std::vector<Account*> accounts, const Clock& clock);
  /// After cycle `now`, which is one of them: InternalError if a register has moved since, or a
  /// unit is in another state.
  void check(Cycle now) const;

 private:
  const Clock& clock_;
  std::uint64_t progress_;
  std::vector<Account*> accounts_;
  std::vector<unsigned> codes_;  ///< state of each account
};

}  // namespace tactus
