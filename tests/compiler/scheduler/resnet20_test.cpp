// ResNet-20v2 from hand-made layers: the programs equal those of the reference compiler byte for
// byte.
//
// A program depends on the network's shape but not on its weights, so comparing hashes is enough
// (toolchain spec sections 0.2, 3.11 and 7).
#include <ostream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "isa/support/sha256.h"
#include "tests/compiler/scheduler/net.h"

namespace tactus::compiler {
namespace {

tcu::Architecture zcu104() {
  tcu::Architecture a;
  a.array_size = 32;
  a.dram0_depth = a.dram1_depth = 2097152;
  a.local_depth = 16384;
  a.accumulator_depth = 4096;
  return a;
}

tcu::Architecture zcu104_uram() {
  tcu::Architecture a = zcu104();
  a.local_depth = 49152;
  a.accumulator_depth = 20480;
  return a;
}

/// Values that differ between stages.
struct Widths {
  std::uint64_t inner, outer;  ///< channels
};

class Resnet20 {
 public:
  explicit Resnet20(ProgramBuilder& builder) : net_(builder, 32) {}

  void emit() {
    net_.input("x", {32, 32, 1}, {"stem"});
    net_.begin("stem");
    Shape s = net_.conv("x", "stem", {32, 32, 1}, "stem.w", "stem.b", 3, 1, 1);
    net_.relu();
    net_.save("a", {{"short0", "first0"}, false});
    net_.end();
    s = first_block(0, "a", s, {16, 64}, 1);
    s = second_block(0, s, {16, 64});
    s = first_block(1, "sum0", s, {64, 128}, 2);
    s = second_block(1, s, {64, 128});
    s = first_block(2, "sum1", s, {128, 256}, 2);
    s = second_block(2, s, {128, 256});
    net_.begin("classes");
    net_.conv("features", "classes", {1, 1, 8}, "classes.w", "classes.b", 1, 1, 1);
    net_.softmax();
    net_.save("Identity:0", {{}, true});
    net_.end();
  }

 private:
  static std::uint64_t blocks(std::uint64_t channels) { return (channels + 31) / 32; }
  static std::string name(const char* what, int stage) { return what + std::to_string(stage); }

  void conv_relu(const std::string& node, const std::string& from, Shape in, Shape& out,
                 std::uint64_t kernel, std::uint64_t stride, std::uint64_t channels,
                 const std::string& to, const std::string& consumer) {
    net_.begin(node);
    out = net_.conv(from, node, in, node + ".w", node + ".b", kernel, stride, blocks(channels));
    net_.relu();
    net_.save(to, {{consumer}, false});
    net_.end();
  }

  /// Adds the first block of a stage. After the first stage, batch normalisation and relu are
  /// layers of their own between the shortcut and the branch.
  Shape first_block(int stage, const std::string& from, Shape in, Widths w, std::uint64_t stride) {
    const std::string shortcut = name("short", stage), shared_bias = shortcut + ".b";
    net_.begin(shortcut);
    Shape out =
        net_.conv(from, shortcut, in, shortcut + ".w", shared_bias, 1, stride, blocks(w.outer));
    const std::string last = name("last", stage);
    net_.save(name("shortcut", stage), {{last}, false});
    net_.end();
    std::string branch = from;
    if (stage > 0) {
      net_.begin(name("bn", stage));
      net_.load(from, name("bn", stage));
      net_.norm(name("bn.s", stage), name("bn.o", stage), in.blocks);
      net_.save(name("normed", stage), {{name("relu", stage)}, false});
      net_.end();
      net_.begin(name("relu", stage));
      net_.load(name("normed", stage), name("relu", stage));
      net_.relu();
      net_.save(name("opened", stage), {{name("first", stage)}, false});
      net_.end();
      branch = name("opened", stage);
    }
    Shape s;
    conv_relu(name("first", stage), branch, in, s, 1, stride, w.inner, name("p", stage),
              name("middle", stage));
    conv_relu(name("middle", stage), name("p", stage), s, s, 3, 1, w.inner, name("q", stage), last);
    net_.begin(last);
    out = net_.conv(name("q", stage), last, s, last + ".w", shared_bias, 1, 1, blocks(w.outer));
    net_.add(name("shortcut", stage), last);
    net_.save(name("inner", stage), {{name("last2.", stage)}, false});
    net_.norm(last + ".s", last + ".o", out.blocks);
    net_.relu();
    net_.save(name("r", stage), {{name("first2.", stage)}, false});
    net_.end();
    return out;
  }

  Shape second_block(int stage, Shape in, Widths w) {
    Shape s;
    conv_relu(name("first2.", stage), name("r", stage), in, s, 1, 1, w.inner, name("p2.", stage),
              name("middle2.", stage));
    conv_relu(name("middle2.", stage), name("p2.", stage), s, s, 3, 1, w.inner, name("q2.", stage),
              name("last2.", stage));
    const std::string last = name("last2.", stage);
    net_.begin(last);
    Shape out =
        net_.conv(name("q2.", stage), last, s, last + ".w", last + ".b", 1, 1, blocks(w.outer));
    net_.add(name("inner", stage), last);
    if (stage < 2) {
      net_.save(name("sum", stage), {{name("short", stage + 1), name("bn", stage + 1)}, false});
    } else {
      net_.norm(last + ".s", last + ".o", out.blocks);
      net_.relu();
      out = net_.average_all(out, last + ".m");
      net_.save("features", {{"classes"}, false});
    }
    net_.end();
    return out;
  }

