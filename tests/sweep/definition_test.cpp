// Definitions of sweeps: their points, and errors in them.
#include "firmware/sweep/definition.h"

#include <filesystem>
#include <set>

#include <gtest/gtest.h>

#include "firmware/config/config_files.h"
#include "firmware/sweep/network_point.h"
#include "firmware/sweep/runner.h"
#include "isa/dais/json.h"
#include "isa/support/error.h"
#include "isa/support/files.h"
#include "isa/support/json_text.h"
#include "isa/tcu/assembler.h"
#include "tests/support/dais_blocks.h"
#include "tests/support/error_of.h"

namespace tactus::sweep {
namespace {

Definition parse(const std::string& rest) {
  return parse_definition(
      R"({"name": "t", "base": {"board": {"name": "zcu104"}, "workload": {"network": "mlp"}}, )" +
          rest + "}",
      "s.json");
}

/// Returns the configurations of all points of a definition.
std::vector<Configuration> configurations(const Definition& definition) {
  const Configurations build(definition);
  std::vector<Configuration> all;
  for (const Point& point : points(definition).points) all.push_back(build.of(point));
  return all;
}

std::string error(const std::string& rest) {
  return error_of([&] { (void)points(parse(rest)); });
}

void expect_error(const std::string& rest, const std::string& text) {
  EXPECT_NE(error(rest).find(text), std::string::npos) << error(rest);
}

const std::string axis = R"("axes": [{"key": "board.read_latency", "values": [1, 2, 3]}])";

TEST(SweepDefinition, KeysOfTheMemoryThatPointsDoNotHaveAreRefused) {
  expect_error(R"("axes": [{"key": "board.read_latency", "values": [5, 50]},
                           {"key": "board.ddr", "values": ["ddr4_2400"]}])",
               "s.json: board.ddr has no effect with the memory of fixed latency, which "
               "board.read_latency chooses");
  EXPECT_NO_THROW((void)parse(R"("axes": [{"key": "board.ddr", "values": ["ddr4_2400"]}])"));
  EXPECT_NO_THROW((void)parse(axis));
}

/// Returns the definition of a sweep over the board zcu104_dual; `more` follows the board's name.
Definition parse_dual(const std::string& rest, const std::string& more = "") {
  return parse_definition(R"({"name": "t", "base": {"board": {"name": "zcu104_dual")" + more +
                              R"(}, "workload": {"network": "mlp"}}, )" + rest + "}",
                          "s.json");
}

TEST(SweepDefinition, APointShowsTheMemoryThatItRunsWith) {
  const std::vector<Configuration> all = configurations(parse_dual(
      R"("axes": [{"key": "board.port_data_bits", "values": [64, 128]},
                  {"key": "board.port_clock_mhz", "values": [200]},
                  {"key": "board.ddr", "values": ["ddr4_2400"]}],
         "derived": {"board.interconnect_ns": "port_data_bits / 2"})"));
  ASSERT_EQ(all.size(), 2U);
  for (const unsigned i : {0U, 1U}) {
    const unsigned bits = i == 0 ? 64 : 128;
    const Configuration& memory = all[i].at("board").at("memory");
    for (const char* name : {"hp1", "hp2"}) {
      const Configuration& path = memory.at("paths").at(name);
      EXPECT_EQ(path.at("data_bits"), bits);
      EXPECT_EQ(path.at("clock_mhz"), 200);
      EXPECT_FALSE(path.contains("clock_ratio"));
      EXPECT_EQ(path.at("interconnect_ns").dump(), bits == 64 ? "[32.0,32.0]" : "[64.0,64.0]");
    }
    EXPECT_EQ(memory.at("ddr").at("preset"), "ddr4_2400");
    const bench::Task task = to_task(all[i]);
    ASSERT_TRUE(task.board_memory);
    EXPECT_EQ(task.board_memory->path(1).data_bits, bits);
    EXPECT_EQ(task.board_memory->path(1).clock_mhz, 200);
    EXPECT_EQ(task.board_memory->preset, "ddr4_2400");
    EXPECT_EQ(task.memory_model, MemoryModel::board);
    EXPECT_TRUE(task.ddr.empty());
  }
  // Values that no key sets stay those of the board, even if reads and writes differ.
  const Configuration plain =
      configurations(parse_dual(R"("axes": [{"key": "board.port_data_bits", "values": [64]}])"))[0];
  const Configuration& path = plain.at("board").at("memory").at("paths").at("hp1");
  EXPECT_EQ(path.at("clock_ratio"), "29/9");
  EXPECT_EQ(path.at("interconnect_ns").dump(), "[108.0,108.0]");
}

