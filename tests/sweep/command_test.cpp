// tactus sweep and tactus report as commands: the results are the same in whatever way a sweep is
// run.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>
#include <tuple>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <pty.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include "firmware/config/config_files.h"
#include "firmware/sweep/definition.h"
#include "firmware/sweep/results.h"
#include "tests/cli/cli.h"

namespace tactus::sweep {
namespace {

class SweepCommand : public CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    setenv("XDG_CACHE_HOME", (folder_ / "cache").c_str(), 1);
    std::filesystem::create_directories(folder_ / "cache/tactus");
  }

  /// Writes a sweep of a small network; `rest` follows the base.
  void write_sweep(const std::string& rest, const std::string& file = "s.json") const {
    write(file, R"({"name": "t", "base": {"workload": {"network": "mlp"},
                   "board": {"name": "zcu104", "axi_data_bits": 64}}, )" +
                    rest + "}");
  }
  /// Writes a sweep of eight points.
  void write_eight() const {
    write_sweep(R"("axes": [{"key": "architecture.array_size", "values": [8, 16]},
                            {"key": "board.read_latency", "from": 1, "to": 64, "factor": 4}])");
  }

  /// Returns the lines of a folder's results without host figures, sorted.
  [[nodiscard]] std::vector<std::string> lines(const std::string& folder) const {
    std::vector<std::string> result;
    std::istringstream text(read(folder + "/results.jsonl"));
    for (std::string line; std::getline(text, line);) {
      Line json = Line::parse(line);
      EXPECT_TRUE(json["host"]["seconds"].is_number()) << line;
      json.erase("host");
      result.push_back(json.dump());
    }
    std::sort(result.begin(), result.end());
    return result;
  }
};

TEST_F(SweepCommand, StatusCountsWhatIsThere) {
  write_eight();
  expect_error("sweep status none", "none: no folder");
  std::filesystem::create_directory(folder_ / "empty");
  expect_error("sweep status empty", "empty: no folder of a sweep");
  ASSERT_EQ(tactus("sweep s.json -o c/shard-1 --shard 1/2").code, 0);
  const Output half = tactus("sweep status c");
  EXPECT_EQ(half.code, 1);
  EXPECT_NE(half.out.find("c: 4 of 8 points ok, 0 failed, 4 to run\n"), std::string::npos)
      << half.out;
  const std::vector<std::string> before = files();
  ASSERT_EQ(tactus("sweep s.json -o c/shard-2 --shard 2/2").code, 0);
  const Output all = tactus("sweep status c");
  EXPECT_EQ(all.code, 0) << all.err;
  EXPECT_NE(all.out.find("shard-2"), std::string::npos) << all.out;
  EXPECT_NE(all.out.find("c: 8 of 8 points ok, 0 failed, 0 to run\n"), std::string::npos);
  ASSERT_EQ(tactus("sweep merge c/shard-1 c/shard-2 -o c/all").code, 0);
  EXPECT_NE(tactus("sweep status c").out.find("joined in c/all"), std::string::npos);
  EXPECT_EQ(tactus("sweep status c/all").code, 0);
}

TEST_F(SweepCommand, SubmissionsAreCheckedFirst) {
  write_eight();
  expect_error("sweep s.json -o d --shards 2", "--shards needs --submit slurm");
  expect_error("sweep s.json -o d --submit pbs", "--submit \"pbs\" is not allowed");
  expect_error("sweep s.json --submit slurm", "name the folder of the results with -o");
  expect_error("sweep s.json -o d --submit slurm --shard 1/2", "not with --submit");
  const Output none = shell("PATH=/nowhere \"$0\" sweep s.json -o d --submit slurm");
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.err.find("sbatch is not installed here"), std::string::npos) << none.err;
  EXPECT_FALSE(exists("d"));
}

TEST_F(SweepCommand, ResultsAreTheSameHoweverItIsRun) {
  write_eight();
  const Output one = tactus("sweep s.json -o one -j1");
  ASSERT_EQ(one.code, 0) << one.err << one.out;
  const std::vector<std::string> expected = lines("one");
  ASSERT_EQ(expected.size(), 8U);
  EXPECT_NE(one.out.find("8 points, 8 of them to run"), std::string::npos) << one.out;

  ASSERT_EQ(tactus("sweep s.json -o two -j2").code, 0);
  EXPECT_EQ(lines("two"), expected);

  ASSERT_EQ(tactus("sweep s.json -o a --shard 1/2").code, 0);
  EXPECT_EQ(lines("a").size(), 4U);
  EXPECT_EQ(tactus("sweep merge a -o all").code, 1);  // half of the points are missing
  ASSERT_EQ(tactus("sweep s.json -o b --shard 2/2").code, 0);
  ASSERT_EQ(tactus("sweep merge a b -o all").code, 0);
  EXPECT_EQ(lines("all"), expected);

  const std::string before = read("one/results.jsonl");
  const Output again = tactus("sweep s.json -o one");
  EXPECT_NE(again.out.find("8 points, 0 of them to run"), std::string::npos) << again.out;
  EXPECT_EQ(read("one/results.jsonl"), before);
}

