// tactus run with several models and requests that arrive: laws that hold in every run, equal
// engines, and refused input.
#include <cmath>
#include <sstream>

#include <nlohmann/json.hpp>

#include "tests/serving/networks.h"

namespace tactus {
namespace {

using Json = nlohmann::json;

struct Row {
  std::string model;
  std::uint64_t unit = 0, arrival = 0, taken = 0, begin = 0, end = 0;
};

std::vector<Row> rows(const std::string& csv, const std::string& unit = "") {
  std::istringstream lines(csv);
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "model,unit,arrival" + unit + ",taken" + unit + ",begin" + unit + ",end" + unit);
  std::vector<Row> rows;
  while (std::getline(lines, line)) {
    std::istringstream cells(line);
    Row row;
    std::getline(cells, row.model, ',');
    char comma = 0;
    cells >> row.unit >> comma >> row.arrival >> comma >> row.taken >> comma >> row.begin >>
        comma >> row.end;
    EXPECT_FALSE(cells.fail()) << line;
    rows.push_back(row);
  }
  return rows;
}

class ServingCommandTest : public ServingTest {
 protected:
  /// Runs with statistics and log, and checks what holds in every run.
  Json serve(const std::string& options) const {
    const Output run = tactus("run" + options + " --stats s.json --request-log r.csv");
    EXPECT_EQ(run.code, 0) << options << run.err;
    const Json stats = Json::parse(read("s.json"));
    check_laws(stats.at("serving"));
    return stats.at("serving");
  }

  void check_laws(const Json& serving) const {
    const bool one_clock = serving.at("clock_mhz") != 1e6;
    const std::vector<Row> requests = rows(read("r.csv"), one_clock ? "" : "_ps");
    const double time = serving.at("cycles").get<double>();
    for (const Json& model : serving.at("models")) {
      EXPECT_EQ(model.at("arrived").get<std::uint64_t>(),
                model.at("done").get<std::uint64_t>() + model.at("dropped").get<std::uint64_t>() +
                    model.at("waiting").get<std::uint64_t>());
      // Little's law, with the log's times: the mean number of requests is their rate times the
      // mean time of each. Requests that still wait are not in the log.
      double present = 0, queued = 0;
      std::uint64_t done = 0;
      for (const Row& r : requests) {
        EXPECT_LE(r.arrival, r.taken);
        EXPECT_LE(r.taken, r.begin);
        EXPECT_LT(r.begin, r.end);
        if (r.model != model.at("name")) continue;
        ++done;
        present += static_cast<double>(r.end - r.arrival);
        queued += static_cast<double>(r.taken - r.arrival);
      }
      EXPECT_EQ(model.at("done"), done);
      if (model.at("waiting") != 0) continue;
      EXPECT_NEAR(model.at("mean_in_system").get<double>(), present / time,
                  1e-9 * (1 + present / time));
      EXPECT_NEAR(model.at("mean_waiting").get<double>(), queued / time,
                  1e-9 * (1 + queued / time));
      if (done == 0) continue;
      const double rate = static_cast<double>(done) / serving.at("seconds").get<double>();
      EXPECT_NEAR(model.at("frames_per_second").get<double>(), rate, 1e-9 * rate);
      EXPECT_NEAR(model.at("mean_in_system").get<double>(),
                  rate * model.at("latency_ms").at("mean").get<double>() / 1e3, 1e-6);
    }
    // A unit has one image at a time.
    for (std::size_t i = 0; i < requests.size(); ++i) {
      for (std::size_t k = 0; k < i; ++k) {
        const Row &one = requests[i], &other = requests[k];
        EXPECT_TRUE(one.unit != other.unit || one.taken >= other.end || other.taken >= one.end);
      }
    }
  }

