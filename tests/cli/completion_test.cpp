// Completions and the manual page contain everything that the help lists.
#include <regex>
#include <set>

#include <fmt/format.h>

#include "tests/cli/cli.h"

namespace tactus {
namespace {

class CompletionTest : public CliTest {
 protected:
  /// Returns the words that bash offers as completions of the last word.
  [[nodiscard]] std::set<std::string> offered(const std::string& words) const {
    const Output out = shell(
        "source <(\"$0\" completion bash); COMP_WORDS=(tactus " + words +
        "); COMP_CWORD=$((${#COMP_WORDS[@]}-1)); _tactus; printf '%s\\n' \"${COMPREPLY[@]}\"");
    EXPECT_EQ(out.code, 0) << out.err;
    EXPECT_EQ(out.err, "");
    return lines(out.out);
  }
  static std::set<std::string> lines(const std::string& text) {
    std::set<std::string> out;
    std::size_t at = 0;
    while (at < text.size()) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      if (end > at) out.insert(text.substr(at, end - at));
      at = end + 1;
    }
    return out;
  }
  /// Returns the first capture group of every match.
  static std::set<std::string> matches(const std::string& text, const char* pattern) {
    const std::regex regex(pattern);
    std::set<std::string> out;
    for (std::sregex_iterator at(text.begin(), text.end(), regex), end; at != end; ++at) {
      out.insert((*at)[1]);
    }
    return out;
  }
  [[nodiscard]] std::set<std::string> commands() const {
    const std::string help = tactus("--help").out;
    std::set<std::string> names = matches(help, "\n  ([a-z]+) ");
    names.erase("tactus");  // every example begins with "tactus"
    return names;
  }
};

TEST_F(CompletionTest, BashOffersCommandsOptionsAndValues) {
  std::set<std::string> all = commands();
  EXPECT_GT(all.size(), 20U);
  for (const char* more : {"help", "--help", "--version"}) all.insert(more);
  EXPECT_EQ(offered("''"), all);
  EXPECT_EQ(offered("run --engine ''"), (std::set<std::string>{"step", "fast", "check"}));
  EXPECT_EQ(offered("run --board zcu104_u"), (std::set<std::string>{"zcu104_uram"}));
  EXPECT_EQ(offered("dais di"), (std::set<std::string>{"disasm"}));
  EXPECT_EQ(offered("dais convert --ou"), (std::set<std::string>{"--output"}));
  EXPECT_EQ(offered("zoo yolov4-tiny-1"), (std::set<std::string>{"yolov4-tiny-192"}));
  write("some.tmodel", std::string());
  EXPECT_EQ(offered("run --model some"), (std::set<std::string>{"some.tmodel"}));
}

TEST_F(CompletionTest, EveryOptionOfTheHelpIsOffered) {
  const std::string manual = tactus("manual").out;
  const std::string zsh = tactus("completion zsh").out;
  const std::string fish = tactus("completion fish").out;
  for (const std::string& command : commands()) {
    const std::string help = tactus(command + " --help").out;
    const std::set<std::string> listed = matches(help, "\n  (?:-[a-z], )?(--[a-z0-9-]+)");
    const std::set<std::string> there = offered(command + " -");
    for (const std::string& option : listed) {
      EXPECT_EQ(there.count(option), 1U) << command << " " << option;
      EXPECT_NE(zsh.find(option + "["), std::string::npos) << command << " " << option;
      EXPECT_NE(fish.find(" -l " + option.substr(2)), std::string::npos) << option;
      const std::string term =
          "\\-\\-" + std::regex_replace(option.substr(2), std::regex("-"), "\\-");
      EXPECT_NE(manual.find(term), std::string::npos) << command << " " << option;
    }
  }
  expect_error("completion csh", "allowed \"bash\", \"zsh\", \"fish\"");
}

TEST_F(CompletionTest, GroffAcceptsTheManual) {
  if (!installed("groff")) GTEST_SKIP() << "groff is not installed (Debian: apt-get install groff)";
  const Output out = shell("\"$0\" manual | groff -man -ww -Tascii -P-cbou > page.txt");
  EXPECT_EQ(out.code, 0);
  EXPECT_EQ(out.err, "");
  EXPECT_NE(read("page.txt").find("EXIT STATUS"), std::string::npos);
}

}  // namespace
}  // namespace tactus