TEST_F(SweepCommand, KilledAtAnyMomentItContinuesWithTheRemainingPoints) {
  write_eight();
  ASSERT_EQ(tactus("sweep s.json -o whole -j2").code, 0);
  const std::vector<std::string> expected = lines("whole");
  std::size_t kills = 0;
  std::string before;
  // The sweep is killed when it has `wanted` lines or after a while, so each run gets further than
  // the previous one.
  for (std::size_t wanted = 1; wanted <= 8; ++wanted) {
    const pid_t pid = fork();
    if (pid == 0) {
      if (chdir(folder_.c_str()) != 0) _exit(9);
      const int null = open("/dev/null", O_RDWR);
      for (const int stream : {0, 1, 2}) dup2(null, stream);
      execl(TACTUS_BINARY, "tactus", "sweep", "s.json", "-o", "cut", "-j2", nullptr);
      _exit(9);
    }
    const auto start = std::chrono::steady_clock::now();
    const auto passed = [&] { return std::chrono::steady_clock::now() - start; };
    const auto finished = [&] {
      const std::string text = read("cut/results.jsonl");
      return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
    };
    int status = 0;
    bool ended = false;
    while (!ended && finished() < wanted && passed() < std::chrono::seconds(30)) {
      std::this_thread::sleep_for(std::chrono::milliseconds(3));
      ended = waitpid(pid, &status, WNOHANG) == pid;
    }
    if (!ended) {
      std::this_thread::sleep_for(std::chrono::milliseconds(7 * (wanted % 3)));
      kill(pid, SIGKILL);
      waitpid(pid, &status, 0);
    }
    if (WIFSIGNALED(status)) ++kills;
    const std::string now = read("cut/results.jsonl");
    EXPECT_EQ(now.substr(0, before.size()), before) << "something finished was lost or repeated";
    before = now.substr(0, now.rfind('\n') + 1);
  }
  EXPECT_GT(kills, 2U);
  // Simulates a process that dies while it writes a line.
  write("cut/results.jsonl", before + expected[0].substr(0, 100));
  ASSERT_EQ(tactus("sweep s.json -o cut -j2").code, 0);
  EXPECT_EQ(read("cut/results.jsonl").substr(0, before.size()), before);
  EXPECT_EQ(lines("cut"), expected);
  EXPECT_EQ(lines("whole"), expected);
}

/// A child process, whose output is a pipe or terminal.
struct Started {
  pid_t pid = -1;
  int output = -1;

  /// Returns the process's output until it ends; `status` is set by waitpid().
  std::string finish(int& status) const {
    std::string text;
    char buffer[4096];
    for (ssize_t count = 0; (count = ::read(output, buffer, sizeof buffer)) > 0;) {
      text.append(buffer, static_cast<std::size_t>(count));
    }
    close(output);
    waitpid(pid, &status, 0);
    return text;
  }
};

/// Starts a sweep in `folder` with a terminal as its output.
Started start_on_terminal(const std::filesystem::path& folder, const char* name) {
  Started started;
  started.pid = forkpty(&started.output, nullptr, nullptr, nullptr);
  if (started.pid != 0) return started;
  if (chdir(folder.c_str()) != 0) _exit(9);
  setenv("TERM", "xterm", 1);
  execl(TACTUS_BINARY, "tactus", "sweep", "s.json", "-o", name, "-j1", nullptr);
  _exit(9);
}

/// Returns the final content of a terminal after text with carriage returns and "erase to the end
/// of line".
std::string screen(const std::string& text) {
  std::string done;
  std::string line;
  std::size_t column = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 3, "\x1b[K") == 0) {
      line.resize(std::min(line.size(), column));
      i += 2;
    } else if (text[i] == '\r') {
      column = 0;
    } else if (text[i] == '\n') {
      done += line + "\n";
      line.clear();
    } else {
      line.resize(std::max(line.size(), column + 1), ' ');
      line[column++] = text[i];
    }
  }
  return done + line;
}

