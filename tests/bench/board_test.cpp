// Boards: the shipped ones, and errors of the reader.
#include "firmware/config/board.h"

#include <gtest/gtest.h>

#include "firmware/config/config_files.h"
#include "isa/support/error.h"
#include "isa/support/files.h"
#include "tests/unit/isa/test_files.h"

namespace tactus::bench {
namespace {

TEST(Board, ShippedBoardsHaveThePublishedValues) {
  EXPECT_EQ(
      config_names("boards"),
      (std::vector<std::string>{"arty_a7_100_speech", "arty_a7_35", "pynq_z1", "pynq_z1_tutorial",
                                "ultra96_v2", "zcu104", "zcu104_dual", "zcu104_uram"}));
  const auto expect = [](const char* name, unsigned n, double mhz, unsigned axi) {
    const Board board = read_board(name);
    EXPECT_EQ(board.name, name);
    EXPECT_EQ(board.architecture.array_size, n) << name;
    EXPECT_EQ(board.clock_mhz, mhz) << name;
    EXPECT_EQ(board.axi_data_bits, axi) << name;
    // The file has the provenance of 14 values of the architecture, 4 of the board and 12 of its
    // memory, and, if they are given, of the host's time and of the stream.
    EXPECT_EQ(board.provenance.size(),
              30U + (board.host_us == 0 ? 0U : 1U) + (board.board_memory->stream ? 1U : 0U))
        << name;
  };
  expect("arty_a7_35", 8, 150, 64);
  expect("pynq_z1", 12, 150, 64);
  expect("pynq_z1_tutorial", 8, 50, 64);
  expect("ultra96_v2", 16, 300, 128);
  expect("zcu104", 32, 100, 128);
  expect("zcu104_dual", 32, 100, 512);
  expect("zcu104_uram", 32, 100, 512);
  expect("arty_a7_100_speech", 8, 25, 128);
}

TEST(Board, ProvenanceOfAKeyReplacesThatOfAllKeys) {
  const Board board = read_board("arty_a7_35");
  EXPECT_EQ(board.provenance.at("array_size").kind, Provenance::Kind::published);
  EXPECT_EQ(board.provenance.at("array_size").date, "2022-03-07");
  EXPECT_EQ(board.provenance.at("local_depth").kind, Provenance::Kind::assumed);
  EXPECT_EQ(board.provenance.at("read_latency").kind, Provenance::Kind::assumed);
}

TEST(Board, TheMachineOfABoardHasItsValues) {
  const TcuSimulationConfig config = read_board("zcu104").simulation_config();
  EXPECT_EQ(config.architecture.array_size, 32U);
  EXPECT_EQ(config.clock_mhz, 100);
  EXPECT_EQ(config.axi_data_bits, 128U);
  EXPECT_EQ(config.read_latency, 20U);
  EXPECT_EQ(config.write_latency, 5U);
}

/// Returns the error for a shipped board's file with one text replaced.
std::string error_with(const std::string& from, const std::string& to) {
  std::string text = read_text(std::string(TACTUS_SOURCE_DIR) + "/configs/boards/pynq_z1.json");
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  return error_of([&] { (void)parse_board(text, "b.json"); });
}

TEST(Board, WrongKeysAndValuesAreNamedWithTheirPath) {
  EXPECT_EQ(error_with("\"clock_mhz\": 150", "\"clock_mzh\": 150"),
            "b.json:/clock_mhz: missing key\n"
            "b.json:/clock_mzh: unknown key; did you mean \"clock_mhz\"?");
  EXPECT_EQ(error_with("\"clock_mhz\": 150", "\"clock_mhz\": 0"),
            "b.json:/clock_mhz: 0 is out of range; allowed 0.001..100000");
  EXPECT_EQ(error_with("\"read_latency\": 20", "\"read_latency\": 0"),
            "b.json:/read_latency: 0 is out of range; allowed 1..1000000");
  EXPECT_EQ(error_with("\"array_size\": 12", "\"array_size\": 1"),
            "b.json:/architecture/array_size: 1 is out of range; allowed 2..256");
  EXPECT_EQ(
      error_with("\"date\": \"2022-03-07\"", "\"date\": \"March\""),
      "b.json:/provenance/array_size/date: \"March\" is no date; allowed YYYY-MM-DD, YYYY-MM");
  EXPECT_EQ(
      error_with("\"date\": \"2022-03-07\"", "\"date\": \"2022-13\""),
      "b.json:/provenance/array_size/date: \"2022-13\" is no date; allowed YYYY-MM-DD, YYYY-MM");
  // 12 scalars of 16 bits are 192 bits, which is no multiple of 128.
  EXPECT_NE(error_with("\"axi_data_bits\": 64", "\"axi_data_bits\": 128")
                .find("b.json:/axi_data_bits: AXI data width 128 bits does not fit vectors of 12"),
            std::string::npos);
}

TEST(Board, EveryValueSaysWhereItComesFrom) {
  EXPECT_EQ(error_with("\"axi_data_bits\": {", "\"axi_data_bist\": {"),
            "b.json:/provenance/axi_data_bits: missing key\n"
            "b.json:/provenance/axi_data_bist: unknown key; did you mean \"axi_data_bits\"?");
  EXPECT_NE(error_with("\"assumed\": \"depths", "\"guessed\": \"depths").find("must have one of"),
            std::string::npos);
  EXPECT_NE(error_with("\"assumed\": \"depths", "\"published\": \"x\", \"assumed\": \"depths")
                .find("must have one of"),
            std::string::npos);
}

TEST(Board, UnknownNamesListTheKnownOnes) {
  const std::string error = error_of([] { (void)read_board("zcu14"); });
  EXPECT_NE(error.find("did you mean \"zcu104\"?"), std::string::npos) << error;
  EXPECT_NE(error.find("\"ultra96_v2\""), std::string::npos) << error;
  EXPECT_NE(error_of([] { (void)read_board("./none.json"); }).find("./none.json"),
            std::string::npos);
}

}  // namespace
}  // namespace tactus::bench
