// The memory section of a board's file: allowed values, and errors with their position.
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "firmware/config/board.h"
#include "firmware/config/config_files.h"
#include "firmware/config/memory.h"
#include "firmware/driver/common/memory_system.h"
#include "firmware/driver/tcu/units.h"
#include "isa/support/error.h"
#include "isa/support/files.h"
#include "tests/unit/isa/test_files.h"

namespace tactus {
namespace {

/// Returns the board zcu104_dual with one text of its file replaced.
Board board_with(const std::string& from, const std::string& to) {
  const std::string path = std::string(TACTUS_SOURCE_DIR) + "/configs/boards/zcu104_dual.json";
  std::string text = read_text(path);
  const auto arch = text.find("../arch");
  text.replace(arch, 7, std::string(TACTUS_SOURCE_DIR) + "/configs/arch");
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  return parse_board(text, "b.json");
}

std::string error_with(const std::string& from, const std::string& to) {
  return error_of([&] { (void)board_with(from, to); });
}

const std::string preset = "\"preset\": \"ddr4_2133_zcu104\"";

TEST(BoardMemory, ShippedBoardsDescribeTheirMemory) {
  for (const std::string& name : config_names("boards")) {
    const Board board = read_board(name);
    EXPECT_EQ(board.memory_model, MemoryModel::board) << name;
    EXPECT_TRUE(board.board_memory) << name;
    EXPECT_NO_THROW((void)board.simulation_config()) << name;
    for (const ParameterInfo& info : memory_section().parameters) {
      if (info.optional && !board.board_memory->stream) continue;
      if (info.key == "arbitration" && board.board_memory->arbitration.empty()) continue;
      ASSERT_EQ(board.provenance.count("memory." + info.key), 1U) << name << " " << info.key;
      EXPECT_FALSE(board.provenance.at("memory." + info.key).text.empty()) << name;
    }
  }
}

TEST(BoardMemory, IsTheSameAfterWritingAndReading) {
  for (const std::string& name : config_names("boards")) {
    const BoardMemory memory = *read_board(name).board_memory;
    const std::string text = "{\"memory\":" + encode_board_memory(memory).dump() + "}";
    JsonDocument document(text, "m.json");
    const BoardMemory again = decode_board_memory(document.root().get_object("memory"));
    EXPECT_FALSE(document.problems().any()) << name;
    EXPECT_EQ(memory, again) << name;
  }
}

TEST(BoardMemory, ErrorsNameTheJsonPath) {
  EXPECT_EQ(error_with("\"29/9\"", "\"29/0\""),
            "b.json:/memory/paths/hp1/clock_ratio: \"29/0\" is no ratio of clocks; "
            "allowed \"P/Q\", both 1..1000");
  EXPECT_EQ(error_with("\"29/9\"", "\"29001/9000\""),
            "b.json:/memory/paths/hp1/clock_ratio: \"29001/9000\" is no ratio of clocks; "
            "allowed \"P/Q\", both 1..1000");
  EXPECT_NE(error_with("\"clock_ratio\": \"29/9\"", "\"clock_mhz\": 322.2345")
                .find("b.json:/memory/paths/hp1/clock_mhz: a memory port at 322.2"),
            std::string::npos);
  EXPECT_EQ(error_with("\"split_beats\": 16", "\"split_beats\": 0"),
            "b.json:/memory/paths/hp1/split_beats: 0 is out of range; allowed 1..256");
  EXPECT_EQ(error_with("\"data_bits\": 128,\n        \"split_beats\": 16",
                       "\"data_bits\": 1024,\n        \"split_beats\": 64"),
            "b.json:/memory/paths/hp1/split_beats: 64 beats of 1024 bits are 8192 bytes, and no "
            "port carries a burst across 4096 bytes; allowed 1..32");
  EXPECT_EQ(error_with("\"outstanding\": 8", "\"outstandign\": 8"),
            "b.json:/memory/paths/hp1/outstanding: missing key\n"
            "b.json:/memory/paths/hp1/outstandign: unknown key; did you mean \"outstanding\"?");
  EXPECT_NE(error_with("\"dram1\": \"hp2\"", "\"dram1\": \"hp4\"")
                .find("b.json:/memory/ports/dram1: \"hp4\" is no path; allowed \"hp1\", \"hp2\", "
                      "\"hp3\""),
            std::string::npos);
  EXPECT_NE(error_with("\"hp2\": \"hp1\"", "\"hp2\": \"hp9\"")
                .find("b.json:/memory/paths/hp2: \"hp9\" is no path above this one"),
            std::string::npos);
  EXPECT_NE(error_with("ddr4_2133_zcu104", "ddr4_2133_zcu14").find("b.json:/memory/ddr/preset: "),
            std::string::npos);
  EXPECT_NE(error_with("0x48000000", "0x44000000")
                .find("b.json:/memory/base/dram1: the bank takes bytes 0x44000000..0x4bffffff, and "
                      "that of dram0 0x40000000..0x47ffffff"),
            std::string::npos);
  EXPECT_NE(error_with("0x48000000", "0x7c000000")
                .find("b.json:/memory/base/dram1: the bank takes bytes 0x7c000000..0x83ffffff; "
                      "allowed up to 0x7fffffff"),
            std::string::npos);
  EXPECT_NE(error_with("0x48000000", "0x48000001").find("b.json:/memory/base/dram1: "),
            std::string::npos);
}

TEST(BoardMemory, EmptyTextsAreErrors) {
  EXPECT_NE(error_with("\"29/9\"", "\"\"")
                .find("b.json:/memory/paths/hp1/clock_ratio: \"\" is no ratio of clocks"),
            std::string::npos);
  EXPECT_NE(error_with("\"dram1\": \"hp2\"", "\"dram1\": \"\"")
                .find("b.json:/memory/ports/dram1: \"\" is no path; allowed \"hp1\""),
            std::string::npos);
  EXPECT_NE(error_with("\"path\": \"hp3\"", "\"path\": \"\"")
                .find("b.json:/memory/stream/path: \"\" is no path; allowed \"hp1\""),
            std::string::npos);
  EXPECT_NE(error_with("\"0x48000000\"", "\"\"").find("b.json:/memory/base/dram1: \"\" is no base"),
            std::string::npos);
}

TEST(BoardMemory, ErrorsOfTheStreamNameTheJsonPath) {
  EXPECT_EQ(
      error_with("\"path\": \"hp3\"", "\"path\": \"hp4\""),
      "b.json:/memory/stream/path: \"hp4\" is no path; allowed \"hp1\", \"hp2\", \"hp3\"; did "
      "you mean \"hp1\"?");
  EXPECT_EQ(error_with(",\n      \"base\": \"0x10000000\"", ""),
            "b.json:/memory/stream/base: missing key");
  EXPECT_EQ(
      error_with("0x10000000", "0x10000001"),
      "b.json:/memory/stream/base: \"0x10000001\" is no base; allowed \"0x...\", a multiple of "
      "4096");
  EXPECT_EQ(error_with("\"burst_bytes\": 4096", "\"burst_bytes\": 3000"),
            "b.json:/memory/stream/burst_bytes: 3000 is no power of two; allowed 128..4096");
  EXPECT_EQ(error_with("\"burst_bytes\": 4096", "\"burst_bytes\": 8192"),
            "b.json:/memory/stream/burst_bytes: 8192 is out of range; allowed 128..4096");
  EXPECT_EQ(error_with("\"bursts\": 2", "\"bursts\": 0"),
            "b.json:/memory/stream/bursts: 0 is out of range; allowed 1..64");
  EXPECT_EQ(error_with("\"bursts\": 2", "\"burst\": 2"),
            "b.json:/memory/stream/bursts: missing key\n"
            "b.json:/memory/stream/burst: unknown key; did you mean \"bursts\"?");
  EXPECT_EQ(error_with("0x10000000", "0x4f000000"),
            "b.json:/memory/stream/base: 0x4f000000 lies in the bank of dram1, which takes bytes "
            "0x48000000..0x4fffffff; allowed: a place outside of the banks");
  EXPECT_EQ(error_with("0x10000000", "0x80000000"),
            "b.json:/memory/stream/base: 0x80000000 is not in the DRAM; allowed up to 0x7fffffff");
}

TEST(BoardMemory, PagePoliciesReplaceThatOfThePreset) {
  const auto policy = [](const std::string& name) {
    const Board board = board_with(preset, preset + ", \"page_policy\": \"" + name + "\"");
    // Writing and reading it again gives the same memory.
    const std::string text = "{\"memory\":" + encode_board_memory(*board.board_memory).dump() + "}";
    JsonDocument document(text, "m.json");
    EXPECT_EQ(decode_board_memory(document.root().get_object("memory")), *board.board_memory);
    return *board.simulation_config().resolved_ddr;
  };
  EXPECT_EQ(policy("open").page_policy, DdrPagePolicy::open);
  EXPECT_EQ(policy("closed").page_policy, DdrPagePolicy::closed);
  const DdrConfig timeout = policy("timeout(250)");
  EXPECT_EQ(timeout.page_policy, DdrPagePolicy::timeout);
  EXPECT_EQ(timeout.page_timeout, 250U);
  EXPECT_TRUE(ddr_problems(timeout).empty());
  EXPECT_FALSE(policy("open").page_timeout);
  for (const char* wrong : {"timeout", "timeout()", "timeout(0)", "timeout(1000001)", "timeout(5",
                            "timeout(5) ", "timeout(-5)", "timeout(5x)", "shut"}) {
    EXPECT_EQ(error_with(preset, preset + ", \"page_policy\": \"" + wrong + "\""),
              std::string("b.json:/memory/ddr/page_policy: \"") + wrong +
                  "\" is not allowed; allowed \"open\", \"closed\", \"timeout(N)\" with N DRAM "
                  "clocks, 1..1000000");
  }
}

TEST(BoardMemory, ArbitrationIsReadAndChecked) {
  // Each value of a board with a provenance has one, too.
  const std::string base = "\"base\": {\n      \"dram0\"";
  const auto read = [&](const std::string& value) {
    std::string text =
        read_text(std::string(TACTUS_SOURCE_DIR) + "/configs/boards/zcu104_dual.json");
    const auto replace = [&](const std::string& from, const std::string& to) {
      ASSERT_NE(text.find(from), std::string::npos) << from;
      text.replace(text.find(from), from.size(), to);
    };
    replace("../arch", std::string(TACTUS_SOURCE_DIR) + "/configs/arch");
    replace(base, "\"arbitration\": \"" + value + "\",\n    " + base);
    replace("\"controller_port\": {",
            "\"arbitration\": {\"assumed\": \"here\"}, \"controller_port\": {");
    return parse_board(text, "b.json");
  };
  for (const char* text : {"ports", "round_robin", "fixed:unit1.dram0,stream,unit1",
                           "shares:dram0=0.25,unit3=0.75", "shares:unit0=1:512"}) {
    const Board board = read(text);
    EXPECT_EQ(board.board_memory->arbitration, text);
    const std::string again =
        "{\"memory\":" + encode_board_memory(*board.board_memory).dump() + "}";
    JsonDocument document(again, "m.json");
    EXPECT_EQ(decode_board_memory(document.root().get_object("memory")), *board.board_memory);
  }
  const std::pair<const char*, const char*> wrong[] = {
      {"first", "\"first\" is no arbitration; allowed: ports, round_robin, fixed:NAME,..., "},
      {"fixed", "\"fixed\" is no arbitration"},
      {"ports:dram0", "\"ports:dram0\" is no arbitration"},
      {"fixed:dram0:3", "is no arbitration"},
      {"fixed:dram2", "\"dram2\" is no port"},
      {"fixed:", "\"\" is no port"},
      {"fixed:unit64", "\"unit64\" is no unit; allowed unit0..unit63"},
      {"fixed:unit", "\"unit\" is no unit"},
      {"fixed:unit1.", "\"unit1.\" is no unit"},
      {"fixed:unit1.dram3", "\"unit1.dram3\" is no port"},
      {"fixed:unit1,dram0,unit1.dram1", "\"unit1.dram1\" has no effect behind a name"},
      {"fixed:dram0,dram0", "\"dram0\" has no effect"},
      {"shares:unit0", "\"unit0\" is no share; allowed NAME=S with S from 0.000001 to 1"},
      {"shares:unit0=0", "\"unit0=0\" is no share"},
      {"shares:unit0=nan", "\"unit0=nan\" is no share"},
      {"shares:unit0=1.5", "\"unit0=1.5\" is no share"},
      {"shares:unit0=0.6,unit1=0.5", "the shares of \"unit0=0.6,unit1=0.5\" sum up to 1.1"},
      {"shares:unit0=0.5:0", "\"0\" is no window; allowed 1..1000000000 clocks"},
      {"shares:unit0=0.5:x", "\"x\" is no window"}};
  for (const auto& [text, error] : wrong) {
    const std::string found = error_of([&, value = std::string(text)] { (void)read(value); });
    EXPECT_EQ(found.find("b.json:/memory/arbitration: "), 0U) << found;
    EXPECT_NE(found.find(error), std::string::npos) << found;
  }
  EXPECT_EQ(error_with(base, "\"arbitration\": \"ports\",\n    " + base),
            "b.json:/provenance/memory/arbitration: missing key");
  // The stream needs a path; units are those of a run.
  Board board = read("fixed:unit2");
  board.board_memory->stream.reset();
  TcuSimulationConfig config = board.simulation_config();
  EXPECT_EQ(error_of([&] { TcuUnits::check_ports(config, 2); }),
            "the memory's arbitration \"fixed:unit2\" names unit2, which this run does not have; "
            "allowed: unit0..unit1 (--tcus 2)");
  EXPECT_NO_THROW(TcuUnits::check_ports(config, 3));
  config.arbitration = "fixed:stream";
  EXPECT_NE(error_of([&] { resolve_memory(config); }).find("--arbitration: \"fixed:stream\" names"),
            std::string::npos);
}

TEST(BoardMemory, ErrorsOfAConfigurationNameFileOrOption) {
  const auto error = [](const Board& board, auto&& change) {
    TcuSimulationConfig config = board.simulation_config();
    change(config);
    return error_of([&] { resolve_memory(config, "b.json:"); });
  };
  const Board board = board_with(preset, preset);
  EXPECT_EQ(
      error(board, [](auto& c) { c.ddr = "ddr4_240"; }).find("--ddr: \"ddr4_240\" is not in "), 0U);
  EXPECT_EQ(error(board, [](auto& c) { c.port_clock_mhz = 99.98765; })
                .find("--port-clock-mhz: a memory port at 99.98"),
            0U);
  // With vectors of 128 * 2 bytes the bank of dram0 would overlap that of dram1.
  const std::string wide = error(board, [](auto& c) { c.architecture.array_size = 128; });
  EXPECT_EQ(wide.find("b.json:/memory/base/dram1: the bank takes bytes 0x48000000.."), 0U) << wide;
  EXPECT_NE(wide.find("a dram0_depth of up to 524288 vectors of 256 bytes, or --memory fixed"),
            std::string::npos)
      << wide;
}

TEST(BoardMemory, ABoardThatUsesItsMemoryMustDescribeIt) {
  const std::string text = R"({"name": "b", "title": "B", "architecture": ")" +
                           std::string(TACTUS_SOURCE_DIR) +
                           R"(/configs/arch/zcu104.tarch", "clock_mhz": 100, "axi_data_bits": 128,
                              "read_latency": 1, "write_latency": 1, "memory_model": "board"})";
  EXPECT_EQ(error_of([&] { (void)parse_board(text, "b.json"); }),
            "b.json:/memory: missing key; memory_model \"board\" needs it");
}

