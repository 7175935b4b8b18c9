// Lowering of programs that were not tiled for the unit: the golden programs that fit, sums and
// maxima that continue from tile to tile, whole numbers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "firmware/compiler/stripe/passes/pass.h"
#include "firmware/compiler/stripe/text.h"
#include "firmware/compiler/stripe/verify.h"
#include "isa/support/error.h"
#include "tests/stripe/golden.h"
#include "tests/stripe/lower_run.h"

namespace tactus::stripe::test {
namespace {

Program verified(const std::string& text) {
  Program program = read_text_form(text, "t");
  verify(program, "t");
  return program;
}

/// Expects that simulator and interpreter agree, and that the output equals `expected`.
void expect_equal(const Program& program, const tcu::Architecture& architecture,
                  const Tensors& inputs, const std::string& output, const Tensor& expected) {
  for (const bool reuse : {true, false}) {
    compiler::LowerOptions options;
    options.reuse = reuse;
    const LoweredRun run = run_lowered(compiler::lower(program, architecture, options), inputs);
    EXPECT_EQ(run.simulated, run.interpreted) << print(program);
    EXPECT_EQ(run.simulated.at(output), expected) << print(program);
  }
}

TEST(LowerForms, GoldenProgramsThatTheUnitCanDo) {
  TACTUS_NEEDS_GOLDEN_STRIPE();
  constexpr double most_work = 5e5;
  std::size_t equal = 0;
  tcu::Architecture architecture = small_architecture(8);
  for (const Case& one : golden_cases()) {
    for (const Step* step : {&one.steps.front(), &one.steps.back()}) {
      SCOPED_TRACE(step->protobuf);
      Program program = read_protobuf_text(test::read(step->protobuf), step->protobuf);
      if (work_of(program) > most_work || wrong_upstream(one, *step)) continue;
      compiler::LoweredStripe lowered;
      try {
        lowered = compiler::lower(program, architecture);
      } catch (const UserError& error) {
        // The error names the block that the unit cannot execute.
        EXPECT_NE(std::string(error.what()).find("block \""), std::string::npos) << error.what();
        continue;
      }
      Tensors inputs = sample_inputs(program);
      for (auto& [name, tensor] : inputs) {
        for (double& value : tensor) value /= 8;
      }
      const LoweredRun run = run_lowered(lowered, inputs);
      EXPECT_EQ(run.simulated, run.interpreted);
      ++equal;
    }
  }
  EXPECT_GE(equal, 45U);
  std::cout << "  " << equal << " programs\n";
}

/// A product of 8 x 16 times 16 x 8, of the given type.
std::string product(const std::string& type, const std::string& direction) {
  return fmt::format(R"(0: #program
block [] ( // p
    #user none new@0x00000000 A[0, 0] {0}:I(8, 16):(16, 1)
    #user none new@0x00000000 B[0, 0] {0}:I(16, 8):(8, 1)
    #user none new@0x00000000 C[0, 0] {0}:I(8, 8):(8, 1)
) {{
  0: #main
  block [] ( // main
      in A[0, 0] {0}:I(8, 16):(16, 1)
      in B[0, 0] {0}:I(16, 8):(8, 1)
      {1} C[0, 0] {0}:I(8, 8):(8, 1)
  ) {{
    0: #agg_op_add #comb_op_mul #contraction #kernel
    block [i:8, j:8, k:16] ( // kernel
        in A[i, k] {0}:I(1, 1):(16, 1)
        in B[k, j] {0}:I(1, 1):(8, 1)
        {1} C[i, j]:add {0}:I(1, 1):(8, 1)
    ) {{
      0: $a = load(A)
      1: $b = load(B)
      2: $c = mul($a, $b)
      3: C = store($c)
    }}
  }}
}}
)",
                     type, direction);
}

Tensors small_numbers(const Program& program) {
  Tensors inputs = sample_inputs(program);
  for (auto& [name, tensor] : inputs) {
    for (double& value : tensor) value = value > 2 ? 1 : value < -2 ? -1 : 0;
  }
  return inputs;
}

/// A 3x3 convolution of a 6x8 image.
std::string convolution(int inputs, int outputs) {
  const std::string image = fmt::format("({}, {}, 1)", 8 * inputs, inputs);
  const std::string sums = fmt::format("({}, {}, 1)", 8 * outputs, outputs);
  const std::string weights =
      fmt::format("({}, {}, {}, 1)", 3 * inputs * outputs, inputs * outputs, outputs);
  return fmt::format(R"(0: #program
block [] ( // p
    #user none new@0x00000000 I[0, 0, 0] fp32:I(6, 8, {0}):{2}
    #user none new@0x00000000 K[0, 0, 0, 0] fp32:I(3, 3, {0}, {1}):{4}
    #user none new@0x00000000 O[0, 0, 0] fp32:I(6, 8, {1}):{3}
) {{
  0: #main
  block [] ( // main
      in I[0, 0, 0] fp32:I(6, 8, {0}):{2}
      in K[0, 0, 0, 0] fp32:I(3, 3, {0}, {1}):{4}
      out O[0, 0, 0] fp32:I(6, 8, {1}):{3}
  ) {{
    0: #agg_op_add #comb_op_mul #contraction #kernel
    block [ci:{0}, co:{1}, kx:3, ky:3, x:6, y:8] ( // conv
        -1 + kx + x >= 0
        6 - kx - x >= 0
        -1 + ky + y >= 0
        8 - ky - y >= 0
        in I[-1 + kx + x, -1 + ky + y, ci] fp32:I(1, 1, 1):{2}
        in K[kx, ky, ci, co] fp32:I(1, 1, 1, 1):{4}
        out O[x, y, co]:add fp32:I(1, 1, 1):{3}
    ) {{
      0: $a = load(I)
      1: $b = load(K)
      2: $c = mul($a, $b)
      3: O = store($c)
    }}
  }}
}}
)",
                     inputs, outputs, image, sums, weights);
}