  Net net_;
};

CompiledProgram compile_resnet20(const tcu::Architecture& architecture, Strategy strategy) {
  BuilderOptions options;
  options.strategy = strategy;
  options.compat = true;
  ProgramBuilder builder(architecture, options);
  for (unsigned pass = 0; pass < builder.passes(); ++pass) {
    builder.begin_pass();
    Resnet20(builder).emit();
    builder.add_outputs({"Identity:0"});
  }
  return builder.finish();
}

struct Golden {
  const char* name;
  tcu::Architecture architecture;
  Strategy strategy;
  std::uint64_t instructions;
  const char* sha_begin;
  const char* sha_end;
};

void PrintTo(const Golden& golden, std::ostream* out) { *out << golden.name; }

class Resnet20Golden : public testing::TestWithParam<Golden> {};

TEST_P(Resnet20Golden, ProgramIsByteIdentical) {
  const Golden& golden = GetParam();
  const CompiledProgram program = compile_resnet20(golden.architecture, golden.strategy);
  EXPECT_EQ(program.instructions, golden.instructions);
  const std::string sha = sha256(program.program);
  EXPECT_EQ(sha.substr(0, 8), golden.sha_begin);
  EXPECT_EQ(sha.substr(64 - std::string(golden.sha_end).size()), golden.sha_end);
  EXPECT_EQ(program.constants_count, 18803U);
  EXPECT_EQ(program.layers.size(), variables_are_local(golden.strategy) ? 28U : 27U);
}

INSTANTIATE_TEST_SUITE_P(
    Strategies, Resnet20Golden,
    testing::Values(
        Golden{"zcu104", zcu104(), Strategy::local_isolated, 50171, "b65c81dd", "7fcac"},
        Golden{"uram", zcu104_uram(), Strategy::local_isolated, 50121, "66cb9584", "34627"},
        Golden{"vars", zcu104_uram(), Strategy::local_vars, 49941, "1fa1eeca", "f256"},
        Golden{"consts", zcu104_uram(), Strategy::local_consts, 50038, "e428c0ad", "a8517"},
        Golden{"vars_and_consts", zcu104_uram(), Strategy::local_vars_and_consts, 49858, "61b9172d",
               "c45d"}),
    [](const auto& test) { return std::string(test.param.name); });

/// Values of the table of PR #79: maximum of DRAM0, DRAM1, local memory, accumulators. The
/// aggregates of the last two rows are not published; they differ by the 14 biases that two layers
/// load.
TEST(Resnet20, MemoryFiguresOfTheFourStrategies) {
  struct Row {
    Strategy strategy;
    std::uint64_t dram0, dram1, local, accumulators, local_aggregate;
  };
  for (const Row& row : {Row{Strategy::local_vars_and_consts, 1024, 0, 25971, 8196, 47996},
                         Row{Strategy::local_vars, 1024, 18803, 7238, 8196, 48010},
                         Row{Strategy::local_consts, 7168, 0, 25971, 8196, 75652},
                         Row{Strategy::local_isolated, 7168, 18803, 7238, 8196, 75666}}) {
    SCOPED_TRACE(to_string(row.strategy));
    const MemoryUse use = compile_resnet20(zcu104_uram(), row.strategy).memory;
    EXPECT_EQ(use.dram0.maximum, row.dram0);
    EXPECT_EQ(use.dram1.maximum, row.dram1);
    EXPECT_EQ(use.local.maximum, row.local);
    EXPECT_EQ(use.accumulators.maximum, row.accumulators);
    EXPECT_EQ(use.local.aggregate, row.local_aggregate);
  }
}

/// Values of section 3.11: instructions, vectors of MatMuls, and the zero vectors among them; 0 if
/// the table has no value.
TEST(Resnet20, LayersAsInTheGoldenTable) {
  struct Row {
    std::uint64_t instructions, vectors, zeroes;
  };
  const std::vector<Row> rows = {
      {1249, 9216, 380},  {10, 2048, 0},      {1031, 1024, 0},   {1249, 9216, 380},
      {10258, 2048, 0},   {1035, 2048, 0},    {1249, 9216, 380}, {2060, 2048, 0},
      {286, 2048, 0},     {6151, 0, 0},       {2054, 0, 0},      {785, 1024, 0},
      {1018, 9216, 752},  {5162, 2048, 0},    {542, 2048, 0},    {1018, 9216, 752},
      {1059, 2048, 0},    {170, 2048, 0},     {3080, 0, 0},      {1031, 0, 0},
      {375, 1024, 0},     {1496, 9216, 1472}, {2682, 2048, 0},   {360, 2048, 0},
      {1496, 9216, 1472}, {3186, 2048, 0},    {29, 8, 0}};
  const CompiledProgram program = compile_resnet20(zcu104_uram(), Strategy::local_isolated);
  ASSERT_EQ(program.layers.size(), rows.size());
  std::uint64_t next = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    SCOPED_TRACE(fmt::format("layer {} {}", i, program.layers[i].name));
    const LayerStatistics& layer = program.layers[i];
    EXPECT_EQ(layer.first_instruction, next);
    EXPECT_EQ(layer.instructions, rows[i].instructions);
    EXPECT_EQ(layer.mat_mul_vectors, rows[i].vectors);
    EXPECT_EQ(layer.zeroes_vectors, rows[i].zeroes);
    next += layer.instructions;
  }
  EXPECT_EQ(next, program.instructions);
}

}  // namespace
}  // namespace tactus::compiler