  [[nodiscard]] Json run_of(const std::string& options) const {
    const Output run = tactus("run " + options + " --stats run.json");
    EXPECT_EQ(run.code, 0) << run.err;
    return Json::parse(read("run.json"));
  }
};

TEST_F(ServingCommandTest, AModelAloneTakesTheCyclesOfARun) {
  compile_networks();
  const auto cycles = [&](const std::string& file) {
    return run_of(file).at("cycles").get<std::uint64_t>();
  };
  const std::uint64_t a_cycles = cycles(a_file), b_cycles = cycles(b_file);
  // S begins a second later, on a unit and with banks of its own.
  write("late.csv", "1\n");
  const Json both = serve(std::string(a) + s + " --tcus 2 --arrivals S=late.csv");
  EXPECT_EQ(both.at("models")[0].at("alone_cycles"), a_cycles);
  EXPECT_EQ(both.at("models")[1].at("alone_cycles"), cycles("s/mlp_onnx_small.tmodel"));
  EXPECT_EQ(rows(read("r.csv"))[0].end, a_cycles);
  // Both other units have no model. B's constants are in local memory before its request arrives.
  const Json one = serve(std::string(b) + " --tcus 3 --on B=1");
  EXPECT_EQ(one.at("models")[0].at("alone_cycles"), b_cycles);
  EXPECT_EQ(rows(read("r.csv"))[0].end, b_cycles);
  // Several images one after the other take the time that a run says, the host's included.
  const Json run = run_of(std::string(a_file) + " --images 5");
  const Json in_turn = serve(std::string(a) + " --images 5 --order turns");
  const double host_us = run.at("config").at("host_us").get<double>();
  EXPECT_NEAR(in_turn.at("seconds").get<double>(),
              run.at("throughput").at("seconds").get<double>() - host_us / 1e6, 2e-7);
}

TEST_F(ServingCommandTest, PeriodicRequestsThatDoNotMeetHaveTheLatencyOfARun) {
  compile_networks();
  const std::uint64_t cycles = run_of(std::string(b_file) + " --memory fixed").at("cycles");
  const Json serving = serve(std::string(b) + " --arrivals 1000/s --duration 20ms --memory fixed");
  EXPECT_EQ(serving.at("models")[0].at("done"), 20);
  for (const Row& row : rows(read("r.csv"))) {
    EXPECT_EQ(row.end - row.arrival, cycles);
    EXPECT_EQ(row.arrival % 100000, 0U);
  }
  const Json& latency = serving.at("models")[0].at("latency_ms");
  for (const char* key : {"min", "median", "p95", "p99", "max", "mean"}) {
    EXPECT_NEAR(latency.at(key).get<double>(), static_cast<double>(cycles) / 1e5, 1e-9) << key;
  }
  // In a DRAM the phase of its refresh moves it by less than the time of two refreshes.
  const Json alone = run_of(b_file);
  (void)serve(std::string(b) + " --arrivals 1000/s --duration 20ms");
  for (const Row& row : rows(read("r.csv"))) {
    EXPECT_NEAR(static_cast<double>(row.end - row.arrival), alone.at("cycles").get<double>(), 60);
  }
}

TEST_F(ServingCommandTest, UnitsThatShareNothingDoNotSlowEachOther) {
  compile_networks();
  const std::string at = " --arrivals A=poisson:20000/s:3 --arrivals B=poisson:5000/s:4";
  const std::string end = " --duration 5ms --memory fixed";
  const Json together = serve(std::string(a) + b + s + " --tcus 3" + at + end + " --images 20");
  std::vector<Row> of_a, of_b;
  for (const Row& row : rows(read("r.csv"))) {
    if (row.model == "A") of_a.push_back(row);
    if (row.model == "B") of_b.push_back(row);
  }
  for (const Json& model : together.at("models")) EXPECT_EQ(model.at("slowdown"), 1.0);
  const auto same = [&](const std::vector<Row>& together, const std::string& options) {
    (void)serve(options + end + " --images 20");
    const std::vector<Row> alone = rows(read("r.csv"));
    ASSERT_EQ(alone.size(), together.size());
    for (std::size_t i = 0; i < alone.size(); ++i) {
      EXPECT_EQ(alone[i].arrival, together[i].arrival);
      EXPECT_EQ(alone[i].end, together[i].end);
    }
  };
  same(of_a, std::string(a) + " --arrivals A=poisson:20000/s:3");
  same(of_b, std::string(b) + " --arrivals B=poisson:5000/s:4");
}

TEST_F(ServingCommandTest, EveryRunKeepsItsLawsAndAllEnginesAgree) {
  compile_networks();
  for (const std::string& options : std::vector<std::string>{
           a + std::string(b) +
               " --tcus 1 --arrivals A=30000/s --arrivals B=poisson:6000/s:2 "
               "--duration 1ms --queue 1",
           std::string(a) + b + s + " --tcus 3 --arrivals B=poisson:9000/s:5 --duration 500us",
           std::string(a) + b +
               " --tcus 3 --on A=0,1 --on B=1,2 --arrivals A=poisson:200000/s:9 "
               "--arrivals B=8000/s --duration 600us --queue 3 --order priority"}) {
    const Json fast = serve(options);
    const std::string log = read("r.csv");
    EXPECT_GT(rows(log).size(), 8U);
    EXPECT_EQ(serve(options), fast) << "the same seed gives the same figures";
    for (const char* engine : {" --engine step", " --engine check=20"}) {
      EXPECT_EQ(serve(options + engine), fast) << options << engine;
      EXPECT_EQ(read("r.csv"), log) << options << engine;
    }
  }
}

TEST_F(ServingCommandTest, AShortQueueDropsAndAnEndLeavesRequestsWaiting) {
  compile_networks();
  // 12 requests come every 4 us; one takes 6 us and the host's 3.5 us.
  std::string times;
  for (int i = 0; i < 12; ++i) times += std::to_string(4e-6 * i) + "\n";
  write("t.csv", times);
  const Json none = serve(std::string(a) + " --arrivals t.csv --queue 0");
  EXPECT_EQ(none.at("models")[0].at("waiting"), 0);
  EXPECT_GT(none.at("models")[0].at("dropped"), 5);
  EXPECT_EQ(none.at("models")[0].at("queueing_ms").at("max"), 0.0);
  const Json all = serve(std::string(a) + " --arrivals t.csv");
  EXPECT_EQ(all.at("models")[0].at("done"), 12);
  const Json cut = serve(std::string(a) + " --arrivals t.csv --duration 46us");
  EXPECT_EQ(cut.at("models")[0].at("arrived"), 12);
  EXPECT_EQ(cut.at("models")[0].at("dropped"), 0);
  EXPECT_EQ(cut.at("models")[0].at("done"), 5);
}

TEST_F(ServingCommandTest, MemoryIsSharedAndItsUsersAreNamed) {
  compile_networks();
  const Json both = serve(std::string(a) + b + " --tcus 2 --duration 1ms");
  double share = 0;
  for (const Json& model : both.at("models")) {
    share += model.at("share_of_bytes").get<double>();
    EXPECT_GT(model.at("slowdown"), 1.0) << "the other one uses the memory, too";
  }
  EXPECT_NEAR(share, 1, 1e-12);
  std::uint64_t bytes = 0;
  for (const Json& unit : both.at("units")) {
    bytes += unit.at("bytes").get<std::uint64_t>();
    EXPECT_GT(unit.at("waits").at("memory0").at("queue"), 0);
  }
  for (const Json& model : both.at("models")) bytes -= model.at("bytes").get<std::uint64_t>();
  EXPECT_EQ(bytes, 0U);
}

/// Priorities of the units' ports: the first one gains, the other loses, and each engine agrees.
TEST_F(ServingCommandTest, PortsHavePriorities) {
  compile_networks();
  const std::string base = std::string(a) + " A2=a/mlp_onnx_zcu104.tmodel" + b +
                           " --tcus 3 --duration 2ms --arrivals B=2000/s";
  const auto service = [](const Json& serving, unsigned model) {
    return serving.at("models")[model].at("service_ms").at("mean").get<double>();
  };
  const Json ports = serve(base);
  EXPECT_EQ(serve(base + " --arbitration ports"), ports) << "the default";
  const Json one = serve(base + " --arbitration fixed:unit0");
  const Json two = serve(base + " --arbitration fixed:unit1");
  EXPECT_LT(service(one, 0), service(two, 0));
  EXPECT_LT(service(two, 1), service(one, 1));
  const Json more = serve(base + " --arbitration shares:unit0=0.8,unit1=0.1:1000");
  EXPECT_LT(service(more, 0), service(more, 1));
  for (const char* policy : {" --arbitration fixed:unit2,unit0.dram1", " --arbitration round_robin",
                             " --arbitration shares:unit0=0.8,dram0=0.1:500"}) {
    const Json fast = serve(base + policy);
    for (const char* engine : {" --engine step", " --engine check=20"}) {
      EXPECT_EQ(serve(base + policy + engine), fast) << policy << engine;
    }
  }
  // A unit alone on the board is not slowed by a priority of others.
  const Json alone =
      serve(std::string(a) + " --tcus 3 --on A=0 --images 4 --arbitration fixed:unit1,unit2");
  EXPECT_LT(alone.at("models")[0].at("slowdown"), 1.05);
  const std::string run = std::string("run -q") + a + b + " --tcus 2 --images 1 --arbitration ";
  expect_error(run + "fastest", "\"fastest\" is no arbitration; allowed: ports, round_robin");
  expect_error(run + "fixed:dram2", "\"dram2\" is no port");
  expect_error(run + "fixed:unit2", "names unit2, which this run does not have");
  expect_error(run + "shares:unit0=0.7,unit1=0.7", "sum up to 1.4; allowed up to 1");
  expect_error(run + "fixed:unit0 --memory fixed",
               "has no effect with the memory of fixed latency");
}

TEST_F(ServingCommandTest, WaitsAreToldByWhoseAccessesWereServed) {
  compile_networks();
  const Json both = serve(std::string(a) + b + " --tcus 2 --duration 1ms");
  double models = 0, units = 0;
  for (const char* name : {"A", "B"}) {
    for (const Json& model : both.at("models")) {
      const double ns = model.at("waits_for_ns").at(name);
      EXPECT_GT(ns, 0);
      models += ns;
    }
  }
  for (const Json& unit : both.at("units")) {
    for (const double ns : unit.at("waits_for_ns")) units += ns;
  }
  EXPECT_NEAR(models, units, 1e-6 * models);
  // B runs on both units: its row by unit differs from that by model.
  const Json shared = serve(std::string(a) + b + " --tcus 2 --on A=0 --on B=0,1 --images 4");
  const auto& unit_1 = shared.at("units")[1].at("waits_for_ns");
  EXPECT_LT(unit_1[1].get<double>(),
            shared.at("models")[1].at("waits_for_ns").at("B").get<double>());
  // A unit without work is waited for by nobody.
  const Json idle = serve(std::string(a) + " --tcus 2 --on A=0 --images 4");
  EXPECT_FALSE(idle.at("models")[0].contains("waits_for_ns"));
}

/// On one unit models wait for each other, on units with memories of their own they do not. The
/// page and the statistics have the same figures.
TEST_F(ServingCommandTest, SlowdownsSayWhoCostsWhom) {
  compile_networks();
  const std::string at = " --arrivals A=poisson:30000/s --arrivals B=poisson:4000/s --duration 2ms";
  const Json one = serve(std::string(a) + b + at + " --slowdowns --report p.html");
  const Json& matrix = one.at("slowdowns");
  EXPECT_GT(matrix.at("A").at("beside").at("B").at("latency"), 1.5) << "B takes ten times as long";
  EXPECT_FALSE(matrix.at("A").at("beside").contains("A"));
  const Json alone =
      serve(std::string(a) + at.substr(0, at.find(" --arrivals B")) + " --duration 2ms")
          .at("models")[0]
          .at("latency_ms")
          .at("mean");
  EXPECT_NEAR(matrix.at("A").at("alone_latency_ms").get<double>(), alone.get<double>(), 1e-3);
  const std::string page = read("p.html");
  for (const char* part :
       {"Who costs whom", "What the units run over time",
        "Latencies over time, and their distribution", "DRAM banks", "beside B"}) {
    EXPECT_NE(page.find(part), std::string::npos) << part;
  }
  std::string factor = std::to_string(
      matrix.at("A").at("beside").at("B").at("latency").get<double>());  // six decimals
  EXPECT_NE(page.find(factor.substr(0, factor.size() - 4)), std::string::npos) << factor;
  const Json apart = serve(std::string(a) + b + at + " --slowdowns --tcus 2 --memory fixed");
  for (const auto& [model, other] : {std::pair("A", "B"), std::pair("B", "A")}) {
    const Json& times = apart.at("slowdowns").at(model).at("beside").at(other);
    EXPECT_EQ(times.at("latency"), 1.0);
    EXPECT_EQ(times.at("service"), 1.0);
  }
}

/// Units with clocks of their own: a model alone takes the cycles of a run with this clock, times
/// are in ps, and all engines agree.
TEST_F(ServingCommandTest, UnitsHaveClocksOfTheirOwn) {
  compile_networks();
  const Json quick = run_of(std::string(a_file) + " --clock-mhz 150");
  write("late.csv", "0.001\n");
  const Json late =
      serve(std::string(a) + b + " --tcus 2 --unit-clocks 0=150 --arrivals B=late.csv --images 1");
  EXPECT_EQ(late.at("clock_mhz"), 1e6);
  EXPECT_EQ(late.at("units")[0].at("clock_mhz"), 150.0);
  EXPECT_EQ(late.at("units")[1].at("clock_mhz"), 100.0);
  EXPECT_EQ(late.at("models")[0].at("alone_cycles"), quick.at("cycles"));
  EXPECT_EQ(late.at("models")[0].at("slowdown"), 1.0);
  const std::uint64_t period = 6667;  // ps, as every run rounds it
  const std::vector<Row> log = rows(read("r.csv"), "_ps");
  EXPECT_LT(log[0].begin, period) << "at the first edge";
  EXPECT_EQ(log[0].end - log[0].begin, period * quick.at("cycles").get<std::uint64_t>());
  EXPECT_EQ(log[1].arrival, 1000000000U);
  // All units have the same clock: it is that of the times.
  const Json same = serve(std::string(a) + " --unit-clocks 0=150 --images 1");
  EXPECT_EQ(same.at("clock_mhz"), 150.0);
  EXPECT_EQ(same.at("cycles"), quick.at("cycles"));
  // A memory of fixed latency takes cycles: twice the clock is half the time.
  const Json two = serve(std::string(a) +
                         " A2=a/mlp_onnx_zcu104.tmodel --tcus 2 --memory fixed "
                         "--images 3 --unit-clocks 1=200");
  const auto service = [](const Json& serving, unsigned model) {
    return serving.at("models")[model].at("service_ms").at("mean").get<double>();
  };
  EXPECT_DOUBLE_EQ(service(two, 0), 2 * service(two, 1));
  for (const Json& model : two.at("models")) EXPECT_EQ(model.at("slowdown"), 1.0);

  for (const char* clocks :
       {" --unit-clocks 1=37 --unit-clocks 2=250.5", " --unit-clocks 0=200 --unit-clocks 2=50"}) {
    const std::string options = std::string(a) + b +
                                " --tcus 3 --on A=0,1 --on B=1,2 --arrivals A=poisson:150000/s:9 "
                                "--arrivals B=8000/s --duration 600us --queue 3" +
                                clocks;
    const Json fast = serve(options);
    const std::string log = read("r.csv");
    for (const char* engine : {" --engine step", " --engine check=20"}) {
      EXPECT_EQ(serve(options + engine), fast) << options << engine;
      EXPECT_EQ(read("r.csv"), log) << options << engine;
    }
  }
}

TEST_F(ServingCommandTest, ATimelineOfSeveralClocksIsInNanoseconds) {
  compile_networks();
  (void)serve(std::string(a) + b + " --tcus 2 --images 2 --unit-clocks 1=200 --timeline t.json");
  const std::vector<Row> requests = rows(read("r.csv"), "_ps");
  const Json timeline = Json::parse(read("t.json"));
  EXPECT_EQ(timeline.at("otherData").at("time"), "1 us is 1 ns");
  std::map<std::string, double> begins;
  for (const Json& event : timeline.at("traceEvents")) {
    if (event.value("cat", "") != "run") continue;
    begins[event.at("name")] = event.at("ts");
  }
  begins.erase("preparation");
  ASSERT_EQ(begins.size(), 4U);
  std::map<std::string, double> in_log;
  for (const Row& r : requests) {
    const char* const number = in_log.count(r.model + " 0") == 0 ? " 0" : " 1";
    in_log[r.model + number] = static_cast<double>(r.begin) / 1000;
  }
  // The timeline counts from before the preparation.
  const double before = begins.at("A 0") - in_log.at("A 0");
  for (const auto& [name, ns] : begins) EXPECT_NEAR(ns - in_log.at(name), before, 1e-3) << name;
}

TEST_F(ServingCommandTest, TheTimelineHasAProcessForEachUnitAndASliceForEachImage) {
  compile_networks();
  (void)serve(std::string(a) + b + " --tcus 2 --images 3 --timeline t.json");
  std::map<std::uint64_t, std::vector<std::string>> images;
  std::map<std::uint64_t, std::string> processes;
  const Json timeline = Json::parse(read("t.json"));
  for (const Json& event : timeline.at("traceEvents")) {
    const std::uint64_t process = event.at("pid");
    if (event.at("name") == "process_name") processes[process] = event.at("args").at("name");
    if (event.value("cat", "") == "run") images[process].push_back(event.at("name"));
  }
  ASSERT_EQ(processes.size(), 2U);
  EXPECT_EQ(processes.begin()->second, "unit 0 (1 us is 1 cycle)");
  EXPECT_EQ(images.begin()->second, (std::vector<std::string>{"A 0", "A 1", "A 2"}));
  EXPECT_EQ(images.rbegin()->second, (std::vector<std::string>{"B 0", "B 1", "B 2"}));
}

TEST_F(ServingCommandTest, WrongInputIsRefusedBeforeAnythingIsSimulated) {
  compile_networks();
  const std::string run = std::string("run -q") + a + b;
  for (const auto& [options, error] : std::vector<std::pair<std::string, std::string>>{
           {" --arrivals A=0/s --duration 1s", "--arrivals A: \"0/s\" is no rate of requests"},
           {" --arrivals A=2e9/s --duration 1s", "at most 1000000000"},
           {" --arrivals A=30/s", "model \"A\": its requests never end"},
           {" --arrivals A=1e9/s --duration 1s", "more than 1000000 requests arrive"},
           {" --arrivals 30/s --duration 1s",
            "of which model? allowed: MODEL=..., with MODEL of A, B"},
           {" --arrivals C=30/s --duration 1s", "there is no model \"C\"; allowed: A, B"},
           {" --arrivals A=1/s --arrivals A=2/s", "model \"A\" has it twice"},
           {" --arrivals A=none.csv", "none.csv"},
           {" --on A=0,1", "is no list of units; allowed: numbers 0..0"},
           {" --tcus 2 --on A=0,0", "unit 0 is named twice"},
           {" --tcus 2 --on A=", "\"\" is no list of units"},
           {" --duration 0s", "--duration: \"0s\" is no time"},
           {" --queue x", "--queue"},
           {" --tcus 2 --unit-clocks 2=100",
            "--unit-clocks \"2=100\": this is no unit and its clock; allowed: UNIT=MHZ"},
           {" --unit-clocks 150", "this is no unit and its clock"},
           {" --unit-clocks 0=0", "0.001..100000 MHz"},
           {" --unit-clocks 0=50 --unit-clocks 0=60", "unit 0 has it twice"},
           {" A2=a/mlp_onnx_zcu104.tmodel --tcus 3 --on A2=3", "allowed: numbers 0..2"},
           {" --order best", "--order \"best\" is not allowed; allowed: turns, priority"},
           {" --energy horowitz_45nm", "--energy is for a run of one model"},
           {" --output out", "--output is for a run of one model"},
           {" --input random:1", "--input is for one model"},
           {" --request-log s/none/r.csv", "s/none/r.csv"},
           {std::string(s),
            "unit 0 cannot run model \"S\": it has the architecture of model \"A\""},
           {" A=a/mlp_onnx_zcu104.tmodel", "two models are named \"A\""},
           {" --tcus 64", "on unit 8: its banks"},
           {" --tcus 2 --stream board", "several models and an instruction stream out of the DRAM"},
           {" --model a/mlp_onnx_zcu104.tmodel", "--model names what is run, too"}}) {
    expect_error(run + options, error);
  }
  expect_error(std::string("run -q") + a + " --slowdowns", "with two or more");
  expect_error("run --arrivals 30/s --duration 1s", "needs compiled models");
  write("t.csv", "0\n1\nlate\n");
  expect_error(run + " --arrivals A=t.csv", "t.csv:3: \"late\" is no time of an arrival");
  write_model();
  expect_error(run + " m.tmodel", "are for different boards");
}

}  // namespace
}  // namespace tactus