/// A product of matrices m x k and k x n.
std::string matrices(int m, int n, int k) {
  return fmt::format(R"(0: #program
block [] ( // p
    #user none new@0x00000000 A[0, 0] fp32:I({0}, {2}):({2}, 1)
    #user none new@0x00000000 B[0, 0] fp32:I({2}, {1}):({1}, 1)
    #user none new@0x00000000 O[0, 0] fp32:I({0}, {1}):({1}, 1)
) {{
  0: #main
  block [] ( // main
      in A[0, 0] fp32:I({0}, {2}):({2}, 1)
      in B[0, 0] fp32:I({2}, {1}):({1}, 1)
      out O[0, 0] fp32:I({0}, {1}):({1}, 1)
  ) {{
    0: #agg_op_add #comb_op_mul #contraction #kernel
    block [i:{0}, j:{1}, k:{2}] ( // product
        in A[i, k] fp32:I(1, 1):({2}, 1)
        in B[k, j] fp32:I(1, 1):({1}, 1)
        out O[i, j]:add fp32:I(1, 1):({1}, 1)
    ) {{
      0: $a = load(A)
      1: $b = load(B)
      2: $c = mul($a, $b)
      3: O = store($c)
    }}
  }}
}}
)",
                     m, n, k);
}

/// Strides of tensors with one channel do not tell which dimension runs along the lanes.
TEST(LowerForms, ProductsOfOneChannel) {
  std::vector<std::string> texts;
  for (const int inputs : {1, 8}) {
    for (const int outputs : {1, 16}) texts.push_back(convolution(inputs, outputs));
  }
  for (const int m : {1, 11}) {
    for (const int n : {1, 13}) {
      for (const int k : {1, 9}) texts.push_back(matrices(m, n, k));
    }
  }
  for (const std::string& text : texts) {
    SCOPED_TRACE(text);
    const Program program = verified(text);
    const Tensors inputs = small_numbers(program);
    expect_equal(program, small_architecture(8), inputs, "O", interpret(program, inputs).at("O"));
  }
}

/// The sum is computed in two tiles, whose results are stored one after the other.
TEST(LowerForms, SumsOfSeveralTilesContinueInMemory) {
  const char* const passes = R"([
    {"tensorize": {"reqs": ["agg_op_add"], "outer_set": ["tcu"], "inner_set": ["tcu_inner"],
      "inputs_set": [{"tags": ["acts"]}, {"tags": ["weights"]}],
      "stencils": [{"startup_cost": 4, "idxs": [
        {"name": "k", "size": 4, "outs": [0], "ins": [1, -1]},
        {"name": "n", "size": 4, "outs": [1], "ins": [0, 1]},
        {"name": "m", "size": -1, "outs": [-1], "ins": [-1, 0]}]}]}},
    {"autotile": {"reqs": ["tcu"], "outer_set": ["grid"], "inner_set": ["tile"], "only_po2": true,
      "max_input_size": 512}},
    {"cache": {"reqs": ["tile"], "dirs": ["Out"], "mem_loc": {"name": "ACC"},
      "xfer_loc": {"name": "ACCMOVE"}}},
    {"cache": {"reqs": ["tile"], "dirs": ["In"], "mem_loc": {"name": "LOCAL"},
      "xfer_loc": {"name": "DMA0"}}},
    {"locate_inner_block": {"reqs": ["tile"], "inner_reqs": ["tcu_inner"],
      "loc": {"name": "ARRAY"}}}])";
  Program program = verified(product("fp32", "out"));
  const Tensors inputs = small_numbers(program);
  const Tensor expected = interpret(program, inputs).at("C");
  run_passes(program, read_passes(passes, "passes"));
  const Block& grid = *program.block().statements[0].block()->statements[0].block();
  ASSERT_TRUE(std::any_of(grid.indexes.begin(), grid.indexes.end(), [](const Index& idx) {
    return idx.name == "k" && idx.range > 1;
  })) << print(program);
  expect_equal(program, small_architecture(4), inputs, "C", expected);
}

