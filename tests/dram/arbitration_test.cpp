// Priorities of ports: fixed, in turn, by shares of a window, in closed forms; and whose accesses
// an access waited for.
#include <map>

#include <gtest/gtest.h>

#include "tests/dram/core_run.h"

namespace tactus::dram {
namespace {

using Between = DdrArbitration::Between;

/// A DDR4 in which each port of these tests reads one open row of a bank of its own.
DdrConfig memory() {
  DdrConfig c;
  c.bus_bits = 64;
  c.burst_length = 8;
  c.bank_groups = 4;
  c.banks = 4;
  c.rows = 1024;
  c.columns = 1024;
  c.address_map = "row 26:17, bank 16:15, bank_group 14:13, column 12:3, byte 2:0";
  c.t_ccd_s = c.t_ccd_l = 4;
  c.refresh = DdrRefresh::none;
  c.read_priority = false;
  c.cap = 0;
  return c;
}

constexpr DdrClock burst = 4;   ///< clocks of an access on the bus
constexpr DdrClock open = 200;  ///< the rows of all banks are open by then

CoreAccess read_of(unsigned port, DdrClock arrival, unsigned column) {
  return {arrival, (std::uint64_t{port} << 13U) + std::uint64_t{column % 128} * 64, false, port};
}

/// An access of each port, which opens its row.
std::vector<CoreAccess> openers(unsigned ports) {
  std::vector<CoreAccess> accesses;
  for (unsigned p = 0; p < ports; ++p) accesses.push_back(read_of(p, 0, 0));
  return accesses;
}

/// Accesses of a port that has always one to hand over.
void saturate(std::vector<CoreAccess>& accesses, unsigned port, unsigned count) {
  for (unsigned i = 0; i < count; ++i) accesses.push_back(read_of(port, open, i));
}

CoreRun run_with(const DdrConfig& config, const std::vector<CoreAccess>& accesses, unsigned ports,
                 const DdrArbitration& arbitration) {
  return run_core(config, accesses, DdrRules(config), ports, 0, arbitration);
}

DdrArbitration ranks(std::vector<unsigned> group) {
  DdrArbitration a;
  a.between = Between::ranks;
  for (const unsigned g : group) a.groups = std::max(a.groups, g + 1);
  a.group = std::move(group);
  return a;
}

DdrArbitration shares(std::vector<unsigned> group, std::vector<std::uint64_t> shares,
                      DdrClock window) {
  DdrArbitration a;
  a.between = Between::shares;
  a.groups = static_cast<unsigned>(shares.size());
  a.group = std::move(group);
  a.shares = std::move(shares);
  a.window = window;
  return a;
}

TEST(Arbitration, TheFirstIsNotSlowedBeyondOneBurst) {
  const DdrConfig config = memory();
  // Port 0 reads once in a while, the others saturate the memory.
  std::vector<CoreAccess> own;
  for (unsigned i = 0; i < 100; ++i) own.push_back(read_of(0, open + 50 + i * 37, i));
  std::vector<CoreAccess> alone = openers(3);
  alone.insert(alone.end(), own.begin(), own.end());
  const CoreRun single = run_core(config, alone, 3);
  std::vector<CoreAccess> all = alone;
  for (const unsigned port : {1U, 2U}) saturate(all, port, 1000);
  const CoreRun first = run_with(config, all, 3, ranks({0, 1, 2}));
  const CoreRun turns = run_core(config, all, 3);
  DdrClock most_in_turn = 0;
  for (std::size_t i = 3; i < alone.size(); ++i) {
    const DdrClock unhindered = single.done[i].data_end;
    EXPECT_LE(first.done[i].data_end, unhindered + burst) << i;
    EXPECT_GE(first.done[i].data_end, unhindered) << i;
    most_in_turn = std::max(most_in_turn, turns.done[i].data_end - unhindered);
  }
  EXPECT_GT(most_in_turn, 10 * burst) << "without priorities it waits for a buffer of others";
  // The memory is as busy as without priorities, and the second goes before the last.
  DdrClock end = 0, end_in_turn = 0, end_of_second = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    end = std::max(end, first.done[i].data_end);
    end_in_turn = std::max(end_in_turn, turns.done[i].data_end);
    if (all[i].port == 1) end_of_second = std::max(end_of_second, first.done[i].data_end);
  }
  EXPECT_EQ(end, end_in_turn);
  // The last gets what enters the buffer before the second is there, and its openers.
  EXPECT_LE(end_of_second, open + (1000 + 100 + config.buffer + config.port_queue) * burst);
}

/// Accesses of each port that are admitted in a window.
std::vector<std::map<unsigned, unsigned>> by_window(const std::vector<CoreAccess>& accesses,
                                                    const CoreRun& run, DdrClock window,
                                                    std::size_t windows) {
  std::vector<std::map<unsigned, unsigned>> counts(windows);
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    const DdrClock w = run.admitted[i] / window;
    if (w < windows) ++counts[w][accesses[i].port];
  }
  return counts;
}

