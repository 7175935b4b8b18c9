// The commands besides run.
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
  EXPECT_EQ(tactus("").code, 2);
  EXPECT_EQ(tactus("--version").out.rfind("tactus 0.1.0 (", 0), 0U);
}

TEST_F(CliTest, AssembleAndDisassemble) {
  write_model();
  ASSERT_EQ(tactus("disasm m.tprog --arch a.tarch --output m.tasm").code, 0);
  ASSERT_EQ(tactus("asm m.tasm --arch a.tarch --output again.tprog").code, 0);
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
  // Budgets in cycles are those of the memory of fixed latency; the other checks hold as well.
  for (const char* board : {"zcu104", "zcu104_uram", "arty_a7_35"}) {
    const Output timing = tactus(std::string("selftest --filter timing_ --board ") + board);
    EXPECT_EQ(timing.code, 0) << board << "\n" << timing.out;
    EXPECT_NE(timing.out.find("the machine has a memory of its own timing"), std::string::npos)
        << timing.out;
  }
}

}  // namespace
}  // namespace tactus
