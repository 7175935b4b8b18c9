#include "isa/tcu/architecture.h"

#include <filesystem>
#include <string>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "isa/support/error.h"
#include "isa/support/files.h"
#include "isa/tcu/architecture_json.h"
#include "tests/unit/isa/test_files.h"

namespace tactus::tcu {
namespace {

/// Returns pynqz1.tarch with `from` replaced by `to`.
std::string with(const std::string& from, const std::string& to) {
  std::string text = R"({
  "data_type": "FP16BP8",
  "array_size": 8,
  "dram0_depth": 1048576,
  "dram1_depth": 1048576,
  "local_depth": 8192,
  "accumulator_depth": 2048,
  "simd_registers_depth": 1,
  "stride0_depth": 8,
  "stride1_depth": 8,
  "number_of_threads": 1,
  "thread_queue_depth": 8
})";
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string text_error(const std::string& text) {
  return error_of([&] { (void)parse_architecture(text, "x.tarch"); });
}

/// Returns the error for a value of the key. (The old value becomes a comment.)
std::string error_with(const std::string& key, const std::string& value) {
  std::string text = with("\"" + key + "\": ", "\"" + key + "\": " + value + "/*");
  text.insert(text.find_first_of(",\n", text.find("/*")), "*/");
  return text_error(text);
}

TEST(Architecture, DefaultsArePynqZ1) {
  EXPECT_EQ(parse_architecture(with("{", "{"), "x.tarch"), Architecture());
}

TEST(Architecture, EveryShippedFileLoads) {
  const std::string folder = (source_root() / "configs/arch/").string();
  const auto expect = [&](const char* name, std::uint32_t array_size, std::uint64_t dram0,
                          std::uint64_t dram1, std::uint64_t local, std::uint64_t accumulator) {
    Architecture expected;
    expected.array_size = array_size;
    expected.dram0_depth = dram0;
    expected.dram1_depth = dram1;
    expected.local_depth = local;
    expected.accumulator_depth = accumulator;
    EXPECT_EQ(read_architecture(folder + name), expected) << name;
  };
  expect("artya7100t.tarch", 8, 1048576, 1048576, 8192, 2048);
  expect("cmoda7.tarch", 4, 4096, 32768, 4096, 4096);
  expect("pynqz1.tarch", 8, 1048576, 1048576, 8192, 2048);
  expect("speech_robot.tarch", 8, 131072, 131072, 8192, 2048);
  expect("ultra96v2.tarch", 16, 2097152, 2097152, 20480, 4096);
  expect("zcu104.tarch", 32, 2097152, 2097152, 16384, 4096);
  expect("zcu104_uram.tarch", 32, 2097152, 2097152, 49152, 20480);
  // Two more files add lookup tables to two of these architectures.
  for (const char* name : {"ultra96v2", "zcu104"}) {
    Architecture expected = read_architecture(folder + name + ".tarch");
    expected.lookup_tables = {2, 256, 4};
    expected.simd_registers_depth = 3;
    EXPECT_EQ(read_architecture(folder + name + "_tables.tarch"), expected) << name;
  }
  const auto files = std::filesystem::directory_iterator(folder);
  EXPECT_EQ(std::distance(files, std::filesystem::directory_iterator()), 9);
}

TEST(Architecture, DataTypes) {
  const auto expect = [](DataType type, const char* name, unsigned width, unsigned point,
                         unsigned bytes, std::int64_t min, std::int64_t max) {
    EXPECT_EQ(parse_architecture(with("FP16BP8", name), "x").data_type, type);
    EXPECT_EQ(info(type).name, name);
    EXPECT_EQ(info(type).width_bits, width);
    EXPECT_EQ(info(type).binary_point, point);
    EXPECT_EQ(info(type).storage_bytes, bytes);
    EXPECT_EQ(info(type).min(), min);
    EXPECT_EQ(info(type).max(), max);
  };
  expect(DataType::fp8bp4, "FP8BP4", 8, 4, 1, -128, 127);
  expect(DataType::fp16bp8, "FP16BP8", 16, 8, 2, -32768, 32767);
  expect(DataType::fp18bp10, "FP18BP10", 18, 10, 4, -131072, 131071);
  expect(DataType::fp32bp16, "FP32BP16", 32, 16, 4, -2147483648LL, 2147483647);
  EXPECT_THROW((void)info(static_cast<DataType>(4)), InternalError);
}

TEST(Architecture, VectorBytes) {
  Architecture a;
  EXPECT_EQ(a.vector_bytes(), 16U);
  a.data_type = DataType::fp18bp10;
  a.array_size = 256;
  EXPECT_EQ(a.vector_bytes(), 1024U);
}

TEST(Architecture, UnknownDataTypes) {
  EXPECT_EQ(text_error(with("FP16BP8", "FP16BP9")),
            "x.tarch:/data_type: \"FP16BP9\" is unknown; allowed \"FP8BP4\", \"FP16BP8\", "
            "\"FP18BP10\", \"FP32BP16\"; did you mean \"FP16BP8\"?");
  EXPECT_EQ(text_error(with("FP16BP8", "FLOAT32")),
            "x.tarch:/data_type: \"FLOAT32\" has no hardware: the unit computes in fixed point "
            "only; allowed \"FP8BP4\", \"FP16BP8\", \"FP18BP10\", \"FP32BP16\"");
}

TEST(Architecture, RangesAreTight) {
  const auto expect = [](const std::string& key, const std::string& below, const std::string& min,
                         const std::string& max, const std::string& above) {
    EXPECT_EQ(error_with(key, min), "no error") << key;
    EXPECT_EQ(error_with(key, max), "no error") << key;
    const std::string rest = " is out of range; allowed " + min + ".." + max;
    EXPECT_EQ(error_with(key, below), "x.tarch:/" + key + ": " + below + rest);
    EXPECT_EQ(error_with(key, above), "x.tarch:/" + key + ": " + above + rest);
  };
  expect("array_size", "1", "2", "256", "257");
  expect("simd_registers_depth", "0", "1", "256", "257");
  expect("stride0_depth", "0", "1", "64", "65");
  expect("stride1_depth", "0", "1", "64", "65");
  expect("number_of_threads", "0", "1", "2", "3");
  expect("thread_queue_depth", "0", "1", "65536", "65537");
}

TEST(Architecture, DepthRangesAreTight) {
  for (const std::string key : {"dram0_depth", "dram1_depth", "local_depth", "accumulator_depth"}) {
    const std::string rest = " is out of range; allowed 1..2^62";
    EXPECT_EQ(error_with(key, "1"), "no error");
    EXPECT_EQ(error_with(key, "0"), "x.tarch:/" + key + ": 0" + rest);
    EXPECT_EQ(error_with(key, "4611686018427387905"),
              "x.tarch:/" + key + ": 4611686018427387905" + rest);
  }
}

/// Returns an architecture file with these depths. With 4 strides, 62 bits are left for an address.
std::string depths(const std::string& local, const std::string& dram0, int stride0, int stride1) {
  std::string text = with("\"local_depth\": 8192", "\"local_depth\": " + local);
  const auto replace = [&](const std::string& from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
  };
  replace("\"dram0_depth\": 1048576", "\"dram0_depth\": " + dram0);
  replace("\"stride0_depth\": 8", "\"stride0_depth\": " + std::to_string(stride0));
  replace("\"stride1_depth\": 8", "\"stride1_depth\": " + std::to_string(stride1));
  return text;
}

TEST(Architecture, OperandsHoldAddressAndStride) {
  const std::string deepest = "4611686018427387904";  // 2^62
  EXPECT_EQ(text_error(depths(deepest, "16", 4, 4)), "no error");
  EXPECT_EQ(text_error(depths("16", deepest, 64, 4)), "no error");
  EXPECT_EQ(text_error(depths("16", deepest, 64, 5)),
            "x.tarch:/stride1_depth: operand 1 needs 62 address bits (deepest memory "
            "4611686018427387904) and 3 stride bits; allowed 64 together");
  EXPECT_EQ(text_error(depths(deepest, "16", 5, 64)),
            "x.tarch:/stride0_depth: operand 0 needs 62 address bits (deepest memory "
            "4611686018427387904) and 3 stride bits; allowed 64 together\n"
            "x.tarch:/stride1_depth: operand 1 needs 62 address bits (deepest memory "
            "4611686018427387904) and 6 stride bits; allowed 64 together");
  std::string deep_accumulators = depths("16", "16", 5, 4);
  deep_accumulators.replace(deep_accumulators.find("2048"), 4, deepest);
  EXPECT_EQ(text_error(deep_accumulators),
            "x.tarch:/stride0_depth: operand 0 needs 62 address bits (deepest memory "
            "4611686018427387904) and 3 stride bits; allowed 64 together");
  // 2^58 vectors and 64 strides need exactly 64 bits; one vector more needs 65.
  EXPECT_EQ(text_error(depths("288230376151711744", "16", 64, 64)), "no error");
  EXPECT_NE(text_error(depths("288230376151711745", "16", 64, 64)), "no error");
}

class ArchitectureFile : public ScratchFolder {};

TEST_F(ArchitectureFile, KeysThatAreLeftOutHaveTheirDefaults) {
  EXPECT_EQ(parse_architecture("{}", "x.tarch"), Architecture());
  const std::string file = path("left_out.tarch");
  write_file_atomically(file, std::string_view(R"({"array_size": 24, "local_depth": 100})"));
  Architecture expected;
  expected.array_size = 24;
  expected.local_depth = 100;
  std::string defaults;
  EXPECT_EQ(read_architecture(file, defaults), expected);
  EXPECT_EQ(defaults,
            "data_type FP16BP8, dram0_depth 1048576, dram1_depth 1048576, accumulator_depth 2048, "
            "simd_registers_depth 1, stride0_depth 8, stride1_depth 8, number_of_threads 1, "
            "thread_queue_depth 8");
}

TEST(Architecture, AllProblemsAtOnce) {
  EXPECT_EQ(
      text_error(R"({
    "data_type": 16, "aray_size": 8, "dram0_depth": -1, "dram1_depth": 8.0, "local_depth": "8192",
    "accumulator_depth": 2048, "accumulator_depth": 4096, "simd_registers_depth": 1,
    "stride0_depth": 8, "stride1_depth": 8, "number_of_threads": 4, "thread_queue_depth": 8,
    "decoder_timeout": 100
  })"),
      "x.tarch:/accumulator_depth: duplicate key\n"
      "x.tarch:/data_type: must be a string, is a number\n"
      "x.tarch:/dram0_depth: -1 is out of range; allowed 1..2^62\n"
      "x.tarch:/dram1_depth: must be an integer, is 8.0\n"
      "x.tarch:/local_depth: must be an integer, is a string\n"
      "x.tarch:/number_of_threads: 4 is out of range; allowed 1..2\n"
      "x.tarch:/aray_size: unknown key; did you mean \"array_size\"?\n"
      "x.tarch:/decoder_timeout: unknown key; allowed \"data_type\", \"array_size\", "
      "\"dram0_depth\", \"dram1_depth\", \"local_depth\", \"accumulator_depth\", "
      "\"simd_registers_depth\", \"stride0_depth\", \"stride1_depth\", \"number_of_threads\", "
      "\"thread_queue_depth\", \"dais_blocks\" and 4 more");
}

