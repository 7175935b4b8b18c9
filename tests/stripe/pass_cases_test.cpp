// Passes on small programs made for them, for cases that the golden data do not have.
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <set>

#include "firmware/compiler/stripe/interpret.h"
#include "firmware/compiler/stripe/passes/integer_program.h"
#include "firmware/compiler/stripe/passes/pass.h"
#include "firmware/compiler/stripe/text.h"
#include "firmware/compiler/stripe/verify.h"
#include "isa/support/error.h"

namespace tactus::stripe::test {
namespace {

/// A 1-d convolution with 8 results: window stride, channels in and out. It is tiled by hand.
std::string convolution(std::uint64_t stride, std::uint64_t in, std::uint64_t out) {
  const std::uint64_t width = stride * 3 + 3;
  return fmt::format(R"(0: #program
block [] ( // p
    #user none new@0x00000000 I[0, 0] fp32:I({0}, {1}):({1}, 1)
    #user none new@0x00000000 K[0, 0, 0] fp32:I(3, {1}, {2}):({3}, {2}, 1)
    #user none new@0x00000000 O[0, 0] fp32:I(8, {2}):({2}, 1)
) {{
  0: #main
  block [] ( // main
      in I[0, 0] fp32:I({0}, {1}):({1}, 1)
      in K[0, 0, 0] fp32:I(3, {1}, {2}):({3}, {2}, 1)
      out O[0, 0] fp32:I(8, {2}):({2}, 1)
  ) {{
    0: #agg_op_add #comb_op_mul #contraction #kernel #outer
    block [x:2] ( // kernel
        in I[{4}*x, 0] fp32:I({5}, {1}):({1}, 1)
        in K[0, 0, 0] fp32:I(3, {1}, {2}):({3}, {2}, 1)
        out O[4*x, 0] fp32:I(4, {2}):({2}, 1)
    ) {{
      0: #inner
      block [ci:{1}, co:{2}, kx:3, x:4] ( // kernel
          in I[kx + {6}*x, ci] fp32:I(1, 1):({1}, 1)
          in K[kx, ci, co] fp32:I(1, 1, 1):({3}, {2}, 1)
          out O[x, co]:add fp32:I(1, 1):({2}, 1)
      ) {{
        0: $I = load(I)
        1: $K = load(K)
        2: $O = mul($I, $K)
        3: O = store($O)
      }}
    }}
  }}
}}
)",
                     stride * 7 + 3, in, out, in * out, 4 * stride, width, stride);
}

Program verified(const std::string& text) {
  Program program = read_text_form(text, "t");
  verify(program, "t");
  return program;
}

/// Runs the passes and expects that the program still computes the same results.
Program passed(const Program& before, const std::string& list) {
  Program program = before;
  run_passes(program, read_passes(list, "list"));
  const Tensors inputs = sample_inputs(before);
  InterpretOptions options;
  options.check_conflicts = true;
  EXPECT_EQ(interpret(program, inputs, options), interpret(before, inputs)) << print(program);
  return program;
}

std::string error_of(const Program& before, const std::string& list) {
  Program program = before;
  try {
    run_passes(program, read_passes(list, "list"));
  } catch (const UserError& error) {
    return error.what();
  }
  return {};
}

const char* const cache_list = R"([{{"cache": {{"reqs": ["outer"], "ref": "{}", "dirs": ["{}"],
  "reorder_idx": {}, "mem_loc": {{"name": "SRAM"}}, "xfer_loc": {{"name": "DMA"}}}}}}])";

const Block& kernel_of(const Program& program) {
  return *program.block().statements[0].block()->statements.back().block();
}

TEST(StripePassCases, CacheByReferenceJoinsIndexesThatShareElements) {
  for (const std::uint64_t stride : {1U, 2U}) {
    const Program before = verified(convolution(stride, 4, 8));
    const Program program = passed(before, fmt::format(cache_list, "inner", "In", "true"));
    const Refinement& copy = kernel_of(program).ref_at("I");
    // 4 windows of 3 elements, `stride` apart; channels are not changed.
    EXPECT_EQ(copy.shape.sizes(), (std::vector<std::uint64_t>{stride * 3 + 3, 4}));
    EXPECT_EQ(copy.location.text(), "SRAM");
    EXPECT_EQ(kernel_of(program).ref_at("K").shape.sizes(), (std::vector<std::uint64_t>{3, 4, 8}));
  }
  // Windows without common elements keep an index each.
  const Program apart =
      passed(verified(convolution(3, 4, 8)), fmt::format(cache_list, "inner", "In", "true"));
  EXPECT_EQ(kernel_of(apart).ref_at("I").shape.sizes(), (std::vector<std::uint64_t>{4, 3, 4}));
}

