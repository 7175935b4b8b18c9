// tactus gemm: output, files and errors, and sweeps over products.
#include <cstring>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "firmware/config/config_files.h"
#include "firmware/gemm/dpas/task.h"
#include "tests/cli/cli.h"

namespace tactus {
namespace {

class GemmCommand : public CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    std::string text = architecture_text();
    for (const char* depth : {"dram0_depth", "dram1_depth"}) {
      text.replace(text.find("256", text.find(depth)), 3, "65536");
    }
    write("a.tarch", text);
  }
};

TEST_F(GemmCommand, ComparesMachinesAndWritesFiles) {
  const Output run = tactus(
      "gemm --shape 40x48x64 --machine pvc --machine dg2 --machine tcu:a.tarch --stats s.json "
      "--csv t.csv --report r.html --kernel k.visaasm");
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_NE(run.out.find("C (40 x 48) = A (40 x 64) * B (64 x 48), 122880 multiply-accumulates"),
            std::string::npos);
  EXPECT_NE(run.out.find("5760 elements compared with a plain triple loop, all equal"),
            std::string::npos)
      << run.out;
  EXPECT_NE(run.out.find("computes in its own fixed point"), std::string::npos);
  const auto stats = nlohmann::json::parse(read("s.json"));
  const auto& runs = stats.at("products").at(0).at("runs");
  for (const char* machine : {"pvc", "dg2", "tcu:a.tarch"}) {
    const auto& figures = runs.at(machine);
    EXPECT_TRUE(figures.at("correct").get<bool>());
    EXPECT_GE(figures.at("cycles").get<int>(), figures.at("bound_cycles").get<int>());
    // Every figure has an explanation.
    for (const auto& figure : figures.items()) {
      const bool group = figure.value().is_structured();
      EXPECT_TRUE(group || stats.at("figures").contains(figure.key())) << figure.key();
    }
  }
  // The product has 5 x 3 tiles of 8 x 16 and 2 steps along K.
  EXPECT_EQ(runs.at("pvc").at("array_instructions"), 5 * 3 * 2);
  const std::string page = read("r.html");
  EXPECT_NE(page.find("memory is not alike"), std::string::npos);
  const std::string legend = "<ul class=\"key\">";
  EXPECT_NE(page.find(legend), std::string::npos);
  EXPECT_EQ(page.find(legend), page.rfind(legend)) << "one for the bars of all machines";
  EXPECT_NE(read("t.csv").find("40x48x64,40,48,64,1,dg2,"), std::string::npos);
  // The kernel can be assembled like any other program.
  const Output assembled = tactus("asm k.visaasm --machine pvc --output k.isa");
  EXPECT_EQ(assembled.code, 0) << assembled.err;
}

/// The kernel written by --kernel runs like any other program, with the same cycles, figures and
/// product.
TEST_F(GemmCommand, AKernelThatItWritesRunsAsAProgram) {
  struct Case {
    const char* options;  ///< options of gemm
    const char* memory;   ///< memory options of run, if they differ
  };
  for (const Case& one :
       {Case{"--machine pvc", "--memory-port ideal"}, Case{"--machine dg2", "--memory-port ideal"},
        Case{"--machine pvc --memory-port axi --axi-data-bits 128", "--axi-data-bits 128"},
        Case{"--machine pvc --board zcu104", "--board zcu104"},
        Case{"--machine pvc --board zcu104 --memory fixed", "--board zcu104 --memory fixed"}}) {
    SCOPED_TRACE(one.options);
    ASSERT_EQ(tactus(std::string("gemm --shape 37x50x100 --stats g.json --kernel k.visaasm ") +
                     one.options)
                  .code,
              0);
    const std::string machine = one.options + 10, profile = machine.substr(0, machine.find(' '));
    gemm::DpasTask task;
    task.problem = gemm::parse_shape("37x50x100", "here");
    const gemm::DpasLayout layout = layout_of(task);
    const gemm::DpasOperands operands = make_operands(task, layout, 1);
    write("a.bin", operands.a);
    write("b.bin", operands.b);
    const std::string text = read("k.visaasm");
    const std::string threads = "--threads " + text.substr(text.find("--threads ") + 10, 1);
    const Output run =
        tactus(fmt::format("run --program k.visaasm --machine {} {} {} --bind A=a.bin --bind "
                           "B=b.bin --bind C={} --save C=c.bin --stats r.json",
                           profile, threads, one.memory, layout.c.bytes()));
    ASSERT_EQ(run.code, 0) << run.err;
    const auto expected = expected_product(task, 1);
    const std::string c = read("c.bin");
    for (unsigned i = 0; i < 37; ++i) {
      ASSERT_EQ(std::memcmp(c.data() + i * layout.c.pitch, &expected[i * 50], 50 * 4), 0) << i;
    }
    const auto product =
        nlohmann::json::parse(read("g.json")).at("products").at(0).at("runs").at(profile);
    const auto ran = nlohmann::json::parse(read("r.json"));
    EXPECT_EQ(ran.at("cycles"), product.at("cycles"));
    EXPECT_EQ(ran.at("grf_reads"), product.at("registers_read"));
  }
}

