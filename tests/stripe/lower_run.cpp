#include "tests/stripe/lower_run.h"

#include "firmware/bench/program_cache.h"
#include "firmware/driver/tcu/host.h"
#include "isa/support/error.h"
#include "isa/tcu/arithmetic.h"

namespace tactus::stripe::test {

LoweredRun run_lowered(const compiler::LoweredStripe& lowered, const Tensors& inputs) {
  const compiler::Compiled& model = lowered.model;
  const tcu::DataType type = model.architecture.data_type;
  TcuSimulationConfig config;
  config.architecture = model.architecture;
  const bench::Program program = bench::to_program(model, "stripe");
  TensorData data;
  Tensors rounded;
  for (const auto& [name, tensor] : inputs) {
    for (const double value : tensor) {
      rounded[name].push_back(tcu::to_real(type, tcu::quantise(type, static_cast<float>(value))));
    }
  }
  for (const compiler::TensorLayout& layout : model.input_layouts) {
    const Tensor& tensor = inputs.at(layout.name);
    data[layout.name] =
        pack_tensor(layout, model.architecture, std::vector<float>(tensor.begin(), tensor.end()));
  }
  TcuSimulation simulation(config);
  Host host(simulation, program.model, HostMode::plain);
  if (host.prepare()) user_error("preparing does not end");
  const ImageResult image = host.run_image(data, {});
  if (image.run.end != RunEnd::finished) user_error("the program does not end");
  LoweredRun run;
  run.cycles = image.run.cycles;
  for (const compiler::TensorLayout& layout : model.output_layouts) {
    const std::vector<float> values =
        unpack_tensor(layout, model.architecture, image.outputs.at(layout.name));
    run.simulated[layout.name] = Tensor(values.begin(), values.end());
  }
  InterpretOptions options;
  options.fixed_point = compiler::number_format(model.architecture);
  const Tensors all = interpret(lowered.program, rounded, options);
  for (const auto& [name, tensor] : run.simulated) run.interpreted[name] = all.at(name);
  return run;
}

tcu::Architecture small_architecture(std::uint32_t array_size, std::uint64_t local,
                                     std::uint64_t accumulators) {
  tcu::Architecture architecture;
  architecture.array_size = array_size;
  architecture.local_depth = local;
  architecture.accumulator_depth = accumulators;
  architecture.dram0_depth = architecture.dram1_depth = 1 << 16;
  return architecture;
}

}  // namespace tactus::stripe::test
