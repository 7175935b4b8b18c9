// Real compiled models: all their facts, linked instructions and outputs equal those of the
// vendor's runtime.
#include <list>

#include <gtest/gtest.h>

#include "isa/darwinn/file.h"
#include "isa/darwinn/json.h"
#include "isa/darwinn/linker.h"
#include "isa/darwinn/relayout.h"
#include "isa/darwinn/verify.h"
#include "isa/support/sha256.h"
#include "tests/darwinn/golden.h"

namespace tactus::darwinn {
namespace {

using Json = nlohmann::json;

/// Expects every value of `expected` in `found` at the same path; `found` may have more keys.
void expect_holds(const Json& found, const Json& expected, const std::string& path) {
  if (expected.is_object()) {
    ASSERT_TRUE(found.is_object()) << path;
    for (const auto& [key, value] : expected.items()) {
      ASSERT_TRUE(found.contains(key)) << path << "/" << key;
      expect_holds(found[key], value, path + "/" + key);
    }
  } else if (expected.is_array()) {
    ASSERT_TRUE(found.is_array()) << path;
    ASSERT_EQ(found.size(), expected.size()) << path;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      expect_holds(found[i], expected[i], path + "/" + std::to_string(i));
    }
  } else {
    EXPECT_EQ(found, expected) << path;
  }
}

TEST(DarwinnGolden, EveryFactOfEveryModel) {
  DARWINN_NEEDS_GOLDEN("manifest.json");
  const Json manifest = golden_json("manifest.json");
  for (const auto& [name, facts] : manifest.at("files").items()) {
    SCOPED_TRACE(name);
    const std::string path = golden_file("tflite/" + name);
    const File file(path);
    EXPECT_TRUE(verify(file.package(), path).empty());
    expect_holds(Json::parse(to_json(file)), facts, "");
  }
}

Addresses golden_addresses(const Executable& executable) {
  Addresses addresses;
  addresses.scratch = 0x8000000123450000;
  addresses.parameters = 0x8000000200010000;
  constexpr std::uint64_t step = 0x01000000;
  for (std::size_t k = 0; k < executable.inputs.size(); ++k) {
    addresses.inputs.push_back({0x8000000300000000 + step * k});
  }
  for (std::size_t k = 0; k < executable.outputs.size(); ++k) {
    addresses.outputs.push_back({0x80000004a0000000 + step * k});
  }
  return addresses;
}

void expect_linked(const Executable& executable, const Json& golden) {
  // An address is given for every buffer, even if the executable does not have it.
  const Addresses addresses = golden_addresses(executable);
  const Json& hashes = golden.at("linked_chunk_sha256");
  ASSERT_EQ(executable.chunks.size(), hashes.size());
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    EXPECT_EQ(sha256(link(executable, i, addresses)), hashes[i]) << "chunk " << i;
  }
}

void expect_outputs(const Executable& executable, const Json& golden) {
  ASSERT_EQ(executable.outputs.size(), golden.size());
  for (std::size_t i = 0; i < golden.size(); ++i) {
    const Layer& layer = executable.outputs[i];
    const Json& expected = golden[i];
    SCOPED_TRACE(*layer.name);
    EXPECT_EQ(*layer.name, expected.at("name").get<std::string>());
    EXPECT_EQ(layer.padded_bytes(), expected.at("padded_bytes"));
    ASSERT_EQ(layer.actual_bytes(), expected.at("actual_bytes"));
    const auto device = pattern(static_cast<std::size_t>(layer.padded_bytes()));
    std::vector<std::uint8_t> host(static_cast<std::size_t>(layer.actual_bytes()));
    Relayout(layer).run(device.data(), host.data());
    EXPECT_EQ(sha256(host), expected.at("relayout_sha256"));
    flip_sign(layer.data_type, host.data(), host.size());
    EXPECT_EQ(sha256(host),
              expected.value("after_signed_flip_sha256", expected.at("relayout_sha256")));
  }
}

TEST(DarwinnGolden, LinkedInstructionsAndOutputs) {
  DARWINN_NEEDS_GOLDEN("link_and_relayout.json");
  const Json golden = golden_json("link_and_relayout.json");
  for (const auto& [name, executables] : golden.at("files").items()) {
    const std::string path = golden_file("tflite/" + name);
    const File file(path);
    (void)verify(file.package(), path);
    EXPECT_EQ(file.package().executables.size(), executables.size());
    for (const Executable& executable : file.package().executables) {
      SCOPED_TRACE(name + " " + std::string(type_name(executable.type)));
      const Json& expected = executables.at(std::string(type_name(executable.type)));
      expect_linked(executable, expected);
      expect_outputs(executable, expected.at("outputs"));
    }
  }
}

