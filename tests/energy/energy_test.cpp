// Energy tables: counted events, sizes of units, and errors.
#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include "firmware/config/config_files.h"
#include "firmware/energy/dpas.h"
#include "firmware/energy/tcu.h"
#include "isa/support/error.h"

namespace tactus::energy {
namespace {

std::string table(const std::string& unit, const std::string& mac = "2",
                  const std::string& more = "") {
  return R"({"name": "t", "source": "s", "technology": "u", "unit": ")" + unit +
         R"(", "events": {"mac": )" + mac +
         R"(, "simd_lane": 3, "local_read": {"value": 5}, "local_write": 7,
            "accumulator_read": 11, "accumulator_write": 13,
            "dram_read": {"value": 17, "per_bits": 4}, "dram_write": 19, "instruction": 23},
            "static_per_cycle": 0.5)" +
         more + "}";
}

std::string error_of(const std::string& json, const Machine& machine = {}) {
  try {
    (void)Meter(parse_table(json, "e.json"), machine);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

/// Returns counts of a TCU's events. Each count is ten times the previous one; each event has 8
/// bits.
Counts some_counts() {
  Counts counts;
  std::uint64_t n = 1;
  for (const EventInfo& event : event_infos) {
    if (event.dpas_only) continue;
    counts.push_back({event.event, 0, n, 8 * n});
    n *= 10;
  }
  return counts;
}

TEST(Energy, IsEventsTimesTheirEnergies) {
  const Meter meter(parse_table(table("pJ"), "e.json"), {});
  const auto result = meter.energy(some_counts(), 200, 100);
  // Events have 8 bits and the price 17 is per 4 bits, so it counts twice.
  const double events =
      2 * 1. + 3 * 10. + 5 * 1e2 + 7 * 1e3 + 11 * 1e4 + 13 * 1e5 + 34 * 1e6 + 19 * 1e7 + 23 * 1e8;
  EXPECT_DOUBLE_EQ(result.at("total").get<double>(), events + 100);
  EXPECT_DOUBLE_EQ(meter.total(some_counts(), 200), events + 100);
  EXPECT_DOUBLE_EQ(result.at("static").get<double>(), 100);
  EXPECT_EQ(result.at("table"), "t");
  EXPECT_EQ(result.at("source"), "s");
  EXPECT_EQ(result.at("technology"), "u");
  EXPECT_EQ(result.at("unit"), "pJ");
  // 200 cycles at 100 MHz are 2 us.
  EXPECT_DOUBLE_EQ(result.at("power_mw").get<double>(), (events + 100) / 2 / 1e3);
  EXPECT_DOUBLE_EQ(result.at("by_event").at("dram_write").at("energy").get<double>(), 19e7);
  EXPECT_FALSE(result.contains("area"));
  const Meter relative(parse_table(table("relative"), "e.json"), {});
  EXPECT_FALSE(relative.energy(some_counts(), 200, 100).contains("power_mw"));
  for (const std::string& text : {summary(result), page_section(result)}) {
    EXPECT_NE(text.find('t'), std::string::npos);
    EXPECT_NE(text.find("mW"), std::string::npos) << text;
  }
}

TEST(Energy, UsesTheFirstSizeOfATableThatIsLargeEnough) {
  const std::string steps = R"({"by_size": [{"up_to": 8, "value": 1}, {"up_to": 16, "value": 4}]})";
  const std::string open = R"({"by_size": [{"up_to": 8, "value": 1}, {"value": 9}]})";
  const auto mac = [&](const std::string& entry, double bits) {
    const Machine machine{"it", {{Event::mac, bits}}, {}};
    return Meter(parse_table(table("pJ", entry), "e.json"), machine)
        .total({{Event::mac, bits, 1, 0}}, 0);
  };
  EXPECT_EQ(mac(steps, 8), 1);
  EXPECT_EQ(mac(steps, 9), 4);
  EXPECT_EQ(mac(steps, 16), 4);
  EXPECT_EQ(mac(open, 200), 9);
  EXPECT_EQ(error_of(table("pJ", steps), {"it", {{Event::mac, 18}}, {}}),
            "e.json:/events/mac: has no value for scalars of 18 bits, which the machine has; the "
            "largest is up to 16");
}

TEST(Energy, AreaIsThatOfTheParts) {
  const std::string area = R"(, "area": {"unit": "um2", "mac": 10, "simd_lane": {"value": 3,
      "source": "x"}, "memory_bit": 0.5})";
  const Machine machine{
      "it", {}, {{Part::mac, 16, 64}, {Part::simd_lane, 16, 8}, {Part::memory_bit, 0, 1000}}};
  const Meter meter(parse_table(table("pJ", "2", area), "e.json"), machine);
  const auto result = meter.energy({}, 1, 100).at("area");
  EXPECT_DOUBLE_EQ(result.at("total").get<double>(), 640 + 24 + 500);
  EXPECT_EQ(result.at("unit"), "um2");
  EXPECT_EQ(result.at("table"), "t");
  EXPECT_NE(page_section(meter.energy({}, 1, 100)).find("um2"), std::string::npos);
}

