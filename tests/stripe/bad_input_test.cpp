// Wrong input is refused with one error that says what and where.
#include <gtest/gtest.h>

#include "firmware/compiler/stripe/hardware_model.h"
#include "firmware/compiler/stripe/interpret.h"
#include "firmware/compiler/stripe/passes/pass.h"
#include "firmware/compiler/stripe/template.h"
#include "firmware/compiler/stripe/text.h"
#include "firmware/compiler/stripe/verify.h"
#include "firmware/compiler/targets/tcu/stripe/hardware_model.h"
#include "isa/support/error.h"

namespace tactus::stripe::test {
namespace {

/// Returns the message of the UserError; "" if there is none.
template <typename Action>
std::string error_of(Action&& action) {
  try {
    action();
  } catch (const UserError& error) {
    return error.what();
  }
  return {};
}

#define EXPECT_ERROR(part, action)                                              \
  do {                                                                          \
    const std::string message = error_of([&] { (void)(action); });              \
    EXPECT_NE(message.find(part), std::string::npos) << "message: " << message; \
  } while (false)

/// Returns a program with the given lines in its kernel's head and body.
std::string with(const std::string& indexes, const std::string& head, const std::string& body) {
  return "0: #program\nblock [] ( // p\n  #user none new@0x00000000 A[0] fp32:I(8):(1)\n"
         "  #user none new@0x00000000 B[0] fp32:I(8):(1)\n) {\n0: #main\nblock [] ( // main\n"
         "  in A[0] fp32:I(8):(1)\n  out B[0] fp32:I(8):(1)\n) {\n0: block [" +
         indexes + "] ( // kernel\n" + head + ") {\n" + body + "}\n}\n}\n";
}

const char* const copy_head = "in A[i] fp32:I(1):(1)\nout B[i] fp32:I(1):(1)\n";
const char* const copy_body = "0: $a = load(A)\n1: B = store($a)\n";

Program legal() { return read_text_form(with("i:8", copy_head, copy_body), "t"); }

void read_and_verify(const std::string& text) { verify(read_text_form(text, "t"), "t"); }

TEST(StripeBadInput, Texts) {
  EXPECT_EQ(error_of([] { read_and_verify(with("i:8", copy_head, copy_body)); }), "");
  EXPECT_ERROR("t:1: expected a statement", read_text_form("", "t"));
  EXPECT_ERROR("t:11: index \"i\" is given twice",
               read_text_form(with("i:8, i:2", copy_head, copy_body), "t"));
  EXPECT_ERROR("t:12: \"j\" is no index",
               read_text_form(with("i:8", "in A[j] fp32:I(1):(1)\n", ""), "t"));
  EXPECT_ERROR(
      "t:13: refinement \"A\" is given twice",
      read_text_form(with("i:8", "in A[i] fp32:I(1):(1)\nin A[i] fp32:I(1):(1)\n", ""), "t"));
  EXPECT_ERROR("t:12: \"fp33\" is no type",
               read_text_form(with("i:8", "in A[i] fp33:I(1):(1)\n", ""), "t"));
  EXPECT_ERROR("99999999999999999999 does not fit 64 bits",
               read_text_form(with("i:8", "99999999999999999999 >= 0\n", ""), "t"));
  EXPECT_ERROR(
      "does not fit 64 bits",
      read_text_form(with("i:8", "9223372036854775807 + 9223372036854775807 >= 0\n", ""), "t"));
  EXPECT_ERROR("t:11: block \"kernel\": the number of positions does not fit 64 bits",
               read_text_form(with("i:9223372036854775807, j:9223372036854775807", "", ""), "t"));
  EXPECT_ERROR("statement 0 has the number 4",
               read_text_form(with("i:8", copy_head, "4: $a = load(A)\n"), "t"));
  EXPECT_ERROR("does not come before",
               read_text_form(with("i:8", copy_head, "0[0]: $a = load(A)\n"), "t"));
  EXPECT_ERROR("mixes scalars",
               read_text_form(with("i:8", copy_head, "0: $a = add(A, $b)\n"), "t"));
  EXPECT_ERROR("has 4 bytes, not 8",
               read_text_form(with("i:8", "in A[i] fp32:I(1):(1):8 B\n", ""), "t"));
}

TEST(StripeBadInput, OtherLanguagesAreNamed) {
  for (const char* const text :
       {"function (I[N, M]) -> (O) {\n  O[n : N] = +(I[n, m]);\n}\n",
        "// a product\n/* of Tile */ function(A[M, L], B[L, N]) -> (C) { C = A; }\n",
        "O[i: 10] = +(A[i] * B[i]);\n", "Y = A + B;\n"}) {
    EXPECT_EQ(error_of([&] { (void)read_program(text, "t"); }),
              "t: is a program in the Tile language, which is not read; allowed: a Stripe program "
              "in printed or protobuf text");
  }
  EXPECT_ERROR("t: is MLIR, which is not read", read_program("func @main() {}\n", "t"));
  EXPECT_ERROR("t: is JSON, as passes and hardware models", read_program("{\"passes\": []}", "t"));
  EXPECT_ERROR("has no field named \"functions\"", read_program("functions { }\n", "t"));
  EXPECT_ERROR("t: the file is empty", read_program(" \n\n", "t"));
}

TEST(StripeBadInput, DeepNestingIsOneError) {
  std::string text;
  for (int i = 0; i < 100000; ++i) text += "0: block [] (\n) {\n";
  EXPECT_ERROR("nested more than 100 deep", read_text_form(text, "t"));
  std::string protobuf = "entry ";
  for (int i = 0; i < 100000; ++i) protobuf += "{ block { stmts ";
  EXPECT_NE(error_of([&] { (void)read_protobuf_text(protobuf, "t"); }), "");
}

TEST(StripeBadInput, IllegalPrograms) {
  EXPECT_ERROR(
      "t:12: block \"p\" / \"main\" / \"kernel\": refinement \"C\" is a view of \"C\", which block "
      "\"main\" does not have",
      read_and_verify(with("i:8", "in C[i] fp32:I(1):(1)\n", "")));
  EXPECT_ERROR("writes \"A\", which is only read (in) in block \"main\"",
               read_and_verify(with("i:8", "out A[i] fp32:I(1):(1)\n", "")));
  EXPECT_ERROR("has 2 dimensions, \"A\" in block \"main\" has 1",
               read_and_verify(with("i:8", "in A[i, 0] fp32:I(1, 1):(1, 1)\n", "")));
  EXPECT_ERROR("uses \"z\", which is no index of block \"main\"",
               read_and_verify(with("i:8, j = z", copy_head, copy_body)));
  EXPECT_ERROR("uses scalar \"$b\" before it has a value",
               read_and_verify(with("i:8", copy_head, "0: B = store($b)\n")));
  EXPECT_ERROR("gives scalar \"$a\" a second value",
               read_and_verify(with("i:8", copy_head, "0: $a = load(A)\n1: $a = load(A)\n")));
  EXPECT_ERROR("index \"i\" has range 0", read_and_verify(with("i:0", copy_head, copy_body)));
  EXPECT_ERROR("aggregation \"sum\" is not known",
               read_and_verify(with("i:8", "out B[i]:sum fp32:I(1):(1)\n", "")));
  Program bare = legal();
  bare.block().refs.clear();
  bare.block().statements.clear();
  EXPECT_ERROR("the program has no buffer, so nothing goes in or comes out", verify(bare, "t"));
  Program inside = legal();
  Block& main = *inside.block().statements[0].block();
  Refinement own_buffer = inside.block().ref_at("A");
  own_buffer.into = "T";
  main.add_ref(own_buffer);
  EXPECT_ERROR("refinement \"T\" is tagged user, but the user's buffers are those of the program's",
               verify(inside, "t"));
  Program program = legal();
  Index& idx = program.block().statements[0].block()->statements[0].block()->indexes[0];
  idx.affine = Affine(3);
  EXPECT_ERROR("computed index \"i\" has range 8, not 1", verify(program, "t"));
  // A name may be its own source only in the program's own block, where chains of views end.
  Program cyclic = legal();
  Refinement& own = cyclic.block().ref_at("A");
  own.direction = Direction::in;
  own.from = "A";
  EXPECT_ERROR("only allocations (none) can be", verify(cyclic, "t"));
}

TEST(StripeBadInput, FunctionsThatNobodyHas) {
  EXPECT_ERROR(
      "t:16: block \"p\" / \"main\" / \"kernel\": statement 1: the interpreter has no "
      "function \"frob\"",
      read_and_verify(
          with("i:8", copy_head, "0: $a = load(A)\n1: $b = frob($a)\n2: B = store($b)\n")));
  EXPECT_ERROR("statement 1: \"mul\" has 1 input(s) and 1 output(s); allowed: 2 and 1",
               read_and_verify(
                   with("i:8", copy_head, "0: $a = load(A)\n1: $b = mul($a)\n2: B = store($b)\n")));
}

TEST(StripeBadInput, ElementsOutsideOfBuffers) {
  // What the interpreter refuses at a position, verify() refuses before.
  const auto both = [](const std::string& indexes, const std::string& head,
                       const std::string& body = copy_body) {
    const std::string text = with(indexes, head, body);
    const std::string found = error_of([&] { read_and_verify(text); });
    const std::string run = error_of([&] { (void)interpret(read_text_form(text, "t"), {}); });
    EXPECT_EQ(found.empty(), run.empty()) << found << "\n" << run;
    const std::size_t what = run.find("refinement");
    EXPECT_TRUE(run.empty() || found.find(run.substr(what)) != std::string::npos) << found << run;
    return found;
  };
  const std::string at_i = "in A[i] fp32:I(1):(1)\nout B[0]:add fp32:I(1):(1)\n";
  EXPECT_EQ(both("i:9", at_i),
            "t:12: block \"p\" / \"main\" / \"kernel\": refinement \"A\" is at 8 in dimension 0 "
            "of buffer \"A\", which has 8");
  EXPECT_EQ(both("i:9", "8 - 2*i >= 0\n" + at_i), "");
  EXPECT_NE(both("i:9, j:9", "8 - i - j >= 0\n" + at_i), "");
  EXPECT_EQ(both("i:9, j:9", "8 - i - j >= 0\n-1 + j >= 0\n" + at_i), "");
  EXPECT_NE(both("i:8", "in A[-1 + i] fp32:I(1):(1)\nout B[i] fp32:I(1):(1)\n"), "");
  EXPECT_EQ(both("i:9", "-1 + i >= 0\nin A[-1 + i] fp32:I(1):(1)\nout B[-1 + i] fp32:I(1):(1)\n"),
            "");
  // Only fractions satisfy 2 i = 2 j + 1.
  const std::string far = "in A[20] fp32:I(1):(1)\nout B[0]:add fp32:I(1):(1)\n";
  EXPECT_NE(both("i:9, j:9", far), "");
  EXPECT_EQ(both("i:9, j:9", "-1 + 2*i - 2*j >= 0\n1 - 2*i + 2*j >= 0\n" + far), "");
  // Blocks inside: constraints of all levels; a view that no statement touches is no access.
  const std::string inner =
      "0: block [j:3] ( // inner\nin A[2*j] fp32:I(1):(1)\nout B[j] fp32:I(1):(1)\n) {\n" +
      std::string(copy_body) + "}\n";
  const std::string tile = "in A[4*i] fp32:I(4):(1)\nout B[4*i] fp32:I(4):(1)\n";
  EXPECT_NE(both("i:2", tile, inner), "");
  EXPECT_EQ(both("i:2", "-1*i >= 0\n" + tile, inner), "");
  EXPECT_EQ(both("i:3", tile, ""), "");
  // Operations on whole views touch all their elements.
  EXPECT_NE(both("i:3", "in A[0] fp32:I(3):(1)\nout B[3*i] fp32:I(3):(1)\n", "0: B = copy(A)\n"),
            "");
  EXPECT_EQ(both("i:2", "in A[0] fp32:I(3):(1)\nout B[5*i] fp32:I(3):(1)\n", "0: B = copy(A)\n"),
            "");
}

TEST(StripeBadInput, InterpreterRefuses) {
  const Program outside = read_text_form(with("i:9", copy_head, copy_body), "t");
  EXPECT_ERROR(
      "block \"kernel\": refinement \"A\" is at 8 in dimension 0 of buffer \"A\", which has 8",
      interpret(outside, {}));
  const Program twice = read_text_form(with("i:8, j:2", copy_head, copy_body), "t");
  InterpretOptions options;
  options.check_conflicts = true;
  EXPECT_ERROR("two positions write one element of \"B\"", interpret(twice, {}, options));
  EXPECT_EQ(error_of([&] { (void)interpret(legal(), {}, options); }), "");
  const Program huge = read_text_form(with("i:8, j:1000000000000000", copy_head, copy_body), "t");
  EXPECT_ERROR("the program has more than", interpret(huge, {}));
  EXPECT_ERROR("buffer \"A\" has 8 elements, 3 were given", interpret(legal(), {{"A", {1, 2, 3}}}));
  EXPECT_ERROR("no buffer \"X\"", interpret(legal(), {{"X", {}}}));
  const Program unknown = read_text_form(
      with("i:8", copy_head, "0: $a = load(A)\n1: $b = frob($a)\n2: B = store($b)\n"), "t");
  EXPECT_ERROR("the interpreter has no function \"frob\"", interpret(unknown, {}));
}

TEST(StripeBadInput, PassLists) {
  EXPECT_ERROR(
      "c:/passes/0/autotil: unknown pass \"autotil\"; did you mean \"autotile\"?; known are "
      "aggrinit, ",
      read_passes(R"([{"autotil": {}}])", "c"));
  EXPECT_ERROR(
      "c:/passes/0/localize/req: unknown option; did you mean \"reqs\"?; known are reqs, ref_reqs",
      read_passes(R"([{"localize": {"req": []}}])", "c"));
  EXPECT_ERROR("c:/passes/0/autotile/max_total_size",
               read_passes(R"([{"autotile": {"max_total_size": "x"}}])", "c"));
  EXPECT_ERROR("is no direction; allowed", read_passes(R"([{"cache": {"dirs": ["Down"]}}])", "c"));
  EXPECT_ERROR("needs a hardware model", read_passes(R"([{"autotile": {"memory": "SRAM"}}])", "c"));
  EXPECT_ERROR("a pass has a name and one kind",
               read_passes(R"([{"localize": {}, "pad": {}}])", "c"));
  EXPECT_ERROR("c:/pases: unknown key", read_passes(R"({"pases": []})", "c"));
  EXPECT_EQ(read_passes(R"({"passes": [{"name": "a", "pass": {"@type":
      "type.vertex.ai/vertexai.tile.codegen.proto.LocalizePass", "reqs": ["main",],},},],})",
                        "c")
                .size(),
            1U);
}