/// The array's sums start at zero, so the old contents are added after them.
TEST(LowerForms, ProductsAddToOldContents) {
  const Program program = verified(product("fp32", "inout"));
  Tensors inputs = small_numbers(program);
  for (std::size_t i = 0; i < inputs.at("C").size(); ++i) {
    inputs.at("C")[i] = static_cast<double>(i % 7) - 3;
  }
  const Tensor expected = interpret(program, inputs).at("C");
  Tensors without = inputs;
  without.erase("C");
  EXPECT_NE(interpret(program, without).at("C"), expected);
  for (const std::uint32_t n : {2U, 4U, 8U}) {
    expect_equal(program, small_architecture(n), inputs, "C", expected);
    expect_equal(program, small_architecture(n, 24, 8), inputs, "C", expected);
  }
}

/// Returns a program y = f(x) that uses a table of 8 entries with keys 0.5 apart.
std::string lookup(const std::string& table, std::uint64_t rows) {
  return fmt::format(R"(0: #program
block [] ( // p
    #user none const new@0x00000000 T<DRAM1>[0, 0] fp32:I({1}, 8):(8, 1)
    #user none new@0x00000000 X[0, 0] fp32:I(6, 5):(5, 1)
    #user none new@0x00000000 Y[0, 0] fp32:I(6, 5):(5, 1)
) {{
  0: #main
  block [] ( // main
      in X[0, 0] fp32:I(6, 5):(5, 1)
      out Y[0, 0] fp32:I(6, 5):(5, 1)
  ) {{
    0: #eltwise #kernel
    block [i:6, j:5] ( // curve
        in X[i, j] fp32:I(1, 1):(5, 1)
        out Y[i, j] fp32:I(1, 1):(5, 1)
    ) {{
      0: $x = load(X)
      1: $s = (float)0.5
      2: $y = lookup_{0}($x, $s)
      3: Y = store($y)
    }}
  }}
}}
)",
                     table, rows);
}

TEST(LowerForms, FunctionsUseTheUnitsLookupTables) {
  Program program = verified(lookup("T", 2));
  EXPECT_EQ(print(read_text_form(print(program), "again")), print(program));
  run_passes(program, read_passes(R"([{"prune_refs": {"reqs": ["program"]}}])", "passes"));
  EXPECT_NE(program.block().ref("T"), nullptr);
  Tensors inputs;
  // The table has slopes, then values: f is x above 0, x / 4 below, and constant beyond the keys.
  inputs["T"] = {0, 0.25, 0.25, 0.25, 1, 1, 1, 0, -0.5, -0.375, -0.25, -0.125, 0, 0.5, 1, 1.5};
  Tensor expected;
  for (int k = 0; k < 30; ++k) {
    const double x = (k - 15) / 4.0;
    inputs["X"].push_back(x);
    const double key = std::min(std::max(std::floor(x * 2 + 0.5), -4.0), 3.0);
    const auto entry = static_cast<std::size_t>(key + 4);
    expected.push_back((x - key / 2) * inputs["T"][entry] + inputs["T"][entry + 8]);
  }
  EXPECT_EQ(interpret(program, inputs).at("Y"), expected);
  tcu::Architecture machine = small_architecture(4);
  compiler::LowerOptions options;
  options.constants["T"].assign(inputs["T"].begin(), inputs["T"].end());
  const auto refusal = [&](const Program& tested) -> std::string {
    try {
      (void)compiler::lower(tested, machine, options);
      return {};
    } catch (const UserError& error) {
      return error.what();
    }
  };
  EXPECT_NE(refusal(program).find("the unit has no lookup tables"), std::string::npos);
  machine.lookup_tables = {2, 16, 1};
  machine.simd_registers_depth = 3;
  EXPECT_NE(refusal(program).find("table \"T\" has 8 entries and keys 0.5 apart, those of the unit "
                                  "16 and 0.5"),
            std::string::npos);
  machine.lookup_tables = {2, 8, 1};
  const LoweredRun run = run_lowered(compiler::lower(program, machine, options), inputs);
  EXPECT_EQ(run.simulated, run.interpreted);
  EXPECT_EQ(run.simulated.at("Y"), expected);
  EXPECT_THROW((void)verified(lookup("U", 2)), UserError) << "there is no table U";
  EXPECT_THROW((void)verified(lookup("T", 3)), UserError) << "three rows";
}