TEST(SweepDefinition, AClockMayReplaceARatioOfClocks) {
  const std::vector<Configuration> all = configurations(
      parse_dual(R"("axes": [{"key": "board.port_clock_mhz", "values": [100, 150.5]}])"));
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(to_task(all[0]).board_memory->path(0).clock_mhz, 100);
  EXPECT_EQ(to_task(all[1]).board_memory->path(0).clock_mhz, 150.5);
}

TEST(SweepDefinition, AnUnknownDramIsFoundWithItsPlace) {
  const auto refused = [](const std::string& rest, const std::string& more = "") {
    return error_of([&] { (void)parse_dual(rest, more); });
  };
  const std::string axis_error =
      refused(R"("axes": [{"key": "board.ddr", "values": ["ddr4_2400", "ddr4_240"]}])");
  EXPECT_EQ(axis_error.find("s.json:/axes/0/values/1: \"board.ddr\": \"ddr4_240\" is not in "), 0U)
      << axis_error;
  EXPECT_NE(axis_error.find("did you mean \"ddr4_2400\"?"), std::string::npos) << axis_error;
  const std::string base_error =
      refused(R"("axes": [{"key": "board.port_data_bits", "values": [64]}])", R"(, "ddr": "x")");
  EXPECT_EQ(base_error.find("s.json:/base/board/ddr: \"x\" is not in "), 0U) << base_error;
  const std::string file_error =
      refused(R"("axes": [{"key": "board.ddr", "values": ["./none.json"]}])");
  EXPECT_NE(file_error.find("none.json"), std::string::npos) << file_error;
}

TEST(SweepDefinition, KeysOfTheBoardsMemoryAreCheckedLikeOthers) {
  const auto refused = [](const std::string& rest) {
    return error_of([&] { (void)parse_dual(rest); });
  };
  EXPECT_EQ(refused(R"("axes": [{"key": "board.port_data_bits", "values": [100]}])")
                .find("s.json:/axes/0/values/0: "),
            0U);
  EXPECT_EQ(refused(R"("axes": [{"key": "board.interconnect_ns", "values": [-1]}])")
                .find("s.json:/axes/0/values/0: "),
            0U);
  EXPECT_EQ(refused(R"("axes": [{"key": "board.memory_model", "values": ["boards"]}])")
                .find("s.json:/axes/0/values/0: "),
            0U);
}

TEST(SweepDefinition, PointsStartFromTheBoardAndTakeTheAxes) {
  const Definition definition = parse(
      R"("axes": [{"key": "architecture.array_size", "values": [8, 32]},
                  {"key": "board.read_latency", "from": 1, "to": 9, "step": 4}],
         "derived": {"architecture.local_depth": "1024 * array_size + read_latency",
                     "architecture.accumulator_depth": "floor(local_depth / 4) + 0"},
         "constraints": ["array_size == 8 || read_latency > 1"])");
  const Points all = points(definition);
  ASSERT_EQ(all.points.size(), 5U);
  EXPECT_EQ(all.dropped, 1U);
  const Point& last = all.points.back();
  EXPECT_EQ(last.index, 5U);
  const Configuration configuration = Configurations(definition).of(last);
  EXPECT_EQ(last.hash, hash(configuration));
  EXPECT_EQ(get_key(configuration, "architecture.array_size"), 32);
  EXPECT_EQ(get_key(configuration, "board.read_latency"), 9);
  EXPECT_EQ(get_key(configuration, "architecture.local_depth"), 32777);
  EXPECT_EQ(get_key(configuration, "architecture.accumulator_depth"), 8194);
  EXPECT_EQ(get_key(configuration, "architecture.dram0_depth"), 2097152);
  EXPECT_EQ(get_key(configuration, "board.axi_data_bits"), 128);
}

/// Extensions that a board lacks are off. Points may switch them on, and constraints may use them.
TEST(SweepDefinition, ExtensionsAreKeysOfEveryBoard) {
  const Definition definition = parse(
      R"("axes": [{"key": "architecture.dma_queue", "values": [0, 4, 16]},
                  {"key": "architecture.shadow_weights", "values": ["off", "on"]}],
         "constraints": ["architecture.dma_queue <= 4"])");
  const std::vector<Configuration> all = configurations(definition);
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(to_task(all.back()).architecture.dma_queue, 4U);
  EXPECT_EQ(to_task(all.back()).architecture.shadow_weights, tcu::ShadowWeights::on);
  EXPECT_EQ(to_task(all.front()).architecture.dma_queue, 0U);
  EXPECT_FALSE(to_task(all.front()).architecture.activation_unit);
}

