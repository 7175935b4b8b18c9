// tactus bench: rows run as processes; the table and its files.
#include <stdlib.h>

#include <nlohmann/json.hpp>

#include "tests/cli/cli.h"

namespace tactus {
namespace {

class BenchTest : public CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    setenv("XDG_CACHE_HOME", (folder_.string() + "/cache").c_str(), 1);
  }
  static constexpr const char* two_rows = R"({"rows": [
    {"network": "mlp", "board": "ultra96_v2",
     "published": {"latency_ms": 1.5, "source": "a table", "date": "2022-03-07"}},
    {"network": "cnn", "board": "zcu104", "strategy": "local-vars",
     "measured": {"frames_per_second": 1000, "source": "a board", "date": "2022-07"}},
    {"network": "csp", "board": "zcu104", "standard": false}]})";
};

TEST_F(BenchTest, PrintsATableAndWritesItsFigures) {
  write("t.json", std::string(two_rows));
  const Output bench = tactus("bench --config t.json --json f.json --csv f.csv");
  ASSERT_EQ(bench.code, 0) << bench.err;
  EXPECT_EQ(bench.out.rfind("network  ", 0), 0U) << bench.out;
  EXPECT_NE(bench.out.find("1.5 (2022-03-07)"), std::string::npos) << bench.out;
  EXPECT_NE(bench.out.find("published, 2022-03-07: a table (an estimate, not a measurement)\n"),
            std::string::npos)
      << bench.out;
  EXPECT_NE(bench.out.find("1 more row with --all"), std::string::npos) << bench.out;
  const auto rows = nlohmann::json::parse(read("f.json")).at("rows");
  ASSERT_EQ(rows.size(), 2U);
  for (const auto& row : rows) {
    const auto& figures = row.at("figures");
    EXPECT_EQ(row.at("status"), "ok");
    EXPECT_GT(figures.at("cycles").get<double>(), figures.at("estimated_cycles").get<double>());
    EXPECT_NEAR(
        figures.at("latency_ms").get<double>() * figures.at("frames_per_second").get<double>(),
        1000, 1e-6);
    const double busy = figures.at("array_busy").get<double>();
    EXPECT_GT(busy, 0);
    EXPECT_LT(busy, 1);
    // "busy" also counts multiplications of padding lanes and padding pixels; "useful_mac" does
    // not.
    EXPECT_GT(figures.at("useful_mac").get<double>(), 0);
    EXPECT_LE(figures.at("useful_mac").get<double>(), busy);
    EXPECT_EQ(figures.at("from_cache"), false);
  }
  // Only the comparison with the measurement adds the board's host time: 3.5 us, 350 cycles at 100
  // MHz.
  const auto& measured = rows[1].at("measured");
  const double cycles = rows[1].at("figures").at("cycles").get<double>();
  EXPECT_EQ(measured.at("host_us"), 3.5);
  EXPECT_NEAR(measured.at("cycles").get<double>(), 100'000, 1e-6);
  EXPECT_NEAR(measured.at("error_cycles").get<double>(), cycles + 350 - 100'000, 1e-6);
  EXPECT_NEAR(measured.at("deviation_percent").get<double>(), 100 * (100'000 / (cycles + 350) - 1),
              1e-9);
  const std::string csv = read("f.csv");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 3);
  EXPECT_NE(csv.find(",figures.cycles,"), std::string::npos);

  // The cycles are the same with a filled cache, with one row at a time, and without a cache.
  for (const char* options : {"", "--jobs 1", "--no-cache"}) {
    ASSERT_EQ(tactus(std::string("bench --config t.json --json g.json ") + options).code, 0);
    const auto again = nlohmann::json::parse(read("g.json")).at("rows");
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(again[i].at("figures").at("cycles"), rows[i].at("figures").at("cycles"));
      EXPECT_EQ(again[i].at("figures").at("from_cache"), options != std::string("--no-cache"));
    }
  }
}

TEST_F(BenchTest, ACorruptCacheIsRebuilt) {
  write("t.json", std::string(R"({"rows": [{"network": "mlp", "board": "zcu104"}]})"));
  ASSERT_EQ(tactus("bench --config t.json --json f.json").code, 0);
  const auto good = nlohmann::json::parse(read("f.json"))["rows"][0]["figures"]["cycles"];
  unsigned entries = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_ / "cache/tactus")) {
    ++entries;
    std::filesystem::resize_file(entry, 100);
  }
  EXPECT_EQ(entries, 1U);
  ASSERT_EQ(tactus("bench --config t.json --json f.json").code, 0);
  const auto row = nlohmann::json::parse(read("f.json"))["rows"][0];
  EXPECT_EQ(row["figures"]["from_cache"], false);
  EXPECT_EQ(row["figures"]["cycles"], good);
}

