// Whole networks compiled by Tactus give the RTL's cycles and outputs for every measured memory
// latency. Inputs, outputs and figures are in networks.tar.xz.
#include <algorithm>
#include <fstream>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "firmware/bench/program_cache.h"
#include "firmware/compiler/compiler.h"
#include "firmware/driver/tcu/host.h"
#include "firmware/zoo/zoo.h"
#include "isa/support/files.h"
#include "isa/support/sha256.h"
#include "isa/tcu/architecture.h"

namespace tactus {
namespace {

using Json = nlohmann::json;
using Bytes = std::vector<std::uint8_t>;

const std::string folder = TACTUS_GOLDEN_DIR "/networks/";

struct Network {
  std::string name;
  Json json;
};

/// Prints the name of the test in logs.
void PrintTo(const Network& network, std::ostream* out) { *out << network.name; }

std::vector<Network> networks() {
  std::ifstream stream(folder + "networks.json");
  std::vector<Network> all;
  const Json file = Json::parse(stream);
  for (const Json& json : file.at("networks")) {
    all.push_back({json.at("name").get<std::string>(), json});
  }
  return all;
}

/// Splits `bytes` into consecutive pieces, one for each tensor.
TensorData pieces(const std::vector<tcu::TensorEntry>& tensors, const Bytes& bytes,
                  std::size_t vector_bytes) {
  TensorData data;
  std::size_t at = 0;
  for (const tcu::TensorEntry& tensor : tensors) {
    const std::size_t end = at + tensor.size * vector_bytes;
    if (end > bytes.size()) throw std::out_of_range("the golden tensors are too short");
    data[tensor.name].insert(data[tensor.name].end(),
                             bytes.begin() + static_cast<std::ptrdiff_t>(at),
                             bytes.begin() + static_cast<std::ptrdiff_t>(end));
    at = end;
  }
  EXPECT_EQ(at, bytes.size());
  return data;
}

class GoldenNetworks : public ::testing::TestWithParam<Network> {
 protected:
  void SetUp() override {
    const std::string name = json_.at("architecture");
    architecture_ = tcu::read_architecture(TACTUS_SOURCE_DIR "/configs/arch/" + name + ".tarch");
    compiler::Options options;
    options.strategy = compiler::parse_strategy(json_.at("strategy").get<std::string>());
    // The recorded programs add up all values of a mean before they divide.
    options.value_bound = 1.9;
    const nn::Network network =
        nn::zoo_entry(json_.at("network").get<std::string>()).build(nn::default_zoo_seed);
    model_ = bench::to_program(compiler::compile(network.graph, architecture_, options),
                               json_.at("name"))
                 .model;
  }

  void run(const Json& measured) {
    TcuSimulationConfig config;
    config.architecture = architecture_;
    config.axi_data_bits = json_.at("axi_data_bits");
    config.read_latency = measured.at("read_latency");
    config.write_latency = measured.at("write_latency");
    config.feed_gap = measured.at("feed_gap");
    TcuSimulation simulation(config);
    Host host(simulation, model_, HostMode::plain);
    ASSERT_FALSE(host.prepare());

    const std::size_t vector_bytes = architecture_.vector_bytes();
    std::vector<std::uint32_t> retired;
    const auto first =
        static_cast<std::uint32_t>(simulation.now());  // after loading constants, if any
    TcuRunOptions options;
    options.retire_log = &retired;
    const ImageResult result =
        host.run_image(pieces(model_.file.inputs, golden_bytes("input"), vector_bytes), options);
    ASSERT_EQ(result.run.end, RunEnd::finished);

    for (std::uint32_t& cycle : retired) cycle -= first;
    const Json& rtl = measured.at("rtl");
    const auto figure = [&rtl](const char* key) { return rtl.at(key).get<std::uint64_t>(); };
    const auto pair = [&rtl](const char* key) {
      return rtl.at(key).get<std::array<std::uint64_t, 2>>();
    };
    EXPECT_EQ(result.run.last_retire_padded, figure("last_retire"));
    EXPECT_EQ(result.run.last_retire, figure("last_retire_program"));
    for (unsigned port = 0; port < 2; ++port) {
      const Json& last = rtl.at(port == 0 ? "last_b0" : "last_b1");
      EXPECT_EQ(result.run.last_b[port].has_value(), !last.is_null());
      if (!last.is_null()) {
        EXPECT_EQ(result.run.last_b[port].value_or(0), last.get<Cycle>());
      }
    }
    EXPECT_EQ(result.run.read_beats, pair("read_beats"));
    EXPECT_EQ(result.run.write_beats, pair("write_beats"));
    EXPECT_EQ(result.run.read_bursts, pair("read_bursts"));
    EXPECT_EQ(result.run.write_bursts, pair("write_bursts"));
    EXPECT_EQ(result.run.array_runs, figure("array_runs"));
    EXPECT_EQ(result.run.array_loads, figure("array_loads"));
    EXPECT_EQ(result.run.alu_operations, figure("alu_operations"));
    EXPECT_EQ(hash(retired), measured.at("retire_log_sha256")) << "some instruction's cycle";
    EXPECT_EQ(result.outputs, pieces(model_.file.outputs, golden_bytes("outputs"), vector_bytes));
  }

  [[nodiscard]] Bytes golden_bytes(const char* key) const {
    return read_file(folder + json_.at(key).get<std::string>());
  }

  /// Returns the hash of the words in little-endian order.
  static std::string hash(const std::vector<std::uint32_t>& words) {
    Bytes bytes;
    for (const std::uint32_t word : words) {
      for (unsigned shift = 0; shift < 32; shift += 8) {
        bytes.push_back(static_cast<std::uint8_t>(word >> shift));
      }
    }
    return sha256(bytes);
  }

  const Json& json_ = GetParam().json;
  tcu::Architecture architecture_;
  Model model_;
};

/// The RTL ran exactly these programs. If a change of the compiler changes the programs, the
/// networks must be measured again.
TEST_P(GoldenNetworks, EveryCycleCountAndOutputOfTheRtl) {
  ASSERT_EQ(sha256(model_.program), json_.at("tprog_sha256"));
  ASSERT_EQ(sha256(model_.constants.at(0)), json_.at("tdata_sha256"));
  for (const Json& measured : json_.at("runs")) {
    SCOPED_TRACE("latency " + measured.at("read_latency").dump() + " read " +
                 measured.at("write_latency").dump() + " write");
    run(measured);
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Rtl, GoldenNetworks, ::testing::ValuesIn(networks()),
                         [](const auto& test) {
                           std::string name = test.param.name;
                           for (char& c : name) {
                             if (c == '-') c = '_';
                           }
                           return name;
                         });

TEST(GoldenNetworksFile, HasFifteenNetworksAtFourLatencies) {
  const std::vector<Network> all = networks();
  EXPECT_EQ(all.size(), 15U);
  std::uint64_t cycles = 0;
  for (const Network& network : all) {
    EXPECT_EQ(network.json.at("runs").size(), 4U);
    for (const Json& run : network.json.at("runs")) {
      std::uint64_t last = 0;
      for (const char* event : {"last_retire", "last_b0", "last_b1"}) {
        const Json& cycle = run.at("rtl").at(event);
        if (!cycle.is_null()) last = std::max(last, cycle.get<std::uint64_t>());
      }
      cycles += last + 1;
    }
  }
  EXPECT_EQ(cycles, 29097132U);  // the number in README.md
}

}  // namespace
}  // namespace tactus