TEST(LowerForms, AProgramWithoutOutputsIsRefused) {
  const auto refusal = [](const std::string& text, const compiler::LowerOptions& options = {}) {
    tcu::Architecture machine = small_architecture(4);
    machine.lookup_tables = {2, 8, 1};
    machine.simd_registers_depth = 3;
    try {
      (void)compiler::lower(verified(text), machine, options);
      return std::string();
    } catch (const UserError& error) {
      return std::string(error.what());
    }
  };
  const std::string nothing = R"(0: #program
block [] ( // p
    #user none new@0x00000000 X[0] fp32:I(8):(1)
) {
  0: #main
  block [] ( // main
      in X[0] fp32:I(8):(1)
  ) {
  }
}
)";
  EXPECT_NE(refusal(nothing).find("writes none of the user's buffers"), std::string::npos)
      << refusal(nothing);
  compiler::LowerOptions options;
  options.constants["Y"].assign(30, 0);
  options.constants["T"].assign(16, 0);
  const std::string constant = refusal(lookup("T", 2), options);
  EXPECT_NE(constant.find("buffer \"Y\", which is to be a constant"), std::string::npos)
      << constant;
}

std::string pool(const std::string& op, const std::string& direction) {
  return fmt::format(R"(0: #program
block [] ( // p
    #user none new@0x00000000 X[0, 0] fp32:I(16, 6):(6, 1)
    #user none new@0x00000000 Y[0, 0] fp32:I(4, 6):(6, 1)
) {{
  0: #main
  block [] ( // main
      in X[0, 0] fp32:I(16, 6):(6, 1)
      {1} Y[0, 0] fp32:I(4, 6):(6, 1)
  ) {{
    0: #kernel
    block [t:2] ( // outer
        in X[2*t, 0] fp32:I(14, 6):(6, 1)
        {1} Y[0, 0]:{0} fp32:I(4, 6):(6, 1)
    ) {{
      0: #kernel
      block [c:6, p:2, y:4] ( // pool
          in X[p + 4*y, c] fp32:I(1, 1):(6, 1)
          {1} Y[y, c]:{0} fp32:I(1, 1):(6, 1)
      ) {{
        0: $x = load(X)
        1: Y = store($x)
      }}
    }}
  }}
}}
)",
                     op, direction);
}

/// A result is computed by two runs of the inner block, and includes the old contents if it is
/// inout.
TEST(LowerForms, ReductionsContinueFromBlockToBlock) {
  for (const char* op : {"max", "min", "add"}) {
    for (const char* direction : {"out", "inout"}) {
      SCOPED_TRACE(fmt::format("{} {}", op, direction));
      const Program program = verified(pool(op, direction));
      Tensors inputs = sample_inputs(program);
      inputs["X"].resize(96);
      for (std::size_t i = 0; i < 96; ++i) inputs["X"][i] = static_cast<double>(i * 37 % 19) - 9;
      if (std::string(direction) == "inout") {
        inputs["Y"].resize(24);
        for (std::size_t i = 0; i < 24; ++i) inputs["Y"][i] = static_cast<double>(i % 19) - 9;
      }
      const Tensor expected = interpret(program, inputs).at("Y");
      if (std::string(direction) == "inout") {
        Tensors fresh = inputs;
        fresh["Y"].assign(24, 0);
        ASSERT_NE(interpret(program, fresh).at("Y"), expected);
      }
      expect_equal(program, small_architecture(4, 64, 64), inputs, "Y", expected);
    }
  }
}

TEST(LowerForms, IntegersAreComputedInTheUnitsDataType) {
  for (const char* type : {"i8", "i16", "i32", "fp16", "bf16"}) {
    SCOPED_TRACE(type);
    const Program program = verified(product(type, "out"));
    const Tensors inputs = small_numbers(program);
    expect_equal(program, small_architecture(4), inputs, "C", interpret(program, inputs).at("C"));
  }
  // Values beyond the unit's range saturate, also in the interpreter.
  const Program program = verified(product("i32", "out"));
  Tensors inputs;
  inputs["A"].assign(128, 100);
  inputs["B"].assign(128, 100);
  const LoweredRun run = run_lowered(compiler::lower(program, small_architecture(4)), inputs);
  EXPECT_EQ(run.simulated, run.interpreted);
  EXPECT_EQ(run.simulated.at("C"), Tensor(64, 127.99609375));
}

}  // namespace
}  // namespace tactus::stripe::test
