// What the array's time went into, over time, in a bounded number of buckets.
#pragma once

#include <array>
#include <vector>

#include "firmware/driver/common/accounting.h"

namespace tactus {

/// Buckets of equal width that cover all cycles so far; where they would become too many, pairs are
/// joined and the width doubles.
class Activity final : public AccountObserver {
 public:
  static constexpr std::size_t most_buckets = 256;
  using Bucket = std::array<std::uint64_t, ArrayTime::states>;  ///< cycles by reason

  /// Records from machine cycle `first` on, which becomes cycle 0, until stop().
  void start(Cycle first) {
    first_ = first;
    recording_ = true;
  }
  void stop() { recording_ = false; }

  void interval(const Account& account, unsigned code, Cycle from, Cycle to) override {
    if (recording_ && account.unit() == "array_time") add(code, from - first_, to - first_);
  }
  void add(unsigned state, Cycle from, Cycle to) {
    while (to > width_ * most_buckets) widen();
    if (buckets_.size() * width_ < to) buckets_.resize((to + width_ - 1) / width_);
    while (from < to) {
      const Cycle bucket = from / width_;
      const Cycle end = std::min(to, (bucket + 1) * width_);
      buckets_[bucket][state] += end - from;
      from = end;
    }
  }
  [[nodiscard]] Cycle width() const { return width_; }
  [[nodiscard]] const std::vector<Bucket>& buckets() const { return buckets_; }

 private:
  void widen() {
    for (std::size_t i = 0; i < buckets_.size(); ++i) {
      const Bucket bucket = buckets_[i];
      buckets_[i] = Bucket{};
      for (std::size_t s = 0; s < bucket.size(); ++s) buckets_[i / 2][s] += bucket[s];
    }
    buckets_.resize((buckets_.size() + 1) / 2);
    width_ *= 2;
  }

  bool recording_ = false;
  Cycle first_ = 0;
  Cycle width_ = 1;
  std::vector<Bucket> buckets_;
};

}  // namespace tactus
