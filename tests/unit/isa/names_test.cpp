// Names from users' files: their printable form, and file names made from them.
#include "isa/support/names.h"

#include <string>

#include <gtest/gtest.h>

#include "isa/support/csv.h"
#include "isa/support/json_text.h"

#include <nlohmann/json.hpp>

namespace tactus {
namespace {

TEST(Names, PrintableNamesStayUnchanged) {
  for (const char* name : {"conv1", "a/b:0", "",
                           "Gr\xC3\xB6\xC3\x9F"
                           "e",
                           "\xE5\xB1\xA4", "\xF0\x9F\x98\x80", "a b", "back\\slash"}) {
    EXPECT_EQ(printable_name(name), name);
  }
}

TEST(Names, ControlCharactersAndInvalidBytesAreEscaped) {
  EXPECT_EQ(printable_name("a\nb\tc\x1b[31md\x07\x7f"), "a\\x0Ab\\x09c\\x1B[31md\\x07\\x7F");
  EXPECT_EQ(printable_name(std::string("a\0b", 3)), "a\\x00b");
  // Invalid parts (Latin-1, an incomplete character, a surrogate, an overlong slash) are escaped;
  // valid characters around them are kept.
  EXPECT_EQ(printable_name("caf\xE9 \xC3\xA9"), "caf\\xE9 \xC3\xA9");
  EXPECT_EQ(printable_name("\xE5\xB1"), "\\xE5\\xB1");
  EXPECT_EQ(printable_name("\xED\xA0\x80"), "\\xED\\xA0\\x80");
  EXPECT_EQ(printable_name("\xC0\xAF"), "\\xC0\\xAF");
  // These are escaped: a C1 control (CSI), a line separator, a change of the text's direction.
  EXPECT_EQ(printable_name("\xC2\x9B"
                           "1m"),
            "\\xC2\\x9B1m");
  EXPECT_EQ(printable_name("\xE2\x80\xA8\xE2\x80\xAE\xE2\x81\xA6"),
            "\\xE2\\x80\\xA8\\xE2\\x80\\xAE\\xE2\\x81\\xA6");
  EXPECT_EQ(printable_name("\xE2\x80\xA6"), "\xE2\x80\xA6");  // U+2026, an ellipsis
}

TEST(Names, OfFilesAreDistinct) {
  const auto files = file_names({"a/b", "a_b", "a:b", "y", "a_b~2"});
  EXPECT_EQ(files.at("a_b"), "a_b");
  EXPECT_EQ(files.at("y"), "y");
  EXPECT_EQ(files.at("a_b~2"), "a_b~2");
  EXPECT_EQ(files.at("a/b"), "a_b~3");
  EXPECT_EQ(files.at("a:b"), "a_b~4");
}

TEST(Names, OfFilesAreShortEnough) {
  const std::string first = std::string(300, 'n') + "1", second = std::string(300, 'n') + "2";
  const auto files = file_names({first, second, std::string(199, 'x') + "\xC3\xA9"});
  EXPECT_EQ(files.at(first), std::string(200, 'n'));
  EXPECT_EQ(files.at(second), std::string(200, 'n') + "~2");
  // A name is not cut within a character.
  EXPECT_EQ(files.at(std::string(199, 'x') + "\xC3\xA9"), std::string(199, 'x'));
  EXPECT_EQ(file_names({"a\nb"}).at("a\nb"), "a_x0Ab");
}

TEST(CsvCells, TextsThatASpreadsheetWouldEvaluateAreQuoted) {
  EXPECT_EQ(csv_cell("=cmd|' /C calc'!A0"), "'=cmd|' /C calc'!A0");
  EXPECT_EQ(csv_cell("=SUM(A1,A2)"), "\"'=SUM(A1,A2)\"");
  EXPECT_EQ(csv_cell("+1+1"), "'+1+1");
  EXPECT_EQ(csv_cell("-x"), "'-x");
  EXPECT_EQ(csv_cell("@x"), "'@x");
  for (const char* number : {"-3", "+3.5", "-0.25", "1e-9", "-1e+06", "-", "=", "+", ""}) {
    EXPECT_EQ(csv_cell(number), number);
  }
}

TEST(JsonText, WhatIsNotUtf8IsReplaced) {
  const nlohmann::ordered_json json = {{"path", "caf\xE9"}};
  EXPECT_EQ(text_of_json(json), "{\"path\":\"caf\xEF\xBF\xBD\"}");
}

}  // namespace
}  // namespace tactus