TEST_F(SweepCommand, TheProgressLineIsErasedAtTheEnd) {
  write_eight();
  const Started sweep = start_on_terminal(folder_, "r");
  int status = 0;
  const std::string text = sweep.finish(status);
  EXPECT_EQ(WEXITSTATUS(status), 0) << text;
  EXPECT_NE(text.find("0 of 8 points, 1 at once"), std::string::npos) << text;
  EXPECT_NE(text.find("7 of 8 points, 1 at once, about "), std::string::npos) << text;
  EXPECT_EQ(screen(text).find("at once"), std::string::npos) << screen(text);
  EXPECT_NE(screen(text).find("\nresults in r/results.jsonl"), std::string::npos) << screen(text);
}

TEST_F(SweepCommand, AnInterruptedSweepSaysHowToGoOn) {
  write_sweep(R"("axes": [{"key": "board.read_latency", "from": 1, "to": 400, "step": 1}])");
  const Started sweep = start_on_terminal(folder_, "r");
  while (lines("r").size() < 3) std::this_thread::sleep_for(std::chrono::milliseconds(3));
  ASSERT_EQ(::write(sweep.output, "\x03", 1), 1);  // the terminal turns this byte into Ctrl-C
  int status = 0;
  const std::string text = screen(sweep.finish(status));
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT) << status;
  EXPECT_NE(text.find(fmt::format("tactus: interrupted: {} of 400 points are stored in r; the same "
                                  "command goes on with the rest",
                                  lines("r").size())),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("at once"), std::string::npos) << text;
  EXPECT_EQ(read("r/results.jsonl").find("killed"), std::string::npos);
}

TEST_F(SweepCommand, AClosedPipeDoesNotEndTheSweep) {
  write_eight();
  const Output output = program(
      {"bash", "-o", "pipefail", "-c", "\"$0\" sweep s.json -o r 2>err.txt | true", TACTUS_BINARY});
  EXPECT_EQ(output.code, 0) << read("err.txt");
  EXPECT_EQ(lines("r").size(), 8U);
  EXPECT_TRUE(exists("r/results.csv"));
  EXPECT_EQ(read("err.txt"), "");
}

TEST_F(SweepCommand, APointKilledFromOutsideRunsAgain) {
  write_eight();
  ASSERT_EQ(tactus("sweep s.json -o whole").code, 0);
  const Started sweep = start_on_terminal(folder_, "r");
  std::vector<pid_t> points;
  while ((points = children(sweep.pid)).empty()) std::this_thread::yield();
  ASSERT_EQ(kill(points.front(), SIGKILL), 0);
  int status = 0;
  const std::string text = sweep.finish(status);
  EXPECT_EQ(WEXITSTATUS(status), 1) << text;
  EXPECT_NE(text.find("killed: ended by signal 9"), std::string::npos) << text;
  EXPECT_NE(text.find("1 point failed, 1 of them killed, which the same command runs again"),
            std::string::npos)
      << text;
  const Output again = tactus("sweep s.json -o r");
  EXPECT_EQ(again.code, 0) << again.out;
  EXPECT_NE(again.out.find("8 points, 1 of them to run"), std::string::npos) << again.out;
  EXPECT_EQ(lines("r"), lines("whole"));
}

TEST_F(SweepCommand, APointHasACycleLimitAndATimeLimit) {
  write_eight();
  ASSERT_EQ(tactus("sweep s.json -o whole").code, 0);
  Output run = tactus("sweep s.json -o cycles --max-cycles 100");
  EXPECT_EQ(run.code, 1);
  EXPECT_NE(run.out.find("failed: mlp: the program met its cycle limit after 100 cycles"),
            std::string::npos)
      << run.out;
  EXPECT_EQ(tactus("sweep s.json -o cycles").code, 1) << "a failed point is a result";
  run = tactus("sweep s.json -o cycles --retry-failed --max-cycles 1000000 --point-timeout 100");
  EXPECT_EQ(run.code, 0) << run.out;
  EXPECT_EQ(lines("cycles"), lines("whole"));
  run = tactus("sweep s.json -o time --point-timeout 1e-6");
  EXPECT_EQ(run.code, 1);
  EXPECT_NE(run.out.find("failed: met its time limit after 0.0 s (--point-timeout)"),
            std::string::npos)
      << run.out;
  expect_error("sweep s.json -o r --point-timeout 0", "--point-timeout");
}

TEST_F(SweepCommand, AShardMayBeEmpty) {
  write_eight();
  ASSERT_EQ(tactus("sweep s.json -o all --shard 1/1").code, 0);
  EXPECT_EQ(tactus("sweep s.json -o empty --shard 9/9").code, 0);
  EXPECT_EQ(tactus("sweep s.json --dry-run --shard 9/9").code, 0);
  EXPECT_EQ(tactus("sweep merge empty all -o both").code, 0);
  EXPECT_EQ(lines("both"), lines("all"));
}