TEST(StripePassCases, CacheByReferenceOrdersByStrideUnlessToldNot) {
  const Program before = verified(convolution(1, 4, 8));
  const Program program = passed(before, fmt::format(cache_list, "inner", "Out", "false"));
  EXPECT_EQ(kernel_of(program).ref_at("O").shape.sizes(), (std::vector<std::uint64_t>{8, 4}));
  const Program ordered = passed(before, fmt::format(cache_list, "inner", "Out", "true"));
  EXPECT_EQ(kernel_of(ordered).ref_at("O").shape.sizes(), (std::vector<std::uint64_t>{4, 8}));
}

TEST(StripePassCases, CacheByReferenceWorksThroughALevelInBetween) {
  const Program before = verified(convolution(1, 4, 8));
  const std::string between =
      R"([{"autotile": {"reqs": ["inner"], "only_po2": true, "max_total_size": 200,
         "outer_set": ["between"], "inner_set": ["innermost"], "clear_outer": true}}])";
  const Program tiled = passed(before, between);
  const Program program = passed(tiled, fmt::format(cache_list, "innermost", "In", "true"));
  const Block& outer = kernel_of(program);
  EXPECT_EQ(outer.ref_at("I").location.text(), "SRAM");
  EXPECT_EQ(outer.statements.size(), 3U);  // two transfers and the tiles
  (void)passed(tiled, fmt::format(cache_list, "innermost", "Out", "true"));
}

TEST(StripePassCases, CacheByReferenceSaysWhyItIsNotPossible) {
  const Program before = verified(convolution(1, 4, 8));
  EXPECT_NE(error_of(before, fmt::format(cache_list, "nobody", "In", "true"))
                .find("block \"kernel\": no block inside has tag nobody"),
            std::string::npos);
  const std::string tiled_tag =
      R"([{"autotile": {"reqs": ["inner"], "only_po2": true, "max_total_size": 200,
         "outer_set": ["between"], "inner_set": ["innermost"], "clear_outer": true}}])";
  EXPECT_NE(error_of(passed(before, tiled_tag), fmt::format(cache_list, "between", "In", "true"))
                .find("sees more than an element of it"),
            std::string::npos);
}

// ---- the program's own block
// -----------------------------------------------------------------------

TEST(StripePassCases, PassesThatWrapBlocksRefuseTheProgramsOutermostBlock) {
  const Program before = verified(convolution(1, 4, 8));
  for (const char* const reqs : {R"(["program"])", "[]", R"(["all"])"}) {
    for (const char* const options :
         {R"("autotile": {"reqs": %)", R"("partition_compute": {"num_parts": 2, "reqs": %)",
          R"("partition_memory": {"num_parts": 2, "reqs": %)"}) {
      std::string list = std::string("[{") + options + "}}]";
      list.replace(list.find('%'), 1, reqs);
      EXPECT_NE(error_of(before, list).find("block \"p\" is the program's own block"),
                std::string::npos)
          << list << ": " << error_of(before, list);
    }
  }
  // An excluded block is not wrapped.
  (void)passed(before, R"([{"autotile": {"reqs": ["program"], "exclude": ["program"]}}])");
}

TEST(StripePassCases, NoPassRemovesTheUsersBuffers) {
  const Program before = verified(convolution(1, 4, 8));
  for (const PassKind& kind : pass_kinds()) {
    Program program = before;
    try {
      run_passes(
          program,
          read_passes(fmt::format(R"([{{"{}": {{"reqs": ["program"]}}}}])", kind.name), "list"));
    } catch (const UserError&) {
      continue;
    }
    EXPECT_EQ(user_buffers(program).size(), 3U) << kind.name;
    EXPECT_EQ(interpret(program, sample_inputs(before)), interpret(before, sample_inputs(before)))
        << kind.name;
  }
}

// ---- constraints --------------------------------------------------------------------------------

