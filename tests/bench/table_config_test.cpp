// The rows of the benchmark table: the shipped ones, and errors of the reader.
#include "firmware/bench/table_config.h"
#include "firmware/bench/tenants.h"

#include <map>

#include <gtest/gtest.h>

#include "isa/support/error.h"
#include "tests/unit/isa/test_files.h"

namespace tactus::bench {
namespace {

TEST(TableConfig, TheDefaultHasTheNinePublishedRowsAndTheMeasuredBoards) {
  const std::vector<Row> rows = read_rows("default");
  std::map<std::pair<std::string, std::string>, double> published;
  std::vector<double> measured;
  for (const Row& row : rows) {
    if (row.published) {
      published[{row.network, row.board.name}] = row.published->latency_ms;
      EXPECT_EQ(row.published->date, "2022-03-07");
    }
    if (row.measured) measured.push_back(row.measured->frames_per_second);
    // Rows with measured figures use the reference's program.
    EXPECT_EQ(row.task.compat, row.measured.has_value());
    EXPECT_EQ(row.task.clock_mhz, row.board.clock_mhz);
    EXPECT_EQ(row.task.axi_data_bits, row.board.axi_data_bits);
    EXPECT_EQ(row.task.read_latency, row.board.read_latency);
    EXPECT_EQ(row.task.write_latency, row.board.write_latency);
  }
  const std::map<std::pair<std::string, std::string>, double> expected{
      {{"resnet20v2", "arty_a7_35"}, 21},    {{"resnet20v2", "pynq_z1"}, 14},
      {{"resnet20v2", "ultra96_v2"}, 4},     {{"yolov4-tiny-192", "arty_a7_35"}, 175},
      {{"yolov4-tiny-192", "pynq_z1"}, 112}, {{"yolov4-tiny-192", "ultra96_v2"}, 36},
      {{"resnet50v2", "arty_a7_35"}, 1969},  {{"resnet50v2", "pynq_z1"}, 833},
      {{"resnet50v2", "ultra96_v2"}, 260}};
  EXPECT_EQ(published, expected);
  EXPECT_EQ(measured, (std::vector<double>{133.54, 152.04, 170.16, 214.66, 231.57, 293.58, 2.153}));
}

std::string rows_error(const std::string& row) {
  return error_of([&] { (void)parse_rows(fmt::format(R"({{"rows": [{}]}})", row), "t.json"); });
}

TEST(TableConfig, RowsMayServeRequestsThatArrive) {
  for (const Row& row : read_rows("tenants")) {
    EXPECT_TRUE(is_served(row.task)) << row.title();
    EXPECT_FALSE(is_served(alone(row.task)));
  }
  const std::string row = R"({"network": "mlp", "board": "zcu104", "beside": "second=cnn")";
  EXPECT_EQ(parse_rows("{\"rows\": [" + row + R"(, "tcus": 2}]})", "t.json")[0].title(),
            "mlp beside second=cnn, 2 units zcu104");
  EXPECT_NE(
      rows_error(row + R"(, "arrivals": "cnn=1/s"})")
          .find("t.json:/rows/0: arrivals \"cnn=1/s\": there is no model \"cnn\"; allowed: mlp, "
                "second"),
      std::string::npos);
  EXPECT_NE(rows_error(row + R"(, "arrivals": "mlp=1/s"})")
                .find("arrivals \"mlp=1/s\": these requests never end; allowed with a"),
            std::string::npos);
  EXPECT_NE(rows_error(row + R"(, "duration": "soon"})").find("duration: \"soon\" is no time"),
            std::string::npos);
  EXPECT_NE(
      rows_error(row + R"(, "board_values": {"arbitration": "fixed:units"}})").find("is no unit"),
      std::string::npos);
}

TEST(TableConfig, KeysOfTheArchitectureCanBeReplaced) {
  const std::vector<Row> rows = parse_rows(
      R"({"rows": [{"network": "mlp", "board": "zcu104", "strategy": "local-vars",
                    "architecture": {"dram1_depth": 4194304, "data_type": "FP8BP4"}}]})",
      "t.json");
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].task.architecture.dram1_depth, 4194304U);
  EXPECT_EQ(rows[0].task.architecture.data_type, tcu::DataType::fp8bp4);
  EXPECT_EQ(rows[0].task.architecture.local_depth, rows[0].board.architecture.local_depth);
  EXPECT_EQ(rows[0].board.architecture.dram1_depth, 2097152U);
  EXPECT_EQ(rows[0].changes, "data_type \"FP8BP4\", dram1_depth 4194304");
  EXPECT_EQ(rows[0].title(), "mlp local-vars zcu104");
}

TEST(TableConfig, EachRowMayNameAMemoryModelAndALabel) {
  const std::vector<Row> rows = parse_rows(
      R"({"rows": [{"network": "mlp", "board": "zcu104", "optimise": true,
                    "board_values": {"memory_model": "fixed"}, "label": "plain"},
                   {"network": "mlp", "board": "zcu104"}]})",
      "t.json");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].task.memory_model, MemoryModel::fixed);
  EXPECT_EQ(rows[0].title(), "mlp optimised, plain zcu104");
  EXPECT_EQ(rows[1].task.memory_model, rows[1].board.memory_model);
  EXPECT_NE(
      rows_error(
          R"({"network": "mlp", "board": "zcu104", "board_values": {"memory_model": "slow"}})")
          .find("t.json:/rows/0/board_values/memory_model"),
      std::string::npos);
}

