// Texts of programs: reading a text and printing it gives the same bytes.
#include "firmware/compiler/stripe/text.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "firmware/compiler/stripe/verify.h"
#include "golden.h"
#include "isa/support/error.h"

namespace tactus::stripe::test {
namespace {

TEST(StripeText, GoldenTextsArePrintedUnchanged) {
  TACTUS_NEEDS_GOLDEN_STRIPE();
  std::size_t count = 0;
  for (const Case& one : golden_cases()) {
    for (const Step& step : one.steps) {
      const std::string text = read(step.text);
      Program program;
      ASSERT_NO_THROW(program = read_text_form(text, step.text)) << step.text;
      EXPECT_EQ(print(program), text) << step.text;
      if (wrong_upstream(one, step)) {
        EXPECT_THROW(verify(program, step.text), UserError) << step.text;
      } else {
        EXPECT_NO_THROW(verify(program, step.text)) << step.text;
      }
      ++count;
    }
  }
  EXPECT_GE(count, 200U);
}

TEST(StripeText, TextsInTheSlidesDialectArePrintedUnchanged) {
  TACTUS_NEEDS_GOLDEN_STRIPE();
  for (const Case& one : golden_cases()) {
    for (const Step& step : one.steps) {
      const Program program = read_text_form(read(step.text), step.text);
      const std::string slides = print(program, Dialect::slides);
      const Program again = read_text_form(slides, step.text);
      EXPECT_EQ(print(again, Dialect::slides), slides) << step.text;
    }
  }
}

/// Removes spaces at the start of lines, and empty lines.
std::string unindented(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = text.find('\n', at);
    if (end == std::string::npos) end = text.size();
    std::size_t begin = at;
    while (begin < end && text[begin] == ' ') ++begin;
    std::size_t last = end;
    while (last > begin && text[last - 1] == ' ') --last;
    if (last > begin) out += text.substr(begin, last - begin) + "\n";
    at = end + 1;
  }
  return out;
}

TEST(StripeText, OtherGoldenTextsDifferInSpacesOnly) {
  TACTUS_NEEDS_GOLDEN_STRIPE();
  std::size_t count = 0;
  for (const std::string& path : golden_files(".stripe")) {
    if (path.find("/repo_tests/") == std::string::npos) continue;
    const std::string text = read(path);
    EXPECT_EQ(unindented(print(read_text_form(text, path))), unindented(text)) << path;
    ++count;
  }
  EXPECT_GE(count, 5U);
}

void forget_what_protobuf_has_not(Statement& stmt) {
  Block* block = stmt.block();
  if (block == nullptr) return;
  for (auto& [into, ref] : block->refs) {
    ref.bank_dim.reset();
    ref.cache_unit.reset();
  }
  for (Statement& inner : block->statements) {
    std::sort(inner.deps.begin(), inner.deps.end());
    forget_what_protobuf_has_not(inner);
  }
}

TEST(StripeProtobuf, GoldenProtobufMeansWhatTheTextSays) {
  TACTUS_NEEDS_GOLDEN_STRIPE();
  for (const Case& one : golden_cases()) {
    for (const Step& step : one.steps) {
      Program program;
      ASSERT_NO_THROW(program = read_protobuf_text(read(step.protobuf), step.protobuf))
          << step.protobuf;
      const std::string again = print_protobuf_text(program);
      EXPECT_EQ(print_protobuf_text(read_protobuf_text(again, "again")), again) << step.protobuf;
      // Bank dimensions, cache units and the order of dependencies are only in the text.
      Program text = read_text_form(read(step.text), step.text);
      forget_what_protobuf_has_not(text.entry);
      EXPECT_EQ(print(program), print(text)) << step.protobuf;
    }
  }
}

/// Fragments are blocks without a program, and leave out values that the reader can derive.
TEST(StripeProtobuf, HandWrittenFragmentsAreRead) {
  TACTUS_NEEDS_GOLDEN_STRIPE();
  std::size_t count = 0;
  for (const std::string& path : golden_files(".block.pbtxt")) {
    Program program;
    ASSERT_NO_THROW(program = read_protobuf_text(read(path), path, true)) << path;
    const std::string again = print_protobuf_text(program);
    EXPECT_EQ(print_protobuf_text(read_protobuf_text(again, "again")), again) << path;
    ++count;
  }
  EXPECT_GE(count, 30U);
}

}  // namespace
}  // namespace tactus::stripe::test
