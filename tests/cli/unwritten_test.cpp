// tactus run: reading on-chip memory that was never written is a warning, or an error with
// --strict.
#include <nlohmann/json.hpp>

#include "tests/cli/cli.h"

namespace tactus {
namespace {

using Json = nlohmann::ordered_json;

class UnwrittenCli : public CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    write_model();
    write("p.tasm",
          "NoOp\nDataMove DRAM0(0) -> Local(0), 4\nDataMove Local(2) -> DRAM0(8), 4\n"
          "DataMove Local(5) -> DRAM0(8), 1\n");
    ASSERT_EQ(tactus("asm p.tasm --arch a.tarch --output p.tprog").code, 0);
  }
  const std::string found =
      "p.tprog: instruction 2 reads local 4, which nothing has written (3 vectors in 2 "
      "instructions "
      "in all)";
  const std::string run = "run --program p.tprog --arch a.tarch ";
};

TEST_F(UnwrittenCli, ReadsOfUnwrittenVectorsAreWarnedAboutAndCounted) {
  const Output told = tactus(run + "--stats s.json --report r.html");
  EXPECT_EQ(told.code, 0);
  EXPECT_EQ(told.err, "tactus: warning: " + found + "\n");
  const Json reads = Json::parse(read("s.json")).at("unwritten_reads");
  EXPECT_EQ(reads.at("count"), 3);
  EXPECT_EQ(reads.at("instructions"), 2);
  EXPECT_EQ(reads.at("first"), "instruction 2 reads local 4, which nothing has written");
  EXPECT_NE(read("r.html").find("Warning: instruction 2 reads local 4"), std::string::npos);
  EXPECT_EQ(tactus(run + "-q").err, told.err);
  EXPECT_EQ(tactus(run + "-q -q").err, "");
  EXPECT_NE(tactus("explain unwritten_reads.count").out.find("vectors"), std::string::npos);
}

TEST_F(UnwrittenCli, WithStrictTheyAreAnErrorBeforeAnyFileIsWritten) {
  const std::vector<std::string> before = files();
  expect_error(
      run + "--strict --stats s.json --report r.html --vcd w.vcd --output out --events e.txt",
      found + "; allowed with --strict: none");
  EXPECT_EQ(files(), before);
  expect_error(run + "--strict --checks permissive", found);
}

TEST_F(UnwrittenCli, AModelThatLoadsItsConstantsHasNone) {
  for (const char* mode : {"plain", "driver"}) {
    const Output quiet = tactus(std::string("run --model m.tmodel --input x.csv --images 3 ") +
                                "--strict --stats s.json --mode " + mode);
    EXPECT_EQ(quiet.code, 0) << quiet.err;
    EXPECT_EQ(quiet.err, "");
    const Json reads = Json::parse(read("s.json")).at("unwritten_reads");
    EXPECT_EQ(reads.at("count"), 0);
    EXPECT_TRUE(reads.at("first").is_null());
  }
  // --config repeats the option.
  EXPECT_NE(read("s.json").find("\"strict\": true"), std::string::npos);
}

TEST_F(UnwrittenCli, KernelsReportUnwrittenRegisters) {
  const std::string head =
      ".version 3.6\n.kernel \"k\"\n"
      ".decl P v_type=G type=uq num_elts=1 align=GRF\n"
      ".decl D v_type=G type=d num_elts=128 align=GRF\n"
      ".input P offset=64 size=8\n";
  const std::string store =
      "lsc_store_block2d.ugm (M1_NM, 1) flat[P,0x3F,0x7,0x3F,0x0,0x0] D:d32.16x8nn\nret (M1, 1)\n";
  write("k.visaasm", head + store);
  const std::string kernel = "run --machine pvc --program k.visaasm --bind P=512 --stats s.json ";
  const std::string reads =
      "k.visaasm: instruction 0 (line 6) reads register 2 of variable \"D\", which nothing has "
      "written (8 registers in 1 instruction in all)";
  const Output told = tactus(kernel);
  EXPECT_EQ(told.code, 0);
  EXPECT_EQ(told.err, "tactus: warning: " + reads + "\n");
  EXPECT_EQ(Json::parse(read("s.json")).at("unwritten_reads").at("count"), 8);
  expect_error(kernel + "--strict", reads);
  write("k.visaasm", head + "mov (M1, 16) D(0,0)<1> 0x0:d\n" + store);
  EXPECT_EQ(tactus(kernel).err.find("register 3 of variable"),
            tactus(kernel).err.find("register "));
}

}  // namespace
}  // namespace tactus
