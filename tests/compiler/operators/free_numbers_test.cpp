// Every operator in every form with free numbers, which round and saturate. Programs of the
// strategies give, bit for bit, what the definition of HIR says (hir::Interpreter).
#include <gtest/gtest.h>

#include "firmware/compiler/frontend/operators.h"
#include "tests/compiler/operators/comparison.h"
#include "tests/compiler/operators/interpretation.h"

namespace tactus::compiler {
namespace {

constexpr std::uint64_t free_settings_of_a_case = 1;

class FreeNumbers : public testing::TestWithParam<std::string_view> {};

TEST_P(FreeNumbers, GiveWhatTheDefinitionSays) {
  for (const Case& c : all_cases()) {
    if (c.op != GetParam()) continue;
    for (Setting setting : settings_for(c, free_settings_of_a_case)) {
      setting.free = true;
      const Sample sample = made(c, setting);
      const tcu::Architecture machine = setting.architecture();
      TensorValues inputs;
      for (const auto& [name, tensor] : sample.inputs()) inputs[name] = tensor.floats;
      for (const Way& way : all_ways()) {
        if (way.options.optimise) continue;
        const std::string what = c.op + " " + c.form + ", " + way.name + ", " + setting.text();
        const std::optional<Compiled> compiled = compiled_if_it_fits(sample, way);
        if (!compiled) continue;
        // Constants that the data type loses may be folded into others.
        const nn::Graph& graph = compiled->scaled ? *compiled->scaled : sample.graph();
        const TensorValues expected = interpret(graph, machine, way.options, inputs);
        std::map<std::string, std::vector<float>> given;
        for (const TensorLayout& layout : compiled->input_layouts) {
          given[layout.name] = inputs.at(layout.name);
        }
        const auto actual = run(*compiled, given);
        ASSERT_EQ(actual.size(), expected.size()) << what;
        for (const auto& [name, values] : actual) {
          EXPECT_EQ(values, expected.at(name)) << what << ", " << name;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Operators, FreeNumbers, testing::ValuesIn(operator_types()),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace tactus::compiler
