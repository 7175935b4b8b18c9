// Random layers on random machines: the compiled program computes what the definition of HIR says.
//
// Programs run on the functional model.
#include <algorithm>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "firmware/compiler/targets/tcu/program_builder.h"
#include "isa/support/error.h"
#include "isa/tcu/instruction.h"
#include "isa/tcu/layout.h"
#include "tests/compiler/scheduler/random_layers.h"
#include "tests/support/test_scale.h"

namespace tactus::compiler {

void PrintTo(Strategy strategy, std::ostream* out) { *out << to_string(strategy); }

namespace {

struct Tally {
  unsigned right = 0, partitioned = 0;
};

void check_seed(std::uint64_t seed, Strategy strategy, Tally& tally) {
  Random random(seed);
  const tcu::Architecture a = random_architecture(random);
  BuilderOptions options;
  options.strategy = strategy;
  options.compat = random.chance(50);
  ProgramBuilder builder(a, options);
  std::optional<RandomLayers> layers;
  try {
    for (unsigned pass = 0; pass < builder.passes(); ++pass) {
      builder.begin_pass();
      layers.emplace(builder.memory(), a, seed,
                     [&](const hir::Layer& layer) { builder.add_layer(layer); });
      layers->emit();
      builder.add_outputs(layers->outputs());
    }
  } catch (const UserError&) {
    return;  // the machine is too small
  }
  const CompiledProgram program = builder.finish();

  FunctionalModel model(a);
  for (const tcu::TensorEntry& entry : program.inputs) {
    std::vector<std::uint8_t> bytes;
    for (const Vector& v : layers->inputs_by_name().at(entry.name)) {
      append(bytes, tcu::info(a.data_type), v);
    }
    model.dram(0).write(static_cast<std::uint32_t>(entry.base * a.vector_bytes()), bytes);
  }
  model.dram(1).write(0, program.constants);
  if (program.load_constants_to_local && program.constants_count > 0) {
    const tcu::InstructionLayout layout(a);
    model.run(tcu::encode_program(
        layout, {tcu::make_data_move(layout, tcu::DataMoveKind::dram1_to_local, {0, 0}, {0, 0},
                                     program.constants_count)}));
  }
  model.run(program.program);
  for (const std::string& name : layers->outputs()) {
    std::vector<std::uint8_t> expected;
    for (const Vector& v : layers->result(name)) append(expected, tcu::info(a.data_type), v);
    EXPECT_EQ(read(model, a, program.outputs, name), expected)
        << "seed " << seed << ", " << to_string(strategy) << ", output " << name;
  }
  ++tally.right;
  for (const LayerStatistics& layer : program.layers) {
    if (layer.partitions > layer.stages) ++tally.partitioned;
    EXPECT_LE(layer.accumulators.maximum, a.accumulator_depth);
    EXPECT_LE(layer.local.maximum, a.local_depth);
  }
}

class RandomLayersTest : public testing::TestWithParam<Strategy> {};

TEST_P(RandomLayersTest, ProgramComputesWhatTheLayersMean) {
  Tally tally;
  const std::vector<std::uint64_t> seeds = test_seeds(1, 600);
  for (const std::uint64_t seed : seeds) {
    check_seed(seed, GetParam(), tally);
    if (HasFailure()) return;
  }
  // Machines are small so that layers are split; still, enough layers must fit. A run with few
  // seeds is not checked for that.
  if (seeds.size() >= 600) {
    EXPECT_GT(tally.right, seeds.size() / 4);
    const bool isolated = GetParam() == Strategy::local_isolated;
    EXPECT_GE(tally.partitioned, isolated ? seeds.size() / 20 : 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Strategies, RandomLayersTest,
                         testing::Values(Strategy::local_isolated, Strategy::local_vars,
                                         Strategy::local_consts, Strategy::local_vars_and_consts),
                         [](const auto& test) {
                           std::string name(to_string(test.param));
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace tactus::compiler
