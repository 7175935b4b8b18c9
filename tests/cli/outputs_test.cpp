// Outputs to links, devices and pipes; memories written beyond their depth; file names with control
// characters.
#include <sys/stat.h>

#include <algorithm>

#include "isa/tcu/architecture.h"
#include "isa/tcu/assembler.h"
#include "tests/cli/cli.h"

namespace tactus {
namespace {

namespace fs = std::filesystem;

class Outputs : public CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    write_model();
  }
  [[nodiscard]] bool is_link(const std::string& file) const {
    return fs::is_symlink(folder_ / file);
  }
};

const std::string run = "run --model m.tmodel --input x.csv ";

/// Writing to a link keeps the link, whether or not its target exists.
TEST_F(Outputs, WritingToALinkKeepsTheLink) {
  const bool has_fst = installed("vcd2fst");
  fs::create_directory(folder_ / "there");
  for (const std::string option : {"--stats", "--report", "--events", "--timeline", "--layers-csv",
                                   "--retire-log", "--vcd", "--fst", "--dump dram0="}) {
    if (option == "--fst" && !has_fst) continue;
    const std::string given = option + (option.back() == '=' ? "" : " ");
    ASSERT_EQ(tactus(run + given + "plain").code, 0) << option;
    write("there/old", "old");
    fs::create_symlink("there/old", folder_ / "link");
    fs::create_symlink("there/new", folder_ / "dangling");
    for (const char* name : {"link", "dangling"}) {
      const Output output = tactus(run + given + name);
      EXPECT_EQ(output.code, 0) << option << output.err;
      EXPECT_TRUE(is_link(name)) << option;
    }
    EXPECT_NE(read("there/old"), "old") << option;
    EXPECT_EQ(fs::file_size(folder_ / "there/new") > 0, fs::file_size(folder_ / "plain") > 0);
    for (const char* name : {"link", "dangling", "there/old", "there/new", "plain"}) {
      EXPECT_TRUE(fs::remove(folder_ / name)) << option << " " << name;
    }
  }
  for (const std::string& name : files()) EXPECT_EQ(name.find(".tmp"), std::string::npos) << name;
}

TEST_F(Outputs, DevicesAreWrittenInPlaceAndAFullOneIsAnError) {
  const std::string full = (folder_ / "full").string();
  for (const std::string option : {"--stats", "--report", "--events", "--timeline", "--layers-csv",
                                   "--retire-log", "--vcd", "--fst", "--dump dram0="}) {
    if (option == "--fst" && !installed("vcd2fst")) continue;
    const std::string given = option + (option.back() == '=' ? "" : " ");
    const Output output = tactus(run + given + "/dev/full");
    EXPECT_EQ(output.code, 2) << option << output.err;
    EXPECT_NE(output.err.find("/dev/full: "), std::string::npos) << output.err;
    EXPECT_NE(output.err.find("No space left on device"), std::string::npos) << output.err;
    EXPECT_TRUE(fs::is_character_file("/dev/full")) << option;
    EXPECT_EQ(tactus(run + given + "/dev/null").code, 0) << option;
    EXPECT_TRUE(fs::is_character_file("/dev/null")) << option;
  }
  EXPECT_FALSE(fs::exists("/dev/full.vcd"));
}

TEST_F(Outputs, PipesAreWrittenThrough) {
  for (const std::string option : {"--stats", "--vcd", "--fst"}) {
    if (option == "--fst" && !installed("vcd2fst")) continue;
    ASSERT_EQ(tactus(run + option + " plain").code, 0);
    const Output output = shell("mkfifo pipe; cat pipe >copy & \"$0\" " + run + option +
                                " pipe && wait && test -p pipe && rm pipe");
    EXPECT_EQ(output.code, 0) << option << output.err;
    EXPECT_EQ(read("copy").size() > 0, true) << option;
    if (option == "--vcd") {
      EXPECT_EQ(read("copy"), read("plain"));
    }
  }
}

/// With the offset register (in units of 64 KiB) a program can write above the architecture's 256
/// vectors.
TEST_F(Outputs, DumpsIncludeVectorsWrittenBeyondTheDepth) {
  write("p.tasm", std::string("DataMove DRAM1(0) -> Local(0), 4\n"
                              "Configure Dram0Offset = 16\n"
                              "DataMove Local(0) -> DRAM0(2), 4\n"));
  ASSERT_EQ(tactus("asm p.tasm --arch a.tarch --output p.tprog").code, 0);
  const std::string source = read("m.tdata").substr(0, 4 * 8);
  ASSERT_NE(source, std::string(source.size(), '\0'));
  for (const char* engine : {"fast", "step"}) {
    const Output output = tactus(
        std::string(
            "run --program p.tprog --arch a.tarch --dram1 m.tdata --dump dram0=d --engine ") +
        engine);
    ASSERT_EQ(output.code, 0) << output.err;
    EXPECT_EQ(read("d"), std::string(16 * 65536 + 2 * 8, '\0') + source) << engine;
  }
  // A dump includes data written by the host.
  write("long.bin", std::string(3008, 'x'));
  ASSERT_EQ(tactus("run --program m.tprog --arch a.tarch --dram1 m.tdata --dram0 long.bin --dump "
                   "dram0=d")
                .code,
            0);
  EXPECT_EQ(read("d").size(), 3008U);
  EXPECT_EQ(read("d").substr(2048), std::string(960, 'x'));
  ASSERT_EQ(tactus(run + "--dump dram0=d").code, 0);
  EXPECT_EQ(read("d").size(), 256U * 8);
}

