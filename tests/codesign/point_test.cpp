// Whole design points: figures that add up, and programs made to trigger each rule.
#include "firmware/codesign/point.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "firmware/codesign/ideas.h"
#include "isa/support/error.h"

namespace tactus::codesign {
namespace {

using Record = nlohmann::ordered_json;

const std::string configs = std::string(TACTUS_SOURCE_DIR) + "/configs/codesign/";

PointTask task(std::uint32_t array_size = 8) {
  PointTask result;
  result.program = configs + "two_convs.stripe";
  result.study.passes = configs + "passes.json.j2";
  result.study.energy = "relative";
  result.study.doubling = false;
  result.architecture.array_size = array_size;
  result.architecture.dram0_depth = result.architecture.dram1_depth = 65536;
  result.read_latency = 20;
  return result;
}

std::string said(const Record& record, const std::string& rule) {
  for (const Record& idea : record.at("ideas")) {
    if (idea.at("rule") == rule) return idea.at("text").get<std::string>();
  }
  return "";
}

/// Tests with a product by a constant matrix, in a file of its own.
class Products : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              fmt::format("tactus_codesign_{}_{}", getpid(),
                          ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] PointTask product(std::uint64_t m, std::uint64_t k, std::uint64_t n) const {
    PointTask result = task();
    result.program = folder_ / "product.stripe";
    std::ofstream(result.program) << fmt::format(
        R"(0: #program
block [] ( // product
    #user none new@0x00000000 A[0, 0] fp32:I({0}, {1}):({1}, 1)
    #user none const new@0x00000000 B[0, 0] fp32:I({1}, {2}):({2}, 1)
    #user none new@0x00000000 C[0, 0] fp32:I({0}, {2}):({2}, 1)
) {{
  0: #main
  block [] ( // main
      in A[0, 0] fp32:I({0}, {1}):({1}, 1)
      in const B[0, 0] fp32:I({1}, {2}):({2}, 1)
      out C[0, 0] fp32:I({0}, {2}):({2}, 1)
  ) {{
    0: #agg_op_add #comb_op_mul #contraction #kernel
    block [k:{1}, m:{0}, n:{2}] ( // product
        in A[m, k] fp32:I(1, 1):({1}, 1)
        in const B[k, n] fp32:I(1, 1):({2}, 1)
        out C[m, n]:add fp32:I(1, 1):({2}, 1)
    ) {{
      0: $a = load(A)
      1: $b = load(B)
      2: $c = mul($a, $b)
      3: C = store($c)
    }}
  }}
}}
)",
        m, k, n);
    return result;
  }

  std::filesystem::path folder_;
};

TEST(DesignPoint, FiguresAddUp) {
  const Record record = evaluate(task());
  const auto cycles = record.at("cycles").get<std::uint64_t>();
  std::uint64_t sum = record.at("cycles_outside_kernels").get<std::uint64_t>();
  std::uint64_t predicted = 0, end = 0;
  for (const Record& kernel : record.at("kernels")) {
    sum += kernel.at("cycles").get<std::uint64_t>();
    predicted += kernel.at("predicted_cycles").get<std::uint64_t>();
    EXPECT_GE(kernel.at("start").get<std::uint64_t>(), end);
    end = kernel.at("start").get<std::uint64_t>() + kernel.at("cycles").get<std::uint64_t>();
  }
  EXPECT_EQ(record.at("kernels").size(), 2U);
  // The accounting continues until the machine is idle, so the sum may be a few cycles larger.
  EXPECT_GE(sum, cycles);
  EXPECT_LE(sum, cycles + 20);
  EXPECT_EQ(record.at("predicted").at("cycles").get<std::uint64_t>(), predicted);
  for (const auto& unit : record.at("units").items()) {
    EXPECT_GE(unit.value().get<double>(), 0) << unit.key();
    EXPECT_LE(unit.value().get<double>(), 1) << unit.key();
  }
  // First layer: 3x3 windows without the taps outside the image, 16 -> 32 channels. Second layer:
  // 32 -> 16 channels.
  const std::uint64_t rows = 16 * 3 - 2;
  EXPECT_EQ(record.at("mac_points").get<std::uint64_t>(),
            rows * rows * 16 * 32 + 16 * 16 * 32 * 16);
  EXPECT_LE(record.at("mac_points").get<std::uint64_t>(),
            record.at("mac_slots").get<std::uint64_t>());
  EXPECT_EQ(record.at("energy").at("table"), "relative");
  EXPECT_GT(record.at("energy").at("total").get<double>(), 0);
}

TEST(DesignPoint, NetworksAreCompiledViaStripe) {
  PointTask network = task();
  network.program = "zoo:cnn";
  network.study.passes.clear();  // use the passes of the lowering
  const Record record = evaluate(network);
  EXPECT_GT(record.at("mac_points").get<std::uint64_t>(), 0U);
  EXPECT_LE(record.at("mac_points").get<std::uint64_t>(),
            record.at("mac_slots").get<std::uint64_t>());
  // The input has 3 colour channels for 8 rows of the array.
  EXPECT_NE(said(record, "mac_fill"), "");
  network.program = "zoo:none";
  EXPECT_THROW((void)evaluate(network), UserError);
}

