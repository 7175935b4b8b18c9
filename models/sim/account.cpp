#include "models/sim/account.h"

namespace tactus {

void Account::settle() {
  count();
  tell(clock_.now);
}

/// Tells the observer that the current state has lasted up to cycle `to`.
void Account::tell(Cycle to) {
  if (to < told_ || (to == told_ && !tells_empty_)) return;
  tells_empty_ = false;
  if (observer_ != nullptr) observer_->interval(*this, code_, told_, to);
  told_ = to;
}

/// Does the same as announce() for enter_at(), and counts the cycles.
void Account::announce_at(unsigned code, Cycle at) {
  if (at > since_) {
    cycles_[code_] += at - since_;
    since_ = at;
  }
  tell(at);
  code_ = code;
  if (follower_ != nullptr) follower_->follow();
}

/// Completes a change for the observer. Its cycles have been counted.
void Account::announce(unsigned code) {
  const Cycle now = clock_.now;
  tell(now);
  since_ = now;
  code_ = code;
  if (follower_ != nullptr) follower_->follow();
}

}  // namespace tactus
