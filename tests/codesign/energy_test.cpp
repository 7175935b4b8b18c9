// Energy tables: what they count, and what is refused.
#include "firmware/codesign/energy.h"

#include <gtest/gtest.h>

#include "isa/support/error.h"

namespace tactus::codesign {
namespace {

std::string table(const std::string& unit, const std::string& mac = "2") {
  return R"({"name": "t", "source": "s", "unit": ")" + unit + R"(", "events": {"mac": )" + mac +
         R"(, "simd_lane": 3, "local_read": 5, "local_write": 7, "accumulator_read": 11,
            "accumulator_write": 13, "dram_read": 17, "dram_write": 19, "instruction": 23},
            "static_per_cycle": 0.5})";
}

std::string error_of(const std::string& json) {
  try {
    (void)parse_energy_table(json, "e.json");
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(Energy, IsEventsTimesTheirEnergies) {
  const EventCounts counts{1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
  const auto result = energy(parse_energy_table(table("pJ"), "e.json"), counts, 200, 100);
  const double events =
      2 * 1. + 3 * 10. + 5 * 1e2 + 7 * 1e3 + 11 * 1e4 + 13 * 1e5 + 17 * 1e6 + 19 * 1e7 + 23 * 1e8;
  EXPECT_DOUBLE_EQ(result.at("total").get<double>(), events + 100);
  EXPECT_DOUBLE_EQ(result.at("static").get<double>(), 100);
  EXPECT_EQ(result.at("table"), "t");
  EXPECT_EQ(result.at("source"), "s");
  EXPECT_EQ(result.at("unit"), "pJ");
  // 200 cycles of 100 MHz are 2 us.
  EXPECT_DOUBLE_EQ(result.at("power_mw").get<double>(), (events + 100) / 2 / 1e3);
  EXPECT_DOUBLE_EQ(result.at("by_event").at("dram_write").at("energy").get<double>(), 19e7);
  const auto relative = energy(parse_energy_table(table("relative"), "e.json"), counts, 200, 100);
  EXPECT_FALSE(relative.contains("power_mw"));
}

TEST(Energy, TablesSayEverything) {
  EXPECT_EQ(error_of(table("pJ")), "");
  EXPECT_NE(error_of(table("watts")).find("e.json:/unit"), std::string::npos);
  EXPECT_NE(error_of(table("pJ", "-1")).find("e.json:/events/mac: must be a number, 0 or more"),
            std::string::npos);
  EXPECT_NE(error_of(R"({"name": "", "source": "s", "unit": "pJ", "events": {}})")
                .find("e.json:/events/dram_read"),
            std::string::npos);
  EXPECT_NE(error_of(R"({"name": "", "source": "s", "unit": "pJ", "events": {}})")
                .find("e.json:/name: is empty"),
            std::string::npos);
}

}  // namespace
}  // namespace tactus::codesign
