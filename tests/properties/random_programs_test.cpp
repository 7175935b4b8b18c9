// Random programs measured on three elaborations of the RTL: the machine has the same retire
// cycles, totals and final memory contents.
#include <unistd.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "firmware/driver/tcu/simulation.h"
#include "isa/support/files.h"
#include "isa/support/sha256.h"
#include "tests/support/process.h"

namespace tactus {
namespace {

using nlohmann::json;

const std::string folder = TACTUS_GOLDEN_DIR "/random_programs/";

std::vector<std::uint8_t> gunzip(const std::string& path) {
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  const std::string unpacked = testing::TempDir() + "tactus_" + std::to_string(getpid());
  Process({"gzip", "-dc", path}, {".", unpacked}).wait();
  const std::unique_ptr<std::FILE, Close> pipe(std::fopen(unpacked.c_str(), "rb"));
  std::remove(unpacked.c_str());
  std::vector<std::uint8_t> bytes;
  std::array<std::uint8_t, 4096> chunk{};
  while (const std::size_t count = std::fread(chunk.data(), 1, chunk.size(), pipe.get())) {
    bytes.insert(bytes.end(), chunk.begin(), chunk.begin() + static_cast<std::ptrdiff_t>(count));
  }
  return bytes;
}

std::vector<std::uint32_t> little_endian_words(const std::vector<std::uint8_t>& bytes) {
  std::vector<std::uint32_t> words;
  for (std::size_t at = 0; at + 4 <= bytes.size(); at += 4) {
    words.push_back(bytes[at] | std::uint32_t{bytes[at + 1]} << 8 |
                    std::uint32_t{bytes[at + 2]} << 16 | std::uint32_t{bytes[at + 3]} << 24);
  }
  return words;
}

TcuSimulationConfig config_of(const json& manifest, const json& program) {
  const json& shape = manifest["architectures"][program["arch"].get<std::string>()];
  TcuSimulationConfig config;
  config.architecture.array_size = shape["array_size"];
  config.architecture.local_depth = shape["local_depth"];
  config.architecture.accumulator_depth = shape["accumulator_depth"];
  config.architecture.dram0_depth = config.architecture.dram1_depth = shape["dram_depth"];
  config.axi_data_bits = program["axi_data_bits"];
  config.read_latency = program["read_latency"];
  config.write_latency = program["write_latency"];
  return config;
}

void load_block(TcuSimulation& simulation, unsigned port, const std::string& path) {
  const std::vector<std::uint8_t> block = read_file(path);
  ASSERT_EQ(block.size(), 65536U);
  for (std::uint64_t copy = 0; copy < 64; ++copy) simulation.write_dram(port, copy * 65536, block);
}

void check_program(const json& manifest, const json& program) {
  const std::string name = program["name"];
  SCOPED_TRACE(name);
  const TcuSimulationConfig config = config_of(manifest, program);
  TcuSimulation simulation(config);
  load_block(simulation, 0, folder + name + ".dram0.block");
  load_block(simulation, 1, folder + name + ".dram1.block");

  std::vector<std::uint32_t> retires;
  TcuRunOptions options;
  options.retire_log = &retires;
  const TcuRunResult result = simulation.run(read_file(folder + name + ".tprog"), options);

  EXPECT_EQ(result.end, RunEnd::finished);
  EXPECT_EQ(result.instructions, program["instructions"].get<std::uint64_t>());
  EXPECT_EQ(retires, little_endian_words(gunzip(folder + name + ".retire.u32.gz")));
  EXPECT_EQ(result.last_retire, program["last_retire"].get<Cycle>());
  const std::array<const char*, 2> last_b{"last_b0", "last_b1"};
  for (unsigned port = 0; port < 2; ++port) {
    const json& expected = program[last_b[port]];
    ASSERT_EQ(result.last_b[port].has_value(), !expected.is_null());
    if (!expected.is_null()) {
      EXPECT_EQ(*result.last_b[port], expected.get<Cycle>());
    }
    EXPECT_EQ(result.read_beats[port], program["read_beats"][port].get<std::uint64_t>());
    EXPECT_EQ(result.write_beats[port], program["write_beats"][port].get<std::uint64_t>());
  }
  EXPECT_EQ(sha256(simulation.read_dram(0, 0, 4 << 20)),
            program["dram0_sha256_4MiB"].get<std::string>());
}

TEST(Sha256, StandardVectors) {
  const auto of = [](const std::string& text) { return sha256({text.begin(), text.end()}); };
  EXPECT_EQ(of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST(GoldenRandomPrograms, EveryRetireAndTheMemory) {
  std::ifstream file(folder + "manifest.json");
  const json manifest = json::parse(file);
  ASSERT_EQ(manifest["programs"].size(), 12U);
  for (const json& program : manifest["programs"]) check_program(manifest, program);
}

}  // namespace
}  // namespace tactus
