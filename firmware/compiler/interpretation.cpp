#include "firmware/compiler/interpretation.h"

#include <utility>

#include "firmware/compiler/frontend/emitter.h"
#include "firmware/compiler/frontend/model.h"
#include "firmware/compiler/frontend/results.h"
#include "firmware/compiler/steps.h"
#include "firmware/compiler/targets/tcu/hir/interpret.h"
#include "isa/support/error.h"
#include "isa/support/text.h"

namespace tactus::compiler {
namespace {

void set_input(hir::Interpreter& interpreter, const hir::Arithmetic& arithmetic,
               const TensorLayout& layout, const Addresses& addresses,
               const std::vector<float>& values) {
  const std::uint32_t n = arithmetic.architecture().array_size;
  const std::vector<float> lanes = to_lanes(layout, n, values);
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    hir::Lanes vector;
    for (std::uint32_t lane = 0; lane < n; ++lane) {
      vector.push_back(arithmetic.from_real(lanes[i * n + lane]));
    }
    interpreter.set(addresses[i], std::move(vector));
  }
}

std::vector<float> output_of(hir::Interpreter& interpreter, const hir::Arithmetic& arithmetic,
                             const TensorLayout& layout, const Addresses& addresses) {
  std::vector<float> lanes;
  for (const Address address : addresses) {
    for (const double lane : interpreter.get(address)) {
      lanes.push_back(static_cast<float>(arithmetic.to_real(lane)));
    }
  }
  return from_lanes(layout, arithmetic.architecture().array_size, lanes);
}

}  // namespace

Interpretation interpret(const nn::Graph& graph, const tcu::Architecture& architecture,
                         const Options& options, const TensorValues& inputs) {
  const Model model = analyse(graph, architecture, options);
  MemoryManager memory = unlimited_memory(architecture);
  memory.begin_pass(false);
  (void)allocate_inputs(model, options, memory);
  const hir::Arithmetic typed(architecture), real = hir::Arithmetic::real(architecture);
  const auto constant_of = [&](Address address) { return memory.constant_values(address); };
  hir::Interpreter in_type(typed, constant_of), in_reals(real, constant_of);
  for (const std::string& name : model.inputs) {
    const auto values = inputs.find(name);
    if (values == inputs.end()) internal_error("no values for input {}", quote(name));
    const Addresses& addresses = memory.get(name).addresses;
    set_input(in_type, typed, layout_of(model, name), addresses, values->second);
    set_input(in_reals, real, layout_of(model, name), addresses, values->second);
  }
  for (const Step& step : model.steps) {
    const LayerPlan plan = plan_of(step);
    const hir::Layer layer = Emitter(model, plan, memory).emit();
    in_type.run(layer);
    in_reals.run(layer);
  }
  Interpretation result;
  for (const std::string& name : model.outputs) {
    const TensorLayout layout = layout_of(model, name);
    const Addresses& addresses = memory.get(name).addresses;
    result.typed[name] = output_of(in_type, typed, layout, addresses);
    result.real[name] = output_of(in_reals, real, layout, addresses);
  }
  return result;
}

}  // namespace tactus::compiler
