// The queue primitive of the hardware. Source: hardware spec section 2.1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tactus {

enum class QueueKind {
  plain,      ///< one cycle latency
  flow,       ///< an empty queue passes its input through in the same cycle
  pipe_flow,  ///< flow, and a full queue accepts in the cycle in which it gives an entry away
};

/// Combinational questions first, then one commit() a cycle. A slot keeps its old content after it
/// was taken: front() of an empty queue is the stale word that the RTL shows there.
template <typename T, QueueKind kind>
class Queue {
  static constexpr bool flow = kind != QueueKind::plain;
  static constexpr bool pipe = kind == QueueKind::pipe_flow;

 public:
  explicit Queue(std::size_t capacity) : slots_(capacity) {}

  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] bool full() const { return count_ == slots_.size(); }
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
    if (flow && empty() && dequeue_ready) return;  // passes through, nothing is stored
    if (dequeue_ready && !empty()) {
      read_ = next(read_);
      --count_;
    }
    if (enqueue) {
      slots_[write_] = bits;
      write_ = next(write_);
      ++count_;
    }
  }

 private:
  [[nodiscard]] std::size_t next(std::size_t i) const { return i + 1 == slots_.size() ? 0 : i + 1; }

  std::vector<T> slots_;
  std::size_t read_ = 0;
  std::size_t write_ = 0;
  std::size_t count_ = 0;
};

/// Storage for vectors (or beats) waiting in order. It has one slot more than it may hold, so a
/// word taken in a cycle stays readable until the end of that cycle whatever is pushed meanwhile.
class BlockRing {
 public:
  BlockRing(std::size_t capacity, std::size_t block_bytes)
      : slots_(capacity + 1), bytes_(block_bytes), storage_((capacity + 1) * block_bytes) {}

  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] std::uint8_t* front() { return storage_.data() + read_ * bytes_; }
  /// Makes room for one more block at the end and returns it for filling.
  std::uint8_t* push() {
    std::size_t slot = read_ + count_;
    if (slot >= slots_) slot -= slots_;
    ++count_;
    return storage_.data() + slot * bytes_;
  }
  void pop() {
    read_ = read_ + 1 == slots_ ? 0 : read_ + 1;
    --count_;
  }

 private:
  std::size_t slots_;
  std::size_t bytes_;
  std::vector<std::uint8_t> storage_;
  std::size_t read_ = 0;
  std::size_t count_ = 0;
};

}  // namespace tactus
