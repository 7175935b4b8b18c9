#include "firmware/compiler/targets/tcu/stripe/nests_of_points.h"

#include <algorithm>
#include <numeric>

namespace tactus::compiler::stripe_tcu {
namespace {

using Points = std::vector<Point>;

/// Computes the distance from the first nest's start to the second's. Returns false if their loops
/// differ.
bool distance(const PointNest& from, const PointNest& to, std::vector<std::int32_t>& step) {
  if (from.loops != to.loops) return false;
  step.resize(from.start.size());
  for (std::size_t d = 0; d < step.size(); ++d) step[d] = to.start[d] - from.start[d];
  return true;
}

/// Number of nests from `begin` on with equal distances.
std::size_t run_length(const std::vector<PointNest>& nests, std::size_t begin,
                       std::vector<std::int32_t>& step) {
  if (begin + 1 >= nests.size() || !distance(nests[begin], nests[begin + 1], step)) return 1;
  std::vector<std::int32_t> next;
  std::size_t end = begin + 2;
  while (end < nests.size() && distance(nests[end - 1], nests[end], next) && next == step) ++end;
  return end - begin;
}

/// Joins neighbours with equal distances to one nest with one more loop. Returns false if there are
/// none.
bool roll_up_once(std::vector<PointNest>& nests) {
  std::vector<PointNest> result;
  std::vector<std::int32_t> step, next;
  for (std::size_t i = 0; i < nests.size();) {
    std::size_t length = run_length(nests, i, step);
    // The last nest may be the first one of a longer run.
    if (length > 1 && run_length(nests, i + length - 1, next) > length) --length;
    result.push_back(nests[i]);
    if (length > 1) {
      auto& loops = result.back().loops;
      loops.insert(loops.begin(), {static_cast<std::int64_t>(length), step});
    }
    i += length;
  }
  const bool changed = result.size() < nests.size();
  nests = std::move(result);
  return changed;
}

}  // namespace

std::vector<PointNest> nests_of(const Points& points, std::size_t dimensions) {
  std::vector<PointNest> best;
  for (std::size_t outermost = 0; outermost < dimensions; ++outermost) {
    std::vector<std::size_t> order(points.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      if (points[a][outermost] != points[b][outermost]) {
        return points[a][outermost] < points[b][outermost];
      }
      return points[a] < points[b];
    });
    std::vector<PointNest> nests;
    for (const std::size_t i : order) nests.push_back({points[i], {}});
    while (roll_up_once(nests)) {
    }
    if (best.empty() || nests.size() < best.size()) best = std::move(nests);
    if (best.size() == 1) break;
  }
  return best;
}

}  // namespace tactus::compiler::stripe_tcu