TEST(StripeBadInput, PassesThatCannotDoTheirWork) {
  const auto run = [](const std::string& list) {
    Program program = legal();
    run_passes(program, read_passes(list, "c"));
  };
  EXPECT_ERROR("block \"kernel\": no tile is within the limits", (Program(legal()), [] {
                 Program program = legal();
                 program.block().statements[0].block()->statements[0].set_tag("k");
                 run_passes(
                     program,
                     read_passes(R"([{"autotile": {"reqs": ["k"], "max_total_size": 4}}])", "c"));
                 return 0;
               }()));
  EXPECT_ERROR("block \"main\": what a special touches does not fit the 1 KiB of S", [] {
    Program program = read_text_form(
        "0: #program\nblock [] ( // p\n  #user none new@0x00000000 A[0] fp32:I(1000):(1)\n"
        "  #user none new@0x00000000 B[0] fp32:I(1000):(1)\n) {\n0: #main\nblock [] ( // main\n"
        "  in A[0] fp32:I(1000):(1)\n  out B[0] fp32:I(1000):(1)\n) {\n0: B = copy(A)\n}\n}\n",
        "t");
    run_passes(program, read_passes(R"([{"schedule": {"reqs": ["main"], "mem_loc": {"name": "S"},
                     "mem_KiB": 1, "xfer_loc": {"name": "D"}}}])",
                                    "c"));
    return 0;
  }());
  EXPECT_EQ(error_of([&] { run(R"([{"compute_deps": {}}])"); }), "");
}

