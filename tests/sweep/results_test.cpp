// The folder of results: incomplete lines, locks, results of other sweeps, merging.
#include "firmware/sweep/results.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <iterator>

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "firmware/sweep/run.h"
#include "isa/support/error.h"
#include "isa/support/files.h"

namespace tactus::sweep {
namespace {

const std::string text =
    R"({"name": "t", "base": {"board": {"name": "zcu104"}, "workload": {"network": "mlp"}},
        "axes": [{"key": "board.read_latency", "values": [1, 2, 3]}]})";

class SweepResults : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = ::testing::TempDir() + "sweep_results_" + std::to_string(getpid());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    points_ = points(definition_).points;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const { return folder_ + "/" + name; }
  [[nodiscard]] ResultsFolder open(const std::string& name, bool retry = false,
                                   const std::string& tool = "tool 1") const {
    return ResultsFolder(path(name), text, points_, tool, retry);
  }
  /// Returns the line of a job that succeeded (`good`) or failed.
  [[nodiscard]] Line line(std::size_t i, bool good = true) const {
    JobResult result;
    result.exit_code = good ? 0 : 2;
    result.output = R"({"cycles": )" + std::to_string(100 + i) + R"(, "latency_ms": 0.5})";
    result.messages = "tactus: error: no room\n";
    result.seconds = 1.5;
    return line_of(i, result);
  }

  [[nodiscard]] Line line_of(std::size_t i, const JobResult& result) const {
    return result_line(points_[i], Configurations(definition_).of(points_[i]), result, "tool 1");
  }

  std::string folder_;
  Definition definition_ = parse_definition(text, "s.json");
  std::vector<Point> points_;
};

TEST_F(SweepResults, FinishedPointsStayFinished) {
  open("a").append(line(1));
  const ResultsFolder again = open("a");
  EXPECT_TRUE(again.finished(points_[1].hash));
  EXPECT_FALSE(again.finished(points_[0].hash));
  EXPECT_EQ(again.results().lines.at(0)["figures"]["cycles"], 101);
}

TEST_F(SweepResults, ACutLineIsRemovedWhereverItIsCut) {
  open("a").append(line(0));
  const std::string whole = read_text(path("a/results.jsonl"));
  open("a").append(line(1));
  const std::string both = read_text(path("a/results.jsonl"));
  for (std::size_t cut = whole.size() + 1; cut < both.size(); cut += 37) {
    write_file_atomically(path("a/results.jsonl"), both.substr(0, cut));
    ResultsFolder again = open("a");
    EXPECT_EQ(again.results().lines.size(), 1U) << cut;
    again.append(line(1));
    EXPECT_EQ(read_text(path("a/results.jsonl")), both) << cut;
  }
}

TEST_F(SweepResults, OneWriterAtATime) {
  const ResultsFolder first = open("a");
  EXPECT_THROW((void)open("a"), UserError);
}

/// Returns the number of open file descriptors of this process.
std::size_t open_descriptors() {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    (void)entry;
    ++count;
  }
  return count;
}

TEST_F(SweepResults, AnOpeningThatFailsLeavesNoLockAndNoDescriptor) {
  open("a").append(line(0));
  const std::size_t before = open_descriptors();
  EXPECT_THROW((void)open("a", false, "tool 2"), UserError);
  EXPECT_EQ(open_descriptors(), before);
  EXPECT_NO_THROW((void)open("a"));
}

/// Makes flock() fail in this process, as on a file system without locks.
void forbid_flock(unsigned error) {
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_flock, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter{static_cast<unsigned short>(std::size(program)), program};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) {
    _exit(77);
  }
}

TEST_F(SweepResults, AFileSystemWithoutLocksHasAMessageOfItsOwn) {
  const auto attempt = [&] {
    forbid_flock(ENOLCK);
    try {
      (void)open("a");
    } catch (const UserError& error) {
      std::fprintf(stderr, "%s\n", error.what());
      _exit(2);
    }
    _exit(0);
  };
  EXPECT_EXIT(attempt(), ::testing::ExitedWithCode(2), "a: the file system cannot lock files");
}

TEST_F(SweepResults, RefusesResultsOfAnotherSweep) {
  open("a").append(line(0));
  EXPECT_THROW((void)open("a", false, "tool 2"), UserError);
  points_.erase(points_.begin());
  EXPECT_THROW((void)open("a"), UserError);
  write_file_atomically(path("a/results.jsonl"), std::string_view("{}\n"));
  EXPECT_THROW((void)open("a"), UserError);
  EXPECT_THROW((void)read_results(folder_), UserError);
}

