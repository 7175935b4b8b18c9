// tactus run and selftest on machines with a DPAS array: what they print, write and refuse.
#include <nlohmann/json.hpp>

#include "tests/cli/cli.h"

namespace tactus {
namespace {

using Json = nlohmann::ordered_json;

/// D (8x16) = A (8x32) x B (32x16), int8; every element of A is 1, every element of B is 2.
const char* const kernel =
    ".version 3.6\n"
    ".kernel \"tile\"\n"
    ".decl PA v_type=G type=uq num_elts=1 align=GRF\n"
    ".decl PB v_type=G type=uq num_elts=1 align=GRF\n"
    ".decl PC v_type=G type=uq num_elts=1 align=GRF\n"
    ".decl A v_type=G type=ud num_elts=64 align=GRF\n"
    ".decl B v_type=G type=ud num_elts=128 align=GRF\n"
    ".decl D v_type=G type=d num_elts=128 align=GRF\n"
    ".input PA offset=64 size=8\n"
    ".input PB offset=128 size=8\n"
    ".input PC offset=192 size=8\n"
    "lsc_load_block2d.ugm (M1_NM, 1) A:d8.32x8nn flat[PA,0x1F,0x7,0x1F,0x0,0x0]\n"
    "lsc_load_block2d.ugm (M1_NM, 1) B:d8.16x32nt flat[PB,0xF,0x1F,0xF,0x0,0x0]\n"
    "dpas.s8.s8.8.8 (M1, 16) D.0 %null.0 B.0 A(0,0)\n"
    "lsc_store_block2d.ugm (M1_NM, 1) flat[PC,0x3F,0x7,0x3F,0x0,0x0] D:d32.16x8nn\n"
    "ret (M1, 1)\n";

class DpasCli : public CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    write("k.visaasm", std::string(kernel));
    write("a.bin", std::vector<std::uint8_t>(8 * 32, 1));
    write("b.bin", std::vector<std::uint8_t>(32 * 16, 2));
  }
  std::string bound = "run --machine pvc --program k.visaasm --bind PA=a.bin --bind PB=b.bin ";
};

TEST_F(DpasCli, RunWritesBuffersStatisticsAndReports) {
  const Output run = tactus(bound +
                            "--bind PC=512 --save PC=c.bin --memory-port ideal --stats s.json "
                            "--report r.html --timeline t.json --vcd w.vcd --events e.txt "
                            "--retire-log l.bin --dump registers=regs.bin");
  ASSERT_EQ(run.code, 0) << run.err;
  std::string sums;
  for (int i = 0; i < 8 * 16; ++i) sums += std::string("\x40\0\0\0", 4);  // 32 products 1 * 2
  EXPECT_EQ(read("c.bin"), sums);
  const Json stats = Json::parse(read("s.json"));
  // The load of B is issued in cycle 1. The port is free for it in cycle 12, after 8 cycles and the
  // 4 cycles of A's load. The load takes 8 cycles at the port; its data may be used 45 - 8 = 37
  // cycles after the last but one of them.
  const int issued = 12 + 8 - 1 + (45 - 8);
  // The store follows 28 cycles later. It takes 8 cycles and one for each of its 8 registers, then
  // 8 cycles at the port; the response comes 36 cycles after the last of these.
  const int stored = issued + 28 + (8 + 8) + (8 - 1) + (45 - 8);
  EXPECT_EQ(stats.at("cycles"), stored);
  EXPECT_EQ(stats.at("dpas"), 1);
  EXPECT_EQ(stats.at("rows"), 8);
  EXPECT_EQ(stats.at("macs"), 8 * 16 * 32);
  EXPECT_EQ(stats.at("bytes_loaded"), 256 + 512);
  EXPECT_EQ(stats.at("bytes_stored"), 512);
  EXPECT_EQ(stats.at("accounting").at("roofline").at("peak_macs_per_cycle"), 512);
  EXPECT_EQ(read("l.bin").size(), 5U * 4);
  EXPECT_EQ(read("regs.bin").size(), 128U * 64);
  EXPECT_NE(read("e.txt").find(" RESULT0 i=2\n"), std::string::npos);
  EXPECT_NE(read("t.json").find("dpas of thread 0"), std::string::npos);
  EXPECT_NE(read("r.html").find("DPAS array"), std::string::npos);
  EXPECT_NE(read("w.vcd").find("rows_left"), std::string::npos);

  for (const char* engine : {"step", "check"}) {
    const Output other =
        tactus(bound + "--bind PC=512 --memory-port ideal --stats o.json --engine " + engine);
    ASSERT_EQ(other.code, 0) << other.err;
    EXPECT_EQ(Json::parse(read("o.json")).at("accounting"), stats.at("accounting")) << engine;
  }
}

