// tactus topologies, and topologies wherever a network can be named.
#include <sstream>

#include <nlohmann/json.hpp>

#include "tests/cli/cli.h"

namespace tactus {
namespace {

using Json = nlohmann::ordered_json;

const std::string convolutions =
    "Layer, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, "
    "Strides,\nfirst, 9, 11, 3, 2, 5, 7, 2,\nsecond, 6, 6, 1, 1, 20, 12, 1,\n";
const std::string products = "Layer, M, N, K,\nfc, 36, 12, 20,\n";

class TopologiesCommand : public CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    std::filesystem::create_directory(folder_ / "t");
    write("t/conv.csv", convolutions);
    write("t/fc.csv", products);
  }
};

/// The simulated outputs of every layer are those of float arithmetic.
TEST_F(TopologiesCommand, CompiledLayersComputeWhatTheySay) {
  const Output check = tactus("compile t/conv.csv --board pynq_z1 --check -o out");
  ASSERT_EQ(check.code, 0) << check.err << check.out;
  EXPECT_NE(check.out.find("first:out"), std::string::npos) << check.out;
  EXPECT_NE(check.out.find("second:out"), std::string::npos) << check.out;
}

TEST_F(TopologiesCommand, AFolderIsCompared) {
  const Output run = tactus("topologies t --board pynq_z1 -o r --energy horowitz_45nm");
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_NE(run.out.find("energy by table horowitz_45nm"), std::string::npos) << run.out;
  for (const char* file : {"r/index.html", "r/conv.json", "r/conv.csv", "r/fc.json", "r/fc.csv"}) {
    EXPECT_TRUE(exists(file)) << file;
  }
  const Json conv = Json::parse(read("r/conv.json"));
  std::uint64_t cycles = 0;
  std::vector<std::string> names;
  for (const Json& layer : conv.at("accounting").at("layers")) {
    names.push_back(layer.at("name").get<std::string>());
    cycles += layer.at("cycles").get<std::uint64_t>();
  }
  EXPECT_EQ(cycles, conv.at("accounting").at("cycles").get<std::uint64_t>());
  ASSERT_GE(names.size(), 2U);
  const std::string page = read("r/index.html");
  for (const char* text : {"conv", "fc", "Cycles by reason", "Layers of conv", "horowitz_45nm"}) {
    EXPECT_NE(page.find(text), std::string::npos) << text;
  }
  // What is written of one can be compared as any run.
  EXPECT_EQ(tactus("compare r/conv.json r/fc.json").code, 0);
}

/// A matrix product is a convolution of 1x1: the same instructions, so the same cycles.
TEST_F(TopologiesCommand, ProductsAreConvolutionsOf1x1) {
  std::filesystem::create_directory(folder_ / "u");
  write("u/a.csv", "x, 36, 1, 1, 1, 20, 12, 1\n");
  write("u/b.csv", "x, 36, 12, 20\n");
  ASSERT_EQ(tactus("topologies u --board pynq_z1 -o r").code, 0);
  EXPECT_EQ(Json::parse(read("r/a.json")).at("cycles"), Json::parse(read("r/b.json")).at("cycles"));
}

TEST_F(TopologiesCommand, ArePointsOfSweeps) {
  write("s.json", R"({"name": "s", "base": {"workload": {"network": "t/conv.csv"},
    "board": {"name": "pynq_z1"}},
    "axes": [{"key": "workload.network", "values": ["t/conv.csv", "t/fc.csv"]}]})");
  const Output sweep = tactus("sweep s.json -o r");
  ASSERT_EQ(sweep.code, 0) << sweep.err << sweep.out;
  ASSERT_EQ(tactus("topologies t --board pynq_z1 -o q").code, 0);
  std::istringstream lines(read("r/results.jsonl"));
  std::size_t seen = 0;
  for (std::string line; std::getline(lines, line); ++seen) {
    const Json point = Json::parse(line);
    const bool conv = point.at("configuration")
                          .at("workload")
                          .at("network")
                          .get<std::string>()
                          .find("conv.csv") != std::string::npos;
    EXPECT_EQ(point.at("figures").at("cycles"),
              Json::parse(read(conv ? "q/conv.json" : "q/fc.json")).at("cycles"));
  }
  EXPECT_EQ(seen, 2U);
}

TEST_F(TopologiesCommand, RefusesWithFileAndLine) {
  write("t/bad.csv", convolutions + "third, 6, 6, 1, 1, 20\n");
  expect_error("topologies t --board pynq_z1 -o r", "t/bad.csv:4: 6 cells; allowed 8");
  EXPECT_FALSE(exists("r"));
  expect_error("compile t/bad.csv --board pynq_z1 -o out", "t/bad.csv:4: 6 cells");
  expect_error("topologies t/conv.csv", "name a board with --board");
  expect_error("topologies --board pynq_z1", "name a file or a folder");
  std::filesystem::create_directory(folder_ / "empty");
  expect_error("topologies empty --board pynq_z1", "empty: has no .csv file");
  expect_error("topologies t/conv.csv t/conv.csv --board pynq_z1", "two files are named conv");
}

}  // namespace
}  // namespace tactus
