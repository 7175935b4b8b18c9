// Cycles of ResNet-20 with the optimising compiler on four machines, with memory of fixed latency,
// and the error of the compiler's cost model.
#include <gtest/gtest.h>

#include <cstdint>
#include <ostream>
#include <string>

#include "firmware/bench/evaluation.h"
#include "firmware/compiler/compiler.h"
#include "firmware/zoo/zoo.h"

namespace tactus::nn {
namespace {

struct Budget {
  const char* network;
  const char* architecture;
  unsigned axi_data_bits;
  std::uint64_t cycles;  ///< upper limit
};

void PrintTo(const Budget& budget, std::ostream* out) {
  *out << budget.network << " on " << budget.architecture;
}

class OptimisedCycles : public testing::TestWithParam<Budget> {};

TEST_P(OptimisedCycles, AreWithinTheBudgetAndAsPredicted) {
  const Budget& budget = GetParam();
  bench::Task task;
  task.workload = budget.network;
  task.optimise = true;
  task.architecture = tcu::read_architecture(std::string(TACTUS_SOURCE_DIR "/configs/arch/") +
                                             budget.architecture + ".tarch");
  task.axi_data_bits = budget.axi_data_bits;
  task.read_latency = 20;
  task.write_latency = 5;
  const bench::Figures figures = bench::evaluate(task, bench::ProgramCache(std::nullopt));
  EXPECT_LE(figures.cycles, budget.cycles);

  compiler::Options options;
  options.optimise = true;
  options.axi_data_bits = budget.axi_data_bits;
  const compiler::Compiled compiled =
      compiler::compile(zoo_entry(budget.network).build(1).graph, task.architecture, options);
  EXPECT_EQ(compiled.instructions, figures.instructions);
  const auto predicted = static_cast<double>(compiled.predicted_cycles);
  EXPECT_NEAR(predicted / static_cast<double>(figures.cycles), 1, 0.03);
  std::uint64_t sum = 0;
  for (const compiler::LayerInfo& layer : compiled.layers) sum += layer.predicted_cycles;
  EXPECT_NEAR(static_cast<double>(sum) / predicted, 1, 0.01);
}

INSTANTIATE_TEST_SUITE_P(Networks, OptimisedCycles,
                         testing::Values(Budget{"resnet20v2", "artya7100t", 64, 1320787},
                                         Budget{"resnet20v2", "ultra96v2", 128, 428154},
                                         Budget{"resnet20v2", "zcu104", 128, 206000},
                                         Budget{"resnet20v2", "zcu104_uram", 512, 160500}),
                         [](const auto& test) {
                           return std::string(test.param.network) + "_" + test.param.architecture;
                         });

}  // namespace
}  // namespace tactus::nn
