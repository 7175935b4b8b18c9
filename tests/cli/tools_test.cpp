// Commands other than run.
#include <regex>

#include "tests/cli/cli.h"

namespace tactus {
namespace {

TEST_F(CliTest, HelpAndVersion) {
  const Output help = tactus("--help");
  EXPECT_EQ(help.code, 0);
  for (const char* command : {"run", "bench", "compile", "estimate", "gemm", "zoo", "selftest",
                              "replay", "asm", "disasm", "info"}) {
    EXPECT_NE(help.out.find(std::string("\n  ") + command + " "), std::string::npos) << command;
    const Output one = tactus(std::string(command) + " --help");
    EXPECT_EQ(one.code, 0);
    EXPECT_EQ(one.out.rfind(std::string("Usage: tactus ") + command, 0), 0U) << one.out;
  }
  EXPECT_EQ(tactus("").code, 0);
  EXPECT_EQ(tactus("").out, help.out);
  EXPECT_EQ(tactus("--version").out.rfind("tactus " TACTUS_VERSION " (", 0), 0U);
}

TEST_F(CliTest, AssembleAndDisassemble) {
  write_model();
  ASSERT_EQ(tactus("disasm m.tprog --arch a.tarch --output m.tasm").code, 0);
  ASSERT_EQ(tactus("asm m.tasm --arch a.tarch -o again.tprog").code, 0);
  EXPECT_EQ(read("again.tprog"), read("m.tprog"));
  const Output text = tactus("disasm m.tmodel --plain");
  EXPECT_NE(text.out.find("MatMul Local(8) -> Acc(0), 4\n"), std::string::npos) << text.out;
}

TEST_F(CliTest, Info) {
  write_model();
  const Output arch = tactus("info a.tarch");
  ASSERT_EQ(arch.code, 0) << arch.err;
  EXPECT_NE(arch.out.find("AXI data bits         32 (2 beats a vector), 64 (1 beats a vector)\n"),
            std::string::npos)
      << arch.out;
  const Output model = tactus("info m.tmodel");
  ASSERT_EQ(model.code, 0) << model.err;
  EXPECT_NE(model.out.find("m.tprog: 6 instructions"), std::string::npos) << model.out;
}

TEST_F(CliTest, ListsNameEveryFileOfConfigs) {
  const std::filesystem::path configs = std::filesystem::path(TACTUS_SOURCE_DIR) / "configs";
  const auto expect_all = [&](const std::string& command, const char* kind,
                              const std::string& prefix) {
    const Output list = tactus(command);
    ASSERT_EQ(list.code, 0) << list.err;
    for (const auto& file : std::filesystem::directory_iterator(configs / kind)) {
      const std::string name = file.path().stem().string();
      EXPECT_NE(list.out.find("\n" + prefix + name + " "), std::string::npos)
          << command << ": " << name << "\n"
          << list.out;
    }
  };
  expect_all("boards", "boards", "");
  expect_all("architectures", "arch", "");
  expect_all("machines", "dpas", "");
  expect_all("machines", "boards", "tcu:");
  const std::string boards = tactus("boards").out;
  EXPECT_TRUE(std::regex_search(boards, std::regex("\nzcu104_uram +32x32 FP16BP8 +100 +512 +20/5")))
      << boards;
  expect_error("boards zcu104", "unexpected word \"zcu104\"");
}

TEST_F(CliTest, InfoOfABoardSaysWhereItsValuesComeFrom) {
  const Output named = tactus("info zcu104");
  ASSERT_EQ(named.code, 0) << named.err;
  EXPECT_NE(named.out.find("clock_mhz             100 MHz  (published 2022-07: Tensil tutorial"),
            std::string::npos)
      << named.out;
  EXPECT_NE(named.out.find("(fitted: the time that the measured program"), std::string::npos);
  EXPECT_NE(named.out.find("32 x 32: 1024 multiply-accumulates a cycle"), std::string::npos);
  const Output file = tactus("info " + quoted(TACTUS_SOURCE_DIR "/configs/boards/zcu104.json"));
  ASSERT_EQ(file.code, 0) << file.err;
  EXPECT_EQ(file.out, named.out);
  expect_error("info zcu105", "zcu105: no such file");
}

TEST_F(CliTest, ReplayComparesFilesAndFolders) {
  const std::string logs = std::string(TACTUS_GOLDEN_DIR) + "/logs";
  const Output all = tactus("replay --quiet " + quoted(logs));
  EXPECT_EQ(all.code, 0) << all.out;
  EXPECT_EQ(all.out, "60 logs equal, 0 different, 92863 events compared\n");

  std::filesystem::copy_file(logs + "/03_matmul4.txt", folder_ / "l.txt");
  std::string text = read("l.txt");
  text.replace(text.find("5 RUN"), 5, "6 RUN");
  write("l.txt", text);
  const Output one = tactus("replay l.txt " + quoted(logs + "/01_noop.txt"));
  EXPECT_EQ(one.code, 1);
  EXPECT_NE(one.out.find("l.txt: cycle 5 differs"), std::string::npos) << one.out;
  EXPECT_NE(one.out.find("1 logs equal, 1 different"), std::string::npos) << one.out;
}

TEST_F(CliTest, SelftestsPassOnBoardsWithTheirMemory) {
  // Cycle budgets apply only to the memory of fixed latency. All other checks must pass on boards
  // too.
  for (const char* board : {"zcu104", "zcu104_uram", "arty_a7_35"}) {
    const Output timing = tactus(std::string("selftest --filter timing_ --board ") + board);
    EXPECT_EQ(timing.code, 0) << board << "\n" << timing.out;
    EXPECT_NE(timing.out.find("the machine has a memory of its own timing"), std::string::npos)
        << timing.out;
  }
}

}  // namespace
}  // namespace tactus
