// Every golden log, event by event: the machine has the same events as the RTL.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "firmware/replay/replay.h"

namespace tactus {
namespace {

std::vector<std::string> logs() {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(TACTUS_GOLDEN_DIR "/logs")) {
    paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

TEST(Replay, AllLogsAreThere) { EXPECT_EQ(logs().size(), 60U); }

void replay_all(Engine engine) {
  std::uint64_t events = 0;
  std::uint64_t memory_lines = 0;
  for (const std::string& path : logs()) {
    ReplayOptions options;
    options.engine = engine;
    const LogReplayResult result = replay(read_golden_log(path), options);
    EXPECT_EQ(result.difference, "");
    events += result.events;
    memory_lines += result.memory_lines;
  }
  // The archive has this number of events (counted with grep), so no line was skipped.
  EXPECT_EQ(events, 92863U);
  EXPECT_EQ(memory_lines, 9368U);
}

TEST(Replay, EveryLogWithoutDifference) { replay_all(Engine::fast); }
TEST(Replay, EveryLogStepByStep) { replay_all(Engine::step); }
TEST(Replay, EveryLogVerified) { replay_all(Engine::check); }

#ifdef __SANITIZE_ADDRESS__
constexpr std::uint32_t shuffles = 1;  // sanitizers make this about 15 times slower
#else
constexpr std::uint32_t shuffles = 3;
#endif

TEST(Replay, UnitsEvaluatedInRandomOrder) {
  for (const std::string& path : logs()) {
    const GoldenLog log = read_golden_log(path);
    if (log.bare) continue;
    for (std::uint32_t seed = 1; seed <= shuffles; ++seed) {
      ReplayOptions options;
      options.shuffle_seed = seed;
      EXPECT_EQ(replay(log, options).difference, "") << "seed " << seed;
    }
  }
}

TEST(Replay, ADifferenceIsFound) {
  GoldenLog log = read_golden_log(TACTUS_GOLDEN_DIR "/logs/03_matmul4.txt");
  log.events[17][0] = "AWA a=1 v=0,0,0,0,0,0,0,0";
  const std::string text = replay(log).difference;
  EXPECT_NE(text.find("cycle 17 differs"), std::string::npos) << text;
  EXPECT_NE(text.find("only in the log:\n    17 AWA a=1"), std::string::npos) << text;
  EXPECT_NE(text.find("only in the simulation:\n    17 AWA a=0"), std::string::npos) << text;
}

TEST(Replay, AnEventTooManyOrTooFewIsFound) {
  GoldenLog log = read_golden_log(TACTUS_GOLDEN_DIR "/logs/03_matmul4.txt");
  log.events[17].emplace_back("RUN");
  EXPECT_NE(replay(log).difference, "");
  log.events[17].clear();
  EXPECT_NE(replay(log).difference, "");
}

TEST(Replay, AMemoryDifferenceIsFound) {
  GoldenLog log = read_golden_log(TACTUS_GOLDEN_DIR "/logs/08_full_chain.txt");
  for (auto& [number, line] : log.final_lines) {
    if (line.rfind("ACC 3 ", 0) == 0) line += "1";
  }
  EXPECT_NE(replay(log).difference.find("memory differs"), std::string::npos);
}

}  // namespace
}  // namespace tactus
