// The table of figures is complete and has no entry twice.
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "firmware/report/figures.h"
#include "firmware/report/run_figures.h"
#include "isa/support/error.h"
#include "isa/support/files.h"
#include "tests/support/dais_blocks.h"
#include "tests/support/program.h"
#include "tests/support/timing_cases.h"

namespace tactus {
namespace {

using Json = nlohmann::ordered_json;

const FigureTable table(tcu_machine_info());

/// Collects the names of all leaves, without array indices.
void leaves(const Json& json, const std::string& path, std::set<std::string>& names) {
  if (json.is_object()) {  // an empty object holds no figure
    for (const auto& [key, value] : json.items()) {
      leaves(value, path.empty() ? key : path + "." + key, names);
    }
  } else if (json.is_array() && !json.empty()) {
    for (const Json& value : json) leaves(value, path, names);
  } else {
    names.insert(path);
  }
}

TEST(Figures, EveryKeyOfTheAccountingIsExplained) {
  tcu::Architecture architecture = timing_architecture(8);
  architecture.dais_blocks = {relay_block("block", 8, 8)};
  Program p(architecture);
  p.read_dram(0, 3).load_weights(9).mat_mul(5).simd_read_write().dais(2).no_op(2);
  TcuSimulationConfig config;
  config.architecture = p.architecture();
  TcuSimulation simulation(config);
  TcuRunOptions options;
  options.regions = {{"first", 0, 2}, {"second", 2, 2}};
  Json json;
  json["accounting"] = accounting_json(simulation.run(p.bytes(), options).accounting,
                                       simulation.machine().rates(), 100);
  std::set<std::string> names;
  leaves(json, "", names);
  EXPECT_EQ(names.count("accounting.units.dais.take"), 1U);
  EXPECT_EQ(names.count("accounting.instructions.dais.vectors"), 1U);
  EXPECT_GT(names.size(), 150U);
  for (const std::string& name : names) EXPECT_NE(table.find(name), nullptr) << name;
}

TEST(Figures, NamesAreUniqueAndMeaningsGiven) {
  std::set<std::string> names;
  for (const Figure& figure : table.all()) {
    EXPECT_TRUE(names.insert(figure.name).second) << figure.name;
    EXPECT_FALSE(figure.meaning.empty()) << figure.name;
    EXPECT_EQ(figure.unit.empty(), figure.name.back() == '*') << figure.name;
  }
}

TEST(Figures, AreFoundByTheEndOfTheirName) {
  ASSERT_EQ(table.explain("decoder.starved").size(), 1U);
  EXPECT_EQ(table.explain("decoder.starved")[0]->name, "accounting.units.decoder.starved");
  EXPECT_EQ(table.explain("accounting.instructions.simd.count").size(), 1U);
  EXPECT_EQ(table.explain("mat_mul.vectors")[0]->name, "accounting.instructions.KIND.vectors");
  EXPECT_GT(table.explain("wait_data").size(), 1U);
  EXPECT_GT(table.explain("roofline").size(), 5U);
  EXPECT_EQ(table.explain("cycles").size(), 1U);  // the full name comes first
}

TEST(Figures, UnknownOnesGetASuggestion) {
  const auto error = [](const char* name) -> std::string {
    try {
      (void)table.explain(name);
    } catch (const UserError& e) {
      return e.what();
    }
    return "no error";
  };
  EXPECT_NE(error("array_bussy").find("did you mean \"array_busy\"?"), std::string::npos);
  EXPECT_NE(error("decoder.starvd").find("did you mean"), std::string::npos);
  EXPECT_NE(error("roofl").find("did you mean"), std::string::npos);
  EXPECT_NE(error("zzzzzz").find("no figure is named \"zzzzzz\""), std::string::npos);
}

}  // namespace
}  // namespace tactus
