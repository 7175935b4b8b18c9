// The fast reading of decimals gives the right value; std::from_chars is the definition.
#include "isa/support/decimal.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <system_error>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace tactus {
namespace {

template <typename Float>
std::string bits_of(Float value) {
  return std::isnan(value) ? "nan" : fmt::format("{:a}", value);
}

/// Returns the nearest number by std::from_chars; empty if it is out of range (too large or too
/// small, which std::from_chars does not distinguish).
template <typename Float>
std::string nearest(const std::string& text) {
  Float value = 0;
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  if (result.ec == std::errc::result_out_of_range && result.ptr == end) return "out of range";
  return result.ec == std::errc() && result.ptr == end ? bits_of(value) : "no number";
}

/// Describes how decimal.h and std::from_chars disagree about `text`; empty if they agree.
std::string disagreement(const std::string& text) {
  const std::string expected = nearest<double>(text);
  double value = 0;
  const bool good = parse_decimal(text, value);
  if (good != (expected != "no number")) return text + ": parse_decimal";
  if (good && expected != "out of range" && bits_of(value) != expected) {
    return fmt::format("{}: {} is not {}", text, bits_of(value), expected);
  }
  double fast = 0;
  const char* const end = text.data() + text.size();
  if (read_short_decimal(text.data(), end, fast) == end && bits_of(fast) != expected) {
    return fmt::format("{}: short {} is not {}", text, bits_of(fast), expected);
  }
  const std::string narrow = nearest<float>(text);
  if (!good || narrow == "out of range") return {};
  const std::string found = bits_of(nearest_float(text, value));
  return found == narrow ? "" : fmt::format("{}: float {} is not {}", text, found, narrow);
}

TEST(Decimal, ShortDecimalsEndWhereTheirDigitsEnd) {
  const auto read = [](const std::string& text) -> std::string {
    double value = 0;
    const char* const end = read_short_decimal(text.data(), text.data() + text.size(), value);
    return end == nullptr ? "other" : fmt::format("{} {}", value, text.data() + text.size() - end);
  };
  EXPECT_EQ(read("1.5,2"), "1.5 2");
  EXPECT_EQ(read("-0.25"), "-0.25 0");
  EXPECT_EQ(read("7."), "7 0");
  EXPECT_EQ(read(".5e3"), "0.5 2");
  EXPECT_EQ(read("0001.50"), "1.5 0");
  EXPECT_EQ(read("9007199254740992"), "9007199254740992 0");
  EXPECT_EQ(read("0.9007199254740993"), "other");
  EXPECT_EQ(read("00000000000000000001"), "other");
  for (const std::string text : {"", "-", ".", "-.", "+1", "e5", "x", " 1", "--1", "inf", "nan"}) {
    EXPECT_EQ(read(text), "other") << text;
  }
}

TEST(Decimal, EdgesAgreeWithTheLibrary) {
  for (const std::string text :
       {"0", "-0", "0.0", "-0.0", "1", "0.1", "9007199254740991", "9007199254740992",
        "9007199254740993", "9999999999999999999", "18446744073709551615", "18446744073709551617",
        "36893488147419103233", "0.0000000000000000001", "0.000000000000000001234", "1e-45",
        "7e-46", "1.1754943e-38", "1.17549435082228750797e-38", "3.4028235e38",
        "3.4028235677973366e38", "3.40282356779733661637539395458142568447e38", "1.7e308",
        "1.8e308", "4.9e-324", "1e-400", "1e400", "inf", "-infinity", "nan", "1e", "1.2.3", "0x1p3",
        "-",
        // Midpoints of two floats, and neighbours that round to the midpoint as doubles.
        "1.000000059604644775390625", "1.0000000596046447753906250000001",
        "1.0000000596046447753906249999999", "1.000000178813934326171875",
        "1.0000001788139343261718750000001", "1.0000001788139343261718749999999", "16777217",
        "16777219", "16777217.000000001", "16777216.999999999"}) {
    EXPECT_EQ(disagreement(text), "");
  }
}

/// Texts with random digits, points and exponents. They have fewer and more than 19 digits, and
/// mantissas below and above 2^53.
TEST(Decimal, RandomTextsAgreeWithTheLibrary) {
  std::mt19937_64 random(1);
  const auto digits = [&](unsigned most) {
    std::string text;
    for (std::uint64_t left = random() % (most + 1); left > 0; --left) {
      text += static_cast<char>('0' + (random() % 3 == 0 ? 0 : random() % 10));
    }
    return text;
  };
  for (int i = 0; i < 300000; ++i) {
    std::string text = random() % 2 == 0 ? "-" : "";
    text += digits(11);
    if (random() % 4 != 0) text += "." + digits(11);
    if (random() % 4 == 0) text += fmt::format("e{}", static_cast<int>(random() % 100) - 50);
    ASSERT_EQ(disagreement(text), "");
  }
}

/// Numbers at or very near the midpoint of two floats: rounding them twice (to double, then to
/// float) would be wrong.
TEST(Decimal, MiddlesOfFloatsAgreeWithTheLibrary) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 100000; ++i) {
    const auto bits = static_cast<std::uint32_t>(random() & 0x7FFFFFFF);
    float below = 0;
    std::memcpy(&below, &bits, sizeof below);
    if (!std::isfinite(below)) continue;
    const float above = std::nextafter(below, std::numeric_limits<float>::infinity());
    if (!std::isfinite(above)) continue;
    const double middle = (static_cast<double>(below) + static_cast<double>(above)) / 2;
    // the midpoint, or a number near it
    std::string text = fmt::format("{:.{}e}", middle, random() % 120);
    ASSERT_EQ(disagreement(text), "");
    text.insert(text.find('e'), fmt::format("{}1", std::string(random() % 30, '0')));
    ASSERT_EQ(disagreement(text), "");
    ASSERT_EQ(disagreement(fmt::format("{}", middle)), "");
    ASSERT_EQ(disagreement(fmt::format("{:f}", std::ldexp(middle, -std::ilogb(middle)))), "");
  }
}

RC_GTEST_PROP(Decimal, AnyTextAgreesWithTheLibrary, ()) {
  const auto text = *rc::gen::container<std::string>(
      rc::gen::element('0', '1', '5', '9', '.', '-', 'e', '+', 'i', 'n', 'f', ' '));
  RC_ASSERT(disagreement(text) == "");
}

RC_GTEST_PROP(Decimal, AnyDoubleAgreesWithTheLibrary, (std::uint64_t bits)) {
  double value = 0;
  std::memcpy(&value, &bits, sizeof value);
  RC_ASSERT(disagreement(fmt::format("{}", value)) == "");
  RC_ASSERT(disagreement(fmt::format("{}", static_cast<float>(value))) == "");
}

}  // namespace
}  // namespace tactus
