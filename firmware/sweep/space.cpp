#include "firmware/sweep/space.h"

#include <algorithm>
#include <numeric>

#include "isa/support/error.h"

namespace tactus::sweep {
namespace {

constexpr std::uint64_t most_points_of_axes = 1'000'000'000'000'000;

/// A uniformly distributed number below `bound`. Unlike those of the standard distributions, it is
/// the same on every host.
std::uint64_t draw(std::mt19937_64& engine, std::uint64_t bound) {
  const std::uint64_t uneven = -bound % bound;  // 2^64 modulo bound
  std::uint64_t value = engine();
  while (value < uneven) value = engine();
  return value % bound;
}

}  // namespace

Space Space::axis(std::string key, std::vector<KeyValue> values) {
  Space space(Kind::axis, values.size(), {});
  space.key_ = std::move(key);
  space.values_ = std::move(values);
  return space;
}

Space Space::zip(std::vector<Space> parts) {
  const std::uint64_t size = parts.front().size();
  return {Kind::zip, size, std::move(parts)};
}

Space Space::product(std::vector<Space> parts) {
  std::uint64_t size = 1;
  for (const Space& part : parts) {
    if (part.size() > most_points_of_axes / size) {
      user_error("the axes give more than {} points", most_points_of_axes);
    }
    size *= part.size();
  }
  return {Kind::product, size, std::move(parts)};
}

void Space::append(std::uint64_t index, std::vector<Assignment>& out) const {
  visit(index,
        [&](const std::string& key, const KeyValue& value) { out.emplace_back(key, value); });
}

void Space::append_keys(std::vector<std::string>& out) const {
  if (kind_ == Kind::axis) out.push_back(key_);
  for (const Space& part : parts_) part.append_keys(out);
}

std::uint64_t RandomOrder::next() {
  const auto at = [this](std::uint64_t place) {
    const auto found = moved_.find(place);
    return found == moved_.end() ? place : found->second;
  };
  const std::uint64_t place = drawn_ + draw(engine_, size_ - drawn_);
  const std::uint64_t number = at(place);
  moved_[place] = at(drawn_);
  moved_.erase(drawn_);
  ++drawn_;
  return number;
}

std::vector<std::uint64_t> latin_hypercube(const Space& product, std::uint64_t count,
                                           std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::vector<std::uint64_t> points(count, 0);
  std::vector<std::uint64_t> strata(count);
  for (const Space& part : product.parts()) {
    std::iota(strata.begin(), strata.end(), 0);
    for (std::uint64_t i = count; i > 1; --i) std::swap(strata[i - 1], strata[draw(engine, i)]);
    for (std::uint64_t i = 0; i < count; ++i) {
      const double middle = (static_cast<double>(strata[i]) + 0.5) / static_cast<double>(count);
      const auto level = static_cast<std::uint64_t>(middle * static_cast<double>(part.size()));
      points[i] = points[i] * part.size() + std::min(level, part.size() - 1);
    }
  }
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  return points;
}

}  // namespace tactus::sweep
