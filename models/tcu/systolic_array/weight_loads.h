// LoadWeights with reads of their own: an extension, no RTL has it (`shadow_weights: "own_reads"`).
//
// The decoder puts a LoadWeights here in one cycle. The array reads its vectors from local memory
// by a port of its own, one a cycle, and shifts them into a second set of weights, while products
// use the first one. A product switches to the second set in the cycle in which its first vector
// enters, if there was a LoadWeights before it. So weights behind a product wait for that cycle,
// and a product waits until the last vector of its weights has arrived.
//
// Timing: if a LoadWeights of k vectors leaves the decoder's head in cycle h, its first vector
// enters in h + 2 at the earliest, after one cycle for the queue and one for the read, and the last
// one k - 1 cycles later. Weights may begin in the cycle in which a product switches to the weights
// before them or, without a product in between, in the cycle after those weights. Vectors must not
// be overwritten before they are read: instructions that would do so wait at the decoder's head.
#pragma once

#include <cstdint>
#include <deque>

#include "models/sim/clock.h"
#include "models/sim/fast/registers.h"

namespace tactus {

struct WeightLoad {
  std::uint64_t number = 0;    ///< number of the LoadWeights, counted from 1 in the machine's life
  bool zeroes = false;         ///< vectors of zeroes instead of local memory's
  bool after_product = false;  ///< a product lies between it and the LoadWeights before
  std::uint64_t base = 0, step = 0, mask = 0;  ///< local addresses fall from `base`
  std::uint64_t count = 1;                     ///< vectors
  std::uint64_t low = 0, high = 0;             ///< range of local vectors that it may read
  Cycle first = 0;                             ///< cycle in which it may begin
};

class WeightLoads {
 public:
  static constexpr std::size_t capacity = 4;

  void push(const WeightLoad& load) { queue_.push_back(load); }
  [[nodiscard]] bool empty() const { return queue_.empty(); }
  [[nodiscard]] bool full() const { return queue_.size() >= capacity; }
  [[nodiscard]] std::size_t count() const { return queue_.size(); }
  /// True if the LoadWeights with this number, or an earlier one, has vectors that are still to be
  /// read.
  [[nodiscard]] bool reads_upto(std::uint64_t number) const {
    return !queue_.empty() && queue_.front().number <= number;
  }
  /// True if local vectors [low, high] are still to be read.
  [[nodiscard]] bool reads(std::uint64_t low, std::uint64_t high) const {
    for (const WeightLoad& load : queue_) {
      if (!load.zeroes && low <= load.high && load.low <= high) return true;
    }
    return false;
  }

  /// True if all vectors of the LoadWeights with this number, and of earlier ones, have been
  /// loaded.
  [[nodiscard]] bool has(std::uint64_t number) const { return complete_ >= number; }
  /// True if a product behind `number` LoadWeights has to switch to the second set.
  [[nodiscard]] bool is_new(std::uint64_t number) const { return taken_ != number; }
  /// Call when a product behind `number` LoadWeights has switched to the second set.
  void take(std::uint64_t number) { taken_ = number; }

  /// The vector that entered last: when, and from where in local memory.
  struct Entered {
    Cycle cycle = ~Cycle{0};
    bool zeroes = false;
    std::uint64_t address = 0;
  };
  [[nodiscard]] const Entered& entered() const { return entered_; }

  void registers(Registers& r);  ///< see models/sim/fast/registers.h
  /// Saves a number of LoadWeights as its distance from the number of complete ones. All smaller
  /// numbers are equivalent.
  void number(Registers& r, std::uint64_t& number) const {
    std::uint64_t code = number < complete_ ? 0 : number - complete_ + 1;
    r(code);
    if (r.loads()) number = complete_ + code - 1;
  }

  /// The clock edge: calls shift(load, i) if the i-th vector of a load enters in this cycle.
  template <typename Shift>
  void move(Cycle now, Shift shift) {
    if (queue_.empty()) return;
    const WeightLoad& load = queue_.front();
    if (now < load.first || (load.after_product && taken_ + 1 < load.number)) return;
    shift(load, done_);
    entered_ = {now, load.zeroes, (load.base - done_ * load.step) & load.mask};
    if (++done_ < load.count) return;
    done_ = 0;
    complete_ = load.number;
    queue_.pop_front();
  }

 private:
  std::deque<WeightLoad> queue_;
  std::uint64_t done_ = 0;                  ///< vectors of the oldest that have entered
  std::uint64_t complete_ = 0, taken_ = 0;  ///< numbers of LoadWeights
  Entered entered_;
};

}  // namespace tactus
