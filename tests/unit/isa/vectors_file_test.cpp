#include "isa/tcu/vectors_file.h"

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <locale>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "isa/support/error.h"
#include "isa/support/files.h"
#include "isa/tcu/arithmetic.h"
#include "tests/unit/isa/test_files.h"

namespace tactus::tcu {
namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<std::uint8_t>;

Architecture architecture(DataType type, std::uint32_t array_size) {
  Architecture a;
  a.data_type = type;
  a.array_size = array_size;
  return a;
}

const Architecture fp16x2 = architecture(DataType::fp16bp8, 2);

Bytes parse(const std::string& text, const Architecture& arch = fp16x2,
            std::optional<std::uint64_t> expected = std::nullopt) {
  return parse_vectors_csv(text, "v.csv", arch, expected);
}

std::string parse_error(const std::string& text,
                        std::optional<std::uint64_t> expected = std::nullopt) {
  return error_of([&] { (void)parse(text, fp16x2, expected); });
}

/// Returns the mantissas of FP16BP8 numbers, with two numbers per line.
std::vector<int> mantissas(const std::string& text) {
  const Bytes image = parse(text);
  std::vector<int> result;
  for (std::size_t i = 0; i < image.size(); i += 2) {
    result.push_back(static_cast<std::int16_t>(image[i] | (image[i + 1] << 8)));
  }
  return result;
}

// ---- reading CSV --------------------------------------------------------------------------------

TEST(VectorsCsv, ReadsLittleEndianImages) {
  EXPECT_EQ(parse("1.0,-1.0\n"), (Bytes{0x00, 0x01, 0x00, 0xFF}));
  EXPECT_EQ(parse("1.0,-1.0\n", architecture(DataType::fp8bp4, 2)), (Bytes{0x10, 0xF0}));
  // 18 bits in 32; the upper 14 are zero
  EXPECT_EQ(parse("1.0,-1.0\n", architecture(DataType::fp18bp10, 2)),
            (Bytes{0x00, 0x04, 0x00, 0x00, 0x00, 0xFC, 0x03, 0x00}));
  EXPECT_EQ(parse("1.0,-1.0\n", architecture(DataType::fp32bp16, 2)),
            (Bytes{0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0xFF, 0xFF}));
}

TEST(VectorsCsv, AcceptsTheUsualLineEndsAndBlanks) {
  const std::vector<int> expected{256, 512, -256, 128};
  EXPECT_EQ(mantissas("1,2\n-1,0.5\n"), expected);
  EXPECT_EQ(mantissas("1,2\n-1,0.5"), expected);
  EXPECT_EQ(mantissas("1,2\r\n-1,0.5\r\n"), expected);
  EXPECT_EQ(mantissas("1,2\n-1,0.5\n\n\r\n"), expected);
  EXPECT_EQ(mantissas(" 1.0 ,\t2\n-1, 5e-1 \n"), expected);
  EXPECT_EQ(mantissas("+1,2.\n-1,.5\n"), expected);
  EXPECT_EQ(mantissas("\xEF\xBB\xBF"
                      "1,2\n-1,0.5\n"),
            expected);
  EXPECT_TRUE(mantissas("").empty());
  EXPECT_TRUE(mantissas("\n").empty());
}

TEST(VectorsCsv, RoundsAsTheReferenceAndSaturates) {
  // The mantissa is floor(256 x + 0.5): ties are rounded up.
  EXPECT_EQ(mantissas("0.001953125,-0.001953125\n"), (std::vector<int>{1, 0}));
  EXPECT_EQ(mantissas("0.00195,-0.00196\n"), (std::vector<int>{0, -1}));
  EXPECT_EQ(mantissas("127.99609375,-128\n"), (std::vector<int>{32767, -32768}));
  EXPECT_EQ(mantissas("1000,-1000\n"), (std::vector<int>{32767, -32768}));
  EXPECT_EQ(mantissas("3.4e38,-3.4e38\n"), (std::vector<int>{32767, -32768}));
}

TEST(VectorsCsv, SaturatedNumbersAreCounted) {
  const auto saturated = [&](const std::string& text) {
    Saturated result;
    (void)parse_vectors_csv(text, "v.csv", fp16x2, std::nullopt, &result);
    return result;
  };
  // Values up to half a step beyond the ends are rounded; this does not count as saturation.
  EXPECT_EQ(saturated("127.99609375,-128\n127.998,-128.001953125\n").count, 0U);
  EXPECT_EQ(saturated("127.998046875,0\n").count, 1U);
  EXPECT_EQ(saturated("0,-128.002\n").count, 1U);
  const Saturated some = saturated("0,1\n2, 1e3 \n-1000,3.4e38\n");
  EXPECT_EQ(some.count, 3U);
  EXPECT_EQ(some.line, 2U);
  EXPECT_EQ(some.cell, 2U);
  EXPECT_EQ(some.text(DataType::fp16bp8),
            "3 numbers are outside -128..127.99609375, the range of FP16BP8, and saturated; the "
            "first in line 2, cell 2");
  EXPECT_EQ(saturated("128,0\n").text(DataType::fp16bp8),
            "1 number is outside -128..127.99609375, the range of FP16BP8, and saturated; the "
            "first in line 1, cell 1");
}

TEST(VectorsCsv, TinyNumbersAreZero) {
  EXPECT_EQ(mantissas("1e-60,-1e-400\n"), (std::vector<int>{0, 0}));
  EXPECT_EQ(mantissas("1e-999999999999999999999999,0e999999999999999999999999\n"),
            (std::vector<int>{0, 0}));
  EXPECT_EQ(mantissas("0." + std::string(500, '0') + "1,1" + std::string(500, '0') + "e-500\n"),
            (std::vector<int>{0, 256}));
  EXPECT_EQ(mantissas("1" + std::string(300, '0') + "e-700,0.0001e-320\n"),
            (std::vector<int>{0, 0}));
}

TEST(VectorsCsv, TinyAndHugeAreToldApartByDigitsAndExponent) {
  const std::string zeros(400, '0');
  EXPECT_EQ(mantissas("0." + zeros + "1e300,1\n"), (std::vector<int>{0, 256}));  // 1e-101
  EXPECT_NE(parse_error("1" + zeros + "e-300,1\n").find("is not finite"), std::string::npos);
}

TEST(VectorsCsv, AMantissaWiderThanAFloatIsExact) {
  const Architecture wide = architecture(DataType::fp32bp16, 2);
  EXPECT_EQ(parse("256.0000152587890625,32767.9999847412109375\n", wide),
            (Bytes{0x01, 0x00, 0x00, 0x01, 0xFF, 0xFF, 0xFF, 0x7F}));
  // These numbers are no mantissas, so they are read as float32: 256.00001 becomes 256 + 2^-16,
  // which is rounded to 256.
  EXPECT_EQ(parse("256.00001,-32768\n", wide),
            (Bytes{0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x80}));
}

TEST(VectorsCsv, CellErrorsGiveLineAndCell) {
  EXPECT_EQ(parse_error("1,2\n3,x\n"), "v.csv:2:2: \"x\" is not a decimal number");
  EXPECT_EQ(parse_error("1,2\n,4\n"), "v.csv:2:1: the cell is empty; a decimal number is needed");
  EXPECT_EQ(parse_error("1, \n3,4"), "v.csv:1:2: the cell is empty; a decimal number is needed");
  EXPECT_EQ(parse_error("nan,1\n"), "v.csv:1:1: \"nan\" is not finite as a 32-bit float");
  EXPECT_EQ(parse_error("1,-Infinity\n"),
            "v.csv:1:2: \"-Infinity\" is not finite as a 32-bit float");
  EXPECT_EQ(parse_error("1,4e38\n"), "v.csv:1:2: \"4e38\" is not finite as a 32-bit float");
  EXPECT_EQ(parse_error("1,1e999999999999999999999\n"),
            "v.csv:1:2: \"1e999999999999999999999\" is not finite as a 32-bit float");
  for (const std::string bad : {"1.5f", "0x10", "1 2", "1.2.3", "--1", "+-1", "+", "-", ".", "1e",
                                "1d0", "\"1\"", "1;2", "1\r1"}) {
    EXPECT_NE(parse_error("1," + bad + "\n"), "no error") << bad;
  }
  EXPECT_EQ(parse_error("1,\x01\xff\n"), "v.csv:1:2: \"\\x01\\xFF\" is not a decimal number");
}

TEST(VectorsCsv, LinesHaveExactlyOneVector) {
  EXPECT_EQ(parse_error("1,2\n3\n"), "v.csv:2: 1 cells; expected 2 (array_size)");
  EXPECT_EQ(parse_error("1,2,\n"), "v.csv:1: 3 cells; expected 2 (array_size)");
  EXPECT_EQ(parse_error("1,2\n\n3,4\n"),
            "v.csv:2: the line is empty; expected 2 cells (array_size)");
}

TEST(VectorsCsv, TheFirstProblemsAreShownAndAllCounted) {
  std::string text;
  for (int i = 0; i < 12; ++i) text += "1\n";
  const std::string error = parse_error(text);
  EXPECT_NE(error.find("v.csv:10: 1 cells; expected 2 (array_size)\nv.csv: and 2 more"),
            std::string::npos);
  EXPECT_EQ(error.find("v.csv:11:"), std::string::npos);
}

TEST(VectorsCsv, TheCountMustMatch) {
  EXPECT_EQ(parse_error("1,2\n3,4\n", 2), "no error");
  EXPECT_EQ(parse_error("1,2\n3,4\n", 3), "v.csv: 2 vectors of 2 scalars; expected 3");
  EXPECT_EQ(parse_error("", 1), "v.csv: 0 vectors of 2 scalars; expected 1");
}

TEST(VectorsCsv, TheLocaleDoesNotMatter) {
  class DecimalComma : public std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
  };
  const std::locale before = std::locale::global(std::locale(std::locale(), new DecimalComma));
  const std::vector<int> read = mantissas("1.5,2.25\n");
  const std::string written = to_csv({0x80, 0x01, 0x40, 0x02}, fp16x2);
  std::locale::global(before);
  EXPECT_EQ(read, (std::vector<int>{384, 576}));
  EXPECT_EQ(written, "1.5,2.25\r\n");
}

