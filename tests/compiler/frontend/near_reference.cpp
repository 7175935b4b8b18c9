#include <gtest/gtest.h>

#include "firmware/reference/reference.h"
#include "tests/compiler/frontend/graphs.h"

namespace tactus::compiler {

void expect_near_reference(const nn::Graph& graph, const tcu::Architecture& architecture,
                           const Options& options, float tolerance) {
  const Compiled compiled = compile(graph, architecture, options);
  const auto inputs = values_for(compiled);
  const auto outputs = run(compiled, inputs);
  nn::Values values;
  for (const TensorLayout& layout : compiled.input_layouts) {
    values[layout.name] = nn::Tensor::of(layout.shape, inputs.at(layout.name));
  }
  const nn::Values expected = nn::run_reference(graph, values);
  for (const TensorLayout& layout : compiled.output_layouts) {
    const nn::Tensor& wanted = expected.at(layout.name);
    EXPECT_EQ(layout.shape, wanted.shape) << layout.name;
    const std::vector<float>& got = outputs.at(layout.name);
    ASSERT_EQ(got.size(), wanted.floats.size()) << layout.name;
    for (std::size_t i = 0; i < got.size(); ++i) {
      ASSERT_NEAR(got[i], wanted.floats[i], tolerance)
          << layout.name << " element " << i << " of " << nn::to_string(wanted.shape)
          << ", array size " << architecture.array_size;
    }
  }
}

}  // namespace tactus::compiler
