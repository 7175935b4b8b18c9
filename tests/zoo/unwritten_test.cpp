// Programs of the compiler never read unwritten on-chip memory, with any options.
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "firmware/bench/program_cache.h"
#include "firmware/zoo/zoo.h"
#include "isa/support/error.h"
#include "tests/zoo/simulated.h"

namespace tactus::nn {
namespace {

struct Choice {
  std::string name;
  std::function<void(compiler::Options&)> set;
};

std::vector<Choice> choices() {
  using compiler::Options;
  using compiler::Strategy;
  std::vector<Choice> list;
  for (const Strategy strategy : {Strategy::local_isolated, Strategy::local_vars,
                                  Strategy::local_consts, Strategy::local_vars_and_consts}) {
    list.push_back(
        {std::string(to_string(strategy)), [strategy](Options& o) { o.strategy = strategy; }});
  }
  list.push_back({"compat", [](Options& o) { o.compat = true; }});
  for (const unsigned bits : {64U, 128U}) {
    list.push_back({"optimised", [bits](Options& o) {
                      o.optimise = true;
                      o.axi_data_bits = bits;
                    }});
  }
  list.push_back({"resident", [](Options& o) { o.optimise = o.resident = true; }});
  list.push_back({"batch", [](Options& o) {
                    o.optimise = true;
                    o.batch = 4;
                  }});
  return list;
}

class UnwrittenReadsOf : public testing::TestWithParam<const char*> {};

TEST_P(UnwrittenReadsOf, CompiledProgramsHaveNone) {
  const Graph graph = zoo_entry(GetParam()).build(1).graph;
  std::size_t checked = 0;
  for (const char* name : {"pynqz1", "ultra96v2", "zcu104_uram"}) {
    tcu::Architecture architecture =
        tcu::read_architecture(std::string(TACTUS_SOURCE_DIR "/configs/arch/") + name + ".tarch");
    for (const bool extended : {false, true}) {
      if (extended) {
        architecture.shadow_weights = tcu::ShadowWeights::own_reads;
        architecture.dma_queue = 8;
        architecture.activation_unit = true;
      }
      for (const Choice& choice : choices()) {
        SCOPED_TRACE(std::string(name) + (extended ? " with extensions, " : ", ") + choice.name);
        compiler::Options options;
        options.effort = 2;
        choice.set(options);
        try {
          expect_all_reads_written(
              bench::to_program(compiler::compile(graph, architecture, options), "network").model);
          ++checked;
        } catch (const UserError&) {
          // The network does not fit this machine with these options.
        }
      }
    }
  }
  EXPECT_GT(checked, 40U);
}

INSTANTIATE_TEST_SUITE_P(Zoo, UnwrittenReadsOf,
                         testing::Values("mlp", "cnn", "csp", "mobilenetv1-tiny", "resnet20v2"),
                         [](const auto& test) {
                           std::string name = test.param;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

}  // namespace
}  // namespace tactus::nn