/// The table's rows in firmware/codesign/README.md have the columns N, accumulators, local memory,
/// depth, cycles, predicted cycles, array busy, energy.
TEST(DesignPoint, TheReadmesTableIsSimulated) {
  std::ifstream page(std::string(TACTUS_SOURCE_DIR) + "/firmware/codesign/README.md");
  std::string line;
  while (std::getline(page, line) && line.rfind("| N | accumulators | local |", 0) != 0) {
  }
  std::getline(page, line);  // the line below the column titles
  unsigned rows = 0;
  while (std::getline(page, line) && line.rfind("| ", 0) == 0) {
    unsigned n = 0, depth = 0;
    std::uint64_t accumulators = 0, local = 0;
    std::istringstream cells(line);
    char bar = 0;
    cells >> bar >> n >> bar >> accumulators >> bar >> local >> bar >> depth;
    PointTask point = task(n);
    point.architecture.accumulator_depth = accumulators;
    point.architecture.local_depth = local;
    point.study.pipeline_depth = depth;
    point.write_latency = 5;  // this and task()'s read latency are the values of configs/codesign
    const Record record = evaluate(point);
    const auto grouped = [](std::uint64_t number) {
      std::string text = std::to_string(number);
      for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, " ");
      return text;
    };
    EXPECT_EQ(line,
              fmt::format("| {} | {} | {} | {} | {} | {} | {:.1f} % | {:.2f} M |", n, accumulators,
                          local, depth, grouped(record.at("cycles").get<std::uint64_t>()),
                          grouped(record.at("predicted").at("cycles").get<std::uint64_t>()),
                          100 * record.at("units").at("ARRAY").get<double>(),
                          record.at("energy").at("total").get<double>() / 1e6));
    ++rows;
  }
  EXPECT_EQ(rows, 7U);
}

TEST(DesignPoint, LargerArraysTakeFewerCycles) {
  std::uint64_t before = ~std::uint64_t{0}, predicted = before;
  for (const std::uint32_t n : {4U, 8U, 16U}) {
    const Record record = evaluate(task(n));
    EXPECT_LT(record.at("cycles").get<std::uint64_t>(), before);
    EXPECT_LT(record.at("predicted").at("cycles").get<std::uint64_t>(), predicted);
    before = record.at("cycles").get<std::uint64_t>();
    predicted = record.at("predicted").at("cycles").get<std::uint64_t>();
  }
}

TEST_F(Products, OfOneRowLoadWeightsMostOfTheTime) {
  const Record record = evaluate(product(1, 64, 64));
  EXPECT_NE(said(record, "weight_loads"), "") << record.dump(1);
  EXPECT_EQ(said(evaluate(product(256, 64, 64)), "weight_loads"), "");
}

TEST_F(Products, ProductsLargerThanTheAccumulatorsAreTiled) {
  PointTask small = product(128, 16, 16);
  small.architecture.accumulator_depth = 128;
  EXPECT_NE(said(evaluate(small), "tile_limit").find("would not fit ACC"), std::string::npos);
  EXPECT_EQ(said(evaluate(product(128, 16, 16)), "tile_limit"), "");
}

TEST_F(Products, ADoubledParameterIsSimulated) {
  PointTask slow = product(64, 64, 64);
  slow.axi_data_bits = 32;
  slow.study.doubling = true;
  const Record record = evaluate(slow);
  EXPECT_NE(said(record, "doubling").find("simulated"), std::string::npos);
  EXPECT_LT(record.at("doubled").at("AXI_BYTES").at("cycles").get<std::uint64_t>(),
            record.at("cycles").get<std::uint64_t>());
  EXPECT_EQ(record.at("doubled").at("CLOCK_MHZ").at("predicted_cycles"),
            record.at("predicted").at("cycles"));
  // The figure of a doubled parameter is that of a point with the parameter doubled.
  PointTask wide = slow;
  wide.axi_data_bits = 64;
  wide.study.doubling = false;
  EXPECT_EQ(evaluate(wide).at("cycles"), record.at("doubled").at("AXI_BYTES").at("cycles"));
  PointTask shadow = slow;
  shadow.architecture.shadow_weights = tcu::ShadowWeights::on;
  shadow.study.doubling = false;
  EXPECT_EQ(evaluate(shadow).at("cycles"), record.at("extended").at("shadow_weights").at("cycles"));
}

TEST(DesignPoint, AnIdeaThatSimulationRefutesIsNotGiven) {
  PointTask one = task();
  one.study.doubling = true;
  const Record record = evaluate(one);
  PointTask deeper = task();
  deeper.study.pipeline_depth = 2;
  const Record measured = evaluate(deeper);
  EXPECT_EQ(record.at("doubled").at("PIPELINE_DEPTH").at("cycles"), measured.at("cycles"));
  EXPECT_GE(measured.at("cycles").get<std::uint64_t>(), record.at("cycles").get<std::uint64_t>());
  for (const Record& idea : record.at("ideas")) {
    EXPECT_EQ(idea.at("text").get<std::string>().find("PIPELINE_DEPTH"), std::string::npos);
  }
  ASSERT_FALSE(record.at("hypothetical").empty());
  EXPECT_NE(record.at("hypothetical")[0].at("text").get<std::string>().find(
                "which the simulator does not have"),
            std::string::npos);
}

TEST_F(Products, ABadFileIsOneError) {
  PointTask wrong = task();
  wrong.program = folder_ / "none.stripe";
  EXPECT_THROW((void)evaluate(wrong), UserError);
  wrong = task();
  std::ofstream(folder_ / "bad.j2") << R"([{"tilee": {}}])";
  wrong.study.passes = folder_ / "bad.j2";
  try {
    (void)evaluate(wrong);
    ADD_FAILURE();
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("unknown pass"), std::string::npos) << error.what();
  }
  PointTask limited = task();
  limited.request.max_cycles = 10;
  EXPECT_THROW((void)evaluate(limited), UserError);  // the run needs more than 10 cycles
}

}  // namespace
}  // namespace tactus::codesign
