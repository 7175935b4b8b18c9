#include "models/sim/turns.h"

#include <algorithm>

namespace tactus {

Turn& Turns::add(const Clock& clock) {
  const auto number = static_cast<unsigned>(turns_.size());
  return *turns_.emplace_back(std::make_unique<Turn>(*this, clock, number));
}

Turn* Turns::first_besides(const Turn& turn) {
  Turn* first = nullptr;
  for (const auto& other : turns_) {
    if (other.get() == &turn) continue;
    if (first == nullptr || other->time() < first->time()) first = other.get();
  }
  return first;
}

bool Turn::let_others(std::uint64_t upto) {
  while (!is_answered()) {
    if (upto >= others_) {
      Turn* const first = all_.first_besides(*this);
      others_ = first == nullptr ? ~std::uint64_t{0} : first->time();
      // At the same time the one with the lower number comes first.
      if (first != nullptr && first->number_ > number_ && others_ != ~std::uint64_t{0}) ++others_;
      if (first != nullptr && upto >= others_) {
        first->goes_on_.notify();
        sc_core::wait(goes_on_);
        others_ = 0;
        continue;
      }
    }
    if (all_.memory_.next_pull() > upto) return false;
    // One step, since an answer in it may let another design make an earlier request.
    all_.memory_.pull(all_.memory_.next_pull());
    others_ = 0;
  }
  return true;
}

void Turn::leave() {
  waits_ = false;
  time_ = ~std::uint64_t{0};
  if (Turn* const first = all_.first_besides(*this)) first->goes_on_.notify();
}

void Turn::come_back(std::uint64_t time) {
  time_ = time;
  for (const auto& turn : all_.turns_) turn->others_ = 0;
}

}  // namespace tactus
