#include "tests/stripe/lower_run.h"

#include <algorithm>

#include "firmware/bench/program_cache.h"
#include "firmware/driver/tcu/host.h"
#include "isa/support/error.h"
#include "isa/tcu/arithmetic.h"

namespace tactus::stripe::test {

namespace {

/// Returns, for each position in memory order (row-major), the position in the model's order
/// (row-major).
std::vector<std::size_t> model_positions(const compiler::TensorLayout& layout) {
  std::vector<std::size_t> strides(layout.shape.size(), 1);
  for (std::size_t d = strides.size() - 1; d-- > 0;) {
    strides[d] = strides[d + 1] * static_cast<std::size_t>(layout.shape[d + 1]);
  }
  std::vector<std::size_t> positions{0};
  for (const std::size_t d : layout.order) {
    std::vector<std::size_t> next;
    for (const std::size_t at : positions) {
      for (std::size_t i = 0; i < static_cast<std::size_t>(layout.shape[d]); ++i) {
        next.push_back(at + i * strides[d]);
      }
    }
    positions = std::move(next);
  }
  return positions;
}

/// Runs a compiled model; inputs and outputs are in the model's order.
LoweredRun simulate(const compiler::Compiled& model, const Tensors& inputs) {
  TcuSimulationConfig config;
  config.architecture = model.architecture;
  // A beat must not be wider than a vector.
  config.axi_data_bits = static_cast<unsigned>(
      std::min<std::uint64_t>(config.axi_data_bits, model.architecture.vector_bytes() * 8));
  const bench::Program program = bench::to_program(model, "stripe");
  TensorData data;
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
  return run;
}

double rounded(tcu::DataType type, double value) {
  return tcu::to_real(type, tcu::quantise(type, static_cast<float>(value)));
}

}  // namespace

LoweredRun run_lowered(const compiler::LoweredStripe& lowered, const Tensors& inputs) {
  LoweredRun run = simulate(lowered.model, inputs);
  Tensors own = inputs;
  for (auto& [name, tensor] : own) {
    for (double& value : tensor) value = rounded(lowered.model.architecture.data_type, value);
  }
  InterpretOptions options;
  options.fixed_point = compiler::number_format(lowered.model.architecture);
  const Tensors all = interpret(lowered.program, own, options);
  for (const auto& [name, tensor] : run.simulated) run.interpreted[name] = all.at(name);
  return run;
}

LoweredRun simulate_model(const compiler::Compiled& model,
                          const std::map<std::string, std::vector<float>>& inputs) {
  Tensors given;
  for (const auto& [name, values] : inputs) given[name] = Tensor(values.begin(), values.end());
  return simulate(model, given);
}

LoweredRun run_via(const compiler::ViaStripe& via,
                   const std::map<std::string, std::vector<float>>& inputs) {
  const tcu::DataType type = via.model.architecture.data_type;
  Tensors own;
  LoweredRun run = simulate_model(via.model, inputs);
  for (const auto& [name, values] : via.graph.constants) {
    for (const float value : values) own[name].push_back(rounded(type, value));
  }
  const auto layout_of = [](const auto& layouts, const std::string& name) {
    for (const compiler::TensorLayout& layout : layouts) {
      if (layout.name == name) return &layout;
    }
    return static_cast<const compiler::TensorLayout*>(nullptr);
  };
  for (const auto& [buffer, name] : via.graph.tensors) {
    const auto* layout = layout_of(via.graph.described.input_layouts, name);
    if (layout == nullptr) continue;
    for (const std::size_t at : model_positions(*layout)) {
      own[buffer].push_back(rounded(type, inputs.at(name).at(at)));
    }
  }
  InterpretOptions options;
  options.fixed_point = compiler::number_format(via.model.architecture);
  const Tensors all = interpret(via.program, own, options);
  for (const auto& [buffer, name] : via.graph.tensors) {
    const auto* layout = layout_of(via.graph.described.output_layouts, name);
    if (layout == nullptr) continue;
    const std::vector<std::size_t> positions = model_positions(*layout);
    Tensor values(positions.size());
    for (std::size_t i = 0; i < positions.size(); ++i) {
      values[positions[i]] = all.at(buffer).at(i);
    }
    run.interpreted[name] = std::move(values);
  }
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
