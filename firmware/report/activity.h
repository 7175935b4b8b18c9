// Records the account of a machine's main unit over time, in a limited number of buckets.
#pragma once

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "models/sim/machine_info.h"

namespace tactus {

/// The buckets have equal width and cover all cycles so far. When there are more than most_buckets,
/// pairs are joined and the width doubles.
class Activity final : public AccountObserver {
 public:
  static constexpr std::size_t most_buckets = 256;
  using Bucket = std::vector<std::uint64_t>;  ///< cycles by state of the main unit

  explicit Activity(const TimeInfo& time) : unit_(time.unit), reasons_(time.states.count) {}

  /// Records from the machine cycle `first`, which becomes cycle 0, until stop().
  void start(Cycle first) {
    first_ = first;
    recording_ = true;
  }
  void stop() { recording_ = false; }

  void interval(const Account& account, unsigned code, Cycle from, Cycle to) override {
    if (recording_ && account.unit() == unit_) add(code, from - first_, to - first_);
  }
  void add(unsigned state, Cycle from, Cycle to) {
    while (to > width_ * most_buckets) widen();
    if (buckets_.size() * width_ < to)
      buckets_.resize((to + width_ - 1) / width_, Bucket(reasons_));
    while (from < to) {
      const Cycle bucket = from / width_;
      const Cycle end = std::min(to, (bucket + 1) * width_);
      buckets_[bucket][state] += end - from;
      from = end;
    }
  }
  /// Width of a bucket in cycles.
  [[nodiscard]] Cycle width() const { return width_; }
  [[nodiscard]] const std::vector<Bucket>& buckets() const { return buckets_; }

 private:
  void widen() {
    for (std::size_t i = 0; i < buckets_.size(); ++i) {
      const Bucket bucket = std::exchange(buckets_[i], Bucket(reasons_));
      for (std::size_t s = 0; s < bucket.size(); ++s) buckets_[i / 2][s] += bucket[s];
    }
    buckets_.resize((buckets_.size() + 1) / 2);
    width_ *= 2;
  }

  std::string_view unit_;
  std::size_t reasons_;
  bool recording_ = false;
  Cycle first_ = 0;
  Cycle width_ = 1;
  std::vector<Bucket> buckets_;
};

}  // namespace tactus
