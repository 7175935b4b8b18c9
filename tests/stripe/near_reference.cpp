// expect_near_reference() with compilation via Stripe. With it, the tests of the compiler's
// operators also test compilation via Stripe.
#include <gtest/gtest.h>

#include "tests/compiler/frontend/graphs.h"
#include "tests/stripe/lower_run.h"

namespace tactus::compiler {

/// Expects that the simulator equals the interpreter bit for bit, and is near the floating-point
/// reference.
void expect_near_reference(const nn::Graph& graph, const tcu::Architecture& architecture,
                           const Options& options, float tolerance) {
  Options plain = options;  // via Stripe there are no strategies
  plain.strategy = Options().strategy;
  const ViaStripe via = compile_via_stripe(graph, architecture, plain);
  const auto inputs = values_for(via.model);
  const stripe::test::LoweredRun run = stripe::test::run_via(via, inputs);
  EXPECT_EQ(run.simulated, run.interpreted) << "array size " << architecture.array_size;
  expect_near_values(graph, via.model, inputs, run.simulated, tolerance);
}

}  // namespace tactus::compiler
