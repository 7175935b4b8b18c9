// Rules of design ideas. Each is tested on a record that triggers it, and on one just inside its
// bound.
#include "firmware/codesign/ideas.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace tactus::codesign {
namespace {

using Record = nlohmann::ordered_json;

/// A record for which only the rule "bound_by" applies.
Record quiet() {
  return Record::parse(R"({
    "cycles": 1000, "latency_ms": 0.01,
    "units": {"ARRAY": 0.8, "WLOAD": 0.1, "DMA0": 0.3, "DMA1": 0.2},
    "buses": {"DMA0": {"bytes": 8000, "moves": 10, "use": 0.9},
              "DMA1": {"bytes": 800, "moves": 10, "use": 0.1}},
    "kernels": [{"name": "k", "cycles": 1000, "predicted_cycles": 900, "mac_points": 95,
                 "mac_slots": 100,
                 "tiles": {"count": 4, "ACC": {"used_bytes": 500, "limit_bytes": 1000},
                           "LOCAL": {"used_bytes": 100, "limit_bytes": 1000}}}],
    "mac_points": 95, "mac_slots": 100,
    "predicted": {"cycles": 900, "us": 9, "paths": {"DMA0": 500, "DMA1": 100}},
    "doubled": {"AXI_BYTES": {"us": 9.6, "predicted_us": 6},
                "PIPELINE_DEPTH": {"us": 12, "predicted_us": 8.6},
                "ARRAY_SIZE": {"error": "does not fit"}}})");
}

std::string idea_of(const Record& record, const std::string& rule) {
  for (const Idea& idea : ideas(record)) {
    if (idea.rule == rule) return idea.text;
  }
  return "";
}

TEST(DesignIdeas, ARecordWithoutFindingsHasOneIdea) {
  const auto list = ideas(quiet());
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list[0].rule, "bound_by");
  EXPECT_TRUE(ideas(Record::object()).empty());
}

TEST(DesignIdeas, TheBusiestUnitIsNamed) {
  Record record = quiet();
  EXPECT_EQ(idea_of(record, "bound_by"), "bound by ARRAY: busy 80 % of 1000 cycles");
  record["units"]["DMA1"] = 0.93;
  EXPECT_EQ(idea_of(record, "bound_by"), "bound by DMA1: busy 93 % of 1000 cycles");
}

TEST(DesignIdeas, AMemoryThatLimitsTheTilesIsNamed) {
  Record record = quiet();
  Record& tiles = record["kernels"][0]["tiles"];
  tiles["ACC"]["used_bytes"] = 501;
  EXPECT_EQ(idea_of(record, "tile_limit"),
            "k: 4 tiles; tiles twice as large would not fit ACC: 501 of 1000 bytes are used");
  tiles["ACC"]["used_bytes"] = 500;
  tiles["LOCAL"]["used_bytes"] = 900;
  EXPECT_EQ(idea_of(record, "tile_limit"),
            "k: 4 tiles; tiles twice as large would not fit LOCAL: 900 of 1000 bytes are used");
  tiles["count"] = 1;
  EXPECT_EQ(idea_of(record, "tile_limit"), "");
}

TEST(DesignIdeas, MultiplicationsOfPaddingAreNamed) {
  Record record = quiet();
  record["mac_points"] = 89;
  record["kernels"][0]["mac_points"] = 89;
  EXPECT_EQ(idea_of(record, "mac_fill"),
            "11 % of the array's multiply-accumulates are ragged tiles, halos or padding: the "
            "program needs 89 of 100; most are lost in k");
  record["mac_points"] = 90;
  EXPECT_EQ(idea_of(record, "mac_fill"), "");
}

TEST(DesignIdeas, ManyWeightLoadsAreNamed) {
  Record record = quiet();
  record["units"]["WLOAD"] = 0.4;
  EXPECT_EQ(idea_of(record, "weight_loads"),
            "33 % of the array's busy cycles load weights: more vectors for each load would save "
            "them");
  record["extended"]["shadow_weights"]["us"] = 7.5;
  EXPECT_EQ(idea_of(record, "weight_loads"),
            "33 % of the array's busy cycles load weights: more vectors for each load would save "
            "them; shadow weights take 7.5 us instead of 10.0, simulated: 25 % less");
  record["units"]["WLOAD"] = 0.26;
  EXPECT_EQ(idea_of(record, "weight_loads"), "");
}

TEST(DesignIdeas, ShortTransfersAreNamed) {
  Record record = quiet();
  record["buses"]["DMA0"]["use"] = 0.25;
  EXPECT_EQ(
      idea_of(record, "short_transfers"),
      "DMA0 has 56 % of the predicted cycles and uses 25 % of its bandwidth: 10 transfers of 800 "
      "bytes on average; longer ones would hide their latency");
  record["predicted"]["paths"]["DMA0"] = 450;
  EXPECT_EQ(idea_of(record, "short_transfers"), "");
  // A missing figure is not 0.
  record["predicted"]["paths"]["DMA0"] = 500;
  record["buses"]["DMA0"]["use"] = nullptr;
  EXPECT_EQ(idea_of(record, "short_transfers"), "");
}

TEST(DesignIdeas, TheEffectOfADoubledParameterIsTheSimulatedOne) {
  Record record = quiet();
  // simulated figures only; the prediction does not matter
  EXPECT_EQ(idea_of(record, "doubling"), "");
  record["doubled"]["AXI_BYTES"]["us"] = 6.0;
  EXPECT_EQ(idea_of(record, "doubling"),
            "with AXI_BYTES doubled, the point takes 6.0 us instead of 10.0, simulated: 40 % less");
}

TEST(DesignIdeas, PredictionsForHypotheticalHardwareAreListedSeparately) {
  Record record = quiet();
  EXPECT_TRUE(hypothetical_ideas(record).empty());
  record["doubled"]["PIPELINE_DEPTH"]["predicted_us"] = 4.5;
  record["doubled"]["AXI_BYTES"].erase("us");
  const auto list = hypothetical_ideas(record);
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(list[0].text,
            "hardware with twice AXI_BYTES, which could not be simulated, is predicted to take 6.0 "
            "us instead of 9.0: 33 % less");
  EXPECT_EQ(list[1].text,
            "hardware that overlaps twice as many tiles, which the simulator does not have, is "
            "predicted to take 4.5 us instead of 9.0: 50 % less; the simulated machine takes 12.0 "
            "us instead of 10.0, simulated: 20 % more");
  EXPECT_EQ(idea_of(record, "doubling"), "");
}

TEST(DesignIdeas, PredictionsOutsideTheRangeOfTheFormulaAreNamed) {
  Record record = quiet();
  record["kernels"][0]["predicted_cycles"] = 500;
  EXPECT_EQ(idea_of(record, "prediction"),
            "k: measured 1000 cycles, predicted 500: ratio 2.00, outside 0.8 to 1.25");
  record["kernels"][0]["predicted_cycles"] = 800;
  EXPECT_EQ(idea_of(record, "prediction"), "");
  record["kernels"][0]["predicted_cycles"] = 1250;
  EXPECT_EQ(idea_of(record, "prediction"), "");
  record["kernels"][0]["predicted_cycles"] = 1251;
  EXPECT_NE(idea_of(record, "prediction"), "");
}

}  // namespace
}  // namespace tactus::codesign
