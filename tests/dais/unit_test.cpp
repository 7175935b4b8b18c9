// DAIS blocks in the machine: conversion of numbers, and errors.
#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "firmware/driver/tcu/simulation.h"
#include "isa/support/error.h"
#include "isa/tcu/arithmetic.h"
#include "tests/dais/golden.h"
#include "tests/support/dais_blocks.h"
#include "tests/support/error_of.h"
#include "tests/support/program.h"

namespace tactus {
namespace {

using Lanes = std::vector<std::int64_t>;
using Move = Program::Kind;

TcuSimulationConfig small_machine(tcu::DataType type, std::uint32_t n, std::uint64_t depth = 1024) {
  TcuSimulationConfig config;
  tcu::Architecture& a = config.architecture;
  a.data_type = type;
  a.array_size = n;
  a.local_depth = a.accumulator_depth = a.dram0_depth = a.dram1_depth = depth;
  config.axi_data_bits = 32;
  return config;
}

/// Runs the program with `lanes` in local memory from address 0 on. Returns the accumulators from
/// address 0 on.
Lanes run_on(const TcuSimulationConfig& config, const Program& program, const Lanes& lanes,
             std::size_t results) {
  TcuSimulation simulation(config);
  DualPortMemory& local = simulation.system().tcu().local();
  const tcu::DataType type = config.architecture.data_type;
  const std::size_t n = config.architecture.array_size;
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    set_lane(type, local.vector(i / n), i % n, lanes[i]);
  }
  EXPECT_EQ(simulation.run(program.bytes()).end, RunEnd::finished);
  const DualPortMemory& accumulators =
      simulation.system().tcu().accumulators().accumulator().memory();
  Lanes found;
  for (std::size_t i = 0; i < results * n; ++i) {
    found.push_back(lane(type, accumulators.vector(i / n), i % n));
  }
  return found;
}

/// Runs one sample through a block.
Lanes run_sample(tcu::DataType type, std::uint32_t n, const dais::Program& logic,
                 const Lanes& lanes, std::size_t results = 1) {
  TcuSimulationConfig config = small_machine(type, n);
  config.architecture.dais_blocks = {dais_block("block", logic)};
  return run_on(config, Program(config.architecture).dais(1), lanes, results);
}

TEST(DaisUnit, ResultsAreRoundedHalfToEven) {
  for (const tcu::DataType type : {tcu::DataType::fp8bp4, tcu::DataType::fp16bp8,
                                   tcu::DataType::fp18bp10, tcu::DataType::fp32bp16}) {
    dais::Program quarter = relay_program(16, 16);
    for (dais::Output& output : quarter.outputs) output.shift = -2;
    const Lanes in = {0, 1, 2, 3, 4, 5, 6, 7, -1, -2, -3, -4, -5, -6, -7, 10};
    const Lanes out = {0, 0, 0, 1, 1, 1, 2, 2, 0, 0, -1, -1, -1, -2, -2, 2};
    EXPECT_EQ(run_sample(type, 16, quarter, in), out) << info(type).name;
  }
}

TEST(DaisUnit, ResultsSaturate) {
  for (const tcu::DataType type : {tcu::DataType::fp8bp4, tcu::DataType::fp16bp8,
                                   tcu::DataType::fp18bp10, tcu::DataType::fp32bp16}) {
    const std::int64_t min = info(type).min(), max = info(type).max();
    dais::Program twice = relay_program(8, 8, 18);
    for (dais::Output& output : twice.outputs) output.shift = 1;
    const Lanes in = {max / 2, max / 2 + 1, max, min / 2, min / 2 - 1, min, 3, -3};
    const Lanes out = {max - 1, max, max, min, min, min, 6, -6};
    EXPECT_EQ(run_sample(type, 8, twice, in), out) << info(type).name;
  }
}

/// Results far beyond any lane saturate, even if an intermediate value is beyond the range of
/// double.
TEST(DaisUnit, HugeResultsSaturate) {
  dais::Program huge = relay_program(4, 4, 8);
  for (dais::Output& output : huge.outputs) output.shift = 1000;
  const tcu::DataTypeInfo& type = info(tcu::DataType::fp32bp16);
  EXPECT_EQ(run_sample(tcu::DataType::fp32bp16, 4, huge, {65536, -65536, 0, 256}),
            (Lanes{type.max(), type.min(), 0, type.max()}));
}

/// Inputs follow the document's rule: floor to the type's fraction, then wrap to its width.
TEST(DaisUnit, InputsAreFlooredAndWrapped) {
  dais::Program logic = relay_program(8, 8);
  for (dais::Op& op : logic.ops) {
    op.type = {1, 2, 1};  // -4..3.5 in steps of 0.5
    op.range = interval_of(op.type);
  }
  const auto mantissa = [](double real) { return static_cast<std::int64_t>(real * 256); };
  Lanes in, out;
  const std::map<double, double> expected = {{1.25, 1},   {1.75, 1.5}, {-1.25, -1.5}, {3.5, 3.5},
                                             {3.99, 3.5}, {4, -4},     {-4.25, 3.5},  {9.5, 1.5}};
  for (const auto& [from, to] : expected) {
    in.push_back(mantissa(from));
    out.push_back(mantissa(to));
  }
  EXPECT_EQ(run_sample(tcu::DataType::fp16bp8, 8, logic, in), out);
}

TEST(DaisUnit, SamplesFillVectorsInOrder) {
  // 5 inputs in vectors of 2 lanes, 7 outputs; output i is input i mod 5.
  const Lanes in = {10, 11, 12, 13, 14, 99};
  EXPECT_EQ(run_sample(tcu::DataType::fp16bp8, 2, relay_program(5, 7), in, 5),
            (Lanes{10, 11, 12, 13, 14, 10, 11, 0, 0, 0}));
  // 2 inputs in a vector of 8 lanes. Lanes without an output are written as 0; accumulating adds 0
  // to them.
  TcuSimulationConfig config = small_machine(tcu::DataType::fp16bp8, 8);
  config.architecture.dais_blocks = {relay_block("block", 2, 3)};
  Program p(config.architecture);
  p.move(Move::local_to_accumulator, 2).dais(1).dais_accumulate(1, 0, {0, 0}, {1, 0});
  EXPECT_EQ(run_on(config, p, {1, 2, 3, 4, 5, 6, 7, 8, 10, 20, 30, 40, 50, 60, 70, 80}, 2),
            (Lanes{1, 2, 1, 0, 0, 0, 0, 0, 11, 22, 31, 40, 50, 60, 70, 80}));
}

/// The machine gives the same results as da4ml's own interpreter.
TEST(DaisUnit, GoldenProgramsAndPipelines) {
  const tcu::DataType type = tcu::DataType::fp32bp16;
  for (const char* name : {"c01_cmvm8x8_w4", "c02_cmvm8x8_w6", "c04_cmvm16x16_w4",
                           "c05_cmvm16x16_w8", "c08_cmvm32x64_w8", "m01_mlp16_16_5"}) {
    const std::string folder = dais::golden_path(std::string("prog/") + name);
    const std::vector<double> inputs = dais::read_words<double>(folder + "/in.f64");
    const std::vector<double> outputs = dais::read_words<double>(folder + "/out.f64");
    for (const std::string& file :
         {folder + "/prog.seed.bin", dais::golden_path(std::string("pipe/") + name + ".json")}) {
      const tcu::DaisBlockEntry block = tcu::read_dais_block("block", file);
      for (const std::uint32_t n : {3U, 8U, 16U}) {
        SCOPED_TRACE(testing::Message() << file << ", N = " << n);
        TcuSimulationConfig config = small_machine(type, n, 4096);
        config.architecture.dais_blocks = {block};
        // samples in the first half are multiples of the steps, and in range
        constexpr std::uint64_t samples = 128;
        const std::uint64_t in_lanes = block.input_vectors(n) * n;
        const std::uint64_t out_lanes = block.output_vectors(n) * n;
        Lanes in(samples * in_lanes), out(samples * out_lanes);
        for (std::uint64_t s = 0; s < samples; ++s) {
          for (std::size_t i = 0; i < block.input_count(); ++i) {
            const double exact = inputs[s * block.input_count() + i] * 65536;
            ASSERT_EQ(exact, std::floor(exact));
            in[s * in_lanes + i] = static_cast<std::int64_t>(exact);
          }
          for (std::size_t i = 0; i < block.output_count(); ++i) {
            const double exact = outputs[s * block.output_count() + i] * 65536;
            ASSERT_EQ(exact, std::floor(exact));
            out[s * out_lanes + i] = static_cast<std::int64_t>(
                std::clamp(exact, -2147483648.0, 2147483647.0));  // some results of c05 saturate
          }
        }
        const Program program = Program(config.architecture).dais(samples);
        EXPECT_TRUE(run_on(config, program, in, samples * block.output_vectors(n)) == out);
      }
    }
  }
}

TEST(DaisUnit, CountsInstructionsAndSamplesOfEachRun) {
  TcuSimulationConfig config = small_machine(tcu::DataType::fp16bp8, 4);
  EXPECT_TRUE(TcuSimulation(config).run(Program(config.architecture).no_op().bytes()).dais.empty());
  config.architecture.dais_blocks = {relay_block("one", 4, 4), relay_block("two", 8, 4, 3)};
  const auto program = Program(config.architecture).dais(3).dais(5, 1).dais(2).no_op().bytes();
  TcuSimulation simulation(config);
  for (unsigned run = 0; run < 2; ++run) {
    const TcuRunResult result = simulation.run(program);
    ASSERT_EQ(result.dais.size(), 2U);
    EXPECT_EQ(result.dais[0].instructions, 2U);
    EXPECT_EQ(result.dais[0].samples, 5U);
    EXPECT_EQ(result.dais[1].instructions, 1U);
    EXPECT_EQ(result.dais[1].samples, 5U);
  }
}

// ---- errors -------------------------------------------------------------------------------------

std::string run_error(const TcuSimulationConfig& config, const Lanes& lanes,
                      std::uint64_t samples) {
  return tactus::error_of(
      [&] { (void)run_on(config, Program(config.architecture).dais(samples), lanes, 1); });
}

TEST(DaisUnit, AFailedLookupNamesBlockOperationAndSample) {
  TcuSimulationConfig config = small_machine(tcu::DataType::fp16bp8, 2);
  config.architecture.dais_blocks = {
      tcu::read_dais_block("table", dais::golden_path("bad/v1_lut_oob.bin"))};
  ASSERT_EQ(config.architecture.dais_blocks[0].input_vectors(2), 2U);
  Lanes lanes(3 * 4, -4 * 256);  // selects entry 0
  lanes[2 * 4 + 2] = 992;        // 3.875, in the second vector of sample 2
  EXPECT_EQ(run_error(config, lanes, 3),
            "top.tcu.dais.table: stage 0: operation 10: sample 2: value 31 is entry 63 of table 0; "
            "allowed 0..2");
}

TEST(DaisUnit, BlocksThatDoNotFitAreRefused) {
  TcuSimulationConfig config = small_machine(tcu::DataType::fp16bp8, 2, 4);
  config.architecture.dais_blocks = {relay_block("wide", 9, 1)};
  EXPECT_EQ(
      run_error(config, {}, 1),
      "DAIS block wide (wide.json): 9 inputs are 5 vectors, more than the local memory holds; "
      "allowed 4");
  config.architecture.dais_blocks = {relay_block("empty", 1, 0)};
  EXPECT_EQ(run_error(config, {}, 1),
            "DAIS block empty (empty.json): the program has 1 inputs and 0 outputs; allowed 1 or "
            "more of each");
}

std::string hang_of(const TcuSimulationConfig& config, const Program& program) {
  TcuSimulation simulation(config);
  const TcuRunResult result = simulation.run(program.bytes());
  EXPECT_EQ(result.end, RunEnd::hang);
  std::string text;
  for (const std::string& line : result.waits_for) text += line + "\n";
  return text;
}

/// The instructions have sizes that check() would refuse. Each size is truncated to the width of
/// its stream, so the units get different sizes.
TEST(DaisUnit, OversizedInstructionsHangAndSayWhere) {
  TcuSimulationConfig config = small_machine(tcu::DataType::fp16bp8, 2, 16);
  config.architecture.accumulator_depth = 4;
  config.architecture.dais_blocks = {relay_block("block", 2, 2), relay_block("wide", 6, 2)};
  // The block gives 5 results, but the accumulators expect (5 - 1) mod 4 + 1 = 1 write.
  const std::string results = hang_of(config, Program(config.architecture).dais(5));
  EXPECT_NE(results.find("DAIS blocks: room in block, behind a result of block that waits for an "
                         "accumulator write\n"),
            std::string::npos)
      << results;
  // The block expects 6 samples of 3 vectors, but gets (18 - 1) mod 16 + 1 = 2 vectors.
  const std::string half = hang_of(config, Program(config.architecture).dais(6, 1));
  EXPECT_NE(half.find("DAIS blocks: the rest of a sample of which 2 vectors came\n"),
            std::string::npos)
      << half;
}

}  // namespace
}  // namespace tactus