TEST_F(SweepResults, FailedPointsAreResultsUntilTheyAreRetried) {
  {
    ResultsFolder folder = open("a");
    folder.append(line(0, false));
    folder.append(line(1));
    EXPECT_EQ(folder.results().lines[0]["error"], "no room");
  }
  EXPECT_TRUE(open("a").finished(points_[0].hash));
  const ResultsFolder retried = open("a", true);
  EXPECT_FALSE(retried.finished(points_[0].hash));
  EXPECT_TRUE(retried.finished(points_[1].hash));
}

TEST_F(SweepResults, KilledPointsRunAgain) {
  JobResult result;
  result.exit_code = -1;
  result.signal = SIGKILL;
  const Line killed = line_of(0, result);
  EXPECT_EQ(killed["status"], "killed");
  EXPECT_EQ(killed["error"], "ended by signal 9 (Killed)");
  {
    ResultsFolder folder = open("a");
    folder.append(killed);
    folder.append(line(1));
  }
  EXPECT_EQ(read_results(path("a")).lines.size(), 2U);
  ResultsFolder again = open("a");
  EXPECT_FALSE(again.finished(points_[0].hash));
  EXPECT_TRUE(again.finished(points_[1].hash));
  again.append(line(0));
  EXPECT_EQ(read_results(path("a")).lines.size(), 2U);
}

TEST_F(SweepResults, OnlySignalsFromOutsideCountAsKilled) {
  const auto status = [&](int signal, int code, bool timed_out) {
    JobResult result;
    result.signal = signal;
    result.exit_code = code;
    result.timed_out = timed_out;
    return line_of(0, result)["status"].get<std::string>();
  };
  for (const int signal : {SIGKILL, SIGTERM, SIGINT, SIGHUP}) {
    EXPECT_EQ(status(signal, -1, false), "killed") << signal;
  }
  for (const int signal : {SIGSEGV, SIGABRT, SIGFPE}) {
    EXPECT_EQ(status(signal, -1, false), "failed") << signal;
  }
  EXPECT_EQ(status(SIGKILL, -1, true), "failed");
  EXPECT_EQ(status(0, 2, false), "failed");
  EXPECT_EQ(status(0, exit_host_failed, false), "killed");
  EXPECT_EQ(status(0, exit_not_started, false), "killed");
}

TEST_F(SweepResults, TheTableIsSortedAndQuoted) {
  std::vector<Line> lines{line(2), line(0, false)};
  lines[1]["error"] = "a, \"b\"";
  const std::string csv = to_csv(lines);
  EXPECT_EQ(csv.substr(0, 18), "point,hash,status,");
  const std::size_t failed = csv.find("\"a, \"\"b\"\"\"");
  ASSERT_NE(failed, std::string::npos) << csv;
  EXPECT_LT(failed, csv.find("102"));
}

TEST_F(SweepResults, MergingJoinsShards) {
  open("a").append(line(2));
  open("b").append(line(0));
  Merged merged = merge({path("a"), path("b")}, path("all"));
  EXPECT_EQ(merged.missing, 1U);
  open("b").append(line(1, false));
  merged = merge({path("a"), path("b")}, path("all"));
  EXPECT_EQ(merged.missing, 0U);
  EXPECT_EQ(merged.failed, 1U);
  EXPECT_EQ(read_results(path("all")).lines.size(), 3U);
  EXPECT_TRUE(std::filesystem::exists(path("all/results.csv")));
}

TEST_F(SweepResults, MergingAgainTakesWhatHasSucceededSince) {
  open("a").append(line(0, false));
  open("b").append(line(1));
  EXPECT_EQ(merge({path("a"), path("b")}, path("all")).failed, 1U);
  open("a", true).append(line(0));
  const Merged merged = merge({path("a"), path("b")}, path("all"));
  EXPECT_EQ(merged.failed, 0U);
  const Results all = read_results(path("all"));
  ASSERT_EQ(all.lines.size(), 2U);
  EXPECT_EQ(all.lines[0]["status"], "ok");
  EXPECT_EQ(read_text(path("all/results.csv")), to_csv(all.lines));
  // Merging never replaces figures by a failure, in any order of the folders.
  open("c").append(line(0, false));
  EXPECT_EQ(merge({path("c"), path("b")}, path("all")).failed, 0U);
  EXPECT_EQ(merge({path("a"), path("c")}, path("other")).failed, 0U);
  EXPECT_EQ(merge({path("c"), path("a")}, path("third")).failed, 0U);
}

