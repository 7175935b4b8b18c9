// Bad input: one clear error, exit code 2, nothing written.
#include <sys/stat.h>

#include <csignal>

#include <fmt/format.h>

#include "tests/cli/cli.h"

namespace tactus {
namespace {

const std::string run_model = "run --model m.tmodel --input x.csv --output out --stats s.json ";
const std::string run_program = "run --program p.tprog --arch a.tarch --stats s.json ";

/// Returns the text with the first `from` replaced by `to`.
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
  expect_error("run", "name a compiled model F.tmodel, or give --program F.tprog --arch F.tarch");
  expect_error("run --modle m.tmodel", "unknown option \"--modle\"; did you mean \"--model\"?");
  expect_error(run_model + "--read-lat 3", "unknown option \"--read-lat\"");  // not abbreviated
  expect_error(run_model + "--read-latency", "--read-latency");
  expect_error(run_model + "--read-latency 0",
               "--read-latency \"0\" is not allowed; allowed: a "
               "whole number 1..1000000");
  expect_error(run_model + "--read-latency -1", "\"-1\" is not allowed");
  expect_error(run_model + "--write-latency 2.5", "\"2.5\" is not allowed");
  expect_error(run_model + "--clock-mhz 0", "--clock-mhz \"0\" is not allowed");
  expect_error(run_model + "--clock-mhz nan", "--clock-mhz \"nan\" is not allowed");
  expect_error(run_model + "--stats t.json", "--stats is given 2 times");
  expect_error(run_model + "extra", "run: extra: no such file");
  expect_error("--hlep", "unknown option \"--hlep\"; did you mean \"--help\"?");
  expect_error("dais --hlep", "unknown option \"--hlep\"; did you mean \"--help\"?");
  expect_error(run_model + "--dump cache=f", "allowed memories: dram0, dram1, local, acc");
  expect_error(run_model + "--mode turbo", "allowed: plain, driver");
}

/// Memories are read as inputs are: nothing is filled up, cut off or left out without a word.
TEST_F(BadInput, Memories) {
  write("a.tarch", architecture_text());
  write("odd.bin", std::string(9, '1'));
  write("empty.csv", "");
  write("empty.tmodel", "");
  expect_error(run_program + "--dram0 odd.bin",
               "odd.bin: 9 bytes are not a whole number of vectors");
  expect_error(run_program + "--dram1 empty.csv", "empty.csv: has no vectors");
  expect_error("run empty.tmodel", "empty.tmodel: the file is empty");
  expect_error(run_program + "--model m.tmodel", "--model and --program both name what is run");
}

TEST_F(BadInput, Architecture) {
  expect_bad_architecture("\"array_size\"", "\"aray_size\"",
                          "a.tarch:/aray_size: unknown key; did you mean \"array_size\"?");
  expect_bad_architecture("\"array_size\": 4", "\"array_size\": 4, \"colour\": 1",
                          "a.tarch:/colour: unknown key; allowed \"data_type\", \"array_size\"");
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

TEST_F(BadInput, UnknownNamesInFilesAreReportedWithTheirPath) {
  std::filesystem::remove(folder_ / "p.tprog");
  write("s.json",
        std::string(R"({"name": "t", "base": {"board": {"name": "zcu14"}}, "axes": []})"));
  for (const char* command : {"sweep s.json -o r", "codesign s.json -o r"}) {
    expect_error(command, "s.json:/base/board/name: \"zcu14\" is not in ");
    expect_error(command, "did you mean \"zcu104\"?");
    // The error names the definition's file, not the folder given by --beside.
    expect_error(std::string(command) + " --beside elsewhere", "s.json:/base/board/name: ");
  }
  write("s.json",
        std::string(R"({"name": "t", "base": {"board": {"machine": "pcv"}}, "axes": []})"));
  expect_error("sweep s.json -o r", "s.json:/base/board/machine: ");
  std::string axes;
  for (const char* key : {"read_latency", "write_latency", "clock_mhz", "axi_data_bits"}) {
    axes +=
        std::string(axes.empty() ? "" : ", ") + R"({"key": "board.)" + key + R"(", "values": [1)";
    for (int i = 2; i < 60; ++i) axes += ", " + std::to_string(i);
    axes += "]}";
  }
  write("s.json",
        R"({"name": "t", "base": {"board": {"name": "zcu104"}, "workload": {"network": "mlp"}},
 "axes": [)" +
            axes + "]}");
  expect_error("sweep s.json -o r", "s.json:/axes");
  write("t.json", std::string(R"({"rows": [{"network": "mlp", "board": "zcu14"}]})"));
  expect_error("bench --config ./t.json", "t.json:/rows/0/board: \"zcu14\" is not in ");
  write("c.json",
        std::string(R"({"workload": {"model": "m.tmodel"}, "board": {"name": "zcu14"}})"));
  expect_error("run --config c.json --input x.csv", "c.json:/board/name: \"zcu14\" is not in ");
  const std::string program = read("m.tprog");
  std::filesystem::remove(folder_ / "m.tprog");
  expect_error(run_model, "m.tmodel:/prog/file_name: m.tprog: no such file");
  write("m.tprog", std::string(program.size(), '\x1F'));
  expect_error(run_model, "m.tmodel:/prog/file_name: m.tprog: instruction 0: ");
  write("m.tprog", program);
  std::filesystem::remove(folder_ / "m.tdata");
  expect_error(run_model, "m.tmodel:/consts/0/file_name: m.tdata: no such file");
  write("a.tarch", with(architecture_text(), "\"array_size\": 4", "\"array_size\": 5"));
  write("p.tprog", program);
  expect_error(run_program, "a.tarch: AXI data width 64 bits does not fit vectors of 5 FP16BP8");
}

TEST_F(BadInput, AddressesBeyondTheMemories) {
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

TEST_F(BadInput, AModelOfAnotherArchitecture) {
  write("b.tarch", with(architecture_text(), "\"local_depth\": 256", "\"local_depth\": 512"));
  expect_error(run_model + "--arch b.tarch", "differ in: local_depth (256, 512)");
}

TEST_F(BadInput, Inputs) {
  const std::string csv = read("x.csv");
  expect_error("run --model m.tmodel --input random:", "\"random:\" has no seed from 0 to 2^64-1");
  expect_error("run --model m.tmodel --input random:-1", "a file of this name is ./random:-1");
  expect_error("run --model m.tmodel --input none.csv", "none.csv");
  expect_error("run --model m.tmodel --input x.txt",
               "x.txt: the name must end in .npy (NumPy), .pb (ONNX tensor), .csv (decimal text), "
               ".bin or .tdata");
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
  expect_error(run_model + "--axi-data-bits 48",
               "AXI data width 48 bits does not fit vectors of 4 FP16BP8 scalars; allowed 32, 64");
  expect_error(run_model + "--axi-data-bits 4096", "32..1024, a power of two");
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

TEST_F(BadInput, OutputsThatWouldReplaceInputsOrOtherOutputs) {
  const std::string why = "would be written over a file that this command reads or writes too";
  expect_error("run --model m.tmodel --input x.csv --stats x.csv", "x.csv: " + why);
  expect_error("run --model m.tmodel --input x.csv --events ./m.tprog", "m.tprog: " + why);
  expect_error("run --model m.tmodel --input x.csv --stats s --dump local=s", "s: " + why);
  write("g.tasm", std::string("NoOp\n"));
  expect_error("asm g.tasm --arch a.tarch --output g.tasm", "g.tasm: " + why);
  EXPECT_EQ(read("g.tasm"), "NoOp\n");
}

TEST_F(BadInput, OutputsOverInputsByOtherNames) {
  const std::string why = "would be written over a file that this command reads or writes too";
  const std::string run_to = "run --model m.tmodel --input x.csv ";
  std::filesystem::create_symlink("m.tdata", folder_ / "link");
  std::filesystem::create_hard_link(folder_ / "m.tdata", folder_ / "hard");
  std::filesystem::create_directory(folder_ / "sub");
  const std::string constants = read("m.tdata");
  for (const std::string name : {"link", "hard", "sub/../m.tdata"}) {
    for (const std::string option : {"--stats", "--vcd", "--timeline", "--report", "--events"}) {
      expect_error(run_to + option + " " + name, name + ": " + why);
    }
  }
  EXPECT_EQ(read("m.tdata"), constants);
  expect_error(run_to + "--stats new --report sub/../new", "sub/../new: " + why);
  expect_error(run_to + "--vcd w.vcd --gtkw w.vcd", "w.vcd: " + why);
  // Files that are written into an output folder are checked as well.
  write("y.csv", read("x.csv"));
  expect_error("run --model m.tmodel --input y.csv --output .", "./y.csv: " + why);
  expect_error("disasm m.tmodel --output m.tprog", "m.tprog: " + why);
  // Several outputs may name the same device.
  EXPECT_EQ(tactus(run_to + "--stats /dev/null --report /dev/null").code, 0);
}

TEST_F(BadInput, DevicesAndPipes) {
  expect_error("info /dev/zero", "/dev/zero: more than 1048576 bytes from a device");
  ASSERT_EQ(::mkfifo((folder_ / "fifo").c_str(), 0666), 0);
  const auto replaced = [](std::string text, const std::string& word, const std::string& by) {
    return text.replace(text.find(word), word.size(), by);
  };
  write("odd.tmodel", replaced(read("m.tmodel"), "m.tprog", "fifo"));
  expect_error("run --model odd.tmodel --input x.csv",
               "fifo: is a pipe or a device; what odd.tmodel names must be a file");
  for (const std::string name : {"fifo", "/dev/zero"}) {
    write("blocks.tarch", replaced(read("a.tarch"), "\"thread_queue_depth\"",
                                   R"("dais_blocks": [{"name": "b", "program": ")" + name +
                                       R"("}], "thread_queue_depth")"));
    expect_error("info blocks.tarch",
                 name + ": is a pipe or a device; what blocks.tarch names must be a file");
  }
}

/// Giving a file of the wrong kind is one error that says so, not a list of parsing errors.
TEST_F(BadInput, FilesOfAnotherKind) {
  ASSERT_EQ(tactus("zoo mlp -o n.onnx").code, 0);
  write("n", read("n.onnx"));  // the name has no extension
  std::filesystem::copy_file(TACTUS_SOURCE_DIR "/configs/boards/zcu104.json", folder_ / "b.json");
  std::filesystem::copy_file(TACTUS_SOURCE_DIR "/configs/sweeps/quick.json", folder_ / "s.json");
  std::filesystem::copy_file(TACTUS_SOURCE_DIR "/configs/bench/default.json", folder_ / "t.json");
  ASSERT_EQ(tactus("run --model m.tmodel --input x.csv --stats f.json --timeline l.json").code, 0);
  write("a.txt", read("a.tarch"));
  write("k.isa", "CISA1234");
  const std::string arch = "and an architecture (.tarch) is needed; ";
  const std::string onnx = "and an ONNX model is needed; ";
  const struct {
    const char* command;
    std::string error;
  } cases[] = {
      {"info n.onnx", "n.onnx: is an ONNX model, " + arch + "tactus compile takes it"},
      {"info n", "n: is an ONNX model, " + arch + "tactus compile takes it"},
      {"info m.tprog", "m.tprog: is a program (.tprog), " + arch + "tactus run --program takes it"},
      {"info s.json", "s.json: is a sweep, " + arch + "tactus sweep takes it"},
      {"info t.json",
       "t.json: is a table of networks and boards, " + arch + "tactus bench --config takes it"},
      {"info f.json", "f.json: is a file of figures that tactus wrote, " + arch +
                          "tactus explain tells what its figures mean"},
      {"info l.json", "l.json: is a timeline, " + arch + "Perfetto shows it"},
      {"gemm --arch m.tmodel",
       "m.tmodel: is a compiled model (.tmodel), " + arch + "tactus run --model takes it"},
      {"gemm --board ./a.tarch",
       "./a.tarch: is an architecture (.tarch), and a board is needed; --arch takes it"},
      {"run --model m.tprog --input x.csv",
       "m.tprog: is a program (.tprog), and a compiled model (.tmodel) is needed; tactus run "
       "--program takes it"},
      {"run --program m.tmodel --arch a.tarch",
       "m.tmodel: is a compiled model (.tmodel), and a program (.tprog) is needed; tactus run "
       "--model takes it"},
      {"run --program k.isa",
       "k.isa: is a vISA container (.isa), and a program (.tprog) is needed; tactus run --program "
       "takes "
       "it with --machine, and tactus disasm"},
      {"compile a.txt --arch a.tarch --summary",
       "a.txt: is an architecture (.tarch), " + onnx + "--arch takes it"},
      {"compile m.tprog --arch a.tarch --summary",
       "m.tprog: is a program (.tprog), " + onnx + "tactus run --program takes it"},
      {"estimate nope", "nope: no such file"},
      {"estimate n.onnx",
       "n.onnx: is an ONNX model, and a program (.tprog) is needed; tactus compile takes it"},
      {"disasm n.onnx",
       "n.onnx: is an ONNX model, and a program (.tprog) is needed; tactus compile takes it"},
      {"dais info n.onnx",
       "n.onnx: is an ONNX model, and a DAIS program is needed; tactus compile takes it"},
      {"sweep b.json -o r", "b.json: is a board, and a sweep is needed; --board takes it"},
      {"bench --config ./b.json --list",
       "./b.json: is a board, and a table of networks and boards is needed; --board takes it"},
      {"replay n.onnx",
       "n.onnx: is an ONNX model, and a golden log is needed; tactus compile takes it"},
      {"samples m.tprog",
       "m.tprog: is a program (.tprog), and a file of samples (.tsample) is needed; tactus run "
       "--program "
       "takes it"},
      {"asm m.tmodel --arch a.tarch --output o",
       "m.tmodel: is a compiled model (.tmodel), and an assembly text (.tasm) is needed; tactus "
       "run "
       "--model takes it"},
      {"run --program m.tprog --arch a.tarch --regions b.json",
       "b.json: is a board, and a list of layers is needed; --board takes it"},
  };
  for (const auto& [command, error] : cases) {
    expect_error(command, error);
    EXPECT_EQ(tactus(command).err, "tactus: error: " + error + "\n");
  }
}

TEST_F(BadInput, NumbersAndSizes) {
  for (const char* regions : {"-3", "0", "1.5", "18446744073709551616"}) {
    expect_error(
        fmt::format("run --program m.tprog --arch a.tarch --regions {}", regions),
        fmt::format("--regions \"{}\" is not allowed; allowed: a whole number 1..6", regions));
  }
  const auto model = [&](const std::string& size) {
    write_model(size);
    std::string text = read("m.tmodel");
    const std::string end = "\"load_consts_to_local\"";
    write("m.tmodel", text.replace(text.find(end), 0,
                                   R"("layers": [{"name": "l", "first": 0, "count": 6}], )"));
  };
  model("3");
  expect_error("info m.tmodel",
               "m.tmodel:/prog/size: 3 bytes are not whole instructions; allowed "
               "multiples of 6");
  model("30");
  expect_error(
      "info m.tmodel",
      "m.tmodel:/layers/0: \"l\" ends at instruction 6; a program of 30 bytes (/prog/size) "
      "has 5");
  model("42");
  expect_error("info m.tmodel",
               "m.tprog: 36 bytes, but m.tmodel says 42: the program is truncated");
}

/// A message contains the program's name once.
TEST_F(BadInput, AMessageNamesTactusOnce) {
  for (const char* command : {"run", "rum", "run --max-cycles 0", "asm x", "dais rum", "sweep"}) {
    const Output output = tactus(command);
    EXPECT_EQ(output.code, 2) << command;
    EXPECT_EQ(output.err.rfind("tactus: error: ", 0), 0U) << output.err;
    EXPECT_EQ(output.err.find("error: tactus"), std::string::npos) << output.err;
  }
}

/// Closing the pipe ends commands that only print; commands that also write files go on.
TEST_F(BadInput, PipesWhoseReaderHasClosed) {
  const std::string run = "\"$0\" run --model m.tmodel --input x.csv ";
  const Output run_to_nobody =
      shell(run + "--output out --stats s.json | true; exit ${PIPESTATUS[0]}");
  EXPECT_EQ(run_to_nobody.code, 0) << run_to_nobody.err;
  EXPECT_TRUE(exists("out/y.csv"));
  EXPECT_TRUE(exists("s.json"));
  // The only reader of the pipe is closed before the command begins.
  const Output printed = shell("mkfifo gone; exec 3<>gone 4>gone 3<&-; \"$0\" explain >&4");
  EXPECT_EQ(printed.code, 128 + SIGPIPE);
  EXPECT_EQ(printed.err, "");
  EXPECT_EQ(shell("exec 3<>gone 4>gone 3<&-; \"$0\" nothing 2>&4").code, 2);
  // Only the output to the pipe fails; the statistics are still written.
  const Output events = shell(run + "--events >(true) --stats t.json");
  EXPECT_NE(events.out.find("cycles"), std::string::npos) << events.err;
  EXPECT_TRUE(exists("t.json"));
}

TEST_F(BadInput, PipesAsInputs) {
  ASSERT_EQ(tactus("run --model m.tmodel --input x.csv --output a").code, 0);
  for (const char* line :
       {"\"$0\" run --model m.tmodel --input <(cat x.csv) --output b",
        "\"$0\" run --model m.tmodel --input <(cat a/y.bin)",
        "\"$0\" run --program <(cat m.tprog) --arch <(cat a.tarch) --dram1 <(cat m.tdata)",
        "\"$0\" info <(cat a.tarch)", "\"$0\" asm <(echo NoOp) --arch a.tarch --output o.tprog",
        "\"$0\" disasm <(cat m.tprog) --arch a.tarch", "\"$0\" info /dev/stdin <a.tarch"}) {
    const Output output = shell(line);
    EXPECT_EQ(output.code, 0) << line << "\n" << output.err;
  }
  EXPECT_EQ(read("b/y.csv"), read("a/y.csv"));
}

TEST_F(BadInput, FoldersAndEmptyFiles) {
  std::filesystem::create_directory(folder_ / "d");
  for (const char* command :
       {"info d", "run --model d", "run --program d --arch a.tarch", "gemm --arch d",
        "asm d "
        "--arch a.tarch --output o",
        "disasm d --arch a.tarch", "compile d --arch a.tarch --summary", "samples d", "dais info d",
        "estimate d --arch a.tarch", "sweep d -o r"}) {
    expect_error(command, "d: is a directory; a file is needed");
  }
  write("e", std::string());
  for (const char* command :
       {"info e", "run --model e", "run --program e --arch a.tarch", "gemm --arch e",
        "compile e --arch a.tarch --summary", "samples e", "dais info e",
        "estimate e --arch a.tarch", "sweep e -o r", "replay e"}) {
    expect_error(command, "e: ");
  }
  const std::string run = "run --model m.tmodel --input x.csv ";
  for (const char* option : {"--stats", "--events", "--vcd", "--report", "--timeline", "--samples",
                             "--retire-log", "--dump local=d"}) {
    const bool is_dump =
        std::string(option).back() == 'd' && std::string(option).find('=') != std::string::npos;
    expect_error(run + option + (is_dump ? "" : " d"), "d: is a directory; a file name is needed");
  }
}

TEST_F(BadInput, AFullStandardOutput) {
  for (const char* command :
       {"info a.tarch", "disasm m.tmodel", "run --model m.tmodel --input x.csv"}) {
    const Output output = tactus(command, "/dev/full");
    EXPECT_EQ(output.code, 2) << command << output.err;
  }
}

TEST_F(BadInput, AnEmptyOutputFolderIsRemoved) {
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
