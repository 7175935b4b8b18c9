// The contract of the fork: every leg takes every item exactly once, in any cycle in which the leg
// is ready. An item ends in the first cycle in which its last leg has taken it.
#include "models/sim/fork.h"

#include <array>

#include <gtest/gtest.h>

namespace tactus {
namespace {

TEST(Fork, EveryLegTakesEveryItemOnceWhateverTheOrder) {
  constexpr unsigned legs = 3;
  // Tries every sequence of four sets of ready legs, for every set of needed legs.
  for (unsigned needed = 0; needed < 1U << legs; ++needed) {
    for (unsigned sequence = 0; sequence < 1U << (4 * legs); ++sequence) {
      Fork fork;
      std::array<unsigned, legs> taken{};  // items taken by each leg
      unsigned items = 0;                  // items that have ended
      for (unsigned cycle = 0; cycle < 4; ++cycle) {
        const unsigned ready = sequence >> (cycle * legs) & ((1U << legs) - 1);
        fork.offer(true, needed);
        bool all = true;
        for (unsigned leg = 0; leg < legs; ++leg) {
          const bool needs = (needed >> leg & 1) != 0;
          const bool open = needs && taken[leg] == items;
          ASSERT_EQ(fork.pending(1U << leg), open);
          const bool takes = open && (ready >> leg & 1) != 0;
          ASSERT_EQ((fork.fires(ready) >> leg & 1) != 0, takes);
          taken[leg] += takes ? 1 : 0;
          all = all && (!needs || taken[leg] > items);
        }
        ASSERT_EQ(fork.all(ready), all);
        fork.move(fork.after(ready));
        items += all ? 1 : 0;
        if (all) {
          ASSERT_EQ(fork.done(), 0U);
        }
      }
      for (unsigned leg = 0; leg < legs; ++leg) {
        if ((needed >> leg & 1) == 0) {
          ASSERT_EQ(taken[leg], 0U);
        }
      }
    }
  }
}

/// The RTL's timeout depends on this: the stale item of an empty queue gets an answer, but is not
/// taken.
TEST(Fork, AnInvalidItemIsAnsweredAndNotTaken) {
  Fork fork;
  fork.offer(false, 3);
  EXPECT_EQ(fork.pending(), 0U);
  EXPECT_EQ(fork.open(), 3U);
  EXPECT_EQ(fork.fires(3), 0U);
  EXPECT_TRUE(fork.all(3));
  EXPECT_FALSE(fork.all(1));
  fork.move(fork.after(1));
  EXPECT_EQ(fork.done(), 0U);
}

TEST(Fork, ALegThatTookTheItemIsNotOfferedItAgain) {
  Fork fork;
  fork.offer(true, 6);
  fork.move(fork.after(2));
  EXPECT_EQ(fork.done(), 2U);
  fork.offer(true, 6);
  EXPECT_EQ(fork.pending(), 4U);
  EXPECT_FALSE(fork.all(2)) << "a leg that is ready again does not count twice";
  fork.move(fork.after(4));
  EXPECT_EQ(fork.done(), 0U);
}

}  // namespace
}  // namespace tactus