TEST_F(SweepCommand, AFailedPointIsRecordedAndTheSweepGoesOn) {
  write_sweep(R"("axes": [{"key": "architecture.accumulator_depth", "values": [1, 512]}])");
  const Output run = tactus("sweep s.json -o r -j1");
  EXPECT_EQ(run.code, 1) << run.err << run.out;
  const Results results = read_results((folder_ / "r").string());
  ASSERT_EQ(results.lines.size(), 2U);
  EXPECT_EQ(results.lines[0]["status"], "failed");
  EXPECT_NE(results.lines[0]["error"].get<std::string>().find("accumulators"), std::string::npos)
      << results.lines[0]["error"];
  EXPECT_EQ(results.lines[1]["status"], "ok");
  EXPECT_GT(results.lines[1]["figures"]["cycles"].get<std::uint64_t>(), 100U);
  EXPECT_EQ(tactus("sweep s.json -o r").code, 1);
  EXPECT_NE(tactus("sweep s.json -o r --retry-failed").out.find("2 points, 1 of them to run"),
            std::string::npos);
}

/// With -q, a failed point is still an error on standard error.
TEST_F(SweepCommand, AFailedPointIsPrintedWithQuietToo) {
  write_sweep(R"("axes": [{"key": "architecture.accumulator_depth", "values": [1, 512]}])");
  const Output run = tactus("sweep s.json -o r -j1 -q");
  EXPECT_EQ(run.code, 1);
  EXPECT_EQ(run.out, "");
  EXPECT_EQ(run.err.rfind("tactus: error: point 0      failed: ", 0), 0U) << run.err;
  EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
}

/// --check builds the machine of each point with its memory, without compiling anything.
TEST_F(SweepCommand, CheckNamesTheValuesThatDoNotFit) {
  write_sweep(R"("axes": [{"key": "architecture.array_size", "values": [8, 16]},
                          {"key": "architecture.dram0_depth", "values": [4096, 1073741824]}])");
  const Output check = tactus("sweep s.json --check");
  EXPECT_EQ(check.code, 1) << check.err;
  EXPECT_EQ(check.out, "t: 4 points\n");
  EXPECT_NE(check.err.find("2 of 4 points cannot be built\n"), std::string::npos) << check.err;
  EXPECT_NE(check.err.find("  architecture.dram0_depth=1073741824: all of its 2 points: "),
            std::string::npos)
      << check.err;
  EXPECT_EQ(check.err.find("point 1"), std::string::npos) << check.err;
  EXPECT_FALSE(exists("r"));
  write_eight();
  const Output good = tactus("sweep s.json --check");
  EXPECT_EQ(good.code, 0);
  EXPECT_EQ(good.out, "t: 8 points\n");
  EXPECT_EQ(good.err, "");
}

/// Each unit needs an image, and units meet in the board's memory only.
TEST_F(SweepCommand, UnitsWithoutImagesAreRefusedBeforeTheSweep) {
  const std::string units = R"("axes": [{"key": "measure.tcus", "values": [1, 2]}])";
  write_sweep(units);
  const Output check = tactus("sweep s.json --check");
  EXPECT_EQ(check.code, 1) << check.err;
  EXPECT_NE(check.err.find("1 of 2 points cannot be built"), std::string::npos) << check.err;
  EXPECT_NE(check.err.find("measure.tcus=2: its point: "), std::string::npos) << check.err;
  EXPECT_NE(check.err.find("tcus 2: there is 1 run to deal out"), std::string::npos) << check.err;
  write("images.json",
        std::string(
            R"({"name": "t", "base": {"workload": {"network": "mlp"}, "measure": {"images": 2},
                      "board": {"name": "zcu104", "axi_data_bits": 64}}, )") +
            units + "}");
  const Output good = tactus("sweep images.json --check");
  EXPECT_EQ(good.code, 0) << good.err;
}

