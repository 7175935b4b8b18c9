// ResNet-20v2 from hand-made layers: the programs of the reference compiler, byte for byte.
//
// A program depends on the network's shape and not on its weights, so hashes are enough
// (toolchain spec sections 0.2, 3.11 and 7).
#include <gtest/gtest.h>

#include "tests/compiler/scheduler/net.h"
#include "isa/support/sha256.h"

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

/// A three-convolution branch with its shortcut: what differs from stage to stage.
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
    open(1, s);
    s = first_block(1, "sum0", s, {64, 128}, 2);
    s = second_block(1, s, {64, 128});
    open(2, s);
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

  /// Stages after the first start with batch normalisation and relu as layers of their own, which
  /// stand between the shortcut and the branch.
  void open(int stage, Shape s) { pending_ = {stage, s}; }

  Shape first_block(int stage, const std::string& from, Shape in, Widths w, std::uint64_t stride) {
    const std::string shortcut = name("short", stage), shared_bias = shortcut + ".b";
    net_.begin(shortcut);
    Shape out = net_.conv(from, shortcut, in, shortcut + ".w", shared_bias, 1, stride,
                          blocks(w.outer));
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
    Shape out = net_.conv(name("q2.", stage), last, s, last + ".w", last + ".b", 1, 1,
                          blocks(w.outer));
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
  std::pair<int, Shape> pending_;
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
    testing::Values(Golden{"zcu104", zcu104(), Strategy::local_isolated, 50171, "b65c81dd", "7fcac"},
                    Golden{"uram", zcu104_uram(), Strategy::local_isolated, 50121, "66cb9584",
                           "34627"},
                    Golden{"vars", zcu104_uram(), Strategy::local_vars, 49941, "1fa1eeca", "f256"},
                    Golden{"consts", zcu104_uram(), Strategy::local_consts, 50038, "e428c0ad",
                           "a8517"},
                    Golden{"vars_and_consts", zcu104_uram(), Strategy::local_vars_and_consts, 49858,
                           "61b9172d", "c45d"}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace tactus::compiler