TEST_F(DpasCli, HasNoLayersAndRegions) {
  ASSERT_EQ(tactus(bound + "--bind PC=512 --report r.html").code, 0);
  for (const std::string& text : {read("r.html"), tactus("run --machine pvc --help").out}) {
    for (const char* word : {"Layers", "--layers", "--regions"}) {
      EXPECT_EQ(text.find(word), std::string::npos) << word;
    }
  }
  expect_error(bound + "--bind PC=512 --layers", "--layers is for TCU programs");
}

TEST_F(DpasCli, EveryFigureIsExplained) {
  ASSERT_EQ(tactus(bound + "--bind PC=512 --stats s.json").code, 0);
  const Json stats = Json::parse(read("s.json"));
  for (const auto& [name, value] : stats.at("figures").items()) {
    EXPECT_FALSE(value.at("meaning").get<std::string>().empty()) << name;
  }
  EXPECT_EQ(tactus("explain --machine dpas grf_reads_saved").code, 0);
  EXPECT_EQ(tactus("explain bank_conflict_cycles").code, 0);
}

TEST_F(DpasCli, AProfileOfConfigsIsAMachine) {
  const Output printed = tactus(bound + "--bind PC=512 --grf-count 256 --print-config");
  ASSERT_EQ(printed.code, 0) << printed.err;
  Json profile = Json::parse(printed.out).at("profile");
  EXPECT_EQ(profile.at("grf_count"), 256);
  write("mine.json", profile.dump());
  const Output run = tactus(
      "run --machine mine.json --program k.visaasm --bind PA=a.bin --bind PB=b.bin --bind PC=512");
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_NE(run.out.find("256 registers of 64 bytes"), std::string::npos) << run.out;
}

TEST_F(DpasCli, BadInputIsRefused) {
  expect_error("run --machine pvd --program k.visaasm", "did you mean \"pvc\"");
  expect_error("run --machine pvc", "needs --program");
  expect_error("run --machine pvc --tcus 2",
               "--tcus does not apply here: a kernel and a product run on one machine");
  expect_error("run --machine pvc --tcuz 2",
               "--tcuz is an unknown option; see tactus run --machine pvc --help");
  expect_error("run --machine pvc --treads 2", "did you mean \"threads\"?");
  expect_error("run --machine pvc --output o", "--output is for TCU runs; --save NAME=F writes");
  expect_error("run --machine pvc --arch a.tarch", "--arch is for TCU runs");
  expect_error("gemm --shape 8x8x8 --images=2", "--images does not apply here: Python runs");
  for (const std::string trigger : {"--trace-timeout", "--trace-tracepoint"}) {
    expect_error(bound + "--bind PC=512 --vcd w.vcd " + trigger,
                 trigger + ": machine dpas has no such output; allowed with it: --trace-pc");
    EXPECT_FALSE(exists("w.vcd"));
  }
  expect_error(bound, "input \"PC\" of kernel \"tile\" (8 bytes) is missing");
  expect_error(bound + "--bind PX=512", "no such input; allowed \"PA\", \"PB\", \"PC\"");
  expect_error(bound + "--bind PC=512 --bind PC=512", "input \"PC\" is given twice");
  expect_error(bound + "--bind PC=0", "0 bytes; allowed 1..2^32");
  expect_error(bound + "--bind PC", "allowed: NAME=...");
  for (const char* file : {"x.csv", "x.onnx", "x.json"}) {
    write(file, std::string(512, '1'));
    expect_error(bound + "--bind PC=" + file,
                 std::string(file) +
                     ": the name must end in .bin, .tdata or no extension (raw "
                     "bytes) or .npy (NumPy)");
  }
  expect_error(bound + "--bind PC=512 --save PC=c.csv", "c.csv: the name must end in .bin");
  expect_error(bound + "--bind PC=512 --save PC=c.npy", "c.npy: the name must end in .bin");
  expect_error(bound + "--set PC=x", "\"x\" is no whole number");
  expect_error(bound + "--set PC=1,2", "2 numbers for 1 threads");
  expect_error(bound + "--bind PC=511", "k.visaasm:15: a store of bytes");
  expect_error(bound + "--bind PC=512 --save PD=d.bin", "no buffer of this name is bound");
  expect_error(bound + "--bind PC=512 --threads 9", "allowed: a whole number 1..8");
  expect_error(
      "run --machine dg2 --program k.visaasm --bind PA=a.bin --bind PB=b.bin --bind PC=512",
      "E_DPAS_EXEC");
}

