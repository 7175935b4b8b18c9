// Reads of registers that were never written, in kernels given as text.
#include "isa/dpas/unwritten.h"

#include <string>

#include <gtest/gtest.h>

#include "isa/dpas/assembly.h"

namespace tactus::dpas {
namespace {

const std::string head =
    ".version 3.6\n"
    ".kernel \"k\"\n"
    ".decl P v_type=G type=uq num_elts=1 align=GRF\n"
    ".decl A v_type=G type=ud num_elts=64 align=GRF\n"
    ".decl B v_type=G type=ud num_elts=128 align=GRF\n"
    ".decl D v_type=G type=d num_elts=128 align=GRF\n"
    ".decl N v_type=G type=d num_elts=16 align=GRF\n"
    ".decl F v_type=P num_elts=16\n"
    // P is in register 1, A in 2..5, B in 6..13, D in 14..21, N in 22
    ".input P offset=64 size=8\n";

const std::string loads =
    "lsc_load_block2d.ugm (M1_NM, 1) A:d8.32x8nn flat[P,0x1F,0x7,0x1F,0x0,0x0]\n"
    "lsc_load_block2d.ugm (M1_NM, 1) B:d8.16x32nt flat[P,0xF,0x1F,0xF,0x0,0x0]\n";
const std::string product = "dpas.s8.s8.8.8 (M1, 16) D.0 %null.0 B.0 A(0,0)\n";
const std::string sum = "dpas.s8.s8.8.8 (M1, 16) D.0 D.0 B.0 A(0,0)\n";
const std::string store =
    "lsc_store_block2d.ugm (M1_NM, 1) flat[P,0x3F,0x7,0x3F,0x0,0x0] D:d32.16x8nn\n";

UnwrittenReads found(const std::string& body) {
  const Profile profile = read_profile(TACTUS_SOURCE_DIR "/configs/dpas/pvc.json");
  Program program = assemble(head + body + "ret (M1, 1)\n", "k.visaasm");
  resolve(program, profile);
  return unwritten_reads(program, program.kernels.front(), profile);
}

std::string told(const std::string& body) {
  const UnwrittenReads reads = found(body);
  return reads.count == 0 ? "" : reads.text();
}

TEST(UnwrittenRegisters, AreFoundInKernelsWithoutBranches) {
  EXPECT_EQ(told(loads + product + store), "");
  EXPECT_EQ(told(loads + product + sum + store), "");
  EXPECT_EQ(
      told(loads + sum + store),
      "instruction 2 (line 12) reads register 14 of variable \"D\", which nothing has written "
      "(8 registers in 1 instruction in all)");
  EXPECT_EQ(told(product),
            "instruction 0 (line 10) reads register 6 of variable \"B\", which nothing has written "
            "(12 registers in 1 instruction in all)");
  EXPECT_EQ(
      told(store),
      "instruction 0 (line 10) reads register 14 of variable \"D\", which nothing has written "
      "(8 registers in 1 instruction in all)");
}

TEST(UnwrittenRegisters, ElementsCountNotWholeRegisters) {
  EXPECT_EQ(told("mov (M1, 8) N(0,0)<1> 0x1:d\nmov (M1, 8) D(0,0)<1> N(0,0)<8;8,1>\n"), "");
  EXPECT_EQ(
      told("mov (M1, 8) N(0,0)<1> 0x1:d\nmov (M1, 16) D(0,0)<1> N(0,0)<16;16,1>\n"),
      "instruction 1 (line 11) reads register 22 of variable \"N\", which nothing has written "
      "(1 register in 1 instruction in all)");
  // The mov writes every second element only.
  EXPECT_EQ(told("mov (M1, 8) N(0,0)<2> 0x1:d\nmov (M1, 8) D(0,0)<1> N(0,0)<16;8,2>\n"), "");
  EXPECT_EQ(found("mov (M1, 8) N(0,0)<2> 0x1:d\nmov (M1, 8) D(0,0)<1> N(0,1)<16;8,2>\n").count, 1U);
}

TEST(UnwrittenRegisters, TheFirstIterationOfALoopCounts) {
  const std::string loop = "L:\n" + sum +
                           "add (M1, 1) N(0,0)<1> N(0,0)<0;1,0> 0x1:d\n"
                           "cmp.lt (M1, 1) F N(0,0)<0;1,0> 0x4:d\n"
                           "(F) jmp (M1, 1) L\n" +
                           store;
  const std::string counter = "mov (M1, 1) N(0,0)<1> 0x0:d\n";
  EXPECT_EQ(told(loads + counter + product + loop), "");
  EXPECT_EQ(found(loads + counter + loop).instructions, 1U);
  EXPECT_EQ(found(loads + product + loop).instructions, 1U);
}

TEST(UnwrittenRegisters, ARegisterWrittenOnOneOfTwoPathsCountsAsWritten) {
  const std::string either =
      "cmp.lt (M1, 1) F 0x1:d 0x4:d\n"
      "(F) jmp (M1, 1) L\n"
      "mov (M1, 1) N(0,0)<1> 0x0:d\n"
      "L:\n";
  EXPECT_EQ(told(either + "mov (M1, 1) D(0,0)<1> N(0,0)<0;1,0>\n"), "");
  EXPECT_EQ(found("jmp (M1, 1) L\nmov (M1, 1) N(0,0)<1> 0x0:d\nL:\n"
                  "mov (M1, 1) D(0,0)<1> N(0,0)<0;1,0>\n")
                .count,
            1U);
}

TEST(UnwrittenRegisters, APredicatedInstructionCountsAsWriting) {
  EXPECT_EQ(told("cmp.lt (M1, 16) F 0x1:d 0x4:d\n(F) mov (M1, 16) N(0,0)<1> 0x0:d\n"
                 "mov (M1, 16) D(0,0)<1> N(0,0)<16;16,1>\n"),
            "");
}

}  // namespace
}  // namespace tactus::dpas