TEST(StripePassCases, IntegerProgramsHaveTheLargestValueOfASearch) {
  // With 2x + 2y <= 5, x + y is at most 2 for integers, although fractions allow 2.5.
  IntegerProgram program{{10, 10}, {{{-2, -2}, 5}}};
  EXPECT_EQ(largest(program, {{1, 1}, 0}), 2);
  EXPECT_EQ(largest(program, {{1, 0}, 7}), 9);
  EXPECT_EQ(largest(program, {{-1, -1}, 0}), 0);
  // No integer satisfies 3 <= 2x <= 3.
  program = {{10}, {{{2}, -3}, {{-2}, 3}}};
  EXPECT_EQ(largest(program, {{1}, 0}), std::nullopt);
  program = {{10, 10}, {{{1, 1}, -30}}};
  EXPECT_EQ(largest(program, {{1, 0}, 0}), std::nullopt);
  // Compares every answer with a search over all points of the box.
  for (std::int64_t a = -3; a <= 3; ++a) {
    for (std::int64_t b = -3; b <= 3; ++b) {
      for (std::int64_t c = -4; c <= 4; ++c) {
        program = {{5, 4}, {{{a, b}, c}, {{2, -3}, 1}}};
        std::optional<std::int64_t> best;
        for (std::int64_t x = 0; x < 5; ++x) {
          for (std::int64_t y = 0; y < 4; ++y) {
            if (a * x + b * y + c < 0 || 2 * x - 3 * y + 1 < 0) continue;
            best = std::max(best.value_or(3 * x + b * y), 3 * x + b * y);
          }
        }
        EXPECT_EQ(largest(program, {{3, b}, 0}), best) << a << " " << b << " " << c;
      }
    }
  }
}

/// A program that sums A over the positions allowed by the constraints.
std::string constrained(const std::string& constraints) {
  return "0: #program\nblock [] ( // p\n  #user none new@0x00000000 A[0] fp32:I(64):(1)\n"
         "  #user none new@0x00000000 B[0] fp32:I(8):(1)\n) {\n0: #main\nblock [] ( // main\n"
         "  in A[0] fp32:I(64):(1)\n  out B[0] fp32:I(8):(1)\n) {\n0: block [i:8, j:8] ( // k\n" +
         constraints +
         "  in A[8*i + j] fp32:I(1):(1)\n  out B[i]:add fp32:I(1):(1)\n) {\n"
         "0: $a = load(A)\n1: B = store($a)\n}\n}\n}\n";
}

TEST(StripePassCases, IlpRemovesConstraintsThatLightKeeps) {
  const std::string light = R"([{"light_cstr_reduction": {"reqs": ["all"]}}])";
  const std::string ilp = R"([{"ilp_cstr_reduction": {"reqs": ["all"]}}])";
  // From i <= j and i + j <= 6 follow i <= 3 and j <= 6, so the constraint 3 - i >= 0 is not
  // needed.
  const Program before = verified(constrained("-1*i + j >= 0\n6 - i - j >= 0\n3 - i >= 0\n"));
  EXPECT_EQ(kernel_of(passed(before, light)).indexes[1].range, 7U);
  const Program program = passed(before, ilp);
  EXPECT_EQ(kernel_of(program).indexes[0].range, 4U);
  EXPECT_EQ(kernel_of(program).indexes[1].range, 7U);
  EXPECT_EQ(kernel_of(program).constraints.size(), 2U);
  // No position satisfies i >= 5, j >= 5 and i + j <= 9.
  const Program empty = verified(constrained("-5 + i >= 0\n-5 + j >= 0\n9 - i - j >= 0\n"));
  const Program removed = passed(empty, ilp);
  EXPECT_TRUE(removed.block().statements[0].block()->statements[0].has_tag("removed"));
}

// ---- schedule ----

std::string schedule_of(std::uint64_t KiB) {
  return fmt::format(R"([{{"schedule": {{"reqs": ["main"], "mem_loc": {{"name": "SRAM"}},
    "mem_KiB": {}, "alignment": 16, "xfer_loc": {{"name": "DMA"}}}}}}])",
                     KiB);
}

std::size_t slices(const Program& program) {
  std::size_t count = 0;
  for (const Statement& stmt : program.block().statements[0].block()->statements) {
    if (stmt.block() == nullptr) continue;
    for (const Statement& inner : stmt.block()->statements) count += inner.has_tag("slice") ? 1 : 0;
  }
  return count;
}