TEST(BoardMemory, OptionsReplaceItsValues) {
  BoardValues values = board_with(preset, preset);
  values.port_data_bits = 64;
  values.interconnect_ns = 7;
  values.port_clock_mhz = 150;
  values.ddr = "ddr4_2400";
  values.arbitration = "fixed:dram1";
  const BoardValues forced = in_force(values);
  for (unsigned port : {0U, 1U}) {
    const MemoryPath& path = forced.board_memory->path(port);
    EXPECT_EQ(path.data_bits, 64U);
    EXPECT_EQ(path.clock_mhz, 150);
    EXPECT_EQ(path.interconnect_ns[0], 7);
    EXPECT_EQ(path.interconnect_ns[1], 7);
    // Both descriptions give the same machine.
    const PathConfig one = path_config(values, port, 64), two = path_config(forced, port, 64);
    EXPECT_EQ(one.clock_p * two.clock_q, two.clock_p * one.clock_q);
    EXPECT_EQ(one.data_bits, two.data_bits);
    EXPECT_EQ(one.interconnect_ps, two.interconnect_ps);
  }
  EXPECT_EQ(forced.board_memory->preset, "ddr4_2400");
  EXPECT_EQ(forced.board_memory->arbitration, "fixed:dram1");
  for (const Parameter<BoardValues>& p : board_parameters()) {
    if (!replaces_board_memory(p.key)) continue;
    EXPECT_TRUE(p.get(forced) == p.get(BoardValues())) << p.key;
  }
  values.memory_model = MemoryModel::fixed;
  EXPECT_EQ(in_force(values).port_data_bits, 64U);
}

TEST(BoardMemory, APathWithoutAFileHasAClock) {
  const auto& clock = *memory_path_parameters().begin();
  ASSERT_EQ(clock.key, "clock_ratio");
  MemoryPath path;
  EXPECT_EQ(std::get<std::string>(clock.get(path)), "1/1");
  path.clock_mhz = 150;
  EXPECT_EQ(std::get<std::string>(clock.get(path)), "150 MHz");
}

TEST(BoardMemory, ClocksNeedARatioOfSmallNumbers) {
  const auto ratio = clock_ratio(322.222222, 100);
  ASSERT_TRUE(ratio);
  EXPECT_EQ(ratio->p, 29U);
  EXPECT_EQ(ratio->q, 9U);
  EXPECT_FALSE(clock_ratio(322.2345, 100));
  EXPECT_FALSE(clock_ratio(0.01, 100));
  EXPECT_TRUE(clock_ratio(81.25, 150));
}

}  // namespace
}  // namespace tactus
