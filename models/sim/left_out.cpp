#include "models/sim/left_out.h"

#include <utility>

#include "isa/support/error.h"

namespace tactus {

LeftOutCycles::LeftOutCycles(std::vector<Account*> accounts, const Clock& clock)
    : clock_(clock), progress_(clock.progress), accounts_(std::move(accounts)) {
  for (const Account* account : accounts_) codes_.push_back(account->code());
}

void LeftOutCycles::check(Cycle now) const {
  if (clock_.progress != progress_) {
    internal_error("engine check: something changes in cycle {}, which the fast engine leaves out",
                   now);
  }
  for (std::size_t i = 0; i < accounts_.size(); ++i) {
    const Account& account = *accounts_[i];
    if (account.code() == codes_[i]) continue;
    internal_error(
        "engine check: in cycle {}, which the fast engine leaves out, unit {} goes to state {}",
        now, account.unit(), account.states()[account.code() % account.states().count].name);
  }
}

}  // namespace tactus