// ---- writing CSV --------------------------------------------------------------------------------

TEST(VectorsCsv, WritesShortestDecimals) {
  EXPECT_EQ(to_csv({0x80, 0x01, 0xC0, 0xFF, 0x00, 0x03, 0x00, 0x00}, fp16x2),
            "1.5,-0.25\r\n3.0,0.0\r\n");
  EXPECT_EQ(to_csv({0xFF, 0x7F, 0x00, 0x80, 0x01, 0x00, 0xFF, 0xFF}, fp16x2),
            "127.99609,-128.0\r\n0.00390625,-0.00390625\r\n");
  const Architecture wide = architecture(DataType::fp32bp16, 2);
  EXPECT_EQ(to_csv({0x01, 0x00, 0x00, 0x01, 0x01, 0x00, 0x00, 0x00}, wide),
            "256.00001525878906,0.000015258789\r\n");
  // Bits above bit 17 are ignored.
  EXPECT_EQ(
      to_csv({0x00, 0xFC, 0xFF, 0xFF, 0x00, 0x04, 0xFC, 0xFF}, architecture(DataType::fp18bp10, 2)),
      "-1.0,1.0\r\n");
  EXPECT_EQ(to_csv({}, fp16x2), "");
  EXPECT_THROW((void)to_csv({1, 2, 3}, fp16x2), InternalError);
}