TEST(StripePassCases, ScheduleWorksOnSlicesWhereWholeBuffersDoNotFit) {
  // I has 10x16 numbers, K 3x16x32, O 8x32: 640, 6144 and 1024 bytes. A position uses 6 rows of I,
  // all of K and 4 rows of O: 384, 6144 and 512 bytes.
  const Program before = verified(convolution(1, 16, 32));
  EXPECT_EQ(slices(passed(before, schedule_of(8))), 0U);
  const Program program = passed(before, schedule_of(7));
  EXPECT_EQ(slices(program), 3U);  // two inputs, one output
  const Block& kernel = kernel_of(program);
  EXPECT_EQ(kernel.ref_at("K").location.text(), "SRAM");
  EXPECT_EQ(kernel.ref_at("K").shape.sizes(), (std::vector<std::uint64_t>{3, 16, 32}));
  EXPECT_EQ(kernel.ref_at("I").shape.sizes(), (std::vector<std::uint64_t>{6, 16}));
  std::set<std::uint64_t> offsets;
  for (const char* name : {"I", "K", "O"}) offsets.insert(kernel.ref_at(name).offset);
  EXPECT_EQ(offsets, (std::set<std::uint64_t>{0, 6144, 6656}));
  EXPECT_NE(error_of(before, schedule_of(6))
                .find("block \"kernel\": what a position of it touches does not fit the 6 KiB of "
                      "SRAM"),
            std::string::npos);
}

std::string schedule_with(std::uint64_t KiB, const std::string& location,
                          const std::string& options) {
  return fmt::format(R"([{{"schedule": {{"reqs": ["main"], "mem_loc": {}, "mem_KiB": {},
    "alignment": 16, "xfer_loc": {{"name": "DMA"}}{}}}}}])",
                     location, KiB, options);
}

const char* const banks = R"({"devs": [{"name": "SRAM", "units": [{"terms": {"unit": 1}}]}]})";

TEST(StripePassCases, ScheduleChoosesUnits) {
  const Program before = verified(convolution(1, 16, 32));
  // The buffers have 640, 6144 and 1024 bytes. Only K is larger than 2 KiB, and together they are
  // larger than 7 KiB.
  const Program coloured =
      passed(before, schedule_with(6, banks, R"(, "color_io_unique": {"units": [3, 1, 0]})"));
  EXPECT_EQ(slices(coloured), 0U);
  std::set<std::string> places;
  for (const char* name : {"I", "K", "O"}) {
    places.insert(
        coloured.block().statements[0].block()->ref_at(std::string(name) + "^0").location.text());
  }
  EXPECT_EQ(places, (std::set<std::string>{"SRAM[0]", "SRAM[1]", "SRAM[3]"}));
  EXPECT_NE(error_of(before, schedule_with(6, banks, R"(, "color_io_unique": {"units": [3, 1]})"))
                .find("the 2 units of color_io_unique are too few"),
            std::string::npos);

  const std::string located =
      R"([{"locate_block": {"reqs": ["kernel"], "loc": {"name": "CONV"}}}])";
  const Program mapped =
      passed(passed(before, located),
             schedule_with(7, banks,
                           R"(, "numa_map": {"nodes": [{"pattern": "DSP", "units": [5]},
                                                {"pattern": "CONV", "units": [1, 2]}]})"));
  const Block& main = *mapped.block().statements[0].block();
  EXPECT_EQ(main.ref_at("I^0").location.text(), "SRAM[1]");
  EXPECT_EQ(main.ref_at("K^0").location.text(), "SRAM[2]");
  EXPECT_EQ(main.ref_at("O^0").location.text(), "SRAM[1]");
  EXPECT_NE(error_of(before, schedule_with(
                                 7, banks,
                                 R"(, "numa_map": {"nodes": [{"pattern": "DSP", "units": [5]}]})"))
                .find("no node of numa_map matches"),
            std::string::npos);

  // No bank assignment is configured, but a view has a cache unit.
  Program asking = before;
  asking.block().statements[0].block()->statements[0].block()->ref_at("K").cache_unit = Affine(4);
  const Program asked = passed(asking, schedule_with(7, banks, ""));
  EXPECT_EQ(asked.block().statements[0].block()->ref_at("K^0").location.text(), "SRAM[4]");
  EXPECT_EQ(asked.block().statements[0].block()->ref_at("I^0").location.text(), "SRAM[0]");

  for (const char* wrong : {R"(, "color_io_unique": {"units": []})", R"(, "numa_map": {})",
                            R"(, "numa_map": {"nodes": [{"pattern": "A[", "units": [1]}]})",
                            R"(, "color_io_unique": {"units": [1]}, "numa_map": {"nodes": []})",
                            R"(, "color_io_unique": {"units": [-1]})"}) {
    EXPECT_NE(error_of(before, schedule_with(7, banks, wrong)), "") << wrong;
  }
  EXPECT_NE(error_of(before, schedule_with(8, R"({"name": "SRAM"})",
                                           R"(, "color_io_unique": {"units": [1]})"))
                .find("it has none by the name unit"),
            std::string::npos);
}

