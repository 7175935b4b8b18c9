// Times of the fastest accesses, and of delays by other accesses, as sums of timings in clocks.
#include <gtest/gtest.h>

#include "tests/dram/core_run.h"

namespace tactus::dram {
namespace {

/// A DDR4 with two groups of two banks, in which all timings have different values.
DdrConfig two_groups() {
  DdrConfig c;
  c.bus_bits = 64;
  c.burst_length = 8;
  c.bank_groups = 2;
  c.banks = 4;
  c.rows = 1024;
  c.columns = 1024;
  c.address_map = "row 25:16, bank 15:14, bank_group 13, column 12:3, byte 2:0";
  c.cl = 15;
  c.cwl = 13;
  c.t_rcd = 14;
  c.t_rp = 17;
  c.t_ras = 36;
  c.t_rc = 54;
  c.t_faw = 40;
  c.t_rrd_s = 7;
  c.t_rrd_l = 9;
  c.t_ccd_s = 4;
  c.t_ccd_l = 6;
  c.t_wr = 19;
  c.t_rtp = 8;
  c.t_wtr_s = 3;
  c.t_wtr_l = 10;
  c.t_turn = 2;
  c.t_rfc = 270;
  c.t_refi = 8000;
  c.refresh = DdrRefresh::none;
  c.read_priority = false;
  c.xpi_interval = 1;
  return c;
}

constexpr std::uint64_t burst_bytes = 64, group = 1U << 13, bank = 1U << 14, row = 1U << 16;
constexpr DdrClock half = 4;

CoreAccess read(DdrClock arrival, std::uint64_t address) { return {arrival, address, false, 0}; }
CoreAccess write(DdrClock arrival, std::uint64_t address) { return {arrival, address, true, 0}; }

/// Returns the clocks from RD or WR of the first access to RD or WR of the second.
DdrClock between(const DdrConfig& c, const CoreAccess& first, const CoreAccess& second) {
  const CoreRun run = run_core(c, {first, second});
  return run.done[1].command - run.done[0].command;
}

TEST(DdrAccess, OfAClosedBankTakesActivationAndLatency) {
  const DdrConfig c = two_groups();
  const CoreRun run = run_core(c, {read(100, 0)});
  EXPECT_EQ(run.done[0].data_end, 100 + 1 + c.t_rcd + c.cl + half);
  EXPECT_EQ(run.done[0].row_state, DdrRowState::miss);
  EXPECT_EQ(run.done[0].row, c.t_rcd);
  EXPECT_EQ(run.done[0].queue, 0U);
  EXPECT_EQ(run.done[0].bus, half);
  EXPECT_EQ(run.done[0].rest, 1 + c.cl);
}

TEST(DdrAccess, OfTheOpenRowTakesLatency) {
  const DdrConfig c = two_groups();
  const CoreRun run =
      run_core(c, {read(100, 0), read(500, burst_bytes), write(900, 2 * burst_bytes)});
  EXPECT_EQ(run.done[1].data_end, 500 + 1 + c.cl + half);
  EXPECT_EQ(run.done[1].row_state, DdrRowState::hit);
  EXPECT_EQ(run.done[2].data_end, 900 + 1 + c.cwl + half);
  EXPECT_EQ(run.admitted[2], 900U);
  EXPECT_EQ(run.statistics.hits, 2U);
  EXPECT_EQ(run.statistics.misses, 1U);
}

TEST(DdrAccess, OfAnotherRowTakesPrechargeAndActivation) {
  const DdrConfig c = two_groups();
  const CoreRun run = run_core(c, {read(100, 0), read(500, row)});
  EXPECT_EQ(run.done[1].data_end, 500 + 1 + c.t_rp + c.t_rcd + c.cl + half);
  EXPECT_EQ(run.done[1].row_state, DdrRowState::conflict);
  EXPECT_EQ(run.done[1].row, c.t_rp + c.t_rcd);
}

TEST(DdrAccess, WaitsForTheCommandDelay) {
  DdrConfig c = two_groups();
  c.command_delay = 5;
  EXPECT_EQ(run_core(c, {read(100, 0)}).done[0].data_end, 100 + 5 + c.t_rcd + c.cl + half);
}

TEST(DdrRow, StaysOpenForTrasAndBehindReadsAndWrites) {
  DdrConfig c = two_groups();
  // ACT at 1, RD at 15. tRAS ends later than tRTP, and tRC is one clock more than tRAS + tRP.
  const CoreRun run = run_core(c, {read(0, 0), read(0, row)});
  EXPECT_EQ(run.commands[2].kind, DdrCommandKind::pre);
  EXPECT_EQ(run.commands[2].clock, 1 + c.t_ras);
  EXPECT_EQ(run.done[1].command, 1 + c.t_rc + c.t_rcd);
  c.t_rtp = 30;
  EXPECT_EQ(between(c, read(0, 0), read(0, row)), c.t_rtp + c.t_rp + c.t_rcd);
  EXPECT_EQ(between(c, write(0, 0), read(0, row)), c.cwl + half + c.t_wr + c.t_rp + c.t_rcd);
}

TEST(DdrRow, IsClosedAfterEveryAccess) {
  DdrConfig c = two_groups();
  c.page_policy = DdrPagePolicy::closed;
  // The precharge waits for tRAS; the next ACT of the bank is tRC after the previous one.
  EXPECT_EQ(between(c, read(0, 0), read(0, burst_bytes)), c.t_rc);
  c.t_rtp = 30;
  EXPECT_EQ(between(c, read(0, 0), read(0, burst_bytes)), c.t_rtp + c.t_rp + c.t_rcd);
  EXPECT_EQ(between(c, write(0, 0), read(0, burst_bytes)),
            c.cwl + half + c.t_wr + c.t_rp + c.t_rcd);
  const CoreRun run = run_core(c, {read(0, 0), read(1000, burst_bytes)});
  EXPECT_EQ(run.done[1].row_state, DdrRowState::miss);
}

TEST(DdrRow, IsClosedWhenItsTimeIsOver) {
  DdrConfig c = two_groups();
  c.page_policy = DdrPagePolicy::timeout;
  c.page_timeout = 100;
  const CoreRun run = run_core(c, {read(0, 0), read(400, burst_bytes)});
  ASSERT_EQ(run.commands.size(), 5U);
  EXPECT_EQ(run.commands[2].kind, DdrCommandKind::pre);
  EXPECT_EQ(run.commands[2].clock, run.done[0].command + 100);
  EXPECT_EQ(run.done[1].row_state, DdrRowState::miss);
  EXPECT_EQ(run_core(c, {read(0, 0), read(90, burst_bytes)}).done[1].row_state, DdrRowState::hit);
}

TEST(DdrBus, ReadsFollowReadsAfterTccd) {
  const DdrConfig c = two_groups();
  EXPECT_EQ(between(c, read(0, 0), read(0, burst_bytes)), c.t_ccd_l);
  // The fourth access goes to another group, whose row is open.
  const CoreRun run = run_core(c, {read(0, 0), read(0, group), read(200, 0), read(200, group)});
  EXPECT_EQ(run.done[3].command - run.done[2].command, c.t_ccd_s);
}

TEST(DdrBus, TurnaroundBetweenReadsAndWrites) {
  const DdrConfig c = two_groups();
  EXPECT_EQ(between(c, read(0, 0), write(0, burst_bytes)), c.cl + half + c.t_turn - c.cwl);
  EXPECT_EQ(between(c, write(0, 0), read(0, burst_bytes)), c.cwl + half + c.t_wtr_l);
  const CoreRun run = run_core(c, {read(0, 0), read(0, group), write(200, 0), read(200, group)});
  EXPECT_EQ(run.done[3].command - run.done[2].command, c.cwl + half + c.t_wtr_s);
}

TEST(DdrActivations, AreSpacedByTrrdAndTfaw) {
  DdrConfig c = two_groups();
  c.t_rcd = 30;  // so that no RD is due in the clock of an ACT
  const auto acts = [&](std::vector<std::uint64_t> addresses) {
    std::vector<CoreAccess> accesses;
    for (const std::uint64_t address : addresses) accesses.push_back(read(0, address));
    std::vector<DdrClock> clocks;
    for (const DdrCommand& command : run_core(c, accesses).commands) {
      if (command.kind == DdrCommandKind::act) clocks.push_back(command.clock);
    }
    return clocks;
  };
  EXPECT_EQ(acts({0, group}), (std::vector<DdrClock>{1, 1 + c.t_rrd_s}));
  EXPECT_EQ(acts({0, bank}), (std::vector<DdrClock>{1, 1 + c.t_rrd_l}));
  // ACTs alternate between groups; then four ACTs fill the window tFAW.
  const auto five = acts({0, group, bank, bank + group, 2 * bank});
  EXPECT_EQ(five[3], 1 + 3 * c.t_rrd_s);
  EXPECT_EQ(five[4], 1 + c.t_faw);
}

TEST(DdrRefreshes, DelayAccesses) {
  DdrConfig c = two_groups();
  c.refresh = DdrRefresh::all_bank;
  // No row is open, so REF is issued when it is due.
  CoreRun run = run_core(c, {read(c.t_refi, 0)});
  EXPECT_EQ(run.commands[0].kind, DdrCommandKind::ref);
  EXPECT_EQ(run.commands[0].clock, c.t_refi);
  EXPECT_EQ(run.done[0].data_end, c.t_refi + c.t_rfc + c.t_rcd + c.cl + half);
  EXPECT_EQ(run.done[0].refresh, c.t_rfc - 1);
  EXPECT_EQ(run.done[0].row, c.t_rcd);
  // A row is open, so PREA comes first, and the access that would hit misses.
  run = run_core(c, {read(100, 0), read(c.t_refi - 1, burst_bytes)});
  EXPECT_EQ(run.done[1].command, c.t_refi + c.t_rp + c.t_rfc + c.t_rcd);
  EXPECT_EQ(run.done[1].refresh, c.t_rp + c.t_rfc);
  EXPECT_EQ(run.done[1].row_state, DdrRowState::miss);
  EXPECT_EQ(run.statistics.refreshes, 1U);
  EXPECT_EQ(run.statistics.refresh_clocks, c.t_rp + c.t_rfc);
  // One clock earlier the access hits.
  EXPECT_EQ(run_core(c, {read(100, 0), read(c.t_refi - 2, burst_bytes)}).done[1].command,
            c.t_refi - 1);
}

TEST(DdrScheduling, FifoKeepsTheOrderOfABankAndFrfcfsServesTheOpenRow) {
  DdrConfig c = two_groups();
  const std::vector<CoreAccess> accesses{read(0, 0), read(1, row), read(2, burst_bytes)};
  c.scheduler = DdrScheduler::fifo;
  EXPECT_EQ(run_core(c, accesses).statistics.conflicts, 2U);
  c.scheduler = DdrScheduler::frfcfs;
  CoreRun run = run_core(c, accesses);
  EXPECT_EQ(run.statistics.conflicts, 1U);
  EXPECT_LT(run.done[2].command, run.done[1].command);
}

TEST(DdrScheduling, NoAccessIsPassedOverMoreOftenThanCap) {
  DdrConfig c = two_groups();
  c.cap = 3;
  std::vector<CoreAccess> accesses{read(0, 0), read(1, row)};
  for (unsigned i = 0; i < 10; ++i) accesses.push_back(read(2 + i, (i + 1) * burst_bytes));
  const CoreRun run = run_core(c, accesses);
  EXPECT_LT(run.done[4].command, run.done[1].command);
  EXPECT_GT(run.done[5].command, run.done[1].command);
}

TEST(DdrScheduling, ReadsGoBeforeWritesUntilTheHighMark) {
  DdrConfig c = two_groups();
  c.read_priority = true;
  c.write_buffer = 8;
  c.write_high_mark = 4;
  c.write_low_mark = 1;
  std::vector<CoreAccess> accesses{read(0, 0)};
  const auto writes = [&](unsigned count) {
    std::vector<CoreAccess> all = accesses;
    for (unsigned i = 0; i < count; ++i) all.push_back(write(1 + i, (1 + i) * burst_bytes));
    for (unsigned i = 0; i < 8; ++i) all.push_back(read(1 + count + i, (20 + i) * burst_bytes));
    return all;
  };
  // Three writes wait until all reads are done. Four writes reach the high mark, so they go first
  // until the low mark.
  const CoreRun three = run_core(c, writes(3));
  EXPECT_GT(three.done[1].command, three.done.back().command);
  const CoreRun four = run_core(c, writes(4));
  EXPECT_LT(four.done[3].command, four.done.back().command);
  EXPECT_GT(four.done[4].command, four.done.back().command);
}

TEST(DdrScheduling, AReadWaitsForAnOlderWriteToTheSameBurst) {
  DdrConfig c = two_groups();
  c.read_priority = true;
  const CoreRun run = run_core(c, {read(0, 0), write(1, burst_bytes), write(2, 2 * burst_bytes),
                                   read(3, 2 * burst_bytes), read(4, 5 * burst_bytes)});
  EXPECT_LT(run.done[2].command, run.done[3].command);
  EXPECT_GT(run.done[1].command, run.done[4].command);
}

TEST(DdrPorts, TakeTurnsAndKeepTheirInterval) {
  DdrConfig c = two_groups();
  c.xpi_interval = 8;
  std::vector<CoreAccess> accesses;
  for (unsigned i = 0; i < 4; ++i) accesses.push_back({0, i * burst_bytes, false, i % 2});
  const CoreRun run = run_core(c, accesses, 2);
  EXPECT_EQ(run.admitted, (std::vector<DdrClock>{0, 1, 8, 9}));
}

TEST(DdrPorts, TakeWhatTheirQueueHolds) {
  DdrConfig c = two_groups();
  c.port_queue = 2;
  c.xpi_interval = 10;
  std::vector<CoreAccess> accesses;
  for (unsigned i = 0; i < 5; ++i) accesses.push_back(read(0, i * burst_bytes));
  // Accesses are admitted at 0, 10, 20, ...; the third is accepted one clock after the first has
  // left the queue.
  EXPECT_EQ(run_core(c, accesses).taken, (std::vector<DdrClock>{0, 0, 1, 11, 21}));
}

TEST(DdrPorts, WaitWhileTheBufferIsFull) {
  DdrConfig c = two_groups();
  c.buffer = 1;
  const CoreRun run = run_core(c, {read(0, 0), read(0, burst_bytes)});
  EXPECT_EQ(run.admitted[1], run.done[0].command);
  EXPECT_EQ(run.done[1].command - run.done[0].command, c.t_ccd_l);
}

}  // namespace
}  // namespace tactus::dram