TEST(DarwinnGolden, BitPatches) {
  DARWINN_NEEDS_GOLDEN("link_and_relayout.json");
  const Json golden = golden_json("link_and_relayout.json");
  std::size_t count = 0;
  for (const auto& [key, expected] : golden.at("copy_uint32_bits").items()) {
    if (key == "buffer") continue;
    const std::int64_t offset = std::stoll(key);
    std::vector<std::uint8_t> buffer(96, 0xA5);
    write_bits(buffer.data(), offset, 0xDEADBEEF);
    std::string hex;
    for (std::int64_t i = 0; i < 6; ++i) {
      hex += fmt::format("{:02x}", buffer[static_cast<std::size_t>(offset / 8 + i)]);
    }
    EXPECT_EQ(hex, expected) << offset;
    ++count;
  }
  EXPECT_EQ(count, 10U);
}

TEST(DarwinnGolden, BuddyAllocator) {
  DARWINN_NEEDS_GOLDEN("link_and_relayout.json");
  const Json golden = golden_json("link_and_relayout.json");
  BuddyAllocator allocator(extended_start, extended_bytes);
  for (const auto& step : golden.at("buddy_allocator").at("sequence")) {
    const auto address = allocator.allocate(step[0].get<std::uint64_t>());
    EXPECT_EQ(fmt::format("{:#x}", address), step[1]);
  }
}

// ---- small layers -------------------------------------------------------------------------------

/// A layer of relayout_synthetic.json, with the tables that the layer refers to.
struct Synthetic {
  explicit Synthetic(const Json& json) {
    layer.name = "layer";
    layer.y = json.at("y");
    layer.x = json.at("x");
    layer.z = json.at("z");
    layer.data_type = json.at("elem") == 2 ? fixed_point16 : fixed_point8;
    layer.size_bytes = json.at("size_bytes");
    layer.executions = json.at("execs");
    layer.numerics = Numerics{};
    layer.kind = AnyLayer::output;
    layer.has_value = true;
    if (json.contains("y_tile")) {
      const char* const names[] = {"y_tile", "x_tile", "tile_off", "x_local", "y_local", "row"};
      for (const char* name : names) tables.push_back(json.at(name).get<std::vector<int>>());
      layer.layout = TileLayout{tables[0], tables[1], tables[2], tables[3], tables[4], tables[5]};
    }
    if (json.contains("shape")) layer.shape = shape(json.at("shape"));
    if (!json.contains("slices")) return;
    layer.has_shape_info = true;
    for (const Json& slice : json.at("slices")) {
      strides.push_back(slice.at("stride").get<std::vector<int>>());
      offsets.push_back(slice.at("offset"));
      layer.slices.push_back({shape(slice.at("shape")), strides.back()});
    }
    layer.slice_offsets = offsets;
  }
  Shape shape(const Json& json) {
    shapes.emplace_back();
    for (const Json& range : json) shapes.back().push_back({range[0], range[1]});
    return shapes.back();
  }

  Layer layer;
  std::list<std::vector<Range>> shapes;
  std::list<std::vector<std::int32_t>> strides;
  std::vector<std::vector<std::int32_t>> tables;
  std::vector<std::int32_t> offsets;
};

TEST(DarwinnGolden, SmallLayers) {
  DARWINN_NEEDS_GOLDEN("relayout_synthetic.json");
  const Json golden = golden_json("relayout_synthetic.json");
  for (const Json& test : golden.at("cases")) {
    SCOPED_TRACE(test.at("name").get<std::string>());
    const Synthetic synthetic(test.at("layer"));
    const Layer& layer = synthetic.layer;
    EXPECT_EQ(layer.padded_bytes(), test.at("padded"));
    EXPECT_EQ(layer.actual_bytes(), test.at("actual"));
    if (test.at("status") != "OK") {
      try {
        verify_layer(layer, AnyLayer::output, "file", "layer");
        FAIL() << "accepted";
      } catch (const PackageError& error) {
        EXPECT_EQ(error.code(), Code::slice) << error.what();
      }
      continue;
    }
    verify_layer(layer, AnyLayer::output, "file", "layer");
    EXPECT_EQ(relayout_method(layer) != RelayoutMethod::copy, test.at("needs_relayout") == 1);
    const auto device = pattern(static_cast<std::size_t>(layer.padded_bytes()));
    std::vector<std::uint8_t> host(static_cast<std::size_t>(layer.actual_bytes()));
    Relayout(layer).run(device.data(), host.data());
    std::string hex;
    for (const std::uint8_t byte : host) hex += fmt::format("{:02x}", byte);
    EXPECT_EQ(hex, test.at("out"));
  }
}

}  // namespace
}  // namespace tactus::darwinn
