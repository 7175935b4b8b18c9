// The counters of a design, by their numbers, and what they have grown by.
#pragma once

#include <algorithm>
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

  void read(std::vector<std::uint64_t>& values) const {
    values.resize(size());
    std::uint64_t* to = values.data();
    for (const Span& span : spans_) {
      std::memcpy(to, span.first, span.count * sizeof(std::uint64_t));
      to += span.count;
    }
  }
  /// Calls visit(counter, growth) for those that have grown since read().
  template <typename Visit>
  void for_each_growth(const std::vector<std::uint64_t>& before, Visit&& visit) const {
    const std::uint64_t* values = before.data();
    for (const Span& span : spans_) {
      for (std::size_t i = 0; i < span.count; i += block) {
        const std::size_t count = std::min(block, span.count - i);
        std::uint64_t change = 0;
        for (std::size_t k = i; k < i + count; ++k) change |= span.first[k] ^ values[k];
        if (change == 0) continue;  // as most of them
        for (std::size_t k = i; k < i + count; ++k) {
          if (span.first[k] == values[k]) continue;
          visit(static_cast<std::size_t>(values + k - before.data()), span.first[k] - values[k]);
        }
      }
      values += span.count;
    }
  }

 private:
  static constexpr std::size_t block = 16;
  struct Span {
    std::uint64_t* first;
    std::size_t count;
  };
  std::vector<Span> spans_;
  std::vector<std::uint64_t*> counters_;
};

}  // namespace tactus
