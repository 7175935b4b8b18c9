// A machine is described by its tables alone: a toy machine uses the existing run loop, accounting,
// statistics, page, timeline, event log and waveform without further code.
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include <gtest/gtest.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include "firmware/report/figures.h"
#include "firmware/report/run_document.h"
#include "firmware/report/run_figures.h"
#include "firmware/report/timeline.h"
#include "isa/support/error.h"
#include "isa/support/files.h"
#include "models/sim/trace/tracer.h"
#include "models/tcu/machine_info.h"
#include "tests/support/event_log.h"
#include "tests/support/toy_machine.h"

namespace tactus {
namespace {

using Json = nlohmann::ordered_json;

/// A program that adds 10 ones in three instructions. Cycle 0 issues the first, cycles 1..3 add,
/// cycle 4 issues the second, ...
const std::vector<std::uint8_t> program{3, 2, 5};
// each instruction takes one cycle to issue; the first issues in cycle 0
constexpr Cycle last_retire = 3 + 3 + 6;

class ToyTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("tactus_toy_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  [[nodiscard]] std::string path(const char* file) const { return (folder_ / file).string(); }

  std::filesystem::path folder_;
};

RunDocument document(const ToySimulation& simulation, const RunResult& run,
                     const Activity& activity) {
  RunDocument d;
  d.kind = "program";
  d.subject = "three <additions>";
  d.machine = "a toy";
  d.rates = simulation.machine().rates();
  d.configuration = {{"size", 1}};
  ReportedRun image;
  image.run = &run;
  image.cycles = run.cycles;
  image.last_retire = run.last_retire;
  image.own["sum"] = 10;
  image.lines.emplace_back("sum", "10");
  d.images.push_back(std::move(image));
  d.total_cycles = simulation.now();
  d.wall_seconds = 1;
  d.activity = &activity;
  return d;
}

TEST_F(ToyTest, RunsAndIsAccountedFor) {
  ToySimulation simulation;
  RunOptions options;
  std::vector<std::uint32_t> retires;
  options.retire_log = &retires;
  options.regions = {{"first", 0, 1}, {"last", 2, 1}};
  const RunResult run = simulation.run(program, options);
  EXPECT_EQ(run.end, RunEnd::finished);
  EXPECT_EQ(run.cycles, last_retire);
  EXPECT_EQ(run.retired, 3U);
  EXPECT_EQ(retires, (std::vector<std::uint32_t>{3, 6, 12}));
  EXPECT_EQ(simulation.read_memory(0, 0, simulation.memory_bytes(0)).at(0), 10U);

  const Accounting& a = run.accounting;
  EXPECT_EQ(a.totals.of("additions"), 10U);
  EXPECT_EQ(a.unit("adder").cycles[ToyAdder::add], 10U);
  EXPECT_EQ(a.unit("issuer").cycles[ToyIssuer::issue], 3U);
  EXPECT_EQ(a.unit("issuer").cycles[ToyIssuer::wait_adder], 3U + 2);
  EXPECT_EQ(a.totals.time[ToyTime::issue], 3U);
  EXPECT_EQ(a.kinds.at(0).count, 3U);
  EXPECT_EQ(a.kinds.at(0).busy, 3U);
  EXPECT_EQ(a.kinds.at(0).head_cycles(), 8U);
  ASSERT_EQ(a.regions.size(), 4U);  // includes (other) and (end)
  EXPECT_EQ(a.regions[0].counters.cycles(), 4U);
  EXPECT_EQ(a.regions[0].counters.of("additions"), 3U);
  EXPECT_EQ(a.regions[1].counters.of("additions"), 5U);
  EXPECT_EQ(a.regions[2].counters.of("additions"), 2U);
}

TEST_F(ToyTest, ABrokenIdentityIsFound) {
  ToySimulation simulation;
  (void)simulation.run(program);
  // In the second run the counter misses one addition.
  ToyMachine& toy = simulation.toy();
  bool broken = false;
  toy.on_retire = [&, retire = toy.on_retire](Cycle cycle) {
    if (!std::exchange(broken, true)) toy.break_identity();
    retire(cycle);
  };
  try {
    (void)simulation.run({0xF0, 0xF0, 0xF0});
    FAIL() << "the counter is wrong by one, and nobody says so";
  } catch (const InternalError& error) {
    EXPECT_STREQ(error.what(), "accounting of adder: add is 720 instead of 719");
  }
}

TEST_F(ToyTest, HangsAndLimitsEndTheRun) {
  ToySimulation simulation;
  const std::vector<std::uint8_t> endless{2, toy_hang};
  const RunResult hang = simulation.run(endless);
  EXPECT_EQ(hang.end, RunEnd::hang);
  EXPECT_EQ(hang.waits_for.at(0), "adder: the end of an instruction that has none");
  EXPECT_GT(hang.accounting.unit("adder").cycles[ToyAdder::hang], 50U);

  // The fast engine skips cycles of a hang, and finds the hang in the same cycle.
  for (const Engine engine : {Engine::fast, Engine::check}) {
    ToySimulation same(engine);
    EXPECT_EQ(same.run(endless).cycles, hang.cycles);
    EXPECT_EQ(same.toy().evaluated() < hang.cycles, engine == Engine::fast);
  }

  ToySimulation other;
  RunOptions options;
  options.max_cycles = 7;
  const RunResult cut = other.run(program, options);
  EXPECT_EQ(cut.end, RunEnd::cycle_limit);
  EXPECT_EQ(cut.cycles, 7U);
  EXPECT_EQ(cut.retired, 2U);
}

void expect_explained(const FigureTable& table, const Json& json, const std::string& path) {
  if (json.is_object()) {
    for (const auto& [key, value] : json.items()) {
      expect_explained(table, value, path.empty() ? key : path + "." + key);
    }
  } else if (json.is_array() && !json.empty()) {
    for (const Json& value : json) expect_explained(table, value, path);
  } else {
    EXPECT_NE(table.find(path), nullptr) << path;
  }
}

TEST_F(ToyTest, StatisticsSummaryAndPage) {
  ToySimulation simulation;
  Activity activity(toy_machine_info().time);
  simulation.observe_accounts(&activity);
  activity.start(simulation.now());
  RunOptions options;
  options.regions = {{"all", 0, 3}};
  const RunResult run = simulation.run(program, options);
  const RunDocument d = document(simulation, run, activity);

  const Json stats = Json::parse(stats_json(d));
  EXPECT_EQ(stats["cycles"], last_retire);
  EXPECT_EQ(stats["additions"], 10);
  EXPECT_EQ(stats["sum"], 10);
  EXPECT_EQ(stats["accounting"]["lost_cycles"]["top"][0], "issue");
  EXPECT_EQ(stats["accounting"]["units"]["issuer"]["wait_adder"], 5);
  EXPECT_EQ(stats["accounting"]["instructions"]["add"]["waits"]["wait_adder"], 5);
  EXPECT_EQ(stats["accounting"]["layers"][0]["additions"], 10);
  const FigureTable table(toy_machine_info());
  expect_explained(table, stats, "");
  EXPECT_EQ(stats["figures"]["cycles"]["meaning"], "retire of the last instruction");
  // The name belongs to a state of the unit, and to a wait of instructions.
  EXPECT_EQ(table.explain("wait_adder").size(), 2U);

  const std::string summary = summary_text(d);
  EXPECT_NE(summary.find("nothing added in "), std::string::npos) << summary;
  EXPECT_NE(summary.find("no instruction\n"), std::string::npos) << summary;

  const std::string page = run_page_html(d);
  for (const char* text : {"three &lt;additions&gt;", "Where the adder&#39;s time goes",
                           "adder busy", "no instruction", "There is one kind"}) {
    EXPECT_NE(page.find(text), std::string::npos) << text;
  }
  // The page does not mention units that the machine lacks, and a share of 0 cycles is not printed
  // as nan.
  for (const char* text : {"DRAM", "nan", "array", "decoder"}) {
    EXPECT_EQ(page.find(text), std::string::npos) << text;
  }
}

TEST_F(ToyTest, TimelineEventsAndWaveform) {
  ToySimulation simulation;
  std::vector<std::string> events;
  EventLog log(simulation.machine().event_format(), events);
  simulation.observe(&log);
  trace::Registry registry(simulation.machine().widths());
  simulation.machine().describe(trace::Scope(registry, "top"));
  const trace::Plan plan = make_plan(registry, {});
  {
    trace::VcdWriter writer(path("toy.vcd"), plan, {"test", "", simulation.period_fs()});
    trace::Tracer tracer(plan, {}, writer);
    simulation.watch(&tracer);
    (void)simulation.run(program);
    simulation.watch(nullptr);
    writer.close();
    EXPECT_EQ(writer.error(), "");
  }
  ASSERT_EQ(events.size(), 10U);
  EXPECT_EQ(events.front(), "1 ADD sum=0");
  EXPECT_EQ(events.back(), "12 ADD sum=9");
  const std::string vcd = read_text(path("toy.vcd"));
  for (const char* text : {"$scope module adder $end", "left [7:0]", "instruction", "b1010 "}) {
    EXPECT_NE(vcd.find(text), std::string::npos) << text;
  }

  ToySimulation second;
  Timeline timeline(path("t.json"), second, std::make_unique<ToyTimelineTracks>(second.toy()), {});
  second.observe(&timeline);
  second.observe_accounts(&timeline);
  timeline.begin_run("run", program);
  timeline.end_run(second.run(program).accounting);
  timeline.close();
  std::map<std::string, unsigned> slices;
  std::set<std::string> tracks;
  const Json json = Json::parse(read_text(path("t.json")));
  for (const Json& event : json["traceEvents"]) {
    if (event["ph"] == "X")
      slices[event["name"].get<std::string>()] += event["dur"].get<unsigned>();
    if (event["name"] == "thread_name") tracks.insert(event["args"]["name"].get<std::string>());
  }
  // The additions are slices of three tracks: the adder's, that of the time, and the machine's own.
  EXPECT_EQ(slices["add"], 3U * 10);
  EXPECT_EQ(slices["wait_adder"], 5U);
  EXPECT_EQ(tracks, (std::set<std::string>{"runs and layers", "where the adder's time goes",
                                           "adder: additions", "issuer", "adder"}));
}

/// Checks that tables only name existing things. A wrong name would otherwise fail late, or never.
TEST(MachineInfo, TablesAgree) {
  for (const MachineInfo* info : {&tcu_machine_info(), &toy_machine_info()}) {
    SCOPED_TRACE(std::string(info->name));
    EXPECT_EQ(info->time.reasons.size(), info->time.states.count);
    for (const ReasonInfo& reason : info->time.reasons) {
      EXPECT_LT(reason.group, info->time.groups.size()) << reason.title;
    }
    const auto states = [&](std::string_view unit) -> const UnitStates* {
      if (unit == info->time.unit) return &info->time.states;
      const UnitInfo* found = info->unit(unit);
      return found == nullptr ? nullptr : &found->states;
    };
    for (const Identity& identity : info->identities) {
      const UnitStates* table = states(identity.unit);
      ASSERT_NE(table, nullptr) << identity.unit;
      bool found = false;
      for (std::size_t s = 0; s < table->count; ++s) found |= (*table)[s].name == identity.state;
      EXPECT_TRUE(found) << identity.unit << "." << identity.state;
      for (const CounterRef& ref : identity.counters) EXPECT_NO_THROW((void)info->counter(ref));
    }
    EXPECT_NO_THROW((void)info->counter({info->work}));
    for (const auto* figures : {&info->run_figures, &info->layer_figures}) {
      for (const FigureInfo& figure : *figures) {
        if (figure.source == FigureInfo::Source::counter) {
          EXPECT_NO_THROW((void)info->counter({figure.name}));
        } else if (figure.source == FigureInfo::Source::per_cycle) {
          EXPECT_NO_THROW((void)info->counter({figure.of}));
        }
      }
    }
    for (const PortInfo& port : info->traffic.ports) EXPECT_NE(info->unit(port.unit), nullptr);
    const FigureTable table(*info);
    for (const FigureMeaning& meaning : info->meanings) {
      EXPECT_NE(table.find(meaning.name), nullptr) << meaning.name;
    }
  }
}

}  // namespace
}  // namespace tactus