/// A machine with a DPAS array can have a board's memory: by --board, or by the machine's name.
TEST_F(GemmCommand, BoardsAreMeasuredWithTheirMemory) {
  const std::string shape = "gemm --shape 64x64x64 --stats s.json ";
  const auto cycles = [&](const std::string& options, const std::string& machine) {
    const Output run = tactus(shape + options);
    EXPECT_EQ(run.code, 0) << run.err;
    return nlohmann::json::parse(read("s.json"))
        .at("products")
        .at(0)
        .at("runs")
        .at(machine)
        .at("cycles")
        .get<std::uint64_t>();
  };
  const std::uint64_t board = cycles("--board zcu104", "pvc");
  EXPECT_EQ(cycles("--board zcu104 --memory board", "pvc"), board);
  EXPECT_EQ(cycles("--machine pvc@zcu104", "pvc@zcu104"), board);
  for (const char* engine : {"step", "check"}) {
    EXPECT_EQ(cycles(std::string("--board zcu104 --engine ") + engine, "pvc"), board);
  }
  const std::uint64_t fixed = cycles("--board zcu104 --memory fixed", "pvc");
  EXPECT_NE(fixed, board);
  EXPECT_EQ(
      cycles("--memory-port axi --axi-data-bits 128 --read-latency 20 --write-latency 5", "pvc"),
      fixed);
  EXPECT_GT(cycles("--board zcu104 --interconnect-ns 200", "pvc"), board);
  // An architecture that belongs to no board can also use a board's memory.
  EXPECT_GT(cycles("--machine tcu:a.tarch@pynq_z1", "tcu:a.tarch@pynq_z1"),
            cycles("--machine tcu:a.tarch", "tcu:a.tarch"));

  expect_error("gemm --shape 8x8x8 --machine tcu:zcu104 --board zcu104",
               "--board is for machines without a board");
  expect_error("gemm --shape 8x8x8 --machine tcu:zcu104@zcu104", "has a board already");
  // A name is that of a board, or else that of an architecture in configs/arch.
  const std::string file = "tcu:" TACTUS_SOURCE_DIR "/configs/arch/pynqz1.tarch";
  EXPECT_EQ(cycles("--machine tcu:pynqz1", "tcu:pynqz1"), cycles("--machine " + file, file));
  EXPECT_GT(cycles("--machine tcu:pynqz1@pynq_z1", "tcu:pynqz1@pynq_z1"),
            cycles("--machine tcu:pynqz1", "tcu:pynqz1"));
  expect_error("gemm --shape 8x8x8 --machine pvc@zcu105", "\"zcu105\" is not in");
  expect_error("gemm --shape 8x8x8 --memory board", "--memory needs --memory-port axi");
  expect_error("gemm --shape 8x8x8 --memory-port axi --memory board",
               "the memory model \"board\" needs a board whose file has a \"memory\"");
  const Output without_board = tactus("gemm --shape 8x8x8 --memory-port axi --ddr ddr3_650_arty");
  EXPECT_EQ(without_board.code, 0) << without_board.err;
  EXPECT_NE(without_board.err.find("no board describes the way to ddr3_650_arty"),
            std::string::npos)
      << without_board.err;
  expect_error("gemm --shape 8x8x8 --board zcu104 --memory-port ideal --ddr ddr3_650_arty",
               "--ddr needs --memory-port axi");
  expect_error("gemm --shape 20000x20000x20000 --board arty_a7_35",
               "allowed: up to 0x10000000, the end of the board's memory");
}

