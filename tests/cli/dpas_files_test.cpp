// asm, disasm, info and explain of kernels for DPAS machines.
#include "tests/cli/cli.h"
#include "tests/dpas/kernels.h"

namespace tactus {
namespace {

class DpasFilesTest : public CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    write("k.visaasm", std::string(dpas::kernel_with_everything));
  }
};

TEST_F(DpasFilesTest, AssembleAndDisassemble) {
  const Output made = tactus("asm k.visaasm --machine pvc --output k.isa");
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_EQ(made.out.rfind("k.isa: 2 kernels, 19 instructions, ", 0), 0U) << made.out;
  EXPECT_EQ(made.err, "");
  // Without --machine only the rules that depend on the machine are not checked.
  const std::string with_machine = read("k.isa");
  ASSERT_EQ(tactus("asm k.visaasm --output k.isa").code, 0);
  EXPECT_EQ(read("k.isa"), with_machine);
  const Output text = tactus("disasm k.isa");
  EXPECT_EQ(tactus("disasm k.isa --plain").out, text.out);
  ASSERT_EQ(text.code, 0) << text.err;
  EXPECT_EQ(tactus("disasm k.visaasm").out, text.out);
  write("again.visaasm", text.out);
  ASSERT_EQ(tactus("asm again.visaasm --machine pvc --output again.isa").code, 0);
  EXPECT_EQ(read("again.isa"), read("k.isa"));
  ASSERT_EQ(tactus("asm k.visaasm --machine pvc --visa-pred16 --output later.isa").code, 0);
  EXPECT_EQ(tactus("disasm later.isa --visa-pred16").out, text.out);
  EXPECT_EQ(tactus("disasm k.isa --output out.visaasm").code, 0);
  EXPECT_EQ(read("out.visaasm"), text.out);
}

TEST_F(DpasFilesTest, NativeListing) {
  write("n.visaasm",
        ".kernel k\n.decl D v_type=G type=d num_elts=128\n.decl B v_type=G type=ud num_elts=128\n"
        ".decl A v_type=G type=ud num_elts=64\n"
        "dpas.s8.u8.8.8 (M1, 16) D.0 %null.0 B.0 A(0,0) {$0}\nret (M1, 1)\n");
  const Output native = tactus("disasm n.visaasm --native --machine pvc");
  EXPECT_EQ(native.code, 0) << native.err;
  EXPECT_EQ(native.out,
            "59c01000603e07010000000404090411  dpas.8x8 (16|M0) r1:d null:d r9:b r17.0:ub {$0}\n");
}

TEST_F(DpasFilesTest, Info) {
  const Output kernel = tactus("info k.visaasm --machine pvc");
  ASSERT_EQ(kernel.code, 0) << kernel.err;
  for (const char* text : {"all: 18 instructions\n", "2 dpas\n", "8192, each instruction once\n",
                           "30 of 128\n", "C: 128 x d at r18.0\n"}) {
    EXPECT_NE(kernel.out.find(text), std::string::npos) << text << kernel.out;
  }
  const Output machine = tactus("info --machine dg2");
  ASSERT_EQ(machine.code, 0) << machine.err;
  for (const char* text : {"21 22 23 24 26 28 30 32 cycles (model)\n",
                           "21 22 32 32 32 32 32 32 cycles (igc)\n", "13  (assumed: "}) {
    EXPECT_NE(machine.out.find(text), std::string::npos) << text << machine.out;
  }
  EXPECT_NE(
      tactus("explain dpas").out.find("array_depth  [stages]  2..8, a power of two; default 8"),
      std::string::npos);
}

TEST_F(DpasFilesTest, Mistakes) {
  expect_error("asm k.visaasm --machine pcv --output k.isa",
               "--machine \"pcv\" is not allowed; allowed: \"arl\"");
  expect_error("asm k.visaasm --machine pvc", "asm: --output F.isa is missing");
  expect_error("asm k.visaasm --machine pvc --arch a.tarch --output k.isa",
               "asm: --arch is not for vISA files");
  expect_error("asm k.visaasm --machine pvc --output k.visaasm", "k.visaasm");
  expect_error("asm k.visaasm --machine dg2 --output k.isa",
               "E_DPAS_EXEC: execution size 16; allowed 8 on dg2");
  EXPECT_FALSE(exists("k.isa"));
  write("broken.isa", std::string("CISA\3\6\1"));
  expect_error("disasm broken.isa",
               "broken.isa:offset 0x6: ends in the middle of the number of kernels");
  write("other.isa", std::string(64, 'x'));
  for (const char* command : {"disasm other.isa", "info other.isa --machine pvc",
                              "run --program other.isa --machine pvc"}) {
    expect_error(
        command,
        "other.isa:offset 0x0: is no vISA container; allowed are files that begin with CISA");
  }
  write("empty.isa", std::string());
  expect_error("disasm empty.isa", "empty.isa:offset 0x0: ends in the middle of the magic number");
  write("p.json", std::string("{\"execution_size\": 16, \"grf_bytes\": 64}"));
  expect_error("info p.json", "p.json:/name: missing key");
}

}  // namespace
}  // namespace tactus