/// Figures of a point with several units are those of all units.
TEST_F(SweepCommand, FiguresOfSeveralUnitsAreThoseOfAll) {
  write("s.json", std::string(R"({"name": "t", "base": {"workload": {"network": "mlp"},
    "measure": {"images": 4, "energy": "horowitz_45nm"}, "board": {"name": "zcu104"}},
    "axes": [{"key": "measure.tcus", "values": [1, 2, 4]}]})"));
  ASSERT_EQ(tactus("sweep s.json -o r -j 1").code, 0);
  std::istringstream lines(read("r/results.jsonl"));
  std::vector<nlohmann::json> figures;
  for (std::string line; std::getline(lines, line);) {
    figures.push_back(nlohmann::json::parse(line).at("figures"));
  }
  ASSERT_EQ(figures.size(), 3U);
  const std::uint64_t units[] = {1, 2, 4};
  for (std::size_t i = 0; i < 3; ++i) {
    for (const char* key : {"memory_bits", "multipliers"}) {
      EXPECT_EQ(figures[i].at(key), units[i] * figures[0].at(key).get<std::uint64_t>()) << key;
    }
    const auto area = [&](std::size_t point) {
      return figures[point].at("energy").at("area").at("total").get<double>();
    };
    EXPECT_NEAR(area(i), static_cast<double>(units[i]) * area(0), 1e-3);
    // The same events an image, in about a time of 1 / units.
    const double energy = figures[0].at("energy").at("per_image").get<double>();
    EXPECT_NEAR(figures[i].at("energy").at("per_image").get<double>(), energy, 1e-3 * energy);
    const double power = figures[i].at("energy").at("power_mw").get<double>();
    EXPECT_NEAR(power, energy * 1e-9 * figures[i].at("frames_per_second").get<double>(),
                0.02 * power);
  }
  ASSERT_EQ(tactus("report r -o r.html").code, 0);
  const std::string page = read("r.html");
  EXPECT_NE(page.find("Frames/s against tcus"), std::string::npos);
  EXPECT_NE(page.find("gives the most frames/s"), std::string::npos);
  EXPECT_EQ(page.find("Latency against"), std::string::npos);
}

/// Arrivals, priorities and placements are axes like others.
TEST_F(SweepCommand, PointsServeRequestsThatArrive) {
  const std::string base = R"({"name": "t", "base": {"workload": {"network": "mlp"},
    "measure": {"beside": "cnn", "tcus": 2, "duration": "500us"}, "board": {"name": "zcu104"}},
    "axes": [)";
  write("s.json", base + R"({"key": "measure.arrivals", "values":
                              ["mlp=20000/s;cnn=2000/s", "mlp=40000/s;cnn=poisson:2000/s:3"]},
                            {"key": "measure.on", "values": ["mlp=0;cnn=1", "mlp=1;cnn=1"]},
                            {"key": "board.arbitration", "values": ["ports", "fixed:unit0"]}]})");
  const Output run = tactus("sweep s.json -o r -j 1");
  ASSERT_EQ(run.code, 0) << run.err;
  std::istringstream lines(read("r/results.jsonl"));
  std::vector<nlohmann::json> points;
  for (std::string line; std::getline(lines, line);) points.push_back(nlohmann::json::parse(line));
  ASSERT_EQ(points.size(), 8U);
  for (std::size_t i = 0; i < 8; ++i) {
    const nlohmann::json& serving = points[i].at("figures").at("serving");
    EXPECT_EQ(serving.at("mlp").at("arrived"), i < 4 ? 10 : 20) << i;
    EXPECT_EQ(points[i].at("configuration").at("board").at("memory").value("arbitration", "ports"),
              i % 2 == 0 ? "ports" : "fixed:unit0");
  }
  const auto p99 = [&](std::size_t point) {
    return points[point].at("figures").at("serving").at("mlp").at("latency_ms").at("p99");
  };
  EXPECT_GT(p99(2), p99(0)) << "on the other's unit it waits longer";
  EXPECT_NE(read("r/results.csv").find("figures.serving.mlp.latency_ms.p99"), std::string::npos);
  // Points without requests have the figures that they always had.
  EXPECT_EQ(points[0].at("figures").at("cycles"), points[7].at("figures").at("cycles"));
  const auto expect_refused = [&](const std::string& axis, const std::string& error) {
    write("bad.json", base + axis + "]}");
    const Output check = tactus("sweep bad.json --check");
    EXPECT_NE(check.code, 0);
    EXPECT_NE(check.err.find(error), std::string::npos) << check.err;
  };
  expect_refused(R"({"key": "measure.arrivals", "values": ["lmp=1/s"]})", "no model \"lmp\"");
  expect_refused(R"({"key": "measure.beside", "values": ["cnn;cnn"]})", "named \"cnn\"");
  expect_refused(R"({"key": "measure.beside", "values": ["cnnn"]})", "beside: ");
  expect_refused(R"({"key": "measure.on", "values": ["mlp=2"]})", "allowed: numbers 0..1");
  expect_refused(R"({"key": "measure.order", "values": ["best"]})", "allowed: turns, priority");
  expect_refused(R"({"key": "board.arbitration", "values": ["best"]})", "is no arbitration");
  expect_refused(R"({"key": "measure.unit_clocks", "values": ["2=100"]})", "with a unit of 0..1");
  write("clocks.json", base + R"({"key": "measure.unit_clocks", "values": ["", "0=400"]}]})");
  ASSERT_EQ(tactus("sweep clocks.json -o c -j 1").code, 0);
  std::istringstream with_clocks(read("c/results.jsonl"));
  std::vector<double> medians;
  for (std::string line; std::getline(with_clocks, line);) {
    medians.push_back(nlohmann::json::parse(line)
                          .at("figures")
                          .at("serving")
                          .at("mlp")
                          .at("latency_ms")
                          .at("median"));
  }
  ASSERT_EQ(medians.size(), 2U);
  EXPECT_LT(medians[1], 0.5 * medians[0]);
}

