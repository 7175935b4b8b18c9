// Legality: every rule, the golden probes, messages, and the registers of variables.
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "isa/dpas/assembly.h"
#include "isa/dpas/container.h"
#include "isa/dpas/program.h"
#include "isa/support/files.h"
#include "tests/dpas/golden.h"
#include "tests/dpas/kernels.h"

namespace tactus::dpas {
namespace {

/// Returns the declarations of a list such as "D:f[64] C:f[64]".
std::string declarations(const std::string& list) {
  std::string text;
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t colon = list.find(':', at), open = list.find('[', at),
                      close = list.find(']', at);
    text += ".decl " + list.substr(at, colon - at) +
            " v_type=G type=" + list.substr(colon + 1, open - colon - 1) +
            " num_elts=" + list.substr(open + 1, close - open - 1) + " align=GRF\n";
    at = std::min(list.find_first_not_of(' ', close + 1), list.size());
  }
  return text;
}

struct Verdict {
  std::string first_code;  ///< OK if there are no errors
  std::string message;
  std::vector<std::string> warnings;
};

Verdict judge(const std::string& profile, const std::string& variables,
              const std::string& instruction, const LegalityOptions& options = {}) {
  Verdict verdict;
  verdict.message = message_of([&] {
    Program program =
        assemble(kernel_head + variables + instruction + "\nret (M1, 1)\n", "k.visaasm");
    resolve(program, profile_named(profile), options);
    verdict.warnings = program.warnings;
  });
  verdict.first_code = "OK";
  if (verdict.message.empty()) return verdict;
  const std::size_t start = verdict.message.find("E_");
  const std::size_t end = verdict.message.find(':', std::min(start, verdict.message.size()));
  verdict.first_code =
      start == std::string::npos ? "no code" : verdict.message.substr(start, end - start);
  return verdict;
}

/// Reasons why Tactus refuses a program that a release build of Intel's finalizer accepts, by
/// Tactus's error code. Where the debug build refuses it too, its assertion is the reason.
const std::map<std::string, std::string>& stricter_reasons() {
  static const std::map<std::string, std::string> reasons = {
      {"E_DPAS_SD", "no platform executes SD other than 8; Mesa's validator refuses it, too"},
      {"E_DPAS_PREC_MIX",
       "no hardware multiplies elements of different classes; for bf with hf "
       "Mesa's validator refuses it, for integers with floats the debug build"},
      {"E_DPAS_PREC_PLATFORM", "the platform has no such elements; the debug build refuses it"},
      {"E_DPAS_DST_TYPE", "the result is not of this class; the debug build refuses it"},
      {"E_DPAS_ALIGN_SRC2", "rows of A would be torn; the debug build refuses it"},
      {"E_DPAS_BOUNDS", "the operand leaves its variable, which the vISA pages call undefined"},
  };
  return reasons;
}

enum CaseColumn { id, platform_column, exec, expected, release, debug, decls, instruction_column };

std::string profile_of(const std::string& name) {
  if (name == "XeHP_SDV") return "xehp_sdv";
  return name == "DG2" ? "dg2" : name == "PVCXT" ? "pvcxt" : "pvc";
}

TEST(DpasLegality, GoldenProbes) {
  unsigned count = 0, stricter = 0;
  std::set<std::string> used;
  for (const auto& row : golden_table("legality.tsv")) {
    if (row[id] == "id") continue;
    const Verdict verdict =
        judge(profile_of(row[platform_column]), declarations(row[decls]), row[instruction_column]);
    EXPECT_EQ(verdict.first_code, row[expected])
        << row[id] << ": " << row[instruction_column] << "\n"
        << verdict.message;
    ++count;
    const bool refused = verdict.first_code != "OK";
    if (refused && row[release] == "ACCEPT") {
      ++stricter;
      used.insert(verdict.first_code);
      EXPECT_EQ(stricter_reasons().count(verdict.first_code), 1U)
          << "no reason is given for " << verdict.first_code;
    }
    // Tactus refuses everything that Intel's builds refuse.
    if (!refused) {
      EXPECT_EQ(row[release] + row[debug], "ACCEPTACCEPT") << row[id];
    }
  }
  EXPECT_GE(count, 26U);
  EXPECT_GE(stricter, 7U);
  for (const auto& [code, reason] : stricter_reasons()) {
    EXPECT_EQ(used.count(code), 1U) << code << " explains nothing";
  }
}

// ---- every code, with its message ---------------------------------------------------------------

struct Probe {
  const char* profile;
  const char* variables;
  const char* instruction;
  const char* message;  ///< the whole message without "k.visaasm:"; empty: legal
};

constexpr const char* ints = "D:d[128] C:d[128] B:ud[128] A:ud[64]";
constexpr const char* floats = "D:f[128] C:f[128] B:ud[128] A:ud[64]";

TEST(DpasLegality, EveryRuleSaysWhatWhereAndWhatIsAllowed) {
  const Probe probes[] = {
      {"pvc", ints, "dpas.s8.s8.8.8 (M1, 16) D.0 C.0 B.0 A(0,0)", ""},
      {"pvc", ints, "dpas.S8.U4.8.8 (16) D.0 %null.0 B.(2*3-6) A(0,0)", ""},
      {"pvc", ints, "DPAS.s8.s8.8.8 (16) D.0 %null.0 B.0 A(0,0)", ""},
      {"pvc", ints, "dpas.s8.s8.8 (M1, 16) D.0 C.0 B.0 A(0,0)",
       "7:5: E_DPAS_SYNTAX: dpas is written .W.A.SD.RC with precisions W and A, SD in 1, 2, 4, 8 "
       "and "
       "RC in 1..8, not \".s8.s8.8\""},
      {"pvc", ints, "dpas.s8.s3.8.8 (M1, 16) D.0 C.0 B.0 A(0,0)",
       "7:5: E_DPAS_SYNTAX: \"s3\" is no precision; allowed u2, s2, u4, s4, u8, s8, bf, hf, tf32, "
       "bf8, "
       "hf8, e2m1"},
      {"pvc", ints, "dpas.s8.s8.8.8 (M1, 12) D.0 C.0 B.0 A(0,0)",
       "7:21: E_DPAS_SYNTAX: 12 is no execution size; allowed 1, 2, 4, 8, 16, 32"},
      {"pvc", ints, "dpas.s8.s8.8.8 (M9, 16) D.0 C.0 B.0 A(0,0)",
       "7:17: E_DPAS_SYNTAX: \"M9\" is no mask; allowed M1..M8 and M1_NM..M8_NM"},
      {"pvc", ints, "dpas.s8.s8.8.8 (M1, 16) D C.0 B.0 A(0,0)",
       "7:26: E_DPAS_SYNTAX: the destination is written NAME.offset, such as NAME.0"},
      {"pvc", ints, "dpas.s8.s8.8.8 (M1, 16) D.0 C.0 B.0 A.0",
       "7:38: E_DPAS_SYNTAX: src2 is written NAME(row,column), such as NAME(0,0)"},
      {"pvc", ints, "dpas.s8.s8.8.8 (M1, 16) D.0 C.0 Q.0 A(0,0)",
       "7:33: E_DPAS_SYNTAX: \"Q\" is not declared"},
      {"pvc", ints, "dpas.s8.s8.8.8 (M1, 8) D.0 C.0 B.0 A(0,0)",
       "7: E_DPAS_EXEC: execution size 8; allowed 16 on pvc"},
      {"dg2", ints, "dpas.s8.s8.2.8 (M1, 8) D.0 C.0 B.0 A(0,0)",
       "7: E_DPAS_SD: SD 2; allowed 8 on dg2"},
      {"generic", ints, "dpas.s8.s8.2.8 (M1, 16) D.0 C.0 B.0 A(0,0)", ""},
      // Rows of src2 are 32 bytes apart also for SD 2, so src2 begins at such a multiple.
      {"generic", ints, "dpas.s8.s8.2.1 (M1, 16) D.0 C.0 B.0 A(0,8)", ""},
      {"generic", ints, "dpas.s8.s8.2.1 (M1, 16) D.0 C.0 B.0 A(0,2)",
       "7: E_DPAS_ALIGN_SRC2: src2 begins at byte 8 of a register; allowed multiples of 32"},
      {"pvc", ints, "dpas.u1.s8.8.8 (M1, 16) D.0 C.0 B.0 A(0,0)",
       "7: E_DPAS_PREC_RESERVED: precision u1 is reserved; allowed u2, s2, u4, s4, u8, s8, bf, hf, "
       "tf32 on pvc"},
      {"pvc", ints, "dpas.b8.s8.8.8 (M1, 16) D.0 C.0 B.0 A(0,0)",
       "7:5: E_DPAS_PREC_RESERVED: \"b8\" is no precision; allowed u2, s2, u4, s4, u8, s8, bf, hf, "
       "tf32, bf8, hf8, e2m1"},
      {"pvc", ints, "dpas.s8.bf.8.8 (M1, 16) D.0 C.0 B.0 A(0,0)",
       "7: E_DPAS_PREC_MIX: s8 with bf; allowed two of u2, s2, u4, s4, u8, s8, two of bf8, hf8, or "
       "twice the same"},
      {"pvc", floats, "dpas.bf8.hf8.8.8 (M1, 16) D.0 C.0 B.0 A(0,0)",
       "7: E_DPAS_PREC_PLATFORM: pvc has no bf8; allowed u2, s2, u4, s4, u8, s8, bf, hf, tf32"},
      {"xe3p", floats, "dpas.bf8.hf8.8.8 (M1, 16) D.0 C.0 B.0 A(0,0)", ""},
      {"xe3p", ints, "dpas.s8.s4.8.8 (M1, 16) D.0 C.0 B.0 A(0,0)",
       "7: E_DPAS_PREC_PLATFORM: s8 with s4; allowed integers of one width on xe3p"},
      {"xe3p", ints, "dpas.s2.s2.8.8 (M1, 16) D.0 C.0 B.0 A(0,0)",
       "7: E_DPAS_PREC_PLATFORM: xe3p has no s2; allowed u4, s4, u8, s8, bf, hf, bf8, tf32, hf8, "
       "e2m1"},
      {"pvc", "D:f[128] C:f[128] B:ud[128] A:ud[64]", "dpas.s8.s8.8.8 (M1, 16) D.0 C.0 B.0 A(0,0)",
       "7: E_DPAS_DST_TYPE: the destination has type f; allowed d, ud with s8 on pvc\n"
       "k.visaasm:7: E_DPAS_SRC0_TYPE: src0 has type f; allowed d, ud with s8 on pvc"},
      {"pvc", "D:bf[128] C:bf[128] B:ud[128] A:ud[64]",
       "dpas.bf.bf.8.8 (M1, 16) D.0 C.0 B.0 A(0,0)", ""},
      {"pvc", "D:f[128] C:hf[128] B:ud[128] A:ud[64]", "dpas.bf.bf.8.8 (M1, 16) D.0 C.0 B.0 A(0,0)",
       "7: E_DPAS_SRC0_TYPE: src0 has type hf; allowed f, bf with bf on pvc"},
      {"pvc", "D:d[128] C:d[128] B:uw[256] A:b[256]", "dpas.s8.s8.8.8 (M1, 16) D.0 C.0 B.0 A(0,0)",
       "7: E_DPAS_SRC1_TYPE: src1 has type uw; allowed ud, d with s8 on pvc\n"
       "k.visaasm:7: E_DPAS_SRC2_TYPE: src2 has type b; allowed ud, d with s8 on pvc"},
      {"pvc", ints, "dpas.s8.s8.8.1 (M1, 16) D.32 C.0 B.0 A(0,0)",
       "7: E_DPAS_ALIGN_DST: the destination begins at byte 32 of a register; allowed multiples of "
       "64"},
      {"pvc", ints, "dpas.s8.s8.8.1 (M1, 16) D.0 C.8 B.0 A(0,0)",
       "7: E_DPAS_ALIGN_SRC0: src0 begins at byte 8 of a register; allowed multiples of 64"},
      {"pvc", "D:d[128] C:d[128] B:ud[144] A:ud[64]", "dpas.s8.s8.8.1 (M1, 16) D.0 C.0 B.32 A(0,0)",
       "7: E_DPAS_ALIGN_SRC1: src1 begins at byte 32 of a register; allowed multiples of 64"},
      {"pvc", ints, "dpas.s8.s8.8.1 (M1, 16) D.0 C.0 B.0 A(0,4)",
       "7: E_DPAS_ALIGN_SRC2: src2 begins at byte 16 of a register; allowed multiples of 32"},
      {"pvc", ints, "dpas.s8.s4.8.1 (M1, 16) D.0 C.0 B.0 A(0,4)", ""},
      {"pvc", ints, "dpas.s8.s2.8.1 (M1, 16) D.0 C.0 B.0 A(0,2)", ""},
      {"xe2", "D:d[128] C:d[128] B:ud[128] A:ud[80]", "dpas.s8.s8.8.8 (M1, 16) D.0 C.0 B.0 A(0,8)",
       "7: E_DPAS_ALIGN_SRC2: src2 begins at byte 32 of a register; allowed multiples of 64"},
      {"xe2", "D:d[128] C:d[128] B:ud[128] A:ud[80]", "dpas.s8.s8.8.7 (M1, 16) D.0 C.0 B.0 A(0,8)",
       ""},
      {"pvc", ints, "dpas.s8.s8.8.8 (M1, 16) D.64 C.0 B.0 A(0,0)",
       "7: E_DPAS_BOUNDS: the destination needs 512 bytes from byte 64 on; its variable has 512"},
      {"pvc", "D:d[128] C:d[128] B:ud[64] A:ud[32]", "dpas.s8.s8.8.8 (M1, 16) D.0 C.0 B.0 A(0,0)",
       "7: E_DPAS_BOUNDS: src1 needs 512 bytes from byte 0 on; its variable has 256\n"
       "k.visaasm:7: E_DPAS_BOUNDS: src2 needs 256 bytes from byte 0 on; its variable has 128"},
      {"pvc", ints, "dpas.s8.s8.8.8 (M1, 16) %null.0 C.0 B.0 A(0,0)",
       "7: E_DPAS_NULL: the destination is null; allowed for src0 only"},
      {"pvc", ints, "dpas.s8.s8.8.8 (M1, 16) D.0 C.0 B.0 %null(0,0)",
       "7: E_DPAS_NULL: src2 is null; allowed for src0 only"},
      {"pvc", ints, "(P1) dpas.s8.s8.8.8 (M1, 16) D.0 C.0 B.0 A(0,0)",
       "7: E_DPAS_PRED: a predicate stands before dpas; allowed none"},
      {"pvc", ints, "dpas.s8.s8.8.8.sat (M1, 16) D.0 C.0 B.0 A(0,0)",
       "7:5: E_DPAS_MODIFIER: a dpas does not saturate"},
      {"pvc", ints, "dpas.s8.s8.8.8 (M1, 16) D.0 (abs)C.0 B.0 A(0,0)",
       "7:29: E_DPAS_MODIFIER: src0 takes no modifier"},
      {"pvc", ints, "dpas.s8.s8.8.8 (M1, 16) D.0 C.0 B.0 A(0,0)<1;1,0>",
       "7:43: E_DPAS_REGION: src2 takes no region"},
      {"pvc", ints, "dpas.s8.s8.8.8 (M1, 16) D.0<1> C.0 B.0 A(0,0)",
       "7:28: E_DPAS_REGION: the destination takes no region"},
      {"pvc", ints, "dpas.s8.s8.8.8 (M1, 16) D.0 C.0 r[A0(0),0] A(0,0)",
       "7:33: E_DPAS_INDIRECT: src1 cannot be indirect; allowed NAME.offset or NAME(row,column)"},
      {"pvc", "D:d[128] C:d[128] A:ud[64]", "dpas.s8.s8.8.8 (M1, 16) D.0 C.0 B.0 A(0,0)",
       "7: E_DPAS_OVERLAP: the destination (bytes 64..575) overlaps src1 (bytes 64..575); allowed "
       "with --allow-overlap"},
      {"pvc", ints, "dpasw.s8.s8.8.8 (M1, 16) D.0 C.0 B.0 A(0,0)",
       "7: E_DPASW_PLATFORM: pvc has no dpasw; allowed dpas"},
      {"xe3p", floats, "bdpas.bf.bf.8.7 (M1, 16) D.0 C.0 B.0 A.0 %null(0,0) %null(0,0)",
       "7: E_BDPAS_FORM: SD 8, RC 7 and execution size 16; allowed 8, 8 and 16\n"
       "k.visaasm:7: E_BDPAS_PLATFORM: xe3p has no bdpas; allowed dpas"},
      {"xe3p", floats, "bdpas.bf.bf.8.8 (M1, 16) D.0 C.0 B.0 A.0 A(0,0) %null(0,0)",
       "7: E_BDPAS_FORM: src3 has type ud; allowed ub\n"
       "k.visaasm:7: E_BDPAS_PLATFORM: xe3p has no bdpas; allowed dpas"},
      {"pvc", ints, "dpas.s8.s8.8.8 (M1, 16) D.0 C.0 B.0 A(0,0) {$16}",
       "7: E_TOKEN: a token is out of range; allowed $0..$15 on pvc"},
      {"pvc", ints, "dpas.s8.s8.8.8 (M1, 16) D.0 C.0 B.0 A(0,0) {Atomi}",
       "7:45: \"Atomi\" is no annotation; allowed Atomic, $n, $n.dst, $n.src"},
      {"pvc", ints, "dpsa.s8.s8.8.8 (M1, 16) D.0 C.0 B.0 A(0,0)",
       "7:1: \"dpsa\" is no instruction of the subset; allowed \"dpas\", \"dpasw\", \"bdpas\", "
       "\"mov\", "
       "\"add\", \"cmp\", \"lsc_load\", \"lsc_store\", \"lsc_load_block2d\", "
       "\"lsc_store_block2d\", "
       "\"lsc_fence\", \"barrier\", \"jmp\", \"ret\"; did you mean \"dpas\"?"},
      {"pvc", ints, "mov (M1, 16) D(0,0)<1> C(7,8)<1;1,0>",
       "7: E_BOUNDS: a source needs 64 bytes from byte 480 on; its variable has 512"},
      {"pvc", ints, "mov (M1, 32) D(0,0)<4> 1:d",
       "7: E_OPERAND: the destination spans more than two registers; allowed 128 bytes of "
       "neighbouring registers"},
      {"pvc", ints, "mov (M1, 16) D(0,0)<0> 1:d",
       "7: E_OPERAND: the destination has strides that are not allowed; allowed 1, 2, 4 from "
       "element "
       "to element and 0, 1, 2, 4, 8, 16, 32 from row to row"},
      {"pvc", ints, "mov (M1, 16) D(0,0)<1> 5000000000:d",
       "7:24: 5000000000 does not fit type d of 32 bits"},
      {"pvc", ints, "mov (M1, 16) D(0,0)<1> 5", "7:25: a constant ends in its type, such as 5:d"},
      {"pvc", ints, "jmp (M1, 1) AWAY", "7: E_LABEL: there is no label \"AWAY\" in the kernel"},
      {"pvc", ints, "lsc_load.slm (M1, 16) D:d32 flat[C]:a32",
       "7: E_MESSAGE: only unit ugm is modelled; allowed ugm"},
      {"pvc", ints, "lsc_load.ugm (M1, 16) D:d32x8 flat[C]:a32",
       "7: E_MESSAGE: 8 elements an address; allowed 1, 2, 3, 4, and more if transposed"},
      {"pvc", ints, "lsc_load.ugm (M1, 16) D:d32 bti(0x4)[C]:a32",
       "7:29: E_MESSAGE: \"bti\" addresses are not in the subset; allowed flat"},
  };
  for (const Probe& probe : probes) {
    // Messages expect the instruction on line 7, so each kernel has at least four declarations
    // before it.
    std::string variables = declarations(probe.variables);
    std::size_t lines = 0;
    for (const char c : variables) lines += c == '\n' ? 1 : 0;
    if (lines < 4) variables += ".decl B v_type=G type=ud num_elts=128 alias=<D,0>\n";
    const std::string text = std::string(probe.instruction);
    std::string message = probe.message;
    if (text.rfind("(P1)", 0) == 0) {
      // The predicate's declaration moves the instruction to line 8.
      variables += ".decl P1 v_type=P num_elts=16\n";
      message.replace(0, 1, "8");
    }
    const Verdict verdict = judge(probe.profile, variables, probe.instruction);
    EXPECT_EQ(verdict.message, message.empty() ? "" : "k.visaasm:" + message) << probe.instruction;
  }
}

TEST(DpasLegality, Options) {
  LegalityOptions overlap;
  overlap.allow_overlap = true;
  const std::string aliased = declarations("D:d[128] C:d[128] A:ud[64]") +
                              ".decl B v_type=G type=ud num_elts=128 alias=<D,0>\n";
  const std::string line = "dpas.s8.s8.8.8 (M1, 16) D.0 C.0 B.0 A(0,0)";
  EXPECT_EQ(judge("pvc", aliased, line).first_code, "E_DPAS_OVERLAP");
  EXPECT_EQ(judge("pvc", aliased, line, overlap).first_code, "OK");
  LegalityOptions strict;
  strict.strict = true;
  const std::string variables = declarations("D:ud[128] C:ud[128] B:ud[128] A:ud[64]");
  EXPECT_EQ(judge("pvc", variables, line).first_code, "OK");
  EXPECT_EQ(judge("pvc", variables, line, strict).first_code, "E_DPAS_SIGN");
  EXPECT_EQ(
      judge("pvc", variables, "dpas.u8.u4.8.8 (M1, 16) D.0 C.0 B.0 A(0,0)", strict).first_code,
      "OK");
  EXPECT_EQ(judge("pvc", declarations("D:ud[128] C:d[128] B:ud[128] A:ud[64]"),
                  "dpas.u8.u8.8.8 (M1, 16) D.0 C.0 B.0 A(0,0)", strict)
                .first_code,
            "E_DPAS_SIGN");
}

TEST(DpasLegality, Warnings) {
  const std::string variables = declarations("D:d[128] C:d[128] B:ud[128] A:ud[64]");
  EXPECT_EQ(judge("dg2", variables, "dpasw.s8.s2.8.2 (M1, 8) D.0 C.0 B.0 A(0,0)").warnings,
            std::vector<std::string>{"k.visaasm:7: warning: E_DPASW_SHARE: the two units share no "
                                     "register of src2, which has 16 bytes"});
  EXPECT_TRUE(
      judge("dg2", variables, "dpasw.s8.s8.8.2 (M1, 8) D.0 C.0 B.0 A(0,0)").warnings.empty());
  EXPECT_EQ(judge("pvc", variables, "dpas.s8.s8.8.8 (M1, 16) D.0 C.0 B.0 A(0,0) {Atomic}").warnings,
            std::vector<std::string>{
                "k.visaasm:7: warning: W_DPAS_ATOMIC: {Atomic} stands before something else than a "
                "dpas of the same kind; it has no effect"});
}

/// Errors in fields that a text cannot express; the messages give the offset of the instruction.
TEST(DpasLegality, BinariesAreHeldToTheSameRules) {
  const Program program =
      assemble(kernel_head + declarations("D:d[128] C:d[128] B:ud[128] A:ud[64]") +
                   "dpas.s8.s8.8.8 (M1, 16) D.0 C.0 B.0 A(0,0)\nret (M1, 1)\n",
               "k");
  const auto with = [&](auto change) {
    Program changed = program;
    change(changed.kernels[0].instructions[0]);
    const bool predicate = changed.kernels[0].instructions[0].predicate.variable != 0;
    changed.kernels[0].predicates.push_back({"P1", 16});
    return message_of([&] {
      Program read = read_container(write_container(changed, predicate), "k.isa", predicate);
      resolve(read, profile_named("pvc"));
    });
  };
  EXPECT_EQ(with([](Instruction&) {}), "");
  const auto ends_with = [](const std::string& text, const std::string& end) {
    EXPECT_EQ(text.rfind("k.isa:offset 0x", 0), 0U) << text;
    EXPECT_EQ(text.substr(std::min(text.size(), text.find(": ") + 2)), end);
  };
  ends_with(with([](Instruction& i) { i.repeat_count = 9; }), "E_DPAS_RC: RC 9; allowed 1..8");
  ends_with(with([](Instruction& i) { i.systolic_depth = 3; }),
            "E_DPAS_SD: SD 3; allowed 8 on pvc");
  ends_with(
      with([](Instruction& i) { i.w = static_cast<Precision>(13); }),
      "E_DPAS_PREC_RESERVED: precision code 13 is reserved; allowed u2, s2, u4, s4, u8, s8, bf, "
      "hf, tf32 on pvc");
  ends_with(with([](Instruction& i) { i.a = static_cast<Precision>(200); }),
            "E_DPAS_PREC_RESERVED: precision code 200 is reserved; allowed u2, s2, u4, s4, u8, s8, "
            "bf, hf, tf32 on pvc");
  ends_with(with([](Instruction& i) { i.source[2].modifier = Modifier::abs; }),
            "E_DPAS_MODIFIER: src2 has a modifier; allowed none");
  ends_with(with([](Instruction& i) {
              i.source[2].region = {8, 8, 1};
            }),
            "E_DPAS_REGION: src2 has the region <8;8,1>; allowed <1;1,0>");
  ends_with(with([](Instruction& i) { i.predicate.variable = 1; }),
            "E_DPAS_PRED: a predicate stands before dpas; allowed none");
  ends_with(with([](Instruction& i) { i.source[1].variable = 99; }),
            "variable id 99; allowed 32..35, and of predefined ones 1..5 and 12");
}

// ---- registers of variables ---------------------------------------------------------------------

TEST(DpasRegisters, InputsFirstThenDeclarationsInOrder) {
  Program program = assemble(kernel_with_everything, "k");
  resolve(program, profile_named("pvc"));
  const Kernel& k = program.kernels[0];
  const auto address = [&](const char* name) { return k.find_variable(name)->address; };
  EXPECT_EQ(address("P"), 64U);
  EXPECT_EQ(address("N"), 72U);  // follows P, aligned to a dword
  EXPECT_EQ(address("A"), 128U);
  EXPECT_EQ(address("B"), 640U);  // aligned to two registers
  EXPECT_EQ(address("C"), 1152U);
  EXPECT_EQ(address("H"), 1664U);
  EXPECT_EQ(address("F"), 1728U);
  EXPECT_EQ(address("T"), 192U);  // an alias of a part of A
  EXPECT_EQ(address("ADR"), 1792U);
  EXPECT_EQ(k.registers_used, 30U);
  const Instruction& jump = k.instructions[k.instructions.size() - 2];
  EXPECT_EQ(k.instructions[jump.target].opcode, Opcode::label);
}

TEST(DpasRegisters, VariablesThatDoNotFitAreRefused) {
  const auto error = [](const std::string& body) {
    return message_of([&] {
      Program program = assemble(kernel_head + body + "ret (M1, 1)\n", "k");
      resolve(program, profile_named("dg2"));
    });
  };
  EXPECT_EQ(error(".decl A v_type=G type=ud num_elts=1016\n"), "");
  EXPECT_EQ(
      error(".decl A v_type=G type=ud num_elts=1016\n.decl B v_type=G type=ub num_elts=1\n"),
      "k:4: E_REGISTERS: kernel \"k\": variable \"B\" of 1 bytes does not fit behind the variables "
      "before it; allowed 128 registers of 32 bytes in all");
  const std::string q =
      ".decl A v_type=G type=uq num_elts=1\n.decl B v_type=G type=uq num_elts=1\n";
  EXPECT_EQ(
      error(q + ".input A offset=4 size=8\n"),
      "k:5: E_REGISTERS: kernel \"k\": input \"A\" has offset 4; allowed 32..4088, multiples of 8");
  EXPECT_EQ(
      error(q + ".input A offset=32 size=4\n"),
      "k:5: E_REGISTERS: kernel \"k\": input \"A\" has size 4; allowed 8, that of the variable");
  EXPECT_EQ(error(q + ".input A offset=32 size=8\n.input B offset=32 size=8\n"),
            "k:6: E_REGISTERS: kernel \"k\": input \"B\" overlaps input \"A\"");
  EXPECT_EQ(
      error(q + ".decl C v_type=G type=ud num_elts=2 alias=<A,4>\n"),
      "k:5: E_BOUNDS: kernel \"k\": \"C\" has 8 bytes from byte 4 of \"A\" on, which has 8 bytes");
}

TEST(DpasRegisters, AKernelMustEnd) {
  EXPECT_EQ(
      message_of([] {
        Program program = assemble(".kernel k\nbarrier\n", "k");
        resolve(program, profile_named("pvc"));
      }),
      "k:2: E_LABEL: the kernel's last instruction is neither ret nor a jmp without predicate");
}

}  // namespace
}  // namespace tactus::dpas
