// Files as other programs leave them, with byte order marks and symbolic links; tactus dram; and
// the environment variable TACTUS_KERNELS.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>

#include <nlohmann/json.hpp>

#include "tests/cli/cli.h"

namespace tactus {
namespace {

const std::string mark = "\xEF\xBB\xBF";

/// Returns the output of a run without the line of host time, which differs between runs.
std::string without_host_time(const std::string& text) {
  return std::regex_replace(text, std::regex("\nhost .*"), "");
}

class Files : public CliTest {
 protected:
  /// Expects that the command prints the same whether or not the file begins with a byte order
  /// mark.
  void expect_same(const std::string& file, const std::string& content,
                   const std::string& command) const {
    SCOPED_TRACE(command);
    write(file, content);
    const Output plain = tactus(command);
    EXPECT_EQ(plain.code, 0) << plain.err;
    write(file, mark + content);
    const Output marked = tactus(command);
    EXPECT_EQ(marked.code, 0) << marked.err;
    EXPECT_EQ(without_host_time(marked.out), without_host_time(plain.out));
  }
};

TEST_F(Files, ByteOrderMarksAreIgnored) {
  write_model();
  const Output assembly = tactus("disasm m.tmodel");
  const std::string tmodel = read("m.tmodel"), architecture = read("a.tarch");
  expect_same("m.tasm", assembly.out, "asm m.tasm --arch a.tarch --output n.tprog");
  expect_same("m.tmodel", tmodel, "disasm m.tmodel");
  expect_same("b.tarch", architecture, "info b.tarch");
  expect_same("x.csv", read("x.csv"), "run --model m.tmodel --input x.csv");
  expect_same("s.stripe", R"(0: #program
block [] ( // p
    #user none new@0x00000000 A[0] fp32:I(4):(1)
    #user none new@0x00000000 B[0] fp32:I(4):(1)
) {
  0: #main
  block [] ( // main
      in A[0] fp32:I(4):(1)
      out B[0] fp32:I(4):(1)
  ) {
    0: #kernel
    block [i:4] ( // copy
        in A[i] fp32:I(1):(1)
        out B[i] fp32:I(1):(1)
    ) {
      0: $a = load(A)
      1: B = store($a)
    }
  }
}
)",
              "stripe check s.stripe");
  expect_same("a.txt", "1 2 3 4\n", "stripe run s.stripe --input A=a.txt");
  expect_same("passes.json", R"([{"dce": {"reqs": ["main"]}}])",
              "stripe passes s.stripe --config passes.json");
  expect_same("l.csv", "name,M,N,K,count\na,4,4,4,1\n",
              "gemm --list l.csv --machine tcu:a.tarch --csv t.csv -q");
  expect_same("t.csv", "Layer, M, N, K,\na, 4, 4, 4,\n", "compile t.csv --arch a.tarch -o c");
  expect_same("d.csv", "0, 0, read, 0, 64\n", "dram d.csv --ddr ddr3_1600");
}

TEST_F(Files, AModelIsALinkIntoAnotherFolder) {
  write_model();
  std::filesystem::create_directory(folder_ / "kept");
  for (const char* file : {"m.tmodel", "m.tprog", "m.tdata"}) {
    std::filesystem::rename(folder_ / file, folder_ / "kept" / file);
  }
  const Output there = tactus("run --model kept/m.tmodel --input x.csv");
  ASSERT_EQ(there.code, 0) << there.err;
  std::filesystem::create_symlink("kept/m.tmodel", folder_ / "link.tmodel");
  const Output linked = tactus("run --model link.tmodel --input x.csv");
  ASSERT_EQ(linked.code, 0) << linked.err;
  const auto cycles = [](const Output& output) {
    const std::size_t at = output.out.find("cycles");
    return output.out.substr(at, output.out.find('\n', at) - at);
  };
  EXPECT_EQ(cycles(linked), cycles(there));
  EXPECT_EQ(tactus("disasm link.tmodel").out, tactus("disasm kept/m.tmodel").out);
  // A file beside the link is preferred to one beside the link's target.
  write("m.tprog", std::string("no program"));
  EXPECT_EQ(tactus("run --model link.tmodel --input x.csv").code, 2);
}

TEST_F(Files, TheNamesOfTensorsAreFoundThroughALink) {
  ASSERT_EQ(tactus("zoo mlp -o mlp.onnx").code, 0);
  ASSERT_EQ(tactus("compile mlp.onnx --board zcu104 -o kept").code, 0);
  std::string name;
  for (const std::string& file : files()) {
    if (file.find(".tmodel") != std::string::npos) name = file.substr(file.rfind('/') + 1);
  }
  std::filesystem::create_symlink("kept/" + name, folder_ / "link.tmodel");
  const std::string there = tactus("info kept/" + name).out;
  std::string linked = tactus("info link.tmodel").out;
  const auto tensors = [](const std::string& text) { return text.substr(text.find("input")); };
  EXPECT_EQ(tensors(linked), tensors(there));
}

TEST_F(Files, DramTracesGiveBandwidthAndCommands) {
  std::string trace = "time_ns,port,operation,address,bytes\n";
  for (unsigned i = 0; i < 64; ++i)
    trace += "0," + std::to_string(i % 2) + ",read," + std::to_string(64 * i) + ",64\n";
  write("t.csv", trace);
  const Output run = tactus(
      "dram t.csv --ddr ddr3_1600 -o a.csv --commands c.csv --drampower c.trace --stats s.json");
  ASSERT_EQ(run.code, 0) << run.err;
  const auto lines = [this](const std::string& file) {
    const std::string text = read(file);
    return std::count(text.begin(), text.end(), '\n');
  };
  EXPECT_EQ(lines("a.csv"), 1 + 64);
  EXPECT_EQ(lines("c.csv"), 1 + 1 + 64);  // header, ACT, one RD per request
  EXPECT_EQ(read("c.trace").substr(0, 8), "1,ACT,0\n");
  EXPECT_EQ(lines("c.trace"), 1 + 64);
  // DRAMPower 5: clock, command, rank, bank group, bank, row, column; accesses with 64 bytes of
  // data
  ASSERT_EQ(tactus("dram t.csv --ddr ddr3_1600 --drampower 5.trace --drampower-version 5").code, 0);
  EXPECT_EQ(read("5.trace").substr(0, 16), "1,ACT,0,0,0,0,0\n");
  EXPECT_EQ(lines("5.trace"), 1 + 64 + 1);
  std::istringstream trace5(read("5.trace"));
  std::string first_read;
  std::string last;
  for (std::string command; std::getline(trace5, command);) {
    if (first_read.empty() && command.find(",RD,") != std::string::npos) first_read = command;
    last = command;
  }
  EXPECT_EQ(first_read.substr(first_read.find(",RD,")), ",RD,0,0,0,0,0," + std::string(128, '0'));
  EXPECT_EQ(last.substr(last.find(',')), ",END,0,0,0,0,0");
  expect_error("dram t.csv --ddr ddr3_1600 --drampower-version 5", "belongs to --drampower");
  // Both forms count banks over all groups.
  trace = "time_ns,port,operation,address,bytes\n";
  for (unsigned i = 0; i < 8; ++i) trace += "0,0,read," + std::to_string(8192 * i) + ",64\n";
  write("groups.csv", trace);
  ASSERT_EQ(tactus("dram groups.csv --ddr ddr4_2400 --drampower 4.trace").code, 0);
  ASSERT_EQ(
      tactus("dram groups.csv --ddr ddr4_2400 --drampower 5.trace --drampower-version 5").code, 0);
  std::istringstream form4(read("4.trace")), form5(read("5.trace"));
  std::set<std::string> groups;
  for (std::string old_form, form; std::getline(form4, old_form) && std::getline(form5, form);) {
    const std::size_t group = form.find(",0,") + 3, bank = form.find(',', group);
    groups.insert(form.substr(group, bank - group));
    EXPECT_EQ(form.substr(bank, form.find(',', bank + 1) - bank),
              old_form.substr(old_form.rfind(',')))
        << form;
  }
  EXPECT_EQ(groups.size(), 4U);
  const auto stats = nlohmann::json::parse(read("s.json"));
  EXPECT_EQ(stats.at("bytes_read"), 64 * 64);
  EXPECT_EQ(stats.at("dram").at("hits"), 63);
  // The peak is 64 bits, twice per clock of 1.25 ns. The trace uses two ports, since one port alone
  // reaches half of the peak (xpi_interval).
  EXPECT_NEAR(stats.at("peak_gb_per_s").get<double>(), 12.8, 1e-9);
  const double share = stats.at("gb_per_s").get<double>() / stats.at("peak_gb_per_s").get<double>();
  EXPECT_GT(share, 0.85);
  EXPECT_LE(share, 1);
  EXPECT_NE(run.out.find("GB/s"), std::string::npos);
  expect_error("dram t.csv", "--ddr NAME|F.json is missing");
  expect_error("dram t.csv --ddr ddr9", "ddr9");
  write("bad.csv", std::string("0,0,read,0\n"));
  expect_error("dram bad.csv --ddr ddr3_1600 -o b.csv", "bad.csv:1: 4 cells; allowed 5");
  EXPECT_FALSE(exists("b.csv"));
  // All outputs must be different files, and none may be the trace.
  for (const char* other : {"--stats b.csv", "--commands b.csv", "--drampower ./b.csv"}) {
    expect_error(std::string("dram t.csv --ddr ddr3_1600 -o b.csv ") + other, "b.csv");
  }
  expect_error("dram t.csv --ddr ddr3_1600 --stats t.csv", "t.csv");
}

TEST_F(Files, KernelsAreChosenByAVariable) {
  write_model();
  const Output best = tactus("run --model m.tmodel --input x.csv -o out");
  ASSERT_EQ(best.code, 0) << best.err;
  const std::string output = read("out/y.csv");
  ASSERT_NE(output, "");
  for (const char* name : {"reference", "portable"}) {
    const Output run = shell("TACTUS_KERNELS=" + std::string(name) +
                             " \"$0\" run --model m.tmodel --input x.csv -o out");
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_EQ(without_host_time(run.out), without_host_time(best.out));
    EXPECT_EQ(read("out/y.csv"), output);
  }
  const Output wrong = shell("TACTUS_KERNELS=portble \"$0\" boards");
  EXPECT_EQ(wrong.code, 2);
  EXPECT_NE(wrong.err.find("TACTUS_KERNELS is \"portble\"; allowed \"reference\", \"portable\", "
                           "\"avx2\", \"avx512\"; did you mean \"portable\"?"),
            std::string::npos)
      << wrong.err;
}

}  // namespace
}  // namespace tactus
