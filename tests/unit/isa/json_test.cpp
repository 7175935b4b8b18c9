#include "isa/support/json.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <nlohmann/json.hpp>

#include "isa/support/error.h"
#include "isa/support/json_limits.h"
#include "isa/support/json_text.h"
#include "isa/support/text.h"
#include "tests/unit/isa/test_files.h"

namespace tactus {
namespace {

/// Returns the error of reading `text` as {"depth": 2..256}.
std::string depth_error(const std::string& text) {
  return error_of([&] {
    JsonDocument document(text, "f");
    ObjectReader root = document.root();
    (void)root.get_u64("depth", 2, 256);
    root.finish();
    document.problems().throw_if_any();
  });
}

TEST(Json, ReadsEveryKindOfValue) {
  JsonDocument document(R"(
    {
      "u64": 18446744073709551615, "u32": 7,  // as in C++
      "yes": true, "no": false, "text": "a\u00e9\n", /* and C */
      "kind": "two", "object": {"x": 1}, "array": [5, "six", {"y": 7}], "zero": -0
    })",
                        "f");
  ObjectReader root = document.root();
  EXPECT_EQ(root.get_u64("u64"), 18446744073709551615U);
  EXPECT_EQ(root.get_u32("u32", 7, 7), 7U);
  EXPECT_TRUE(root.get_bool("yes"));
  EXPECT_FALSE(root.get_bool("no"));
  EXPECT_EQ(root.get_string("text"), "a\u00e9\n");
  EXPECT_TRUE(root.is_string("text"));
  EXPECT_FALSE(root.is_string("u32"));
  EXPECT_FALSE(root.is_string("none"));
  EXPECT_EQ(root.get_enum("kind", {"one", "two"}), 1U);
  EXPECT_EQ(root.get_u64("zero"), 0U);
  ObjectReader object = root.get_object("object");
  EXPECT_EQ(object.get_u64("x"), 1U);
  EXPECT_EQ(object.path(), "/object");
  object.finish();
  const ArrayReader array = root.get_array("array");
  ASSERT_EQ(array.size(), 3U);
  EXPECT_EQ(array.get_u64(0), 5U);
  EXPECT_EQ(array.get_string(1), "six");
  EXPECT_EQ(array.get_object(2).get_u64("y"), 7U);
  EXPECT_THROW((void)array.get_u64(3), InternalError);
  root.finish();
  EXPECT_FALSE(document.problems().any());
}

TEST(Json, OptionalKeysMayBeAbsentButNotWrong) {
  JsonDocument document(R"({"a": 1, "b": "x", "c": null, "d": true})", "f");
  ObjectReader root = document.root();
  EXPECT_EQ(root.get_optional_u64("a"), 1U);
  EXPECT_EQ(root.get_optional_u32("a2"), std::nullopt);
  EXPECT_EQ(root.get_optional_string("b"), "x");
  EXPECT_EQ(root.get_optional_enum("b2", {"x"}), std::nullopt);
  EXPECT_EQ(root.get_optional_bool("d"), true);
  EXPECT_EQ(root.get_optional_bool("d2"), std::nullopt);
  EXPECT_FALSE(root.get_optional_object("e").has_value());
  EXPECT_FALSE(root.get_optional_array("e").has_value());
  EXPECT_FALSE(document.problems().any());
  EXPECT_TRUE(root.get_optional_u64("c").has_value());
  EXPECT_EQ(error_of([&] { document.problems().throw_if_any(); }),
            "f:/c: must be an integer, is null");
}

TEST(Json, IntegersAreStrict) {
  EXPECT_EQ(depth_error(R"({"depth": 2})"), "no error");
  EXPECT_EQ(depth_error(R"({"depth": 256})"), "no error");
  EXPECT_EQ(depth_error(R"({"depth": 1})"), "f:/depth: 1 is out of range; allowed 2..256");
  EXPECT_EQ(depth_error(R"({"depth": 257})"), "f:/depth: 257 is out of range; allowed 2..256");
  EXPECT_EQ(depth_error(R"({"depth": -8})"), "f:/depth: -8 is out of range; allowed 2..256");
  EXPECT_EQ(depth_error(R"({"depth": 18446744073709551624})"),
            "f:/depth: 18446744073709551624 is out of range; allowed 2..256");
  EXPECT_EQ(depth_error(R"({"depth": -9223372036854775809})"),
            "f:/depth: -9223372036854775809 is out of range; allowed 2..256");
  EXPECT_EQ(depth_error(R"({"depth": 8.0})"), "f:/depth: must be an integer, is 8.0");
  EXPECT_EQ(depth_error(R"({"depth": 8.5})"), "f:/depth: must be an integer, is 8.5");
  EXPECT_EQ(depth_error(R"({"depth": 8e0})"), "f:/depth: must be an integer, is 8e0");
  EXPECT_EQ(depth_error(R"({"depth": "8"})"), "f:/depth: must be an integer, is a string");
  EXPECT_EQ(depth_error(R"({"depth": true})"), "f:/depth: must be an integer, is a boolean");
  EXPECT_EQ(depth_error(R"({"depth": [8]})"), "f:/depth: must be an integer, is an array");
  EXPECT_EQ(depth_error(R"({"depth": {}})"), "f:/depth: must be an integer, is an object");
  EXPECT_EQ(depth_error(R"({})"), "f:/depth: missing key");
}

TEST(Json, RealsAreNumbersInAnOpenRange) {
  const auto real_error = [](const std::string& text, double& value) {
    return error_of([&] {
      JsonDocument document(text, "f");
      ObjectReader root = document.root();
      value = root.get_real("mhz", 0, 1000);
      root.finish();
      document.problems().throw_if_any();
    });
  };
  double value = 0;
  EXPECT_EQ(real_error(R"({"mhz": 33.25})", value), "no error");
  EXPECT_EQ(value, 33.25);
  EXPECT_EQ(real_error(R"({"mhz": 1000})", value), "no error");
  EXPECT_EQ(value, 1000);
  EXPECT_EQ(real_error(R"({"mhz": 1e-3})", value), "no error");
  EXPECT_EQ(value, 1e-3);
  for (const char* text : {"0", "-5", "1000.5", "1e300"}) {
    EXPECT_EQ(real_error(fmt::format(R"({{"mhz": {}}})", text), value),
              fmt::format("f:/mhz: {} is out of range; allowed above 0 and up to 1000", text));
  }
  EXPECT_EQ(real_error(R"({"mhz": "100"})", value), "f:/mhz: must be a number, is a string");
  EXPECT_EQ(real_error("{}", value), "f:/mhz: missing key");
}

TEST(Json, WrongTypesAreNamed) {
  JsonDocument document(R"({"s": 1, "b": 0, "o": [], "a": {}, "e": 2.5, "l": [1, "x"]})", "f");
  ObjectReader root = document.root();
  (void)root.get_string("s");
  (void)root.get_bool("b");
  (void)root.get_object("o").get_u64("inside");  // reported already; gives no further error
  EXPECT_EQ(root.get_array("a").size(), 0U);
  (void)root.get_enum("e", {"x"});
  const ArrayReader list = root.get_array("l");
  (void)list.get_string(0);
  (void)list.get_object(1);
  root.finish();
  EXPECT_EQ(error_of([&] { document.problems().throw_if_any(); }),
            "f:/s: must be a string, is a number\n"
            "f:/b: must be true or false, is a number\n"
            "f:/o: must be an object, is an array\n"
            "f:/a: must be an array, is an object\n"
            "f:/e: must be a string, is a number\n"
            "f:/l/0: must be a string, is a number\n"
            "f:/l/1: must be an object, is a string");
}

TEST(Json, UnknownAndMissingKeysAreReportedTogether) {
  EXPECT_EQ(depth_error(R"({"dept": 8, "colour": 1})"),
            "f:/depth: missing key\n"
            "f:/dept: unknown key; did you mean \"depth\"?\n"
            "f:/colour: unknown key; allowed \"depth\"");
  // A key that is already set is suggested if no unset key is similar.
  EXPECT_EQ(depth_error(R"({"depth": 8, "dept": 8})"),
            "f:/dept: unknown key; did you mean \"depth\"?");
}

TEST(Json, AnUnknownKeyIsReportedWithTheAllowedOnes) {
  const auto error = [](const std::string& text, unsigned keys) {
    return error_of([&] {
      JsonDocument document(text, "f");
      ObjectReader root = document.root();
      for (unsigned i = 0; i < keys; ++i)
        (void)root.has(std::string(1, static_cast<char>('a' + i)));
      root.finish();
      document.problems().throw_if_any();
    });
  };
  EXPECT_EQ(error(R"({"a": 1})", 2), "no error");
  EXPECT_EQ(error(R"({"a": 1, "colour": 1})", 2), "f:/colour: unknown key; allowed \"a\", \"b\"");
  EXPECT_EQ(error(R"({"colour": 1, "shape": 1})", 2),
            "f:/colour: unknown key; allowed \"a\", \"b\"\nf:/shape: unknown key")
      << "once for the object";
  EXPECT_EQ(error(R"({"colour": 1})", 0), "f:/colour: unknown key; allowed none");
  const std::string twelve = R"("a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l")";
  EXPECT_EQ(error(R"({"colour": 1})", 12), "f:/colour: unknown key; allowed " + twelve);
  EXPECT_EQ(error(R"({"colour": 1})", 14),
            "f:/colour: unknown key; allowed " + twelve + " and 2 more");
}

TEST(Json, UnknownNamesAreReportedWithTheAllowedOnes) {
  const auto enum_error = [](const std::string& name) {
    return error_of([&] {
      JsonDocument document("{\"e\": \"" + name + "\"}", "f");
      (void)document.root().get_enum("e", {"FP8BP4", "FP16BP8"});
      document.problems().throw_if_any();
    });
  };
  EXPECT_EQ(enum_error("FP16BP8"), "no error");
  EXPECT_EQ(enum_error("fp16bp8"),
            "f:/e: \"fp16bp8\" is unknown; allowed \"FP8BP4\", \"FP16BP8\"; "
            "did you mean \"FP16BP8\"?");
  EXPECT_EQ(enum_error("bfloat"), "f:/e: \"bfloat\" is unknown; allowed \"FP8BP4\", \"FP16BP8\"");
  EXPECT_EQ(enum_error("a\\nb"), "f:/e: \"a\\x0Ab\" is unknown; allowed \"FP8BP4\", \"FP16BP8\"");
}

TEST(Json, DuplicateKeysAreReportedWithTheirPath) {
  EXPECT_EQ(depth_error(R"({"depth": 8, "depth": 9})"), "f:/depth: duplicate key");
  JsonDocument document(
      R"({"a": [0, {"b/c~": {"d": 1, "d": {"x": [1, {"y": 1, "y": 2}]}, "d": 3}}]})", "f");
  const ArrayReader a = document.root().get_array("a");
  EXPECT_EQ(a.get_object(1).get_object("b/c~").get_u64("d"), 1U);
  EXPECT_EQ(error_of([&] { document.problems().throw_if_any(); }),
            "f:/a/1/b~1c~0/d: duplicate key\n"
            "f:/a/1/b~1c~0/d/x/1/y: duplicate key\n"
            "f:/a/1/b~1c~0/d: duplicate key");
}

TEST(Json, TheRootMustBeAnObject) {
  EXPECT_EQ(depth_error("[1]"), "f: must be an object, is an array");
  EXPECT_EQ(depth_error("null"), "f: must be an object, is null");
}

TEST(Json, SyntaxErrorsGiveLineAndColumn) {
  EXPECT_EQ(depth_error("{\n  \"depth\" 8\n}"),
            "f:2:11: syntax error while parsing object separator - unexpected number literal; "
            "expected ':'");
  EXPECT_EQ(depth_error("{\"depth\": 8"),
            "f:1:12: syntax error while parsing object - unexpected end of input; expected '}'");
  EXPECT_EQ(depth_error("{\"depth\": 8,}"),
            "f:1:13: syntax error while parsing object key - unexpected '}'; "
            "expected string literal");
  EXPECT_EQ(depth_error("{\"depth\": 8} x"),
            "f:1:14: syntax error while parsing value - invalid literal");
  EXPECT_EQ(depth_error("{\"depth\": 08}"),
            "f:1:12: syntax error while parsing object - unexpected number literal; expected '}'");
  EXPECT_EQ(depth_error("{\"depth\": NaN}"),
            "f:1:11: syntax error while parsing value - invalid literal");
  EXPECT_EQ(depth_error("{\"\u00e9\": ?}"),
            "f:1:7: syntax error while parsing value - invalid literal");
  EXPECT_EQ(depth_error("{\"depth\": 8 /*"),
            "f:1:15: syntax error while parsing object - invalid comment; missing closing '*/'");
}

TEST(Json, HugeNumbersAreRefused) {
  EXPECT_EQ(depth_error("{\"depth\": 1e400}"), "f:1:15: the number is too large");
  EXPECT_EQ(depth_error("{\"depth\":\n" + std::string(400, '9') + "}"),
            "f:2:400: the number is too large");
  EXPECT_EQ(depth_error("{\"depth\": " + std::string(300, '9') + "}"),
            "f:/depth: " + std::string(60, '9') + "... is out of range; allowed 2..256");
}

TEST(Json, FilesThatAreNotJson) {
  EXPECT_EQ(depth_error(""), "f: the file is empty");
  EXPECT_EQ(depth_error(" \r\n"), "f: the file is empty");
  EXPECT_EQ(depth_error("version https://git-lfs.github.com/spec/v1\noid sha256:0\n"),
            "f: is a Git LFS pointer, not the file itself; fetch it with \"git lfs pull\"");
  EXPECT_EQ(depth_error("{\n\"a\": \"\xff\"}"), "f:2:7: not valid UTF-8");
  EXPECT_EQ(depth_error("{\"a\": \"\xed\xa0\x80\"}"), "f:1:8: not valid UTF-8");
  EXPECT_EQ(depth_error(std::string("{\"depth\": 8}\0{", 14)), "f:1:13: NUL byte");
  const std::string document = "{\"depth\": 8}";
  const std::string padding((4U << 20) - document.size(), ' ');
  EXPECT_EQ(depth_error(padding + document), "no error");
  EXPECT_EQ(depth_error(padding + " " + document), "f: 4194305 bytes; allowed at most 4194304");
}

TEST(Json, AByteOrderMarkIsSkipped) {
  EXPECT_EQ(depth_error("\xEF\xBB\xBF{\"depth\": 8}"), "no error");
  EXPECT_EQ(depth_error("\xEF\xBB\xBF{\"depth\": ?}"),
            "f:1:11: syntax error while parsing value - invalid literal");
}

TEST(Json, NestingIsLimited) {
  const auto nested = [](std::size_t levels) {
    return depth_error("{\"depth\": 8, \"x\": " + std::string(levels - 1, '[') +
                       std::string(levels - 1, ']') + "}");
  };
  EXPECT_EQ(nested(64), "f:/x: unknown key; allowed \"depth\"");
  EXPECT_EQ(nested(65), "f: nested deeper than 64 levels");
  EXPECT_EQ(depth_error(std::string(1000000, '[')), "f: nested deeper than 64 levels");
}

TEST(Json, OfManyProblemsTheFirstAreShownAndAllCounted) {
  std::string text = "{\"depth\": 8";
  for (int i = 0; i < 60; ++i) text += ", \"k" + std::to_string(i) + "\": 1";
  const std::string error = depth_error(text + "}");
  EXPECT_NE(error.find("f:/k49: unknown key\nf: and 10 more"), std::string::npos);
  EXPECT_EQ(error.find("k50"), std::string::npos);
}

TEST(Json, AnObjectHasALimitOfKeys) {
  std::string text = "{\"depth\": 8";
  for (std::size_t i = 0; i < most_json_keys; ++i) text += ", \"k" + std::to_string(i) + "\": 1";
  EXPECT_EQ(depth_error(text + "}"), "f:/k9999: the object has more than 10000 keys");
  EXPECT_THROW((void)json_of_text(text + "}"), UserError);
  EXPECT_THROW((void)json_or_discarded(text + "}"), UserError);
  EXPECT_EQ(json_of_text("[{\"a\": 1}, {\"a\": 1}]").size(), 2U);
}

TEST(Problems, ConcernsPathsAboveAndBelow) {
  Problems problems("f");
  problems.add("/a/bc", "x");
  EXPECT_TRUE(problems.concerns("/a/bc"));
  EXPECT_TRUE(problems.concerns("/a"));
  EXPECT_TRUE(problems.concerns("/a/bc/d"));
  EXPECT_TRUE(problems.concerns(""));
  EXPECT_FALSE(problems.concerns("/a/b"));
  EXPECT_FALSE(problems.concerns("/a/bcd"));
  EXPECT_FALSE(Problems("f").concerns(""));
}

TEST(Text, EditDistanceCountsEdits) {
  EXPECT_EQ(edit_distance("", ""), 0U);
  EXPECT_EQ(edit_distance("abc", ""), 3U);
  EXPECT_EQ(edit_distance("aray_size", "array_size"), 1U);
  EXPECT_EQ(edit_distance("arrya", "array"), 1U);
  EXPECT_EQ(edit_distance("ARRAY", "array"), 0U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
}

TEST(Text, SuggestsOnlyWhatIsNear) {
  EXPECT_EQ(suggestion("local_dept", {"dram0_depth", "local_depth"}),
            "; did you mean \"local_depth\"?");
  EXPECT_EQ(suggestion("colour", {"depth"}), "");
  EXPECT_EQ(suggestion("x", {"y"}), "");
  EXPECT_EQ(suggestion(std::string(100000, 'a'), {"a"}), "");
}

TEST(Text, PrintableEscapesAndCuts) {
  EXPECT_EQ(printable("a\tb\x7F"), "a\\x09b\\x7F");
  EXPECT_EQ(printable("\u00e9"), "\u00e9");
  EXPECT_EQ(printable("\xff"), "\\xFF");
  EXPECT_EQ(printable("abcdef", 3), "abc...");
  EXPECT_EQ(printable("ab\u00e9f", 3), "ab...");
}

TEST(Text, FindsInvalidUtf8) {
  const auto npos = std::string::npos;
  EXPECT_EQ(find_invalid_utf8("a\u00e9\u20ac\U0001F600"), npos);
  EXPECT_EQ(find_invalid_utf8("\xf4\x8f\xbf\xbf"), npos);    // U+10FFFF
  EXPECT_EQ(find_invalid_utf8("a\xf4\x90\x80\x80"), 1U);     // beyond U+10FFFF
  EXPECT_EQ(find_invalid_utf8("a\xc0\xaf"), 1U);             // overlong
  EXPECT_EQ(find_invalid_utf8("a\xe0\x80\xaf"), 1U);         // overlong
  EXPECT_EQ(find_invalid_utf8("\xe2\x82"), 0U);              // incomplete
  EXPECT_EQ(find_invalid_utf8("ab\x80"), 2U);                // continuation byte without a start
  EXPECT_EQ(find_invalid_utf8("\xf8\x88\x80\x80\x80"), 0U);  // five bytes
}

RC_GTEST_PROP(Json, AnyIntegerReadsBack, (std::uint64_t value)) {
  JsonDocument document("{\"v\": " + std::to_string(value) + "}", "f");
  RC_ASSERT(document.root().get_u64("v") == value);
  RC_ASSERT(!document.problems().any());
}

RC_GTEST_PROP(Json, AnyBytesEitherParseOrThrowUserError, ()) {
  // Most characters are those of JSON, so that all parts of the parser are reached.
  const auto text = *rc::gen::container<std::string>(
      rc::gen::oneOf(rc::gen::element('{', '}', '[', ']', '"', ':', ',', '1', '-', '.', 'e', 'a',
                                      '\\', '/', '*', ' ', '\n'),
                     rc::gen::arbitrary<char>()));
  try {
    JsonDocument document(text, "f");
    (void)document.root().get_u64("a");
  } catch (const UserError&) {
  }
}

}  // namespace
}  // namespace tactus