TEST_F(GemmCommand, SweepsOverBoardsMemories) {
  setenv("XDG_CACHE_HOME", (folder_ / "cache").c_str(), 1);
  write("s.json", R"({"name": "g", "base": {"workload": {"gemm": "32x32x64"},
    "board": {"machine": "pvc@zcu104"}},
    "axes": [{"key": "board.machine", "values": ["pvc@zcu104", "tcu:zcu104"]},
             {"key": "board.memory_model", "values": ["fixed", "board"]}]})");
  const Output run = tactus("sweep s.json -o d -j 1");
  ASSERT_EQ(run.code, 0) << run.err << run.out;
  EXPECT_NE(run.out.find("4 points, 4 of them to run"), std::string::npos) << run.out;
  write("m.json", R"({"name": "m", "base": {"workload": {"gemm": "32x32x64"},
    "board": {"machine": "pvc@zcu104"}},
    "axes": [{"key": "board.interconnect_ns", "values": [0, 100]},
             {"key": "board.port_data_bits", "values": [64, 128]}]})");
  ASSERT_EQ(tactus("sweep m.json -o e -j 1").code, 0);
  EXPECT_EQ(tactus("report e -o e.html").code, 0);
  write("w.json", R"({"name": "w", "base": {"workload": {"gemm": "32x32x64"},
    "board": {"machine": "pvc"}},
    "axes": [{"key": "board.memory_model", "values": ["board"]}]})");
  expect_error("sweep w.json -o f", "needs a board whose file has a \"memory\"");
}

TEST_F(GemmCommand, TheSameSeedGivesTheSameFiles) {
  const std::string command = "gemm --shape 33x17x70 --machine xe2 --seed 7 ";
  ASSERT_EQ(tactus(command + "--stats 1.json --report 1.html").code, 0);
  ASSERT_EQ(tactus(command + "--stats 2.json --report 2.html").code, 0);
  EXPECT_EQ(read("1.json"), read("2.json"));
  EXPECT_EQ(read("1.html"), read("2.html"));
}

TEST_F(GemmCommand, ListsArePrintedAsTablesWithSums) {
  write("l.csv", "one, 16, 16, 32, 2\ntwo, 8, 8, 8\n");
  const Output run = tactus("gemm --list l.csv --csv t.csv");
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_NE(run.out.find("all, by count"), std::string::npos);
  EXPECT_NE(run.out.find("320 elements compared"), std::string::npos);
}

TEST_F(GemmCommand, ShippedListsHaveNames) {
  const Output run = tactus("gemm --list transformer_batch1 --max-cycles 1");
  EXPECT_EQ(run.code, 3);
  EXPECT_NE(run.err.find("qkv on pvc: the program did not finish"), std::string::npos) << run.err;
}

TEST_F(GemmCommand, BadInput) {
  write("l.csv", "one, 16, 16, 32\ntwo, 8, 0, 8\n");
  const std::string shape = "gemm --shape 8x8x8 ";
  expect_error("gemm --shape 8x0x8", "--shape \"8x0x8\" is not allowed; allowed: MxNxK");
  expect_error("gemm --shape 8x8", "--shape \"8x8\" is not allowed");
  expect_error("gemm --list l.csv", "l.csv:2: N is \"0\"; allowed 1..1048576");
  expect_error("gemm --list no.csv", "no.csv");
  expect_error("gemm --list nothing", "configs/gemm has no nothing.csv");
  expect_error(shape + "--k-steps 3", "the number of steps of K is 3; allowed 1, 2, 4");
  expect_error(shape + "--machine pvd", "no machine \"pvd\"; did you mean \"pvc\"?");
  expect_error(shape + "--machine tcu:no.tarch", "no.tarch");
  expect_error(
      shape + "--machine tcu:ultra96v3",
      "no machine \"tcu:ultra96v3\"; did you mean \"ultra96v2\"?; allowed: tcu: and a board");
  expect_error(shape + "--machine pvc --machine pvc", "--machine pvc is given twice");
  expect_error(shape + "--precision int7", "\"int7\" is not allowed");
  expect_error(shape + "--precision bf16.int8", "do not meet in an instruction");
  expect_error(shape + "--machine dg2 --precision tf32", "profile dg2 has no precision tf32");
  expect_error(shape + "--machine xe3p --precision s4.s8", "integers of one width only");
  expect_error(shape + "--rows 9", "--rows \"9\" is not allowed");
  expect_error("gemm --shape 512x512x512 --m-tiles 8 --n-tiles 8", "no blocking of 512x512x512");
  expect_error("gemm --shape 64x64x64 --grf-count 32 --m-tiles 4",
               "no blocking of 64x64x64 fits the 32 registers");
  expect_error(shape + "--execution-size 8", "8 channels with registers of 64 bytes");
  expect_error(shape + "--machine tcu:a.tarch --grf-count 64",
               "--grf-count is for machines with a DPAS array");
  expect_error("gemm --machine pvc", "--machine needs --shape MxNxK or --list F.csv");
  expect_error("gemm --rows 4", "--rows needs --shape");
  expect_error("gemm --shape 1000000x1000000x1", "allowed 4294967296");
  expect_error("gemm --shape 4096x4096x4096 --machine tcu:a.tarch", "vectors; allowed");
  expect_error("gemm --list l.csv --shape 1x1x1 --kernel l.csv", "l.csv");
  write("two.csv", "a,8,8,8\nb,8,8,8\n");
  expect_error("gemm --list two.csv --kernel k.visaasm", "--kernel is for one product, not 2");
  EXPECT_FALSE(exists("k.visaasm"));
}

