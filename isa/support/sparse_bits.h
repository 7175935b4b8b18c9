// A set of numbers below a limit, such as addresses: a bitmap in pages. Pages with none or all of
// their numbers in the set take no space.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace tactus {

class SparseBits {
 public:
  explicit SparseBits(std::uint64_t limit) : limit_(limit) {}

  /// True if all numbers below the limit are in the set.
  [[nodiscard]] bool complete() const { return held_ == limit_; }

  [[nodiscard]] bool contains(std::uint64_t number) const {
    const std::uint64_t word = number / word_bits, page = word / page_words;
    if (page >= pages_.size()) return false;
    if (!pages_[page].words) return pages_[page].full;
    return ((*pages_[page].words)[word % page_words] >> number % word_bits & 1U) != 0;
  }

  /// Adds `count` numbers from `first` on, in steps of 2^stride; those beyond the limit are left
  /// out.
  void insert(std::uint64_t first, unsigned stride, std::uint64_t count) {
    visit(first, stride, count, [this](std::uint64_t at, std::uint64_t mask) {
      Page& page = pages_[at / page_words];
      if (page.full) return;
      if (!page.words) page.words = std::make_unique<Words>();
      std::uint64_t& word = (*page.words)[at % page_words];
      const std::uint64_t added = mask & ~word;
      if (added == 0) return;
      const auto count_added = static_cast<unsigned>(__builtin_popcountll(added));
      held_ += count_added;
      page.held += count_added;
      word |= added;
      if (page.held < page_words * word_bits) return;
      page.words.reset();
      page.full = true;
    });
  }

  /// Numbers of a range that are not in the set, including those beyond the limit: their count and
  /// the lowest.
  struct Missing {
    std::uint64_t count = 0;
    std::uint64_t lowest = ~std::uint64_t{0};
  };
  [[nodiscard]] Missing missing(std::uint64_t first, unsigned stride, std::uint64_t count) {
    Missing result;
    const std::uint64_t inside =
        visit(first, stride, count, [&](std::uint64_t at, std::uint64_t mask) {
          const Page& page = pages_[at / page_words];
          if (page.full) return;
          if (page.words) mask &= ~(*page.words)[at % page_words];
          if (mask == 0) return;
          if (result.count == 0) {
            result.lowest = at * word_bits + static_cast<unsigned>(__builtin_ctzll(mask));
          }
          result.count += static_cast<unsigned>(__builtin_popcountll(mask));
        });
    if (inside == count) return result;
    if (result.count == 0) result.lowest = first + (inside << stride);
    result.count += count - inside;
    return result;
  }

 private:
  static constexpr std::uint64_t word_bits = 64, page_words = 512;
  using Words = std::array<std::uint64_t, page_words>;
  struct Page {
    std::unique_ptr<Words> words;  ///< null: none or all of the page's numbers are in the set
    std::uint64_t held = 0;
    bool full = false;
  };

  /// Calls visitor(word, mask) for the words that the numbers below the limit lie in, in order, and
  /// returns how many numbers those are.
  template <typename Visitor>
  std::uint64_t visit(std::uint64_t first, unsigned stride, std::uint64_t count,
                      const Visitor& visitor) {
    if (first >= limit_ || count == 0) return 0;
    const std::uint64_t inside = std::min(count, ((limit_ - 1 - first) >> stride) + 1);
    const std::uint64_t last = first + ((inside - 1) << stride);
    const std::size_t pages = last / (page_words * word_bits) + 1;
    if (pages_.size() < pages) pages_.resize(pages);
    if (stride >= 6) {  // at most one number in a word
      for (std::uint64_t i = 0; i < inside; ++i) {
        const std::uint64_t at = first + (i << stride);
        visitor(at / word_bits, std::uint64_t{1} << at % word_bits);
      }
      return inside;
    }
    // The same bits in every word, except for bits before the first and after the last number.
    constexpr std::uint64_t ones = ~std::uint64_t{0};
    constexpr std::array<std::uint64_t, 6> every = {ones,        ones / 3,      ones / 0xF,
                                                    ones / 0xFF, ones / 0xFFFF, ones / 0xFFFFFFFF};
    const std::uint64_t bits = every[stride] << (first & ((std::uint64_t{1} << stride) - 1));
    const std::uint64_t end = last / word_bits;
    std::uint64_t mask = ones << first % word_bits;
    for (std::uint64_t word = first / word_bits; word < end; ++word, mask = ones) {
      visitor(word, mask & bits);
    }
    visitor(end, mask & bits & ones >> (word_bits - 1 - last % word_bits));
    return inside;
  }

  std::uint64_t limit_;
  std::uint64_t held_ = 0;
  std::vector<Page> pages_;
};

}  // namespace tactus