TEST_F(Outputs, AWordThatNamesAFileIsAnInput) {
  ASSERT_EQ(tactus(run + "-o a").code, 0);
  const Output word = tactus("run m.tmodel --input x.csv -o b");
  ASSERT_EQ(word.code, 0) << word.err;
  EXPECT_EQ(read("b/y.bin"), read("a/y.bin"));
  EXPECT_EQ(tactus("run --trace-list m.tmodel").code, 0);
  expect_error("run gone.tmodel --input x.csv", "run: gone.tmodel: no such file");
  expect_error("run gone.dwn1 --link usb3", "run: gone.dwn1: no such file");
  expect_error("run resnet20v2",
               "run: resnet20v2 is a network of the zoo, and a file is needed; type\n"
               "  tactus zoo resnet20v2 -o resnet20v2.onnx\n"
               "  tactus compile resnet20v2.onnx --board zcu104 -o compiled\n"
               "  tactus run compiled/resnet20v2_onnx_zcu104.tmodel");
  write("c.stripe", std::string("block []:1 ( // main\n) {\n}\n"));
  expect_error("run c.stripe", "c.stripe: is a Stripe program (.stripe), and a compiled model");
  expect_error("run resnet20",
               "run: resnet20: no such file; resnet20v2 is a network of the zoo, and a file is "
               "needed; type\n  tactus zoo resnet20v2 -o resnet20v2.onnx\n");
  expect_error("run resnte20v2", "run: resnte20v2: no such file; did you mean \"resnet20v2\"?");
  expect_error("compile resnet20v2 --board zcu104 -o o", "resnet20v2 is a network of the zoo");
  expect_error("run m.tprog",
               "m.tprog: is a program (.tprog), and a compiled model (.tmodel) or a DarwiNN");
  expect_error("run a.tarch", "a.tarch: is an architecture (.tarch), and a compiled model");
  expect_error("run m.tmodel m.tmodel",
               "two models are named \"m\": m.tmodel and m.tmodel; allowed: names of their own");
  expect_error("run m.tmodel --model m.tmodel", "m.tmodel is a compiled model, and --model names");
}

/// A file name may contain any character, including control characters of a terminal; the JSON
/// output stays valid.
TEST_F(Outputs, ControlCharactersInFileNamesAreEscaped) {
  const std::string name =
      "a\x1b[31m\x07"
      "caf\xE9.csv";
  write(name, read("x.csv"));
  const Output output = program({TACTUS_BINARY, "run", "--model", "m.tmodel", "--input", name,
                                 "--stats", "s.json", "--print-config"});
  EXPECT_EQ(output.code, 0) << output.err;
  const Output gone =
      program({TACTUS_BINARY, "run", "--model", "m.tmodel", "--input", name + "x.csv"});
  EXPECT_EQ(gone.code, 2);
  for (const std::string& text : {output.out, output.err, gone.out, gone.err}) {
    EXPECT_EQ(text.find('\x1b'), std::string::npos) << text;
    EXPECT_EQ(text.find('\x07'), std::string::npos) << text;
  }
  EXPECT_NE(gone.err.find("a\\x1B[31m\\x07"), std::string::npos) << gone.err;
}

TEST_F(Outputs, HelpWithoutACommand) {
  const Output alone = tactus(""), help = tactus("--help");
  EXPECT_EQ(alone.code, 0);
  EXPECT_EQ(alone.out, help.out);
  const std::size_t everyday = help.out.find("\nEveryday:\n  run ");
  const std::size_t lists = help.out.find("\n\nLists:\n  networks ");
  EXPECT_LT(everyday, lists) << help.out;
  EXPECT_NE(lists, std::string::npos) << help.out;
  const std::size_t examples = help.out.find("\nExamples:\n  tactus zoo ");
  EXPECT_NE(examples, std::string::npos) << help.out;
  EXPECT_EQ(tactus("dais").out, tactus("dais --help").out);
}

}  // namespace
}  // namespace tactus