TEST(StripePassCases, ScheduleAppendsDevices) {
  Program before = verified(convolution(1, 16, 32));
  for (auto& [into, ref] : before.block().refs) ref.location.devices = {{"CHIP", {}}};
  for (auto& [into, ref] : before.block().statements[0].block()->refs) {
    ref.location.devices = {{"CHIP", {}}};
  }
  const Program program =
      passed(before, schedule_with(8, R"({"name": "SRAM"})", R"(, "append_devs": true)"));
  EXPECT_EQ(program.block().statements[0].block()->ref_at("K^0").location.text(), "CHIP/SRAM");
}

/// A chain of copies of 512 bytes each. The test counts the addresses that are used.
TEST(StripePassCases, ScheduleReusesAnAddressOnlyAfterItsWindow) {
  constexpr int last = 6;
  std::string user, main, kernels;
  for (int i = 0; i <= last; ++i) {
    const std::string shape = "fp32:I(128):(1)\n";
    const bool own = i != 0 && i != last;
    if (!own) user += fmt::format("  #user none new@0x00000000 B{}[0] {}", i, shape);
    main += fmt::format("  {} B{}[0] {}",
                        own      ? "none new@0x00000000"
                        : i == 0 ? "in"
                                 : "out",
                        i, shape);
    if (i == 0) continue;
    kernels += fmt::format(
        "{0}: #kernel\nblock [i:128] ( // k{1}\n  in B{0}[i] fp32:I(1):(1)\n"
        "  out B{1}[i] fp32:I(1):(1)\n) {{\n0: $x = load(B{0})\n1: B{1} = store($x)\n}}\n",
        i - 1, i);
  }
  const Program before =
      verified("0: #program\nblock [] ( // p\n" + user + ") {\n0: #main\nblock [] ( // main\n" +
               main + ") {\n" + kernels + "}\n}\n");
  std::vector<std::size_t> places;
  for (const int window : {0, 1, 2, 3}) {
    const Program program =
        passed(before, schedule_with(4, R"({"name": "SRAM"})",
                                     fmt::format(R"(, "parallelism_window": {})", window)));
    std::set<std::uint64_t> offsets;
    for (const auto& [into, ref] : program.block().statements[0].block()->refs) {
      if (ref.location.text() == "SRAM") offsets.insert(ref.offset);
    }
    places.push_back(offsets.size());
  }
  // Each copy is made by one statement and read by the next. A later statement may use its address
  // again; the window adds this number of statements in between.
  EXPECT_EQ(places, (std::vector<std::size_t>{2, 3, 4, 5}));
}

// ---- vector_layout ------------------------------------------------------------------------------

