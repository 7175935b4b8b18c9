#include "models/sim/account.h"

namespace tactus {

void Account::settle() {
  const Cycle now = clock_.now;
  cycles_[code_] += now - since_;
  if (observer_ != nullptr && now > since_) observer_->interval(*this, code_, since_, now);
  since_ = now;
}

/// The same as announce() for enter_at(), with the counting.
void Account::announce_at(unsigned code, Cycle at) {
  if (at > since_) {
    cycles_[code_] += at - since_;
    if (observer_ != nullptr) observer_->interval(*this, code_, since_, at);
    since_ = at;
  }
  code_ = code;
  if (follower_ != nullptr) follower_->follow();
}

/// The rest of a change that somebody wants to know of; its cycles are counted.
void Account::announce(unsigned code) {
  const Cycle now = clock_.now;
  if (observer_ != nullptr && now > since_) observer_->interval(*this, code_, since_, now);
  since_ = now;
  code_ = code;
  if (follower_ != nullptr) follower_->follow();
}

}  // namespace tactus