TEST(StripeBadInput, LocationPatterns) {
  Location location;
  location.devices = {{"Dev", {Affine(4)}}, {"NDev", {Affine(6)}}};
  for (const char* pattern : {"*/*", "Dev/*", "Dev/*[6]", "*/NDev", "*[4]/*", "Dev/NDev"}) {
    EXPECT_TRUE(LocationPattern(pattern).matches(location)) << pattern;
  }
  for (const char* pattern : {"", "*", "*[]", "*[*]", "Dev", "Dev[4]", "Dev[]", "XYZ", "Dev[6]"}) {
    EXPECT_FALSE(LocationPattern(pattern).matches(location)) << pattern;
  }
  for (const char* pattern :
       {"foo[1, *  ]qux/bar", "foo[1, florp ]/bar", "foo[1, 2* ]/bar", "foo[1"}) {
    EXPECT_THROW((void)LocationPattern(pattern), UserError) << pattern;
  }
  for (const char* pattern : {"foo", "foo[]", "foo[1, *  ]/bar", "foo[1, *  ]/*[*]"}) {
    EXPECT_NO_THROW((void)LocationPattern(pattern)) << pattern;
  }
}

TEST(StripeBadInput, Templates) {
  const TemplateValues values{{"N", 4}};
  EXPECT_EQ(
      render("{% for i in range(N) %}S[{{ i }}]{% if not loop.last %},{% endif %}{% endfor %}",
             values, "t"),
      "S[0],S[1],S[2],S[3]");
  EXPECT_EQ(render("{{ N // 3 }} {{ N / 8 }} {{ (N + 1) * 2 % 4 }}{# x #}## y", values, "t"),
            "1 0.5 2");
  EXPECT_ERROR("t:2: \"M\" has no value", render("\n{{ M }}", values, "t"));
  EXPECT_ERROR("division by zero", render("{{ N // 0 }}", values, "t"));
  EXPECT_ERROR("without {% endfor %}", render("{% for i in range(N) %}", values, "t"));
  EXPECT_ERROR("is not in the subset", render("{% macro x %}", values, "t"));
  EXPECT_ERROR("more than a million rounds",
               render("{% for i in range(9999999) %}{% endfor %}", values, "t"));
  // Loops in loops are limited together, and so is the text that they read without printing.
  std::string nested = "{% if 0 %}x{% endif %}";
  for (int k = 0; k < 8; ++k) nested = "{% for i in range(1000) %}" + nested + "{% endfor %}";
  EXPECT_ERROR("more than a million rounds in all", render(nested, values, "t"));
  EXPECT_ERROR("read more than 256 MiB",
               render("{% for i in range(900000) %}{#" + std::string(4000, ' ') + "#}{% endfor %}",
                      values, "t"));
}

