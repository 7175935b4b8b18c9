// The line that says what was compared with hardware: each value of a machine that no recording of
// the RTL has is named.
#include "firmware/config/coverage.h"

#include <gtest/gtest.h>

#include "firmware/config/board.h"

namespace tactus {
namespace {

bool names(const TcuSimulationConfig& config, const std::string& text) {
  return coverage_text(config, 1).find(text) != std::string::npos;
}

TEST(Coverage, NamesWhatNoRecordingHas) {
  TcuSimulationConfig config;
  config.axi_data_bits = 64;
  EXPECT_TRUE(names(config, "the unit is covered by recordings of the RTL"));
  for (const unsigned size : {4U, 8U, 16U, 32U}) {
    config.architecture.array_size = size;
    EXPECT_FALSE(names(config, "modelled")) << size;
  }
  config.architecture.array_size = 24;
  EXPECT_TRUE(names(config, "array size 24: modelled from the RTL's source, not compared"));
  config.axi_data_bits = 256;
  EXPECT_TRUE(names(config, "array size 24, AXI of 256 bits: modelled"));
  config = {};
  config.axi_data_bits = 64;
  config.architecture.array_size = 4;
  config.architecture.data_type = tcu::DataType::fp32bp16;
  config.architecture.simd_registers_depth = 4;
  EXPECT_TRUE(names(config, "the unit is covered"));
  config.architecture.data_type = tcu::DataType::fp8bp4;
  config.architecture.simd_registers_depth = 2;
  EXPECT_TRUE(names(config, "FP8BP4, 2 SIMD registers: modelled"));
}

TEST(Coverage, OfACombinationNeedsARecordingOfIt) {
  TcuSimulationConfig config;
  config.axi_data_bits = 128;
  config.architecture.array_size = 32;
  EXPECT_TRUE(names(config, "the unit is covered by recordings of the RTL"));
  config.architecture.data_type = tcu::DataType::fp32bp16;
  EXPECT_TRUE(names(config,
                    "array size 32, FP32BP16, AXI of 128 bits and 1 SIMD register: each in "
                    "recordings of the RTL, but not together; "));
}

TEST(Coverage, OfABoardNeedsItsArchitecture) {
  TcuSimulationConfig config = read_board("zcu104").simulation_config();
  EXPECT_TRUE(names(config, "six designs"));
  config.architecture.array_size = 8;
  EXPECT_FALSE(names(config, "six designs"));
  EXPECT_TRUE(names(config, "not compared with a board's runs"));
}

TEST(Coverage, NamesExtensionsAndSeveralUnits) {
  TcuSimulationConfig config;
  config.architecture.dma_queue = 4;
  EXPECT_TRUE(names(config, "DMA queue: of Tactus's own, in no RTL; memory of fixed latency"));
  EXPECT_NE(coverage_text(config, 2).find("several units: not compared with hardware"),
            std::string::npos);
}

}  // namespace
}  // namespace tactus
