// Profiles: the shipped files, and errors in other files.
#include <filesystem>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "isa/dpas/profile_table.h"
#include "isa/support/files.h"
#include "tests/dpas/kernels.h"

namespace tactus::dpas {
namespace {

std::string shipped(const std::string& name) {
  return read_text(std::string(TACTUS_SOURCE_DIR) + "/configs/dpas/" + name + ".json");
}

TEST(DpasProfile, EveryShippedFileSaysWhereItsValuesComeFrom) {
  unsigned count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(TACTUS_SOURCE_DIR "/configs/dpas")) {
    const Profile profile = read_profile(entry.path().string());
    EXPECT_EQ(profile.name, entry.path().stem().string());
    for (const Parameter<Profile>& parameter : profile_parameters()) {
      EXPECT_EQ(profile.provenance.count(parameter.key), 1U) << entry.path() << parameter.key;
    }
    // Unpublished values are not labelled as published.
    for (const char* key : {"overhead", "bank_conflict_cycles"}) {
      EXPECT_EQ(profile.provenance.at(key).kind, Provenance::Kind::assumed) << entry.path() << key;
    }
    // Writing and reading a profile changes nothing.
    nlohmann::ordered_json json;
    json["name"] = profile.name;
    json["title"] = profile.title;
    profile_parameters().write(json, profile);
    EXPECT_TRUE(parse_profile(json.dump(), "again") == profile);
    ++count;
  }
  EXPECT_EQ(count, 10U);
}

TEST(DpasProfile, PrecisionsAndRegistersOfEachProfile) {
  const Profile pvc = profile_named("pvc"), dg2 = profile_named("dg2"), xe2 = profile_named("xe2");
  EXPECT_EQ(pvc.precision_list(), "u2, s2, u4, s4, u8, s8, bf, hf, tf32");
  EXPECT_EQ(dg2.precision_list(), "u2, s2, u4, s4, u8, s8, bf, hf");
  EXPECT_EQ(dg2.register_file_bytes(), 4096U);
  EXPECT_EQ(pvc.register_file_bytes(), 8192U);
  // Banks and bundles follow the formulas of spec section 8.3.
  for (unsigned r = 0; r < 128; ++r) {
    EXPECT_EQ(pvc.bank(r), r % 4 / 2);
    EXPECT_EQ(pvc.bundle(r), r % 32 / 2);
    EXPECT_EQ(dg2.bundle(r), r % 64 / 4);
    EXPECT_EQ(xe2.bank(r), r % 2);
    EXPECT_EQ(xe2.bundle(r), r % 16 / 2);
  }
}

TEST(DpasProfile, WrongFiles) {
  const auto error = [](const std::string& from, const std::string& to) {
    std::string text = shipped("pvc");
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    return message_of([&] { (void)parse_profile(text, "p.json"); });
  };
  EXPECT_EQ(error("\"execution_size\": 16", "\"execution_size\": 12"),
            "p.json:/execution_size: 12 is not a power of two; allowed 8..16, a power of two");
  EXPECT_EQ(error("\"execution_size\": 16", "\"execution_size\": 8"),
            "p.json:/grf_bytes: 64 with execution_size 8; allowed 32: a row of floats is one "
            "register");
  EXPECT_EQ(error("\"grf_count\"", "\"grf_cuont\""),
            "p.json:/grf_count: missing key\n"
            "p.json:/grf_cuont: unknown key; did you mean \"grf_count\"?");
  EXPECT_EQ(
      error("\"tf32\"", "\"tf23\""),
      "p.json:/precisions/8: \"tf23\" is no precision; allowed \"u2\", \"s2\", \"u4\", \"s4\", "
      "\"u8\", \"s8\", \"bf\", \"hf\", \"bf8\", \"tf32\", \"hf8\", \"e2m1\"");
  EXPECT_EQ(error("\"u2\"", "\"u4\""), "p.json:/precisions/2: \"u4\" is named twice");
  EXPECT_EQ(error("28]", "28, 29]"),
            "p.json:/igc_latency: has 9 numbers; allowed 8, for RC = 1..8");
  EXPECT_EQ(error("\"array_depth\": 8", "\"array_depth\": 16"),
            "p.json:/array_depth: 16 is out of range; allowed 2..8, a power of two");
}

}  // namespace
}  // namespace tactus::dpas
