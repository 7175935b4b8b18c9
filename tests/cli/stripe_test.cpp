// Inputs, errors and outputs of tactus stripe.
#include <algorithm>

#include "tests/cli/cli.h"

namespace tactus {
namespace {

const char* const product = R"(0: #program 
block []:1 ( // product
    #user none new@0x00000000 A[0, 0] fp32:I(6, 8):(8, 1):192 B
    #user none new@0x00000000 B[0, 0] fp32:I(8, 8):(8, 1):256 B
    #user none new@0x00000000 C[0, 0] fp32:I(6, 8):(8, 1):192 B
) {
  0: #main 
  block []:1 ( // main
      in A[0, 0] fp32:I(6, 8):(8, 1):192 B, E(6, 8):192 B
      in B[0, 0] fp32:I(8, 8):(8, 1):256 B, E(8, 8):256 B
      out C[0, 0] fp32:I(6, 8):(8, 1):192 B, E(6, 8):192 B
  ) {
    0: #agg_op_add #comb_op_mul #kernel 
    block [k:8, m:6, n:8]:384 ( // product
        in A[m, k] fp32:I(1, 1):(8, 1):4 B, E(6, 8):192 B
        in B[k, n] fp32:I(1, 1):(8, 1):4 B, E(8, 8):256 B
        out C[m, n]:add fp32:I(1, 1):(8, 1):4 B, E(6, 8):192 B
    ) {
      0: $a = load(A)
      1: $b = load(B)
      2: $c = mul($a, $b)
      3: C = store($c)
    }
  }
}
)";

class StripeCli : public CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    write("a.tarch", architecture_text());
    write("p.stripe", product);
    write("values.csv", "1 2 3");
  }
};