/// Lists and objects of an architecture are values like others; null is none.
TEST(SweepDefinition, ListsAndObjectsOfAnArchitectureAreKeys) {
  const std::vector<Configuration> all = configurations(parse(
      R"("axes": [{"key": "architecture.lookup_tables",
                   "values": [{"count": 2, "depth": 256, "key_binary_point": 4}, null,
                              {"count": 1, "depth": 64, "key_binary_point": 3}]}])"));
  ASSERT_EQ(all.size(), 3U);
  const std::vector<std::uint32_t> counts{2, 0, 1}, depths{256, 0, 64};
  for (std::size_t i = 0; i < all.size(); ++i) {
    const tcu::LookupTables tables = to_task(all[i]).architecture.lookup_tables;
    EXPECT_EQ(tables.count, counts[i]);
    if (tables.count != 0) {
      EXPECT_EQ(tables.depth, depths[i]);
    }
  }
  const auto keys = key_names(all[0]);
  EXPECT_EQ(std::count(keys.begin(), keys.end(), "architecture.lookup_tables"), 1);
  EXPECT_EQ(std::count(keys.begin(), keys.end(), "board.memory"), 0);

  expect_error(
      R"("axes": [{"key": "architecture.lookup_tables",
                            "values": [{"count": 1, "depth": 3, "key_binary_point": 0}]}])",
      "s.json:/axes/0/values/0: \"architecture.lookup_tables\": /lookup_tables/depth: 3 is "
      "no power of two; allowed 2..65536");
  expect_error(
      R"("axes": [{"key": "architecture.lookup_tables", "values": [[1], 2]}])",
      "s.json:/axes/0/values/0: \"architecture.lookup_tables\": /lookup_tables: must be an "
      "object, is an array");
  expect_error(R"("axes": [{"key": "architecture.array_size", "values": [8, null, [8]]}])",
               "s.json:/axes/0/values/1: \"architecture.array_size\": must be a number, a string, "
               "true or false, is null\ns.json:/axes/0/values/2: \"architecture.array_size\": must "
               "be a number, a string, true or false, is an array");
  expect_error(R"("axes": [{"key": "board.memory", "values": [{}]}])", "unknown key");
  expect_error(R"("derived": {"architecture.lookup_tables": "1"}, )" + axis, "is no single value");
}

/// A sweep in another folder names its files from there, the energy tables of all kinds of points
/// as well: the point has the full path, and the hash of the content.
TEST(SweepDefinition, EnergyTablesAreFilesBesideTheSweep) {
  const std::string above = testing::TempDir() + "sweep_energy", folder = above + "/tables";
  std::filesystem::create_directories(folder);
  write_file_atomically(folder + "/own.json", read_text(config_path("energy", "relative")));
  std::filesystem::current_path(above);
  const auto bound = [](const std::string& base, const std::string& section) {
    const Definition definition =
        parse_definition(R"({"name": "t", "base": {)" + base + R"(}, "axes": [{"key": ")" +
                             section + R"(.energy", "values": ["own.json", "relative"]}]})",
                         "tables/s.json");
    const std::vector<Configuration> all = configurations(definition);
    for (const Configuration& point : all) {
      EXPECT_EQ(point.at(section).at("energy_sha256"), all[0].at(section).at("energy_sha256"));
    }
    EXPECT_EQ(all[1].at(section).at("energy"), "relative");
    return all[0].at(section).at("energy").get<std::string>();
  };
  const std::string board = R"("board": {"name": "zcu104"}, "workload": )";
  EXPECT_EQ(bound(board + R"({"network": "mlp"})", "measure"), folder + "/own.json");
  EXPECT_EQ(bound(board + R"({"stripe": "zoo:mlp"})", "codesign"), folder + "/own.json");
  EXPECT_EQ(bound(R"("board": {"machine": "pvc"}, "workload": {"gemm": "8x8x8"})", "measure"),
            folder + "/own.json");
}

