#include "tests/compiler/operators/interpretation.h"

#include <utility>

#include "firmware/compiler/frontend/emitter.h"
#include "firmware/compiler/frontend/model.h"
#include "firmware/compiler/frontend/results.h"
#include "firmware/compiler/steps.h"
#include "tests/compiler/interpreters/hir.h"

namespace tactus::compiler {

TensorValues interpret(const nn::Graph& graph, const tcu::Architecture& architecture,
                       const Options& options, const TensorValues& inputs) {
  const Model model = analyse(graph, architecture, options);
  MemoryManager memory = unlimited_memory(architecture);
  memory.begin_pass(false);
  (void)allocate_inputs(model, options, memory);
  const hir::Arithmetic arithmetic(architecture);
  hir::Interpreter interpreter(arithmetic,
                               [&](Address address) { return memory.constant_values(address); });
  const std::uint32_t n = architecture.array_size;
  for (const std::string& name : model.inputs) {
    const Addresses& addresses = memory.get(name).addresses;
    const std::vector<float> lanes = to_lanes(layout_of(model, name), n, inputs.at(name));
    for (std::size_t i = 0; i < addresses.size(); ++i) {
      hir::Lanes vector;
      for (std::uint32_t lane = 0; lane < n; ++lane) {
        vector.push_back(arithmetic.from_real(lanes[i * n + lane]));
      }
      interpreter.set(addresses[i], std::move(vector));
    }
  }
  for (const Step& step : model.steps) {
    const LayerPlan plan = plan_of(step);
    interpreter.run(Emitter(model, plan, memory).emit());
  }
  TensorValues outputs;
  for (const std::string& name : model.outputs) {
    std::vector<float> lanes;
    for (const Address address : memory.get(name).addresses) {
      for (const double lane : interpreter.get(address)) {
        lanes.push_back(static_cast<float>(arithmetic.to_real(lane)));
      }
    }
    outputs[name] = from_lanes(layout_of(model, name), n, lanes);
  }
  return outputs;
}

}  // namespace tactus::compiler
