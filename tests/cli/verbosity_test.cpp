// --quiet, --verbose and NO_COLOR, which every command accepts.
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "tests/cli/cli.h"

namespace tactus {
namespace {

class VerbosityTest : public CliTest {
 protected:
  /// Returns the standard error of a command whose standard error is a terminal.
  [[nodiscard]] std::string on_terminal(const std::string& environment,
                                        const std::string& command) const {
    const Output output =
        shell(environment + " script -qec \"'$0' " + command + " 2>&1 >/dev/null\" /dev/null");
    return output.out;
  }
};

TEST_F(VerbosityTest, QuietPrintsErrorsOnly) {
  write_model();
  const std::string run = "run --model m.tmodel --input x.csv --stats s.json ";
  const std::vector<std::string> commands = {run + "--quiet", run + "-q", "--quiet " + run,
                                             "-q boards"};
  for (const std::string& command : commands) {
    const Output quiet = tactus(command);
    EXPECT_EQ(quiet.code, 0) << command;
    EXPECT_EQ(quiet.out, "") << command;
    EXPECT_EQ(quiet.err, "") << command;
  }
  EXPECT_TRUE(exists("s.json"));
  // An output requested with "-" is still written.
  const Output figures = tactus("run --model m.tmodel --input x.csv --stats - --quiet");
  EXPECT_EQ(figures.out.rfind("{", 0), 0U);
  EXPECT_EQ(figures.err, "");
  expect_error("run --model none.tmodel --quiet", "none.tmodel: no such file");
  expect_error("boards --quiet --verbose", "give --quiet or --verbose, not both");
  // replay has an option --quiet of its own, which keeps its meaning.
  EXPECT_NE(tactus("replay --help").out.find("print differences and the total only"),
            std::string::npos);
}

/// The reason why a comparison fails is printed, however quiet the command.
TEST_F(VerbosityTest, QuietKeepsTheReasonOfAFailure) {
  std::filesystem::create_directory(folder_ / "s");
  write("s/sweep.json", std::string(R"({"name": "s", "base": {}, "axes": []})"));
  for (const char* quiet : {"-q ", "-qq "}) {
    const Output status = tactus(std::string(quiet) + "sweep status s");
    EXPECT_EQ(status.code, 1);
    EXPECT_EQ(status.out, "");
    EXPECT_EQ(status.err, "s: submitted, no shard has begun\n");
  }
}

TEST_F(VerbosityTest, TheSecondQuietSuppressesWarnings) {
  write_model();
  write("x.csv", "1000,0,0,0\n0,0,0,0\n0,0,0,0\n0,0,0,0\n");
  const std::string run = "run --model m.tmodel --input x.csv ";
  const Output loud = tactus(run);
  EXPECT_NE(loud.err.find("tactus: warning: x.csv"), std::string::npos) << loud.err;
  for (const char* once : {"--quiet", "-q"}) {
    const Output quiet = tactus(run + once);
    EXPECT_EQ(quiet.err, loud.err);
    EXPECT_EQ(quiet.out, "");
  }
  EXPECT_EQ(tactus("-q " + run).err, loud.err);
  for (const char* twice : {"--quiet --quiet", "-qq", "-q -q"}) {
    for (const std::string& command : {run + twice, twice + (" " + run)}) {
      const Output silent = tactus(command);
      EXPECT_EQ(silent.code, 0) << command;
      EXPECT_EQ(silent.out + silent.err, "") << command;
    }
  }
  EXPECT_EQ(tactus("-q " + run + "-q").err, "");
  // A note tells that the command has generated an input; -q hides the note.
  EXPECT_NE(tactus("run --model m.tmodel").err.find("none is given"), std::string::npos);
  EXPECT_EQ(tactus("run --model m.tmodel -q").err, "");
}

TEST_F(VerbosityTest, VerboseNamesEveryFile) {
  write_model();
  const Output run = tactus("run --model m.tmodel --input x.csv --stats s.json --verbose");
  ASSERT_EQ(run.code, 0) << run.err;
  for (const char* line : {"s: reads m.tmodel\n", "s: reads x.csv\n", "s: writes s.json\n"}) {
    EXPECT_NE(run.err.find(line), std::string::npos) << line << run.err;
  }
  EXPECT_TRUE(std::regex_search(run.err, std::regex("tactus: [0-9.]+ s, [0-9.]+ MB at most\n$")))
      << run.err;
  const Output plain = tactus("run --model m.tmodel --input x.csv --stats s.json");
  EXPECT_EQ(plain.err, "");
}

TEST_F(VerbosityTest, EveryCommandTakesQuietAndVerbose) {
  const Output completions = tactus("completion bash");
  std::istringstream lines(completions.out);
  std::size_t commands = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("    \"", 0) != 0 || line.rfind("    \"\")", 0) == 0) continue;
    if (line.find("--help\"") == std::string::npos) continue;
    ++commands;
    EXPECT_NE(line.find("--quiet"), std::string::npos) << line;
    EXPECT_NE(line.find("--verbose"), std::string::npos) << line;
  }
  EXPECT_GT(commands, 20U);
}

TEST_F(VerbosityTest, TheVariableNoColorSwitchesColoursOff) {
  if (!installed("script")) GTEST_SKIP() << "script is not installed (Debian: bsdutils)";
  const std::string escape = "\x1b[";
  EXPECT_NE(on_terminal("TERM=xterm", "info none.tarch").find(escape), std::string::npos);
  EXPECT_EQ(on_terminal("TERM=xterm NO_COLOR=1", "info none.tarch").find(escape),
            std::string::npos);
  EXPECT_EQ(on_terminal("TERM=dumb", "info none.tarch").find(escape), std::string::npos);
  EXPECT_NE(on_terminal("TERM=xterm NO_COLOR=1", "info none.tarch").find("tactus: error: "),
            std::string::npos);
  EXPECT_EQ(tactus("info none.tarch").err.find(escape), std::string::npos);  // not a terminal
}

}  // namespace
}  // namespace tactus
