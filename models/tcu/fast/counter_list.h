// The numbered counters of a design, and their growth.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace tactus {

class CounterList {
 public:
  /// Adds `count` consecutive counters.
  void add(std::uint64_t* first, std::size_t count = 1) {
    spans_.push_back({first, count});
    for (std::size_t i = 0; i < count; ++i) counters_.push_back(first + i);
  }
  [[nodiscard]] bool empty() const { return counters_.empty(); }
  [[nodiscard]] std::size_t size() const { return counters_.size(); }
  [[nodiscard]] std::uint64_t& operator[](std::size_t counter) const { return *counters_[counter]; }

  void read(std::vector<std::uint64_t>& values) const {
    values.resize(size());
    std::uint64_t* to = values.data();
    for (const Span& span : spans_) {
      std::memcpy(to, span.first, span.count * sizeof(std::uint64_t));
      to += span.count;
    }
  }
  /// Calls visit(counter, growth) for each counter that has grown since read().
  template <typename Visit>
  void for_each_growth(const std::vector<std::uint64_t>& before, Visit&& visit) const {
    std::size_t first = 0;
    for (const Span& span : spans_) {
      for_each_growth(before, first, span.count, visit);
      first += span.count;
    }
  }
  /// Does the same for `count` counters from `first` on, which were added together.
  template <typename Visit>
  void for_each_growth(const std::vector<std::uint64_t>& before, std::size_t first,
                       std::size_t count, Visit&& visit) const {
    const std::uint64_t* const values = counters_[first];
    const std::uint64_t* const old = before.data() + first;
    const auto look = [&](std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; ++i) {
        if (values[i] != old[i]) visit(first + i, values[i] - old[i]);
      }
    };
    std::size_t i = 0;
    for (; count - i >= block; i += block) {
      // Most counters do not change.
      std::uint64_t differ = 0;
      for (std::size_t k = i; k < i + block; ++k) differ |= values[k] ^ old[k];
      if (differ != 0) look(i, i + block);
    }
    look(i, count);
  }

 private:
  static constexpr std::size_t block = 16;  ///< number of counters that are compared at once
  struct Span {
    std::uint64_t* first;
    std::size_t count;
  };
  std::vector<Span> spans_;
  std::vector<std::uint64_t*> counters_;
};

}  // namespace tactus
