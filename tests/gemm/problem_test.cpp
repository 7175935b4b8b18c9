// Shapes and lists of matrix products, and errors in them.
#include <gtest/gtest.h>

#include "firmware/config/config_files.h"
#include "firmware/gemm/dpas/task.h"
#include "firmware/gemm/problem.h"
#include "isa/support/error.h"
#include "isa/support/files.h"

namespace tactus::gemm {
namespace {

template <typename Call>
std::string error_of(Call&& call) {
  try {
    (void)call();
  } catch (const UserError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Problems, ShapeIsMNK) {
  const Problem problem = parse_shape("197x768x64", "--shape");
  EXPECT_EQ(problem.m, 197U);
  EXPECT_EQ(problem.n, 768U);
  EXPECT_EQ(problem.k, 64U);
  EXPECT_EQ(problem.macs(), 197U * 768U * 64U);
}

TEST(Problems, WrongShapesAreRefused) {
  for (const char* text : {"", "1", "1x2", "1x2x3x4", "0x1x1", "1x0x1", "1x1x0", "-1x1x1", "axbxc",
                           "1x1x1048577", "99999999999999999999x1x1", "1x1x1.5", "1 2 3"}) {
    EXPECT_EQ(error_of([&] { return parse_shape(text, "--shape"); }),
              std::string("--shape \"") + text +
                  "\" is not allowed; allowed: MxNxK such as 197x768x768, each 1..1048576");
  }
}

TEST(Problems, ListHasRowsCommentsAndAHeader) {
  const auto problems = parse_problems(
      "# a network\nname, M, N, K, count\n\nconv1, 12544, 64, 147\nfc, 1,1000, 2048, 3 # last\n",
      "l.csv");
  ASSERT_EQ(problems.size(), 2U);
  EXPECT_EQ(problems[0].name, "conv1");
  EXPECT_EQ(problems[0].shape(), "12544x64x147");
  EXPECT_EQ(problems[0].count, 1U);
  EXPECT_EQ(problems[1].count, 3U);
}

TEST(Problems, ListsMayComeFromSpreadsheetsAndTopologies) {
  const auto marked = parse_problems("\xEF\xBB\xBFname,M,N,K,count\na,8,8,8,1\n", "l.csv");
  ASSERT_EQ(marked.size(), 1U);
  EXPECT_EQ(marked[0].name, "a");
  const auto table =
      parse_problems("Layer, M, N, K,\r\nfc, 5, 10, 20,\r\n,,,\n\"b\",8,8,8,2,\n", "l.csv");
  ASSERT_EQ(table.size(), 2U);
  EXPECT_EQ(table[0].shape(), "5x10x20");
  EXPECT_EQ(table[0].count, 1U);
  EXPECT_EQ(table[1].name, "b");
  EXPECT_EQ(table[1].count, 2U);
  // A row that contains a number is not a header.
  EXPECT_EQ(error_of([] { return parse_problems("a,x,8,8\n", "l.csv"); }),
            "l.csv:1: M is \"x\"; allowed 1..1048576");
}

TEST(Problems, EveryWrongRowIsNamedByItsLine) {
  EXPECT_EQ(error_of([] { return parse_problems("c,1,1,1\na,1,1\nb,1,0,1\n,1,1,1\n", "l.csv"); }),
            "l.csv:2: 3 cells; allowed name, M, N, K and a count that may be left out\n"
            "l.csv:3: N is \"0\"; allowed 1..1048576\n"
            "l.csv:4: the name is empty");
  EXPECT_EQ(error_of([] { return parse_problems("a,1,1,1,0\n", "l.csv"); }),
            "l.csv:1: the count is \"0\"; allowed 1..1000000");
  EXPECT_EQ(error_of([] { return parse_problems("no\nlist\n", "l.txt"); }),
            "l.txt:1: 1 cells; allowed name, M, N, K and a count that may be left out");
  EXPECT_EQ(error_of([] { return parse_problems("# nothing\n", "l.csv"); }),
            "l.csv: no row; allowed rows of name, M, N, K, count");
}

TEST(Problems, ShippedListsAddUp) {
  const auto macs = [](const std::string& name) {
    const std::string path = config_folder() + "/gemm/" + name + ".csv";
    std::uint64_t sum = 0;
    for (const Problem& problem : parse_problems(read_text(path), path)) {
      sum += problem.count * problem.macs();
    }
    return sum;
  };
  // ResNet-50 at 224 x 224 has 4.09 GMAC. A transformer block has 12 * 768^2 MAC per token, and 2 *
  // 197^2 * 768.
  EXPECT_EQ(macs("resnet50_batch1"), 4'089'184'256U);
  EXPECT_EQ(macs("resnet50_batch8"), 8 * macs("resnet50_batch1"));
  EXPECT_EQ(macs("transformer_batch1"), 197U * 12 * 768 * 768 + 2U * 197 * 197 * 768);
  EXPECT_EQ(macs("transformer_batch8"), 8 * macs("transformer_batch1"));
}

TEST(Precisions, APairIsWrittenAsOneNameOrTwo) {
  const PrecisionPair same = parse_precision("int8", "--precision");
  EXPECT_EQ(same.w, dpas::Precision::s8);
  EXPECT_EQ(same.a, dpas::Precision::s8);
  const PrecisionPair mixed = parse_precision("u4.int8", "--precision");
  EXPECT_EQ(mixed.w, dpas::Precision::u4);
  EXPECT_EQ(mixed.a, dpas::Precision::s8);
  EXPECT_EQ(error_of([] { return parse_precision("bf16.int8", "--precision"); }),
            "--precision \"bf16.int8\" is not allowed: bf and s8 do not meet in an instruction");
  EXPECT_NE(error_of([] { return parse_precision("int7", "--precision"); }).find("int7"),
            std::string::npos);
  EXPECT_NE(error_of([] { return parse_precision("s1", "--precision"); }), "no error");
}

TEST(Layout, TooLargeForMemoryIsRefused) {
  DpasTask task;
  task.problem = parse_shape("1048576x1048576x1", "--shape");
  EXPECT_NE(error_of([&] { return layout_of(task); }).find("allowed 4294967296"),
            std::string::npos);
}

}  // namespace
}  // namespace tactus::gemm
