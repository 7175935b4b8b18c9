#include "firmware/sweep/order.h"

#include <algorithm>
#include <utility>

namespace tactus::sweep {

StartingOrder::StartingOrder(std::size_t count, std::function<std::string(std::size_t)> program_of)
    : count_(count), program_of_(std::move(program_of)) {}

bool StartingOrder::runs(const std::string& program) const {
  return std::any_of(running_.begin(), running_.end(),
                     [&](const auto& entry) { return entry.second == program; });
}

std::optional<std::size_t> StartingOrder::next() {
  for (; waiting_.size() < near && seen_ < count_; ++seen_) {
    waiting_.push_back({seen_, program_of_(seen_)});
  }
  if (waiting_.empty()) return std::nullopt;
  auto chosen = std::find_if(waiting_.begin(), waiting_.end(),
                             [&](const Waiting& one) { return !runs(one.program); });
  if (chosen == waiting_.end()) chosen = waiting_.begin();
  const std::size_t point = chosen->point;
  running_.emplace(point, std::move(chosen->program));
  waiting_.erase(chosen);
  return point;
}

void StartingOrder::ended(std::size_t point) { running_.erase(point); }

}  // namespace tactus::sweep