TEST_F(SweepResults, TablesHaveVaryingKeysFirstAndConstantsSeparately) {
  ResultsFolder folder = open("a");
  folder.append(line(1));
  folder.append(line(0));
  folder.append(line(2, false));
  const ResultTables tables = to_tables(folder.results());
  const std::string points = tactus::to_csv(tables.points);
  EXPECT_EQ(points.substr(0, points.find('\n')), "point,read_latency,status,cycles,error");
  EXPECT_NE(points.find("\n0,1,ok,100,\n1,2,ok,101,\n2,3,failed,,"), std::string::npos) << points;
  const std::string constants = tactus::to_csv(tables.constants);
  for (const char* constant : {"name,value\n", "configuration.board.name,zcu104\n",
                               "figures.latency_ms,0.5\n", "tool,tool 1\n"}) {
    EXPECT_NE(constants.find(constant), std::string::npos) << constants;
  }
  const std::string markdown = to_markdown(tables.points) + to_markdown(tables.constants);
  for (const char* row : {"| point | read_latency | status | cycles | error |\n|---:|",
                          "\n| 0 | 1 | ok | 100 |  |\n", "| tool | tool 1 |\n"}) {
    EXPECT_NE(markdown.find(row), std::string::npos) << markdown;
  }
  // With one point all figures are constant, but still in the table of points.
  Results single = folder.results();
  single.lines = {line(0)};
  const std::string one = tactus::to_csv(to_tables(single).points);
  EXPECT_NE(one.find("latency_ms"), std::string::npos) << one;
}

TEST_F(SweepResults, FoldersWithoutResultsCanBeMerged) {
  (void)open("a");
  (void)open("b");
  EXPECT_EQ(merge({path("a"), path("b")}, path("all")).missing, 3U);
  open("b").append(line(1));
  EXPECT_EQ(merge({path("a"), path("b")}, path("all")).missing, 2U);
  EXPECT_EQ(merge({path("a")}, path("all")).missing, 2U) << "what the target has stays";
}

// The results of another machine, which did some points again, may be appended to a folder.
TEST_F(SweepResults, APointThatStandsTwiceCountsOnce) {
  {
    ResultsFolder folder = open("a");
    folder.append(line(0));
    folder.append(line(1, false));
    folder.append(line(2));
  }
  const std::string file = path("a") + "/results.jsonl";
  const std::string once = read_text(file);
  Line again = line(1);
  again["host"]["seconds"] = 9;
  write_file_atomically(file, once + once + again.dump() + "\n");
  const Results results = read_results(path("a"));
  ASSERT_EQ(results.lines.size(), 3U);
  EXPECT_EQ(results.lines[1]["status"], "ok") << "the best result of a point counts";
  EXPECT_EQ(results.numbers, (std::vector<std::size_t>{1, 7, 3}));
  {
    const ResultsFolder folder = open("a");
    EXPECT_EQ(folder.results().lines.size(), 3U);
    folder.write_csv();
  }
  const std::string table = read_text(path("a") + "/results.csv");
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 1 + 3);
  Line other = line(0);
  other["figures"]["cycles"] = 1;
  write_file_atomically(file, once + other.dump() + "\n");
  EXPECT_THROW((void)read_results(path("a")), UserError);
}

TEST_F(SweepResults, MergingRefusesContradictions) {
  open("a").append(line(0));
  Line other = line(0);
  other["host"]["seconds"] = 99;
  open("b").append(other);
  EXPECT_NO_THROW((void)merge({path("a"), path("b")}, path("all")));
  other["figures"]["cycles"] = 1;
  open("c").append(other);
  EXPECT_THROW((void)merge({path("a"), path("c")}, path("all2")), UserError);
  EXPECT_THROW((void)merge({path("c")}, path("all")), UserError) << "against the target";
}

TEST(SweepShards, EveryPointIsInOneShard) {
  std::vector<Point> all(23);
  for (std::size_t i = 0; i < all.size(); ++i) all[i].index = i;
  std::vector<bool> seen(all.size());
  for (const char* shard : {"1/5", "2/5", "3/5", "4/5", "5/5"}) {
    for (const Point& point : points_of(parse_shard(shard), all)) {
      EXPECT_FALSE(seen[point.index]);
      seen[point.index] = true;
    }
  }
  EXPECT_EQ(std::count(seen.begin(), seen.end(), true), 23);
  for (const char* wrong : {"0/5", "6/5", "1", "1/", "/5", "a/b", "1/0", "1/5x"}) {
    EXPECT_THROW((void)parse_shard(wrong), UserError) << wrong;
  }
}

}  // namespace
}  // namespace tactus::sweep