TEST(Architecture, FilesAreNamedInErrors) {
  EXPECT_EQ(error_of([] { (void)read_architecture("/nowhere/x.tarch"); }),
            "/nowhere/x.tarch: no such file");
}

TEST(Architecture, WritesTheReferenceKeyOrder) {
  EXPECT_EQ(to_json(Architecture()), with("{", "{"));
  EXPECT_EQ(to_json(Architecture(), -1),
            R"({"data_type":"FP16BP8","array_size":8,"dram0_depth":1048576,"dram1_depth":1048576,)"
            R"("local_depth":8192,"accumulator_depth":2048,"simd_registers_depth":1,)"
            R"("stride0_depth":8,"stride1_depth":8,"number_of_threads":1,"thread_queue_depth":8})");
}

TEST(Architecture, EqualityLooksAtEveryMember) {
  const auto differs = [](auto change) {
    Architecture changed;
    change(changed);
    return changed != Architecture() && !(changed == Architecture());
  };
  EXPECT_FALSE(differs([](Architecture&) {}));
  EXPECT_TRUE(differs([](Architecture& a) { a.data_type = DataType::fp8bp4; }));
  EXPECT_TRUE(differs([](Architecture& a) { ++a.array_size; }));
  EXPECT_TRUE(differs([](Architecture& a) { ++a.dram0_depth; }));
  EXPECT_TRUE(differs([](Architecture& a) { ++a.dram1_depth; }));
  EXPECT_TRUE(differs([](Architecture& a) { ++a.local_depth; }));
  EXPECT_TRUE(differs([](Architecture& a) { ++a.accumulator_depth; }));
  EXPECT_TRUE(differs([](Architecture& a) { ++a.simd_registers_depth; }));
  EXPECT_TRUE(differs([](Architecture& a) { ++a.stride0_depth; }));
  EXPECT_TRUE(differs([](Architecture& a) { ++a.stride1_depth; }));
  EXPECT_TRUE(differs([](Architecture& a) { ++a.number_of_threads; }));
  EXPECT_TRUE(differs([](Architecture& a) { ++a.thread_queue_depth; }));
}

RC_GTEST_PROP(Architecture, WhatIsWrittenReadsBack, ()) {
  const auto depth = rc::gen::inRange<std::uint64_t>(1, std::uint64_t{1} << 58);
  Architecture a;
  a.data_type = static_cast<DataType>(*rc::gen::inRange(0, 4));
  a.array_size = *rc::gen::inRange(2U, 257U);
  a.dram0_depth = *depth;
  a.dram1_depth = *depth;
  a.local_depth = *depth;
  a.accumulator_depth = *depth;
  a.simd_registers_depth = *rc::gen::inRange(1U, 257U);
  a.stride0_depth = *rc::gen::inRange(1U, 65U);
  a.stride1_depth = *rc::gen::inRange(1U, 65U);
  a.number_of_threads = *rc::gen::inRange(1U, 3U);
  a.thread_queue_depth = *rc::gen::inRange(1U, 65537U);
  RC_ASSERT(parse_architecture(to_json(a), "x") == a);
  RC_ASSERT(parse_architecture(to_json(a, -1), "x") == a);
}

}  // namespace
}  // namespace tactus::tcu
