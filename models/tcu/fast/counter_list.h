// The counters of a design, by their numbers, and what they have grown by.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace tactus {

class CounterList {
 public:
  /// `count` of them, one behind the other.
  void add(std::uint64_t* first, std::size_t count = 1) {
    spans_.push_back({first, count});
    for (std::size_t i = 0; i < count; ++i) counters_.push_back(first + i);
  }
  [[nodiscard]] bool empty() const { return counters_.empty(); }
  [[nodiscard]] std::size_t size() const { return counters_.size(); }
  [[nodiscard]] std::uint64_t& operator[](std::size_t counter) const { return *counters_[counter]; }

  /// Zeros follow the counters' values, up to a whole block.
  void read(std::vector<std::uint64_t>& values) const {
    values.resize((size() + block - 1) / block * block);
    std::uint64_t* to = values.data();
    for (const Span& span : spans_) {
      std::memcpy(to, span.first, span.count * sizeof(std::uint64_t));
      to += span.count;
    }
  }
  /// Calls visit(counter, growth) for those that have grown since read().
  template <typename Visit>
  void for_each_growth(const std::vector<std::uint64_t>& before, Visit&& visit) {
    read(now_);
    for (std::size_t first = 0; first < now_.size(); first += block) {
      const std::uint64_t* const values = now_.data() + first;
      const std::uint64_t* const old = before.data() + first;
      // Most counters stay as they are.
      std::uint64_t differ = 0;
      for (std::size_t i = 0; i < block; ++i) differ |= values[i] ^ old[i];
      if (differ == 0) continue;
      for (std::size_t i = 0; i < block; ++i) {
        if (values[i] != old[i]) visit(first + i, values[i] - old[i]);
      }
    }
  }

 private:
  static constexpr std::size_t block = 16;  ///< counters that are compared at once
  struct Span {
    std::uint64_t* first;
    std::size_t count;
  };
  std::vector<Span> spans_;
  std::vector<std::uint64_t*> counters_;
  std::vector<std::uint64_t> now_;  ///< as read() left it
};

}  // namespace tactus
