#include "models/sim/turns.h"

#include <algorithm>

namespace tactus {

Turn& Turns::add() {
  times_.push_back(0);
  return *turns_.emplace_back(std::make_unique<Turn>(*this, turns_.size()));
}

std::size_t Turns::first_besides(std::size_t turn) const {
  std::size_t first = none;
  for (std::size_t i = 0; i < times_.size(); ++i) {
    if (i != turn && (first == none || times_[i] < times_[first])) first = i;
  }
  return first;
}

bool Turn::let_others(std::uint64_t upto) {
  while (!answered_) {
    if (upto >= others_) {
      const std::size_t first = all_.first_besides(number_);
      others_ = first == Turns::none ? ~std::uint64_t{0} : all_.times_[first];
      // At the same time the one with the lower number comes first.
      if (first != Turns::none && first > number_ && others_ != ~std::uint64_t{0}) ++others_;
      if (first != Turns::none && upto >= others_) {
        all_.turns_[first]->goes_on_.notify();
        sc_core::wait(goes_on_);
        others_ = 0;
        continue;
      }
    }
    if (all_.memory_.next_pull() > upto) return false;
    // One step, since an answer in it may let another design make an earlier request.
    const std::uint64_t answers = all_.answers_;
    all_.memory_.pull(all_.memory_.next_pull());
    if (all_.answers_ != answers) others_ = 0;
  }
  return true;
}

void Turn::leave() {
  begin(~std::uint64_t{0}, false);
  const std::size_t first = all_.first_besides(number_);
  if (first != Turns::none) all_.turns_[first]->goes_on_.notify();
}

void Turn::come_back(std::uint64_t time) {
  all_.times_[number_] = time;
  for (const auto& turn : all_.turns_) turn->others_ = 0;
}

}  // namespace tactus
