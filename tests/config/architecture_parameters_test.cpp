// The parameter tables of architecture and board cover all members of the structs they describe;
// keys of sweeps.
#include <algorithm>

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "firmware/config/board.h"
#include "firmware/config/config_files.h"
#include "firmware/sweep/configuration.h"
#include "firmware/sweep/network_point.h"
#include "isa/support/board_values.h"
#include "isa/tcu/architecture_table.h"
#include "tests/unit/isa/test_files.h"

namespace tactus {
namespace {

/// Returns an allowed value other than `value`.
ParameterValue other_value(const ParameterInfo& info, const ParameterValue& value) {
  switch (info.type) {
    case ParameterType::whole: {
      const auto* number = std::get_if<std::uint64_t>(&value);
      if (number == nullptr || *number != info.whole.max) return info.whole.max;
      return info.whole.min;
    }
    case ParameterType::real: {
      const auto* number = std::get_if<double>(&value);
      return number != nullptr && *number == info.real.max ? info.real.min : info.real.max;
    }
    case ParameterType::boolean: {
      const auto* flag = std::get_if<bool>(&value);  // not set: an extension that is off
      return flag == nullptr || !*flag;
    }
    case ParameterType::choice:
      if (!std::holds_alternative<std::string>(value)) return std::string(info.choices.back());
      return std::string(std::get<std::string>(value) == info.choices.back() ? info.choices.front()
                                                                             : info.choices.back());
    default:
      return std::string("other");
  }
}

template <typename T>
void expect_every_change_is_seen(const ParameterTable<T>& table) {
  for (const Parameter<T>& p : table) {
    if (p.type == ParameterType::other) continue;
    T changed;
    p.set(changed, other_value(p, p.get(changed)));
    EXPECT_FALSE(table.equal(T(), changed)) << p.key;
    EXPECT_EQ(table.differences(T(), changed).find(p.key + " ("), 0U) << p.key;
    EXPECT_EQ(table.differences(T(), changed, true).empty(), !p.shapes_machine) << p.key;
  }
}

TEST(ArchitectureTable, EqualityCoversEveryMember) {
  expect_every_change_is_seen(tcu::architecture_parameters());
  tcu::Architecture with_block;
  with_block.dais_blocks.push_back({"b", "b.json", "b.json", nullptr});
  EXPECT_NE(with_block, tcu::Architecture());
  tcu::Architecture with_tables;
  with_tables.lookup_tables = {1, 256, 4};
  EXPECT_NE(with_tables, tcu::Architecture());
  // The names below fail to compile if the struct gets another member; then the table needs another
  // entry.
  const tcu::Architecture a;
  const auto& [type, size, dram0, dram1, local, accumulators, registers, stride0, stride1, threads,
               queue, blocks, tables, shadow, dma, activation] = a;
  (void)type, (void)size, (void)dram0, (void)dram1, (void)local, (void)accumulators;
  (void)registers, (void)stride0, (void)stride1, (void)threads, (void)queue, (void)blocks;
  (void)tables, (void)shadow, (void)dma, (void)activation;
  EXPECT_EQ(
      std::distance(tcu::architecture_parameters().begin(), tcu::architecture_parameters().end()),
      16);
}

TEST(BoardTable, EqualityCoversEveryMember) {
  expect_every_change_is_seen(board_parameters());
  const BoardValues values;
  const auto& [clock, width, read, write, model, stream, port_clock, port_width, interconnect, ddr,
               arbitration, host, memory] = values;
  (void)clock, (void)width, (void)read, (void)write, (void)model, (void)stream, (void)port_clock;
  (void)port_width, (void)interconnect, (void)ddr, (void)arbitration, (void)host, (void)memory;
  EXPECT_EQ(std::distance(board_parameters().begin(), board_parameters().end()), 13);
}

template <typename T>
void expect_ends_of_ranges(const ParameterTable<T>& table) {
  for (const Parameter<T>& p : table) {
    if (p.type != ParameterType::whole) continue;
    EXPECT_EQ(p.problem(p.whole.min), "") << p.key;
    EXPECT_EQ(p.problem(p.whole.max), "") << p.key;
    if (p.whole.min > 0) {
      EXPECT_EQ(p.problem(p.whole.min - 1),
                std::to_string(p.whole.min - 1) + " is out of range; allowed " + p.range());
    }
    if (p.whole.max + 1 != 0) {
      EXPECT_EQ(p.problem(p.whole.max + 1),
                std::to_string(p.whole.max + 1) + " is out of range; allowed " + p.range());
    }
  }
}

TEST(ArchitectureTable, BothEndsOfARangeAreAllowedAndNothingBeyond) {
  expect_ends_of_ranges(tcu::architecture_parameters());
  expect_ends_of_ranges(board_parameters());
}

TEST(Tables, EveryParameterIsExplained) {
  for (const ParameterSection& section : sweep::parameters()) {
    EXPECT_FALSE(section.about.empty()) << section.name;
    for (const ParameterInfo& p : section.parameters) {
      EXPECT_FALSE(p.sentence.empty()) << p.key;
      if (p.type == ParameterType::whole && p.key != "seed") {
        EXPECT_FALSE(p.unit.empty()) << p.key;
      }
    }
  }
}

TEST(SweepKeys, AreTheParametersOfArchitectureBoardAndCompiler) {
  const sweep::Configuration defaults = sweep::board_defaults("zcu104", "s.json");
  std::vector<std::string> keys;
  for (const ParameterSection& section : sweep::parameters()) {
    for (const ParameterInfo& p : section.parameters) keys.push_back(section.name + "." + p.key);
  }
  // key_names() leaves out the keys that depend on the board's memory.
  for (const std::string& key : sweep::key_names(defaults)) {
    EXPECT_NE(std::find(keys.begin(), keys.end(), key), keys.end()) << key;
  }
  for (const char* key : {"board.memory_model", "board.port_data_bits", "board.interconnect_ns",
                          "board.ddr", "board.read_latency"}) {
    EXPECT_NO_THROW((void)sweep::get_key(defaults, key)) << key;
  }
  for (const Parameter<tcu::Architecture>& p : tcu::architecture_parameters()) {
    EXPECT_NE(sweep::find_parameter("architecture." + p.key), nullptr) << p.key;
  }
  for (const Parameter<BoardValues>& p : board_parameters()) {
    EXPECT_EQ(sweep::find_parameter("board." + p.key) != nullptr, p.type != ParameterType::other)
        << p.key;
  }
}

TEST(SweepKeys, AreCheckedAgainstTheTable) {
  EXPECT_EQ(sweep::key_problem("board.read_latency", std::int64_t{0}, ""),
            "0 is out of range; allowed 1..1000000");
  EXPECT_EQ(sweep::key_problem("architecture.array_size", std::int64_t{300}, ""),
            "300 is out of range; allowed 2..256");
  EXPECT_EQ(sweep::key_problem("board.clock_mhz", 0.0, ""),
            "0 is out of range; allowed 0.001..100000");
  EXPECT_NE(
      sweep::key_problem("compiler.strategy", std::string("local-var"), "").find("did you mean"),
      std::string::npos);
  EXPECT_EQ(sweep::key_problem("architecture.arraysize", std::int64_t{8}, ""),
            "unknown key; did you mean \"architecture.array_size\"?");
}

TEST(Provenance, OneEntryMayCoverAllKeysAndAUsersBoardNeedsNone) {
  const std::string board = R"({"name": "b", "title": "B", "architecture": )" +
                            tcu::to_json(tcu::Architecture(), -1) +
                            R"(, "clock_mhz": 100, "axi_data_bits": 64, "read_latency": 1,
                                 "write_latency": 1)";
  EXPECT_TRUE(parse_board(board + "}", "b.json").provenance.empty());
  const Board all = parse_board(board + R"(, "provenance": {"*": {"assumed": "a guess"},
      "architecture": {"assumed": "ours"}, "array_size": {"assumed": "it fits"}}})",
                                "b.json");
  EXPECT_EQ(all.provenance.size(), 18U);
  EXPECT_EQ(all.provenance.at("read_latency").text, "a guess");
  EXPECT_EQ(all.provenance.at("local_depth").text, "ours");
  EXPECT_EQ(all.provenance.at("array_size").text, "it fits");
  EXPECT_NE(error_of([&] {
              (void)parse_board(board + R"(, "provenance": {"architecture": {"assumed": "x"}}})",
                                "b.json");
            }).find("b.json:/provenance/clock_mhz: missing key"),
            std::string::npos);
}

TEST(Provenance, EveryShippedBoardSaysWhereEachValueComesFrom) {
  for (const std::string& name : config_names("boards")) {
    const Board board = read_board(name);
    for (const ParameterSection& section :
         {tcu::architecture_parameters().section(), board_parameters().section()}) {
      for (const ParameterInfo& p : section.parameters) {
        if (p.type == ParameterType::other || p.optional) continue;
        ASSERT_EQ(board.provenance.count(p.key), 1U) << name << " " << p.key;
        EXPECT_FALSE(board.provenance.at(p.key).text.empty()) << name << " " << p.key;
      }
    }
  }
}

}  // namespace
}  // namespace tactus
