// Ring buffers for models of memories: one of fixed capacity, and one that grows. Unlike Queue
// (models/sim/queue.h) they do not model hardware: they have no clock edge, and a pushed item is
// visible immediately.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace tactus {

/// A ring of fixed capacity, a power of two. The caller must not fill it beyond that or read it
/// while it is empty.
template <typename T, std::size_t capacity>
class Ring {
  static_assert((capacity & (capacity - 1)) == 0);

 public:
  [[nodiscard]] bool empty() const { return first_ == end_; }
  [[nodiscard]] std::size_t size() const { return end_ - first_; }
  [[nodiscard]] const T& front() const { return (*this)[0]; }
  /// The i-th item from the front.
  [[nodiscard]] const T& operator[](std::size_t i) const { return slots_[(first_ + i) % capacity]; }
  void push_back(const T& item) { slots_[end_++ % capacity] = item; }
  void pop_front() { ++first_; }
  void clear() { first_ = end_; }
  [[nodiscard]] T& entry(std::size_t i) { return slots_[(first_ + i) % capacity]; }
  [[nodiscard]] std::size_t count() const { return size(); }
  /// Sets the number of items. The caller then sets their values.
  void begin_load(std::size_t count) {
    first_ = 0;
    end_ = count;
  }

 private:
  std::array<T, capacity> slots_{};
  std::size_t first_ = 0, end_ = 0;  ///< only grow; a slot is such a number modulo the capacity
};

/// A ring without a limit. push_back() invalidates references to items.
template <typename T>
class GrowingRing {
 public:
  [[nodiscard]] bool empty() const { return first_ == end_; }
  [[nodiscard]] std::size_t size() const { return end_ - first_; }
  [[nodiscard]] T& front() { return (*this)[0]; }
  [[nodiscard]] T& operator[](std::size_t i) { return slots_[(first_ + i) & mask_]; }
  void push_back(const T& item) {
    if (size() > mask_) grow();
    slots_[end_++ & mask_] = item;
  }
  void pop_front(std::size_t count = 1) { first_ += count; }
  void clear() { first_ = end_; }

 private:
  void grow() {
    std::vector<T> more(2 * slots_.size());
    const std::size_t count = size();
    for (std::size_t i = 0; i < count; ++i) more[i] = (*this)[i];
    slots_.swap(more);
    mask_ = slots_.size() - 1;
    first_ = 0;
    end_ = count;
  }

  std::vector<T> slots_ = std::vector<T>(8);  ///< a power of two
  std::size_t mask_ = slots_.size() - 1;
  std::size_t first_ = 0, end_ = 0;  ///< only grow; a slot is such a number modulo the capacity
};

}  // namespace tactus