TEST_F(BenchTest, AFailingRowIsPrintedAndTheOthersRun) {
  write_model();  // a 4x4 model
  write("t.json", std::string(R"({"rows": [
    {"model": "m.tmodel", "board": "zcu104"}, {"onnx": "none.onnx", "board": "zcu104"},
    {"network": "mlp", "board": "zcu104"}]})"));
  const Output bench = tactus("bench --config t.json --json f.json");
  EXPECT_EQ(bench.code, 1);
  EXPECT_NE(bench.out.find("FAILED: "), std::string::npos) << bench.out;
  EXPECT_NE(bench.err.find("m.tmodel: compiled for another architecture"), std::string::npos)
      << bench.err;
  EXPECT_NE(bench.err.find("none.onnx"), std::string::npos) << bench.err;
  const auto rows = nlohmann::json::parse(read("f.json")).at("rows");
  EXPECT_EQ(rows[0].at("status"), "failed");
  EXPECT_TRUE(rows[0].at("figures").is_null());
  EXPECT_EQ(rows[1].at("status"), "failed");
  EXPECT_EQ(rows[2].at("status"), "ok");
}

TEST_F(BenchTest, TheCacheKnowsOnnxFilesByTheirContent) {
  ASSERT_EQ(tactus("zoo mlp -o m.onnx").code, 0);
  write("t.json", std::string(R"({"rows": [{"onnx": "m.onnx", "board": "zcu104"}]})"));
  const auto from_cache = [&] {
    EXPECT_EQ(tactus("bench --config t.json --json f.json").code, 0);
    return nlohmann::json::parse(read("f.json"))["rows"][0]["figures"]["from_cache"].get<bool>();
  };
  EXPECT_FALSE(from_cache());
  EXPECT_TRUE(from_cache());
  ASSERT_EQ(tactus("zoo mlp --seed 2 -o m.onnx").code, 0);
  EXPECT_FALSE(from_cache());
  ASSERT_EQ(tactus("zoo mlp -o m.onnx").code, 0);
  EXPECT_TRUE(from_cache());
}

TEST_F(BenchTest, RowsAreChosenByName) {
  const Output list = tactus("bench --list --filter ultra96");
  EXPECT_EQ(list.code, 0);
  EXPECT_EQ(list.out,
            "resnet20v2 ultra96_v2\nyolov4-tiny-192 ultra96_v2\nresnet50v2 "
            "ultra96_v2\nyolov4-tiny-416 ultra96_v2\nmobilenetv1 ultra96_v2\n"
            "mobilenetv2 ultra96_v2\n");
  expect_error("bench --filter nothing",
               "no row contains \"nothing\"; the rows of default:\n"
               "  resnet20v2 arty_a7_35\n");
}

TEST_F(BenchTest, BadInputs) {
  expect_error("bench --config none.json", "none.json");
  expect_error("bench --config none", "\"none\" is not in ");
  expect_error("bench --confg default", "did you mean \"--config\"?");
  expect_error("bench --jobs 0", "--jobs \"0\" is not allowed");
  write("t.json", std::string(R"({"rows": [{"network": "mlp", "bord": "zcu104"}]})"));
  expect_error("bench --config t.json --json f.json",
               "t.json:/rows/0/bord: unknown key; did you mean \"board\"?");
  write("t.json", std::string(R"({"rows": [{"network": "mlp", "board": "zcu104"}]})"));
  expect_error("bench --config t.json --json t.json", "t.json: would be written over a file");
  expect_error("bench --config t.json --json none/f.json", "none/f.json");
  setenv("TACTUS_CONFIGS", folder_.c_str(), 1);
  expect_error("bench", "TACTUS_CONFIGS names ");
  unsetenv("TACTUS_CONFIGS");
}

TEST_F(BenchTest, GemmMeasuresAMatrixProduct) {
  const Output gemm = tactus("gemm");
  EXPECT_EQ(gemm.code, 0) << gemm.err;
  EXPECT_NE(gemm.out.find("cycles        166736 = 1.667 ms at 100 MHz"), std::string::npos)
      << gemm.out;
  EXPECT_NE(gemm.out.find("4096 of 4096 vectors compared, all equal"), std::string::npos);
  EXPECT_NE(tactus("gemm --board zcu104")
                .out.find("machine       32x32 FP16BP8, AXI 128 bits, "
                          "memory ddr4_2133_zcu104"),
            std::string::npos);
  EXPECT_NE(tactus("gemm --board zcu104 --memory fixed")
                .out.find("machine       32x32 FP16BP8, AXI 128 bits, "
                          "memory latency 20 read 5 write"),
            std::string::npos);
}

}  // namespace
}  // namespace tactus
