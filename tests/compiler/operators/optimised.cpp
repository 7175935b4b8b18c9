#include "tests/compiler/operators/optimised.h"

#include <utility>

#include "firmware/compiler/frontend/emitter.h"
#include "firmware/compiler/frontend/model.h"
#include "firmware/compiler/frontend/results.h"
#include "firmware/compiler/steps.h"
#include "firmware/compiler/targets/tcu/optimise/optimise.h"

namespace tactus::compiler {
namespace {

optimise::Graph graph_of(const Model& model, const Options& options, MemoryManager& memory) {
  optimise::GraphBuilder builder(model.architecture, memory);
  memory.begin_pass(false);
  (void)allocate_inputs(model, options, memory);
  for (const std::string& name : model.inputs) {
    builder.add_input(name, memory.get(name).addresses, shape_of(model, name, name));
  }
  for (const Step& step : model.steps) {
    const LayerPlan plan = plan_of(step);
    builder.add_step(Emitter(model, plan, memory).emit(), shape_of(model, step));
  }
  for (const std::string& name : model.outputs) {
    builder.add_output(name, memory.get(name).addresses, shape_of(model, name, name).blocks);
  }
  return builder.take();
}

}  // namespace

std::optional<Compiled> optimised_alone(const nn::Graph& graph,
                                        const tcu::Architecture& architecture,
                                        const ChangeGraph& change) {
  Options options;
  options.effort = 20;
  const Model model = analyse(graph, architecture, options);
  // holds the constants that the graph points to
  MemoryManager memory = unlimited_memory(architecture);
  optimise::Graph steps = graph_of(model, options, memory);
  if (change && !change(steps)) return std::nullopt;
  optimise::Optimised optimised = optimise::optimise(
      std::move(steps), architecture, machine_of(architecture, options), wishes_of(options));
  Compiled result;
  result.program = std::move(optimised.program.program);
  result.constants = std::move(optimised.program.constants);
  result.constant_vectors = optimised.program.constants_count;
  result.load_consts_to_local = optimised.program.load_constants_to_local;
  result.inputs = std::move(optimised.program.inputs);
  result.outputs = std::move(optimised.program.outputs);
  result.plans = optimised.plans;
  fill_from_model(result, graph, model, options);
  return result;
}

}  // namespace tactus::compiler
