// tactus compare: the listed reasons add up to the difference, for all kinds of subjects.
#include <algorithm>
#include <cstdint>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tests/cli/cli.h"

namespace tactus {
namespace {

using Json = nlohmann::ordered_json;

class CompareTest : public CliTest {
 protected:
  /// Writes the statistics of the small model, run at this read latency and cut into two layers.
  void run_with(const std::string& stats, unsigned read_latency) {
    const Output run = tactus("run --model m.tmodel --input x=x.csv --regions 2 --stats " + stats +
                              " --read-latency " + std::to_string(read_latency));
    ASSERT_EQ(run.code, 0) << run.err;
  }
  Json compared(const std::string& runs) {
    const Output out = tactus("compare " + runs + " --json -");
    EXPECT_EQ(out.code, 0) << out.err;
    return Json::parse(out.out);
  }
};

std::int64_t sum(const Json& named) {
  std::int64_t total = 0;
  for (const auto& item : named.items()) total += item.value().get<std::int64_t>();
  return total;
}

TEST_F(CompareTest, TheReasonsOfADifferenceAddUpToIt) {
  write_model();
  run_with("a.json", 1);
  run_with("b.json", 60);
  run_with("c.json", 7);
  const Json json = compared("a.json b.json c.json");
  ASSERT_EQ(json["runs"].size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string file(1, static_cast<char>('a' + i));
    const Json stats = Json::parse(read(file + ".json"));
    EXPECT_EQ(json["runs"][i]["cycles"], stats["cycles"]);
    EXPECT_EQ(json["runs"][i]["accounted_cycles"], stats["accounting"]["cycles"]);
    std::int64_t time = 0;
    for (const auto& row : json["time"].items()) time += row.value()[i].get<std::int64_t>();
    EXPECT_EQ(time, stats["accounting"]["cycles"]);
    if (i == 0) continue;
    const Json& difference = json["runs"][i]["difference"];
    EXPECT_EQ(difference["cycles"].get<std::int64_t>(),
              stats["accounting"]["cycles"].get<std::int64_t>() -
                  json["runs"][0]["accounted_cycles"].get<std::int64_t>());
    EXPECT_GT(difference["cycles"].get<std::int64_t>(), 0);
    EXPECT_EQ(sum(difference["reasons"]), difference["cycles"]);
  }
  EXPECT_EQ(json["settings"]["read_latency_cycles"], Json::parse(R"(["1","60","7"])"));
  // Each bank is read by one DataMove, so a longer read latency only adds waiting.
  for (const auto& reason : json["runs"][1]["difference"]["reasons"].items()) {
    EXPECT_NE(reason.key().find("_wait"), std::string::npos) << reason.key();
  }
}

TEST_F(CompareTest, TextAndPageSayTheSame) {
  write_model();
  run_with("a.json", 1);
  run_with("b.json", 60);
  const Output text = tactus("compare a.json b.json -o page.html --json c.json");
  ASSERT_EQ(text.code, 0) << text.err;
  const Json json = Json::parse(read("c.json"));
  const std::string difference = json["runs"][1]["difference"]["cycles"].dump();
  EXPECT_NE(text.out.find("B takes " + difference + " cycles more than A:\n"), std::string::npos)
      << text.out;
  EXPECT_NE(text.out.find("read_latency_cycles  1  60\n"), std::string::npos) << text.out;
  const std::string page = read("page.html");
  for (const auto& reason : json["runs"][1]["difference"]["reasons"].items()) {
    EXPECT_NE(text.out.find(reason.key()), std::string::npos) << reason.key();
    EXPECT_NE(page.find("what it means"), std::string::npos);
  }
}

/// Runs at two clocks: the changes of cycles and of time are both printed. Runs have the names
/// given on the command line.
TEST_F(CompareTest, NamedRunsAtTwoClocks) {
  write_model();
  const std::string run = "run --model m.tmodel --input x=x.csv --stats ";
  ASSERT_EQ(tactus(run + "slow.json --clock-mhz 100 --read-latency 40").code, 0);
  ASSERT_EQ(tactus(run + "fast.json --clock-mhz 200 --read-latency 80").code, 0);
  const Output text = tactus("compare before=slow.json after=fast.json --json c.json -o c.html");
  ASSERT_EQ(text.code, 0) << text.err;
  const Json slow = Json::parse(read("slow.json")), fast = Json::parse(read("fast.json"));
  const auto change = [&](const char* key) {
    return fmt::format(" ({:+.1f} %)",
                       100 * (fast[key].get<double>() / slow[key].get<double>() - 1));
  };
  EXPECT_GT(fast["cycles"], slow["cycles"]);
  EXPECT_LT(fast["latency_ms"], slow["latency_ms"]);
  const std::string line = "after  fast.json: " + fast["cycles"].dump() + " cycles" +
                           change("cycles") + " = " +
                           fmt::format("{:.2f} us", 1e3 * fast["latency_ms"].get<double>()) +
                           change("latency_ms") + "\n";
  EXPECT_NE(text.out.find(line), std::string::npos) << line << text.out;
  EXPECT_NE(text.out.find("after takes "), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("The clocks differ (100.0, 200.0 MHz)"), std::string::npos) << text.out;
  EXPECT_EQ(Json::parse(read("c.json"))["runs"][1]["label"], "after");
  // The page has bars for both runs and for the difference.
  const std::string page = read("c.html");
  for (const char* part : {"after: fast.json", "Cycles of the runs", "fewer | more"}) {
    EXPECT_NE(page.find(part), std::string::npos) << part;
  }
  expect_error("compare x=slow.json x=fast.json", "two runs are called \"x\"");
  expect_error("compare B=slow.json fast.json", "two runs are called \"B\"");
  expect_error("compare =slow.json fast.json", "names no run");
}

/// compare prints the answer and a short list; --full adds all tables.
TEST_F(CompareTest, TheDefaultIsAShortListAndAnOptionPrintsAllTables) {
  write_model();
  run_with("a.json", 1);
  run_with("b.json", 60);
  const Output brief = tactus("compare a.json b.json"),
               full = tactus("compare a.json b.json --full");
  ASSERT_EQ(brief.code, 0) << brief.err;
  ASSERT_EQ(full.code, 0) << full.err;
  EXPECT_NE(brief.out.find("array busy %"), std::string::npos) << brief.out;
  EXPECT_NE(brief.out.find("--full: "), std::string::npos);
  EXPECT_LT(std::count(brief.out.begin(), brief.out.end(), '\n'), 30) << brief.out;
  for (const char* table : {"\ncycles by reason", "\ncycles by part", "\nbusy cycles of units"}) {
    EXPECT_EQ(brief.out.find(table), std::string::npos) << table;
    EXPECT_NE(full.out.find(table), std::string::npos) << table;
  }
}

/// Statistics written before a figure had its present name show a gap for it, not a zero.
TEST_F(CompareTest, FiguresThatARunLacksAreEmpty) {
  write_model();
  run_with("a.json", 1);
  Json old = Json::parse(read("a.json"));
  old.erase("array_busy");
  old.erase("useful_mac");
  write("old.json", old.dump());
  const Json compared_runs = compared("a.json old.json");
  EXPECT_TRUE(compared_runs["shares"]["array busy %"][1].is_null());
  EXPECT_GT(compared_runs["shares"]["array busy %"][0], 0);
}

TEST_F(CompareTest, LayersAsATable) {
  write_model();
  const Output run = tactus(
      "run --model m.tmodel --input x=x.csv --regions 2 --clock-mhz 50 --layers --layers-csv l.csv "
      "--stats s.json");
  ASSERT_EQ(run.code, 0) << run.err;
  const Json stats = Json::parse(read("s.json"));
  std::string expected =
      "layer,from,to,cycles,ms,share %,array busy %,useful MAC %,bytes read,bytes "
      "written,instructions,most lost to\n";
  std::uint64_t next = 0;  // layers are contiguous
  for (const Json& layer : stats["accounting"]["layers"]) {
    if (layer["cycles"] == 0) continue;
    const std::uint64_t from = next;
    next += layer["cycles"].get<std::uint64_t>();
    const auto cycles = layer["cycles"].get<double>();
    const auto sum = [&](const char* key) {
      return layer[key][0].get<std::uint64_t>() + layer[key][1].get<std::uint64_t>();
    };
    expected += fmt::format(
        "{},{},{},{},{:.5f},{:.2f},{:.2f},,{},{},{},{}\n", layer["name"].get<std::string>(), from,
        next - 1, layer["cycles"].dump(), cycles / 50e3, 100 * layer["share"].get<double>(),
        100 * layer["array_busy"].get<double>(), sum("bytes_read"), sum("bytes_written"),
        layer["instructions"].dump(),
        layer["main_reason"].is_null() ? std::string() : layer["main_reason"].get<std::string>());
    EXPECT_NE(run.out.find("\n" + layer["name"].get<std::string>() + " "), std::string::npos);
  }
  EXPECT_EQ(read("l.csv"), expected);
  const Output table = tactus("run --model m.tmodel --input x=x.csv --regions 2 --layers-csv -");
  EXPECT_EQ(table.out.rfind("layer,from,to,cycles,ms,", 0), 0U) << table.out;
}

TEST_F(CompareTest, ARunIsRepeatedFromItsStatistics) {
  write_model();
  const Output first = tactus(
      "run --model m.tmodel --input x=x.csv --clock-mhz 50 --axi-data-bits 32 --read-latency 9 "
      "--mode driver --stall-percent 20 --stall-seed 7 --stats a.json");
  ASSERT_EQ(first.code, 0) << first.err;
  const Output again = tactus("run --config a.json --stats b.json");
  ASSERT_EQ(again.code, 0) << again.err;
  Json a = Json::parse(read("a.json")), b = Json::parse(read("b.json"));
  for (Json* stats : {&a, &b}) {
    stats->erase("wall_seconds");
    stats->erase("cycles_per_second");
    (*stats)["config"].erase("model");  // one has the path as given, the other the full path
  }
  EXPECT_EQ(a, b);
  a.erase("rerun");
  write("old.json", a.dump());
  expect_error("run --config old.json", "old.json:/rerun: missing");
}

TEST_F(CompareTest, ARunComparedWithItselfHasNoDifference) {
  write_model();
  run_with("a.json", 3);
  const Output text = tactus("compare a.json a.json");
  ASSERT_EQ(text.code, 0) << text.err;
  EXPECT_NE(text.out.find("B spends its time as A does.\n"), std::string::npos) << text.out;
  EXPECT_TRUE(compared("a.json a.json")["settings"].empty());
}

TEST_F(CompareTest, PointsAndSweeps) {
  write("sweep.json",
        R"({"name": "s", "base": {"board": {"name": "zcu104"}, "workload": {"network": "mlp"}},
    "axes": [{"key": "board.read_latency", "values": [5, 50]}]})");
  for (const char* folder : {"one", "two"}) {
    const Output sweep = tactus(std::string("sweep sweep.json -o ") + folder);
    ASSERT_EQ(sweep.code, 0) << sweep.err;
  }
  const Json points = compared("one:0 one:1");
  EXPECT_EQ(points["settings"]["board.read_latency"], Json::parse(R"(["5","50"])"));
  EXPECT_EQ(sum(points["runs"][1]["difference"]["reasons"]),
            points["runs"][1]["difference"]["cycles"].get<std::int64_t>());
  for (const Json& run : points["runs"]) {
    const auto rest =
        run["accounted_cycles"].get<std::int64_t>() - run["cycles"].get<std::int64_t>();
    EXPECT_TRUE(rest >= 0 && rest < 20) << run.dump();
  }
  // The result file of a point does not explain the reasons; the texts come from the machine's
  // tables.
  const std::string text = tactus("compare one:0 one:1").out;
  EXPECT_NE(text.find("  dram0_read_wait: "), std::string::npos) << text;
  const Json sweeps = compared("one two");
  EXPECT_EQ(sweeps["runs"][0]["cycles"], sweeps["runs"][1]["cycles"]);
  EXPECT_EQ(sweeps["parts"].size(), 2U);
  EXPECT_EQ(sweeps["runs"][1]["difference"]["cycles"], 0);
  expect_error("compare one:0 one:9", "one: no result of a point 9; there are 2 of 2 points");
  expect_error("compare one:0 one:5x", "one:5x: \"5x\" is not the number of a point");
  expect_error("compare one two:1", "name a point as DIR:N");
}

TEST_F(CompareTest, APointThatFailedIsNamedWithItsError) {
  write("sweep.json",
        R"({"name": "s", "base": {"board": {"name": "zcu104"}, "workload": {"network": "mlp"}},
    "axes": [{"key": "architecture.accumulator_depth", "values": [1, 512]}]})");
  ASSERT_EQ(tactus("sweep sweep.json -o r").code, 1);
  expect_error(
      "compare r:1 r:0",
      "r: point 0 has no figures: layer \"hidden+hidden_relu\": insufficient accumulators");
}

TEST_F(CompareTest, RefusesFilesThatAreNoStatistics) {
  write_model();
  run_with("a.json", 1);
  expect_error("compare a.json", "name 2 to 26 runs");
  expect_error("compare a.json nothing.json", "nothing.json: no such file");
  expect_error("compare a.json a.tarch", "a.tarch: is an architecture");
  std::filesystem::create_directory(folder_ / "empty");
  expect_error("compare empty empty", "empty: no folder of a sweep");
  expect_error("compare a.json a.json --json a.json", "a.json");
  Json json = Json::parse(read("a.json"));
  json["accounting"]["lost_cycles"]["reasons"]["drain"] = -1;
  write("bad.json", json.dump());
  expect_error("compare a.json bad.json",
               "bad.json:/accounting/lost_cycles/reasons/drain: must be a whole number, 0 or more");
  json["accounting"]["lost_cycles"]["reasons"]["drain"] = 1'000'000'000;
  write("bad.json", json.dump());
  expect_error("compare a.json bad.json", "more cycles are lost than the run's");
  json.erase("accounting");
  write("bad.json", json.dump());
  expect_error("compare bad.json a.json", "bad.json:/accounting/cycles: is missing");
}

}  // namespace
}  // namespace tactus