TEST(Arbitration, SharesAreKeptWithinOneBurstPerWindow) {
  constexpr DdrClock window = 512;
  for (const bool refreshed : {false, true}) {
    DdrConfig config = memory();
    if (refreshed) {
      config.refresh = DdrRefresh::all_bank;
      config.t_refi = 1500;
    }
    for (const unsigned percent : {50U, 60U, 75U, 90U, 99U}) {
      std::vector<CoreAccess> accesses = openers(2);
      for (const unsigned port : {0U, 1U}) saturate(accesses, port, 3000);
      const CoreRun run =
          run_with(config, accesses, 2, shares({0, 1}, {percent, 100 - percent}, window));
      const auto counts = by_window(accesses, run, window, 9);
      for (std::size_t w = 1; w < counts.size(); ++w) {
        const double mine = counts[w].count(0) != 0 ? counts[w].at(0) : 0;
        const double other = counts[w].count(1) != 0 ? counts[w].at(1) : 0;
        EXPECT_GT(mine + other, 60) << "the memory is saturated";
        EXPECT_NEAR(mine, (mine + other) * percent / 100, 1) << percent << " % in window " << w;
      }
    }
  }
}

TEST(Arbitration, WhatAShareLeavesGoesToTheOthers) {
  const DdrConfig config = memory();
  // Port 0 has 90 % and asks for a tenth of it: the other's accesses take the rest.
  std::vector<CoreAccess> accesses = openers(2);
  for (unsigned i = 0; i < 50; ++i) accesses.push_back(read_of(0, open + i * 40, i));
  saturate(accesses, 1, 450);
  const CoreRun run = run_with(config, accesses, 2, shares({0, 1}, {90, 10}, 4096));
  DdrClock end = 0;
  for (const DdrDone& done : run.done) end = std::max(end, done.command);
  EXPECT_LE(end, open + 2 * config.command_delay + 500 * burst);
}

TEST(Arbitration, APortWithoutAShareGoesLast) {
  const DdrConfig config = memory();
  std::vector<CoreAccess> accesses = openers(2);
  for (const unsigned port : {0U, 1U}) saturate(accesses, port, 200);
  const CoreRun run = run_with(config, accesses, 2, shares({0, 1}, {0, 100}, 4096));
  DdrClock last = 0, first = never;
  for (std::size_t i = 2; i < accesses.size(); ++i) {
    DdrClock& to = accesses[i].port == 1 ? last : first;
    to = accesses[i].port == 1 ? std::max(to, run.admitted[i]) : std::min(to, run.admitted[i]);
  }
  EXPECT_GT(first, last);
}

/// Ports of a group take turns, whatever the others do.
TEST(Arbitration, PortsOfAGroupTakeTurns) {
  const DdrConfig config = memory();
  std::vector<CoreAccess> accesses = openers(4);
  for (const unsigned port : {0U, 1U, 2U, 3U}) saturate(accesses, port, 300);
  const CoreRun run = run_with(config, accesses, 4, shares({0, 0, 1, 1}, {50, 50}, 100000));
  const auto counts = by_window(accesses, run, 1000, 4);
  for (std::size_t w = 1; w < counts.size(); ++w) {
    for (const unsigned port : {0U, 1U, 2U, 3U}) {
      EXPECT_NEAR(counts[w].at(port), 1000.0 / burst / 4, 1) << port;
    }
  }
}

/// By default, and with one group of all ports, accesses are admitted as ever.
TEST(Arbitration, OneGroupIsTheDefault) {
  const DdrConfig config = memory();
  std::vector<CoreAccess> accesses;
  for (unsigned i = 0; i < 600; ++i) accesses.push_back(read_of(i % 3, i, i * 7));
  const CoreRun one = run_core(config, accesses, 3);
  const CoreRun other = run_with(config, accesses, 3, ranks({0, 0, 0}));
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    EXPECT_EQ(one.done[i].command, other.done[i].command);
  }
}