TEST_F(SweepCommand, BadDefinitionsAreRefusedBeforeAnythingIsWritten) {
  write_sweep(R"("axes": [{"key": "architecture.aray_size", "values": [8]}])", "typo.json");
  expect_error("sweep typo.json -o r", "did you mean \"architecture.array_size\"?");
  write_sweep(R"("axes": [{"key": "architecture.array_size", "values": []}])", "empty.json");
  expect_error("sweep empty.json -o r", "the axis is empty");
  write_sweep(R"("axes": [{"key": "architecture.array_size", "values": [8, 16]}],
                 "constraints": ["array_size > 16"])",
              "none.json");
  expect_error("sweep none.json -o r", "is false for all 2 values of its axes");
  write_sweep(R"("axes": [{"key": "workload.network", "values": ["mlp", "cut.onnx"]}])",
              "cut.json");
  ASSERT_EQ(tactus("zoo mlp -o whole.onnx").code, 0);
  write("cut.onnx", read("whole.onnx").substr(0, 1000));
  expect_error("sweep cut.json -o r", "cut.json:/axes/0/values/1: \"workload.network\": cut.onnx");
  write_sweep(R"("axes": [{"key": "architecture.array_size", "values": [3, 5]}])", "narrow.json");
  expect_error("sweep narrow.json -o r", "narrow.json: none of the points can be built; point 0: ");
  write_eight();
  expect_error("sweep s.json", "-o");
  expect_error("sweep absent.json -o r", "absent.json");
  expect_error("sweep s.json -o r --shard 3/2", "i/n");
}

TEST_F(SweepCommand, FoldersThatCannotBeUsedAreRefused) {
  write_eight();
  write("file", std::string("x"));
  expect_error("sweep s.json -o file/r", "file/r");
  expect_error("sweep s.json -o /proc/r", "/proc/r");
  std::filesystem::create_directory(folder_ / "used");
  const int used = open((folder_ / "used/results.jsonl").c_str(), O_RDWR | O_CREAT, 0666);
  ASSERT_EQ(flock(used, LOCK_EX), 0);
  expect_error("sweep s.json -o used", "another sweep is writing to this folder");
  close(used);
  expect_error("sweep merge absent -o r", "absent");
}

TEST_F(SweepCommand, AShippedSweepHasAName) {
  const Output check = tactus("sweep quick --check");
  EXPECT_EQ(check.code, 0) << check.err;
  EXPECT_EQ(check.out, "quick: 6 points\n");
  expect_error("sweep quik --check", "did you mean \"quick\"?");
}

TEST_F(SweepCommand, ADryRunWritesNothing) {
  write_eight();
  ASSERT_EQ(tactus("sweep s.json --dry-run").code, 0);  // fills the cache
  const std::vector<std::string> before = files();
  const Output run = tactus("sweep s.json --dry-run -o r");
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_NE(run.out.find("8 points\n"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("architecture.array_size=16 board.read_latency=64"), std::string::npos);
  EXPECT_NE(run.out.find("estimated time"), std::string::npos);
  EXPECT_EQ(files(), before);
}

TEST_F(SweepCommand, NetworksInFilesAreNamedFromTheSweepsFolder) {
  std::filesystem::create_directories(folder_ / "d/e");
  ASSERT_EQ(tactus("zoo mlp -o d/m.onnx").code, 0);
  write("d/s.json", std::string(R"({"name": "t", "base": {"workload": {"network": "m.onnx"},
        "board": {"name": "zcu104"}}, "axes": [{"key": "board.read_latency", "values": [1, 2]}]})"));
  ASSERT_EQ(tactus("sweep d/s.json -o a --shard 1/2").code, 0);
  ASSERT_EQ(tactus("sweep d/e/../s.json -o b --shard 2/2").code, 0);
  EXPECT_EQ(tactus("sweep merge a b -o all").code, 0);
  EXPECT_EQ(lines("all").size(), 2U);
}

TEST_F(SweepCommand, TheDefinitionInAFolderMayRunInIt) {
  write_sweep(R"("axes": [{"key": "board.read_latency", "values": [1]}])");
  ASSERT_EQ(tactus("sweep s.json -o one").code, 0);
  EXPECT_EQ(tactus("sweep one/sweep.json -o one").code, 0);
  EXPECT_EQ(tactus("report one -o one/page.html").code, 0);
}

