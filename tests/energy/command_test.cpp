// Energy on the command line: what is counted is what the statistics count, and no energy is told
// without the name of its table.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tests/cli/cli.h"

namespace tactus {
namespace {

using Json = nlohmann::ordered_json;

/// Every event has another price, so that no two can be mistaken for each other.
const std::string prices = R"({"name": "mine", "source": "made up", "unit": "relative",
  "events": {"mac": 1, "simd_lane": 3, "local_read": 5, "local_write": 7, "accumulator_read": 11,
             "accumulator_write": 13, "dram_read": {"value": 17, "per_bits": 8},
             "dram_write": {"value": 19, "per_bits": 8}, "instruction": 23},
  "static_per_cycle": 0.25})";

class EnergyCommand : public CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    write_model();
    write("mine.json", prices);
  }
};

TEST_F(EnergyCommand, IsWhatTheStatisticsCount) {
  const Output run = tactus(
      "run --model m.tmodel --input x.csv --regions 3 --energy mine.json --stats s.json "
      "--report r.html --layers --layers-csv l.csv");
  ASSERT_EQ(run.code, 0) << run.err;
  const Json stats = Json::parse(read("s.json"));
  const auto of = [&](const std::string& pointer) {
    return stats.at(Json::json_pointer(pointer)).get<double>();
  };
  const auto unit = [&](const std::string& name) { return of("/accounting/units/" + name); };
  const double accumulators = unit("accumulators/access");
  const Json& events = stats.at("energy").at("by_event");
  const auto count = [&](const char* name) { return events.at(name).at("count").get<double>(); };
  EXPECT_EQ(count("mac"), of("/array_runs") * 4 * 4);
  EXPECT_EQ(count("simd_lane"), of("/alu_operations") * 4);
  EXPECT_EQ(count("local_read"), unit("local_a/read") + unit("local_b/read"));
  EXPECT_EQ(count("local_write"), unit("local_a/write") + unit("local_b/write"));
  EXPECT_EQ(count("accumulator_read") + count("accumulator_write"), accumulators);
  EXPECT_EQ(count("instruction"), of("/instructions_retired"));
  double bytes_read = 0, bytes_written = 0;
  for (const char* port : {"dram0", "dram1"}) {
    bytes_read += of(std::string("/accounting/dram/") + port + "/bytes_read");
    bytes_written += of(std::string("/accounting/dram/") + port + "/bytes_written");
  }
  const double expected = count("mac") + 3 * count("simd_lane") + 5 * count("local_read") +
                          7 * count("local_write") + 11 * count("accumulator_read") +
                          13 * count("accumulator_write") + 17 * bytes_read + 19 * bytes_written +
                          23 * count("instruction") + 0.25 * of("/cycles");
  EXPECT_GT(bytes_read, 0);
  EXPECT_DOUBLE_EQ(of("/energy/total"), expected);
  // Layers have all of it; they account for the cycles until all units rest.
  double layers = 0;
  for (const Json& layer : stats.at("energy").at("layers")) {
    layers += layer.at("total").get<double>();
  }
  EXPECT_DOUBLE_EQ(layers - 0.25 * of("/accounting/cycles"),
                   of("/energy/total") - 0.25 * of("/cycles"));
  EXPECT_EQ(stats.at("figures").at("energy.total").at("unit"), "energy.unit");
  // Wherever an energy stands, its table does.
  EXPECT_NE(run.out.find("table mine"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("energy relative (mine)"), std::string::npos) << run.out;
  EXPECT_NE(read("l.csv").find("energy relative (mine)"), std::string::npos);
  EXPECT_NE(read("r.html").find("Energy by table mine"), std::string::npos);
  EXPECT_NE(read("r.html").find("made up"), std::string::npos);
}

TEST_F(EnergyCommand, IsPartOfARunThatIsRunAgain) {
  ASSERT_EQ(tactus("run --model m.tmodel --input x.csv --energy mine.json --stats s.json").code, 0);
  std::filesystem::create_directory(folder_ / "away");
  const Output again = shell("cd away && \"$0\" run --config ../s.json --stats t.json");
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(Json::parse(read("s.json")).at("energy"),
            Json::parse(read("away/t.json")).at("energy"));
  // Beside a file of --config.
  write("away/c.json", R"({"workload": {"model": "../m.tmodel", "inputs": {"x": "../x.csv"}},
                           "run": {"energy": "../mine.json"}})");
  const Output beside = tactus("run --config away/c.json");
  EXPECT_EQ(beside.code, 0) << beside.err;
  EXPECT_NE(beside.out.find("table mine"), std::string::npos) << beside.out;
  // Without a table there is no energy.
  const Output plain = tactus("run --model m.tmodel --input x.csv --stats -");
  EXPECT_FALSE(Json::parse(plain.out).contains("energy"));
}

