// Every operator of the compiler's table, in every form of its operands, on machines of all data
// types and several array sizes, by every way of compiling. Exact numbers give the float
// reference's result bit for bit; where an operator cannot be exact, its case says which error is
// allowed.
//
// A sample of all these combinations runs by default; TACTUS_TEST_SCALE=24 runs all of them.
#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "firmware/compiler/frontend/model.h"
#include "firmware/compiler/frontend/operators.h"
#include "tests/compiler/operators/comparison.h"

namespace tactus::compiler {
namespace {

constexpr std::uint64_t settings_of_a_case = 2;

class EveryForm : public testing::TestWithParam<std::string_view> {};

TEST_P(EveryForm, GivesTheReferencesResult) {
  std::size_t cases = 0;
  for (const Case& c : all_cases()) {
    if (c.op != GetParam()) continue;
    ++cases;
    for (const Setting& setting : settings_for(c, settings_of_a_case)) {
      const Sample sample = made(c, setting);
      for (const Way& way : all_ways()) {
        const std::string found = difference(sample, way);
        if (found.empty()) continue;
        ADD_FAILURE() << c.op << " " << c.form << ", " << way.name << ", " << setting.text() << ": "
                      << found;
      }
    }
  }
  EXPECT_NE(cases, 0U) << "the operator has no cases; tests/compiler/operators/*_cases.cpp";
}

INSTANTIATE_TEST_SUITE_P(Operators, EveryForm, testing::ValuesIn(operator_types()),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace tactus::compiler