const char* const small_model = R"({"clock_mhz": 500,
  "mem_units": {"DRAM": {"size_KiB": 1024}, "SRAM": {"count": 2, "size_KiB": 64}},
  "exec_units": {"CONV": {"ops_per_cycle": 512, "pipeline_depth": 2}}, "tx_units": {"DMA": {}},
  "buses": [{"sources": ["DRAM[0]"], "sinks": ["DMA[0]"], "bytes_per_cycle": 64},
            {"sources": ["DMA[0]"], "sinks": ["SRAM[1]"], "bytes_per_cycle": 64}]})";

std::string changed(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

TEST(StripeHardwareModel, IsReadAndChecked) {
  const HardwareModel model = read_hardware_model(small_model, "m");
  EXPECT_EQ(model.tile_bytes("SRAM"), 64U * 1024 / 2);
  EXPECT_NO_THROW(require_transfer(model, {"DRAM", 0}, {"DMA", 0}, {"SRAM", 1}));
  EXPECT_ERROR("unreachable: no bus from DMA[0] to SRAM[0]",
               (require_transfer(model, {"DRAM", 0}, {"DMA", 0}, {"SRAM", 0}), 0));
  EXPECT_EQ(to_json(read_hardware_model(to_json(model), "again")), to_json(model));
  EXPECT_ERROR("m:/buses/0/sources/0: there is no unit \"DRAN\"; did you mean \"DRAM\"?",
               read_hardware_model(changed(small_model, "DRAM[0]", "DRAN[0]"), "m"));
  EXPECT_ERROR("m:/buses/1/sinks/0: there are 2 of SRAM: 0..1",
               read_hardware_model(changed(small_model, "SRAM[1]", "SRAM[2]"), "m"));
  EXPECT_ERROR("is no unit; a unit is NAME[NUMBER]",
               read_hardware_model(changed(small_model, "SRAM[1]", "SRAM"), "m"));
  EXPECT_ERROR("unreachable: DRAM[0] to SRAM[1] needs a mover",
               read_hardware_model(
                   changed(small_model, "[\"DMA[0]\"], \"bytes", "[\"SRAM[1]\"], \"bytes"), "m"));
  EXPECT_ERROR("m:/exec_units/CONV/pipeline_depth",
               read_hardware_model(changed(small_model, "depth\": 2", "depth\": 9"), "m"));
  EXPECT_ERROR("not both", read_hardware_model(changed(small_model, "\"size_KiB\": 64",
                                                       "\"size_KiB\": 64, \"total_size_KiB\": 128"),
                                               "m"));
}

TEST(StripeHardwareModel, OfTheTensorComputeUnit) {
  tcu::Architecture architecture;  // 8 x 8, 16 bits; local 8192, accumulators 2048, DRAM 2^20
  const HardwareModel model = tcu::hardware_model(architecture);
  EXPECT_EQ(model.mem_units.at("LOCAL").size_KiB, 128U);
  // A buffer may fill its memory, and has no byte more.
  for (const std::uint64_t elements : {32768U, 32769U}) {
    const Program program = read_program(
        fmt::format("0: #program\nblock [] ( // p\n) {{\n  0: #main\n  block [] ( // main\n"
                    "    none new@0x00000000 T<LOCAL[0]>[0] fp32:I({}):(1)\n  ) {{\n  }}\n}}\n",
                    elements),
        "p");
    if (elements == 32768U) {
      EXPECT_NO_THROW(check_against(model, program));
    } else {
      EXPECT_ERROR("\"T\" needs 32769 elements of 4 bytes; \"LOCAL\" has 131072 bytes",
                   check_against(model, program));
    }
  }
  EXPECT_EQ(model.mem_units.at("ACC").size_KiB, 32U);
  EXPECT_EQ(model.mem_units.at("DRAM0").size_KiB, 16384U);
  EXPECT_EQ(model.exec_units.at("ARRAY").ops_per_cycle, 64U);
  EXPECT_EQ(model.exec_units.at("SIMD").ops_per_cycle, 8U);
  EXPECT_EQ(model.params.at("VECTOR_BYTES"), 16U);
  EXPECT_EQ(to_json(read_hardware_model(to_json(model), "again")), to_json(model));
  EXPECT_NO_THROW(require_transfer(model, {"DRAM0", 0}, {"DMA0", 0}, {"LOCAL", 0}));
  EXPECT_NO_THROW(require_transfer(model, {"ACC", 0}, {"ACCMOVE", 0}, {"LOCAL", 0}));
  EXPECT_THROW(require_transfer(model, {"DRAM0", 0}, {"DMA1", 0}, {"LOCAL", 0}), UserError);
  architecture.local_depth = 4;
  EXPECT_ERROR("at least 1 KiB", tcu::hardware_model(architecture));
}

}  // namespace
}  // namespace tactus::stripe::test
