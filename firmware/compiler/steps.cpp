#include "firmware/compiler/steps.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace tactus::compiler {

hir::Layer allocate_inputs(const Model& model, const Options& options, MemoryManager& memory) {
  hir::Layer layer;
  layer.name = "inputs";
  for (const std::string& name : model.inputs) {
    const Value& value = model.value(name);
    const nn::Shape sizes = value.layout->memory_shape();
    const auto count =
        static_cast<std::uint64_t>(value.layout->vectors(model.architecture.array_size));
    (void)memory.allocate_input(name, Dims(sizes.begin(), sizes.end()), count,
                                {value.readers, value.output || options.separate_outputs});
  }
  return layer;
}

optimise::StepShape shape_of(const Model& model, const std::string& name,
                             const std::string& value) {
  const Layout& layout = *model.value(value).layout;
  const std::uint32_t n = model.architecture.array_size;
  return {name, static_cast<std::uint32_t>(layout.blocks(n)),
          static_cast<std::uint64_t>(layout.lanes()),
          static_cast<std::uint64_t>(layout.vectors(n))};
}

optimise::StepShape shape_of(const Model& model, const Step& step) {
  if (step.writes.size() == 1) return shape_of(model, step.node->name, step.writes.front());
  return {step.node->name, 1, model.architecture.array_size, 0};
}

LayerPlan plan_of(const Step& step) {
  LayerPlan plan;
  plan.name = step.node->name;
  plan.steps = {&step};
  return plan;
}

MemoryManager unlimited_memory(const tcu::Architecture& architecture) {
  tcu::Architecture unlimited = architecture;
  unlimited.dram0_depth = unlimited.dram1_depth = std::uint64_t{1} << Address::raw_bits;
  MemoryOptions options;
  options.keep_values = true;
  return {unlimited, options};
}

optimise::Machine machine_of(const tcu::Architecture& architecture, const Options& options) {
  optimise::Machine machine;
  machine.array_size = architecture.array_size;
  machine.beats = static_cast<std::uint32_t>(
      std::max<std::uint64_t>(1, architecture.vector_bytes() * 8 / options.axi_data_bits));
  machine.read_latency = options.read_latency;
  machine.write_latency = options.write_latency;
  machine.shadow_weights = architecture.shadow_weights != tcu::ShadowWeights::off;
  machine.own_weight_reads = architecture.shadow_weights == tcu::ShadowWeights::own_reads;
  machine.dma_queue = architecture.dma_queue;
  return machine;
}

optimise::Wishes wishes_of(const Options& options) {
  optimise::Wishes wishes{options.effort, options.resident, {}};
  if (options.progress) {
    wishes.progress = [&options](std::uint64_t done, std::uint64_t all) {
      options.progress({done, all,
                        fmt::format("searching for the fewest cycles, {:.0f} % of the effort",
                                    100 * static_cast<double>(done) / static_cast<double>(all))});
    };
  }
  return wishes;
}

void tell_layer(const Options& options, unsigned pass, unsigned passes, std::size_t layer,
                std::size_t layers, const std::string& name) {
  if (!options.progress) return;
  const std::uint64_t done = pass * layers + layer, all = passes * layers;
  options.progress({done, all, fmt::format("compiling layer {} of {}: {}", done + 1, all, name)});
}

LayerInfo info_of(optimise::OptimisedLayer layer) {
  LayerInfo info;
  static_cast<LayerStatistics&>(info) = layer;
  info.nodes = std::move(layer.nodes);
  info.form = std::move(layer.form);
  info.predicted_cycles = layer.predicted_cycles;
  info.bound_cycles = layer.bound_cycles;
  return info;
}

}  // namespace tactus::compiler
