// Spaces of points: sizes, numbering, random order, Latin hypercubes.
#include "firmware/sweep/space.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "isa/support/error.h"

namespace tactus::sweep {
namespace {

Space counted(const std::string& key, std::int64_t count) {
  std::vector<KeyValue> values;
  for (std::int64_t i = 0; i < count; ++i) values.emplace_back(i);
  return Space::axis(key, std::move(values));
}

std::vector<std::int64_t> at(const Space& space, std::uint64_t index) {
  std::vector<Assignment> assignments;
  space.append(index, assignments);
  std::vector<std::int64_t> values;
  for (const Assignment& assignment : assignments) {
    values.push_back(assignment.second.get<std::int64_t>());
  }
  return values;
}

TEST(Space, ProductVariesTheLastAxisFastest) {
  const Space space = Space::product({counted("a", 2), counted("b", 3)});
  ASSERT_EQ(space.size(), 6U);
  const std::vector<std::vector<std::int64_t>> expected{{0, 0}, {0, 1}, {0, 2},
                                                        {1, 0}, {1, 1}, {1, 2}};
  for (std::uint64_t i = 0; i < space.size(); ++i) EXPECT_EQ(at(space, i), expected[i]);
}

TEST(Space, ZipGoesInStepAndNests) {
  const Space space = Space::product(
      {Space::zip({counted("a", 4), Space::product({counted("b", 2), counted("c", 2)})}),
       counted("d", 2)});
  ASSERT_EQ(space.size(), 8U);
  EXPECT_EQ(at(space, 0), (std::vector<std::int64_t>{0, 0, 0, 0}));
  EXPECT_EQ(at(space, 5), (std::vector<std::int64_t>{2, 1, 0, 1}));
  std::vector<std::string> keys;
  space.append_keys(keys);
  EXPECT_EQ(keys, (std::vector<std::string>{"a", "b", "c", "d"}));
}

TEST(Space, RefusesSizesThatCannotBeCounted) {
  const auto huge = [] { return Space::product(std::vector<Space>(6, counted("a", 1000))); };
  EXPECT_THROW(huge(), UserError);
}

TEST(Space, RandomOrderHasEveryNumberOnce) {
  rc::check("a random order is a permutation, and the same for one seed", [] {
    const auto size = *rc::gen::inRange<std::uint64_t>(1, 400);
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    std::vector<std::uint64_t> first, second;
    for (auto* order : {&first, &second}) {
      RandomOrder random(size, seed);
      while (!random.done()) order->push_back(random.next());
    }
    RC_ASSERT(first == second);
    std::sort(first.begin(), first.end());
    RC_ASSERT(first.size() == size);
    for (std::uint64_t i = 0; i < size; ++i) RC_ASSERT(first[i] == i);
  });
}

TEST(Space, RandomOrderDiffersFromTheOriginalOrder) {
  RandomOrder random(1000, 1);
  std::size_t at_home = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) at_home += random.next() == i ? 1 : 0;
  EXPECT_LT(at_home, 10U);
}

TEST(Space, LatinHypercubeUsesEachStratumOnce) {
  rc::check("with as many points as values, every value of every axis appears once", [] {
    const auto n = *rc::gen::inRange<std::int64_t>(1, 60);
    const Space space = Space::product({counted("a", n), counted("b", n), counted("c", n)});
    const auto points =
        latin_hypercube(space, static_cast<std::uint64_t>(n), *rc::gen::arbitrary<std::uint64_t>());
    RC_ASSERT(points.size() == static_cast<std::size_t>(n));
    for (std::size_t axis = 0; axis < 3; ++axis) {
      std::set<std::int64_t> seen;
      for (const std::uint64_t index : points) seen.insert(at(space, index)[axis]);
      RC_ASSERT(seen.size() == static_cast<std::size_t>(n));
    }
  });
}

}  // namespace
}  // namespace tactus::sweep
