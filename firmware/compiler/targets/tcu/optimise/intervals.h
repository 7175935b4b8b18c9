// Free places of a memory, in vectors.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace tactus::compiler::optimise {

/// First fit among free runs; freed runs join their neighbours.
class Intervals {
 public:
  Intervals(std::uint64_t first, std::uint64_t end) {
    if (first < end) free_[first] = end;
    room_ = first < end ? end - first : 0;
  }

  [[nodiscard]] std::optional<std::uint64_t> allocate(std::uint64_t count) {
    for (auto run = free_.begin(); run != free_.end(); ++run) {
      if (run->second - run->first < count) continue;
      const std::uint64_t at = run->first, end = run->second;
      free_.erase(run);
      if (at + count < end) free_[at + count] = end;
      if (at + count > highest_) highest_ = at + count;
      room_ -= count;
      return at;
    }
    return std::nullopt;
  }

  void free(std::uint64_t at, std::uint64_t count) {
    room_ += count;
    std::uint64_t end = at + count;
    auto next = free_.lower_bound(at);
    if (next != free_.end() && next->first == end) {
      end = next->second;
      next = free_.erase(next);
    }
    if (next != free_.begin()) {
      const auto before = std::prev(next);
      if (before->second == at) {
        before->second = end;
        return;
      }
    }
    free_[at] = end;
  }

  /// Vectors that are free, wherever they lie.
  [[nodiscard]] std::uint64_t room() const { return room_; }
  /// One past the highest vector that was ever taken.
  [[nodiscard]] std::uint64_t highest() const { return highest_; }

 private:
  std::map<std::uint64_t, std::uint64_t> free_;  ///< first -> end
  std::uint64_t highest_ = 0, room_ = 0;
};

}  // namespace tactus::compiler::optimise
