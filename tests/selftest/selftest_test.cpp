// The self-tests pass on every architecture, and skip only what the architecture cannot do, with a
// message.
#include "firmware/selftest/tcu/selftest.h"

#include <ostream>
#include <set>

#include <gtest/gtest.h>

#include "isa/support/error.h"
#include "tests/selftest/machines.h"

namespace tactus {
namespace {

using tcu::DataType;

struct Machines {
  std::string name;
  TcuSimulationConfig config;
  std::string skipped;  ///< names of the tests that are skipped; all other tests pass
};

/// Prints the name in messages of failed tests.
void PrintTo(const Machines& machines, std::ostream* out) { *out << machines.name; }

class Selftest : public testing::TestWithParam<Machines> {};

TEST_P(Selftest, EveryTestPassesOrSaysWhyItIsSkipped) {
  const std::vector<SelftestResult> results = run_selftests(GetParam().config);
  EXPECT_EQ(failures(results), "");
  EXPECT_EQ(names(results, SelftestStatus::skipped), GetParam().skipped);
  EXPECT_EQ(results.size(), selftests().size());
  for (const SelftestResult& result : results) {
    EXPECT_NE(result.detail, "") << result.name;
    const bool ran = result.status == SelftestStatus::passed;
    EXPECT_EQ(result.cycles > 0, ran) << result.name;
    EXPECT_EQ(result.instructions > 0, ran) << result.name;
  }
}

std::string test_name(const testing::TestParamInfo<Machines>& parameter) {
  return parameter.param.name;
}

INSTANTIATE_TEST_SUITE_P(Presets, Selftest,
                         testing::Values(Machines{"pynqz1", preset("pynqz1"), ""},
                                         Machines{"pynqz1_axi32", preset("pynqz1", 32), ""},
                                         Machines{"pynqz1_axi128", preset("pynqz1", 128), ""},
                                         Machines{"artya7100t", preset("artya7100t", 128), ""},
                                         Machines{"cmoda7", preset("cmoda7"), "classifier"},
                                         Machines{"speech_robot", preset("speech_robot", 128), ""},
                                         Machines{"ultra96v2", preset("ultra96v2"), ""},
                                         Machines{"zcu104", preset("zcu104", 128), ""},
                                         Machines{"zcu104_axi512", preset("zcu104", 512), ""},
                                         Machines{"zcu104_uram", preset("zcu104_uram", 128), ""}),
                         test_name);

/// The closed form of the pipeline's cycle budget is exact for every width of the ports, any number
/// of bursts and any number of words per instruction.
TEST(SelftestTiming, ThePipelineTakesItsBudgetOnEveryWidth) {
  std::vector<TcuSimulationConfig> configs;
  for (const char* name : {"artya7100t", "cmoda7", "ultra96v2", "zcu104"}) {
    configs.push_back(preset(name));
  }
  for (const std::uint32_t lanes : {2, 3, 5, 24, 64}) {
    configs.push_back(uniform(DataType::fp16bp8, lanes, 256, 32));
    configs.push_back(uniform(DataType::fp32bp16, lanes, 65536, 32));
  }
  std::size_t runs = 0;
  for (TcuSimulationConfig& config : configs) {
    for (config.axi_data_bits = 32; config.axi_data_bits <= 1024; config.axi_data_bits *= 2) {
      if (config.architecture.vector_bytes() * 8 % config.axi_data_bits != 0) continue;
      for (config.write_latency = 1; config.write_latency < 200; config.write_latency += 41) {
        SelftestOptions options;
        options.filter = "timing_pipeline";
        const std::vector<SelftestResult> results = run_selftests(config, options);
        ASSERT_EQ(results.size(), 1U);
        const std::string& detail = results[0].detail;
        const std::string cycles = detail.substr(0, detail.find(' '));
        EXPECT_EQ(detail, cycles + " cycles, budget " + cycles)
            << config.architecture.array_size << " lanes, " << config.axi_data_bits
            << " bits, write latency " << config.write_latency;
        ++runs;
      }
    }
  }
  EXPECT_GT(runs, 100U);
}

/// Returns machines that together cover every array size, every type and every AXI width.
std::vector<Machines> small_machines() {
  std::vector<Machines> list = {
      {"n2_fp16", uniform(DataType::fp16bp8, 2, 256, 32), "classifier"},
      {"n2_fp18", uniform(DataType::fp18bp10, 2, 256, 64), "classifier"},
      {"n3_fp18", uniform(DataType::fp18bp10, 3, 300, 32), "classifier"},
      {"n3_fp32", uniform(DataType::fp32bp16, 3, 256, 32), "classifier"},
      {"n4_fp8", uniform(DataType::fp8bp4, 4, 256, 32), "classifier"},
      {"n4_fp32", uniform(DataType::fp32bp16, 4, 256, 128), "classifier"},
      {"n8_fp8", uniform(DataType::fp8bp4, 8, 256, 64), "classifier"},
      {"n8_fp16", uniform(DataType::fp16bp8, 8, 256, 128), ""},
      {"n8_fp18", uniform(DataType::fp18bp10, 8, 511, 256), ""},
      {"n8_fp32", uniform(DataType::fp32bp16, 8, 256, 32), ""},
      {"n12_fp8", uniform(DataType::fp8bp4, 12, 256, 32), "classifier"},
      {"n12_fp16", uniform(DataType::fp16bp8, 12, 1000, 64), ""},
      {"n12_fp32", uniform(DataType::fp32bp16, 12, 256, 128), ""},
      {"n16_fp8", uniform(DataType::fp8bp4, 16, 256, 128), "classifier"},
      {"n16_fp32", uniform(DataType::fp32bp16, 16, 256, 512), ""},
      {"n32_fp16", uniform(DataType::fp16bp8, 32, 256, 512), ""},
      {"n32_fp32", uniform(DataType::fp32bp16, 32, 512, 1024), ""},
      {"n64_fp8", uniform(DataType::fp8bp4, 64, 512, 512), "classifier"},
      {"n64_fp18", uniform(DataType::fp18bp10, 64, 256, 64), ""},
      {"n256_fp16", uniform(DataType::fp16bp8, 256, 1024, 1024), ""},
      {"n256_fp32_axi32", uniform(DataType::fp32bp16, 256, 1024, 32), ""},
      // 257 vectors of a block of weights do not fit the memories.
      {"n256_fp8_depth256", uniform(DataType::fp8bp4, 256, 256, 1024),
       "array array_strides array_rounding gemm classifier timing_weights"},
      {"n4_fp16_depth8", uniform(DataType::fp16bp8, 4, 8, 32),
       "accumulate array_strides gemm simd_operations classifier timing_mat_mul timing_latency "
       "timing_weights timing_pipeline"},
  };
  // One block of weights fits DRAM, but local memory can only load it in two chunks.
  TcuSimulationConfig chunked = uniform(DataType::fp16bp8, 256, 256, 1024);
  chunked.architecture.dram1_depth = 1024;
  list.push_back({"n256_chunked_weights", chunked, "array_strides gemm classifier timing_weights"});
  // A machine without strides, and one with more strides than programs can use and with selectors
  // of two bits.
  TcuSimulationConfig plain = uniform(DataType::fp16bp8, 8, 256, 64);
  plain.architecture.stride0_depth = plain.architecture.stride1_depth = 1;
  list.push_back({"no_strides", plain, ""});
  TcuSimulationConfig strided = uniform(DataType::fp16bp8, 8, 2048, 64);
  strided.architecture.stride0_depth = 64;
  strided.architecture.stride1_depth = 5;
  strided.architecture.simd_registers_depth = 3;
  list.push_back({"many_strides", strided, ""});
  // With memories of one vector only the instruction stream can be tested.
  TcuSimulationConfig tiny = uniform(DataType::fp16bp8, 2, 1, 32);
  std::string skipped;
  const std::set<std::string_view> possible = {"sampling", "timing_no_op", "timing_dram_read"};
  for (const SelftestInfo& info : selftests()) {
    if (possible.count(info.name) != 0) continue;
    skipped += (skipped.empty() ? "" : " ") + std::string(info.name);
  }
  list.push_back({"depth1", tiny, skipped});
  return list;
}

INSTANTIATE_TEST_SUITE_P(Small, Selftest, testing::ValuesIn(small_machines()), test_name);

std::vector<Machines> disturbed_machines() {
  TcuSimulationConfig slow = preset("pynqz1");
  slow.read_latency = 37;
  slow.write_latency = 11;
  TcuSimulationConfig shuffled = uniform(DataType::fp16bp8, 4, 32, 64);
  shuffled.shuffle_seed = 5;
  TcuSimulationConfig legacy = preset("pynqz1");
  legacy.rounding = tcu::MacRounding::legacy;
  TcuSimulationConfig stalled = preset("pynqz1");
  stalled.stalls = StallGenerator(7, 40);
  TcuSimulationConfig gaps = preset("pynqz1");
  gaps.feed_gap = 3;
  TcuSimulationConfig own_memory = preset("pynqz1");
  own_memory.memory = faulty_memory(0, Fault{});
  TcuSimulationConfig blocking = preset("pynqz1");
  blocking.transport = AxiSlave::Transport::blocking;
  TcuSimulationConfig sampled = preset("pynqz1");
  sampled.sample_block_size = 7;
  const std::string timings =
      "timing_no_op timing_dram_read timing_mat_mul timing_latency timing_weights timing_simd "
      "timing_pipeline";
  return {{"latency", slow, ""},
          {"shuffled", shuffled, "classifier timing_mat_mul timing_pipeline"},
          {"legacy_rounding", legacy, ""},
          {"random_stalls", stalled, timings},
          {"feed_gaps", gaps, timings},
          {"own_memory", own_memory, "timing_dram_read timing_pipeline"},
          {"blocking", blocking, ""},
          {"block_of_7_samples", sampled, ""}};
}

INSTANTIATE_TEST_SUITE_P(Configured, Selftest, testing::ValuesIn(disturbed_machines()), test_name);

TEST(SelftestOptions, FilterChoosesByPartOfTheName) {
  SelftestOptions options;
  options.filter = "timing_s";
  const auto results = run_selftests(preset("pynqz1"), options);
  EXPECT_EQ(names(results, SelftestStatus::passed), "timing_simd");
}

TEST(SelftestOptions, FilterWithoutMatchNamesTheTests) {
  SelftestOptions options;
  options.filter = "tming";
  try {
    (void)run_selftests(preset("pynqz1"), options);
    FAIL() << "no error";
  } catch (const UserError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("\"tming\""), std::string::npos) << text;
    EXPECT_NE(text.find("timing_simd"), std::string::npos) << text;
  }
}

TEST(SelftestOptions, ResultsAreReportedOneByOne) {
  SelftestOptions options;
  options.filter = "array";
  std::vector<std::string> reported;
  options.on_result = [&](const SelftestResult& result) { reported.push_back(result.name); };
  (void)run_selftests(preset("pynqz1"), options);
  EXPECT_EQ(reported, (std::vector<std::string>{"array", "array_strides", "array_rounding"}));
}

TEST(SelftestOptions, TheSeedDecidesTheData) {
  SelftestOptions options;
  options.filter = "accumulate";  // its detail contains the number of saturating additions
  const TcuSimulationConfig config = preset("pynqz1");
  const std::string first = run_selftests(config, options).front().detail;
  EXPECT_EQ(run_selftests(config, options).front().detail, first);
  options.seed = 2;
  EXPECT_NE(run_selftests(config, options).front().detail, first);
}

/// The figures are those in isa/README.md.
TEST(SelftestClassifier, ReportsTheCyclesOfBothForms) {
  SelftestOptions options;
  options.filter = "classifier";
  const auto results = run_selftests(preset("pynqz1"), options);
  EXPECT_EQ(failures(results), "");
  EXPECT_EQ(results.at(0).detail,
            "1 sample: 60 cycles as layers, 5 as DAIS block; 64 samples: 564 and 131; scores "
            "equal, 63 of 65 right");
}

TEST(SelftestOptions, FullEffortRunsEveryCase) {
  SelftestOptions options;
  options.effort = SelftestEffort::full;
  TcuSimulationConfig config = uniform(DataType::fp16bp8, 4, 32, 64);
  config.architecture.stride0_depth = config.architecture.stride1_depth = 2;
  const auto results = run_selftests(config, options);
  EXPECT_EQ(failures(results), "");
  for (const SelftestResult& result : results) {
    if (result.name.rfind("memory_strides", 0) != 0 && result.name.rfind("memory_off", 0) != 0) {
      continue;
    }
    EXPECT_EQ(result.detail.rfind("all ", 0), 0U) << result.detail;
  }
}

TEST(SelftestOptions, AMachineThatCannotBeBuiltIsAUserError) {
  EXPECT_THROW((void)run_selftests(uniform(DataType::fp8bp4, 2, 256, 64)), UserError);
}

TEST(SelftestList, NamesAreUniqueAndDescribed) {
  std::set<std::string_view> seen;
  for (const SelftestInfo& info : selftests()) {
    EXPECT_TRUE(seen.insert(info.name).second) << info.name;
    EXPECT_NE(info.description, "") << info.name;
    EXPECT_EQ(info.description.find('\n'), std::string_view::npos) << info.name;
  }
}

}  // namespace
}  // namespace tactus
