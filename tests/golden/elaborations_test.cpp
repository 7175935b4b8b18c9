// Programs on five more elaborations of the RTL (arrays of 4 and 16, FP32BP16, several SIMD
// registers, AXI of 32 to 128 bits, depths that are no power of two, a sampler): retire cycles,
// totals, memory contents, events at the DRAM ports and samples are the RTL's, on both engines.
#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "firmware/driver/tcu/simulation.h"
#include "isa/support/files.h"
#include "isa/support/sha256.h"
#include "tests/support/event_log.h"

namespace tactus {
namespace {

using nlohmann::json;

const std::string all_folders = TACTUS_GOLDEN_DIR "/elaborations/";

std::vector<json> read_lines(const std::string& path) {
  std::ifstream file(path);
  std::vector<json> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(json::parse(line));
  return lines;
}

std::string sha256_of_words(const std::vector<std::uint32_t>& words) {
  std::vector<std::uint8_t> bytes;
  for (const std::uint32_t word : words) {
    for (unsigned i = 0; i < 32; i += 8) bytes.push_back(static_cast<std::uint8_t>(word >> i));
  }
  return sha256(bytes);
}

/// Names of events at the pins of the DRAM ports, and the decoder's timeout, which the RTL's
/// recording has, too.
bool is_recorded(const std::string& line, Cycle last_retire) {
  const std::size_t blank = line.find(' ');
  const std::string name = line.substr(blank + 1, line.find(' ', blank + 1) - blank - 1);
  if (name == "TIMEOUT") return std::stoull(line) <= last_retire;
  static const std::vector<std::string> names{"AR0", "AR1", "AW0", "AW1", "W0",
                                              "W1",  "R0",  "R1",  "B0",  "B1"};
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// A program of an elaboration on a new machine with the program's initial memories.
class Run {
 public:
  Run(const std::string& folder, const json& program, Engine engine)
      : folder_(all_folders + folder + "/"),
        program_(read_file(folder_ + program.at("file").get<std::string>() + ".tprog")),
        simulation_(config(folder_, program, engine)) {
    for (unsigned port = 0; port < 2; ++port) {
      simulation_.write_dram(
          port, 0,
          read_file(folder_ + fmt::format("memory{:02}", program.at("memory")[port].get<int>())));
    }
  }

  TcuRunResult run(std::vector<std::uint32_t>& retires) {
    TcuRunOptions options;
    options.retire_log = &retires;
    options.max_cycles = 3'000'000;
    return simulation_.run(program_, options);
  }

  [[nodiscard]] TcuSimulation& simulation() { return simulation_; }

 private:
  static TcuSimulationConfig config(const std::string& folder, const json& program, Engine engine) {
    TcuSimulationConfig config;
    config.architecture = tcu::read_architecture(folder + "arch.tarch");
    config.axi_data_bits = program.value("axi_data_bits", 64U);
    config.read_latency = program.at("L");
    config.write_latency = program.at("B");
    config.feed_gap = program.value("gap", 0U);
    config.stalls = StallGenerator(program.at("stall_seed"), program.at("stall_percent"));
    config.sample_block_size = program.value("block", 0U);
    config.sample_pause = program.value("pause", 0U);
    config.engine = engine;
    return config;
  }

  const std::string folder_;
  const std::vector<std::uint8_t> program_;
  TcuSimulation simulation_;
};

void check_totals(const TcuRunResult& result, const json& rtl) {
  EXPECT_EQ(result.end == RunEnd::hang, rtl.at("hang").get<bool>());
  const char* const last_b[] = {"last_b0", "last_b1"};
  for (unsigned port = 0; port < 2; ++port) {
    const json& last = rtl.at(last_b[port]);
    EXPECT_EQ(result.last_b[port].has_value(), !last.is_null());
    if (result.last_b[port] && !last.is_null()) {
      EXPECT_EQ(*result.last_b[port], last.get<Cycle>());
    }
    EXPECT_EQ(result.read_beats[port], rtl.at("read_beats")[port].get<std::uint64_t>());
    EXPECT_EQ(result.write_beats[port], rtl.at("write_beats")[port].get<std::uint64_t>());
    EXPECT_EQ(result.read_bursts[port], rtl.at("read_bursts")[port].get<std::uint64_t>());
    EXPECT_EQ(result.write_bursts[port], rtl.at("write_bursts")[port].get<std::uint64_t>());
  }
  EXPECT_EQ(result.array_runs, rtl.at("array_runs").get<std::uint64_t>());
  EXPECT_EQ(result.array_loads, rtl.at("array_loads").get<std::uint64_t>());
  EXPECT_EQ(result.alu_operations, rtl.at("alu_operations").get<std::uint64_t>());
}

void check_program(const std::string& folder, const json& program, Engine engine) {
  const std::string file = program.at("file");
  SCOPED_TRACE(fmt::format("{}, {} engine", file, engine == Engine::fast ? "fast" : "step"));
  Run run(folder, program, engine);
  std::vector<std::string> events;
  EventLog log(run.simulation().machine().event_format(), events);
  const bool with_events = program.contains("pin_events");
  if (with_events) run.simulation().observe(&log);
  std::vector<std::uint32_t> retires;
  const TcuRunResult result = run.run(retires);
  run.simulation().observe(nullptr);

  check_totals(result, program.at("rtl"));
  EXPECT_EQ(sha256_of_words(retires),
            sha256(read_file(all_folders + folder + "/" + file + ".retire.u32")));
  const char* const hashes[] = {"dram0_sha256", "dram1_sha256"};
  for (unsigned port = 0; port < 2; ++port) {
    EXPECT_EQ(sha256(run.simulation().read_dram(port, 0, program.at("dump_bytes")[port])),
              program.at(hashes[port]).get<std::string>());
  }
  if (!with_events) return;
  const json& last = program.at("rtl").at("last_retire");
  const Cycle last_retire = last.is_null() ? 0 : last.get<Cycle>();
  std::vector<std::string> recorded;
  for (const std::string& line : events) {
    if (is_recorded(line, last_retire)) recorded.push_back(line);
  }
  std::sort(recorded.begin(), recorded.end());
  EXPECT_EQ(recorded.size(), program.at("pin_events").get<std::size_t>());
  const std::string text = fmt::format("{}", fmt::join(recorded, "\n"));
  EXPECT_EQ(sha256({text.begin(), text.end()}), program.at("pin_events_sha256").get<std::string>());
}

/// The sampler's words up to the end of the program; the RTL's recording goes on behind it.
void check_samples(const json& program, Engine engine) {
  SCOPED_TRACE(fmt::format("{}, {} engine", program.at("file").get<std::string>(),
                           engine == Engine::fast ? "fast" : "step"));
  Run run("n4samp", program, engine);
  std::vector<std::uint32_t> words;
  std::size_t samples = 0;
  run.simulation().system().on_sample = [&](const Sample& sample) {
    ++samples;
    words.push_back(static_cast<std::uint32_t>(sample.word));
    words.push_back(static_cast<std::uint32_t>(sample.word >> 32));
  };
  std::vector<std::uint32_t> retires;
  EXPECT_EQ(run.run(retires).end, RunEnd::finished);
  EXPECT_EQ(samples, program.at("tactus_samples").get<std::size_t>());
  EXPECT_EQ(sha256_of_words(words), program.at("sha256_of_first").get<std::string>());
  EXPECT_EQ(sha256_of_words(retires), program.at("retire_sha256").get<std::string>());
}

struct Elaboration {
  const char* folder;
  std::size_t programs;
};

class Elaborations : public ::testing::TestWithParam<Elaboration> {};

TEST_P(Elaborations, AreTheRtlInEveryCycleAndBit) {
  const Elaboration& elaboration = GetParam();
  const std::vector<json> programs =
      read_lines(all_folders + elaboration.folder + "/programs.jsonl");
  ASSERT_EQ(programs.size(), elaboration.programs);
  for (const json& program : programs) {
    for (const Engine engine : {Engine::fast, Engine::step}) {
      check_program(elaboration.folder, program, engine);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Rtl, Elaborations,
                         ::testing::Values(Elaboration{"n4", 40}, Elaboration{"fp32n4s", 40},
                                           Elaboration{"n16", 20}, Elaboration{"n4samp", 40},
                                           Elaboration{"simd3-net", 3}),
                         [](const auto& info) {
                           std::string name = info.param.folder;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(ElaborationWithSampler, GivesTheSamplesOfTheRtl) {
  const std::vector<json> programs = read_lines(all_folders + "n4samp/samples.jsonl");
  ASSERT_EQ(programs.size(), 24U);
  for (const json& program : programs) {
    for (const Engine engine : {Engine::fast, Engine::step}) check_samples(program, engine);
  }
}

}  // namespace
}  // namespace tactus
