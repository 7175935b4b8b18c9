// The processes of a sweep: workers that fork a process for each job. Whatever happens to a job
// does not affect other jobs, and no process is left running.
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fstream>
#include <functional>
#include <iterator>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include "firmware/process/pool.h"
#include "firmware/process/worker.h"
#include "firmware/sweep/results.h"
#include "isa/support/error.h"
#include "isa/support/program_path.h"
#include "tests/cli/cli.h"

namespace tactus::sweep {
namespace {

class Jobs : public ::testing::Test {
 protected:
  void SetUp() override { set_program_path(TACTUS_BINARY); }
  void TearDown() override { set_program_path("/proc/self/exe"); }

  static std::vector<JobResult> run(const std::vector<Job>& jobs, std::size_t at_once) {
    std::vector<JobResult> results(jobs.size());
    std::vector<std::size_t> given;
    run_jobs(
        at_once,
        [&](std::size_t number, Job& job) {
          given.push_back(number);
          if (number == jobs.size()) return false;
          job = jobs[number];
          return true;
        },
        [&](std::size_t number, const JobResult& result) { results.at(number) = result; });
    for (std::size_t i = 0; i < jobs.size(); ++i) EXPECT_EQ(given.at(i), i);
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "a process is left";
    EXPECT_EQ(errno, ECHILD);
    return results;
  }
  /// Returns a job that fails with `text` in its message.
  static Job failing(const std::string& text) { return {{"explain", text}, "", 0}; }
  /// Returns a job that takes some seconds.
  static Job slow(double limit) {
    return {{"gemm", "--machine", "generic", "--shape", "2048x2048x2048"}, "", limit};
  }
};

TEST_F(Jobs, EveryJobGetsItsOwnResult) {
  std::vector<Job> jobs;
  for (int i = 0; i < 20; ++i) jobs.push_back(failing(fmt::format("figure-{}-", i)));
  jobs.insert(jobs.begin() + 7, Job{{"--version"}, "", 0});
  for (const std::size_t at_once : {1U, 3U, 30U}) {
    const std::vector<JobResult> results = run(jobs, at_once);
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      EXPECT_EQ(results[i].signal, 0);
      EXPECT_FALSE(results[i].timed_out);
      if (i == 7) {
        EXPECT_EQ(results[i].exit_code, 0);
        EXPECT_EQ(results[i].output.rfind("tactus ", 0), 0U) << results[i].output;
        EXPECT_EQ(results[i].messages, "");
      } else {
        EXPECT_EQ(results[i].exit_code, 2);
        EXPECT_EQ(results[i].output, "");
        EXPECT_NE(results[i].messages.find(jobs[i].arguments[1]), std::string::npos)
            << results[i].messages;
      }
    }
  }
  EXPECT_TRUE(run({}, 2).empty());
}

TEST_F(Jobs, InputAndOutputMayBeLargerThanAPipe) {
  const std::string large(1'000'000, 'x');
  const std::vector<JobResult> results = run({{{"sweep", "--point"}, large, 0},
                                              {{"sweep", large + ".json", "-o", "r"}, "", 0},
                                              {{"--version"}, "", 0}},
                                             1);
  EXPECT_EQ(results[0].exit_code, 2);
  EXPECT_NE(results[0].messages.find("no configuration at the input"), std::string::npos);
  EXPECT_EQ(results[1].exit_code, 2);
  EXPECT_GE(results[1].messages.size(), large.size());
  EXPECT_EQ(results[2].exit_code, 0);
}

TEST_F(Jobs, AJobThatMeetsItsTimeLimitEndsAlone) {
  const std::vector<JobResult> results = run(
      {failing("figure-1-"), slow(0.05), failing("figure-2-"), slow(0.05), failing("figure-3-")},
      2);
  for (const std::size_t i : {1U, 3U}) {
    EXPECT_TRUE(results[i].timed_out);
    EXPECT_EQ(results[i].signal, SIGKILL);
    EXPECT_EQ(results[i].exit_code, -1);
    EXPECT_GE(results[i].seconds, 0.05);
  }
  for (const std::size_t i : {0U, 2U, 4U}) {
    EXPECT_FALSE(results[i].timed_out);
    EXPECT_EQ(results[i].exit_code, 2) << results[i].messages;
  }
}

TEST_F(Jobs, AMissingProgramIsReported) {
  set_program_path("/nonexistent/tactus");
  for (const JobResult& result : run({failing("a"), failing("b")}, 1)) {
    EXPECT_EQ(result.exit_code, exit_not_started);
  }
}

TEST_F(Jobs, NoProcessIsLeftAfterAStopOrAnException) {
  const auto next = [](std::size_t, Job& job) {
    job = slow(0);
    return true;
  };
  const auto done = [](std::size_t, const JobResult&) { FAIL() << "no job ends"; };
  run_jobs(2, next, done, [] { return true; });
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_THROW(run_jobs(2, next, done, []() -> bool { throw UserError("stop"); }), UserError);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

bool lives(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::size_t name_end = text.rfind(')');
  return name_end != std::string::npos && text[name_end + 2] != 'Z';
}

template <typename F>
bool becomes_true(F f) {
  for (int i = 0; i < 30'000; ++i) {
    if (f()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

/// Tests that find a sweep's processes and kill them from outside.
class SweepProcesses : public CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    setenv("XDG_CACHE_HOME", (folder_ / "cache").c_str(), 1);
    write("s.json", std::string(R"({"name": "t", "base": {"workload": {"network": "resnet20v2"},
        "board": {"name": "zcu104"}},
        "axes": [{"key": "board.read_latency", "values": [1, 2, 3, 4]}]})"));
  }
  /// Starts a sweep with one point at a time, in a process group of its own, as a shell does.
  [[nodiscard]] pid_t start_sweep() const {
    const pid_t pid = fork();
    if (pid != 0) return pid;
    setpgid(0, 0);
    if (chdir(folder_.c_str()) != 0 || freopen("out.txt", "w", stdout) == nullptr) _exit(9);
    execl(TACTUS_BINARY, "tactus", "sweep", "s.json", "-o", "r", "-j1", nullptr);
    _exit(9);
  }
  /// Finds the process of a point. It is forked by a worker, which is a child of the sweep.
  static bool find_point(pid_t sweep, pid_t& worker, pid_t& point) {
    return becomes_true([&] {
      for (const pid_t one : children(sweep)) {
        for (const pid_t other : children(one)) {
          worker = one, point = other;
          return true;
        }
      }
      return false;
    });
  }
  [[nodiscard]] std::vector<std::string> statuses() const {
    std::vector<std::string> all;
    for (const Line& line : read_results((folder_ / "r").string()).lines) {
      all.push_back(line["status"].get<std::string>());
    }
    return all;
  }
};

TEST_F(SweepProcesses, APointThatCrashesFailsAlone) {
  const pid_t sweep = start_sweep();
  pid_t worker = 0, point = 0;
  ASSERT_TRUE(find_point(sweep, worker, point));
  ASSERT_EQ(kill(point, SIGSEGV), 0);
  int status = 0;
  ASSERT_EQ(waitpid(sweep, &status, 0), sweep);
  EXPECT_EQ(WEXITSTATUS(status), 1) << read("out.txt");
  EXPECT_EQ(statuses(), (std::vector<std::string>{"failed", "ok", "ok", "ok"}));
  EXPECT_NE(read("r/results.jsonl").find("ended by signal 11"), std::string::npos);
}

TEST_F(SweepProcesses, AKilledWorkerCostsOnlyItsPoint) {
  const pid_t sweep = start_sweep();
  pid_t worker = 0, point = 0;
  ASSERT_TRUE(find_point(sweep, worker, point));
  ASSERT_EQ(kill(worker, SIGKILL), 0);
  EXPECT_TRUE(becomes_true([&] { return !lives(point); })) << "a point lives with its worker";
  int status = 0;
  ASSERT_EQ(waitpid(sweep, &status, 0), sweep);
  EXPECT_EQ(WEXITSTATUS(status), 1) << read("out.txt");
  EXPECT_EQ(statuses(), (std::vector<std::string>{"killed", "ok", "ok", "ok"}));
  const Output again = tactus("sweep s.json -o r");
  EXPECT_NE(again.out.find("4 points, 1 of them to run"), std::string::npos) << again.out;
  EXPECT_EQ(again.code, 0) << again.err;
}

TEST_F(SweepProcesses, NoProcessOutlivesAKilledOrInterruptedSweep) {
  for (const int signal : {SIGKILL, SIGTERM, SIGINT}) {
    const pid_t sweep = start_sweep();
    pid_t worker = 0, point = 0;
    ASSERT_TRUE(find_point(sweep, worker, point));
    // Ctrl-C sends SIGINT to all processes of the group.
    ASSERT_EQ(kill(signal == SIGINT ? -sweep : sweep, signal), 0);
    int status = 0;
    ASSERT_EQ(waitpid(sweep, &status, 0), sweep);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal) << status;
    EXPECT_TRUE(becomes_true([&] { return !lives(worker) && !lives(point); })) << signal;
    EXPECT_EQ(read("r/results.jsonl").find("killed"), std::string::npos);
  }
  EXPECT_EQ(tactus("sweep s.json -o r").code, 0);
  EXPECT_EQ(statuses(), std::vector<std::string>(4, "ok"));
}

TEST_F(SweepProcesses, TheArgumentOfWorkersIsRefusedFromUsers) {
  expect_error(worker_argument, "is for processes that tactus starts itself");
}

}  // namespace
}  // namespace tactus::sweep