/// Each network on each of four boards has a row for the board's own machine, for each extension,
/// and for all extensions.
TEST(TableConfig, TheExtensionsHaveEveryNetworkOnEveryBoard) {
  std::map<std::string, std::size_t> labels;
  std::size_t batches = 0;
  for (const Row& row : read_rows("extensions")) {
    ++(row.task.batch > 1 ? batches : labels[row.label]);
    EXPECT_TRUE(row.task.optimise);
    EXPECT_EQ(row.task.memory_model, MemoryModel::fixed);
    const bool extended = row.task.architecture.shadow_weights != tcu::ShadowWeights::off ||
                          row.task.architecture.dma_queue != 0 ||
                          row.task.architecture.activation_unit;
    EXPECT_EQ(extended, row.label != "as built") << row.title();
  }
  EXPECT_EQ(labels.size(), 8U);
  for (const auto& [label, count] : labels) EXPECT_EQ(count, 12U) << label;
  EXPECT_EQ(batches, 16U);
}

TEST(TableConfig, WrongRowsAreNamedWithTheirPath) {
  EXPECT_EQ(rows_error(R"({"network": "mlp", "borad": "zcu104"})"),
            "t.json:/rows/0/board: missing key\n"
            "t.json:/rows/0/borad: unknown key; did you mean \"board\"?");
  EXPECT_EQ(rows_error(R"({"network": "mlp", "board": "zcu104", "energy": "relative"})"),
            "t.json:/rows/0/energy: does not apply here: rows have no column for it");
  EXPECT_EQ(rows_error(R"({"network": "mlp", "board": "zcu104", "resident": true})"),
            "t.json:/rows/0/resident: needs \"optimise\"");
  EXPECT_EQ(rows_error(R"({"network": "mlp", "board": "zcu104", "effort": 200})"),
            "t.json:/rows/0/effort: needs \"optimise\"");
  EXPECT_NE(rows_error(R"({"network": "resnet20", "board": "zcu104"})")
                .find("t.json:/rows/0/network: unknown network \"resnet20\""),
            std::string::npos);
  EXPECT_NE(rows_error(R"({"network": "mlp", "board": "zcu14"})").find("t.json:/rows/0/board: "),
            std::string::npos);
  EXPECT_EQ(rows_error(R"({"board": "zcu104"})"),
            "t.json:/rows/0: must have exactly one of \"network\", \"onnx\" and \"model\"");
  EXPECT_EQ(rows_error(R"({"network": "mlp", "onnx": "m.onnx", "board": "zcu104"})"),
            "t.json:/rows/0: must have exactly one of \"network\", \"onnx\" and \"model\"");
  EXPECT_NE(rows_error(R"({"network": "mlp", "board": "zcu104", "strategy": "fast"})")
                .find("t.json:/rows/0/strategy: "),
            std::string::npos);
  EXPECT_EQ(rows_error(R"({"model": "m.tmodel", "board": "zcu104", "compat": false})"),
            "t.json:/rows/0/compat: belongs to rows that are compiled, not to a \"model\"");
  EXPECT_EQ(rows_error(R"({"model": "m.tmodel", "board": "zcu104", "strategy": "local-vars"})"),
            "t.json:/rows/0/strategy: belongs to rows that are compiled, not to a \"model\"");
  EXPECT_NE(rows_error(R"({"network": "mlp", "board": "zcu104",
                           "architecture": {"array_size": 1}})")
                .find("t.json:/rows/0/architecture/array_size: 1 is out of range; allowed 2..256"),
            std::string::npos);
  EXPECT_NE(
      rows_error(R"({"network": "mlp", "board": "zcu104", "architecture": {"arraysize": 8}})")
          .find("t.json:/rows/0/architecture/arraysize: unknown key; did you mean \"array_size\"?"),
      std::string::npos);
  EXPECT_NE(rows_error(R"({"network": "mlp", "board": "zcu104",
                           "published": {"latency_ms": -1, "source": "s", "date": "2022"}})")
                .find("t.json:/rows/0/published/latency_ms: -1 is out of range"),
            std::string::npos);
  EXPECT_EQ(error_of([] { (void)parse_rows(R"({"rows": []})", "t.json"); }),
            "t.json:/rows: has no rows");
}

TEST(TableConfig, ATaskWrittenAsTextReadsBackEqual) {
  for (const Row& row : read_rows("default")) {
    const std::string text = to_json(row.task);
    EXPECT_EQ(to_json(parse_task(text, "task")), text);
    EXPECT_EQ(parse_task(text, "task").architecture, row.task.architecture);
  }
  Figures figures;
  figures.cycles = 744591;
  figures.latency_ms = 7.44591;
  figures.from_cache = true;
  figures.useful_mac = 0.125;
  EXPECT_EQ(to_json(parse_figures(to_json(figures), "row")), to_json(figures));
  EXPECT_EQ(parse_figures(to_json(figures), "row").cycles, 744591U);
}

}  // namespace
}  // namespace tactus::bench
