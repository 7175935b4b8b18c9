// LoadWeights that are on their way into the array by a way of their own: an extension, no RTL has
// it (`shadow_weights: "own_reads"`).
//
// The decoder puts a LoadWeights here in one cycle; the array reads its vectors from local memory
// by a port of its own, one a cycle, and shifts them into a second set of weights, while products
// go on with the first. A product takes over the second set in the cycle in which its first vector
// enters, if there was a LoadWeights before it. So weights behind a product wait for that cycle,
// and a product waits until the last vector of its weights is there.
//
// Timing: of a LoadWeights of k vectors that leaves the decoder's head in cycle h the first enters
// in h + 2 at the earliest, one cycle for the queue and one for the read, and the last k - 1 cycles
// later. Weights may begin in the cycle in which a product takes over those before, or in the cycle
// after those before where no product lies between. Vectors that are not read yet must not be
// overwritten: what would do so waits at the decoder's head.
#pragma once

#include <cstdint>
#include <deque>

#include "models/sim/clock.h"
#include "models/sim/fast/registers.h"

namespace tactus {

struct WeightLoad {
  std::uint64_t number = 0;    ///< of LoadWeights in the machine's life, from 1
  bool zeroes = false;         ///< vectors of zeroes instead of local memory's
  bool after_product = false;  ///< a product lies between it and the LoadWeights before
  std::uint64_t base = 0, step = 0, mask = 0;  ///< local addresses fall from `base`
  std::uint64_t count = 1;                     ///< vectors
  std::uint64_t low = 0, high = 0;             ///< what it may read
  Cycle first = 0;                             ///< cycle in which it may begin
};

class WeightLoads {
 public:
  static constexpr std::size_t capacity = 4;

  void push(const WeightLoad& load) { queue_.push_back(load); }
  [[nodiscard]] bool empty() const { return queue_.empty(); }
  [[nodiscard]] bool full() const { return queue_.size() >= capacity; }
  [[nodiscard]] std::size_t count() const { return queue_.size(); }
  /// Whether one with this number, or one before it, has vectors that are still to be read.
  [[nodiscard]] bool reads_upto(std::uint64_t number) const {
    return !queue_.empty() && queue_.front().number <= number;
  }
  /// Whether local vectors [low, high] are still to be read.
  [[nodiscard]] bool reads(std::uint64_t low, std::uint64_t high) const {
    for (const WeightLoad& load : queue_) {
      if (!load.zeroes && low <= load.high && load.low <= high) return true;
    }
    return false;
  }

  /// All vectors of the LoadWeights of this number, and those before, are in the second set.
  [[nodiscard]] bool has(std::uint64_t number) const { return complete_ >= number; }
  /// Whether the second set holds others than the products' set, for a product behind so many.
  [[nodiscard]] bool is_new(std::uint64_t number) const { return taken_ != number; }
  /// A product behind so many LoadWeights has taken over the second set.
  void take(std::uint64_t number) { taken_ = number; }

  /// The vector that entered last: when, and from where in local memory.
  struct Entered {
    Cycle cycle = ~Cycle{0};
    bool zeroes = false;
    std::uint64_t address = 0;
  };
  [[nodiscard]] const Entered& entered() const { return entered_; }

  void registers(Registers& r);  ///< see models/sim/fast/registers.h
  /// The number of a LoadWeights, or of how many are before a product, by its distance from those
  /// that are complete. Of numbers below these nothing is asked any more but that they are.
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
