// The timeline is well-formed, slices of a track nest, and the sums of slices equal the accounting.
#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

#include "firmware/report/timeline.h"
#include "models/tcu/machine_info.h"
#include "tests/cli/cli.h"

namespace tactus {
namespace {

using Json = nlohmann::ordered_json;

struct Slice {
  Cycle from, to;
  std::string name, category;
};
/// Slices by track name, in the order of the file.
using Tracks = std::map<std::string, std::vector<Slice>>;

Tracks tracks(const Json& timeline) {
  std::map<unsigned, std::string> names;
  Tracks result;
  for (const Json& e : timeline.at("traceEvents")) {
    if (e.at("ph") == "M" && e.at("name") == "thread_name") {
      EXPECT_TRUE(names.emplace(e.at("tid"), e.at("args").at("name")).second) << "track twice";
    }
    if (e.at("ph") != "X") continue;
    const Cycle from = e.at("ts");
    EXPECT_GT(e.at("dur").get<Cycle>(), 0U);
    result[names.at(e.at("tid"))].push_back(
        {from, from + e.at("dur").get<Cycle>(), e.at("name"), e.at("cat")});
  }
  return result;
}

/// Expects that any two slices of a track are disjoint or nested.
void expect_nesting(const Tracks& all) {
  for (auto [name, slices] : all) {
    std::sort(slices.begin(), slices.end(), [](const Slice& a, const Slice& b) {
      return a.from != b.from ? a.from < b.from : a.to > b.to;
    });
    std::vector<Cycle> open;  // ends of the slices that contain the current one
    for (const Slice& slice : slices) {
      while (!open.empty() && open.back() <= slice.from) open.pop_back();
      if (!open.empty()) {
        EXPECT_LE(slice.to, open.back()) << name << " at " << slice.from;
      }
      open.push_back(slice.to);
    }
  }
}

class TimelineTest : public CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    write_model();
  }
  [[nodiscard]] Json run(const std::string& options) const {
    const Output output = tactus("run --model m.tmodel --input x.csv --timeline t.json " + options);
    EXPECT_EQ(output.code, 0) << output.err;
    return Json::parse(read("t.json"));
  }
};

TEST_F(TimelineTest, SumsOfSlicesAreTheAccounting) {
  for (const std::string timing :
       {"", "--read-latency 17 --write-latency 9", "--stall-percent 40 --feed-gap 3"}) {
    const Json timeline = run("--stats s.json --regions 3 " + timing);
    EXPECT_FALSE(timeline.contains("tactusNote"));
    const Tracks all = tracks(timeline);
    expect_nesting(all);
    const Json accounting = Json::parse(read("s.json")).at("accounting");
    std::map<std::string, Json> units;
    for (const auto& [unit, states] : accounting.at("units").items()) {
      units[std::string(tcu_machine_info().unit_title(unit))] = states;
    }
    units["where the array's time goes"] = accounting.at("lost_cycles").at("reasons");
    for (const auto& [title, states] : units) {
      std::map<std::string, Cycle> sums;
      if (const auto found = all.find(title); found != all.end()) {
        for (const Slice& slice : found->second) sums[slice.name] += slice.to - slice.from;
      }
      for (const auto& [state, cycles] : states.items()) {
        if (state == "idle" || state == "ended") continue;  // such cycles have no slice
        EXPECT_EQ(sums[state], cycles.get<Cycle>()) << title << " " << state;
      }
    }
    // The slices of layers lie inside the slice of the image.
    Cycle layers = 0;
    for (const Slice& slice : all.at("runs and layers")) {
      if (slice.category == "layer") layers += slice.to - slice.from;
    }
    EXPECT_EQ(layers, accounting.at("cycles").get<Cycle>());
    // There is one slice for each instruction at the head, for each instruction in the array, and
    // for each burst.
    EXPECT_EQ(all.at("decoder: instructions").size(), 8U);  // two are NoOps that pad the stream
    ASSERT_EQ(all.at("array: instructions").size(), 2U);
    EXPECT_EQ(all.at("array: instructions")[0].name, "LoadWeights");
    EXPECT_EQ(all.at("array: instructions")[1].name, "MatMul");
    std::size_t bursts = 0;
    for (const auto& [name, slices] : all) {
      if (name.find("bursts") != std::string::npos) bursts += slices.size();
    }
    EXPECT_EQ(bursts, 3U);
  }
}

TEST_F(TimelineTest, SeveralImagesFollowEachOther) {
  write("three.csv", read("x.csv") + read("x.csv") + read("x.csv"));
  const Output output =
      tactus("run --model m.tmodel --input three.csv --timeline t.json --stats s.json");
  ASSERT_EQ(output.code, 0) << output.err;
  const Tracks all = tracks(Json::parse(read("t.json")));
  expect_nesting(all);
  const Json stats = Json::parse(read("s.json"));
  ASSERT_EQ(all.at("runs and layers").size(), 3U);
  Cycle at = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const Slice& slice = all.at("runs and layers")[i];
    EXPECT_EQ(slice.name, "image " + std::to_string(i));
    EXPECT_EQ(slice.from, at);
    at = slice.to;
    EXPECT_EQ(slice.to - slice.from,
              stats.at("images")[i].at("accounting").at("cycles").get<Cycle>());
  }
}

