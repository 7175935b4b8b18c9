// The points of a sweep before constraints: the combinations of its axes by zip or product.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "firmware/sweep/configuration.h"

namespace tactus::sweep {

using Assignment = std::pair<std::string, KeyValue>;  ///< key and value

/// A tree of axes. Points are numbered from 0 and computed on demand, so memory does not depend on
/// their number.
class Space {
 public:
  /// An axis: one key with its values. Precondition: `values` is not empty.
  static Space axis(std::string key, std::vector<KeyValue> values);
  /// A zip: its parts advance together. Precondition: there is at least one part, and all have one
  /// size.
  static Space zip(std::vector<Space> parts);
  /// A product: all combinations of its parts; the last part varies fastest. Without parts it has
  /// one point without assignments. Throws UserError for more than 10^15 points.
  static Space product(std::vector<Space> parts);

  /// Number of points.
  [[nodiscard]] std::uint64_t size() const { return size_; }
  /// Appends the assignments of point `index` < size(), in the order of the axes.
  void append(std::uint64_t index, std::vector<Assignment>& out) const;
  /// Calls `take(key, value)` for the assignments of point `index` < size(), in the order of the
  /// axes.
  template <typename Take>
  void visit(std::uint64_t index, const Take& take) const;
  /// The parts of a product or zip; an axis has none.
  [[nodiscard]] const std::vector<Space>& parts() const { return parts_; }
  /// Appends the keys that are assigned, in the order of append().
  void append_keys(std::vector<std::string>& out) const;

 private:
  enum class Kind { axis, zip, product };
  Space(Kind kind, std::uint64_t size, std::vector<Space> parts)
      : kind_(kind), size_(size), parts_(std::move(parts)) {}

  Kind kind_;
  std::uint64_t size_;
  std::vector<Space> parts_;
  std::string key_;
  std::vector<KeyValue> values_;
};

template <typename Take>
void Space::visit(std::uint64_t index, const Take& take) const {
  if (kind_ == Kind::axis) take(key_, values_[index]);
  std::uint64_t below = size_;
  for (const Space& part : parts_) {
    if (kind_ == Kind::zip) {
      part.visit(index, take);
      continue;
    }
    below /= part.size();
    part.visit(index / below, take);
    index %= below;
  }
}

/// The numbers below `size` in a random order, which depends only on the seed and is the same on
/// every host. Memory grows only with the numbers drawn.
class RandomOrder {
 public:
  RandomOrder(std::uint64_t size, std::uint64_t seed) : size_(size), engine_(seed) {}

  [[nodiscard]] bool done() const { return drawn_ == size_; }
  [[nodiscard]] std::uint64_t next();

 private:
  std::uint64_t size_;
  std::uint64_t drawn_ = 0;
  std::mt19937_64 engine_;
  /// The sequence 0, 1, 2, ... is shuffled step by step. This has the positions that no longer hold
  /// their own number, with the number that they hold.
  std::unordered_map<std::uint64_t, std::uint64_t> moved_;
};

/// A Latin hypercube over the parts of a product. Each part is divided into `count` strata, and
/// each stratum is used once, in a random order that depends on the seed. Returns the indices of
/// the points, ascending, without duplicates.
[[nodiscard]] std::vector<std::uint64_t> latin_hypercube(const Space& product, std::uint64_t count,
                                                         std::uint64_t seed);

}  // namespace tactus::sweep
