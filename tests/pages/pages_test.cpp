// Examples on pages print what is shown, links have targets, named files and options exist.
#include <algorithm>
#include <filesystem>
#include <map>
#include <ostream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "firmware/config/board.h"
#include "isa/support/files.h"
#include "tests/cli/cli.h"
#include "tests/pages/page.h"
#include "tests/support/process.h"

namespace tactus {
namespace {

namespace fs = std::filesystem;

const fs::path source = TACTUS_SOURCE_DIR;

std::string text_of(const fs::path& path) {
  const std::vector<std::uint8_t> bytes = read_file(path.string());
  return {bytes.begin(), bytes.end()};
}

/// Returns the paths of all pages of the source tree.
std::vector<std::string> page_names() {
  std::vector<std::string> names = {"CHANGELOG.md", "CONTRIBUTING.md", "README.md"};
  for (const char* folder : {"configs", "firmware", "isa", "models", "tests"}) {
    for (const auto& file : fs::recursive_directory_iterator(source / folder)) {
      if (file.path().extension() != ".md") continue;
      names.push_back(fs::relative(file.path(), source).string());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// Returns the names of the commands listed by `tactus --help`.
std::vector<std::string> commands_in(const std::string& help) {
  std::vector<std::string> names;
  std::istringstream stream(help);
  for (std::string line; std::getline(stream, line);) {
    if (line.rfind("  ", 0) == 0) names.push_back(line.substr(2, line.find(' ', 2) - 2));
  }
  return names;
}

class Pages : public CliTest, public testing::WithParamInterface<std::string> {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    setenv("XDG_CACHE_HOME", (folder_ / "cache").c_str(), 1);
    page_ = parse_page(text_of(source / GetParam()));
  }

  /// Returns the options of a command and its subcommands. They are taken from the shell
  /// completions, which come from the program's own table of commands.
  const std::set<std::string>& options_of(const std::string& command) {
    if (options_.empty()) read_options();
    return options_[command];
  }

  void read_options() {
    const Output completions = tactus("completion bash");
    EXPECT_EQ(completions.code, 0) << completions.err;
    std::istringstream stream(completions.out);
    for (std::string line; std::getline(stream, line);) {
      const std::size_t end = line.find("\") COMPREPLY");
      if (line.rfind("    \"", 0) != 0 || end == std::string::npos) continue;
      const std::string name = line.substr(5, end - 5);
      const std::set<std::string> more = options_in(line.substr(end));
      options_[name.substr(0, name.find(' '))].insert(more.begin(), more.end());
    }
    EXPECT_GT(options_.size(), 10U);
  }

  static std::set<std::string> options_in(const std::string& text) {
    static const std::regex option("--[a-z][a-z0-9-]*");
    return {std::sregex_token_iterator(text.begin(), text.end(), option), {}};
  }

  Page page_;

 private:
  std::map<std::string, std::set<std::string>> options_;
};

/// All examples run one after the other in a folder with links to the source tree's configs and
/// firmware.
TEST_P(Pages, ExamplesPrintWhatIsShown) {
  for (const char* name : {"configs", "firmware"}) {
    fs::create_directory_symlink(source / name, folder_ / name);
  }
  for (const Example& example : page_.examples) {
    SCOPED_TRACE(GetParam() + ":" + std::to_string(example.line) + ": " + example.command);
    ASSERT_EQ(example.command.rfind("./tactus ", 0), 0U) << "examples are calls of ./tactus";
    const Output output = tactus(example.command.substr(9));
    EXPECT_EQ(output.code, 0) << output.err;
    EXPECT_EQ(missing_line(example.output, output.out), "") << output.out;
    if (HasFailure()) return;
  }
}

/// The text between "<!-- printed by: COMMAND -->" and "<!-- end -->" is the command's output.
TEST_P(Pages, GeneratedTablesEqualTheProgramsOutput) {
  const std::string page = text_of(source / GetParam());
  const std::regex printed(R"(<!-- printed by: \./tactus ([^\n]*) -->\n)");
  for (std::sregex_iterator i(page.begin(), page.end(), printed), none; i != none; ++i) {
    const auto begin = static_cast<std::size_t>(i->position() + i->length());
    const std::size_t end = page.find("<!-- end -->", begin);
    ASSERT_NE(end, std::string::npos) << i->str();
    EXPECT_EQ(page.substr(begin, end - begin), tactus((*i)[1].str()).out) << i->str();
  }
}

TEST_P(Pages, LinksLeadSomewhere) {
  for (const std::string& link : page_.links) {
    if (link.rfind("http", 0) == 0) continue;
    const std::string path = link.substr(0, link.find('#'));
    const fs::path target =
        path.empty() ? source / GetParam() : (source / GetParam()).parent_path() / path;
    ASSERT_TRUE(fs::exists(target)) << link;
    if (link.find('#') == std::string::npos) continue;
    const std::vector<std::string> anchors = parse_page(text_of(target)).anchors;
    EXPECT_EQ(std::count(anchors.begin(), anchors.end(), link.substr(link.find('#') + 1)), 1)
        << link;
  }
}

/// A paragraph or list item has at most six lines of about 120 characters. A page of more than 80
/// lines begins with its contents, except for the first page and the list of changes.
TEST_P(Pages, HaveShortParagraphsAndContents) {
  for (const std::string& paragraph : page_.paragraphs) {
    EXPECT_LE(std::count(paragraph.begin(), paragraph.end(), '\n'), 6) << paragraph;
    EXPECT_LE(paragraph.size(), 6U * 130) << paragraph;
  }
  const std::string text = text_of(source / GetParam());
  if (GetParam() == "README.md" || GetParam() == "CHANGELOG.md") return;
  if (std::count(text.begin(), text.end(), '\n') <= 80) return;
  EXPECT_LT(text.find("Contents:"), 800U) << "a long page without its contents at the top";
}

/// A section that states times, rates or shares says how to get them: it, or a section that it is
/// part of, names a command, a test or a script. The list of changes tells what was measured then.
TEST_P(Pages, FiguresComeWithACommand) {
  if (GetParam() == "CHANGELOG.md") return;
  const std::regex heading("(#+) .*");
  const std::regex command(R"(\./tactus|ctest|`tactus [a-z]|\.py\b|\.sh\b|--benchmark)");
  const std::regex figure(
      R"((^|[^\w.`/-])[0-9][0-9 .,]* ?(ms|us|s|min|%|MB|GB|kB|Mcycles/s|times)($|[^\w]))");
  struct Section {
    std::size_t depth;
    std::string title;
    bool has_command;
  };
  std::vector<Section> open;  // the section of a line, and those that it is part of
  std::map<std::string, std::pair<bool, std::string>> sections;  // by title: has a command, figure
  std::istringstream text(text_of(source / GetParam()));
  bool in_code = false;
  for (std::string line; std::getline(text, line);) {
    std::smatch match;
    if (line.rfind("```", 0) == 0) in_code = !in_code;
    if (!in_code && std::regex_match(line, match, heading)) {
      const auto depth = static_cast<std::size_t>(match.length(1));
      while (!open.empty() && open.back().depth >= depth) open.pop_back();
      open.push_back({depth, line, !open.empty() && open.back().has_command});
    }
    if (open.empty()) continue;
    if (std::regex_search(line, command)) open.back().has_command = true;
    auto& [has_command, found] = sections[open.back().title];
    has_command = open.back().has_command;
    if (!in_code && found.empty() && std::regex_search(line, figure)) found = line;
  }
  for (const auto& [title, section] : sections) {
    EXPECT_TRUE(section.first || section.second.empty()) << title << ": " << section.second;
  }
}

TEST_P(Pages, NamedFilesExist) {
  const std::regex path("(configs|firmware|isa|models|tests)/[A-Za-z0-9_./-]*");
  for (const std::string& code : page_.code) {
    if (std::regex_match(code, path)) {
      EXPECT_TRUE(fs::exists(source / code)) << code;
    }
  }
}

TEST_P(Pages, NamedOptionsExist) {
  // Options of the wrapper, and options of sbatch in the script for Slurm.
  std::set<std::string> all =
      options_in(text_of(source / "tactus") + text_of(source / "configs/sweeps/slurm.sh"));
  for (const std::string& command : commands_in(tactus("--help").out)) {
    all.insert(options_of(command).begin(), options_of(command).end());
  }
  for (const std::string& code : page_.code) {
    if (code.rfind("--", 0) != 0 && code.rfind("./tactus", 0) != 0) continue;
    for (const std::string& option : options_in(code)) EXPECT_EQ(all.count(option), 1U) << code;
  }
  for (const std::string& line : page_.commands) {
    std::vector<std::string> call = words(line);
    if (call.size() < 2 || call[1] == "test" || call[1] == "build") continue;
    for (const std::string& option : options_in(line)) {
      EXPECT_EQ(options_of(call[1]).count(option), 1U) << line;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Pages, testing::ValuesIn(page_names()), [](const auto& test) {
  std::string name = test.param.substr(0, test.param.rfind(".md"));
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
});

class ThePages : public CliTest {};

TEST_F(ThePages, NameEveryCommand) {
  const std::string readme = text_of(source / "firmware/README.md");
  const std::vector<std::string> commands = commands_in(tactus("--help").out);
  EXPECT_GT(commands.size(), 10U);
  for (const std::string& name : commands) {
    EXPECT_TRUE(std::regex_search(readme, std::regex("`" + name + "[ `]"))) << name;
  }
}

/// The first page is at most 150 lines long, and each guide at most 80.
TEST(TheFirstPage, IsShortAndSoAreTheGuides) {
  const auto lines = [](const fs::path& page) {
    const std::string text = text_of(page);
    return std::count(text.begin(), text.end(), '\n');
  };
  EXPECT_LE(lines(source / "README.md"), 150);
  std::size_t guides = 0;
  for (const auto& file : fs::directory_iterator(source / "firmware/guides")) {
    if (file.path().extension() == ".svg") EXPECT_LT(file.file_size(), 200000U) << file.path();
    if (file.path().extension() != ".md") continue;
    EXPECT_LE(lines(file.path()), 80) << file.path();
    ++guides;
  }
  EXPECT_GE(guides, 5U);
}

/// The table of boards has a row with the right values for each file of configs/boards.
TEST(TheBoards, AllStandInTheTableOfTheirPage) {
  const std::string page = text_of(source / "configs/README.md");
  std::size_t boards = 0;
  for (const auto& file : fs::directory_iterator(source / "configs/boards")) {
    const Board board = read_board(file.path().string());
    const unsigned n = board.architecture.array_size;
    const std::string row =
        fmt::format("| `{}` | {}x{} | {:g} MHz | {} |", file.path().stem().string(), n, n,
                    board.clock_mhz, board.axi_data_bits);
    EXPECT_NE(page.find(row), std::string::npos) << row;
    ++boards;
  }
  std::istringstream rows(page.substr(page.find("| board | array |")));
  std::size_t lines = 0;
  for (std::string row; std::getline(rows, row) && !row.empty();) ++lines;
  EXPECT_EQ(lines, boards + 2) << "a row for a board that is not there";
}

TEST(PageReader, FindsTheFirstMissingLine) {
  const std::string printed = "a 1 b\nc\n\nd  \n";
  EXPECT_EQ(missing_line({"a 1 b", "c", "", "d"}, printed), "");
  EXPECT_EQ(missing_line({"a ... b", "...", "d"}, printed), "");
  EXPECT_EQ(missing_line({"...d"}, "x d\n"), "");
  EXPECT_EQ(missing_line({"..."}, printed), "");
  EXPECT_EQ(missing_line({"a 1 b", "d"}, printed), "d");
  EXPECT_EQ(missing_line({"...", "c", "...", "e"}, printed), "e");
  EXPECT_NE(missing_line({"a 1 b", "c"}, printed), "");
  EXPECT_NE(missing_line({}, printed), "");
}

TEST(PageReader, ReadsMarkdown) {
  const Page page = parse_page(
      "# Some *Title*, 2\nSee [here](x.md#y) and `a/b` and `--c\nd`.\n"
      "```console\n$ ./tactus x\none\n$ ./tactus y\n```\n```sh\n./tactus run --z  # why\n```\n");
  EXPECT_EQ(page.anchors, std::vector<std::string>{"some-title-2"});
  EXPECT_EQ(page.links, std::vector<std::string>{"x.md#y"});
  EXPECT_EQ(page.code, (std::vector<std::string>{"a/b", "--c d"}));
  ASSERT_EQ(page.examples.size(), 2U);
  EXPECT_EQ(page.examples[0].command, "./tactus x");
  EXPECT_EQ(page.examples[0].output, std::vector<std::string>{"one"});
  EXPECT_EQ(page.examples[1].line, 7U);
  EXPECT_EQ(page.commands.at(0), "./tactus run --z ");
  EXPECT_EQ(page.paragraphs,
            std::vector<std::string>{"See [here](x.md#y) and `a/b` and `--c\nd`.\n"});
  EXPECT_EQ(parse_page("a\nb\n\n* c\n  d\n10. e\n| f |\n-g\n").paragraphs,
            (std::vector<std::string>{"a\nb\n", "* c\n  d\n", "10. e\n", "-g\n"}));
}

TEST(Words, AreSplitAsByAShell) {
  using List = std::vector<std::string>;
  EXPECT_EQ(words("  a b\tc\n"), (List{"a", "b", "c"}));
  EXPECT_EQ(words("--x 'a b'\"c d\" \\ e ''"), (List{"--x", "a bc d", " e", ""}));
  EXPECT_EQ(words(R"("a\"b" 'c\d')"), (List{"a\"b", "c\\d"}));
  for (const std::string word : {"a b", "x'\"\\y (z)", "$HOME;*"}) {
    EXPECT_EQ(words("p " + quoted(word)), (List{"p", word}));
  }
  EXPECT_THROW((void)words("'a"), std::invalid_argument);
}

}  // namespace
}  // namespace tactus
