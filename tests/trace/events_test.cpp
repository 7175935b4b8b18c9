// The handshakes in the waveform, read by an independent reader, equal the event logs of the run
// and of the RTL.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>

#include <gtest/gtest.h>

#include "isa/support/files.h"
#include "tests/support/test_scale.h"
#include "tests/trace/traced_run.h"
#include "tests/trace/vcd_events.h"

namespace tactus {
namespace {

using Lines = std::map<Cycle, std::vector<std::string>>;

/// Returns the events of every cycle of a dump that starts at cycle 0 and has no gap.
Lines lines_of(const std::string& path, const TcuEventFormat& format, Cycle* cycles) {
  VcdReader reader(path);
  VcdCycles walk(reader, test_period_ps);
  Lines all;
  Cycle expected = 0;
  while (walk.next()) {
    EXPECT_EQ(walk.cycle(), expected);
    std::vector<std::string> lines = events_of_cycle(reader, format);
    if (!lines.empty()) all[walk.cycle()] = std::move(lines);
    ++expected;
  }
  *cycles = expected;
  return all;
}

/// Describes the first difference; empty if there is none.
std::string difference(const Lines& one, const Lines& other) {
  for (const auto& [cycle, lines] : one) {
    const auto found = other.find(cycle);
    const std::vector<std::string> none;
    const auto& others = found == other.end() ? none : found->second;
    if (lines == others) continue;
    std::string text = "cycle " + std::to_string(cycle) + ":";
    for (const std::string& line : lines) text += " [" + line + "]";
    text += " against";
    for (const std::string& line : others) text += " [" + line + "]";
    return text;
  }
  return one.size() == other.size() ? "" : "more cycles with events";
}

/// Removes events of the TCU's inner units, which logs of the whole top do not record.
Lines recorded(const Lines& all, bool bare) {
  if (bare) return all;
  Lines kept;
  for (const auto& [cycle, lines] : all) {
    for (const std::string& line : lines) {
      const std::string kind = line.substr(0, line.find(' '));
      if (kind != "ALU" && kind != "ARA" && kind != "ARB" && kind != "TIMEOUT") {
        kept[cycle].push_back(line);
      }
    }
  }
  return kept;
}

TEST(TraceEvents, WaveformsOfGoldenProgramsHaveTheEventsOfTheLog) {
  const TraceFolder folder;
  std::uint64_t golden_events = 0;
  unsigned logs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(TACTUS_GOLDEN_DIR "/logs")) {
    SCOPED_TRACE(entry.path().string());
    const GoldenLog log = read_golden_log(entry.path().string());
    const Lines events = trace_log(log, folder.path("log.vcd"));
    TcuEventFormat format;
    format.style = log.bare ? EventStyle::bare : EventStyle::axi;
    Cycle cycles = 0;
    const Lines derived = lines_of(folder.path("log.vcd"), format, &cycles);
    EXPECT_EQ(cycles, log.cycles);
    EXPECT_EQ(difference(events, derived), "") << "run against waveform";
    EXPECT_EQ(difference(derived, events), "") << "waveform against run";

    Lines golden = log.events;
    for (auto& [cycle, lines] : golden) {
      std::sort(lines.begin(), lines.end());
      golden_events += lines.size();
    }
    EXPECT_EQ(difference(golden, recorded(derived, log.bare)), "") << "RTL against waveform";
    EXPECT_EQ(difference(recorded(derived, log.bare), golden), "") << "waveform against RTL";
    ++logs;
  }
  EXPECT_EQ(logs, 60U);
  EXPECT_EQ(golden_events, 92863U);
}

/// Returns the number of samples that entered DAIS blocks.
std::uint64_t expect_events_of_program(std::uint64_t seed) {
  const TraceFolder folder;
  RandomOptions options;
  options.hazards = Hazards::any;
  options.instructions = 40;
  const RandomProgram program = random_program(seed, options);
  TcuSimulationConfig config = machine_config(program);
  config.read_latency = 1 + seed * 3;
  config.feed_gap = seed % 3;
  config.stalls = StallGenerator(static_cast<std::uint32_t>(seed), seed % 2 * 30);
  TracedSimulation traced(program, config);
  traced.run(folder.path("a.vcd"), {});
  Cycle cycles = 0;
  const Lines derived = lines_of(folder.path("a.vcd"), event_widths(config), &cycles);
  EXPECT_EQ(cycles, traced.simulation().now());
  const Lines recorded_events = traced.events();
  EXPECT_EQ(difference(recorded_events, derived), "") << program.describe();
  EXPECT_EQ(difference(derived, recorded_events), "") << program.describe();
  EXPECT_GT(derived.size(), 40U);
  std::uint64_t samples = 0;
  for (const auto& [cycle, lines] : derived) {
    for (const std::string& line : lines) samples += line.rfind("DAIS b=", 0) == 0 ? 1 : 0;
  }
  return samples;
}

TEST(TraceEvents, WaveformsOfRandomProgramsHaveTheEventsOfTheLog) {
  std::uint64_t samples = 0;
  for (const std::uint64_t seed : test_seeds(1, 12)) {
    SCOPED_TRACE(testing::Message() << "TACTUS_TEST_SEED=" << seed);
    samples += expect_events_of_program(seed);
  }
  if (std::getenv("TACTUS_TEST_SEED") == nullptr) {
    EXPECT_GT(samples, 50U);
  }
}

/// A sleeping unit's signals show the same values as if it were evaluated: the dump is the same,
/// byte for byte, when every unit is evaluated in every cycle, in a random order.
void expect_same_when_shuffled(std::uint64_t seed) {
  const TraceFolder folder;
  RandomOptions options;
  options.hazards = Hazards::any;
  options.instructions = 12;
  const RandomProgram program = random_program(seed, options);
  for (const unsigned percent : {0U, 25U}) {
    TcuSimulationConfig config = machine_config(program);
    config.read_latency = 9;
    config.stalls = StallGenerator(7, percent);
    TracedSimulation(program, config).run(folder.path("fixed.vcd"), {}, 3000);
    config.shuffle_seed = 11;
    TracedSimulation(program, config).run(folder.path("shuffled.vcd"), {}, 3000);
    const std::string fixed = read_text(folder.path("fixed.vcd"));
    EXPECT_GT(fixed.size(), 10000U);
    EXPECT_TRUE(fixed == read_text(folder.path("shuffled.vcd"))) << percent << " % stalls";
  }
}

TEST(TraceEvents, SkippedUnitsShowTrueValues) {
  for (const std::uint64_t seed : test_seeds(101, 12)) {
    SCOPED_TRACE(testing::Message() << "TACTUS_TEST_SEED=" << seed);
    expect_same_when_shuffled(seed);
  }
}

}  // namespace
}  // namespace tactus
