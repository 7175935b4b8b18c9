// Expressions over the keys of a configuration.
#include "firmware/sweep/expression.h"

#include <gtest/gtest.h>

#include "isa/support/error.h"
#include "tests/support/error_of.h"

namespace tactus::sweep {
namespace {

Configuration example() {
  return Configuration::parse(R"({
    "workload": {"network": "mlp", "seed": 3},
    "board": {"name": "b", "clock_mhz": 150.0, "seed": 1},
    "architecture": {"array_size": 8, "local_depth": 8192}})");
}

double value(const std::string& text) { return Expression(text, example()).value(example()); }

std::string expression_error(const std::string& text) {
  return error_of([&] { (void)value(text); });
}

TEST(SweepExpression, ComputesOverKeys) {
  EXPECT_EQ(value("1024 * array_size"), 8192);
  EXPECT_EQ(value("architecture.local_depth / array_size"), 1024);
  EXPECT_EQ(value("floor(clock_mhz / 7) + ceil(0.5) + mod(7, 4)"), 25);
  EXPECT_EQ(value("local_depth >= 1024 * array_size && array_size < 9"), 1);
  EXPECT_EQ(value("array_size > 8 ? 1 : 2"), 2);
  EXPECT_EQ(value("max(array_size, 3, 11)"), 11);
}

TEST(SweepExpression, UsesTheValuesOfTheGivenConfiguration) {
  Configuration other = example();
  const Expression expression("array_size * 2", other);
  other["architecture"]["array_size"] = 32;
  EXPECT_EQ(expression.value(other), 64);
}

TEST(SweepExpression, NamesThatTwoSectionsShareNeedTheSection) {
  EXPECT_EQ(value("workload.seed * 10 + board.seed"), 31);
  EXPECT_NE(expression_error("seed + 1").find("unknown name \"seed\""), std::string::npos)
      << expression_error("seed + 1");
}

TEST(SweepExpression, MistakesAreNamed) {
  EXPECT_NE(expression_error("aray_size * 2").find("did you mean \"array_size\"?"),
            std::string::npos)
      << expression_error("aray_size * 2");
  EXPECT_NE(expression_error("network + 1").find("unknown name \"network\""), std::string::npos);
  EXPECT_NE(expression_error("array_size *").find("array_size *"), std::string::npos);
  EXPECT_NE(expression_error("array_size = 4"), "no error");
  EXPECT_NE(expression_error("1 / (array_size - 8)").find("no finite value"), std::string::npos);
  EXPECT_NE(expression_error(""), "no error");
}

}  // namespace
}  // namespace tactus::sweep
