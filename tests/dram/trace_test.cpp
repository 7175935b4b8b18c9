// Traces of requests: what is read and refused, and that a run gives the same results as the core.
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "firmware/driver/common/dram_trace.h"
#include "isa/support/error.h"
#include "tests/dram/core_run.h"

namespace tactus::dram {
namespace {

std::string error_of(const std::string& text) {
  try {
    (void)parse_dram_trace(text, "t.csv", DdrConfig());
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(DramTrace, RowsAreRequestsInOrderOfTime) {
  const auto requests = parse_dram_trace(
      "\xEF\xBB\xBFport, clock, address, bytes, operation,\r\n1, 4, 0x40, 64, Read,\r\n"
      "0, 2, 128, 1, w # the first\r\n",
      "t.csv", DdrConfig());
  ASSERT_EQ(requests.size(), 2U);
  EXPECT_EQ(requests[0].time_ps, 2500U);
  EXPECT_TRUE(requests[0].write);
  EXPECT_EQ(requests[0].address, 128U);
  EXPECT_EQ(requests[1].port, 1U);
  EXPECT_EQ(requests[1].address, 64U);
  EXPECT_EQ(parse_dram_trace("1.25, 0, r, 0, 8\n", "t.csv", DdrConfig())[0].time_ps, 1250U);
}

TEST(DramTrace, MistakesAreNamedByTheirLines) {
  EXPECT_EQ(error_of("0, 0, read, 0, 64\n-1, 0, read, 0, 64\n0, 64, read, 0, 64\n"
                     "0, 0, fetch, 0, 64\n0, 0, read, 0x40000000, 64\n0, 0, read, 0, 0\n0, 0\n"),
            "t.csv:2: the time is \"-1\"; allowed: a number from 0 to 1e+15\n"
            "t.csv:3: the port is \"64\"; allowed 0..63\n"
            "t.csv:4: the operation is \"fetch\"; allowed \"read\", \"write\"\n"
            "t.csv:5: the address is \"0x40000000\"; allowed 0..1073741823, the bytes of the DRAM\n"
            "t.csv:6: the number of bytes is \"0\"; allowed 1..1073741824 from address 0 on\n"
            "t.csv:7: 2 cells; allowed 5: time_ns, port, operation, address, bytes");
  EXPECT_NE(error_of("time_us, port, operation, address, bytes\n").find("the header names"),
            std::string::npos);
  EXPECT_NE(error_of("").find("t.csv: no request"), std::string::npos);
}

/// Requests of one burst each give the same results as single accesses to the core.
TEST(DramTrace, ATraceGivesTheCommandsOfSingleAccesses) {
  std::mt19937 random(1);
  DdrConfig config;
  std::vector<DramTraceRequest> requests;
  std::vector<CoreAccess> accesses;
  DdrClock clock = 0;
  for (unsigned i = 0; i < 2000; ++i) {
    clock += random() % 9 == 0 ? random() % 3000 : random() % 4;
    DramTraceRequest request;
    request.time_ps = clock * config.tck_ps - (clock > 0 ? random() % config.tck_ps : 0);
    request.port = random() % 3;
    request.write = random() % 3 == 0;
    request.address = random() % (1U << 22) / 64 * 64;
    request.bytes = 64;
    requests.push_back(request);
    accesses.push_back({clock, request.address, request.write, request.port});
  }
  const DramRun run = run_dram_trace(config, requests, true);
  const CoreRun core = run_core(config, accesses, 3);
  ASSERT_EQ(run.commands.size(), core.commands.size());
  for (std::size_t i = 0; i < run.commands.size(); ++i) {
    EXPECT_EQ(run.commands[i].clock, core.commands[i].clock) << i;
    EXPECT_EQ(run.commands[i].kind, core.commands[i].kind) << i;
    EXPECT_EQ(run.commands[i].bank, core.commands[i].bank) << i;
    EXPECT_EQ(run.commands[i].tag, core.commands[i].tag) << i;
  }
  for (std::size_t i = 0; i < requests.size(); ++i) {
    EXPECT_EQ(run.answers[i].arrived, accesses[i].arrival);
    EXPECT_EQ(run.answers[i].answered,
              requests[i].write ? core.admitted[i] + 1 : core.done[i].data_end);
  }
  EXPECT_EQ(run.statistics.hits, core.statistics.hits);
  EXPECT_EQ(run.statistics.conflicts, core.statistics.conflicts);
}

TEST(DramTrace, ARequestIsAnsweredWithItsLastBurst) {
  const DdrConfig config;
  // 132 bytes from address 62 on are in four bursts of 64 bytes.
  const DramRun run = run_dram_trace(config, {{0, 0, false, 62, 132}}, false);
  EXPECT_EQ(run.answers[0].bursts, 4U);
  EXPECT_EQ(run.answers[0].misses, 1U);
  EXPECT_EQ(run.answers[0].hits, 3U);
  EXPECT_EQ(run.answers[0].answered, run.end);
  EXPECT_TRUE(run.commands.empty());
  // The first access of an idle DRAM takes: clock edge, command, ACT, RD, data. Three more bursts
  // follow.
  const std::uint64_t first = config.command_delay + config.t_rcd + config.cl + 4;
  EXPECT_EQ(run.answers[0].answered, first + 3 * 4);
}

/// Idle time is skipped: refreshes are counted, and the state behind it is that of every refresh.
TEST(DramTrace, LateRequestsSeeTheRefreshesOfIdleTime) {
  const DdrConfig config;
  for (const std::uint64_t idle : {5, 12, 13, 1000}) {
    for (const std::uint64_t offset : {0, 1, 7, 300}) {
      const std::uint64_t late = (idle * config.t_refi + offset) * config.tck_ps;
      const std::vector<DramTraceRequest> requests{{0, 0, false, 64, 64},
                                                   {late, 0, true, 128, 256}};
      const DramRun all = run_dram_trace(config, requests, true),
                    quick = run_dram_trace(config, requests, false);
      EXPECT_EQ(quick.end, all.end);
      EXPECT_EQ(quick.answers[1].answered, all.answers[1].answered);
      EXPECT_EQ(quick.statistics.refreshes, all.statistics.refreshes);
      EXPECT_EQ(quick.statistics.refresh_clocks, all.statistics.refresh_clocks);
      EXPECT_EQ(quick.statistics.refresh, all.statistics.refresh);
      EXPECT_EQ(quick.statistics.clocks, all.statistics.clocks);
    }
  }
  // This would take minutes refresh by refresh.
  const std::uint64_t late = std::uint64_t{1} << 58;
  const DramRun run = run_dram_trace(config, {{late, 0, false, 0, 64}}, false);
  EXPECT_EQ(run.statistics.refreshes, late / config.tck_ps / config.t_refi);
}

/// A text with some bytes changed is refused by a UserError, or gives a trace that runs.
TEST(DramTrace, ChangedBytesAreRefusedOrRun) {
  const std::string good =
      "time_ns, port, operation, address, bytes\n0, 0, read, 0x40, 64\n12.5, 1, w, 4096, 128 # x\n";
  const std::string bytes = "0123456789,.-+e#\"\r\n\t xwr\xEF\xFF";
  std::mt19937 random(5);
  unsigned runs = 0;
  for (unsigned k = 0; k < 3000; ++k) {
    std::string text = good.substr(0, random() % 9 == 0 ? random() % good.size() : good.size());
    for (unsigned changes = 1 + random() % 3; changes > 0 && !text.empty(); --changes) {
      const std::size_t at = random() % text.size();
      if (random() % 3 == 0) {
        text.erase(at, 1);
      } else {
        text.insert(at, 1, bytes[random() % bytes.size()]);
      }
    }
    try {
      const auto requests = parse_dram_trace(text, "t.csv", DdrConfig());
      if (requests.back().bytes > 100000) continue;
      EXPECT_EQ(run_dram_trace(DdrConfig(), requests, false).answers.size(), requests.size());
      ++runs;
    } catch (const UserError&) {  // refused
    }
  }
  EXPECT_GT(runs, 100U);
}

}  // namespace
}  // namespace tactus::dram