TEST(StripePassCases, VectorLayoutMakesSumsAndResultsWholeVectors) {
  const std::string list = R"([{"vector_layout": {"reqs": ["main"], "vector_size": 8}},
    {"stencil": {"reqs": ["contraction"], "outer_set": ["tcu"], "inner_set": ["tcu_inner"],
     "is_strict_dims": true, "stencils": [{"startup_cost": 8, "idxs": [
       {"name": "k", "size": 8, "outs": [0], "ins": [1, -1]},
       {"name": "n", "size": 8, "outs": [1], "ins": [0, 1]},
       {"name": "m", "size": -1, "outs": [-1], "ins": [-1, 0]}]}]}}])";
  // 3 channels in, 5 out, in one kernel without tiles, so that the indexes are the kernel's.
  const Program before = verified(R"(0: #program
block [] ( // p
    #user none new@0x00000000 I[0, 0] fp32:I(6, 3):(3, 1)
    #user none new@0x00000000 K[0, 0] fp32:I(3, 5):(5, 1)
    #user none new@0x00000000 O[0, 0] fp32:I(6, 5):(5, 1)
) {
  0: #main
  block [] ( // main
      in I[0, 0] fp32:I(6, 3):(3, 1)
      in K[0, 0] fp32:I(3, 5):(5, 1)
      out O[0, 0] fp32:I(6, 5):(5, 1)
  ) {
    0: #agg_op_add #comb_op_mul #contraction #kernel
    block [k:3, m:6, n:5] ( // kernel
        in I[m, k] fp32:I(1, 1):(3, 1)
        in K[k, n] fp32:I(1, 1):(5, 1)
        out O[m, n]:add fp32:I(1, 1):(5, 1)
    ) {
      0: $I = load(I)
      1: $K = load(K)
      2: $O = mul($I, $K)
      3: O = store($O)
    }
  }
}
)");
  EXPECT_EQ(kernel_of(passed(before, R"([{"vector_layout": {"reqs": ["main"],
                                          "vector_size": 1}}])"))
                .indexes[0]
                .range,
            3U);
  const Program program = passed(before, list);
  const Block& main = *program.block().statements[0].block();
  EXPECT_EQ(main.ref_at("I").shape.sizes(), (std::vector<std::uint64_t>{6, 8}));
  EXPECT_EQ(main.ref_at("K").shape.sizes(), (std::vector<std::uint64_t>{8, 8}));
  EXPECT_EQ(main.ref_at("O").shape.sizes(), (std::vector<std::uint64_t>{6, 8}));
  // The strict stencil matches only if no tile is ragged.
  const bool tiled = std::any_of(main.statements.begin(), main.statements.end(),
                                 [](const Statement& stmt) { return stmt.has_tag("tcu"); });
  EXPECT_TRUE(tiled) << print(program);
  // Buffers of the entry keep their sizes; their rows are whole vectors.
  const Program entry = passed(before, R"([{"vector_layout": {"reqs": ["program"],
                                            "vector_size": 8}}])");
  EXPECT_EQ(entry.block().ref_at("I").shape.sizes(), (std::vector<std::uint64_t>{6, 3}));
  EXPECT_EQ(entry.block().ref_at("I").shape.dims[0].stride, 8);
  EXPECT_EQ(error_of(before, R"([{"vector_layout": {"reqs": ["main"]}}])"),
            "list: pass \"vector_layout\": vector_size is missing, and no hardware model says "
            "ARRAY_SIZE");
}

TEST(StripePassCases, VectorLayoutTurnsWhatIsSummedInnermost) {
  // The summed dimension of the activations is outermost.
  const Program before = verified(R"(0: #program
block [] ( // p
    #user none new@0x00000000 I[0, 0] fp32:I(8, 6):(6, 1)
    #user none new@0x00000000 K[0, 0] fp32:I(8, 8):(8, 1)
    #user none new@0x00000000 O[0, 0] fp32:I(6, 8):(8, 1)
) {
  0: #main
  block [] ( // main
      in I[0, 0] fp32:I(8, 6):(6, 1)
      in K[0, 0] fp32:I(8, 8):(8, 1)
      out O[0, 0] fp32:I(6, 8):(8, 1)
  ) {
    0: #agg_op_add #comb_op_mul #contraction #kernel
    block [k:8, m:6, n:8] ( // kernel
        in I[k, m] fp32:I(1, 1):(6, 1)
        in K[k, n] fp32:I(1, 1):(8, 1)
        out O[m, n]:add fp32:I(1, 1):(8, 1)
    ) {
      0: $I = load(I)
      1: $K = load(K)
      2: $O = mul($I, $K)
      3: O = store($O)
    }
  }
}
)");
  const Program program =
      passed(before, R"([{"vector_layout": {"reqs": ["main"], "vector_size": 8}}])");
  const Refinement& copy = program.block().statements[0].block()->ref_at("I");
  EXPECT_EQ(copy.direction, Direction::none);
  EXPECT_EQ(copy.shape.dims[0].stride, 1);
  EXPECT_EQ(copy.shape.dims[1].stride, 8);
}

}  // namespace
}  // namespace tactus::stripe::test
