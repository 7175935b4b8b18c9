// Compiled programs give the RTL's cycle counts and data, for every latency that was measured.
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "firmware/driver/tcu/host.h"
#include "isa/tcu/vectors_file.h"
#include "tests/support/shared.h"

namespace tactus {
namespace {

using Json = nlohmann::json;

const char* const manifest_path = "golden/tcu/programs/manifest.json";

/// A program of the manifest with its model and inputs.
struct Case {
  explicit Case(const std::string& name) {
    std::ifstream stream(shared_folder() + "/" + manifest_path);
    const Json manifest = Json::parse(stream);
    for (const Json& entry : manifest.at("programs")) {
      if (entry.at("name") == name) json = entry;
    }
    folder = shared_folder() + "/golden/tcu/programs/" + json.at("dir").get<std::string>() + "/";
    model = read_model(folder + json.at("model").get<std::string>(), ProgramChecks::strict);
    const char* key = json.contains("inputs_csv") ? "inputs_csv" : "input_csv";
    vectors = tcu::read_vectors(folder + json.at(key).get<std::string>(), model.file.arch);
  }

  [[nodiscard]] TcuSimulationConfig config(const Json& rtl) const {
    TcuSimulationConfig config;
    config.architecture = model.file.arch;
    config.axi_data_bits = json.at("axi_data_bits");
    config.read_latency = rtl.at("read_latency");
    config.write_latency = rtl.at("write_latency");
    return config;
  }

  [[nodiscard]] TensorData image(std::size_t index) const {
    const tcu::TensorEntry& input = model.file.inputs.at(0);
    const std::uint64_t bytes = input.size * model.file.arch.vector_bytes();
    const auto first = vectors.begin() + static_cast<std::ptrdiff_t>(index * bytes);
    return {{input.name, {first, first + static_cast<std::ptrdiff_t>(bytes)}}};
  }

  /// Returns the lanes of the model's output.
  [[nodiscard]] std::vector<std::int64_t> output(const ImageResult& result) const {
    const std::vector<std::uint8_t>& bytes = result.outputs.at(model.file.outputs.at(0).name);
    std::vector<std::int64_t> lanes;
    for (std::size_t i = 0; i < bytes.size() / 2; ++i) {
      lanes.push_back(tcu::lane(model.file.arch.data_type, bytes.data(), i));
    }
    return lanes;
  }

  Json json;
  std::string folder;
  Model model;
  std::vector<std::uint8_t> vectors;
};

void expect_figures(const Json& rtl, const TcuRunResult& run) {
  ASSERT_EQ(run.end, RunEnd::finished);
  EXPECT_EQ(run.last_retire_padded, rtl.at("last_retire").get<Cycle>());
  EXPECT_EQ(run.last_b[0].value_or(0), rtl.at("last_b0").get<Cycle>());
  for (unsigned p = 0; p < 2; ++p) {
    EXPECT_EQ(run.read_beats[p], rtl.at("read_beats")[p].get<std::uint64_t>());
    EXPECT_EQ(run.write_beats[p], rtl.at("write_beats")[p].get<std::uint64_t>());
  }
}

TEST(GoldenPrograms, SpeechCommands) {
  TACTUS_NEEDS_SHARED(manifest_path);
  const Case c("speech_commands");
  for (const Json& rtl : c.json.at("rtl")) {
    TcuSimulation simulation(c.config(rtl));
    Host host(simulation, c.model, HostMode::plain);
    ASSERT_FALSE(host.prepare());
    const ImageResult result = host.run_image(c.image(0), {});
    expect_figures(rtl, result.run);
    EXPECT_EQ(result.run.instructions, c.json.at("instructions").get<std::uint64_t>());
    EXPECT_EQ(c.output(result),
              c.json.at("expected_output_raw")[0].get<std::vector<std::int64_t>>());
  }
}

/// Runs images one after the other on one machine; each starts in the state that the previous one
/// left.
TEST(GoldenPrograms, ResNet20TenImages) {
  TACTUS_NEEDS_SHARED(manifest_path);
  const Case c("resnet20v2_zcu104");
  for (const Json& rtl : c.json.at("rtl")) {
    TcuSimulation simulation(c.config(rtl));
    Host host(simulation, c.model, HostMode::plain);
    ASSERT_FALSE(host.prepare());
    for (std::size_t i = 0; i < c.json.at("images").get<std::size_t>(); ++i) {
      const ImageResult result = host.run_image(c.image(i), {});
      expect_figures(rtl, result.run);
      EXPECT_EQ(result.run.retired, c.json.at("instructions_with_padding").get<std::uint64_t>());
      std::vector<std::int64_t> lanes = c.output(result);
      lanes.resize(10);
      EXPECT_EQ(lanes,
                c.json.at("expected_output_raw_first_lanes")[i].get<std::vector<std::int64_t>>());
    }
  }
}

/// Runs the program as real drivers do: with configuration, and completion detected by the probe's
/// copy.
TEST(GoldenPrograms, DriverModeGivesTheSameOutputs) {
  TACTUS_NEEDS_SHARED(manifest_path);
  const Case c("resnet20v2_zcu104");
  const Json& rtl = c.json.at("rtl")[1];
  TcuSimulation simulation(c.config(rtl));
  Host host(simulation, c.model, HostMode::driver);
  ASSERT_FALSE(host.prepare());
  for (std::size_t i = 0; i < 2; ++i) {
    const ImageResult result = host.run_image(c.image(i), {});
    ASSERT_EQ(result.run.end, RunEnd::finished);
    std::vector<std::int64_t> lanes = c.output(result);
    lanes.resize(10);
    EXPECT_EQ(lanes,
              c.json.at("expected_output_raw_first_lanes")[i].get<std::vector<std::int64_t>>());
    // The probe's read waits for all earlier write responses of DRAM0.
    ASSERT_TRUE(result.probe);
    EXPECT_GT(*result.probe, rtl.at("last_b0").get<Cycle>());
    EXPECT_LT(*result.probe, rtl.at("last_b0").get<Cycle>() + 100);
    EXPECT_EQ(result.run.instructions, c.json.at("instructions").get<std::uint64_t>() + 2);
  }
}

}  // namespace
}  // namespace tactus
