// expect_near_reference() by way of Stripe: with it the tests of the compiler's operators are tests
// of this way, too.
#include <gtest/gtest.h>

#include "firmware/reference/reference.h"
#include "tests/compiler/frontend/graphs.h"
#include "tests/stripe/lower_run.h"

namespace tactus::compiler {

/// Bit-equal to the interpreter on the simulator, and near the floating-point reference.
void expect_near_reference(const nn::Graph& graph, const tcu::Architecture& architecture,
                           const Options& options, float tolerance) {
  Options plain = options;  // strategies are the other way's
  plain.strategy = Options().strategy;
  const ViaStripe via = compile_via_stripe(graph, architecture, plain);
  const auto inputs = values_for(via.model);
  const stripe::test::LoweredRun run = stripe::test::run_via(via, inputs);
  EXPECT_EQ(run.simulated, run.interpreted) << "array size " << architecture.array_size;
  nn::Values values;
  for (const TensorLayout& layout : via.model.input_layouts) {
    values[layout.name] = nn::Tensor::of(layout.shape, inputs.at(layout.name));
  }
  const nn::Values expected = nn::run_reference(graph, values);
  for (const TensorLayout& layout : via.model.output_layouts) {
    const nn::Tensor& wanted = expected.at(layout.name);
    EXPECT_EQ(layout.shape, wanted.shape) << layout.name;
    const stripe::Tensor& got = run.simulated.at(layout.name);
    ASSERT_EQ(got.size(), wanted.floats.size()) << layout.name;
    for (std::size_t i = 0; i < got.size(); ++i) {
      ASSERT_NEAR(got[i], wanted.floats[i], tolerance)
          << layout.name << " element " << i << " of " << nn::to_string(wanted.shape)
          << ", array size " << architecture.array_size;
    }
  }
}

}  // namespace tactus::compiler