/// A table may lack the events of DPAS machines; it is then refused for these machines.
TEST(Energy, ATableMayBeForTcusOnly) {
  DpasSimulationConfig config;
  config.machine.profile = dpas::read_profile(config_path("dpas", "pvc"));
  EXPECT_EQ(error_of(table("pJ"), machine_of(tcu::Architecture())), "");
  EXPECT_EQ(error_of(table("pJ"), machine_of(config)),
            "e.json:/events/mac_float: missing key: a machine with a DPAS array has it");
  // The machine has integer precisions only, so mac_float may be missing; alu_lane is missing among
  // the areas.
  config.machine.profile.precisions = bit(dpas::Precision::s8);
  std::string whole = table("pJ", "2", R"(, "area": {"unit": "um2", "mac": 1, "simd_lane": 1,
      "memory_bit": 1})");
  whole.replace(whole.find("\"simd_lane\": 3"), 14,
                R"("simd_lane": 3, "alu_lane": 1, "register_read": 1, "register_write": 1)");
  EXPECT_EQ(error_of(whole, machine_of(config)),
            "e.json:/area/alu_lane: missing key: a machine with a DPAS array has it");
}

TEST(Energy, OfSeveralImagesIsThatOfEach) {
  const Meter meter(parse_table(table("pJ"), "e.json"), {});
  const auto result = meter.energy(some_counts(), 200, 100, 4);
  EXPECT_DOUBLE_EQ(result.at("per_image").get<double>(), result.at("total").get<double>() / 4);
}

TEST(Energy, IncompleteTablesAreRefusedWithThePathOfTheKey) {
  const auto expect = [](const std::string& json, const std::string& error) {
    EXPECT_NE(error_of(json).find(error), std::string::npos) << error_of(json);
  };
  EXPECT_EQ(error_of(table("pJ")), "");
  expect(table("watts"), "e.json:/unit");
  expect(table("pJ", "-1"), "e.json:/events/mac: must be a number, 0 or more");
  expect(table("pJ", R"({"value": 1, "per_bits": 8})"), "e.json:/events/mac/per_bits");
  expect(table("pJ", R"({"by_size": []})"), "e.json:/events/mac/by_size: is empty");
  expect(table("pJ", R"({"by_size": [{"value": 1}, {"up_to": 2, "value": 1}]})"),
         "sizes must ascend");
  expect(table("pJ", R"({"value": 1, "unit": "nJ"})"), "e.json:/events/mac/unit: unknown key");
  expect(R"({"name": "", "source": "s", "unit": "pJ", "events": {}})", "e.json:/events/dram_read");
  expect(R"({"name": "", "source": "s", "unit": "pJ", "events": {}})", "e.json:/name: is empty");
  expect(R"({"name": "n", "source": "s", "unit": "pJ", "events": {}})",
         "e.json:/technology: is missing");
}

/// Every shipped table names its source, and has the prices for TCUs of all array sizes and data
/// types and for every shipped DPAS profile.
TEST(Energy, TheShippedTablesFitTheDefaultMachine) {
  const std::vector<std::string> names = config_names("energy");
  EXPECT_GE(names.size(), 3U);
  for (const std::string& name : names) {
    const Table shipped = read_table(name);
    EXPECT_EQ(shipped.name, name);
    EXPECT_GT(shipped.source.size(), 10U);
    for (const std::uint32_t n : {4U, 8U, 32U, 256U}) {
      tcu::Architecture architecture;
      architecture.array_size = n;
      for (const tcu::DataType type : {tcu::DataType::fp8bp4, tcu::DataType::fp16bp8,
                                       tcu::DataType::fp18bp10, tcu::DataType::fp32bp16}) {
        architecture.data_type = type;
        EXPECT_NO_THROW((void)Meter(shipped, machine_of(architecture))) << name;
      }
    }
    for (const std::string& profile : config_names("dpas")) {
      DpasSimulationConfig config;
      config.machine.profile = dpas::read_profile(config_path("dpas", profile));
      EXPECT_NO_THROW((void)Meter(shipped, machine_of(config))) << name << ", " << profile;
    }
  }
}

/// The energies of 8-bit and 32-bit multiply-accumulates are a published multiplication plus a
/// 32-bit addition.
TEST(Energy, TheTableOf45nmHasThePublishedNumbers) {
  const Table shipped = read_table("horowitz_45nm");
  const auto steps_of = [&](Event event) {
    return shipped.events[static_cast<std::size_t>(event)].value().steps;
  };
  const auto steps = steps_of(Event::mac);
  ASSERT_EQ(steps.size(), 3U);
  EXPECT_DOUBLE_EQ(steps[0].value, 0.2 + 0.1);
  EXPECT_DOUBLE_EQ(steps[1].value, 1.1 + 0.4);
  EXPECT_DOUBLE_EQ(steps[2].value, 3.1 + 0.1);
  // For floats, the energy is a published multiplication plus a 32-bit floating-point addition.
  const auto floats = steps_of(Event::mac_float);
  ASSERT_EQ(floats.size(), 2U);
  EXPECT_DOUBLE_EQ(floats[0].value, 1.1 + 0.9);
  EXPECT_DOUBLE_EQ(floats[1].value, 3.7 + 0.9);
  EXPECT_EQ(shipped.technology, "45 nm CMOS, 0.9 V");
}

}  // namespace
}  // namespace tactus::energy