TEST_F(TimelineTest, TheWindowCutsSlices) {
  const Tracks all = tracks(run("--timeline-from 12 --timeline-to 25"));
  expect_nesting(all);
  EXPECT_FALSE(all.empty());
  Cycle first = ~Cycle{0};
  Cycle end = 0;
  for (const auto& [name, slices] : all) {
    for (const Slice& slice : slices) {
      first = std::min(first, slice.from);
      end = std::max(end, slice.to);
    }
  }
  EXPECT_EQ(first, 12U);
  EXPECT_EQ(end, 26U);  // cycle 25 is the last in the window
}

TEST_F(TimelineTest, ShortSlicesAndTooManyEventsAreLeftOutWithANote) {
  const Json few = run("--timeline-min 4");
  for (const auto& [name, slices] : tracks(few)) {
    for (const Slice& slice : slices) EXPECT_GE(slice.to - slice.from, 4U) << name;
  }
  EXPECT_NE(few.at("tactusNote").get<std::string>().find("shorter than 4 cycles"),
            std::string::npos);

  const Output cut =
      tactus("run --model m.tmodel --input x.csv --timeline t.json --timeline-max-events 20");
  EXPECT_EQ(cut.code, 0);
  EXPECT_NE(cut.err.find("t.json: the timeline ends at cycle "), std::string::npos) << cut.err;
  const Json timeline = Json::parse(read("t.json"));
  EXPECT_NE(timeline.at("tactusNote").get<std::string>().find("--timeline-max-events"),
            std::string::npos);
  const Tracks all = tracks(timeline);
  expect_nesting(all);
  std::size_t slices = 0;
  for (const auto& [name, list] : all) slices += list.size();
  EXPECT_GE(slices, 20U);
  EXPECT_LE(slices, 20U + 40U);  // slices that are open at the limit are closed there
}

/// The file is the same byte for byte with every engine, also where a limit cuts it. The fast
/// engine runs this program in sequences.
TEST_F(TimelineTest, IsTheSameWithEveryEngine) {
  write("r.tasm", R"(
    DataMove DRAM1(0) -> Local(0), 9
    DataMove DRAM0(0) -> Local(9), 30
    .repeat 60 k
      LoadWeights Local(0), 4
      MatMul Local(9 + k % 3) -> Acc(k % 2), 20
      SIMD O = Max(I, I), read Acc(k % 2), write Acc(30)
      DataMove Acc(0) -> Local(40), 20
      DataMove Local(40) -> DRAM0(100 + k), 20
    .end
  )");
  ASSERT_EQ(tactus("asm r.tasm --arch a.tarch --output r.tprog").code, 0);
  const std::string program = "run --program r.tprog --arch a.tarch --timeline t.json -q ";
  for (const std::string options :
       {"", "--read-latency 30 --write-latency 11", "--timeline-from 700 --timeline-to 2100",
        "--timeline-max-events 301", "--timeline-max-events 302 --timeline-from 333",
        "--timeline-min 5", "--samples s.bin --sample-interval 3 --sample-pause 40",
        "--events e.txt", "--ddr ddr4_2400", "--ddr ddr4_2400 --timeline-max-events 301",
        "--ddr ddr4_2400 --samples s.bin --sample-interval 3 --sample-pause 40",
        "--ddr ddr4_2400 --regions 20 --timeline-min 5", "--stall-percent 20"}) {
    const auto files = [&](const std::string& engine) {
      const Output output = tactus(program + options + " --engine " + engine);
      EXPECT_EQ(output.code, 0) << output.err;
      return read("t.json") + (options.find("--samples") == std::string::npos ? "" : read("s.bin"));
    };
    const std::string step = files("step");
    EXPECT_GT(step.size(), 10'000U) << options;
    for (const std::string engine : {"fast", "check=1"}) {
      EXPECT_TRUE(files(engine) == step) << engine << " " << options;
    }
  }
}

TEST_F(TimelineTest, AHangIsShownUpToTheEndOfTheRun) {
  write("h.tasm", std::string("SIMD O = Move(I), write Acc(3)\nMatMul Local(0) -> Acc(0), 4\n"));
  ASSERT_EQ(tactus("asm h.tasm --arch a.tarch --output h.tprog --permissive").code, 0);
  const Output output =
      tactus("run --program h.tprog --arch a.tarch --permissive --timeline t.json --stats s.json");
  EXPECT_EQ(output.code, 3);
  const Tracks all = tracks(Json::parse(read("t.json")));
  expect_nesting(all);
  const Json units = Json::parse(read("s.json")).at("accounting").at("units");
  EXPECT_GT(units.at("alus").at("wait_input").get<Cycle>(), 900U);
  EXPECT_EQ(all.at("SIMD ALUs").back().name, "wait_input");
}

}  // namespace
}  // namespace tactus