TEST(VectorsCsv, EveryMantissaOfTheNarrowTypesReadsBack) {
  for (const DataType type : {DataType::fp8bp4, DataType::fp16bp8, DataType::fp18bp10}) {
    const Architecture arch = architecture(type, 2);
    Bytes image;
    for (std::int64_t m = info(type).min(); m <= info(type).max(); ++m) {
      const auto bits = static_cast<std::uint64_t>(m) & ((1U << info(type).width_bits) - 1);
      for (unsigned i = 0; i < info(type).storage_bytes; ++i) {
        image.push_back(static_cast<std::uint8_t>(bits >> (8 * i)));
      }
    }
    EXPECT_EQ(parse(to_csv(image, arch), arch), image) << info(type).name;
  }
}

RC_GTEST_PROP(VectorsCsv, EveryFp32MantissaReadsBack, (std::vector<std::uint8_t> image)) {
  image.resize(image.size() / 8 * 8);
  const Architecture wide = architecture(DataType::fp32bp16, 2);
  RC_ASSERT(parse(to_csv(image, wide), wide) == image);
}

RC_GTEST_PROP(VectorsCsv, AnyFloatIsQuantised, (float value)) {
  RC_PRE(std::isfinite(value));
  const std::string text = fmt::format("{0},{0}\n", value);
  RC_ASSERT(mantissas(text)[1] == quantise(DataType::fp16bp8, value));
}

