// tactus topologies, and topology files in place of networks.
#include <sstream>

#include <fmt/format.h>
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

/// The simulated outputs of every layer are compared with floating-point arithmetic.
TEST_F(TopologiesCommand, CompiledLayersComputeWhatTheySay) {
  const Output check = tactus("compile t/conv.csv --board pynq_z1 --check -o out");
  ASSERT_EQ(check.code, 0) << check.err << check.out;
  EXPECT_NE(check.out.find("first:out"), std::string::npos) << check.out;
  EXPECT_NE(check.out.find("second:out"), std::string::npos) << check.out;
}

TEST_F(TopologiesCommand, AFolderIsPrintedAsATable) {
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
  // The results can be compared like those of any run.
  EXPECT_EQ(tactus("compare r/conv.json r/fc.json").code, 0);
}

/// The two figures of the array are the same wherever they are printed.
TEST_F(TopologiesCommand, ArrayBusyAndUsefulMacAreTheSameEverywhere) {
  const Output made = tactus("compile t/fc.csv --board zcu104 -o out --summary --layers");
  ASSERT_EQ(made.code, 0) << made.err;
  const Json model = Json::parse(read("out/fc_csv_zcu104.tmodel"));
  constexpr std::size_t vector_bytes = 32 * 2;
  write("x.bin", std::vector<std::uint8_t>(model.at("inputs").at(0).at("size").get<std::size_t>() *
                                           vector_bytes));
  const Output run = tactus(
      "run --model out/fc_csv_zcu104.tmodel --input x.bin --stats s.json --report r.html "
      "--layers-csv l.csv");
  ASSERT_EQ(run.code, 0) << run.err;
  const Output table = tactus("topologies t/fc.csv --board zcu104 -o r");
  ASSERT_EQ(table.code, 0) << table.err;
  const Json stats = Json::parse(read("s.json"));
  // 36 x 12 x 20 products on 32 x 32 multipliers, in the simulated cycles.
  EXPECT_EQ(stats.at("macs"), 36 * 12 * 20);
  const double useful = stats.at("useful_mac"), busy = stats.at("array_busy");
  EXPECT_DOUBLE_EQ(useful, 36.0 * 12 * 20 / (stats.at("cycles").get<double>() * 32 * 32));
  EXPECT_DOUBLE_EQ(busy, stats.at("array_runs").get<double>() / stats.at("cycles").get<double>());
  EXPECT_GT(busy, useful);  // 20 and 12 are padded to 32 lanes
  const auto percent = [](double share) { return fmt::format("{:.1f}", 100 * share); };
  const std::string busy_text = percent(busy), useful_text = percent(useful);
  const auto expect = [](const std::string& where, const std::string& text) {
    EXPECT_NE(where.find(text), std::string::npos) << text << "\n" << where;
  };
  expect(run.out, "array busy " + busy_text + " %, useful MAC " + useful_text + " %");
  expect(made.out, "array busy, useful MAC    " + busy_text + " %, " + useful_text + " % of");
  expect(table.out, "  " + busy_text + "  ");
  expect(table.out, "  " + useful_text + "  ");
  const Json topology = Json::parse(read("r/fc.json"));
  EXPECT_EQ(topology.at("array_busy"), busy);
  EXPECT_EQ(topology.at("useful_mac"), useful);
  for (const std::string& page : {read("r.html"), read("r/index.html")}) {
    expect(page, "useful MAC");
    expect(page, "rray busy");
  }
  for (const std::string& titles : {made.out, table.out, read("l.csv"), read("r/fc.csv")}) {
    expect(titles, "array busy %");
    expect(titles, "useful MAC %");
  }
  // The layer has the cycles of the run up to its last retire.
  const Json& layer = stats.at("accounting").at("layers").at(0);
  expect(made.out, "  " + percent(layer.at("array_busy")) + "  ");
  expect(made.out, "  " + percent(layer.at("useful_mac")) + "\n");
  expect(read("l.csv"), fmt::format("{:.2f},{:.2f}", 100 * layer.at("array_busy").get<double>(),
                                    100 * layer.at("useful_mac").get<double>()));
  EXPECT_EQ(read("l.csv"), read("r/fc.csv"));
  // The roofline has a point of useful multiply-accumulates, and one of all that the busy array
  // computes.
  const Json& roofline = stats.at("accounting").at("roofline");
  EXPECT_EQ(roofline.at("useful").at("macs"), 36 * 12 * 20);
  EXPECT_EQ(roofline.at("busy").at("macs"), stats.at("array_runs").get<std::uint64_t>() * 32 * 32);
}

/// A matrix product equals a 1x1 convolution: the same instructions, so the same cycles.
TEST_F(TopologiesCommand, ProductsAreConvolutionsOf1x1) {
  std::filesystem::create_directory(folder_ / "u");
  write("u/a.csv", "x, 36, 1, 1, 1, 20, 12, 1\n");
  write("u/b.csv", "x, 36, 12, 20\n");
  ASSERT_EQ(tactus("topologies u --board pynq_z1 -o r").code, 0);
  EXPECT_EQ(Json::parse(read("r/a.json")).at("cycles"), Json::parse(read("r/b.json")).at("cycles"));
}

TEST_F(TopologiesCommand, TopologiesMayBePointsOfSweeps) {
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