TEST_F(EnergyCommand, ComparesOneTableOnly) {
  const std::string run = "run --model m.tmodel --input x.csv ";
  ASSERT_EQ(tactus(run + "--energy mine.json --stats a.json").code, 0);
  ASSERT_EQ(tactus(run + "--energy mine.json --read-latency 9 --stats b.json").code, 0);
  ASSERT_EQ(tactus(run + "--energy relative --stats c.json").code, 0);
  const Output same = tactus("compare a.json b.json -o p.html --json j.json");
  ASSERT_EQ(same.code, 0) << same.err;
  EXPECT_NE(same.out.find("energy by table mine, relative (made up)"), std::string::npos);
  const Json json = Json::parse(read("j.json"));
  EXPECT_EQ(json.at("energy").at("total")[0], Json::parse(read("a.json")).at("energy").at("total"));
  EXPECT_EQ(json.at("energy").at("total")[1], Json::parse(read("b.json")).at("energy").at("total"));
  EXPECT_NE(read("p.html").find("mine, relative"), std::string::npos);
  const Output other = tactus("compare a.json c.json");
  EXPECT_NE(other.out.find("energies of different tables do not compare"), std::string::npos);
}

TEST_F(EnergyCommand, RefusesTablesThatSayNothing) {
  const std::string run = "run --model m.tmodel --input x.csv --stats s.json --energy ";
  expect_error(run + "nobody", "\"nobody\" is not in");
  write("bad.json", R"({"name": "b"})");
  expect_error(run + "bad.json", "bad.json:/source: missing key");
  std::string narrow = prices;
  narrow.replace(narrow.find("\"mac\": 1"), 8, R"("mac": {"by_size": [{"up_to": 8, "value": 1}]})");
  write("narrow.json", narrow);
  expect_error(run + "narrow.json", "narrow.json:/events/mac: has no value for scalars of 16 bits");
  EXPECT_FALSE(exists("s.json"));
}

TEST_F(EnergyCommand, IsAFigureOfSweeps) {
  std::filesystem::create_directory(folder_ / "d");
  write("d/mine.json", prices);
  write("d/s.json", R"({"name": "s", "base": {"workload": {"network": "mlp"},
    "board": {"name": "zcu104", "memory_model": "fixed"}, "measure": {"images": 3}},
    "axes": [{"key": "measure.energy", "values": ["mine.json", "horowitz_45nm"]}]})");
  const Output sweep = tactus("sweep d/s.json -o r");
  ASSERT_EQ(sweep.code, 0) << sweep.err << sweep.out;
  const std::string csv = read("r/results.csv");
  for (const char* column :
       {"figures.energy.table", "figures.energy.total", "figures.energy.area.total",
        "figures.throughput.frames_per_second", "figures.throughput.latency_cycles.p95"}) {
    EXPECT_NE(csv.find(column), std::string::npos) << column;
  }
  ASSERT_EQ(tactus("report r -o p.html").code, 0);
  const std::string page = read("p.html");
  for (const char* text : {"Energy", "Throughput", "horowitz_45nm", "do not compare"}) {
    EXPECT_NE(page.find(text), std::string::npos) << text;
  }
  write("d/s.json", R"({"name": "s", "base": {"workload": {"network": "mlp"},
    "board": {"name": "zcu104"}, "measure": {"energy": "none.json"}},
    "axes": [{"key": "workload.seed", "values": [1]}]})");
  expect_error("sweep d/s.json -o x", "d/s.json:/base/measure/energy");
}

// ---- throughput ---------------------------------------------------------------------------------

TEST_F(EnergyCommand, ManyImagesHaveAThroughput) {
  const Output run = tactus("run --model m.tmodel --input x.csv --images 5 --stats s.json -o out");
  ASSERT_EQ(run.code, 0) << run.err;
  const Json stats = Json::parse(read("s.json"));
  ASSERT_EQ(stats.at("images").size(), 5U);
  // A memory of fixed latency: every image takes what the first does, as the machine is idle again.
  const auto cycles = stats.at("cycles").get<std::uint64_t>();
  for (const Json& image : stats.at("images")) EXPECT_EQ(image.at("cycles"), cycles);
  const Json& rate = stats.at("throughput");
  EXPECT_EQ(rate.at("images"), 5);
  EXPECT_EQ(rate.at("latency_cycles"),
            Json({{"min", cycles}, {"median", cycles}, {"p95", cycles}, {"max", cycles}}));
  EXPECT_DOUBLE_EQ(rate.at("frames_per_second").get<double>(), 1e8 / static_cast<double>(cycles));
  EXPECT_NE(run.out.find("throughput    "), std::string::npos) << run.out;
  // The outputs are those of the images that there are.
  const std::string once = read("out/y.csv");
  ASSERT_EQ(tactus("run --model m.tmodel --input x.csv -o one").code, 0);
  EXPECT_EQ(once, read("one/y.csv"));
  EXPECT_EQ(tactus("run --config s.json --stats t.json").code, 0);
  EXPECT_EQ(Json::parse(read("t.json")).at("throughput").at("images"), 5);
  expect_error("run --program m.tprog --arch a.tarch --images 2", "--images needs a --model");
  expect_error("run --model m.tmodel --input x.csv --images 0", "--images");
}

}  // namespace
}  // namespace tactus