TEST_F(GemmCommand, CycleLimitIsExitCodeThree) {
  const Output run = tactus("gemm --shape 64x64x64 --max-cycles 50 --stats s.json");
  EXPECT_EQ(run.code, 3);
  EXPECT_NE(run.err.find("did not finish within"), std::string::npos) << run.err;
}

TEST_F(GemmCommand, SweepsOverProducts) {
  setenv("XDG_CACHE_HOME", (folder_ / "cache").c_str(), 1);
  write("s.json", R"({"name": "g", "base": {"workload": {"gemm": "32x32x64"},
    "board": {"machine": "pvc"}},
    "axes": [{"key": "kernel.rows", "values": [4, 8]},
             {"key": "profile.array_depth", "values": [4, 8]}],
    "constraints": ["rows * array_depth >= 32"]})");
  const Output run = tactus("sweep s.json -o d -j 2");
  ASSERT_EQ(run.code, 0) << run.err << run.out;
  EXPECT_NE(run.out.find("3 points, 3 of them to run"), std::string::npos) << run.out;
  for (const char* column : {"registers_saved", "lost_by_reason.load_src1",
                             "on_chip.register_files", "levels.loads_and_stores.bytes_read"}) {
    EXPECT_NE(read("d/results.csv").find(column), std::string::npos) << column;
  }
  EXPECT_EQ(tactus("report d -o r.html").code, 0);
  // A sweep can have two kinds of machine; it may set the keys that both kinds have.
  write("m.json", R"({"name": "m", "base": {"workload": {"gemm": "32x32x64"},
    "board": {"machine": "pvc"}},
    "axes": [{"key": "board.machine", "values": ["dg2", "tcu:a.tarch"]}]})");
  EXPECT_EQ(tactus("sweep m.json -o e -j 1").code, 0);
  EXPECT_EQ(tactus("report e -o e.html").code, 0);
}

TEST_F(GemmCommand, WrongSweeps) {
  const auto sweep = [this](const std::string& axes, const std::string& shape = "32x32x64") {
    write("s.json", R"({"name": "g", "base": {"workload": {"gemm": ")" + shape +
                        R"("}, "board": {"machine": "pvc"}}, "axes": [)" + axes + "]}");
    return std::string("sweep s.json -o d");
  };
  expect_error(sweep(R"({"key": "kernel.rows", "values": [9]})"),
               "9 is out of range; allowed 0..8");
  expect_error(sweep(R"({"key": "kernel.rows", "values": [8]})", "0x1x1"),
               "\"0x1x1\" is not allowed");
  expect_error(sweep(R"({"key": "workload.network", "values": ["mlp"]})"),
               "board.machine \"pvc\" has no key \"workload.network\"");
  expect_error(sweep(R"({"key": "board.machine", "values": ["pvd"]})"), "no machine \"pvd\"");
  expect_error(sweep(R"({"key": "profile.grf_count", "values": [64]},
                        {"key": "board.machine", "values": ["tcu:a.tarch"]})"),
               "board.machine \"tcu:a.tarch\" has no key \"profile.grf_count\"");
  EXPECT_FALSE(exists("d"));
}

}  // namespace
}  // namespace tactus
