// Machines made by the user: tactus new, names for --arch, DRAMs without a board or in place of the
// board's own.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/cli.h"

namespace tactus {
namespace {

using Json = nlohmann::ordered_json;

class MachinesTest : public CliTest {
 protected:
  [[nodiscard]] Json statistics(const std::string& command) const {
    const Output output = tactus(command + " --stats s.json");
    EXPECT_EQ(output.code, 0) << command << "\n" << output.err;
    return Json::parse(read("s.json"));
  }
};

constexpr const char* network = "compile n.onnx -o out ";

TEST_F(MachinesTest, ANewMachineHasTheValuesOfTheBoardItIsLike) {
  for (const std::string board : {"zcu104", "arty_a7_35", "ultra96_v2"}) {
    const Output made = tactus("new machine my_" + board + " --like " + board);
    EXPECT_EQ(made.code, 0) << made.err;
    const Output mine = tactus("info my_" + board + ".json");
    EXPECT_EQ(mine.code, 0) << mine.err;
    // Returns the text without the lines of name, title, file and sources.
    const auto values = [](std::string text) {
      std::string out;
      std::istringstream lines(text);
      for (std::string line; std::getline(lines, line);) {
        const bool own = line.rfind("board", 0) == 0 || line.rfind("file", 0) == 0 ||
                         line.rfind("architecture", 0) == 0;
        const bool off = line.rfind("memory_model", 0) == 0 || line.rfind("stream_model", 0) == 0;
        if (!own && !off) out += line.substr(0, line.find("  (")) + "\n";
      }
      return out;
    };
    EXPECT_EQ(values(mine.out), values(tactus("info " + board).out));
    const std::string text = read("my_" + board + ".json");
    EXPECT_NE(text.find("// clock frequency, which turns cycles into times; MHz; 0.001..100000\n  "
                        "\"clock_mhz\""),
              std::string::npos);
    EXPECT_NE(read("my_" + board + ".tarch").find("// depth of the local memory; vectors; 1..2^62"),
              std::string::npos);
  }
  expect_error("new machine my_zcu104 --like pynq_z1", "my_zcu104.tarch: is there already");
  expect_error("new machine mine --like zcu105", "\"zcu105\" is not in");
  expect_error("new machine mine", "--like is missing; allowed arty_a7_100_speech, ");
  expect_error("new machine mine.json --like zcu104", "\"mine.json\" is no name");
  EXPECT_FALSE(exists("mine.tarch"));
}

TEST_F(MachinesTest, ArchTakesNamesAndFilesThatLeaveKeysOut) {
  ASSERT_EQ(tactus("zoo cnn -o n.onnx").code, 0);
  EXPECT_EQ(tactus(network + std::string("--arch pynqz1")).code, 0);
  EXPECT_TRUE(exists("out/n_onnx_pynqz1.tmodel"));
  expect_error(network + std::string("--arch pynqz"), "did you mean \"pynqz1\"?");
  write("mine.tarch", R"({"array_size": 12, "local_depth": 4096})");
  const Output output = tactus(network + std::string("--arch mine.tarch"));
  EXPECT_EQ(output.code, 0) << output.err;
  EXPECT_NE(output.err.find("mine.tarch leaves to their defaults: data_type FP16BP8, dram0_depth "
                            "1048576, dram1_depth 1048576, accumulator_depth 2048,"),
            std::string::npos)
      << output.err;
  EXPECT_NE(tactus("info mine.tarch").out.find("left to defaults      data_type FP16BP8"),
            std::string::npos);
  EXPECT_NE(tactus("info pynqz1").out.find("array                 8 x 8"), std::string::npos);
}

TEST_F(MachinesTest, DramsAreListedAndExplained) {
  const Output list = tactus("drams");
  EXPECT_EQ(list.code, 0);
  EXPECT_NE(list.out.find("ddr4_2400              64  2401  4096      19.21   16-16-16  64-bit"),
            std::string::npos)
      << list.out;
  const Output dram = tactus("info ddr4_2400");
  EXPECT_EQ(dram.code, 0);
  EXPECT_NE(dram.out.find("t_rfc                 312 clocks = 259.896 ns  (published 2025-03-18"),
            std::string::npos)
      << dram.out;
}

TEST_F(MachinesTest, DramNeedsNoBoard) {
  write_model();
  const std::string run = "run m.tmodel --input x.csv ";
  const Json fixed = statistics(run);
  const Json ddr = statistics(run + "--ddr ddr3_1600");
  EXPECT_GT(ddr.at("cycles").get<int>(), fixed.at("cycles").get<int>());
  // The configuration that --print-config prints gives the same machine.
  ASSERT_EQ(tactus(run + "--ddr ddr3_1600 --print-config", folder_ / "c.json").code, 0);
  EXPECT_EQ(statistics("run --config c.json").at("cycles"), ddr.at("cycles"));
  EXPECT_GT(statistics(run + "--ddr ddr3_1600 --interconnect-ns 100").at("cycles").get<int>(),
            ddr.at("cycles").get<int>());
  expect_error(run + "--ddr ddr3_1600 --read-latency 3", "--ddr");
}

TEST_F(MachinesTest, BanksMoveIntoADramOfAnotherSize) {
  ASSERT_EQ(tactus("zoo cnn -o n.onnx").code, 0);
  // On the board the banks begin at 1 GiB; this DRAM has 256 MiB.
  const Output moved = tactus(network + std::string("--board zcu104 --ddr ddr3_650_arty"));
  EXPECT_EQ(moved.code, 0) << moved.err;
  EXPECT_NE(
      moved.err.find("the banks of dram0 and dram1 begin at 0x0 and 0x8000000 of ddr3_650_arty"),
      std::string::npos)
      << moved.err;
  // Banks that fit keep their base addresses.
  EXPECT_EQ(tactus(network + std::string("--board zcu104 --ddr ddr4_2400")).err.find("begin at"),
            std::string::npos);
  ASSERT_EQ(tactus(network + std::string("--board pynq_z1")).code, 0);
  write("small.json", R"({"name": "small", "title": "small", "bus_bits": 16, "burst_length": 8,
    "bank_groups": 1, "banks": 8, "rows": 2048, "columns": 1024, "address_map": "row_bank_column",
    "tck_ps": 2500, "cl": 6, "cwl": 5, "t_rcd_ns": 15, "t_rp_ns": 15, "t_ras_ns": 37.5,
    "t_rc_ns": 52.5, "t_faw_ns": 50, "t_rrd_s": 4, "t_rrd_l": 4, "t_ccd_s": 4, "t_ccd_l": 4,
    "t_wr_ns": 15, "t_rtp": 4, "t_wtr_s": 4, "t_wtr_l": 4, "t_turn": 2, "t_rfc_ns": 160,
    "t_refi_ns": 7800})");
  expect_error(network + std::string("--board pynq_z1 --ddr small.json"),
               "--ddr: small.json has 0x2000000 bytes, too few for both banks; allowed: "
               "architecture.dram0_depth and dram1_depth of up to 1398101 vectors of 24 bytes "
               "together (here 1048576 and 1048576)");
}

TEST_F(MachinesTest, EveryDramOfAnAxisRunsOnABoard) {
  write("s.json", R"({"name": "drams", "base": {"board": {"name": "zcu104"},
    "workload": {"network": "mlp"}}, "axes": [{"key": "board.ddr", "values": ["ddr3_650_arty", "ddr3_1600"]}]})");
  const Output sweep = tactus("sweep s.json -o r");
  EXPECT_EQ(sweep.code, 0) << sweep.out << sweep.err;
  std::istringstream lines(read("r/results.jsonl"));
  unsigned points = 0;
  for (std::string line; std::getline(lines, line); ++points) {
    const Json memory = Json::parse(line).at("configuration").at("board").at("memory");
    EXPECT_EQ(memory.at("base").dump(), R"({"dram0":"0x0","dram1":"0x8000000"})");
    // The two banks fill the smaller DRAM, so it has no room for the instruction stream.
    EXPECT_EQ(memory.contains("stream"), memory.at("ddr").at("preset") == "ddr3_1600");
  }
  EXPECT_EQ(points, 2U);
}

}  // namespace
}  // namespace tactus
