// tactus run: summary, statistics with layers, and errors of files that cannot be written or read.
#include <algorithm>

#include <nlohmann/json.hpp>

#include "firmware/report/figures.h"
#include "models/tcu/machine_info.h"
#include "tests/cli/cli.h"

namespace tactus {
namespace {

using Json = nlohmann::ordered_json;
const std::string run_model = "run --model m.tmodel --input x.csv ";

class RunFiles : public CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    write_model();
  }
  /// Adds "layers" as the last key of the model.
  void add_layers(const std::string& layers) const {
    std::string model = read("m.tmodel");
    model.insert(model.rfind('}'), ", \"layers\": " + layers);
    write("m.tmodel", model);
  }
};

TEST_F(RunFiles, TheSummaryNamesTheReasons) {
  const Output output = tactus(run_model + "--read-latency 30");
  ASSERT_EQ(output.code, 0) << output.err;
  EXPECT_NE(output.out.find("lost cycles   "), std::string::npos) << output.out;
  EXPECT_NE(output.out.find("; largest reasons\n"), std::string::npos) << output.out;
  EXPECT_NE(output.out.find(" %  DRAM0 read, waiting for data\n"), std::string::npos) << output.out;
  EXPECT_NE(output.out.find("roofline      "), std::string::npos) << output.out;
  EXPECT_LE(std::count(output.out.begin(), output.out.end(), '\n'), 24) << "one screen";
}

void expect_explained(const Json& json, const std::string& path) {
  if (json.is_object()) {
    for (const auto& [key, value] : json.items()) {
      expect_explained(value, path.empty() ? key : path + "." + key);
    }
  } else if (json.is_array() && !json.empty()) {
    for (const Json& value : json) expect_explained(value, path);
  } else {
    EXPECT_NE(FigureTable(tcu_machine_info()).find(path), nullptr) << path;
  }
}

TEST_F(RunFiles, EveryFigureIsExplained) {
  ASSERT_EQ(tactus(run_model + "--stats s.json --regions 2").code, 0);
  const Json stats = Json::parse(read("s.json"));
  expect_explained(stats, "");
  EXPECT_EQ(stats.at("figures").at("cycles").at("unit"), "cycle");
  EXPECT_EQ(stats.at("images")[0].at("accounting"), stats.at("accounting"));
  for (const auto& [unit, states] : stats.at("accounting").at("units").items()) {
    std::uint64_t sum = 0;
    for (const auto& [state, cycles] : states.items()) sum += cycles.get<std::uint64_t>();
    EXPECT_EQ(sum, stats.at("accounting").at("cycles").get<std::uint64_t>()) << unit;
  }
}

TEST_F(RunFiles, LayersOfTheModel) {
  add_layers(R"([{"name": "weights", "first": 0, "count": 2},
                 {"name": "products", "first": 3, "count": 2}])");
  ASSERT_EQ(tactus(run_model + "--stats s.json").code, 0);
  const Json accounting = Json::parse(read("s.json")).at("accounting");
  const Json& layers = accounting.at("layers");
  ASSERT_EQ(layers.size(), 4U);
  EXPECT_EQ(layers[0].at("name"), "weights");
  // The fifth weight vector enters the array one cycle after the region's last retire.
  EXPECT_EQ(layers[0].at("array_loads"), 4);
  EXPECT_EQ(layers[0].at("bytes_read"), Json({0, 5 * 8}));
  EXPECT_EQ(layers[1].at("name"), "products");
  EXPECT_EQ(layers[1].at("array_runs"), 4);
  EXPECT_EQ(layers[2].at("name"), "(other)");
  EXPECT_EQ(layers[2].at("instructions"), 2);
  EXPECT_EQ(layers[3].at("name"), "(end)");
  std::uint64_t cycles = 0;
  for (const Json& layer : layers) {
    cycles += layer.at("cycles").get<std::uint64_t>();
    std::uint64_t lost = 0;
    for (const auto& [reason, count] : layer.at("lost").items()) lost += count.get<std::uint64_t>();
    EXPECT_EQ(lost + layer.at("array_runs").get<std::uint64_t>(),
              layer.at("cycles").get<std::uint64_t>());
  }
  EXPECT_EQ(cycles, accounting.at("cycles").get<std::uint64_t>());
}

TEST_F(RunFiles, Regions) {
  ASSERT_EQ(tactus(run_model + "--stats s.json --regions 4").code, 0);
  const Json layers = Json::parse(read("s.json")).at("accounting").at("layers");
  ASSERT_EQ(layers.size(), 6U);
  EXPECT_EQ(layers[0].at("name"), "instructions 0..1");
  EXPECT_EQ(layers[3].at("name"), "instructions 5..5");
  write("r.json", std::string(R"({"layers": [{"name": "only", "first": 2, "count": 4}]})"));
  ASSERT_EQ(tactus(run_model + "--stats s.json --regions r.json").code, 0);
  EXPECT_EQ(Json::parse(read("s.json")).at("accounting").at("layers")[0].at("name"), "only");
}

