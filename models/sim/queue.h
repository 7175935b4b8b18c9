// The queue primitive of the hardware. Source: hardware spec section 2.1.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "models/sim/bytes.h"
#include "models/sim/wire.h"

namespace tactus {

enum class QueueKind {
  plain,      ///< one cycle latency
  flow,       ///< an empty queue passes its input through in the same cycle
  pipe_flow,  ///< as flow; a full queue also accepts in the cycle in which it gives an entry away
};

/// In a cycle call the combinational questions first, then commit() once. A slot keeps its old
/// content after it was taken, so front() of an empty queue is the stale word that the RTL shows.
/// The capacity is a template argument if it is a constant; otherwise that is 0 and the constructor
/// has an argument.
template <typename T, QueueKind kind, std::size_t fixed_capacity = 0>
class Queue {
  static constexpr bool flow = kind != QueueKind::plain;
  static constexpr bool pipe = kind == QueueKind::pipe_flow;
  static constexpr bool fixed = fixed_capacity != 0;
  /// True if positions wrap by a mask.
  static constexpr bool masked = fixed && (fixed_capacity & (fixed_capacity - 1)) == 0;

 public:
  Queue() { static_assert(fixed, "a queue without a constant capacity takes it as an argument"); }
  explicit Queue(std::size_t capacity) : slots_(capacity) {}

  [[nodiscard]] std::size_t capacity() const { return fixed ? fixed_capacity : slots_.size(); }
  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] bool full() const { return count_ == capacity(); }
  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] const T& front() const { return slots_[read_]; }

  [[nodiscard]] bool can_enqueue(bool dequeue_ready = false) const {
    return !full() || (pipe && dequeue_ready);
  }
  [[nodiscard]] bool has_output(bool enqueue_valid = false) const {
    return !empty() || (flow && enqueue_valid);
  }
  /// The word at the output, given the word at the input.
  [[nodiscard]] const T& output(const T& enqueue_bits) const {
    return flow && empty() ? enqueue_bits : front();
  }

  /// The clock edge. `enqueue` is the input's handshake, `dequeue_ready` the output's ready.
  void commit(bool enqueue, const T& bits, bool dequeue_ready) {
    if (empty()) {
      // An item that can pass through is not stored.
      if (!enqueue || (flow && dequeue_ready)) return;
      slots_[read_] = bits;
      count_ = 1;
      return;
    }
    if (enqueue) slots_[slot(count_)] = bits;
    if (enqueue && !dequeue_ready) ++count_;
    if (!dequeue_ready) return;
    if (!enqueue) --count_;
    read_ = static_cast<std::uint32_t>(slot(1));
  }

  // For Registers (models/sim/fast/registers.h).
  /// The i-th entry from the front. In an empty queue entry 0 is the item shown by front().
  [[nodiscard]] T& entry(std::size_t i) { return slots_[slot(static_cast<std::uint32_t>(i))]; }
  /// Sets the number of entries, whose values the caller then sets.
  void begin_load(std::size_t count) {
    read_ = 0;
    count_ = static_cast<std::uint32_t>(count);
  }

  // For large entries, which are made in their slot and not copied into the queue.
  /// The slot of the entry that enters a queue that is not full. In an empty queue it is front().
  [[nodiscard]] T& entering() { return slots_[slot(count_)]; }
  /// The oldest entry, in its slot. Precondition: the queue is not empty.
  [[nodiscard]] T& oldest() { return slots_[read_]; }
  [[nodiscard]] T& newest() { return slots_[slot(count_ - 1)]; }
  [[nodiscard]] const T& newest() const { return slots_[slot(count_ - 1)]; }
  /// Does commit() with the entry that entering() holds. Precondition: the queue is plain. Returns
  /// true if another entry is now at the front.
  bool commit_entered(bool enqueue, bool dequeue_ready) {
    static_assert(!flow, "an entry that passes through has no slot");
    const bool begins = empty() && enqueue;
    const bool ends = !empty() && dequeue_ready;
    if (ends) {
      read_ = static_cast<std::uint32_t>(slot(1));
      --count_;
    }
    if (enqueue) ++count_;
    return begins || ends;
  }

 private:
  /// The slot of the i-th entry; i = count: the slot of the next entry to enter.
  [[nodiscard]] std::size_t slot(std::uint32_t i) const {
    const std::uint32_t position = read_ + i;
    if constexpr (masked) return position & (fixed_capacity - 1);
    return position < capacity() ? position : position - capacity();
  }

  std::conditional_t<fixed, std::array<T, fixed_capacity>, std::vector<T>> slots_{};
  std::uint32_t read_ = 0;
  std::uint32_t count_ = 0;
};

/// Ordered storage for blocks of bytes, such as vectors or beats. A Queue has entries of one type,
/// and the hardware's capacity and handshakes. Here the size of an entry is known only at run time,
/// entries are written in place, and the owner counts the entries of the hardware. There is at
/// least one slot more than may be in use, so a block taken in a cycle stays readable until the end
/// of that cycle, whatever is pushed meanwhile.
class BlockRing {
 public:
  BlockRing(std::size_t capacity, std::size_t block_bytes)
      : mask_(power_of_two_above(capacity) - 1),
        bytes_(block_bytes),
        storage_((mask_ + 1) * block_bytes) {}

  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] std::uint8_t* front() { return at(0); }
  /// The i-th block from the front.
  [[nodiscard]] std::uint8_t* at(std::size_t i) {
    return storage_.data() + ((read_ + i) & mask_) * bytes_;
  }
  /// Number of the `count` blocks from the i-th on that are contiguous in memory.
  [[nodiscard]] std::size_t contiguous(std::size_t i, std::size_t count) const {
    const std::size_t room = mask_ + 1 - ((read_ + i) & mask_);
    return count < room ? count : room;
  }
  /// Sets the number of blocks, with undefined contents.
  void begin_load(std::size_t count) { count_ = count; }
  /// Makes room for one more block at the end and returns it for filling.
  std::uint8_t* push() { return at(count_++); }
  void pop() {
    ++read_;
    --count_;
  }

 private:
  static std::size_t power_of_two_above(std::size_t n) {
    std::size_t power = 1;
    while (power <= n) power *= 2;
    return power;
  }

  std::size_t mask_;  ///< wraps positions, which only increase, to slots
  std::size_t bytes_;
  std::vector<std::uint8_t> storage_;
  std::size_t read_ = 0;
  std::size_t count_ = 0;
};

}  // namespace tactus