RC_GTEST_PROP(VectorsCsv, AnyBytesEitherParseOrThrowUserError, ()) {
  const auto text = *rc::gen::container<std::string>(rc::gen::oneOf(
      rc::gen::element('0', '1', '9', '.', '-', '+', 'e', ',', '\n', '\r', ' ', 'n', 'a', 'i'),
      rc::gen::arbitrary<char>()));
  try {
    RC_ASSERT(parse(text).size() % fp16x2.vector_bytes() == 0U);
  } catch (const UserError&) {
  }
}

// ---- files --------------------------------------------------------------------------------------

class VectorsFile : public ScratchFolder {};

TEST_F(VectorsFile, RawFilesAreWholeVectors) {
  const std::string file = path("v.tdata");
  const Bytes image{1, 2, 3, 4, 5, 6, 7, 8};
  write_vectors_raw(file, image, fp16x2);
  EXPECT_EQ(read_vectors_raw(file, fp16x2), image);
  EXPECT_EQ(read_vectors_raw(file, fp16x2, 2), image);
  EXPECT_EQ(error_of([&] { (void)read_vectors_raw(file, fp16x2, 3); }),
            file + ": 2 vectors of 2 scalars; expected 3");
  EXPECT_EQ(error_of([&] { (void)read_vectors_raw(file, architecture(DataType::fp32bp16, 3)); }),
            file +
                ": 8 bytes are not a whole number of vectors; a vector has 12 bytes "
                "(3 scalars of FP32BP16)");
  EXPECT_THROW(write_vectors_raw(file, {1, 2, 3}, fp16x2), InternalError);
}

TEST_F(VectorsFile, RawFilesKeepTheBitsThatTheUnitIgnores) {
  const Bytes image(8, 0xFF);
  write_vectors_raw(path("v.bin"), image, architecture(DataType::fp18bp10, 2));
  EXPECT_EQ(read_vectors_raw(path("v.bin"), architecture(DataType::fp18bp10, 2)), image);
}

TEST_F(VectorsFile, TheExtensionSelectsTheFormat) {
  const Bytes image{0x80, 0x01, 0xC0, 0xFF};
  for (const std::string name : {"v.csv", "v.bin", "v.tdata"}) {
    write_vectors(path(name), image, fp16x2);
    EXPECT_EQ(read_vectors(path(name), fp16x2, 1), image) << name;
  }
  EXPECT_EQ(read_text(path("v.csv")), "1.5,-0.25\r\n");
  EXPECT_EQ(read_file(path("v.bin")), image);
  for (const std::string name : {"v.txt", "v", "x.csv/v", "csv", "v.csv.gz", ""}) {
    const std::string error =
        name + ": the name must end in .csv (decimal text), .bin or .tdata (raw bytes)";
    EXPECT_EQ(error_of([&] { (void)read_vectors(name, fp16x2); }), error);
    EXPECT_EQ(error_of([&] { write_vectors(name, image, fp16x2); }), error);
  }
}

TEST_F(VectorsFile, ErrorsNameTheFile) {
  write_file_atomically(path("v.csv"), "1,2\n3,x\n");
  EXPECT_EQ(error_of([&] { (void)read_vectors(path("v.csv"), fp16x2); }),
            path("v.csv") + ":2:2: \"x\" is not a decimal number");
  EXPECT_EQ(error_of([&] { (void)read_vectors(path("no.bin"), fp16x2); }),
            path("no.bin") + ": no such file");
}

TEST(VectorsShared, InputsOfCompiledModelsLoad) {
  const fs::path programs = shared_root() / "golden/tcu/programs";
  if (!fs::is_directory(programs)) GTEST_SKIP() << programs << " is not there";
  const auto count = [&](const char* file, std::uint32_t array_size, std::uint64_t vectors) {
    const Architecture arch = architecture(DataType::fp16bp8, array_size);
    const Bytes image = read_vectors((programs / file).string(), arch, vectors);
    EXPECT_EQ(image.size(), vectors * arch.vector_bytes());
    EXPECT_EQ(parse(to_csv(image, arch), arch), image);
  };
  count("resnet20v2_zcu104/inputs.csv", 32, 10240);
  count("speech_commands/input.csv", 8, 15996);
}

}  // namespace
}  // namespace tactus::tcu