/// Paths of DAIS programs and of .tprog files are relative to the sweep's file; the point has their
/// content's hash.
TEST(SweepDefinition, DaisBlocksAndProgramsAreFilesBesideTheSweep) {
  const std::string folder = testing::TempDir() + "sweep_files";
  std::filesystem::create_directories(folder);
  write_file_atomically(folder + "/one.json", dais::encode_json(relay_program(8, 8), "one"));
  write_file_atomically(folder + "/two.json", dais::encode_json(relay_program(8, 4), "two"));
  const Definition blocks = parse_definition(
      R"({"name": "t", "base": {"board": {"name": "zcu104"}, "workload": {"network": "mlp"}},
          "axes": [{"key": "architecture.dais_blocks",
                    "values": [[], [{"name": "a", "program": "one.json"}],
                               [{"name": "a", "program": "two.json"}]]}]})",
      folder + "/s.json");
  const std::vector<Configuration> all = configurations(blocks);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_TRUE(to_task(all[0]).architecture.dais_blocks.empty());
  EXPECT_EQ(to_task(all[1]).architecture.dais_blocks.at(0).output_count(), 8U);
  EXPECT_EQ(to_task(all[2]).architecture.dais_blocks.at(0).output_count(), 4U);
  const std::string before = hash(all[1]);
  write_file_atomically(folder + "/one.json", dais::encode_json(relay_program(8, 2), "one"));
  EXPECT_NE(hash(configurations(blocks)[1]), before);
  const std::string missing = error_of([&] {
    (void)parse_definition(
        R"({"name": "t", "base": {"board": {"name": "zcu104"}, "workload": {"network": "mlp"}},
            "axes": [{"key": "architecture.dais_blocks",
                      "values": [[{"name": "a", "program": "none.json"}]]}]})",
        folder + "/s.json");
  });
  EXPECT_EQ(missing.find(folder + "/s.json:/axes/0/values/0: \"architecture.dais_blocks\": "
                                  "/dais_blocks/0/program: "),
            0U)
      << missing;

  const tcu::Architecture architecture = to_task(all[0]).architecture;
  write_file_atomically(
      folder + "/p.tprog",
      tcu::assemble_bytes(architecture, "DataMove DRAM0(0) -> Local(0), 8\n", "p"));
  const Definition programs = parse_definition(
      R"({"name": "t", "base": {"board": {"name": "zcu104"}, "workload": {"network": "p.tprog"}},
          "axes": [{"key": "board.read_latency", "values": [10, 30]}]})",
      folder + "/s.json");
  const bench::ProgramCache cache(std::nullopt);
  std::vector<std::uint64_t> cycles;
  for (const Configuration& point : configurations(programs)) {
    const Configuration figures = json_of_text(evaluate(text_of_json(point), cache, 0));
    cycles.push_back(figures.at("cycles"));
    EXPECT_EQ(figures.at("instructions"), 1);
    EXPECT_TRUE(figures.at("macs").is_null());
  }
  ASSERT_EQ(cycles.size(), 2U);
  EXPECT_EQ(cycles[1], cycles[0] + 20);
}

/// A board's memory may have no value for a key; then the error of a constraint names the key.
TEST(SweepDefinition, AConstraintOnAKeyThatABoardLacksIsAnError) {
  const std::string axes =
      R"("axes": [{"key": "board.name", "values": ["zcu104", "arty_a7_35", "pynq_z1",
                                                   "ultra96_v2"]}],
         "constraints": ["board.port_clock_mhz > 0"])";
  const std::string text = error_of([&] { (void)points(parse(axes)); });
  EXPECT_NE(text.find("port_clock_mhz"), std::string::npos) << text;
  EXPECT_EQ(text.find("internal"), std::string::npos) << text;
}

TEST(SweepDefinition, ABoardComesBeforeAllOtherKeys) {
  const std::vector<Configuration> all = configurations(parse(
      R"("axes": [{"key": "architecture.local_depth", "values": [4096]},
                  {"key": "board.name", "values": ["pynq_z1", "ultra96_v2"]}])"));
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(get_key(all[0], "architecture.array_size"), 12);
  EXPECT_EQ(get_key(all[1], "architecture.array_size"), 16);
  EXPECT_EQ(get_key(all[1], "architecture.local_depth"), 4096);
  EXPECT_EQ(get_key(all[1], "board.clock_mhz"), 300);
}

TEST(SweepDefinition, RangesIncludeTheirEnd) {
  EXPECT_EQ(parse(R"("axes": [{"key": "board.read_latency", "from": 1, "to": 64, "factor": 2}])")
                .axes.size(),
            7U);
  EXPECT_EQ(parse(R"("axes": [{"key": "board.clock_mhz", "from": 0.1, "to": 0.5, "step": 0.1}])")
                .axes.size(),
            5U);
}

