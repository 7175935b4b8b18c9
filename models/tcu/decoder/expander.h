// Turns one request for many vectors into many requests for one. It stores no items: the request
// stays in the queue before it until its last output is taken. Source: hardware spec section 2.4.
#pragma once

#include <algorithm>
#include <cstdint>

namespace tactus {

/// Counts the vectors of the item at its input and, with a stride, steps the address. Zero latency,
/// one output per cycle; the input is consumed together with its last output. `depth` is the
/// modulus of the counter and of the address offset. As in the RTL, an item whose size field is not
/// below the depth never ends.
class Expander {
 public:
  explicit Expander(std::uint64_t depth) : depth_(depth) {}

  [[nodiscard]] bool last(std::uint64_t size) const { return count_ == size; }
  /// Offset to add to the base address (to subtract for a negative stride).
  [[nodiscard]] std::uint64_t offset() const { return offset_; }
  [[nodiscard]] std::uint64_t count() const { return count_; }

  /// The clock edge after the last output of an item was taken.
  void start_over() { count_ = offset_ = 0; }
  /// The clock edge after any other output was taken. `step` is the stride in vectors, 0 without a
  /// stride.
  void advance_within(std::uint64_t step = 0) {
    count_ = count_ + 1 == depth_ ? 0 : count_ + 1;
    if (step == 0) return;
    offset_ = step >= depth_ || offset_ >= depth_ - step ? 0 : offset_ + step;
  }

  /// Saves or loads an item of this size. After loading, the address is that of a walk with stride
  /// `step`.
  template <typename Registers>
  void registers(Registers& r, std::uint64_t size, std::uint64_t step = 0) {
    registers_up_to(r, count_ != 0 ? size : 0);
    if (r.loads()) offset_ = count_ * step;
  }
  /// Saves or loads an item of this size without an address; it may have begun without an output.
  /// Returns whether the count is kept apart (Registers::keep_counts()).
  template <typename Registers>
  bool registers_up_to(Registers& r, std::uint64_t end) {
    if (r.loads()) offset_ = 0;
    return r.count_of_item(count_, end);
  }

  /// Number of outputs, from the current one on, that are not the item's last and do not lead to a
  /// wrap.
  [[nodiscard]] std::uint64_t before_last(std::uint64_t size, std::uint64_t step = 0) const {
    std::uint64_t outputs = depth_ - 1 - count_;
    if (size >= count_) outputs = std::min(outputs, size - count_);
    if (step >= depth_) return 0;
    if (step == 0) return outputs;
    const std::uint64_t room = depth_ - 1 - offset_;
    return std::min(outputs, step == 1 ? room : room / step);  // avoids most divisions
  }
  /// Does advance_within() `outputs` times; `outputs` is at most before_last().
  void advance_by(std::uint64_t outputs, std::uint64_t step = 0) {
    count_ += outputs;
    offset_ += outputs * step;
  }

 private:
  std::uint64_t depth_;
  std::uint64_t count_ = 0;
  std::uint64_t offset_ = 0;
};

}  // namespace tactus