TEST_F(SweepCommand, ADefinitionOfTheUserIsNotReplaced) {
  write_sweep(R"("axes": [{"key": "board.read_latency", "values": [1]}])");
  const std::string mine = "{\"name\": \"a sweep of my own\"}\n";
  std::filesystem::create_directory(folder_ / "r");
  write("r/sweep.json", mine);
  const std::vector<std::string> before = files();
  expect_error("sweep s.json -o r", "r/sweep.json: another sweep, which would be replaced");
  EXPECT_EQ(read("r/sweep.json"), mine);
  EXPECT_EQ(files(), before);
  // sweep.json may be replaced if it is the copy of an earlier sweep.
  ASSERT_EQ(tactus("sweep s.json -o one").code, 0);
  write_sweep(R"("axes": [{"key": "board.read_latency", "values": [1, 2]}])");
  EXPECT_EQ(tactus("sweep s.json -o one").code, 0);
  EXPECT_EQ(read("one/sweep.json"), read("s.json"));
}

TEST_F(SweepCommand, ReportsNeedResults) {
  expect_error("report . -o r.html", "no sweep.json");
  expect_error("report absent -o r.html", "no sweep.json");
  write_eight();
  ASSERT_EQ(tactus("sweep s.json -o r --shard 1/8").code, 0);
  expect_error("report r", "-o");
  expect_error("report r -o absent/r.html", "absent/r.html");
  for (const char* file : {"sweep.json", "points.csv", "results.jsonl", "results.csv"}) {
    const std::string before = read(std::string("r/") + file);
    expect_error(std::string("report r -o r/../r/") + file, "would be written over");
    EXPECT_EQ(read(std::string("r/") + file), before);
  }
  write("r/results.jsonl", std::string());
  expect_error("report r -o r.html", "no point of the sweep is finished");
  write("r/results.jsonl", std::string("{\"point\": 1}\n"));
  expect_error("report r -o r.html", "results.jsonl:1: not a result line");
}

/// Commands that read a folder of results, here "r" with points 0 and 1.
const std::vector<std::string> readers{"report r -o r.html", "sweep status r", "compare r:0 r:1",
                                       "compare r r"};

TEST_F(SweepCommand, EveryCommandReportsABrokenDefinition) {
  write_sweep(R"("axes": [{"key": "board.read_latency", "values": [1, 2]}])");
  ASSERT_EQ(tactus("sweep s.json -o r").code, 0);
  const std::string whole = read("r/sweep.json");
  const std::pair<std::string, std::string> broken[] = {
      {"", "r/sweep.json: "},
      {"garbage", "r/sweep.json:1:1: "},
      {whole.substr(0, whole.size() / 2), "r/sweep.json:"},
      {std::string("\0\1\2\3", 4), "r/sweep.json"},
      {"[]", "r/sweep.json:"},
      {"{}", "r/sweep.json:/axes: missing key"},
      {R"({"name": "t", "base": {}, "axes": {}})", "r/sweep.json:/axes: "},
      {R"({"name": 1, "base": {}, "axes": []})", "r/sweep.json:/name: "}};
  for (const auto& [text, error] : broken) {
    write("r/sweep.json", text);
    for (const std::string& command : readers) {
      expect_error(command, error);
    }
    expect_error("sweep merge r -o all", "r/sweep.json");
  }
  // The same holds for a folder without results.
  std::filesystem::create_directory(folder_ / "submitted");
  write("submitted/sweep.json", std::string("garbage"));
  expect_error("sweep status submitted", "submitted/sweep.json:1:1: ");
  EXPECT_FALSE(exists("r.html"));
  EXPECT_FALSE(exists("all"));
}

