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
      for (std::size_t i = 0; i < span.count; ++i) {
        if (span.first[i] == values[i]) continue;
        visit(static_cast<std::size_t>(values + i - before.data()), span.first[i] - values[i]);
      }
      values += span.count;
    }
  }

 private:
  struct Span {
    std::uint64_t* first;
    std::size_t count;
  };
  std::vector<Span> spans_;
  std::vector<std::uint64_t*> counters_;
};

}  // namespace tactus