/// The core's state includes that of the arbitration: what follows a mark is the same again.
TEST(Arbitration, IsRewound) {
  const DdrConfig config = memory();
  for (const DdrArbitration& arbitration :
       {ranks({1, 0, 2}), shares({0, 1, 2}, {50, 30, 20}, 333)}) {
    DdrCore core(config, 3, arbitration);
    std::vector<DdrClock> commands[2];
    std::uint32_t tag = 0;
    const auto submit = [&](unsigned count, DdrClock from) {
      for (unsigned i = 0; i < count; ++i) {
        const CoreAccess a = read_of(i % 3, from + i / 2, i);
        (void)core.submit(a.port, a.arrival, a.address, a.write, tag++);
      }
    };
    submit(100, 0);
    core.advance(1000);
    ASSERT_TRUE(core.idle());
    core.mark();
    for (std::vector<DdrClock>& of : commands) {
      core.done.clear();
      submit(200, 1000);
      core.advance(3000);
      for (const DdrDone& done : core.done) of.push_back(done.command);
      core.rewind();
    }
    EXPECT_EQ(commands[0].size(), 200U);
    EXPECT_EQ(commands[0], commands[1]);
  }
}

TEST(Arbitration, ABufferOfOnePlaceServesEveryRank) {
  DdrConfig config = memory();
  config.buffer = 1;
  std::vector<CoreAccess> accesses;
  for (unsigned i = 0; i < 60; ++i) accesses.push_back(read_of(i % 3, i, i));
  EXPECT_EQ(run_with(config, accesses, 3, ranks({0, 1, 2})).statistics.reads, 60U);
}

TEST(Waits, AreDealtOutByWhoWasServedMeanwhile) {
  const DdrConfig config = memory();
  DdrCore core(config, 3);
  core.waits().set_parties(3);
  std::vector<CoreAccess> accesses = openers(3);
  for (unsigned i = 0; i < 4; ++i) accesses.push_back(read_of(1, open, i));
  for (unsigned i = 0; i < 2; ++i) accesses.push_back(read_of(2, open, i));
  accesses.push_back(read_of(0, open + 6, 1));
  std::uint64_t queued = 0;
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    const CoreAccess& a = accesses[i];
    (void)core.submit(a.port, a.arrival, a.address, a.write, static_cast<std::uint32_t>(i), a.port);
  }
  core.advance(1000);
  DdrDone last;
  for (const DdrDone& done : core.done) {
    queued += done.queue;
    if (done.tag + 1 == accesses.size()) last = done;
  }
  std::uint64_t sum = 0;
  for (const unsigned party : {0U, 1U, 2U}) {
    for (const unsigned other : {0U, 1U, 2U}) sum += core.waits().clocks(party, other);
  }
  EXPECT_EQ(sum, queued) << "every clock of waiting is dealt out once";
  // Six accesses take 24 clocks from open + 1 on; the last arrives when two of them are served.
  EXPECT_EQ(last.command, open + 1 + 6 * burst);
  EXPECT_EQ(last.queue, last.command - (open + 6) - 1);
  const std::uint64_t of_1 = core.waits().clocks(0, 1), of_2 = core.waits().clocks(0, 2);
  EXPECT_EQ(of_1 + of_2, last.queue);
  // Four accesses are served from its arrival on, three of them of party 1.
  EXPECT_EQ(of_1, last.queue * 3 / 4);
}

TEST(Waits, OfWritesEndWhenTheyAreAdmitted) {
  DdrConfig config = memory();
  config.buffer = 2;
  DdrCore core(config, 2);
  core.waits().set_parties(2);
  for (std::uint32_t i = 0; i < 20; ++i) {
    CoreAccess a = read_of(i % 2, open, i);
    (void)core.submit(a.port, a.arrival, a.address, true, i, a.port);
  }
  core.advance(2000);
  std::uint64_t sum = 0, waited = 0;
  for (const DdrCore::Mark& mark : core.admitted) waited += mark.clock - open;
  for (const unsigned party : {0U, 1U}) {
    for (const unsigned other : {0U, 1U}) sum += core.waits().clocks(party, other);
  }
  EXPECT_GT(waited, 0U);
  EXPECT_EQ(sum, waited);
}

}  // namespace
}  // namespace tactus::dram