TEST_F(StripeCli, BuffersOfTheUserAreKept) {
  for (const char* pass : {"autotile", "partition_compute"}) {
    write("passes.json", std::string(R"([{")") + pass + R"(": {"reqs": ["program"])" +
                             (pass[0] == 'p' ? R"(, "num_parts": 2)" : "") + "}}]");
    expect_error("stripe passes p.stripe --config passes.json -o t.stripe",
                 "block \"product\" is the program's own block");
    EXPECT_FALSE(exists("t.stripe"));
  }
  write("bare.stripe", std::string("0: #program\nblock []:1 ( // p\n) {\n}\n"));
  for (const char* command :
       {"check bare.stripe", "run bare.stripe", "lower bare.stripe --arch a.tarch -o m.tmodel"}) {
    expect_error(std::string("stripe ") + command, "the program has no buffer");
  }
  EXPECT_FALSE(exists("m.tmodel"));
}

/// Commands agree on what they refuse, and name the file.
TEST_F(StripeCli, ElementsOutsideOfABufferAreRefusedByEveryCommand) {
  const auto refused = [&](const std::string& from, const std::string& to,
                           const std::string& text) {
    std::string program = product;
    program.replace(program.find(from), from.size(), to);
    write("x.stripe", program);
    for (const char* command : {"check x.stripe", "run x.stripe",
                                "lower x.stripe --arch a.tarch "
                                "-o m.tmodel",
                                "lower x.stripe --arch a.tarch --no-passes "
                                "-o m.tprog"}) {
      expect_error(std::string("stripe ") + command, text);
    }
    EXPECT_FALSE(exists("m.tmodel"));
    EXPECT_FALSE(exists("m.tprog"));
  };
  refused("in A[m, k]", "in A[m, 1 + k]",
          "x.stripe:15: block \"product\" / \"main\" / \"product\": refinement \"A\" is at 8 in "
          "dimension 1 of buffer \"A\", which has 8");
  refused("mul($a, $b)", "mul($a)",
          "x.stripe:21: block \"product\" / \"main\" / \"product\": statement 2: \"mul\" has 1 "
          "input(s) and 1 output(s); allowed: 2 and 1");
  refused("mul($a, $b)", "frob($a, $b)", "has no function \"frob\"");
  expect_error("stripe run p.stripe --input A=values.csv",
               "p.stripe: buffer \"A\" has 48 elements, 3 were given");
}

TEST_F(StripeCli, LowersToAModelThatRuns) {
  const Output lowered =
      tactus("stripe lower p.stripe --arch a.tarch -o m/p.tmodel -o p.tprog -o q.stripe --counts");
  ASSERT_EQ(lowered.code, 0) << lowered.err;
  EXPECT_NE(lowered.out.find("ARRAY"), std::string::npos) << lowered.out;
  EXPECT_TRUE(exists("m/p.tmodel"));
  EXPECT_EQ(read("m/p.tprog"), read("p.tprog"));
  const Output info = tactus("info m/p.tmodel");
  EXPECT_EQ(info.code, 0) << info.err;
  const Output checked = tactus("stripe check q.stripe");
  EXPECT_EQ(checked.code, 0) << checked.err;
  // A lowered program is a fixed point: lowering it again without passes gives the same program.
  const Output again = tactus("stripe lower q.stripe --no-passes --arch a.tarch -o again.tprog");
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(read("again.tprog"), read("p.tprog"));
  EXPECT_EQ(tactus("stripe run q.stripe --arch a.tarch").code, 0);
}

TEST_F(StripeCli, IntegersHaveToFitTheirType) {
  write("i.stripe", std::string(R"(0: #program
block [] ( // p
    #user none new@0x00000000 A[0] i8:I(3):(1)
    #user none new@0x00000000 C[0] i8:I(3):(1)
) {
  0: #main
  block [] ( // main
      in A[0] i8:I(3):(1)
      out C[0] i8:I(3):(1)
  ) {
    0: #kernel
    block [k:3] ( // copy
        in A[k] i8:I(1):(1)
        out C[k] i8:I(1):(1)
    ) {
      0: $a = load(A)
      1: C = store($a)
    }
  }
}
)"));
  for (const char* wrong : {"128", "-129", "1.5", "nan"}) {
    write("wrong.csv", std::string("127,-128,") + wrong);
    expect_error("stripe run i.stripe --input A=wrong.csv",
                 std::string("wrong.csv: number 3: ") + wrong +
                     " is not allowed; allowed in i8: whole numbers -128 to 127");
  }
}

TEST_F(StripeCli, RefusesOptionsWithoutEffect) {
  expect_error("stripe check p.stripe --slides", "--slides belongs to --model");
  expect_error("stripe run p.stripe --input A=values.csv --input A=values.csv", "given twice");
  expect_error("stripe check --arch a.tarch --set N=1 --set N=2", "given twice");
  expect_error(
      "stripe lower p.stripe --arch a.tarch --counts --constant A=values.csv "
      "--constant A=values.csv",
      "given twice");
  expect_error("stripe lower p.stripe --arch a.tarch", "nothing to do");
  expect_error("stripe lower p.stripe --counts", "--arch A.tarch is missing");
  expect_error("stripe lower p.stripe --arch a.tarch -o p.bin", "the ending may be");
  expect_error("stripe lower p.stripe --arch a.tarch -o p.stripe", "is the input");
  EXPECT_EQ(read("p.stripe"), product);
}

TEST_F(StripeCli, NamesTheBlockThatCannotBeLowered) {
  std::string text = product;
  const std::size_t at = text.find("mul($a, $b)");
  text.replace(at, 3, "pow");
  write("bad.stripe", text);
  expect_error("stripe lower bad.stripe --arch a.tarch -o bad.tprog", "block \"product\"");
  EXPECT_FALSE(exists("bad.tprog"));
  expect_error("stripe lower p.stripe --arch a.tarch -o p.tprog --constant Z=values.csv",
               "there is no buffer \"Z\"");
  expect_error("stripe lower p.stripe --arch a.tarch -o p.tprog --constant A=values.csv",
               "3 values given");
}

TEST_F(StripeCli, WrongKindsOfFilesGiveOneLine) {
  write_model();
  for (const char* file : {"m.tmodel", "m.tprog", "m.tdata", "a.tarch", "x.csv"}) {
    for (const char* command : {"print", "check", "run"}) {
      const Output output = tactus(std::string("stripe ") + command + " " + file);
      EXPECT_EQ(output.code, 2) << command << ' ' << file;
      EXPECT_EQ(std::count(output.err.begin(), output.err.end(), '\n'), 1) << output.err;
    }
  }
  for (const char* file : {"p.stripe", "m.tmodel", "m.tprog"}) {
    const Output output = tactus(std::string("stripe lower p.stripe --counts --arch ") + file);
    EXPECT_EQ(output.code, 2) << file;
    EXPECT_FALSE(output.err.empty());
  }
}

}  // namespace
}  // namespace tactus
