// Written packages have the layout of real ones, and are read back unchanged.
#include <cstring>

#include <gtest/gtest.h>

#include "isa/darwinn/file.h"
#include "isa/darwinn/json.h"
#include "isa/darwinn/linker.h"
#include "isa/darwinn/relayout.h"
#include "isa/darwinn/verify.h"
#include "isa/darwinn/writer.h"
#include "tests/darwinn/golden.h"
#include "tests/darwinn/sample_package.h"

namespace tactus::darwinn {
namespace {

using Json = nlohmann::json;

/// Returns the content of a package as JSON, without positions in the file.
Json content(const File& file) {
  Json json = Json::parse(to_json(file));
  Json package = file.tflite() != nullptr ? json["custom_ops"][0]["package"] : json["package"];
  for (const char* key : {"file_offset", "file_offset_mod_4096", "bytes", "multi_executable_bytes",
                          "multi_executable_offset_in_package"}) {
    package.erase(key);
  }
  for (Json& executable : package["executables"]) {
    for (const char* key : {"offset_in_package", "serialized_bytes", "fields_present",
                            "parameter_offset_in_executable"}) {
      executable.erase(key);
    }
  }
  return package;
}

void expect_aligned(const File& file) {
  const Package& package = file.package();
  EXPECT_EQ(package.bytes % 4096, 0);
  EXPECT_EQ(package.multi_offset, 4096);
  for (const Executable& executable : package.executables) {
    EXPECT_EQ(executable.offset % 4096, 0);
    EXPECT_EQ(executable.bytes % 4096, 0);
    if (executable.parameters.empty()) continue;
    EXPECT_EQ(executable.parameters_offset, 4096);
  }
}

TEST(DarwinnWriter, IsAlignedAndReadsBack) {
  const SamplePackage sample;
  const File file(write_package(sample.package), "a");
  expect_aligned(file);
  const File other(write_package_unaligned(sample.package), "b");
  EXPECT_LT(other.package().bytes, file.package().bytes);
  EXPECT_EQ(content(file), content(other));
  EXPECT_TRUE(verify(other.package(), "b").empty());
  EXPECT_EQ(std::memcmp(file.package().executables[1].parameters.data(), sample.parameters.data(),
                        sample.parameters.size()),
            0);
}

TEST(DarwinnWriter, RealModelsReadBack) {
  DARWINN_NEEDS_GOLDEN("manifest.json");
  const Json manifest = golden_json("manifest.json");
  for (const auto& [name, facts] : manifest.at("files").items()) {
    SCOPED_TRACE(name);
    const File file(golden_file("tflite/" + name));
    const File again(write_package(file.package()), name);
    expect_aligned(again);
    EXPECT_EQ(content(file), content(again));
  }
}

// A package for a TCU, written by another tool.
TEST(DarwinnWriter, ReadsATcuPackageOfAnotherTool) {
  DARWINN_NEEDS_GOLDEN("tcu_profile_a_copy.dwn1");
  const Json golden = golden_json("tcu_profile_a_copy.json");
  const File file(golden_file("tcu_profile_a_copy.dwn1"));
  EXPECT_TRUE(verify(file.package(), "copy").empty());
  const Executable& main = file.package().main();
  const auto hex = [](ByteView bytes) {
    std::string text;
    for (const std::uint8_t byte : bytes) text += fmt::format("{:02x}", byte);
    return text;
  };
  EXPECT_EQ(hex(main.chunks[0].code), golden.at("unlinked_program_hex"));
  Addresses blocks;
  blocks.scratch = 0x10000000 >> 16;
  blocks.parameters = 0x18000000 >> 16;
  EXPECT_EQ(hex(link(main, 0, blocks)), golden.at("linked_program_hex"));
  std::vector<std::uint8_t> device(64), host(40);
  for (std::size_t i = 0; i < device.size(); ++i) device[i] = static_cast<std::uint8_t>(i);
  Relayout(main.outputs[0]).run(device.data(), host.data());
  EXPECT_EQ(Json(host), golden.at("relayout").at("dest_bytes"));
}

TEST(DarwinnInput, InputsOfRepeatedExecutionsArePaddedOneByOne) {
  SamplePackage sample;
  Layer& layer = sample.input();  // 48 bytes of data, padded to 56
  layer.executions = 3;
  const auto tensor = pattern(3 * 48);
  const auto device = scatter_input(layer, tensor);
  ASSERT_EQ(device.size(), 3U * 56);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(std::memcmp(&device[56 * i], &tensor[48 * i], 48), 0);
    for (std::size_t k = 48; k < 56; ++k) EXPECT_EQ(device[56 * i + k], 0);
  }
}

TEST(BuddyAllocatorTest, FreedHalvesJoin) {
  BuddyAllocator allocator(0, 1 << 20);
  const auto first = allocator.allocate(4096), second = allocator.allocate(100000);
  const auto third = allocator.allocate(1);
  EXPECT_EQ(third, 4096U);
  EXPECT_EQ(allocator.used(), 4096U + 131072 + 4096);
  EXPECT_THROW((void)allocator.allocate(1 << 20), UserError);
  EXPECT_THROW((void)allocator.allocate(0), UserError);
  allocator.release(first);
  allocator.release(second);
  allocator.release(third);
  EXPECT_EQ(allocator.used(), 0U);
  EXPECT_EQ(allocator.allocate(1 << 20), 0U);
}

}  // namespace
}  // namespace tactus::darwinn