TEST_F(RunFiles, WrongRegions) {
  const auto expect = [this](const std::string& layers, const std::string& error) {
    write("r.json", "{\"layers\": " + layers + "}");
    expect_error(run_model + "--stats s.json --regions r.json", error);
  };
  expect("[]", "r.json:/layers: no layer is named");
  expect(R"([{"name": "a", "first": 0, "count": 0}])", "r.json:/layers/0/count: 0 is out of range");
  expect(R"([{"name": "", "first": 0, "count": 1}])", "r.json:/layers/0/name: the name is empty");
  expect(R"([{"name": "a", "first": 0, "cuont": 1}])", "did you mean \"count\"?");
  expect(R"([{"name": "a", "first": 0, "count": 3}, {"name": "b", "first": 2, "count": 1}])",
         "r.json:/layers/1/first: instruction 2 belongs to the layer before; allowed 3 or more");
  expect(R"([{"name": "a", "first": 4, "count": 3}])",
         "r.json:/layers/0: \"a\" ends at instruction 7; the program has 6");
  write("r.json", std::string("{"));
  expect_error(run_model + "--regions r.json", "r.json:1:2: syntax error");
  expect_error(run_model + "--regions none.json", "none.json");
  expect_error(run_model + "--regions 0", "--regions \"0\" is not allowed");
  expect_error(run_model + "--regions 7", "allowed: a whole number 1..6");
  add_layers(R"([{"name": "a", "first": 4, "count": 9}])");
  expect_error(
      run_model,
      "m.tmodel:/layers/0: \"a\" ends at instruction 13; a program of 36 bytes (/prog/size) has 6");
}

TEST_F(RunFiles, WrongWindows) {
  expect_error(run_model + "--timeline t.json --timeline-from 9 --timeline-to 8",
               "the window --timeline-from 9 --timeline-to 8 is empty");
  expect_error(run_model + "--timeline-min 4", "--timeline-min needs --timeline F.json");
  expect_error(run_model + "--timeline t.json --timeline-max-events 0", "is not allowed");
  const Output late = tactus(run_model + "--timeline t.json --timeline-from 100000 --stats s.json");
  EXPECT_EQ(late.code, 2);
  EXPECT_NE(late.err.find("t.json: no cycle of the run is in the window from cycle 100000"),
            std::string::npos)
      << late.err;
  EXPECT_NE(late.out.find("lost cycles"), std::string::npos);  // the figures are still printed
  EXPECT_TRUE(exists("s.json"));
  EXPECT_FALSE(exists("t.json"));
}

TEST_F(RunFiles, PathsThatCannotBeWritten) {
  expect_error(run_model + "--timeline no/t.json", "no/t.json");
  expect_error(run_model + "--report no/r.html", "no/r.html");
  expect_error(run_model + "--report x.csv", "would be written over a file");
  expect_error(run_model + "--report r --timeline r", "would be written over a file");
}

TEST_F(RunFiles, AFullDiskLosesOnlyTheFilesOnIt) {
  for (const std::string option : {"--timeline", "--report", "--stats", "--events", "--retire-log",
                                   "--dump local=/dev/full --report"}) {
    const std::string kept = option == "--stats" ? "--report kept" : "--stats kept";
    const Output output = tactus(run_model + option + " /dev/full --output out " + kept);
    EXPECT_EQ(output.code, 2) << option;
    EXPECT_NE(output.err.find("/dev/full: "), std::string::npos) << option << output.err;
    EXPECT_NE(output.out.find("lost cycles"), std::string::npos) << option;
    EXPECT_GT(read("kept").size(), 1000U) << option;
    EXPECT_EQ(read("out/y.bin").size(), 32U) << option;
  }
}

TEST_F(RunFiles, Explain) {
  const Output all = tactus("explain");
  EXPECT_EQ(all.code, 0);
  EXPECT_GT(std::count(all.out.begin(), all.out.end(), '\n'), 300);
  const Output one = tactus("explain decoder.starved");
  EXPECT_EQ(one.out,
            "accounting.units.decoder.starved  [cycles]\n"
            "    stall: no instruction has arrived, and the stream has not ended\n");
  expect_error("explain cylces", "no figure is named \"cylces\"; did you mean \"cycles\"?");
  expect_error("explain --markdown cycles", "--markdown prints the whole table");
}

}  // namespace
}  // namespace tactus
