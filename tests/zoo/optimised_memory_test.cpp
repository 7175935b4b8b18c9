// Programs of --optimise against those of the strategies with the memory of a board, which the
// optimiser's cost model does not know.
#include <algorithm>
#include <cstdint>
#include <optional>

#include <gtest/gtest.h>

#include "firmware/bench/evaluation.h"
#include "firmware/bench/program_cache.h"
#include "firmware/config/board.h"
#include "firmware/config/memory.h"
#include "firmware/driver/tcu/units.h"
#include "isa/support/error.h"
#include "tests/support/test_scale.h"
#include "tests/zoo/random_graph.h"

namespace tactus::bench {
namespace {

using compiler::Options;

std::uint64_t cycles_of(const compiler::Compiled& compiled, const TcuSimulationConfig& config) {
  const Program program = to_program(compiled, "compiled");
  const ImageResult image = run_once(config, program.model, seeded_inputs(program, 1), {}, {});
  EXPECT_EQ(image.run.end, RunEnd::finished);
  return image.run.cycles;
}

/// Cycles of the network's program; empty if the network does not fit the machine.
std::optional<std::uint64_t> cycles_of(const nn::Graph& graph, const TcuSimulationConfig& config,
                                       const Options& options) {
  std::optional<compiler::Compiled> compiled;
  try {
    compiled = compile_network(graph, config, options);
  } catch (const UserError&) {
    return std::nullopt;
  }
  return cycles_of(*compiled, config);
}

/// Fewest cycles of a strategy's program.
std::optional<std::uint64_t> cycles_of_strategies(const nn::Graph& graph,
                                                  const TcuSimulationConfig& config,
                                                  Options options) {
  std::optional<std::uint64_t> fewest;
  for (const compiler::Strategy strategy :
       {compiler::Strategy::local_isolated, compiler::Strategy::local_vars,
        compiler::Strategy::local_consts, compiler::Strategy::local_vars_and_consts}) {
    options.strategy = strategy;
    const auto cycles = cycles_of(graph, config, options);
    if (cycles && (!fewest || *cycles < *fewest)) fewest = cycles;
  }
  return fewest;
}

class OptimisedForABoard : public testing::TestWithParam<const char*> {};

TEST_P(OptimisedForABoard, IsNeverSlowerThanAStrategy) {
  TcuSimulationConfig config = read_board(GetParam()).simulation_config();
  resolve_memory(config);
  Options options;
  fit_to(config, options);
  Options optimised = options;
  optimised.optimise = true;
  std::size_t compared = 0;
  for (const std::uint64_t seed : test_seeds(1, 6)) {
    const nn::Graph graph = nn::random_graph(seed);
    const auto fewest = cycles_of_strategies(graph, config, options);
    const auto cycles = cycles_of(graph, config, optimised);
    if (!fewest || !cycles) continue;
    ++compared;
    EXPECT_LE(*cycles, *fewest) << "seed " << seed << "\n" << nn::describe(graph);
  }
  EXPECT_GT(compared, 0U);
}

INSTANTIATE_TEST_SUITE_P(Boards, OptimisedForABoard, testing::Values("arty_a7_35", "zcu104"));

}  // namespace
}  // namespace tactus::bench
