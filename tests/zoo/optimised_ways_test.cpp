// Optimised programs in uncommon conditions: all data types, arrays of 4 to 64, several images per
// run, constants that stay in local memory. Errors against float are compared with the strategies'
// errors.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "firmware/bench/accuracy.h"
#include "firmware/bench/evaluation.h"
#include "firmware/compiler/compiler.h"
#include "firmware/zoo/zoo.h"

namespace tactus::nn {
namespace {

struct Way {
  std::string network;
  std::string architecture = "zcu104";
  std::uint32_t array_size = 0;  ///< 0: that of the architecture
  tcu::DataType type = tcu::DataType::fp16bp8;
  std::uint32_t batch = 1;
  bool resident = false;
  std::uint64_t local_depth = 0;  ///< 0: that of the architecture
};

bench::Task task_of(const Way& way) {
  bench::Task task;
  task.workload = way.network;
  task.architecture = tcu::read_architecture(std::string(TACTUS_SOURCE_DIR "/configs/arch/") +
                                             way.architecture + ".tarch");
  if (way.array_size != 0) task.architecture.array_size = way.array_size;
  if (way.local_depth != 0) task.architecture.local_depth = way.local_depth;
  task.architecture.data_type = way.type;
  const std::uint64_t bits = task.architecture.vector_bytes() * 8;
  task.axi_data_bits = static_cast<unsigned>(std::min<std::uint64_t>(bits, 128));
  task.read_latency = 20;
  task.write_latency = 5;
  task.optimise = true;
  task.batch = way.batch;
  task.resident = way.resident;
  return task;
}

Values inputs_of(const Graph& graph, std::uint32_t batch) {
  Values inputs;
  for (ValueInfo info : graph.inputs) {
    info.dims->front().size = info.dims->front().size.value_or(1) * batch;
    inputs[info.name] = random_input(info, 7);
  }
  return inputs;
}

void expect_as_near_float(const Way& way) {
  SCOPED_TRACE(way.network + " on " + way.architecture + ", array " +
               std::to_string(way.array_size) + ", type " +
               std::to_string(static_cast<int>(way.type)));
  const bench::Task task = task_of(way);
  const Graph graph = zoo_entry(way.network).build(1).graph;
  const TcuSimulationConfig config = bench::machine_config(task);
  compiler::Options usual, options;
  options.optimise = true;
  options.effort = 20;
  options.axi_data_bits = task.axi_data_bits;
  options.batch = way.batch;
  options.resident = way.resident;
  const auto errors = [&](const compiler::Options& chosen) {
    return bench::check_accuracy(graph, compiler::compile(graph, config.architecture, chosen),
                                 chosen, config, inputs_of(graph, chosen.batch), {}, {}, {});
  };
  const bench::Accuracy by_strategy = errors(usual), optimised = errors(options);
  for (const bench::TensorError& error : optimised.tensors) {
    const auto other =
        std::find_if(by_strategy.tensors.begin(), by_strategy.tensors.end(),
                     [&](const bench::TensorError& tensor) { return tensor.name == error.name; });
    if (other == by_strategy.tensors.end()) continue;
    EXPECT_EQ(error.scalars, other->scalars * way.batch) << error.name;
    EXPECT_LE(error.rms_error, 1.5 * other->rms_error + 2 * error.step) << error.name;
  }
}

TEST(OptimisedWays, AllDataTypesAreAsNearFloat) {
  for (const tcu::DataType type : {tcu::DataType::fp8bp4, tcu::DataType::fp16bp8,
                                   tcu::DataType::fp18bp10, tcu::DataType::fp32bp16}) {
    for (const char* network : {"cnn", "csp"}) {
      expect_as_near_float({network, "ultra96v2", 0, type});
      expect_as_near_float({network, "artya7100t", 4, type});
    }
  }
}

TEST(OptimisedWays, ArraysOf4To64AreAsNearFloat) {
  for (const std::uint32_t size : {4U, 8U, 16U, 32U, 64U}) {
    for (const char* network : {"cnn", "csp"}) expect_as_near_float({network, "zcu104", size});
  }
  expect_as_near_float({"resnet20v2", "zcu104", 64});
}

TEST(OptimisedWays, SeveralImagesShareWeights) {
  for (const char* network : {"mlp", "cnn", "csp"}) {
    expect_as_near_float({network, "ultra96v2", 0, tcu::DataType::fp16bp8, 3});
    expect_as_near_float({network, "artya7100t", 0, tcu::DataType::fp16bp8, 2});
  }
  const bench::ProgramCache none(std::nullopt);
  const Way one{"resnet20v2", "zcu104"};
  Way four = one;
  four.batch = 4;
  const bench::Figures single = bench::evaluate(task_of(one), none);
  const bench::Figures batch = bench::evaluate(task_of(four), none);
  EXPECT_LT(batch.cycles, 4 * single.cycles * 7 / 10);
  EXPECT_EQ(batch.macs.value(), 4 * single.macs.value());
  EXPECT_EQ(batch.macs_with_padding.value(), 4 * single.macs_with_padding.value());
  EXPECT_NEAR(batch.frames_per_second.value() / single.frames_per_second.value(),
              4 * static_cast<double>(single.cycles) / static_cast<double>(batch.cycles), 1e-9);
}

/// If the inputs of a sum do not fit local memory, each job adds a slice of the inputs.
TEST(OptimisedWays, InputsThatDoNotFitComeInSlices) {
  for (const std::uint64_t local_depth : {1024U, 2048U}) {
    Way way{"resnet20v2", "artya7100t"};
    way.local_depth = local_depth;
    const bench::Task task = task_of(way);
    compiler::Options options;
    options.optimise = true;
    options.effort = 1;
    const compiler::Compiled compiled = compiler::compile(
        zoo_entry(way.network).build(1).graph, bench::machine_config(task).architecture, options);
    const auto in_slices = std::count_if(
        compiled.layers.begin(), compiled.layers.end(), [](const compiler::LayerInfo& layer) {
          return layer.form.find("slices of the inputs") != std::string::npos;
        });
    EXPECT_GT(in_slices, 3) << local_depth;
  }
  Way way{"resnet20v2", "artya7100t"};
  way.local_depth = 2048;
  expect_as_near_float(way);
}

/// The share of the array's peak counts the network's stated multiply-accumulates, which include
/// those on padding pixels.
TEST(OptimisedWays, SeveralImagesPassEightyPercentOfAnArrayOf32WithAllExtensions) {
  for (const char* architecture : {"zcu104", "zcu104_uram"}) {
    Way way{"resnet20v2", architecture};
    way.batch = 16;
    bench::Task task = task_of(way);
    if (way.architecture == "zcu104_uram") task.axi_data_bits = 512;
    task.architecture.shadow_weights = tcu::ShadowWeights::own_reads;
    task.architecture.dma_queue = 8;
    task.architecture.activation_unit = true;
    const bench::Figures figures = bench::evaluate(task, bench::ProgramCache(std::nullopt));
    constexpr double stated_macs = 66.243e6;  // as printed by tactus zoo resnet20v2
    EXPECT_GT(16 * stated_macs / (32 * 32) / static_cast<double>(figures.cycles), 0.8)
        << architecture;
  }
}

TEST(OptimisedWays, ResidentConstantsAreNotFetched) {
  expect_as_near_float({"csp", "ultra96v2", 0, tcu::DataType::fp16bp8, 1, true});
  const bench::ProgramCache none(std::nullopt);
  const Way streamed{"resnet20v2", "zcu104"};
  Way resident = streamed;
  resident.resident = true;
  const bench::Figures a = bench::evaluate(task_of(streamed), none);
  const bench::Figures b = bench::evaluate(task_of(resident), none);
  EXPECT_LT(b.cycles, a.cycles);
  EXPECT_LT(b.dram_read_bytes, a.dram_read_bytes);
}

TEST(OptimisedWays, BatchesAndResidentConstantsNeedTheOptimiser) {
  const Graph graph = zoo_entry("cnn").build(1).graph;
  const tcu::Architecture architecture =
      tcu::read_architecture(TACTUS_SOURCE_DIR "/configs/arch/zcu104.tarch");
  compiler::Options batch, resident;
  batch.batch = 2;
  resident.resident = true;
  EXPECT_THROW((void)compiler::compile(graph, architecture, batch), UserError);
  EXPECT_THROW((void)compiler::compile(graph, architecture, resident), UserError);
}

TEST(OptimisedWays, LayersArePredictedWithinFivePercent) {
  for (const char* architecture : {"artya7100t", "ultra96v2", "zcu104"}) {
    SCOPED_TRACE(architecture);
    const bench::Task task = task_of({"resnet20v2", architecture});
    const bench::Prepared prepared = bench::prepare(task, bench::ProgramCache(std::nullopt));
    TcuSimulation simulation(bench::machine_config(task));
    Host host(simulation, prepared.program.model, HostMode::plain);
    ASSERT_FALSE(host.prepare());
    TcuRunOptions options;
    const auto& layers = prepared.program.model.file.layers;
    options.regions = regions_of(layers);
    const TcuRunResult run = host.run_image(bench::seeded_inputs(prepared.program, 1), options).run;
    std::uint64_t predicted = 0;
    for (std::size_t i = 0; i < layers.size(); ++i) {
      const std::uint64_t cycles = run.accounting.regions[i].counters.cycles();
      predicted += layers[i].predicted_cycles;
      EXPECT_LE(layers[i].bound_cycles, cycles) << layers[i].name;
      // The retire that ends a layer may differ by some cycles from the predicted end.
      EXPECT_NEAR(static_cast<double>(layers[i].predicted_cycles), static_cast<double>(cycles),
                  0.05 * static_cast<double>(cycles) + 30)
          << layers[i].name;
    }
    EXPECT_NEAR(static_cast<double>(predicted) / static_cast<double>(run.cycles), 1, 0.03);
  }
}

}  // namespace
}  // namespace tactus::nn