TEST(SweepDefinition, EqualConfigurationsAreOnePoint) {
  const Points all = points(parse(
      R"j("axes": [{"key": "board.read_latency", "values": [2, 3, 4, 6]}],
          "derived": {"board.read_latency": "floor(read_latency / 2)"})j"));
  EXPECT_EQ(all.points.size(), 3U);
  EXPECT_EQ(all.duplicates, 1U);
}

TEST(SweepDefinition, SamplesAreSeededAndInsideTheConstraints) {
  for (const char* method : {"random", "latin-hypercube"}) {
    const std::string text =
        std::string(R"("axes": [{"key": "board.read_latency", "from": 1, "to": 500, "step": 1},
                    {"key": "board.write_latency", "from": 1, "to": 500, "step": 1}],
           "constraints": ["read_latency > write_latency"],
           "sample": {"method": ")") +
        method + R"(", "points": 40, "seed": 7})";
    const Definition definition = parse(text);
    const Points first = points(definition), second = points(parse(text));
    const Configurations build(definition);
    ASSERT_EQ(first.points.size(), second.points.size());
    EXPECT_EQ(first.points.size() + (method[0] == 'l' ? first.dropped : 0), 40U);
    std::set<std::string> hashes;
    for (std::size_t i = 0; i < first.points.size(); ++i) {
      EXPECT_EQ(first.points[i].hash, second.points[i].hash);
      hashes.insert(first.points[i].hash);
      const Configuration board = build.of(first.points[i])["board"];
      EXPECT_GT(board["read_latency"], board["write_latency"]);
    }
    EXPECT_EQ(hashes.size(), first.points.size());
  }
}

TEST(SweepDefinition, HugeSpacesCanBeSampled) {
  const std::string huge =
      R"("axes": [{"key": "board.read_latency", "from": 1, "to": 10000, "step": 1},
                  {"key": "board.write_latency", "from": 1, "to": 10000, "step": 1}])";
  expect_error(huge, "100000000 points; allowed 1000000");
  EXPECT_EQ(points(parse(huge + R"(, "sample": {"method": "random", "points": 5, "seed": 1})"))
                .points.size(),
            5U);
}

TEST(SweepDefinition, RefusesWrongDefinitions) {
  expect_error(R"("axes": [{"key": "architecture.aray_size", "values": [8]}])",
               R"(s.json:/axes/0/key: "architecture.aray_size": unknown key; did you mean )"
               R"("architecture.array_size"?)");
  expect_error(R"("axes": [{"key": "kernel.zzzzzz", "values": [8]}])",
               R"("kernel.zzzzzz": unknown key; allowed "kernel.)");
  expect_error(R"("axes": [{"key": "zzzzzz.wwwwww", "values": [8]}])",
               R"("zzzzzz.wwwwww": unknown key; allowed "workload", "board", "architecture", )"
               R"("compiler", "measure", )");
  expect_error(R"("axes": [{"key": "measure.mode", "values": ["driver"]}])",
               R"("measure.mode": unknown key; it does not apply here: points and rows have the )"
               "figures of the program alone");
  expect_error(R"("axes": [{"key": "board.read_latency", "values": []}])",
               "s.json:/axes/0/values: the axis is empty");
  expect_error(R"("axes": [{"key": "board.read_latency", "from": 5, "to": 1, "step": 1}])",
               "s.json:/axes/0/to: the axis is empty");
  expect_error(R"("axes": [{"key": "board.read_latency", "from": 1, "to": 5}])",
               "s.json:/axes/0/step: is missing: values from .. to need a step, or a factor");
  expect_error(R"("axes": [{"key": "board.axi_data_bits", "values": [64, 48]}])",
               "48 is not a power of two; allowed 32..1024, a power of two");
  expect_error(R"("axes": [{"key": "board.read_latency", "from": 1, "to": 5, "step": 0}])",
               "s.json:/axes/0/step: must be above 0");
  expect_error(R"("axes": [])", "s.json:/axes: is empty");
  expect_error(axis + R"(, "constraints": ["read_latency > 3"])",
               "s.json:/constraints/0: \"read_latency > 3\" is false for all 3 values of its axes");
  expect_error(axis + R"(, "constraints": ["read_latncy > 3"])", "did you mean \"read_latency\"?");
  expect_error(axis + R"(, "derived": {"architecture.local_depth": "read_latency / 2"})",
               "/derived/architecture.local_depth: gives 0.5 at point 0: must be an integer");
  expect_error(axis + R"(, "derived": {"compiler.strategy": "1"})", "must be a string");
  expect_error(R"("axes": [{"key": "board.read_latency", "values": ["x"]}])", "must be an integer");
  expect_error(R"("axes": [{"zip": [{"key": "board.read_latency", "values": [1, 2]},
                                    {"key": "board.write_latency", "values": [1]}]}])",
               "axes of 2 and 1 values cannot go in step");
  expect_error(R"("axes": [{"key": "board.read_latency", "values": [1]},
                           {"key": "board.read_latency", "values": [2]}])",
               "is an axis already");
  expect_error(axis + R"(, "sampel": {})", "unknown key; did you mean \"sample\"?");
  expect_error(axis + R"(, "sample": {"method": "sobol", "points": 1, "seed": 1})",
               R"("sobol" is unknown; allowed "random", "latin-hypercube")");
}

