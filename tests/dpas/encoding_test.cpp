// Text, vISA bytes, containers and the native form.
#include <gtest/gtest.h>

#include "isa/dpas/assembly.h"
#include "isa/dpas/container.h"
#include "isa/dpas/native.h"
#include "isa/support/error.h"
#include "isa/support/files.h"
#include "tests/dpas/golden.h"
#include "tests/dpas/kernels.h"

namespace tactus::dpas {
namespace {

enum Column { platform = 1, text_column, binary_column, native_column, bits_column, agreement };

/// Returns a kernel with the instruction of a golden row and the declarations that it needs.
std::string kernel_of(const std::string& instruction) {
  std::string text = kernel_head;
  for (const char* name : {"D", "C", "B", "A"}) {
    text += std::string(".decl ") + name + " v_type=G type=ud num_elts=128 align=GRF\n";
  }
  return text + instruction + "\nret (M1, 1)\n";
}

TEST(DpasEncoding, GoldenTextGivesTheGoldenBytesAndBack) {
  unsigned count = 0;
  for (const auto& row : golden_table("asm_golden.tsv")) {
    const Program program = assemble(kernel_of(row[text_column]), "golden");
    const Instruction& instruction = program.kernels[0].instructions[0];
    std::vector<std::uint8_t> bytes;
    encode(instruction, BinaryForm(), bytes);
    EXPECT_EQ(to_hex(bytes), row[binary_column]) << row[text_column];
    std::size_t at = 0;
    const Instruction back = decode(bytes.data(), bytes.size(), at, BinaryForm(), "golden");
    EXPECT_EQ(at, 33U);
    EXPECT_EQ(to_text(program.kernels[0], back), row[text_column]);
    ++count;
  }
  EXPECT_GE(count, 50U);
}

TEST(DpasEncoding, GoldenVectorsGiveTheGoldenBytes) {
  for (const Vector& v : golden_vectors()) {
    const Program program = assemble(kernel_of(v.text), "golden");
    std::vector<std::uint8_t> bytes;
    encode(program.kernels[0].instructions[0], BinaryForm(), bytes);
    EXPECT_EQ(to_hex(bytes), v.binary);
  }
}

TEST(DpasEncoding, GoldenNativeTextGivesTheGoldenBitsAndBack) {
  unsigned count = 0;
  for (const auto& row : golden_table("asm_golden.tsv")) {
    if (row[agreement] != "same") continue;  // the reference does not know it
    const NativeForm form{row[platform] == "DG2" ? 32U : 64U};
    const NativeDpas native = parse_native(row[native_column], form, "golden");
    const NativeBits bits = encode_native(native, form);
    EXPECT_EQ(to_hex({bits.begin(), bits.end()}), row[bits_column]) << row[native_column];
    EXPECT_EQ(native_text(decode_native(bits, form, "golden"), form), row[native_column]);
    ++count;
  }
  EXPECT_GE(count, 50U);
}

/// With the registers that the reference's allocator chose, the text's instruction equals the
/// native instruction except for the token.
TEST(DpasEncoding, VisaAndNativeFormsAreTheSameInstruction) {
  for (const auto& row : golden_table("asm_golden.tsv")) {
    if (row[agreement] != "same") continue;
    const bool dg2 = row[platform] == "DG2";
    const Profile profile = profile_named(dg2 ? "dg2" : "pvcxt");
    const NativeForm form{profile.grf_bytes};
    NativeDpas expected = parse_native(row[native_column], form, "golden");
    Program program = assemble(kernel_of(row[text_column]), "golden");
    Kernel& kernel = program.kernels[0];
    kernel.variables[0].type = expected.dst_type;
    kernel.variables[1].type = expected.src0_type;
    Instruction& i = kernel.instructions[0];
    const auto put = [&](Operand& operand, const NativeOperand& at, Type type) {
      operand.address = at.grf * profile.grf_bytes + at.byte;
      operand.type = type;
    };
    put(i.dst, expected.dst, expected.dst_type);
    put(i.source[0], expected.src0, expected.src0_type);
    put(i.source[1], expected.src1, Type::ud);
    put(i.source[2], expected.src2, Type::ud);
    i.annotations.sets = 0;
    const NativeDpas got = to_native(profile, i, "golden");
    EXPECT_EQ(native_text(got, form), row[native_column]);
  }
}

TEST(DpasEncoding, NativeOptionsComeBack) {
  for (const unsigned grf : {32U, 64U}) {
    const NativeForm form{grf};
    for (const char* text : {"dpas.8x4 (16|M0) r10:f r20:f r30:bf r50.0:bf {Atomic,$3}",
                             "(W) dpasw.8x1 (8|M0) r1:d null:d r255:s4 r7.16:u4 {$15.dst}",
                             "dpas.2x8 (8|M0) r1:ud r2:ud r3:u2 r4.8:u2 {$1.src}",
                             "dpas.8x8 (16|M0) r1.8:bf r2:f r3:bf r4.0:bf {Atomic}",
                             "dpas.8x8 (16|M0) r1:f r2:f r3:tf32 r4.0:tf32 {swsb=0x1a}"}) {
      const NativeDpas native = parse_native(text, form, "text");
      const NativeBits bits = encode_native(native, form);
      EXPECT_EQ(native_text(decode_native(bits, form, "bits"), form), text) << grf;
    }
  }
}

TEST(DpasEncoding, NativeMistakes) {
  const auto error = [](const std::string& text) {
    return message_of([&] { (void)parse_native(text, NativeForm(), "n"); });
  };
  EXPECT_EQ(
      error("dpas.8x9 (16|M0) r1:f r2:f r3:bf r4.0:bf"),
      "n:9: E_DPAS_SYNTAX: \"8x9\" is no shape; allowed SDxRC with SD in 1, 2, 4, 8 and RC in "
      "1..8");
  EXPECT_EQ(error("dpas.8x8 (16|M0) r1:q r2:f r3:bf r4.0:bf"),
            "n:22: \"q\" is no type of dst and src0; allowed d, ud, f, hf, bf");
  EXPECT_EQ(error("dpas.8x8 (16|M0) r1:d r2:f r3:bf r4.0:bf"),
            "n:27: dst and src0 are an integer and a float; allowed two of one kind");
  EXPECT_EQ(
      error("dpas.8x8 (16|M0) r1:f r2:f r3:bf8 r4.0:bf8"),
      "n:34: \"bf8\" is no type of src1 and src2; allowed ub, b, u4, s4, u2, s2, hf, bf, tf32");
  EXPECT_EQ(error("dpas.8x8 (16|M0) r1:f r2:f r3:bf r4.99:bf"),
            "n:42: sub-register 99 is out of range; allowed 0..31");
  NativeBits bits{};
  bits[0] = 0x5C;
  EXPECT_EQ(message_of([&] { (void)decode_native(bits, NativeForm(), "n"); }),
            "n: E_BDPAS_PLATFORM: bdpas is not modelled; allowed dpas, dpasw");
}

// ---- containers ---------------------------------------------------------------------------------

TEST(DpasContainer, TextAndBinaryGiveEachOther) {
  for (const std::string& text : {std::string(kernel_with_everything),
                                  read_text(golden_folder() + "/gemm_tile_example.visaasm")}) {
    const Program program = assemble(text, "k.visaasm");
    const std::string canonical = disassemble(program);
    EXPECT_EQ(disassemble(assemble(canonical, "again")), canonical);
    for (const std::uint8_t minor : {0, 3, 4, 5, 6, 7, 8}) {
      for (const bool predicate : {false, true}) {
        Program versioned = program;
        versioned.minor = minor;
        const auto bytes = write_container(versioned, predicate);
        const Program read = read_container(bytes, "k.isa", predicate);
        EXPECT_EQ(disassemble(read), disassemble(versioned)) << int{minor};
        EXPECT_EQ(write_container(read, predicate), bytes) << int{minor};
        EXPECT_TRUE(read.warnings.empty());
      }
    }
  }
}

TEST(DpasContainer, OlderFilesHaveDpasOf25Bytes) {
  const Program program = assemble(kernel_of("dpas.s8.s8.8.8 (M1, 16) D.0 C.0 B.0 A(0,0)"), "k");
  std::vector<std::uint8_t> narrow, wide, later;
  const Instruction& dpas = program.kernels[0].instructions[0];
  encode(dpas, {false, false}, narrow);
  encode(dpas, {true, false}, wide);
  encode(dpas, {true, true}, later);
  EXPECT_EQ(narrow.size(), 25U);
  EXPECT_EQ(wide.size(), 33U);
  EXPECT_EQ(later.size(), 35U);
  EXPECT_EQ(to_hex(narrow),
            "8304200000002100000022000000"  // opcode, execution size, three raw operands
            "00230000002201"                // src2: tag, id, row, column, region
            "08080808");
}

/// Checks the fields one by one, as spec section 7.2 lists them.
TEST(DpasContainer, LayoutOfTheHeader) {
  Program program =
      assemble(".kernel k\n.decl A v_type=G type=ud num_elts=64 align=GRF\nret (M1, 1)\n", "k");
  const std::string bytes = to_hex(write_container(program));
  EXPECT_EQ(bytes.substr(0, 2 * 8),
            "43495341"
            "03"
            "06"
            "0100");
  EXPECT_EQ(bytes.substr(16, 2 * (1 + 1 + 4)),
            "01"
            "6b"
            "1f000000");
  // The body begins with two names and the name of annotations, then the kernel's name and one
  // variable.
  const std::string body = bytes.substr(2 * 0x1F);
  EXPECT_EQ(body.substr(0, 2 * 4), "04000000");
  const std::string names =
      "00"
      "6b00"
      "4100" +
      to_hex(
          {'T', 'a', 'c', 't', 'u', 's', 'A', 'n', 'n', 'o', 't', 'a', 't', 'i', 'o', 'n', 's', 0});
  EXPECT_EQ(body.substr(8, names.size()), names);
  const std::string rest = body.substr(8 + names.size());
  EXPECT_EQ(rest.substr(0, 2 * (4 + 4 + 15)),
            "01000000"
            "01000000"
            "02000000"
            "50"
            "4000"
            "00000000"
            "0000"
            "00"
            "00");
  EXPECT_EQ(rest.substr(46),
            "0000"
            "0000"
            "0000"
            "00"
            "00"
            "00"
            "00000000"
            "04000000"
            "49000000"
            "0000"
            "34000000");
}

TEST(DpasContainer, BrokenFilesSayWhere) {
  const auto bytes = write_container(assemble(kernel_with_everything, "k"));
  const auto error = [](std::vector<std::uint8_t> broken) {
    return message_of([&] { (void)read_container(broken, "k.isa"); });
  };
  auto other = bytes;
  other[4] = 4;
  EXPECT_EQ(error(other), "k.isa:offset 0x4: version 4.6; allowed 3.0 and later");
  other = bytes;
  other[0] = 'X';
  EXPECT_EQ(error(other),
            "k.isa:offset 0x0: is no vISA container; allowed are files that begin with CISA");
  EXPECT_EQ(error({'C', 'I', 'S', 'A'}),
            "k.isa:offset 0x4: ends in the middle of the version: 0 bytes are left, 1 needed");
  EXPECT_EQ(error({'C', 'I', 'S', 'A', 3, 6, 255, 255}),
            "k.isa:offset 0x6: the number of kernels is 65535, more than the 0 bytes that follow "
            "have room for");
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const std::string text =
        error({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)});
    EXPECT_EQ(text.rfind("k.isa:offset 0x", 0), 0U) << size << ": " << text;
    EXPECT_EQ(text.find('\n'), std::string::npos);
  }
}

}  // namespace
}  // namespace tactus::dpas
