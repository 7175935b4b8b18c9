// Optimised programs for machines with extensions: shadow weights, a queue for transfers, the
// activation unit. Outputs equal those without extensions; engines and cost model agree.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "firmware/bench/evaluation.h"
#include "firmware/compiler/compiler.h"
#include "firmware/reference/reference.h"
#include "firmware/zoo/zoo.h"
#include "isa/support/error.h"
#include "tests/support/random_program.h"
#include "tests/support/test_scale.h"
#include "tests/zoo/random_graph.h"
#include "tests/zoo/simulated.h"

namespace tactus::nn {
namespace {

/// Returns a random machine without extensions: any array size and data type, ample memories.
Target random_target(std::uint64_t seed) {
  tactus::Random random(seed);
  Target machine;
  machine.architecture = random_architecture(random, machine.axi_data_bits);
  machine.architecture.dram0_depth = machine.architecture.dram1_depth = std::uint64_t{1} << 18;
  machine.architecture.local_depth = random.range(400, 9000);
  machine.architecture.accumulator_depth = random.range(32, 3000);
  return machine;
}

/// Adds random extensions that change only when instructions execute, not what they compute.
void add_random_timing_extensions(tactus::Random& random, tcu::Architecture& a) {
  a.shadow_weights =
      random.pick({tcu::ShadowWeights::off, tcu::ShadowWeights::on, tcu::ShadowWeights::own_reads});
  if (a.shadow_weights == tcu::ShadowWeights::off || random.chance(50)) {
    a.dma_queue = static_cast<std::uint32_t>(random.range(1, 12));
  }
}

/// Calls check(seed, graph, machine) for random networks that compile.
template <typename Check>
void for_random_networks(std::uint64_t first, std::uint64_t count, Check check) {
  std::size_t compiled = 0, refused = 0;
  for (const std::uint64_t seed : test_seeds(first, count)) {
    const Graph graph = random_graph(seed);
    const Target machine = random_target(seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + to_json(machine.architecture) + "\n" +
                 describe(graph));
    try {
      check(seed, graph, machine);
      ++compiled;
    } catch (const UserError& error) {
      ++refused;
      const std::string text = error.what();
      EXPECT_TRUE(text.find("insufficient") != std::string::npos || text.rfind("out of ", 0) == 0)
          << text;
    }
    if (testing::Test::HasFailure()) return;  // the first failing seed is enough
  }
  EXPECT_GE(compiled, 8 * refused);
}

/// The program is the same except for its waits: outputs are equal bit for bit, and the total of
/// cycles is lower.
TEST(OptimisedExtensions, KeepEveryOutput) {
  std::uint64_t cycles_without = 0, cycles_with = 0;
  std::size_t networks = 0;
  for_random_networks(2001, 600, [&](std::uint64_t seed, const Graph& graph, Target machine) {
    const Tensors floats = floats_of(random_inputs(graph, seed));
    const compiler::Compiled plain = compile_for(graph, machine, true, 1);
    if (plain.instructions == 0) return;
    const Outcome expected = run_on(plain, machine, floats);
    tactus::Random random(seed ^ 0x5AD0);
    add_random_timing_extensions(random, machine.architecture);
    const Outcome actual = run_on(compile_for(graph, machine, true, 1), machine, floats);
    for (const auto& [name, values] : expected.outputs) {
      ASSERT_EQ(actual.outputs.at(name), values) << name;
    }
    cycles_without += expected.cycles;
    cycles_with += actual.cycles;
    ++networks;
  });
  // Single tiny networks may take some cycles more.
  if (networks > 50) {
    EXPECT_LT(cycles_with, cycles_without);
  }
}

/// The activation unit replaces sums that saturate. Rounding differs, and errors against float have
/// the same size.
TEST(OptimisedExtensions, ActivationsOfTheUnitAreAsNearFloat) {
  for_random_networks(3001, 600, [&](std::uint64_t seed, const Graph& graph, Target machine) {
    const Values inputs = random_inputs(graph, seed);
    const Tensors floats = floats_of(inputs);
    const Values exact = run_reference(graph, inputs);
    const compiler::Compiled plain = compile_for(graph, machine, true, 1);
    if (plain.instructions == 0) return;
    const Outcome usual = run_on(plain, machine, floats);
    tactus::Random random(seed ^ 0xAC70);
    machine.architecture.activation_unit = true;
    if (random.chance(50)) add_random_timing_extensions(random, machine.architecture);
    const Outcome actual = run_on(compile_for(graph, machine, true, 1 + seed % 8), machine, floats);
    const double unit =
        std::ldexp(1.0, -static_cast<int>(tcu::info(machine.architecture.data_type).binary_point));
    for (const auto& [name, values] : usual.outputs) {
      const Node* node = graph.producer(name);
      const bool host = node != nullptr && node->op_type == "Softmax";
      const std::vector<float>& expected = exact.at(host ? node->inputs[0] : name).floats;
      EXPECT_LT(rms_error(actual.outputs.at(name), expected),
                2 * rms_error(values, expected) + 6 * unit)
          << name;
    }
  });
}

TEST(OptimisedExtensions, EnginesAgree) {
  for_random_networks(4001, 100, [&](std::uint64_t seed, const Graph& graph, Target machine) {
    tactus::Random random(seed ^ 0xE961);
    add_random_timing_extensions(random, machine.architecture);
    machine.architecture.activation_unit = random.chance(50);
    const Tensors floats = floats_of(random_inputs(graph, seed));
    const compiler::Compiled compiled = compile_for(graph, machine, true, 4);
    if (compiled.instructions == 0) return;
    const Outcome step = run_on(compiled, machine, floats, Engine::step);
    for (const Engine engine : {Engine::fast, Engine::check}) {
      const Outcome other = run_on(compiled, machine, floats, engine);
      EXPECT_EQ(other.cycles, step.cycles);
      EXPECT_EQ(other.retires, step.retires);
      EXPECT_EQ(other.outputs, step.outputs);
    }
  });
}

struct ExtensionBudget {
  const char* architecture;
  unsigned axi_data_bits;
  tcu::ShadowWeights shadow_weights;
  std::uint32_t dma_queue;
  bool activation_unit;
  std::uint64_t cycles;  ///< upper limit
};

void PrintTo(const ExtensionBudget& budget, std::ostream* out) {
  *out << budget.architecture << ", " << budget.cycles << " cycles";
}

class ExtensionCycles : public testing::TestWithParam<ExtensionBudget> {};

/// ResNet-20 with memory of fixed latency: every layer is predicted within 5 %, the network within
/// 3 %.
TEST_P(ExtensionCycles, AreWithinTheBudgetAndAsPredicted) {
  const ExtensionBudget& budget = GetParam();
  Target machine;
  machine.axi_data_bits = budget.axi_data_bits;
  machine.architecture = tcu::read_architecture(std::string(TACTUS_SOURCE_DIR "/configs/arch/") +
                                                budget.architecture + ".tarch");
  machine.architecture.shadow_weights = budget.shadow_weights;
  machine.architecture.dma_queue = budget.dma_queue;
  machine.architecture.activation_unit = budget.activation_unit;
  const Graph graph = zoo_entry("resnet20v2").build(1).graph;
  const compiler::Compiled compiled = compile_for(graph, machine, true, 200);
  const Outcome run = run_on(compiled, machine, floats_of(random_inputs(graph, 1)));
  EXPECT_LE(run.cycles, budget.cycles);
  const auto predicted = static_cast<double>(compiled.predicted_cycles);
  EXPECT_NEAR(predicted / static_cast<double>(run.cycles), 1, 0.03);
  std::uint32_t begin = 0;
  for (const compiler::LayerInfo& layer : compiled.layers) {
    const std::uint32_t end = run.retires.at(layer.first_instruction + layer.instructions - 1);
    EXPECT_NEAR(static_cast<double>(layer.predicted_cycles) / (end - begin), 1, 0.05) << layer.name;
    begin = end;
  }
}

constexpr auto off = tcu::ShadowWeights::off, on = tcu::ShadowWeights::on,
               own = tcu::ShadowWeights::own_reads;
INSTANTIATE_TEST_SUITE_P(Networks, ExtensionCycles,
                         testing::Values(ExtensionBudget{"artya7100t", 64, on, 0, false, 1190000},
                                         ExtensionBudget{"artya7100t", 64, off, 8, false, 1190000},
                                         ExtensionBudget{"artya7100t", 64, on, 8, false, 1039000},
                                         ExtensionBudget{"artya7100t", 64, on, 8, true, 983000},
                                         ExtensionBudget{"ultra96v2", 128, on, 0, false, 368000},
                                         ExtensionBudget{"ultra96v2", 128, off, 8, false, 392000},
                                         ExtensionBudget{"ultra96v2", 128, off, 0, true, 421000},
                                         ExtensionBudget{"ultra96v2", 128, on, 8, false, 320000},
                                         ExtensionBudget{"ultra96v2", 128, on, 8, true, 284000},
                                         ExtensionBudget{"ultra96v2", 128, own, 8, false, 296000},
                                         ExtensionBudget{"artya7100t", 64, own, 8, false, 982000},
                                         ExtensionBudget{"zcu104", 128, on, 8, true, 107500},
                                         ExtensionBudget{"zcu104", 128, own, 8, true, 93500},
                                         ExtensionBudget{"zcu104_uram", 512, own, 8, true, 89500}));

/// ResNet-50 has 54 410 kilocycles of multiply-accumulates on an array of size 8. The prediction is
/// for the program that is simulated in the table of
/// firmware/compiler/targets/tcu/optimise/README.md.
TEST(OptimisedExtensions, ResNet50PassesEightyPercentOfAnArrayOf8) {
  Target machine;
  machine.axi_data_bits = 64;
  machine.architecture = tcu::read_architecture(TACTUS_SOURCE_DIR "/configs/arch/artya7100t.tarch");
  machine.architecture.dram1_depth = 4194304;
  machine.architecture.shadow_weights = on;
  machine.architecture.dma_queue = 8;
  const Graph graph = zoo_entry("resnet50v2").build(1).graph;
  EXPECT_LT(compile_for(graph, machine, true, 200).predicted_cycles, 54410000 * 10 / 8);
}

}  // namespace
}  // namespace tactus::nn
