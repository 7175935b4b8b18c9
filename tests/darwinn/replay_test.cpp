// Replay R1 of real models, equal to the picosecond, and its rules one by one.
#include <gtest/gtest.h>

#include "firmware/config/link.h"
#include "firmware/driver/darwinn/replay.h"
#include "isa/darwinn/file.h"
#include "isa/darwinn/verify.h"
#include "tests/darwinn/golden.h"
#include "tests/darwinn/sample_package.h"

namespace tactus::darwinn {
namespace {

using Json = nlohmann::json;

TEST(DarwinnReplay, EveryModelOnEveryLink) {
  DARWINN_NEEDS_GOLDEN("replay_r1.json");
  const Json golden = golden_json("replay_r1.json");
  std::size_t compared = 0;
  for (const auto& [key, preset] : golden.at("presets").items()) {
    const LinkPreset link = read_link(key == "pcie_x1_gen2" ? "pcie" : key);
    EXPECT_EQ(link.out_bytes_per_second, preset.at("bw_out"));
    EXPECT_EQ(link.in_bytes_per_second, preset.at("bw_in"));
    EXPECT_EQ(link.fixed_ps, preset.at("fixed_ps"));
    EXPECT_EQ(link.outfeed_blocks_infeed, preset.at("outfeed_blocks_infeed"));
    EXPECT_EQ(link.core_hz, golden.at("core_hz"));
    for (const auto& [name, executables] : golden.at("files").items()) {
      const File file(golden_file("tflite/" + name));
      (void)verify(file.package(), name);
      for (const Executable& executable : file.package().executables) {
        SCOPED_TRACE(fmt::format("{} {} {}", name, type_name(executable.type), key));
        const Json& expected = executables.at(std::string(type_name(executable.type)));
        const ReplayResult result = replay(executable, link, 0);
        EXPECT_EQ(result.listed, expected.at(key + "_transfer_only_ps"));
        EXPECT_EQ(result.traffic.in(), expected.at("bytes_infeed"));
        EXPECT_EQ(result.traffic.out(), expected.at("bytes_outfeed"));
        EXPECT_GE(result.total, result.listed);
        EXPECT_LE(result.bound, result.total);
        const std::string lump = key + "_with_estimate_ps";
        if (expected.contains(lump)) {
          const auto cycles = static_cast<std::uint64_t>(executable.estimated_cycles_64bit);
          EXPECT_EQ(replay(executable, link, cycles).total, expected.at(lump));
        }
        ++compared;
      }
    }
  }
  EXPECT_GE(compared, 3U * 2 * 13);
}

/// A link of 1 byte per nanosecond in each direction without fixed costs, and a clock of 1 GHz.
LinkValues simple_link(bool blocks) {
  LinkValues link;
  link.out_bytes_per_second = link.in_bytes_per_second = link.core_hz = 1000000000;
  link.fixed_ps = 0;
  link.outfeed_blocks_infeed = blocks;
  return link;
}

// The transfers have these bytes: chunk 128, inputs 32 + 32, parameters 192, scratch out 256,
// fence, scratch in 256, chunk 64, output 32.
TEST(DarwinnReplay, TransfersWaitForOthersAsTheRulesSay) {
  const SamplePackage sample;
  const Executable& main = sample.package.executables[0];
  const ReplayResult result = replay(main, simple_link(true), 1000);
  const auto start = [&](std::size_t i) { return result.steps[i].start / 1000; };
  const auto end = [&](std::size_t i) { return result.steps[i].end / 1000; };
  EXPECT_EQ(start(0), 0U);
  EXPECT_EQ(end(3), 128U + 32 + 32 + 192);
  EXPECT_EQ(start(4), end(3)) << "an outfeed waits for the infeeds before it";
  EXPECT_EQ(end(4), end(3) + 256);
  EXPECT_EQ(end(5), end(4)) << "the fence for everything";
  EXPECT_EQ(start(6), end(5));
  EXPECT_EQ(end(7), end(6) + 64);
  EXPECT_EQ(result.compute_start / 1000, end(7));
  EXPECT_EQ(start(8), end(7) + 1000) << "an output for compute";
  EXPECT_EQ(result.total / 1000, end(7) + 1000 + 32);
  EXPECT_EQ(result.bound / 1000, 1000U);
}

TEST(DarwinnReplay, OutputsBlockInputsOnlyOnSomeLinks) {
  SamplePackage sample;
  Executable& main = sample.main();
  main.hints.erase(main.hints.begin() + 5);  // the fence
  const Picoseconds blocking = replay(main, simple_link(true), 0).total;
  const Picoseconds free = replay(main, simple_link(false), 0).total;
  // On the link that does not block, scratch in (256) and the second chunk (64) are transferred
  // during scratch out (256).
  EXPECT_EQ(blocking - free, 256000U);
}

TEST(DarwinnReplay, AMissingOutputAtTheEndIsInferred) {
  SamplePackage sample;
  Executable& main = sample.main();
  main.fully_deterministic = false;
  main.hints.resize(4);
  const ReplayResult result = replay(main, simple_link(true), 100);
  EXPECT_EQ(result.listed / 1000, 384U + 100);
  EXPECT_EQ(result.total / 1000, 384U + 100 + 32);
  EXPECT_TRUE(result.steps.back().inferred);
  EXPECT_FALSE(result.steps[3].inferred);
}

TEST(DarwinnReplay, TimesAreRoundedUp) {
  EXPECT_EQ(transfer_time(170032, 300000000), 566773334U);
  EXPECT_EQ(transfer_time(1, 3), 333333333334U);
  EXPECT_EQ(transfer_time(0, 3), 0U);
  EXPECT_EQ(transfer_time(2147483647, 30000000), 71582788233334U);
}

TEST(LinkFile, IsStrict) {
  const auto refused = [](const std::string& text, const std::string& says) {
    try {
      (void)parse_link(text, "l.json");
      ADD_FAILURE() << "accepted";
    } catch (const UserError& error) {
      EXPECT_NE(std::string(error.what()).find(says), std::string::npos) << error.what();
    }
  };
  const std::string good = read_text(TACTUS_SOURCE_DIR "/configs/links/usb3.json");
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  EXPECT_EQ(parse_link(good, "l.json").in_bytes_per_second, 300000000U);
  refused(changed("\"name\"", "\"rate\": 1, \"name\""), "l.json:/rate: unknown key");
  refused(changed("\"fixed_ps\": {", "\"fixed\": {"), "l.json:/provenance/fixed_ps");
  refused(changed("300000000", "0"), "l.json:/out_bytes_per_second: 0 is out of range");
  refused(changed("\"core_hz\": 500000000,", ""), "l.json:/core_hz: missing key");
}

}  // namespace
}  // namespace tactus::darwinn
