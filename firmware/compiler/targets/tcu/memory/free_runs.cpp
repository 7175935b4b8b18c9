#include "firmware/compiler/targets/tcu/memory/free_runs.h"

#include <algorithm>
#include <iterator>

#include "isa/support/error.h"

namespace tactus::compiler {

FreeRuns::FreeRuns(std::uint64_t first, std::uint64_t end) {
  if (first >= end) return;
  free_.emplace(first, end);
  room_ = end - first;
}

std::uint64_t FreeRuns::take_from(Runs::iterator run, std::uint64_t count) {
  const std::uint64_t at = run->first, end = run->second;
  free_.erase(run);
  if (at + count < end) free_.emplace(at + count, end);
  highest_ = std::max(highest_, at + count);
  room_ -= count;
  return at;
}

std::optional<std::uint64_t> FreeRuns::take(std::uint64_t count) {
  for (auto run = free_.begin(); run != free_.end(); ++run) {
    if (run->second - run->first >= count) return take_from(run, count);
  }
  return std::nullopt;
}

std::pair<std::uint64_t, std::uint64_t> FreeRuns::take_lowest(std::uint64_t count) {
  const auto run = free_.begin();
  const std::uint64_t taken = std::min(run->second - run->first, count);
  return {take_from(run, taken), taken};
}

void FreeRuns::free(std::uint64_t first, std::uint64_t count) {
  std::uint64_t end = first + count;
  auto next = free_.lower_bound(first);
  const auto before = next == free_.begin() ? free_.end() : std::prev(next);
  if ((next != free_.end() && next->first < end) ||
      (before != free_.end() && before->second > first)) {
    internal_error("places {} to {} are given back but were not taken", first, end - 1);
  }
  room_ += count;
  if (next != free_.end() && next->first == end) {
    end = next->second;
    free_.erase(next);
  }
  if (before != free_.end() && before->second == first) {
    before->second = end;
  } else {
    free_.emplace(first, end);
  }
}

}  // namespace tactus::compiler