/// The kernel fails with a store beyond its buffer, at a time when all other outputs have been
/// begun.
TEST_F(DpasCli, AnErrorInTheKernelLeavesNoFile) {
  const std::vector<std::string> before = files();
  expect_error(bound +
                   "--bind PC=511 --save PC=c.bin --vcd w.vcd --gtkw w.gtkw --timeline t.json "
                   "--events e.txt --stats s.json --report r.html --retire-log l.bin "
                   "--dump memory=m.bin",
               "k.visaasm:15: a store of bytes");
  EXPECT_EQ(files(), before);
}

TEST_F(DpasCli, WhatTheMachineLacksIsRefusedWithTheReason) {
  expect_error(bound + "--bind PC=512 --config c.json", "--config is for TCU runs");
  expect_error(bound + "--bind PC=512 --regions r.json", "--regions is for TCU programs");
}

TEST_F(DpasCli, TheMemoryOfABoard) {
  const std::string run = bound + "--bind PC=512 --save PC=c.bin --board zcu104 --stats s.json ";
  const Output output = tactus(run + "--memory board");
  ASSERT_EQ(output.code, 0) << output.err;
  EXPECT_NE(output.out.find("AXI 128 bits, memory ddr4_2133_zcu104"), std::string::npos);
  EXPECT_NE(output.out.find("DRAM bursts"), std::string::npos);
  const std::string product = read("c.bin");
  const Json board = Json::parse(read("s.json"));
  EXPECT_EQ(board.at("ddr").at("bytes"), 256 + 512 + 512);
  for (const char* engine : {"step", "check"}) {
    ASSERT_EQ(tactus(run + "--engine " + engine).code, 0);
    EXPECT_EQ(Json::parse(read("s.json")).at("accounting"), board.at("accounting")) << engine;
    EXPECT_EQ(Json::parse(read("s.json")).at("ddr"), board.at("ddr")) << engine;
  }
  ASSERT_EQ(tactus(run + "--memory fixed").code, 0);
  const Json fixed = Json::parse(read("s.json"));
  EXPECT_FALSE(fixed.contains("ddr"));
  EXPECT_NE(fixed.at("cycles"), board.at("cycles"));
  EXPECT_EQ(read("c.bin"), product);
  ASSERT_EQ(tactus(run + "--read-latency 20").code, 0);
  EXPECT_EQ(Json::parse(read("s.json")).at("cycles"), fixed.at("cycles"));
  expect_error(run + "--memory board --read-latency 20",
               "--read-latency belongs to --memory fixed");
  expect_error(run + "--memory board --memory-port ideal", "--memory needs --memory-port axi");
  expect_error(bound + "--bind PC=512 --memory board",
               "the memory model \"board\" needs a board whose file has a \"memory\"");
}

TEST_F(DpasCli, ABarrierThatNoOtherThreadReachesHangs) {
  write("h.visaasm",
        ".version 3.6\n.kernel \"h\"\n"
        ".decl N v_type=G type=d num_elts=1 align=GRF\n.decl P1 v_type=P num_elts=1\n"
        ".input N offset=64 size=4\n"
        "cmp.eq (M1_NM, 1) P1 N(0,0)<0;1,0> 0x0:d\n(P1) jmp (M1, 1) DONE\nbarrier\nDONE:\n"
        "ret (M1, 1)\n");
  const Output run = tactus("run --machine pvc --program h.visaasm --threads 2 --set N=0,1");
  EXPECT_EQ(run.code, 3);
  EXPECT_NE(run.err.find("thread 1, barrier at h.visaasm:8: 1 threads to come to the barrier; 1 of "
                         "them have ended"),
            std::string::npos)
      << run.err;
}

TEST_F(DpasCli, SelftestPasses) {
  for (const char* machine : {"pvc", "dg2", "xe2"}) {
    const Output run = tactus(std::string("selftest --machine ") + machine);
    EXPECT_EQ(run.code, 0) << run.out << run.err;
    EXPECT_NE(run.out.find("4 passed, 0 failed"), std::string::npos) << run.out;
  }
}

TEST_F(DpasCli, OptionsOfTheOtherMemoryAreRefused) {
  expect_error("run --machine pvc --program k.visaasm --memory-port ideal --read-latency 9",
               "--read-latency needs --memory-port axi");
  expect_error("run --machine pvc --program k.visaasm --memory-port ideal --board zcu104",
               "--board needs --memory-port axi");
  expect_error("gemm --shape 8x8x8 --machine pvc@zcu104 --memory-port ideal",
               "pvc@zcu104: a board needs --memory-port axi");
  expect_error("run --machine pvc --program k.visaasm --ideal-bytes 32",
               "--ideal-bytes needs --memory-port ideal");
  expect_error("gemm --shape 8x8x8 --machine pvc --read-latency 9",
               "--read-latency needs --memory-port axi");
  expect_error("gemm --shape 8x8x8 --machine pvc --ddr ddr4_2400", "--ddr needs --memory-port axi");
}

}  // namespace
}  // namespace tactus