TEST_F(SweepCommand, ABrokenLineIsNamedWithItsPlace) {
  write_sweep(R"("axes": [{"key": "board.read_latency", "values": [1, 2]}])");
  ASSERT_EQ(tactus("sweep s.json -o r -j1").code, 0);
  const std::string whole = read("r/results.jsonl");
  const auto break_line = [&](const std::string& path, const Line& value) {
    Line line = Line::parse(whole.substr(0, whole.find('\n')));
    line[Line::json_pointer(path)] = value;
    write("r/results.jsonl", line.dump() + whole.substr(whole.find('\n')));
  };
  const auto expect = [&](const std::string& path, const Line& value, const std::string& what) {
    break_line(path, value);
    for (const std::string& command : readers) {
      expect_error(command, fmt::format("r/results.jsonl:1: not a result line:{}: {}", path, what));
    }
  };
  expect("/status", "done", "must be \"ok\", \"failed\" or \"killed\"");
  expect("/figures", nullptr, "must be an object");
  expect("/configuration/board", 3, "must be an object");
  expect("/host/seconds", "long", "must be a number");
  for (const auto& [path, value, what] :
       {std::tuple<const char*, Line, const char*>{"/figures/cycles", nullptr,
                                                   "must be a whole number, 0 or more"},
        {"/figures/latency_ms", "1", "must be a number"},
        {"/figures/frames_per_second", true, "must be a number or null"},
        {"/figures/memory_bits", nullptr, "must be a number"}}) {
    break_line(path, value);
    expect_error("report r -o r.html", fmt::format("r/results.jsonl:1:{}: {}", path, what));
  }
  break_line("/figures/cycles", nullptr);
  for (const std::string runs : {"r:0 r:1", "r r"}) {
    expect_error("compare " + runs, "/figures/cycles: must be a whole number");
  }
  break_line("/hash", std::string(64, 'f'));
  for (const std::string& command : readers) {
    expect_error(command, "r/results.jsonl:1: point 0 is not in r/points.csv");
  }
}

TEST_F(SweepCommand, TheReportOpensInABrowser) {
  write_sweep(
      R"("axes": [{"key": "architecture.accumulator_depth", "values": [1, 512, 1024]},
                  {"key": "board.read_latency", "values": [1, 64]},
                  {"key": "compiler.strategy", "values": ["local-isolated", "local-vars"]}])");
  ASSERT_EQ(tactus("sweep s.json -o r").code, 1);
  ASSERT_EQ(tactus("report r -o r.html --csv r.csv --markdown r.md").code, 0);
  EXPECT_NE(read("r.md").find("| point | accumulator_depth | read_latency |"), std::string::npos);
  EXPECT_EQ(read("r.csv").find("point,"), 0U) << "what varies comes first";
  EXPECT_NE(read("r.csv").find("accumulator_depth"), std::string::npos);
  EXPECT_NE(read("r.constants.csv").find("configuration.board.name,"), std::string::npos);
  // The columns are the axes in the order of the definition, then the rest.
  EXPECT_EQ(read("r.csv").find("point,accumulator_depth,read_latency,strategy,status,"), 0U)
      << read("r.csv").substr(0, 200);
  const std::string page = read("r.html");
  for (const char* part :
       {"has the lowest latency", "12 points, 4 of them failed", "Failed points", "accumulators",
        "Latency against strategy", "Latency against on-chip memory",
        "<li>Points <a href=\"#p0\">0</a>, ", "<span id=\"p0\">0</span>"}) {
    EXPECT_NE(page.find(part), std::string::npos) << part;
  }
  for (const char* foreign : {"http:", "https:", "src="}) {
    EXPECT_EQ(page.find(foreign), std::string::npos) << foreign;
  }
  TACTUS_NEEDS_CHROMIUM;
  // The script sorts by read latency twice and writes both orders into the page's title.
  std::string probe = page;
  probe.insert(probe.rfind("</body>"), R"(<script>
    const head = [...document.querySelectorAll('.list th')]
        .find((cell) => cell.textContent === 'read latency, cycles');
    head.click();
    const body = head.closest('table').tBodies[0];
    const column = head.cellIndex;
    const up = [...body.rows].map((row) => row.cells[column].textContent).join(' ');
    head.click();
    const down = [...body.rows].map((row) => row.cells[column].textContent).join(' ');
    document.title = up + ' | ' + down;
    </script>)");
  write("probe.html", probe);
  const std::string dom = browse("probe.html");
  EXPECT_NE(dom.find("<title>1 1 1 1 64 64 64 64 | 64 64 64 64 1 1 1 1</title>"), std::string::npos)
      << dom.substr(dom.find("<title>"), 120);
}

TEST(ShippedSweeps, HaveTheExpectedNumbersOfPoints) {
  std::vector<std::pair<std::string, std::size_t>> sizes;
  for (const std::string& name : config_names("sweeps")) {
    const Points all = points(read_definition(config_path("sweeps", name)));
    EXPECT_EQ(all.dropped, 0U) << name;
    sizes.emplace_back(name, all.points.size());
  }
  EXPECT_EQ(sizes, (decltype(sizes){{"array_size", 8},
                                    {"depths", 30},
                                    {"gemm_array", 18},
                                    {"gemm_machines", 6},
                                    {"gemm_memory", 27},
                                    {"gemm_repeat_count", 32},
                                    {"latency", 28},
                                    {"quick", 6},
                                    {"resnet20_200", 200},
                                    {"strategies", 16},
                                    {"via_stripe", 24}}));
}

}  // namespace
}  // namespace tactus::sweep
