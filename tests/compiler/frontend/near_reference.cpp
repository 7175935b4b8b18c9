#include "tests/compiler/frontend/graphs.h"

namespace tactus::compiler {

void expect_near_reference(const nn::Graph& graph, const tcu::Architecture& architecture,
                           const Options& options, float tolerance) {
  const Compiled compiled = compile(graph, architecture, options);
  const auto inputs = values_for(compiled);
  const auto outputs = run(compiled, inputs);
  expect_near_values(graph, compiled, inputs, outputs, tolerance);
}

}  // namespace tactus::compiler
