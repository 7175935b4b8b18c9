// Bad input: one clear error, exit code 2, nothing written.
#include <fmt/format.h>

#include "tests/cli/cli.h"

namespace tactus {
namespace {

const std::string run_model = "run --model m.tmodel --input x.csv --output out --stats s.json ";
const std::string run_program = "run --program p.tprog --arch a.tarch --stats s.json ";

/// The architecture with one text replaced.
std::string with(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

class BadInput : public CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    write_model();
    write("p.tprog", read("m.tprog"));
  }
  void expect_bad_architecture(const std::string& from, const std::string& to,
                               const std::string& error) const {
    write("a.tarch", with(architecture_text(), from, to));
    expect_error(run_program, error);
  }
};

TEST_F(BadInput, Commands) {
  expect_error("rnu", "unknown command \"rnu\"; did you mean \"run\"?");
  expect_error("run", "give either --model F.tmodel or --program F.tprog");
  expect_error("run --modle m.tmodel", "unknown option \"--modle\"; did you mean \"model\"?");
  expect_error(run_model + "--read-lat 3", "unknown option \"--read-lat\"");  // no prefix guessing
  expect_error(run_model + "--read-latency", "--read-latency");
  expect_error(run_model + "--read-latency 0",
               "--read-latency \"0\" is not allowed; allowed: a "
               "whole number 1..1000000");
  expect_error(run_model + "--read-latency -1", "\"-1\" is not allowed");
  expect_error(run_model + "--write-latency 2.5", "\"2.5\" is not allowed");
  expect_error(run_model + "--clock-mhz 0", "--clock-mhz \"0\" is not allowed");
  expect_error(run_model + "--clock-mhz nan", "--clock-mhz \"nan\" is not allowed");
  expect_error(run_model + "--stats t.json", "--stats is given 2 times");
  expect_error(run_model + "extra", "unexpected word \"extra\"");
  expect_error(run_model + "--dump cache=f", "allowed memories: dram0, dram1, local, acc");
  expect_error(run_model + "--mode turbo", "allowed: plain, driver");
}

TEST_F(BadInput, Architecture) {
  expect_bad_architecture("\"array_size\"", "\"aray_size\"",
                          "a.tarch:/aray_size: unknown key; did you mean \"array_size\"?");
  expect_bad_architecture("\"array_size\": 4", "\"array_size\": 4, \"array_size\": 4",
                          "a.tarch:/array_size: duplicate key");
  expect_bad_architecture("\"array_size\": 4", "\"array_size\": \"4\"", "a.tarch:/array_size:");
  expect_bad_architecture("\"array_size\": 4", "\"array_size\": 4.5", "a.tarch:/array_size:");
  expect_bad_architecture("\"array_size\": 4", "\"array_size\": -4", "a.tarch:/array_size:");
  expect_bad_architecture("\"array_size\": 4", "\"array_size\": 257", "allowed 2..256");
  expect_bad_architecture("\"simd_registers_depth\": 1", "\"simd_registers_depth\": 0",
                          "a.tarch:/simd_registers_depth: 0 is out of range");
  expect_bad_architecture("FP16BP8", "FP16BP9", "a.tarch:/data_type:");
  expect_bad_architecture("FP16BP8", "FLOAT32", "a.tarch:/data_type:");
  expect_bad_architecture("}", "", "a.tarch:");
  expect_error("run --program p.tprog --arch none.tarch", "none.tarch");
  expect_error("run --program p.tprog", "--program needs --arch");
}

TEST_F(BadInput, Program) {
  const std::string program = read("m.tprog");
  write("p.tprog", program.substr(0, program.size() - 1));
  expect_error(run_program, "p.tprog: ");
  write("p.tprog", std::string());
  expect_error(run_program, "the program is empty");
  write("m.tprog", program.substr(0, program.size() - 7));
  expect_error(run_model, "the program is truncated");
  write("m.tprog", program + program);
  expect_error(run_model, "the program is oversized");
}

TEST_F(BadInput, BeyondTheMemories) {
  const auto expect = [this](const std::string& line, const std::string& error) {
    write("p.tasm", line + "\n");
    ASSERT_EQ(tactus("asm p.tasm --arch a.tarch --output p.tprog --permissive").code, 0) << line;
    expect_error(run_program, "p.tprog: instruction 0: " + error);
  };
  expect("MatMul Local(0) -> Acc(63), 2", "");
  expect("MatMul Local(255) -> Acc(0), 2", "");
  expect("DataMove DRAM0(200)@32 -> Local(0), 3", "");
  expect("MatMul Local(0) -> Acc(64), 1", "accumulator address 64 ");
  write("p.tasm", std::string("MatMul Local(0) -> Acc(63), 2\n"));
  ASSERT_EQ(tactus("asm p.tasm --arch a.tarch --output p.tprog --permissive").code, 0);
  EXPECT_EQ(tactus(run_program + "--permissive").code, 0);  // wraps, as in the RTL
}

TEST_F(BadInput, Model) {
  const std::string model = read("m.tmodel");
  write("m.tmodel", with(model, "\"base\": 0, \"size\": 5", "\"base\": 0, \"size\": 257"));
  expect_error(run_model, "m.tmodel:/consts/0");
  write("m.tmodel", with(model, "m.tdata", "none.tdata"));
  expect_error(run_model, "none.tdata");
  write("m.tmodel", with(model, "\"outputs\"", "\"outptus\""));
  expect_error(run_model, "did you mean \"outputs\"?");
  write("m.tmodel", model);
  write("m.tdata", read("m.tdata").substr(8));
  expect_error(run_model, "m.tdata");
}

TEST_F(BadInput, AnotherArchitecture) {
  write("b.tarch", with(architecture_text(), "\"local_depth\": 256", "\"local_depth\": 512"));
  expect_error(run_model + "--arch b.tarch", "differ in: local_depth (256, 512)");
}

TEST_F(BadInput, Inputs) {
  const std::string csv = read("x.csv");
  expect_error("run --model m.tmodel", "input \"x\" (4 vectors) is missing");
  expect_error("run --model m.tmodel --input none.csv", "none.csv");
  expect_error("run --model m.tmodel --input x.txt", ".csv");
  write("x.csv", csv + "1,2,3,4\n");
  expect_error(run_model, "5 vectors for input \"x\", whose images have 4");
  write("x.csv", with(csv, "0.5", "half"));
  expect_error(run_model, "x.csv:3:2: ");
  write("x.csv", with(csv, "1,2,3,4", "1,2,3"));
  expect_error(run_model, "x.csv:1");
  write("x.csv", std::string());
  expect_error(run_model, "x.csv");
  write("x.bin", std::string(31, 'a'));
  expect_error("run --model m.tmodel --input x.bin", "x.bin");
}

TEST_F(BadInput, AxiWidth) {
  expect_error(run_model + "--axi-data-bits 128",
               "AXI data width 128 bits does not fit vectors of 4 FP16BP8 scalars; allowed 32, 64");
  expect_error(run_model + "--axi-data-bits 48", "does not fit");
  expect_error(run_model + "--axi-data-bits 16", "allowed: a whole number 32..1024");
}

TEST_F(BadInput, PathsThatCannotBeWritten) {
  expect_error("run --model m.tmodel --input x.csv --stats no/such/folder/s.json",
               "no/such/folder");
  expect_error("run --model m.tmodel --input x.csv --events no/e", "no/e");
  expect_error("run --model m.tmodel --input x.csv --dump local=no/l", "no/l");
  expect_error("run --model m.tmodel --input x.csv --output m.tprog", "m.tprog");
  const Output full = tactus("run --model m.tmodel --input x.csv --events /dev/full");
  EXPECT_EQ(full.code, 2);
  EXPECT_NE(full.err.find("/dev/full: cannot be written: No space left on device"),
            std::string::npos)
      << full.err;
}

TEST_F(BadInput, FilesOverEachOther) {
  const std::string why = "would be written over a file that this command reads or writes too";
  expect_error("run --model m.tmodel --input x.csv --stats x.csv", "x.csv: " + why);
  expect_error("run --model m.tmodel --input x.csv --events ./m.tprog", "m.tprog: " + why);
  expect_error("run --model m.tmodel --input x.csv --stats s --dump local=s", "s: " + why);
  write("g.tasm", std::string("NoOp\n"));
  expect_error("asm g.tasm --arch a.tarch --output g.tasm", "g.tasm: " + why);
  EXPECT_EQ(read("g.tasm"), "NoOp\n");
}

TEST_F(BadInput, StandardOutputFull) {
  for (const char* command :
       {"info a.tarch", "disasm m.tmodel", "run --model m.tmodel --input x.csv"}) {
    const Output output = tactus(command, "/dev/full");
    EXPECT_EQ(output.code, 2) << command << output.err;
  }
}

TEST_F(BadInput, AnEmptyOutputFolderDoesNotStay) {
  EXPECT_EQ(tactus("run --model m.tmodel --input x.csv --output new --max-cycles 5").code, 3);
  EXPECT_FALSE(exists("new"));
}

TEST_F(BadInput, AFileNameThatIsNotUtf8) {
  write("caf\xe9.tmodel", read("m.tmodel"));
  const Output output = tactus("run --model caf\xe9.tmodel --input x.csv --stats s.json");
  EXPECT_EQ(output.code, 0) << output.err;
}

TEST_F(BadInput, Assembly) {
  write("bad.tasm", std::string("MatMul Local(0) -> Acc(0), 4\nMatMull Local(0) -> Acc(0), 4\n"));
  expect_error("asm bad.tasm --arch a.tarch --output o.tprog", "bad.tasm:2:1: ");
  expect_error("asm bad.tasm --output o.tprog", "--arch F.tarch is missing");
  expect_error("asm none.tasm --arch a.tarch --output o.tprog", "none.tasm");
  expect_error("disasm m.tprog", "--arch F.tarch is missing");
  write("odd.tprog", std::string(3, 'x'));
  expect_error("disasm odd.tprog --arch a.tarch", "odd.tprog");
}

TEST_F(BadInput, Logs) {
  write("l.txt", std::string("no log\n"));
  expect_error("replay l.txt", "l.txt:1: unknown line \"no\"");
  write("l.txt", std::string("# top=TCU cycles=x\n"));
  expect_error("replay l.txt", "l.txt:1: \"x\" is not a number");
  write("l.txt", std::string("# title\n"));
  expect_error("replay l.txt", "not a golden log");
  write("l.txt",
        std::string("# top=TCU cycles=4 readlat=1 blat=1 feed_gap=0 stall_seed=0 stall_pct=0\n"
                    "# program:\n#   0000000000000000\n0 IFIRE 0000000000000000\n"));
  expect_error("replay l.txt", "no END line: the log is cut off");
  expect_error("replay none.txt", "none.txt");
  expect_error("replay", "name at least one log");
}

}  // namespace
}  // namespace tactus
