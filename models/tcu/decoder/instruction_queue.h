// The decoder's instruction queue.
#pragma once

#include <array>
#include <cstddef>

namespace tactus {

/// Queue<T, QueueKind::plain, 2> (see models/sim/queue.h) whose entries are made in their slots: a
/// decoded instruction is large, and copying it into the queue would take longer than decoding it.
template <typename T>
class InstructionQueue {
 public:
  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] bool can_enqueue() const { return count_ < 2; }
  /// Of an empty queue the stale entry.
  [[nodiscard]] const T& front() const { return slots_[read_]; }
  /// The slot of the entry that enters a queue that is not full. In an empty queue it is front().
  [[nodiscard]] T& entering() { return slots_[read_ ^ count_]; }

  /// The clock edge. True if there is another entry at the front.
  bool commit(bool enqueue, bool dequeue) {
    const bool begins = empty() && enqueue;
    const bool ends = !empty() && dequeue;
    if (ends) {
      read_ ^= 1;
      --count_;
    }
    if (enqueue) ++count_;
    return begins || ends;
  }

 private:
  std::array<T, 2> slots_{};
  std::size_t read_ = 0;
  std::size_t count_ = 0;
};

}  // namespace tactus
