// The order in which points start: points with the same program do not start together; otherwise
// points start in their order.
#include "firmware/sweep/order.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace tactus::sweep {
namespace {

/// Returns the starting order of points whose programs are the letters of a text.
StartingOrder order_of(const std::string& programs) {
  return {programs.size(), [programs](std::size_t i) { return programs.substr(i, 1); }};
}

TEST(StartingOrder, OneAtATimePointsStartInTheirOrder) {
  StartingOrder order = order_of("aabba");
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(order.next(), i);
    order.ended(i);
  }
  EXPECT_EQ(order.next(), std::nullopt);
}

TEST(StartingOrder, TwoPointsOfOneProgramDoNotStartTogether) {
  StartingOrder order = order_of("aaabbc");
  EXPECT_EQ(order.next(), 0U);
  EXPECT_EQ(order.next(), 3U) << "b, since a runs";
  order.ended(0);
  EXPECT_EQ(order.next(), 1U) << "the first again, since a has ended";
  order.ended(3);
  EXPECT_EQ(order.next(), 4U);
  order.ended(4);
  EXPECT_EQ(order.next(), 5U);
}

TEST(StartingOrder, IfAllProgramsAreRunningTheFirstPointStarts) {
  StartingOrder order = order_of("aaa");
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(order.next(), i) << "nobody waits";
  EXPECT_EQ(order.next(), std::nullopt);
  // Two points with the same program are running; one ends and the other is still running.
  StartingOrder twice = order_of("aaab");
  EXPECT_EQ(twice.next(), 0U);
  EXPECT_EQ(twice.next(), 3U);
  EXPECT_EQ(twice.next(), 1U);
  twice.ended(0);
  EXPECT_EQ(twice.next(), 2U);
  EXPECT_EQ(twice.next(), std::nullopt);
}

TEST(StartingOrder, OnlyNearPointsAreStartedEarly) {
  std::string programs(StartingOrder::near + 1, 'a');
  EXPECT_EQ(order_of(programs).next(), 0U);
  StartingOrder order = order_of(programs + "b");
  EXPECT_EQ(order.next(), 0U);
  EXPECT_EQ(order.next(), 1U) << "b is not near";
  EXPECT_EQ(order.next(), StartingOrder::near + 1);
}

}  // namespace
}  // namespace tactus::sweep
