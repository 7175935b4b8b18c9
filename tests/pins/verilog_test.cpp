// A systolic array in Verilog runs a network in the array's place, and a fault in it is found in
// lockstep.
#include <fstream>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "Varray_0.h"
#include "Varray_1000000.h"
#include "firmware/bench/program_cache.h"
#include "firmware/compiler/compiler.h"
#include "firmware/driver/tcu/host.h"
#include "firmware/zoo/zoo.h"
#include "isa/support/files.h"

namespace tactus {
namespace {

template <typename Array>
OwnUnit verilog_array(bool lockstep) {
  OwnUnit own;
  own.unit = "array";
  own.lockstep = lockstep;
  own.make = [](UnitSignals& signals) {
    auto array = std::make_unique<Array>("verilog");
    signals.bind("clock", array->clock);
    signals.bind("reset", array->reset);
    signals.bind("control_valid", array->control_valid);
    signals.bind("control_ready", array->control_ready);
    signals.bind("control_bits", array->control_bits);
    signals.bind("weights_valid", array->weights_valid);
    signals.bind("weights_ready", array->weights_ready);
    signals.bind("weights_bits", array->weights_bits);
    signals.bind("input_valid", array->input_valid);
    signals.bind("input_ready", array->input_ready);
    signals.bind("input_bits", array->input_bits);
    signals.bind("output_valid", array->output_valid);
    signals.bind("output_ready", array->output_ready);
    signals.bind("output_bits", array->output_bits);
    return array;
  };
  return own;
}

/// A network for the 4x4 array of cmoda7, with an input.
struct Case {
  explicit Case(const std::string& network) {
    config.architecture = tcu::read_architecture(TACTUS_SOURCE_DIR "/configs/arch/cmoda7.tarch");
    config.architecture.dram0_depth = config.architecture.dram1_depth = 1U << 20U;
    config.engine = Engine::step;
    model = bench::to_program(
                compiler::compile(nn::zoo_entry(network).build(nn::default_zoo_seed).graph,
                                  config.architecture, {}),
                network)
                .model;
    for (const tcu::TensorEntry& tensor : model.file.inputs) {
      std::vector<std::uint8_t>& bytes = input[tensor.name];
      bytes.resize(tensor.size * config.architecture.vector_bytes());
      for (std::size_t i = 0; i < bytes.size(); i += 2) {
        bytes[i] = static_cast<std::uint8_t>(i * 37);
      }
    }
  }
  /// Runs the network `times` times.
  ImageResult run(unsigned times = 1) {
    TcuSimulation simulation(config);
    Host host(simulation, model, HostMode::plain);
    EXPECT_FALSE(host.prepare());
    for (;;) {
      ImageResult result = host.run_image(input, {});
      if (--times == 0) return result;
    }
  }
  TcuSimulationConfig config;
  Model model;
  TensorData input;
};

TEST(Verilog, AnArrayRunsANetwork) {
  Case network("mlp");
  const ImageResult expected = network.run();
  network.config.own_units = {verilog_array<Varray_0>(false)};
  const ImageResult found = network.run();
  EXPECT_EQ(found.run.end, RunEnd::finished);
  EXPECT_EQ(found.run.cycles, expected.run.cycles);
  EXPECT_EQ(found.outputs, expected.outputs);
  network.config.own_units = {verilog_array<Varray_0>(true)};
  EXPECT_EQ(network.run().outputs, expected.outputs);
}

TEST(Verilog, AFaultIsFoundAfterAMillionCycles) {
  Case network("cnn");
  OwnUnit faulty = verilog_array<Varray_1000000>(true);
  faulty.waveform = testing::TempDir() + "tactus_difference.vcd";
  network.config.own_units = {faulty};
  try {
    (void)network.run(1000);
    FAIL() << "no difference";
  } catch (const UnitDifference& difference) {
    const std::string text = difference.what();
    EXPECT_EQ(difference.unit, "array") << text;
    EXPECT_EQ(difference.pin, "output_bits") << text;
    EXPECT_GE(difference.cycle, 1000000U) << text;
    EXPECT_NE(text.find("instruction: "), std::string::npos) << text;
    const std::vector<std::uint8_t> waveform = read_file(faulty.waveform);
    const std::string vcd(waveform.begin(), waveform.end());
    EXPECT_NE(vcd.find("$scope module model"), std::string::npos);
    EXPECT_NE(vcd.find("output_bits"), std::string::npos);
  }
}

}  // namespace
}  // namespace tactus
