#include "tests/zoo/simulated.h"

#include <cmath>

#include <gtest/gtest.h>

#include "firmware/bench/program_cache.h"
#include "firmware/driver/tcu/host.h"
#include "firmware/zoo/zoo.h"
#include "isa/tcu/written_vectors.h"

namespace tactus::nn {

compiler::Compiled compile_for(const Graph& graph, const Target& target, bool optimise,
                               std::uint64_t effort, bool quickest) {
  compiler::Options options;
  options.optimise = optimise;
  options.effort = effort;
  options.quickest = quickest;
  options.axi_data_bits = target.axi_data_bits;
  return compiler::compile(graph, target.architecture, options);
}

Outcome run_on(const compiler::Compiled& compiled, const Target& target, const Tensors& inputs,
               Engine engine) {
  TcuSimulationConfig config;
  config.architecture = target.architecture;
  config.axi_data_bits = target.axi_data_bits;
  config.read_latency = 20;  // the compiler assumes these latencies
  config.write_latency = 5;
  config.engine = engine;
  TcuSimulation simulation(config);
  const bench::Program program = bench::to_program(compiled, "network");
  check_program(target.architecture, compiled.program, "network", ProgramChecks::strict);
  Host host(simulation, program.model, HostMode::plain);
  EXPECT_FALSE(host.prepare());
  expect_all_reads_written(program.model);
  TensorData data;
  for (const compiler::TensorLayout& layout : compiled.input_layouts) {
    data[layout.name] = compiler::pack_tensor(layout, target.architecture, inputs.at(layout.name));
  }
  Outcome outcome;
  TcuRunOptions options;
  options.retire_log = &outcome.retires;
  const ImageResult result = host.run_image(data, options);
  EXPECT_EQ(result.run.end, RunEnd::finished);
  outcome.cycles = result.run.cycles;
  for (const compiler::TensorLayout& layout : compiled.output_layouts) {
    outcome.outputs[layout.name] =
        compiler::unpack_tensor(layout, target.architecture, result.outputs.at(layout.name));
  }
  return outcome;
}

void expect_all_reads_written(const Model& model) {
  tcu::WrittenVectors written(model.file.arch);
  (void)written.run(constants_to_local(model, tcu::InstructionLayout(model.file.arch)));
  const UnwrittenReads reads = written.run(model.program);
  EXPECT_EQ(reads.count, 0U) << reads.text();
}

Values random_inputs(const Graph& graph, std::uint64_t seed) {
  Values inputs;
  for (const ValueInfo& input : graph.inputs) inputs[input.name] = random_input(input, seed++);
  return inputs;
}

Tensors floats_of(const Values& values) {
  Tensors tensors;
  for (const auto& [name, tensor] : values) tensors[name] = tensor.floats;
  return tensors;
}

double rms_error(const std::vector<float>& actual, const std::vector<float>& expected) {
  double sum = 0;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    sum += std::pow(static_cast<double>(actual[i]) - static_cast<double>(expected[i]), 2);
  }
  return std::sqrt(sum / static_cast<double>(actual.size()));
}

}  // namespace tactus::nn