TEST(SweepDefinition, SourcesAreCheckedWithTheirPlaces) {
  expect_error(R"("axes": [{"key": "workload.network", "values": ["mlp", "mpl"]}])",
               "s.json:/axes/0/values/1: \"workload.network\": ");
  expect_error(R"("axes": [{"key": "workload.network", "values": ["absent.onnx"]}])",
               "s.json:/axes/0/values/0: \"workload.network\": absent.onnx: no such file");
  expect_error(R"("axes": [{"key": "board.name", "values": ["zcu104", "zcu105"]}])",
               "s.json:/axes/0/values/1: \"board.name\": ");
  expect_error(R"("axes": [{"key": "board.read_latency", "values": [1, "x"]}])",
               "s.json:/axes/0/values/1: \"board.read_latency\": must be an integer");
}

TEST(SweepDefinition, AConstraintThatIsNeverTrueIsFoundQuicklyInAnySpace) {
  // A random sample of 10^12 points. Testing whole points would need more than a million tries;
  // testing the constraint alone finds that it is never true.
  const std::string huge =
      R"("axes": [{"key": "board.read_latency", "from": 1, "to": 10000, "step": 1},
                  {"key": "board.write_latency", "from": 1, "to": 10000, "step": 1},
                  {"key": "workload.seed", "from": 1, "to": 10000, "step": 1}],
         "derived": {"architecture.local_depth": "1024 * read_latency"},
         "constraints": ["write_latency > 0", "local_depth < 1024"],
         "sample": {"method": "random", "points": 1000000, "seed": 1})";
  expect_error(huge, "s.json:/constraints/1: \"local_depth < 1024\" is false for all 10000 values");
}

TEST(SweepDefinition, TheFilterAgreesWithTheConfigurations) {
  const std::string text =
      R"j("axes": [{"key": "board.name", "values": ["zcu104", "pynq_z1"]},
                  {"zip": [{"key": "board.read_latency", "values": [1, 7, 9]},
                           {"key": "board.write_latency", "values": [3, 2, 1]}]},
                  {"key": "architecture.array_size", "values": [8, 12, 16]}],
          "derived": {"architecture.local_depth": "64 * array_size + read_latency",
                      "architecture.accumulator_depth": "floor(local_depth / 3)"})j";
  const Definition all = parse(text);
  for (const std::string constraint :
       {"clock_mhz > 100", "local_depth > 1000", "mod(accumulator_depth, 2) == 0",
        "read_latency < write_latency || clock_mhz == 100", "stride0_depth >= 8"}) {
    const Definition constrained = parse(text + R"(, "constraints": [")" + constraint + "\"]");
    const Expression expression(constraint, board_defaults("zcu104", "s.json"));
    std::vector<std::uint64_t> wanted, found;
    const Configurations build(all);
    for (const Point& point : points(all).points) {
      if (expression.value(build.of(point)) != 0) wanted.push_back(point.index);
    }
    ASSERT_FALSE(wanted.empty()) << constraint;
    for (const Point& point : points(constrained).points) found.push_back(point.index);
    EXPECT_EQ(found, wanted) << constraint;
  }
}

TEST(SweepDefinition, BaseMustNameABoardAndKnownKeys) {
  EXPECT_THROW(parse_definition(R"({"name": "t", "base": {}, "axes": []})", "s.json"), UserError);
  try {
    (void)parse_definition(R"({"name": "t", "base": {"board": {"name": "zcu104"},
      "compiler": {"stratgy": "local-vars"}}, )" +
                               axis + "}",
                           "s.json");
    FAIL();
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("s.json:/base/compiler/stratgy: unknown key"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace tactus::sweep
