// The ready/valid fork: one item that several consumers take.
//
// The item is offered to its legs: all consumers that it concerns. Each leg takes it once, in any
// cycle; it is not offered again to a leg that has taken it. The item is done in the cycle in which
// the last leg takes it. Source: hardware spec section 2.2.
#pragma once

namespace tactus {

/// Sets of legs are bit masks. In a cycle call offer(), then the questions with the set of legs
/// whose consumers are ready, then move() once with the result of after().
class Fork {
 public:
  using Legs = unsigned;

  /// `valid`: there is an item. `needed`: the legs that it concerns. For an empty queue these are
  /// the legs of the stale item at its front, since the RTL's ready depends on it, too.
  void offer(bool valid, Legs needed) {
    needed_ = needed;
    pending_ = valid ? open() : 0;
  }

  [[nodiscard]] Legs needed() const { return needed_; }
  /// Legs that have not taken the item, valid or not.
  [[nodiscard]] Legs open() const { return needed_ & ~done_; }
  /// Legs to which the item is offered in this cycle.
  [[nodiscard]] Legs pending() const { return pending_; }
  [[nodiscard]] bool pending(Legs leg) const { return (pending_ & leg) != 0; }
  /// The register: legs that took the item in earlier cycles.
  [[nodiscard]] Legs done() const { return done_; }

  /// Legs that take the item in this cycle.
  [[nodiscard]] Legs fires(Legs ready) const { return pending_ & ready; }
  /// True if every leg has taken the item or takes it in this cycle, whether or not it is valid:
  /// the ready for the item's producer.
  [[nodiscard]] bool all(Legs ready) const { return (open() & ~ready) == 0; }
  /// Value of done() after the clock edge.
  [[nodiscard]] Legs after(Legs ready) const { return after(all(ready), fires(ready)); }
  [[nodiscard]] Legs after(bool all, Legs fires) const { return all ? 0 : done_ | fires; }
  template <typename Registers>
  void registers(Registers& r) {
    r(done_);
  }
  /// The clock edge.
  void move(Legs done) { done_ = done; }

 private:
  Legs needed_ = 0;
  Legs pending_ = 0;
  Legs done_ = 0;
};

}  // namespace tactus
